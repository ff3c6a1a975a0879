//! The three paths through the elements of a message: generic, fast, template; see [`super::decoder`].

use trunkline_codec::infoset::Event;
use trunkline_message::{Error, ErrorKind, Fields, Result, Unmet};
use trunkline_wire::scan;

use crate::decoder::Body;
use crate::entries::Run;
use crate::form::{Form, Value};
use crate::gap_templates::{self, Effect, Opened, PackedEffect, piece};
use crate::names::Name;
use crate::plan::{Element, NONE, ScopePlan, Shape};
use crate::unknown::capture::ScopePath;

/// The position in the message.
pub(super) enum Step {
    /// At the value of a field.
    Leaf(Leaf),
    /// Between the elements of this component.
    Between(u16),
    /// Behind the end tag of the scope's element.
    Ended,
}

/// A value that is to be read.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    field: usize,
    /// Where the value begins.
    content: usize,
    /// Start and length of the name of the element around it, which the parser does not count as
    /// open.
    name: (usize, usize),
}

/// The gap that is being read, see [`gap_templates`].
#[derive(Clone, Copy)]
pub(super) struct Gap {
    key: usize,
    start: usize,
    /// Elements open at its start, and the fewest since. What is opened above and closed again is
    /// not counted by them, so a gap with such an element becomes no template.
    depth: usize,
    floor: usize,
}

impl<'a, R: Form> Body<'a, R> {
    /// Reads what stands in the element of a message or entry, up to and including its end tag.
    #[inline(always)]
    pub(super) fn scope<F: Fields>(&mut self, scope: &'a ScopePlan, into: &mut F) -> Result<()> {
        match self.scope_path {
            ScopePath::Elements => {}
            ScopePath::Attributes => return self.scope_of_tags(scope, into),
            ScopePath::Pending => return self.scope_with_pending(scope, into),
            ScopePath::Nil => return self.nil_scope(scope, into),
        }
        self.with_bits(scope, |body, seen| {
            let mut step = body.first_step(seen)?;
            loop {
                step = match step {
                    Step::Leaf(leaf) => body.leaves(scope, seen, leaf, into)?,
                    Step::Between(component) => body.step(scope, seen, component, into)?,
                    Step::Ended => break,
                };
            }
            body.finish(scope, seen, into)
        })
    }

