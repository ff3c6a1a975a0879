//! `trunkline plan`

use serde_json::json;
use trunkline_bench::row::MachineRow;
use trunkline_bench::table::{Align, Table, number, with_commas};
use trunkline_experiment::definition::{Definition, Requirement};
use trunkline_experiment::format::Format;
use trunkline_lab::capacity::costs::{costs_in, format_named, measure};
use trunkline_lab::capacity::{Capacity, Costs, Demand, PlanError, usual_line};
use trunkline_lab::trading_day::{SEED, TradingDay};

use crate::Ending;
use crate::arguments::PlanArguments;
use crate::client::counted_as;
use crate::fault::Fault;
use crate::lab::show::read;
use crate::output::{Form, plain, print, print_table};
use crate::quantity::line;

pub(crate) fn run(arguments: &PlanArguments) -> Result<Ending, Fault> {
    let demand = Demand::new(arguments.rate, arguments.entries, arguments.window)?;
    let mut formats: Vec<Format> = Vec::new();
    for name in &arguments.format {
        let format = format_named(name)?;
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    let Priced { costs, source, cores } = priced(arguments, &formats)?;
    let capacities = costs.iter().map(|costs| Capacity::of(&demand, costs));
    let formats = formats.into_iter().zip(capacities).collect();
    // What is embedded is tested to have section 6.
    let paper = Definition::named("kohlhoff-2004")?.requirement;
    let plan = Plan { formats, cores, arguments, paper };
    if arguments.form.get() == Form::Json {
        return plan.print_facts(&source);
    }
    let window = number(arguments.window * 1e3);
    print(&format!(
        "{} {} a second; a message leaves with {}, or when one has waited {window} ms\n\
         {}\n\n",
        arguments.rate,
        if arguments.rate == 1.0 { "report" } else { "reports" },
        counted_as(arguments.entries.into(), "entry", "entries"),
        plain(&source)
    ))?;
    print_table(plan.table())?;
    print(&format!("\n{}\n", plan.notes().join("\n")))?;
    Ok(Ending::Right)
}

/// Costs of the formats, in their order, and where they come from.
struct Priced {
    costs: Vec<Costs>,
    source: String,
    /// Cores of the machine that has these costs.
    cores: u32,
}

fn priced(arguments: &PlanArguments, formats: &[Format]) -> Result<Priced, Fault> {
    if let Some(file) = &arguments.costs {
        let record = read(file)?;
        let file = file.display();
        let costs = formats.iter().map(|&format| costs_in(&record.rows, format));
        let costs: Result<_, PlanError> = costs.collect();
        let costs = costs.map_err(|error| Fault::new(format!("{file}: {error}")))?;
        let MachineRow { date, processor, cores, .. } = record.machine;
        let source = format!("costs from {file}: {date}, {processor}, {cores} cores");
        return Ok(Priced { costs, source, cores });
    }
    let day = match &arguments.trades {
        Some(file) => TradingDay::from_csv(file)?,
        None => TradingDay::generated(SEED),
    };
    let costs = measure(&day, formats)?;
    let machine = MachineRow::of_this_machine("", Default::default(), None);
    let MachineRow { processor, cores, .. } = machine;
    let trades = with_commas(day.trades.len() as f64);
    let source = format!(
        "costs measured just now: {processor}, {cores} cores; messages carry the {trades} trades of: {}",
        day.name
    );
    Ok(Priced { costs, source, cores })
}

/// What is printed.
struct Plan<'a> {
    formats: Vec<(Format, Capacity)>,
    cores: u32,
    arguments: &'a PlanArguments,
    paper: Option<Requirement>,
}

/// The widest line; formats are columns.
const WIDTH: usize = 200;

