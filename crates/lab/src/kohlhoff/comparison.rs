//! What SOAP costs over FIX and CDR, how far we are ahead of the peers, and which of the paper's
//! conclusions hold.

use super::codec::{Content, Measured, OPERATIONS, Series, published};
use super::format::Format;
use super::subjects::{TRUNKLINE, formats_of};
use super::{LONGEST, SIZE, row};
use crate::experiment::Operation;
use crate::paper::kohlhoff::MESSAGE_SIZE;
use crate::peer::PEERS;
use crate::row::{Row, Verdict};
use crate::statistics::ComparisonRule;

/// Pairs of formats in the order of tables: what is divided by what.
pub(super) const RATIOS: [(Format, Format); 3] = [
    (Format::SoapRpc, Format::Fix),
    (Format::SoapRpc, Format::CdrUnion),
    (Format::Fix, Format::CdrUnion),
];

/// The peers that stand for the paper's three formats today.
pub(super) const SUCCESSORS: [(Format, &str); 3] =
    [(Format::SoapRpc, "gsoap-best"), (Format::Fix, "quickfix"), (Format::CdrUnion, "omniorb")];

fn successor(format: Format) -> &'static str {
    SUCCESSORS.iter().find(|(known, _)| *known == format).map_or("", |(_, name)| name)
}

/// The metric of a ratio: `SOAP/FIX`.
pub(super) fn ratio_metric(over: Format, under: Format) -> String {
    let name = |format: Format| format.published().unwrap_or_else(|| format.title());
    format!("{}/{}", name(over), name(under))
}

/// The subject of a ratio between peers: `gsoap-best/quickfix`.
pub(super) fn successors(over: Format, under: Format) -> String {
    format!("{}/{}", successor(over), successor(under))
}

/// The metric of a lead: `ahead-of-gsoap-best`.
pub(super) fn lead_metric(peer: &str) -> String {
    format!("ahead-of-{peer}")
}

/// The ratios between formats, ours and the peers', and our leads over the peers.
pub(super) fn rows(measured: &Measured) -> Vec<Row> {
    let mut rows = Vec::new();
    for operation in OPERATIONS {
        for (over, under) in RATIOS {
            for entries in [None, Some(LONGEST)] {
                rows.push(format_ratio(measured, operation, (over, under), entries, None));
                let peers = [successor(over), successor(under)];
                rows.push(format_ratio(measured, operation, (over, under), entries, Some(peers)));
            }
        }
    }
    for content in [Content::Figure3, Content::Randomised] {
        for operation in OPERATIONS {
            for peer in PEERS {
                for &format in formats_of(peer.name) {
                    rows.extend(lead(measured, content, operation, peer.name, format));
                }
            }
        }
    }
    rows
}

/// `entries` None stands for the cost of an entry; `peers` None for ourselves.
fn format_ratio(
    measured: &Measured,
    operation: Operation,
    (over, under): (Format, Format),
    entries: Option<u32>,
    peers: Option<[&str; 2]>,
) -> Row {
    let names = peers.unwrap_or([TRUNKLINE; 2]);
    let subject = peers.map_or(TRUNKLINE.to_owned(), |_| successors(over, under));
    let profile = format!("{} : {}", over.profile(), under.profile());
    let costs = |name: &str, format| {
        let series = measured.find(name, format, Content::Figure3, operation);
        series.map_or(Vec::new(), |series| costs(series, entries))
    };
    let paper = |format| {
        let line = published(operation, format)?;
        Some(entries.map_or(line.per_entry, |entries| line.at(entries)))
    };
    let metric = ratio_metric(over, under);
    let metric = if entries.is_none() { format!("{metric}-per-entry") } else { metric };
    let case = Content::Figure3.case(operation);
    let blank = Row {
        entries,
        paper: paper(over).zip(paper(under)).map(|(over, under)| over / under),
        ..row(case, &subject, &profile, &metric, "x")
    };
    compared(measured, blank, &costs(names[0], over), &costs(names[1], under))
}

fn lead(
    measured: &Measured,
    content: Content,
    operation: Operation,
    peer: &str,
    format: Format,
) -> Option<Row> {
    let ours = measured.find(TRUNKLINE, format, content, operation)?;
    let theirs = measured.find(peer, format, content, operation)?;
    let case = content.case(operation);
    let metric = lead_metric(peer);
    let blank =
        Row { entries: Some(LONGEST), ..row(case, TRUNKLINE, &format.profile(), &metric, "x") };
    let [ours, theirs] = [ours, theirs].map(|series| costs(series, Some(LONGEST)));
    Some(compared(measured, blank, &theirs, &ours))
}

/// The repetitions of a series at one length, or of the cost of an entry.
fn costs(series: &Series, entries: Option<u32>) -> Vec<f64> {
    match entries {
        Some(entries) => series.by_entries.get(&entries).cloned().unwrap_or_default(),
        None => series.fits().iter().map(|fit| fit.per_entry).collect(),
    }
}

