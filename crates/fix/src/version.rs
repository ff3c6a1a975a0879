//! The versions of FIX, and how their sessions differ.

/// A version of the session layer, as BeginString (8) says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// FIX.4.0
    Fix40,
    /// FIX.4.1
    Fix41,
    /// FIX.4.2
    Fix42,
    /// FIX.4.3
    Fix43,
    /// FIX.4.4
    Fix44,
    /// FIXT.1.1, the session layer of FIX 5.0 and later.
    Fixt11,
}

use Version::{Fix40, Fix41, Fix42, Fix43, Fix44, Fixt11};

impl Version {
    /// The ApplVerID (1128) of what a dictionary of FIX 5.0 says that it is, such as `FIX.5.0SP2`.
    pub fn appl_ver_id(dictionary: &str) -> &'static str {
        match dictionary.replace(' ', "") {
            it if it.contains("5.0SP2") => "9",
            it if it.contains("5.0SP1") => "8",
            it if it.contains("5.0") => "7",
            _ => "9",
        }
    }

    /// All of them, in the order in which they were published.
    pub const ALL: [Self; 6] = [Fix40, Fix41, Fix42, Fix43, Fix44, Fixt11];

    /// BeginString (8).
    pub const fn begin_string(self) -> &'static str {
        match self {
            Fix40 => "FIX.4.0",
            Fix41 => "FIX.4.1",
            Fix42 => "FIX.4.2",
            Fix43 => "FIX.4.3",
            Fix44 => "FIX.4.4",
            Fixt11 => "FIXT.1.1",
        }
    }

    /// The version of this BeginString.
    pub fn of(begin_string: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.begin_string().as_bytes() == begin_string)
    }

    /// Do times of the session have milliseconds? FIX 4.0 and 4.1 know seconds alone.
    pub(crate) fn has_milliseconds(self) -> bool {
        self >= Fix42
    }

    /// Does a Reject name tag, message type and reason (371 to 373)?
    pub(crate) fn has_reject_reasons(self) -> bool {
        self >= Fix42
    }

    /// EndSeqNo (16) of a ResendRequest for all that was sent.
    pub(crate) fn infinity(self) -> u64 {
        if self >= Fix42 { 0 } else { 999_999 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_says_which_version_of_the_application_it_is() {
        for (version, id) in [("FIX.5.0 SP2", "9"), ("FIX.5.0SP1", "8"), ("FIX.5.0", "7")] {
            assert_eq!(Version::appl_ver_id(version), id);
        }
    }
}
