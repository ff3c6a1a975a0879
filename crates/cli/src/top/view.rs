//! The text that `top` shows.

use trunkline_bench::table::{Align, Table, with_commas};
use trunkline_server::snapshot::{ConversionStatus, Counts, DurableStatus, Snapshot, TopicStatus};

use super::columns::{self, Row};
use super::controls::Controls;
use super::narrow::narrowed;
use super::rates::Rates;
use super::screen::Size;
use crate::arguments::TopArguments;
use crate::durable;
use crate::output::{plain, wants_bold};

/// Two looks, and how they are shown.
pub(super) struct View<'a> {
    arguments: &'a TopArguments,
    controls: &'a Controls,
    later: &'a Snapshot,
    rates: Rates<'a>,
    /// What passes the filter, in the order in which it is shown.
    clients: Vec<Row<'a>>,
    durables: Vec<&'a DurableStatus>,
    topics: Vec<&'a TopicStatus>,
}

/// Characters of a line where there is no terminal.
const WIDTH: usize = 160;
/// Empty lines, titles, rules, what says that there is more, and the line at the bottom.
const LINES_OF_TABLES: usize = 8;
/// The same for durable subscriptions, where there are some.
const LINES_OF_DURABLES: usize = 4;
/// What a narrow terminal leaves out, the least important first.
const DURABLES_LEFT_OUT: [&str; 5] = ["consumers", "pattern", "acknowledged", "in flight", "lost"];
const TOPICS_LEFT_OUT: [&str; 2] = ["subscriptions", "a second"];

impl<'a> View<'a> {
    pub(super) fn new(
        arguments: &'a TopArguments,
        controls: &'a Controls,
        earlier: &'a Snapshot,
        later: &'a Snapshot,
    ) -> Self {
        let rates = Rates::new(earlier, later);
        let clients = later.clients.iter();
        let mut clients: Vec<Row<'_>> = clients
            .filter(|it| controls.shows(&[&it.name, &it.address, &it.profile]))
            .map(|client| Row { client, rates: rates.of_client(client) })
            .collect();
        clients.sort_by(|one, other| one.order(other, controls.sort));
        if controls.is_reversed {
            clients.reverse();
        }
        let durables = later.durables.iter();
        let durables = durables.filter(|it| controls.shows(&[&it.name, &it.pattern])).collect();
        let topics = later.topics.iter().filter(|it| controls.shows(&[&it.name])).collect();
        Self { arguments, controls, later, rates, clients, durables, topics }
    }

    /// Everything; on a terminal, what fits.
    pub(super) fn text(&self, size: Option<Size>) -> String {
        let width = size.map_or(WIDTH, |size| size.columns);
        let summary = wrapped(&self.summary(), width);
        let mut topics = self.topics.len().min(self.arguments.topics);
        let mut clients = self.arguments.clients;
        let mut durables = self.durables.len().min(clients);
        if let Some(size) = size {
            let more = if durables > 0 { LINES_OF_DURABLES } else { 0 };
            let lines = summary.lines().count() + LINES_OF_TABLES + more;
            let room = size.rows.saturating_sub(lines);
            durables = durables.min(room / 3);
            topics = topics.min((room - durables) / 2);
            clients = clients.min(room - durables - topics);
        }
        let controls = size.map(|_| self.controls);
        let mut text = format!("{summary}\n{}", self.clients(clients, width, controls));
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
        let Counts { published, delivered, elided, discarded, unrendered, filtered, queued } =
            totals.ledger;
        // Few routers have these.
        let seldom = |number: u64, what: &str| match number {
            0 => String::new(),
            some => format!(" + {} {what}", count(some)),
        };
        let (unrendered, filtered) =
            (seldom(unrendered, "unrendered"), seldom(filtered, "filtered"));
        let trouble = match &*it.journal.trouble {
            "" => String::new(),
            trouble => format!("journal: {}\n", plain(trouble)),
        };
        let drain = match (it.drain.is_draining, &*it.drain.reason) {
            (false, _) => String::new(),
            (true, "") => "draining for maintenance\n".to_owned(),
            (true, reason) => format!("draining for maintenance: {}\n", plain(reason)),
        };
        let latencies = self.latencies();
        let kept = &totals.last_values;
        let last_values = match (kept.values_now, kept.dropped) {
            (0, 0) => String::new(),
            (values, dropped) => format!(
                "{} last values ({})  {} dropped\n",
                count(values),
                size_of(kept.bytes_now as f64),
                count(dropped)
            ),
        };
        let conversions: Vec<String> = totals.conversions.iter().map(conversion).collect();
        let conversions = match conversions.is_empty() {
            true => String::new(),
            false => format!("converted {}\n", conversions.join("  ")),
        };
        format!(
            "trunkline {} at {}, up {}\n\
             {}  {}  {}\n\
             in {} messages/s {}/s  out {} messages/s {}/s  elided {}/s  lost {}/s\n\
             {} matched = {} delivered + {} elided + {} lost{unrendered}{filtered} + {} queued ({}, memory {})\n\
             {last_values}{conversions}{latencies}{trouble}{drain}",
            it.version,
            self.arguments.site.to,
            lasting(it.now_ns),
            named(totals.clients_now, "client"),
            named(totals.topics_now, "topic"),
            named(totals.subscriptions_now, "subscription"),
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
            size_of(totals.memory.all() as f64),
        )
    }

