//! Last values: the newest message of each topic of certain patterns, for those who subscribe later.
//!
//! ```text
//!   topic --> of_topic --> value --> order: least recently updated first, which go first at the bound
//! ```
//!
//! A value holds its topic, so that the topic is not forgotten while nobody publishes to it. Values are in
//! memory and go with the process.

use crate::matcher::Matcher;
use crate::message::{Envelope, Renderer};
use crate::pool::{Linked, Links, List, NONE, Pages, Pool};
use crate::router::Router;
use crate::topics::TopicId;

/// [`crate::router::Topic::last_value`]: its pattern says that its last value is kept.
pub(crate) const KEEPS: u8 = 1;
/// Some match of its route may be [`crate::matched::OWED`] the value.
pub(crate) const OWES: u8 = 2;

/// The kind of the list of values.
const BY_UPDATE: usize = 0;

/// Bytes that a value counts for, besides its payload.
const HEAD: usize = 72;

/// The longest payload whose memory a value keeps for a shorter one.
const KEPT_PAYLOAD: usize = 4 << 10;

/// Values that are dropped or checked at a time, while others wait: some ten microseconds.
const SLICE: usize = 256;

/// The newest message of a topic.
#[derive(Debug, Default)]
pub(crate) struct KeptValue {
    /// [`NONE`] in a free slot.
    topic: u32,
    pub(crate) format: u16,
    pub(crate) sequence: u64,
    pub(crate) published: u64,
    pub(crate) payload: Vec<u8>,
    links: Links,
}

impl Linked<BY_UPDATE> for KeptValue {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl KeptValue {
    fn bytes(&self) -> usize {
        HEAD + self.payload.capacity()
    }

    fn write(&mut self, payload: &[u8]) {
        let room = self.payload.capacity();
        if room < payload.len() || room > KEPT_PAYLOAD && room / 4 > payload.len() {
            self.payload = Vec::with_capacity(payload.len());
        }
        self.payload.clear();
        self.payload.extend_from_slice(payload);
    }
}

/// What is kept, and what became of last values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastValueTotals {
    /// Values that are kept now.
    pub values: usize,
    /// Bytes of them, with [about 70](crate::Limits::last_value_bytes) for each.
    pub bytes: usize,
    /// Values that were offered to new subscriptions; their ledgers count them as published.
    pub offered: u64,
    /// Values that were dropped because there were more than the limits allow.
    pub dropped: u64,
}

/// The values, by topic and by their last update.
pub(crate) struct LastValues {
    /// Patterns whose topics keep their last value.
    patterns: Matcher,
    values: Pool<KeptValue>,
    /// By topic: the number of its value plus 1, or 0.
    of_topic: Pages<u32>,
    order: List<BY_UPDATE>,
    /// A number beyond those of all values.
    end: u32,
    bytes: usize,
    pub(crate) offered: u64,
    dropped: u64,
    /// The next value to compare with changed patterns.
    check_from: u32,
    /// Scratch.
    found: Vec<u32>,
}

impl LastValues {
    pub(crate) fn new() -> Self {
        Self {
            patterns: Matcher::new(),
            values: Pool::new(),
            of_topic: Pages::new(),
            order: List::default(),
            end: 0,
            bytes: 0,
            offered: 0,
            dropped: 0,
            check_from: NONE,
            found: Vec::new(),
        }
    }

