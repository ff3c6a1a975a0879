//! The flexibility test: a fast, a slow and an eliding consumer of one pricing engine; the report's Figure
//! 4. The fast one is measured alone as well, before and after. Where the router elides, two consumers that are
//! slow at reading show how old is what they take: one tells the router what it has taken, one does not.

use std::path::Path;
use std::{fs, io};

use super::program::{Program, damage, middle, publishing, receiving, settle};
use super::series::Series;
use super::stage::{Failure, OTHERS, PUBLISHER, Stage, Starting};
use super::{Asked, Found, Procedure};
use crate::measure::Setting;
use trunkline_bench::histogram::{Latencies, Times};
use trunkline_bench::row::Row;
use trunkline_demo::component::task::{Published, Range, Received, Receiving, Task, Topics};
use trunkline_experiment::definition::SlowConsumers;
use trunkline_experiment::middleware::Middleware;
use trunkline_experiment::names::SECOND;

/// Bytes of the receive buffer of one that reads slowly: what waits shall wait in the router.
const SMALL_BUFFER: usize = 16 << 10;

/// The latency of one message.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    /// When it was due, in nanoseconds from the first of the run.
    due: u64,
    /// How long after that it came.
    latency: u64,
}

/// How a slow consumer is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// The router gives it no more.
    Router,
    /// It reads no more.
    Reader,
}

/// One of the consumers of a run.
struct Consumer {
    name: &'static str,
    program: Program,
    receive: Receiving,
}

/// What came of it.
struct Outcome {
    name: &'static str,
    received: Received,
    samples: Vec<Sample>,
}

impl Procedure for Asked<'_, SlowConsumers> {
    fn starting(&self) -> Starting {
        Starting::PINNED
    }

    fn cases(&self) -> Vec<String> {
        let mut cases = vec![self.measure.case("alone", 0)];
        for &cap in &self.measure.caps {
            cases.extend(["fast", "slow", "eliding"].map(|name| self.measure.case(name, cap)));
        }
        let cap = self.measure.caps.first().copied().unwrap_or_default();
        cases.extend(SlowConsumers::READERS.map(|name| self.measure.case(name, cap)));
        cases
    }

    fn who(&self, subject: &Middleware) -> String {
        let router = subject.router_and(" and ");
        format!("pricing engine spins on cpu {PUBLISHER}; {router}consumers block on cpu {OTHERS}")
    }

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        let (elides, pace) = self.abilities(stage)?;
        let SlowConsumers { caps, peer_milliseconds, further_milliseconds, .. } = self.measure;
        let whole = self.milliseconds();
        let milliseconds = if elides { whole } else { whole.min(*peer_milliseconds) };
        let further = milliseconds.min(*further_milliseconds);
        let mut notes = Vec::new();
        let mut run = |stage: &mut Stage<'_>, with: &[&'static str], cap, long| {
            self.run(stage, (with, cap, pace), long, &mut notes)
        };
        let (_, mut fast_alone) = run(stage, &[], 0, further)?;
        let mut runs = Vec::new();
        let with: &[&'static str] = if elides { &["slow", "eliding"] } else { &["slow"] };
        for (number, &cap) in caps.iter().take(if elides { usize::MAX } else { 1 }).enumerate() {
            let long = if number == 0 { milliseconds } else { further };
            runs.push((cap, run(stage, with, cap, long)?));
        }
        if let Some(&cap) = caps.first().filter(|_| elides) {
            let (published, mut outcomes) = run(stage, &SlowConsumers::READERS, cap, further)?;
            outcomes.retain(|outcome| outcome.name != "fast");
            runs.push((cap, (published, outcomes)));
        }
        fast_alone.extend(run(stage, &[], 0, further)?.1);
        found.findings.notes.extend(notes);
        // Before and after the others: two stretches of one turn.
        let alone: Vec<Sample> = fast_alone.iter().flat_map(|it| it.samples.clone()).collect();
        let case = self.measure.case("alone", 0);
        self.series(&case, stage.subject, found).add_times(&times(&alone));
        if !elides {
            let eliding = caps.iter().map(|&cap| ("eliding", cap));
            let readers = SlowConsumers::READERS.map(|name| (name, caps[0]));
            for (name, cap) in eliding.chain(readers) {
                self.leave_out(&self.measure.case(name, cap), stage.subject, found);
            }
        }
        for (cap, (published, outcomes)) in &runs {
            for outcome in outcomes {
                self.note(stage.subject, found, (*cap, published, pace), outcome);
            }
        }
        Ok(())
    }
}