    /// What half and 99 % of them took at most, since the earlier look.
    fn latencies(&self) -> String {
        let since = self.rates.latencies(&self.later.latencies);
        let all = [
            ("hop", since.hop),
            ("queue", since.queue_wait),
            ("turn", since.turn),
            ("commit", since.commit),
        ];
        let there = all.into_iter().filter(|(_, durations)| durations.count > 0);
        let told = there.map(|(name, durations)| {
            let [half, most] = [0.5, 0.99].map(|share| age(durations.percentile(share)));
            format!("{name} {half} (99 %: {most})")
        });
        let told: Vec<String> = told.collect();
        // More do not fit into 80 columns.
        told.chunks(3).map(|line| format!("{}\n", line.join("  "))).collect()
    }

    fn clients(&self, most: usize, width: usize, controls: Option<&Controls>) -> String {
        let shown = self.clients.len().min(most);
        let table = columns::table(&self.clients[..shown], controls);
        let table = narrowed(&table, width, &columns::LEFT_OUT).bold(wants_bold());
        let all = match self.controls.filter.is_empty() {
            true => self.later.totals.clients_now,
            false => self.clients.len() as u64,
        };
        format!("{table}{}", more(all.saturating_sub(shown as u64)))
    }

    fn durables(&self, most: usize, width: usize) -> String {
        let table = durable::table(self.durables.iter().copied().take(most));
        let table = narrowed(&table, width, &DURABLES_LEFT_OUT).bold(wants_bold());
        format!("{table}{}", more((self.durables.len() - most) as u64))
    }

    fn topics(&self, most: usize, width: usize) -> String {
        let columns = [
            ("topic", Align::Left),
            ("messages", Align::Right),
            ("a second", Align::Right),
            ("subscriptions", Align::Right),
        ];
        let mut table = Table::new(columns);
        for topic in self.topics.iter().take(most) {
            table.row([
                topic.name.clone(),
                count(topic.messages),
                self.rates.of_topic(topic).map_or_else(String::new, with_commas),
                count(topic.subscriptions),
            ]);
        }
        narrowed(&table, width, &TOPICS_LEFT_OUT).bold(wants_bold()).to_string()
    }
}

/// The line that says that not all are shown.
fn more(rest: u64) -> String {
    if rest == 0 { String::new() } else { format!("and {} more\n", count(rest)) }
}

/// Lines broken at spaces, where they do not fit.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    for mut line in text.lines() {
        while let Some((end, _)) = line.char_indices().nth(width)
            && let Some(space) = line[..end].rfind(' ')
        {
            out += line[..space].trim_end();
            out.push('\n');
            line = line[space..].trim_start();
        }
        out += line;
        out.push('\n');
    }
    out
}

pub(super) fn count(count: u64) -> String {
    with_commas(count as f64)
}

/// `1 topic`, `2,000 topics`.
fn named(of: u64, what: &str) -> String {
    format!("{} {what}{}", count(of), if of == 1 { "" } else { "s" })
}

/// Bytes in the largest unit that leaves a whole number.
pub(super) fn size_of(bytes: f64) -> String {
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
pub(super) fn age(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => String::new(),
        1..10_000 => format!("{:.1} us", nanoseconds as f64 / 1e3),
        10_000..1_000_000 => format!("{} us", nanoseconds / 1_000),
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

/// `fix 1,200 (+3,400 shared, 2 failed, 1 waiting)`.
fn conversion(it: &ConversionStatus) -> String {
    let ConversionStatus { format, made, shared, failed, pending_now } = it;
    let parts = [(*shared, "shared"), (*failed, "failed"), (*pending_now, "waiting")];
    let there = parts.into_iter().filter(|(some, _)| *some > 0);
    let parts: Vec<String> = there.map(|(some, what)| format!("{} {what}", count(some))).collect();
    match parts.is_empty() {
        true => format!("{format} {}", count(*made)),
        false => format!("{format} {} ({})", count(*made), parts.join(", ")),
    }
}
