//! What is measured with messages of customer and product records (Ng, Chen and Greenfield 2004).

pub(crate) mod codec;
mod contest;
mod pool;
mod processors;
mod published;
mod servers;
pub(crate) mod size;
pub(crate) mod stages;
mod tally;
mod tls;
mod typed;

use std::collections::BTreeMap;

use trunkline_catalogue::commerce::CustomerServices;

use super::{ITSELF, NOISE, Setting};
use crate::customer_services;
use crate::evaluation::Step;
use crate::subjects::{self, Contestant, State};
use crate::trading_day::SEED;
use servers::Servers;
use trunkline_bench::histogram::Distribution;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::{Measure, MessageCase};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{CODEC, SIZE};
use trunkline_experiment::subjects::is_variant;

/// What has been found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    pub(super) faults: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) distributions: Vec<Distribution>,
    pub(super) versions: BTreeMap<String, String>,
    pub(super) noise_floor: Option<f64>,
}

/// Does what the measures ask for.
pub(super) fn run(
    setting: &Setting<'_>,
    measures: &[&Measure],
    progress: &mut dyn FnMut(Step<'_>),
) -> Found {
    let mut found = Found::default();
    let sizes = Asked::of(setting, measures, |measure| matches!(measure, Measure::Size(_)));
    let codecs = Asked::of(setting, measures, |measure| matches!(measure, Measure::Codec(_)));
    let is_asked_for =
        |format: &Format| sizes.formats.contains(format) || codecs.formats.contains(format);
    let formats: Vec<Format> = Format::ALL.into_iter().filter(is_asked_for).collect();
    if !formats.is_empty() {
        codecs_and_sizes(setting, (&sizes, &codecs), &formats, &mut found, progress);
    }
    if measures.iter().any(|it| it.is_of_services()) {
        calls(setting, measures, &mut found, progress);
        found.ensure_floor(setting, measures, progress);
    }
    found
}

/// What is not sent.
fn codecs_and_sizes(
    setting: &Setting<'_>,
    (sizes, codecs): (&Asked<'_>, &Asked<'_>),
    formats: &[Format],
    found: &mut Found,
    progress: &mut dyn FnMut(Step<'_>),
) {
    progress(Step { part: "peers", text: "starting the peers", share: 0.0 });
    let mut contestants = subjects::contestants(setting.request, formats);
    found.introduce(setting, &contestants);
    if !sizes.is_empty() {
        let mut progress = |text: &str, share: f64| progress(Step { part: SIZE, text, share });
        size::measure(setting, sizes, &mut contestants, found, &mut progress);
    }
    if !codecs.is_empty() {
        let mut progress = |text: &str, share: f64| progress(Step { part: CODEC, text, share });
        codec::measure(setting, codecs, &mut contestants, found, &mut progress);
    }
}

/// What is called.
fn calls(
    setting: &Setting<'_>,
    measures: &[&Measure],
    found: &mut Found,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let mut servers = Servers::new(contest::connections(measures));
    contest::measure(setting, measures, &mut servers, found, progress);
    typed::measure(setting, measures, &mut servers, found, progress);
    pool::measure(setting, measures, &mut servers, found, progress);
    stages::measure(setting, measures, &mut servers, found, progress);
    published::of_calls(setting, measures, found);
}

/// Toolkits that compile what is often used while they run: they get to do so before the clock runs.
const COMPILED_AS_THEY_RUN: [&str; 1] = ["metro"];

impl Found {
    /// No verdict on times goes without one.
    fn ensure_floor(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        if self.noise_floor.is_some() {
            return;
        }
        let asked = Asked::of(setting, measures, |_| true);
        let mut progress = |share| progress(Step { part: NOISE, text: ITSELF, share });
        self.noise_floor = codec::floor_alone(setting, &asked, &mut progress);
    }

    /// Who takes part, and who does not.
    fn introduce(&mut self, setting: &Setting<'_>, contestants: &[Contestant]) {
        for Contestant { name, format, state } in contestants {
            match state {
                State::Ready { .. } if is_variant(name) => continue,
                State::Ready { version, .. } => {
                    self.versions.insert((*name).to_owned(), version.clone());
                    continue;
                }
                State::Absent => {}
                State::Broken(why) => self.faults.push(why.clone()),
            }
            self.rows.push(Row {
                verdict: Verdict::Absent,
                ..setting.row(CODEC, name, &format.profile(), "cpu-time", "ns")
            });
        }
    }
}

/// What several measures of one kind ask for, each thing once.
struct Asked<'a> {
    formats: Vec<Format>,
    cases: Vec<&'a MessageCase>,
}

impl<'a> Asked<'a> {
    fn of(
        setting: &'a Setting<'_>,
        measures: &[&Measure],
        is_wanted: impl Fn(&Measure) -> bool,
    ) -> Self {
        let wanted: Vec<&Measure> = measures.iter().copied().filter(|it| is_wanted(it)).collect();
        let is_asked_for =
            |format: &Format| wanted.iter().any(|measure| measure.formats().contains(format));
        let is_in = |case: &&MessageCase| {
            let names = |measure: &&Measure| {
                measure.messages().is_empty() || measure.messages().contains(&case.name)
            };
            wanted.iter().any(names)
        };
        Self {
            formats: Format::ALL.into_iter().filter(is_asked_for).collect(),
            cases: setting.request.definition.messages.cases.iter().filter(is_in).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.formats.is_empty()
    }
}

/// Messages are taken in so many batches, one after another, for the same reasons as those of market
/// data ([`BATCHES`](crate::market_data::messages::BATCHES)).
const BATCHES: usize = 5;

/// Records in all messages of a batch: a quarter of a megabyte in document/literal, half of one in the
/// SOAP encoding.
const RECORDS: usize = 640;

/// Messages of a batch at most.
const MESSAGES: usize = 128;

/// The messages of one batch.
fn batch(case: &MessageCase, index: usize) -> Vec<CustomerServices> {
    let count = (RECORDS / case.records().max(1) as usize).clamp(1, MESSAGES);
    customer_services::messages(SEED, index * count, count, (case.customers, case.products))
}
