//! Publishing: at a rate that waits for nobody, or as fast as the subscribers take it.

use std::io;
use std::time::Duration;

use super::guaranteed::Unacknowledged;
use super::source::Source;
use super::stamp::{Kind, STAMP, Stamp, sum};
use super::task::{Flooding, Published, Publishing};
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_bench::histogram::Times;
use trunkline_bench_bus::bus::{Bus, Wait};

/// From the task to the first message: the subscribers have begun to wait by then.
const LEAD: u64 = 5_000_000;

/// How often one that only publishes looks for what the middleware wants of it, in nanoseconds.
const LOOK: u64 = 50_000_000;

/// Messages of a flood between two looks at the feedback.
const BATCH: u64 = 32;

/// How long a publisher of guaranteed messages sleeps at most while its window is full.
const PATIENCE: Duration = Duration::from_millis(20);

/// How long a flood stands still without feedback before it is given up.
const STILL: Duration = Duration::from_secs(5);

/// A schedule of messages that are due at a rate.
pub(super) struct Paced<'a> {
    asked: &'a Publishing,
    sender: Sender<'a>,
    /// When the first is due.
    start: u64,
    interval: f64,
    next: u64,
    late: Times,
    looked: u64,
}

impl<'a> Paced<'a> {
    pub(super) fn new(asked: &'a Publishing, source: &'a mut Source) -> Self {
        let start = monotonic_nanoseconds() + LEAD;
        Self {
            asked,
            sender: Sender::new(asked.run, source, false),
            start,
            interval: 1e9 / asked.rate,
            next: 0,
            late: Times::default(),
            looked: start,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.next == self.asked.messages
    }

    /// Publishes what is due, all of it with one flush; returns whether anything was.
    pub(super) fn publish_due(&mut self, bus: &mut dyn Bus) -> io::Result<bool> {
        let mut now = monotonic_nanoseconds();
        let mut sent = 0;
        while !self.is_over() {
            let due = self.start + (self.next as f64 * self.interval) as u64;
            if now < due {
                break;
            }
            self.sender.publish(bus, self.next, due)?;
            self.late.record(now - due);
            self.next += 1;
            sent += 1;
            // One that is far behind still flushes, or the whole backlog would leave at once.
            if sent == BATCH {
                break;
            }
            now = monotonic_nanoseconds();
        }
        if sent > 0 {
            bus.flush()?;
        } else if now > self.looked + LOOK {
            self.looked = now;
            bus.poll(Wait::Spin, &mut |_, _| {})?;
        }
        Ok(sent > 0)
    }

    pub(super) fn end(self, bus: &mut dyn Bus) -> io::Result<Published> {
        let nanoseconds = monotonic_nanoseconds().saturating_sub(self.start);
        mark(bus, Kind::End, self.asked.run, &self.asked.end)?;
        let (messages, began) = (self.next, self.start);
        Ok(Published {
            messages,
            nanoseconds,
            late: self.late.encoded()?,
            began,
            acknowledged: None,
        })
    }
}

/// Publishes at a rate, spinning in between.
pub(super) fn publish(
    bus: &mut dyn Bus,
    asked: &Publishing,
    source: &mut Source,
) -> io::Result<Published> {
    let mut paced = Paced::new(asked, source);
    while !paced.is_over() {
        if !paced.publish_due(bus)? {
            std::hint::spin_loop();
        }
    }
    paced.end(bus)
}

/// Publishes as fast as all subscribers take it: no more messages than the window are between the
/// publisher and the slowest of them.
pub(super) fn flood(
    bus: &mut dyn Bus,
    asked: &Flooding,
    source: &mut Source,
) -> io::Result<Published> {
    let mut sender = Sender::new(asked.run, source, false);
    let mut taken = vec![0; asked.feedback.count];
    let start = monotonic_nanoseconds();
    let until = start + asked.milliseconds * 1_000_000;
    let mut moved = start;
    let mut number = 0;
    loop {
        let now = monotonic_nanoseconds();
        if now >= until || asked.most.is_some_and(|most| number >= most) {
            break;
        }
        let slowest = taken.iter().copied().min().unwrap_or(number);
        if number + BATCH <= slowest + asked.window {
            for _ in 0..BATCH {
                sender.publish(bus, number, now)?;
                number += 1;
            }
            moved = now;
        } else {
            bus.flush()?;
            if now - moved > STILL.as_nanos() as u64 {
                let what = format!("no feedback: {slowest} of {number} messages were taken");
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
        }
        if number % (BATCH * 8) == 0 || number + BATCH > slowest + asked.window {
            bus.poll(Wait::Spin, &mut |topic, payload| {
                note(asked, &mut taken, topic, payload);
            })?;
        }
    }
    bus.flush()?;
    let nanoseconds = monotonic_nanoseconds() - start;
    mark(bus, Kind::End, asked.run, &asked.end)?;
    let late = Times::default().encoded()?;
    Ok(Published { messages: number, nanoseconds, late, began: start, acknowledged: None })
}

/// Publishes guaranteed messages as fast as they are acknowledged: no more than the window are on their
/// way.
pub(super) fn flood_guaranteed(
    bus: &mut dyn Bus,
    asked: &Flooding,
    source: &mut Source,
) -> io::Result<Published> {
    let mut sender = Sender::new(asked.run, source, true);
    let mut waiting = Unacknowledged::new(bus);
    let began = monotonic_nanoseconds();
    let until = began + asked.milliseconds * 1_000_000;
    let mut number = 0;
    loop {
        let now = monotonic_nanoseconds();
        if now >= until || asked.most.is_some_and(|most| number >= most) {
            break;
        }
        let is_full = waiting.count() + BATCH > asked.window;
        if is_full {
            bus.flush()?;
        } else {
            for _ in 0..BATCH {
                sender.publish(bus, number, now)?;
                waiting.add(Some(now));
                number += 1;
            }
        }
        if is_full || number % (BATCH * 8) == 0 {
            let wait = if is_full { Wait::Block(PATIENCE) } else { Wait::Spin };
            bus.poll(wait, &mut |_, _| {})?;
            waiting.note(bus)?;
        }
    }
    let nanoseconds = monotonic_nanoseconds() - began;
    for &topic in &asked.end {
        bus.publish_guaranteed(topic, &noticed(Kind::End, asked.run, topic, 0))?;
        waiting.add(None);
    }
    bus.flush()?;
    let late = Times::default().encoded()?;
    let acknowledged = Some(waiting.end(bus)?);
    Ok(Published { messages: number, nanoseconds, late, began, acknowledged })
}

/// A subscriber's feedback.
fn note(asked: &Flooding, taken: &mut [u64], topic: usize, payload: &[u8]) {
    let Ok(stamp) = Stamp::read(payload) else { return };
    if stamp.kind == Kind::Feedback && stamp.run == asked.run && asked.feedback.has(topic) {
        let of = &mut taken[topic - asked.feedback.first];
        *of = stamp.number.max(*of);
    }
}

/// Stamps the messages of a run and publishes them.
struct Sender<'a> {
    run: u16,
    source: &'a mut Source,
    guaranteed: bool,
    /// How many messages each topic has had.
    of_topics: Vec<u32>,
}

impl<'a> Sender<'a> {
    fn new(run: u16, source: &'a mut Source, guaranteed: bool) -> Self {
        let of_topics = vec![0; source.streams()];
        Self { run, source, guaranteed, of_topics }
    }

