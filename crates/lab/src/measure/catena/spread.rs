//! One pricing engine, and more and more consumers, topics or clients; the report's Figure 3.

use super::hops::{came, sent};
use super::stage::{Failure, OTHERS, PUBLISHER, Program, Stage, Starting, settle};
use super::{Found, Procedure, receive};
use crate::measure::Setting;
use trunkline_demo::component::task::{Publishing, Range, Received, ReceivedKind, Receiving, Task};
use trunkline_experiment::definition::Spread;
use trunkline_experiment::definition::traffic::PAYLOAD_BYTES;
use trunkline_experiment::middleware::Middleware;

pub(super) struct Spreading<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a Spread,
}

impl Procedure for Spreading<'_> {
    fn starting(&self) -> Starting {
        Starting { processor: Some(OTHERS), spins: false }
    }

    fn cases(&self) -> Vec<String> {
        let steps = self.asked.steps(self.setting.request.is_quick).into_iter();
        steps.map(|step| self.asked.case(step)).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        let router = subject.router_and(" and ");
        format!("pricing engine spins on cpu {PUBLISHER}; {router}consumers block on cpu {OTHERS}")
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        for step in self.asked.steps(self.setting.request.is_quick) {
            self.step(step, stage, found)?;
        }
        Ok(())
    }
}

impl Spreading<'_> {
    fn step(
        &self,
        step: (u32, u32, u32),
        stage: &mut Stage,
        found: &mut Found,
    ) -> Result<(), Failure> {
        let (consumers, topics, clients) = step;
        let (consumers, each) = (consumers as usize, topics as usize);
        let is_shared = self.asked.shared;
        let streams = if is_shared { each } else { each * consumers };
        let mut names = stage.prices(streams, Vec::new());
        names.parts = if is_shared { 1 } else { consumers };
        let ranges: Vec<Range> = (0..consumers)
            .map(|index| Range { first: if is_shared { 0 } else { index * each }, count: each })
            .collect();
        let _crowd = self.crowd(stage, clients as usize)?;
        let mut members = Vec::new();
        for &range in &ranges {
            members.push(stage.connected("consumer", Some(OTHERS), &names, Some(range))?);
        }
        let mut engine = stage.connected("pricing engine", Some(PUBLISHER), &names, None)?;
        let last = |range: &Range| range.first + range.count - 1;
        let mut all: Vec<(&mut Program, usize)> =
            members.iter_mut().zip(&ranges).map(|(it, range)| (it, last(range))).collect();
        settle(&mut engine, &mut all)?;
        let milliseconds = self.asked.turns.milliseconds(self.setting.request.is_quick);
        let rate = f64::from(self.asked.rate) * if is_shared { 1.0 } else { consumers as f64 };
        let messages = (rate * milliseconds as f64 / 1e3).max(50.0) as u64;
        let run = stage.next_run();
        for (member, range) in members.iter_mut().zip(&ranges) {
            member.begin(&Task::Receive(receiving(run, *range, milliseconds, messages / 10)))?;
        }
        let before = stage.processor_time();
        let published = engine.ask(&Task::Publish(Publishing {
            run,
            rate,
            messages,
            bytes: PAYLOAD_BYTES,
            end: if is_shared { vec![0] } else { ranges.iter().map(last).collect() },
        }));
        let published = sent(published?)?;
        let mut received = Vec::new();
        for member in &mut members {
            received.push(came(member.finish()?)?);
        }
        let profile = stage.subject.profile(&self.who(stage.subject));
        let memory = stage.memory();
        let used = before.zip(stage.processor_time()).map(|(from, to)| (to - from).as_secs_f64());
        let series = found.of(&self.asked.case(step), stage.subject, profile);
        let all: Vec<&Received> = received.iter().collect();
        let expected = messages * if is_shared { consumers as u64 } else { 1 };
        receive(series, &all, (Some(&published), expected))?;
        if let Some(bytes) = memory {
            series.add("memory", "bytes", bytes as f64);
        }
        if let Some(seconds) = used {
            let share = seconds * 1e9 / published.nanoseconds.max(1) as f64;
            series.add("router-cpu-share", "share", share);
        }
        Ok(())
    }

    /// Clients that are there, and of whose topics nobody publishes.
    fn crowd(&self, stage: &Stage, count: usize) -> Result<Option<Program>, Failure> {
        if count == 0 {
            return Ok(None);
        }
        let mut program = stage.program("crowd", Some(PUBLISHER))?;
        let others = (0..count).map(|index| format!("idle/{index}")).collect();
        let names = stage.prices(0, others);
        let mut connection = stage.connection("crowd", &names);
        (connection.count, connection.subscribe_each) = (count, true);
        program.ask(&Task::Connect(connection))?;
        Ok(Some(program))
    }
}

/// A consumer that blocks.
pub(super) fn receiving(run: u16, topics: Range, milliseconds: u64, skip: u64) -> Receiving {
    Receiving {
        run,
        kind: ReceivedKind::Rates,
        topics,
        milliseconds: milliseconds * 2 + 5_000,
        silence: Some(2_000),
        spins: false,
        skip,
        orders: None,
        feedback: None,
        guaranteed: false,
        pace: None,
        file: None,
    }
}
