//! Dead letters: messages that were delivered as often as may be go to another topic, and are done.
//!
//! The record of a dead letter says which message of which durable subscription it replaces. So there is one
//! record that does both, and whatever dies in between, the message is in one of the two places. It is a
//! message of its topic as any other, and is never made a dead letter again: subscriptions whose dead letters
//! go to one another do not go on for ever.
//!
//! Before its payload it says what it was, in lines of text, and ends that with an empty line:
//!
//! ```text
//!   durable: gateway
//!   topic: orders/new
//!   position: 57
//!   time: 1700000000000000000
//!   deliveries: 5
//!   reason: timed out
//!   format: 5
//!   producer: desk-7
//!   sequence: 12
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use trunkline_journal::{Lookup, Record};

use crate::body::{Replaced, StoredMessage, kind};
use crate::durable::{Durable, Ended, Entry, InFlight, LossReason};
use crate::event_sink::{ClockReading, EventSink, Rejected};
use crate::settings::Level;
use crate::store::Store;

/// The payload format of a dead letter.
pub const DEAD_LETTER_FORMAT: u16 = 13;

/// Dead letters that are stored before others have their turn.
const SLICE: usize = 64;

/// How long those without room wait; nanoseconds.
const RETRY: u64 = 1_000_000_000;

/// What became of one.
enum Outcome {
    /// It is stored, or need not be.
    Done,
    /// Not before this time, or before the disk has done something.
    Wait(u64),
}

