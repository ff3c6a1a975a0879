//! Round trips between two processes, split into their costs: table 2, figures 8, 9 and 15.

use super::pair::Exchange;
use super::participants::{Kind, Participants};
use super::series::Series;
use super::{Findings, Setting};
use trunkline_bench::row::{Row, Verdict};
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

/// Lets all subjects take turns at every length.
pub(super) fn measure(
    setting: &Setting<'_>,
    plan: &Plan,
    participants: &mut Participants,
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    let Ok(link) = plan.link.parse::<Link>() else { return };
    let (case, transport) = (RoundTrip::case(&plan.link), format!("tcp-{}", plan.wait.name()));
    let longest = plan.lengths.iter().copied().max().unwrap_or(1);
    let mut all: Vec<Series<Format>> = Vec::new();
    for (index, &entries) in plan.lengths.iter().enumerate() {
        let begun = index as f64 / plan.lengths.len() as f64;
        let over = format!("messages of {entries} over {}, {}", plan.link, plan.wait.name());
        progress(&over, begun);
        let all_kinds = [Kind::Ours, Kind::Bare, Kind::Peer];
        let kinds = if plan.others { &all_kinds[..] } else { &[Kind::Ours] };
        let mut turns = participants.take_part(setting, &plan.formats, kinds, entries);
        let repetitions = setting.repetitions();
        for repetition in 0..repetitions {
            let share = f64::from(repetition) / f64::from(repetitions);
            progress(&over, begun + share / plan.lengths.len() as f64);
            turns.each(repetition, |pair| {
                let exchange =
                    pair.round_trips(link, plan.wait, plan.warm_up(), plan.round_trips)?;
                let series = pair.series(&mut all, (&case, &transport, entries));
                take(series, entries == longest, &exchange);
                Ok(())
            });
        }
    }
    all.retain(|it| participants.is_in(&it.subject, it.of));
    for series in &all {
        rows(setting, series, &all, findings);
    }
}

fn take(series: &mut Series<Format>, is_longest: bool, exchange: &Exchange) {
    let trips = exchange.client.iter().zip(&exchange.server).map(|(client, server)| {
        // The network's is what is left: the client's wait without the server's own work.
        let network = client.network.saturating_sub(server.decode + server.encode);
        let whole = client.encode + client.network + client.decode;
        [whole, client.encode, network, server.decode, server.encode, client.decode]
    });
    let trips: Vec<[u64; COSTS.len()]> = trips.collect();
    for (cost, metric) in COSTS.iter().enumerate() {
        let mut times: Vec<u64> = trips.iter().map(|trip| trip[cost]).collect();
        times.sort_unstable();
        series.add(metric, "ns", times.get(times.len() / 2).map(|&time| time as f64));
    }
    if is_longest {
        series.times.extend(trips.iter().map(|trip| trip[0]));
    }
}

/// The rows of one subject at one length; at the longest, also what holds for all lengths.
fn rows(
    setting: &Setting<'_>,
    series: &Series<Format>,
    all: &[Series<Format>],
    findings: &mut Findings,
) {
    let rows = &mut findings.rows;
    // What was published had a codec.
    let published = setting.request.definition.published(&series.case, COSTS[0], series.of);
    let published = published.filter(|_| series.subject != BARE);
    let paper = published.zip(series.entries).map(|(line, entries)| line.at(entries));
    rows.extend(series.medians(setting).map(|row| {
        let paper = paper.filter(|_| row.metric == COSTS[0]);
        Row { paper, ..row }
    }));
    if series.times.count() > 0 {
        let is_its = |it: &&Series<Format>| it.subject == series.subject && it.of == series.of;
        let whole = all.iter().filter(is_its);
        let fits = Fit::each(whole.filter_map(|it| Some((it.entries?, it.values(COSTS[0])))));
        let [fixed, per_entry]: [fn(&Fit) -> f64; 2] = [|fit| fit.fixed, |fit| fit.per_entry];
        for (metric, value, paper) in [
            ("round-trip-fixed", fixed, published.map(|it| it.fixed)),
            ("round-trip-per-entry", per_entry, published.map(|it| it.per_entry)),
        ] {
            let values: Vec<f64> = fits.iter().map(value).collect();
            let blank = Row { entries: None, paper, ..series.blank(setting, metric, "ns") };
            rows.extend((!values.is_empty()).then(|| blank.bounded(&values)));
        }
        let blank = series.blank(setting, COSTS[0], "ns");
        rows.extend(series.times.rows(&blank, "round-trip-", ""));
        findings.distributions.extend(series.distribution(setting, COSTS[0]));
    }
    let beside = |name: &str, format: Option<Format>| {
        let is_it = |it: &&Series<Format>| {
            it.subject == name && Some(it.of) == format && it.entries == series.entries
        };
        all.iter().find(is_it)
    };
    let bare = beside(BARE, Some(series.of)).filter(|_| series.subject == TRUNKLINE);
    rows.extend(bare.map(|bare| over_bare(series, bare, series.blank(setting, "over-bare", "x"))));
    // What a variant of a format saves of the plain one's round trips.
    let plain = beside(&series.subject, series.of.plain()).filter(|it| it.subject != BARE);
    rows.extend(plain.map(|plain| {
        let blank = series.blank(setting, "reduction", "%");
        blank.reduced(series.values(COSTS[0]), plain.values(COSTS[0]))
    }));
}

/// How many times a bare echo of the same bytes plus what the codec took our round trip is.
fn over_bare(series: &Series<Format>, bare: &Series<Format>, blank: Row) -> Row {
    let with_codec = |(repetition, bare): (usize, &f64)| {
        let costs = CODEC_COSTS.iter().map(|&cost| series.values(COSTS[cost]).get(repetition));
        Some(bare + costs.sum::<Option<f64>>()?)
    };
    let bare = bare.values(COSTS[0]).iter().enumerate();
    let least: Vec<f64> = bare.filter_map(with_codec).collect();
    let row = blank.compared(series.values(COSTS[0]), &least, None);
    // No difference is the best answer there is.
    let is_known = row.high.zip(row.low).is_some_and(|(high, low)| high - low <= 0.25);
    let verdict = if is_known { Verdict::Ok } else { row.verdict };
    Row { verdict, ..row }
}
