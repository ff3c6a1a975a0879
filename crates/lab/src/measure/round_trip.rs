//! Round trips between two processes, split into their costs: table 2, figures 8, 9 and 15.

use std::collections::BTreeMap;

use super::pair::{Exchange, Failure, Pair};
use super::participants::{Others, Participants};
use super::{Findings, Setting, distribution};
use trunkline_bench::histogram::Times;
use trunkline_bench::row::Row;
use trunkline_bench::statistics::Fit;
use trunkline_experiment::definition::{Measure, RoundTrip, Waiting};
use trunkline_experiment::format::Format;
use trunkline_experiment::link::Link;
use trunkline_experiment::names::{BARE, COSTS};
use trunkline_experiment::subjects::TRUNKLINE;

/// The costs that a codec makes.
const CODEC_COSTS: [usize; 4] = [1, 3, 4, 5];

/// Round trips over one link with one way of waiting, whichever parts asked for them.
pub(super) struct Plan {
    pub(super) link: String,
    pub(super) wait: Waiting,
    formats: Vec<Format>,
    lengths: Vec<u32>,
    round_trips: u32,
    others: bool,
}

impl Plan {
    /// What all the measures ask for, each link and way of waiting once.
    pub(super) fn all(setting: &Setting<'_>, measures: &[&Measure]) -> Vec<Self> {
        let mut plans: Vec<Self> = Vec::new();
        for measure in measures {
            let Measure::RoundTrip(measure) = measure else { continue };
            if setting.request.is_quick && !measure.quick {
                continue;
            }
            for link in &measure.links {
                let lengths = setting.lengths_of(&measure.entries);
                let found = plans.iter_mut().find(|it| it.link == *link && it.wait == measure.wait);
                match found {
                    Some(plan) => plan.widen(measure, &lengths),
                    None => plans.push(Self {
                        link: link.clone(),
                        wait: measure.wait,
                        formats: measure.formats.clone(),
                        lengths,
                        round_trips: measure.round_trips,
                        others: measure.others,
                    }),
                }
            }
        }
        plans
    }

    fn widen(&mut self, measure: &RoundTrip, lengths: &[u32]) {
        for format in &measure.formats {
            if !self.formats.contains(format) {
                self.formats.push(*format);
            }
        }
        self.lengths.extend(lengths);
        self.lengths.sort_unstable();
        self.lengths.dedup();
        self.round_trips = self.round_trips.max(measure.round_trips);
        self.others |= measure.others;
    }

    /// Round trips that come first and do not count, so that connections, caches and the peers'
    /// buffers are warm; fewer where each takes long.
    fn warm_up(&self) -> u32 {
        (self.round_trips / 8).max(1)
    }
}

/// The repetitions of one subject.
struct Series {
    name: String,
    format: Format,
    /// By entries: for each of [`COSTS`], the medians of the repetitions.
    medians: BTreeMap<u32, [Vec<f64>; COSTS.len()]>,
    /// All round trips at the longest length.
    times: Times,
}

/// Lets all subjects take turns at every length.
pub(super) fn measure(
    setting: &Setting<'_>,
    plan: &Plan,
    participants: &mut Participants,
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    let Ok(link) = plan.link.parse::<Link>() else { return };
    let longest = plan.lengths.iter().copied().max().unwrap_or(1);
    let mut series: Vec<Series> = Vec::new();
    for (index, &entries) in plan.lengths.iter().enumerate() {
        let begun = index as f64 / plan.lengths.len() as f64;
        let over = format!("messages of {entries} over {}, {}", plan.link, plan.wait.name());
        progress(&over, begun);
        let others = if plan.others { Others::PeersAndBare } else { Others::None };
        let mut turns = participants.take_part(setting, &plan.formats, others, entries);
        let repetitions = setting.repetitions();
        for repetition in 0..repetitions {
            let share = f64::from(repetition) / f64::from(repetitions);
            progress(&over, begun + share / plan.lengths.len() as f64);
            turns.each(repetition, |pair| {
                let exchange =
                    pair.round_trips(link, plan.wait, plan.warm_up(), plan.round_trips)?;
                take(&mut series, pair, entries, entries == longest, &exchange);
                Ok::<(), Failure>(())
            });
        }
    }
    let remaining = |series: &Series| participants.is_in(&series.name, series.format);
    series.retain(remaining);
    rows(setting, (plan, longest), &series, findings);
}

