//! What the rows say about a paper's conclusions.

use crate::definition::{Conclusion, Definition, Quantity, Term};
use crate::measure::Setting;
use crate::row::{Row, Verdict};
use crate::subjects::TRUNKLINE;

/// The case of a conclusion.
pub const CONCLUSION: &str = "conclusion";

/// What follows from the rows for each of the paper's conclusions, for us and for the peers that stand
/// for its formats today. A conclusion for which something was not measured has no row.
pub(crate) fn rows(setting: &Setting<'_>, rows: &[Row]) -> Vec<Row> {
    let definition = &setting.request.definition;
    let mut found = Vec::new();
    for conclusion in &definition.conclusions {
        let ours = |_: &Quantity| Some(TRUNKLINE.to_owned());
        found.extend(judge(setting, conclusion, rows, TRUNKLINE, &ours));
        let Some(name) = successors(definition, conclusion) else { continue };
        let theirs = |quantity: &Quantity| definition.successor(quantity.format).map(str::to_owned);
        found.extend(judge(setting, conclusion, rows, &name, &theirs));
    }
    found
}

/// The peers that a conclusion is about, in the order of its terms: `gsoap-best/quickfix`.
fn successors(definition: &Definition, conclusion: &Conclusion) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for term in &conclusion.terms {
        for quantity in [Some(&term.over), term.under.as_ref()].into_iter().flatten() {
            let name = definition.successor(quantity.format)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Some(names.join("/"))
}

/// A factor with what the bounds of its measurements leave possible.
#[derive(Clone, Copy)]
struct Factor {
    value: f64,
    low: f64,
    high: f64,
    runs: u32,
}

fn judge(
    setting: &Setting<'_>,
    conclusion: &Conclusion,
    rows: &[Row],
    name: &str,
    subject: &dyn Fn(&Quantity) -> Option<String>,
) -> Option<Row> {
    let mut factors = Vec::new();
    for term in &conclusion.terms {
        let of_term = factors_of(term, rows, subject);
        if of_term.is_empty() {
            return None;
        }
        factors.extend(of_term.into_iter().map(|(_, factor)| factor));
    }
    let (low, high) = range(factors.iter().map(|factor| factor.value))?;
    let holds = |pick: fn(&Factor) -> f64| {
        let factors = factors.iter().map(pick);
        if conclusion.every {
            factors.into_iter().all(|factor| conclusion.expected.holds(factor))
        } else {
            range(factors).is_some_and(|(low, high)| conclusion.expected.holds(middle(low, high)))
        }
    };
    let holds_here = holds(|factor| factor.value);
    let is_doubtful =
        holds(|factor| factor.low) != holds_here || holds(|factor| factor.high) != holds_here;
    let verdict = match (is_doubtful, holds_here) {
        (true, _) => Verdict::Inconclusive,
        (false, true) => Verdict::Holds,
        (false, false) => Verdict::NoLonger,
    };
    let profile = profile_of(&conclusion.terms[0]);
    Some(Row {
        value: Some(middle(low, high)),
        low: Some(low),
        high: Some(high),
        runs: factors.iter().map(|factor| factor.runs).min().unwrap_or(0),
        verdict,
        ..setting.row(CONCLUSION, name, &profile, &conclusion.name, &conclusion.unit)
    })
}

/// Factors multiply, so that their middle is the geometric one where there is one.
fn middle(low: f64, high: f64) -> f64 {
    if low > 0.0 { (low * high).sqrt() } else { low.midpoint(high) }
}

fn profile_of(term: &Term) -> String {
    let profile = |quantity: &Quantity| quantity.format.profile_over(transport(&quantity.case));
    match &term.under {
        Some(under) if under.format != term.over.format => {
            format!("{} : {}", profile(&term.over), profile(under))
        }
        _ => profile(&term.over),
    }
}

/// The transport in the profiles of a case: what goes over a link goes over TCP, waiting in the
/// operating system unless the case says otherwise.
pub(crate) fn transport(case: &str) -> &'static str {
    if case.contains('@') { "tcp-blocking" } else { "none" }
}

/// The factors of a term by entries.
fn factors_of(
    term: &Term,
    rows: &[Row],
    subject: &dyn Fn(&Quantity) -> Option<String>,
) -> Vec<(Option<u32>, Factor)> {
    let over = values(&term.over, rows, subject);
    let divided = |over: Vec<(Option<u32>, Factor)>, under: Vec<(Option<u32>, Factor)>| {
        let divide = |(entries, over): (Option<u32>, Factor)| {
            let (_, under) = under.iter().find(|(of, _)| *of == entries)?;
            let factor = Factor {
                value: over.value / under.value,
                low: over.low / under.high,
                high: over.high / under.low,
                runs: over.runs.min(under.runs),
            };
            Some((entries, factor)).filter(|(_, factor)| factor.value.is_finite())
        };
        over.into_iter().filter_map(divide).collect()
    };
    let ratio = match &term.under {
        Some(under) => divided(over, values(under, rows, subject)),
        None => over,
    };
    match &term.per {
        Some(per) => divided(ratio, factors_of(per, rows, subject)),
        None => ratio,
    }
}

