//! The columns of clients: what each shows, and what it is sorted by.

use std::cmp::Ordering;

use trunkline_bench::table::{Align, Table, with_commas};
use trunkline_server::snapshot::ClientStatus;

use super::controls::Controls;
use super::rates::ClientRates;
use super::view::{age, count, size_of};
use crate::arguments::Sort;

/// A client between two looks.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) client: &'a ClientStatus,
    pub(super) rates: ClientRates,
}

impl Row<'_> {
    /// Which of two clients comes first: the larger one, and of equal ones the one that came first.
    pub(super) fn order(&self, other: &Self, sort: Sort) -> Ordering {
        let by_sort = match sort {
            Sort::Client => self.client.name.cmp(&other.client.name),
            _ => {
                let (one, two) = (self.key(sort), other.key(sort));
                two.partial_cmp(&one).unwrap_or(Ordering::Equal)
            }
        };
        by_sort.then(self.client.id.cmp(&other.client.id))
    }

    fn key(&self, sort: Sort) -> (f64, f64) {
        let Self { client, rates } = self;
        match sort {
            Sort::Client => (0.0, 0.0),
            Sort::Subscriptions => (client.subscriptions as f64, 0.0),
            Sort::In => (rates.published, 0.0),
            Sort::Out => (rates.delivered, 0.0),
            Sort::Rate => (rates.published + rates.delivered, 0.0),
            Sort::Elided => (rates.elided, client.ledger.elided as f64),
            Sort::Lost => (client.ledger.discarded as f64, 0.0),
            Sort::Queue => (client.ledger.queued as f64, client.ledger.discarded as f64),
            Sort::Bytes => (client.queued_bytes as f64, 0.0),
            Sort::Oldest => (client.oldest_ns as f64, 0.0),
        }
    }
}

struct Column {
    title: &'static str,
    align: Align,
    /// The orders that it shows.
    sorts: &'static [Sort],
    cell: fn(&Row<'_>) -> String,
}

impl Column {
    const fn new(
        title: &'static str,
        sorts: &'static [Sort],
        cell: fn(&Row<'_>) -> String,
    ) -> Self {
        Self { title, align: Align::Right, sorts, cell }
    }

    const fn of_text(self) -> Self {
        Self { align: Align::Left, ..self }
    }
}

const COLUMNS: [Column; 11] = [
    Column::new("client", &[Sort::Client], |it| named(it.client)).of_text(),
    Column::new("address", &[], |it| it.client.address.clone()).of_text(),
    Column::new("profile", &[], |it| it.client.profile.clone()).of_text(),
    Column::new("subs", &[Sort::Subscriptions], |it| count(it.client.subscriptions)),
    Column::new("in/s", &[Sort::In, Sort::Rate], |it| with_commas(it.rates.published)),
    Column::new("out/s", &[Sort::Out, Sort::Rate], |it| with_commas(it.rates.delivered)),
    Column::new("elided/s", &[Sort::Elided], |it| with_commas(it.rates.elided)),
    Column::new("lost", &[Sort::Lost], |it| count(it.client.ledger.discarded)),
    Column::new("queued", &[Sort::Queue], |it| count(it.client.ledger.queued)),
    Column::new("bytes", &[Sort::Bytes], |it| size_of(it.client.queued_bytes as f64)),
    Column::new("oldest", &[Sort::Oldest], |it| age(it.client.oldest_ns)),
];

/// What a narrow terminal leaves out, the least important first.
pub(super) const LEFT_OUT: [&str; 9] =
    ["address", "profile", "subs", "bytes", "oldest", "elided/s", "in/s", "out/s", "lost"];

/// A table of clients. With `controls`, the title of the order is marked, and so is never left out.
pub(super) fn table(rows: &[Row<'_>], controls: Option<&Controls>) -> Table {
    let mark = if controls.is_some_and(|it| it.is_reversed) { "↑" } else { "↓" };
    let titled = |it: &Column| {
        let is_sorted = controls.is_some_and(|controls| it.sorts.contains(&controls.sort));
        format!("{}{}", it.title, if is_sorted { mark } else { "" })
    };
    let mut table = Table::new(COLUMNS.iter().map(|it| (titled(it), it.align)));
    for row in rows {
        table.row(COLUMNS.iter().map(|it| (it.cell)(row)));
    }
    table
}

fn named(client: &ClientStatus) -> String {
    if client.name.is_empty() { "-".into() } else { client.name.clone() }
}
