//! Guaranteed messages: how long each takes to be acknowledged, and which of them came.

use std::collections::VecDeque;
use std::io;

use super::task::Acknowledged;
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_bench::histogram::Times;
use trunkline_bench_bus::bus::{Bus, Wait};

/// How long acknowledgements may stand still, in nanoseconds.
const STILL: u64 = 10_000_000_000;

/// What a publisher has sent and not had acknowledged.
pub(super) struct Unacknowledged {
    /// Messages acknowledged before the first of these.
    before: u64,
    /// When each was due, if it is timed.
    due: VecDeque<Option<u64>>,
    acknowledged: u64,
    times: Times,
    /// When the last acknowledgement came.
    last: u64,
}

impl Unacknowledged {
    /// Nothing, on a connection where all that was sent is acknowledged.
    pub(super) fn new(bus: &dyn Bus) -> Self {
        Self {
            before: bus.acknowledged(),
            due: VecDeque::new(),
            acknowledged: 0,
            times: Times::default(),
            last: monotonic_nanoseconds(),
        }
    }

    /// How many are on their way.
    pub(super) fn count(&self) -> u64 {
        self.due.len() as u64
    }

    /// A message was published; one that is not timed has no time at which it was due.
    pub(super) fn add(&mut self, due: Option<u64>) {
        self.due.push_back(due);
    }

    /// Notes what has been acknowledged since the last look.
    pub(super) fn note(&mut self, bus: &dyn Bus) -> io::Result<()> {
        let new = bus.acknowledged() - self.before - self.acknowledged;
        if new == 0 {
            return Ok(());
        }
        if new > self.count() {
            return Err(io::Error::other("what was never sent is acknowledged"));
        }
        let now = monotonic_nanoseconds();
        for due in self.due.drain(..new as usize).flatten() {
            self.times.record(now.saturating_sub(due));
        }
        self.acknowledged += new;
        self.last = now;
        Ok(())
    }

    /// Waits until all are acknowledged.
    pub(super) fn end(mut self, bus: &mut dyn Bus) -> io::Result<Acknowledged> {
        let mut moved = monotonic_nanoseconds();
        self.note(bus)?;
        while self.count() > 0 {
            bus.poll(Wait::Block(std::time::Duration::from_millis(20)), &mut |_, _| {})?;
            self.note(bus)?;
            moved = moved.max(self.last);
            if monotonic_nanoseconds() > moved + STILL {
                let (left, of) = (self.count(), self.count() + self.acknowledged);
                let what = format!("{left} of {of} guaranteed messages are not acknowledged");
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
        }
        let times = self.times.encoded()?;
        Ok(Acknowledged { messages: self.acknowledged, last: self.last, times })
    }
}

/// Which messages of a topic came, by their numbers.
#[derive(Default)]
pub(super) struct Seen {
    words: Vec<u64>,
}

impl Seen {
    /// Notes a message; returns whether it came before.
    pub(super) fn note(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_known = self.words[word] & bit != 0;
        self.words[word] |= bit;
        is_known
    }

    /// How many came of the first, without a gap.
    pub(super) fn whole(&self) -> u64 {
        let full = self.words.iter().take_while(|word| **word == u64::MAX).count();
        let next = self.words.get(full).map_or(0, |word| word.trailing_ones());
        full as u64 * 64 + u64::from(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_ends_what_is_whole_and_what_comes_twice_is_known() {
        let mut seen = Seen::default();
        assert_eq!(seen.whole(), 0);
        assert!((0..130).all(|number| number == 100 || !seen.note(number)));
        assert_eq!(seen.whole(), 100);
        assert!(seen.note(99) && !seen.note(100) && seen.note(100));
        assert_eq!(seen.whole(), 130);
    }
}
