//! Egress: from a match into the client's output, or into its queue.
//!
//! ```text
//!                   the client has no queue, no pace,
//!   published ----- and room in its output --------------------------> output   (the short path)
//!       |
//!       |  conflated?  +-- no --> queue ---+    room, pace, turn
//!       +--------------+                   +--------------------------> output
//!                      +-- yes -> update --+
//!                                   ^  |
//!                             newer |  | replaced: elided
//!                                   +--+
//!
//!   no room in the queue, by the client's Overflow:
//!     DropOldest   the oldest that waits is discarded, and a gap is told in its place
//!     DropNewest   this message is discarded, and a gap is told behind the queue
//!     Disconnect   the client is told why, and disconnected
//! ```
//!
//! For each match and each client: published = delivered + elided + discarded + unrendered + filtered + queued.

use std::collections::{BTreeMap, VecDeque};

use crate::ceiling::{Ceiling, SHORT_OF_MEMORY};
use crate::client::{Client, ClientId, Overflow, Port, saturated, slow};
use crate::conversions::Conversions;
use crate::deadlines::{Deadlines, Timer};
use crate::delayed::{Before, has_to_wait};
use crate::filters::Filters;
use crate::histogram::Histogram;
use crate::last_values::KeptValue;
use crate::limits::Limits;
use crate::matched::{
    ANNOUNCED, CONVERTED, FILTERED, FIRST_WAITS, Interval, LAST_VALUE, Lost, Match, Matches, add,
};
use crate::message::{Conflation, Delivery, Gap, LastValue, Renderer, RenditionFormat, Requester};
use crate::pool::{NONE, Pool};
use crate::queue::{COPIED, Front, Head, Queue, charge};
use crate::reasons::Reasons;
use crate::renditions::Renditions;
use crate::slab::{Handle, Kept, Slab};
use crate::topics::{TopicId, Topics};

/// The content of a message, newly published or from a queue.
#[derive(Clone, Copy)]
pub(crate) struct Content<'a> {
    pub(crate) sequence: u64,
    /// When it was published.
    pub(crate) published: u64,
    // By reference: copying what was just written in smaller pieces stalls the processor.
    pub(crate) conflation: Option<&'a Conflation>,
    pub(crate) request: Option<&'a Requester>,
    pub(crate) format: u16,
    pub(crate) payload: &'a [u8],
}

impl<'a> Content<'a> {
    /// What is kept of it while it waits.
    pub(crate) fn kept(&self) -> Kept<'a> {
        Kept {
            sequence: self.sequence,
            published: self.published,
            request: self.request.copied(),
            format: self.format,
            payload: self.payload,
        }
    }
}

/// Where the newest message that had to wait does, so that it waits once for all clients.
#[derive(Clone, Copy)]
pub(crate) struct Newest {
    pub(crate) topic: u32,
    pub(crate) sequence: u64,
    pub(crate) place: Place,
    /// A client waits for it that wants a rendition.
    pub(crate) wants_rendition: bool,
}

/// Where a message waits.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Nowhere,
    /// As a copy in the queue of this match's client: while one client waits, its queue is all there is.
    Queue(u32),
    /// In the slab, as the update of this conflating match.
    Update(u32),
    /// In the slab, which counts this as a user.
    Slab(Handle),
}

impl Newest {
    const NONE: Self =
        Self { topic: 0, sequence: 0, place: Place::Nowhere, wants_rendition: false };
}

/// The time, and what every step of a delivery needs besides the match and the client.
pub(crate) struct Turn<'a> {
    pub(crate) now: u64,
    pub(crate) names: &'a Topics,
}

/// Whether there is room to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Is,
    IsNot,
    /// There is none, and the client has to be disconnected.
    Close,
    /// Likewise, and it is the router that has none.
    CloseForMemory,
}

/// Clients with output, once each, in the order in which they got it.
pub(crate) type DirtyList = VecDeque<ClientId>;