    /// The same, apart: of what is there once, or is seldom.
    #[inline(never)]
    pub(super) fn scope_apart<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        into: &mut F,
    ) -> Result<()> {
        if let Some(types) = &scope.by_type {
            return self.choice_apart(types, self.reader.element_began(), false, into);
        }
        self.scope(scope, into)
    }

    /// Goes to the first value of the scope if a template matches what stands before it.
    #[inline(always)]
    fn first_step(&mut self, seen: &mut [u64]) -> Result<Step> {
        self.check_names();
        if !self.reader.is_in_content() {
            // The end of an empty-element tag takes no bytes, so it is no gap.
            self.gap = None;
            return Ok(Step::Between(NONE));
        }
        let start = self.reader.position();
        let site = self.templates.site(self.scope, gap_templates::START);
        match self.known_gap(site, start) {
            Some(gap) if self.cross(site, gap, start, seen)? => {
                let content = start + gap.length();
                let field = gap.field().into();
                Ok(Step::Leaf(Leaf { field, content, name: gap.name_before(content) }))
            }
            Some(_) => Ok(Step::Ended),
            None => {
                self.begin_gap(gap_templates::START, start);
                Ok(Step::Between(NONE))
            }
        }
    }

    /// Was all there that has to be? Was it too much?
    #[inline(always)]
    pub(super) fn finish<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        seen: &mut [u64],
        into: &mut F,
    ) -> Result<()> {
        if self.fields > self.limits.fields {
            let kind = ErrorKind::Limit { name: "fields", limit: self.limits.fields };
            return Err(Error::new(kind, self.reader.position()));
        }
        match scope.required.unmet(seen) {
            Some(unmet) => self.unmet(scope, seen, unmet, into),
            None => Ok(()),
        }
    }

    /// A rule is not met, unless what is missing are unwrapped lists: those are empty.
    #[cold]
    fn unmet<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        seen: &mut [u64],
        mut unmet: Unmet,
        into: &mut F,
    ) -> Result<()> {
        while self.empty_run(scope, seen, unmet, into)? {
            match scope.required.unmet(seen) {
                Some(next) => unmet = next,
                None => return Ok(()),
            }
        }
        let scope = &self.plan.layout.scopes()[self.scope];
        Err(scope.reject(unmet, self.reader.position()))
    }

    /// Is what is missing an unwrapped list of any number of entries? Then it has none.
    #[cold]
    fn empty_run<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        seen: &mut [u64],
        unmet: Unmet,
        into: &mut F,
    ) -> Result<bool> {
        let Unmet::Missing(field) = unmet else { return Ok(false) };
        let slot = &scope.slots[field];
        if !matches!(slot.shape, Shape::Run | Shape::Mixed) || scope.container(slot).fixed > 0 {
            return Ok(false);
        }
        seen[field / 64] |= 1 << (field % 64);
        (self.field, self.run) = (field, Run::Empty);
        into.decode_field(field, self)?;
        Ok(true)
    }

    /// Leaves a component, at `at`: a component that is present must have its required fields, even if it is
    /// empty. If this has to be checked, the gap does not become a template, because the result differs from
    /// message to message.
    #[inline]
    pub(super) fn leave<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        seen: &mut [u64],
        at: usize,
        into: &mut F,
    ) -> Result<()> {
        if !scope.components[usize::from(component)].is_condition {
            return Ok(());
        }
        if let Some(unmet) = scope.required.unmet_in_empty(component, seen)
            && !self.empty_run(scope, seen, unmet, into)?
        {
            return Err(self.plan.layout.scopes()[self.scope].reject(unmet, at));
        }
        self.gap = None;
        Ok(())
    }

    /// Reads the values of fields as long as templates match the gaps behind them, and then one more.
    ///
    /// This loop is what decoding costs: what it needs stays in registers.
    #[inline(never)]
    fn leaves<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        mut leaf: Leaf,
        into: &mut F,
    ) -> Result<Step> {
        let bytes = self.input.as_bytes();
        let first_site = self.templates.site(self.scope, gap_templates::START);
        loop {
            let mut crossed = None;
            let end = loop {
                let end = scan::find_markup(bytes, leaf.content);
                let site = first_site + leaf.field + 1;
                let Some(gap) = self.known_gap(site, end) else { break end };
                self.value = Value::Input(leaf.content, end);
                self.field = leaf.field;
                into.decode_field(leaf.field, self)?;
                if !self.cross(site, gap, end, seen)? {
                    return Ok(Step::Ended);
                }
                leaf.content = end + gap.length();
                leaf.field = gap.field().into();
                crossed = Some(gap);
            };
            if let Some(gap) = crossed {
                leaf.name = gap.name_before(leaf.content);
            }
            let key = leaf.field + 1;
            let slot = &scope.slots[leaf.field];
            let is_plain = leaf.name.1 == slot.end.len() - 3;
            if !self.as_planned || !is_plain || !slot.end.matches(bytes, end) {
                return self.leaf(scope, leaf, into);
            }
            self.value = Value::Input(leaf.content, end);
            self.field = leaf.field;
            let after = end + slot.end.len();
            self.reader.set_position(after);
            into.decode_field(leaf.field, self)?;
            let depth = self.reader.depth();
            let gap = Gap { key, start: end, depth, floor: depth };
            match self.planned_gap(scope, seen, slot.component, gap, after)? {
                Step::Leaf(next) => leaf = next,
                step => return Ok(step),
            }
        }
    }

    /// The template that matches at `at`. Where names are the plan's, only the first template is tried:
    /// comparing the others takes longer than looking names up.
    #[inline(always)]
    fn known_gap(&mut self, site: usize, at: usize) -> Option<PackedEffect> {
        if !self.same_context {
            return None;
        }
        self.templates.find(site, self.input.as_bytes(), at, !self.as_planned)
    }

    /// Goes on from `at` to the next value over a gap of the plan's own tags; stops where one is
    /// another.
    #[inline(always)]
    fn planned_gap(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        mut component: u16,
        mut gap: Gap,
        mut at: usize,
    ) -> Result<Step> {
        let bytes = self.input.as_bytes();
        let mut learns = true;
        while self.as_planned
            && let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<34>)
        {
            let (length, meaning) = match window[1] {
                b'/' => (0, None),
                _ => {
                    let length = scan::name_length(window);
                    (length, scope.names.guess(component, window, length))
                }
            };
            match meaning {
                Some(Name::Field(field)) => {
                    let field = usize::from(field);
                    let slot = &scope.slots[field];
                    if slot.shape != Shape::Value || !slot.start.matches(bytes, at) {
                        break;
                    }
                    self.opened_planned(slot.namespace_number);
                    self.note(field, seen, at)?;
                    let leaf =
                        Leaf { field, content: at + slot.start.len(), name: (at + 1, length) };
                    if learns
                        && self.same_context
                        && self.templates.mispredicted(self.templates.site(self.scope, gap.key))
                    {
                        self.gap = Some(gap);
                        self.learn(field as u16, leaf.name, leaf.content);
                    }
                    return Ok(Step::Leaf(leaf));
                }
                Some(Name::Component(inner)) => {
                    let element = &scope.components[usize::from(inner)];
                    if !element.start.matches(bytes, at) {
                        break;
                    }
                    self.opened_planned(element.namespace_number);
                    self.note_component(scope, inner, seen, at)?;
                    self.reader.push_known(at + 1, length)?;
                    at += element.start.len();
                    component = inner;
                }
                None => {
                    let Some(element) = scope.complete(component, seen) else { break };
                    let tag = &element.end;
                    if !tag.matches(bytes, at) || !self.reader.pop_known(tag.len() - 3) {
                        break;
                    }
                    let was_open = self.reader.depth() < gap.floor;
                    learns &= !element.is_condition && was_open;
                    at += tag.len();
                    gap.floor = gap.floor.min(self.reader.depth());
                    component = element.parent;
                    self.check_names();
                }
            }
        }
        self.gap = learns.then_some(gap);
        self.reader.set_position(at);
        Ok(Step::Between(component))
    }

    /// Reads the value of a field by the parser.
    #[inline(never)]
    pub(super) fn leaf<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        Leaf { field, content, name }: Leaf,
        into: &mut F,
    ) -> Result<Step> {
        self.field = field;
        self.reader.push_known(name.0, name.1)?;
        self.reader.set_position(content);
        self.value = self.content(name.0 - 1)?;
        into.decode_field(field, self)?;
        match self.value {
            Value::Input(_, end) if self.input.as_bytes()[end..].starts_with(b"</") => {
                self.begin_gap(field + 1, end);
            }
            _ => self.gap = None,
        }
        Ok(Step::Between(scope.slots[field].component))
    }

    /// Applies the template that matched at `at`; says whether a field stands behind it. If not, the
    /// scope has ended.
    #[inline(always)]
    fn cross(
        &mut self,
        site: usize,
        gap: PackedEffect,
        at: usize,
        seen: &mut [u64],
    ) -> Result<bool> {
        let content = at + gap.length();
        if gap.field() == gap_templates::END {
            self.reader.pop_known_elements(gap.closed());
            self.reader.set_position(content);
            return Ok(false);
        }
        if gap.moves() {
            self.reader.pop_known_elements(gap.closed());
            if gap.opened() > 0 {
                self.open(site, gap, at, seen)?;
            }
        }
        self.note(gap.field().into(), seen, gap.name_before(content).0 - 1)?;
        Ok(true)
    }

    /// Opens the elements of a gap. They are the components around its field, innermost last: a gap
    /// that closes again what it opened becomes no template.
    #[inline(never)]
    fn open(&mut self, site: usize, gap: PackedEffect, at: usize, seen: &mut [u64]) -> Result<()> {
        let (names, bits, word) = self.templates.opened(site, gap);
        for (offset, length) in names {
            self.reader.push_known(at + usize::from(*offset), usize::from(*length))?;
        }
        let word = &mut seen[word];
        let before = std::mem::replace(word, *word | bits);
        match before & bits {
            0 => Ok(()),
            twice => Err(self.opened_twice(site, gap, at, twice)),
        }
    }

    /// The outermost component that a gap opens for the second time: one of those with these bits.
    #[cold]
    fn opened_twice(&self, site: usize, gap: PackedEffect, at: usize, bits: u64) -> Error {
        let scope = &self.plan.scopes[self.scope];
        let mut component = scope.slots[usize::from(gap.field())].component;
        let (mut twice, mut from) = (component, at);
        for (offset, _) in self.templates.opened(site, gap).0.iter().rev() {
            if bits >> (scope.component_bit(component) % 64) & 1 != 0 {
                (twice, from) = (component, at + usize::from(*offset) - 1);
            }
            component = scope.components[usize::from(component)].parent;
        }
        self.plan.component_twice(self.scope, twice, from)
    }

    #[inline]
    fn begin_gap(&mut self, key: usize, start: usize) {
        let depth = self.reader.depth();
        self.gap = Some(Gap { key, start, depth, floor: depth });
    }

    /// Makes a template of the gap that ends at `end`, before the value of a field or behind the scope's end.
    #[inline(never)]
    fn learn(&mut self, field: u16, name: (usize, usize), end: usize) {
        let Some(gap) = self.gap.take() else { return };
        let closed = u8::try_from(gap.depth - gap.floor);
        let opened = self.reader.opened(gap.start, gap.floor);
        let name = if field == gap_templates::END {
            Some((0, 0))
        } else {
            piece(gap.start, name.0, name.1)
        };
        let length = u8::try_from(end - gap.start);
        if let (Ok(closed), Some((opened, names)), Some(name), Ok(length), true) =
            (closed, opened, name, length, self.same_context)
        {
            let effect = Effect { field, name, closed, opened, length };
            let scope = &self.plan.scopes[self.scope];
            let Some((bits, word)) = scope.bits_around(field, opened.into()) else { return };
            let bytes = &self.input.as_bytes()[gap.start..end];
            let site = self.templates.site(self.scope, gap.key);
            self.templates.learn(site, bytes, effect, Opened { names, bits, word });
        }
    }

    /// An element was closed. A gap that had opened it, too, becomes no template: see
    /// [`open`](Self::open).
    #[inline]
    fn closed(&mut self) {
        let depth = self.reader.depth();
        match &mut self.gap {
            Some(gap) if depth < gap.floor => gap.floor = depth,
            _ => self.gap = None,
        }
    }

    /// An element of the message was opened whose name has this prefix for its namespace. Templates
    /// are kept for one prefix of each only: then a gap that closes an element closes it by the name that
    /// opened it.
    #[inline]
    pub(super) fn opened(&mut self, namespace_number: u8, name: R::Name) {
        if self.same_context && !self.templates.agrees(namespace_number, self.reader.prefix(name)) {
            self.same_context = false;
        }
    }

    /// One was opened whose name has the plan's prefix.
    #[inline]
    pub(super) fn opened_planned(&mut self, namespace_number: u8) {
        if self.same_context && !self.templates.agrees_planned(namespace_number) {
            self.same_context = false;
        }
    }

    /// An entry of a scope was opened that has this name. Where items may have any name, templates
    /// are kept for one only, as for prefixes.
    #[inline]
    pub(super) fn opened_item(&mut self, scope: usize, name: R::Name) {
        if self.plan.any_item && self.same_context {
            self.opened_item_named(scope, &self.reader.qualified(name));
        }
    }

    /// The same, by its name as it is written.
    #[inline]
    pub(super) fn opened_item_named(&mut self, scope: usize, name: &str) {
        if self.plan.any_item && self.same_context && !self.templates.agrees_item(scope, name) {
            self.same_context = false;
        }
    }

    /// Finds the next value without a template: by the fast path, else by the generic one.
    #[inline(never)]
    fn step<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        into: &mut F,
    ) -> Result<Step> {
        if !R::IS_TEXT && self.fast {
            return match self.numbered(scope, seen, component, into)? {
                Step::Between(component) => self.generic_step(scope, seen, component, into),
                step => Ok(step),
            };
        }
        let expected = match self.as_planned && self.reader.is_in_content() {
            true => self.fast_step(scope, seen, component, into)?,
            false => None,
        };
        let step = match expected {
            Some(step) => step,
            None => self.generic_step(scope, seen, component, into)?,
        };
        match step {
            Step::Leaf(Leaf { field, content, name }) => {
                self.learn(field as u16, name, content);
            }
            // The message's own element may have another prefix, and ends once a message.
            Step::Ended if self.scope > 0 && !scope.many_named => {
                self.learn(gap_templates::END, (0, 0), self.reader.position());
            }
            Step::Ended | Step::Between(_) => {}
        }
        Ok(step)
    }

    /// Reads a tag on the fast path: if it is one of the plan's, byte for byte.
    #[inline]
    fn fast_step<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        into: &mut F,
    ) -> Result<Option<Step>> {
        let (bytes, at) = (self.input.as_bytes(), self.reader.position());
        let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<34>) else {
            return Ok(None);
        };
        if window[1] == b'/' {
            return self.fast_end(scope, seen, component, at, into);
        }
        let length = scan::name_length(window);
        match scope.names.guess(component, window, length) {
            Some(Name::Field(field))
                if scope.slots[usize::from(field)].start.matches(bytes, at) =>
            {
                self.fast_field(scope, seen, (field.into(), at, length), into)
            }
            Some(Name::Component(inner)) => {
                let Element { start, namespace_number, .. } = &scope.components[usize::from(inner)];
                if !start.matches(bytes, at) {
                    return Ok(None);
                }
                self.opened_planned(*namespace_number);
                self.note_component(scope, inner, seen, at)?;
                self.reader.push_known(at + 1, length)?;
                self.reader.set_position(at + start.len());
                Ok(Some(Step::Between(inner)))
            }
            _ => Ok(None),
        }
    }

    /// The count that stands at `at` in the start tag of an array, and the position behind the tag.
    pub(super) fn behind_count(&self, at: usize) -> Option<(u64, usize)> {
        let bytes = self.input.as_bytes();
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = &self.plan.array_end;
        let count = self.input[at..at + digits].parse().ok()?;
        end.matches(bytes, at + digits).then_some((count, at + digits + end.len()))
    }

    /// Reads the end tag of the component, or of the scope's own element.
    #[inline]
    pub(super) fn fast_end<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        seen: &mut [u64],
        component: u16,
        at: usize,
        into: &mut F,
    ) -> Result<Option<Step>> {
        let element = scope.components.get(usize::from(component));
        let tag = element.map_or(&self.own.end, |element| &element.end);
        if self.plan.any_name && element.is_none() {
            // One of another name and the same length may be open.
            if self.reader.open_element() != Some(&*self.own.name) {
                return Ok(None);
            }
        }
        if !tag.matches(self.input.as_bytes(), at) || !self.reader.pop_known(tag.len() - 3) {
            return Ok(None);
        }
        self.reader.set_position(at + tag.len());
        self.closed();
        if element.is_some() {
            self.leave(scope, component, seen, at, into)?;
        }
        // Its declarations are out of force, if it had any. Behind the message no name is asked for.
        if self.scope > 0 || element.is_some() {
            self.check_names();
        }
        Ok(Some(element.map_or(Step::Ended, |element| Step::Between(element.parent))))
    }

    /// Reads the field whose start tag at `at`, with a name of this length, is the plan's to the letter
    /// up to a count or attributes; values are left to be read as leaves. No answer, with nothing read,
    /// if the tag's end is another.
    #[inline]
    pub(super) fn fast_field<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        seen: &mut [u64],
        (field, at, length): (usize, usize, usize),
        into: &mut F,
    ) -> Result<Option<Step>> {
        let slot = &scope.slots[field];
        if slot.shape == Shape::Value {
            self.opened_planned(slot.namespace_number);
            self.note(field, seen, at)?;
            self.field = field;
            let content = at + slot.start.len();
            return Ok(Some(Step::Leaf(Leaf { field, content, name: (at + 1, length) })));
        }
        if !self.begin_fast(scope, slot, (at, length))? {
            return Ok(None);
        }
        self.note_field(scope, seen, field, at)?;
        self.field = field;
        self.gap = None;
        into.decode_field(field, self)?;
        self.gap = None;
        self.leave_field(into);
        Ok(Some(Step::Between(slot.component)))
    }

    /// Counts a field, and rejects it the second time, unless it is an unwrapped list of any number of
    /// entries: that goes on.
    #[inline(always)]
    pub(super) fn note_field(
        &mut self,
        scope: &ScopePlan,
        seen: &mut [u64],
        field: usize,
        at: usize,
    ) -> Result<()> {
        let slot = &scope.slots[field];
        if slot.shape != Shape::Run {
            return self.note(field, seen, at);
        }
        self.begun = at;
        let word = &mut seen[field / 64];
        if *word >> (field % 64) & 1 == 0 || scope.container(slot).fixed > 0 {
            self.run = Run::First;
            return self.note(field, seen, at);
        }
        self.fields += 1;
        self.run = Run::Again;
        Ok(())
    }

    /// Takes one event from the parser.
    #[inline(never)]
    pub(super) fn generic_step<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        into: &mut F,
    ) -> Result<Step> {
        let event = self.reader.next()?;
        let at = self.reader.began();
        match event {
            Event::Start(name) => {
                self.check_names();
                self.generic_element(scope, seen, component, (at, name), into)
            }
            Event::End => {
                // Behind the message nothing is read by its names.
                if self.scope > 0 || component != NONE {
                    self.check_names();
                }
                self.closed();
                match scope.components.get(usize::from(component)) {
                    Some(element) => {
                        self.leave(scope, component, seen, at, into)?;
                        Ok(Step::Between(element.parent))
                    }
                    None => Ok(Step::Ended),
                }
            }
            Event::Text(text) if self.reader.is_white(text) => Ok(Step::Between(component)),
            Event::Text(_) => {
                Err(Error::new(ErrorKind::Expected("elements here, not text".into()), at))
            }
            Event::Eof => Err(Error::new(ErrorKind::Truncated { expected: "an end tag" }, at)),
        }
    }

    /// Reads the element whose start tag at `at` the parser has read, or its beginning.
    #[inline]
    fn generic_element<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        (at, name): (usize, R::Name),
        into: &mut F,
    ) -> Result<Step> {
        self.field = usize::MAX;
        let mut meaning = self.meaning(scope, component, name);
        if let Some(meaning) = meaning {
            self.opened(scope.space_of(meaning), name);
            self.learn_number(scope, component, (name, meaning));
        } else if self.plan.takes_unnamed() {
            meaning = self.unnamed(scope, component, (at, name))?;
        }
        if self.in_order
            && let Some(meaning) = meaning
        {
            self.check_order(scope, seen, meaning, at)?;
        }
        match meaning {
            Some(Name::Field(field)) => {
                let field = usize::from(field);
                let name = (at + 1, self.reader.length(name));
                match scope.led_by(field) {
                    None => self.generic_field(scope, seen, component, (field, at, name), into),
                    Some(choice) => {
                        self.choice_beside(scope, seen, component, (choice, at, name), into)
                    }
                }
            }
            Some(Name::Component(inner)) if !self.is_nil_component(scope, inner, into)? => {
                self.note_component(scope, inner, seen, at)?;
                if self.attributes {
                    self.hold(scope, inner)?;
                    self.deliver_of_component(into);
                }
                Ok(Step::Between(inner))
            }
            Some(Name::Component(inner)) => {
                self.reject_held(scope, inner, at)?;
                self.discard_pending();
                self.pass_nil(component)
            }
            None => {
                self.gap = None;
                if let Some(field) = self.wildcard(scope, component, seen, name) {
                    return self.any_field(scope, seen, (field, at), into);
                }
                if !self.read_result(component, (at, name))? {
                    self.unknown(scope, component, (at, name))?;
                    self.pass_over(scope, component, seen, at, into)?;
                }
                self.check_names();
                Ok(Step::Between(component))
            }
        }
    }

    #[inline(always)]
    pub(super) fn generic_field<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        (field, at, name): (usize, usize, (usize, usize)),
        into: &mut F,
    ) -> Result<Step> {
        self.field = field;
        let shape = scope.slots[field].shape;
        if matches!(shape, Shape::Any | Shape::Run) && self.takes_any(&scope.slots[field]) {
            return self.any_field(scope, seen, (field, at), into);
        }
        if self.is_nil()? {
            if shape != Shape::Run && (shape != Shape::Struct || self.tags.held.is_empty()) {
                self.discard_pending();
                return self.pass_nil(component);
            }
            self.begin_nil(scope.container(&scope.slots[field]), shape == Shape::Run)?;
        }
        if !matches!(shape, Shape::Value | Shape::Defaulted) {
            self.note_field(scope, seen, field, at)?;
            self.gap = None;
        } else {
            self.note(field, seen, at)?;
            if self.same_context && self.reader.is_alone() && shape == Shape::Value {
                // A gap may follow, so its value is read like the others.
                self.reader.pop_known_elements(1);
                let content = self.reader.position();
                return Ok(Step::Leaf(Leaf { field, content, name }));
            }
            self.gap = None;
            self.value = self.content(at)?;
        }
        if shape != Shape::Defaulted || self.has_value(&scope.slots[field], at) {
            into.decode_field(field, self)?;
        }
        self.gap = None;
        self.leave_field(into);
        Ok(Step::Between(component))
    }
}
