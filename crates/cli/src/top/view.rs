//! The text that `top` shows.

use trunkline_bench::table::{Align, Table, with_commas};
use trunkline_server::snapshot::{ClientStatus, Counts, Snapshot};

use super::rates::{ClientRates, Rates};
use crate::arguments::{Sort, TopArguments};
use crate::output::wants_bold;

/// Of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Size {
    /// None where it cannot be told.
    pub(super) fn of_terminal() -> Option<Self> {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        let (rows, columns) = (usize::from(size.ws_row), usize::from(size.ws_col));
        (rows > 0 && columns > 0).then_some(Self { rows, columns })
    }
}

/// Two looks, and how they are shown.
pub(super) struct View<'a> {
    arguments: &'a TopArguments,
    later: &'a Snapshot,
    rates: Rates<'a>,
}

/// Characters of a line where there is no terminal.
const WIDTH: usize = 160;
/// Empty lines, titles, rules, what says that there is more, and the line of the cursor.
const LINES_OF_TABLES: usize = 8;
/// The same for durable subscriptions, where there are some.
const LINES_OF_DURABLES: usize = 4;
/// Narrower tables leave the addresses out.
const WIDTH_FOR_ADDRESSES: usize = 110;

impl<'a> View<'a> {
    pub(super) fn new(
        arguments: &'a TopArguments,
        earlier: &'a Snapshot,
        later: &'a Snapshot,
    ) -> Self {
        Self { arguments, later, rates: Rates::new(earlier, later) }
    }

    /// Everything; on a terminal, what fits.
    pub(super) fn text(&self, size: Option<Size>) -> String {
        let width = size.map_or(WIDTH, |size| size.columns);
        let summary = self.summary();
        let mut topics = self.later.topics.len().min(self.arguments.topics);
        let mut clients = self.arguments.clients;
        let mut durables = self.later.durables.len().min(clients);
        if let Some(size) = size {
            let more = if durables > 0 { LINES_OF_DURABLES } else { 0 };
            let lines = summary.lines().count() + LINES_OF_TABLES + more;
            let room = size.rows.saturating_sub(lines);
            durables = durables.min(room / 3);
            topics = topics.min((room - durables) / 2);
            clients = clients.min(room - durables - topics);
        }
        let mut text = format!("{summary}\n{}", self.clients(clients, width));
        if durables > 0 {
            text.push_str(&format!("\n{}", self.durables(durables, width)));
        }
        if topics > 0 {
            text.push_str(&format!("\n{}", self.topics(topics, width)));
        }
        match size {
            Some(size) => fitted(&text, size),
            None => text,
        }
    }

    fn summary(&self) -> String {
        let (it, totals) = (self.later, &self.later.totals);
        let rate = |count: fn(&Snapshot) -> u64| self.rates.of(it, count);
        let Counts { published, delivered, elided, discarded, queued } = totals.ledger;
        format!(
            "trunkline {} at {}, up {}\n\
             {} clients  {} topics  {} subscriptions\n\
             in {} messages/s {}/s  out {} messages/s {}/s  elided {}/s  lost {}/s\n\
             {} matched = {} delivered + {} elided + {} lost + {} queued ({})\n",
            it.version,
            self.arguments.to,
            lasting(it.now_ns),
            count(totals.clients_now),
            count(totals.topics_now),
            count(totals.subscriptions_now),
            with_commas(rate(|it| it.totals.messages)),
            size_of(rate(|it| it.totals.received_bytes)),
            with_commas(rate(|it| it.totals.ledger.delivered)),
            size_of(rate(|it| it.totals.sent_bytes)),
            with_commas(rate(|it| it.totals.ledger.elided)),
            with_commas(rate(|it| it.totals.ledger.discarded)),
            count(published),
            count(delivered),
            count(elided),
            count(discarded),
            count(queued),
            size_of(totals.queued_bytes_now as f64),
        )
    }

    /// The first clients of the order that was asked for.
    fn sorted(&self) -> Vec<(&'a ClientStatus, ClientRates)> {
        let clients = self.later.clients.iter();
        let mut clients: Vec<_> = clients.map(|it| (it, self.rates.of_client(it))).collect();
        let key = |(client, rates): &(&ClientStatus, ClientRates)| match self.arguments.sort {
            Sort::Queue => (client.ledger.queued as f64, client.ledger.discarded as f64),
            Sort::Rate => (rates.published + rates.delivered, 0.0),
            Sort::Elided => (rates.elided, client.ledger.elided as f64),
        };
        clients.sort_by(|one, other| {
            let (one_key, other_key) = (key(one), key(other));
            let by_key = other_key.partial_cmp(&one_key).unwrap_or(std::cmp::Ordering::Equal);
            by_key.then(one.0.id.cmp(&other.0.id))
        });
        clients
    }

