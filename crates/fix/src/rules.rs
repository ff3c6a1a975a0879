//! What a dictionary says of messages, so that each is checked by a few look-ups a field.

mod compile;
mod format;
mod lengths;
mod members;

use foldhash::{HashMap, HashSet};
use trunkline_import::fix::Dictionary;

use crate::message::{Field, Message};
use crate::reject::{Reason, Refused};
use crate::tags::{self, Tag};
use format::Format;
use members::{Members, Seen};

/// How strictly messages are held to their dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validation {
    /// A field must have a value.
    pub fields_have_values: bool,
    /// Fields of the header stand before the body, those of the trailer behind it.
    pub fields_in_order: bool,
    /// A field of a message stands in the dictionary, among those of the message.
    pub fields_are_known: bool,
    /// The same for the numbers from 5000 on, which partners agree upon.
    pub user_fields_are_known: bool,
    /// The entries of a group have their fields in the dictionary's order.
    pub groups_in_order: bool,
    /// A field that has to be there is there.
    pub required_fields: bool,
}

impl Default for Validation {
    fn default() -> Self {
        Self {
            fields_have_values: true,
            fields_in_order: true,
            fields_are_known: true,
            user_fields_are_known: true,
            groups_in_order: true,
            required_fields: true,
        }
    }
}

/// The rules of one dictionary.
#[derive(Debug)]
pub struct Rules {
    fields: Vec<FieldRule>,
    /// Where each field is among them.
    places: HashMap<Tag, usize>,
    messages: HashMap<Box<[u8]>, Members>,
    header: Members,
    trailer: Members,
}

#[derive(Debug)]
struct FieldRule {
    format: Format,
    /// The values that it may have, if they are listed and no others may be.
    values: Option<Values>,
    has_several: bool,
}

/// Values that a field may have: most are one character.
#[derive(Debug, Default)]
struct Values {
    characters: [u64; 4],
    longer: HashSet<Box<[u8]>>,
}

impl Values {
    fn add(&mut self, value: &[u8]) {
        match value {
            [character] => self.characters[usize::from(character >> 6)] |= 1 << (character & 63),
            _ => _ = self.longer.insert(value.into()),
        }
    }

    fn has(&self, value: &[u8]) -> bool {
        match value {
            [character] => {
                self.characters[usize::from(character >> 6)] & (1 << (character & 63)) != 0
            }
            _ => self.longer.contains(value),
        }
    }
}

#[derive(Debug)]
struct Member {
    tag: Tag,
    /// Its place among the members.
    position: u32,
    /// The place of its field among those of the rules.
    field: usize,
    /// It counts entries of these.
    group: Option<Box<Members>>,
}

/// The smallest number of a field that partners agree upon.
const USER: Tag = 5_000;

impl Rules {
    /// The rules of a dictionary.
    pub fn of(dictionary: &Dictionary) -> Self {
        compile::rules(dictionary)
    }

    /// Is there such a message?
    pub(crate) fn knows(&self, message_type: &[u8]) -> bool {
        self.messages.contains_key(message_type)
    }

    /// Checks a message whose header and trailer are those of `transport`: rules of FIXT 1.1 for FIX 5.0, or the same.
    pub(crate) fn check(
        &self,
        transport: &Self,
        message: Message<'_>,
        validation: Validation,
    ) -> Result<(), Refused> {
        let parts = parts(message, validation)?;
        lengths::check(message)?;
        let members = self.messages.get(message.message_type());
        let Some(members) = members else { return Err(Refused::of(Reason::InvalidMsgType)) };
        let [header, body, trailer] = parts;
        let parts = [
            (transport, &transport.header, header),
            (self, members, body),
            (transport, &transport.trailer, trailer),
        ];
        let conforms = parts.iter().all(|(rules, members, fields)| {
            let mut check = Check { rules, message, validation, rest: fields };
            let seen = check.members(members);
            seen.is_ok_and(|seen| !validation.required_fields || members.are_complete(&seen))
        });
        if conforms { Ok(()) } else { Self::refuse(parts, message, validation) }
    }

    /// The same, step by step, to say what is wrong first: fields that are missing, then those that are there.
    fn refuse(
        parts: [(&Self, &Members, &[Field]); 3],
        message: Message<'_>,
        validation: Validation,
    ) -> Result<(), Refused> {
        let [header, body, trailer] = parts;
        if validation.required_fields {
            for (_, members, fields) in [header, trailer, body] {
                required(members, fields)?;
            }
        }
        for (rules, members, fields) in parts {
            let mut check = Check { rules, message, validation, rest: fields };
            check.members(members)?;
        }
        Ok(())
    }
}

/// Header, body and trailer.
fn parts<'a>(message: Message<'a>, validation: Validation) -> Result<[&'a [Field]; 3], Refused> {
    let fields = message.fields();
    let is_header = |it: &Field| tags::is_of_header(it.tag);
    let is_trailer = |it: &Field| tags::is_of_trailer(it.tag);
    let begin = fields.iter().position(|it| !is_header(it)).unwrap_or(fields.len());
    let behind = &fields[begin..];
    let end = behind.iter().position(is_trailer).unwrap_or(behind.len());
    let misplaced = behind[..end].iter().find(|it| is_header(it));
    let misplaced = misplaced.or_else(|| behind[end..].iter().find(|it| !is_trailer(it)));
    if let Some(field) = misplaced.filter(|_| validation.fields_in_order) {
        return Err(Refused::at(Reason::OutOfRequiredOrder, field.tag));
    }
    Ok([&fields[..begin], &behind[..end], &behind[end..]])
}

