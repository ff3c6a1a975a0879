//! Guaranteed delivery under chance: the real event loop, store and journal over a disk that is simulated,
//! with processes that die and machines that lose their power at any point.
//!
//! Producers and consumers are written from the protocols' descriptions and know nothing of the router; some are
//! pages in browsers, by WebSocket. The disk takes its time; it tears what was being written, fails, fills up, and
//! flips bits of what is old. What everybody was told is held against what comes later:
//!
//! - *acknowledged*: what a producer was told is stored is delivered to every durable subscription that
//!   stood, unaltered, whatever happened in between;
//! - *flags*: what is delivered again says so, and what is not on disk yet says that;
//! - *confirmed*: what was delivered as durable has one position for ever;
//! - *order*: positions and each producer's numbers rise, but for what is delivered again;
//! - *commit order*: what is said to be stored or on disk has been written and synced before, commits are given
//!   to the disk one after the other, and nobody waits for them who does not have to;
//! - *done*: what a consumer was told is acknowledged is not delivered again; what others were sent before, since it
//!   was acknowledged late, they may still get;
//! - *conflation*: of each topic nothing older comes after something newer, and the newest comes in the end;
//! - *positions*: none is given twice;
//! - *dead letters*: what is delivered too often is on their topic, unaltered, once for each subscription;
//! - *administered*: what an administrator was told is paused or resumed is that after every start;
//! - *damage*: a flipped bit costs one message at most, and is told;
//! - *settling*: when faults end, everything is stored, delivered and acknowledged.

mod consumer;
mod machine;
mod model;
mod page;
mod pauses;
mod producer;
#[cfg(test)]
mod start;

use trunkline_native::Updates;
use trunkline_server::engine::StoreRequest;
use trunkline_store::Start;

use super::report::{Checked, Failure, Violation, ensure};
use consumer::Consumer;
use machine::Machine;
use model::Model;
use producer::Producer;
use trunkline_random::Random;

/// What is checked in every run with power cuts.
pub const POWER_CHECKERS: &[&str] = &[
    "acknowledged",
    "commit order",
    "flags",
    "confirmed",
    "conflation",
    "order",
    "done",
    "positions",
    "dead letters",
    "administered",
    "damage",
    "fairness",
    "back-pressure",
    "lingering",
    "settling",
];

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident: $label:literal,)*) => {
        /// How often what happened in a run with power cuts, or in several.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct PowerCounts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl PowerCounts {
            /// The counts with their labels, in the order in which they are told.
            pub fn lines(&self) -> Vec<(&'static str, u64)> {
                vec![$(($label, self.$name),)*]
            }

            /// Adds those of another run.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counts! {
    /// Virtual time, in milliseconds.
    milliseconds: "virtual milliseconds",
    /// Power cuts.
    power_cuts: "power cuts",
    /// Routers that were killed.
    kills: "routers killed",
    /// Of both, those in the middle of a write.
    in_write: "of both, in the middle of a write",
    /// Ends of a journal that were cut off when it was opened.
    torn: "torn ends cut off",
    /// Syncs that failed.
    failures: "disks that failed",
    /// Times that the disk was full.
    full: "times that the disk was full",
    /// Bits that were flipped.
    flips: "bits flipped",
    /// Connections of pages in browsers.
    pages: "connections of pages",
    /// Clients that died.
    deaths: "clients that died",
    /// Messages that producers were told are stored.
    stored: "messages acknowledged to producers",
    /// Messages that producers sent again.
    sent_again: "messages sent again",
    /// Rejections.
    rejected: "rejections",
    /// Deliveries.
    delivered: "deliveries",
    /// Deliveries of what may have been delivered before.
    repeated: "deliveries that said they may be repeated",
    /// Deliveries before the message was on disk.
    unconfirmed: "deliveries ahead of the disk",
    /// Updates that newer ones took the place of.
    replaced: "updates replaced by newer ones",
    /// Messages whose acknowledgement was kept.
    done: "messages whose acknowledgement is kept",
    /// Messages that flipped bits cost.
    damaged: "messages that flipped bits cost",
    /// Dead letters.
    dead_letters: "dead letters",
    /// Durable subscriptions that were paused.
    pauses: "subscriptions paused",
    /// Durable subscriptions that were resumed.
    resumes: "subscriptions resumed",
    /// Pauses and resumptions that administrators were told are kept.
    pauses_kept: "pauses and resumptions that were kept",
    /// Durable subscriptions that were purged.
    purges: "subscriptions purged",
    /// Durable subscriptions that were moved.
    moves: "subscriptions moved",
    /// Times that the journal was rotated.
    rotated: "times that the journal was rotated",
    /// Segments that were let go of.
    segments_removed: "segments let go of",
}

