//! The options of verbs that ask a router over HTTP.

use clap::Args;

use super::{FormArguments, LoginArguments, TlsArguments};

/// Where the router is, and who asks.
#[derive(Debug, Args)]
pub(crate) struct SiteArguments {
    /// The router's HTTP address
    #[arg(long, short, value_name = "URL", default_value = "http://127.0.0.1:7401")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) login: LoginArguments,
    #[command(flatten)]
    pub(crate) tls: TlsArguments,
}

/// What is asked of a router, and how facts are printed.
#[derive(Debug, Args)]
pub(crate) struct Asked<T: Args = Nothing> {
    #[command(flatten)]
    pub(crate) what: T,
    #[command(flatten)]
    pub(crate) site: SiteArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Nothing else.
#[derive(Debug, Args)]
pub(crate) struct Nothing {}
