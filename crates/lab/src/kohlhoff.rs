//! Kohlhoff & Steele (2004) again: what a market data message costs in SOAP, FIX and CORBA CDR, in
//! bytes (section 5.1, table 1) and in CPU time (section 5.2, tables 3 and 4).
//!
//! The trades of a day become [`messages`] of 1 to 10 entries; every [`format`](Format) carries the
//! same ones, and all subjects of a format are given the same bytes. All that comes out is rows; the
//! [`report`] reads them only.

mod answer;
pub mod capacity;
mod codec;
mod comparison;
mod format;
pub mod messages;
pub mod randomised;
pub mod report;
mod size;
mod subjects;

pub use format::Format;
pub use subjects::{TRUNKLINE, TRUNKLINE_RECORD};

use std::collections::BTreeMap;

use crate::evaluation::{Request, Run, Step};
use crate::record::Record;
use crate::row::{MachineRow, Row, Verdict};

/// The name of the evaluation in commands and rows.
pub const NAME: &str = "kohlhoff-2004";
/// The part that counts bytes.
pub const SIZE: &str = "size";
/// The part that measures CPU time.
pub const CODEC: &str = "codec";

/// Entries of a message: 1 to 10 (section 4.1), or fewer of them for a quick look.
fn lengths(is_quick: bool) -> &'static [u32] {
    if is_quick { &[1, 4, 10] } else { &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }
}

/// The length for which single figures are printed.
const LONGEST: u32 = 10;

/// Runs the chosen parts.
pub(crate) fn run(request: &Request, progress: &mut dyn FnMut(Step<'_>)) -> Run {
    let is_chosen = |name| request.parts.iter().any(|part| part.name == name);
    let lengths = lengths(request.is_quick);
    let trades = Row {
        value: Some(request.day.trades.len() as f64),
        ..row("trades", &request.day.name, "", "trades", "trades")
    };
    let mut rows = vec![trades];
    let mut faults = Vec::new();
    let mut versions = BTreeMap::new();
    let mut noise_floor = None;
    if is_chosen(SIZE) {
        rows.extend(size::rows(&request.day, lengths, progress));
    }
    if is_chosen(CODEC) {
        let measured = codec::measure(request, lengths, progress);
        rows.extend(measured.rows());
        rows.extend(comparison::rows(&measured));
        faults = measured.faults;
        versions = measured.versions;
        noise_floor = measured.noise_floor;
    }
    let conclusions = comparison::conclusions(&rows);
    rows.extend(conclusions);
    let machine = MachineRow::of_this_machine(NAME, versions, noise_floor);
    Run { record: Record { machine, rows }, faults }
}

/// A row without a value.
fn row(case: &str, subject: &str, profile: &str, metric: &str, unit: &str) -> Row {
    Row {
        experiment: NAME.to_owned(),
        case: case.to_owned(),
        subject: subject.to_owned(),
        profile: profile.to_owned(),
        entries: None,
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        value: None,
        low: None,
        high: None,
        runs: 0,
        paper: None,
        verdict: Verdict::Ok,
    }
}
