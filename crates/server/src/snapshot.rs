//! What is told of a running router: to `/metrics`, `/status` and `trunkline top`.

use serde::{Deserialize, Serialize};
use trunkline_router::Histogram;

use crate::administration::DrainStatus;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotRequest {
    /// The most clients that are listed: those with most lost, then with most waiting.
    pub clients: usize,
    /// The most topics that are listed: those with most messages.
    pub topics: usize,
}

/// A router at one time. It is made between two turns of the loop, a large one in parts, so that
/// clients that come or go meanwhile may be in it or not; the counts of each are of one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Version of the program.
    pub version: String,
    /// Nanoseconds since the router started.
    pub now_ns: u64,
    /// Sums over everything, those that have left included.
    pub totals: Totals,
    /// How long things took.
    #[serde(default)]
    pub latencies: Latencies,
    /// Clients, as many as were asked for.
    pub clients: Vec<ClientStatus>,
    /// Topics, as many as were asked for.
    pub topics: Vec<TopicStatus>,
    /// Guaranteed delivery.
    #[serde(default)]
    pub journal: JournalStatus,
    /// Durable subscriptions, those with most waiting first, as many as clients were asked for.
    #[serde(default)]
    pub durables: Vec<DurableStatus>,
    /// Whether the router drains for maintenance.
    #[serde(default)]
    pub drain: DrainStatus,
}

/// How long things took since the router started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latencies {
    /// From when the loop saw what came to when output that it made was written to a socket, one for each
    /// write. What a socket or a queue had no room for is not in it.
    pub hop: Durations,
    /// How long messages waited in the queues of clients that were behind, from when they were published to when they
    /// were rendered; of conflated ones the newest. What went out at once is not in it.
    #[serde(default)]
    pub queue_wait: Durations,
    /// Turns of the loop in which something happened. Others wait for as long as one lasts.
    pub turn: Durations,
    /// Commits of the journal, from when the disk was told to when it had answered.
    pub commit: Durations,
}

/// Durations, counted by size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durations {
    /// How many there were.
    pub count: u64,
    /// Their sum, in nanoseconds.
    pub sum_ns: u64,
    /// The longest of all, in nanoseconds.
    pub longest_ns: u64,
    /// Those of each size of which there were any, the shortest first.
    pub took: Vec<Took>,
}

/// Durations of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Took {
    /// Nanoseconds that none of them exceeds; they are longer than those of the size before.
    pub at_most_ns: u64,
    /// How many.
    pub count: u64,
}

impl From<&Histogram> for Durations {
    fn from(histogram: &Histogram) -> Self {
        let took: Vec<Took> =
            histogram.counts().map(|(at_most_ns, count)| Took { at_most_ns, count }).collect();
        Self {
            count: took.iter().map(|it| it.count).sum(),
            sum_ns: histogram.sum(),
            longest_ns: histogram.longest(),
            took,
        }
    }
}

impl Durations {
    /// Those since an earlier look at the same router; the longest one is still that of all.
    pub fn since(&self, earlier: &Self) -> Self {
        let before = |at_most_ns| {
            let same = earlier.took.iter().find(|it| it.at_most_ns == at_most_ns);
            same.map_or(0, |it| it.count)
        };
        let took = self
            .took
            .iter()
            .map(|it| Took { count: it.count.saturating_sub(before(it.at_most_ns)), ..*it });
        Self {
            count: self.count.saturating_sub(earlier.count),
            sum_ns: self.sum_ns.saturating_sub(earlier.sum_ns),
            longest_ns: self.longest_ns,
            took: took.filter(|it| it.count > 0).collect(),
        }
    }

    /// Nanoseconds that such a share of them did not exceed, from 0 to 1: at most a quarter too many. 0 if there
    /// are none.
    pub fn percentile(&self, share: f64) -> u64 {
        let rank = ((self.count as f64 * share).ceil() as u64).max(1);
        let mut counted = 0;
        let found = self.took.iter().find(|it| {
            counted += it.count;
            counted >= rank
        });
        found.or(self.took.last()).map_or(0, |it| it.at_most_ns.min(self.longest_ns))
    }
}

/// Guaranteed delivery. Those that end in `_now` go up and down, the others only up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalStatus {
    /// Whether it is on a disk.
    pub is_on_disk: bool,
    /// Position of the last record.
    pub position: u64,
    /// Position up to which everything is on disk; 0 without a disk.
    pub durable: u64,
    /// Bytes of all segments.
    pub bytes_now: u64,
    /// Bytes that wait for the disk.
    pub pending_bytes_now: u64,
    /// Messages that were stored.
    pub stored: u64,
    /// Messages that came again and were not stored again.
    pub repeated: u64,
    /// Messages that were rejected.
    pub rejected: u64,
    /// Messages that consumers acknowledged.
    pub acknowledged: u64,
    /// Writes to the disk that were waited for.
    pub commits: u64,
    /// Why nothing is stored any more, or for now; empty if all is well.
    pub trouble: String,
    /// Whether it has failed, and nothing will be stored before a restart.
    pub has_failed: bool,
}

