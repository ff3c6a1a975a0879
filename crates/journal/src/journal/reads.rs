//! Requested reads, results, and unreadable bytes.

use std::collections::VecDeque;

use super::Task;
use crate::record::Address;

/// Reads whose bytes are kept.
const KEPT: usize = 16;

/// Failures after which bytes are read in ever smaller pieces instead of one, until it is known which are
/// unreadable.
const FAILURES: u32 = 5;

/// Pauses before a failed read is retried: the first time, and later; nanoseconds.
const PAUSES: [u64; 2] = [100_000_000, 1_000_000_000];

/// The unit of unreadable bytes: one bad byte makes all of it bad.
const PAGE: u32 = 4 << 10;

/// Known bad places; beyond them the oldest are retried.
const BAD: usize = 1_000;

/// Bytes of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    segment: u32,
    from: u32,
    to: u32,
}

impl Span {
    fn has(&self, at: Address) -> bool {
        self.segment == at.segment && self.from <= at.offset && at.offset < self.to
    }

    fn touches(&self, other: &Self) -> bool {
        self.segment == other.segment && self.from < other.to && other.from < self.to
    }
}

/// A requested read.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    span: Span,
    failures: u32,
    /// The earliest time.
    due: u64,
}

/// Requested reads and results.
#[derive(Debug, Default)]
pub(super) struct Reads {
    wanted: VecDeque<Wanted>,
    /// The read under way, unless its segment is gone.
    under_way: Option<Wanted>,
    /// Whether one is under way, of a segment that is there or gone.
    is_reading: bool,
    /// Requested bytes, and the result: less, if the file is shorter.
    kept: VecDeque<(Span, Vec<u8>)>,
    bad: VecDeque<Span>,
}

impl Reads {
    /// Requests bytes, unless that read is already due.
    pub(super) fn want(&mut self, at: Address, bytes: usize) {
        let to = at.offset.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
        let span = Span { segment: at.segment, from: at.offset, to };
        let comes = |it: &Wanted| {
            let is_tried_again = it.failures > 0 && it.span.touches(&span);
            is_tried_again || it.span.has(at) && it.span.to >= span.to
        };
        if !self.wanted.iter().chain(&self.under_way).any(comes) {
            self.wanted.push_back(Wanted { span, failures: 0, due: 0 });
        }
    }

    /// Whether a read is under way.
    pub(super) fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// The next read, if none is under way.
    pub(super) fn next(&mut self, now: u64) -> Option<Task> {
        if self.is_reading {
            return None;
        }
        let next = self.wanted.iter().position(|it| it.due <= now)?;
        let wanted = self.wanted.remove(next)?;
        (self.under_way, self.is_reading) = (Some(wanted), true);
        let Span { segment, from, to } = wanted.span;
        Some(Task::Read { at: Address { segment, offset: from }, bytes: (to - from) as usize })
    }

