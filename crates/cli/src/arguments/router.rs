//! What the user may type about the router.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) file: ConfigArguments,
    /// The folder of the journal, as journal.directory; without one guaranteed messages are in memory
    /// alone, and acknowledged as such
    #[arg(long, value_name = "DIR")]
    pub(crate) journal: Option<PathBuf>,
}

/// Where the configuration comes from.
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The configuration, in TOML; without it, defaults. TRUNKLINE_CLIENT__QUEUE_MESSAGES=5
    /// in the environment overrides client.queue_messages
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// The verbs about configurations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say whether `trunkline serve` would start with a file
    Check {
        /// The configuration
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Print the configuration that holds, every key with its value and a comment
    Show(ConfigArguments),
}

/// Of `simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArguments {
    /// The number from which everything in a run follows; without it, seeds 1 to 100
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Guaranteed delivery: routers that die, machines that lose their power, disks that fail
    #[arg(long)]
    pub(crate) power_cut: bool,
    /// How many runs, each with the next seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: Option<u64>,
    /// How long a run is before everything comes to rest, in steps of its clock
    #[arg(long, value_name = "N", default_value_t = 1_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) steps: u32,
}
