//! What the rows say about a paper's conclusions.

use crate::definition::{Conclusion, Definition, Match, Quantity, Term, Transport, middle};
use crate::format::{Family, Format};
use crate::measure::Setting;
use crate::measure::catena::SUBJECTS;
use crate::row::{Row, Verdict};
use crate::subjects::TRUNKLINE;

/// The case of a conclusion.
pub const CONCLUSION: &str = "conclusion";

/// What follows from the rows for each of the paper's conclusions, for us and for the peers that stand
/// for its formats today. A conclusion for which nothing was measured has no row; one for which half was
/// has one without a verdict.
pub(crate) fn rows(setting: &Setting<'_>, rows: &[Row]) -> Vec<Row> {
    let definition = &setting.request.definition;
    let mut found = Vec::new();
    for conclusion in &definition.conclusions {
        let named = |quantity: &Quantity| quantity.subject.clone();
        let ours = |quantity: &Quantity| named(quantity).or(Some(TRUNKLINE.to_owned()));
        found.extend(judge(setting, conclusion, rows, TRUNKLINE, &ours));
        let quantities: Vec<&Quantity> =
            conclusion.terms.iter().flat_map(Term::quantities).collect();
        // One that names a subject is about nobody else.
        let is_of_all = quantities.iter().all(|quantity| quantity.subject.is_none());
        if definition.messages.family == Family::Rates && is_of_all {
            for peer in SUBJECTS.iter().filter(|it| it.is_peer()) {
                let theirs = |quantity: &Quantity| named(quantity).or(Some(peer.name.to_owned()));
                let judged = judge(setting, conclusion, rows, peer.name, &theirs);
                // Nobody is blamed for what was not asked of them.
                found.extend(judged.filter(|row| row.verdict != Verdict::Absent));
            }
        }
        let Some(name) = successors(definition, conclusion) else { continue };
        let theirs =
            |quantity: &Quantity| definition.successor(quantity.format?).map(str::to_owned);
        found.extend(judge(setting, conclusion, rows, &name, &theirs));
    }
    found
}

