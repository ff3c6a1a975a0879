//! `top` on a terminal: a look at the router each interval, and keys in between.

use std::io::{IsTerminal as _, Read as _, stdin};
use std::rc::Rc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use trunkline_server::snapshot::Snapshot;

use super::controls::{Controls, HELP};
use super::key::{Key, keys};
use super::screen::{Screen, Size};
use super::source::Source;
use super::view::View;
use crate::Ending;
use crate::arguments::TopArguments;
use crate::fault::Fault;

/// Events that wait; then their senders do.
const EVENTS: usize = 16;

enum Event {
    /// Boxed, since a channel holds the largest event `EVENTS` times.
    Snapshot(Box<Result<Snapshot, Fault>>),
    Keys(Vec<Key>),
    Signal(i32),
}

pub(super) fn run(
    arguments: &TopArguments,
    source: Source,
    first: Snapshot,
) -> Result<Ending, Fault> {
    let (sender, events) = sync_channel(EVENTS);
    send_signals(sender.clone())?;
    let screen = Screen::enter()?;
    send_looks(source, arguments.interval, sender.clone());
    if stdin().is_terminal() {
        send_keys(sender.clone());
    }
    let mut session = Session::new(arguments, first);
    session.draw(&screen)?;
    for event in events {
        match event {
            Event::Snapshot(snapshot) => session.take(*snapshot),
            Event::Keys(keys) => {
                if keys.into_iter().any(|key| session.controls.press(key)) {
                    break;
                }
            }
            Event::Signal(SIGWINCH) => {}
            Event::Signal(SIGCONT) => screen.resume()?,
            Event::Signal(SIGTSTP) => {
                screen.suspend();
                emulate_default_handler(SIGTSTP)?;
                screen.resume()?;
            }
            Event::Signal(signal) => {
                drop(screen);
                // Ends the process as the signal would have.
                emulate_default_handler(signal)?;
                return Ok(Ending::Right);
            }
        }
        session.draw(&screen)?;
    }
    Ok(Ending::Right)
}

fn send_signals(events: SyncSender<Event>) -> Result<(), Fault> {
    let all = [SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH];
    let mut signals = Signals::new(all)
        .map_err(|cause| Fault::new(format!("signals cannot be received: {cause}")))?;
    thread::spawn(move || {
        for signal in signals.forever() {
            if events.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn send_looks(mut source: Source, interval: Duration, events: SyncSender<Event>) {
    thread::spawn(move || {
        loop {
            thread::sleep(interval);
            if events.send(Event::Snapshot(Box::new(source.snapshot()))).is_err() {
                return;
            }
        }
    });
}

fn send_keys(events: SyncSender<Event>) {
    thread::spawn(move || {
        let mut bytes = [0; 256];
        loop {
            let pressed = match stdin().read(&mut bytes) {
                Ok(count) if count > 0 => keys(&bytes[..count]),
                Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => continue,
                // The terminal is gone, which a signal says as well.
                _ => return,
            };
            if events.send(Event::Keys(pressed)).is_err() {
                return;
            }
        }
    });
}

/// What is shown.
struct Session<'a> {
    arguments: &'a TopArguments,
    controls: Controls,
    newest: Rc<Snapshot>,
    /// The two looks on the screen, which a pause keeps there.
    shown: Option<[Rc<Snapshot>; 2]>,
    /// Why the last look has failed.
    fault: Option<Fault>,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a TopArguments, first: Snapshot) -> Self {
        let controls = Controls::new(arguments);
        Self { arguments, controls, newest: Rc::new(first), shown: None, fault: None }
    }

    fn take(&mut self, look: Result<Snapshot, Fault>) {
        match look {
            Ok(look) => {
                let earlier = std::mem::replace(&mut self.newest, Rc::new(look));
                if !self.controls.is_paused {
                    self.shown = Some([earlier, Rc::clone(&self.newest)]);
                }
                self.fault = None;
            }
            Err(fault) => self.fault = Some(fault),
        }
    }

    fn draw(&self, screen: &Screen) -> Result<(), Fault> {
        let size = Size::of_terminal();
        screen.draw(&self.text(size), &self.controls.line(), size)
    }

    fn text(&self, size: Size) -> String {
        let interval = self.arguments.interval;
        if self.controls.shows_help {
            return HELP.to_owned();
        }
        match (&self.fault, &self.shown) {
            (Some(fault), _) => format!("{fault}\nasking again every {interval:?}\n"),
            (None, Some([earlier, later])) => {
                View::new(self.arguments, &self.controls, earlier, later).text(Some(size))
            }
            (None, None) => format!("rates come with the second look, after {interval:?}\n"),
        }
    }
}
