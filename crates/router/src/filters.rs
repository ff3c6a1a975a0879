//! Filters by content: a message waits for those who want only some, until somebody who reads payloads has said whose
//! filters it passes, and takes his time. Each message is looked at once for all filters.
//!
//! ```text
//!   published --+-- no filter: offered at once
//!               |
//!               +-- [topic: message|message|message] --+-- next_decision ---> decided elsewhere
//!                   [topic: message                ] --+   (topics take turns)      |
//!                       ^                                                           v
//!                       | the first of its topic, once it is <------------------ decided
//!                       v
//!      passes:         offered, as if it was published now (queue, conflation, pace, conversion)
//!      does not pass:  filtered
//!      nobody knows:   a loss with the reason, unrendered
//! ```
//!
//! So the messages of a topic keep their order, and a conflating match gets the newest that passes. What is undecided
//! counts as queued, and takes room of the client's queue. When that is full, what has passed makes room as the client's
//! options say; what is undecided does not, and the newest is lost.

use std::collections::{HashMap, VecDeque};

use crate::client::ClientId;
use crate::egress::{Content, Egress, Newest, Place, Room, Turn, client_of, settle_first};
use crate::matched::{FILTERED, FIRST_WAITS, Lost, Match, Matches, add};
use crate::message::{Message, Renderer};
use crate::pool::NONE;
use crate::queue::charge;
use crate::reasons::Reasons;
use crate::router::Router;
use crate::slab::{Handle, Kept};
use crate::topics::TopicId;

/// A filter of messages, which the callers of the router number, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilterId(pub u32);

/// A decision that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecisionId {
    topic: u32,
    serial: u64,
}

/// A message of which is to be said whose filters it passes.
pub struct Decision<'a> {
    /// What [`Router::decided`] is to be told.
    pub id: DecisionId,
    /// The filters, each once.
    pub filters: &'a [FilterId],
    /// The message.
    pub message: Message<'a>,
}

/// How often messages were looked at for filters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterCounts {
    /// Messages that were looked at, each once for all filters.
    pub decided: u64,
    /// Those among them of which nothing could be said.
    pub failed: u64,
    /// Messages that wait to be looked at, or behind such.
    pub pending: usize,
}

/// The filter of a match, and what of the match is undecided.
#[derive(Debug)]
pub(crate) struct FilterState {
    filter: FilterId,
    undecided: u32,
    /// That they count for.
    bytes: usize,
    /// Lost since the newest undecided one.
    lost: Option<Lost>,
    pub(crate) filtered: u64,
}

/// What a client has of it.
#[derive(Debug, Default)]
pub(crate) struct ClientFilters {
    pub(crate) undecided: usize,
    pub(crate) bytes: usize,
    pub(crate) filtered: u64,
}

/// Who waits for a message.
#[derive(Clone, Copy)]
struct Waiting {
    matched: u32,
    /// Of the match: an ended one waits no more.
    generation: u32,
    /// The place of its filter among those of the message.
    filter: u32,
}

/// What was said of a message.
enum Verdict {
    /// Whether it passes, by the places of filters.
    Passes(Vec<bool>),
    /// Nothing, for a reason.
    Failed(u32),
    /// Nobody waited any more.
    Nobody,
}

/// A message that waits.
struct Undecided {
    message: Handle,
    sequence: u64,
    /// Of this one alone.
    stamp: u64,
    filters: Vec<FilterId>,
    waiting: Vec<Waiting>,
    /// What those at these places have lost before it.
    losses: Vec<(u32, Lost)>,
    verdict: Option<Verdict>,
}

/// The messages of a topic, in their order.
#[derive(Default)]
struct Line {
    /// The number of the first one.
    first: u64,
    messages: VecDeque<Undecided>,
    /// How many of them were given out.
    taken: usize,
    /// It has its turn.
    is_listed: bool,
}

/// Messages whose memory is kept for others.
const SPARE: usize = 8;

/// Bytes that the buffer for payloads keeps.
const KEPT: usize = 64 << 10;

/// All that is undecided.
#[derive(Default)]
pub(crate) struct Filters {
    lines: HashMap<u32, Line>,
    /// Topics with a message that was not given out, each once.
    turns: VecDeque<u32>,
    /// By filter: the newest message that waits for it, and its place there.
    places: Vec<(u64, u32)>,
    stamp: u64,
    spare: Vec<Undecided>,
    payload: Vec<u8>,
    pub(crate) reasons: Reasons,
    counts: FilterCounts,
    /// Matches that wait, each message counted.
    waiting: usize,
    /// Of subscriptions that have ended.
    pub(crate) ended: Vec<(ClientId, FilterId)>,
}

impl Filters {
    pub(crate) fn counts(&self) -> FilterCounts {
        self.counts
    }

