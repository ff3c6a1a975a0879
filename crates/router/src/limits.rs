//! The router's limits.

/// The router's limits. A lowered limit rejects new items; existing ones stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Topics at a time.
    pub topics: usize,
    /// Connected clients at a time.
    pub clients: usize,
    /// Subscriptions of all clients.
    pub subscriptions: usize,
    /// Subscriptions of one client.
    pub subscriptions_per_client: usize,
    /// Subscriptions of one client that match one topic: each of its messages is rendered so many times.
    /// Newer subscriptions are rejected, sometimes only when a message is published.
    pub overlaps_per_client: usize,
    /// Pairs of a subscription and a topic that it has matched, about 100 bytes each.
    pub matches: usize,
    /// Those of one client, which is disconnected if it has more.
    pub matches_per_client: usize,
    /// Topics whose last value is kept. At this bound and the next, those that were updated least recently
    /// are dropped.
    pub last_values: usize,
    /// Bytes of these values, with about 70 for each.
    pub last_value_bytes: usize,
    /// Bytes in a client's output beyond which messages go to its queue. The output exceeds this by one
    /// message at most, and by control frames.
    pub output_bytes: usize,
    /// The ceiling of memory: towards it last values go, and then what has waited longest.
    pub memory_bytes: usize,
    /// Bytes of a payload.
    pub message_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            topics: 1_000_000,
            clients: 50_000,
            subscriptions: 1_000_000,
            subscriptions_per_client: 500_000,
            overlaps_per_client: 256,
            matches: 5_000_000,
            matches_per_client: 2_000_000,
            last_values: 1_000_000,
            last_value_bytes: 256 << 20,
            output_bytes: 256 << 10,
            memory_bytes: usize::MAX,
            message_bytes: 1 << 20,
        }
    }
}
