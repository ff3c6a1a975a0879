//! Tables that are no wider than a terminal.

use trunkline_bench::table::{Align, Table};

/// Texts are cut down to this before a column is left out.
const NARROWEST_TEXT: usize = 12;
/// Between two columns.
const GAP: usize = 2;

/// The table without as many of the columns `left_out`, in this order, as it takes to fit; numbers are never cut.
pub(super) fn narrowed(table: &Table, width: usize, left_out: &[&str]) -> Table {
    let titles: Vec<(&str, Align)> = table.titles().collect();
    let needed = |column: usize| {
        let (title, align) = titles[column];
        let cells = table.rows().map(|row| row[column].chars().count());
        let widest = cells.max().unwrap_or(0).max(title.chars().count());
        GAP + if align == Align::Left { widest.min(NARROWEST_TEXT) } else { widest }
    };
    let mut columns: Vec<usize> = (0..titles.len()).collect();
    for title in left_out {
        if columns.iter().map(|column| needed(*column)).sum::<usize>() <= width + GAP {
            break;
        }
        columns.retain(|column| titles[*column].0 != *title);
    }
    let mut narrow = Table::new(columns.iter().map(|column| titles[*column])).within(width);
    for row in table.rows() {
        narrow.row(columns.iter().map(|column| row[*column].as_str()));
    }
    narrow
}
