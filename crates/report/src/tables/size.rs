//! Bytes of a message: table 1.

use super::sheet::{Line, count, words};
use super::{Rows, Section, published, value};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{SIZE, SIZE_OF_FIGURE_5, SIZE_OF_FIGURE_6};
use trunkline_experiment::subjects::TRUNKLINE;

pub(super) fn section(rows: Rows<'_>) -> Option<Section> {
    let longest = rows.longest(SIZE);
    let longest_title = format!("{longest} entries");
    let figures = ["fixed", "paper", "per entry", "paper", &longest_title, "paper"].map(count);
    let title = format!("Bytes of a message{}", rows.source_of(SIZE, SIZE));
    let mut section = Section::new(SIZE, title, [words("format")].into_iter().chain(figures));
    for (case, format, title) in lines(rows) {
        let line = Line::new(case, TRUNKLINE).in_format(format);
        let columns = [("size-fixed", None), ("size-per-entry", None), (SIZE, Some(longest))];
        let cells = columns.into_iter().flat_map(|(metric, entries)| {
            let row = rows.find(&line.clone().of_entries(entries), metric);
            [value(row), published(row)]
        });
        section.table.row([title.to_owned()].into_iter().chain(cells));
    }
    let mut notes = Vec::new();
    if rows.any(SIZE_OF_FIGURE_6) {
        notes.push("figure 6 leaves out two fields of figure 3, MsgSeqNum and MDEntryType;".into());
        notes.push("figure 5 fills BodyLength to eight digits".into());
    }
    for format in rows.formats(SIZE, "none") {
        let line = Line::new(SIZE, TRUNKLINE).in_format(format);
        let find = |entries| rows.find(&line.clone().of_entries(Some(entries)), "reduction");
        let saved = |entries| find(entries).and_then(|row| row.value);
        if let (Some(one), Some(most)) = (saved(1), saved(longest)) {
            let format = format.title();
            notes.push(format!("{format} saves {one:.1} % of 1 entry, {most:.1} % of {longest}"));
        }
    }
    section.noted(notes)
}

/// The formats, those that the paper's figures print followed by the same as printed.
fn lines(rows: Rows<'_>) -> Vec<(&'static str, Format, &'static str)> {
    let mut lines = Vec::new();
    for format in rows.formats(SIZE, "none") {
        lines.push((SIZE, format, format.title()));
        match format {
            Format::SoapRpc => lines.push((SIZE_OF_FIGURE_6, format, "  as in figure 6")),
            Format::Fix => lines.push((SIZE_OF_FIGURE_5, format, "  as in figure 5")),
            _ => {}
        }
    }
    lines.retain(|(case, ..)| rows.any(case));
    lines
}
