//! What is measured of messages of customer and product records: one message after another, by its name.

use trunkline_catalogue::commerce::CustomerServices;

use super::messages;
use crate::scenario::{Content, Scenario, Stage};
use crate::trading_day::SEED;
use trunkline_experiment::definition::{Measure, MessageCase};

/// Messages are taken in so many batches, one after another, for the same reasons as those of market
/// data ([`BATCHES`](crate::market_data::messages::BATCHES)).
const BATCHES: usize = 5;

/// Batches in a quick run: each takes time to load and to check, most of all in other processes.
const QUICK_BATCHES: usize = 2;

/// Records in all messages of a batch: a quarter of a megabyte in document/literal, half of one in the
/// SOAP encoding.
const RECORDS: usize = 640;

/// Messages of a batch at most.
pub(crate) const MESSAGES: usize = 128;

/// The messages of an experiment with customer and product records.
#[derive(Clone, Copy)]
pub(crate) struct CustomerRecords<'a> {
    pub(crate) cases: &'a [MessageCase],
    pub(crate) is_quick: bool,
}

impl Scenario for CustomerRecords<'_> {
    type Message = CustomerServices;

    fn timed(&self, measures: &[&Measure]) -> Vec<Content> {
        let is_in = |case: &&MessageCase| {
            measures
                .iter()
                .map(|measure| measure.messages())
                .any(|names| names.is_empty() || names.contains(&case.name))
        };
        let batches = if self.is_quick { QUICK_BATCHES } else { BATCHES };
        let cases = self.cases.iter().filter(is_in);
        cases.map(|case| Content::new(&case.name, &[None], batches)).collect()
    }

    fn sized(&self, measures: &[&Measure]) -> Vec<Content> {
        self.timed(measures)
    }

    fn batch(&self, stage: Stage<'_>, index: usize) -> Vec<CustomerServices> {
        self.of(stage.content, index)
    }

    fn all(&self, content: &Content, _: Option<u32>) -> impl Iterator<Item = CustomerServices> {
        (0..BATCHES).flat_map(|index| self.of(content, index))
    }

    fn written_by_peers(&self, content: &Content, entries: Option<u32>) -> Vec<CustomerServices> {
        self.all(content, entries).collect()
    }
}

impl CustomerRecords<'_> {
    fn of(&self, content: &Content, index: usize) -> Vec<CustomerServices> {
        let case = self.cases.iter().find(|case| case.name == content.name);
        case.map_or(Vec::new(), |case| batch(case, index))
    }
}

/// The messages of one batch.
pub(crate) fn batch(case: &MessageCase, index: usize) -> Vec<CustomerServices> {
    let count = (RECORDS / case.records().max(1) as usize).clamp(1, MESSAGES);
    messages(SEED, index * count, count, (case.customers, case.products))
}
