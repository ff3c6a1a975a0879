//! The paper's own subjects, none of which is here: rows without a value, beside which its figures stand.

use super::Setting;
use crate::scenario::Content;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::format::Format;

/// A row for each figure that was published of messages with these names; `measured` is what cases begin with, the
/// metric and its unit.
pub(super) fn rows(
    setting: &Setting<'_>,
    (contents, formats): (&[Content], &[Format]),
    (measured, metric, unit): (&str, &str, &str),
) -> Vec<Row> {
    let mut rows = Vec::new();
    for content in contents {
        for format in formats {
            let about = (&*content.case(measured), &*content.name, &*format.profile());
            rows.extend(of_message(setting, about, *format, (measured, metric, unit)));
        }
    }
    rows
}

/// A row for each figure of one message: a case and a profile, beside which they stand.
pub(super) fn of_message(
    setting: &Setting<'_>,
    (case, message, profile): (&str, &str, &str),
    format: Format,
    (measured, metric, unit): (&str, &str, &str),
) -> Vec<Row> {
    let figures = setting.request.definition.figures(measured, metric, format, message);
    let row = |subject: &str, value| Row {
        paper: Some(value),
        verdict: Verdict::Absent,
        ..setting.row(case, subject, profile, metric, unit)
    };
    figures.map(|figure| row(figure.subject, figure.value)).collect()
}
