//! What is going on in a run, on standard error: one line that changes on a terminal; elsewhere a line at the
//! beginning and then now and again, also within a step that takes long.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trunkline_lab::evaluation::Step;

/// How often it is told, where there is no terminal, what is going on.
const BETWEEN_LINES: Duration = Duration::from_secs(20);

/// How often it is looked whether that is due.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// Where the run is shown.
pub(super) struct Display {
    is_terminal: bool,
    is_quiet: bool,
    lines: Arc<Mutex<Lines>>,
    /// Tells what goes on while nothing changes, until the sender is gone.
    teller: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Display {
    pub(super) fn new(is_quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let lines = Arc::new(Mutex::new(Lines::default()));
        let teller = (!is_terminal && !is_quiet).then(|| {
            let lines = Arc::clone(&lines);
            let (until, ended) = mpsc::channel();
            let tell = move || {
                while ended.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
                    put(&locked(&lines).due(Instant::now()));
                }
            };
            (until, thread::spawn(tell))
        });
        Self { is_terminal, is_quiet, lines, teller }
    }

    pub(super) fn show(&mut self, step: Step<'_>) {
        if self.is_quiet {
            return;
        }
        let text: String = step.text.chars().filter(|c| !c.is_control()).take(60).collect();
        let line = format!("{} {:3.0} %  {text}", step.part, step.share * 100.0);
        if self.is_terminal {
            put(&format!("\r\x1b[K{line}"));
        } else {
            let now = Instant::now();
            let mut lines = locked(&self.lines);
            lines.begin(line.trim_end(), now);
            put(&lines.due(now));
        }
    }

    pub(super) fn clear(&mut self) {
        if let Some((until, teller)) = self.teller.take() {
            drop(until);
            // It has nothing to say that could go wrong.
            let _ = teller.join();
        }
        if self.is_terminal && !self.is_quiet {
            put("\r\x1b[K");
        }
    }
}

fn locked(lines: &Mutex<Lines>) -> MutexGuard<'_, Lines> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put(text: &str) {
    // Who closes standard error does not want to know.
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// What is told where there is no terminal, and when.
#[derive(Default)]
struct Lines {
    /// What goes on, and since when.
    step: Option<(String, Instant)>,
    /// When it was told last.
    told: Option<Instant>,
}

impl Lines {
    /// Something else goes on from now on.
    fn begin(&mut self, line: &str, now: Instant) {
        if self.step.as_ref().is_none_or(|(known, _)| known != line) {
            self.step = Some((line.to_owned(), now));
        }
    }

    /// The line that is due; empty if none is.
    fn due(&mut self, now: Instant) -> String {
        let is_due = self.told.is_none_or(|told| now.duration_since(told) >= BETWEEN_LINES);
        let Some((line, since)) = self.step.as_ref().filter(|_| is_due) else {
            return String::new();
        };
        self.told = Some(now);
        match now.duration_since(*since).as_secs() {
            0 => format!("measuring {line}\n"),
            seconds => format!("measuring {line}, for {seconds} s\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_at_once_and_then_every_so_often_within_a_long_step_too() {
        let (start, mut lines) = (Instant::now(), Lines::default());
        let at = |second: u64| start + Duration::from_secs(second);
        assert_eq!(lines.due(at(0)), "", "nothing goes on");
        lines.begin("codec   0 %  one", at(1));
        let mut told = Vec::new();
        for second in 1..=50 {
            if second == 45 {
                lines.begin("codec  50 %  other", at(second));
            }
            // Whoever looks, and however often.
            told.extend([lines.due(at(second)), lines.due(at(second))]);
        }
        told.retain(|line| !line.is_empty());
        assert_eq!(
            told,
            [
                "measuring codec   0 %  one\n",
                "measuring codec   0 %  one, for 20 s\n",
                "measuring codec   0 %  one, for 40 s\n",
            ]
        );
        assert_eq!(lines.due(at(61)), "measuring codec  50 %  other, for 16 s\n");
    }
}
