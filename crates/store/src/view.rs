//! Read-only views, for lists that are made some items at a time.

use crate::consumer::Consumer;
use crate::durable::Durable;
use crate::producer::ProducerId;
use crate::store::{DurableView, Store};

/// A read-only view of a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducerView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Sequence of its last stored message; 0 if there is none.
    pub last: u64,
    /// The position of that.
    pub position: u64,
    /// When it last stored something, or took up its name: nanoseconds since 1970.
    pub used: u64,
    /// Stored messages that are not acknowledged to it.
    pub unacknowledged: usize,
    /// The connected client that uses it.
    pub client: Option<u64>,
}

/// A read-only view of a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsumerView<'a> {
    /// Its client.
    pub client: u64,
    /// The client's number for it.
    pub subscription: u32,
    /// The name of the durable subscription; empty for a replay.
    pub durable: &'a str,
    /// Its pattern.
    pub pattern: &'a str,
    /// Whether it is a replay.
    pub is_replay: bool,
    /// Whether newer messages replace waiting ones.
    pub is_conflated: bool,
}

impl Durable {
    fn view(&self, end: u64) -> DurableView<'_> {
        DurableView {
            name: &self.name,
            pattern: &self.pattern,
            consumers: self.consumers.len(),
            floor: self.floor(end),
            ranges: self.ranges(),
            has_stopped: self.has_stopped,
            is_paused: self.is_paused,
            policy: &self.policy,
            account: self.account(),
        }
    }
}

impl Store {
    /// All durable subscriptions.
    pub fn durables(&self) -> impl Iterator<Item = DurableView<'_>> {
        self.durables_from(0).map(|(_, it)| it)
    }

    /// The durable subscriptions with this number or a higher one, in the order of their numbers.
    pub fn durables_from(&self, number: u32) -> impl Iterator<Item = (u32, DurableView<'_>)> {
        let end = self.journal.last() + 1;
        let durables = self.durables.range(number..).filter(|(_, it)| !it.is_replay());
        durables.map(move |(number, it)| (*number, it.view(end)))
    }

    /// The producers with this number or a higher one, in the order of their numbers.
    pub fn producers_from(&self, number: u32) -> impl Iterator<Item = (u32, ProducerView<'_>)> {
        self.producers.from(number).map(|(number, it)| {
            let view = ProducerView {
                name: &it.name,
                last: it.last,
                position: it.position,
                used: it.used,
                unacknowledged: it.unacknowledged.len(),
                client: self.producer_client.get(&number).copied(),
            };
            (number, view)
        })
    }

    /// The consumers with this number or a higher one, in the order of their numbers.
    pub fn consumers_from(&self, number: u32) -> impl Iterator<Item = (u32, ConsumerView<'_>)> {
        let all = self.consumers.range(number..);
        all.filter_map(|(number, it)| Some((*number, self.consumer_view(it)?)))
    }

    pub(crate) fn consumer_view(&self, it: &Consumer) -> Option<ConsumerView<'_>> {
        let durable = self.durables.get(&it.durable)?;
        Some(ConsumerView {
            client: it.client,
            subscription: it.subscription,
            durable: &durable.name,
            pattern: &durable.pattern,
            is_replay: durable.is_replay(),
            is_conflated: durable.conflated.is_some(),
        })
    }

    /// The name of a producer, while no other connection has taken it over.
    pub fn name_of_producer(&self, producer: ProducerId) -> Option<&str> {
        self.producers.name_of(producer)
    }
}