/// The peers that a conclusion is about, in the order of its terms: `gsoap-best/quickfix`. None where
/// it says itself whom it is about.
fn successors(definition: &Definition, conclusion: &Conclusion) -> Option<String> {
    let mut quantities = conclusion.terms.iter().flat_map(Term::quantities);
    if quantities.any(|quantity| quantity.subject.is_some()) {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for term in &conclusion.terms {
        for quantity in [Some(&term.over), term.under.as_ref()].into_iter().flatten() {
            let name = definition.successor(quantity.format?)?;
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
    let by_term: Vec<Vec<Factor>> =
        conclusion.terms.iter().map(|term| factors_of(term, rows, subject)).collect();
    let is_asked_for = || {
        let mut quantities = conclusion.terms.iter().flat_map(Term::quantities);
        quantities.any(|quantity| is_absent(quantity, rows))
    };
    if by_term.iter().all(Vec::is_empty) && !is_asked_for() {
        return None;
    }
    let blank = setting.row(
        CONCLUSION,
        name,
        &profile_of(&conclusion.terms[0]),
        &conclusion.name,
        &conclusion.unit,
    );
    // Half of what it takes says nothing.
    if by_term.iter().any(Vec::is_empty) {
        return Some(Row { verdict: Verdict::Absent, ..blank });
    }
    let factors: Vec<Factor> = by_term.into_iter().flatten().collect();
    let (low, high) = range(factors.iter().map(|factor| factor.value))?;
    let compare = |low: f64, high: f64| conclusion.expected.compare(low, high);
    let found = if conclusion.every {
        let all: Vec<Match> = factors.iter().map(|it| compare(it.low, it.high)).collect();
        match () {
            () if all.contains(&Match::Unexpected) => Match::Unexpected,
            () if all.contains(&Match::Both) => Match::Both,
            () => Match::Expected,
        }
    } else {
        let (lowest, lower) = range(factors.iter().map(|it| it.low))?;
        let (higher, highest) = range(factors.iter().map(|it| it.high))?;
        compare(middle(lowest, lower), middle(higher, highest))
    };
    let verdict = match found {
        Match::Expected => Verdict::Holds,
        Match::Unexpected => Verdict::NoLonger,
        Match::Both => Verdict::Inconclusive,
    };
    Some(Row {
        value: Some(middle(low, high)),
        low: Some(low),
        high: Some(high),
        runs: factors.iter().map(|factor| factor.runs).min().unwrap_or(0),
        verdict,
        ..blank
    })
}

/// Whether the subject that a quantity names was to be measured and is not here.
fn is_absent(quantity: &Quantity, rows: &[Row]) -> bool {
    let Some(subject) = &quantity.subject else { return false };
    rows.iter().any(|row| {
        row.verdict == Verdict::Absent && row.case == quantity.case && row.subject == *subject
    })
}

fn profile_of(term: &Term) -> String {
    let profile = |quantity: &Quantity| {
        let format = quantity.format;
        format.map_or(String::new(), |format| profile_of_quantity(quantity, format))
    };
    match &term.under {
        Some(under) if under.format != term.over.format => {
            format!("{} : {}", profile(&term.over), profile(under))
        }
        _ => profile(&term.over),
    }
}

fn profile_of_quantity(quantity: &Quantity, format: Format) -> String {
    format.profile_over(match format.family() {
        Family::MarketData | Family::Rates => transport(&quantity.case),
        Family::CustomerServices => transport_of_services(quantity, format),
    })
}

/// The transport in the profiles of a case: what goes over a link goes over TCP, waiting in the
/// operating system unless the case says otherwise.
pub(crate) fn transport(case: &str) -> &'static str {
    if case.contains('@') { "tcp-blocking" } else { "none" }
}

/// Services are called over HTTP, or as the case says; binary is called over TCP.
fn transport_of_services(quantity: &Quantity, format: Format) -> &'static str {
    let case = quantity.case.as_str();
    let not_sent = ["size-", "encode-", "decode-"].iter().any(|kind| case.starts_with(kind));
    match Transport::ALL.iter().find(|it| case.starts_with(&format!("transports-{}-", it.name()))) {
        _ if not_sent => "none",
        Some(transport) => transport.profile(),
        None => Transport::Http.of(format).profile(),
    }
}

type ByEntries = Vec<(Option<u32>, Factor)>;

/// The factors of a term, one for each length.
fn factors_of(
    term: &Term,
    rows: &[Row],
    subject: &dyn Fn(&Quantity) -> Option<String>,
) -> Vec<Factor> {
    ratios_of(term, rows, subject).into_iter().map(|(_, factor)| factor).collect()
}

fn ratios_of(
    term: &Term,
    rows: &[Row],
    subject: &dyn Fn(&Quantity) -> Option<String>,
) -> ByEntries {
    let mut over = values(&term.over, rows, subject);
    over.retain(|(entries, _)| term.entries.is_none() || *entries == term.entries);
    if let Some(less) = &term.less {
        over = paired(over, &values(less, rows, subject), Factor::less);
    }
    let mut ratios = match &term.under {
        Some(under) => divided(over, &values(under, rows, subject)),
        None => over,
    };
    if let Some(divisor) = term.divided_by {
        for (_, factor) in &mut ratios {
            *factor = factor.over(&Factor {
                value: divisor,
                low: divisor,
                high: divisor,
                runs: factor.runs,
            });
        }
    }
    match &term.per {
        Some(per) => divided(ratios, &ratios_of(per, rows, subject)),
        None => ratios,
    }
}

fn divided(over: ByEntries, under: &ByEntries) -> ByEntries {
    paired(over, under, Factor::over)
}

/// What comes of those of the same length, if it is a number.
fn paired(
    ones: ByEntries,
    others: &ByEntries,
    pair: impl Fn(&Factor, &Factor) -> Factor,
) -> ByEntries {
    let pair = |(entries, one): (Option<u32>, Factor)| {
        let (_, other) = others.iter().find(|(of, _)| *of == entries)?;
        Some((entries, pair(&one, other))).filter(|(_, factor)| factor.value.is_finite())
    };
    ones.into_iter().filter_map(pair).collect()
}

impl Factor {
    fn less(&self, other: &Self) -> Self {
        Self {
            value: self.value - other.value,
            low: self.low - other.high,
            high: self.high - other.low,
            runs: self.runs.min(other.runs),
        }
    }

    fn over(&self, under: &Self) -> Self {
        // Where something may be negative, the lowest need not come from the lowest.
        let ends = [
            self.low / under.low,
            self.low / under.high,
            self.high / under.low,
            self.high / under.high,
        ];
        let value = self.value / under.value;
        let (low, high) = range(ends.into_iter()).unwrap_or((value, value));
        Self { value, low, high, runs: self.runs.min(under.runs) }
    }
}

fn values(
    quantity: &Quantity,
    rows: &[Row],
    subject: &dyn Fn(&Quantity) -> Option<String>,
) -> ByEntries {
    let Some(subject) = subject(quantity) else { return Vec::new() };
    let profile = quantity.format.map(|format| (profile_of_quantity(quantity, format), format));
    // What is called has the bytes of its messages behind; of a middleware a case has one profile.
    let is_profile = |row: &Row| {
        let Some((profile, format)) = &profile else { return true };
        let is_of_services = format.family() == Family::CustomerServices;
        let rest = row.profile.strip_prefix(profile);
        rest.is_some_and(|rest| rest.is_empty() || (is_of_services && rest.starts_with('/')))
    };
    let is_it = |row: &&Row| {
        (row.case.as_str(), row.subject.as_str()) == (quantity.case.as_str(), subject.as_str())
            && row.metric == quantity.metric
            && is_profile(row)
    };
    // The bounds of sizes are those of the messages and leave nothing in doubt.
    let is_exact = quantity.metric == "size";
    let factor = |row: &Row| {
        let value = row.value?;
        let bound = |bound: Option<f64>| if is_exact { value } else { bound.unwrap_or(value) };
        let (low, high) = (bound(row.low), bound(row.high));
        Some((row.entries, Factor { value, low, high, runs: row.runs }))
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
                        let value = if is_theirs { line.at(entries) } else { 1_000.0 };
                        timed(format, case, entries, value)
                    }));
                }
            }
            let found = found(&rows);
            let verdicts: Vec<(&str, Verdict)> =
                found.iter().map(|row| (row.metric.as_str(), row.verdict)).collect();
            // Equal costs are comparable, and no refutation of "at most".
            let expected = [
                ("codec SOAP/CDR", verdict),
                ("codec SOAP/FIX", verdict),
                ("decode FIX/CDR", Verdict::Holds),
                ("encode FIX/CDR", Verdict::Holds),
                ("codec FIX/CDR", Verdict::Holds),
            ];
            assert_eq!(verdicts, expected);
        }
    }

    #[test]
    fn what_is_half_measured_is_not_judged() {
        let rows = [timed(Format::SoapRpc, "encode", 1, 5.0), timed(Format::Fix, "encode", 1, 1.0)];
        let found = found(&rows);
        let judged = found.iter().find(|row| row.metric == "codec SOAP/FIX").expect("a row");
        assert_eq!((judged.verdict, judged.value), (Verdict::Absent, None));
        assert!(found.iter().all(|row| row.metric != "decode FIX/CDR"), "{found:#?}");
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
