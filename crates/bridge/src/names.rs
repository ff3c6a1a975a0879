//! What fields and messages are called in rules: by a dictionary, else as the standard has them.

use trunkline_catalogue::fix::{field_name, message_name};
use trunkline_import::fix::Dictionary;

/// Bytes of a value that an answer quotes.
const QUOTED: usize = 200;

/// A value of the other side, as far as answers and the log quote it.
pub(crate) fn cut(value: &str) -> &str {
    &value[..value.floor_char_boundary(QUOTED)]
}

/// Numbers of fields that the standard may give a name.
const TAGS: u32 = 50_000;

/// The names of fields and messages.
#[derive(Debug, Default)]
pub(crate) struct Names {
    fields: Vec<(String, u32)>,
    /// Names of messages and their MsgTypes.
    messages: Vec<(String, String)>,
}

impl Names {
    pub(crate) fn new(dictionary: Option<&Dictionary>) -> Self {
        let Some(dictionary) = dictionary else { return Self::default() };
        let fields = dictionary.fields().iter().map(|it| (it.name.clone(), it.tag));
        let messages = dictionary.messages().iter();
        let messages = messages.map(|it| (it.name.clone(), it.message_type.clone()));
        Self { fields: fields.collect(), messages: messages.collect() }
    }

    /// The number of a field, which is written so or by its name.
    pub(crate) fn tag(&self, name: &str) -> Option<u32> {
        if let Ok(tag) = name.parse() {
            return Some(tag).filter(|it| *it > 0);
        }
        let own = self.fields.iter().find(|it| it.0 == name).map(|it| it.1);
        own.or_else(|| (1..TAGS).find(|it| field_name(*it) == Some(name)))
    }

    /// The name of a field with its number, as errors say it.
    pub(crate) fn field(&self, tag: u32) -> String {
        let own = self.fields.iter().find(|it| it.1 == tag).map(|it| &*it.0);
        match own.or_else(|| field_name(tag)) {
            Some(name) => format!("{name} ({tag})"),
            None => format!("the field {tag}"),
        }
    }

    /// The MsgType of a message, which is written so or by its name.
    pub(crate) fn message_type(&self, name: &str) -> Option<String> {
        let own = |it: &&(String, String)| it.0 == name || it.1 == name;
        if let Some((_, message_type)) = self.messages.iter().find(own) {
            return Some(message_type.clone());
        }
        // Two sides agree upon messages that are in no dictionary, and name them by letters.
        if (1..=3).contains(&name.len()) && name.bytes().all(|it| it.is_ascii_alphanumeric()) {
            return Some(name.to_owned());
        }
        let letters = || (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z').map(char::from);
        let one = letters().map(String::from);
        let two = ('A'..='C').flat_map(|first| letters().map(move |it| format!("{first}{it}")));
        one.chain(two).find(|it| message_name(it) == Some(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_between_characters() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&format!("x{}", "é".repeat(500))).len(), 199);
    }

    #[test]
    fn names_of_the_standard_are_known_without_a_dictionary() {
        let names = Names::default();
        assert_eq!(names.tag("Symbol"), Some(55));
        assert_eq!(names.tag("55"), Some(55));
        assert_eq!((names.tag("0"), names.tag("Symbl")), (None, None));
        assert_eq!(names.message_type("NewOrderSingle").as_deref(), Some("D"));
        assert_eq!(names.message_type("ExecutionReport").as_deref(), Some("8"));
        assert_eq!(names.message_type("U1").as_deref(), Some("U1"));
        assert_eq!(names.message_type("NewOrder"), None);
        assert_eq!(names.field(55), "Symbol (55)");
    }
}
