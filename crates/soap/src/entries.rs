//! Lists and structs by themselves: the elements inside an element that is a field.
//!
//! The entry of a list of structs has an element of its own. An item of a list of values, and an entry
//! of a list of choices, *is* one element, that of its only field. An unwrapped list is a run of
//! elements beside those of other fields; it may be interrupted, and goes on where the next one stands.

use trunkline_codec::infoset::Event;
use trunkline_message::{Entries, ErrorKind, Fields, Result, Shape as ScopeShape};
use trunkline_wire::{Literal, scan};

use crate::attributes::several_dimensions;
use crate::container::{Container, Enclosing};
use crate::decoder::Body;
use crate::form::{Form, Value};
use crate::gap_templates::piece;
use crate::names::Name;
use crate::plan::{ListForm, NONE, ScopePlan, Shape, Slot};
use crate::unknown::capture::ScopePath;

/// Which elements of an unwrapped list are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// The first ones.
    First,
    /// Ones that go on with the list.
    Again,
    /// None: nothing stands there, which is what an empty list writes.
    Empty,
}

/// What every entry is.
pub(super) const ENTRY: &str = "an entry, not nil";

impl<'a, R: Form> Body<'a, R> {
    /// The field that is read: its slot, and what is inside.
    #[inline]
    fn present(&self) -> (&'a Slot, &'a Container) {
        let plan = self.plan;
        let scope = &plan.scopes[self.scope];
        let slot = &scope.slots[self.field];
        (slot, scope.container(slot))
    }

    /// Where elements may nest deeper than the limit, only the parser reads on, which counts them.
    #[inline]
    pub(super) fn measure(&mut self, scope: &ScopePlan) {
        if scope.depth > 0 && self.reader.depth() + scope.depth > self.limits.depth {
            (self.fast, self.as_planned, self.same_context) = (false, false, false);
        }
    }

