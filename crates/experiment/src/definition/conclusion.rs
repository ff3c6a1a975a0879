//! What a paper concluded, and what we aim at, so that rows can confirm or refute it.

use std::fmt;

use serde::Deserialize;

use super::bounds::ensure;
use crate::format::Format;

/// A conclusion of a paper, or an aim of our own.
///
/// It holds if each of its factors over all terms and lengths is expected.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Conclusion {
    /// The metric of its rows.
    pub name: String,
    /// The conclusion as a sentence.
    pub words: String,
    /// Where the paper states it; empty of an aim, which no paper states.
    #[serde(default)]
    pub section: String,
    /// Unit of the factors.
    #[serde(default = "times")]
    pub unit: String,
    /// What the factors are if it holds.
    pub expected: Expected,
    /// What is compared.
    pub terms: Vec<Term>,
    /// What is shown beside them and not judged: means and tails, whose bounds seldom decide anything.
    #[serde(default)]
    pub beside: Vec<Term>,
}

/// A range; without a bound it is open there.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expected {
    /// The lowest.
    pub from: Option<f64>,
    /// The highest.
    pub to: Option<f64>,
    /// Everything but the range is expected.
    #[serde(default)]
    pub outside: bool,
}

/// One quantity, over another if there is one, the whole by a second such ratio if there is one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Term {
    /// What is looked at.
    pub over: Quantity,
    /// What is taken from it first.
    pub less: Option<Quantity>,
    /// What it is divided by.
    pub under: Option<Quantity>,
    /// The ratio that this ratio is divided by.
    pub per: Option<Box<Term>>,
    /// Only messages of so many entries.
    pub entries: Option<u32>,
    /// A number that the result is divided by.
    pub divided_by: Option<f64>,
}

/// Rows to look at: `CASE:METRIC:FORMAT`, or `CASE:METRIC:FORMAT:SUBJECT` for those of one subject. Where
/// messages have no format, it is left out: `CASE:METRIC`, `CASE:METRIC::SUBJECT`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Quantity {
    /// The case of the rows.
    pub case: String,
    /// Their metric.
    pub metric: String,
    /// Their format, where there is one.
    pub format: Option<Format>,
    /// Whose they are; of us, or of the peer that stands for the format, if it does not say.
    pub subject: Option<String>,
}

fn times() -> String {
    "x".into()
}

/// How an interval lies to what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// All of it is expected.
    Expected,
    /// None of it is.
    Unexpected,
    /// Some of it is.
    Both,
}

impl Expected {
    fn bounds(&self) -> (f64, f64) {
        (self.from.unwrap_or(f64::NEG_INFINITY), self.to.unwrap_or(f64::INFINITY))
    }

    /// How the values from `low` to `high` lie to the range.
    pub fn compare(&self, low: f64, high: f64) -> Match {
        let (from, to) = self.bounds();
        let is_within = low >= from && high <= to;
        let is_apart = high < from || low > to;
        match (is_within, is_apart, self.outside) {
            (true, _, false) | (_, true, true) => Match::Expected,
            (_, true, false) | (true, _, true) => Match::Unexpected,
            (false, false, _) => Match::Both,
        }
    }

    /// How far a value is from not being expected, as a share of the bound; negative if it is not.
    pub fn margin(&self, value: f64) -> f64 {
        let share =
            |distance: f64, bound: f64| distance / if bound == 0.0 { 1.0 } else { bound.abs() };
        let above = self.from.map_or(f64::INFINITY, |from| share(value - from, from));
        let below = self.to.map_or(f64::INFINITY, |to| share(to - value, to));
        let within = above.min(below);
        if self.outside { -within } else { within }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = trunkline_bench::table::short_number;
        if self.outside {
            write!(out, "not ")?;
        }
        match (self.from, self.to) {
            (Some(from), Some(to)) if from == to => write!(out, "{}", number(from)),
            (Some(from), Some(to)) => write!(out, "{} to {}", number(from), number(to)),
            (Some(from), None) => write!(out, "{} or more", number(from)),
            (None, Some(to)) => write!(out, "{} or less", number(to)),
            (None, None) => write!(out, "any"),
        }
    }
}

