//! What a peer says of its own times, held against what is seen from outside.
//!
//! No clock of a peer is believed further than this: its work cannot have taken longer than we waited for
//! the answer, and not much less than its process used the processor meanwhile.

use std::fs;
use std::time::Duration;

/// The least that a message takes: no processor does anything with one in less.
const LEAST: u64 = 1;

/// CPU time that the threads of a process have used, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    by_thread: Vec<(String, u64)>,
}

impl Used {
    /// So far; none where the system does not tell.
    pub(super) fn of(process: u32) -> Option<Self> {
        let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
        let by_thread = threads.flatten().filter_map(|thread| {
            let told = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            let used = told.split(' ').next()?.parse().ok()?;
            Some((thread.file_name().to_string_lossy().into_owned(), used))
        });
        let by_thread: Vec<_> = by_thread.collect();
        (!by_thread.is_empty()).then_some(Self { by_thread })
    }

    /// What the busiest thread has used since `before`.
    fn since(&self, before: &Self) -> u64 {
        let of = |(thread, used): &(String, u64)| {
            let known = before.by_thread.iter().find(|(known, _)| known == thread);
            used.saturating_sub(known.map_or(0, |(_, used)| *used))
        };
        self.by_thread.iter().map(of).max().unwrap_or(0)
    }

    /// The least that work can have taken that was done between `before` and this. Around it there is a
    /// line to read and one to write; where there are more threads, another may have been the busiest.
    fn least_since(&self, before: &Self) -> u64 {
        let used = self.since(before);
        match self.by_thread.len() {
            1 => (used / 5 * 4).saturating_sub(1_000_000),
            _ => (used / 4).saturating_sub(5_000_000),
        }
    }
}

/// Why nanoseconds of work are not believed that were done while we waited so long.
pub(super) fn too_long(nanoseconds: u64, waited: Duration) -> Option<String> {
    let waited = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
    // Two clocks may differ by a little.
    let most = waited.saturating_add(waited / 100 + 10_000);
    (nanoseconds > most).then(|| format!("at most the {waited} ns that passed until the answer"))
}

/// Why it is not believed that so many messages took so long, with the CPU time before and after.
pub(super) fn too_short(
    nanoseconds: u64,
    messages: u64,
    used: Option<(&Used, &Used)>,
) -> Option<String> {
    if nanoseconds < messages.saturating_mul(LEAST) {
        return Some(format!("at least {LEAST} ns for each message"));
    }
    let least = used.map_or(0, |(before, after)| after.least_since(before));
    (nanoseconds < least)
        .then(|| format!("at least {least} ns, as its process used the processor meanwhile"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(threads: &[u64]) -> Used {
        let thread = |(index, used): (usize, &u64)| (index.to_string(), *used);
        Used { by_thread: threads.iter().enumerate().map(thread).collect() }
    }

    #[test]
    fn a_claim_lies_between_the_processor_and_the_wall() {
        let second = Duration::from_secs(1);
        assert_eq!(too_long(1_000_000_000, second), None);
        assert!(too_long(1_100_000_000, second).is_some());
        assert!(too_long(950_400_000_000_000, second).is_some(), "eleven days");
        assert!(too_short(0, 1, None).is_some() && too_short(2, 3, None).is_some());
        assert_eq!(too_short(3, 3, None), None);
        let (before, after) = (used(&[5_000_000]), used(&[105_000_000]));
        let of_one = |nanoseconds| too_short(nanoseconds, 1, Some((&before, &after)));
        assert_eq!(of_one(95_000_000), None);
        assert!(of_one(50_000_000).is_some());
        // Another thread may have compiled or collected meanwhile.
        let (before, after) = (used(&[0, 0]), used(&[30_000_000, 100_000_000]));
        let of_two = |nanoseconds| too_short(nanoseconds, 1, Some((&before, &after)));
        assert_eq!(of_two(30_000_000), None);
        assert!(of_two(1_000_000).is_some());
    }

    #[test]
    fn our_own_process_is_seen_to_work() {
        let Some(before) = Used::of(std::process::id()) else { return };
        let mut sum = 0_u64;
        while Used::of(std::process::id()).expect("it was told").since(&before) < 1_000_000 {
            sum = std::hint::black_box((0..10_000).fold(sum, u64::wrapping_add));
        }
    }
}