    /// Whether the last value of a topic of this name is to be kept.
    fn keeps(&mut self, name: &str) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        self.found.clear();
        self.patterns.matches(name, &mut self.found);
        !self.found.is_empty()
    }

    /// The number of a topic's value.
    #[inline]
    pub(crate) fn find(&self, topic: TopicId) -> Option<u32> {
        self.of_topic.get(topic.0)?.checked_sub(1)
    }

    /// The value of a topic.
    #[inline]
    pub(crate) fn get(&self, topic: TopicId) -> Option<&KeptValue> {
        self.find(topic).map(|value| &self.values[value])
    }

    /// The topic of a value, if there is a value of this number.
    #[inline]
    pub(crate) fn topic_of(&self, value: u32) -> Option<TopicId> {
        let topic = self.values.get(value)?.topic;
        // A slot that was never used has topic 0.
        (topic != NONE && self.find(TopicId(topic)) == Some(value)).then_some(TopicId(topic))
    }

    /// A number beyond those of all values.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Keeps a message as the value of its topic. Returns whether the topic had none.
    fn keep(&mut self, topic: TopicId, sequence: u64, now: u64, envelope: &Envelope<'_>) -> bool {
        let before = self.find(topic);
        let value = match before {
            Some(value) => {
                self.order.remove(&mut self.values, value);
                self.bytes -= self.values[value].bytes();
                value
            }
            None => {
                let value = self.values.take();
                self.of_topic.provide(topic.0);
                self.of_topic[topic.0] = value + 1;
                self.end = self.end.max(value + 1);
                value
            }
        };
        let at = &mut self.values[value];
        (at.topic, at.format, at.sequence, at.published) =
            (topic.0, envelope.format, sequence, now);
        at.write(envelope.payload);
        self.bytes += at.bytes();
        self.order.push_back(&mut self.values, value);
        before.is_none()
    }

    /// Removes the value of a topic. Returns whether it had one.
    fn remove(&mut self, topic: TopicId) -> bool {
        let Some(value) = self.find(topic) else { return false };
        self.order.remove(&mut self.values, value);
        self.bytes -= self.values[value].bytes();
        self.values[value] = KeptValue { topic: NONE, ..KeptValue::default() };
        self.values.give(value);
        self.of_topic[topic.0] = 0;
        if self.values.len() == 0 {
            self.end = 0;
        }
        true
    }

    /// The topic whose value was updated least recently.
    fn least_recent(&self) -> Option<TopicId> {
        let value = self.order.head();
        (value != NONE).then(|| TopicId(self.values[value].topic))
    }

    /// Whether there is something for [`Router::tidy_last_values`].
    #[inline]
    pub(crate) fn is_untidy(&self, (values, bytes): (usize, usize)) -> bool {
        self.check_from != NONE || self.values.len() > values || self.bytes > bytes
    }

    pub(crate) fn totals(&self) -> LastValueTotals {
        let (values, bytes) = (self.values.len(), self.bytes);
        LastValueTotals { values, bytes, offered: self.offered, dropped: self.dropped }
    }

    /// Bytes of memory, about.
    pub(crate) fn memory(&self) -> usize {
        self.bytes + self.of_topic.capacity() * size_of::<u32>()
    }

    pub(crate) fn has_unused(&self) -> bool {
        self.values.has_unused()
    }

    /// Gives back some unused memory; returns whether there was any.
    pub(crate) fn shrink(&mut self) -> bool {
        self.values.shrink()
    }

    /// No topic has a number of this page.
    pub(crate) fn free_topics(&mut self, page: usize) {
        self.of_topic.free(page);
    }
}

