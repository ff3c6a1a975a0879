//! The paper's own subjects, none of which is here: rows without a value, beside which its figures stand.

use super::{Asked, Found};
use crate::measure::Setting;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::calls::{Kind, peak};
use trunkline_experiment::definition::{Measure, Transport};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::STAGES;

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

/// As [`rows`], of calls: each figure once, beside the case that it is of.
pub(super) fn of_calls(setting: &Setting<'_>, measures: &[&Measure], found: &mut Found) {
    let messages = &setting.request.definition.messages;
    for (kind, calls) in measures.iter().filter_map(|measure| measure.calls()) {
        for it in calls.situations(messages).iter().filter(|it| it.link == "direct") {
            match kind {
                Kind::Latency if it.threads == 1 => {
                    let about = (kind.case(it), it.message, &calls.formats[..]);
                    figures(setting, found, about, (kind.name(), "latency", "ns"));
                }
                Kind::Saturation => {
                    let about = (peak(it), it.message, &calls.formats[..]);
                    figures(setting, found, about, ("peak", "calls-per-second", "1/s"));
                }
                _ => {}
            }
        }
    }
    for measure in measures {
        let Measure::Stages(asked) = measure else { continue };
        for case in messages.cases_named(&asked.messages) {
            for metric in ["deserialise-share", "serialise-share"] {
                let about = (format!("{STAGES}-{}", case.name), &*case.name, &asked.formats[..]);
                figures(setting, found, about, (STAGES, metric, "%"));
            }
        }
    }
}

fn figures(
    setting: &Setting<'_>,
    found: &mut Found,
    (case, message, formats): (String, &str, &[Format]),
    (kind, metric, unit): (&str, &str, &str),
) {
    for &format in formats {
        let profile = format.profile_over(Transport::Http.of(format).profile());
        for figure in setting.request.definition.figures(kind, metric, format, message) {
            let row = Row {
                paper: Some(figure.value),
                verdict: Verdict::Absent,
                ..setting.row(&case, figure.subject, &profile, metric, unit)
            };
            if !found.rows.contains(&row) {
                found.rows.push(row);
            }
        }
    }
}
