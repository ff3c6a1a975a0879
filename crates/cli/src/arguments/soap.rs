//! The command line of `soap describe`, and what it shares with `soap call`.

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

/// The Security header of requests (WS-Security), and what is demanded of that of answers.
#[derive(Debug, Default, Args)]
pub(crate) struct WsSecurityArguments {
    /// Put a UsernameToken of this user into the SOAP header; the password travels as it is, unless --wsse-digest is said. Only
    /// the host of URL gets it
    #[arg(long, value_name = "USER")]
    pub(crate) wsse_user: Option<String>,
    /// A file whose first line is that user's password; without one the terminal asks for it
    #[arg(long, value_name = "FILE", requires = "wsse_user")]
    pub(crate) wsse_password_file: Option<PathBuf>,
    /// The variable of the environment that has the password
    #[arg(
        long,
        value_name = "NAME",
        requires = "wsse_user",
        conflicts_with = "wsse_password_file"
    )]
    pub(crate) wsse_password_env: Option<String>,
    /// Show the digest of the password, with nonce and moment (PasswordDigest)
    #[arg(long, requires = "wsse_user")]
    pub(crate) wsse_digest: bool,
    /// Put a Timestamp into the SOAP header, which holds for so long, such as --wsse-timestamp=10s; without a value for 5min
    #[arg(long, value_name = "LIFETIME", value_parser = quantity::patience, num_args = 0..=1, require_equals = true, default_missing_value = "5min")]
    pub(crate) wsse_timestamp: Option<Duration>,
    /// Sign the Body and a Timestamp by this key, in PEM: RSA or ECDSA on P-256
    #[arg(long, value_name = "FILE", requires = "wsse_certificate")]
    pub(crate) wsse_key: Option<PathBuf>,
    /// The certificate of that key, in PEM
    #[arg(long, value_name = "FILE", requires = "wsse_key")]
    pub(crate) wsse_certificate: Option<PathBuf>,
    /// Take answers only that are signed by a certificate which one of these authorities has issued, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) wsse_ca: Option<PathBuf>,
    /// And only if this is the subject of that certificate, such as CN=orders: an authority issues others, too
    #[arg(long, value_name = "SUBJECT", requires = "wsse_ca")]
    pub(crate) wsse_signer: Option<String>,
}

/// What `soap serve` demands of requests: a login of HTTP, or of their Security header (WS-Security).
#[derive(Debug, Default, Args)]
pub(crate) struct GuardArguments {
    /// Answer only who shows one of these users and its password by HTTP's scheme Basic, also who asks for the WSDL: a file with
    /// USER:PASSWORD in each line
    #[arg(long, value_name = "FILE")]
    pub(crate) users: Option<PathBuf>,
    /// Answer only requests with the UsernameToken of one of these users, whose password is as it is or digested: a file with
    /// USER:PASSWORD in each line
    #[arg(long, value_name = "FILE")]
    pub(crate) wsse_users: Option<PathBuf>,
    /// Answer only requests with a Timestamp in their Security header
    #[arg(long)]
    pub(crate) wsse_timestamp: bool,
    /// Answer only requests whose Body and Timestamp are signed by a certificate that these have issued: a file in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) wsse_ca: Option<PathBuf>,
}
