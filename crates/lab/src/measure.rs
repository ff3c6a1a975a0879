//! The engine: does what the chosen parts of an experiment ask for, each thing once.
//!
//! Parts overlap: sizes and times of SOAP are asked for by several. What is asked for is gathered
//! first, then measured kind by kind, so that all formats of a kind meet the same machine.

pub(crate) mod codec;
pub(crate) mod size;

use std::collections::BTreeMap;

use crate::definition::Measure;
use crate::evaluation::{Request, Run, Step};
use crate::market_data::Format;
use crate::record::Record;
use crate::row::{MachineRow, Row};
use crate::{comparison, conclusion};

/// The case of the row that tells what the messages carry.
pub(crate) const TRADES: &str = "trades";

/// What all measuring needs to know.
pub(crate) struct Setting<'a> {
    pub(crate) request: &'a Request,
    /// Entries of a message.
    pub(crate) lengths: &'a [u32],
}

impl Setting<'_> {
    /// A row of this experiment without a value.
    pub(crate) fn row(
        &self,
        case: &str,
        subject: &str,
        profile: &str,
        metric: &str,
        unit: &str,
    ) -> Row {
        Row::new(&self.request.definition.name, case, subject, profile, metric, unit)
    }

    /// The length for which single figures are printed.
    pub(crate) fn longest(&self) -> u32 {
        self.lengths.iter().copied().max().unwrap_or(1)
    }
}

/// What has been found so far.
#[derive(Default)]
struct Findings {
    rows: Vec<Row>,
    faults: Vec<String>,
    versions: BTreeMap<String, String>,
    noise_floor: Option<f64>,
}

/// Runs the chosen parts.
pub(crate) fn run(request: &Request, progress: &mut dyn FnMut(Step<'_>)) -> Run {
    let lengths = request.definition.lengths(request.is_quick);
    let setting = Setting { request, lengths };
    let mut findings = Findings::default();
    findings.rows.push(Row {
        value: Some(request.day.trades.len() as f64),
        ..setting.row(TRADES, &request.day.name, "", "trades", "trades")
    });
    let measures: Vec<&Measure> = request.parts.iter().flat_map(|part| &part.measures).collect();
    findings.sizes(&setting, &measures, progress);
    findings.codecs(&setting, &measures, progress);
    let conclusions = conclusion::rows(&setting, &findings.rows);
    findings.rows.extend(conclusions);
    let Findings { rows, mut faults, versions, noise_floor } = findings;
    faults.dedup();
    let machine = MachineRow::of_this_machine(&request.definition.name, versions, noise_floor);
    Run { record: Record { machine, rows }, faults }
}

impl Findings {
    fn sizes(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let is_size = |measure: &Measure| matches!(measure, Measure::Size(_));
        let formats = formats(measures, is_size);
        if formats.is_empty() {
            return;
        }
        let as_printed =
            measures.iter().any(|measure| matches!(measure, Measure::Size(it) if it.as_printed));
        let mut progress =
            |text: &str, share: f64| progress(Step { part: size::SIZE, text, share });
        self.rows.extend(size::rows(setting, &formats, as_printed, &mut progress));
    }

    fn codecs(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let is_codec = |measure: &Measure| matches!(measure, Measure::Codec(_));
        let formats = formats(measures, is_codec);
        if formats.is_empty() {
            return;
        }
        let is_randomised =
            measures.iter().any(|measure| matches!(measure, Measure::Codec(it) if it.randomised));
        let mut progress =
            |text: &str, share: f64| progress(Step { part: codec::CODEC, text, share });
        let measured = codec::measure(setting, &formats, is_randomised, &mut progress);
        self.rows.extend(measured.rows(setting));
        self.rows.extend(comparison::rows(setting, &measured));
        self.faults.extend(measured.faults);
        self.versions.extend(measured.versions);
        self.noise_floor = measured.noise_floor;
    }
}

/// The formats of some measures, in the order of tables, each once.
fn formats(measures: &[&Measure], is_wanted: impl Fn(&Measure) -> bool) -> Vec<Format> {
    let is_asked_for = |format: &Format| {
        let mut wanted = measures.iter().filter(|measure| is_wanted(measure));
        wanted.any(|measure| measure.formats().contains(format))
    };
    Format::ALL.into_iter().filter(is_asked_for).collect()
}
