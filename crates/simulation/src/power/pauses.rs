//! What an administrator asks of durable subscriptions: what he was told of a pause holds over every restart, and
//! moves and purges are made later than they are asked for.

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
    /// Moves and purges that are not answered. The router makes them in order, each when its journal is not busy: a
    /// purge waits for the move of another subscription.
    under_way: Vec<(StoreRequest, Answers)>,
}

impl Pauses {
    /// An administrator asks for something.
    pub(crate) fn asked(&mut self, request: &StoreRequest, answers: Answers) {
        let (name, is_paused) = match request {
            StoreRequest::Pause(name) => (name, true),
            StoreRequest::Resume(name) => (name, false),
            StoreRequest::Seek(..) | StoreRequest::Purge(_) => {
                return self.under_way.push((request.clone(), answers));
            }
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

    /// Moves and purges that may have been made since the last look.
    pub(crate) fn under_way(&mut self) -> Vec<StoreRequest> {
        let requests = self.under_way.iter().map(|(request, _)| request.clone()).collect();
        self.under_way.retain(|(_, answers)| answers.try_recv() == Err(TryRecvError::Empty));
        requests
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_purge_is_under_way_until_it_is_answered() {
        let (answer, answers) = mpsc::sync_channel(1);
        let (mut pauses, purge) = (Pauses::default(), StoreRequest::Purge("durable-0".to_owned()));
        pauses.asked(&purge, answers);
        assert_eq!(pauses.under_way(), std::slice::from_ref(&purge));
        answer.send(Err(Rejection::Busy("not yet".to_owned()))).expect("somebody listens");
        assert_eq!(pauses.under_way(), [purge], "it may have been made since the last look");
        assert_eq!(pauses.under_way(), []);
    }
}
