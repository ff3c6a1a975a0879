//! The paper's own subjects, none of which is here: rows without a value, in which its figures stand, and beside ours.

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

/// Figures of single cases stand in our rows beside them, and in rows of their subject, which is not on this machine.
pub(super) fn beside(setting: &Setting<'_>, rows: &mut Vec<Row>) {
    let mut own = Vec::new();
    for reported in &setting.request.definition.reported {
        let (case, subject) = reported.beside();
        if rows.iter().all(|row| row.case != case) {
            continue;
        }
        let row = |metric: &str, unit: &str, paper: f64| Row {
            paper: Some(paper),
            verdict: Verdict::Absent,
            ..setting.row(&reported.case, &reported.subject, &reported.profile, metric, unit)
        };
        for (metric, value) in reported.figures() {
            let of_ours = rows
                .iter_mut()
                .filter(|row| row.case == case && row.subject == subject && row.metric == metric);
            of_ours.for_each(|row| row.paper = Some(value));
            own.push(row(metric, "ns", value));
        }
        own.extend(reported.rate.map(|rate| row("published-per-second", "1/s", rate)));
    }
    rows.extend(own);
}