fn values(
    quantity: &Quantity,
    rows: &[Row],
    subject: &dyn Fn(&Quantity) -> Option<String>,
) -> Vec<(Option<u32>, Factor)> {
    let Some(subject) = subject(quantity) else { return Vec::new() };
    let profile = quantity.format.profile_over(transport(&quantity.case));
    let is_it = |row: &&Row| {
        (row.case.as_str(), row.subject.as_str()) == (quantity.case.as_str(), subject.as_str())
            && (row.profile.as_str(), row.metric.as_str())
                == (profile.as_str(), quantity.metric.as_str())
    };
    // The bounds of sizes are those of the messages and leave nothing in doubt.
    let is_exact = quantity.metric == "size";
    let factor = |row: &Row| {
        let value = row.value?;
        let bound = |bound: Option<f64>| if is_exact { value } else { bound.unwrap_or(value) };
        Some((
            row.entries,
            Factor { value, low: bound(row.low), high: bound(row.high), runs: row.runs },
        ))
    };
    rows.iter().filter(is_it).filter_map(factor).collect()
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Request;
    use crate::market_data::Format;
    use crate::trading_day::TradingDay;

    fn request() -> Request {
        let definition = Definition::named("kohlhoff-2004").expect("embedded");
        Request::new(definition, TradingDay::generated(1))
    }

    fn found(rows: &[Row]) -> Vec<Row> {
        let request = request();
        super::rows(&Setting { request: &request, lengths: &[1, 10] }, rows)
    }

    fn timed(format: Format, case: &str, entries: u32, value: f64) -> Row {
        Row {
            entries: Some(entries),
            value: Some(value),
            ..Row::new("kohlhoff-2004", case, TRUNKLINE, &format.profile(), "cpu-time", "ns")
        }
    }

    #[test]
    fn wide_bounds_leave_a_conclusion_open_only_where_they_reach_it() {
        // The paper's factors of SOAP over FIX are 5 to 8.
        for (factor, spread, verdict) in [
            (1.5, 1.5, Verdict::NoLonger),
            (1.5, 4.0, Verdict::Inconclusive),
            (6.0, 1.1, Verdict::Holds),
            (6.0, 1.5, Verdict::Inconclusive),
        ] {
            let mut rows = Vec::new();
            for case in ["encode", "decode"] {
                rows.push(timed(Format::Fix, case, 10, 100.0));
                let cost = factor * 100.0;
                let (low, high) = (Some(cost / spread), Some(cost * spread));
                rows.push(Row { low, high, ..timed(Format::SoapRpc, case, 10, cost) });
            }
            let found = found(&rows);
            assert_eq!(found.len(), 1, "nothing else was measured: {found:#?}");
            let row = &found[0];
            assert_eq!((row.metric.as_str(), row.verdict), ("codec SOAP/FIX", verdict), "{spread}");
        }
    }

    #[test]
    fn the_papers_own_figures_confirm_its_conclusions_and_equal_costs_refute_them() {
        let definition = request().definition;
        for (is_theirs, verdict) in [(true, Verdict::Holds), (false, Verdict::NoLonger)] {
            let mut rows = Vec::new();
            for format in [Format::SoapRpc, Format::Fix, Format::CdrUnion] {
                for case in ["encode", "decode"] {
                    let line = definition.published(case, "cpu-time", format).expect("3 and 4");
                    rows.extend([1, 10].map(|entries| {
                        let value = if is_theirs { line.at(entries) } else { 1_000.5 };
                        timed(format, case, entries, value)
                    }));
                }
            }
            // Equal costs are no refutation of "outperforms, or is comparable to".
            let found = found(&rows);
            let names: Vec<&str> = found.iter().map(|row| row.metric.as_str()).collect();
            assert_eq!(names, ["codec SOAP/CDR", "codec SOAP/FIX", "decode FIX/CDR"]);
            assert!(found[..2].iter().all(|row| row.verdict == verdict), "{found:#?}");
            assert_eq!(found[2].verdict, Verdict::Holds);
        }
    }

    #[test]
    fn a_ratio_of_ratios_compares_two_roles() {
        let rate = |case: &str, format: Format, value| Row {
            metric: "messages-per-second".into(),
            profile: format.profile_over("tcp-blocking"),
            ..timed(format, case, 10, value)
        };
        let rows = [
            rate("throughput-slow-receiver@direct", Format::Fix, 300.0),
            rate("throughput-slow-receiver@direct", Format::CdrUnion, 200.0),
            rate("throughput-slow-sender@direct", Format::Fix, 110.0),
            rate("throughput-slow-sender@direct", Format::CdrUnion, 110.0),
        ];
        let found = found(&rows);
        let [row] = &found[..] else { panic!("{found:#?}") };
        assert_eq!((row.metric.as_str(), row.value), ("roles matter", Some(1.5)));
        assert_eq!(row.verdict, Verdict::Holds);
    }
}
