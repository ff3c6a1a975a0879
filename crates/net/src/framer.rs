//! Framers: they find the end of a message in a stream of bytes.

use std::ops::Range;

use trunkline_message::{Limits, Result};

/// The beginning of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A whole message: these bytes. The bytes before them belong to its frame.
    Message(Range<usize>),
    /// This number of bytes belongs to no message, such as white space between two documents.
    Skip(usize),
    /// So far a message; at least so many bytes more are needed.
    Incomplete(usize),
}

/// Finds the ends of messages in a stream. It sees bytes only, and reads or sends nothing.
pub trait Framer {
    /// Looks at the beginning of `bytes`: what the stream holds after the last message or skip that
    /// was found. After [`Frame::Incomplete`], `bytes` begin with the same ones and more follow; a
    /// framer remembers how far it has come, so that it looks at each byte once.
    ///
    /// # Errors
    /// What begins here is no message, or is longer than `message_bytes` of the limits; says at
    /// which of `bytes`. The framer, and the stream, are of no use any more.
    fn frame(&mut self, bytes: &[u8], limits: &Limits) -> Result<Frame>;

    /// The bytes to be sent before a message of `length` bytes.
    ///
    /// # Errors
    /// The message is too long for this kind of frame.
    fn prefix(length: usize) -> Result<Option<[u8; 4]>> {
        _ = length;
        Ok(None)
    }
}
