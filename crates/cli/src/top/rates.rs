//! What happened between two looks.

use std::collections::HashMap;

use trunkline_server::snapshot::{ClientStatus, Latencies, Snapshot, TopicStatus};

/// Two looks at one router.
pub(super) struct Rates<'a> {
    seconds: f64,
    earlier: Option<&'a Snapshot>,
    clients: HashMap<u64, &'a ClientStatus>,
    topics: HashMap<&'a str, &'a TopicStatus>,
}

/// What became of one client's messages, a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClientRates {
    /// Messages that it published.
    pub(super) published: f64,
    /// Messages that it got.
    pub(super) delivered: f64,
    /// Messages replaced by newer ones.
    pub(super) elided: f64,
}

impl<'a> Rates<'a> {
    pub(super) fn new(earlier: &'a Snapshot, later: &'a Snapshot) -> Self {
        // A router that started again meanwhile counts from zero.
        let earlier = Some(earlier).filter(|earlier| earlier.now_ns < later.now_ns);
        let since = earlier.map_or(0, |earlier| earlier.now_ns);
        let clients = earlier.map_or(&[][..], |earlier| &earlier.clients);
        let topics = earlier.map_or(&[][..], |earlier| &earlier.topics);
        Self {
            seconds: (later.now_ns - since) as f64 / 1e9,
            earlier,
            clients: clients.iter().map(|client| (client.id, client)).collect(),
            topics: topics.iter().map(|topic| (&*topic.name, topic)).collect(),
        }
    }

    /// A count of the whole router, a second.
    pub(super) fn of(&self, later: &Snapshot, count: impl Fn(&Snapshot) -> u64) -> f64 {
        self.per_second(count(later), self.earlier.map_or(0, count))
    }

    /// How long things took between the looks.
    pub(super) fn latencies(&self, later: &Latencies) -> Latencies {
        let none = Latencies::default();
        let earlier = self.earlier.map_or(&none, |it| &it.latencies);
        Latencies {
            hop: later.hop.since(&earlier.hop),
            queue_wait: later.queue_wait.since(&earlier.queue_wait),
            turn: later.turn.since(&earlier.turn),
            commit: later.commit.since(&earlier.commit),
        }
    }

    /// Those of a client. One that came meanwhile is counted from its beginning.
    pub(super) fn of_client(&self, later: &ClientStatus) -> ClientRates {
        let earlier = self.clients.get(&later.id);
        let rate = |count: fn(&ClientStatus) -> u64| {
            self.per_second(count(later), earlier.map_or(0, |it| count(it)))
        };
        ClientRates {
            published: rate(|it| it.messages),
            delivered: rate(|it| it.ledger.delivered),
            elided: rate(|it| it.ledger.elided),
        }
    }

    /// Messages a second of a topic; None where the earlier look did not list it.
    pub(super) fn of_topic(&self, later: &TopicStatus) -> Option<f64> {
        let earlier = self.topics.get(&*later.name)?;
        Some(self.per_second(later.messages, earlier.messages))
    }

    fn per_second(&self, later: u64, earlier: u64) -> f64 {
        if self.seconds > 0.0 { later.saturating_sub(earlier) as f64 / self.seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(now_ns: u64, messages: u64) -> Snapshot {
        let client = ClientStatus { id: 7, messages, ..ClientStatus::default() };
        let topic = TopicStatus { name: "a".into(), messages, subscriptions: 1 };
        let mut snapshot = Snapshot { now_ns, ..Snapshot::default() };
        snapshot.clients.push(client);
        snapshot.topics.push(topic);
        snapshot.totals.messages = messages;
        snapshot
    }

    #[test]
    fn rates_are_over_the_routers_own_time() {
        let (earlier, later) = (snapshot(1_000_000_000, 100), snapshot(3_000_000_000, 500));
        let rates = Rates::new(&earlier, &later);
        assert_eq!(rates.of(&later, |it| it.totals.messages), 200.0);
        assert_eq!(rates.of_client(&later.clients[0]).published, 200.0);
        assert_eq!(rates.of_topic(&later.topics[0]), Some(200.0));
    }

    #[test]
    fn a_router_that_started_again_counts_from_zero() {
        let (earlier, later) = (snapshot(9_000_000_000, 1_000), snapshot(2_000_000_000, 500));
        let rates = Rates::new(&earlier, &later);
        assert_eq!(rates.of(&later, |it| it.totals.messages), 250.0);
        assert_eq!(rates.of_client(&later.clients[0]).published, 250.0);
        assert_eq!(rates.of_topic(&later.topics[0]), None);
    }

    #[test]
    fn two_looks_at_one_moment_have_no_rates() {
        let now = snapshot(0, 5);
        assert_eq!(Rates::new(&now, &now).of(&now, |it| it.totals.messages), 0.0);
    }
}
