//! What the rows say about a paper's conclusions, and about our own aims.
//!
//! Each factor is judged by itself, so that no two of them hide one another in a middle: a conclusion
//! holds if every factor is as expected, no longer holds if one is clearly not, and is open otherwise.

mod factor;
#[cfg(test)]
mod papers;
#[cfg(test)]
mod tests;

use factor::{Factor, Half, factors_of};
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::statistics::ComparisonRule;
use trunkline_experiment::definition::{Conclusion, Definition, Match, Quantity, Term, Transport};
use trunkline_experiment::engines::ENGINES;
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::middleware::SUBJECTS;
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::TOOLKITS;

/// The case of a paper's conclusion.
pub const CONCLUSION: &str = "conclusion";

/// The case of an aim of our own.
pub const AIM: &str = "aim";

/// The noise floor above which nothing is said about times: a machine that differs from itself by more
/// than a quarter decides nothing. Neither does one of which nobody knows by how much it does.
pub const NOISE_LIMIT: f64 = 0.25;

/// Whether a row is one of a conclusion or of an aim.
pub fn is_judgement(row: &Row) -> bool {
    [CONCLUSION, AIM].contains(&row.case.as_str())
}

/// The record with its conclusions judged by what is expected today. Those of an experiment that is not
/// known here stay as they are.
#[must_use]
pub fn judged(record: RunRecord) -> RunRecord {
    let Ok(definition) = Definition::named(&record.machine.experiment) else { return record };
    let RunRecord { machine, mut rows } = record;
    rows.retain(|row| !is_judgement(row));
    let judgements = judgements(&definition, &rows, machine.noise_floor);
    rows.extend(judgements.into_iter().map(|it| it.row));
    RunRecord { machine, rows }
}

/// What became of a conclusion or an aim.
pub struct Judgement {
    /// Its row: the factor that decides, between the lowest and the highest of all.
    pub row: Row,
    /// Which factor decides, and why nothing is concluded if nothing is.
    pub decided_by: String,
}

/// What follows from the rows for each conclusion and aim, for us and for the peers that stand for its
/// formats today. One for which nothing was measured is left out; one for which half was has no verdict.
pub fn judgements(
    definition: &Definition,
    rows: &[Row],
    noise_floor: Option<f64>,
) -> Vec<Judgement> {
    let conclusions = definition.conclusions.iter().map(|it| (CONCLUSION, it));
    let aims = definition.aims.iter().map(|it| (AIM, it));
    let mut found = Vec::new();
    for (case, conclusion) in conclusions.chain(aims) {
        let judge = Judge { definition, rows, noise_floor, case, conclusion };
        judge.all(&mut found);
    }
    found
}

/// Judges one conclusion.
struct Judge<'a> {
    definition: &'a Definition,
    rows: &'a [Row],
    noise_floor: Option<f64>,
    case: &'static str,
    conclusion: &'a Conclusion,
}

