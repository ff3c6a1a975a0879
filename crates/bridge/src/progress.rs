//! What a session's store and the thread of its router connection tell each other.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// When the numbers of a session began; those before a reset are others.
pub(crate) type Began = Option<i64>;

/// A message that came in a session: its number, and of which numbering that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    pub(crate) number: u64,
    pub(crate) began: Began,
}

/// How much of a message that is sent the store keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// All of it, to send it again.
    #[default]
    Message,
    /// That there was one.
    Number,
}

/// Shared between a session and the thread of its router connection.
#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    began: Began,
    /// Messages that the router has not acknowledged, oldest first.
    in_flight: VecDeque<Arrived>,
    /// A message has gone to the router's journal, and the session's store need not know yet that it came.
    has_begun: bool,
    /// The place in the router's journal of the message that is being sent.
    position: Option<u64>,
    keeping: Keeping,
    /// A message was refused, and the session's store need not have that on the disk yet.
    has_refused: bool,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers begin again.
    pub(crate) fn set_began(&self, began: Began) {
        self.lock().began = began;
    }

    /// A message is on its way to the router.
    pub(crate) fn begin(&self, number: u64) -> Arrived {
        let mut state = self.lock();
        let arrived = Arrived { number, began: state.began };
        state.in_flight.push_back(arrived);
        state.has_begun = true;
        arrived
    }

    /// Whether any message has [gone](Self::begin) to the router's journal since the last time this was asked, or is on its
    /// way there.
    pub(crate) fn take_begun(&self) -> bool {
        let mut state = self.lock();
        let is_under_way = !state.in_flight.is_empty();
        std::mem::replace(&mut state.has_begun, is_under_way) || is_under_way
    }

    /// The router has a message, or it never goes there.
    pub(crate) fn end(&self, arrived: Arrived) {
        let mut state = self.lock();
        if let Some(at) = state.in_flight.iter().position(|it| *it == arrived) {
            state.in_flight.remove(at);
        }
    }

    /// Whether the number of a message is one of this numbering.
    pub(crate) fn is_current(&self, arrived: Arrived) -> bool {
        self.lock().began == arrived.began
    }

    /// The lowest number of this numbering that is on its way.
    pub(crate) fn first(&self) -> Option<u64> {
        let state = self.lock();
        let own = |it: &&Arrived| it.began == state.began;
        state.in_flight.iter().find(own).map(|it| it.number)
    }

    /// A message is refused: what came behind it must not be stored by the router before that is on the session's disk, as
    /// the session would begin behind it and never answer it.
    pub(crate) fn refuse(&self) {
        self.lock().has_refused = true;
    }

    pub(crate) fn take_refused(&self) -> bool {
        std::mem::take(&mut self.lock().has_refused)
    }

    /// Says how much is kept of the messages that are sent from now on.
    pub(crate) fn keep(&self, keeping: Keeping) {
        self.lock().keeping = keeping;
    }

    pub(crate) fn keeping(&self) -> Keeping {
        self.lock().keeping
    }

    /// Says which place of the router's journal the next message that is kept comes from.
    pub(crate) fn set_position(&self, position: Option<u64>) {
        self.lock().position = position;
    }

    pub(crate) fn take_position(&self) -> Option<u64> {
        self.lock().position.take()
    }
}
