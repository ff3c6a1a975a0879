//! What the shaped links themselves cost and do, so that their share of a round trip is known.

use super::Setting;
use crate::definition::Measure;
use crate::link::Link;
use crate::link::check::{self, CheckEffort, tc};
use crate::row::{Row, Verdict};

/// The subject of rows about links.
pub(crate) const LINK: &str = "link";

/// The case of a link.
pub(crate) fn case(link: &str) -> String {
    format!("link@{link}")
}

/// What came out.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) rows: Vec<Row>,
    pub(super) faults: Vec<String>,
}

/// The links' own cost, and their slopes against what was computed and against the kernel's shaper.
pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    progress: &mut dyn FnMut(&str, f64),
) -> Measured {
    let mut measured = Measured::default();
    let links: Vec<&String> = measures
        .iter()
        .filter(|measure| matches!(measure, Measure::Link(_)))
        .flat_map(|measure| measure.links())
        .collect();
    if links.is_empty() {
        return measured;
    }
    let effort = effort(setting);
    progress("what a proxy takes by itself", 0.0);
    let blank = |case: &str, metric: &str, unit: &str| setting.row(case, LINK, "", metric, unit);
    match check::own_cost(effort) {
        Ok(cost) => {
            let row = blank(&case("direct"), "own-cost", "ns");
            let (value, runs) = (Some(cost.added.median), cost.added.runs);
            let (low, high) = (Some(cost.added.low), Some(cost.added.high));
            measured.rows.push(Row { value, low, high, runs, ..row });
            let row = blank(&case("direct"), "direct", "ns");
            measured.rows.push(Row { value: Some(cost.direct), runs, ..row });
        }
        Err(error) => measured.faults.push(format!("link: {error}")),
    }
    for (index, name) in links.iter().enumerate() {
        let Ok(link) = name.parse::<Link>() else { continue };
        progress(&format!("the slope of {name}"), index as f64 / links.len() as f64);
        let times = match check::echo_times(link, effort) {
            Ok(times) => times,
            Err(error) => {
                measured.faults.push(format!("link {name}: {error}"));
                continue;
            }
        };
        let row = blank(&case(name), "slope-ratio", "x");
        measured.rows.extend(check::slope_ratio(link, &times).map(|bounds| row.within(&bounds)));
        progress(
            &format!("{name} by the kernel's shaper"),
            (index as f64 + 0.5) / links.len() as f64,
        );
        let row = blank(&case(name), "tc-ratio", "x");
        let row = match tc::echo_times(link, effort, &setting.request.program) {
            Ok(theirs) => tc::ratio(&theirs, &times).map(|bounds| row.clone().within(&bounds)),
            Err(_) => None,
        }
        .unwrap_or(Row { verdict: Verdict::Absent, ..row });
        measured.rows.push(row);
    }
    measured
}

fn effort(setting: &Setting<'_>) -> CheckEffort {
    let repetitions = setting.repetitions();
    CheckEffort { repetitions, passes: if setting.request.is_quick { 1 } else { 3 } }
}
