//! The paper's conclusions, and what has become of them; our own aims, which no paper states.

use super::sheet::words;
use super::{Rows, Section};
use crate::conclusion::{AIM, CONCLUSION, Judgement};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::short_number;
use trunkline_experiment::definition::{Conclusion, Definition};
use trunkline_experiment::format::Family;
use trunkline_experiment::subjects::TRUNKLINE;

/// A table of the conclusions, and one of the aims.
pub(super) fn sections(rows: Rows<'_>, judgements: &[Judgement]) -> Vec<Section> {
    let Some(definition) = rows.definition else { return Vec::new() };
    let has_figures = !definition.published.is_empty() || !definition.reported.is_empty();
    let (title, column) = if has_figures {
        ("The paper's conclusions, today", "the paper concludes")
    } else {
        ("Conclusions", "conclusion")
    };
    let topics = [
        Topic { case: CONCLUSION, title, column, conclusions: &definition.conclusions },
        Topic {
            case: AIM,
            title: "Our aims, which no paper states",
            column: "we aim at",
            conclusions: &definition.aims,
        },
    ];
    topics.iter().filter_map(|topic| topic.section(definition, rows, judgements)).collect()
}

/// What one table is about.
struct Topic<'a> {
    case: &'static str,
    title: &'a str,
    column: &'a str,
    conclusions: &'a [Conclusion],
}

impl Topic<'_> {
    /// A line for each that was judged, with our factors and the peers'.
    fn section(
        &self,
        definition: &Definition,
        rows: Rows<'_>,
        judgements: &[Judgement],
    ) -> Option<Section> {
        let columns = [self.column, "expected", "trunkline", "", "peers", ""];
        let mut section = Section::new(self.case, self.title, columns.map(words));
        // Several brokers stand beside ours, in a table of their own.
        let has_one_peer = definition.messages.family != Family::Rates;
        for conclusion in self.conclusions {
            let find = |is_ours: bool| {
                rows.all.iter().find(|row| {
                    row.case == self.case
                        && row.metric == conclusion.name
                        && (row.subject == TRUNKLINE) == is_ours
                })
            };
            let (ours, theirs) = (find(true), find(false).filter(|_| has_one_peer));
            if ours.is_none() && theirs.is_none() {
                continue;
            }
            let mut details = vec![described(conclusion)];
            details.extend([ours, theirs].into_iter().flatten().filter_map(|row| {
                let judged = judgements.iter().find(|it| it.row == *row)?;
                Some(format!("- {}: {}", row.subject, judged.decided_by))
            }));
            section.details.push(details);
            section.table.row([
                conclusion.name.clone(),
                conclusion.expected.to_string(),
                factors(ours),
                verdict(ours).to_owned(),
                factors(theirs),
                verdict(theirs).to_owned(),
            ]);
        }
        section.noted(["each factor is judged by itself, and one that is clearly not as expected decides; below each \
             the factor that decides, in brackets where it may be for bounds and noise"])
    }
}

/// Its words, and where they stand.
fn described(conclusion: &Conclusion) -> String {
    let Conclusion { name, words, section, unit, .. } = conclusion;
    let mut told = Vec::new();
    if !section.is_empty() {
        told.push(format!("section {section}"));
    }
    if unit != "x" {
        told.push(format!("in {unit}"));
    }
    match told.is_empty() {
        true => format!("{name}: {words}"),
        false => format!("{name}: {words} ({})", told.join(", ")),
    }
}

/// The range of the factors.
fn factors(row: Option<&Row>) -> String {
    let Some(row) = row else { return String::new() };
    match (row.value, row.low, row.high) {
        (_, Some(low), Some(high)) if low != high => {
            format!("{} - {}", short_number(low), short_number(high))
        }
        (Some(value), ..) => short_number(value),
        _ => String::new(),
    }
}

fn verdict(row: Option<&Row>) -> &'static str {
    row.map_or("", |row| match row.verdict {
        Verdict::NoLonger => "no longer",
        Verdict::Absent => "not measured",
        verdict => verdict.name(),
    })
}
