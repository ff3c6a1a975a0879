//! Throughput: as many messages as one publisher gets to all its subscribers, nothing lost.

use super::program::{Program, TOPIC, carry, flooding, per_second, receiving, settle};
use super::stage::{Failure, Stage};
use super::{Asked, Found, Procedure};
use trunkline_bench::row::Verdict;
use trunkline_demo::component::task::{FeedbackOf, Flooding, Range, Receiving, Task};
use trunkline_experiment::definition::Flood;
use trunkline_experiment::middleware::Middleware;

/// Messages between two feedbacks of a subscriber.
const EVERY: u64 = 1_024;

/// Untimed, in milliseconds.
const WARM_UP: u64 = 100;

impl Procedure for Asked<'_, Flood> {
    fn cases(&self) -> Vec<String> {
        self.measure.consumers.iter().map(|&count| Flood::case(count)).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        let router = subject.router_and(" and ");
        format!("publisher spins when its window is full; {router}subscribers block; any cpu")
    }

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        for &consumers in &self.measure.consumers {
            let flow = self.step(stage, consumers as usize)?;
            let memory = stage.memory();
            let series = self.series(&Flood::case(consumers), stage.subject, found);
            match flow {
                Ok(Flow { per_second, per_cpu_second }) => {
                    series.add("deliveries-per-second", "1/s", per_second);
                    series.add("deliveries-per-cpu-second", "1/s", per_cpu_second);
                }
                Err((verdict, what)) => series.note_fault(verdict, what),
            }
            series.add("memory", "bytes", memory);
        }
        Ok(())
    }
}

/// What is wrong with what came: not all of it, or other than it was sent.
type Fault = (Verdict, String);

/// What is wrong with what one subscriber got of the messages that were published.
fn fault(published: u64, came: u64, damaged: u64) -> Option<Fault> {
    let is_lost = damaged == 0 && came < published;
    let verdict = if is_lost { Verdict::Lost } else { Verdict::WrongAnswer };
    let what = || format!("{came} of {published} messages came, {damaged} damaged");
    (came != published || damaged > 0).then(|| (verdict, what()))
}

/// The first of two, but for damage, which no loss hides.
fn worse(one: Option<Fault>, other: Option<Fault>) -> Option<Fault> {
    match (one, other) {
        (Some((Verdict::Lost, _)), Some((Verdict::WrongAnswer, what))) => {
            Some((Verdict::WrongAnswer, what))
        }
        (one, other) => one.or(other),
    }
}

/// Deliveries to all subscribers.
struct Flow {
    per_second: f64,
    /// For each second of the processor that the router took, with all its threads.
    per_cpu_second: Option<f64>,
}

impl Asked<'_, Flood> {
    /// How many deliveries there were, or what was wrong with them.
    fn step(
        &self,
        stage: &mut Stage<'_>,
        consumers: usize,
    ) -> Result<Result<Flow, Fault>, Failure> {
        let others = (0..consumers).map(|index| format!("feedback/{index}")).collect();
        let names = stage.prices(1, others);
        let feedback = Range { first: 1, count: consumers };
        let mut publisher = stage.connected("publisher", None, &names, Some(feedback))?;
        let mut members = Vec::new();
        for _ in 0..consumers {
            members.push(stage.connected("subscriber", None, &names, Some(TOPIC))?);
        }
        let mut all: Vec<(&mut Program, usize)> = members.iter_mut().map(|it| (it, 0)).collect();
        settle(&mut publisher, &mut all)?;
        for (index, member) in members.iter_mut().enumerate() {
            settle(member, &mut [(&mut publisher, 1 + index)])?;
        }
        let (mut flow, mut wrong) = (Flow { per_second: 0.0, per_cpu_second: None }, None);
        for milliseconds in [self.milliseconds().min(WARM_UP), self.milliseconds()] {
            let run = stage.next_run();
            let receivers = members.iter_mut().enumerate().map(|(index, member)| {
                let feedback = Some(FeedbackOf { topic: 1 + index, every: EVERY });
                (member, Receiving { feedback, ..receiving(run, TOPIC, milliseconds, 0) })
            });
            let flood = Flooding { feedback, ..flooding(run, milliseconds, self.measure.window) };
            let before = stage.processor_time();
            let (published, received) = carry(&mut publisher, &Task::Flood(flood), receivers)?;
            for it in &received {
                wrong = worse(wrong, fault(published.messages, it.messages, it.damaged));
            }
            let used = before.zip(stage.processor_time()).map(|(from, to)| to - from);
            let longest = received.iter().map(|it| it.nanoseconds).max().unwrap_or_default();
            let messages = received.iter().map(|it| it.messages).sum();
            let per_cpu_second = used.filter(|it| !it.is_zero());
            let per_cpu_second = per_cpu_second.map(|it| messages as f64 / it.as_secs_f64());
            flow = Flow { per_second: per_second(messages, longest), per_cpu_second };
        }
        Ok(wrong.map_or(Ok(flow), Err))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_not_hidden_by_what_others_lost() {
        let worst = |all: &[(u64, u64)]| {
            let faults = all.iter().map(|&(came, damaged)| fault(10, came, damaged));
            faults.reduce(worse).flatten()
        };
        assert_eq!(worst(&[(10, 0), (10, 0)]), None);
        let lost = (Verdict::Lost, "9 of 10 messages came, 0 damaged".to_owned());
        let damaged = (Verdict::WrongAnswer, "10 of 10 messages came, 1 damaged".to_owned());
        assert_eq!(worst(&[(10, 0), (9, 0), (10, 0)]), Some(lost));
        assert_eq!(worst(&[(10, 1), (9, 0)]), Some(damaged.clone()));
        assert_eq!(worst(&[(9, 0), (10, 1), (8, 0)]), Some(damaged));
        assert!(
            matches!(worst(&[(11, 0)]), Some((Verdict::WrongAnswer, _))),
            "more than were sent"
        );
    }
}
