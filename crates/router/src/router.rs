//! The router: clients, subscriptions and publishing.
//!
//! ```text
//!   publish(topic)
//!        |
//!      Topic   name, last sequence, route: the matches of all subscriptions
//!        |     (made by the Matcher from the patterns, when the epoch has changed)
//!        |
//!        +-- Match   one subscription and this topic: a cache line
//!        |     +-- Client   output: bytes rendered for the stream
//!        |                  queue: direct messages that wait
//!        |                  ready: conflated updates that wait
//!        |                  gaps: losses that are to be told
//!        +-- Match ...
//! ```
//!
//! Topics, matches and subscriptions are items of pools and pages, known by number; lists run through them.

use std::collections::VecDeque;

use smallvec::SmallVec;

use crate::chunks::Chunks;
use crate::client::{Client, ClientId, ClientOptions, Overflow, saturated, slow};
use crate::egress::{Content, Egress, Turn, client_of, mark};
use crate::filters::FilterId;
use crate::last_values::{KEEPS, LastValues, OWES};
use crate::ledger::Ledger;
use crate::limits::Limits;
use crate::matched::OF_SUBSCRIPTION;
use crate::matcher::Matcher;
use crate::message::{Envelope, Renderer, RenditionFormat};
use crate::overlaps::{CROWDED, Overlaps};
use crate::pool::{List, Pages, Pool};
use crate::rejection::Rejection;
use crate::topics::{TopicId, Topics};

/// The router's state of a topic: a cache line, with the matches of a few subscriptions.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Topic {
    /// Of the last message.
    pub(crate) sequence: u64,
    /// The matches of all subscriptions that match, by client and then by the client's number.
    pub(crate) route: SmallVec<[u32; 8]>,
    /// The router's epoch when the route was made.
    pub(crate) epoch: u64,
    /// How many times it was interned and not released.
    pub(crate) holds: u32,
    /// Whether it has a name.
    pub(crate) is_known: bool,
    /// Whether it is among the candidates for forgetting.
    pub(crate) is_candidate: bool,
    /// Whether it was held again since it became a candidate.
    pub(crate) was_held: bool,
    /// Of [`crate::last_values`] and [`crate::overlaps`].
    pub(crate) marks: u8,
}

/// A subscription of a client.
#[derive(Debug, Default)]
pub(crate) struct Subscription {
    pub(crate) client: u32,
    /// The client's number for it.
    pub(crate) number: u32,
    pub(crate) pattern: Box<str>,
    pub(crate) is_conflated: bool,
    /// Of the egress, or nothing.
    pub(crate) interval: u32,
    /// That its messages are wanted in.
    pub(crate) rendition: Option<RenditionFormat>,
    pub(crate) filter: Option<FilterId>,
    pub(crate) matches: List<OF_SUBSCRIPTION>,
    /// Rises with each new subscription.
    pub(crate) serial: u64,
    /// It is to be rejected: it gets no more matches, and does not count for its client.
    pub(crate) is_rejected: bool,
    /// It has not had the last values of all its topics.
    pub(crate) is_walking: bool,
    /// Those that were offered.
    pub(crate) last_values: u64,
}

/// A client that needs the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dirty {
    /// It has gained output.
    Output(ClientId),
    /// It has to be disconnected, for this reason, once its output is sent or cannot be sent.
    Close(ClientId, String),
}

