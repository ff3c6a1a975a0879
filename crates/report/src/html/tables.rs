//! Tables of the page.

use super::text::escaped;
use crate::tables::Section;
use trunkline_bench::table::Align;

/// The table of a section; cells that are verdicts stand out, and what belongs to a line stands in it.
pub(super) fn table(section: &Section) -> String {
    let table = &section.table;
    let mut out = String::from("<div class=\"scroll\"><table>\n<thead><tr>");
    for (title, align) in table.titles() {
        out.push_str(&format!("<th scope=\"col\"{}>{}</th>", class(align, ""), escaped(title)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (index, row) in table.rows().enumerate() {
        out.push_str("<tr>");
        let lines = section.details.get(index).map_or(&[][..], Vec::as_slice);
        let mut details = details(&row[0], lines);
        for (cell, (_, align)) in row.iter().zip(table.titles()) {
            let content = content(cell) + &std::mem::take(&mut details);
            out.push_str(&format!("<td{}>{content}</td>", class(align, cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// The sentence of a line, and the rest to unfold.
fn details(name: &str, lines: &[String]) -> String {
    let Some((sentence, rest)) = lines.split_first() else { return String::new() };
    let sentence =
        sentence.strip_prefix(name).map_or(&**sentence, |it| it.trim_start_matches(": "));
    let rest: String = rest.iter().map(|line| format!("<p>{}</p>", escaped(line))).collect();
    let rest = match rest.is_empty() {
        true => rest,
        false => format!("<details><summary>what decides</summary>{rest}</details>"),
    };
    format!("<p>{}</p>{rest}", escaped(sentence))
}

fn class(align: Align, cell: &str) -> &'static str {
    match align {
        Align::Right => " class=\"number\"",
        Align::Left if cell.starts_with(' ') => " class=\"indented\"",
        Align::Left => "",
    }
}

fn content(cell: &str) -> String {
    match cell {
        "holds" | "inconclusive" => badge(cell, cell),
        "no longer" => badge("no-longer", cell),
        _ => escaped(cell.trim_start()),
    }
}

/// A word in a frame, coloured by its class.
pub(super) fn badge(class: &str, words: &str) -> String {
    format!("<span class=\"badge {class}\">{}</span>", escaped(words))
}
