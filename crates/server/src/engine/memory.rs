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
        let of_clients =
            of_clients + self.state.conversions.bytes() + self.storage.deferred.bytes();
        let others = of_clients + self.storage.store.journal().memory();
        self.router.set_memory_of_others(others);
        let most = self.router.view().memory().limit / 8;
        self.storage.deferred.give_way(self.router.is_short_of_memory(), most);
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

#[cfg(test)]
mod tests {
    use trunkline_native::format;
    use trunkline_store::Delivery;

    use super::*;
    use crate::config::Config;
    use crate::engine::deferred::Want;
    use crate::engine::prepared::Given;
    use crate::formats::{Asker, ConversionOrder};

    /// A consumer of a client wants messages in another format.
    fn consume(engine: &mut Engine, client: u64) {
        let to = Some(format::JSON);
        let want = Want { to, fields: None, filter: None, rendition: None, filter_id: None };
        engine.storage.deferred.begin(client, 1, want);
    }

    /// A small message waits for it, and becomes a large one.
    fn wait(engine: &mut Engine, client: u64, made: &[u8]) {
        let delivery = Delivery {
            subscription: 1,
            position: client + 1,
            time: 0,
            deliveries: 0,
            is_repeated: false,
            is_unconfirmed: false,
            is_kept: false,
            expires: 0,
            conflation: None,
            format: format::FIX,
            topic: "fx",
            payload: b"message",
        };
        let deferred = &mut engine.storage.deferred;
        assert!(deferred.take(0, client, &delivery));
        let Some(ConversionOrder::Convert(Asker::Store(id), ..)) = deferred.next_order() else {
            panic!("it is to be made");
        };
        deferred.given(id, Given::Message(Ok(made)), made.len());
    }

    #[test]
    fn what_waits_for_consumers_gives_way_before_others_suffer() {
        const CLIENTS: u64 = 100;
        let mut config = Config::default();
        config.limits.memory_bytes = 64 << 20;
        let mut engine = Engine::new(&config);
        let made = vec![b'y'; (8 << 20) / CLIENTS as usize];
        let have_room = |engine: &mut Engine, clients: std::ops::Range<u64>| {
            engine.advance(0);
            assert!(!engine.router.is_short_of_memory());
            clients.filter(|client| engine.storage.deferred.has_room(*client, 1)).count() as u64
        };
        for client in 0..CLIENTS - 1 {
            consume(&mut engine, client);
            wait(&mut engine, client, &made);
        }
        assert_eq!(have_room(&mut engine, 0..CLIENTS - 1), CLIENTS - 1);
        // Beyond an eighth of the ceiling each has one message.
        for client in CLIENTS - 1..CLIENTS + 10 {
            consume(&mut engine, client);
            wait(&mut engine, client, &made);
        }
        assert_eq!(have_room(&mut engine, 0..CLIENTS + 10), 0);
        consume(&mut engine, 1_000);
        assert_eq!(have_room(&mut engine, 1_000..1_001), 1);
        // Until half of that has gone.
        (0..CLIENTS / 2).for_each(|client| engine.storage.deferred.end_all(client));
        assert_eq!(have_room(&mut engine, CLIENTS / 2..CLIENTS + 10), 0);
        (CLIENTS / 2..CLIENTS).for_each(|client| engine.storage.deferred.end_all(client));
        assert_eq!(have_room(&mut engine, 1_000..1_001), 1);
        assert_eq!(
            engine.storage.deferred.next_turn(CLIENTS, true),
            Some(1),
            "it found none before"
        );
    }

    #[test]
    fn what_was_made_counts_until_it_is_handed_out() {
        let mut engine = Engine::new(&Config::default());
        let mut others = |made| {
            engine.count_converted(made);
            engine.advance(0);
            engine.router.view().memory().others
        };
        let before = others(0);
        assert_eq!(others(12_345), before + 12_345);
        assert_eq!(others(0), before);
    }
}
