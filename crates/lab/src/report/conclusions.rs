//! The paper's conclusions, and what has become of them.

use super::{Rows, Section, WIDTH};
use crate::conclusion::CONCLUSION;
use crate::format::Family;
use crate::row::{Row, Verdict};
use crate::subjects::TRUNKLINE;
use crate::table::{Align, Table, short_number};

/// A line for each conclusion that was judged: in the paper's words, with our factors and the peers'.
pub(super) fn section(rows: Rows<'_>) -> Option<Section> {
    let definition = rows.definition.filter(|_| rows.any(CONCLUSION))?;
    let has_figures = !definition.published.is_empty() || !definition.reported.is_empty();
    let mut table = Table::new([
        (if has_figures { "the paper concludes" } else { "conclusion" }, Align::Left),
        ("expected", Align::Left),
        ("trunkline", Align::Left),
        ("", Align::Left),
        ("peers", Align::Left),
        ("", Align::Left),
    ])
    .within(WIDTH);
    let mut notes = Vec::new();
    for conclusion in &definition.conclusions {
        let find = |is_ours: bool| {
            rows.all.iter().find(|row| {
                row.case == CONCLUSION
                    && row.metric == conclusion.name
                    && (row.subject == TRUNKLINE) == is_ours
            })
        };
        // Several brokers stand beside ours, in a table of their own.
        let has_one_peer = definition.messages.family != Family::Rates;
        let (ours, theirs) = (find(true), find(false).filter(|_| has_one_peer));
        if ours.is_none() && theirs.is_none() {
            continue;
        }
        let unit = if conclusion.unit == "x" { "" } else { &conclusion.unit };
        let unit = if unit.is_empty() { String::new() } else { format!(", in {unit}") };
        let (name, words) = (&conclusion.name, &conclusion.words);
        let words = format!("{name}: {words} (section {}{unit})", conclusion.section);
        notes.push(words);
        table.row([
            conclusion.name.clone(),
            conclusion.expected.to_string(),
            factors(ours, conclusion.every),
            verdict(ours).to_owned(),
            factors(theirs, conclusion.every),
            verdict(theirs).to_owned(),
        ]);
    }
    notes.push(
        "figures are what decides: the middle of all lengths and formats compared, or the range"
            .into(),
    );
    notes.push(
        "of all where all must be as expected; bounds that reach both sides are inconclusive"
            .into(),
    );
    let title = if has_figures { "The paper's conclusions, today" } else { "Conclusions" };
    Some(Section { topic: CONCLUSION, title: title.into(), table, notes })
}

/// What decides: the middle of the factors, or all of them.
fn factors(row: Option<&Row>, every: bool) -> String {
    let Some(row) = row else { return String::new() };
    match (every, row.value, row.low, row.high) {
        (true, _, Some(low), Some(high)) if low != high => {
            format!("{} - {}", short_number(low), short_number(high))
        }
        (_, Some(value), ..) => short_number(value),
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
