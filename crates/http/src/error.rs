//! Errors of the server and of the client.

use std::time::Duration;
use std::{error, fmt, io};

/// A result of HTTP.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong; prints as one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no connection to this address.
    Connect {
        /// The address as it was given.
        address: String,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// Nobody can connect to this address.
    Listen {
        /// The address as it was given.
        address: String,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// The operating system rejected something else: what, and why.
    System(&'static str, io::Error),
    /// A certificate, a key or a name cannot be used: which one, and why.
    Credentials(String),
    /// The two sides do not agree on TLS, or do not trust each other.
    Handshake {
        /// The address as it was given.
        address: String,
        /// The reason.
        cause: io::Error,
    },
    /// It took longer than it may.
    TimedOut {
        /// The name of the time-out.
        limit: &'static str,
        /// Its value.
        after: Duration,
    },
    /// An answer is longer than allowed.
    TooLong {
        /// The name of the limit.
        limit: &'static str,
        /// Its value, in bytes.
        bytes: usize,
    },
    /// The request is not valid HTTP: its target, or a header.
    Request(String),
    /// The answer is not valid HTTP, or its body is not compressed as it says.
    Answer(String),
    /// The connection ended before the answer did.
    Broken {
        /// The request may have been carried out.
        maybe_handled: bool,
        /// What is known of the reason.
        cause: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect { address, cause } | Self::Handshake { address, cause } => {
                write!(out, "{address}: {cause}")
            }
            Self::Listen { address, cause } => write!(out, "cannot listen on {address}: {cause}"),
            Self::System(what, cause) => write!(out, "{what}: {cause}"),
            Self::Credentials(what) => out.write_str(what),
            Self::TimedOut { limit, after } => write!(out, "nothing within {limit} ({after:?})"),
            Self::TooLong { limit, bytes } => {
                write!(out, "the answer is longer than {limit} ({bytes} bytes)")
            }
            Self::Request(what) => write!(out, "not a request: {what}"),
            Self::Answer(what) => write!(out, "not an answer: {what}"),
            Self::Broken { maybe_handled: true, cause } => write!(
                out,
                "the connection ended before the answer; the request may have been carried out: {cause}"
            ),
            Self::Broken { maybe_handled: false, cause } => {
                write!(out, "the connection ended before the request was sent: {cause}")
            }
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Connect { cause, .. }
            | Self::Listen { cause, .. }
            | Self::Handshake { cause, .. }
            | Self::System(_, cause) => Some(cause),
            _ => None,
        }
    }
}