    /// When a failed read is to be retried. The result of the one under way comes first.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        if self.is_reading {
            return None;
        }
        self.wanted.iter().filter(|it| it.failures > 0).map(|it| it.due).min()
    }

    pub(super) fn done(&mut self, read: Vec<u8>) {
        self.is_reading = false;
        let Some(wanted) = self.under_way.take() else { return };
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((wanted.span, read));
    }

    /// The current read has failed: nothing is known of the bytes, and they are retried.
    pub(super) fn failed(&mut self, now: u64) {
        self.is_reading = false;
        let Some(Wanted { span, failures, .. }) = self.under_way.take() else { return };
        let failures = failures + 1;
        if failures < FAILURES {
            let pause = PAUSES[usize::from(failures > 1)];
            self.wanted.push_front(Wanted { span, failures, due: now.saturating_add(pause) });
            return;
        }
        let Some(middle) = middle(span) else {
            self.add_bad(span);
            return;
        };
        // Each half is read once before it is halved.
        let failures = FAILURES - 1;
        for half in [Span { from: middle, ..span }, Span { to: middle, ..span }] {
            self.wanted.push_front(Wanted { span: half, failures, due: now });
        }
    }

    fn add_bad(&mut self, span: Span) {
        let before = |it: &&mut Span| it.segment == span.segment && it.to == span.from;
        if let Some(before) = self.bad.iter_mut().find(before) {
            before.to = span.to;
            return;
        }
        if self.bad.len() == BAD {
            self.bad.pop_front();
        }
        self.bad.push_back(span);
    }

    /// A segment and those before it are gone.
    pub(super) fn forget_segment(&mut self, segment: u32) {
        self.wanted.retain(|it| it.span.segment > segment);
        self.kept.retain(|(span, _)| span.segment > segment);
        self.bad.retain(|span| span.segment > segment);
        if self.under_way.is_some_and(|it| it.span.segment <= segment) {
            self.under_way = None;
        }
    }

    /// The end of the unreadable bytes, if the one at an address is among them.
    pub(super) fn bad_until(&self, at: Address) -> Option<u32> {
        self.bad.iter().find(|span| span.has(at)).map(|span| span.to)
    }

    /// Where unreadable bytes begin behind an address.
    pub(super) fn bad_from(&self, at: Address) -> Option<u32> {
        let behind = |span: &&Span| span.segment == at.segment && span.from > at.offset;
        self.bad.iter().filter(behind).map(|span| span.from).min()
    }

    /// What was read from an address on: the bytes, and whether the file ends with them.
    pub(super) fn from(&self, at: Address) -> Option<(&[u8], bool)> {
        let (span, read) = self.kept.iter().rev().find(|(span, _)| span.has(at))?;
        let rest = read.get((at.offset - span.from) as usize..).unwrap_or(&[]);
        Some((rest, read.len() < (span.to - span.from) as usize))
    }
}

