//! Why a message is not read or written by a description.

use std::fmt;

use trunkline_import::Problem;

use crate::codec::Format;

/// Why a message is not read or written.
#[derive(Debug)]
pub enum Error {
    /// The description has no such message: its name or MsgType, and some that are there.
    NoSuchMessage(String, Vec<String>),
    /// The bytes do not say which message they are.
    Unnamed(Format),
    /// Nothing was read that could be written.
    NothingRead,
    /// Neither the dictionary nor the message says which BeginString FIX has.
    NoBeginString,
    /// The description holds what has no layout.
    Description(Problem),
    /// The format has no form for a message of this name.
    NoForm(Format, String, trunkline_message::Error),
    /// The message is not as its description says.
    Rejected(trunkline_message::Error),
    /// The message cannot be written in this format.
    Unwritable(Format, trunkline_message::Error),
    /// So much of the message is not described, of which the first is this if it is known, and the format cannot hold it.
    Undescribed(Format, usize, Option<String>),
}

/// Names that an error shows.
const SHOWN: usize = 12;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchMessage(name, known) => {
                let shown: Vec<&str> = known.iter().map(|it| &**it).take(SHOWN).collect();
                let more = if known.len() > SHOWN { " ..." } else { "" };
                write!(
                    f,
                    "the description has no message {name:?}; it has {}{more}",
                    shown.join(", ")
                )
            }
            Self::Unnamed(format) => {
                write!(f, "{format} does not say which message it is; name it")
            }
            Self::NothingRead => f.write_str("no message was read"),
            Self::NoBeginString => {
                f.write_str("neither schema nor message says which BeginString FIX has; name it")
            }
            Self::Description(problem) => write!(f, "{problem}"),
            Self::NoForm(format, name, error) => {
                write!(f, "{format} has no form for {name}: {error}")
            }
            Self::Rejected(error) => write!(f, "{error}"),
            Self::Unwritable(format, error) => write!(f, "as {format}: {error}"),
            Self::Undescribed(format, count, first) => {
                let are =
                    if *count == 1 { "field or element is" } else { "fields or elements are" };
                let first = first.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
                write!(f, "{count} {are} not described{first}, and {format} does not hold such")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Description(problem)
    }
}
