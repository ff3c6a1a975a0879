//! What a conclusion compares, found in the rows, with what bounds and noise leave possible.

use super::profile_of_quantity;
use trunkline_bench::row::Row;
use trunkline_bench::statistics::{Bounds, ComparisonRule};
use trunkline_experiment::definition::codings::SIZES;
use trunkline_experiment::definition::sessions::{DECODED, MADE};
use trunkline_experiment::definition::toolkit_calls::BYTES;
use trunkline_experiment::definition::{Codings, Quantity, Term};
use trunkline_experiment::format::Family;

/// One quantity over another, for messages of one length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Factor {
    /// Entries of the messages, where they have any.
    pub(super) entries: Option<u32>,
    pub(super) value: f64,
    /// The bounds that those of the measurements leave.
    low: f64,
    high: f64,
    /// What the machine differs from itself by, in the unit of the value.
    noise: f64,
    /// Independent runs behind it; none of what is counted and not timed, which has no noise.
    pub(super) runs: Option<u32>,
    /// Those runs by themselves, where a record has them.
    repetitions: Vec<f64>,
}

impl Factor {
    /// What it may be: within its bounds, and within the noise around it.
    pub(super) fn interval(&self) -> (f64, f64) {
        (self.low.min(self.value - self.noise), self.high.max(self.value + self.noise))
    }

