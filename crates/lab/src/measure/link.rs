//! What the shaped links themselves cost and do, so that their share of a round trip is known.

use super::{Findings, Setting};
use crate::link::check::{self, CheckEffort};
use trunkline_experiment::definition::Measure;
use trunkline_experiment::link::Link;

/// The links' own cost, and their slopes against what was computed and against the kernel's shaper.
pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    let links: Vec<&String> = measures
        .iter()
        .filter(|measure| matches!(measure, Measure::Link(_)))
        .flat_map(|measure| measure.links())
        .collect();
    if links.is_empty() {
        return;
    }
    let effort = effort(setting);
    let direct = (Link::DIRECT.to_string(), Link::DIRECT);
    let named = links.iter().filter_map(|name| Some((name.to_string(), name.parse().ok()?)));
    let all: Vec<(String, Link)> = [direct].into_iter().chain(named).collect();
    for (index, (name, link)) in all.iter().enumerate() {
        progress(&format!("the link {name} itself"), index as f64 / all.len() as f64);
        let experiment = &setting.request.definition.name;
        match check::check(experiment, *link, effort, &setting.request.program) {
            Ok(checked) => {
                findings.rows.extend(checked.rows);
                findings.notes.extend(checked.notes.iter().map(|note| format!("{name}: {note}")));
            }
            Err(error) => findings.faults.push(format!("link {name}: {error}")),
        }
    }
}

fn effort(setting: &Setting<'_>) -> CheckEffort {
    let repetitions = setting.repetitions();
    CheckEffort { repetitions, passes: if setting.request.is_quick { 1 } else { 3 } }
}
