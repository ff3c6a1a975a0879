//! The command line of `soap describe`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{FormArguments, TlsArguments};
use crate::quantity;

/// Of `soap describe`.
#[derive(Debug, Args)]
pub(crate) struct SoapDescribeArguments {
    /// The service's address, such as http://127.0.0.1:8080/calculator, of which ?wsdl is asked for; or a file
    #[arg(value_name = "URL|FILE")]
    pub(crate) source: String,
    /// Describe this operation only
    pub(crate) operation: Option<String>,
    /// Also fetch what the description imports, from the host of URL: at most 100 documents, 16 MiB of all together
    #[arg(long)]
    pub(crate) fetch: bool,
    /// Also fetch from other hosts
    #[arg(long, requires = "fetch")]
    pub(crate) other_hosts: bool,
    /// Describe this port only
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<String>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) caller: CallerArguments,
    /// How long to wait for all documents together, such as 5s
    #[arg(long, value_parser = quantity::patience, default_value = "30s")]
    pub(crate) timeout: Duration,
    #[command(flatten)]
    pub(crate) tls: TlsArguments,
}

/// Who calls, and headers of HTTP that go with that.
#[derive(Debug, Default, Args)]
pub(crate) struct CallerArguments {
    /// The user who calls, by HTTP's scheme Basic; without --password-file the terminal asks for the password. Only the
    /// host of URL gets them
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    /// A file whose first line is the user's password
    #[arg(long, value_name = "FILE", requires = "user")]
    pub(crate) password_file: Option<PathBuf>,
    /// Also send this header of HTTP to the host of URL, such as "X-Request-Id: 17"; several are allowed
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) http_header: Vec<String>,
}
