//! What goes wrong on a connection, as its error frames say it.

use std::fmt;

/// An error, which one side reports to the other in a frame; prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind.
    pub code: ErrorCode,
    /// For people.
    pub text: String,
}

/// The kinds of errors. After a critical one the connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// Critical: bytes that are no frame.
    MalformedFrame,
    /// Critical: a frame of an unknown type.
    UnknownFrame,
    /// Critical: a chunk without a first one, or a message within a message.
    FrameOrder,
    /// Critical: a frame of another channel within a message.
    Interleaved,
    /// Critical: an answer that no request asked for.
    RequestOrder,
    /// A message that cannot be handled.
    General,
    /// No such channel is open.
    UnknownChannel,
    /// The channel has no such media type.
    UnknownContent,
    /// The channel has no such parameter.
    UnknownParam,
    /// Another one: code and sub-code.
    Other(u32, u32),
}

impl ErrorCode {
    const KNOWN: [Self; 9] = [
        Self::MalformedFrame,
        Self::UnknownFrame,
        Self::FrameOrder,
        Self::Interleaved,
        Self::RequestOrder,
        Self::General,
        Self::UnknownChannel,
        Self::UnknownContent,
        Self::UnknownParam,
    ];

    /// Code and sub-code on the wire.
    pub fn numbers(self) -> (u32, u32) {
        match self {
            Self::MalformedFrame => (0, 0),
            Self::UnknownFrame => (0, 1),
            Self::FrameOrder => (0, 2),
            Self::Interleaved => (0, 3),
            Self::RequestOrder => (0, 4),
            Self::General => (1, 0),
            Self::UnknownChannel => (1, 1),
            Self::UnknownContent => (1, 2),
            Self::UnknownParam => (1, 3),
            Self::Other(code, subcode) => (code, subcode),
        }
    }

    pub(super) fn from_numbers(code: u32, subcode: u32) -> Self {
        let known = Self::KNOWN.into_iter().find(|it| it.numbers() == (code, subcode));
        known.unwrap_or(Self::Other(code, subcode))
    }

    /// Does the connection end with it?
    pub fn is_critical(self) -> bool {
        self.numbers().0 == 0
    }
}

impl Error {
    pub(super) fn new(code: ErrorCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, subcode) = self.code.numbers();
        write!(out, "SOAP/TCP error {code}.{subcode}: {}", self.text)
    }
}

impl std::error::Error for Error {}
