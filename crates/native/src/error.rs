//! Errors of bytes that are not a frame: where and why.

use std::error;
use std::fmt;

use crate::kind;

/// The error of a frame, with its byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// From the beginning of the frame.
    pub offset: usize,
    /// The error.
    pub kind: ErrorKind,
}

/// The facts behind an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The length is below that of the smallest frame of its kind.
    TooShort {
        /// The length in the frame.
        length: u32,
        /// The least length.
        least: u32,
    },
    /// The length is above the limit.
    TooLong {
        /// The length in the frame.
        length: u32,
        /// The limit.
        limit: u32,
    },
    /// A frame of fixed length has bytes behind its last field.
    Trailing {
        /// How many.
        bytes: u32,
    },
    /// No frame of this direction has this kind.
    UnknownKind(u8),
    /// The kind does not define these flags.
    UnknownFlags(u8),
    /// The first frame is not HELLO.
    NotHello,
    /// The field does not allow this value.
    UnknownValue {
        /// The field.
        field: &'static str,
        /// The value.
        value: u32,
    },
    /// A text is not UTF-8.
    NotUtf8,
    /// A name holds a control character.
    ControlCharacter,
}

impl ErrorKind {
    pub(crate) fn at(self, offset: usize) -> Error {
        Error { offset, kind: self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "byte {} of a frame: {}", self.offset, self.kind)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { length, least } => {
                write!(out, "the length is {length}, and must be {least} or more")
            }
            Self::TooLong { length, limit } => {
                write!(out, "the length is {length}, and may be {limit} at most")
            }
            Self::Trailing { bytes: 1 } => write!(out, "1 byte behind the last field"),
            Self::Trailing { bytes } => write!(out, "{bytes} bytes behind the last field"),
            Self::UnknownKind(kind) if kind::name(*kind).chars().all(char::is_uppercase) => {
                write!(out, "{} (kind {kind}) goes the other way", kind::name(*kind))
            }
            Self::UnknownKind(kind) => write!(out, "there is no kind {kind}"),
            Self::UnknownFlags(flags) => write!(out, "unknown flags, {flags:#04x}"),
            Self::NotHello => out.write_str("a conversation begins with HELLO, and this is none"),
            Self::UnknownValue { field, value } => write!(out, "{field} cannot be {value}"),
            Self::NotUtf8 => out.write_str("the text is not UTF-8"),
            Self::ControlCharacter => out.write_str("a control character in a name"),
        }
    }
}

impl error::Error for Error {}