    #[inline]
    fn publish(&mut self, bus: &mut dyn Bus, number: u64, due: u64) -> io::Result<()> {
        let (topic, payload, check) = self.source.payload(number);
        let next = &mut self.of_topics[topic];
        let (run, of_topic) = (self.run, *next);
        let stamp =
            Stamp { due, number, run, kind: Kind::Rate, of_topic, topic: topic as u32, check };
        *next += 1;
        stamp.write(payload);
        match self.guaranteed {
            true => bus.publish_guaranteed(topic, payload),
            false => bus.publish(topic, payload),
        }
    }
}

/// Publishes a message without prices on each topic.
pub(super) fn mark(bus: &mut dyn Bus, kind: Kind, run: u16, topics: &[usize]) -> io::Result<()> {
    for &topic in topics {
        notice(bus, kind, run, topic, 0)?;
    }
    bus.flush()
}

/// Publishes a message that carries a number and no prices.
pub(super) fn notice(
    bus: &mut dyn Bus,
    kind: Kind,
    run: u16,
    topic: usize,
    number: u64,
) -> io::Result<()> {
    bus.publish(topic, &noticed(kind, run, topic, number))
}

/// A message that carries a number and no prices.
pub(super) fn noticed(kind: Kind, run: u16, topic: usize, number: u64) -> [u8; 2 * STAMP] {
    let mut payload = [0; 2 * STAMP];
    let check = sum(&payload[STAMP..]);
    let due = monotonic_nanoseconds();
    let stamp = Stamp { due, number, run, kind, of_topic: 0, topic: topic as u32, check };
    stamp.write(&mut payload);
    payload
}
