//! What the user may type about `top`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use trunkline_experiment::link::parse_delay;

/// Of `top`.
#[derive(Debug, Args)]
pub(crate) struct TopArguments {
    /// Where the router answers HTTP
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7401")]
    pub(crate) to: String,
    /// Print the tables once and end
    #[arg(long)]
    pub(crate) once: bool,
    /// Print what the router answers, a line of JSON each time
    #[arg(long)]
    pub(crate) json: bool,
    /// Which clients come first
    #[arg(long, value_name = "COLUMN", value_enum, default_value_t = Sort::Queue)]
    pub(crate) sort: Sort,
    /// The most clients that are shown; on a terminal, what fits
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) clients: usize,
    /// The most topics that are shown
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) topics: usize,
    /// Between two looks, which is what rates are over
    #[arg(long, value_name = "TIME", value_parser = parse_delay, default_value = "1s")]
    pub(crate) interval: Duration,
}

/// By what clients are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Messages waiting, then lost
    Queue,
    /// Messages a second, in and out
    Rate,
    /// Messages replaced by newer ones
    Elided,
}
