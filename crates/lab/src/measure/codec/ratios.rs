//! What SOAP costs over FIX and CDR, and how far we are ahead of the peers.

use super::{Series, Timed};
use crate::experiment::Operation;
use crate::measure::Setting;
use crate::scenario::OPERATIONS;
use trunkline_bench::row::Row;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{RATIOS, lead_metric, ratio_metric};
use trunkline_experiment::subjects::{PEERS, TRUNKLINE, alike, formats_of};

/// The ratios between formats, ours and the peers', and our leads over the peers.
pub(super) fn rows(setting: &Setting<'_>, timed: &Timed) -> Vec<Row> {
    let mut rows = Vec::new();
    let is_timed = |format| timed.series.iter().any(|series| series.format == format);
    for operation in OPERATIONS {
        for (over, under) in RATIOS {
            if !is_timed(over) || !is_timed(under) {
                continue;
            }
            for entries in [None, Some(setting.longest())] {
                let ratio = FormatRatio { setting, timed, operation, over, under, entries };
                rows.push(ratio.ours());
                rows.extend(ratio.peers());
            }
        }
    }
    let mut cases: Vec<String> = timed.series.iter().map(Series::case).collect();
    cases.sort();
    cases.dedup();
    for case in &cases {
        for peer in PEERS {
            for &format in formats_of(peer.name) {
                for names in alike(peer.subject()) {
                    rows.extend(lead(setting, timed, (case, format), names));
                }
            }
        }
    }
    rows
}

/// The cost in one format over that in another, at one length or, without it, of an entry.
struct FormatRatio<'a> {
    setting: &'a Setting<'a>,
    timed: &'a Timed,
    operation: Operation,
    over: Format,
    under: Format,
    entries: Option<u32>,
}

impl FormatRatio<'_> {
    fn ours(&self) -> Row {
        self.row(TRUNKLINE, [TRUNKLINE; 2])
    }

    /// The same between the peers that stand for the formats; None if none do.
    fn peers(&self) -> Option<Row> {
        let definition = &self.setting.request.definition;
        let (over, under) = (definition.successor(self.over)?, definition.successor(self.under)?);
        Some(self.row(&format!("{over}/{under}"), [over, under]))
    }

    fn row(&self, subject: &str, names: [&str; 2]) -> Row {
        let Self { setting, timed, operation, over, under, entries } = *self;
        let profile = format!("{} : {}", over.profile(), under.profile());
        let case = operation.name();
        let costs = |name: &str, format| {
            let series = timed.find(name, format, case);
            series.map_or(Vec::new(), |series| costs(series, entries))
        };
        let paper = |format| {
            let line = setting.request.definition.published(case, "cpu-time", format)?;
            Some(entries.map_or(line.per_entry, |entries| line.at(entries)))
        };
        let metric = ratio_metric(over, under);
        let metric = if entries.is_none() { format!("{metric}-per-entry") } else { metric };
        let blank = Row {
            entries,
            paper: paper(over).zip(paper(under)).map(|(over, under)| over / under),
            ..setting.row(case, subject, &profile, &metric, "x")
        };
        blank.compared(&costs(names[0], over), &costs(names[1], under), timed.noise_floor)
    }
}

/// How far the first of two subjects, one of ours, is ahead of the other, a peer; with the longest messages.
fn lead(
    setting: &Setting<'_>,
    timed: &Timed,
    (case, format): (&str, Format),
    [ours, peer]: [&str; 2],
) -> Option<Row> {
    let find = |name: &str| timed.find(name, format, case);
    let (own, theirs) = (find(ours)?, find(peer)?);
    let entries = own.content.longest();
    let samples = |series: &Series| series.by_entries.get(&entries).cloned().unwrap_or_default();
    let blank = setting.row(case, ours, &format.profile(), &lead_metric(peer), "x");
    Some(Row { entries, ..blank }.compared(&samples(theirs), &samples(own), timed.noise_floor))
}

