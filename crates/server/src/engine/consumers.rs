//! How many durable subscriptions and replays clients consume.

use super::ConnectionId;

/// Counts of consumers. They are always right: a client that deletes a durable subscription ends
/// the consumers of others too.
#[derive(Debug, Default)]
pub(crate) struct Consumers {
    /// By the index of the client.
    of_client: Vec<u32>,
    all: usize,
}

impl Consumers {
    #[inline]
    pub(crate) fn of(&self, client: ConnectionId) -> u32 {
        self.of_client.get(client.index as usize).copied().unwrap_or(0)
    }

    /// Of all clients.
    #[inline]
    pub(crate) fn all(&self) -> usize {
        self.all
    }

    pub(crate) fn begin(&mut self, client: ConnectionId) {
        let place = client.index as usize;
        if place >= self.of_client.len() {
            self.of_client.resize(place + 1, 0);
        }
        self.of_client[place] += 1;
        self.all += 1;
    }

    pub(crate) fn end(&mut self, client: ConnectionId) {
        if let Some(count) = self.of_client.get_mut(client.index as usize)
            && *count > 0
        {
            *count -= 1;
            self.all -= 1;
        }
    }

    /// The client is gone, and all of its consumers.
    pub(crate) fn end_all(&mut self, client: ConnectionId) {
        if let Some(count) = self.of_client.get_mut(client.index as usize) {
            self.all -= std::mem::take(count) as usize;
        }
    }
}
