//! Throughput: as many messages as one publisher gets to all its subscribers, nothing lost.

use super::hops::{came, sent};
use super::spread::receiving;
use super::stage::{Failure, Program, Stage, Starting, settle};
use super::{Found, Procedure};
use crate::measure::Setting;
use trunkline_demo::component::task::{FeedbackOf, Flooding, Range, Receiving, Task};
use trunkline_experiment::definition::Flood;
use trunkline_experiment::definition::traffic::PAYLOAD_BYTES;
use trunkline_experiment::middleware::Middleware;

/// Messages between two feedbacks of a subscriber.
const EVERY: u64 = 1_024;

/// Untimed, in milliseconds.
const WARM_UP: u64 = 100;

pub(super) struct Pouring<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a Flood,
}

impl Procedure for Pouring<'_> {
    fn starting(&self) -> Starting {
        Starting::default()
    }

    fn cases(&self) -> Vec<String> {
        self.asked.consumers.iter().map(|&count| Flood::case(count)).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        let router = subject.router_and(" and ");
        format!("publisher spins when its window is full; {router}subscribers block; any cpu")
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        for &consumers in &self.asked.consumers {
            let milliseconds = self.asked.turns.milliseconds(self.setting.request.is_quick);
            let rate = self.step(stage, consumers as usize, milliseconds)?;
            let profile = stage.subject.profile(&self.who(stage.subject));
            let memory = stage.memory();
            let series = found.of(&Flood::case(consumers), stage.subject, profile);
            match rate {
                Ok(rate) => series.add("deliveries-per-second", "1/s", rate),
                Err(Fault::Lost(what)) => series.lost = Some(what),
                Err(Fault::Damaged(what)) => series.wrong = Some(what),
            }
            if let Some(bytes) = memory {
                series.add("memory", "bytes", bytes as f64);
            }
        }
        Ok(())
    }
}

/// What is wrong with what came.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    /// Not all of it.
    Lost(String),
    /// It is not what was sent.
    Damaged(String),
}

impl Fault {
    /// What is wrong with what one subscriber got of the messages that were published.
    fn of(published: u64, came: u64, damaged: u64) -> Option<Self> {
        if came == published && damaged == 0 {
            return None;
        }
        let what = format!("{came} of {published} messages came, {damaged} damaged");
        let is_lost = damaged == 0 && came < published;
        Some(if is_lost { Self::Lost(what) } else { Self::Damaged(what) })
    }

    /// The first of two, but for damage, which no loss hides.
    fn worse(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(Self::Lost(_)), Some(Self::Damaged(what))) => Some(Self::Damaged(what)),
            (one, other) => one.or(other),
        }
    }
}

impl Pouring<'_> {
    /// Deliveries a second, or what was wrong with them.
    fn step(
        &self,
        stage: &mut Stage,
        consumers: usize,
        milliseconds: u64,
    ) -> Result<Result<f64, Fault>, Failure> {
        let others = (0..consumers).map(|index| format!("feedback/{index}")).collect();
        let names = stage.prices(1, others);
        let rates = Range { first: 0, count: 1 };
        let feedback = Range { first: 1, count: consumers };
        let mut publisher = stage.connected("publisher", None, &names, Some(feedback))?;
        let mut members = Vec::new();
        for _ in 0..consumers {
            members.push(stage.connected("subscriber", None, &names, Some(rates))?);
        }
        let mut all: Vec<(&mut Program, usize)> = members.iter_mut().map(|it| (it, 0)).collect();
        settle(&mut publisher, &mut all)?;
        for (index, member) in members.iter_mut().enumerate() {
            settle(member, &mut [(&mut publisher, 1 + index)])?;
        }
        let mut rate = 0.0;
        let mut wrong = None;
        for milliseconds in [milliseconds.min(WARM_UP), milliseconds] {
            let run = stage.next_run();
            for (index, member) in members.iter_mut().enumerate() {
                let feedback = Some(FeedbackOf { topic: 1 + index, every: EVERY });
                let receive = receiving(run, rates, milliseconds, 0);
                member.begin(&Task::Receive(Receiving { feedback, ..receive }))?;
            }
            let published = sent(publisher.ask(&Task::Flood(Flooding {
                run,
                milliseconds,
                bytes: PAYLOAD_BYTES,
                most: None,
                window: self.asked.window,
                feedback,
                guaranteed: false,
                end: vec![0],
            }))?)?;
            let (mut came_in_all, mut longest) = (0, 1);
            for member in &mut members {
                let received = came(member.finish()?)?;
                came_in_all += received.messages;
                longest = received.nanoseconds.max(longest);
                let fault = Fault::of(published.messages, received.messages, received.damaged);
                wrong = Fault::worse(wrong, fault);
            }
            rate = came_in_all as f64 * 1e9 / longest as f64;
        }
        Ok(wrong.map_or(Ok(rate), Err))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_not_hidden_by_what_others_lost() {
        let worst = |all: &[(u64, u64)]| {
            let faults = all.iter().map(|&(came, damaged)| Fault::of(10, came, damaged));
            faults.reduce(Fault::worse).flatten()
        };
        assert_eq!(worst(&[(10, 0), (10, 0)]), None);
        let lost = Fault::Lost("9 of 10 messages came, 0 damaged".to_owned());
        let damaged = Fault::Damaged("10 of 10 messages came, 1 damaged".to_owned());
        assert_eq!(worst(&[(10, 0), (9, 0), (10, 0)]), Some(lost));
        assert_eq!(worst(&[(10, 1), (9, 0)]), Some(damaged.clone()));
        assert_eq!(worst(&[(9, 0), (10, 1), (8, 0)]), Some(damaged));
        assert!(matches!(worst(&[(11, 0)]), Some(Fault::Damaged(_))), "more than were sent");
    }
}
