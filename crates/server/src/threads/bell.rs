//! How one thread tells another which connections have something for it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

/// Bits of a word.
const BITS: usize = 64;

/// Words that stand for the words of connections.
const SUMMARIES: usize = 16;

/// Connections that a thread may carry.
pub(super) const SLOTS: usize = SUMMARIES * BITS * BITS;

/// A thread that may sleep, and how it is woken.
pub struct Sleeper {
    is_asleep: AtomicBool,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Sleeper {
    /// `wake` ends its present or its next sleep.
    pub(super) fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { is_asleep: AtomicBool::new(false), wake: Box::new(wake) }
    }

    /// The thread is about to sleep; false if it may not, because something was told meanwhile. Who tells something
    /// from now on wakes it.
    pub(super) fn may_sleep(&self, was_told: impl FnOnce() -> bool) -> bool {
        self.is_asleep.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let may = !was_told();
        if !may {
            self.is_awake();
        }
        may
    }

    /// The thread does not sleep any more.
    pub(super) fn is_awake(&self) {
        self.is_asleep.store(false, Ordering::Relaxed);
    }

    /// Something was told: the thread must not sleep.
    #[inline]
    fn rouse(&self) {
        fence(Ordering::SeqCst);
        if self.is_asleep.load(Ordering::Relaxed) && self.is_asleep.swap(false, Ordering::SeqCst) {
            (self.wake)();
        }
    }
}

impl fmt::Debug for Sleeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleeper").field("is_asleep", &self.is_asleep).finish_non_exhaustive()
    }
}

/// A bit for each connection, set by one thread and taken by another. It is never full, and a bit that is set already
/// costs nothing more.
#[derive(Debug)]
pub(super) struct Bell {
    words: Box<[AtomicU64]>,
    /// A bit for each word that may have one.
    summaries: [AtomicU64; SUMMARIES],
    sleeper: Arc<Sleeper>,
}

impl Bell {
    pub(super) fn new(sleeper: Arc<Sleeper>) -> Self {
        let words = (0..SLOTS / BITS).map(|_| AtomicU64::new(0)).collect();
        Self { words, summaries: [const { AtomicU64::new(0) }; SUMMARIES], sleeper }
    }

    /// The thread that takes the bits.
    pub(super) fn sleeper(&self) -> &Sleeper {
        &self.sleeper
    }

    /// There is something of a connection; what was written before is seen by who takes its bit.
    pub(super) fn call(&self, slot: usize) {
        let (word, bit) = (slot / BITS, 1 << (slot % BITS));
        if self.words[word].fetch_or(bit, Ordering::AcqRel) & bit != 0 {
            // Who set it has seen to the rest, and it was not taken since.
            return;
        }
        self.summaries[word / BITS].fetch_or(1 << (word % BITS), Ordering::AcqRel);
        self.sleeper.rouse();
    }

    /// There is something that belongs to no connection: the thread must not sleep before its next turn.
    pub(super) fn ring(&self) {
        self.summaries[0].fetch_or(1, Ordering::AcqRel);
        self.sleeper.rouse();
    }

    /// Whether there is something to take.
    pub(super) fn is_set(&self) -> bool {
        self.summaries.iter().any(|it| it.load(Ordering::Acquire) != 0)
    }

    /// Takes all bits.
    pub(super) fn take(&self, mut each: impl FnMut(usize)) {
        for (place, summary) in self.summaries.iter().enumerate() {
            if summary.load(Ordering::Relaxed) == 0 {
                continue;
            }
            for word in bits(summary.swap(0, Ordering::AcqRel)).map(|bit| place * BITS + bit) {
                let set = self.words[word].swap(0, Ordering::AcqRel);
                bits(set).for_each(|bit| each(word * BITS + bit));
            }
        }
    }
}

/// The places of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn bell(wakes: &Arc<AtomicUsize>) -> Bell {
        let wakes = Arc::clone(wakes);
        Bell::new(Arc::new(Sleeper::new(move || _ = wakes.fetch_add(1, Ordering::Relaxed))))
    }

    fn taken(bell: &Bell) -> Vec<usize> {
        let mut taken = Vec::new();
        bell.take(|slot| taken.push(slot));
        taken
    }

    #[test]
    fn each_that_called_is_taken_once() {
        let bell = bell(&Arc::default());
        for slot in [SLOTS - 1, 0, 63, 64, 4095, 4096, 64] {
            bell.call(slot);
        }
        assert!(bell.is_set());
        assert_eq!(taken(&bell), [0, 63, 64, 4095, 4096, SLOTS - 1]);
        assert!(!bell.is_set() && taken(&bell).is_empty());
        bell.call(64);
        assert_eq!(taken(&bell), [64]);
    }

    #[test]
    fn only_a_sleeper_is_woken_and_only_once() {
        let wakes = Arc::default();
        let bell = bell(&wakes);
        let wakes = || wakes.load(Ordering::Relaxed);
        bell.call(1);
        assert_eq!(wakes(), 0, "nobody sleeps");
        assert!(!bell.sleeper().may_sleep(|| bell.is_set()), "there is something to take");
        assert_eq!(taken(&bell), [1]);
        assert!(bell.sleeper().may_sleep(|| bell.is_set()));
        bell.call(1);
        bell.call(2);
        assert_eq!(wakes(), 1);
        bell.sleeper().is_awake();
        assert_eq!(taken(&bell), [1, 2]);
        assert!(bell.sleeper().may_sleep(|| bell.is_set()));
        bell.ring();
        assert_eq!((wakes(), bell.is_set(), taken(&bell)), (2, true, vec![]));
    }

    /// Two threads, of which one sleeps whenever it may: no call is missed.
    #[test]
    fn no_call_is_missed() {
        let (wake, woken) = std::sync::mpsc::channel();
        let bell = Arc::new(Bell::new(Arc::new(Sleeper::new(move || _ = wake.send(())))));
        let count = Arc::new(AtomicU64::new(0));
        let (calls, sender, counted) = (100_000, Arc::clone(&bell), Arc::clone(&count));
        let caller = std::thread::spawn(move || {
            for call in 0..calls {
                counted.fetch_add(1, Ordering::Relaxed);
                sender.call(call % 200);
            }
        });
        let mut seen = 0;
        while seen < calls as u64 {
            if bell.sleeper().may_sleep(|| bell.is_set()) {
                // It would hang here for ever.
                woken.recv().expect("the caller is there");
                bell.sleeper().is_awake();
            }
            bell.take(|_| seen = count.load(Ordering::Relaxed));
        }
        caller.join().expect("it does not fail");
    }
}
