//! Tables of the page.

use super::text::escaped;
use trunkline_bench::table::{Align, Table};

/// A table; cells that are verdicts stand out.
pub(super) fn table(table: &Table) -> String {
    let mut out = String::from("<div class=\"scroll\"><table>\n<thead><tr>");
    for (title, align) in table.titles() {
        out.push_str(&format!("<th scope=\"col\"{}>{}</th>", class(align, ""), escaped(title)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in table.rows() {
        out.push_str("<tr>");
        for (cell, (_, align)) in row.iter().zip(table.titles()) {
            out.push_str(&format!("<td{}>{}</td>", class(align, cell), content(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
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
