//! Fields that stand at two places of one message.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::dictionary::{DEEPEST, Dictionary, Message, Of, Part};
use crate::problem::Warnings;

const NO_PLAN: &str = "no plan of FIX has both: take one out, or number it apart";

/// Takes fields out of messages that the header or trailer has, and warns of those; and of fields that stand in a
/// group and around it, which tag=value cannot tell apart wherever they come.
pub(super) fn check(dictionary: &mut Dictionary, warnings: &mut Warnings) {
    let mut messages = std::mem::take(&mut dictionary.messages);
    check_messages(dictionary, &mut messages, warnings);
    dictionary.messages = messages;
}

fn check_messages(dictionary: &Dictionary, messages: &mut [Message], warnings: &mut Warnings) {
    let mut framing = Flat::default();
    for frame in [&dictionary.header, &dictionary.trailer] {
        collect(dictionary, frame, &mut framing);
    }
    let fields = &dictionary.fields;
    for message in &mut *messages {
        let title = &message.title;
        message.parts.retain(|part| {
            let Some(Of::Field(field)) = part.of else { return true };
            let is_framing = framing.tags.contains_key(&fields[field].tag);
            if is_framing {
                let what =
                    format!("the message {title} has {}, as its header or trailer has", part.name);
                warnings.add(&part.place, what, "that of the header or trailer is taken");
            }
            !is_framing
        });
    }
    for message in messages {
        let (title, warned) = (&*message.title, HashSet::new());
        let mut chain = Chain { dictionary, title, warned, depth: 0 };
        chain.groups(&message.parts, &framing.tags, warnings);
    }
}

/// The fields among which others stand: those of a message or entry, components included.
#[derive(Default)]
struct Flat<'a> {
    tags: HashMap<u32, &'a Part>,
    /// Those of which there is one already.
    twice: Vec<(u32, &'a Part)>,
    groups: Vec<usize>,
    /// Components are looked into once: one may hold itself, and others again and again.
    components: HashSet<usize>,
    depth: usize,
}

fn collect<'a>(dictionary: &'a Dictionary, parts: &'a [Part], into: &mut Flat<'a>) {
    for part in parts {
        match part.of {
            Some(Of::Field(index)) => {
                add(dictionary.fields[index].tag, part, into);
            }
            Some(Of::Group(index)) => {
                let group = &dictionary.groups[index];
                let counter = group.counter.map(|it| dictionary.fields[it].tag);
                counter.into_iter().for_each(|it| add(it, part, into));
                into.groups.push(index);
            }
            Some(Of::Component(index)) => {
                let inside = &dictionary.components[index].parts;
                if into.depth > DEEPEST {
                    // There is no layout of it.
                } else if into.components.insert(index) {
                    into.depth += 1;
                    collect(dictionary, inside, into);
                    into.depth -= 1;
                } else if let Some(tag) = inside.iter().find_map(|it| tag_of(dictionary, it)) {
                    into.twice.push((tag, part));
                }
            }
            None => {}
        }
    }
}

fn tag_of(dictionary: &Dictionary, part: &Part) -> Option<u32> {
    match part.of? {
        Of::Field(index) => Some(dictionary.fields[index].tag),
        Of::Group(_) | Of::Component(_) => None,
    }
}

fn add<'a>(tag: u32, part: &'a Part, into: &mut Flat<'a>) {
    match into.tags.entry(tag) {
        Entry::Occupied(_) => into.twice.push((tag, part)),
        Entry::Vacant(place) => _ = place.insert(part),
    }
}

struct Chain<'a> {
    dictionary: &'a Dictionary,
    title: &'a str,
    /// Once for each field of a group.
    warned: HashSet<(usize, u32)>,
    depth: usize,
}

impl<'a> Chain<'a> {
    fn groups(
        &mut self,
        parts: &'a [Part],
        around: &HashMap<u32, &'a Part>,
        warnings: &mut Warnings,
    ) {
        let mut flat = Flat::default();
        collect(self.dictionary, parts, &mut flat);
        for (tag, part) in &flat.twice {
            if self.warned.insert((usize::MAX, *tag)) {
                let what =
                    format!("{} ({tag}) stands twice in the message {}", part.name, self.title);
                warnings.add(&part.place, what, NO_PLAN);
            }
        }
        let mut around = around.clone();
        around.extend(flat.tags);
        for index in flat.groups {
            let group = &self.dictionary.groups[index];
            // An entry that holds itself has its own tags around it, and ends here.
            if group.counter.is_none() || !self.warned.insert((index, 0)) {
                continue;
            }
            let mut inside = Flat::default();
            collect(self.dictionary, &group.parts, &mut inside);
            let mut both: Vec<_> =
                inside.tags.iter().filter(|(tag, _)| around.contains_key(tag)).collect();
            both.sort_by_key(|(tag, _)| **tag);
            for (tag, part) in both {
                if self.warned.insert((index, *tag)) {
                    let (name, group) = (&part.name, &group.name);
                    let what = format!(
                        "{name} ({tag}) stands in the group {group} and around it in the message {}",
                        self.title
                    );
                    warnings.add(&part.place, what, NO_PLAN);
                }
            }
            if self.depth <= DEEPEST {
                self.depth += 1;
                self.groups(&group.parts, &around, warnings);
                self.depth -= 1;
            }
        }
    }
}
