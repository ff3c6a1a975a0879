//! A client's caps on messages and bytes a second.

use std::num::{NonZeroU32, NonZeroU64};

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

/// How far a client may run ahead of its rate, in nanoseconds: what a late timer held back goes out at
/// once, up to this much.
const BURST: u64 = 10_000_000;

/// One cap: after each send it gives the time of the next.
#[derive(Clone, Debug)]
struct Bucket {
    per_second: u64,
    /// When everything sent would have been sent at exactly this rate.
    filled: u64,
    /// The part of a nanosecond beyond `filled`, in units of `1 / per_second`.
    fraction: u64,
    /// How long before `filled` the next send may be.
    burst: u64,
}

impl Bucket {
    fn new(per_second: u64, burst: u64) -> Self {
        Self { per_second, filled: 0, fraction: 0, burst }
    }

    #[inline]
    fn ready_at(&self) -> u64 {
        self.filled.saturating_sub(self.burst)
    }

    fn spend(&mut self, now: u64, units: u64) {
        if self.filled < now {
            (self.filled, self.fraction) = (now, 0);
        }
        let cost = u128::from(units) * u128::from(SECOND) + u128::from(self.fraction);
        let rate = u128::from(self.per_second);
        self.filled = self.filled.saturating_add(u64::try_from(cost / rate).unwrap_or(u64::MAX));
        self.fraction = u64::try_from(cost % rate).expect("less than the rate");
    }
}

/// The caps of a client; without any, everything may go at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    messages: Option<Bucket>,
    bytes: Option<Bucket>,
}

impl Pace {
    pub(crate) fn new(messages: Option<NonZeroU32>, bytes: Option<NonZeroU64>) -> Self {
        let for_messages = |rate: NonZeroU32| {
            let rate = u64::from(rate.get());
            // The cost of one message is part of the burst, so that a slow pace is even.
            Bucket::new(rate, BURST.saturating_sub(SECOND.div_ceil(rate)))
        };
        Self {
            messages: messages.map(for_messages),
            bytes: bytes.map(|rate| Bucket::new(rate.get(), BURST)),
        }
    }

    pub(crate) fn is_capped(&self) -> bool {
        self.messages.is_some() || self.bytes.is_some()
    }

    /// The time from which the next message may go.
    #[inline]
    pub(crate) fn ready_at(&self) -> u64 {
        let at = |bucket: &Option<Bucket>| bucket.as_ref().map_or(0, Bucket::ready_at);
        at(&self.messages).max(at(&self.bytes))
    }

    /// Charges a message that goes now. Bytes are charged afterwards, so that a message longer than a
    /// second's worth can go at all.
    #[inline]
    pub(crate) fn spend(&mut self, now: u64, bytes: usize) {
        if let Some(bucket) = &mut self.messages {
            bucket.spend(now, 1);
        }
        if let Some(bucket) = &mut self.bytes {
            bucket.spend(now, bytes as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many messages of some bytes go between two times, each as soon as it may.
    fn sent(pace: &mut Pace, bytes: usize, mut now: u64, until: u64) -> u64 {
        let mut count = 0;
        loop {
            now = now.max(pace.ready_at());
            if now >= until {
                return count;
            }
            pace.spend(now, bytes);
            count += 1;
        }
    }

    #[test]
    fn a_pace_is_kept_without_drift() {
        for rate in [1, 3, 7, 500, 33_333] {
            let mut pace = Pace::new(NonZeroU32::new(rate), None);
            let burst = u64::from(rate) / 100;
            let in_100_s = sent(&mut pace, 1, SECOND, 101 * SECOND);
            let most = 100 * u64::from(rate) + burst;
            assert!((most - 1..=most + 1).contains(&in_100_s), "{rate}: {in_100_s}");
        }
    }

    #[test]
    fn what_was_not_used_is_lost_but_for_a_burst() {
        let mut pace = Pace::new(NonZeroU32::new(1_000), None);
        assert_eq!(sent(&mut pace, 1, 5 * SECOND, 5 * SECOND + 1), 10);
        assert_eq!(sent(&mut pace, 1, 9 * SECOND, 9 * SECOND + 1), 10);
    }

    #[test]
    fn long_messages_are_paid_for_afterwards() {
        let mut pace = Pace::new(None, NonZeroU64::new(1_000));
        pace.spend(0, 5_000);
        assert_eq!(pace.ready_at(), 5 * SECOND - BURST);
        let mut both = Pace::new(NonZeroU32::new(1), NonZeroU64::new(1_000));
        both.spend(0, 10);
        assert_eq!(both.ready_at(), SECOND);
    }
}