impl Plan<'_> {
    /// Where the costs come from, and a line for each format.
    fn print_facts(&self, source: &str) -> Result<Ending, Fault> {
        let PlanArguments { rate, entries, window, clients, bandwidth, .. } = *self.arguments;
        Form::Json.fact(&json!({
            "fact": "demand", "reports_per_second": rate, "entries": entries, "window_seconds": window,
            "clients": clients, "bandwidth": bandwidth, "costs": source, "cores": self.cores,
        }))?;
        for (format, it) in &self.formats {
            let (bits, wire_bits) = (it.bits_per_second(), it.wire_bits_per_second());
            Form::Json.fact(&json!({
                "fact": "format", "format": format.name(), "messages_per_second": it.messages_per_second,
                "entries_per_message": it.entries_per_message, "bytes_per_message": it.bytes_per_message,
                "bytes_per_second": it.bytes_per_second, "bits_per_second": bits,
                "line": usual_line(bits), "wire_bits_per_second": wire_bits,
                "wire_line": usual_line(wire_bits),
                "share_of_bandwidth": bandwidth.map(|line| wire_bits / line as f64),
                "worst_second_messages": it.burst.messages, "worst_second_bytes": it.burst.bytes,
                "worst_second_wire_bits": it.burst.wire_bytes * 8.0,
                "mean_wait_seconds": it.mean_wait, "worst_wait_seconds": it.worst_wait,
                "encode_ns": it.encode_nanoseconds, "encode_share": it.encode_share,
                "decode_share": it.decode_share, "clients_per_core": it.clients(),
                "machines": it.machines(clients.into(), self.cores),
                "machines_encoding_once": it.machines_once(self.cores),
            }))?;
        }
        Ok(Ending::Right)
    }

    /// True where section 6 of the paper has figures for the format.
    fn is_papers(&self, format: Format, capacity: &Capacity) -> bool {
        self.paper.is_some_and(|paper| {
            format == paper.format
                && self.arguments.rate == f64::from(paper.peak_per_second)
                && self.arguments.entries == paper.entries
                && capacity.entries_per_message == paper.entries
        })
    }

    fn table(&self) -> Table {
        let mut titles = vec![("for each client", Align::Left)];
        for (format, capacity) in &self.formats {
            titles.push((format.name(), Align::Right));
            if self.is_papers(*format, capacity) {
                titles.push(("paper", Align::Right));
            }
        }
        let mut table = Table::new(titles).within(WIDTH);
        for (what, value, paper) in self.quantities() {
            let cells = self.formats.iter().flat_map(|(format, capacity)| {
                let paper = self.is_papers(*format, capacity).then(|| paper.clone());
                [Some(value(capacity)), paper].into_iter().flatten()
            });
            table.row([what].into_iter().chain(cells));
        }
        table
    }

    /// Rows: what, how it follows from a capacity, and the paper's figure.
    fn quantities(&self) -> Vec<Quantity<'_>> {
        let mut rows = self.on_the_line();
        rows.extend(self.in_the_machines());
        rows
    }

    /// The paper's figure; nothing where it has none.
    fn published(&self, of: &dyn Fn(&Requirement) -> String) -> String {
        self.paper.as_ref().map_or_else(String::new, of)
    }

    fn on_the_line(&self) -> Vec<Quantity<'_>> {
        let paper = |of: &dyn Fn(&Requirement) -> String| self.published(of);
        let mut rows: Vec<Quantity<'_>> = vec![
            row(
                "messages a second",
                |it| number(it.messages_per_second),
                paper(&|it| number(it.messages_per_second.into())),
            ),
            row(
                "entries a message",
                |it| it.entries_per_message.to_string(),
                paper(&|it| count(it.entries)),
            ),
            row(
                "bytes a message",
                |it| number(it.bytes_per_message),
                paper(&|it| count(it.message_bytes)),
            ),
            row(
                "bytes a second",
                |it| number(it.bytes_per_second),
                paper(&|it| count(it.bytes_per_second)),
            ),
            row("bits a second", |it| number(it.bits_per_second()), String::new()),
            row(
                "  line that carries it",
                |it| line_for(it.bits_per_second()),
                paper(&|it| line(it.network_bits_per_second.into())),
            ),
            row("bits with headers", |it| number(it.wire_bits_per_second()), String::new()),
            row("  line that carries it", |it| line_for(it.wire_bits_per_second()), String::new()),
        ];
        if let Some(bandwidth) = self.arguments.bandwidth {
            let used = move |it: &Capacity| percent(it.wire_bits_per_second() / bandwidth as f64);
            rows.push(row(format!("  of {}, %", line(bandwidth)), used, String::new()));
        }
        rows.extend([
            row("worst second: messages", |it| number(it.burst.messages), String::new()),
            row("worst second: bytes", |it| number(it.burst.bytes), String::new()),
            row("  bits with headers", |it| number(it.burst.wire_bytes * 8.0), String::new()),
            row("mean wait if evenly spaced, ms", |it| number(it.mean_wait * 1e3), String::new()),
            row("worst wait if evenly spaced, ms", |it| number(it.worst_wait * 1e3), String::new()),
        ]);
        rows
    }

    fn in_the_machines(&self) -> Vec<Quantity<'_>> {
        let paper = |of: &dyn Fn(&Requirement) -> String| self.published(of);
        let (clients, cores) = (self.arguments.clients, self.cores);
        vec![
            row(
                "ns to encode a message",
                |it| number(it.encode_nanoseconds),
                paper(&|it| number(it.encoding_millis * 1e6)),
            ),
            row(
                "% of a core to encode",
                |it| percent(it.encode_share),
                paper(&|it| percent(it.cpu_share())),
            ),
            row("% of a core to decode", |it| percent(it.decode_share), String::new()),
            row(
                "clients a core encodes for",
                |it| with_commas(it.clients() as f64),
                paper(&|it| count(it.clients)),
            ),
            row("  if once for all", |it| once_for_all(it).into(), String::new()),
            row(
                match clients {
                    1 => "machines for 1 client".to_owned(),
                    clients => format!("machines for {} clients", with_commas(clients.into())),
                },
                move |it| with_commas(it.machines(clients.into(), cores) as f64),
                String::new(),
            ),
            row(
                "  if encoded once for all",
                move |it| with_commas(it.machines_once(cores) as f64),
                String::new(),
            ),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let cores = self.cores;
        let mut notes = vec![
            "headers: Ethernet, IP and TCP, 78 bytes for each segment of 1,460; sending takes CPU \
             time that is"
                .to_owned(),
            format!(
                "not counted; a machine has {cores} cores; worst second: however bunched its reports are"
            ),
        ];
        if self.formats.iter().any(|(format, capacity)| self.is_papers(*format, capacity)) {
            notes.push(
                "paper: section 6; it says less than 1 % of the CPU and roughly 100 clients".into(),
            );
        }
        notes.push(self.in_words());
        notes
    }

    fn in_words(&self) -> String {
        let lines: Vec<String> = self
            .formats
            .iter()
            .map(|(format, it)| {
                format!("{} {}", format.name(), line_for(it.wire_bits_per_second()))
            })
            .collect();
        let mut words = format!("so: a line to each client, with headers: {}", lines.join(", "));
        if let Some(bandwidth) = self.arguments.bandwidth {
            let is_enough = |it: &Capacity| it.wire_bits_per_second() <= bandwidth as f64;
            let names = |wanted: bool| {
                let names = self.formats.iter().filter(|(_, it)| is_enough(it) == wanted);
                names.map(|(format, _)| format.name()).collect::<Vec<_>>().join(", ")
            };
            let name = line(bandwidth);
            words += &match (names(true), names(false)) {
                (carried, none) if none.is_empty() => format!("; {name} carries {carried}"),
                (none, not) if none.is_empty() => format!("; {name} does not carry {not}"),
                (carried, not) => format!("; {name} carries {carried}, but not {not}"),
            };
        }
        words
    }
}

/// A row of the table.
type Quantity<'a> = (String, Box<dyn Fn(&Capacity) -> String + 'a>, String);

fn row<'a>(
    what: impl Into<String>,
    value: impl Fn(&Capacity) -> String + 'a,
    paper: String,
) -> Quantity<'a> {
    (what.into(), Box::new(value), paper)
}

fn count(value: u32) -> String {
    with_commas(value.into())
}

fn line_for(bits: f64) -> String {
    usual_line(bits).map_or("none".to_owned(), line)
}

/// A core that encodes each message once has done with it, however many clients there are.
fn once_for_all(capacity: &Capacity) -> &'static str {
    if capacity.encode_share <= 1.0 { "any" } else { "none" }
}

/// A share in percent, with three digits even where it is small.
fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value <= 0.0 || value >= 100.0 {
        return number(value);
    }
    let decimals = (2.0 - value.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_keep_three_digits() {
        for (share, text) in [
            (0.0086, "0.860"),
            (0.000_006_912, "0.000691"),
            (0.5, "50.0"),
            (1.054, "105.4"),
            (31.0, "3,100"),
        ] {
            assert_eq!(percent(share), text);
        }
    }
}
