//! Times on a virtual clock, exact to the nanosecond.

use super::*;
use trunkline_random::Random;

/// Nanoseconds of a full segment at 10 Mbit/s.
const FULL: u64 = 1538 * 800;
/// Nanoseconds of the shortest frame at 10 Mbit/s.
const SHORTEST: u64 = 84 * 800;
const DELAY: u64 = 20_000_000;

fn link(name: &str) -> Link {
    name.parse().expect("a link of this test")
}

/// One connection on a line of its own.
struct Alone {
    line: Line,
    shaper: Shaper,
}

fn alone(name: &str) -> Alone {
    Alone { line: Line::new(link(name)), shaper: Shaper::new(link(name)) }
}

impl Alone {
    fn push(&mut self, now: u64, count: usize) {
        assert_eq!(self.shaper.push(&mut self.line, now, &vec![b'x'; count]), count);
    }

    /// Time and bytes of every arrival from here on.
    fn arrivals(&mut self) -> Vec<(u64, usize)> {
        std::iter::from_fn(|| {
            let time = self.shaper.next_release()?;
            self.shaper.release(time - 1);
            assert!(self.shaper.arrived().is_empty(), "early");
            self.shaper.release(time);
            Some((time, take_all(&mut self.shaper).len()))
        })
        .collect()
    }
}

fn take_all(shaper: &mut Shaper) -> Vec<u8> {
    let mut taken = Vec::new();
    while !shaper.arrived().is_empty() {
        let some = shaper.arrived().to_vec();
        shaper.take(some.len());
        taken.extend(some);
    }
    taken
}

#[test]
fn a_single_segment_takes_its_bits_and_the_delay() {
    let mut it = alone("10mbit-20ms");
    it.push(1_000, 100);
    assert_eq!(it.arrivals(), [(1_000 + 178 * 800 + DELAY, 100)]);
}

#[test]
fn a_long_push_is_cut_and_sent_back_to_back() {
    let mut it = alone("10mbit");
    it.push(0, 3_000);
    assert_eq!(it.arrivals(), [(FULL, 1460), (2 * FULL, 1460), (2 * FULL + (80 + 78) * 800, 80)]);
    assert_eq!(it.line.busy_nanoseconds(), link("10mbit").serialisation(3_000));
}

#[test]
fn segments_wait_for_the_line_and_not_for_the_delay_of_those_before() {
    let mut it = alone("10mbit-20ms");
    it.push(0, 1460);
    it.push(10, 1460);
    assert_eq!(it.arrivals(), [(FULL + DELAY, 1460), (2 * FULL + DELAY, 1460)]);
}

#[test]
fn after_a_gap_the_line_is_free_at_once() {
    let mut it = alone("10mbit");
    it.push(0, 1460);
    it.push(FULL, 1);
    it.push(FULL + SHORTEST + 7, 6);
    assert_eq!(it.arrivals(), [(FULL, 1460), (FULL + SHORTEST, 1), (FULL + 2 * SHORTEST + 7, 6)]);
}

#[test]
fn a_segment_that_waits_is_filled_up_and_one_that_is_being_sent_is_not() {
    let mut it = alone("10mbit");
    it.push(0, 1);
    it.push(0, 1_000);
    it.push(1, 400);
    it.push(2, 100);
    assert_eq!(
        it.arrivals(),
        [(SHORTEST, 1), (SHORTEST + FULL, 1460), (SHORTEST + FULL + (40 + 78) * 800, 40)]
    );
}

#[test]
fn a_segment_behind_another_connections_is_not_filled_up() {
    let link = link("10mbit");
    let mut line = Line::new(link);
    let (mut first, mut second) = (Shaper::new(link), Shaper::new(link));
    first.push(&mut line, 0, &[1; 1460]);
    first.push(&mut line, 0, &[1; 6]);
    second.push(&mut line, 0, &[2; 6]);
    first.push(&mut line, 0, &[1; 6]);
    first.release(FULL + SHORTEST);
    assert_eq!(take_all(&mut first).len(), 1466);
    assert_eq!(second.next_release(), Some(FULL + 2 * SHORTEST));
    assert_eq!(first.next_release(), Some(FULL + 3 * SHORTEST));
}

#[test]
fn without_a_rate_only_the_delay_remains() {
    let mut it = alone("20ms");
    it.push(5, 1461);
    it.push(6, 1);
    assert_eq!(it.arrivals(), [(5 + DELAY, 1460), (5 + DELAY, 1), (6 + DELAY, 1)].merged());
    let mut it = alone("direct");
    it.push(5, 100);
    it.shaper.release(5);
    assert_eq!(it.shaper.arrived().len(), 100);
}

/// Arrivals at one time are seen together.
trait Merged {
    fn merged(&self) -> Vec<(u64, usize)>;
}

