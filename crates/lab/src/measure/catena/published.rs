//! The report's own figures: beside our rows where there are any, and as rows of their own.

use crate::measure::Setting;
use trunkline_bench::row::{Row, Verdict};

/// The report's figures stand in our rows beside them, and in rows of its subject, which is not on this
/// machine.
pub(super) fn add(setting: &Setting<'_>, rows: &mut Vec<Row>) {
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
