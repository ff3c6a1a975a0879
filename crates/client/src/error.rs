//! What goes wrong between a client and its router.

use std::error;
use std::fmt;
use std::io;

use trunkline_native::code;
use trunkline_reactor::AddressError;

use crate::event::Refusal;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The address is none.
    Address(AddressError),
    /// No connection came about; the address is named.
    Connect(io::Error),
    /// The connection broke.
    Lost(io::Error),
    /// The router ended the connection without a word.
    Ended,
    /// The router ended the connection and said why.
    Closed {
        /// For programs ([`crate::code`]).
        code: u16,
        /// For people.
        reason: String,
    },
    /// The router does not do what was asked.
    Refused(Refusal),
    /// No answer, or no room in the connection, within the time-out.
    TimedOut {
        /// What was waited for.
        waiting_for: &'static str,
        /// What the router refused for now, if that is why ([`crate::Client::held_back`]).
        because: Option<Refusal>,
    },
    /// What comes is no native protocol, or none that this crate speaks.
    Broken(String),
    /// The message is longer than the router takes.
    TooLong {
        /// Bytes of the payload.
        length: usize,
        /// What they may be at most.
        limit: usize,
    },
    /// The router has no numbers left for topics of this client.
    TooManyTopics {
        /// How many it has.
        limit: u32,
    },
    /// Messages are stored only by who has said who it is ([`crate::Client::producer`]).
    NoProducer,
    /// The connection has this producer already, and has one. Another name needs another client.
    ProducerExists(String),
    /// The producer has as many messages on their way as it may: some have to be acknowledged first.
    WindowFull {
        /// So many are not acknowledged.
        messages: u64,
        /// Bytes of their payload.
        bytes: u64,
    },
    /// The router and this program do not agree on what the producer has stored. It stores no more until
    /// [`crate::Client::producer`] is called on a new connection.
    Sequence {
        /// The last sequence that this program knows of.
        known: u64,
        /// The last one that the router knows of.
        last: u64,
    },
    /// It is no name of a producer or a durable subscription.
    BadName(String),
    /// More messages came while an answer was waited for than are put aside; receive them first.
    Aside {
        /// How many bytes are put aside.
        limit: usize,
    },
}

impl Error {
    /// Nothing came of it in time, for no reason that is known.
    pub(crate) fn timed_out(waiting_for: &'static str) -> Self {
        Self::TimedOut { waiting_for, because: None }
    }

    /// Whether the connection is of no use any more, so that only [`crate::Client::reconnect`] helps.
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
            Self::Refused(refusal) => refusal.fmt(out),
            Self::TimedOut { waiting_for, because: None } => {
                write!(out, "no {waiting_for} in time")
            }
            Self::TimedOut { waiting_for, because: Some(refusal) } => {
                write!(out, "no {waiting_for} in time: {refusal}")
            }
            Self::Broken(what) => write!(out, "the other side is not a router of ours: {what}"),
            Self::TooLong { length, limit } => {
                write!(out, "a payload of {length} bytes; the router takes {limit} at most")
            }
            Self::TooManyTopics { limit } => {
                write!(
                    out,
                    "the router has numbers for {limit} topics of a client, and all are used"
                )
            }
            Self::NoProducer => {
                out.write_str("no message is stored before it is said who the producer is")
            }
            Self::ProducerExists(name) => write!(
                out,
                "the connection has the producer {name:?}, and has one; another needs another client"
            ),
            Self::WindowFull { messages, bytes } => write!(
                out,
                "{messages} messages with {bytes} bytes are not acknowledged, and no more may be on \
                 their way; receive until some are"
            ),
            Self::Sequence { known, last } if last < known => write!(
                out,
                "the router knows the messages of this producer up to {last} only, and had \
                 acknowledged them up to {known}: the others are lost there"
            ),
            Self::Sequence { known, last } => write!(
                out,
                "another program has stored messages up to {last} under this producer's name; this \
                 one has come to {known}"
            ),
            Self::BadName(name) => write!(
                out,
                "{name:?} is no name of a producer or a durable subscription: these have 1 to 200 \
                 bytes and no control characters"
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
