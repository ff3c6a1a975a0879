//! What messages, fields and values are called: by a dictionary, else as the standard has them.

use std::collections::{HashMap, HashSet};

use trunkline_catalogue::fix::{field_name, message_name};
use trunkline_codec::fix::TAG_RULE;
use trunkline_fix::{Draft, Reason, Refused};
use trunkline_import::fix::Dictionary;
use trunkline_import::nearest;

use crate::output::plain;

/// Values that a field takes, and characters of one, that are told.
const VALUES: usize = 12;
const CHARACTERS: usize = 40;

/// The names of a dictionary, or none.
#[derive(Debug, Default)]
pub(super) struct Names {
    fields: HashMap<u32, Field>,
    tags: HashMap<String, u32>,
    /// MsgTypes and their names.
    messages: Vec<(String, String)>,
    /// What stands in JSON as an object of its own.
    components: HashSet<String>,
}

#[derive(Debug)]
struct Field {
    name: String,
    /// What the dictionary calls its type.
    type_name: String,
    /// Codes, and what they mean.
    values: Vec<(String, String)>,
}

impl Names {
    pub(super) fn new(dictionary: Option<&Dictionary>) -> Self {
        let Some(dictionary) = dictionary else { return Self::default() };
        let mut names = Self::default();
        for field in dictionary.fields() {
            let values = field.values.iter().map(|it| (it.code.clone(), it.name.clone())).collect();
            names.tags.entry(field.name.clone()).or_insert(field.tag);
            let type_name = field.type_name.clone();
            let field_names = Field { name: field.name.clone(), type_name, values };
            names.fields.entry(field.tag).or_insert(field_names);
        }
        let components = dictionary.components().iter().map(|it| it.name.clone());
        names.components = components.collect();
        names.components.extend(["StandardHeader", "StandardTrailer"].map(str::to_owned));
        let messages = dictionary.messages().iter();
        names.messages = messages.map(|it| (it.message_type.clone(), it.name.clone())).collect();
        names
    }

    /// The name of a field.
    pub(super) fn field(&self, tag: u32) -> Option<&str> {
        self.fields.get(&tag).map(|it| &*it.name).or_else(|| field_name(tag))
    }

    /// What the dictionary calls the type of a field.
    pub(super) fn type_name(&self, tag: u32) -> Option<&str> {
        self.fields.get(&tag).map(|it| &*it.type_name)
    }

    pub(super) fn is_component(&self, name: &str) -> bool {
        self.components.contains(name)
    }

    /// What a value means, if it is one of those that are listed.
    pub(super) fn meaning(&self, tag: u32, code: &str) -> Option<&str> {
        let values = &self.fields.get(&tag)?.values;
        values.iter().find(|it| it.0 == code).map(|it| &*it.1).filter(|it| !it.is_empty())
    }

    /// The code of a value that may be said by what it means.
    pub(super) fn code<'a>(&'a self, tag: u32, value: &'a str) -> &'a str {
        let values = self.fields.get(&tag).map(|it| &*it.values).unwrap_or_default();
        match values.iter().find(|it| it.1.eq_ignore_ascii_case(value)) {
            Some(named) if !values.iter().any(|it| it.0 == value) => &named.0,
            _ => value,
        }
    }

    /// The number of a field, which is written so or by its name.
    pub(super) fn tag(&self, name: &str) -> Result<u32, String> {
        if name.bytes().all(|it| it.is_ascii_digit()) {
            let tag =
                name.parse::<u32>().ok().filter(|it| i32::try_from(*it).is_ok_and(|it| it > 0));
            return tag
                .filter(|_| !name.starts_with('0'))
                .ok_or_else(|| format!("{name:?} is no tag, which is {TAG_RULE}"));
        }
        let tag = self.tags.get(name).copied().or(match name {
            "MsgType" => Some(35),
            _ => None,
        });
        tag.ok_or_else(|| match self.tags.is_empty() {
            true => {
                format!(
                    "{name}: only --dictionary knows fields by their names; say its tag, {TAG_RULE}"
                )
            }
            false => {
                let meant = nearest(name, self.tags.keys().map(|it| &**it));
                let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
                format!("the dictionary has no field {name}{meant}")
            }
        })
    }

    /// The name of a message.
    pub(super) fn message(&self, message_type: &str) -> Option<&str> {
        let own = self.messages.iter().find(|it| it.0 == message_type).map(|it| &*it.1);
        own.or_else(|| message_name(message_type))
    }

    /// The MsgType of a message, which is written so or by its name.
    pub(super) fn message_type(&self, name: &str) -> Result<String, String> {
        let is_type = self.messages.iter().any(|it| it.0 == name);
        if let Some(message) = self.messages.iter().find(|it| it.1 == name).filter(|_| !is_type) {
            return Ok(message.0.clone());
        }
        // Partners agree upon messages that are in no dictionary, and name them by letters.
        if is_type || name.len() <= 3 {
            return Ok(name.to_owned());
        }
        Err(match self.messages.is_empty() {
            true => {
                format!("{name}: only --dictionary knows messages by their names; say its MsgType")
            }
            false => {
                let meant = nearest(name, self.messages.iter().map(|it| &*it.1));
                let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
                format!("the dictionary has no message {name}{meant}")
            }
        })
    }

    /// A message and a field as they are told: by name, and by number where there is one.
    pub(super) fn not_of(&self, tag: u32, message_type: &str) -> String {
        let name = self.field(tag).map_or_else(|| tag.to_string(), |it| format!("{it} ({tag})"));
        format!("{name} is no field of {}", self.message(message_type).unwrap_or(message_type))
    }

    /// Why a message is refused by the dictionary: which field, what it is, and what it takes.
    pub(super) fn refused(&self, refused: &Refused, draft: &Draft) -> String {
        let words = refused.words();
        let Some(tag) = refused.tag else { return words.to_owned() };
        let name = self.field(tag).map_or_else(|| tag.to_string(), |it| format!("{it} ({tag})"));
        let is = match &*draft.values(tag) {
            [value] => {
                let value: String =
                    String::from_utf8_lossy(value).chars().take(CHARACTERS).collect();
                format!("; it is {:?}", plain(&value))
            }
            _ => String::new(),
        };
        let is_of_value =
            matches!(refused.reason, Reason::ValueIsIncorrect | Reason::IncorrectDataFormat);
        let field = self.fields.get(&tag).filter(|_| is_of_value);
        let takes = field.map(|field| match &*field.values {
            [] => format!(", and its type is {}", field.type_name),
            values => format!(", and it takes {}", listed(values)),
        });
        let takes = takes.unwrap_or_default();
        format!("{name}: {words}{is}{takes}")
    }
}

/// The first of the values of a field, with what they mean.
fn listed(values: &[(String, String)]) -> String {
    let one = |it: &(String, String)| match it.1.is_empty() {
        true => it.0.clone(),
        false => format!("{} ({})", it.0, it.1),
    };
    let some: Vec<String> = values.iter().take(VALUES).map(one).collect();
    let more = values.len().saturating_sub(VALUES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", some.join(", "))
}
