//! Errors that say where and why.

use std::borrow::Cow;
use std::fmt;

use trunkline_wire::ValueError;

/// A result whose error is one pointer wide, so that the good path carries no weight.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, at which byte, in which field.
///
/// Displays as `FIXMLMessage/MDInclList[3]/MDEntryPx at byte 211: ...`.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Detail>);

#[derive(Clone, PartialEq, Eq)]
struct Detail {
    kind: ErrorKind,
    offset: usize,
    path: Vec<Segment>,
}

/// One step of a field path; innermost first, as the error meets them on its way out.
#[derive(Clone, PartialEq, Eq)]
enum Segment {
    Name(Box<str>),
    Entry(usize),
}

/// The facts behind an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The message ends before its time.
    Truncated {
        /// What should have come next.
        expected: &'static str,
    },
    /// Bytes are left after the end of the message.
    Trailing {
        /// How many.
        bytes: usize,
    },
    /// Something else stands where this was expected.
    Expected(Cow<'static, str>),
    /// A value is not of its field's kind.
    Value {
        /// The kind that was expected, in words.
        expected: &'static str,
        /// What is wrong with the value.
        problem: ValueError,
    },
    /// A required field is not there.
    Missing,
    /// A field stands twice where it may stand once.
    Duplicate,
    /// A field that this message does not define stands twice: in a format that is flat, it may be of
    /// a group that the message does not define.
    DuplicateUnknown,
    /// The schema does not know this field, element or attribute, and unknown content is
    /// [rejected](crate::UnknownContent::Reject).
    Unknown,
    /// A limit of [`Limits`](crate::Limits) is exceeded.
    Limit {
        /// The limit's name.
        name: &'static str,
        /// Its value.
        limit: usize,
    },
    /// The check sum does not match.
    CheckSum {
        /// As the message says.
        stated: u8,
        /// As counted.
        computed: u8,
    },
    /// A stated length does not match.
    Length {
        /// As the message says.
        stated: usize,
        /// As counted.
        counted: usize,
    },
    /// A group has more or fewer entries than its count says.
    Count {
        /// As the message says.
        stated: usize,
        /// As found.
        found: usize,
    },
    /// The text of a markup language is not well-formed.
    Syntax(Cow<'static, str>),
    /// Well-formed, but not supported here.
    Unsupported(Cow<'static, str>),
    /// The content follows rules of encoding that are not known; which.
    Encoding(Cow<'static, str>),
    /// The message is of no version of its format that is read; what was expected.
    Version(Cow<'static, str>),
    /// The value cannot be written in this format.
    Unwritable(&'static str),
    /// The value does not keep to a facet of its member: why.
    Unfit(Cow<'static, str>),
    /// The message is of another schema than the plan.
    Schema,
}

impl Error {
    /// An error at byte `offset` of the input; paths are added as it travels outwards.
    #[cold]
    #[inline(never)]
    pub fn new(kind: ErrorKind, offset: usize) -> Self {
        Self(Box::new(Detail { kind, offset, path: Vec::new() }))
    }

    /// Adds the name of the field, component or group in which it happened.
    #[cold]
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        self.0.path.push(Segment::Name(name.into()));
        self
    }

    /// Adds the entry of the group in which it happened, counted from 0.
    #[cold]
    #[must_use]
    pub fn in_entry(mut self, entry: usize) -> Self {
        self.0.path.push(Segment::Entry(entry));
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Byte offset in the input as given to the decoder; in the output for encoders.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The path of the field, outermost first, entries counted from 0: `MDInclList[3]/MDEntryPx`.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for segment in self.0.path.iter().rev() {
            match segment {
                Segment::Name(name) => {
                    if !path.is_empty() {
                        path.push('/');
                    }
                    path.push_str(name);
                }
                Segment::Entry(entry) => {
                    path.push_str(&format!("[{entry}]"));
                }
            }
        }
        path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.path.is_empty() {
            write!(f, "{} ", short_path(&self.path()))?;
        }
        write!(f, "at byte {}: {}", self.0.offset, self.0.kind)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { expected } => {
                write!(f, "the message ends where {expected} should be")
            }
            Self::Trailing { bytes } => {
                write!(f, "{} left after the message", counted(*bytes, "byte is", "bytes are"))
            }
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::Value { expected, problem } => write!(f, "expected {expected}, but it {problem}"),
            Self::Missing => write!(f, "a required field is missing"),
            Self::Duplicate => write!(f, "the field stands twice"),
            Self::DuplicateUnknown => {
                write!(f, "the field stands twice, or is of a group that the schema does not have")
            }
            Self::Unknown => {
                write!(f, "the schema does not know it, and unknown content is rejected")
            }
            Self::Limit { name, limit } => write!(f, "more than the limit {name} = {limit} allows"),
            Self::CheckSum { stated, computed } => {
                write!(f, "CheckSum says {stated:03}, but the bytes sum to {computed:03}")
            }
            Self::Length { stated, counted } => {
                let counted = self::counted(*counted, "byte is", "bytes are");
                write!(f, "the length says {stated}, but {counted} there")
            }
            Self::Count { stated, found } => {
                let stated = counted(*stated, "entry", "entries");
                write!(f, "the count says {stated}, but {} there", counted(*found, "is", "are"))
            }
            Self::Syntax(what) => write!(f, "{what}"),
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
            Self::Encoding(what) => write!(f, "{what} is not known"),
            Self::Version(what) => write!(f, "another version: expected {what}"),
            Self::Unfit(why) => write!(f, "{why}"),
            Self::Unwritable(why) => write!(f, "cannot be written: {why}"),
            Self::Schema => write!(f, "the message is of another schema than the plan"),
        }
    }
}

/// A path as people read it: of one with very many steps the first and the last, and how many are between.
pub fn short_path(path: &str) -> Cow<'_, str> {
    /// So many steps are shown of each end, and all of what has no more than twice both.
    const ENDS: usize = 8;
    let steps = path.split('/').count();
    if steps <= 4 * ENDS {
        return Cow::Borrowed(path);
    }
    let slash = |it: (usize, &str)| it.0;
    let first = path.match_indices('/').nth(ENDS - 1).map_or(0, slash);
    let last = path.rmatch_indices('/').nth(ENDS - 1).map_or(0, slash);
    let between = steps - 2 * ENDS;
    Cow::Owned(format!("{}/... {between} levels .../{}", &path[..first], &path[last + 1..]))
}

/// `1 byte is`, `2 bytes are`.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_says_where_and_why() {
        let error = Error::new(ErrorKind::Missing, 211)
            .within("MDEntryPx")
            .in_entry(3)
            .within("MDInclList");
        assert_eq!(error.path(), "MDInclList[3]/MDEntryPx");
        assert_eq!(
            error.to_string(),
            "MDInclList[3]/MDEntryPx at byte 211: a required field is missing"
        );
    }

    #[test]
    fn a_deep_path_is_shortened() {
        let deep = |levels| {
            let error = Error::new(ErrorKind::Missing, 7).within("last");
            (1..levels).fold(error, |error, level| error.within(&format!("a{level}")))
        };
        let said = deep(1000).to_string();
        let ends = "a999/a998/a997/a996/a995/a994/a993/a992/... 984 levels .../a7/a6/a5/a4/a3/a2/a1/last at";
        assert!(said.starts_with(ends), "{said}");
        assert_eq!(deep(1000).path().split('/').count(), 1000);
        assert!(!deep(32).to_string().contains("..."));
    }

    #[test]
    fn results_stay_one_pointer_wide() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
