//! Why a command could not be carried out.

use std::{error, fmt};

/// One line for the user.
#[derive(Debug)]
pub(crate) struct Fault(String);

impl Fault {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // File names and foreign texts may hold anything.
        out.write_str(&self.0.replace(char::is_control, " "))
    }
}

/// The libraries' errors print as one line that says where and why.
impl<E: error::Error> From<E> for Fault {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
