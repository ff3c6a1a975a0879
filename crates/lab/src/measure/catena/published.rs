//! The report's own figures: beside our rows where there are any, and as rows of their own.

use crate::measure::Setting;
use crate::row::{Row, Verdict};
use crate::subjects::TRUNKLINE;

/// The report's figures stand in our rows of the same case and metric, and in rows of its subject, which
/// is not on this machine.
pub(super) fn add(setting: &Setting<'_>, rows: &mut Vec<Row>) {
    let mut own = Vec::new();
    for reported in &setting.request.definition.reported {
        let is_measured = rows.iter().any(|row| row.case == reported.case);
        // What nobody has yet is said to be absent when its part was asked for.
        let is_asked_for = is_measured || (reported.is_absent && rows.iter().any(of_hops));
        if !is_asked_for {
            continue;
        }
        let row = |subject: &str, metric: &str, unit: &str, paper: f64| Row {
            paper: Some(paper),
            verdict: Verdict::Absent,
            ..setting.row(&reported.case, subject, &reported.profile, metric, unit)
        };
        for (metric, value) in reported.figures() {
            let of_ours = rows.iter_mut().filter(|row| {
                row.case == reported.case && row.subject == TRUNKLINE && row.metric == metric
            });
            of_ours.for_each(|row| row.paper = Some(value));
            own.push(row(&reported.subject, metric, "ns", value));
            if reported.is_absent {
                own.push(Row { paper: None, ..row(TRUNKLINE, metric, "ns", value) });
            }
        }
        own.extend(
            reported.rate.map(|rate| row(&reported.subject, "published-per-second", "1/s", rate)),
        );
    }
    rows.extend(own);
}

fn of_hops(row: &Row) -> bool {
    row.case.starts_with("orders-")
}