impl<const N: usize> Merged for [(u64, usize); N] {
    fn merged(&self) -> Vec<(u64, usize)> {
        let mut out: Vec<(u64, usize)> = Vec::new();
        for &(time, count) in self {
            match out.last_mut() {
                Some(last) if last.0 == time => last.1 += count,
                _ => out.push((time, count)),
            }
        }
        out
    }
}

#[test]
fn a_full_queue_takes_no_more_until_bytes_are_taken_at_the_far_end() {
    let link = link("10mbit");
    let mut line = Line::new(link);
    let mut shaper = Shaper::with_capacity(link, 3_000);
    assert_eq!(shaper.push(&mut line, 0, &[0; 2_000]), 2_000);
    assert_eq!(shaper.push(&mut line, 0, &[0; 2_000]), 1_000);
    assert_eq!((shaper.room(), shaper.push(&mut line, 0, b"x")), (0, 0));
    shaper.release(FULL);
    assert_eq!(shaper.room(), 0, "arrived, but still here");
    shaper.take(60);
    assert_eq!(shaper.room(), 60);
    assert_eq!(shaper.arrived().len(), 1400);
}

#[test]
fn a_queue_holds_what_is_on_its_way_and_some_more() {
    assert_eq!(Shaper::new(link("10mbit")).room(), 256 << 10);
    assert_eq!(Shaper::new(link("10mbit-20ms")).room(), (256 << 10) + 25_000);
    assert_eq!(Shaper::new(link("60s")).room(), 16 << 20);
}

#[test]
fn the_end_rides_on_what_waits_or_takes_a_segment_of_its_own() {
    let mut it = alone("10mbit-20ms");
    it.push(0, 1_460);
    it.push(0, 6);
    it.shaper.end(&mut it.line, 0);
    assert_eq!(it.shaper.push(&mut it.line, 0, b"late"), 0);
    it.shaper.release(FULL + SHORTEST + DELAY);
    assert!(!it.shaper.has_ended(), "bytes are left");
    take_all(&mut it.shaper);
    assert!(it.shaper.has_ended());

    let mut it = alone("10mbit-20ms");
    it.shaper.end(&mut it.line, 5);
    assert_eq!(it.shaper.next_release(), Some(5 + SHORTEST + DELAY));
    it.shaper.release(4 + SHORTEST + DELAY);
    assert!(!it.shaper.has_ended());
    it.shaper.release(5 + SHORTEST + DELAY);
    assert!(it.shaper.has_ended());
}

#[test]
fn whatever_is_pushed_comes_out_in_order_and_never_early() {
    let mut random = Random::new(11);
    for case in 0..300 {
        let name = ["10mbit-20ms", "1gbit", "9gbit-1us", "20ms", "direct", "333bit"][case % 6];
        let link = link(name);
        let least = link.serialisation(1) + link.delay_nanoseconds();
        let mut line = Line::new(link);
        let mut shaper = Shaper::with_capacity(link, random.between(1, 20_000) as usize);
        let (mut now, mut sent, mut received) = (0, Vec::<u8>::new(), Vec::<u8>::new());
        // When each byte of `sent` was.
        let mut times: Vec<u64> = Vec::new();
        let mut receive = |shaper: &mut Shaper, now: u64, times: &[u64]| {
            shaper.release(now);
            received.extend(take_all(shaper));
            assert!(received.len() <= times.len());
            let last = received.len().checked_sub(1).map_or(0, |last| times[last] + least);
            assert!(last <= now || received.is_empty(), "early: {last} at {now}");
            received.clone()
        };
        for _ in 0..random.between(1, 60) {
            now += if random.chance(30) { 0 } else { random.below(3_000_000) };
            let bytes: Vec<u8> = (0..random.below(5_000)).map(|_| random.bits() as u8).collect();
            let room = shaper.room();
            let taken = shaper.push(&mut line, now, &bytes);
            assert_eq!(taken, bytes.len().min(room));
            sent.extend(&bytes[..taken]);
            times.resize(sent.len(), now);
            if random.chance(70) {
                receive(&mut shaper, now, &times);
            }
        }
        while let Some(time) = shaper.next_release() {
            now = now.max(time);
            receive(&mut shaper, now, &times);
        }
        assert!(receive(&mut shaper, now, &times) == sent, "case {case}: {name}");
    }
}

#[test]
fn a_busy_line_takes_the_sum_of_its_segments_however_they_were_pushed() {
    let mut random = Random::new(12);
    for _ in 0..100 {
        let mut it = alone("10mbit-20ms");
        // The first segment is on the line while the rest is pushed in pieces.
        it.push(0, 1460);
        let (mut now, mut rest) = (0, 100_000);
        while rest > 0 {
            let count = random.between(1, 900).min(rest);
            it.push(now, count as usize);
            rest -= count;
            now += random.below(500);
        }
        let arrivals = it.arrivals();
        let total = link("10mbit").serialisation(101_460);
        assert_eq!(arrivals.last().map(|last| last.0), Some(total + DELAY));
        assert_eq!(it.line.busy_nanoseconds(), total);
    }
}
