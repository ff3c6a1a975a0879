//! The router's side: the engine, its end of every stream, and the checks of what it reads and writes.

mod connection;
mod ledgers;

use std::collections::BTreeMap;

use trunkline_native::{RouterFrame, decode_router};
use trunkline_router::Ledger;

use super::books::Caps;
use super::history::History;
use super::link::{End, Link};
use super::random::Random;
use super::report::{Checked, Counts, Trace, ensure, violation};
use super::seen;
use crate::config::Config;
use crate::engine::{ConnectionId, Dirty, Engine, Peer, WaitsFor};
use crate::session::Protocol;

pub(super) use connection::{Connection, Expected};

/// What a client that is told to go has to read why, as in the real loop; nanoseconds.
const LINGER: u64 = 1_000_000_000;

/// How often the router may ask to go on at once.
const MOST_BITS: u32 = 1_000;

/// A number for each stream that was ever made.
pub(super) type LinkId = u64;

/// Changes bytes between the engine and the checks; the second argument takes the frames instead of
/// the first. It is how tests show that the checks see something.
pub(super) type Meddle = Box<dyn FnMut(&[u8], &mut Vec<u8>)>;

/// How a client connects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) actor: usize,
    /// Bytes that each direction of the stream holds.
    pub(super) capacity: (usize, usize),
    pub(super) caps: Caps,
    /// Whether it may be disconnected by what it sends itself, so that its frames are handed on one
    /// by one and it is known which was the last.
    pub(super) is_delicate: bool,
    pub(super) random: u64,
}

/// The engine with its streams.
pub(super) struct Host {
    pub(super) engine: Engine,
    pub(super) history: History,
    pub(super) connections: BTreeMap<LinkId, Connection>,
    pub(super) counts: Counts,
    pub(super) trace: Trace,
    next_link: LinkId,
    /// What the ledgers of those that are gone add up to.
    gone: Ledger,
    meddle: Option<Meddle>,
}

impl Host {
    pub(super) fn new(config: &Config, trace: Trace, meddle: Option<Meddle>) -> Self {
        Self {
            engine: Engine::new(config),
            history: History::default(),
            connections: BTreeMap::new(),
            counts: Counts::default(),
            trace,
            next_link: 0,
            gone: Ledger::default(),
            meddle,
        }
    }

    /// A client connects.
    pub(super) fn connect(&mut self, now: u64, arrival: Arrival) -> Option<LinkId> {
        let address = format!("simulated {}", arrival.actor);
        let peer = Peer { transport: "tcp", address };
        let id = self.engine.connected(now, peer, Protocol::Native).ok()?;
        let link = self.next_link;
        self.next_link += 1;
        let (to_router, to_client) = arrival.capacity;
        let connection = Connection::new(id, Link::new(to_router, to_client), &arrival);
        self.connections.insert(link, connection);
        self.counts.connections += 1;
        self.trace.note(|| format!("actor {} connects by stream {link}", arrival.actor));
        Some(link)
    }

    /// A client leaves.
    pub(super) fn leave(&mut self, link: LinkId, end: End) {
        if let Some(connection) = self.connections.get_mut(&link) {
            connection.link.leave(end);
            self.trace.note(|| format!("stream {link}: the client has {end:?} it"));
        }
        self.forget_ended(link);
    }

    /// A turn of the router.
    pub(super) fn turn(&mut self, now: u64) -> Checked {
        self.counts.turns += 1;
        self.engine.advance(now);
        self.collect(now)?;
        let links: Vec<LinkId> = self.connections.keys().copied().collect();
        for link in &links {
            self.read(now, *link)?;
        }
        self.flush(now, &links)?;
        while let Some(id) = self.engine.next_released() {
            self.go_on(now, id)?;
            self.flush(now, &links)?;
        }
        for link in &links {
            self.end(now, *link)?;
        }
        // What is long is done bit by bit, but it comes to an end.
        for _ in 0..MOST_BITS {
            if self.engine.next_deadline().is_none_or(|next| next > now) {
                return Ok(());
            }
            self.engine.advance(now);
            self.collect(now)?;
        }
        violation("deadlines", "a deadline is still there after it was met")
    }

    /// Reads again from a connection that was held, after what was left over of it.
    fn go_on(&mut self, now: u64, id: ConnectionId) -> Checked {
        let link = self.connections.iter().find(|(_, it)| it.id == Some(id));
        let Some(link) = link.map(|(link, _)| *link) else { return Ok(()) };
        self.counts.released += 1;
        self.take(now, link, id)?;
        self.read(now, link)
    }

