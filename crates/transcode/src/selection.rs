//! Selections: which fields of messages somebody wants.
//!
//! ```text
//! selection  = path { "," path }
//! ```
//!
//! A path is as [filters](crate::filter) have it. One that names a struct or list means all of it. What is not described
//! is not selected.
//!
//! JSON leaves out whatever is not selected. The other formats are written by the description, and leave out only what
//! may be absent by it.
//!
//! [`Selection::parse`] checks the form, [`Messages::check_selection`](crate::Messages::check_selection) holds it against
//! a description, and [`Messages::select`](crate::Messages::select) writes what is selected of a message.

mod check;
mod kept;
mod selected;

use std::fmt;

use crate::filter::{FilterError, Path, parse_paths, shown_path};

pub(crate) use check::Scan;
pub(crate) use kept::Kept;
pub(crate) use selected::Selected;

/// Which fields of messages somebody wants.
#[derive(Clone, Debug)]
pub struct Selection {
    /// In alphabetical order, each once.
    paths: Vec<Path>,
}

impl Selection {
    /// Names in the longest selection.
    pub const MOST_NAMES: usize = 256;

    /// Reads a selection.
    ///
    /// # Errors
    /// The text is none, or has more names than may be: where, and what would be right.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let mut paths = parse_paths(text, Self::MOST_NAMES)?;
        paths.sort();
        paths.dedup_by(|one, other| one.0 == other.0);
        Ok(Self { paths })
    }

    pub(crate) fn paths(&self) -> &[Path] {
        &self.paths
    }
}

/// The same for all texts that name the same fields, in whatever order.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (path, _)) in self.paths.iter().enumerate() {
            f.write_str(if index > 0 { "," } else { "" })?;
            f.write_str(&shown_path(path))?;
        }
        Ok(())
    }
}