    /// Bytes of memory besides messages, about.
    pub(crate) fn bytes(&self) -> usize {
        self.waiting * size_of::<Waiting>() + self.counts.pending * size_of::<Undecided>()
    }

    /// The place of a filter among those of the newest message of a topic.
    fn place_of(&mut self, topic: u32, filter: FilterId) -> u32 {
        let Some(it) = self.lines.get_mut(&topic).and_then(|it| it.messages.back_mut()) else {
            return 0;
        };
        // A last value comes to a message that waits when others have come behind it.
        if it.stamp != self.stamp
            && let Some(place) = it.filters.iter().position(|it| *it == filter)
        {
            return place as u32;
        }
        let number = filter.0 as usize;
        if self.places.len() <= number {
            self.places.resize(number + 1, (0, 0));
        }
        let place = &mut self.places[number];
        if place.0 != it.stamp {
            *place = (it.stamp, it.filters.len() as u32);
            it.filters.push(filter);
        }
        place.1
    }

    /// The newest message of a topic, if it is this one and nobody looks at it yet.
    fn newest(&mut self, topic: u32, sequence: u64) -> Option<&mut Undecided> {
        let line = self.lines.get_mut(&topic)?;
        let is_open = line.taken < line.messages.len();
        line.messages.back_mut().filter(|it| is_open && it.sequence == sequence)
    }

    fn push(&mut self, topic: u32, sequence: u64, message: Handle) {
        self.stamp += 1;
        let mut it = self.spare.pop().unwrap_or_else(|| Undecided {
            message,
            sequence,
            stamp: 0,
            filters: Vec::new(),
            waiting: Vec::new(),
            losses: Vec::new(),
            verdict: None,
        });
        (it.message, it.sequence, it.stamp) = (message, sequence, self.stamp);
        let line = self.lines.entry(topic).or_default();
        line.messages.push_back(it);
        self.counts.pending += 1;
        if !std::mem::replace(&mut line.is_listed, true) {
            self.turns.push_back(topic);
        }
    }

    /// The first message of a topic has been dealt with.
    fn give(&mut self, mut it: Undecided) {
        self.waiting -= it.waiting.len();
        self.counts.pending -= 1;
        if self.spare.len() < SPARE && it.waiting.capacity() <= KEPT / size_of::<Waiting>() {
            it.filters.clear();
            it.waiting.clear();
            it.losses.clear();
            it.verdict = None;
            self.spare.push(it);
        }
    }

    /// Removes the first message of a topic if it is decided.
    fn pop_decided(&mut self, topic: u32) -> Option<Undecided> {
        let line = self.lines.get_mut(&topic)?;
        line.messages.front().filter(|it| it.verdict.is_some())?;
        self.pop(topic)
    }

    fn pop(&mut self, topic: u32) -> Option<Undecided> {
        let line = self.lines.get_mut(&topic)?;
        let it = line.messages.pop_front()?;
        line.first += 1;
        line.taken = line.taken.saturating_sub(1);
        if line.messages.is_empty() && !line.is_listed {
            self.lines.remove(&topic);
        }
        Some(it)
    }
}

impl Matches {
    /// A new match has a filter.
    pub(crate) fn filter(&mut self, matched: u32, filter: FilterId) {
        self.matches[matched].flags |= FILTERED;
        let state = FilterState { filter, undecided: 0, bytes: 0, lost: None, filtered: 0 };
        self.filters.insert(matched, state);
    }

    /// How many messages of a match are undecided, and the bytes that they count for.
    #[inline]
    pub(crate) fn undecided(&self, matched: u32) -> (u32, usize) {
        if self.matches[matched].flags & FILTERED == 0 {
            return (0, 0);
        }
        self.filters.get(&matched).map_or((0, 0), |it| (it.undecided, it.bytes))
    }

    /// How many messages of a match wait and are not undecided.
    #[inline]
    pub(crate) fn decided(&self, matched: u32) -> u32 {
        self.matches[matched].queued - self.undecided(matched).0
    }

    pub(crate) fn filtered(&self, matched: u32) -> u64 {
        if self.matches[matched].flags & FILTERED == 0 {
            return 0;
        }
        self.filters.get(&matched).map_or(0, |it| it.filtered)
    }
}

