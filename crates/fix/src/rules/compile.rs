//! From a dictionary to rules: components are looked into, names become numbers.

use foldhash::HashSet;
use trunkline_import::fix::{Datatype, Dictionary, Of, Part};
use trunkline_message::Kind;

use super::format::Format;
use super::members::Members;
use super::{FieldRule, Member, Rules, Values};
use crate::tags::Tag;

/// Components and groups inside one another that are looked into; what is deeper holds itself.
const DEEPEST: usize = 64;

pub(super) fn rules(dictionary: &Dictionary) -> Rules {
    let compiler = Compiler(dictionary);
    // A char of FIX 4.0 and 4.1 has any number of characters.
    let has_long_chars = matches!(dictionary.begin_string(), Some("FIX.4.0" | "FIX.4.1"));
    let fields = dictionary.fields().iter().map(|field| {
        let mut values = Values::default();
        field.values.iter().for_each(|it| values.add(it.code.as_bytes()));
        let is_listed = !field.values.is_empty()
            && !field.is_open
            && field.datatype != Datatype::Value(Kind::Boolean);
        FieldRule {
            format: match Format::of(field.datatype) {
                Format::Character if has_long_chars => Format::Any,
                format => format,
            },
            values: is_listed.then_some(values),
            has_several: field.datatype == Datatype::Values,
        }
    });
    let places = dictionary.fields().iter().enumerate().map(|(place, field)| (field.tag, place));
    let messages = dictionary.messages().iter();
    let messages =
        messages.map(|it| (it.message_type.as_bytes().into(), compiler.members(&it.parts, 0)));
    Rules {
        fields: fields.collect(),
        places: places.collect(),
        messages: messages.collect(),
        header: compiler.members(dictionary.header(), 0),
        trailer: compiler.members(dictionary.trailer(), 0),
    }
}

struct Compiler<'a>(&'a Dictionary);

/// Members in their order, each number once.
#[derive(Default)]
struct Found {
    members: Vec<Member>,
    tags: HashSet<Tag>,
    required: Vec<Tag>,
}

impl Compiler<'_> {
    /// Members that stand so deep inside of one another.
    fn members(&self, parts: &[Part], depth: usize) -> Members {
        let mut found = Found::default();
        self.add(parts, true, &mut found, depth);
        Members::new(found.members, found.required)
    }

    /// Adds what stands in parts, of which some must be there if what holds them must.
    fn add(&self, parts: &[Part], is_required: bool, found: &mut Found, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for part in parts {
            let is_required = is_required && part.is_required;
            let (field, group) = match part.of {
                Some(Of::Component(component)) => {
                    let parts = &self.0.components()[component].parts;
                    self.add(parts, is_required, found, depth + 1);
                    continue;
                }
                Some(Of::Field(field)) => (field, None),
                Some(Of::Group(group)) => {
                    let group = &self.0.groups()[group];
                    let Some(counter) = group.counter else { continue };
                    (counter, Some(Box::new(self.members(&group.parts, depth + 1))))
                }
                None => continue,
            };
            let tag = self.0.fields()[field].tag;
            if is_required {
                found.required.push(tag);
            }
            if found.tags.insert(tag) {
                let position = u32::try_from(found.members.len()).unwrap_or(u32::MAX);
                found.members.push(Member { tag, position, field, group });
            }
        }
    }
}