/// The clients and the matches that lead to them.
pub(crate) struct Egress<R> {
    pub(crate) clients: Vec<Option<Client<R>>>,
    pub(crate) matches: Matches,
    pub(crate) intervals: Pool<Interval>,
    /// By their nanoseconds.
    pub(crate) interval_of: BTreeMap<u64, u32>,
    pub(crate) deadlines: Deadlines,
    pub(crate) dirty: DirtyList,
    /// What waits for several clients, or conflates; and the memory of all that waits.
    pub(crate) slab: Slab,
    pub(crate) newest: Newest,
    pub(crate) renditions: Renditions,
    pub(crate) conversions: Conversions,
    pub(crate) filters: Filters,
    /// Queues of ended matches that still share messages.
    pub(crate) dropped: Vec<Queue>,
    /// Clients that have to be disconnected and still have subscriptions.
    pub(crate) closing: Vec<ClientId>,
    /// Clients whose walks over last values go on.
    pub(crate) walking: VecDeque<u32>,
    pub(crate) limits: Limits,
    /// How long messages have waited that were delivered from a queue, and updates that waited.
    pub(crate) waits: Histogram,
    /// Bytes of an output beyond which messages wait: those of the limits, or fewer for very many clients.
    pub(crate) output_bytes: usize,
    pub(crate) ceiling: Ceiling,
}

/// Tells the loop that a client has output.
#[inline]
pub(crate) fn mark<R>(port: &mut Port<R>, dirty: &mut DirtyList) {
    if !port.is_dirty {
        port.is_dirty = true;
        dirty.push_back(port.id);
    }
}

#[inline]
pub(crate) fn announce<R: Renderer>(port: &mut Port<R>, matched: &mut Match, names: &Topics) {
    if matched.flags & ANNOUNCED == 0 {
        matched.flags |= ANNOUNCED;
        let topic = TopicId(matched.topic);
        port.renderer.topic(&mut port.output.bytes, topic, names.name(topic));
    }
}

/// A message as a match gets it.
#[inline]
pub(crate) fn delivery<'a>(
    matched: &Match,
    names: &'a Topics,
    content: &Content<'a>,
    last_value: Option<&'a LastValue>,
) -> Delivery<'a> {
    Delivery {
        subscription: matched.number,
        topic: TopicId(matched.topic),
        sequence: content.sequence,
        conflation: content.conflation,
        last_value,
        request: content.request,
        format: content.format,
        payload: content.payload,
        names,
    }
}

/// Where the rendition of a message may be, or is to be.
pub(crate) struct Source<'a> {
    pub(crate) renditions: &'a mut Renditions,
    pub(crate) slab: &'a Slab,
    /// The message's place in the slab if it has waited.
    pub(crate) waited: Handle,
}

/// Renders a message of a match that may be unannounced, to a client that may have a pace. Returns the
/// format of the rendition that it made.
#[inline(always)]
pub(crate) fn emit<R: Renderer>(
    turn: &Turn<'_>,
    source: Source<'_>,
    port: &mut Port<R>,
    matched: &mut Match,
    content: &Content<'_>,
) -> Option<RenditionFormat> {
    let before = port.output.bytes.len();
    announce(port, matched, turn.names);
    let last_value = (matched.flags & LAST_VALUE != 0).then(|| LastValue {
        age: turn.now.saturating_sub(content.published),
        published: content.published,
    });
    settle_first(port, matched);
    let delivery = delivery(matched, turn.names, content, last_value.as_ref());
    let (renderer, out) = (&mut port.renderer, &mut port.output.bytes);
    // What is to be converted does not come here.
    let made = match matched.rendition().filter(|_| matched.flags & CONVERTED == 0) {
        None => {
            renderer.message(out, &delivery);
            None
        }
        Some(format) => {
            let Source { renditions, slab, waited } = source;
            let is_made = renditions.frame(slab, (renderer, out), &delivery, (format, waited));
            is_made.then_some(format)
        }
    };
    matched.delivered += 1;
    port.delivered += 1;
    if port.slow & slow::PACE != 0 {
        port.pace.spend(turn.now, port.output.bytes.len() - before);
    }
    made
}

