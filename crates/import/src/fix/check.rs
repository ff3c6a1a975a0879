//! Fields that stand at two places of one message.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::dictionary::{DEEPEST, Dictionary, Group, Message, Of, Part};
use crate::problem::Warnings;

/// Takes fields out of messages that the header or trailer has, and warns of those; and of fields that stand twice, or in
/// a group and around it.
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
        put_before_groups(dictionary, &mut message.parts);
    }
    for message in messages {
        let (title, warned) = (&*message.title, HashSet::new());
        let mut chain = Chain { dictionary, title, warned, depth: 0 };
        let flat = Flat { tags: framing.tags.clone(), ..Flat::default() };
        chain.groups(&message.parts, flat, &HashMap::new(), warnings);
    }
}

/// Puts fields of the message that stand in entries of a group before it, too, before the first group: behind it they
/// would be read as those of its last entry.
fn put_before_groups(dictionary: &Dictionary, parts: &mut [Part]) {
    let mut entries = Entries { dictionary, tags: HashSet::new(), seen: HashSet::new() };
    let mut first = None;
    for index in 0..parts.len() {
        let at = first.unwrap_or(index);
        match tag_of(dictionary, &parts[index]) {
            Some(tag) if entries.tags.contains(&tag) => {
                parts[at..=index].rotate_right(1);
                first = Some(at + 1);
            }
            Some(_) => {}
            None => {
                entries.collect(parts[index].of, false, 0);
                first = first.or((!entries.tags.is_empty()).then_some(index));
            }
        }
    }
}

/// The tags of what stands in entries of groups, at any depth.
struct Entries<'a> {
    dictionary: &'a Dictionary,
    tags: HashSet<u32>,
    seen: HashSet<(Of, bool)>,
}

impl Entries<'_> {
    fn collect(&mut self, of: Option<Of>, is_inside: bool, depth: usize) {
        let dictionary = self.dictionary;
        let Some(of) = of.filter(|it| depth <= DEEPEST && self.seen.insert((*it, is_inside)))
        else {
            return;
        };
        let (parts, tag, is_entry) = match of {
            Of::Field(index) => (&[][..], Some(dictionary.fields[index].tag), is_inside),
            Of::Component(index) => (&*dictionary.components[index].parts, None, is_inside),
            Of::Group(index) => {
                let Group { counter, parts, .. } = &dictionary.groups[index];
                (&**parts, counter.map(|it| dictionary.fields[it].tag), true)
            }
        };
        self.tags.extend(tag.filter(|_| is_inside));
        parts.iter().for_each(|it| self.collect(it.of, is_entry, depth + 1));
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
    /// Looks at parts, which stand behind those that are `flat` with them.
    fn groups(
        &mut self,
        parts: &'a [Part],
        mut flat: Flat<'a>,
        around: &HashMap<u32, &'a Part>,
        warnings: &mut Warnings,
    ) {
        collect(self.dictionary, parts, &mut flat);
        for (tag, part) in &flat.twice {
            if self.warned.insert((usize::MAX, *tag)) {
                let what =
                    format!("{} ({tag}) stands twice in the message {}", part.name, self.title);
                warnings.add(&part.place, what, "the first is taken");
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
                    warnings.add(
                        &part.place,
                        what,
                        "it is the entry's wherever entries may have it",
                    );
                }
            }
            if self.depth <= DEEPEST {
                self.depth += 1;
                self.groups(&group.parts, Flat::default(), &around, warnings);
                self.depth -= 1;
            }
        }
    }
}