    fn clients(&self, most: usize, width: usize) -> String {
        let has_addresses = width >= WIDTH_FOR_ADDRESSES;
        let left: &[&str] =
            if has_addresses { &["client", "address", "profile"] } else { &["client", "profile"] };
        let left = left.iter().map(|title| (*title, Align::Left));
        let right = ["subs", "in/s", "out/s", "elided/s", "lost", "queued", "bytes", "oldest"]
            .map(|title| (title, Align::Right));
        let mut table = Table::new(left.chain(right)).within(width).bold(wants_bold());
        let clients = self.sorted();
        for (client, rates) in clients.iter().take(most) {
            let address = has_addresses.then(|| client.address.clone());
            let left = [named(client)].into_iter().chain(address);
            let right = [
                client.profile.clone(),
                count(client.subscriptions),
                with_commas(rates.published),
                with_commas(rates.delivered),
                with_commas(rates.elided),
                count(client.ledger.discarded),
                count(client.ledger.queued),
                size_of(client.queued_bytes as f64),
                age(client.oldest_ns),
            ];
            table.row(left.chain(right));
        }
        let shown = clients.len().min(most) as u64;
        let more = self.later.totals.clients_now.saturating_sub(shown);
        match more {
            0 => table.to_string(),
            more => format!("{table}and {} more\n", count(more)),
        }
    }

    /// Durable subscriptions, as the router has them: those with most waiting first.
    fn durables(&self, most: usize, width: usize) -> String {
        let left = ["durable", "pattern"].map(|title| (title, Align::Left));
        let right = ["consumers", "waiting", "in flight", "acknowledged", "lost"];
        let right = right.map(|title| (title, Align::Right));
        let columns = left.into_iter().chain(right);
        let mut table = Table::new(columns).within(width).bold(wants_bold());
        for it in self.later.durables.iter().take(most) {
            // What was not looked at yet is not counted.
            let more = if it.is_behind { "+" } else { "" };
            let stopped = if it.has_stopped { " (stopped)" } else { "" };
            table.row([
                format!("{}{stopped}", it.name),
                it.pattern.clone(),
                count(it.consumers_now),
                format!("{}{more}", count(it.waiting_now)),
                count(it.in_flight_now),
                count(it.acknowledged),
                count(it.lost),
            ]);
        }
        match self.later.durables.len() - most {
            0 => table.to_string(),
            more => format!("{table}and {} more\n", count(more as u64)),
        }
    }

    fn topics(&self, most: usize, width: usize) -> String {
        let columns = [
            ("topic", Align::Left),
            ("messages", Align::Right),
            ("a second", Align::Right),
            ("subscriptions", Align::Right),
        ];
        let mut table = Table::new(columns).within(width).bold(wants_bold());
        for topic in self.later.topics.iter().take(most) {
            table.row([
                topic.name.clone(),
                count(topic.messages),
                self.rates.of_topic(topic).map_or_else(String::new, with_commas),
                count(topic.subscriptions),
            ]);
        }
        table.to_string()
    }
}

fn named(client: &ClientStatus) -> String {
    if client.name.is_empty() { "-".into() } else { client.name.clone() }
}

fn count(count: u64) -> String {
    with_commas(count as f64)
}

/// Bytes in the largest unit that leaves a whole number.
fn size_of(bytes: f64) -> String {
    let mut value = bytes;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            let decimals = usize::from(unit != "B" && value < 9.95);
            return format!("{value:.decimals$} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

/// How long something has waited; nothing where nothing waits.
fn age(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => String::new(),
        1..1_000_000 => format!("{} us", nanoseconds / 1_000),
        1_000_000..1_000_000_000 => format!("{} ms", nanoseconds / 1_000_000),
        1_000_000_000..60_000_000_000 => format!("{:.1} s", nanoseconds as f64 / 1e9),
        _ => lasting(nanoseconds),
    }
}

/// Hours, minutes and seconds.
fn lasting(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {seconds} s"),
        _ => format!("{hours} h {minutes} min"),
    }
}

/// Lines that a terminal does not break, no more than it has.
fn fitted(text: &str, size: Size) -> String {
    let lines = text.lines().take(size.rows.saturating_sub(1));
    let cut = lines.map(|line| match line.contains('\x1b') {
        // Titles, whose marks take no room.
        true => line.to_owned(),
        false => line.chars().take(size.columns).collect(),
    });
    cut.map(|line: String| line + "\n").collect()
}

#[cfg(test)]
mod tests;
