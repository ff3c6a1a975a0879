//! Turns: all who are measured meet the same machine, and nobody is always first.

/// In a repetition each works once, in an order that rotates by one from repetition to repetition.
pub(crate) fn take_turns<T>(all: &mut [T], repetition: u32, mut work: impl FnMut(&mut T)) {
    let count = all.len();
    for turn in 0..count {
        work(&mut all[(turn + repetition as usize) % count]);
    }
}
