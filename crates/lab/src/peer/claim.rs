//! What a peer says of its own times, held against what is seen from outside.
//!
//! No clock of a peer is believed further than this: its work cannot have taken longer than we waited for
//! the answer, and not much less than its thread used the processor meanwhile, children included. Where there are
//! several threads, what all of them used is charged, so that to tell less gains nothing.

use std::fs;
use std::time::Duration;

/// The least that a message takes: no processor does anything with one in less.
const LEAST: u64 = 1;

/// What Linux counts the time of a process in, in nanoseconds: a hundredth of a second everywhere (`USER_HZ`).
const TICK: u64 = 10_000_000;

/// The line to read before the work, and the one to write after it.
const AROUND: u64 = 1_000_000;

/// A quarter of what a thread may compile or collect beside the one that works.
const COMPILING: u64 = 200_000_000;

/// CPU time that a process has used, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// Of the threads that are there.
    by_thread: Vec<(String, u64)>,
    /// Of all that have been there, children that have ended among them, in [`TICK`]s.
    ticks: u64,
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
        let told = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        (!by_thread.is_empty()).then_some(Self { by_thread, ticks: ticks(&told)? })
    }

    /// What each thread that is there has used since `before`.
    fn by_thread_since(&self, before: &Self) -> impl Iterator<Item = u64> {
        self.by_thread.iter().map(|(thread, used)| {
            let known = before.by_thread.iter().find(|(known, _)| known == thread);
            used.saturating_sub(known.map_or(0, |(_, used)| *used))
        })
    }

    /// What those that are there have used since `before`, to the nanosecond.
    pub(crate) fn by_threads_since(&self, before: &Self) -> u64 {
        self.by_thread_since(before).sum()
    }

    /// What all have used since `before`, or a little less.
    fn since(&self, before: &Self) -> u64 {
        let of_those_there = self.by_threads_since(before);
        // Both ends are rounded.
        let ticks = self.ticks.saturating_sub(before.ticks).saturating_sub(2);
        (ticks * TICK).max(of_those_there)
    }

    /// The least that work can have taken that was done between `before` and this. Where there are more
    /// threads, others may have compiled or collected meanwhile, each on a processor of its own, while the one that
    /// worked stood still: only the busiest counts, and far less strictly. [`charged`] counts them all.
    fn least_since(&self, before: &Self) -> u64 {
        if self.has_one_thread() && before.has_one_thread() {
            return (self.since(before) / 5 * 4).saturating_sub(AROUND);
        }
        let busiest = self.by_thread_since(before).max().unwrap_or(0);
        (busiest / 4).saturating_sub(COMPILING)
    }

    fn has_one_thread(&self) -> bool {
        self.by_thread.len() == 1
    }
}

/// User's and system's time of a process and of its children, from `/proc/PID/stat`.
fn ticks(told: &str) -> Option<u64> {
    // The name before it may hold anything.
    let (_, rest) = told.rsplit_once(')')?;
    let fields = rest.split_whitespace().skip(11).take(4);
    fields.map(|field| field.parse::<u64>().ok()).sum()
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

/// What counts of a claim that is believed: the clock of one thread says nothing of what others did for it, so
/// that a process of several threads is charged with what all of them used.
pub(super) fn charged(nanoseconds: u64, used: Option<(&Used, &Used)>) -> u64 {
    let of_all = used.filter(|(_, after)| !after.has_one_thread());
    let of_all = of_all.map_or(0, |(before, after)| after.since(before).saturating_sub(AROUND));
    nanoseconds.max(of_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(threads: &[u64]) -> Used {
        let thread = |(index, used): (usize, &u64)| (index.to_string(), *used);
        Used { by_thread: threads.iter().enumerate().map(thread).collect(), ticks: 0 }
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
        assert_eq!(charged(95_000_000, Some((&before, &after))), 95_000_000);
    }

    #[test]
    fn what_all_threads_did_is_charged() {
        // Work that is shared out among four threads, of which the first says what it did itself.
        let (before, after) = (used(&[0; 4]), used(&[25_000_000; 4]));
        let both = Some((&before, &after));
        assert_eq!(too_short(25_000_000, 1, both), None);
        assert_eq!(charged(25_000_000, both), 99_000_000);
        assert_eq!(charged(100_000_000, both), 100_000_000);
        // Others that idle cost nothing.
        let after = used(&[25_000_000, 0, 0, 0]);
        assert_eq!(charged(25_000_000, Some((&before, &after))), 25_000_000);
        assert_eq!(charged(7, None), 7);
    }

    #[test]
    fn who_compiles_on_many_processors_is_charged_and_not_accused() {
        // One pass of 6 ms, while 31 other threads compiled as long.
        let (before, after) = (used(&[0; 32]), used(&[6_000_000; 32]));
        let both = Some((&before, &after));
        assert_eq!(too_short(6_000_000, 1, both), None);
        assert_eq!(charged(6_000_000, both), 32 * 6_000_000 - AROUND);
        // Who worked stood still while another collected.
        let after = used(&[6_000_000, 64_000_000]);
        assert_eq!(too_short(5_881_631, 1, Some((&before, &after))), None);
        // Two seconds of work, of which ten milliseconds are told: more than anybody compiles meanwhile.
        let after = used(&[2_000_000_000, 1_000_000]);
        let both = Some((&before, &after));
        assert!(too_short(10_000_000, 1, both).is_some());
        assert_eq!(charged(10_000_000, both), 2_000_000_000);
    }

    #[test]
    fn threads_and_children_that_have_ended_count() {
        let told = "4 (a name) ) S 1 4 4 0 -1 4194560 9 9 0 0 20 2 30 3 20 0 1 0 5 6";
        assert_eq!(ticks(told), Some(55));
        assert_eq!(ticks("4 (name) S 1"), Some(0));
        let before = used(&[0]);
        let after = Used { ticks: 55, ..used(&[1_000]) };
        let of_ended = |nanoseconds| too_short(nanoseconds, 1, Some((&before, &after)));
        assert!(of_ended(100_000_000).is_some());
        assert_eq!(of_ended(550_000_000), None);
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