impl<R: Renderer> Egress<R> {
    /// A message for a match that has a filter waits to be decided. `false` if there is no room for it.
    pub(crate) fn hold(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let Match { client: index, generation, topic, .. } = self.matches.matches[id];
        let bytes = charge(content.payload.len(), content.request.is_some(), false);
        let room = self.make_room(turn, index, bytes, 1, NONE);
        if room != Room::Is {
            return self.lose_undecided(turn, id, room, content.sequence);
        }
        if self.filters.newest(topic, content.sequence).is_none() {
            let message = self.keep_newest(topic, content);
            self.filters.push(topic, content.sequence, message);
        }
        let Some(state) = self.matches.filters.get_mut(&id) else { return false };
        let (filter, lost) = (state.filter, state.lost.take());
        state.undecided += 1;
        state.bytes += bytes;
        let filter = self.filters.place_of(topic, filter);
        if let Some(it) = self.filters.newest(topic, content.sequence) {
            it.losses.extend(lost.map(|lost| (it.waiting.len() as u32, lost)));
            it.waiting.push(Waiting { matched: id, generation, filter });
        }
        self.filters.waiting += 1;
        self.matches.matches[id].queued += 1;
        let client = client_of(&mut self.clients, index);
        client.waits += 1;
        let filters = &mut client.port.delayed.get_or_insert_default().filters;
        filters.undecided += 1;
        filters.bytes += bytes;
        self.settle(index);
        true
    }

    /// A message finds no room, and is lost behind what is undecided.
    fn lose_undecided(&mut self, turn: &Turn<'_>, id: u32, room: Room, sequence: u64) -> bool {
        match self.matches.filters.get_mut(&id) {
            Some(state) if state.undecided > 0 => {
                add(&mut state.lost, Some(Lost::one(sequence, turn.now)));
                let matched = &mut self.matches.matches[id];
                matched.discarded += 1;
                let index = matched.client;
                client_of(&mut self.clients, index).discarded += 1;
                self.close_for(index, room);
                self.pump(turn, index);
                false
            }
            _ => self.discard_newest(turn, id, room, sequence),
        }
    }

    /// The topic and the place of the next message to decide for which somebody waits.
    fn next_undecided(&mut self) -> Option<(u32, usize)> {
        loop {
            let topic = self.filters.turns.pop_front()?;
            let line = self.filters.lines.get_mut(&topic)?;
            let place = line.taken;
            let Some(it) = line.messages.get_mut(place) else {
                line.is_listed = false;
                if line.messages.is_empty() {
                    self.filters.lines.remove(&topic);
                }
                continue;
            };
            // The others have their turn first.
            self.filters.turns.push_back(topic);
            let matches = &self.matches;
            if it.waiting.iter().any(|it| matches.is_there(it.matched, it.generation)) {
                line.taken += 1;
                return Some((topic, place));
            }
            if place > 0 {
                line.taken += 1;
                it.verdict = Some(Verdict::Nobody);
            } else if let Some(it) = self.filters.pop(topic) {
                self.slab.release(it.message);
                self.filters.give(it);
            }
        }
    }

    /// Gives the first messages of a topic to whom they pass, as far as they are decided.
    fn offer_decided(&mut self, turn: &Turn<'_>, topic: u32) -> usize {
        let mut offered = 0;
        while let Some(it) = self.filters.pop_decided(topic) {
            let mut payload = std::mem::take(&mut self.filters.payload);
            payload.clear();
            let kept = self.slab.get(it.message);
            payload.extend_from_slice(kept.payload);
            let Kept { sequence, published, request, format, .. } = kept;
            let (conflation, request) = (None, request.as_ref());
            let content =
                Content { sequence, published, conflation, request, format, payload: &payload };
            // Who has to wait for it shares it.
            self.forget_newest();
            self.slab.share(it.message);
            let place = Place::Slab(it.message);
            self.newest = Newest { topic, sequence, place, wants_rendition: false };
            let mut losses = it.losses.iter().peekable();
            for (at, waiting) in (0..).zip(&it.waiting) {
                let lost = losses.next_if(|it| it.0 == at).map(|it| it.1);
                if self.matches.is_there(waiting.matched, waiting.generation) {
                    self.end_undecided(turn, waiting, (&content, lost), it.verdict.as_ref());
                }
            }
            self.forget_newest();
            self.slab.release(it.message);
            offered += it.waiting.len();
            self.filters.give(it);
            payload.shrink_to(KEPT);
            self.filters.payload = payload;
        }
        offered
    }