fn take(
    series: &mut Vec<Series>,
    pair: &Pair,
    entries: u32,
    is_longest: bool,
    exchange: &Exchange,
) {
    let found = series.iter().position(|it| it.name == pair.name && it.format == pair.format);
    let index = found.unwrap_or_else(|| {
        let (name, format) = (pair.name.clone(), pair.format);
        series.push(Series { name, format, medians: BTreeMap::new(), times: Times::default() });
        series.len() - 1
    });
    let trips = exchange.client.iter().zip(&exchange.server).map(|(client, server)| {
        // The network's is what is left: the client's wait without the server's own work.
        let network = client.network.saturating_sub(server.decode + server.encode);
        let whole = client.encode + client.network + client.decode;
        [whole, client.encode, network, server.decode, server.encode, client.decode]
    });
    let trips: Vec<[u64; COSTS.len()]> = trips.collect();
    let series = &mut series[index];
    let medians = series.medians.entry(entries).or_default();
    for (cost, medians) in medians.iter_mut().enumerate() {
        let mut times: Vec<u64> = trips.iter().map(|trip| trip[cost]).collect();
        times.sort_unstable();
        medians.extend(times.get(times.len() / 2).map(|&time| time as f64));
    }
    if is_longest {
        series.times.extend(trips.iter().map(|trip| trip[0]));
    }
}

fn rows(
    setting: &Setting<'_>,
    (plan, longest): (&Plan, u32),
    all: &[Series],
    findings: &mut Findings,
) {
    let rows = &mut findings.rows;
    let case = RoundTrip::case(&plan.link);
    let transport = format!("tcp-{}", plan.wait.name());
    let blank = |series: &Series, metric: &str, unit: &str| {
        setting.row(&case, &series.name, &series.format.profile_over(&transport), metric, unit)
    };
    for series in all {
        // What was published had a codec.
        let published = setting.request.definition.published(&case, COSTS[0], series.format);
        let published = published.filter(|_| series.name != BARE);
        for (&entries, medians) in &series.medians {
            for (cost, name) in COSTS.iter().enumerate() {
                let is_whole = cost == 0;
                let paper = published.filter(|_| is_whole).map(|line| line.at(entries));
                let row = Row { entries: Some(entries), paper, ..blank(series, name, "ns") };
                rows.push(row.bounded(&medians[cost]));
            }
        }
        let whole = series.medians.iter().map(|(entries, costs)| (*entries, &costs[0][..]));
        let fits = Fit::each(whole);
        for (metric, value, paper) in [
            (
                "round-trip-fixed",
                (|fit| fit.fixed) as fn(&Fit) -> f64,
                published.map(|it| it.fixed),
            ),
            ("round-trip-per-entry", |fit| fit.per_entry, published.map(|it| it.per_entry)),
        ] {
            let values: Vec<f64> = fits.iter().map(value).collect();
            if !values.is_empty() {
                rows.push(Row { paper, ..blank(series, metric, "ns") }.bounded(&values));
            }
        }
        let at_longest = Row { entries: Some(longest), ..blank(series, COSTS[0], "ns") };
        rows.extend(series.times.rows(&at_longest, "round-trip-", ""));
        findings.distributions.push(distribution(&at_longest, series.times.clone()));
        if series.name == TRUNKLINE {
            let bare = all.iter().find(|it| it.name == BARE && it.format == series.format);
            rows.extend(
                bare.into_iter()
                    .flat_map(|bare| over_bare(series, bare, |metric| blank(series, metric, "x"))),
            );
            let plain = all
                .iter()
                .find(|it| it.name == TRUNKLINE && Some(it.format) == series.format.plain());
            rows.extend(
                plain.into_iter().flat_map(|plain| {
                    reductions(series, plain, || blank(series, "reduction", "%"))
                }),
            );
        }
    }
}

/// How many times a bare echo of the same bytes plus what the codec took our round trip is.
fn over_bare(series: &Series, bare: &Series, blank: impl Fn(&str) -> Row) -> Vec<Row> {
    let of_length = |(entries, ours): (&u32, &[Vec<f64>; COSTS.len()])| {
        let bare = &bare.medians.get(entries)?[0];
        let least: Vec<f64> = bare
            .iter()
            .enumerate()
            .filter_map(|(repetition, bare)| {
                let codec: Option<f64> =
                    CODEC_COSTS.iter().map(|&cost| ours[cost].get(repetition)).sum();
                Some(bare + codec?)
            })
            .collect();
        let row = Row { entries: Some(*entries), ..blank("over-bare") };
        let row = row.compared(&ours[0], &least, None);
        // No difference is the best answer there is.
        let is_known = row.value.is_some()
            && row.high.zip(row.low).is_some_and(|(high, low)| high - low <= 0.25);
        let verdict = if is_known { trunkline_bench::row::Verdict::Ok } else { row.verdict };
        Some(Row { verdict, ..row })
    };
    series.medians.iter().filter_map(of_length).collect()
}

/// What a variant of a format saves of the plain one's round trips.
fn reductions(series: &Series, plain: &Series, blank: impl Fn() -> Row) -> Vec<Row> {
    let of_length = |(entries, ours): (&u32, &[Vec<f64>; COSTS.len()])| {
        let plain = &plain.medians.get(entries)?[0];
        Some(Row { entries: Some(*entries), ..blank() }.reduced(&ours[0], plain))
    };
    series.medians.iter().filter_map(of_length).collect()
}
