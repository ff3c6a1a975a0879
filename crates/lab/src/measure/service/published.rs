//! What was published of calls: each figure once, beside the case that it is of.

use crate::measure::{Findings, Setting, published};
use trunkline_experiment::definition::calls::{Kind, peak};
use trunkline_experiment::definition::{Definition, Measure, StagesOfCalls, Transport};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{STAGES, STYLES};

/// A row for each figure of the calls that were measured: over the link of the paper, or without one where
/// nothing was measured over that.
pub(super) fn rows(setting: &Setting<'_>, measures: &[&Measure], found: &mut Findings) {
    let definition = &setting.request.definition;
    let messages = &definition.messages;
    let is_run = |is_quick: bool| is_quick || !setting.request.is_quick;
    let measured = || {
        let calls = measures.iter().filter_map(|measure| measure.calls());
        calls.filter(|(_, calls)| is_run(calls.quick))
    };
    for (kind, calls) in measured() {
        let same = measured().filter(|(other, _)| *other == kind);
        let link = beside(definition, same.flat_map(|(_, calls)| &calls.links));
        for it in calls.situations(messages).iter().filter(|it| it.link == link) {
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
        let Measure::Styles(asked) = measure else { continue };
        for message in messages.cases_named(&asked.messages) {
            let about = (format!("{STYLES}-{}", message.name), &*message.name, &asked.formats[..]);
            figures(setting, found, about, (STYLES, "supported", "styles"));
        }
    }
    let stages = measures.iter().filter_map(|measure| match measure {
        Measure::Stages(asked) if is_run(asked.quick) => Some(asked),
        _ => None,
    });
    let link = beside(definition, stages.clone().flat_map(|asked| &asked.links));
    for asked in stages.filter(|asked| asked.links.iter().any(|it| it == link)) {
        for message in messages.cases_named(&asked.messages) {
            for metric in ["deserialise-share", "serialise-share"] {
                let case = StagesOfCalls::case(&message.name, link);
                let about = (case, &*message.name, &asked.formats[..]);
                figures(setting, found, about, (STAGES, metric, "%"));
            }
        }
    }
}

/// Over which of the links that were measured the paper's figures stand.
fn beside<'a>(definition: &'a Definition, mut links: impl Iterator<Item = &'a String>) -> &'a str {
    let is_there = links.any(|link| *link == definition.published_over);
    if is_there { &definition.published_over } else { "direct" }
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