/// The repetitions of a series at one length, or of the cost of an entry.
fn costs(series: &Series, entries: Option<u32>) -> Vec<f64> {
    match entries {
        Some(_) => series.by_entries.get(&entries).cloned().unwrap_or_default(),
        None => series.fits().iter().map(|fit| fit.per_entry).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::evaluation::Request;
    use crate::experiment::SubjectStatus;
    use crate::scenario::Content;
    use crate::trading_day::TradingDay;
    use trunkline_bench::row::Verdict;
    use trunkline_experiment::definition::Definition;
    use trunkline_experiment::subjects::TRUNKLINE_REUSED;

    /// Nine repetitions that wander by 1 %, at 1 and 10 entries.
    fn series(name: &str, format: Format, operation: Operation, fixed: f64, entry: f64) -> Series {
        let samples = |entries: f64| -> Vec<f64> {
            let drift = |run: u32| 1.0 + f64::from(run % 3) / 200.0;
            (0..9).map(|run| (fixed + entry * entries) * drift(run)).collect()
        };
        Series {
            subject: name.to_owned(),
            format,
            content: Content::new("", &[Some(1), Some(10)], 5),
            operation,
            by_entries: BTreeMap::from([(Some(1), samples(1.0)), (Some(10), samples(10.0))]),
            status: SubjectStatus::Verified,
        }
    }

    fn timed(series: Vec<Series>) -> Timed {
        Timed { series, noise_floor: Some(0.02) }
    }

    fn rows(timed: &Timed) -> Vec<Row> {
        let definition = Definition::named("kohlhoff-2004").expect("embedded");
        let request = Request::new(definition, TradingDay::generated(1));
        super::rows(&Setting { request: &request, lengths: &[1, 10] }, timed)
    }

    fn find<'a>(rows: &'a [Row], subject: &str, metric: &str) -> &'a Row {
        let found = rows
            .iter()
            .find(|row| (row.subject.as_str(), row.metric.as_str()) == (subject, metric));
        found.unwrap_or_else(|| panic!("no {metric} of {subject} in {rows:#?}"))
    }

    #[test]
    fn ratios_stand_beside_the_papers_and_the_peers() {
        let encode = Operation::Encode;
        let timed = timed(vec![
            series(TRUNKLINE, Format::SoapRpc, encode, 100.0, 120.0),
            series(TRUNKLINE, Format::Fix, encode, 50.0, 80.0),
            series("gsoap-best", Format::SoapRpc, encode, 2_000.0, 2_400.0),
            series("quickfix", Format::Fix, encode, 500.0, 1_200.0),
        ]);
        let rows = self::rows(&timed);
        let per_entry = find(&rows, TRUNKLINE, "SOAP/FIX-per-entry");
        assert!((per_entry.value.expect("measured") - 1.5).abs() < 1e-9, "{per_entry:?}");
        assert!((per_entry.paper.expect("table 3") - 0.1148 / 0.0141).abs() < 1e-9);
        assert_eq!((per_entry.entries, per_entry.runs, per_entry.verdict), (None, 9, Verdict::Ok));
        let at_ten = find(&rows, TRUNKLINE, "SOAP/FIX");
        assert!((at_ten.value.expect("measured") - 1_300.0 / 850.0).abs() < 1e-9, "{at_ten:?}");
        let peers = find(&rows, "gsoap-best/quickfix", "SOAP/FIX-per-entry");
        assert!((peers.value.expect("measured") - 2.0).abs() < 1e-9, "{peers:?}");
        let lead = find(&rows, TRUNKLINE, "ahead-of-gsoap-best");
        assert!((lead.value.expect("measured") - 20.0).abs() < 1e-9, "{lead:?}");
        assert!(rows.iter().all(|row| row.metric != "SOAP/CDR"), "CDR was not measured");
    }

    #[test]
    fn leads_are_of_like_over_like() {
        let decode = Operation::Decode;
        let of = |name, entry| series(name, Format::CdrUnion, decode, 0.0, entry);
        let rows = rows(&timed(vec![
            of(TRUNKLINE, 200.0),
            of(TRUNKLINE_REUSED, 140.0),
            of("omniorb", 320.0),
            of("omniorb-reused", 210.0),
        ]));
        for (ours, metric, expected) in [
            (TRUNKLINE, "ahead-of-omniorb", 1.6),
            (TRUNKLINE_REUSED, "ahead-of-omniorb-reused", 1.5),
        ] {
            let lead = find(&rows, ours, metric);
            assert!((lead.value.expect("measured") - expected).abs() < 1e-9, "{lead:?}");
        }
        assert_eq!(rows.iter().filter(|row| row.metric.starts_with("ahead-of-")).count(), 2);
    }

    #[test]
    fn a_lead_within_the_noise_is_inconclusive() {
        let decode = Operation::Decode;
        let timed = timed(vec![
            series(TRUNKLINE, Format::Fix, decode, 100.0, 100.0),
            series("ironfix", Format::Fix, decode, 101.0, 101.0),
        ]);
        let rows = self::rows(&timed);
        let lead = find(&rows, TRUNKLINE, "ahead-of-ironfix");
        assert_eq!(lead.verdict, Verdict::Inconclusive);
        assert!(lead.low > Some(1.0), "the bounds alone would have concluded: {lead:?}");
    }
}
