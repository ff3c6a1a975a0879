//! Receiving: every message is checked and timed; some are answered.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use super::guaranteed::{Seen, Unacknowledged};
use super::publisher::{mark, notice, noticed};
use super::stamp::{Damage, Kind, STAMP, Stamp, sum};
use super::task::{Orders, Received, Receiving};
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_bench::histogram::Times;
use trunkline_bench_bus::bus::Bus;

/// What one receiver has seen of a run.
pub(super) struct Checked<'a> {
    asked: &'a Receiving,
    /// The next number that each topic should have.
    next: Vec<u32>,
    times: Times,
    received: Received,
    /// When the last message came.
    last: u64,
    is_over: bool,
    samples: Option<BufWriter<File>>,
    /// When the orders that are still to be sent were triggered.
    triggered: Vec<u64>,
    /// When the next message may be taken by one that is slow.
    free: u64,
    deadline: u64,
    /// Which guaranteed messages came.
    seen: Seen,
    /// Guaranteed orders.
    waiting: Option<Unacknowledged>,
}

impl<'a> Checked<'a> {
    pub(super) fn new(asked: &'a Receiving) -> io::Result<Self> {
        let samples = asked.file.as_ref().map(File::create).transpose()?.map(BufWriter::new);
        Ok(Self {
            asked,
            next: vec![0; asked.topics.count],
            times: Times::default(),
            received: Received::default(),
            last: 0,
            is_over: false,
            samples,
            triggered: Vec::new(),
            free: 0,
            deadline: monotonic_nanoseconds() + asked.milliseconds * 1_000_000,
            seen: Seen::default(),
            waiting: None,
        })
    }

    /// Whether the last message has come or time is up.
    pub(super) fn is_over(&self) -> bool {
        if self.is_over {
            return true;
        }
        let now = monotonic_nanoseconds();
        let is_silent = |limit: u64| self.last > 0 && now > self.last + limit * 1_000_000;
        now >= self.deadline || self.asked.silence.is_some_and(is_silent)
    }

    /// Takes a message.
    #[inline]
    pub(super) fn take(&mut self, topic: usize, payload: &[u8]) {
        if let Some(rate) = self.asked.pace {
            self.rest(rate);
        }
        // In a flood it is the number that counts, and looking at the clock takes longer than a message.
        let is_timed = self.asked.feedback.is_none() || self.received.messages.is_multiple_of(64);
        let now = if is_timed { monotonic_nanoseconds() } else { self.last };
        let stamp = match Stamp::read(payload) {
            Ok(stamp) => stamp,
            Err(damage) => return self.note_damage(topic, &damage),
        };
        if stamp.run != self.asked.run {
            return;
        }
        match stamp.kind {
            Kind::End => self.is_over = true,
            kind if kind == self.asked.kind.kind() => self.count(topic, &stamp, now),
            _ => {}
        }
    }

    #[inline]
    fn count(&mut self, topic: usize, stamp: &Stamp, now: u64) {
        if stamp.topic as usize != topic || !self.asked.topics.has(topic) {
            let what = format!("a message of topic {} on topic {topic}", stamp.topic);
            self.received.damaged += 1;
            self.received.damage.get_or_insert(what);
            return;
        }
        let is_again = self.asked.guaranteed && self.seen.note(stamp.of_topic);
        let next = &mut self.next[topic - self.asked.topics.first];
        if stamp.of_topic < *next {
            match is_again {
                true => self.received.duplicates += 1,
                false => self.received.disordered += 1,
            }
            return;
        }
        self.received.missing += u64::from(stamp.of_topic - *next);
        *next = stamp.of_topic + 1;
        if self.received.messages == 0 {
            self.received.began = now;
            // A publisher may take long to make its messages.
            self.deadline = self.deadline.max(now + self.asked.milliseconds * 1_000_000);
        }
        self.received.messages += 1;
        self.last = now;
        if stamp.number >= self.asked.skip {
            let latency = now.saturating_sub(stamp.due);
            self.times.record(latency);
            if let Some(samples) = &mut self.samples {
                // What cannot be written is told at the end, by the flush.
                let _ = samples.write_all(&stamp.due.to_le_bytes());
                let _ = samples.write_all(&latency.to_le_bytes());
            }
        }
        if let Some(Orders { every, .. }) = self.asked.orders
            && self.received.messages.is_multiple_of(every)
        {
            self.triggered.push(now);
        }
    }

