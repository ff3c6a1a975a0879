//! From a dictionary to rules: components are looked into, names become numbers.

use trunkline_import::fix::{Datatype, Dictionary, Of, Part};
use trunkline_message::Kind;

use super::format::Format;
use super::{FieldRule, Member, Members, Rules, Values};

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
        messages.map(|it| (it.message_type.as_bytes().into(), compiler.members(&it.parts)));
    Rules {
        fields: fields.collect(),
        places: places.collect(),
        messages: messages.collect(),
        header: compiler.members(dictionary.header()),
        trailer: compiler.members(dictionary.trailer()),
    }
}

struct Compiler<'a>(&'a Dictionary);

impl Compiler<'_> {
    fn members(&self, parts: &[Part]) -> Members {
        let mut members = Members::default();
        self.add(parts, true, &mut members, 0);
        members
    }

    /// Adds what stands in parts, of which some must be there if what holds them must.
    fn add(&self, parts: &[Part], is_required: bool, members: &mut Members, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for part in parts {
            let is_required = is_required && part.is_required;
            let (field, group) = match part.of {
                Some(Of::Component(component)) => {
                    let parts = &self.0.components()[component].parts;
                    self.add(parts, is_required, members, depth + 1);
                    continue;
                }
                Some(Of::Field(field)) => (field, None),
                Some(Of::Group(group)) => {
                    let group = &self.0.groups()[group];
                    let Some(counter) = group.counter else { continue };
                    let mut inner = Members::default();
                    self.add(&group.parts, true, &mut inner, depth + 1);
                    (counter, Some(inner))
                }
                None => continue,
            };
            let tag = self.0.fields()[field].tag;
            if members.all.is_empty() {
                members.first = tag;
            }
            let position = u32::try_from(members.all.len()).unwrap_or(u32::MAX);
            if is_required {
                members.required.push(tag);
            }
            members.all.entry(tag).or_insert(Member { position, field, group });
        }
    }
}
