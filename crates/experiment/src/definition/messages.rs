//! Which messages an experiment has.

use serde::Deserialize;

use super::bounds::{between, ensure, known};
use crate::format::Family;

/// What the messages carry, and which there are.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Messages {
    /// What they carry. Market data has messages of so many entries as the experiment's `entries`
    /// say; customer services have the `cases`; rates have neither.
    #[serde(default)]
    pub family: Family,
    /// The messages of customer and product records.
    #[serde(default)]
    pub cases: Vec<MessageCase>,
}

/// A message of customer and product records.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MessageCase {
    /// Its name in the cases of rows, such as `simple` in `decode-simple`.
    pub name: String,
    /// How many customers.
    #[serde(default)]
    pub customers: u32,
    /// How many products.
    #[serde(default)]
    pub products: u32,
}

impl MessageCase {
    /// Customers and products.
    pub fn records(&self) -> u32 {
        self.customers.saturating_add(self.products)
    }
}

/// Records of a message at most: some 40 MB of SOAP.
const RECORDS: f64 = 5e4;

impl Messages {
    /// The cases of these names, in the order of the experiment; all if there are no names.
    pub fn cases_named<'a>(
        &'a self,
        names: &'a [String],
    ) -> impl Iterator<Item = &'a MessageCase> + 'a {
        self.cases.iter().filter(|case| names.is_empty() || names.contains(&case.name))
    }

    pub(super) fn check(&self, entries: &[u32]) -> Result<(), String> {
        for (what, is_there, family) in [
            ("entries", !entries.is_empty(), Family::MarketData),
            ("cases", !self.cases.is_empty(), Family::CustomerServices),
        ] {
            let has = if is_there { "no" } else { "some" };
            let name = self.family.name();
            ensure(is_there == (self.family == family), || {
                format!("messages of {name} need {has} {what}")
            })?;
        }
        self.cases.iter().try_for_each(|case| {
            let wrong = |what| format!("records of message {}: {what}", case.name);
            between(case.records().into(), 1.0, RECORDS).map_err(wrong)
        })
    }

    /// Whether all of these cases are there.
    pub(super) fn check_named<'a>(
        &self,
        mut names: impl Iterator<Item = &'a String>,
    ) -> Result<(), String> {
        let all = || self.cases.iter().map(|case| case.name.as_str());
        names.try_for_each(|name| known("there is no message", name, all()))
    }
}
