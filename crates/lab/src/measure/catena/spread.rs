//! One pricing engine, and more and more consumers, topics or clients; the report's Figure 3.

use super::program::{Program, carry, publishing, receiving, settle};
use super::stage::{Failure, OTHERS, PUBLISHER, Stage, Starting};
use super::{Asked, Found, Procedure, receive};
use trunkline_demo::component::task::{Range, Received, Task};
use trunkline_experiment::definition::Spread;
use trunkline_experiment::middleware::Middleware;

impl Procedure for Asked<'_, Spread> {
    fn starting(&self) -> Starting {
        Starting::PINNED
    }

    fn cases(&self) -> Vec<String> {
        let steps = self.measure.steps(self.is_quick()).into_iter();
        steps.map(|step| self.measure.case(step)).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        let router = subject.router_and(" and ");
        format!("pricing engine spins on cpu {PUBLISHER}; {router}consumers block on cpu {OTHERS}")
    }

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        let mut steps = self.measure.steps(self.is_quick()).into_iter();
        steps.try_for_each(|step| self.step(step, stage, found))
    }
}

impl Asked<'_, Spread> {
    fn step(
        &self,
        step: (u32, u32, u32),
        stage: &mut Stage<'_>,
        found: &mut Found,
    ) -> Result<(), Failure> {
        let (consumers, topics, clients) = step;
        let (consumers, each) = (consumers as usize, topics as usize);
        let is_shared = self.measure.shared;
        // Those who share their topics are one part of the market, others a part each.
        let parts = if is_shared { 1 } else { consumers };
        let mut names = stage.prices(each * parts, Vec::new());
        names.parts = parts;
        let first = |index: usize| if is_shared { 0 } else { index * each };
        let ranges: Vec<Range> =
            (0..consumers).map(|index| Range { first: first(index), count: each }).collect();
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
        let end = if is_shared { vec![0] } else { ranges.iter().map(last).collect() };
        let rate = f64::from(self.measure.rate) * parts as f64;
        let (run, milliseconds) = (stage.next_run(), self.milliseconds());
        let publish = publishing(run, rate, milliseconds, end);
        let messages = publish.messages;
        let receivers = members.iter_mut().zip(&ranges);
        let receivers =
            receivers.map(|(it, range)| (it, receiving(run, *range, milliseconds, messages / 10)));
        let before = stage.processor_time();
        let (published, received) = carry(&mut engine, &Task::Publish(publish), receivers)?;
        let used = before.zip(stage.processor_time()).map(|(from, to)| (to - from).as_secs_f64());
        let series = self.series(&self.measure.case(step), stage.subject, found);
        let all: Vec<&Received> = received.iter().collect();
        let expected = messages * (consumers / parts) as u64;
        receive(series, &all, (Some(&published), expected))?;
        series.add("memory", "bytes", stage.memory());
        let whole = published.nanoseconds.max(1) as f64;
        series.add("router-cpu-share", "share", used.map(|seconds| seconds * 1e9 / whole));
        Ok(())
    }

    /// Clients that are there, and of whose topics nobody publishes.
    fn crowd(&self, stage: &Stage<'_>, count: usize) -> Result<Option<Program>, Failure> {
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
