//! `trunkline pub TOPIC [PAYLOAD | - | --file FILE]`

use std::io::{self, BufRead as _, Read as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Error, Event, Options, Refusal, Topic, format};

use crate::Ending;
use crate::arguments::PubArguments;
use crate::client::{MOMENT, connect, counted, not_taken, tell};
use crate::fault::Fault;
use crate::signals::{self, Stop};

/// The longest line that is a message: what a router takes, unless it is configured otherwise.
const LINE: usize = 1 << 20;

/// Lines that are read ahead of what is sent; then reading waits.
const LINES_AHEAD: usize = 1024;

/// Messages between two looks at what the router says, where no pace is asked for.
const BETWEEN_LOOKS: u64 = 1000;

pub(crate) fn run(arguments: &PubArguments) -> Result<Ending, Fault> {
    let stop = signals::ask_to_stop()?;
    let mut client = connect(&arguments.to, "pub", Options::default())?;
    let topic =
        client.topic(&arguments.topic).map_err(|error| not_taken(&arguments.topic, error))?;
    let usual = if arguments.file.is_some() { format::OPAQUE } else { format::TEXT };
    let mut publishing = Publishing {
        client,
        name: &arguments.topic,
        topic,
        format: arguments.format.unwrap_or(usual),
        rate: arguments.rate,
        start: Instant::now(),
        sent: 0,
        refusal: None,
        stop,
    };
    match (&arguments.payload, &arguments.file) {
        (Some(dash), _) if dash == "-" => {
            publishing.lines(&lines(), arguments.count.unwrap_or(u64::MAX))?;
        }
        (Some(text), _) => publishing.repeat(text.as_bytes(), times(arguments))?,
        (None, Some(file)) => {
            let payload = std::fs::read(file)
                .map_err(|cause| Fault::new(format!("{}: {cause}", file.display())))?;
            publishing.repeat(&payload, times(arguments))?;
        }
        (None, None) => return Err(Fault::new("there is nothing to publish")),
    }
    publishing.end()?;
    Ok(Ending::Right)
}

/// How often one message is sent.
fn times(arguments: &PubArguments) -> u64 {
    let unsaid = if arguments.rate.is_some() { u64::MAX } else { 1 };
    arguments.count.unwrap_or(unsaid)
}

/// The lines of standard input, which a thread of their own reads, so that the router is heard
/// while nobody types.
fn lines() -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(LINES_AHEAD);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let Some(line) = next_line(&mut input).transpose() else { return };
            let is_last = line.is_err();
            if sender.send(line).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

/// The next line without its end, if there is one.
fn next_line(input: &mut io::StdinLock<'_>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if input.by_ref().take(LINE as u64 + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LINE {
        return Err(io::Error::other(format!("a line of more than {LINE} bytes")));
    }
    Ok(Some(line))
}

struct Publishing<'a> {
    client: Client,
    name: &'a str,
    topic: Topic,
    format: u16,
    rate: Option<f64>,
    start: Instant,
    sent: u64,
    /// The first one that the router told of.
    refusal: Option<Refusal>,
    stop: Stop,
}

impl Publishing<'_> {
    /// One message, so many times.
    fn repeat(&mut self, payload: &[u8], times: u64) -> Result<(), Fault> {
        while self.sent < times && self.wait_until_due()? {
            self.send(payload)?;
        }
        Ok(())
    }

    /// Each line one message, so many at most.
    fn lines(&mut self, lines: &Receiver<io::Result<Vec<u8>>>, most: u64) -> Result<(), Fault> {
        while self.sent < most {
            let line = match lines.try_recv() {
                Ok(line) => line,
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) => {
                    self.client.flush()?;
                    self.listen(Duration::ZERO)?;
                    if self.stop.is_asked() {
                        return Ok(());
                    }
                    match lines.recv_timeout(MOMENT) {
                        Ok(line) => line,
                        Err(RecvTimeoutError::Timeout) => continue,
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    }
                }
            };
            let line = line.map_err(|cause| Fault::new(format!("standard input: {cause}")))?;
            if !self.wait_until_due()? {
                return Ok(());
            }
            self.send(&line)?;
        }
        Ok(())
    }

    fn send(&mut self, payload: &[u8]) -> Result<(), Fault> {
        self.client.enqueue_as(self.topic, self.format, payload)?;
        self.sent += 1;
        Ok(())
    }

    /// Waits for the next message's time, counted from the first, so that a late one does not make the
    /// others late; false if it is time to end.
    fn wait_until_due(&mut self) -> Result<bool, Fault> {
        let Some(rate) = self.rate else {
            if self.sent.is_multiple_of(BETWEEN_LOOKS) {
                self.listen(Duration::ZERO)?;
            }
            return Ok(!self.stop.is_asked());
        };
        let due = self.start + Duration::from_secs_f64(self.sent as f64 / rate);
        while !self.stop.is_asked() {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(true);
            }
            self.client.flush()?;
            self.listen(left.min(MOMENT))?;
        }
        Ok(false)
    }

    /// Hears what the router has to say.
    fn listen(&mut self, time: Duration) -> Result<(), Fault> {
        let refusal = &mut self.refusal;
        self.client.receive(Some(time), &mut |event| {
            if let Event::Refused(refused) = event {
                refusal.get_or_insert_with(|| refused.into());
            }
        })?;
        match self.refusal.take() {
            Some(refusal) => Err(not_taken(self.name, Error::Refused(refusal))),
            None => Ok(()),
        }
    }

    /// Nothing is said to be published that the router has not worked through.
    fn end(&mut self) -> Result<(), Fault> {
        self.client.synchronise()?;
        self.listen(Duration::ZERO)?;
        if self.sent != 1 {
            let seconds = self.start.elapsed().as_secs_f64();
            let rate = self.sent as f64 / seconds.max(1e-6);
            let messages = counted(self.sent, "message");
            tell(&format!("{messages} to {} in {seconds:.2} s, {rate:.0} a second", self.name));
        }
        Ok(())
    }
}
