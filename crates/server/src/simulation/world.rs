//! A run: the clients and the router, in virtual time.

use super::actor::{Actor, Phase};
use super::host::{Host, Meddle};
use super::report::{Checked, Counts, Failure, Trace, Violation, ensure, violation};
use super::scenario::Scenario;
use super::seen::Sight;
use crate::config::Config;

/// How long everything is watched after the last thing was begun, at least and at most; nanoseconds.
const WATCHED: (u64, u64) = (1_000_000_000, 120_000_000_000);

/// How long nothing is under way before it is sure that nothing comes; nanoseconds. Losses are told at
/// the client's pace, and do not count as waiting.
const QUIET: u64 = 200_000_000;

/// How one run differs from another of the same seed.
#[derive(Default)]
pub(super) struct Variant {
    /// Slow clients read at once, and do not die.
    pub(super) slow_are_fast: bool,
    /// Whether the last events are kept, to be told.
    pub(super) is_traced: bool,
    pub(super) meddle: Option<Meddle>,
}

/// What the clients that are not slow saw, and when.
pub(super) type Sights = Vec<Vec<Sight>>;

/// A run that went well.
pub(super) struct Outcome {
    pub(super) counts: Counts,
    pub(super) sights: Sights,
}

struct World {
    host: Host,
    actors: Vec<Actor>,
    now: u64,
    /// When nothing more begins.
    end: u64,
    /// Since when nothing waits and nothing was told, and what had been told by then.
    quiet_since: (u64, Counts),
    /// When the configuration changes, and to what.
    reload: Option<(u64, Config)>,
}

/// Lets a scenario run for so many steps of its clock, and then come to rest.
pub(super) fn run(seed: u64, steps: u32, variant: Variant) -> Result<Outcome, Box<Failure>> {
    let Scenario { config, reload, grain, plans } = Scenario::new(seed);
    let is_slow: Vec<bool> = plans.iter().map(|plan| plan.is_slow).collect();
    let actors = plans.into_iter().enumerate().map(|(index, mut plan)| {
        plan.hurries = plan.is_slow && variant.slow_are_fast;
        Actor::new(index, seed, grain, plan)
    });
    let mut world = World {
        host: Host::new(&config, Trace::new(variant.is_traced), variant.meddle),
        actors: actors.collect(),
        now: 0,
        end: grain * u64::from(steps),
        quiet_since: (0, Counts::default()),
        reload: reload.map(|(step, config)| (grain * step, config)),
    };
    if let Err(violation) = world.run() {
        let Violation { checker, what } = violation;
        let (turn, time) = (world.host.counts.turns, world.now);
        let recent = world.host.trace.into_lines();
        return Err(Box::new(Failure { seed, steps, turn, time, checker, what, recent }));
    }
    let mut counts = world.host.counts;
    counts.milliseconds = world.now / 1_000_000;
    let until = world.end + WATCHED.0;
    let sights = world.actors.into_iter().zip(is_slow).map(|(mut actor, is_slow)| {
        actor.sights.retain(|sight| sight.time < until && !is_slow);
        actor.sights
    });
    Ok(Outcome { counts, sights: sights.collect() })
}

impl World {
    fn run(&mut self) -> Checked {
        let mut phase = Phase::Running;
        loop {
            let steps = self.actors.iter().map(|actor| actor.next_step);
            let reload = self.reload.as_ref().map(|(time, _)| *time);
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
            for actor in &mut self.actors {
                if actor.next_step <= self.now {
                    actor.step(self.now, phase, &mut self.host)?;
                }
            }
            self.host.turn(self.now)?;
            if phase == Phase::Running {
                if self.host.counts.turns.is_multiple_of(8) {
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
        let told = Counts { turns: 0, ..self.host.counts };
        if told != self.quiet_since.1 || waits || !self.host.is_quiet() {
            self.quiet_since = (self.now, told);
        }
        if watched >= WATCHED.0 && self.now - self.quiet_since.0 >= QUIET {
            return Ok(true);
        }
        ensure(watched < WATCHED.1, "settling", || {
            let totals = self.host.engine.router().view().totals();
            format!("it does not come to rest; requests wait: {waits}; {totals:?}")
        })?;
        Ok(false)
    }
}

/// Whether clients saw the same at the same times, whatever the slow ones did.
pub(super) fn compare(slow: &Sights, fast: &Sights) -> Result<u64, Violation> {
    let mut compared = 0;
    for (index, (slow, fast)) in slow.iter().zip(fast).enumerate() {
        let common = slow.len().min(fast.len());
        let place = slow.iter().zip(fast).position(|(one, other)| !one.is_same(other));
        let place = place.unwrap_or(common);
        let (one, other) = (slow.get(place), fast.get(place));
        if one.is_some() || other.is_some() {
            let text = |sight: Option<&Sight>| match sight {
                None => "nothing".to_owned(),
                Some(Sight { time, text, .. }) => {
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
