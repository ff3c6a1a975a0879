//! Why a command could not be carried out.

use std::{error, fmt};

/// Characters of the line that one reads; foreign texts may have millions.
const LONGEST: usize = 4096;

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
        let shown = self.0.chars().take(LONGEST);
        let shown: String = shown.map(|it| if it.is_control() { ' ' } else { it }).collect();
        out.write_str(&shown)?;
        match self.0.chars().skip(LONGEST).count() {
            0 => Ok(()),
            more => write!(out, "... and {more} more characters"),
        }
    }
}

/// The libraries' errors print as one line that says where and why.
impl<E: error::Error> From<E> for Fault {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