/// Where bytes are halved; `None` within one page.
fn middle(span: Span) -> Option<u32> {
    let half = span.from + (span.to - span.from) / 2;
    let after = span.from / PAGE * PAGE + PAGE;
    let middle = (half / PAGE * PAGE).max(after);
    (middle < span.to).then_some(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Performs all reads of a segment with one bad byte, and counts the failures.
    fn read_all(reads: &mut Reads, bad: u32, mut now: u64) -> u32 {
        let mut failed = 0;
        loop {
            match reads.next(now) {
                Some(Task::Read { at, bytes }) => {
                    if (at.offset..at.offset + bytes as u32).contains(&bad) {
                        failed += 1;
                        reads.failed(now);
                    } else {
                        reads.done(vec![1; bytes]);
                    }
                }
                _ => match reads.next_deadline() {
                    Some(due) => now = due,
                    None => return failed,
                },
            }
        }
    }

    #[test]
    fn a_read_that_fails_is_tried_again_later() {
        let at = Address { segment: 1, offset: 64 };
        let mut reads = Reads::default();
        reads.want(at, 1_000);
        assert!(reads.next(0).is_some());
        reads.want(at, 500);
        reads.failed(SECOND);
        reads.want(at, 2_000);
        assert_eq!(reads.next_deadline(), Some(SECOND + SECOND / 10));
        assert!(reads.next(SECOND).is_none());
        assert!(reads.next(2 * SECOND).is_some());
        reads.failed(2 * SECOND);
        assert_eq!(reads.next_deadline(), Some(3 * SECOND));
        assert!(reads.next(3 * SECOND).is_some());
        reads.done(vec![7; 1_000]);
        assert_eq!((reads.next_deadline(), reads.bad_until(at)), (None, None));
        assert_eq!(reads.from(at), Some((&[7; 1_000][..], false)));
    }

    #[test]
    fn a_bad_byte_costs_its_page() {
        let at = |offset| Address { segment: 3, offset };
        let mut reads = Reads::default();
        reads.want(at(5_000), 256 << 10);
        let failed = read_all(&mut reads, 100_000, 0);
        assert!((FAILURES..=FAILURES + 7).contains(&failed), "{failed}");
        let (from, to) = (24 * PAGE, 25 * PAGE);
        assert_eq!((reads.bad_until(at(from)), reads.bad_until(at(to - 1))), (Some(to), Some(to)));
        assert_eq!((reads.bad_until(at(from - 1)), reads.bad_until(at(to))), (None, None));
        assert_eq!((reads.bad_from(at(64)), reads.bad_from(at(from))), (Some(from), None));
        assert!(reads.from(at(from - 1)).is_some() && reads.from(at(to)).is_some());
        reads.forget_segment(3);
        assert_eq!((reads.bad_until(at(from)), reads.from(at(to))), (None, None));
    }

    #[test]
    fn a_read_that_fails_holds_up_no_other() {
        let at = |segment, offset| Address { segment, offset };
        let mut reads = Reads::default();
        reads.want(at(2, 4_096), 1_000);
        assert!(reads.next(0).is_some());
        reads.failed(0);
        // Before it, behind it, and in other segments.
        for other in [at(2, 3_096), at(2, 5_096), at(1, 4_096), at(3, 4_096)] {
            reads.want(other, 1_000);
            let read = reads.next(1);
            assert!(matches!(read, Some(Task::Read { at, .. }) if at == other), "{other:?}");
            reads.done(vec![7; 1_000]);
        }
        reads.want(at(2, 4_500), 1_000);
        assert!(reads.next(1).is_none(), "that one waits for what has failed");
    }

    #[test]
    fn of_segments_that_are_gone_nothing_is_read_or_known() {
        let at = |segment| Address { segment, offset: 64 };
        let mut reads = Reads::default();
        for segment in [1, 2, 3] {
            reads.want(at(segment), 1_000);
            assert_eq!(read_all(&mut reads, 100, 0), FAILURES);
        }
        for segment in [1, 2, 3] {
            reads.want(at(segment), 10);
        }
        assert!(reads.next(0).is_some());
        reads.forget_segment(2);
        reads.done(vec![7; 10]);
        assert!((1..3).all(|it| reads.from(at(it)).is_none() && reads.bad_until(at(it)).is_none()));
        assert_eq!(reads.bad_until(at(3)), Some(1_064));
        assert!(matches!(reads.next(0), Some(Task::Read { at, .. }) if at.segment == 3));
        reads.forget_segment(2);
        reads.done(vec![7; 10]);
        assert!(reads.from(at(3)).is_some(), "that one is there still");
    }

    #[test]
    fn bad_places_are_known_one_by_one_and_side_by_side() {
        let at = |segment, page: u32| Address { segment, offset: page * PAGE };
        let mut reads = Reads::default();
        for (segment, page) in [(1, 1), (2, 7), (1, 2), (1, 5), (2, 2)] {
            reads.want(at(segment, page), PAGE as usize);
            read_all(&mut reads, page * PAGE, 0);
        }
        let until = |segment, page| reads.bad_until(at(segment, page)).map(|end| end / PAGE);
        assert_eq!((until(1, 1), until(1, 2), until(1, 5)), (Some(3), Some(3), Some(6)));
        assert_eq!((until(2, 2), until(2, 7), until(2, 1)), (Some(3), Some(8), None));
    }

    #[test]
    fn so_many_bad_places_are_known_and_no_more() {
        let at = |number: usize| Address { segment: number as u32, offset: PAGE };
        let mut reads = Reads::default();
        for number in 0..=BAD {
            assert_eq!(reads.bad_until(at(0)).is_some(), number > 0);
            reads.want(at(number), 1);
            read_all(&mut reads, PAGE, 0);
        }
        assert_eq!(reads.bad_until(at(0)), None, "the oldest is tried again");
        assert!((1..=BAD).all(|number| reads.bad_until(at(number)).is_some()));
    }
}
