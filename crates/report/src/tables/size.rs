//! Bytes of a message: table 1.

use super::{Rows, Section, WIDTH, published, value};
use trunkline_bench::table::{Align, Table};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{SIZE, SIZE_OF_FIGURE_5, SIZE_OF_FIGURE_6};
use trunkline_experiment::subjects::TRUNKLINE;

pub(super) fn section(rows: Rows<'_>) -> Option<Section> {
    if !rows.any(SIZE) {
        return None;
    }
    let longest = format!("{} entries", rows.longest(SIZE));
    let mut table = Table::new([
        ("format", Align::Left),
        ("fixed", Align::Right),
        ("paper", Align::Right),
        ("per entry", Align::Right),
        ("paper", Align::Right),
        (&longest, Align::Right),
        ("paper", Align::Right),
    ])
    .within(WIDTH);
    for (case, format, title) in lines(rows) {
        let find = |metric, entries| rows.find(case, TRUNKLINE, format, metric, entries);
        let at_longest = find("size", Some(rows.longest(SIZE)));
        let columns = [find("size-fixed", None), find("size-per-entry", None), at_longest];
        let cells = columns.iter().flat_map(|row| [value(*row), published(*row)]);
        table.row([title.to_owned()].into_iter().chain(cells));
    }
    let source = rows.definition.and_then(|it| it.source_of(SIZE, SIZE));
    let source = source.map_or(String::new(), |source| format!(" (paper: {source})"));
    let mut notes = Vec::new();
    if rows.any(SIZE_OF_FIGURE_6) {
        notes.push("figure 6 leaves out two fields of figure 3, MsgSeqNum and MDEntryType;".into());
        notes.push("figure 5 fills BodyLength to eight digits".into());
    }
    for format in rows.formats(SIZE, "none") {
        let find = |entries| rows.find(SIZE, TRUNKLINE, format, "reduction", Some(entries));
        let saved = |entries| find(entries).and_then(|row| row.value);
        if let (Some(one), Some(most)) = (saved(1), saved(rows.longest(SIZE))) {
            let (format, longest) = (format.title(), rows.longest(SIZE));
            notes.push(format!("{format} saves {one:.1} % of 1 entry, {most:.1} % of {longest}"));
        }
    }
    Some(Section { topic: SIZE, title: format!("Bytes of a message{source}"), table, notes })
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