/// What waited first of a match is delivered or lost: its last value, if it was offered one.
#[inline]
pub(crate) fn settle_first<R>(port: &mut Port<R>, matched: &mut Match) {
    if matched.flags & FIRST_WAITS != 0 {
        matched.flags &= !(FIRST_WAITS | LAST_VALUE);
        port.last_values_waiting -= 1;
    }
}

/// Renders a loss.
pub(crate) fn tell<R: Renderer>(
    turn: &Turn<'_>,
    port: &mut Port<R>,
    matched: &mut Match,
    (lost, reasons): (Option<Lost>, &Reasons),
) {
    let Some(lost) = lost else { return };
    let reason = reasons.text(lost.reason);
    announce(port, matched, turn.names);
    let gap = Gap {
        subscription: matched.number,
        topic: TopicId(matched.topic),
        count: lost.count,
        first: lost.first,
        last: lost.last,
        age: turn.now.saturating_sub(lost.since),
        reason: reason.as_deref(),
        names: turn.names,
    };
    port.renderer.gap(&mut port.output.bytes, &gap);
}

impl<R> Egress<R> {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            clients: Vec::new(),
            matches: Matches::new(),
            intervals: Pool::new(),
            interval_of: BTreeMap::new(),
            deadlines: Deadlines::default(),
            dirty: VecDeque::new(),
            slab: Slab::new(),
            newest: Newest::NONE,
            renditions: Renditions::default(),
            conversions: Conversions::default(),
            filters: Filters::default(),
            dropped: Vec::new(),
            closing: Vec::new(),
            walking: VecDeque::new(),
            output_bytes: limits.output_bytes,
            limits,
            waits: Histogram::default(),
            ceiling: Ceiling::default(),
        }
    }

    /// A client that is connected.
    pub(crate) fn find(&self, id: ClientId) -> Option<&Client<R>> {
        let client = self.clients.get(id.index as usize)?.as_ref()?;
        (client.port.id == id && !client.is_gone).then_some(client)
    }

    pub(crate) fn find_mut(&mut self, id: ClientId) -> Option<&mut Client<R>> {
        let client = self.clients.get_mut(id.index as usize)?.as_mut()?;
        (client.port.id == id && !client.is_gone).then_some(client)
    }
}

impl<R> Egress<R> {
    /// Counts the memory of a client's output, which may have changed.
    pub(crate) fn count_output(&mut self, index: u32) {
        if let Some(client) = &mut self.clients[index as usize] {
            let output = &mut client.port.output;
            let delayed = client.port.delayed.as_ref().map_or(0, |it| it.memory());
            let bytes = saturated(output.bytes.capacity() + delayed);
            self.ceiling.outputs = self.ceiling.outputs + bytes as usize - output.counted as usize;
            output.counted = bytes;
        }
    }
}

impl<R: Renderer> Egress<R> {
    /// With more bytes of output than this, updates wait, so that only the newest is sent.
    pub(crate) fn update_mark(&self) -> usize {
        self.output_bytes.min(16 << 10)
    }

    /// Delivers a newly published message to a match, or queues it. `false` if it was lost at once.
    #[inline]
    pub(crate) fn offer(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let matched = &mut self.matches.matches[id];
        let client = client_of(&mut self.clients, matched.client);
        let port = &mut client.port;
        matched.published += 1;
        port.published += 1;
        let is_plain = matched.flags == ANNOUNCED && port.slow == 0;
        if is_plain && port.output.len() < self.output_bytes {
            let delivery = delivery(matched, turn.names, content, None);
            port.renderer.message(&mut port.output.bytes, &delivery);
            matched.delivered += 1;
            port.delivered += 1;
            mark(port, &mut self.dirty);
            return true;
        }
        self.offer_slowly(turn, id, content)
    }

