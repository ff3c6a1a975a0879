//! The ceiling of memory as the engine sees it: what takes memory beside the router, and what is not taken in
//! while memory is short.

use super::{ConnectionId, Engine};

/// Nanoseconds after which those that wait for memory look again.
const PAUSE: u64 = 10_000_000;

/// What the router does not count, and who waits for memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryState {
    /// Bytes of frames that have come in part.
    half_frames: usize,
    /// Bytes of streams that hold some in the router.
    streams: usize,
    /// Bytes of what commands have made sessions keep.
    sessions: usize,
    /// Requests that wait for their reply.
    requests: usize,
    /// When connections that are held for want of memory may go on, if there are any.
    pub(super) looks_at: Option<u64>,
}

/// Bytes of a request that waits for its reply, about.
const REQUEST: usize = 128;

impl MemoryState {
    /// A session has taken `before` bytes, and takes `after`.
    #[inline]
    pub(super) fn count_session(&mut self, before: usize, after: usize) {
        self.sessions = self.sessions + after - before;
    }

    /// Requests have come that wait for their reply, and others wait no more.
    pub(super) fn count_requests(&mut self, come: usize, gone: usize) {
        self.requests = self.requests + come - gone;
    }

    /// A connection is held until there is memory.
    pub(super) fn wait(&mut self, now: u64) {
        self.looks_at.get_or_insert(now.saturating_add(PAUSE));
    }
}

impl Engine {
    /// Tells the router what others take; releases connections that were held for want of memory.
    pub(super) fn count_memory(&mut self, now: u64) {
        let MemoryState { half_frames, streams, sessions, requests, .. } = self.state.memory;
        let of_clients = half_frames + streams + sessions + REQUEST * requests;
        let of_clients = of_clients + self.state.conversions.bytes();
        let others = of_clients + self.storage.store.journal().memory();
        self.router.set_memory_of_others(others);
        if self.state.memory.looks_at.is_some_and(|at| at <= now) {
            self.state.memory.looks_at = None;
            if self.router.is_short_of_memory() {
                self.state.memory.wait(now);
            } else {
                self.state.held.release_for_storage();
            }
        }
    }

    /// Streams of connections have come that take so many bytes of the router's memory, and others have gone.
    pub(crate) fn count_streams(&mut self, come: usize, gone: usize) {
        self.state.memory.streams = self.state.memory.streams + come - gone;
    }

    /// Bytes that the session of a connection keeps of a message which has come in part.
    #[inline]
    pub(crate) fn kept_in_session(&self, id: ConnectionId) -> usize {
        let connection = self.connections.get(id.index as usize).and_then(Option::as_ref);
        connection.map_or(0, |it| it.session.kept())
    }

    /// The bytes that a connection keeps of a frame that has come in part were `before` and are `after`. Whether
    /// all connections together have too many, an eighth of the ceiling.
    pub(crate) fn count_half_frame(&mut self, before: usize, after: usize) -> bool {
        let half_frames = &mut self.state.memory.half_frames;
        *half_frames = *half_frames + after - before;
        *half_frames > self.router.view().memory().limit / 8
    }
}