/// Lets what follows from a seed happen, for so many steps.
///
/// # Errors
///
/// A checker saw something.
pub fn simulate_power(seed: u64, steps: u32) -> Result<PowerCounts, Box<Failure>> {
    let mut world = World::new(seed);
    match world.run(steps) {
        Ok(()) => {
            world.counts.milliseconds = world.machine.now / 1_000_000;
            Ok(world.counts)
        }
        Err(Violation { checker, what }) => Err(Box::new(Failure {
            seed,
            steps,
            power_cut: true,
            turn: world.turns,
            time: world.machine.now,
            checker,
            what,
            recent: world.machine.recent(),
        })),
    }
}

struct World {
    machine: Machine,
    producers: Vec<Producer>,
    consumers: Vec<Consumer>,
    model: Model,
    random: Random,
    counts: PowerCounts,
    turns: u64,
    /// When a fault of the disk ends.
    mends_at: Option<u64>,
    /// Whether bits are flipped in this run.
    flips: bool,
}

/// Steps in which everything has to come to rest.
const REST: u32 = 60_000;

impl World {
    fn new(seed: u64) -> Self {
        let mut random = Random::stream(seed, 1);
        let producers = random.between(1, 3);
        let durables = random.between(1, 3);
        let mut consumers = Vec::new();
        for durable in 0..durables {
            for _ in 0..random.between(1, 2) {
                let number = consumers.len() as u64;
                consumers.push(Consumer::new(seed, number, durable, None));
            }
        }
        // The last one is conflated, with a cap or without.
        let updates = random.pick(&[Updates::Newest, Updates::PerSecond(2_000)]);
        let number = consumers.len() as u64;
        consumers.push(Consumer::new(seed, number, durables, Some(updates)));
        Self {
            machine: Machine::new(seed),
            producers: (0..producers).map(|number| Producer::new(seed, number)).collect(),
            consumers,
            model: Model::new(durables as usize + 1),
            flips: random.once_in(4),
            random,
            counts: PowerCounts::default(),
            turns: 0,
            mends_at: None,
        }
    }

    fn run(&mut self, steps: u32) -> Checked {
        for _ in 0..steps {
            self.step(true)?;
            self.inject_fault()?;
        }
        self.rest()
    }

    /// A step of everybody.
    fn step(&mut self, is_busy: bool) -> Checked {
        self.turns += 1;
        self.machine.now += self.random.between(5_000, 120_000);
        self.machine.turn(&mut self.counts)?;
        self.note_changes();
        for producer in &mut self.producers {
            producer.step(&mut self.machine, &mut self.model, &mut self.counts, is_busy)?;
        }
        for consumer in &mut self.consumers {
            consumer.step(&mut self.machine, &mut self.model, &mut self.counts, is_busy)?;
        }
        self.machine.turn(&mut self.counts)?;
        self.note_changes();
        Ok(())
    }

    /// What was sent until a subscription is moved or purged counts, not what was sent until that is asked for.
    fn note_changes(&mut self) {
        for request in self.machine.under_way() {
            self.note_change(&request);
        }
    }

    /// What a subscription has that is moved may come again; one that is purged may lack what was sent.
    fn note_change(&mut self, request: &StoreRequest) {
        let (StoreRequest::Seek(name, _) | StoreRequest::Purge(name)) = request else { return };
        let Some(durable) = self.model.durables().iter().position(|it| it == name) else { return };
        match request {
            StoreRequest::Purge(_) => self.model.purged(durable),
            _ => self.model.moved(durable),
        }
    }