    /// Reads the struct whose start tag was just read.
    #[inline]
    pub(super) fn structure_inside<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        let plan = self.plan;
        let (slot, container) = self.present();
        let (outer, field, own) = (self.scope, self.field, self.own);
        let scope = &plan.scopes[usize::from(slot.scope)];
        self.measure(scope);
        self.scope = slot.scope.into();
        self.own = container.enclosing.as_ref().unwrap_or(own);
        let read = self.scope_apart(scope, into);
        read.map_err(|error| plan.locate(error, outer, field))?;
        (self.scope, self.field, self.own) = (outer, field, own);
        Ok(())
    }

    /// Reads the entries of the list whose start tag was just read.
    #[inline]
    pub(super) fn entries_inside<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        let plan = self.plan;
        let (slot, container) = self.present();
        let inner = usize::from(slot.scope);
        let scope = &plan.scopes[inner];
        if container.dimensions > 1 {
            return Err(self.error(several_dimensions(), self.reader.position()));
        }
        if slot.form != ListForm::Elements {
            return match slot.form {
                ListForm::ByType => self.typed_entries(slot, container, into),
                ListForm::Arms => self.arm_of_run(slot, into),
                ListForm::Mixed => self.mixed_entries(slot, container, into),
                ListForm::Any => self.any_of_run(slot, into),
                ListForm::Elements | ListForm::Spaced => self.spaced_entries(slot, container, into),
            };
        }
        if slot.shape == Shape::Run {
            return self.run_of_entries(slot, container, into);
        }
        into.clear();
        let stated = self.stated.take();
        self.measure(scope);
        into.reserve(*self.templates.count(inner));
        let count = match &container.enclosing {
            Some(element) => self.enclosed_entries(slot, element, into)?,
            None => self.plain_entries(slot, into)?,
        };
        *self.templates.count(inner) = count;
        self.check_count(stated, container.fixed, count)
    }

    #[inline]
    fn enclosed_entries<G: Entries>(
        &mut self,
        slot: &'a Slot,
        element: &'a Enclosing,
        into: &mut G,
    ) -> Result<usize> {
        let plan = self.plan;
        let inner = usize::from(slot.scope);
        let (outer, field, own) = (self.scope, self.field, self.own);
        let scope = &plan.scopes[inner];
        let mut count = 0;
        while self.next_entry(slot, element, scope, count)? {
            self.count_entry()?;
            (self.scope, self.own) = (inner, element);
            let read = self.scope(scope, into.next_entry());
            read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
            (self.scope, self.field) = (outer, field);
            count += 1;
        }
        self.own = own;
        Ok(count)
    }

    #[inline]
    pub(super) fn count_entry(&mut self) -> Result<()> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            let kind = ErrorKind::Limit { name: "entries", limit: self.limits.entries };
            return Err(self.error(kind, self.reader.position()));
        }
        Ok(())
    }

    /// Reads the end tag of the present list if it is as planned.
    #[inline(always)]
    fn ends(&mut self, end: &Literal, at: usize) -> bool {
        let ends = end.matches(self.input.as_bytes(), at)
            && self.is_open(at + 2, end.len() - 3)
            && self.reader.pop_known(end.len() - 3);
        if ends {
            self.reader.set_position(at + end.len());
        }
        ends
    }

    /// May the innermost element have the name that stands here? Its length says so, unless elements
    /// of any name are read.
    #[inline(always)]
    fn is_open(&self, start: usize, length: usize) -> bool {
        !self.plan.any_item
            || self.reader.open_element() == Some(&self.input[start..start + length])
    }

    /// Goes into the next entry of a group; false at the group's end tag, which is then read.
    #[inline(always)]
    fn next_entry(
        &mut self,
        slot: &Slot,
        element: &Enclosing,
        entry: &'a ScopePlan,
        count: usize,
    ) -> Result<bool> {
        if let Some(is_entry) = self.numbered_entry() {
            return Ok(is_entry);
        }
        let index = usize::from(slot.scope);
        if self.as_planned && self.reader.is_in_content() {
            let at = self.reader.position();
            if self.fast_entry(index, element, at)? {
                return Ok(true);
            }
            if self.ends(&slot.end, at) {
                return Ok(false);
            }
        }
        if self.same_context && self.reader.is_in_content() {
            let at = self.reader.position();
            if let Some((length, name)) = self.templates.entry(index, self.input.as_bytes(), at) {
                self.reader.push_known(at + usize::from(name.0), name.1.into())?;
                self.reader.set_position(at + length);
                return Ok(true);
            }
        }
        self.next_entry_generic(slot, element, entry, count)
    }

    /// Goes into the entry or struct whose start tag begins at `at`, if that is as the plan would
    /// write it.
    #[inline(always)]
    fn fast_entry(&mut self, index: usize, element: &Enclosing, at: usize) -> Result<bool> {
        if self.attributes {
            return self.fast_tag_of(index, element, at);
        }
        if !element.start.matches(self.input.as_bytes(), at) {
            return Ok(false);
        }
        self.opened_planned(element.namespace_number);
        self.opened_item_named(index, &element.name);
        self.reader.push_known(at + 1, element.name.len())?;
        self.reader.set_position(at + element.start.len());
        Ok(true)
    }

    /// Makes a template of what stands from `start` to the inside of the entry just begun.
    fn learn_entry(&mut self, index: usize, start: usize, (name, length): (usize, usize)) {
        if self.same_context && self.reader.is_alone() && !self.plan.scopes[index].many_named {
            let opening = &self.input.as_bytes()[start..self.reader.position()];
            self.templates.learn_entry(index, opening, piece(start, name, length));
        }
    }

    #[inline(never)]
    fn next_entry_generic(
        &mut self,
        slot: &Slot,
        element: &Enclosing,
        entry: &ScopePlan,
        count: usize,
    ) -> Result<bool> {
        let index = usize::from(slot.scope);
        let start = self.reader.position();
        // Counted content does not become a template, because it would not be counted again.
        let mut learns = self.reader.is_in_content();
        while let Some((at, name)) = self.next_element(slot)? {
            let is_named = || {
                *self.reader.local(name) == *element.local
                    && self.is_in(element.namespace_number, self.reader.namespace(name))
            };
            if self.plan.any_item || is_named() {
                self.opened(element.namespace_number, name);
                self.opened_item(index, name);
                self.learn_item(name);
                let known_attributes = self.known_attributes()?;
                let fits = known_attributes.reject_others(self.plan);
                let (nil, others) = (known_attributes.nil, known_attributes.others);
                fits.map_err(|kind| self.error(kind, self.reader.position()))?;
                self.count_attributes_around(others, entry, NONE)?;
                if self.attributes {
                    self.hold(entry, NONE)?;
                }
                if nil {
                    self.begin_nil(self.plan.scopes[self.scope].container(slot), true)?;
                } else if !self.attributes && learns && others == 0 {
                    self.learn_entry(index, start, (at + 1, self.reader.length(name)));
                }
                return Ok(true);
            }
            self.unknown_in_list(slot, (at, name))?;
            self.pass_over_entry(count, 1, at)?;
            learns = false;
        }
        Ok(false)
    }

    /// Reads up to and including the next start tag in a list; none at the list's end tag.
    #[inline]
    pub(super) fn next_element(&mut self, slot: &Slot) -> Result<Option<(usize, R::Name)>> {
        loop {
            match self.reader.next()? {
                Event::Start(name) => {
                    let at = self.reader.began();
                    self.check_names();
                    return Ok(Some((at, name)));
                }
                Event::End => {
                    self.check_names();
                    return Ok(None);
                }
                Event::Text(text) if self.reader.is_white(text) => {}
                Event::Text(_) | Event::Eof => {
                    let what = self.plan.items_of(self.scope, slot);
                    let at = self.reader.began();
                    return Err(self.error(ErrorKind::Expected(what.into()), at));
                }
            }
        }
    }

    /// Reads entries that are one element each.
    fn plain_entries<G: Entries>(&mut self, slot: &'a Slot, into: &mut G) -> Result<usize> {
        let plan = self.plan;
        let inner = usize::from(slot.scope);
        let (outer, field) = (self.scope, self.field);
        let scope = &plan.scopes[inner];
        let takes_nil = plan.scopes[outer].container(slot).takes_nil;
        let mut count = 0;
        loop {
            if let Some(entry) = self.numbered_plain_entry(inner) {
                let Some(of) = entry else { return Ok(count) };
                self.count_entry()?;
                (self.scope, self.field) = (inner, of);
                self.fields += 1;
                let read = self.take(into.next_entry());
                read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
                (self.scope, self.field) = (outer, field);
                count += 1;
                continue;
            }
            if self.as_planned && self.reader.is_in_content() {
                let at = self.reader.position();
                if let Some((of, length)) = self.fast_plain_entry(scope, at)
                    && self.begin_fast(scope, &scope.slots[of], (at, length))?
                {
                    self.count_entry()?;
                    (self.scope, self.field) = (inner, of);
                    let read = self.fast_content(&scope.slots[of], at, into.next_entry());
                    read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
                    (self.scope, self.field) = (outer, field);
                    count += 1;
                    continue;
                }
                if self.ends(&slot.end, at) {
                    return Ok(count);
                }
            }
            let Some((at, name)) = self.next_element(slot)? else { return Ok(count) };
            let meaning = self.meaning(scope, NONE, name);
            let is_item = self.plan.any_item && scope.shape == ScopeShape::Item;
            let meaning = meaning.or(is_item.then_some(Name::Field(0)));
            if let Some(meaning) = meaning {
                self.learn_number_in(inner, scope, NONE, (name, meaning));
            }
            let Some(Name::Field(of)) = meaning.or_else(|| self.any_entry(scope, name)) else {
                self.unknown_in_list(slot, (at, name))?;
                self.pass_over_entry(count, 1, at)?;
                self.check_names();
                continue;
            };
            self.opened(scope.slots[usize::from(of)].namespace_number, name);
            self.opened_item(inner, name);
            self.count_entry()?;
            (self.scope, self.field) = (inner, of.into());
            let read = self.begun(at, takes_nil, into.next_entry());
            read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
            (self.scope, self.field) = (outer, field);
            count += 1;
        }
    }

    /// The field of the entry whose start tag begins at `at`, if that is as the plan would write it,
    /// and the length of its name.
    #[inline]
    fn fast_plain_entry(&self, scope: &ScopePlan, at: usize) -> Option<(usize, usize)> {
        let bytes = self.input.as_bytes();
        let window = bytes.get(at..).and_then(<[u8]>::first_chunk::<34>)?;
        if window[1] == b'/' {
            return None;
        }
        let length = scan::name_length(window);
        let Name::Field(field) = scope.names.guess(NONE, window, length)? else { return None };
        let field = usize::from(field);
        scope.slots[field].start.matches(bytes, at).then_some((field, length))
    }

    /// Reads the present field as an entry, the start tag of which, at `at`, is behind.
    #[inline]
    fn fast_content<F: Fields>(&mut self, slot: &'a Slot, at: usize, into: &mut F) -> Result<()> {
        self.fields += 1;
        if slot.shape == Shape::Value {
            self.value = self.text(&slot.end, at)?;
        }
        self.take(into)
    }

    /// Goes into the element whose start tag at `at` is as planned up to a count or attributes; false,
    /// with nothing read, if those are not.
    #[inline(always)]
    pub(super) fn begin_fast(
        &mut self,
        scope: &ScopePlan,
        slot: &Slot,
        (at, length): (usize, usize),
    ) -> Result<bool> {
        let mut content = at + slot.start.len();
        match slot.shape {
            Shape::Struct | Shape::Run if self.attributes => {
                if let Some(element) = &scope.container(slot).enclosing
                    && slot.scope > 0
                {
                    return self.fast_tag_of(slot.scope.into(), element, at);
                }
            }
            Shape::List | Shape::Group if scope.container(slot).is_array => {
                let Some((count, behind)) = self.behind_count(content) else { return Ok(false) };
                self.stated = Some(count);
                content = behind;
            }
            Shape::Defaulted => return Ok(false),
            _ => {}
        }
        self.opened_planned(slot.namespace_number);
        self.reader.push_known(at + 1, length)?;
        self.reader.set_position(content);
        Ok(true)
    }

    /// Reads the field whose start tag at `at` the parser has just read, as an entry that is one
    /// element, and may be nil or not.
    #[inline(never)]
    pub(super) fn begun<F: Fields>(
        &mut self,
        at: usize,
        takes_nil: bool,
        into: &mut F,
    ) -> Result<()> {
        if self.is_any() {
            self.begun = at;
        } else if self.is_item_nil()? {
            if takes_nil {
                return self.nil_value(into);
            }
            return Err(self.error(ErrorKind::Expected(ENTRY.into()), self.reader.position()));
        }
        self.fields += 1;
        let slot = &self.plan.scopes[self.scope].slots[self.field];
        if matches!(slot.shape, Shape::Value | Shape::Defaulted) {
            self.value = self.content(at)?;
        }
        if slot.shape == Shape::Defaulted && !self.has_value(slot, at) {
            return Ok(());
        }
        self.take(into)
    }

    /// Has the message take the present field, behind which no gap begins.
    #[inline]
    fn take<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        self.gap = None;
        into.decode_field(self.field, self)?;
        self.gap = None;
        self.check_names();
        Ok(())
    }

    /// The text of the element just begun, which may end as planned.
    #[inline]
    fn text(&mut self, end: &Literal, element: usize) -> Result<Value<R::Held>> {
        if self.as_planned && self.reader.is_in_content() {
            let start = self.reader.position();
            let stop = scan::find_markup(self.input.as_bytes(), start);
            if self.ends(end, stop) {
                return Ok(Value::Input(start, stop));
            }
        }
        self.content(element)
    }

    /// Reads the entries of an unwrapped list, the start tag of the first of which was just read.
    #[inline(never)]
    fn run_of_entries<G: Entries>(
        &mut self,
        slot: &'a Slot,
        container: &'a Container,
        into: &mut G,
    ) -> Result<()> {
        let run = std::mem::replace(&mut self.run, Run::First);
        if run != Run::Again {
            into.clear();
        }
        if run == Run::Empty {
            return Ok(());
        }
        let plan = self.plan;
        let inner = usize::from(slot.scope);
        let scope = &plan.scopes[inner];
        let (outer, field, own) = (self.scope, self.field, self.own);
        let mut count = into.count();
        loop {
            self.measure(scope);
            self.count_entry()?;
            self.scope = inner;
            let entry = into.next_entry();
            let read = match &container.enclosing {
                Some(element) => {
                    self.own = element;
                    self.scope_apart(scope, entry)
                }
                None => self.item_of_run(&scope.slots[0], entry),
            };
            read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
            (self.scope, self.field, self.own) = (outer, field, own);
            count += 1;
            self.gap = None;
            self.check_names();
            let is_value = container.enclosing.is_none() && scope.slots[0].shape == Shape::Value;
            while is_value && self.numbered_of_run(&plan.scopes[outer], slot, true) {
                self.count_entry()?;
                (self.scope, self.field) = (inner, 0);
                self.fields += 1;
                let read = self.take(into.next_entry());
                read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
                (self.scope, self.field) = (outer, field);
                count += 1;
            }
            if !self.next_of_run(slot, count)? {
                return self.check_count(None, container.fixed, count);
            }
        }
    }

    fn item_of_run<F: Fields>(&mut self, slot: &'a Slot, into: &mut F) -> Result<()> {
        if self.scope_path == ScopePath::Nil {
            return self.nil_value(into);
        }
        self.field = 0;
        self.fast_content(slot, self.begun, into)
    }

    /// Goes into the next element of an unwrapped list, of which so many were read, if it stands beside
    /// the last one: between them are white space, comments, and what is unknown.
    #[inline]
    fn next_of_run(&mut self, slot: &'a Slot, count: usize) -> Result<bool> {
        let plan = self.plan;
        let scope = &plan.scopes[self.scope];
        if self.numbered_of_run(scope, slot, false) {
            return Ok(true);
        }
        if self.as_planned && self.reader.is_in_content() {
            let at = self.reader.position();
            let length = slot.end.len() - 3;
            if slot.start.matches(self.input.as_bytes(), at)
                && self.begin_fast(scope, slot, (at, length))?
            {
                self.begun = at;
                return Ok(true);
            }
        }
        self.next_of_run_generic(scope, slot, count)
    }

    #[inline(never)]
    fn next_of_run_generic(
        &mut self,
        scope: &'a ScopePlan,
        slot: &'a Slot,
        count: usize,
    ) -> Result<bool> {
        loop {
            // The meaning of an element is known when its tag is read, and the tag cannot be read
            // twice. So an element of another field is recognised by its name alone.
            let Some(local) = self.reader.next_name()? else { return Ok(false) };
            let (is_next, is_other) = {
                let mut all = scope.names.all(slot.component, local.as_bytes()).peekable();
                let own = Name::Field(self.field as u16);
                let is_next = all.peek().is_some_and(|(_, meaning)| *meaning == own);
                // Names of several namespaces may be another's.
                (is_next, all.any(|(_, meaning)| meaning != own))
            };
            let is_wild = scope.has_wildcard(slot.component)
                && (!is_next || scope.container(slot).fixed == 0);
            if is_other || is_wild || !is_next && self.plan.takes_unnamed() {
                return Ok(false);
            }
            let Event::Start(name) = self.reader.next()? else { return Ok(false) };
            let at = self.reader.began();
            self.check_names();
            if is_next && self.is_in(slot.namespace_number, self.reader.namespace(name)) {
                self.opened(slot.namespace_number, name);
                if !self.is_run_of_any(slot) && self.is_item_nil()? {
                    self.begin_nil(scope.container(slot), true)?;
                }
                self.begun = at;
                return Ok(true);
            }
            self.unknown(scope, slot.component, (at, name))?;
            self.pass_over_entry(count, 0, at)?;
            self.check_names();
        }
    }

    /// Reads a list of numbers, each by `read`.
    #[inline]
    pub(super) fn numbers<T>(
        &mut self,
        into: &mut Vec<T>,
        read: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<()> {
        let (slot, container) = self.present();
        let run = std::mem::replace(&mut self.run, Run::First);
        if run != Run::Again {
            into.clear();
        }
        let Some(item) = &container.enclosing else {
            return self.spaced(container, |body, _| {
                into.push(read(body)?);
                Ok(())
            });
        };
        match (slot.shape, run) {
            (Shape::Run, Run::Empty) => Ok(()),
            (Shape::Run, _) => {
                let mut count = into.len();
                loop {
                    count += 1;
                    self.check_elements(count, self.begun)?;
                    self.value = self.text(&item.end, self.begun)?;
                    into.push(read(self)?);
                    self.check_names();
                    while self.numbered_of_run(&self.plan.scopes[self.scope], slot, true) {
                        count += 1;
                        self.check_elements(count, self.begun)?;
                        into.push(read(self)?);
                    }
                    if !self.next_of_run(slot, count)? {
                        return self.check_count(None, container.fixed, count);
                    }
                }
            }
            _ => self.items(slot, container, item, |body| {
                into.push(read(body)?);
                Ok(())
            }),
        }
    }

    /// Reads the items of a list that is one text, each by `item`, which gets its place.
    #[inline(never)]
    fn spaced(
        &mut self,
        container: &Container,
        mut item: impl FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        let input = self.input;
        let (at, held) = match self.value {
            Value::Input(start, _) => (start, None),
            Value::Scratch(at) => (at, Some(std::mem::take(self.scratch))),
            Value::Held(_, at) => (at, Some(self.text_value().into_owned())),
        };
        let mut count = 0;
        let text = match (&held, self.value) {
            (Some(text), _) => text.as_str(),
            (None, Value::Input(start, end)) => &input[start..end],
            (None, Value::Scratch(_) | Value::Held(..)) => "",
        };
        for word in text.split([' ', '\t', '\r', '\n']).filter(|it| !it.is_empty()) {
            self.value = match held {
                None => {
                    let start = word.as_ptr().addr() - input.as_ptr().addr();
                    Value::Input(start, start + word.len())
                }
                Some(_) => {
                    self.scratch.clear();
                    self.scratch.push_str(word);
                    Value::Scratch(at)
                }
            };
            self.check_elements(count + 1, at)?;
            item(self, count)?;
            count += 1;
        }
        self.check_count(None, container.fixed, count)
    }

    /// The same of entries.
    #[inline(never)]
    fn spaced_entries<G: Entries>(
        &mut self,
        slot: &'a Slot,
        container: &'a Container,
        into: &mut G,
    ) -> Result<()> {
        into.clear();
        let plan = self.plan;
        let (outer, field) = (self.scope, self.field);
        self.spaced(container, |body, index| {
            body.count_entry()?;
            body.fields += 1;
            (body.scope, body.field) = (slot.scope.into(), 0);
            let read = into.next_entry().decode_field(0, body);
            read.map_err(|error| plan.locate(error.in_entry(index), outer, field))?;
            (body.scope, body.field) = (outer, field);
            Ok(())
        })
    }

    /// Reads the elements of a list of numbers, each by `item`.
    fn items(
        &mut self,
        slot: &'a Slot,
        container: &Container,
        element: &Enclosing,
        mut item: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let stated = self.stated.take();
        let mut count = 0;
        loop {
            let at = self.reader.position();
            if let Some(is_item) = self.numbered_item() {
                if !is_item {
                    return self.check_count(stated, container.fixed, count);
                }
                count += 1;
                self.check_elements(count, at)?;
                item(self)?;
                continue;
            }
            if self.as_planned && self.reader.is_in_content() {
                if element.start.matches(self.input.as_bytes(), at) {
                    self.reader.push_known(at + 1, element.name.len())?;
                    self.reader.set_position(at + element.start.len());
                    count += 1;
                    self.check_elements(count, at)?;
                    self.value = self.text(&element.end, at)?;
                    self.check_names();
                    item(self)?;
                    continue;
                }
                if self.ends(&slot.end, at) {
                    return self.check_count(stated, container.fixed, count);
                }
            }
            let Some((at, name)) = self.next_element(slot)? else {
                return self.check_count(stated, container.fixed, count);
            };
            self.learn_item(name);
            count += 1;
            self.check_elements(count, at)?;
            self.check_item()?;
            self.value = self.content(at)?;
            self.check_names();
            item(self)?;
        }
    }

    /// Is the present field a list in one text?
    pub(super) fn is_spaced(&self) -> bool {
        let (slot, container) = self.present();
        slot.shape != Shape::Run && container.enclosing.is_none()
    }

    /// The same of so many numbers that were read at once.
    pub(super) fn check_held(&self, count: usize, at: usize) -> Result<()> {
        self.check_elements(count, at)?;
        self.check_count(None, self.present().1.fixed, count)
    }

    #[inline]
    fn check_elements(&self, count: usize, at: usize) -> Result<()> {
        let limit = self.limits.elements;
        match count > limit {
            true => Err(self.error(ErrorKind::Limit { name: "elements", limit }, at)),
            false => Ok(()),
        }
    }
}