    /// Hands everything to the engine that a client has sent, unless it is held.
    fn read(&mut self, now: u64, link: LinkId) -> Checked {
        loop {
            let Some(at) = self.connections.get_mut(&link) else { return Ok(()) };
            let Some(id) = at.id.filter(|id| !self.engine.is_held(*id)) else { return Ok(()) };
            let share = 1 + at.random.part(4096);
            if at.link.to_router.read(share, &mut at.unread) == 0 {
                return Ok(());
            }
            self.take(now, link, id)?;
        }
    }

    /// Hands to the engine what has been read.
    fn take(&mut self, now: u64, link: LinkId, id: ConnectionId) -> Checked {
        while let Some(at) = self.connections.get_mut(&link) {
            let end = at.whole();
            if end == 0 || at.id.is_none() {
                break;
            }
            let used = self.engine.received(now, id, &at.unread[..end]);
            ensure(used <= end, "reading", || format!("{used} bytes of {end} are used"))?;
            if !at.is_closing {
                let history = &mut self.history;
                let before = history_length(history);
                let read = at.took(now, used, history);
                self.counts.published += history_length(history) - before;
                ensure(read == used || at.reader.is_broken, "reading", || {
                    format!("stream {link}: {used} bytes are used, {read} are whole frames")
                })?;
            }
            at.unread.drain(..used);
            self.collect(now)?;
            if used < end {
                break;
            }
        }
        Ok(())
    }

    /// Takes what the engine has written for those that it names.
    fn collect(&mut self, now: u64) -> Checked {
        while let Some(dirty) = self.engine.next_dirty(now) {
            let (id, reason) = match dirty {
                Dirty::Output(id) => (id, None),
                Dirty::Close(id, reason) => (id, Some(reason)),
            };
            let link = self.connections.iter().find(|(_, it)| it.id == Some(id));
            let Some(link) = link.map(|(link, _)| *link) else {
                return violation("output", "a connection that is gone has output");
            };
            self.tap(now, link, id)?;
            if let Some(reason) = reason {
                self.dismiss(now, link, &reason);
            }
        }
        Ok(())
    }

    /// Holds what the engine has written against the books, and puts it where the stream takes it.
    fn tap(&mut self, now: u64, link: LinkId, id: ConnectionId) -> Checked {
        let Self { engine, connections, history, counts, trace, meddle, .. } = self;
        let Some(at) = connections.get_mut(&link) else { return Ok(()) };
        let output = engine.output(id);
        let fresh = &output[at.untold(output.len())..];
        at.tapped += fresh.len() as u64;
        let mut changed = Vec::new();
        let fresh = match meddle {
            Some(meddle) => {
                meddle(fresh, &mut changed);
                &changed
            }
            None => fresh,
        };
        let mut rest = fresh;
        while !rest.is_empty() {
            let Ok(Some((frame, length))) = decode_router(rest, u32::MAX) else {
                return violation("output", format!("{rest:?} is no whole frame"));
            };
            trace.note(|| format!("stream {link} <- {}", brief(&frame)));
            at.books.frame(now, &frame, history, counts)?;
            at.written += length as u64;
            let name = match &frame {
                RouterFrame::Message(it) => at.books.name(it.topic),
                RouterFrame::Gap(it) => at.books.name(it.topic),
                _ => None,
            };
            let is_message = matches!(frame, RouterFrame::Message(_));
            if let Some(seen) = seen::of_frame(&frame, name.unwrap_or_default()) {
                at.expected.push_back(Expected { end: at.written, seen, is_message });
            }
            rest = &rest[length..];
        }
        at.wire.extend(fresh);
        Ok(())
    }

    /// The router ends a connection: it goes when its client has read why, or has had time to.
    fn dismiss(&mut self, now: u64, link: LinkId, reason: &str) {
        if let Some(at) = self.connections.get_mut(&link) {
            at.is_closing = true;
            if let Some(id) = at.id {
                self.engine.let_go(id);
            }
            at.gone_by.get_or_insert(now + LINGER);
            self.counts.closed_by_router += 1;
            self.trace.note(|| format!("stream {link} is ended by the router: {reason}"));
        }
    }