/// The router. It has no clock and no sockets: times are nanoseconds of the caller's clock, which has any
/// zero and never goes back; the caller sends the output.
pub struct Router<R> {
    pub(crate) names: Topics,
    /// By number, as the names are.
    pub(crate) topics: Pages<Topic>,
    /// Topics without holds, and since when: they go when others need room, or nobody wants them.
    pub(crate) candidates: Chunks<(u64, TopicId)>,
    pub(crate) matcher: Matcher,
    pub(crate) subscriptions: Pool<Subscription>,
    /// The serial number of the newest subscription.
    pub(crate) last_serial: u64,
    /// Changes when routes of topics have to be made again. Never 0.
    pub(crate) epoch: u64,
    pub(crate) egress: Egress<R>,
    /// What has been done since the caller asked, see [`Self::take_work`].
    pub(crate) work: usize,
    pub(crate) last_values: LastValues,
    /// Generations of the slots of clients, and free slots.
    generations: Vec<u32>,
    free: Vec<u32>,
    /// Of clients that are gone and have no more subscriptions.
    pub(crate) gone: Ledger,
    /// Clients whose subscriptions are being ended.
    pub(crate) leaving: VecDeque<u32>,
    /// Subscriptions beyond the limit of their client that may match one topic.
    pub(crate) overlaps: Overlaps,
    /// When the last client left, or something was due.
    pub(crate) now: u64,
    /// Subscriptions that match a topic, while its route is made.
    pub(crate) found: Vec<u32>,
    /// The client whose memory is checked next, and when.
    pub(crate) sweep: (u32, u64),
    /// Bytes that others take under the same ceiling.
    pub(crate) of_others: usize,
    /// When unused memory is searched for next.
    pub(crate) shrink_at: u64,
}

impl<R: Renderer> Router<R> {
    /// A router without clients.
    pub fn new(limits: Limits) -> Self {
        let mut router = Self {
            names: Topics::new(limits.topics),
            topics: Pages::new(),
            candidates: Chunks::new(),
            matcher: Matcher::new(),
            subscriptions: Pool::new(),
            last_serial: 0,
            epoch: 1,
            egress: Egress::new(limits),
            work: 0,
            last_values: LastValues::new(),
            generations: Vec::new(),
            free: Vec::new(),
            gone: Ledger::default(),
            leaving: VecDeque::new(),
            overlaps: Overlaps::default(),
            now: 0,
            found: Vec::new(),
            sweep: (0, 0),
            of_others: 0,
            shrink_at: 0,
        };
        router.measure();
        router
    }

    /// Changes the limits. Existing items stay; new ones are rejected.
    pub fn set_limits(&mut self, limits: Limits) {
        self.names.set_limit(limits.topics);
        self.egress.limits = limits;
        self.measure();
    }

