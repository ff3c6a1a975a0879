//! What came of turns, as rows.

use super::pair::{Pair, Turn};
use crate::measure::{Findings, Setting, series};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::ToolkitCalls;
use trunkline_experiment::definition::toolkit_calls::{BYTES, OF_SOAP_TCP, PARTS, RATE, TOOLKIT};
use trunkline_experiment::names::{BARE, lead_metric};
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
        (threads, call): (u32, Call),
        bytes: Option<[u32; 2]>,
    ) -> Self {
        let case = ToolkitCalls::case(mode, threads, call);
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
        if let Some([client, server]) = cpu {
            self.add("client-cpu", "ns", *client);
            self.add("server-cpu", "ns", *server);
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
        named(&self.subject).is_some_and(Toolkit::is_peer)
    }
}

/// Where the time of a call goes that is made alone: what an echo of the bytes takes, and the rest, of which the codec
/// has a part where it is known.
fn split(setting: &Setting<'_>, series: &Series, bare: &Series) -> Vec<Row> {
    let is_alone = ToolkitCalls::parts(&series.case).is_some_and(|(_, threads, _)| threads == 1);
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
    let mut parts = vec![(wait, waiting.to_vec()), (TOOLKIT, toolkit.clone())];
    if !of_codec.is_empty() {
        parts.push((framing, less(&toolkit, of_codec)));
    }
    let row =
        |(metric, values): &(&str, Vec<f64>)| series.blank(setting, metric, "ns").bounded(values);
    parts.iter().map(row).collect()
}

/// The rows of all that took turns with one call of so many threads, with what they take on the wire.
pub(super) fn rows(
    setting: &Setting<'_>,
    all: &[(Series, Option<[u32; 2]>)],
    found: &mut Findings,
) {
    let find = |name: &str, mode: Mode| {
        let mut in_turns = all.iter().map(|(it, _)| it).filter(|it| it.out.is_none());
        in_turns.find(|it| it.subject == name && it.of == mode)
    };
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
        found.rows.extend(
            find(BARE, Mode::Bytes).map(|bare| split(setting, series, bare)).into_iter().flatten(),
        );
        let own = find(&series.subject, Mode::SoapTcp);
        if let Some(whole) = own.or_else(|| find(TRUNKLINE, Mode::SoapTcp)) {
            let pairs = series.values(RATE).iter().zip(whole.values(RATE));
            let percent: Vec<f64> = pairs.map(|(own, whole)| own / whole * 100.0).collect();
            found.rows.push(series.blank(setting, OF_SOAP_TCP, "%").bounded(&percent));
        }
        if let Some(bare) = find(BARE, Mode::Bytes).filter(|_| series.subject == TRUNKLINE) {
            let row = series.blank(setting, "over-bare", "x");
            found.rows.push(series.over(bare, MAIN, row, None));
        }
        // RMI is nobody's mode but its own.
        let mode = if series.of == Mode::Rmi { Mode::SoapTcp } else { series.of };
        if let Some(ours) = find(TRUNKLINE, mode).filter(|_| series.is_peer()) {
            let lead = lead_metric(&series.subject);
            found.rows.push(series.over(ours, MAIN, ours.blank(setting, &lead, "x"), None));
            for end in ["client", "server"] {
                let row = ours.blank(setting, &format!("{end}-{lead}"), "x");
                let cpu = format!("{end}-cpu");
                found.rows.push(row.compared(series.values(&cpu), ours.values(&cpu), None));
            }
        }
        found.distributions.extend(series.distribution(setting, "latency"));
    }
}