    /// Offers the last value of a topic to a new match. It counts like a published message.
    pub(crate) fn offer_last_value(&mut self, turn: &Turn<'_>, id: u32, value: &KeptValue) {
        let matched = &mut self.matches.matches[id];
        let port = &mut client_of(&mut self.clients, matched.client).port;
        matched.published += 1;
        port.published += 1;
        matched.flags |= LAST_VALUE | FIRST_WAITS;
        port.last_values_waiting += 1;
        let content = Content {
            sequence: value.sequence,
            published: value.published,
            conflation: None,
            request: None,
            format: value.format,
            payload: &value.payload,
        };
        self.offer_slowly(turn, id, &content);
    }

    #[inline(never)]
    fn offer_slowly(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let matched = &mut self.matches.matches[id];
        let client = client_of(&mut self.clients, matched.client);
        if client.port.slow & slow::CLOSING != 0 {
            settle_first(&mut client.port, matched);
            matched.discarded += 1;
            client.discarded += 1;
            return false;
        }
        if matched.flags & FILTERED != 0 {
            return self.hold(turn, id, content);
        }
        self.offer_now(turn, id, content)
    }

    /// Delivers a message to a match whose filter it passes, or that has none, or queues it.
    pub(crate) fn offer_now(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let matched = &mut self.matches.matches[id];
        let client = client_of(&mut self.clients, matched.client);
        if matched.is_conflated() {
            return self.offer_update(turn, id, content);
        }
        if client.port.can_take(turn.now, self.output_bytes) {
            let topic = matched.topic;
            if has_to_wait(&client.port, matched, content.format) {
                self.delay_newest(turn, id, content, None);
                return true;
            }
            let source =
                Source { renditions: &mut self.renditions, slab: &self.slab, waited: Handle::NONE };
            let made = emit(turn, source, &mut client.port, matched, content);
            mark(&mut client.port, &mut self.dirty);
            if made.is_some() {
                self.keep_newest_rendition(topic, content.sequence);
            }
            return true;
        }
        self.enqueue(turn, id, content)
    }

    /// Puts a message into the client's queue.
    fn enqueue(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let Match { client: index, generation, topic, .. } = self.matches.matches[id];
        let wants_rendition = self.matches.matches[id].rendition().is_some();
        let has_lost = self.matches.back(id).is_some();
        let bytes = charge(content.payload.len(), content.request.is_some(), has_lost);
        let room = self.make_room(turn, index, bytes, 1, NONE);
        if room != Room::Is {
            return self.discard_newest(turn, id, room, content.sequence);
        }
        let shared = match self.shared(topic, content, Place::Queue(id)) {
            // A long one is not copied twice, and a copy would have no place for renditions.
            None if content.payload.len() > COPIED || wants_rendition => {
                Some(self.share_newest(content, Place::Nowhere))
            }
            shared => shared,
        };
        let client = client_of(&mut self.clients, index);
        // Making room may have moved the loss to the front, where it is reported.
        let lost = self.matches.take_back(&mut client.gaps, id);
        let head = Head { matched: id, generation, lost };
        match shared {
            None => client.queue.push_copy(&head, &content.kept(), &mut self.slab.blocks),
            Some(message) => {
                let charged =
                    charge(content.payload.len(), content.request.is_some(), lost.is_some());
                client.queue.push_shared(&head, message, charged, &mut self.slab.blocks);
            }
        }
        client.queued += 1;
        client.waits += 1;
        self.matches.matches[id].queued += 1;
        if wants_rendition && let Some(message) = shared {
            self.wait_with_rendition(topic, content.sequence, message);
        }
        self.pump_behind(turn, index);
        true
    }

    /// The message in the slab, for one more user, if it waits already; otherwise it is noted where it is
    /// going to.
    #[inline]
    pub(crate) fn shared(
        &mut self,
        topic: u32,
        content: &Content<'_>,
        place: Place,
    ) -> Option<Handle> {
        let Newest { topic: of, sequence, place: first, .. } = self.newest;
        if (of, sequence) == (topic, content.sequence) && !matches!(first, Place::Nowhere) {
            return Some(self.share_newest(content, first));
        }
        self.forget_newest();
        let sequence = content.sequence;
        self.newest = Newest { topic, sequence, place, wants_rendition: false };
        None
    }

