//! Who gets the messages of a topic, and which subscriptions are too many.

use std::collections::BTreeMap;

use trunkline_router::{ClientId, SubscriptionOptions, check_pattern};

use super::{Model, Subscription};

/// Whether a pattern matches a topic, level by level.
fn matches(pattern: &str, topic: &str) -> bool {
    let (mut patterns, mut levels) = (pattern.split('/'), topic.split('/'));
    loop {
        match (patterns.next(), levels.next()) {
            (None, None) => return true,
            (Some(">"), Some(_)) => return true,
            (Some(pattern), Some(level)) => match pattern.strip_suffix('*') {
                Some(prefix) if level.starts_with(prefix) => {}
                None if level == pattern => {}
                _ => return false,
            },
            _ => return false,
        }
    }
}

impl Model {
    pub(crate) fn subscribe(
        &mut self,
        id: ClientId,
        number: u32,
        pattern: &str,
        options: &SubscriptionOptions,
    ) -> bool {
        check_pattern(pattern).expect("patterns of the test are good");
        let place = self.place(id);
        let mut there = self.subscriptions.iter().flatten();
        let is_there = there.any(|it| it.client == id && it.number == number);
        if is_there || self.clients[place].closing.is_some() {
            return false;
        }
        let own =
            self.subscriptions.iter().flatten().filter(|it| it.client == id && !it.is_rejected);
        if own.clone().filter(|it| it.pattern == pattern).count() >= self.overlaps {
            return false;
        }
        // A name's topic is known; what matches a pattern is settled by the next messages.
        let named = self.topics.iter().position(|topic| topic.name == pattern);
        let settled = named.filter(|topic| self.topics[*topic].epoch == self.epoch);
        if settled.is_some_and(|topic| {
            own.filter(|it| it.topics.contains(&topic)).count() >= self.overlaps
        }) {
            return false;
        }
        self.epoch += u64::from(named.is_none());
        self.last_serial += 1;
        let interval = options.updates_per_second.map(|updates| u64::from(updates.get()));
        let subscription = Subscription {
            serial: self.last_serial,
            is_rejected: false,
            topics: settled.into_iter().collect(),
            client: id,
            number,
            pattern: pattern.to_owned(),
            conflates: options.conflate || interval.is_some(),
            interval: interval.map(|updates| 1_000_000_000_u64.div_ceil(updates)),
            order: Vec::new(),
            matches: BTreeMap::new(),
        };
        match self.free.pop() {
            Some(slot) => self.subscriptions[slot] = Some(subscription),
            None => self.subscriptions.push(Some(subscription)),
        }
        true
    }

    pub(crate) fn unsubscribe(&mut self, now: u64, id: ClientId, number: u32) -> bool {
        let slot = self.subscriptions.iter().position(|subscription| {
            subscription.as_ref().is_some_and(|it| it.client == id && it.number == number)
        });
        let Some(slot) = slot else { return false };
        self.end(slot);
        let place = self.place(id);
        self.refill(now, place);
        true
    }

    /// Who gets the messages of a topic: of each client those that do already, and the oldest of the others,
    /// as many as may be. The others are rejected.
    pub(super) fn settle(&mut self, topic: usize) {
        if self.topics[topic].epoch == self.epoch {
            return;
        }
        self.topics[topic].epoch = self.epoch;
        let name = &self.topics[topic].name;
        let all = self.subscriptions.iter_mut().flatten();
        let mut found: Vec<&mut Subscription> =
            all.filter(|it| !it.is_rejected && matches(&it.pattern, name)).collect();
        found.sort_by_key(|it| (it.client.index, it.serial));
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for it in found {
            let count = counts.entry(it.client.index).or_default();
            *count += 1;
            if *count <= self.overlaps {
                it.topics.insert(topic);
            } else if !it.topics.contains(&topic) {
                it.is_rejected = true;
                self.rejected.push(it.serial);
            }
        }
    }

    /// Ends those that are rejected, in the order in which they were.
    pub(super) fn end_rejected(&mut self, now: u64) {
        for serial in std::mem::take(&mut self.rejected) {
            let is_it =
                |it: &Option<Subscription>| it.as_ref().is_some_and(|it| it.serial == serial);
            let Some(slot) = self.subscriptions.iter().position(is_it) else { continue };
            let ended = self.subscriptions[slot].as_ref().expect("it is there");
            let (id, number) = (ended.client, ended.number);
            self.end(slot);
            let place = self.place(id);
            self.refill(now, place);
            self.told.push((id, number));
        }
    }

    /// Clients and their numbers for subscriptions that were ended since this was asked last.
    pub(crate) fn told(&mut self) -> Vec<(ClientId, u32)> {
        std::mem::take(&mut self.told)
    }
}
