//! A run: the clients and the router, in virtual time.

use super::actor::{Actor, Phase};
use super::host::{Host, Tamper};
use super::kernel::Kernel;
use super::page::Page;
use super::report::{Checked, Counts, Failure, Trace, Violation, ensure, violation};
use super::scenario::Scenario;
use super::seen::Observation;
use trunkline_random::Random;
use trunkline_server::{Config, Engine};

/// How long everything is watched after the last thing was begun, at least and at most; nanoseconds.
const WATCHED: (u64, u64) = (1_000_000_000, 120_000_000_000);

/// How long nothing is under way before it is sure that nothing comes; nanoseconds. Losses are told at
/// the client's pace, and do not count as waiting.
const QUIET: u64 = 200_000_000;

/// How one run differs from another of the same seed.
#[derive(Default)]
pub(crate) struct Variant {
    /// Slow clients read at once, and do not die.
    pub(crate) slow_are_fast: bool,
    /// Whether the last events are kept, to be told.
    pub(crate) is_traced: bool,
    pub(crate) tamper: Option<Tamper>,
}

/// What the clients that are not slow saw, and when.
pub(crate) type Observations = Vec<Vec<Observation>>;

/// A run that went well.
pub(crate) struct Outcome {
    pub(crate) counts: Counts,
    pub(crate) observations: Observations,
    /// Whether a run with fast slow clients has to give the same.
    pub(crate) is_one_by_one: bool,
}

struct World {
    host: Host,
    actors: Vec<Actor>,
    pages: Vec<Page>,
    now: u64,
    steps: u64,
    /// Clients act one after the other, and the router comes to rest in between.
    is_one_by_one: bool,
    /// When nothing more begins.
    end: u64,
    /// Since when nothing waits and nothing was told, and what had been told by then.
    quiet_since: (u64, Counts),
    /// When the configuration changes, and to what.
    reload: Option<(u64, Config)>,
}

/// Lets a scenario run for so many steps of its clock, and then come to rest.
pub(crate) fn run(seed: u64, steps: u32, variant: Variant) -> Result<Outcome, Box<Failure>> {
    let Scenario { config, reload, grain, plans, is_one_by_one, pages } = Scenario::new(seed);
    let is_slow: Vec<bool> = plans.iter().map(|plan| plan.is_slow).collect();
    let actors = plans.into_iter().enumerate().map(|(index, mut plan)| {
        plan.hurries = plan.is_slow && variant.slow_are_fast;
        Actor::new(index, seed, grain, plan)
    });
    let mut kernel = Kernel::new();
    kernel.shuffles = (!is_one_by_one).then(|| Random::stream(seed, 0x6576_656e));
    let trace = Trace::new(variant.is_traced);
    let host = Host::new(&config, Engine::new(&config), kernel, trace, variant.tamper);
    let host = host.map_err(|seen| Failure::new((seed, steps), (0, 0), seen, Vec::new()))?;
    let mut world = World {
        host,
        actors: actors.collect(),
        pages: (0..pages).map(|number| Page::new(seed, number, grain)).collect(),
        now: 0,
        steps: 0,
        is_one_by_one,
        end: grain * u64::from(steps),
        quiet_since: (0, Counts::default()),
        reload: reload.map(|(step, config)| (grain * step, config)),
    };
    if let Err(seen) = world.run() {
        let at = (world.host.counts.turns, world.now);
        return Err(Failure::new((seed, steps), at, seen, world.host.trace.into_lines()));
    }
    let mut counts = world.host.counts;
    counts.lost_for_memory = world.host.engine().router().view().memory().lost;
    counts.milliseconds = world.now / 1_000_000;
    let until = world.end + WATCHED.0;
    let observations = world.actors.into_iter().zip(is_slow).map(|(mut actor, is_slow)| {
        actor.observations.retain(|observation| observation.time < until && !is_slow);
        actor.observations
    });
    Ok(Outcome { counts, observations: observations.collect(), is_one_by_one })
}

impl World {
    fn run(&mut self) -> Checked {
        let mut phase = Phase::Running;
        loop {
            let steps = self.actors.iter().map(|actor| actor.next_step);
            let reload = self.reload.as_ref().map(|(time, _)| *time);
            let steps = steps.chain(self.pages.iter().map(|page| page.next_step));
            let next = steps.chain(self.host.next_deadline()).chain(reload).min();
            let Some(next) = next else { return Ok(()) };
            self.now = self.now.max(next);
            self.host.trace.now = self.now;
            if phase == Phase::Running && self.now >= self.end {
                phase = Phase::Settling;
                self.host.break_vanished();
            }
            if let Some((_, config)) = self.reload.take_if(|(time, _)| *time <= self.now) {
                self.host.reconfigure(self.now, &config)?;
            }
            // What is due is done before anything new comes.
            self.host.turns(self.now)?;
            for actor in &mut self.actors {
                if actor.next_step <= self.now {
                    actor.step(self.now, phase, &mut self.host)?;
                    if self.is_one_by_one {
                        self.host.turns(self.now)?;
                    }
                }
            }
            for page in &mut self.pages {
                if page.next_step <= self.now {
                    page.step(self.now, phase, &mut self.host)?;
                }
            }
            self.host.turns(self.now)?;
            self.steps += 1;
            if phase == Phase::Running {
                if self.steps.is_multiple_of(8) {
                    self.host.check_ledgers()?;
                }
            } else if self.is_at_rest()? {
                return self.host.check_settled();
            }
        }
    }

    fn is_at_rest(&mut self) -> Result<bool, Violation> {
        let watched = self.now - self.end;
        let waits = self.actors.iter().any(Actor::waits);
        // Turns and signs of life go on for ever.
        let counts = Counts { turns: 0, ..self.host.counts };
        if counts != self.quiet_since.1 || waits || !self.host.is_quiet() {
            self.quiet_since = (self.now, counts);
        }
        if watched >= WATCHED.0 && self.now - self.quiet_since.0 >= QUIET {
            return Ok(true);
        }
        ensure(watched < WATCHED.1, "settling", || {
            let totals = self.host.engine().router().view().totals();
            format!("it does not come to rest; requests wait: {waits}; {totals:?}")
        })?;
        Ok(false)
    }
}

/// Whether clients saw the same at the same times, whatever the slow ones did.
pub(crate) fn compare(slow: &Observations, fast: &Observations) -> Result<u64, Violation> {
    let mut compared = 0;
    for (index, (slow, fast)) in slow.iter().zip(fast).enumerate() {
        let common = slow.len().min(fast.len());
        let place = slow.iter().zip(fast).position(|(one, other)| !one.is_same(other));
        let place = place.unwrap_or(common);
        let (one, other) = (slow.get(place), fast.get(place));
        if one.is_some() || other.is_some() {
            let text = |observation: Option<&Observation>| match observation {
                None => "nothing".to_owned(),
                Some(Observation { time, text, .. }) => {
                    format!("{} at {time} ns", text.as_deref().unwrap_or("something"))
                }
            };
            let (one, other) = (text(one), text(other));
            let what = format!("actor {index} sees {one}; without slow clients it sees {other}");
            return violation("isolation", what);
        }
        compared += common as u64;
    }
    Ok(compared)
}