    /// Moves the newest message into the slab, if it is not there, and counts one more user.
    pub(crate) fn share_newest(&mut self, content: &Content<'_>, place: Place) -> Handle {
        let message = match place {
            Place::Slab(message) => message,
            Place::Nowhere => self.slab.add(&content.kept()),
            Place::Queue(first) => {
                let message = self.slab.add(&content.kept());
                let client = client_of(&mut self.clients, self.matches.matches[first].client);
                if client.queue.share_newest(first, content.sequence, message) {
                    self.slab.share(message);
                }
                message
            }
            Place::Update(first) => {
                let waiting = self.matches.conflated[first].waiting;
                if waiting != Handle::NONE && self.slab.sequence(waiting) == content.sequence {
                    self.slab.share(waiting);
                    waiting
                } else {
                    self.slab.add(&content.kept())
                }
            }
        };
        self.newest.place = Place::Slab(message);
        self.slab.share(message);
        message
    }

    /// The newest message that had to wait has no further user.
    #[inline(always)]
    pub(crate) fn forget_newest(&mut self) {
        if let Place::Slab(message) = self.newest.place {
            self.slab.release(message);
        }
        self.newest.place = Place::Nowhere;
    }

    /// Drops a message that finds no room.
    pub(crate) fn discard_newest(
        &mut self,
        turn: &Turn<'_>,
        id: u32,
        room: Room,
        sequence: u64,
    ) -> bool {
        let is_first = self.matches.decided(id) == 0;
        let matched = &mut self.matches.matches[id];
        let index = matched.client;
        let client = client_of(&mut self.clients, index);
        if is_first {
            settle_first(&mut client.port, matched);
        }
        matched.discarded += 1;
        client.discarded += 1;
        self.matches.lose_newest(&mut client.gaps, id, Lost::one(sequence, turn.now));
        self.close_for(index, room);
        self.pump(turn, index);
        false
    }

    /// Begins to disconnect a client whose options say so, since there was no room.
    pub(crate) fn close_for(&mut self, index: u32, room: Room) {
        match room {
            Room::Close => self.close(index, "the queue is full: the client reads too slowly"),
            Room::CloseForMemory => self.close(index, SHORT_OF_MEMORY),
            Room::Is | Room::IsNot => {}
        }
    }

    /// Makes room for so many bytes and messages of a client besides those that wait, as its options say.
    /// Does not drop the update of the conflating match `keep`.
    pub(crate) fn make_room(
        &mut self,
        turn: &Turn<'_>,
        index: u32,
        bytes: usize,
        messages: usize,
        keep: u32,
    ) -> Room {
        match self.room_in_memory(turn, index, bytes, keep) {
            Room::Is => self.room_in_queue(turn, index, bytes, messages, keep),
            none => none,
        }
    }

    /// Makes room below the ceiling of memory for so many bytes that wait for a client.
    pub(crate) fn room_in_memory(
        &mut self,
        turn: &Turn<'_>,
        index: u32,
        bytes: usize,
        keep: u32,
    ) -> Room {
        if self.ceiling.is_short(self.slab.bytes()) && bytes > 0 {
            return self.room_when_short(turn, index, bytes, keep);
        }
        Room::Is
    }

    /// Makes room within what the options of a client say.
    pub(crate) fn room_in_queue(
        &mut self,
        turn: &Turn<'_>,
        index: u32,
        bytes: usize,
        messages: usize,
        keep: u32,
    ) -> Room {
        loop {
            let client = client_of(&mut self.clients, index);
            let options = &client.options;
            let never = bytes > options.queue_bytes || messages > options.queue_messages;
            let fits = client.held() + bytes <= options.queue_bytes
                && client.in_queue() + messages <= options.queue_messages;
            match options.overflow {
                _ if fits => return Room::Is,
                // Records of ended matches take no room from others.
                _ if client.queue.records() > client.queued => {
                    let matches = &self.matches;
                    client
                        .queue
                        .retain(&mut self.slab, |matched, of| matches.is_there(matched, of));
                    continue;
                }
                Overflow::Disconnect => return Room::Close,
                Overflow::DropOldest if !never => {}
                _ => return Room::IsNot,
            }
            if !self.lose_oldest(turn.now, index, keep) {
                return Room::IsNot;
            }
        }
    }

