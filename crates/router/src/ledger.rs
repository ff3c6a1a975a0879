//! The accounts of published messages.

use std::ops::AddAssign;

/// What became of the messages that were published to a match, to a client, or in total.
///
/// A match is a subscription and a topic that it matches. A message that matches two subscriptions
/// counts twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Matched.
    pub published: u64,
    /// Rendered into the client's output.
    pub delivered: u64,
    /// Replaced by a newer one while waiting, as the subscription asked.
    pub elided: u64,
    /// Lost, because the client's queue was full, or because the client or its subscription ended.
    pub discarded: u64,
    /// Not to be had in the format that the subscription wants, or not to be held against its filter; the client is told
    /// why.
    pub unrendered: u64,
    /// Not passed by the subscription's filter.
    pub filtered: u64,
    /// Waiting now. This is counted, not calculated from the other figures.
    pub queued: u64,
}

impl Ledger {
    /// Whether everything that was published is accounted for.
    pub fn is_balanced(&self) -> bool {
        let lost = self.discarded + self.unrendered;
        self.published == self.delivered + self.elided + lost + self.filtered + self.queued
    }
}

impl AddAssign for Ledger {
    fn add_assign(&mut self, other: Self) {
        self.published += other.published;
        self.delivered += other.delivered;
        self.elided += other.elided;
        self.discarded += other.discarded;
        self.unrendered += other.unrendered;
        self.filtered += other.filtered;
        self.queued += other.queued;
    }
}
