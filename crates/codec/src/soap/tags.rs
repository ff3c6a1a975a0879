//! Start tags whose attributes are fields.
//!
//! A tag is read to its end before any of its values is: a mistake in it is told before a mistake
//! in a value, and a tag that is not what the plan would write is left to the parser untouched.

use trunkline_message::{Fields, Result};
use trunkline_wire::scan;

use super::decoder::{Body, Value};
use super::names::Name;
use super::opening;
use super::plan::{NONE, ScopePlan};
use super::ways::Step;
use crate::xml::{self, Namespace};

/// An attribute that is a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    field: u16,
    /// Is the value between the quotes the value itself?
    plain: bool,
    name: u32,
    /// Where the value begins and ends.
    start: u32,
    end: u32,
}

/// How a start tag ends that is as the plan would write it.
#[derive(Clone, Copy)]
struct TagEnd {
    /// The position behind it.
    at: usize,
    /// Is it an empty-element tag?
    empty: bool,
}

/// Among so many attributes before it, one that breaks the order is looked for.
const SEARCHED: usize = 64;

impl<'a> Body<'a> {
    /// Reads what stands in the element of a message or entry, the attributes of which are held, up
    /// to and including its end tag.
    #[inline(never)]
    pub(super) fn scope_of_tags<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        into: &mut F,
    ) -> Result<()> {
        let base = self.seen.len();
        self.seen.resize(base + scope.required.len(), 0);
        self.check_names();
        self.take_held(base, into)?;
        let mut component = NONE;
        if !std::mem::take(&mut self.ended) {
            while let Step::Between(next) = self.tag(scope, base, component, into)? {
                component = next;
            }
        }
        self.finish(scope, base)
    }

    /// Reads one tag, and what stands inside if it is a field's.
    #[inline]
    fn tag<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        component: u16,
        into: &mut F,
    ) -> Result<Step> {
        if self.as_planned
            && self.parser.is_in_content()
            && let Some(step) = self.expected_tag(scope, base, component, into)?
        {
            return Ok(step);
        }
        self.general_step(scope, base, component, into)
    }

    /// Reads a tag if it is one of the plan's, to the letter.
    #[inline]
    fn expected_tag<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        component: u16,
        into: &mut F,
    ) -> Result<Option<Step>> {
        let (bytes, at) = (self.input.as_bytes(), self.parser.position());
        let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<34>) else {
            return Ok(None);
        };
        if window[1] == b'/' {
            return Ok(self.expected_end(scope, component, at));
        }
        let length = scan::name_length(window);
        match scope.names.guess(component, window, length) {
            Some(Name::Field(field)) => {
                self.expected_element(scope, base, (field.into(), at, length), into)
            }
            Some(Name::Component(inner)) => {
                let start = &scope.components[usize::from(inner)].start;
                if !start.matches(bytes, at) {
                    return Ok(None);
                }
                let Some(end) = self.hold_planned(scope, inner, at + start.len()) else {
                    return Ok(None);
                };
                if !end.empty {
                    self.parser.push_known(at + 1, length)?;
                }
                self.parser.set_position(end.at);
                self.take_held(base, into)?;
                Ok(Some(Step::Between(if end.empty { component } else { inner })))
            }
            None => Ok(None),
        }
    }

    /// Goes into the entry whose start tag begins at `at`, if that is as the plan would write it.
    #[inline]
    pub(super) fn expected_entry(&mut self, entry: &ScopePlan, at: usize) -> Result<bool> {
        if !entry.start.matches(self.input.as_bytes(), at) {
            return Ok(false);
        }
        let Some(end) = self.hold_planned(entry, NONE, at + entry.start.len()) else {
            return Ok(false);
        };
        if !end.empty {
            self.parser.push_known(at + 1, entry.start.len() - 1)?;
        }
        self.ended = end.empty;
        self.parser.set_position(end.at);
        Ok(true)
    }

    /// Reads the attributes of the message's own element: if the way to them is `known`, the
    /// parser stands before them, and behind the tag otherwise. Answers whether it is still known.
    pub(super) fn hold_first(&mut self, known: bool) -> Result<bool> {
        let scope = &self.plan.scopes[0];
        if known && self.expected {
            if let Some(end) = self.hold_planned(scope, NONE, self.parser.position()) {
                self.parser.set_position(end.at);
                self.ended = end.empty;
                if end.empty {
                    self.parser.pop_known_elements(1);
                }
                return Ok(true);
            }
        }
        if known {
            opening::open(self.plan, self.input, self.parser)?;
        }
        self.hold(scope, NONE);
        Ok(false)
    }

    /// Holds the attributes from `at` to the end of a start tag, if all are the plan's own, to the
    /// letter, and none stands twice.
    #[inline]
    fn hold_planned(&mut self, scope: &ScopePlan, component: u16, mut at: usize) -> Option<TagEnd> {
        self.held.clear();
        let bytes = self.input.as_bytes();
        let mut next = 0;
        loop {
            let window = bytes.get(at..)?.first_chunk::<34>()?;
            match window {
                [b' ', ..] => {}
                [b'>', ..] => return Some(TagEnd { at: at + 1, empty: false }),
                [b'/', b'>', ..] => return Some(TagEnd { at: at + 2, empty: true }),
                _ => return None,
            }
            let length = scan::attribute_name_length(window);
            let Name::Field(field) = scope.attributes.guess(component, window, length)? else {
                return None;
            };
            let tag = &scope.slots[usize::from(field)].start;
            let start = at + tag.len();
            if !tag.matches(bytes, at) || field < next && self.holds(field) {
                return None;
            }
            let end = scan::find_quote(bytes, start);
            if bytes.get(end) != Some(&b'"') {
                return None;
            }
            let (name, start, end) = ((at + 1) as u32, start as u32, end as u32);
            self.held.push(Held { field, plain: true, name, start, end });
            next = field + 1;
            at = end as usize + 1;
        }
    }

    /// Is it held already? Also where there are too many to look.
    fn holds(&self, field: u16) -> bool {
        self.held.len() > SEARCHED || self.held.iter().any(|held| held.field == field)
    }

    /// Holds the attributes of the start tag that the parser read last.
    pub(super) fn hold(&mut self, scope: &ScopePlan, component: u16) {
        self.held.clear();
        let offset = |part: &str| part.as_ptr().addr() - self.input.as_ptr().addr();
        for attribute in self.parser.attributes(self.input) {
            let (name, raw) = (attribute.name.qualified(), attribute.raw);
            let own = attribute.name.namespace == Namespace::NONE;
            let meaning = scope.attributes.get(component, name.as_bytes()).filter(|_| own);
            if let Some(Name::Field(field)) = meaning {
                self.held.push(Held {
                    field,
                    plain: attribute.plain,
                    name: offset(name) as u32,
                    start: offset(raw) as u32,
                    end: (offset(raw) + raw.len()) as u32,
                });
            }
        }
    }

    /// Reads the values that are held.
    #[inline]
    pub(super) fn take_held<F: Fields>(&mut self, base: usize, into: &mut F) -> Result<()> {
        for at in 0..self.held.len() {
            let Held { field, plain, name, start, end } = self.held[at];
            self.note(field.into(), base, name as usize)?;
            self.value = match plain {
                true => Value::Input(start as usize, end as usize),
                false => self.normalised(start as usize, end as usize),
            };
            into.decode_field(field.into(), self)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn normalised(&mut self, start: usize, end: usize) -> Value {
        self.scratch.clear();
        xml::normalise_attribute(&self.input[start..end], self.scratch);
        Value::Scratch(start)
    }
}
