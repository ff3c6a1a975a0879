//! What number and time texts share: the window they are written to, and why reading fails.

use std::fmt;

/// Room for one written number or time: left-aligned, and longer than any of them.
///
/// Writers return the length of the text; the bytes behind it are unspecified, so that whole
/// blocks may be stored at once.
pub type Window = [u8; 40];

/// Why a text is not a value of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueError {
    /// There is no text.
    Empty,
    /// The byte at this position does not belong there; the length of the text if it ends too
    /// early.
    Malformed {
        /// Zero-based position in the text of the value.
        at: usize,
    },
    /// The text is well formed, but its value does not fit the type.
    OutOfRange,
    /// The digit at this position is not zero, and the type holds none so far behind the point.
    TooPrecise {
        /// Zero-based position in the text of the value.
        at: usize,
    },
    /// The text is longer than the type holds.
    TooLong {
        /// Bytes that it holds.
        most: usize,
    },
    /// The number has more digits than the type holds.
    TooManyDigits {
        /// Digits that it holds.
        most: usize,
    },
}

impl ValueError {
    /// The same error in a text that starts `bytes` earlier.
    pub(crate) fn after(self, bytes: usize) -> Self {
        match self {
            Self::Malformed { at } => Self::Malformed { at: at + bytes },
            Self::TooPrecise { at } => Self::TooPrecise { at: at + bytes },
            Self::Empty if bytes > 0 => Self::Malformed { at: bytes },
            other => other,
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is empty"),
            Self::Malformed { at } => write!(f, "has an unexpected character at {at}"),
            Self::OutOfRange => f.write_str("is out of range"),
            Self::TooPrecise { at } => write!(f, "has a digit at {at} that would be lost"),
            Self::TooLong { most } => write!(f, "is longer than {most} bytes"),
            Self::TooManyDigits { most } => write!(f, "has more than {most} digits"),
        }
    }
}

impl std::error::Error for ValueError {}

/// Reads a number that may have a `+` before it where it has no `-`.
#[inline]
pub(crate) fn after_plus<T>(
    bytes: &[u8],
    parse: impl Fn(&[u8]) -> Result<T, ValueError>,
) -> Result<T, ValueError> {
    match bytes {
        [b'+', b'-', ..] => Err(ValueError::Malformed { at: 1 }),
        [b'+', unsigned @ ..] => parse(unsigned).map_err(|error| error.after(1)),
        _ => parse(bytes),
    }
}

/// Stores eight bytes at `at`, which must not exceed 31.
#[inline(always)]
pub(crate) fn put(out: &mut Window, at: usize, word: u64) {
    debug_assert!(at < 32);
    let at = at & 31;
    out[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_is_wrong() {
        assert_eq!(ValueError::Empty.to_string(), "is empty");
        assert_eq!(ValueError::Malformed { at: 3 }.to_string(), "has an unexpected character at 3");
        assert_eq!(ValueError::OutOfRange.to_string(), "is out of range");
        let precise = ValueError::TooPrecise { at: 18 };
        assert_eq!(precise.to_string(), "has a digit at 18 that would be lost");
        assert_eq!(ValueError::TooLong { most: 15 }.to_string(), "is longer than 15 bytes");
        let digits = ValueError::TooManyDigits { most: 4096 };
        assert_eq!(digits.to_string(), "has more than 4096 digits");
    }
}