fn required(members: &Members, fields: &[Field]) -> Result<(), Refused> {
    let missing = members.required().iter().find(|tag| !fields.iter().any(|it| it.tag == **tag));
    missing.map_or(Ok(()), |tag| Err(Refused::at(Reason::RequiredTagMissing, *tag)))
}

/// The rest of the fields that are checked.
struct Check<'a> {
    rules: &'a Rules,
    message: Message<'a>,
    validation: Validation,
    rest: &'a [Field],
}

impl<'a> Check<'a> {
    /// Checks fields that stand in any order, once each, and returns which of them are there.
    fn members(&mut self, members: &Members) -> Result<Seen, Refused> {
        let mut seen = Seen::default();
        while let Some((field, rest)) = self.rest.split_first() {
            self.rest = rest;
            let member = members.get(field.tag);
            if !seen.add(field.tag, member) {
                return Err(Refused::at(Reason::TagAppearsMoreThanOnce, field.tag));
            }
            let place = member.map(|it| it.field);
            self.field(field, place.or_else(|| self.rules.places.get(&field.tag).copied()))?;
            let Some(member) = member else {
                self.unknown(field)?;
                continue;
            };
            if let Some(group) = &member.group {
                self.group(field, group)?;
            }
        }
        Ok(seen)
    }

    /// Checks the value of a field, which is at a place among those of the rules.
    fn field(&self, field: &Field, place: Option<usize>) -> Result<(), Refused> {
        let value = self.message.value(field);
        if value.is_empty() {
            return match self.validation.fields_have_values {
                true => Err(Refused::at(Reason::TagWithoutValue, field.tag)),
                false => Ok(()),
            };
        }
        let Some(rule) = place.map(|it| &self.rules.fields[it]) else { return Ok(()) };
        if !rule.format.has(value) {
            return Err(Refused::at(Reason::IncorrectDataFormat, field.tag));
        }
        let Some(values) = &rule.values else { return Ok(()) };
        let is_listed = match rule.has_several {
            true => value.split(|it| *it == b' ').all(|it| values.has(it)),
            false => values.has(value),
        };
        is_listed.then_some(()).ok_or(Refused::at(Reason::ValueIsIncorrect, field.tag))
    }

    /// A field that is not among those of the message.
    fn unknown(&self, field: &Field) -> Result<(), Refused> {
        let is_asked = match field.tag >= USER {
            true => self.validation.user_fields_are_known,
            false => self.validation.fields_are_known,
        };
        if !is_asked || matches!(field.tag, tags::BEGIN_STRING..=tags::CHECK_SUM | tags::MSG_TYPE) {
            return Ok(());
        }
        let text = || String::from_utf8_lossy(self.message.tag_text(field)).into_owned();
        Err(match self.rules.places.contains_key(&field.tag) {
            true => Refused::at(Reason::TagNotDefinedForMessage, field.tag),
            false => Refused {
                tag_text: Some(text()),
                ..Refused::at(Reason::InvalidTagNumber, field.tag)
            },
        })
    }

    /// Checks the entries behind the field that counts them.
    fn group(&mut self, counter: &Field, group: &Members) -> Result<(), Refused> {
        let number = || Refused::at(Reason::IncorrectNumInGroup, counter.tag);
        let stated: usize = std::str::from_utf8(self.message.value(counter))
            .ok()
            .and_then(|it| it.parse().ok())
            .ok_or_else(number)?;
        let mut entries = 0;
        while let Some(field) = self.rest.first().filter(|it| group.get(it.tag).is_some()) {
            if field.tag != group.first() {
                let (counter, first) = (counter.tag, group.first());
                let text = format!("The group {counter} must set the delimiter field {first}");
                let refused = Refused::at(Reason::GroupOutOfOrder, field.tag);
                return Err(Refused { text: Some(text.into()), ..refused });
            }
            self.entry(group)?;
            entries += 1;
        }
        if entries == stated { Ok(()) } else { Err(number()) }
    }

    /// Checks one entry, up to the next one or what is no member.
    fn entry(&mut self, group: &Members) -> Result<(), Refused> {
        let begin = self.rest;
        let (mut seen, mut position, mut is_begun) = (Seen::default(), 0, false);
        while let Some((field, rest)) = self.rest.split_first() {
            let Some(member) = group.get(field.tag) else { break };
            if field.tag == group.first() && is_begun {
                break;
            }
            (self.rest, is_begun) = (rest, true);
            if !seen.add(field.tag, Some(member)) {
                return Err(Refused::at(Reason::TagAppearsMoreThanOnce, field.tag));
            }
            if member.position < position && self.validation.groups_in_order {
                return Err(Refused::at(Reason::GroupOutOfOrder, field.tag));
            }
            position = member.position;
            self.field(field, Some(member.field))?;
            if let Some(inner) = &member.group {
                self.group(field, inner)?;
            }
        }
        if self.validation.required_fields && !group.are_complete(&seen) {
            required(group, &begin[..begin.len() - self.rest.len()])?;
        }
        Ok(())
    }
}
