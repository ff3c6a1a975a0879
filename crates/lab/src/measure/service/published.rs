//! What was published of calls: each figure once, beside the case that it is of.

use crate::measure::{Findings, Setting, published};
use trunkline_experiment::definition::calls::{Kind, peak};
use trunkline_experiment::definition::{Measure, Transport};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::STAGES;

/// A row for each figure of the calls that were measured.
pub(super) fn rows(setting: &Setting<'_>, measures: &[&Measure], found: &mut Findings) {
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
    found: &mut Findings,
    (case, message, formats): (String, &str, &[Format]),
    measured: (&str, &str, &str),
) {
    for &format in formats {
        let profile = format.profile_over(Transport::Http.of(format).profile());
        let about = (&*case, message, &*profile);
        for row in published::of_message(setting, about, format, measured) {
            if !found.rows.contains(&row) {
                found.rows.push(row);
            }
        }
    }
}
