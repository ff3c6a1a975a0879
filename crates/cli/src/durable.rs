//! `trunkline durable list` and `trunkline durable delete NAME`

use serde_json::{Value, json};
use trunkline_bench::table::{Align, Table, with_commas};
use trunkline_client::{Error, Options};
use trunkline_server::snapshot::DurableStatus;

use crate::Ending;
use crate::arguments::{Asked, DeleteArguments, DurableCommand};
use crate::client::connect;
use crate::fault::Fault;
use crate::output::{Form, print_table};
use crate::top::Source;

pub(crate) fn run(command: &DurableCommand) -> Result<Ending, Fault> {
    match command {
        DurableCommand::List(arguments) => list(arguments),
        DurableCommand::Delete(arguments) => delete(arguments),
    }
}

fn list(arguments: &Asked) -> Result<Ending, Fault> {
    let durables = Source::new(&arguments.site, 0)?.snapshot()?.durables;
    match arguments.form.get() {
        Form::Text => print_table(table(durables.iter()))?,
        Form::Json => durables.iter().try_for_each(|it| Form::Json.fact(&fact(it)))?,
    }
    Ok(Ending::Right)
}

/// A durable subscription for programs.
pub(crate) fn fact(it: &DurableStatus) -> Value {
    json!({
        "fact": "durable_subscription", "name": it.name, "pattern": it.pattern,
        "consumers": it.consumers_now, "waiting": it.waiting_now, "more_may_wait": it.is_behind,
        "in_flight": it.in_flight_now, "acknowledged": it.acknowledged, "elided": it.elided,
        "expired": it.expired, "lost": it.lost, "has_stopped": it.has_stopped,
        "is_paused": it.is_paused, "deliveries": it.deliveries, "redelivered": it.redelivered,
        "timed_out": it.timed_out, "dead_lettered": it.dead_lettered, "purged": it.purged,
        "filtered": it.filtered,
        "floor": it.floor, "ranges": it.ranges_now,
        "acknowledge_within_ns": it.acknowledge_within_ns,
        "deliveries_limit": it.deliveries_limit, "dead_letters": it.dead_letters,
    })
}

/// Durable subscriptions in the order of the router: those with most waiting first.
pub(crate) fn table<'a>(durables: impl Iterator<Item = &'a DurableStatus>) -> Table {
    let left = ["durable", "pattern"].map(|title| (title, Align::Left));
    let right = ["consumers", "waiting", "in flight", "acknowledged", "dead letters", "lost"];
    let right = right.map(|title| (title, Align::Right));
    let mut table = Table::new(left.into_iter().chain(right));
    let count = |count: u64| with_commas(count as f64);
    for it in durables {
        // What was not looked at yet is not counted.
        let more = if it.is_behind { "+" } else { "" };
        let stopped = match (it.has_stopped, it.is_paused) {
            (_, true) => " (paused)",
            (true, false) => " (stopped)",
            (false, false) => "",
        };
        table.row([
            format!("{}{stopped}", it.name),
            it.pattern.clone(),
            count(it.consumers_now),
            format!("{}{more}", count(it.waiting_now)),
            count(it.in_flight_now),
            count(it.acknowledged),
            count(it.dead_lettered),
            count(it.lost),
        ]);
    }
    table
}

fn delete(DeleteArguments { subscription, to }: &DeleteArguments) -> Result<Ending, Fault> {
    let mut client = connect(to, "durable", Options::default())?;
    client.delete(subscription).map_err(|error| match error {
        Error::Rejected(rejection) => {
            Fault::new(format!("{subscription:?} is not deleted: {}", rejection.text))
        }
        error => error.into(),
    })?;
    Ok(Ending::Right)
}
