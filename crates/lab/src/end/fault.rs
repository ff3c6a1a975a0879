//! Why a question has no answer.

use std::{error, fmt};

/// One line.
#[derive(Debug)]
pub(super) struct Fault(String);

impl Fault {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Something about a message of the connection, counted from 0.
    pub(super) fn at(message: u64, what: impl fmt::Display) -> Self {
        Self(format!("message {message}: {what}"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.replace(char::is_control, " "))
    }
}

impl<E: error::Error> From<E> for Fault {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