    fn fewer_runs(&self, other: &Self) -> Option<u32> {
        match (self.runs, other.runs) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// `self` if the two do not have the same repetitions, else what comes `of` each of one and that of the other
    /// which ran beside it: what a turn suffered, both sides of it did, and bounds of pairs are free of that.
    fn by_pairs(self, (one, other): (&Self, &Self), of: fn(f64, f64) -> f64) -> Self {
        let pairs = one.repetitions.iter().zip(&other.repetitions);
        let repetitions: Vec<f64> = pairs.map(|(one, other)| of(*one, *other)).collect();
        let is_paired = one.repetitions.len() == other.repetitions.len();
        match ComparisonRule::default().bounds(&repetitions).filter(|_| is_paired) {
            Some(Bounds { median: value, low, high, .. }) => {
                Self { value, low, high, repetitions, ..self }
            }
            None => self,
        }
    }

    fn less(&self, other: &Self) -> Self {
        let apart = Self {
            entries: self.entries,
            value: self.value - other.value,
            low: self.low - other.high,
            high: self.high - other.low,
            noise: self.noise.max(other.noise),
            runs: self.fewer_runs(other),
            repetitions: Vec::new(),
        };
        apart.by_pairs((self, other), |one, other| one - other)
    }

    fn over(&self, under: &Self) -> Self {
        let (lowest, highest) = under.interval();
        // What may be next to nothing, on either side of it, can make anything of a ratio.
        let is_open = lowest <= 0.0 && highest >= 0.0;
        // Where something may be negative, the lowest need not come from the lowest.
        let ends = [
            self.low / under.low,
            self.low / under.high,
            self.high / under.low,
            self.high / under.high,
        ];
        let value = self.value / under.value;
        // The floor is that of a ratio of two, so that it counts once.
        let of_over = (self.noise / under.value).abs();
        let of_under = (value * under.noise / under.value).abs();
        let within = !is_open && ends.iter().all(|end| end.is_finite());
        let low = ends.iter().copied().fold(value, f64::min);
        let high = ends.iter().copied().fold(value, f64::max);
        let apart = Self {
            entries: self.entries,
            value,
            low: if within { low } else { f64::NEG_INFINITY },
            high: if within { high } else { f64::INFINITY },
            noise: of_over.max(of_under),
            runs: self.fewer_runs(under),
            repetitions: Vec::new(),
        };
        if within { apart.by_pairs((self, under), |over, under| over / under) } else { apart }
    }

    fn divided_by(&self, divisor: f64) -> Self {
        self.over(&Self {
            value: divisor,
            low: divisor,
            high: divisor,
            noise: 0.0,
            runs: None,
            repetitions: Vec::new(),
            entries: self.entries,
        })
    }
}

/// Only a part of what a term takes was measured: which is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Half(pub(super) String);

/// The factors of a term, one for each length; none if nothing of it was measured. `noise_floor` is the
/// machine's.
pub(super) fn factors_of(
    term: &Term,
    rows: &[Row],
    subject: &dyn Fn(&Quantity) -> Option<String>,
    noise_floor: f64,
) -> Result<Vec<Factor>, Half> {
    let values = |quantity: &Quantity| {
        let mut values = values(quantity, rows, subject, noise_floor)?;
        values.retain(|it| term.entries.is_none() || it.entries == term.entries);
        Ok(values)
    };
    let mut factors = values(&term.over)?;
    if let Some(less) = &term.less {
        factors = paired(&factors, &values(less)?, Factor::less)?;
    }
    if let Some(under) = &term.under {
        factors = paired(&factors, &values(under)?, Factor::over)?;
    }
    if let Some(divisor) = term.divided_by {
        factors = factors.iter().map(|factor| factor.divided_by(divisor)).collect();
    }
    match &term.per {
        Some(per) => {
            let per = factors_of(per, rows, subject, noise_floor)?;
            paired(&factors, &per, Factor::over)
        }
        None => Ok(factors),
    }
}

/// What comes of those of the same length. Where one side was measured at more lengths than the other, nothing
/// does: who failed at one length is not judged by the rest.
fn paired(
    ones: &[Factor],
    others: &[Factor],
    pair: fn(&Factor, &Factor) -> Factor,
) -> Result<Vec<Factor>, Half> {
    if ones.is_empty() || others.is_empty() {
        return Ok(Vec::new());
    }
    let is_in = |all: &[Factor], one: &Factor| all.iter().any(|it| it.entries == one.entries);
    let alone = ones.iter().find(|one| !is_in(others, one));
    if let Some(alone) = alone.or_else(|| others.iter().find(|other| !is_in(ones, other))) {
        let entries = alone.entries.map_or_else(String::new, |entries| format!(" at {entries}"));
        return Err(Half(format!("one side{entries}")));
    }
    let pairs = ones.iter().filter_map(|one| {
        let other = others.iter().find(|other| other.entries == one.entries)?;
        Some(pair(one, other))
    });
    let pairs: Vec<Factor> = pairs.collect();
    match pairs.iter().all(|factor| factor.value.is_finite()) {
        true => Ok(pairs),
        false => Err(Half("what is divided by".to_owned())),
    }
}

/// What was counted and not timed: the bounds of its rows are those of the messages, and leave nothing
/// in doubt.
fn is_exact(quantity: &Quantity) -> bool {
    let (case, metric) = (quantity.case.as_str(), quantity.metric.as_str());
    let is_of_capacity = case.starts_with("capacity-");
    let is_of_codings = Codings::parts(case).is_some();
    case == "size"
        || case.starts_with("size-")
        || BYTES.contains(&metric)
        || [MADE, DECODED].contains(&metric)
        || (is_of_codings && SIZES.contains(&metric))
        || (is_of_capacity && ["bits-per-second", "bytes-per-second"].contains(&metric))
}

fn values(
    quantity: &Quantity,
    rows: &[Row],
    subject: &dyn Fn(&Quantity) -> Option<String>,
    noise_floor: f64,
) -> Result<Vec<Factor>, Half> {
    let Some(subject) = subject(quantity) else { return Ok(Vec::new()) };
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
    let factor = |row: &Row| {
        let (value, entries) = (row.value?, row.entries);
        if is_exact(quantity) {
            return Some(Factor {
                entries,
                value,
                low: value,
                high: value,
                noise: 0.0,
                runs: None,
                repetitions: Vec::new(),
            });
        }
        // A reduction is in points, and is 0 where two are the same.
        let size = if quantity.metric == "reduction" { 100.0 } else { value.abs() };
        Some(Factor {
            entries,
            value,
            low: row.low.unwrap_or(value),
            high: row.high.unwrap_or(value),
            noise: noise_floor * size,
            runs: Some(row.runs),
            repetitions: row.repetitions.clone(),
        })
    };
    let found: Vec<&Row> = rows.iter().filter(is_it).collect();
    let factors: Vec<Factor> = found.iter().copied().filter_map(factor).collect();
    match found.iter().find(|row| row.value.is_none()) {
        Some(row) if !factors.is_empty() => {
            Err(Half(format!("{quantity} in part ({})", row.verdict.name())))
        }
        _ => Ok(factors),
    }
}
