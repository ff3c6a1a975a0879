//! What a session hands to the thread of its router connection.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::progress::Arrived;
use crate::requests::MarketData;

/// Messages that may wait for the router. A session refuses more: its application is not available.
const MESSAGES: usize = 1 << 16;
/// Bytes of them.
const BYTES: usize = 64 << 20;
/// Requests for market data that may wait.
const REQUESTS: usize = 1 << 12;

/// A message on its way to the router.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) topic: String,
    pub(crate) payload: Vec<u8>,
    /// Which message of the session it is, if it is to be stored; others are published.
    pub(crate) arrived: Option<Arrived>,
}

/// The messages of one session that wait, and whether it is up.
#[derive(Debug)]
pub(crate) struct Inbox {
    state: Mutex<State>,
    wake: OwnedFd,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Incoming>,
    bytes: usize,
    requests: VecDeque<MarketData>,
    /// How often somebody has logged on.
    logons: u64,
    is_logged_on: bool,
    is_stopped: bool,
}

impl State {
    fn logon(&self) -> Option<u64> {
        self.is_logged_on.then_some(self.logons)
    }
}

impl Inbox {
    pub(crate) fn new() -> io::Result<Self> {
        let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Self { state: Mutex::default(), wake })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // It cannot be full: the thread empties it.
        _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Readable when something has changed since it was read last.
    pub(crate) fn signal(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Lets a message wait; false if as many wait as may.
    pub(crate) fn push(&self, incoming: Incoming) -> bool {
        let mut state = self.lock();
        let bytes = incoming.payload.len();
        if state.waiting.len() >= MESSAGES || state.bytes + bytes > BYTES {
            return false;
        }
        state.bytes += bytes;
        state.waiting.push_back(incoming);
        let is_first = state.waiting.len() == 1;
        drop(state);
        // While some wait the thread comes back by itself.
        if is_first {
            self.wake();
        }
        true
    }

    /// The message that waits longest.
    pub(crate) fn pop(&self) -> Option<Incoming> {
        let mut state = self.lock();
        let incoming = state.waiting.pop_front()?;
        state.bytes -= incoming.payload.len();
        Some(incoming)
    }

    /// Lets a request wait; false if as many wait as may.
    pub(crate) fn ask(&self, request: MarketData) -> bool {
        let mut state = self.lock();
        let has_room = state.requests.len() < REQUESTS;
        if has_room {
            state.requests.push_back(request);
        }
        drop(state);
        self.wake();
        has_room
    }

    /// The request of a logon that waits longest.
    pub(crate) fn request(&self, logon: Option<u64>) -> Option<MarketData> {
        let mut state = self.lock();
        if state.logon() == logon { state.requests.pop_front() } else { None }
    }

    /// Which logon it is; none while nobody is logged on.
    pub(crate) fn logon(&self) -> Option<u64> {
        self.lock().logon()
    }

    pub(crate) fn set_logged_on(&self, is_logged_on: bool) {
        let mut state = self.lock();
        state.is_logged_on = is_logged_on;
        state.logons += u64::from(is_logged_on);
        // They were those of another logon.
        state.requests.clear();
        drop(state);
        self.wake();
    }

    pub(crate) fn is_logged_on(&self) -> bool {
        self.lock().is_logged_on
    }

    pub(crate) fn stop(&self) {
        self.lock().is_stopped = true;
        self.wake();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().is_stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_in_messages_and_bytes() {
        let message = |bytes| Incoming {
            topic: "orders/a".to_owned(),
            payload: vec![b'x'; bytes],
            arrived: None,
        };
        let inbox = Inbox::new().expect("an eventfd");
        assert!(inbox.push(message(BYTES)) && !inbox.push(message(1)));
        assert_eq!(inbox.pop().map(|it| it.payload.len()), Some(BYTES));
        for _ in 0..MESSAGES {
            assert!(inbox.push(message(1)));
        }
        assert!(!inbox.push(message(1)));
        assert!(inbox.pop().is_some() && inbox.push(message(1)));
    }
}
