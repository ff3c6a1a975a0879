//! Mixed content: text between elements, in a list of choices of which one arm is the text (XML Schema
//! part 1 section 3.4.2). Nothing of the text is lost; comments are none of it.

use trunkline_codec::infoset::Event;
use trunkline_message::{Entries, Error, ErrorKind, Field, Fields, Holds, Kind, Need, Result};
use trunkline_message::{ScopeId, Shape as ScopeShape};

use crate::binding::{is_by_type, is_mixed, of_member};
use crate::container::Container;
use crate::decoder::Body;
use crate::entries::Run;
use crate::form::{Form, Value};
use crate::names::Name;
use crate::naming::Naming;
use crate::plan::{NONE, ScopePlan, Shape, Slot};

impl Naming<'_> {
    /// Is the field a list of elements with text between them? Where content is by the encoding rules,
    /// and in flat and compact forms, which have no elements for it, the text has one, too.
    pub(super) fn is_mixed(&self, field: &Field) -> bool {
        let options = self.options;
        let is_by_names = options.flat || options.compact_tags || options.style.is_encoded();
        matches!(field.holds, Holds::Group(_)) && is_mixed(self.layout, field) && !is_by_names
    }

    /// Are the arms that the scope describes those of such a list?
    pub(super) fn is_mixed_scope(&self, id: ScopeId) -> bool {
        let is_choice = self.layout.scope(id).shape == ScopeShape::Choice;
        is_choice && self.layout.field_of(id).is_some_and(|it| self.is_mixed(it))
    }

    /// Is the text of mixed content noted of the field, which is an arm?
    pub(super) fn is_text_arm(&self, id: ScopeId, index: usize) -> bool {
        let scope = self.layout.scope(id);
        let noted = of_member(self.layout, scope.fields[index].member, "kind") == Some("text");
        noted && scope.shape == ScopeShape::Choice
    }

    /// # Errors
    /// A list cannot be mixed content, or a choice with text stands elsewhere.
    pub(super) fn check_mixed(&self, id: ScopeId, index: usize) -> std::result::Result<(), String> {
        let scope = self.layout.scope(id);
        let field = &scope.fields[index];
        let inner = field.holds.scope();
        let has_text = inner.is_some_and(|inner| {
            let arms = 0..self.layout.scope(inner).fields.len();
            arms.into_iter().any(|arm| self.is_text_arm(inner, arm))
        });
        let fail = |what: &str| Err(format!("xml(list = \"mixed\") {what}"));
        if !is_mixed(self.layout, field) {
            return match has_text {
                true => Err("an arm that is text, but no xml(list = \"mixed\") around it".into()),
                false => Ok(()),
            };
        }
        let (Holds::Group(inner), ScopeShape::Struct) = (field.holds, scope.shape) else {
            return fail("of what is no list in a struct");
        };
        let arms = self.layout.scope(inner);
        if arms.shape != ScopeShape::Choice || is_by_type(self.layout, field.member, arms.of) {
            return fail("of what is no list of choices by element");
        }
        let texts: Vec<usize> =
            (0..arms.fields.len()).filter(|it| self.is_text_arm(inner, *it)).collect();
        match texts[..] {
            [arm] if arms.fields[arm].holds == Holds::Value(Kind::Text) => {}
            [_] => return fail("with an arm that is text and holds something else"),
            _ => return fail("of a choice without one arm that is xml(text)"),
        }
        if field.need == Need::Optional {
            return fail("of an optional list: no list and an empty one are the same");
        }
        match self.is_mixed(field) && self.has_others(id, index) {
            true => fail("beside elements"),
            false => Ok(()),
        }
    }
}

impl<'a, R: Form> Body<'a, R> {
    /// Reads the elements and texts up to and including the end tag of the element around them.
    #[inline(never)]
    pub(super) fn mixed_entries<G: Entries>(
        &mut self,
        slot: &'a Slot,
        container: &'a Container,
        into: &mut G,
    ) -> Result<()> {
        into.clear();
        if std::mem::replace(&mut self.run, Run::First) == Run::Empty {
            return Ok(());
        }
        let plan = self.plan;
        let inner = usize::from(slot.scope);
        let scope = &plan.scopes[inner];
        let (outer, field) = (self.scope, self.field);
        self.measure(scope);
        let mut count = 0;
        loop {
            let text_at = self.reader.position();
            self.scratch.clear();
            let next = self.text_before(slot, scope, text_at)?;
            if !self.scratch.is_empty() {
                self.count_entry()?;
                self.fields += 1;
                (self.scope, self.field) = (inner, scope.text.into());
                self.value = Value::Scratch(text_at);
                let read = into.next_entry().decode_field(self.field, self);
                read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
                (self.scope, self.field) = (outer, field);
                count += 1;
            }
            let Some((arm, at)) = next else { break };
            self.count_entry()?;
            (self.scope, self.field) = (inner, arm.into());
            let read = self.begun(at, false, into.next_entry());
            read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
            (self.scope, self.field) = (outer, field);
            count += 1;
        }
        self.check_names();
        self.check_count(None, container.fixed, count)
    }

    /// Reads the text, which began at `text_at`, up to the start tag of an arm, and says which and where
    /// it begins; or to the end tag of the element around.
    fn text_before(
        &mut self,
        slot: &Slot,
        scope: &ScopePlan,
        text_at: usize,
    ) -> Result<Option<(u16, usize)>> {
        loop {
            match self.reader.next()? {
                Event::Text(text) => self.reader.append(text, self.scratch),
                Event::Start(name) => {
                    let at = self.reader.began();
                    self.check_names();
                    if let Some(Name::Field(arm)) = self.meaning(scope, NONE, name) {
                        self.opened(scope.slots[usize::from(arm)].namespace_number, name);
                        return Ok(Some((arm, at)));
                    }
                    if let Some(Name::Field(arm)) = self.any_entry(scope, name) {
                        return Ok(Some((arm, at)));
                    }
                    self.unknown_in_list(slot, (at, name))?;
                    self.reader.skip()?;
                    self.check_names();
                }
                Event::End => return Ok(None),
                Event::Eof => {
                    let kind = ErrorKind::Truncated { expected: "an end tag" };
                    return Err(Error::new(kind, self.reader.began()));
                }
            }
            self.check_mixed_text(text_at)?;
        }
    }

    fn check_mixed_text(&self, at: usize) -> Result<()> {
        let limit = self.limits.value_bytes;
        match self.scratch.len() > limit {
            true => Err(self.error(ErrorKind::Limit { name: "value_bytes", limit }, at)),
            false => Ok(()),
        }
    }

    /// Reads a field that is mixed content, and the end tag of the element around it.
    pub(super) fn mixed_between_tags<F: Fields>(
        &mut self,
        field: usize,
        seen: &mut [u64],
        into: &mut F,
    ) -> Result<()> {
        let at = self.reader.position();
        self.note(field, seen, at)?;
        (self.field, self.run) = (field, Run::First);
        into.decode_field(field, self)
    }
}

impl Slot {
    /// Is it a list in the element around it, with nothing else there?
    pub(super) fn is_mixed(&self) -> bool {
        self.shape == Shape::Mixed
    }
}
