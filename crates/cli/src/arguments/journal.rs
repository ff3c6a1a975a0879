//! The command line of journals.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use trunkline_client::Start;

use super::FormArguments;
use crate::quantity;

/// The verbs for the folder of a journal; a router may be using it.
#[derive(Debug, Subcommand)]
pub(crate) enum JournalCommand {
    /// List the content of a journal: segments, records, producers, durable subscriptions
    Inspect(FactArguments),
    /// Read every record of a journal and name all damage; the status is 1 if there is any
    Verify(FactArguments),
    /// Print the messages of a journal, each as a line of JSON
    Export(ExportArguments),
    /// Measure how long the disk of a folder takes to keep 256 bytes, by several methods
    Measure(FactArguments),
}

/// The folder.
#[derive(Debug, Args)]
pub(crate) struct FolderArguments {
    /// The folder of the journal
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// Which folder, and how what is found is printed.
#[derive(Debug, Args)]
pub(crate) struct FactArguments {
    #[command(flatten)]
    pub(crate) folder: FolderArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Of `journal export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) folder: FolderArguments,
    /// Where to begin: all, position:N, last:N or time:2026-07-01T09:30:00Z
    #[arg(long, value_name = "START", value_parser = quantity::start, default_value = "all")]
    pub(crate) from: Start,
    /// Only topics that this pattern matches
    #[arg(long, value_name = "PATTERN", default_value = ">")]
    pub(crate) topic: String,
}
