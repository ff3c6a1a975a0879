//! What the router keeps at most.

/// What the router keeps at most. A limit that is lowered refuses what is new; what is there stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Topics that are known at a time.
    pub topics: usize,
    /// Clients that are connected at a time.
    pub clients: usize,
    /// Subscriptions of all clients.
    pub subscriptions: usize,
    /// Subscriptions of one client.
    pub subscriptions_per_client: usize,
    /// Subscriptions of one client that match one topic: each message of it is rendered so many times. Newer
    /// ones are refused, which may come out only when a message is published.
    pub overlaps_per_client: usize,
    /// Pairs of a subscription and a topic that it has matched, about 100 bytes each.
    pub matches: usize,
    /// Those of one client, which is disconnected when it has more.
    pub matches_per_client: usize,
    /// Bytes that wait in a client's output before messages go to its queue instead. The output
    /// passes this by one message at most, and by control frames.
    pub output_bytes: usize,
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
            output_bytes: 256 << 10,
            message_bytes: 1 << 20,
        }
    }
}
