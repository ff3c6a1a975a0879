//! A reference model of guaranteed delivery: what producers and consumers were told, and what follows from it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::PowerCounts;
use crate::report::{Checked, ensure, violation};

/// A message as its producer knows it. Numbers are never used twice.
pub(crate) const PAYLOAD: usize = 24;

/// The payload of a message: who published it, its number, and a sum of both.
pub(crate) fn payload(producer: u64, number: u64) -> [u8; PAYLOAD] {
    let mut bytes = [0; PAYLOAD];
    let sum = (producer ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for (place, value) in bytes.chunks_exact_mut(8).zip([producer, number, sum]) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

fn read(bytes: &[u8]) -> Option<(u64, u64)> {
    let value = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    let is_right = bytes.len() == PAYLOAD && bytes[..] == payload(value(0), value(8));
    is_right.then(|| (value(0), value(8)))
}

/// The messages in bytes that are written to a journal.
pub(crate) fn messages_in(bytes: &[u8]) -> Vec<(u64, u64)> {
    bytes.windows(PAYLOAD).filter_map(read).collect()
}

/// A delivery as a consumer saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeenDelivery<'a> {
    pub(crate) durable: usize,
    /// The consumer that saw it, and a time before which it was not delivered.
    pub(crate) consumer: u64,
    pub(crate) since: u64,
    pub(crate) position: u64,
    pub(crate) is_repeated: bool,
    pub(crate) is_unconfirmed: bool,
    pub(crate) topic: &'a str,
    pub(crate) payload: &'a [u8],
}

/// What is known of a message.
#[derive(Debug, Default)]
struct Message {
    topic: String,
    /// The durable subscriptions that were active when it was first sent, one bit each.
    active_durables: u64,
    is_stored: bool,
    /// Of a delivery that said nothing of being unconfirmed.
    position: Option<u64>,
}

#[derive(Debug, Default)]
struct Durable {
    is_active: bool,
    /// It gets every message.
    is_whole: bool,
    /// It gets the newest of each topic.
    is_conflated: bool,
    /// Messages that were delivered.
    seen: BTreeSet<(u64, u64)>,
    /// Messages whose acknowledgement is kept: which consumer was told first, and when.
    done: BTreeMap<(u64, u64), (u64, u64)>,
    /// Messages that may come again although they were acknowledged, since the subscription was moved.
    moved: BTreeSet<(u64, u64)>,
    /// If it is conflated: position of the newest message of each topic.
    newest: BTreeMap<String, u64>,
}

pub(crate) struct Model {
    names: Vec<String>,
    messages: HashMap<(u64, u64), Message>,
    durables: Vec<Durable>,
    /// Which message a position stands for.
    positions: HashMap<u64, (u64, u64)>,
    /// The position of the dead letter of a message.
    letters: HashMap<(u64, u64), u64>,
    pub(crate) flips: u64,
}

impl Model {
    pub(crate) fn new(durables: usize) -> Self {
        Self {
            names: (0..durables).map(|number| format!("durable-{number}")).collect(),
            messages: HashMap::new(),
            durables: (0..durables).map(|_| Durable::default()).collect(),
            positions: HashMap::new(),
            letters: HashMap::new(),
            flips: 0,
        }
    }

    pub(crate) fn durables(&self) -> &[String] {
        &self.names
    }

    /// A durable subscription is confirmed: one that gets every message, or the newest of each topic.
    pub(crate) fn subscribed(&mut self, durable: usize, is_whole: bool, is_conflated: bool) {
        let it = &mut self.durables[durable];
        (it.is_active, it.is_whole, it.is_conflated) = (true, is_whole, is_conflated);
    }

    /// A producer sends a message for the first time.
    pub(crate) fn sent(&mut self, producer: u64, number: u64, topic: &str) {
        let active = self.durables.iter().enumerate().filter(|(_, it)| it.is_active);
        let active_durables = active.fold(0, |bits, (at, _)| bits | 1 << at);
        let message = Message { topic: topic.to_owned(), active_durables, ..Message::default() };
        self.messages.insert((producer, number), message);
    }

    /// A producer is told that a message is stored.
    pub(crate) fn stored(&mut self, producer: u64, number: u64) {
        if let Some(message) = self.messages.get_mut(&(producer, number)) {
            message.is_stored = true;
        }
    }

    /// A consumer gets a message; gives which.
    pub(crate) fn delivered(
        &mut self,
        seen: &SeenDelivery<'_>,
    ) -> Result<(u64, u64), super::Violation> {
        let Some(id) = read(seen.payload) else {
            return violation("acknowledged", format!("altered: {:?}", seen.payload));
        };
        let Some(message) = self.messages.get_mut(&id) else {
            return violation("acknowledged", format!("{id:?} was never sent"));
        };
        ensure(message.topic == seen.topic, "acknowledged", || {
            format!("{id:?} on {}", seen.topic)
        })?;
        let named = *self.positions.entry(seen.position).or_insert(id);
        ensure(named == id, "positions", || {
            format!("position {} is that of {named:?} and of {id:?}", seen.position)
        })?;
        if !seen.is_unconfirmed {
            let position = *message.position.get_or_insert(seen.position);
            ensure(position == seen.position, "confirmed", || {
                format!("{id:?} was durable at {position}, and is at {}", seen.position)
            })?;
        }
        let durable = &mut self.durables[seen.durable];
        // When it was acknowledged late, it may have been on its way to another consumer.
        let told = durable.done.get(&id);
        let is_done =
            told.is_some_and(|(consumer, at)| *consumer == seen.consumer || *at <= seen.since);
        ensure(!is_done, "done", || format!("{id:?} comes again at {}", seen.position))?;
        let is_first = durable.seen.insert(id);
        ensure(is_first || seen.is_repeated, "flags", || {
            format!("{id:?} comes again at {} and does not say so", seen.position)
        })?;
        Ok(id)
    }

    /// A consumer of a conflated subscription gets a message.
    pub(crate) fn updated(&mut self, seen: &SeenDelivery<'_>) -> Checked {
        let newest = self.durables[seen.durable].newest.entry(seen.topic.to_owned()).or_default();
        let is_in_order = seen.position >= *newest;
        ensure(is_in_order, "conflation", || {
            format!("{} of {} comes after {newest}", seen.position, seen.topic)
        })?;
        *newest = seen.position;
        Ok(())
    }

    /// Every conflated subscription that stood has the newest of each topic.
    fn check_newest(&self) -> Checked {
        let conflated = self.durables.iter().enumerate().filter(|(_, it)| it.is_conflated);
        for (at, durable) in conflated {
            let mut last: BTreeMap<&str, u64> = BTreeMap::new();
            let meant = |it: &&Message| it.is_stored && it.active_durables & 1 << at != 0;
            for message in self.messages.values().filter(meant) {
                let newest = last.entry(&message.topic).or_default();
                *newest = (*newest).max(message.position.unwrap_or(0));
            }
            for (topic, last) in last.iter().filter(|(topic, _)| topic.starts_with("orders")) {
                let has = durable.newest.get(*topic).copied().unwrap_or(0);
                let is_newest = has >= *last || self.flips > 0;
                ensure(is_newest, "conflation", || {
                    format!("the newest of {topic} is at {last}, and {has} came last")
                })?;
            }
        }
        Ok(())
    }

    /// A consumer is told, at a time, that its acknowledgement of a message is kept; whether nobody was before.
    pub(crate) fn done(&mut self, durable: usize, id: (u64, u64), told: (u64, u64)) -> bool {
        let durable = &mut self.durables[durable];
        if durable.moved.contains(&id) || durable.done.contains_key(&id) {
            return false;
        }
        durable.done.insert(id, told);
        true
    }

    /// A subscription is purged, or will be: it may lack what was sent so far.
    pub(crate) fn purged(&mut self, durable: usize) {
        for message in self.messages.values_mut() {
            message.active_durables &= !(1 << durable);
        }
    }

    /// A subscription is moved to the beginning, or will be: what it has may come again.
    pub(crate) fn moved(&mut self, durable: usize) {
        let all = self.messages.keys().copied();
        self.durables[durable].moved.extend(all);
        self.durables[durable].done.clear();
    }

    /// A consumer gets a dead letter, before the payload of which lines say what it was. Which message it
    /// replaces.
    pub(crate) fn dead_letter(
        &mut self,
        position: u64,
        letter: &[u8],
    ) -> Result<(u64, u64), super::Violation> {
        let (head, payload) = letter.split_at(letter.len().saturating_sub(PAYLOAD));
        let Some(id) = read(payload).filter(|id| self.messages.contains_key(id)) else {
            return violation("dead letters", format!("altered: {letter:?}"));
        };
        let head = String::from_utf8_lossy(head);
        let topic = format!("topic: {}\n", self.messages[&id].topic);
        ensure(
            head.contains(&topic)
                && ["2", "3"].iter().any(|it| head.contains(&format!("deliveries: {it}\n"))),
            "dead letters",
            || format!("{id:?} is said to be {head:?}"),
        )?;
        let first = *self.letters.entry(id).or_insert(position);
        let may_return = self.durables[0].moved.contains(&id);
        ensure(first == position || may_return, "dead letters", || {
            format!("{id:?} has one at {first} and one at {position}")
        })?;
        Ok(id)
    }

    /// The number of messages that became dead letters.
    pub(crate) fn letters(&self) -> u64 {
        self.letters.len() as u64
    }

    /// Everything that was acknowledged was delivered.
    pub(crate) fn finish(&self, counts: &mut PowerCounts) -> Checked {
        self.check_newest()?;
        let mut missing = Vec::new();
        for (id, message) in self.messages.iter().filter(|(_, it)| it.is_stored) {
            for (at, durable) in self.durables.iter().enumerate().filter(|(_, it)| it.is_whole) {
                if message.active_durables & 1 << at != 0 && !durable.seen.contains(id) {
                    missing.push((*id, at));
                }
            }
        }
        let messages: BTreeSet<_> = missing.iter().map(|(id, _)| *id).collect();
        counts.damaged += messages.len() as u64;
        counts.dead_letters += self.letters();
        missing.sort_unstable();
        let checker = if self.flips == 0 { "acknowledged" } else { "damage" };
        ensure(messages.len() as u64 <= self.flips, checker, || {
            let some = &missing[..missing.len().min(5)];
            format!(
                "{} were acknowledged and not delivered, with {} flips: {some:?}",
                missing.len(),
                self.flips
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_on_its_way_is_not_delivered_again() {
        let mut model = Model::new(1);
        model.subscribed(0, true, false);
        model.sent(1, 7, "orders/1");
        let payload = payload(1, 7);
        let seen = |consumer, since, is_repeated| SeenDelivery {
            durable: 0,
            consumer,
            since,
            position: 5,
            is_repeated,
            is_unconfirmed: false,
            topic: "orders/1",
            payload: &payload,
        };
        assert!(model.delivered(&seen(0, 10, false)).is_ok());
        assert!(model.done(0, (1, 7), (0, 30)));
        assert!(model.delivered(&seen(1, 29, true)).is_ok(), "it was on its way");
        assert!(model.delivered(&seen(1, 30, true)).is_err(), "it was delivered later");
        assert!(model.delivered(&seen(0, 29, true)).is_err(), "it comes behind the answer");
    }
}
