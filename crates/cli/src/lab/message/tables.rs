//! What is printed of messages that were measured.

use serde_json::json;
use trunkline_bench::statistics::{Fit, Summary};
use trunkline_bench::table::{Align, Table, number, with_commas};
use trunkline_experiment::link::Link;
use trunkline_lab::capacity::{Capacity, Costs, Demand, usual_line};

use super::Timed;
use crate::arguments::MessageArguments;
use crate::fault::Fault;
use crate::output::{Form, print, print_table};
use crate::quantity::line;

/// A table of what a message costs, and then of links and of what a rate needs, if they are asked for.
pub(super) fn print_all(
    measured: &[Timed<'_>],
    demand: Option<&Demand>,
    arguments: &MessageArguments,
) -> Result<(), Fault> {
    let form = arguments.form.get();
    let mut tables = vec![costs(measured, arguments.instructions, form)?];
    if !arguments.link.is_empty() {
        tables.push(links(measured, &arguments.link, form)?);
    }
    if let Some((demand, rate)) = demand.zip(arguments.rate) {
        tables.push(needs(measured, (demand, rate), form)?);
    }
    if form == Form::Text {
        for (index, table) in tables.into_iter().enumerate() {
            if index > 0 {
                print("\n")?;
            }
            print_table(table)?;
        }
    }
    Ok(())
}

/// A table with these columns behind type and format.
fn titled(figures: Vec<String>) -> Table {
    let columns = ["message", "format"].map(|it| (it.to_owned(), Align::Left));
    Table::new(columns.into_iter().chain(figures.into_iter().map(|it| (it, Align::Right))))
}

fn row(table: &mut Table, timed: &Timed<'_>, figures: Vec<String>) {
    let first = [timed.kind.layout.name().to_owned(), timed.format.to_string()];
    table.row(first.into_iter().chain(figures));
}

fn costs(measured: &[Timed<'_>], is_counted: bool, form: Form) -> Result<Table, Fault> {
    let mut titles = vec!["messages", "bytes", "encode ns", "decode ns"];
    if is_counted {
        titles.extend(["encode instr", "decode instr"]);
    }
    let mut table = titled(titles.into_iter().map(str::to_owned).collect());
    for timed in measured {
        let (count, bytes) = (timed.encoded.len(), timed.bytes());
        let [encode, decode] = [&timed.encode, &timed.decode].map(|it| Summary::of(it));
        let (Some(encode), Some(decode)) = (encode, decode) else { continue };
        let mut figures =
            vec![count.to_string(), number(bytes), number(encode.median), number(decode.median)];
        figures.extend(timed.instructions.iter().flatten().map(|it| number(*it)));
        row(&mut table, timed, figures);
        let [encoding, decoding] = timed.instructions.map_or([None; 2], |it| it.map(Some));
        form.fact(&json!({
            "fact": "message_in_format", "name": timed.kind.layout.name(),
            "format": timed.format.name(), "messages": count, "bytes": bytes,
            "encode_ns": encode.median, "encode_ns_low": encode.low, "encode_ns_high": encode.high,
            "decode_ns": decode.median, "decode_ns_low": decode.low, "decode_ns_high": decode.high,
            "repetitions": encode.runs,
            "encode_instructions": encoding, "decode_instructions": decoding,
        }))?;
    }
    Ok(table)
}

fn links(measured: &[Timed<'_>], links: &[Link], form: Form) -> Result<Table, Fault> {
    let of_link = |it: &Link| match it.rate {
        Some(_) => vec![format!("{it}: trip us"), "carries/s".to_owned()],
        None => vec![format!("{it}: trip us")],
    };
    let mut table = titled(links.iter().flat_map(of_link).collect());
    for timed in measured {
        let mut figures = Vec::new();
        for trips in &timed.trips {
            let Some(trip) = Summary::of(&trips.times) else { continue };
            let carried = timed.carried(trips.link);
            figures.push(number(trip.median / 1e3));
            figures.extend(carried.map(number));
            form.fact(&json!({
                "fact": "message_over_link", "name": timed.kind.layout.name(),
                "format": timed.format.name(), "link": trips.link.to_string(),
                "round_trip_ns": trip.median, "round_trip_ns_low": trip.low,
                "round_trip_ns_high": trip.high, "messages_per_second": carried,
            }))?;
        }
        row(&mut table, timed, figures);
    }
    Ok(table)
}

/// What `plan` tells of a stream, where each message goes by itself.
fn needs(
    measured: &[Timed<'_>],
    (demand, rate): (&Demand, f64),
    form: Form,
) -> Result<Table, Fault> {
    let titles =
        ["bits/s with headers", "line", "encode % of a core", "decode %", "clients a core"];
    let mut table = titled(titles.map(|it| it.to_owned()).to_vec());
    let always = |fixed| Fit { fixed, per_entry: 0.0, r_squared: 1.0 };
    for timed in measured {
        let medians = [&timed.encode, &timed.decode].map(|it| Summary::of(it).map(|it| it.median));
        let [Some(encode), Some(decode)] = medians else { continue };
        let costs = Costs::new(always(timed.bytes()), always(encode), always(decode));
        let Some(costs) = costs else { continue };
        let needed = Capacity::of(demand, &costs);
        let bits = needed.wire_bits_per_second();
        row(
            &mut table,
            timed,
            vec![
                number(bits),
                usual_line(bits).map_or("none".to_owned(), line),
                number(needed.encode_share * 100.0),
                number(needed.decode_share * 100.0),
                with_commas(needed.clients() as f64),
            ],
        );
        form.fact(&json!({
            "fact": "message_at_rate", "name": timed.kind.layout.name(),
            "format": timed.format.name(), "messages_per_second": rate,
            "wire_bits_per_second": bits, "wire_line": usual_line(bits),
            "encode_share": needed.encode_share, "decode_share": needed.decode_share,
            "clients_per_core": needed.clients(),
        }))?;
    }
    Ok(table)
}