impl<R: Renderer> Router<R> {
    /// From now on the last values of topics that match one of these patterns are kept, and no others.
    /// Values of other topics are dropped, some at a time.
    pub fn keep_last_values<'a>(&mut self, patterns: impl IntoIterator<Item = &'a str>) {
        self.last_values.patterns = Matcher::new();
        for pattern in patterns {
            self.last_values.patterns.insert(pattern, 0);
        }
        // Each topic learns of it when its route is made again.
        self.epoch += 1;
        self.last_values.check_from = if self.last_values.end == 0 { NONE } else { 0 };
    }

    /// What is kept, and what became of it.
    pub fn last_value_totals(&self) -> LastValueTotals {
        self.last_values.totals()
    }

    /// Removes the last value of a topic: later subscriptions do not get it. Its subscribers are not told.
    pub fn clear_last_value(&mut self, now: u64, topic: TopicId) {
        self.drop_value(now, topic);
    }

    /// Drops the least recently updated last values until so many bytes are free, or none is left. Returns
    /// how many bytes that were.
    pub fn drop_last_values(&mut self, now: u64, bytes: usize) -> usize {
        let before = self.last_values.bytes;
        while before - self.last_values.bytes < bytes && self.drop_least_recent(now) {}
        before - self.last_values.bytes
    }

    /// The route of a topic was made: whether its last value is kept may have changed.
    pub(crate) fn settle_whether_kept(&mut self, now: u64, topic: TopicId) {
        let keeps = self.last_values.keeps(self.names.name(topic));
        let at = &mut self.topics[topic.0];
        let kept = at.marks & KEEPS != 0;
        at.marks = at.marks & !KEEPS | if keeps { KEEPS } else { 0 };
        if kept && !keeps {
            self.drop_value(now, topic);
        }
    }

    /// A message was published to a topic that keeps its last value.
    #[inline(never)]
    pub(crate) fn keep_last_value(&mut self, now: u64, topic: TopicId, envelope: &Envelope<'_>) {
        // Nobody but its requester waits for the answer to a request.
        if envelope.request.is_some() {
            return;
        }
        if HEAD + envelope.payload.len() > self.egress.limits.last_value_bytes {
            // The older one would be wrong.
            self.last_values.dropped += 1;
            return self.drop_value(now, topic);
        }
        let at = &mut self.topics[topic.0];
        let is_new = self.last_values.keep(topic, at.sequence, now, envelope);
        at.holds += u32::from(is_new);
        if is_new && self.egress.ceiling.is_short(self.egress.slab.bytes()) {
            self.drop_least_recent(now);
        }
        for _ in 0..SLICE {
            if !self.exceeds_limits() || !self.drop_least_recent(now) {
                return;
            }
        }
    }

    fn exceeds_limits(&self) -> bool {
        let limits = &self.egress.limits;
        self.last_values.values.len() > limits.last_values
            || self.last_values.bytes > limits.last_value_bytes
    }

    fn drop_least_recent(&mut self, now: u64) -> bool {
        let Some(topic) = self.last_values.least_recent() else { return false };
        self.last_values.dropped += 1;
        self.drop_value(now, topic);
        true
    }

    fn drop_value(&mut self, now: u64, topic: TopicId) {
        if self.last_values.remove(topic) {
            self.release(now, topic);
        }
    }

    /// All topics are in use: forgets the one whose value was updated least recently, of those that nobody
    /// else holds and for which nothing waits.
    pub(crate) fn forget_topic_with_value(&mut self) -> bool {
        let values = &self.last_values.values;
        let is_value = |value: &u32| *value != NONE;
        let next = |value: &u32| Some(values[*value].links.next).filter(is_value);
        let topics =
            std::iter::successors(Some(self.last_values.order.head()).filter(is_value), next)
                .map(|value| TopicId(values[value].topic));
        let found = topics.take(SLICE).find(|topic| {
            let at = &self.topics[topic.0];
            let is_idle = |matched: &u32| self.egress.matches.is_idle(*matched);
            at.holds == 1 && !at.is_candidate && at.route.iter().all(is_idle)
        });
        let Some(topic) = found else { return false };
        self.last_values.dropped += 1;
        self.last_values.remove(topic);
        self.forget_topic(topic);
        true
    }

    /// Whether values are to be dropped by [`Self::tidy_last_values`].
    #[inline]
    pub(crate) fn has_untidy_values(&self) -> bool {
        let limits = &self.egress.limits;
        self.last_values.is_untidy((limits.last_values, limits.last_value_bytes))
    }

    /// Drops some of the values that are beyond changed limits, or that no pattern keeps any more.
    pub(crate) fn tidy_last_values(&mut self, now: u64) {
        for _ in 0..SLICE {
            if self.exceeds_limits() {
                self.drop_least_recent(now);
                continue;
            }
            let value = self.last_values.check_from;
            if value == NONE {
                return;
            }
            if let Some(topic) = self.last_values.topic_of(value)
                && !self.last_values.keeps(self.names.name(topic))
            {
                self.drop_value(now, topic);
            }
            let next = value + 1;
            self.last_values.check_from = if next < self.last_values.end { next } else { NONE };
        }
    }
}
