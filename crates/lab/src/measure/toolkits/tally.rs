//! What came of turns, as rows.

use super::pair::{Pair, Turn};
use crate::measure::{Findings, Setting, series};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::ToolkitCalls;
use trunkline_experiment::definition::toolkit_calls::{
    BYTES, LEAST_LEAD, OF_SOAP_TCP, PARTS, RATE, TOOLKIT, TOOLKIT_SHARE,
};
use trunkline_experiment::names::{BARE, ENDS, end_metric, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::{Call, Mode, Toolkit, named};

/// What is shown of all times together.
const SHOWN: [&str; 2] = ["latency-p99", "latency-max"];

/// What is compared, and its unit.
pub(super) const MAIN: (&str, &str) = (RATE, "1/s");

/// Turns of one toolkit in one case.
pub(super) type Series = series::Series<Mode>;

impl Series {
    pub(super) fn of_pair(
        toolkit: &Toolkit,
        mode: Mode,
        (threads, call, link): (u32, Call, &str),
        bytes: Option<[u32; 2]>,
    ) -> Self {
        let case = ToolkitCalls::case(mode, threads, call, link);
        let profile = match bytes {
            Some([sent, _]) => format!("{}/{sent}", mode.profile()),
            None => mode.profile().to_owned(),
        };
        Self::new(mode, &case, toolkit.name, profile)
    }

    pub(super) fn add_turn(&mut self, turn: &Turn) {
        let Turn { called, cpu, codec } = turn;
        let mut times = called.times.clone();
        times.sort_unstable();
        self.add(RATE, "1/s", called.rate());
        self.add("latency", "ns", times.get(times.len() / 2).map(|&time| time as f64));
        for (end, cpu) in ENDS.iter().zip(cpu.iter().flatten()) {
            self.add(&end_metric(end, "cpu"), "ns", *cpu);
        }
        if let Some(codec) = codec {
            self.add(PARTS[1], "ns", *codec);
        }
        times.iter().for_each(|&time| self.times.record(time));
    }

    pub(super) fn is_of(&self, pair: &Pair) -> bool {
        self.subject == pair.toolkit.name && self.of == pair.mode
    }

    /// The row of one that takes no part.
    pub(super) fn without(&self, setting: &Setting<'_>, verdict: Verdict) -> Row {
        Row { verdict, ..self.blank(setting, MAIN.0, MAIN.1) }
    }

    fn is_peer(&self) -> bool {
        ![TRUNKLINE, BARE].contains(&&*self.subject)
    }
}

/// Where the time of a call goes that is made alone: what an echo of the bytes takes, and the rest, of which the codec
/// has a part where it is known.
fn split(setting: &Setting<'_>, series: &Series, bare: &Series) -> Vec<Row> {
    let is_alone = ToolkitCalls::parts(&series.case).is_some_and(|(_, threads, ..)| threads == 1);
    if !is_alone || series.subject == BARE {
        return Vec::new();
    }
    let less = |whole: &[f64], part: &[f64]| -> Vec<f64> {
        whole.iter().zip(part).map(|(whole, part)| whole - part).collect()
    };
    let [wait, codec, framing] = PARTS;
    let waiting = bare.values("latency");
    let toolkit = less(series.values("latency"), waiting);
    let of_codec = series.values(codec);
    let shares = toolkit.iter().zip(series.values("latency"));
    let shares: Vec<f64> = shares.map(|(part, whole)| part / whole * 100.0).collect();
    let mut parts = vec![(wait, waiting.to_vec()), (TOOLKIT, toolkit.clone())];
    if !of_codec.is_empty() {
        parts.push((framing, less(&toolkit, of_codec)));
    }
    let row =
        |(metric, values): &(&str, Vec<f64>)| series.blank(setting, metric, "ns").bounded(values);
    let share = series.blank(setting, TOOLKIT_SHARE, "%").bounded(&shares);
    parts.iter().map(row).chain([share]).collect()
}

/// How far ours is ahead of one of others in the same case, and what its ends take over what ours do.
fn leads(setting: &Setting<'_>, ours: &Series, series: &Series) -> Vec<Row> {
    let lead = lead_metric(&series.subject);
    let mut rows = vec![series.over(ours, MAIN, ours.blank(setting, &lead, "x"), None)];
    for end in ENDS {
        let (row, cpu) =
            (ours.blank(setting, &end_metric(end, &lead), "x"), end_metric(end, "cpu"));
        if !series.values(&cpu).is_empty() {
            rows.push(row.compared(series.values(&cpu), ours.values(&cpu), None));
        }
    }
    rows
}

/// The rows of all that took turns with one call of so many threads, with what they take on the wire.
pub(super) fn rows(
    setting: &Setting<'_>,
    all: &[(Series, Option<[u32; 2]>)],
    found: &mut Findings,
) {
    let in_turns = || all.iter().map(|(it, _)| it).filter(|it| it.out.is_none());
    let find = |name: &str, mode: Mode| in_turns().find(|it| it.subject == name && it.of == mode);
    let bare = in_turns().find(|it| it.subject == BARE);
    let mut nearest: Vec<Row> = Vec::new();
    for (series, bytes) in all {
        if let Some(verdict) = series.out {
            found.rows.push(series.without(setting, verdict));
            continue;
        }
        found.rows.extend(series.medians(setting));
        let percentiles = series.times.rows(&series.blank(setting, "", "ns"), "latency-", "");
        let is_shown = |row: &Row| SHOWN.contains(&&*row.metric);
        found.rows.extend(percentiles.into_iter().filter(is_shown));
        for (metric, count) in BYTES.iter().zip(bytes.iter().flatten()) {
            let blank = series.blank(setting, metric, "bytes");
            found.rows.push(Row { value: Some(f64::from(*count)), runs: 1, ..blank });
        }
        found.rows.extend(bare.iter().flat_map(|bare| split(setting, series, bare)));
        let own = find(&series.subject, Mode::SoapTcp);
        if let Some(whole) = own.or_else(|| find(TRUNKLINE, Mode::SoapTcp)) {
            let pairs = series.values(RATE).iter().zip(whole.values(RATE));
            let percent: Vec<f64> = pairs.map(|(own, whole)| own / whole * 100.0).collect();
            found.rows.push(series.blank(setting, OF_SOAP_TCP, "%").bounded(&percent));
        }
        if let Some(bare) = bare.filter(|_| series.subject == TRUNKLINE) {
            let row = series.blank(setting, "over-bare", "x");
            found.rows.push(series.over(bare, MAIN, row, None));
        }
        let ours = find(TRUNKLINE, series.of.beside()).filter(|_| series.is_peer());
        if let Some(ours) = ours {
            let rows = leads(setting, ours, series);
            if named(&series.subject).is_some() {
                nearest.push(Row { metric: LEAST_LEAD.to_owned(), ..rows[0].clone() });
            }
            found.rows.extend(rows);
        }
        found.distributions.extend(series.distribution(setting, "latency"));
    }
    nearest.sort_by(|one, other| {
        let value = |row: &Row| row.value.unwrap_or(f64::INFINITY);
        one.case.cmp(&other.case).then(value(one).total_cmp(&value(other)))
    });
    nearest.dedup_by_key(|row| row.case.clone());
    found.rows.extend(nearest);
}