    /// Writes to every stream what it takes, as long as that makes room for more.
    fn flush(&mut self, now: u64, links: &[LinkId]) -> Checked {
        for link in links {
            while let Some(at) = self.connections.get_mut(link) {
                let Some(id) = at.id else { break };
                let room = at.link.to_client.room();
                let is_read = matches!(at.link.client_end, None | Some(End::Vanished));
                if at.wire.is_empty() || room == 0 || !is_read {
                    break;
                }
                let length = at.write();
                self.engine.progressed(now, id);
                self.engine.sent(now, id, length);
                self.collect(now)?;
            }
        }
        for at in self.connections.values() {
            if let Some(id) = at.id {
                let told = at.untold(self.engine.output(id).len()) == self.engine.output(id).len();
                ensure(told, "output", || "there is output that nobody was told of".to_owned())?;
            }
        }
        Ok(())
    }

    /// Ends a connection whose client is gone, or that is to end.
    fn end(&mut self, now: u64, link: LinkId) -> Checked {
        let Some(at) = self.connections.get_mut(&link) else { return Ok(()) };
        let Some(id) = at.id else { return Ok(()) };
        let waits_for = self.engine.waits_for(id);
        let reason = match at.link.client_end {
            // The end comes behind what is worked through once there is room in the storage.
            Some(End::Closed) if waits_for.is_none() && at.link.to_router.is_empty() => {
                "the client closed the stream"
            }
            Some(End::Closed) if waits_for == Some(WaitsFor::Reader) => {
                "nobody reads what it waits for"
            }
            Some(End::Broken) => "the stream is broken",
            _ if at.gone_by.is_some_and(|time| now >= time) => "it had its time",
            _ if at.gone_by.is_some() && at.wire.is_empty() => "it can read why",
            _ => return Ok(()),
        };
        self.check_client(link)?;
        let view = self.engine.router().view();
        let mut ledger = view.client(id).map(|it| it.ledger).unwrap_or_default();
        ledger.discarded += std::mem::take(&mut ledger.queued);
        self.gone += ledger;
        self.engine.closed(now, id, reason);
        self.trace.note(|| format!("stream {link} is gone: {reason}"));
        if let Some(at) = self.connections.get_mut(&link) {
            at.id = None;
            at.link.is_closed_by_router = true;
        }
        self.forget_ended(link);
        self.collect(now)
    }

    /// Forgets a stream that both sides have left.
    fn forget_ended(&mut self, link: LinkId) {
        let is_over = |at: &Connection| at.id.is_none() && at.link.client_end.is_some();
        if self.connections.get(&link).is_some_and(is_over) {
            self.connections.remove(&link);
        }
    }

    /// The configuration changes.
    pub(super) fn reconfigure(&mut self, now: u64, config: &Config) -> Checked {
        // The books learn what the options were.
        self.check_ledgers()?;
        self.engine.reconfigure(now, config);
        self.counts.reconfigured += 1;
        self.trace
            .note(|| format!("another configuration: {:?}, {:?}", config.client, config.limits));
        Ok(())
    }

    /// Tells the router of all clients that are gone without a word.
    pub(super) fn break_vanished(&mut self) {
        for at in self.connections.values_mut() {
            if at.link.client_end == Some(End::Vanished) {
                at.link.leave(End::Broken);
            }
        }
    }

    /// When something happens of itself.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let lingers = self.connections.values().filter(|it| it.id.is_some());
        let linger = lingers.filter_map(|it| it.gone_by).min();
        [self.engine.next_deadline(), linger].into_iter().flatten().min()
    }

    /// Whether no message and no end of a connection is under way.
    pub(super) fn is_quiet(&self) -> bool {
        let ended = |it: &Connection| it.gone_by.is_some() || !it.expected.is_empty();
        self.engine.router().view().totals().ledger.queued == 0
            && !self.connections.values().any(ended)
    }
}

fn history_length(history: &History) -> u64 {
    history.topics().map(|(_, length)| length).sum()
}

/// A frame without its payload.
fn brief(frame: &RouterFrame<'_>) -> String {
    match frame {
        RouterFrame::Message(it) => format!(
            "message {} of topic {} for subscription {}, {:?}, {} bytes",
            it.sequence,
            it.topic,
            it.subscription,
            it.conflation,
            it.payload.len()
        ),
        RouterFrame::Reply(it) => format!("reply to {}", it.correlation),
        other => format!("{other:?}"),
    }
}

impl Random {
    /// The chances of one stream.
    pub(super) fn of_link(seed: u64) -> Self {
        Self::new(seed, 0x6c69_6e6b)
    }
}