    /// Drops what has waited longest for a client: a record, or else an update that is not that of `keep`.
    pub(crate) fn lose_oldest(&mut self, now: u64, index: u32, keep: u32) -> bool {
        let client = client_of(&mut self.clients, index);
        let Some(Front { head, kept, extent }) = client.queue.front(&self.slab) else {
            return self.lose_oldest_update(now, index, keep);
        };
        let (Head { matched: id, generation, lost }, sequence) = (head, kept.sequence);
        client.queue.pop(extent, &mut self.slab);
        if self.matches.is_there(id, generation) {
            let matched = &mut self.matches.matches[id];
            settle_first(&mut client.port, matched);
            matched.queued -= 1;
            matched.discarded += 1;
            client.queued -= 1;
            client.waits -= 1;
            client.discarded += 1;
            self.matches.put_front(&mut client.gaps, id, lost);
            self.matches.lose_oldest(&mut client.gaps, id, Lost::one(sequence, now));
        }
        true
    }

    /// What waits for a client has changed: delivers what may go.
    pub(crate) fn pump(&mut self, turn: &Turn<'_>, index: u32) {
        self.settle(index);
        if client_of(&mut self.clients, index).port.slow & slow::DELAYED != 0 {
            self.drain(turn, index);
        }
        self.refill(turn, index);
    }

    /// As [`Self::pump`], when a message waits behind others or in the place of another. Nothing of what waits
    /// may go now that could not go before, so with a full output only flags change.
    #[inline]
    pub(crate) fn pump_behind(&mut self, turn: &Turn<'_>, index: u32) {
        let most = self.update_mark();
        let client = client_of(&mut self.clients, index);
        let port = &client.port;
        let most = if port.slow & slow::READY != 0 { most } else { self.output_bytes };
        let is_behind = client.is_waiting && port.slow & slow::PACE == 0;
        if is_behind && port.output.len() >= most {
            return client.settle_queue();
        }
        self.pump(turn, index);
    }

    /// Sets the flags of a client according to what waits for it, and counts it.
    pub(crate) fn settle(&mut self, index: u32) {
        let client = client_of(&mut self.clients, index);
        client.settle();
        let is_waiting = client.waits > 0;
        if is_waiting != std::mem::replace(&mut client.is_waiting, is_waiting) {
            let waiting = &mut self.ceiling.waiting;
            *waiting = if is_waiting { *waiting + 1 } else { *waiting - 1 };
        }
    }

    /// Sets the time at which a client may send again, if that is not now.
    pub(crate) fn arm_client(&mut self, now: u64, index: u32) {
        let client = client_of(&mut self.clients, index);
        if client.port.slow & slow::PACE == 0 {
            return;
        }
        let time = client.port.pace.ready_at();
        if time > now && time < client.armed {
            client.armed = time;
            self.deadlines.set(time, Timer::Client(index));
        }
    }

    /// Moves waiting messages into the output, as many as may go now.
    pub(crate) fn refill(&mut self, turn: &Turn<'_>, index: u32) {
        let update_mark = self.update_mark();
        loop {
            let client = client_of(&mut self.clients, index);
            let port = &client.port;
            let waits = port.slow & slow::WAITS;
            if waits == 0 || port.slow & slow::CLOSING != 0 {
                return;
            }
            // While updates wait, records leave them their share of the output.
            let has_ready = waits & slow::READY != 0;
            let most = if has_ready { update_mark } else { self.output_bytes };
            if !port.has_room(turn.now, most) {
                return self.arm_client(turn.now, index);
            }
            let both = has_ready && waits & slow::QUEUE != 0;
            let takes_ready = has_ready && (!both || client.is_turn_of_ready);
            client.is_turn_of_ready = both && !takes_ready;
            let before = client.port.output.len();
            self.tell_next(turn, index);
            if takes_ready {
                self.deliver_next_update(turn, index);
            } else {
                self.deliver_next_record(turn, index);
            }
            self.settle(index);
            let client = client_of(&mut self.clients, index);
            if client.port.output.len() > before {
                mark(&mut client.port, &mut self.dirty);
            }
        }
    }

