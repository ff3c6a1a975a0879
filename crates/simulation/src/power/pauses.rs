//! Pauses of durable subscriptions: what an administrator was told to be done holds over every restart.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, TryRecvError};

use trunkline_server::EventLoop;
use trunkline_server::administration::{Answer, Rejection};
use trunkline_server::engine::StoreRequest;

use crate::report::{Checked, ensure};
use crate::simulated::Simulated;

type Answers = Receiver<Result<Answer, Rejection>>;

/// What was asked, and what was promised.
#[derive(Default)]
pub(crate) struct Pauses {
    /// The last request of each durable subscription, which has no answer yet.
    asked: BTreeMap<String, (bool, Answers)>,
    /// Whether it is paused. Nothing else was asked since.
    promised: BTreeMap<String, bool>,
    /// Durable subscriptions that are to be moved, which the router does when its journal is not busy.
    moving: Vec<(String, Answers)>,
}

impl Pauses {
    /// An administrator asks for something.
    pub(crate) fn asked(&mut self, request: &StoreRequest, answers: Answers) {
        let (name, is_paused) = match request {
            StoreRequest::Pause(name) => (name, true),
            StoreRequest::Resume(name) => (name, false),
            StoreRequest::Seek(name, _) => return self.moving.push((name.clone(), answers)),
            _ => return,
        };
        self.promised.remove(name);
        self.asked.insert(name.clone(), (is_paused, answers));
    }

    /// Takes answers, as often as there may be some; gives how many there were.
    pub(crate) fn take(&mut self) -> u64 {
        let before = self.promised.len();
        self.asked.retain(|name, (is_paused, answers)| match answers.try_recv() {
            Ok(Ok(_)) => {
                self.promised.insert(name.clone(), *is_paused);
                false
            }
            // What is not answered may hold or not.
            Ok(Err(_)) => false,
            Err(_) => true,
        });
        (self.promised.len() - before) as u64
    }

    /// Those that may have been moved since the last look.
    pub(crate) fn moving(&mut self) -> Vec<String> {
        let names = self.moving.iter().map(|(name, _)| name.clone()).collect();
        self.moving.retain(|(_, answers)| answers.try_recv() == Err(TryRecvError::Empty));
        names
    }

    /// Nothing is promised any more.
    pub(crate) fn forget(&mut self) {
        self.promised.clear();
    }

    /// The router has died.
    pub(crate) fn died(&mut self) {
        self.take();
        self.asked.clear();
    }

    /// The router has started.
    pub(crate) fn check(&self, event_loop: &EventLoop<Simulated>) -> Checked {
        for it in event_loop.engine().store().durables() {
            let Some(is_paused) = self.promised.get(it.name) else { continue };
            ensure(it.is_paused == *is_paused, "administered", || {
                format!("{} was answered to be paused: {is_paused}", it.name)
            })?;
        }
        Ok(())
    }
}
