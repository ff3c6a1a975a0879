//! The reactor's side of streams through shared memory: which of them are ready.
//!
//! A stream is *hot* while its cursors are checked in every turn, which costs no system call on either
//! side. Before the reactor sleeps it requests a wake-up from the other side of each hot stream, and checks
//! once more; then the stream is cold, until a byte comes over its socket.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::End;
use crate::{Event, Idle};

/// Wake-up bytes are taken out of the socket after this many; it holds more.
const WAKES_BEFORE_DRAIN: u32 = 64;

/// Turns without events after which a stream is no longer hot while the reactor never sleeps.
const QUIET_TURNS: u32 = 64;

/// Streams that always stay hot if the reactor spins.
const SPUN_STREAMS: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct Watch {
    streams: Vec<Option<Watched>>,
    free: Vec<usize>,
    hot: Vec<usize>,
}

#[derive(Debug)]
struct Watched {
    end: Arc<End>,
    token: usize,
    /// The writer's cursor of the last report.
    reported: u64,
    /// The end was reported.
    reported_end: bool,
    is_hot: bool,
    quiet: u32,
    wakes: u32,
}

impl Watched {
    /// What has happened since the last report.
    #[inline]
    fn next_event(&mut self) -> Option<Event> {
        let end = &*self.end;
        let closed = !self.reported_end && end.is_ended();
        let head = end.incoming.head();
        let readable = head != self.reported && head != end.read.load(Ordering::Relaxed) || closed;
        let writable = end.is_full.load(Ordering::Relaxed) && end.has_room();
        if !readable && !writable {
            return None;
        }
        self.reported = head;
        self.reported_end |= closed;
        if writable {
            end.is_full.store(false, Ordering::Relaxed);
        }
        Some(Event { token: self.token, readable, writable, closed })
    }
}

impl Watch {
    /// Watches a stream from now on; returns its slot.
    pub(crate) fn add(&mut self, end: &Arc<End>, token: usize) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.streams.push(None);
            self.streams.len() - 1
        });
        let reported = end.read.load(Ordering::Relaxed);
        let end = Arc::clone(end);
        end.slot.store(slot, Ordering::Relaxed);
        let (reported_end, is_hot, quiet, wakes) = (false, true, 0, 0);
        self.streams[slot] =
            Some(Watched { end, token, reported, reported_end, is_hot, quiet, wakes });
        self.hot.push(slot);
        slot
    }

    /// Forgets a stream; returns whether it was watched here.
    pub(crate) fn remove(&mut self, end: &Arc<End>) -> bool {
        let slot = end.slot.load(Ordering::Relaxed);
        let is_it = |watched: &Watched| Arc::ptr_eq(&watched.end, end);
        let is_here = self.streams.get(slot).and_then(Option::as_ref).is_some_and(is_it);
        if is_here {
            self.forget(slot);
        }
        is_here
    }

    fn forget(&mut self, slot: usize) {
        self.streams[slot] = None;
        self.hot.retain(|hot| *hot != slot);
        self.free.push(slot);
    }

    #[inline]
    pub(crate) fn has_hot(&self) -> bool {
        !self.hot.is_empty()
    }

    /// Whether no stream needs wake-ups by the system.
    #[inline]
    pub(crate) fn is_all_hot(&self) -> bool {
        self.hot.len() + self.free.len() == self.streams.len()
    }

    /// Something came over the socket of a stream.
    pub(crate) fn woken(&mut self, slot: usize, is_closed: bool) {
        let Some(watched) = self.streams.get_mut(slot).and_then(Option::as_mut) else { return };
        if watched.end.is_dropped.load(Ordering::Relaxed) {
            self.forget(slot);
            return;
        }
        watched.wakes += 1;
        if watched.wakes == WAKES_BEFORE_DRAIN {
            watched.wakes = 0;
            watched.end.drain();
        }
        if is_closed {
            watched.end.is_gone.store(true, Ordering::Relaxed);
        }
        watched.quiet = 0;
        if !watched.is_hot {
            watched.is_hot = true;
            self.hot.push(slot);
        }
    }

    /// Reports events of the hot streams.
    pub(crate) fn scan(&mut self, events: &mut Vec<Event>, idle: Idle) {
        let stay = idle == Idle::Spin && self.hot.len() <= SPUN_STREAMS;
        let mut at = 0;
        while let Some(&slot) = self.hot.get(at) {
            let Some(watched) = &mut self.streams[slot] else {
                self.hot.swap_remove(at);
                continue;
            };
            if let Some(event) = watched.next_event() {
                watched.quiet = 0;
                events.push(event);
                at += 1;
            } else if !stay && watched.quiet >= QUIET_TURNS {
                if !self.cool(at, events) {
                    at += 1;
                }
            } else {
                watched.quiet += 1;
                at += 1;
            }
        }
    }

    /// Requests wake-ups from the other sides of all hot streams. If something came meanwhile, it is
    /// reported, and there is no sleep.
    pub(crate) fn settle(&mut self, events: &mut Vec<Event>) {
        let mut at = 0;
        while at < self.hot.len() {
            if !self.cool(at, events) {
                at += 1;
            }
        }
    }

    /// Makes a hot stream cold, unless something came; returns whether it is cold.
    fn cool(&mut self, at: usize, events: &mut Vec<Event>) -> bool {
        let slot = self.hot[at];
        if let Some(watched) = &mut self.streams[slot] {
            if watched.end.is_dropped.load(Ordering::Relaxed) {
                self.forget(slot);
                return true;
            }
            watched.end.incoming.reader_asks();
            if watched.end.is_full.load(Ordering::Relaxed) {
                // An earlier request may have been answered too soon for there to be room.
                watched.end.outgoing.writer_asks();
            }
            if let Some(event) = watched.next_event() {
                watched.end.incoming.reader_thanks();
                events.push(event);
                return false;
            }
            watched.is_hot = false;
            watched.quiet = 0;
        }
        self.hot.swap_remove(at);
        true
    }
}