/// The row with the ratio of two subjects' repetitions; absent where one has none.
fn compared(measured: &Measured, row: Row, over: &[f64], under: &[f64]) -> Row {
    if over.is_empty() || under.is_empty() {
        return Row { verdict: Verdict::Absent, ..row };
    }
    let Some(comparison) = ComparisonRule::default().compare(over, under) else {
        return Row { verdict: Verdict::Inconclusive, ..row };
    };
    let is_noise = (comparison.ratio - 1.0).abs() < measured.noise_floor.unwrap_or(0.0);
    let is_inconclusive = comparison.finding.is_inconclusive() || is_noise;
    Row {
        value: Some(comparison.ratio),
        low: Some(comparison.low),
        high: Some(comparison.high),
        runs: comparison.pairs,
        verdict: if is_inconclusive { Verdict::Inconclusive } else { Verdict::Ok },
        ..row
    }
}

/// The case of a conclusion.
pub(super) const CONCLUSION: &str = "conclusion";

/// A conclusion of the paper's section 7: over all lengths and the cases named, the cost in one format
/// stands in about this relation to the cost in another.
pub(super) struct Conclusion {
    pub(super) metric: &'static str,
    pub(super) words: &'static str,
    over: Format,
    under: Format,
    /// Cases and the metric in them.
    cases: &'static [&'static str],
    quantity: &'static str,
}

const fn conclusion(
    metric: &'static str,
    words: &'static str,
    (over, under): (Format, Format),
    cases: &'static [&'static str],
    quantity: &'static str,
) -> Conclusion {
    Conclusion { metric, words, over, under, cases, quantity }
}

/// The paper's conclusions that sizes and times can confirm or refute.
pub(super) const CONCLUSIONS: [Conclusion; 5] = [
    conclusion("size SOAP/FIX", "SOAP is larger than FIX", RATIOS[0], &[SIZE], "size"),
    conclusion("size SOAP/CDR", "SOAP is larger than CDR", RATIOS[1], &[SIZE], "size"),
    conclusion(
        "codec SOAP/FIX",
        "SOAP is slower than FIX",
        RATIOS[0],
        &["encode", "decode"],
        "cpu-time",
    ),
    conclusion(
        "codec SOAP/CDR",
        "SOAP is slower than CDR",
        RATIOS[1],
        &["encode", "decode"],
        "cpu-time",
    ),
    conclusion(
        "decode FIX/CDR",
        "FIX is decoded faster than CDR",
        RATIOS[2],
        &["decode"],
        "cpu-time",
    ),
];

impl Conclusion {
    /// The lowest and the highest factor over 1 to 10 entries in the paper's tables.
    pub(super) fn published(&self) -> Option<(f64, f64)> {
        let factors = self.cases.iter().flat_map(|case| {
            (1..=LONGEST).filter_map(move |entries| {
                let cost = |format: Format| {
                    let line = match *case {
                        "encode" => published(Operation::Encode, format)?,
                        "decode" => published(Operation::Decode, format)?,
                        _ => *MESSAGE_SIZE.line(format.published()?)?,
                    };
                    Some(line.at(entries))
                };
                Some(cost(self.over)? / cost(self.under)?)
            })
        });
        range(factors)
    }

    /// The row for ourselves or for the peers; None if it was not measured.
    ///
    /// The conclusion holds if the geometric middle of our factors lies within the paper's; nothing
    /// is concluded if their bounds say otherwise.
    fn row(&self, rows: &[Row], subjects: [&str; 2], name: &str) -> Option<Row> {
        let costs = |subject: &str, format: Format| -> Vec<&Row> {
            let profile = format.profile();
            let is_cost = |row: &&Row| {
                self.cases.contains(&row.case.as_str())
                    && (row.subject.as_str(), row.profile.as_str()) == (subject, profile.as_str())
                    && row.metric == self.quantity
                    && row.entries.is_some()
            };
            rows.iter().filter(is_cost).collect()
        };
        let (over, under) = (costs(subjects[0], self.over), costs(subjects[1], self.under));
        if over.len() != under.len() {
            return None;
        }
        let factors = |value: fn(&Row) -> Option<f64>, by: fn(&Row) -> Option<f64>| {
            range(over.iter().zip(&under).filter_map(|(over, under)| {
                let is_same = (&over.case, over.entries) == (&under.case, under.entries);
                is_same.then_some(value(over)? / by(under)?)
            }))
        };
        let (low, high) = factors(|row| row.value, |row| row.value)?;
        let middle = (low * high).sqrt();
        let (paper_low, paper_high) = self.published()?;
        let is_held = |middle| (paper_low..=paper_high).contains(&middle);
        // The bounds of sizes are those of the messages and leave nothing in doubt.
        let is_timed = self.quantity != "size";
        let bounds =
            [factors(|row| row.low, |row| row.high), factors(|row| row.high, |row| row.low)];
        let is_doubtful = bounds
            .into_iter()
            .flatten()
            .any(|(low, high)| is_timed && is_held((low * high).sqrt()) != is_held(middle));
        let verdict = match (is_doubtful, is_held(middle)) {
            (true, _) => Verdict::Inconclusive,
            (false, true) => Verdict::Holds,
            (false, false) => Verdict::NoLonger,
        };
        let profile = format!("{} : {}", self.over.profile(), self.under.profile());
        Some(Row {
            value: Some(middle),
            low: Some(low),
            high: Some(high),
            runs: over.iter().chain(&under).map(|row| row.runs).min().unwrap_or(0),
            paper: Some((paper_low * paper_high).sqrt()),
            verdict,
            ..row(CONCLUSION, name, &profile, self.metric, "x")
        })
    }
}

