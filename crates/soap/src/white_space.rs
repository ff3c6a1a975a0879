//! What becomes of the white space in a text before it is a value (XML Schema part 2, section 4.3.6).

use std::borrow::Cow;

use trunkline_message::{Checks, Field, Holds, Kind, Layout, MemberId, Scope};

use crate::binding::of_member;
use crate::plan::ScopePlan;

/// White space of XML; the first is what the others are replaced by.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// What becomes of blanks before a text is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhiteSpace {
    /// They stay.
    #[default]
    Preserve,
    /// Each is a space.
    Replace,
    /// Runs of them are one space, and there are none at the ends.
    Collapse,
}

impl WhiteSpace {
    /// That of this name in a note, where staying has none.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "replace" => Some(Self::Replace),
            "collapse" => Some(Self::Collapse),
            _ => None,
        }
    }

    /// The name in the note `xml(white_space)`; none where they stay.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Preserve => None,
            Self::Replace => Some("replace"),
            Self::Collapse => Some("collapse"),
        }
    }

    /// What is noted of a member's texts.
    pub fn of_member(layout: &Layout, member: MemberId) -> Self {
        of_member(layout, member, "white_space").and_then(Self::named).unwrap_or_default()
    }

    /// The same of a field's texts, which the items of a list have from the list; of other values nothing is said.
    pub fn of(layout: &Layout, scope: &Scope, field: &Field) -> Self {
        match field.holds {
            Holds::Value(Kind::Text) | Holds::Enumeration(_) => {
                Self::of_member(layout, Checks::member(layout, scope, field))
            }
            _ => Self::Preserve,
        }
    }

    /// Do blanks in any texts of these scopes not stay as they are?
    pub(super) fn is_in_any(scopes: &[ScopePlan]) -> bool {
        scopes.iter().flat_map(|it| &it.slots).any(|it| it.white_space != Self::Preserve)
    }

    /// A text with its blanks as they have to be. One that has them so is not copied.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Preserve => Cow::Borrowed(text),
            Self::Replace if !text.contains(&BLANKS[1..]) => Cow::Borrowed(text),
            Self::Replace => Cow::Owned(text.replace(BLANKS, " ")),
            Self::Collapse => {
                let text = text.trim_matches(BLANKS);
                match text.contains(&BLANKS[1..]) || text.contains("  ") {
                    true => Cow::Owned(collapsed(text)),
                    false => Cow::Borrowed(text),
                }
            }
        }
    }
}

/// The plain twin of [`WhiteSpace::Collapse`].
fn collapsed(text: &str) -> String {
    text.split(BLANKS).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_cuts_say_what_the_plain_twin_says() {
        const LETTERS: [char; 6] = ['a', 'é', ' ', '\t', '\n', '\r'];
        // All texts of up to six of these.
        for length in 0..=6_u32 {
            for number in 0..LETTERS.len().pow(length) {
                let letter = |at| LETTERS[number / LETTERS.len().pow(at) % LETTERS.len()];
                let text: String = (0..length).map(letter).collect();
                assert_eq!(WhiteSpace::Collapse.apply(&text), collapsed(&text), "{text:?}");
                let replaced: String =
                    text.chars().map(|it| if BLANKS.contains(&it) { ' ' } else { it }).collect();
                assert_eq!(WhiteSpace::Replace.apply(&text), replaced, "{text:?}");
                assert_eq!(WhiteSpace::Preserve.apply(&text), text);
            }
        }
    }

    #[test]
    fn other_blanks_are_none() {
        assert_eq!(WhiteSpace::Collapse.apply("\u{a0}a\u{2003}b\u{a0}"), "\u{a0}a\u{2003}b\u{a0}");
        assert_eq!(WhiteSpace::Collapse.apply("  a \r\n b\t"), "a b");
        assert_eq!(WhiteSpace::Replace.apply("a\t\nb "), "a  b ");
    }
}