impl Conclusion {
    /// What the types of its keys do not say; `is_aim` says that it is no paper's.
    pub(super) fn check(&self, is_aim: bool) -> Result<(), String> {
        ensure(is_aim || !self.section.is_empty(), || {
            "has no section of a paper that states it; what no paper concludes is an [[aim]]".into()
        })?;
        let is_ours = !is_aim || self.section.is_empty();
        ensure(is_ours, || "has a section, but no paper states it".into())?;
        let (from, to) = self.expected.bounds();
        ensure(from.is_finite() || to.is_finite(), || {
            "expects nothing: `expected` takes `from`, `to`, or both".into()
        })?;
        ensure(from <= to, || format!("expects {from} to {to}"))?;
        ensure(self.terms.iter().all(|it| it.divided_by != Some(0.0)), || "divides by 0".into())
    }
}

impl Term {
    /// All quantities that it is made of.
    pub fn quantities(&self) -> Vec<&Quantity> {
        let mut all = vec![&self.over];
        all.extend(&self.less);
        all.extend(&self.under);
        all.extend(self.per.iter().flat_map(|per| per.quantities()));
        all
    }
}

impl fmt::Display for Term {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.over)?;
        if let Some(less) = &self.less {
            write!(out, " less {less}")?;
        }
        if let Some(under) = &self.under {
            write!(out, " over {under}")?;
        }
        match &self.per {
            Some(per) => write!(out, ", by {per}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.format.map_or("", Format::name);
        write!(out, "{}:{}", self.case, self.metric)?;
        match &self.subject {
            Some(subject) => write!(out, ":{format}:{subject}"),
            None if self.format.is_some() => write!(out, ":{format}"),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for Quantity {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut words = text.splitn(4, ':');
        let (Some(case), Some(metric)) = (words.next(), words.next()) else {
            return Err(format!("{text:?} is not CASE:METRIC:FORMAT"));
        };
        let format = words.next().filter(|name| !name.is_empty());
        let format = format.map(|name| {
            Format::named(name).ok_or_else(|| format!("{text:?}: there is no format {name:?}"))
        });
        Ok(Self {
            case: case.to_owned(),
            metric: metric.to_owned(),
            format: format.transpose()?,
            subject: words.next().map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_expected_or_not_or_both() {
        let range = Expected { from: Some(1.0), to: Some(2.0), outside: false };
        let beyond = Expected { outside: true, ..range };
        for (low, high, within, outside) in [
            (1.0, 2.0, Match::Expected, Match::Unexpected),
            (1.5, 1.6, Match::Expected, Match::Unexpected),
            (0.1, 0.9, Match::Unexpected, Match::Expected),
            (2.1, 9.0, Match::Unexpected, Match::Expected),
            (0.9, 1.1, Match::Both, Match::Both),
            // All of the range and more.
            (0.1, 9.0, Match::Both, Match::Both),
        ] {
            assert_eq!(range.compare(low, high), within, "{low} {high}");
            assert_eq!(beyond.compare(low, high), outside, "{low} {high}");
        }
        for (value, margin) in [(1.5, 0.25), (1.1, 0.1), (0.5, -0.5), (3.0, -0.5)] {
            assert!((range.margin(value) - margin).abs() < 1e-9, "{value}");
            assert!((beyond.margin(value) + margin).abs() < 1e-9, "{value}");
        }
        assert_eq!((range.to_string(), beyond.to_string()), ("1 to 2".into(), "not 1 to 2".into()));
        let changed = Expected { to: Some(1.0), ..beyond };
        assert_eq!(changed.to_string(), "not 1");
        assert_eq!(changed.compare(0.8, 0.9), Match::Expected);
        assert_eq!(changed.compare(1.1, 1.2), Match::Expected);
        assert_eq!(changed.compare(0.9, 1.1), Match::Both);
        let open = Expected { from: None, to: Some(2.0), outside: false };
        assert_eq!(open.compare(-1e9, 2.0), Match::Expected);
    }
}
