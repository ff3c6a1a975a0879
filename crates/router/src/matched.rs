//! Matches: a subscription and a topic that it matches.

use std::collections::HashMap;
use std::num::NonZeroU16;

use crate::filters::FilterState;
use crate::ledger::Ledger;
use crate::message::RenditionFormat;
use crate::pool::{Linked, Links, List, NONE, Pool};
use crate::reasons::united;
use crate::slab::Handle;

/// The client knows the name of the topic.
pub(crate) const ANNOUNCED: u32 = 1;
/// Updates replace one another; [`Match::extra`] is a [`Conflated`].
pub(crate) const CONFLATED: u32 = 2;
/// The last value of the topic comes before the next published message.
pub(crate) const OWED: u32 = 4;
/// What waits first is the last value of the topic.
pub(crate) const LAST_VALUE: u32 = 8;
/// Nothing was delivered since the last value was offered.
pub(crate) const FIRST_WAITS: u32 = 16;

/// The renditions that it wants are made elsewhere.
pub(crate) const CONVERTED: u32 = 32;
/// It has a filter, a [`FilterState`].
pub(crate) const FILTERED: u32 = 64;

/// Where the number of the format begins whose renditions the match wants; 0 is none.
const RENDITION: u32 = 16;

/// Kinds of lists.
pub(crate) const OF_SUBSCRIPTION: usize = 0;
pub(crate) const OF_INTERVAL: usize = 1;
pub(crate) const READY: usize = 2;
pub(crate) const GAPS: usize = 3;

/// A subscription and a topic that it matches. A cache line: a delivery touches one.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Match {
    pub(crate) client: u32,
    /// The client's number of the subscription.
    pub(crate) number: u32,
    pub(crate) topic: u32,
    /// [`ANNOUNCED`] and the others, and a format of renditions.
    pub(crate) flags: u32,
    pub(crate) published: u64,
    pub(crate) delivered: u64,
    pub(crate) discarded: u64,
    pub(crate) subscription: u32,
    /// Changes when the match ends, so that its leftovers in a queue are recognised.
    pub(crate) generation: u32,
    /// Records in the client's queue, or 1 if an update waits.
    pub(crate) queued: u32,
    /// A [`Conflated`] if it is one, else a [`Losses`], else nothing.
    pub(crate) extra: u32,
    /// Neighbours among the matches of the subscription.
    pub(crate) siblings: Links,
}

impl Linked<OF_SUBSCRIPTION> for Match {
    fn links(&mut self) -> &mut Links {
        &mut self.siblings
    }
}

impl Match {
    #[inline]
    pub(crate) fn is_conflated(&self) -> bool {
        self.flags & CONFLATED != 0
    }

    /// The format of renditions that it wants.
    #[inline]
    pub(crate) fn rendition(&self) -> Option<RenditionFormat> {
        NonZeroU16::new((self.flags >> RENDITION) as u16).map(RenditionFormat)
    }
}

/// The flags of a match that wants renditions of a format.
pub(crate) fn wanting(format: Option<RenditionFormat>) -> u32 {
    format.map_or(0, |RenditionFormat(number)| u32::from(number.get()) << RENDITION)
}

/// Additional state of a match whose updates replace one another.
#[derive(Debug, Default)]
pub(crate) struct Conflated {
    pub(crate) matched: u32,
    /// An [`Interval`], or nothing if there is no cap.
    pub(crate) interval: u32,
    /// A [`Losses`], or nothing.
    pub(crate) losses: u32,
    /// The update that waits until the interval is over or the client can take it, in the slab; or nothing.
    pub(crate) waiting: Handle,
    /// Whether the interval since the last delivery is not over.
    pub(crate) is_cooling: bool,
    /// The list of its interval that holds it while it cools.
    pub(crate) was_late: bool,
    /// Whether the waiting update waits only for the client.
    pub(crate) is_ready: bool,
    /// The end of cooling.
    pub(crate) due: u64,
    pub(crate) elided: u64,
    /// Elided since the last delivery.
    pub(crate) replaced: u64,
    pub(crate) cooling: Links,
    pub(crate) ready: Links,
}

impl Linked<OF_INTERVAL> for Conflated {
    fn links(&mut self) -> &mut Links {
        &mut self.cooling
    }
}

impl Linked<READY> for Conflated {
    fn links(&mut self) -> &mut Links {
        &mut self.ready
    }
}

/// Matches with the same interval between updates.
#[derive(Debug, Default)]
pub(crate) struct Interval {
    pub(crate) nanoseconds: u64,
    /// Each in the order in which intervals end: matches whose interval began with the delivery, and
    /// matches that delivered a little late and whose interval began before.
    pub(crate) cooling: [List<OF_INTERVAL>; 2],
    /// Subscriptions with this interval.
    pub(crate) users: u32,
    /// The valid deadline.
    pub(crate) armed: Option<u64>,
}

/// Messages that a match has lost in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) count: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// When the first was lost.
    pub(crate) since: u64,
    /// Why, if it was not the client's fault, as [`crate::reasons`] numbers them; 0 otherwise.
    pub(crate) reason: u32,
}

impl Lost {
    pub(crate) fn one(sequence: u64, now: u64) -> Self {
        Self { count: 1, first: sequence, last: sequence, since: now, reason: 0 }
    }

    fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            since: self.since.min(other.since),
            reason: united(self.reason, other.reason),
        }
    }
}

/// Unreported losses of a match.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    pub(crate) matched: u32,
    /// Before everything of the match that waits.
    pub(crate) front: Option<Lost>,
    /// After everything of the match that waits.
    pub(crate) back: Option<Lost>,
    /// Whether it is in the client's list; then there is a loss in front.
    pub(crate) is_listed: bool,
    pub(crate) links: Links,
}

