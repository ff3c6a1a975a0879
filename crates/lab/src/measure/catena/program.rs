//! The programs that publish and receive, and what they are asked to do.

use std::io;

use super::stage::Failure;
use crate::peer::process::Process;
use trunkline_bench::histogram::Times;
use trunkline_demo::component::task::{
    Answer, Flooding, Published, Publishing, Range, Received, ReceivedKind, Receiving, Task,
};
use trunkline_experiment::definition::traffic::PAYLOAD_BYTES;

/// How often a probe is sent until it arrives, and how long each is waited for.
pub(super) const PROBES: u32 = 60;
pub(super) const PROBE_MILLISECONDS: u64 = 100;

/// How long what was acknowledged is waited for, in milliseconds: it may be late, and must not be lost.
pub(super) const PATIENCE: u64 = 40_000;

/// The only topic, where there is one.
pub(super) const TOPIC: Range = Range { first: 0, count: 1 };

/// A program that does tasks.
#[derive(Debug)]
pub(super) struct Program(pub(super) Process);

impl Program {
    /// Does a task and waits for its end.
    pub(super) fn ask(&mut self, task: &Task) -> Result<Answer, Failure> {
        self.begin(task)?;
        self.finish()
    }

    /// Begins a task.
    pub(super) fn begin(&mut self, task: &Task) -> Result<(), Failure> {
        let line = serde_json::to_string(task).map_err(io::Error::other)?;
        Ok(self.0.begin(&line)?)
    }

    /// Waits for the end of the task that was begun.
    pub(super) fn finish(&mut self) -> Result<Answer, Failure> {
        let (task, answer) = self.0.finish()?;
        let answer = answer.strip_prefix("ok ").unwrap_or_default();
        serde_json::from_str(answer).map_err(|error| {
            Failure::Broken(format!("{answer:.100} is no answer to {task:.100}: {error}"))
        })
    }

    /// Does a task that publishes.
    pub(super) fn publish(&mut self, task: &Task) -> Result<Published, Failure> {
        sent(self.ask(task)?)
    }

    /// Waits for what it has received.
    pub(super) fn received(&mut self) -> Result<Received, Failure> {
        came(self.finish()?)
    }

    /// Subscribes durably.
    pub(super) fn subscribe_guaranteed(
        &mut self,
        name: &str,
        topics: Range,
    ) -> Result<(), Failure> {
        self.ask(&Task::SubscribeGuaranteed { name: name.to_owned(), topics }).map(|_| ())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// What a publisher answered.
pub(super) fn sent(answer: Answer) -> Result<Published, Failure> {
    answer.published.ok_or_else(|| Failure::Broken("a publisher does not say what it sent".into()))
}

/// What a receiver answered.
pub(super) fn came(answer: Answer) -> Result<Received, Failure> {
    answer.received.ok_or_else(|| Failure::Broken("a receiver does not say what it got".into()))
}

/// Lets all receive what one publishes, until the end of each.
pub(super) fn carry<'a>(
    publisher: &mut Program,
    task: &Task,
    receivers: impl IntoIterator<Item = (&'a mut Program, Receiving)>,
) -> Result<(Published, Vec<Received>), Failure> {
    let mut begun = Vec::new();
    for (program, receiving) in receivers {
        program.begin(&Task::Receive(receiving))?;
        begun.push(program);
    }
    let published = publisher.publish(task)?;
    let received: Result<_, Failure> = begun.into_iter().map(Program::received).collect();
    Ok((published, received?))
}

/// Sends probes until every subscriber has heard one on its topic: some middlewares do not tell when a
/// subscription has taken effect, and all are warmer after it.
pub(super) fn settle(
    publisher: &mut Program,
    subscribers: &mut [(&mut Program, usize)],
) -> Result<(), Failure> {
    let mut deaf: Vec<usize> = (0..subscribers.len()).collect();
    for _ in 0..PROBES {
        for &index in &deaf {
            subscribers[index].0.begin(&Task::Listen { milliseconds: PROBE_MILLISECONDS })?;
        }
        let mut topics: Vec<usize> = deaf.iter().map(|&index| subscribers[index].1).collect();
        topics.dedup();
        publisher.ask(&Task::Probe { topics })?;
        let mut still = Vec::new();
        for &index in &deaf {
            if !subscribers[index].0.finish()?.heard {
                still.push(index);
            }
        }
        deaf = still;
        if deaf.is_empty() {
            return Ok(());
        }
    }
    let (deaf, all) = (deaf.len(), subscribers.len());
    Err(Failure::Broken(format!("{deaf} of {all} subscribers hear nothing")))
}

/// Messages at a rate, for so long.
pub(super) fn publishing(run: u16, rate: f64, milliseconds: u64, end: Vec<usize>) -> Publishing {
    let messages = (rate * milliseconds as f64 / 1e3).max(50.0) as u64;
    Publishing { run, rate, messages, bytes: PAYLOAD_BYTES, end }
}

/// As many messages as the only subscriber takes, for so long.
pub(super) fn flooding(run: u16, milliseconds: u64, window: u64) -> Flooding {
    Flooding {
        run,
        milliseconds,
        bytes: PAYLOAD_BYTES,
        most: None,
        window,
        feedback: Range { first: 0, count: 0 },
        guaranteed: false,
        end: vec![0],
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

/// A consumer of guaranteed messages, which waits for all of them.
pub(super) fn receiving_guaranteed(run: u16) -> Receiving {
    Receiving { guaranteed: true, silence: None, ..receiving(run, TOPIC, PATIENCE, 0) }
}

pub(super) fn per_second(messages: u64, nanoseconds: u64) -> f64 {
    messages as f64 * 1e9 / nanoseconds.max(1) as f64
}

/// When the last message came, by the monotonic clock.
pub(super) fn last_of(received: &Received) -> u64 {
    received.began + received.nanoseconds
}

/// What is wrong with the messages that came.
pub(super) fn damage(received: &Received) -> Option<String> {
    let Received { damaged, disordered, .. } = *received;
    let damage = received.damage.as_deref().unwrap_or("the order");
    (damaged + disordered > 0)
        .then(|| format!("{disordered} messages out of order, {damaged} damaged: {damage}"))
}

/// Half of all latencies are not longer.
pub(super) fn middle(times: &Times) -> Option<f64> {
    times.percentile(50.0).map(|middle| middle as f64)
}