    /// What may go wrong.
    fn inject_fault(&mut self) -> Checked {
        let now = self.machine.now;
        if self.mends_at.is_some_and(|at| now >= at) {
            self.mends_at = None;
            self.machine.mend();
        }
        if self.machine.has_failed() && self.random.once_in(30) {
            self.machine.mend();
            return self.restart(false);
        }
        match self.random.below(2_000) {
            0..=2 => self.restart(true)?,
            3..=5 => self.restart(false)?,
            6 if self.mends_at.is_none() => {
                self.counts.full += 1;
                self.machine.fill();
                self.mends_at = Some(now + self.random.between(1_000_000, 20_000_000));
            }
            7 if self.random.once_in(3) && self.mends_at.is_none() => {
                self.counts.failures += 1;
                self.machine.fail();
            }
            8..=20 => self.machine.rotate(),
            21..=33 => self.administer(),
            _ => {}
        }
        Ok(())
    }

    /// An administrator does something with a durable subscription.
    fn administer(&mut self) {
        let durable = self.random.below(self.model.durables().len() as u64) as usize;
        let name = self.model.durables()[durable].clone();
        let is_conflated = durable + 1 == self.model.durables().len();
        let (request, count) = match self.random.below(10) {
            0..=3 => (StoreRequest::Pause(name), &mut self.counts.pauses),
            4..=7 => (StoreRequest::Resume(name), &mut self.counts.resumes),
            8 if is_conflated || self.random.once_in(2) => {
                (StoreRequest::Purge(name), &mut self.counts.purges)
            }
            _ if is_conflated => return,
            _ => (StoreRequest::Seek(name, Start::All), &mut self.counts.moves),
        };
        // It may be told that it is not possible now; something of it may still have come before the power is
        // cut.
        *count += u64::from(self.machine.administer(&request));
        self.note_change(&request);
    }

    /// The router dies, alone or with its machine, and is started again.
    fn restart(&mut self, power: bool) -> Checked {
        self.machine.die(power, &mut self.counts);
        if self.flips && self.random.once_in(2) && self.machine.flip() {
            self.counts.flips += 1;
            self.model.flips += 1;
        }
        for producer in &mut self.producers {
            producer.disconnected(&mut self.machine);
        }
        for consumer in &mut self.consumers {
            consumer.disconnected(&mut self.machine);
        }
        self.machine.now += self.random.between(1_000, 5_000_000);
        self.machine.start(&mut self.counts)
    }

    /// Faults end; everything has to be stored, delivered and acknowledged.
    fn rest(&mut self) -> Checked {
        self.machine.mend();
        self.mends_at = None;
        if self.machine.has_failed() {
            self.restart(false)?;
        }
        for name in self.model.durables() {
            self.machine.administer(&StoreRequest::Resume(name.clone()));
        }
        for _ in 0..REST {
            self.step(false)?;
            let is_quiet = self.producers.iter().all(Producer::is_quiet)
                && self.consumers.iter().all(Consumer::is_quiet)
                && self.machine.is_quiet(self.model.durables());
            if is_quiet {
                return self.model.finish(&mut self.counts);
            }
        }
        let producers = self.producers.iter().map(Producer::describe);
        let consumers = self.consumers.iter().map(Consumer::describe);
        let waits: Vec<String> = producers.chain(consumers).collect();
        let accounts = self.machine.describe(self.model.durables());
        ensure(false, "settling", || format!("{} and {accounts}", waits.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acknowledged_is_lost() {
        let mut counts = PowerCounts::default();
        for seed in 1..=60 {
            match simulate_power(seed, 2_000) {
                Ok(more) => counts.add(&more),
                Err(failure) => panic!("{failure}"),
            }
        }
        for (what, count) in counts.lines() {
            assert!(count > 0, "no {what} in all these runs");
        }
    }

    /// In 158 a purge waits for the move of another subscription, and ends what is stored meanwhile. In 187 and 577 a
    /// message is acknowledged late, on its way to another consumer.
    #[test]
    fn what_is_under_way_is_not_held_against_the_router() {
        for seed in [158, 187, 577] {
            if let Err(failure) = simulate_power(seed, 2_000) {
                panic!("{failure}");
            }
        }
    }

    /// The power is cut when both segments beyond `journal.bytes` are used, and dead letters wait for room.
    #[test]
    fn a_start_beyond_the_limit_of_the_journal_goes_on() {
        if let Err(failure) = simulate_power(648, 2_000) {
            panic!("{failure}");
        }
    }

    #[test]
    fn a_run_follows_from_its_seed() {
        assert_eq!(simulate_power(5, 1_000), simulate_power(5, 1_000));
    }
}