/// A durable subscription. What it matched is in one of `acknowledged`, `elided`, `expired`, `lost`,
/// `dead_lettered`, `purged`, `filtered`, `in_flight_now` and `waiting_now`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurableStatus {
    /// Its name.
    pub name: String,
    /// Its pattern.
    pub pattern: String,
    /// Consumers that are connected.
    pub consumers_now: u64,
    /// Messages that were delivered and are not acknowledged.
    pub in_flight_now: u64,
    /// Messages that wait, as far as they were looked at.
    pub waiting_now: u64,
    /// Whether more may wait.
    pub is_behind: bool,
    /// Deliveries, also of what had been delivered before.
    pub deliveries: u64,
    /// Messages acknowledged.
    pub acknowledged: u64,
    /// Messages that newer ones of their topic took the place of.
    pub elided: u64,
    /// Messages whose time to live was over.
    pub expired: u64,
    /// Messages that were damaged, over the quota, or not kept.
    pub lost: u64,
    /// Position before which everything is done.
    pub floor: u64,
    /// Ranges of what is done, between messages that are not.
    #[serde(default)]
    pub ranges_now: u64,
    /// Whether these were too many: nothing is delivered until a consumer comes, which gets the oldest first;
    /// `trunkline durable delete` ends it.
    #[serde(default)]
    pub has_stopped: bool,
    /// Whether an administrator paused it.
    #[serde(default)]
    pub is_paused: bool,
    /// Deliveries of what had been delivered before.
    #[serde(default)]
    pub redelivered: u64,
    /// Deliveries that were not acknowledged in time.
    #[serde(default)]
    pub timed_out: u64,
    /// Messages that were delivered as often as may be, and became dead letters.
    #[serde(default)]
    pub dead_lettered: u64,
    /// Messages that an administrator purged, as far as they were counted.
    #[serde(default)]
    pub purged: u64,
    /// Messages that were not what its consumers wanted, by their filter.
    #[serde(default)]
    pub filtered: u64,
    /// The time to acknowledge a message, in nanoseconds; 0 is no bound.
    #[serde(default)]
    pub acknowledge_within_ns: u64,
    /// The most deliveries of a message; 0 is no bound.
    #[serde(default)]
    pub deliveries_limit: u64,
    /// The topic of dead letters, if there is that bound.
    #[serde(default)]
    pub dead_letters: String,
}

/// Sums. Those that end in `_now` go up and down, the others only up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Clients that are connected.
    pub clients_now: u64,
    /// Topics that are known.
    pub topics_now: u64,
    /// Subscriptions that are made.
    pub subscriptions_now: u64,
    /// Pairs of a subscription and a topic that it has matched.
    pub matches_now: u64,
    /// Bytes in queues; the ledger counts their messages.
    pub queued_bytes_now: u64,
    /// Bytes of memory of all kinds.
    #[serde(default)]
    pub memory: MemoryStatus,
    /// Connections that were accepted.
    pub connections: u64,
    /// TLS handshakes of programs and pages that have failed.
    #[serde(default)]
    pub handshakes_failed: u64,
    /// Bytes that came.
    pub received_bytes: u64,
    /// Bytes that were sent.
    pub sent_bytes: u64,
    /// Messages that clients published, requests included.
    pub messages: u64,
    /// Requests among them.
    pub requests: u64,
    /// Replies.
    pub replies: u64,
    /// Commands that were rejected.
    pub rejections: u64,
    /// Gaps that clients were told of.
    pub gaps: u64,
    /// Turns of the loop.
    pub turns: u64,
    /// Last values.
    #[serde(default)]
    pub last_values: LastValueCounts,
    /// Renditions of messages, by format.
    #[serde(default)]
    pub renditions: Vec<RenditionStatus>,
    /// Messages converted into formats that subscribers want, by format.
    #[serde(default)]
    pub conversions: Vec<ConversionStatus>,
    /// Messages that were held against filters.
    #[serde(default)]
    pub filters: FilterStatus,
    /// What became of messages, over all subscriptions.
    pub ledger: Counts,
    /// The part of `ledger.discarded` that waited for clients when they left. The rest was lost by full
    /// queues, or waited for a subscription that ended.
    pub discarded_with_client: u64,
    /// The part of `ledger.discarded` that was lost because memory was short.
    #[serde(default)]
    pub discarded_for_memory: u64,
}