    fn note_damage(&mut self, topic: usize, damage: &Damage) {
        self.received.damaged += 1;
        self.received.damage.get_or_insert_with(|| format!("{damage} on topic {topic}"));
    }

    /// Waits until a slow program would be done with its last message.
    fn rest(&mut self, rate: f64) {
        let now = monotonic_nanoseconds();
        if self.free > now {
            std::thread::sleep(std::time::Duration::from_nanos(self.free - now));
        }
        self.free = self.free.max(now) + (1e9 / rate) as u64;
    }

    /// Sends what the messages of the last look call for.
    pub(super) fn respond(&mut self, bus: &mut dyn Bus, told: &mut u64) -> io::Result<()> {
        if let Some(waiting) = &mut self.waiting {
            waiting.note(bus)?;
        }
        if let Some(Orders { topic, skip, .. }) = self.asked.orders
            && !self.triggered.is_empty()
        {
            for due in self.triggered.drain(..) {
                let number = self.received.orders;
                let payload = order(self.asked.run, topic, (due, number));
                match &mut self.waiting {
                    Some(waiting) => {
                        bus.publish_guaranteed(topic, &payload)?;
                        waiting.add((number >= skip).then_some(due));
                    }
                    None => bus.publish(topic, &payload)?,
                }
                self.received.orders += 1;
            }
            bus.flush()?;
        }
        if let Some(feedback) = self.asked.feedback
            && self.received.messages >= *told + feedback.every
        {
            *told = self.received.messages;
            notice(bus, Kind::Feedback, self.asked.run, feedback.topic, *told)?;
            bus.flush()?;
        }
        Ok(())
    }

    pub(super) fn end(mut self, bus: &mut dyn Bus) -> io::Result<Received> {
        match (self.asked.orders, self.waiting) {
            (Some(Orders { topic, .. }), Some(mut waiting)) => {
                bus.publish_guaranteed(topic, &noticed(Kind::End, self.asked.run, topic, 0))?;
                bus.flush()?;
                waiting.add(None);
                self.received.acknowledged = Some(waiting.end(bus)?);
            }
            (Some(Orders { topic, .. }), None) => {
                mark(bus, Kind::End, self.asked.run, &[topic])?;
            }
            (None, _) => {}
        }
        if let Some(samples) = &mut self.samples {
            samples.flush()?;
        }
        Ok(Received {
            nanoseconds: self.last.saturating_sub(self.received.began),
            told_lost: bus.told_lost(),
            latencies: self.times.encoded()?,
            is_whole: self.is_over,
            unbroken: self.seen.whole(),
            ..self.received
        })
    }
}

/// An order, due when its rate had come.
fn order(run: u16, topic: usize, (due, number): (u64, u64)) -> [u8; 4 * STAMP] {
    let mut payload = [0; 4 * STAMP];
    payload[STAMP..STAMP + 8].copy_from_slice(&number.to_le_bytes());
    let check = sum(&payload[STAMP..]);
    let of_topic = number as u32;
    let stamp = Stamp { due, number, run, kind: Kind::Order, of_topic, topic: topic as u32, check };
    stamp.write(&mut payload);
    payload
}

/// Receives until the last message.
pub(super) fn receive(bus: &mut dyn Bus, asked: &Receiving) -> io::Result<Received> {
    let mut checked = Checked::new(asked)?;
    if asked.orders.is_some_and(|orders| orders.guaranteed) {
        checked.waiting = Some(Unacknowledged::new(bus));
    }
    let mut told = 0;
    while !checked.is_over() {
        // A spinning program looks at its deadline now and then only.
        for _ in 0..if asked.spins { 64 } else { 1 } {
            bus.poll(asked.wait(), &mut |topic, payload| checked.take(topic, payload))?;
            checked.respond(bus, &mut told)?;
        }
    }
    checked.end(bus)
}
