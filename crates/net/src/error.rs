//! Why nothing came or went.

use std::{error, fmt, io};

/// An error of a connection; prints as one line.
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
    /// The received bytes are not a message, or a message to be sent fits no frame.
    Framing {
        /// Which message of the connection, counted from 0.
        message: u64,
        /// The error, and the byte at which it is.
        cause: trunkline_message::Error,
    },
    /// The stream ends within a message.
    Truncated {
        /// Which message of the connection, counted from 0.
        message: u64,
        /// Bytes that came.
        received: usize,
        /// Bytes that were still to come, at least.
        missing: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect { address, cause } => write!(out, "{address}: {}", Reason(cause)),
            Self::Listen { address, cause } => {
                write!(out, "cannot listen on {address}: {}", Reason(cause))
            }
            Self::System(what, cause) => write!(out, "{what}: {}", Reason(cause)),
            Self::Framing { message, cause } => {
                write!(out, "message {message} of the connection: {cause}")
            }
            Self::Truncated { message, received, missing } => write!(
                out,
                "the stream ends within message {message} of the connection: {received} bytes came, \
                 at least {missing} more were to come"
            ),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Connect { cause, .. } | Self::Listen { cause, .. } | Self::System(_, cause) => {
                Some(cause)
            }
            Self::Framing { cause, .. } => Some(cause),
            Self::Truncated { .. } => None,
        }
    }
}

/// The operating system's reason without its number, where the standard library has words for it.
struct Reason<'a>(&'a io::Error);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.0.kind().to_string();
        if self.0.raw_os_error().is_some() && !kind.contains("other") && !kind.contains("uncat") {
            return out.write_str(&kind);
        }
        write!(out, "{}", self.0)
    }
}