    /// A client connects.
    ///
    /// # Errors
    ///
    /// The limit of clients is reached, or memory is short.
    pub fn connect(
        &mut self,
        now: u64,
        options: ClientOptions,
        renderer: R,
    ) -> Result<ClientId, Rejection> {
        let limit = self.egress.limits.clients;
        if self.clients() >= limit {
            return Err(Rejection::TooManyClients(limit));
        }
        if self.is_short_of_memory() {
            return Err(Rejection::OutOfMemory);
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.generations.push(0);
            self.egress.clients.push(None);
            u32::try_from(self.generations.len() - 1).expect("fewer than 2^32 clients")
        });
        let id = ClientId { index, generation: self.generations[index as usize] };
        let mut client = Client::new(id, options, renderer);
        client.swept_at = (now, 0);
        self.egress.clients[index as usize] = Some(client);
        Ok(id)
    }

    /// How many clients are connected.
    pub(crate) fn clients(&self) -> usize {
        self.generations.len() - self.free.len()
    }

    /// Changes the bounds and the rate of a client. Waiting messages beyond the bounds are dropped if the
    /// policy drops the oldest; otherwise they stay until they are sent.
    pub fn set_options(&mut self, now: u64, client: ClientId, options: ClientOptions) {
        let Some(at) = self.egress.find_mut(client) else { return };
        let rates =
            |options: &ClientOptions| (options.messages_per_second, options.bytes_per_second);
        if rates(&at.options) != rates(&options) {
            at.port.pace = options.pace();
            let flag = if at.port.pace.is_capped() { slow::PACE } else { 0 };
            at.port.slow = at.port.slow & !slow::PACE | flag;
        }
        let drops = options.overflow == Overflow::DropOldest;
        at.options = options;
        let turn = Turn { now, names: &self.names };
        if drops {
            self.egress.make_room(&turn, client.index, 0, 0, crate::pool::NONE);
        }
        self.egress.pump(&turn, client.index);
    }

    /// A client is gone: its waiting messages are lost, and its ledger is added to that of all gone
    /// clients.
    ///
    /// Very many matches go in small steps, when [`Self::advance`] is called.
    pub fn disconnect(&mut self, now: u64, client: ClientId) {
        self.now = now;
        let Some(at) = self.egress.find_mut(client) else { return };
        at.is_gone = true;
        at.port.slow |= slow::CLOSING;
        at.port.output.clear();
        self.egress.drop_delayed(client.index);
        self.egress.count_output(client.index);
        self.leave(client.index);
    }

    /// Frees the slot of a gone client.
    pub(crate) fn free_client(&mut self, place: u32) {
        if let Some(mut gone) = self.egress.clients[place as usize].take() {
            gone.queue.shrink(&mut self.egress.slab);
            self.gone += gone.ledger();
            self.generations[place as usize] = gone.port.id.generation.wrapping_add(1);
            self.free.push(place);
        }
    }

    /// Ends a client: it gets the reason, its waiting messages are lost, and no more are rendered for it.
    /// [`Self::next_dirty`] names it once more, to be disconnected.
    pub fn close(&mut self, _now: u64, client: ClientId, reason: &str) {
        if self.egress.find(client).is_some() {
            self.egress.close(client.index, reason);
            self.finish_closing();
        }
    }

    /// Publishes a message to all subscriptions that match its topic, in the order of these calls. Returns
    /// to how many it was delivered, or for how many it waits.
    ///
    /// # Errors
    ///
    /// There is no such topic, the payload is too long, or the message would exceed the limit of matches.
    /// Then nobody gets it.
    pub fn publish(
        &mut self,
        now: u64,
        topic: TopicId,
        envelope: &Envelope<'_>,
    ) -> Result<usize, Rejection> {
        let limit = self.egress.limits.message_bytes;
        let bytes = envelope.payload.len();
        if bytes > limit {
            return Err(Rejection::MessageTooLong { bytes, limit });
        }
        let at = self.topics.get(topic.0).filter(|at| at.is_known);
        if at.ok_or(Rejection::NoTopic)?.epoch != self.epoch {
            self.make_route(now, topic)?;
        }
        let marks = self.topics[topic.0].marks;
        if marks & OWES != 0 {
            self.offer_owed_values(now, topic);
        }
        let at = &mut self.topics[topic.0];
        at.sequence += 1;
        let content = Content {
            sequence: at.sequence,
            published: now,
            conflation: None,
            request: envelope.request.as_ref(),
            format: envelope.format,
            payload: envelope.payload,
        };
        let turn = Turn { now, names: &self.names };
        let mut taken = 0;
        for matched in &at.route {
            taken += usize::from(self.egress.offer(&turn, *matched, &content));
        }
        self.work += at.route.len();
        if marks & CROWDED != 0 {
            self.count_crowd(topic);
        }
        if marks & KEEPS != 0 {
            self.keep_last_value(now, topic, envelope);
        }
        if !self.egress.closing.is_empty() {
            self.finish_closing();
        }
        Ok(taken)
    }

    /// What publishing has taken since the last call, in deliveries to one client each: a caller gives others
    /// their turn when it was much. Looking through patterns counts, and a delivery of a message to a client
    /// that has got it many times counts for many.
    #[inline]
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work)
    }

    /// Writes control frames into a client's output, before everything that waits. `false` if the client is
    /// gone or closing, or is disconnected by this call because its unsent control frames exceed four times
    /// the bytes of an output.
    pub fn control(&mut self, client: ClientId, write: impl FnOnce(&mut R, &mut Vec<u8>)) -> bool {
        let most = self.egress.limits.output_bytes.saturating_mul(4);
        let at = self.egress.find(client).filter(|at| at.closing.is_none());
        let Some(at) = at else { return false };
        if at.port.output.control as usize > most {
            self.egress.close(client.index, "the client asks, and does not read the answers");
            self.finish_closing();
            return false;
        }
        let port = &mut client_of(&mut self.egress.clients, client.index).port;
        let before = port.output.bytes.len();
        write(&mut port.renderer, &mut port.output.bytes);
        let written = port.output.bytes.len() - before;
        if written > 0 {
            port.output.control = port.output.control.saturating_add(saturated(written));
            mark(port, &mut self.egress.dirty);
        }
        true
    }

    /// Whether the unsent control frames have fewer bytes than an output: this is safe for frames that a
    /// client has not asked for, since [`Self::control`] disconnects at four times as many.
    pub fn has_room_for_control(&self, client: ClientId) -> bool {
        let most = self.egress.limits.output_bytes;
        self.egress.find(client).is_none_or(|at| (at.port.output.control as usize) < most)
    }

    /// Writes a reply into a client's output, before everything that waits. `false` if the client is gone
    /// or closing, or is disconnected by this call because its unsent bytes exceed the bytes of its queue
    /// plus those of an output, or only the latter while memory is short.
    pub fn reply(&mut self, client: ClientId, write: impl FnOnce(&mut R, &mut Vec<u8>)) -> bool {
        let output = self.egress.limits.output_bytes;
        let at = self.egress.find(client).filter(|at| at.closing.is_none());
        let Some(at) = at else { return false };
        let queue = if self.is_short_of_memory() { 0 } else { at.options.queue_bytes };
        if at.port.output.len() > queue.saturating_add(output) {
            self.egress.close(client.index, "the client asks, and does not read the replies");
            self.finish_closing();
            return false;
        }
        let port = &mut client_of(&mut self.egress.clients, client.index).port;
        write(&mut port.renderer, &mut port.output.bytes);
        mark(port, &mut self.egress.dirty);
        true
    }

    /// When a client can take something that the router does not keep for it: at once if it is `now` or
    /// earlier, later if its pace says so, and after bytes were sent if it is `None`. Also `None` if it is
    /// gone or closing.
    pub fn room_at(&self, client: ClientId) -> Option<u64> {
        let at = self.egress.find(client).filter(|at| at.closing.is_none())?;
        let has_room = at.port.output.len() < self.egress.output_bytes;
        has_room.then(|| if at.port.slow & slow::PACE == 0 { 0 } else { at.port.pace.ready_at() })
    }

    /// Writes something into a client's output that the router does not keep for it, after
    /// [`Self::room_at`] has reported room.
    pub fn push(&mut self, now: u64, client: ClientId, write: impl FnOnce(&mut R, &mut Vec<u8>)) {
        let at = self.egress.find(client).filter(|at| at.closing.is_none());
        if at.is_none() {
            return;
        }
        let port = &mut client_of(&mut self.egress.clients, client.index).port;
        let before = port.output.bytes.len();
        write(&mut port.renderer, &mut port.output.bytes);
        if port.slow & slow::PACE != 0 {
            port.pace.spend(now, port.output.bytes.len() - before);
        }
        mark(port, &mut self.egress.dirty);
    }

    /// From now on a client reports what it has taken ([`Self::taken`]), and the router sends only as many
    /// conflated updates ahead as keep it busy. Call it before the first of them.
    pub fn use_credit(&mut self, client: ClientId) {
        if let Some(at) = self.egress.find_mut(client) {
            at.credit.get_or_insert_default();
        }
    }

    /// A client has taken so many conflated updates, from the first on. `round_trip` is the shortest that
    /// it has measured, in nanoseconds, or 0.
    ///
    /// # Errors
    ///
    /// It does not use credit, or the number is impossible.
    pub fn taken(
        &mut self,
        now: u64,
        client: ClientId,
        messages: u64,
        round_trip: u64,
    ) -> Result<(), Rejection> {
        if self.egress.find(client).is_none() {
            return Err(Rejection::NoClient);
        }
        let turn = Turn { now, names: &self.names };
        self.egress.taken(&turn, client.index, (messages, round_trip))?;
        self.egress.wake_walks(client.index);
        Ok(())
    }

    /// Whether a client has a subscription of this number.
    pub fn has_subscription(&self, client: ClientId, subscription: u32) -> bool {
        let at = self.egress.find(client);
        at.is_some_and(|at| at.subscriptions.contains_key(&subscription))
    }

    /// The name of a topic; empty if there is none of this number.
    pub fn topic_name(&self, topic: TopicId) -> &str {
        self.names.name(topic)
    }

    /// The number of subscriptions that match a topic, as of its last message.
    pub fn matches_of(&self, topic: TopicId) -> usize {
        self.topics.get(topic.0).map_or(0, |at| at.route.len())
    }

    /// The renderer of a connected client.
    pub fn renderer(&mut self, client: ClientId) -> Option<&mut R> {
        self.egress.find_mut(client).map(|client| &mut client.port.renderer)
    }

    /// The bytes to send to a client; none if it is gone.
    pub fn output(&self, client: ClientId) -> &[u8] {
        self.egress.find(client).map_or(&[], |client| client.port.output.unsent())
    }

    /// So many bytes of a client's output are sent: there is room for waiting messages.
    pub fn sent(&mut self, now: u64, client: ClientId, bytes: usize) {
        let Some(at) = self.egress.find_mut(client) else { return };
        at.port.output.sent(bytes);
        let walks = at.walks.is_some();
        if at.port.slow & (slow::WAITS | slow::DELAYED) != 0 {
            let turn = Turn { now, names: &self.names };
            if at.port.slow & slow::DELAYED != 0 {
                self.egress.drain(&turn, client.index);
            }
            self.egress.refill(&turn, client.index);
        }
        if walks {
            self.egress.wake_walks(client.index);
        }
    }

    /// The next client that has gained output since the last call, or that has to be disconnected.
    pub fn next_dirty(&mut self) -> Option<Dirty> {
        while let Some(id) = self.egress.dirty.pop_front() {
            let Some(client) = self.egress.find_mut(id) else { continue };
            client.port.is_dirty = false;
            let dirty = match &client.closing {
                Some(reason) => Dirty::Close(id, reason.to_string()),
                None => Dirty::Output(id),
            };
            self.egress.count_output(id.index);
            return Some(dirty);
        }
        None
    }

    /// When [`Self::advance`] has something to do; it may turn out to be nothing.
    #[inline]
    pub fn next_deadline(&self) -> Option<u64> {
        if !self.egress.walking.is_empty() || self.has_untidy_values() {
            return Some(self.now);
        }
        let is_ending = !self.leaving.is_empty() || !self.egress.dropped.is_empty();
        match !is_ending && self.overlaps.is_empty() {
            true => {
                let deadlines =
                    [self.egress.deadlines.next(), self.gives_back_at(), self.relieves_at()];
                deadlines.into_iter().flatten().min()
            }
            false => Some(self.now.saturating_add(1)),
        }
    }

    /// Does what is due: delivers after intervals, and for clients whose rate lets them send again.
    pub fn advance(&mut self, now: u64) {
        self.now = now;
        self.egress.forget_newest();
        self.egress.renditions.shrink();
        let turn = Turn { now, names: &self.names };
        self.egress.advance(&turn);
        self.relieve(now);
        self.go_on_leaving();
        self.egress.go_on_dropping();
        self.go_on_walking(now);
        self.go_on_rejecting(now);
        self.tidy_last_values(now);
        self.sweep_memory(now);
        self.give_back(now);
    }
}
