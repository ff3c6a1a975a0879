//! Which messages an experiment has.

use serde::Deserialize;

use crate::format::Family;

/// What the messages carry, and which there are.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Messages {
    /// What they carry. Market data has messages of so many entries as the experiment's `entries`
    /// say; other families have the `cases`.
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
        self.customers + self.products
    }
}

/// Records of a message at most: some 40 MB of SOAP.
const RECORDS: u32 = 50_000;

impl Messages {
    /// The cases of these names, in the order of the experiment; all if there are no names.
    pub fn cases_named<'a>(
        &'a self,
        names: &'a [String],
    ) -> impl Iterator<Item = &'a MessageCase> + 'a {
        self.cases.iter().filter(|case| names.is_empty() || names.contains(&case.name))
    }

    pub(super) fn check(&self, entries: &[u32]) -> Result<(), String> {
        let family = self.family.name();
        match (self.family, entries.is_empty(), self.cases.is_empty()) {
            (Family::MarketData, true, _) => return Err("there are no entries".into()),
            (Family::MarketData, _, false) => {
                return Err(format!("messages of {family} have entries and no cases"));
            }
            (Family::CustomerServices, false, _) => {
                return Err(format!("messages of {family} have cases and no entries"));
            }
            (Family::CustomerServices, _, true) => {
                return Err(format!("messages of {family} need cases"));
            }
            (Family::Rates, true, true) => {}
            (Family::Rates, ..) => return Err(format!("{family} have no entries and no cases")),
            (Family::MarketData, false, true) | (Family::CustomerServices, true, false) => {}
        }
        for (index, case) in self.cases.iter().enumerate() {
            let name = &case.name;
            if !super::is_word(name) {
                return Err(format!("a message is called {name:?}"));
            }
            if self.cases[..index].iter().any(|other| other.name == *name) {
                return Err(format!("two messages are called {name:?}"));
            }
            let records = u64::from(case.customers) + u64::from(case.products);
            if !(1..=u64::from(RECORDS)).contains(&records) {
                return Err(format!("message {name}: {records} records are not 1 to {RECORDS}"));
            }
        }
        Ok(())
    }

    /// Whether all of these cases are there.
    pub(super) fn check_named(&self, names: &[String]) -> Result<(), String> {
        let is_known = |name: &&String| self.cases.iter().any(|case| case.name == **name);
        match names.iter().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                let known: Vec<&str> = self.cases.iter().map(|case| case.name.as_str()).collect();
                Err(format!("there is no message {name:?}; known: {}", known.join(", ")))
            }
        }
    }
}