    /// Reports the loss that has waited longest.
    fn tell_next(&mut self, turn: &Turn<'_>, index: u32) {
        let client = client_of(&mut self.clients, index);
        let losses = client.gaps.head();
        if losses != NONE {
            let id = self.matches.losses[losses].matched;
            let lost = self.matches.take_front(&mut client.gaps, id);
            if client.port.slow & slow::DELAYED != 0 {
                let before = Before { lost, ..Before::default() };
                return self.delay(turn, id, Handle::NONE, before);
            }
            let lost = (lost, &self.filters.reasons);
            tell(turn, &mut client.port, &mut self.matches.matches[id], lost);
        }
    }

    /// Delivers the first record of the queue whose match still exists.
    fn deliver_next_record(&mut self, turn: &Turn<'_>, index: u32) {
        let client = client_of(&mut self.clients, index);
        while let Some(Front { head, kept, extent }) = client.queue.front(&self.slab) {
            let id = head.matched;
            if !self.matches.is_there(id, head.generation) {
                client.queue.pop(extent, &mut self.slab);
                continue;
            }
            // A last value is old, and has not waited for that long.
            if self.matches.matches[id].flags & LAST_VALUE == 0 {
                self.waits.record(turn.now.saturating_sub(kept.published));
            }
            if has_to_wait(&client.port, &self.matches.matches[id], kept.format) {
                return self.delay_record(turn, index);
            }
            let mut lost = self.matches.take_front(&mut client.gaps, id);
            add(&mut lost, head.lost);
            let matched = &mut self.matches.matches[id];
            tell(turn, &mut client.port, matched, (lost, &self.filters.reasons));
            let Kept { sequence, published, ref request, format, payload } = kept;
            let request = request.as_ref();
            let content =
                Content { sequence, published, conflation: None, request, format, payload };
            let message = extent.message;
            let (renditions, waited) = (&mut self.renditions, message);
            let source = Source { renditions, slab: &self.slab, waited };
            let made = emit(turn, source, &mut client.port, matched, &content);
            matched.queued -= 1;
            if let Some(format) = made {
                self.keep_rendition(message, format);
            }
            let client = client_of(&mut self.clients, index);
            client.queue.pop(extent, &mut self.slab);
            client.queued -= 1;
            client.waits -= 1;
            self.matches.settle(&mut client.gaps, id);
            return;
        }
    }

    /// Begins to disconnect a client: it gets the reason, and no more deliveries.
    pub(crate) fn close(&mut self, index: u32, reason: &str) {
        let client = client_of(&mut self.clients, index);
        if client.closing.is_none() {
            let port = &mut client.port;
            port.slow |= slow::CLOSING;
            port.renderer.closing(&mut port.output.bytes, reason);
            client.closing = Some(reason.into());
            mark(port, &mut self.dirty);
            self.closing.push(port.id);
        }
    }

    /// Does what is due.
    pub(crate) fn advance(&mut self, turn: &Turn<'_>) {
        while let Some((time, timer)) = self.deadlines.take(turn.now) {
            match timer {
                Timer::Interval(interval) => {
                    if self.intervals.get(interval).is_some_and(|it| it.armed == Some(time)) {
                        self.intervals[interval].armed = None;
                        self.end_intervals(turn, interval);
                    }
                }
                Timer::Client(index) => {
                    let client = self.clients[index as usize].as_mut();
                    if let Some(client) = client.filter(|client| client.armed == time) {
                        client.armed = u64::MAX;
                        self.refill(turn, index);
                        self.wake_walks(index);
                    }
                }
            }
        }
    }
}

/// The client of a match.
#[inline]
pub(crate) fn client_of<R>(clients: &mut [Option<Client<R>>], index: u32) -> &mut Client<R> {
    clients[index as usize].as_mut().expect("matches go before their client")
}
