//! The paper's own subjects, none of which is here: rows without a value, beside which its figures stand.

use super::Asked;
use crate::measure::Setting;
use crate::row::{Row, Verdict};

/// A row for each figure of the paper in the cases that were measured.
pub(super) fn rows(
    setting: &Setting<'_>,
    asked: &Asked<'_>,
    kind: &str,
    metric: &str,
    unit: &str,
) -> Vec<Row> {
    let definition = &setting.request.definition;
    let mut rows = Vec::new();
    for case in &asked.cases {
        for &format in &asked.formats {
            let figures = definition.figures(kind, metric, format, &case.name);
            rows.extend(figures.map(|figure| Row {
                paper: Some(figure.value),
                verdict: Verdict::Absent,
                ..setting.row(
                    &format!("{kind}-{}", case.name),
                    figure.subject,
                    &format.profile(),
                    metric,
                    unit,
                )
            }));
        }
    }
    rows
}