impl Store {
    /// Takes the next message of a subscription out of its line: it becomes a dead letter.
    pub(crate) fn set_aside(
        &mut self,
        number: u32,
        (entry, is_again, replaced): (&Entry, bool, u64),
        now: u64,
    ) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        durable.take(is_again, now, true);
        let (consumer, due, is_waiting) = (None, None, false);
        let flight = InFlight { entry: *entry, consumer, since: now, due, is_waiting, replaced };
        durable.in_flight.insert(entry.position, flight);
        self.exhausted.push_back((number, entry.position));
        self.exhausted_at = self.exhausted_at.min(now);
    }

    /// Stores dead letters: a slice, and no more than there is room for.
    pub(crate) fn store_dead_letters(&mut self, at: ClockReading, sink: &mut impl EventSink) {
        if self.exhausted.is_empty() {
            return self.end_lack_of_room();
        }
        if at.now < self.exhausted_at {
            return;
        }
        self.exhausted_at = 0;
        for _ in 0..SLICE {
            let Some((number, position)) = self.exhausted.front().copied() else {
                return self.end_lack_of_room();
            };
            match self.store_dead_letter(at, (number, position), sink) {
                Outcome::Done => _ = self.exhausted.pop_front(),
                Outcome::Wait(until) => {
                    self.exhausted_at = until;
                    return;
                }
            }
        }
    }

    /// All dead letters are stored. What the journal took for them beyond its limit is not for other messages: later letters would
    /// find nothing left, and what they hold would never be free.
    fn end_lack_of_room(&mut self) {
        let (bytes, excess) = (self.journal.bytes(), self.journal.excess());
        self.lacks_room_for_letters.take_if(|before| excess == 0 || bytes <= *before);
    }

    fn store_dead_letter(
        &mut self,
        at: ClockReading,
        (number, position): (u32, u64),
        sink: &mut impl EventSink,
    ) -> Outcome {
        // It may have been acknowledged late, or purged.
        let Some(durable) = self.durables.get(&number) else { return Outcome::Done };
        let flight = durable.in_flight.get(&position);
        let flight = flight.filter(|it| it.consumer.is_none() && it.due.is_none());
        let Some(entry) = flight.map(|it| it.entry) else { return Outcome::Done };
        // The policy may be another one since.
        let Some(letters) = durable.policy.dead_letters.clone() else {
            return self.take_back_exhausted((number, position), entry, at);
        };
        let reason = match self.journal.at(entry.at) {
            Lookup::Record { record, .. } if record.position == position => {
                match self.letter(durable, &entry, &record) {
                    Some(letter) => {
                        let letter = Letter { topic: letters.topic, ..letter };
                        return self.append_dead_letter(at, (number, position), &letter, sink);
                    }
                    None => LossReason::Damaged,
                }
            }
            Lookup::Elsewhere { bytes } => {
                self.journal.fetch(entry.at, bytes);
                return Outcome::Wait(u64::MAX);
            }
            Lookup::Gone { .. } => LossReason::Gone,
            _ => LossReason::Damaged,
        };
        let end = self.journal.last() + 1;
        if let Some(durable) = self.durables.get_mut(&number) {
            durable.land(position);
            durable.lose(reason, position, position, 1);
            durable.finish(position, end);
        }
        self.log_soon(number, at.now);
        self.add_work(number);
        Outcome::Done
    }

    /// A message that does not become a dead letter after all waits again.
    fn take_back_exhausted(
        &mut self,
        (number, position): (u32, u64),
        entry: Entry,
        at: ClockReading,
    ) -> Outcome {
        if let Some(durable) = self.durables.get_mut(&number)
            && let Some(flight) = durable.land(position)
        {
            durable.give_back(&InFlight { entry, ..flight }, at.now, 0);
        }
        self.add_work(number);
        Outcome::Done
    }

    /// The dead letter for a message, without its topic; `None` if the record has no message.
    fn letter(&self, durable: &Durable, entry: &Entry, record: &Record<'_>) -> Option<Letter> {
        let message = StoredMessage::of(record)?;
        let reason = match entry.ended {
            Ended::TimedOut => "timed out",
            Ended::Released => "released",
            Ended::Left => "consumer left",
            Ended::Unknown | Ended::Undeliverable => "unknown",
        };
        let mut head = String::new();
        let (name, topic, StoredMessage { format, sequence, .. }) =
            (&durable.name, message.topic, message);
        let (position, time, deliveries) = (record.position, record.time, entry.deliveries);
        // Writing to a String does not fail.
        let _ = write!(
            head,
            "durable: {name}\ntopic: {topic}\nposition: {position}\ntime: {time}\n\
             deliveries: {deliveries}\nreason: {reason}\nformat: {format}\n"
        );
        if let Some(producer) = self.producers.get(message.producer) {
            let _ = writeln!(head, "producer: {}\nsequence: {sequence}", producer.name);
        }
        head.push('\n');
        let mut payload = head.into_bytes();
        payload.extend_from_slice(message.payload);
        let (producer, topic) = (message.producer, "".into());
        let letter = Letter { topic, producer, sequence, format: DEAD_LETTER_FORMAT, payload };
        if letter.payload.len() <= self.message_bytes {
            return Some(letter);
        }
        // A message that is nearly as long as may be goes as it is.
        Some(Letter { format, payload: message.payload.to_vec(), ..letter })
    }

    fn append_dead_letter(
        &mut self,
        at: ClockReading,
        (number, position): (u32, u64),
        letter: &Letter,
        sink: &mut impl EventSink,
    ) -> Outcome {
        let Letter { topic, producer, sequence, format, payload } = letter;
        let stored = StoredMessage {
            producer: *producer,
            sequence: *sequence,
            expires: 0,
            is_repeated: false,
            format: *format,
            topic,
            payload,
        };
        match self.make_room(at, Replaced::BYTES + stored.size()) {
            Ok(()) => {}
            Err(Rejected::Busy) => return Outcome::Wait(u64::MAX),
            Err(Rejected::TooLong(..)) => {
                let flight = self.durables.get(&number).and_then(|it| it.in_flight.get(&position));
                let Some(entry) = flight.map(|it| it.entry) else { return Outcome::Done };
                let entry = Entry { ended: Ended::Undeliverable, ..entry };
                return self.take_back_exhausted((number, position), entry, at);
            }
            // The message holds its segment and all behind it: without a letter there may never be room.
            Err(_) => {
                self.lacks_room_for_letters.get_or_insert(self.journal.bytes());
                self.journal.exceed();
                return Outcome::Wait(at.now.saturating_add(RETRY));
            }
        }
        let replaced = Replaced { durable: number, position }.bytes();
        let parts = [&replaced[..], &stored.head()[..], topic.as_bytes(), payload];
        let appended = self.journal.append(at.time, kind::DEAD_LETTER, &parts);
        self.counts.dead_letters += 1;
        if let Some(durable) = self.durables.get_mut(&number) {
            durable.land(position);
            durable.account.dead_lettered += 1;
            // The letter itself may be one of its messages, and is not done.
            durable.finish(position, appended.position);
        }
        let policy = self.directory.route(topic).policy;
        if policy.level == Level::Disk && self.journal.is_on_disk() {
            self.is_urgent = true;
        }
        self.be_lazy(at.now);
        let waits = policy.waits_for_disk() && self.journal.is_on_disk();
        if waits {
            self.later.push_back((appended.position, appended.at));
        } else {
            sink.publish(topic, *format, payload);
        }
        let entry = Entry::new(appended.position, appended.at, waits);
        for other in self.fan_out(topic, entry, at.now) {
            self.add_work(other);
        }
        self.log_soon(number, at.now);
        self.add_work(number);
        Outcome::Done
    }
}

/// A dead letter to be stored.
struct Letter {
    topic: Arc<str>,
    producer: u32,
    sequence: u64,
    format: u16,
    payload: Vec<u8>,
}