/// Renditions: messages in the format of some clients, made once for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenditionStatus {
    /// The format: `json`.
    pub format: String,
    /// How many were made.
    pub made: u64,
    /// Deliveries that found one made.
    pub shared: u64,
}

/// Conversions: messages in another format than the one in which they were published, made once for all who want it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversionStatus {
    /// The format: `fix`.
    pub format: String,
    /// How many were made.
    pub made: u64,
    /// Deliveries besides those that they were made for.
    pub shared: u64,
    /// Messages that have no form in it.
    pub failed: u64,
    /// Conversions that clients wait for.
    pub pending_now: u64,
}

/// Messages that were held against filters, each once for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterStatus {
    /// How many.
    pub decided: u64,
    /// Those among them that could not be read by their schema.
    pub failed: u64,
    /// Messages that wait for it.
    pub pending_now: u64,
}

/// Bytes of memory by what takes them. All together stay below the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryStatus {
    /// What waits for clients, each message once, and what is kept for more.
    pub waiting_now: u64,
    /// What is rendered and not sent.
    pub outputs_now: u64,
    /// Topics, patterns, subscriptions, matches and clients, about.
    pub tables_now: u64,
    /// Last values, about.
    pub last_values_now: u64,
    /// The journal's newest records, and frames that have come in part.
    pub others_now: u64,
    /// `limits.memory_bytes`; 0 if there is none.
    pub limit: u64,
}

impl MemoryStatus {
    /// All of it.
    pub fn all(&self) -> u64 {
        let of_router = self.waiting_now + self.outputs_now + self.tables_now;
        of_router + self.last_values_now + self.others_now
    }
}

/// What is kept of last values, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastValueCounts {
    /// Values that are kept.
    pub values_now: u64,
    /// Their bytes, with about 70 for each.
    pub bytes_now: u64,
    /// Values offered to new subscriptions; the ledger counts them as published.
    pub offered: u64,
    /// Values that made room for others (`limits.last_values`, `limits.last_value_bytes`, `limits.topics`).
    pub dropped: u64,
}

/// A ledger: published = delivered + elided + discarded + unrendered + filtered + queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Matched by a subscription.
    pub published: u64,
    /// Handed to the connection.
    pub delivered: u64,
    /// Replaced by a newer one, as the subscription asked.
    pub elided: u64,
    /// Lost.
    pub discarded: u64,
    /// Not to be had in the format that the subscription wants, or not to be held against its filter.
    #[serde(default)]
    pub unrendered: u64,
    /// Not passed by the subscription's filter.
    #[serde(default)]
    pub filtered: u64,
    /// Waiting now.
    pub queued: u64,
}

/// A client.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientStatus {
    /// The router's number for it; never used again.
    pub id: u64,
    /// As it calls itself.
    pub name: String,
    /// Where it is.
    pub address: String,
    /// Transport, envelope, encoding, vocabulary and compression, such as `tcp/native/opaque`.
    pub profile: String,
    /// Nanoseconds since it connected.
    pub connected_ns: u64,
    /// Its subscriptions.
    pub subscriptions: u64,
    /// Messages that it published.
    pub messages: u64,
    /// Bytes that came from it.
    pub received_bytes: u64,
    /// Bytes that were sent to it.
    pub sent_bytes: u64,
    /// What became of messages for it.
    pub ledger: Counts,
    /// Bytes in its queue.
    pub queued_bytes: u64,
    /// Nanoseconds that the oldest message in its queue has waited; 0 where none waits.
    pub oldest_ns: u64,
    /// Gaps that it was told of.
    pub gaps: u64,
    /// It tells which conflated messages it has taken.
    #[serde(default)]
    pub has_credit: bool,
    /// Of such a client: conflated messages that were sent and not taken.
    #[serde(default)]
    pub under_way: u64,
    /// Bytes between the router and the client, at least: what the client's system and the client itself
    /// have taken in cannot be seen. Of a Unix socket nothing is known.
    #[serde(default)]
    pub under_way_bytes_at_least: u64,
}

/// A topic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TopicStatus {
    /// Its name.
    pub name: String,
    /// Messages that were published to it.
    pub messages: u64,
    /// Subscriptions that match it.
    pub subscriptions: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_adds_up() {
        let mut histogram = Histogram::default();
        [100, 1_000, 1_000, u64::MAX / 2].into_iter().for_each(|it| histogram.record(it));
        let told = Durations::from(&histogram);
        assert_eq!((told.count, told.sum_ns), (4, u64::MAX / 2 + 2_100));
        assert_eq!(
            [0.0, 0.5, 0.75, 1.0].map(|it| told.percentile(it)),
            [256, 1_024, 1_024, u64::MAX / 2]
        );
    }
}