impl Asked<'_, SlowConsumers> {
    /// Whether it elides, and who slows the slow consumer down.
    fn abilities(&self, stage: &Stage<'_>) -> Result<(bool, Pace), Failure> {
        let can = |updates: Option<u32>, messages: Option<u32>| -> Result<bool, Failure> {
            let mut program = stage.program("probe", Some(OTHERS))?;
            let mut connection = stage.connection("probe", &self.topics(stage));
            connection.updates_per_second = updates;
            connection.messages_per_second = messages;
            match program.ask(&Task::Connect(connection)) {
                Ok(_) => Ok(true),
                Err(Failure::Unsupported(_)) => Ok(false),
                Err(failure) => Err(failure),
            }
        };
        let elides = can(self.measure.caps.first().copied(), None)?;
        let paces = can(None, Some(self.measure.slow))?;
        Ok((elides, if paces { Pace::Router } else { Pace::Reader }))
    }

    fn topics(&self, stage: &Stage<'_>) -> Topics {
        stage.prices(self.measure.topics as usize, Vec::new())
    }

    /// Publishes to the fast consumer and those `with` it.
    fn run(
        &self,
        stage: &mut Stage<'_>,
        (with, cap, pace): (&[&'static str], u32, Pace),
        milliseconds: u64,
        notes: &mut Vec<String>,
    ) -> Result<(Published, Vec<Outcome>), Failure> {
        let run = stage.next_run();
        let topics = Range { first: 0, count: self.measure.topics as usize };
        let mut consumers = Vec::new();
        for &name in ["fast"].iter().chain(with) {
            let receive = receiving(run, topics, milliseconds, 0);
            consumers.push(self.consumer(stage, (name, cap, pace), receive)?);
        }
        let names = self.topics(stage);
        let mut engine = stage.connected("pricing engine", Some(PUBLISHER), &names, None)?;
        let mut all: Vec<(&mut Program, usize)> =
            consumers.iter_mut().map(|it| (&mut it.program, 0)).collect();
        settle(&mut engine, &mut all)?;
        for Consumer { program, receive, .. } in &mut consumers {
            program.begin(&Task::Receive(receive.clone()))?;
        }
        let publish = publishing(run, self.measure.rate.into(), milliseconds, topics.indexes());
        let published = engine.publish(&Task::Publish(publish))?;
        let mut outcomes = Vec::new();
        for Consumer { name, program, receive } in &mut consumers {
            let received = match program.received() {
                Ok(received) => received,
                // Some brokers disconnect who is slow: that is their answer to it.
                Err(Failure::Broken(why)) if *name == "slow" => {
                    notes.push(format!("{}, slow consumer: {why}", stage.subject.name));
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let samples = samples(Path::new(receive.file.as_deref().unwrap_or_default()))?;
            outcomes.push(Outcome { name, received, samples });
        }
        Ok((published, outcomes))
    }

    fn consumer(
        &self,
        stage: &Stage<'_>,
        (name, cap, pace): (&'static str, u32, Pace),
        receive: Receiving,
    ) -> Result<Consumer, Failure> {
        let SlowConsumers { rate, slow, queue, .. } = *self.measure;
        let mut program = stage.program(name, Some(OTHERS))?;
        let mut connection = stage.connection(name, &self.topics(stage));
        let file = stage.folder().join(format!("{name}-{}", receive.run)).display().to_string();
        let mut receive = Receiving { file: Some(file), silence: None, ..receive };
        match name {
            "slow" => {
                connection.queue_messages = Some(queue);
                match pace {
                    Pace::Router => connection.messages_per_second = Some(slow),
                    Pace::Reader => {
                        connection.receive_buffer = Some(SMALL_BUFFER);
                        receive.pace = Some(slow.into());
                    }
                }
                // It is behind when the others are done, and what it has then is what counts.
                receive.milliseconds -= 5_000;
                receive.milliseconds = receive.milliseconds / 2 + 200;
            }
            "eliding" => connection.updates_per_second = Some(cap),
            "slow-reader" | "slow-reader-without-credit" => {
                // A cap that caps nothing: what slows it down is its reading.
                connection.updates_per_second = Some(rate);
                connection.without_credit = name != "slow-reader";
                receive.pace = Some(slow.into());
            }
            _ => {}
        }
        program.ask(&Task::Connect(connection))?;
        program.ask(&Task::Subscribe(receive.topics))?;
        Ok(Consumer { name, program, receive })
    }

    /// Rows of one consumer, and what a plot over time needs.
    fn note(
        &self,
        subject: &'static Middleware,
        found: &mut Found,
        (cap, published, pace): (u32, &Published, Pace),
        outcome: &Outcome,
    ) {
        let Outcome { name, received, samples } = outcome;
        let case = self.measure.case(name, cap);
        let how = match (*name, pace) {
            ("slow", Pace::Router) => "; slowed by the router",
            ("slow", Pace::Reader) => "; reads slowly",
            ("slow-reader", _) => "; reads slowly, with credit",
            ("slow-reader-without-credit", _) => "; reads slowly, without credit",
            _ => "",
        };
        let profile = subject.profile(&format!("{}{how}", self.who(subject)));
        let seconds = seconds(self.setting, (&case, subject.name, &profile), samples);
        let series = found.of(&case, subject, profile);
        let queue = (pace == Pace::Router).then_some(self.measure.queue as u64);
        count(series, (name, queue), published, received);
        // A run is one, however long it is: its pieces are not independent of one another.
        series.add_times(&times(samples));
        if *name == "slow" {
            for (metric, unit, value) in shape(samples) {
                series.add(metric, unit, value);
            }
            // What comes at last has waited in a queue that was full.
            if received.missing > 0 {
                let last = &samples[samples.len() - samples.len() / 4..];
                series.add("plateau", "ns", middle(&times(last)).unwrap_or_default());
            }
        }
        // A picture shows one run.
        if self.measure.turns.count != Some(1) {
            return;
        }
        found.findings.rows.extend(seconds);
        // Those who are slow at reading have a run of their own.
        let run = if SlowConsumers::READERS.contains(name) { "-readers" } else { "" };
        found.findings.latencies.push(Latencies {
            group: format!("{}{run}-{}-{cap}", self.measure.name, subject.name),
            case,
            subject: subject.name.to_owned(),
            times: samples.iter().map(|it| (it.due, it.latency)).collect(),
        });
    }
}

/// Where the messages went that did not come, to a consumer of whose router's queue is known how many it
/// holds, or not.
fn count(
    series: &mut Series,
    (name, queue): (&str, Option<u64>),
    published: &Published,
    received: &Received,
) {
    let absent = published.messages.saturating_sub(received.messages);
    match name {
        "eliding" | "slow-reader" | "slow-reader-without-credit" => series.count("elided", absent),
        "slow" => {
            // What was discarded shows to the consumer when it gets what came after it.
            let queued = absent.saturating_sub(received.missing);
            let queued = queue.map_or(queued, |queue| queued.min(queue));
            series.count("discarded", absent - queued);
            series.count("told-lost", received.told_lost);
            series.count("queued-at-the-end", queued);
        }
        _ => series.count("lost", absent),
    }
    series.count("delivered", received.messages);
    series.note_wrong(damage(received));
}

fn times(samples: &[Sample]) -> Times {
    let mut times = Times::default();
    times.extend(samples.iter().map(|it| it.latency));
    times
}

/// How the latency of one that is behind goes, by when messages were due: `rise` is the second quarter of
/// the run over its first eighth, `level` the last quarter over the second. What falls behind for ever has
/// a level of 2.3; what discards from the first quarter on has one of 1; what is not behind has no rise.
fn shape(samples: &[Sample]) -> Vec<(&'static str, &'static str, f64)> {
    let end = samples.last().map_or(0, |it| it.due) + 1;
    let part = |from: u64, to: u64| {
        let is_in = |it: &&Sample| (end * from / 8..end * to / 8).contains(&it.due);
        middle(&times(&samples.iter().filter(is_in).copied().collect::<Vec<_>>()))
    };
    let ratio = |over: Option<f64>, under: Option<f64>| Some(over? / under.filter(|it| *it > 0.0)?);
    let (first, second, last) = (part(0, 1), part(2, 4), part(6, 8));
    let rise = ratio(second, first).map(|value| ("rise", "x", value));
    let level = ratio(last, second).map(|value| ("level", "x", value));
    rise.into_iter().chain(level).collect()
}

/// A row for each second: the middle latency, the least and the most.
fn seconds(
    setting: &Setting<'_>,
    (case, subject, profile): (&str, &str, &str),
    samples: &[Sample],
) -> Vec<Row> {
    let mut rows = Vec::new();
    for of_second in samples.chunk_by(|a, b| a.due / 1_000_000_000 == b.due / 1_000_000_000) {
        let second = of_second[0].due / 1_000_000_000;
        let mut latencies: Vec<u64> = of_second.iter().map(|it| it.latency).collect();
        latencies.sort_unstable();
        let at = |index: usize| latencies.get(index).map(|&it| it as f64);
        rows.push(Row {
            value: at(latencies.len() / 2),
            low: at(0),
            high: at(latencies.len() - 1),
            runs: latencies.len() as u32,
            ..setting.row(case, subject, profile, &format!("{SECOND}{second}"), "ns")
        });
    }
    rows
}

/// The latencies that a program wrote into a file.
fn samples(file: &Path) -> io::Result<Vec<Sample>> {
    let bytes = fs::read(file)?;
    let numbers: Vec<u64> = bytes.as_chunks().0.iter().map(|it| u64::from_le_bytes(*it)).collect();
    let pairs = numbers.as_chunks().0.iter();
    let all: Vec<Sample> = pairs.map(|&[due, latency]| Sample { due, latency }).collect();
    let first = all.first().map_or(0, |it| it.due);
    Ok(all.into_iter().map(|it| Sample { due: it.due.saturating_sub(first), ..it }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_experiment::definition::{Definition, Match};

    /// A message each millisecond of a minute, and how late each comes.
    fn run(latency: fn(u64) -> u64) -> [f64; 2] {
        let samples: Vec<Sample> = (1..=60_000)
            .map(|due| Sample { due: due * 1_000_000, latency: latency(due) * 1_000_000 })
            .collect();
        let found: Vec<f64> = shape(&samples).iter().map(|it| it.2).collect();
        found.try_into().expect("two")
    }

    #[test]
    fn who_levels_out_is_told_from_who_falls_behind_for_ever_and_from_who_keeps_up() {
        let expected = |conclusion: &str, [rise, level]: [f64; 2]| {
            let catena = Definition::named("catena-2012").expect("embedded");
            let it = catena.conclusions.into_iter().find(|it| it.name == conclusion);
            let expected = it.expect("a conclusion of the report").expected;
            let value = if conclusion == "slow falls behind" { rise } else { level };
            expected.compare(value * 0.95, value * 1.05)
        };
        for (latency, behind, levels) in [
            ((|due| due.min(10_000)) as fn(u64) -> u64, Match::Expected, Match::Expected),
            (|due| due, Match::Expected, Match::Unexpected),
            (|due| 1 + due / 1_000_000, Match::Unexpected, Match::Expected),
        ] {
            let shape = run(latency);
            assert_eq!(expected("slow falls behind", shape), behind, "{shape:?}");
            assert_eq!(expected("slow levels out", shape), levels, "{shape:?}");
        }
        assert!(shape(&[]).is_empty());
    }
}
