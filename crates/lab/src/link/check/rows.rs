//! The checks as rows of an experiment.

use std::path::Path;

use super::{CheckEffort, CheckError, echo_times, own_cost, slope_ratio, tc};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::statistics::Bounds;
use trunkline_experiment::link::Link;

/// What checking a link gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// Case `link@LINK`, subject `link`: `own-cost` for the direct link, `slope-ratio` for one with a
    /// rate, and `tc-ratio` if it has no delay, which Linux's token bucket has not.
    pub rows: Vec<Row>,
    /// Why there is no `tc-ratio`, if it is absent.
    pub notes: Vec<String>,
}

/// Checks one link for `experiment`; `program` is the trunkline binary, to run in a namespace.
///
/// # Errors
/// Loopback fails.
pub fn check(
    experiment: &str,
    link: Link,
    effort: CheckEffort,
    program: &Path,
) -> Result<Checked, CheckError> {
    let mut checked = Checked::default();
    let row = |metric, unit, bounds| row(experiment, link, metric, unit, bounds);
    if link == Link::DIRECT {
        checked.rows.push(row("own-cost", "ns", Some(own_cost(effort)?.added)));
    }
    if link.rate.is_none() {
        return Ok(checked);
    }
    let ours = echo_times(link, effort)?;
    checked.rows.push(row("slope-ratio", "x", slope_ratio(link, &ours)));
    if link.delay.is_zero() {
        let ratio = tc::echo_times(link, effort, program).map(|tc| tc::ratio(&tc, &ours));
        if let Err(reason) = &ratio {
            checked.notes.push(reason.to_string());
        }
        checked.rows.push(row("tc-ratio", "x", ratio.unwrap_or_default()));
    }
    Ok(checked)
}

fn row(experiment: &str, link: Link, metric: &str, unit: &str, bounds: Option<Bounds>) -> Row {
    let profile = "tcp-blocking/none/none/none/none";
    let row = Row::new(experiment, &format!("link@{link}"), "link", profile, metric, unit);
    match bounds {
        Some(bounds) => row.within(&bounds),
        None => Row { verdict: Verdict::Absent, ..row },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_has_the_rows_that_it_can_have() {
        let effort = CheckEffort { repetitions: 1, passes: 1 };
        for (name, expected) in [
            ("direct", &["own-cost"][..]),
            ("1ms", &[]),
            ("1gbit-1ms", &["slope-ratio"]),
            ("100mbit", &["slope-ratio", "tc-ratio"]),
        ] {
            let link = name.parse().expect("a link of this test");
            // A program that cannot be what is asked for: the row is there and says so.
            let checked = check("test", link, effort, Path::new("false")).expect("loopback works");
            let metrics: Vec<&str> = checked.rows.iter().map(|row| &*row.metric).collect();
            assert_eq!(metrics, expected, "{name}");
            for row in &checked.rows {
                assert_eq!((&*row.case, &*row.subject), (&*format!("link@{name}"), "link"));
                let is_absent = row.metric == "tc-ratio";
                assert_eq!(row.value.is_none(), is_absent, "{row:?}");
                let verdict = if is_absent { Verdict::Absent } else { Verdict::Inconclusive };
                assert_eq!(row.verdict, verdict, "one repetition carries nothing");
            }
            assert_eq!(checked.notes.len(), usize::from(name == "100mbit"));
            assert!(checked.notes.iter().all(|note| note.starts_with("tc: ")));
        }
    }
}
