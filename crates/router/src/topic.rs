//! The grammar of topics and patterns.
//!
//! A topic has levels with `/` between them: `fx/EURUSD/spot`. A pattern is a topic in which a level
//! may be `*` (any one level) or end in `*` (`EUR*`: any level that begins with `EUR`, `EUR` too). The last
//! level may be `>` (one level or more). The rules are those of Solace's appliances, as its public
//! documentation describes them, but wildcard characters are nowhere literal.

use std::fmt;

/// Bytes that a topic or a pattern may have.
pub const TOPIC_BYTES: usize = 250;
/// Levels that a topic or a pattern may have.
pub const TOPIC_LEVELS: usize = 128;

/// An error in a topic or a pattern, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicError {
    /// Bytes before the place.
    pub offset: usize,
    /// The error.
    pub kind: TopicErrorKind,
}

/// The errors of topics and patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopicErrorKind {
    /// It is empty.
    Empty,
    /// There are more than [`TOPIC_BYTES`]; so many.
    TooLong(usize),
    /// There are more than [`TOPIC_LEVELS`].
    TooManyLevels,
    /// A level is empty: between two slashes, before the first, or after the last.
    EmptyLevel,
    /// A control character.
    Control(char),
    /// `*` or `>` in a topic.
    WildcardInTopic(char),
    /// `*` that does not end its level.
    StarInside,
    /// `>` that is not a level by itself.
    RestInside,
    /// `>` as a level that is not the last.
    RestNotLast,
    /// A topic that begins with `$`.
    Reserved,
}

impl fmt::Display for TopicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.kind)
    }
}

impl fmt::Display for TopicErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no name"),
            Self::TooLong(bytes) => {
                write!(f, "the name has {bytes} bytes, {TOPIC_BYTES} are allowed")
            }
            Self::TooManyLevels => write!(f, "the name has more than {TOPIC_LEVELS} levels"),
            Self::EmptyLevel => f.write_str("a level is empty"),
            Self::Control(c) => write!(f, "the control character U+{:04X}", u32::from(*c)),
            Self::WildcardInTopic(c) => {
                write!(f, "`{c}` is a wildcard; the name of a topic has none")
            }
            Self::StarInside => f.write_str("`*` does not end its level"),
            Self::RestInside => f.write_str("`>` is not a level by itself"),
            Self::RestNotLast => f.write_str("`>` is not the last level"),
            Self::Reserved => f.write_str("topics that begin with `$` are the router's own"),
        }
    }
}

impl std::error::Error for TopicError {}

/// Whether a client may publish to a topic of this name.
///
/// # Errors
///
/// The first error.
pub fn check_topic(name: &str) -> Result<(), TopicError> {
    if name.starts_with('$') {
        return Err(TopicError { offset: 0, kind: TopicErrorKind::Reserved });
    }
    check(name, |_, level| {
        let wildcard = level.char_indices().find(|(_, c)| matches!(c, '*' | '>'));
        wildcard.map(|(at, c)| (at, TopicErrorKind::WildcardInTopic(c)))
    })
}

/// Whether a client may subscribe to this pattern; the name of a topic is one, and so is `$...`.
///
/// # Errors
///
/// The first error.
pub fn check_pattern(pattern: &str) -> Result<(), TopicError> {
    check(pattern, |offset, level| {
        if level == ">" {
            let is_last = offset + 1 == pattern.len();
            return (!is_last).then_some((0, TopicErrorKind::RestNotLast));
        }
        level.char_indices().find_map(|(at, c)| match c {
            '*' if at + 1 < level.len() => Some((at, TopicErrorKind::StarInside)),
            '>' => Some((at, TopicErrorKind::RestInside)),
            _ => None,
        })
    })
}

