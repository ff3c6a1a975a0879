//! Readers of every pace at the end of lines of every length.

use std::collections::VecDeque;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use super::*;

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLISECOND;

/// A reader at the end of a line, for which there is always an update. It reports at most once a
/// millisecond, and when it has nothing to do.
struct Line {
    credit: Credit,
    now: u64,
    /// There and back.
    round_trip: u64,
    /// When each update on its way was sent.
    coming: VecDeque<u64>,
    /// What the reader has taken.
    taken: u64,
    reported: u64,
    reported_at: u64,
    /// Reports on their way, and when they are there.
    going: VecDeque<(u64, u64)>,
    /// When the reader is done with what it has.
    free: u64,
    /// The greatest age at the reader since it was set to 0.
    oldest: u64,
    most_under_way: u64,
}

impl Line {
    fn new(round_trip: u64) -> Self {
        Self {
            credit: Credit::default(),
            now: 0,
            round_trip,
            coming: VecDeque::new(),
            taken: 0,
            reported: 0,
            reported_at: 0,
            going: VecDeque::new(),
            free: 0,
            oldest: 0,
            most_under_way: 0,
        }
    }

    /// Runs for a time with a reader that is busy with each update for so long.
    fn run(&mut self, time: u64, service: u64) {
        let end = self.now + time;
        let before = self.taken;
        let mut stood = 0;
        while self.now < end {
            let now = self.now;
            while let Some((taken, _)) = self.going.pop_front_if(|(_, at)| *at <= now) {
                self.credit.taken(self.now, taken, self.round_trip).expect("it was sent");
            }
            while self.credit.admits() {
                self.credit.sent(self.now);
                self.coming.push_back(self.now);
            }
            self.most_under_way = self.most_under_way.max(self.credit.under_way());
            let is_there = |sent: &u64| sent + self.round_trip / 2 <= self.now;
            if self.now >= self.free
                && let Some(sent) = self.coming.front().copied().filter(is_there)
            {
                self.coming.pop_front();
                self.oldest = self.oldest.max(self.now - sent);
                self.free = self.now + service;
                self.taken += 1;
            }
            // An update counts as taken when the reader is done with it.
            let done = self.taken - u64::from(self.now < self.free);
            if done > self.reported && self.now >= self.reported_at + MILLISECOND {
                (self.reported, self.reported_at) = (done, self.now);
                self.going.push_back((done, self.now + self.round_trip / 2));
            }
            let comes = self.coming.front().map(|sent| (sent + self.round_trip / 2).max(self.free));
            let goes = self.going.front().map(|(_, at)| *at);
            let reports = (done > self.reported).then_some(self.reported_at + MILLISECOND);
            let free = (self.now < self.free).then_some(self.free);
            let next = [comes, goes, reports, free].into_iter().flatten().min();
            let next = next.expect("something is on its way: the line never stands still");
            stood = if next > self.now { 0 } else { stood + 1 };
            assert!(stood < 1_000_000, "time passes");
            self.now = next.max(self.now);
        }
        assert!(self.taken > before || service >= time, "updates come");
    }
}

#[test]
fn a_slow_reader_gets_what_is_fresh() {
    for (per_second, round_trip) in
        [(1, 0), (10, 0), (100, 0), (1_000, 0), (10_000, 0), (10, 1), (1_000, 1), (1_000, 10)]
    {
        let (service, round_trip) = (SECOND / per_second, round_trip * MILLISECOND);
        let mut line = Line::new(round_trip);
        line.run(2 * SECOND + 20 * service, service);
        line.oldest = 0;
        let (before, began) = (line.taken, line.now);
        line.run(10 * SECOND, service);
        let most = service + round_trip / 2 + 50 * MILLISECOND;
        assert!(line.oldest <= most, "{per_second} a second: {} ns old", line.oldest);
        let could = (line.now - began) / service;
        let taken = line.taken - before;
        assert!(taken * 100 >= could * 95, "{per_second}: {taken} of {could}");
    }
}

#[test]
fn the_bound_grows_while_the_reader_keeps_up() {
    for round_trip in [0, 1, 10, 100] {
        let mut line = Line::new(round_trip * MILLISECOND);
        line.run(3 * SECOND, 10_000);
        let (before, began) = (line.taken, line.now);
        line.run(SECOND, 10_000);
        let could = (line.now - began) / 10_000;
        let taken = line.taken - before;
        assert!(taken * 10 >= could * 9, "{round_trip} ms away it takes {taken} of {could}");
    }
}

