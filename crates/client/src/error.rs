//! The errors between a client and its router.

use std::error;
use std::fmt;
use std::io;

use trunkline_native::code;
use trunkline_reactor::AddressError;

use crate::event::Rejection;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a client.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The address is not valid.
    Address(AddressError),
    /// The connection could not be made; the error names the address.
    Connect(io::Error),
    /// The connection broke.
    Lost(io::Error),
    /// The router ended the connection without a reason.
    Ended,
    /// The router ended the connection with a reason.
    Closed {
        /// For programs ([`crate::code`]).
        code: u16,
        /// For people.
        reason: String,
    },
    /// The router rejects the operation.
    Rejected(Rejection),
    /// No answer, or no room in the connection, within the time-out.
    TimedOut {
        /// What the client waited for.
        waiting_for: &'static str,
        /// What the router rejected for now, if that is the reason ([`crate::Client::held_back`]).
        because: Option<Rejection>,
    },
    /// The input is not the native protocol, or not a version that this crate supports.
    Broken(String),
    /// The message is longer than the router takes.
    TooLong {
        /// Bytes of the payload.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// All topic numbers of this client are in use.
    TooManyTopics {
        /// The limit.
        limit: u32,
    },
    /// The router is of a version that knows no last values.
    NoLastValues,
    /// The router is of a version that delivers messages only as they are published.
    NoFormats,
    /// The router is of a version that knows no filters.
    NoFilters,
    /// The router is of a version that delivers whole messages only.
    NoFields,
    /// A filter, or what names fields, is empty.
    EmptyText,
    /// The router is of a version in which consumers ask for no delivery policy.
    NoPolicies,
    /// Storing needs a producer ([`crate::Client::producer`]).
    NoProducer,
    /// The connection has this producer already. Another name needs another client.
    ProducerExists(String),
    /// The producer's window of messages in flight is full: wait for acknowledgements.
    WindowFull {
        /// Unacknowledged messages.
        messages: u64,
        /// Bytes of their payload.
        bytes: u64,
    },
    /// The router and this program disagree on what the producer has stored. It stores no more until
    /// [`crate::Client::producer`] is called on a new connection.
    Sequence {
        /// The last sequence that this program knows of.
        known: u64,
        /// The last one that the router knows of.
        last: u64,
    },
    /// The name is not valid for a producer or a durable subscription.
    BadName(String),
    /// Too many messages came during a wait for an answer to set them aside; receive them first.
    Aside {
        /// The most bytes that are set aside.
        limit: usize,
    },
}

impl Error {
    /// Timed out, for no known reason.
    pub(crate) fn timed_out(waiting_for: &'static str) -> Self {
        Self::TimedOut { waiting_for, because: None }
    }

    /// Whether the connection is unusable, so that only [`crate::Client::reconnect`] helps.
    #[must_use]
    pub fn is_final(&self) -> bool {
        use Error::{Address, Broken, Closed, Connect, Ended, Lost};
        matches!(self, Address(_) | Connect(_) | Lost(_) | Ended | Closed { .. } | Broken(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(error) => error.fmt(out),
            Self::Connect(error) => error.fmt(out),
            Self::Lost(error) => write!(out, "the connection to the router broke: {error}"),
            Self::Ended => out.write_str("the router ended the connection without saying why"),
            Self::Closed { code, reason } => {
                write!(out, "the router ended the connection: {reason}")?;
                match code::name(*code) {
                    Some(name) => write!(out, " ({name})"),
                    None => write!(out, " (code {code})"),
                }
            }
            Self::Rejected(rejection) => rejection.fmt(out),
            Self::TimedOut { waiting_for, because: None } => write!(out, "no {waiting_for} in time"),
            Self::TimedOut { waiting_for, because: Some(rejection) } => {
                write!(out, "no {waiting_for} in time: {rejection}")
            }
            Self::Broken(what) => write!(out, "the other side is not a Trunkline router:  {what}"),
            Self::TooLong { length, limit } => {
                write!(out, "a payload of {length} bytes; the router takes {limit} at most")
            }
            Self::TooManyTopics { limit } => {
                write!(out, "a client may have aliases for {limit} topics, and all are used")
            }
            Self::NoLastValues => out.write_str("the router is of a version without last values"),
            Self::NoFormats => out.write_str("the router is of a version without formats"),
            Self::NoFilters => out.write_str("the router is of a version without filters"),
            Self::NoFields => out.write_str("the router is of a version without selected fields"),
            Self::EmptyText => out.write_str("a filter and the names of fields are not empty"),
            Self::NoPolicies => out.write_str(
                "the router is of a version in which consumers cannot ask for a time to acknowledge or a limit of \
                 deliveries",
            ),
            Self::NoProducer => {
                out.write_str("the client has to name its producer before it stores a message")
            }
            Self::ProducerExists(name) => write!(
                out,
                "the connection has the producer {name:?} already; another producer needs another client"
            ),
            Self::WindowFull { messages, bytes } => write!(
                out,
                "{messages} messages with {bytes} bytes are not acknowledged, and no \
                 more may be in flight; receive until some are acknowledged"
            ),
            Self::Sequence { known, last } if last < known => write!(
                out,
                "the router has the messages of this producer up to {last} only, but \
                 had acknowledged them up to {known}: it has lost the others"
            ),
            Self::Sequence { known, last } => write!(
                out,
                "another program has stored messages up to {last} under this producer's name; this \
                 one has come to {known}"
            ),
            Self::BadName(name) => write!(
                out,
                "{name:?} is not a valid name of a producer or a durable \
                 subscription: names have 1 to 200 bytes and no control characters"
            ),
            Self::Aside { limit } => write!(
                out,
                "more than {limit} bytes of messages came before the answer; receive them first"
            ),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Address(error) => Some(error),
            Self::Connect(error) | Self::Lost(error) => Some(error),
            _ => None,
        }
    }
}

impl From<trunkline_native::Error> for Error {
    fn from(error: trunkline_native::Error) -> Self {
        Self::Broken(error.to_string())
    }
}
