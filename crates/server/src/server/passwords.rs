//! The thread that compares passwords with their hashes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tracing::error;
use trunkline_reactor::Waker;
use trunkline_security::PasswordCheck;

/// One thread, started with the first password. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Passwords {
    waker: Waker,
    thread: Option<Worker>,
    /// One is being compared.
    is_busy: bool,
}

/// What goes to the thread, and what comes of it: the hash of a password that is right.
type Worker = (Sender<PasswordCheck>, Receiver<Option<Arc<str>>>);

impl Passwords {
    pub(crate) fn new(waker: Waker) -> Self {
        Self { waker, thread: None, is_busy: false }
    }

    /// Has one compared.
    pub(crate) fn begin(&mut self, check: PasswordCheck) {
        if self.thread.is_none() {
            self.thread = self.start();
        }
        // Without a thread the client waits until its time is over.
        self.is_busy = self.thread.as_ref().is_some_and(|(checks, _)| checks.send(check).is_ok());
    }

    fn start(&self) -> Option<Worker> {
        let (checks, to_run) = channel::<PasswordCheck>();
        let (done, outcomes) = channel();
        let waker = self.waker.clone();
        let run = move || {
            for check in to_run {
                if done.send(check.run()).is_err() {
                    return;
                }
                // Without it the outcome would be found in the next turn.
                let _ = waker.wake();
            }
        };
        match thread::Builder::new().name("passwords".to_owned()).spawn(run) {
            Ok(_) => Some((checks, outcomes)),
            Err(cause) => {
                error!(%cause, "no thread for passwords: nobody can log in");
                None
            }
        }
    }

    /// What came of the last one, once.
    #[inline]
    pub(crate) fn outcome(&mut self) -> Option<Option<Arc<str>>> {
        if !self.is_busy {
            return None;
        }
        let outcome = self.thread.as_ref()?.1.try_recv().ok()?;
        self.is_busy = false;
        Some(outcome)
    }
}