/// What topics and patterns have in common; `wrong` finds what is wrong with a level that begins
/// at a byte of the name, and where in the level.
fn check(
    name: &str,
    wrong: impl Fn(usize, &str) -> Option<(usize, TopicErrorKind)>,
) -> Result<(), TopicError> {
    let error = |offset, kind| Err(TopicError { offset, kind });
    if name.is_empty() {
        return error(0, TopicErrorKind::Empty);
    }
    if name.len() > TOPIC_BYTES {
        return error(name.floor_char_boundary(TOPIC_BYTES), TopicErrorKind::TooLong(name.len()));
    }
    let mut offset = 0;
    for (count, level) in name.split('/').enumerate() {
        if count == TOPIC_LEVELS {
            return error(offset, TopicErrorKind::TooManyLevels);
        }
        if level.is_empty() {
            return error(offset, TopicErrorKind::EmptyLevel);
        }
        if let Some((at, c)) = level.char_indices().find(|(_, c)| c.is_control()) {
            return error(offset + at, TopicErrorKind::Control(c));
        }
        if let Some((at, kind)) = wrong(offset, level) {
            return error(offset + at, kind);
        }
        offset += level.len() + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(name: &str) -> Option<(usize, TopicErrorKind)> {
        check_topic(name).err().map(|error| (error.offset, error.kind))
    }

    fn pattern(name: &str) -> Option<(usize, TopicErrorKind)> {
        check_pattern(name).err().map(|error| (error.offset, error.kind))
    }

    #[test]
    fn names_of_topics() {
        for name in ["a", "fx/EURUSD/spot", "a b/c.d", "\u{1f4b6}/\u{20ac}", "a/$b", "+/#"] {
            assert_eq!(topic(name), None, "{name}");
        }
        assert_eq!(topic(""), Some((0, TopicErrorKind::Empty)));
        assert_eq!(topic("/a"), Some((0, TopicErrorKind::EmptyLevel)));
        assert_eq!(topic("a//b"), Some((2, TopicErrorKind::EmptyLevel)));
        assert_eq!(topic("a/"), Some((2, TopicErrorKind::EmptyLevel)));
        assert_eq!(topic("a/b\0c"), Some((3, TopicErrorKind::Control('\0'))));
        assert_eq!(topic("a/\u{85}"), Some((2, TopicErrorKind::Control('\u{85}'))));
        assert_eq!(topic("a/b*"), Some((3, TopicErrorKind::WildcardInTopic('*'))));
        assert_eq!(topic("a>b"), Some((1, TopicErrorKind::WildcardInTopic('>'))));
        assert_eq!(topic("$a/b"), Some((0, TopicErrorKind::Reserved)));
    }

    #[test]
    fn patterns() {
        for name in ["a", "*", ">", "a/*/b", "a*/b*", "a/>", "$SYS/>", "$*", "\u{20ac}*"] {
            assert_eq!(pattern(name), None, "{name}");
        }
        assert_eq!(pattern("a/**"), Some((2, TopicErrorKind::StarInside)));
        assert_eq!(pattern("fx/*USD"), Some((3, TopicErrorKind::StarInside)));
        assert_eq!(pattern("fx/a*b"), Some((4, TopicErrorKind::StarInside)));
        assert_eq!(pattern("a/b>"), Some((3, TopicErrorKind::RestInside)));
        assert_eq!(pattern("a/>/b"), Some((2, TopicErrorKind::RestNotLast)));
        assert_eq!(pattern("*/"), Some((2, TopicErrorKind::EmptyLevel)));
        assert_eq!(pattern(">>"), Some((0, TopicErrorKind::RestInside)));
    }

    #[test]
    fn sizes() {
        assert_eq!(topic(&"x".repeat(TOPIC_BYTES)), None);
        assert_eq!(topic(&"x".repeat(251)), Some((250, TopicErrorKind::TooLong(251))));
        assert_eq!(topic(&"\u{20ac}".repeat(84)), Some((249, TopicErrorKind::TooLong(252))));
        let levels = |count| vec!["x"; count].join("/");
        assert_eq!(topic(&levels(125)), None);
        // Levels of one byte: the limit on bytes comes first.
        assert!(matches!(topic(&levels(129)), Some((250, TopicErrorKind::TooLong(257)))));
    }

    #[test]
    fn an_error_says_where_and_why() {
        let error = check_pattern("fx/*USD").expect_err("a star at the beginning");
        assert_eq!(error.to_string(), "at byte 3: `*` does not end its level");
    }
}