    /// A message that a match waited for is decided.
    fn end_undecided(
        &mut self,
        turn: &Turn<'_>,
        waiting: &Waiting,
        (content, lost): (&Content<'_>, Option<Lost>),
        verdict: Option<&Verdict>,
    ) {
        let id = waiting.matched;
        let bytes = charge(content.payload.len(), content.request.is_some(), false);
        let index = self.matches.matches[id].client;
        let Some(state) = self.matches.filters.get_mut(&id) else { return };
        state.undecided -= 1;
        state.bytes -= bytes;
        self.matches.matches[id].queued -= 1;
        let client = client_of(&mut self.clients, index);
        client.waits -= 1;
        if let Some(delayed) = &mut client.port.delayed {
            delayed.filters.undecided -= 1;
            delayed.filters.bytes -= bytes;
        }
        self.lose(turn, id, lost);
        match verdict {
            Some(Verdict::Passes(all)) if all.get(waiting.filter as usize) == Some(&true) => {
                self.offer_now(turn, id, content);
            }
            Some(Verdict::Failed(reason)) => {
                self.count_failed(id);
                let lost = Lost { reason: *reason, ..Lost::one(content.sequence, turn.now) };
                self.lose(turn, id, Some(lost));
            }
            _ => self.count_filtered(id),
        }
        // What was lost behind the last undecided one comes now.
        let state = self.matches.filters.get_mut(&id).filter(|it| it.undecided == 0);
        let lost = state.and_then(|it| it.lost.take());
        self.lose(turn, id, lost);
        self.settle(index);
        self.wake_walks(index);
    }

    /// Tells a loss behind everything of a match that is decided.
    fn lose(&mut self, turn: &Turn<'_>, id: u32, lost: Option<Lost>) {
        let Some(lost) = lost else { return };
        let index = self.matches.matches[id].client;
        let client = client_of(&mut self.clients, index);
        self.matches.lose_newest(&mut client.gaps, id, lost);
        self.pump(turn, index);
    }

    fn count_filtered(&mut self, id: u32) {
        self.settle_undecided_first(id);
        if let Some(state) = self.matches.filters.get_mut(&id) {
            state.filtered += 1;
        }
        let client = client_of(&mut self.clients, self.matches.matches[id].client);
        client.port.delayed.get_or_insert_default().filters.filtered += 1;
    }

    fn count_failed(&mut self, id: u32) {
        self.settle_undecided_first(id);
        self.matches.count_unrendered(id);
        let client = client_of(&mut self.clients, self.matches.matches[id].client);
        client.port.delayed.get_or_insert_default().unrendered += 1;
    }

    /// If a last value was offered to a match, it is the first that is decided.
    fn settle_undecided_first(&mut self, id: u32) {
        let matched = &mut self.matches.matches[id];
        if matched.flags & FIRST_WAITS != 0 && self.matches.decided(id) == 0 {
            let matched = &mut self.matches.matches[id];
            settle_first(&mut client_of(&mut self.clients, matched.client).port, matched);
        }
    }

    /// A match ends, with all that is undecided of it. Returns how many messages that were.
    pub(crate) fn forget_undecided(&mut self, id: u32) -> u32 {
        let (undecided, bytes) = self.matches.undecided(id);
        if undecided > 0
            && let Some(delayed) =
                &mut client_of(&mut self.clients, self.matches.matches[id].client).port.delayed
        {
            delayed.filters.undecided -= undecided as usize;
            delayed.filters.bytes -= bytes;
        }
        undecided
    }
}

impl<R: Renderer> Router<R> {
    /// The next message of which is to be said whose filters it passes. What comes of it is for [`Self::decided`]; how
    /// many are under way at a time is up to the caller. Messages of a topic come in their order.
    pub fn next_decision(&mut self) -> Option<Decision<'_>> {
        let (topic, place) = self.egress.next_undecided()?;
        let line = self.egress.filters.lines.get(&topic)?;
        let it = &line.messages[place];
        let kept = self.egress.slab.get(it.message);
        Some(Decision {
            id: DecisionId { topic, serial: line.first + place as u64 },
            filters: &it.filters,
            message: Message {
                topic: TopicId(topic),
                sequence: kept.sequence,
                request: None,
                format: kept.format,
                payload: kept.payload,
                names: &self.names,
            },
        })
    }

    /// A message was looked at: whether it passes, by the places of its filters, or why nobody can say. Those whom it
    /// passes get it, once the messages of its topic before it are decided. Returns the bytes of its payload.
    pub fn decided(&mut self, now: u64, id: DecisionId, passes: Result<&[bool], &str>) -> usize {
        let filters = &mut self.egress.filters;
        let verdict = match passes {
            Ok(all) => Verdict::Passes(all.to_vec()),
            Err(reason) => Verdict::Failed(filters.reasons.add(reason)),
        };
        let Some(line) = filters.lines.get_mut(&id.topic) else { return 0 };
        let place = id.serial.wrapping_sub(line.first) as usize;
        let Some(it) = line.messages.get_mut(place).filter(|_| place < line.taken) else {
            return 0;
        };
        filters.counts.decided += 1;
        filters.counts.failed += u64::from(passes.is_err());
        it.verdict = Some(verdict);
        let bytes = self.egress.slab.length(it.message);
        let turn = Turn { now, names: &self.names };
        self.work += self.egress.offer_decided(&turn, id.topic);
        if !self.egress.closing.is_empty() {
            self.finish_closing();
        }
        bytes
    }

    /// The next filter of which one subscription less makes use: one of this client has ended.
    pub fn next_ended_filter(&mut self) -> Option<(ClientId, FilterId)> {
        self.egress.filters.ended.pop()
    }
}