impl Judge<'_> {
    /// For everybody whom it is about.
    fn all(&self, found: &mut Vec<Judgement>) {
        let named = |quantity: &Quantity| quantity.subject.clone();
        let ours = |quantity: &Quantity| named(quantity).or(Some(TRUNKLINE.to_owned()));
        found.extend(self.of(TRUNKLINE, &ours));
        let mut quantities = self.conclusion.terms.iter().flat_map(Term::quantities);
        // One that names a subject is about nobody else.
        let is_of_all = quantities.all(|quantity| quantity.subject.is_none());
        if is_of_all {
            for peer in self.peers() {
                let theirs = |_: &Quantity| Some(peer.to_owned());
                let judged = self.of(peer, &theirs);
                // Nobody is blamed for what was not asked of them.
                found.extend(judged.filter(|it| it.row.verdict != Verdict::Absent));
            }
        }
        let Some(name) = self.successors() else { return };
        let theirs =
            |quantity: &Quantity| self.definition.successor(quantity.format?).map(str::to_owned);
        found.extend(self.of(&name, &theirs));
    }

    /// The peers that are measured in the cases that we are.
    fn peers(&self) -> Vec<&'static str> {
        match self.definition.messages.family {
            Family::Rates => SUBJECTS.iter().filter(|it| it.is_peer()).map(|it| it.name).collect(),
            Family::Operations => {
                TOOLKITS.iter().filter(|it| it.is_peer()).map(|it| it.name).collect()
            }
            Family::Sessions => {
                ENGINES.iter().filter(|it| it.is_peer()).map(|it| it.name).collect()
            }
            Family::MarketData | Family::CustomerServices => Vec::new(),
        }
    }

    /// The peers that it is about, in the order of its terms: `gsoap-best/quickfix`. None where it says
    /// itself whom it is about.
    fn successors(&self) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for quantity in self.conclusion.terms.iter().flat_map(Term::quantities) {
            if quantity.subject.is_some() {
                return None;
            }
            let name = self.definition.successor(quantity.format?)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Some(names.join("/"))
    }

    /// For one subject.
    fn of(&self, name: &str, subject: &dyn Fn(&Quantity) -> Option<String>) -> Option<Judgement> {
        let terms = &self.conclusion.terms;
        let floor = self.noise_floor.unwrap_or(0.0);
        let by_term: Vec<Result<Vec<Factor>, Half>> =
            terms.iter().map(|term| factors_of(term, self.rows, subject, floor)).collect();
        let is_asked_for =
            || terms.iter().flat_map(Term::quantities).any(|it| is_absent(it, self.rows));
        let is_empty =
            |of_term: &Result<Vec<Factor>, Half>| of_term.as_ref().is_ok_and(Vec::is_empty);
        if by_term.iter().all(is_empty) && !is_asked_for() {
            return None;
        }
        let blank = Row::new(
            &self.definition.name,
            self.case,
            name,
            &profile_of(&terms[0]),
            &self.conclusion.name,
            &self.conclusion.unit,
        );
        let mut all = Vec::new();
        for (of_term, term) in by_term.into_iter().zip(terms) {
            // Half of what it takes says nothing.
            let missing = match of_term {
                Ok(factors) if !factors.is_empty() => {
                    all.extend(factors.into_iter().map(|factor| (factor, term)));
                    continue;
                }
                Ok(_) => format!("{term} was not measured"),
                Err(Half(what)) => format!("{term}: {what} was not measured"),
            };
            let row = Row { verdict: Verdict::Absent, ..blank };
            return Some(Judgement { row, decided_by: missing });
        }
        let Judgement { row, decided_by } = self.decide(&all, blank)?;
        let beside = self.conclusion.beside.iter().filter_map(|term| self.beside(term, subject));
        Some(Judgement { row, decided_by: decided_by + &beside.collect::<String>() })
    }

    /// What is not judged, with its bounds, if it was measured.
    fn beside(&self, term: &Term, subject: &dyn Fn(&Quantity) -> Option<String>) -> Option<String> {
        let factors = factors_of(term, self.rows, subject, self.noise_floor.unwrap_or(0.0));
        let told =
            factors.ok()?.iter().map(|it| format!("; not judged: {}", told(it, term))).collect();
        Some(told)
    }

    /// The factor that decides is one that is not as expected, or one that is open, or the one that is
    /// nearest to that.
    fn decide(&self, factors: &[(Factor, &Term)], blank: Row) -> Option<Judgement> {
        let expected = &self.conclusion.expected;
        let finding = |factor: &Factor| match self.doubt(factor) {
            Some(_) => Match::Both,
            None => {
                let (low, high) = factor.interval();
                expected.compare(low, high)
            }
        };
        let rank = |factor: &Factor| match finding(factor) {
            Match::Unexpected => 0,
            Match::Both => 1,
            Match::Expected => 2,
        };
        let (worst, term) = factors.iter().min_by(|(one, _), (other, _)| {
            let margins = expected.margin(one.value).total_cmp(&expected.margin(other.value));
            rank(one).cmp(&rank(other)).then(margins)
        })?;
        let verdict = match finding(worst) {
            Match::Expected => Verdict::Holds,
            Match::Unexpected => Verdict::NoLonger,
            Match::Both => Verdict::Inconclusive,
        };
        let values = || factors.iter().map(|(factor, _)| factor.value);
        let row = Row {
            value: Some(worst.value),
            low: values().min_by(f64::total_cmp),
            high: values().max_by(f64::total_cmp),
            runs: factors.iter().filter_map(|(factor, _)| factor.runs).min().unwrap_or(1),
            verdict,
            ..blank
        };
        Some(Judgement { row, decided_by: self.told(worst, term, factors.len(), verdict) })
    }

    /// Why a factor decides nothing, whatever it is.
    fn doubt(&self, factor: &Factor) -> Option<String> {
        // What is not timed has neither noise nor runs.
        let runs = factor.runs?;
        match self.noise_floor {
            None => Some("noise was not measured".to_owned()),
            Some(floor) if floor > NOISE_LIMIT => Some(format!(
                "the machine's noise is {:.0} %, more than {:.0}",
                floor * 100.0,
                NOISE_LIMIT * 100.0
            )),
            _ if !ComparisonRule::default().is_enough(runs) => Some(format!("n = {runs}")),
            _ => None,
        }
    }

    /// Which factor decides, in words.
    fn told(&self, factor: &Factor, term: &Term, of: usize, verdict: Verdict) -> String {
        let which = if of == 1 { String::new() } else { format!("of {of} factors ") };
        let why = match self.doubt(factor) {
            Some(doubt) => format!("; {doubt}: no verdict"),
            None if verdict == Verdict::Inconclusive => "; the bound lies within".to_owned(),
            None => String::new(),
        };
        format!("{which}{}{why}", told(factor, term))
    }
}

/// A factor with its interval, in words.
fn told(factor: &Factor, term: &Term) -> String {
    let number = trunkline_bench::table::short_number;
    let entries = match factor.entries {
        Some(1) => ", 1 entry".to_owned(),
        Some(entries) => format!(", {entries} entries"),
        None => String::new(),
    };
    let (value, (low, high)) = (number(factor.value), factor.interval());
    let interval = match factor.runs {
        Some(_) => format!("{value} [{} to {}]", number(low), number(high)),
        None => value,
    };
    format!("{term}{entries}: {interval}")
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
        Family::MarketData | Family::Rates | Family::Operations | Family::Sessions => {
            transport(&quantity.case)
        }
        Family::CustomerServices => transport_of_services(quantity, format),
    })
}

/// The transport in the profiles of a case: what goes over a link goes over TCP, waiting in the
/// operating system unless the case says otherwise.
fn transport(case: &str) -> &'static str {
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
