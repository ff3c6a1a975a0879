//! Who speaks which style: table 1.

use super::sheet::words;
use super::{Rows, Section, each_once};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::names::STYLES;

pub(super) fn section(rows: Rows<'_>) -> Option<Section> {
    let beginning = format!("{STYLES}-");
    let of_styles: Vec<&Row> =
        rows.all.iter().filter(|row| row.case.starts_with(&beginning)).collect();
    let of = |format: Format| of_styles.iter().filter(move |row| is_of(row, format));
    let formats = Format::of_family(Family::CustomerServices);
    let formats: Vec<Format> = formats.filter(|&it| of(it).next().is_some()).collect();
    let titles = ["product"].into_iter().chain(formats.iter().map(|format| format.title()));
    let title = "Which product speaks which style (paper: table 1)";
    let mut section = Section::new(STYLES, title, titles.map(words));
    for subject in each_once(of_styles.iter().map(|row| &*row.subject), usize::MAX) {
        let of_subject: Vec<&Row> =
            of_styles.iter().filter(|row| row.subject == subject).copied().collect();
        let cells = formats.iter().map(|&format| cell(&of_subject, format));
        section.table.row([subject.to_owned()].into_iter().chain(cells));
    }
    section.noted([
        "yes: every call was answered rightly, field by field; no: none was, and the toolkit does not say",
        "that it speaks the style; zeep has no server, and calls ours by its WSDL; product-a to product-c:",
        "the paper's table",
    ])
}

fn is_of(row: &Row, format: Format) -> bool {
    Format::of_profile(&row.profile) == Some(format)
}

/// What is known of one product in one style.
fn cell(rows: &[&Row], format: Format) -> String {
    let find = |metric: &str| rows.iter().find(|row| row.metric == metric && is_of(row, format));
    let is_claimed = find("claimed").map(|row| row.value == Some(1.0));
    let Some(row) = find("supported") else {
        // One that is not here has a row without a style.
        let is_absent = rows.iter().any(|row| row.profile.is_empty());
        return if is_absent { Verdict::Absent.name() } else { "-" }.to_owned();
    };
    let is_right = row.value.or(row.paper) == Some(1.0);
    match (is_right, is_claimed) {
        (true, Some(false)) => "yes, unclaimed",
        (true, _) => "yes",
        (false, Some(true)) => row.verdict.name(),
        (false, _) => "no",
    }
    .to_owned()
}
