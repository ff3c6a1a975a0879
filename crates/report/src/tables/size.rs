//! Bytes of a message: table 1.

use super::sheet::{Line, count, words};
use super::{Rows, Section, published, value};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{SIZE, SIZE_OF_FIGURE_5, SIZE_OF_FIGURE_6};
use trunkline_experiment::subjects::{PEERS, TRUNKLINE};

pub(super) fn section(rows: Rows<'_>) -> Option<Section> {
    let longest = rows.longest(SIZE);
    let longest_title = format!("{longest} entries");
    let figures = ["fixed", "paper", "per entry", "paper", &longest_title, "paper"].map(count);
    let title = format!("Bytes of a message{}", rows.source_of(SIZE, SIZE));
    let mut section = Section::new(SIZE, title, [words("format")].into_iter().chain(figures));
    let lines = lines(rows);
    for (line, title) in &lines {
        let columns = [("size-fixed", None), ("size-per-entry", None), (SIZE, Some(longest))];
        let cells = columns.into_iter().flat_map(|(metric, entries)| {
            let row = rows.find(&line.clone().of_entries(entries), metric);
            [value(row), published(row)]
        });
        section.table.row([title.clone()].into_iter().chain(cells));
    }
    let mut notes = Vec::new();
    if lines.iter().any(|(line, _)| line.subject != TRUNKLINE) {
        notes.push(
            "by a peer: of 500 messages of each length, which are spread over the day".into(),
        );
    }
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

/// What is shown of each format, and what it is called: ours, the same as the paper's figures print it, and the peers'.
fn lines(rows: Rows<'_>) -> Vec<(Line<'_>, String)> {
    let mut lines = Vec::new();
    for format in rows.formats(SIZE, "none") {
        let line = |case, subject| Line::new(case, subject).in_format(format);
        lines.push((line(SIZE, TRUNKLINE), format.title().to_owned()));
        match format {
            Format::SoapRpc => {
                lines.push((line(SIZE_OF_FIGURE_6, TRUNKLINE), "  as in figure 6".to_owned()));
            }
            Format::Fix => {
                lines.push((line(SIZE_OF_FIGURE_5, TRUNKLINE), "  as in figure 5".to_owned()));
            }
            _ => {}
        }
        let peers = PEERS.iter().filter(|peer| peer.formats.contains(&format));
        lines.extend(peers.map(|peer| (line(SIZE, peer.name), format!("  by {}", peer.name))));
    }
    let longest = Some(rows.longest(SIZE));
    lines.retain(|(line, _)| rows.find(&line.clone().of_entries(longest), SIZE).is_some());
    lines
}