#[test]
fn a_reader_that_stops_gets_what_was_under_way_and_no_more() {
    let mut line = Line::new(0);
    line.run(3 * SECOND, MILLISECOND);
    let bound = line.credit.bound();
    assert!((10..=30).contains(&bound), "{bound}");
    line.run(60 * SECOND, 60 * SECOND);
    assert!(line.credit.under_way() <= bound);
}

#[test]
fn a_reader_that_looks_now_and_then_gets_all_that_there_is() {
    // A screen takes what has come, forty times a second or twice.
    for interval in [25, 100, 500] {
        let (mut credit, mut now, mut sent) = (Credit::default(), 0, 0);
        for _ in 0..12 {
            // Each of 200 topics has an update each time.
            for _ in 0..200 {
                if credit.admits() {
                    credit.sent(now);
                    sent += 1;
                }
            }
            now += interval * MILLISECOND;
            assert_eq!(credit.taken(now, sent, MILLISECOND), Ok(()));
        }
        let before = sent;
        while sent < before + 200 && credit.admits() {
            credit.sent(now);
            sent += 1;
        }
        assert_eq!(sent, before + 200, "each {interval} ms");
    }
}

#[test]
fn what_cannot_be_taken_is_rejected() {
    let mut credit = Credit::default();
    assert!(credit.admits());
    credit.sent(0);
    assert_eq!(credit.taken(1, 2, 0), Err(InvalidReport { before: 0, sent: 1 }));
    assert_eq!(credit.taken(1, 1, 0), Ok(()));
    assert_eq!(credit.taken(1, 0, 0), Err(InvalidReport { before: 1, sent: 1 }));
    assert_eq!((credit.under_way(), credit.admits()), (0, true));
}

proptest! {
    #![proptest_config(Config {
        rng_seed: RngSeed::Fixed(13), cases: 500, failure_persistence: None, ..Config::default()
    })]

    /// Whatever a client says and whenever: with nothing under way an update may go, the bound is never
    /// passed, and nothing panics.
    #[test]
    fn a_client_with_nothing_under_way_may_always_get_one(
        steps in prop::collection::vec((0..2_000_000_000_u64, 0..5_u64, any::<u64>()), 1..200)
    ) {
        let mut credit = Credit::default();
        let mut now = 0;
        for (time, share, round_trip) in steps {
            now += time;
            while credit.admits() && credit.under_way() < 10_000 {
                credit.sent(now);
                prop_assert!(credit.under_way() <= credit.bound());
            }
            let taken = credit.taken + credit.under_way() * share / 4;
            let round_trip = if share == 0 { round_trip } else { round_trip % 100_000_000 };
            let result = credit.taken(now, taken, round_trip);
            prop_assert_eq!(result.is_ok(), share < 5);
            prop_assert!(credit.bound() >= 1 && credit.bound() <= MOST);
            prop_assert!(credit.under_way() > 0 || credit.admits());
        }
    }

    /// A reader whose pace changes all the time is never left waiting, and what is under way to it stays
    /// within what it takes in the time that a round may have.
    #[test]
    fn a_reader_of_any_pace_goes_on(
        round_trip in 0..200_u64,
        services in prop::collection::vec(1..300_u64, 1..12)
    ) {
        let mut line = Line::new(round_trip * MILLISECOND);
        for service in services {
            let before = line.taken;
            line.run(3 * SECOND, service * MILLISECOND);
            prop_assert!(line.taken > before);
        }
        line.run(SECOND, 100 * MILLISECOND);
        line.run(20 * SECOND, 100 * MILLISECOND);
        let most = 10 * (round_trip + 20) / 1_000 + 3;
        prop_assert!(line.credit.bound() <= most, "{} under way", line.credit.bound());
    }
}

#[test]
fn only_who_has_waited_for_credit_gets_more() {
    let mut credit = Credit::default();
    for round in 1..=10 {
        for _ in 0..LEAST {
            assert!(credit.admits());
            credit.sent(round);
        }
        credit.taken(round, round * LEAST, 0).expect("it was sent");
        assert_eq!(credit.bound(), LEAST, "nothing has waited");
    }
    for _ in 0..LEAST {
        assert!(credit.admits());
        credit.sent(11);
    }
    assert!(!credit.admits(), "one waits");
    credit.taken(11, 11 * LEAST, 0).expect("it was sent");
    assert_eq!(credit.bound(), 2 * LEAST);
}
