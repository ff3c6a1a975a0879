//! Why a message is not read or written by a description.

use std::fmt;

use trunkline_catalogue::fix::field_name;
use trunkline_import::Problem;

use crate::codec::Format;

/// Why a message is not read or written.
#[derive(Debug)]
pub enum Error {
    /// The description has no message of a name or MsgType: what it has instead.
    NoSuchMessage(String),
    /// The bytes do not say which message they are.
    Unnamed(Format),
    /// The bytes call it so, and the description has several messages of that name, which it finds by these.
    Ambiguous(String, Vec<String>),
    /// These elements stand in the Body, the first of which several messages have, and none of these has them all.
    Unfit(String, Vec<String>),
    /// A fault stands in the Body, and no message.
    NoMessage,
    /// FIX is written with this in place of SOH.
    Delimited(char),
    /// Nothing was read that could be written.
    NothingRead,
    /// Neither the dictionary nor the message says which BeginString FIX has.
    NoBeginString,
    /// Nothing describes the header of FIX, to which this field belongs: it would stand behind the body.
    NoHeader(u32),
    /// The description holds what has no layout.
    Description(Problem),
    /// The format has no form for a message of this name.
    NoForm(Format, String, trunkline_message::Error),
    /// The message is not as its description says.
    Rejected(trunkline_message::Error),
    /// A value is not as its description says: with what it is, and what it may be.
    Value(trunkline_message::Error, String),
    /// The message cannot be written in this format.
    Unwritable(Format, trunkline_message::Error),
    /// The bounds of the message's fields are not such that a value is compared with them.
    Unchecked(String),
    /// The format has no place for these header blocks.
    HeaderBlocks(Format, String),
    /// This header block is to be relayed, which the format cannot say.
    Relay(Format, String),
    /// It is this fault, for which the format has not what it takes.
    Fault(Format, String, String),
    /// An element is nil, and may not be: at a line and a character of XML, with its path.
    Nil(Option<(u32, u32)>, String),
    /// The element at this path is nil, and its type has to be named, which a message does not keep.
    NilType(String),
    /// What the message keeps as it stood has processing instructions, which the format has not.
    Instructions(Format),
    /// So much of the message is not described, of which the first is this if it is known, and the format cannot hold it.
    Undescribed(Format, usize, Option<String>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchMessage(why) => f.write_str(why),
            Self::Unnamed(Format::Json) => f.write_str(
                "json does not say which message it is: put it into an object as {\"NAME\": {...}}, or name its type",
            ),
            Self::Unnamed(format) => {
                write!(f, "{format} does not say which message it is; name its type")
            }
            Self::Ambiguous(name, all) => {
                write!(f, "{name} may be one of several messages; name its type (--type): {}", all.join(", "))
            }
            Self::Unfit(elements, all) => write!(
                f,
                "its Body has {elements}, and no operation takes or answers just that; \
                 name its type (--type): {}",
                all.join(", ")
            ),
            Self::NoMessage => f.write_str(
                "a fault stands in its Body, which is no message of the description; what stands in the fault's detail \
                 is one, as a document by itself",
            ),
            Self::Delimited(delimiter) => write!(
                f,
                "{delimiter:?} stands between its fields, as in logs; in FIX it is SOH, the byte 0x01"
            ),
            Self::NothingRead => f.write_str("no message was read"),
            Self::NoBeginString => {
                f.write_str("neither schema nor message says which BeginString FIX has; name it (--begin-string)")
            }
            Self::NoHeader(tag) => write!(
                f,
                "{} ({tag}) is of the header, which the schema does not have, so that it would stand behind the body: \
                 name the dictionary of the transport, as FIXT11.xml, by --transport",
                field_name(*tag).unwrap_or("the field")
            ),
            Self::Description(problem) => write!(f, "{problem}"),
            Self::NoForm(format, name, error) => {
                write!(f, "{format} has no form for {name}: {error}")
            }
            Self::Rejected(error) => write!(f, "{error}"),
            Self::Value(error, explained) => write!(f, "{error}{explained}"),
            Self::Unwritable(format, error) => write!(f, "as {format}: {error}"),
            Self::Unchecked(why) => write!(f, "it is not checked: {why}"),
            Self::HeaderBlocks(format, names) => {
                write!(f, "{format} has no place for header blocks, which it has: {names}")
            }
            Self::Relay(format, name) => {
                write!(f, "the header block {name} is to be relayed, which {format} has no word for")
            }
            Self::Fault(format, fault, what) => {
                write!(f, "it is a fault ({fault}), and {format} has {what}")
            }
            Self::Nil(place, path) => {
                let place = place.map(|it| format!("{}:{}: ", it.0, it.1)).unwrap_or_default();
                write!(f, "{place}{path}: it is nil, and its element is not nillable: it would be absent")
            }
            Self::NilType(path) => {
                write!(f, "{path}: it is nil, and of an abstract type: which one its xsi:type names is not kept")
            }
            Self::Instructions(format) => {
                write!(f, "there are processing instructions in what is kept as it stands, and {format} has none")
            }
            Self::Undescribed(format, count, first) => {
                f.write_str(&undescribed(*format, *count, first.as_deref()))
            }
        }
    }
}

fn undescribed(format: Format, count: usize, first: Option<&str>) -> String {
    let are = if count == 1 { "field or element is" } else { "fields or elements are" };
    let first = first.map(|it| format!(" ({it})")).unwrap_or_default();
    format!("{count} {are} not described{first}, and {format} does not hold such")
}

impl std::error::Error for Error {}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Description(problem)
    }
}
