//! The command line of `top`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use trunkline_experiment::link::parse_delay;

/// Of `top`.
#[derive(Debug, Args)]
pub(crate) struct TopArguments {
    /// The router's HTTP address
    #[arg(long, short, value_name = "URL", default_value = "http://127.0.0.1:7401")]
    pub(crate) to: String,
    /// Print the tables once and end
    #[arg(long)]
    pub(crate) once: bool,
    /// Print each answer of the router as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The column that clients are sorted by
    #[arg(long, value_name = "COLUMN", value_enum, default_value_t = Sort::Queue)]
    pub(crate) sort: Sort,
    /// The most clients to show; on a terminal, as many as fit
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) clients: usize,
    /// The most topics to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) topics: usize,
    /// The time between two polls; rates are averages over it
    #[arg(long, value_name = "TIME", value_parser = parse_delay, default_value = "1s")]
    pub(crate) interval: Duration,
}

/// The order of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Messages waiting, then lost
    Queue,
    /// Messages a second, in and out
    Rate,
    /// Messages replaced by newer ones
    Elided,
}