/// What follows from the rows so far for each of the paper's conclusions, for us and for the peers
/// that stand for its formats today.
pub(super) fn conclusions(rows: &[Row]) -> Vec<Row> {
    let mut found = Vec::new();
    for conclusion in &CONCLUSIONS {
        found.extend(conclusion.row(rows, [TRUNKLINE; 2], TRUNKLINE));
        let (over, under) = (conclusion.over, conclusion.under);
        let peers = [successor(over), successor(under)];
        found.extend(conclusion.row(rows, peers, &successors(over, under)));
    }
    found.extend(compact_tags(rows));
    found
}

/// What compact tags saved in the paper (section 5.4, figure 14), in percent.
pub(super) const COMPACT_TAGS_SAVE: (f64, f64) = (30.0, 40.0);

fn compact_tags(rows: &[Row]) -> Option<Row> {
    let reductions = rows.iter().filter(|row| row.case == SIZE && row.metric == "reduction");
    let (low, high) = range(reductions.filter_map(|row| row.value))?;
    let (paper_low, paper_high) = COMPACT_TAGS_SAVE;
    let middle = low.midpoint(high);
    // The paper says approximately; its figures are whole.
    let holds = (paper_low..=paper_high).contains(&middle.round());
    Some(Row {
        value: Some(middle),
        low: Some(low),
        high: Some(high),
        runs: 1,
        paper: Some(paper_low.midpoint(paper_high)),
        verdict: if holds { Verdict::Holds } else { Verdict::NoLonger },
        ..row(CONCLUSION, TRUNKLINE, &Format::SoapCompact.profile(), "size compact tags", "%")
    })
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::experiment::Standing;

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
        let (missing, faults, versions) = (Vec::new(), Vec::new(), BTreeMap::new());
        Measured { series, missing, versions, faults, noise_floor: Some(0.02) }
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
        let rows = rows(&measured);
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
        assert_eq!(find(&rows, TRUNKLINE, "SOAP/CDR").verdict, Verdict::Absent);
    }

    #[test]
    fn a_lead_within_the_noise_is_inconclusive() {
        let decode = Operation::Decode;
        let measured = measured(vec![
            series(TRUNKLINE, Format::Fix, decode, 100.0, 100.0),
            series("ironfix", Format::Fix, decode, 101.0, 101.0),
        ]);
        let rows = rows(&measured);
        let lead = find(&rows, TRUNKLINE, "ahead-of-ironfix");
        assert_eq!(lead.verdict, Verdict::Inconclusive);
        assert!(lead.low > Some(1.0), "the bounds alone would have concluded: {lead:?}");
    }

    #[test]
    fn wide_bounds_leave_a_conclusion_open_only_where_they_reach_it() {
        // The paper's factors of SOAP over FIX are 5.0 to 7.4.
        for (factor, spread, verdict) in [
            (1.5, 1.5, Verdict::NoLonger),
            (1.5, 4.0, Verdict::Inconclusive),
            (6.0, 1.1, Verdict::Holds),
            (6.0, 1.5, Verdict::Inconclusive),
        ] {
            let mut rows = Vec::new();
            for (format, cost) in [(Format::SoapRpc, factor * 100.0), (Format::Fix, 100.0)] {
                for operation in OPERATIONS {
                    rows.push(Row {
                        entries: Some(10),
                        value: Some(cost),
                        low: Some(if format == Format::Fix { cost } else { cost / spread }),
                        high: Some(if format == Format::Fix { cost } else { cost * spread }),
                        ..row(operation.name(), TRUNKLINE, &format.profile(), "cpu-time", "ns")
                    });
                }
            }
            let found = conclusions(&rows);
            assert_eq!(found[0].verdict, verdict, "{factor} {spread}");
        }
    }

    #[test]
    fn the_papers_own_figures_confirm_its_conclusions_and_equal_costs_refute_them() {
        for (scale, verdict) in [(true, Verdict::Holds), (false, Verdict::NoLonger)] {
            let mut rows = Vec::new();
            for format in [Format::SoapRpc, Format::Fix, Format::CdrUnion] {
                for operation in OPERATIONS {
                    let line = published(operation, format).expect("tables 3 and 4");
                    rows.extend([1, 10].map(|entries| Row {
                        entries: Some(entries),
                        value: Some(if scale { line.at(entries) } else { 1_000.0 }),
                        ..row(operation.name(), TRUNKLINE, &format.profile(), "cpu-time", "ns")
                    }));
                }
            }
            let found = conclusions(&rows);
            assert_eq!(found.len(), 3, "nothing is said about sizes: {found:#?}");
            assert!(found.iter().all(|row| row.verdict == verdict), "{found:#?}");
        }
    }
}
