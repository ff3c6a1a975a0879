//! What the user may type about the router.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) file: ConfigArguments,
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
