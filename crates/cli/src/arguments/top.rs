//! The command line of `top`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use trunkline_experiment::link::parse_delay;

use super::SiteArguments;

/// Of `top`.
///
/// On a terminal, ? lists the keys: sorting, a filter, a pause.
#[derive(Debug, Args)]
pub(crate) struct TopArguments {
    #[command(flatten)]
    pub(crate) site: SiteArguments,
    /// Print the tables once and end
    #[arg(long)]
    pub(crate) once: bool,
    /// Print each answer of the router as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The column that clients are sorted by
    #[arg(long, short, value_name = "COLUMN", value_enum, default_value_t = Sort::Queue)]
    pub(crate) sort: Sort,
    /// Show only the clients, durable subscriptions and topics with this text in their name, address, profile or
    /// pattern, in upper or lower case
    #[arg(long, short, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) filter: String,
    /// The most clients to show; on a terminal, as many as fit
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) clients: usize,
    /// The most topics to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) topics: usize,
    /// The time between two polls; rates are averages over it
    #[arg(long, short, value_name = "TIME", value_parser = interval, default_value = "1s")]
    pub(crate) interval: Duration,
}

/// The order of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Name
    Client,
    /// Subscriptions
    Subscriptions,
    /// Messages a second that it publishes
    In,
    /// Messages a second that it gets
    Out,
    /// Messages a second, in and out
    Rate,
    /// Messages replaced by newer ones
    Elided,
    /// Messages lost
    Lost,
    /// Messages waiting, then lost
    Queue,
    /// Bytes waiting
    Bytes,
    /// Age of the oldest message that waits
    Oldest,
}

/// A time that leaves the router something else to do than to answer.
fn interval(text: &str) -> Result<Duration, String> {
    let interval = parse_delay(text).map_err(|error| error.to_string())?;
    if interval < SHORTEST {
        return Err(format!("{text:?} is too short: an interval is at least 10ms"));
    }
    Ok(interval)
}

const SHORTEST: Duration = Duration::from_millis(10);
