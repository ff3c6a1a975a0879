//! Messages a second, one way: figures 12 and 13.

use std::collections::BTreeMap;

use super::Setting;
use super::pair::{Pair, Poured};
use super::participants::{Kind, Participants};
use super::series::Series;
use crate::experiment::SubjectStatus;
use trunkline_bench::row::Row;
use trunkline_experiment::definition::{Content, Measure, Slow, Throughput, Waiting};
use trunkline_experiment::format::Format;
use trunkline_experiment::link::{Link, SEGMENT_PAYLOAD};
use trunkline_experiment::names::THROUGHPUT;

/// Messages before the first repetition: enough to tell how many the wanted time takes.
const TRIAL: u32 = 400;
/// Messages of a repetition at least and at most.
const COUNT: (f64, f64) = (12.0, 1_000_000.0);

/// Bytes a second at most through a link without a rate: what loopback could do.
const BYTES_PER_SECOND: f64 = 2e9;

/// One way of pouring over one link.
struct Way<'a> {
    measure: &'a Throughput,
    link_name: &'a str,
    link: Link,
    content: Content,
    slow: Option<Slow>,
}

/// Lets all subjects take turns at every length, for all that the measures ask for.
pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    participants: &mut Participants,
    progress: &mut dyn FnMut(&str, f64),
) -> Vec<Row> {
    let ways: Vec<Way<'_>> = measures
        .iter()
        .filter_map(|measure| match measure {
            Measure::Throughput(it) => Some(it).filter(|it| it.quick || !setting.request.is_quick),
            _ => None,
        })
        .flat_map(ways)
        .collect();
    let mut rows = Vec::new();
    for (index, way) in ways.iter().enumerate() {
        let mut progress = |text: &str, share: f64| {
            progress(text, (index as f64 + share) / ways.len() as f64);
        };
        rows.extend(way.measure(setting, participants, &mut progress));
    }
    rows
}

fn ways(measure: &Throughput) -> Vec<Way<'_>> {
    let slow: Vec<Option<Slow>> = if measure.slow.is_empty() {
        vec![None]
    } else {
        measure.slow.iter().copied().map(Some).collect()
    };
    let mut ways = Vec::new();
    for link_name in &measure.links {
        let Ok(link) = link_name.parse() else { continue };
        for &content in &measure.content {
            for &slow in &slow {
                ways.push(Way { measure, link_name, link, content, slow });
            }
        }
    }
    ways
}

impl Way<'_> {
    fn measure(
        &self,
        setting: &Setting<'_>,
        participants: &mut Participants,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Vec<Row> {
        let case = Throughput::case(self.content, self.slow, self.link_name);
        let lengths = setting.lengths_of(&self.measure.entries);
        let mut all: Vec<Series<Format>> = Vec::new();
        for (index, &entries) in lengths.iter().enumerate() {
            let share = index as f64 / lengths.len() as f64;
            progress(&format!("{case}, messages of {entries}"), share);
            let formats = &self.measure.formats;
            let kinds: &[Kind] = match (self.measure.others, self.content) {
                (false, _) => &[Kind::Ours],
                (true, Content::Structures) => &[Kind::Ours, Kind::Peer],
                (true, Content::Encoded) => &[Kind::Ours, Kind::Bare, Kind::Peer],
            };
            let mut turns = participants.take_part(setting, formats, kinds, entries);
            let mut counts = BTreeMap::new();
            turns.each(0, |pair| {
                let count = self.count(setting, pair, entries)?;
                counts.insert((pair.name.clone(), pair.format), count);
                Ok(())
            });
            for repetition in 0..setting.repetitions() {
                turns.each(repetition, |pair| {
                    let key = (pair.name.clone(), pair.format);
                    let Some(&(count, bytes)) = counts.get(&key) else { return Ok(()) };
                    let flow = self.pour(pair, count)?;
                    let values = self.values(&flow, bytes);
                    let series = pair.series(&mut all, (&case, "tcp-blocking", entries));
                    for (metric, value) in THROUGHPUT.iter().zip(values) {
                        let unit = if *metric == THROUGHPUT[0] { "1/s" } else { "share" };
                        series.add(metric, unit, value);
                    }
                    Ok(())
                });
            }
        }
        let is_in = |it: &&Series<Format>| participants.is_in(&it.subject, it.of);
        all.iter().filter(is_in).flat_map(|it| it.medians(setting)).collect()
    }

    fn pour(&self, pair: &mut Pair, count: u32) -> Result<Poured, SubjectStatus> {
        let slow = self.slow.map(|side| (side, self.measure.slow_factor));
        pair.pour(self.link, Waiting::Blocking, self.content, slow, count)
    }

    /// How many messages take about as long as wanted, and the bytes of one.
    fn count(
        &self,
        setting: &Setting<'_>,
        pair: &mut Pair,
        entries: u32,
    ) -> Result<(u32, f64), SubjectStatus> {
        let bytes = pair.bytes(setting, entries);
        let most = match self.link.rate.map(|rate| rate.get() as f64) {
            Some(rate) => rate / 8.0 / Link::wire_bytes(bytes as u64) as f64,
            None => BYTES_PER_SECOND / bytes,
        };
        let seconds = f64::from(self.measure.milliseconds) / 1e3;
        let seconds = if setting.request.is_quick { seconds / 2.0 } else { seconds };
        let trial = f64::from(TRIAL).min(most * seconds).clamp(COUNT.0, COUNT.1) as u32;
        let flow = self.pour(pair, trial)?;
        let per_second = f64::from(trial) / (flow.received.nanoseconds.max(1) as f64 / 1e9);
        let count = per_second.min(most) * seconds;
        Ok((count.clamp(COUNT.0, COUNT.1) as u32, bytes))
    }

    /// In the order of [`THROUGHPUT`]; a link without a rate is never busy.
    fn values(&self, flow: &Poured, bytes: f64) -> [Option<f64>; THROUGHPUT.len()] {
        // The receiver's clock begins when the first segment has come; the link's, when it left.
        let first = self.link.serialisation((bytes as u64).min(SEGMENT_PAYLOAD as u64));
        // A receiver that wakes up late begins to count late: the link was busy for no less.
        let nanoseconds = (flow.received.nanoseconds + first).max(flow.link_busy.unwrap_or(1));
        let nanoseconds = nanoseconds.max(1) as f64;
        // The sender is done when the last bytes are in the system's buffers, before they arrive.
        let sent = nanoseconds.max(flow.sent.nanoseconds as f64);
        [
            Some(flow.received.messages as f64 * 1e9 / nanoseconds),
            Some((flow.sent.cpu_nanoseconds as f64 / sent).min(1.0)),
            Some((flow.received.cpu_nanoseconds as f64 / nanoseconds).min(1.0)),
            flow.link_busy.map(|busy| busy as f64 / nanoseconds),
        ]
    }
}
