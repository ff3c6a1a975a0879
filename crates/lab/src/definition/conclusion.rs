//! What a paper concluded, so that rows can confirm or refute it.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::market_data::Format;

/// A conclusion of a paper.
///
/// It holds if the middle of its factors over all terms and lengths is expected, or with `every` if
/// all of them are.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Conclusion {
    /// The metric of its rows.
    pub name: String,
    /// The conclusion as a sentence.
    pub words: String,
    /// Where the paper states it.
    pub section: String,
    /// Unit of the factors.
    #[serde(default = "times")]
    pub unit: String,
    /// What the factors are if it holds.
    pub expected: Expected,
    /// Whether all factors must be expected, or their middle.
    #[serde(default)]
    pub every: bool,
    /// What is compared.
    pub terms: Vec<Term>,
}

/// A range; without a bound it is open there.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expected {
    /// The lowest.
    pub from: Option<f64>,
    /// The highest.
    pub to: Option<f64>,
}

/// One quantity, over another if there is one, the whole by a second such ratio if there is one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Term {
    /// What is looked at.
    pub over: Quantity,
    /// What it is divided by.
    pub under: Option<Quantity>,
    /// The ratio that this ratio is divided by.
    pub per: Option<Box<Term>>,
}

/// Rows to look at: `CASE:METRIC:FORMAT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The case of the rows.
    pub case: String,
    /// Their metric.
    pub metric: String,
    /// Their format.
    pub format: Format,
}

fn times() -> String {
    "x".into()
}

impl Expected {
    /// True if the value lies in the range.
    pub fn holds(&self, value: f64) -> bool {
        self.from.is_none_or(|from| value >= from) && self.to.is_none_or(|to| value <= to)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = crate::table::short_number;
        match (self.from, self.to) {
            (Some(from), Some(to)) => write!(out, "{} to {}", number(from), number(to)),
            (Some(from), None) => write!(out, "{} or more", number(from)),
            (None, Some(to)) => write!(out, "{} or less", number(to)),
            (None, None) => write!(out, "any"),
        }
    }
}

impl Conclusion {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.terms.is_empty() {
            return Err(format!("conclusion {:?} has no terms", self.name));
        }
        if let (Some(from), Some(to)) = (self.expected.from, self.expected.to)
            && from > to
        {
            return Err(format!("conclusion {:?} expects {from} to {to}", self.name));
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut words = text.splitn(3, ':');
        let (Some(case), Some(metric), Some(format)) = (words.next(), words.next(), words.next())
        else {
            return Err(D::Error::custom(format!("{text:?} is not CASE:METRIC:FORMAT")));
        };
        let Some(format) = Format::named(format) else {
            return Err(D::Error::custom(format!("{text:?}: there is no format {format:?}")));
        };
        Ok(Self { case: case.to_owned(), metric: metric.to_owned(), format })
    }
}
