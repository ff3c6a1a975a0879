//! The loop of an I/O thread.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use trunkline_reactor::{Event, Idle};

use super::bell::Bell;
use super::ends::{Far, FarEnds, Next, RING};
use crate::platform::Stream;

/// What an I/O thread needs of the world.
pub trait Poller {
    /// What its clients are connected by.
    type Stream: Stream;

    /// Replaces the events by what happened, as [`Platform::wait_until`](crate::Platform::wait_until) does. With `sleeps`
    /// it waits for something, or for being woken.
    ///
    /// # Errors
    ///
    /// Nothing can be waited for any more.
    fn wait(&mut self, events: &mut Vec<Event>, sleeps: bool) -> io::Result<()>;

    /// How it waits.
    fn set_idle(&mut self, idle: Idle);

    /// Watches a stream.
    ///
    /// # Errors
    ///
    /// It cannot be watched.
    fn add(&mut self, stream: &mut Self::Stream, token: usize) -> io::Result<()>;

    /// Watches a stream no more, which is dropped next.
    fn remove(&mut self, stream: &mut Self::Stream);
}

/// What the router's thread tells an I/O thread, besides the bytes.
pub(super) enum Order<S> {
    Carry(Arrival<S>),
    Idle(Idle),
}

/// A connection to carry.
pub(super) struct Arrival<S> {
    pub(super) slot: usize,
    pub(super) stream: S,
    pub(super) far: FarEnds,
}

/// Connections with something to do, once each.
#[derive(Default)]
struct Ready {
    slots: VecDeque<usize>,
    is_there: Vec<bool>,
}

impl Ready {
    fn add(&mut self, slot: usize) {
        if slot >= self.is_there.len() {
            self.is_there.resize(slot + 1, false);
        }
        if !std::mem::replace(&mut self.is_there[slot], true) {
            self.slots.push_back(slot);
        }
    }

    fn next(&mut self) -> Option<usize> {
        let slot = self.slots.pop_front()?;
        self.is_there[slot] = false;
        Some(slot)
    }
}

/// Moves the bytes of its connections between their streams and the router's thread.
pub struct IoLoop<Q: Poller> {
    poller: Q,
    orders: Receiver<Order<Q::Stream>>,
    /// Tells of what the router's thread has done.
    bell: Arc<Bell>,
    /// Tells the router's thread.
    tells: Arc<Bell>,
    /// By the number that the router's thread has chosen, which is the token as well.
    connections: Vec<Option<Far<Q::Stream>>>,
    ready: Ready,
    events: Vec<Event>,
    scratch: Vec<u8>,
}

impl<Q: Poller> IoLoop<Q> {
    pub(super) fn new(
        poller: Q,
        orders: Receiver<Order<Q::Stream>>,
        bell: Arc<Bell>,
        tells: Arc<Bell>,
    ) -> Self {
        Self {
            poller,
            orders,
            bell,
            tells,
            connections: Vec::new(),
            ready: Ready::default(),
            events: Vec::new(),
            scratch: vec![0; RING],
        }
    }

    /// Carries connections until the router's thread ends.
    ///
    /// # Errors
    ///
    /// Nothing can be waited for any more.
    pub fn run(mut self) -> io::Result<()> {
        let result = loop {
            match self.turn() {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(cause) => break Err(cause),
            }
        };
        self.end(result.as_ref().err());
        result
    }

    /// Whether it has something to do without an event of its poller.
    pub fn has_work(&self) -> bool {
        !self.ready.slots.is_empty() || self.bell.is_set()
    }

    /// Sleeps until there is something to do, and does it; false once the router's thread has ended.
    ///
    /// # Errors
    ///
    /// Nothing can be waited for any more.
    pub fn turn(&mut self) -> io::Result<bool> {
        let Self { poller, bell, events, connections, ready, .. } = self;
        let sleeps = ready.slots.is_empty() && bell.sleeper().may_sleep(|| bell.is_set());
        let waited = poller.wait(events, sleeps);
        bell.sleeper().is_awake();
        waited?;
        for event in &*events {
            if let Some(Some(at)) = connections.get_mut(event.token) {
                at.has_event(event);
                ready.add(event.token);
            }
        }
        bell.take(|slot| ready.add(slot));
        let goes_on = self.take_orders();
        for _ in 0..self.ready.slots.len() {
            let Some(slot) = self.ready.next() else { break };
            let Some(Some(at)) = self.connections.get_mut(slot) else { continue };
            match at.go_on(&mut self.scratch) {
                Next::Rest => {}
                Next::GoOn => self.ready.add(slot),
                Next::Drop => self.drop_connection(slot),
            }
        }
        Ok(goes_on)
    }

    /// False if there is nobody to give orders any more.
    fn take_orders(&mut self) -> bool {
        loop {
            match self.orders.try_recv() {
                Ok(Order::Carry(arrival)) => self.carry(arrival),
                Ok(Order::Idle(idle)) => self.poller.set_idle(idle),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    fn carry(&mut self, arrival: Arrival<Q::Stream>) {
        let Arrival { slot, stream, far } = arrival;
        // The number is free at the other side: who had it was dropped there.
        if let Some(Some(before)) = self.connections.get_mut(slot) {
            before.go_on(&mut self.scratch);
            self.drop_connection(slot);
        }
        if slot >= self.connections.len() {
            self.connections.resize_with(slot + 1, || None);
        }
        let mut far = Far::new(stream, far);
        if let Err(cause) = self.poller.add(&mut far.stream, slot) {
            let text = format!("its socket cannot be watched: {cause}");
            far.fail(&io::Error::new(cause.kind(), text));
        }
        self.connections[slot] = Some(far);
        self.ready.add(slot);
    }

    fn drop_connection(&mut self, slot: usize) {
        if let Some(mut it) = self.connections[slot].take() {
            self.poller.remove(&mut it.stream);
        }
    }

    /// Sends what has been handed over, as far as there is room. If the thread has failed, the connections have too.
    fn end(&mut self, failure: Option<&io::Error>) {
        self.take_orders();
        for at in self.connections.iter_mut().flatten() {
            at.go_on(&mut self.scratch);
            if let Some(cause) = failure {
                at.fail(cause);
            }
        }
        self.tells.ring();
    }
}
