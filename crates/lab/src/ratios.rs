//! What SOAP costs over FIX and CDR, and how far we are ahead of the peers.

use crate::experiment::Operation;
use crate::measure::Setting;
use crate::measure::codec::{Content, Measured, OPERATIONS, Series};
use trunkline_bench::row::Row;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{RATIOS, lead_metric, ratio_metric};
use trunkline_experiment::subjects::{PEERS, TRUNKLINE, alike, formats_of};

/// The ratios between formats, ours and the peers', and our leads over the peers.
pub(crate) fn rows(setting: &Setting<'_>, measured: &Measured) -> Vec<Row> {
    let mut rows = Vec::new();
    let is_measured = |format| measured.series.iter().any(|series| series.format == format);
    for operation in OPERATIONS {
        for (over, under) in RATIOS {
            if !is_measured(over) || !is_measured(under) {
                continue;
            }
            for entries in [None, Some(setting.longest())] {
                let ratio = FormatRatio { setting, measured, operation, over, under, entries };
                rows.push(ratio.ours());
                rows.extend(ratio.peers());
            }
        }
    }
    for content in [Content::Figure3, Content::Randomised, Content::Cold] {
        for operation in OPERATIONS {
            for peer in PEERS {
                for &format in formats_of(peer.name) {
                    for names in alike(peer.name) {
                        let lead = Lead { setting, measured, content, operation, names, format };
                        rows.extend(lead.row());
                    }
                }
            }
        }
    }
    rows
}

/// The cost in one format over that in another, at one length or, without it, of an entry.
struct FormatRatio<'a> {
    setting: &'a Setting<'a>,
    measured: &'a Measured,
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
        let Self { setting, measured, operation, over, under, entries } = *self;
        let profile = format!("{} : {}", over.profile(), under.profile());
        let case = Content::Figure3.case(operation);
        let costs = |name: &str, format| {
            let series = measured.find(name, format, Content::Figure3, operation);
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
        blank.compared(&costs(names[0], over), &costs(names[1], under), measured.noise_floor)
    }
}

/// How far one of ours is ahead of a peer.
struct Lead<'a> {
    setting: &'a Setting<'a>,
    measured: &'a Measured,
    content: Content,
    operation: Operation,
    names: [&'static str; 2],
    format: Format,
}

impl Lead<'_> {
    fn row(&self) -> Option<Row> {
        let Self { setting, measured, content, operation, names, format } = *self;
        let find = |name: &str| measured.find(name, format, content, operation);
        let (ours, theirs) = (find(names[0])?, find(names[1])?);
        let (case, metric) = (content.case(operation), lead_metric(names[1]));
        let entries = Some(setting.longest());
        let blank = setting.row(case, names[0], &format.profile(), &metric, "x");
        let [ours, theirs] = [ours, theirs].map(|series| costs(series, entries));
        Some(Row { entries, ..blank }.compared(&theirs, &ours, measured.noise_floor))
    }
}

/// The repetitions of a series at one length, or of the cost of an entry.
fn costs(series: &Series, entries: Option<u32>) -> Vec<f64> {
    match entries {
        Some(entries) => series.by_entries.get(&entries).cloned().unwrap_or_default(),
        None => series.fits().iter().map(|fit| fit.per_entry).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::evaluation::Request;
    use crate::experiment::Standing;
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
            name: name.to_owned(),
            format,
            content: Content::Figure3,
            operation,
            by_entries: BTreeMap::from([(1, samples(1.0)), (10, samples(10.0))]),
            standing: Standing::Verified,
        }
    }

    fn measured(series: Vec<Series>) -> Measured {
        Measured { series, noise_floor: Some(0.02), ..Measured::default() }
    }

    fn rows(measured: &Measured) -> Vec<Row> {
        let definition = Definition::named("kohlhoff-2004").expect("embedded");
        let request = Request::new(definition, TradingDay::generated(1));
        super::rows(&Setting { request: &request, lengths: &[1, 10] }, measured)
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
        let measured = measured(vec![
            series(TRUNKLINE, Format::SoapRpc, encode, 100.0, 120.0),
            series(TRUNKLINE, Format::Fix, encode, 50.0, 80.0),
            series("gsoap-best", Format::SoapRpc, encode, 2_000.0, 2_400.0),
            series("quickfix", Format::Fix, encode, 500.0, 1_200.0),
        ]);
        let rows = self::rows(&measured);
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
        let rows = rows(&measured(vec![
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
        let measured = measured(vec![
            series(TRUNKLINE, Format::Fix, decode, 100.0, 100.0),
            series("ironfix", Format::Fix, decode, 101.0, 101.0),
        ]);
        let rows = self::rows(&measured);
        let lead = find(&rows, TRUNKLINE, "ahead-of-ironfix");
        assert_eq!(lead.verdict, Verdict::Inconclusive);
        assert!(lead.low > Some(1.0), "the bounds alone would have concluded: {lead:?}");
    }
}