impl Linked<GAPS> for Losses {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// Adds a loss to another one.
pub(crate) fn add(to: &mut Option<Lost>, lost: Option<Lost>) {
    *to = match (*to, lost) {
        (Some(one), Some(other)) => Some(one.and(other)),
        (one, other) => one.or(other),
    };
}

/// What is counted besides of a match whose messages are converted, or wait behind such.
#[derive(Debug, Default)]
struct DelayedCounts {
    /// Deliveries that are delayed, losses without messages among them.
    deliveries: u32,
    messages: u32,
    unrendered: u64,
}

/// All matches, with the additional state of some.
pub(crate) struct Matches {
    pub(crate) matches: Pool<Match>,
    pub(crate) conflated: Pool<Conflated>,
    pub(crate) losses: Pool<Losses>,
    /// Of matches with delayed deliveries, or with messages that could not be rendered.
    delayed: HashMap<u32, DelayedCounts>,
    /// Of matches that have a filter.
    pub(crate) filters: HashMap<u32, FilterState>,
    /// Of the newest or last ended match.
    generation: u32,
}

impl Matches {
    pub(crate) fn new() -> Self {
        Self {
            matches: Pool::new(),
            conflated: Pool::new(),
            losses: Pool::new(),
            delayed: HashMap::new(),
            filters: HashMap::new(),
            generation: 0,
        }
    }

    /// A generation that no match has had for very long.
    pub(crate) fn next_generation(&mut self) -> u32 {
        self.generation = self.generation.wrapping_add(1);
        self.generation
    }

    /// Bytes of all.
    pub(crate) fn bytes(&self) -> usize {
        let delayed = self.delayed.capacity() * size_of::<(u32, DelayedCounts)>();
        let filters = self.filters.capacity() * size_of::<(u32, FilterState)>();
        self.matches.bytes() + self.conflated.bytes() + self.losses.bytes() + delayed + filters
    }

    /// Whether a match still has this generation. An ended match may have no memory.
    #[inline]
    pub(crate) fn is_there(&self, matched: u32, generation: u32) -> bool {
        self.matches.get(matched).is_some_and(|it| it.generation == generation)
    }

    /// Gives back unused memory of one structure; returns whether there was any.
    pub(crate) fn shrink(&mut self) -> bool {
        self.matches.shrink() || self.conflated.shrink() || self.losses.shrink()
    }

    pub(crate) fn has_unused(&self) -> bool {
        self.matches.has_unused() || self.conflated.has_unused() || self.losses.has_unused()
    }

    /// The [`Losses`] of a match, or nothing.
    #[inline]
    pub(crate) fn losses_of(&self, matched: u32) -> u32 {
        let matched = &self.matches[matched];
        if matched.is_conflated() { self.conflated[matched.extra].losses } else { matched.extra }
    }

    pub(crate) fn set_losses(&mut self, matched: u32, losses: u32) {
        let matched = &mut self.matches[matched];
        if matched.is_conflated() {
            self.conflated[matched.extra].losses = losses;
        } else {
            matched.extra = losses;
        }
    }

    pub(crate) fn ledger(&self, matched: u32) -> Ledger {
        let unrendered = self.delayed.get(&matched).map_or(0, |it| it.unrendered);
        let filtered = self.filtered(matched);
        let matched = &self.matches[matched];
        Ledger {
            published: matched.published,
            delivered: matched.delivered,
            elided: if matched.is_conflated() { self.conflated[matched.extra].elided } else { 0 },
            discarded: matched.discarded,
            unrendered,
            filtered,
            queued: u64::from(matched.queued),
        }
    }

    /// Whether nothing of a match waits, for delivery or for the end of an interval.
    pub(crate) fn is_idle(&self, matched: u32) -> bool {
        let cools =
            |matched: &Match| matched.is_conflated() && self.conflated[matched.extra].is_cooling;
        let at = &self.matches[matched];
        at.queued == 0
            && self.losses_of(matched) == NONE
            && !cools(at)
            && !self.has_delayed(matched)
    }

    /// A delivery of a match is delayed, or a loss without a message.
    pub(crate) fn add_delayed(&mut self, matched: u32, is_message: bool) {
        let counts = self.delayed.entry(matched).or_default();
        counts.deliveries += 1;
        counts.messages += u32::from(is_message);
        self.matches[matched].queued += u32::from(is_message);
    }

    /// It is delayed no more.
    pub(crate) fn end_delayed(&mut self, matched: u32, is_message: bool) {
        self.matches[matched].queued -= u32::from(is_message);
        let Some(counts) = self.delayed.get_mut(&matched) else { return };
        counts.deliveries -= 1;
        counts.messages -= u32::from(is_message);
        if counts.deliveries == 0 && counts.unrendered == 0 {
            self.delayed.remove(&matched);
        }
    }

    pub(crate) fn count_unrendered(&mut self, matched: u32) {
        self.delayed.entry(matched).or_default().unrendered += 1;
    }

    /// Whether something of a match is delayed.
    pub(crate) fn has_delayed(&self, matched: u32) -> bool {
        self.delayed.get(&matched).is_some_and(|it| it.deliveries > 0)
    }

    /// How many messages of a match are delayed.
    pub(crate) fn delayed_messages(&self, matched: u32) -> u32 {
        self.delayed.get(&matched).map_or(0, |it| it.messages)
    }

    /// A match has ended, and its ledger was taken.
    pub(crate) fn forget_counts(&mut self, matched: u32) {
        if !self.delayed.is_empty() {
            self.delayed.remove(&matched);
        }
        if !self.filters.is_empty() {
            self.filters.remove(&matched);
        }
    }
}
