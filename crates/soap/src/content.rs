//! The attributes and the text of an element.

use trunkline_codec::infoset::Event;
use trunkline_message::{ErrorKind, Fields, Holds, Kind, Result};

use crate::attributes::{KnownAttributes, is_unknown};
use crate::container::Container;
use crate::decoder::Body;
use crate::entries::ENTRY;
use crate::form::{Form, Value};
use crate::options::Layout;
use crate::paths::Step;
use crate::plan::{NONE, ScopePlan, Shape, Slot};
use crate::types::begins_with_arm;
use crate::unknown::capture::ScopePath;
use crate::unknown::{MESSAGE, NIL_WITH_ATTRIBUTES, NOTHING};

impl<'a, R: Form> Body<'a, R> {
    /// The attributes of the start tag just read that describe the content of a field or component.
    #[inline]
    pub(super) fn known_attributes(&self) -> Result<KnownAttributes<'_>> {
        if self.reader.attributes() == 0 {
            return Ok(KnownAttributes::default());
        }
        KnownAttributes::read(self.plan, &self.reader).map_err(|kind| self.error(kind, self.at()))
    }

    /// Is the field whose start tag was just read nil? Does its type fit? Keeps how many items it
    /// says that it has.
    #[inline]
    pub(super) fn is_nil(&mut self) -> Result<bool> {
        if self.reader.attributes() == 0 {
            self.stated = None;
            return Ok(false);
        }
        self.is_nil_by_attribute(true)
    }

    /// The same for an item, whose unknown attributes are not kept.
    #[inline]
    pub(super) fn is_item_nil(&mut self) -> Result<bool> {
        if self.reader.attributes() == 0 {
            self.stated = None;
            return Ok(false);
        }
        self.is_nil_by_attribute(false)
    }

    #[inline(never)]
    fn is_nil_by_attribute(&mut self, keeps: bool) -> Result<bool> {
        let known_attributes = self.known_attributes()?;
        let plan = self.plan;
        let holds = plan.layout.scopes()[self.scope].fields[self.field].holds;
        let around = &plan.scopes[self.scope];
        let slot = &around.slots[self.field];
        let is_apart = begins_with_arm(&plan.scopes, slot);
        let typed = match is_apart || around.is_typed_arm(self.field) {
            // Which arm it is, the type says.
            true => Ok(()),
            false => known_attributes.fit(self.kind_of(holds, slot.shape)),
        };
        let fits = typed.and_then(|()| match slot.shape {
            _ if known_attributes.nil => Ok(None),
            Shape::Group if plan.any_item => {
                known_attributes.array(around.container(slot).is_compound).map(|it| it.count)
            }
            Shape::List => {
                let fits = known_attributes
                    .reject_simple(plan)
                    .and_then(|()| known_attributes.array(false));
                fits.map(|it| it.count)
            }
            _ => known_attributes.reject_array().map(|()| None),
        });
        let (nil, others) = (known_attributes.nil, known_attributes.others);
        self.stated = fits.map_err(|kind| self.error(kind, self.at()))?;
        if is_apart {
            // The attributes are those of the arm.
            if nil && self.has_attribute_of_arm(slot) {
                let kind = ErrorKind::Expected(NIL_WITH_ATTRIBUTES.into());
                return Err(self.error(kind, self.at()));
            }
            self.count_attributes(if nil { others } else { 0 })?;
            return Ok(nil);
        }
        let is_scope = match slot.shape {
            Shape::Struct => true,
            Shape::Run => slot.scope > 0 && around.container(slot).enclosing.is_some(),
            _ => false,
        };
        if is_scope {
            let inner = &plan.scopes[usize::from(slot.scope)];
            self.count_attributes_around(others, inner, NONE)?;
            if self.attributes {
                self.hold(inner, NONE)?;
            }
        } else {
            let keeps = keeps && slot.shape != Shape::Run;
            self.count_attributes_of_field(others, keeps)?;
        }
        Ok(nil)
    }

    /// Has the start tag just read an attribute of one of the types that the field may be of?
    #[cold]
    fn has_attribute_of_arm(&self, slot: &Slot) -> bool {
        let plan = self.plan;
        let arms = &plan.scopes[usize::from(slot.scope)].slots;
        let has = |local: &str| {
            let mut structs = arms.iter().filter(|it| it.shape == Shape::Struct);
            structs.any(|it| {
                let inner = &plan.scopes[usize::from(it.scope)];
                inner.attributes.get(NONE, local.as_bytes()).is_some()
            })
        };
        (0..self.reader.attributes()).any(|index| {
            let name = self.reader.attribute(index).0;
            let (namespace, local) = (self.reader.namespace_of(name), self.reader.local(name));
            is_unknown(plan, namespace, local) && has(local)
        })
    }

    /// Of which kind a field's values are; those of an enumeration are text.
    fn kind_of(&self, holds: Holds, shape: Shape) -> Option<Kind> {
        match (holds, shape) {
            (Holds::Enumeration(_), _) => Some(Kind::Text),
            (Holds::Group(inner), Shape::Run) => {
                let inner = self.plan.layout.scope(inner);
                let is_item = inner.shape == trunkline_message::Shape::Item;
                let item = is_item.then(|| inner.fields[0].holds)?;
                match item {
                    Holds::Enumeration(_) => Some(Kind::Text),
                    item => item.kind(),
                }
            }
            (holds, _) => holds.kind(),
        }
    }

    /// What is read next is nil: an entry of the present list, or the present struct, which has attributes.
    ///
    /// # Errors
    /// It may not be.
    #[cold]
    pub(super) fn begin_nil(&mut self, container: &Container, is_entry: bool) -> Result<()> {
        let is_plain = self.tags.held.is_empty();
        // Which type it is would not be said again.
        let is_arm = !is_entry && self.plan.scopes[self.scope].is_typed_arm(self.field);
        if container.takes_nil && !is_arm && (is_plain || self.plan.options.nil_in_records) {
            self.scope_path = ScopePath::Nil;
            return Ok(());
        }
        let is_wrong = is_entry && !container.takes_nil;
        let what = if is_wrong { ENTRY } else { NIL_WITH_ATTRIBUTES };
        Err(self.error(ErrorKind::Expected(what.into()), self.reader.position()))
    }

    /// Reads an entry or struct that is nil, the start tag of which was just read: values that are attributes, and the
    /// end tag.
    #[cold]
    #[inline(never)]
    pub(super) fn nil_scope<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        into: &mut F,
    ) -> Result<()> {
        self.nil_item(into)?;
        if self.attributes {
            let read = self.with_bits(scope, |body, seen| body.take_held(seen, into));
            read?;
            if !into.is_nil() {
                self.field = usize::MAX;
                let kind = ErrorKind::Expected(NIL_WITH_ATTRIBUTES.into());
                return Err(self.error(kind, self.reader.position()));
            }
        }
        self.pass_nil(NONE).map(|_| ())
    }

    /// Makes an entry or struct nil.
    fn nil_item<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        self.scope_path = if self.attributes { ScopePath::Attributes } else { ScopePath::Elements };
        self.discard_pending();
        self.fields += 1;
        self.field = usize::MAX;
        if into.set_nil() {
            return Ok(());
        }
        let what = if self.tags.held.is_empty() { ENTRY } else { NIL_WITH_ATTRIBUTES };
        Err(self.error(ErrorKind::Expected(what.into()), self.reader.position()))
    }

    /// The same of one without attributes: an item that is one element, or one of several types.
    #[cold]
    #[inline(never)]
    pub(super) fn nil_value<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        self.nil_item(into)?;
        if !std::mem::take(&mut self.tags.held).is_empty() {
            let kind = ErrorKind::Expected(NIL_WITH_ATTRIBUTES.into());
            return Err(self.error(kind, self.reader.position()));
        }
        self.pass_nil(NONE).map(|_| ())
    }

    /// Is the component whose start tag was just read nil?
    pub(super) fn is_nil_component<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        into: &mut F,
    ) -> Result<bool> {
        let known_attributes = self.known_attributes()?;
        if !known_attributes.nil {
            let fits = known_attributes.reject_others(self.plan);
            fits.map_err(|kind| self.error(kind, self.at()))?;
        }
        let (nil, others) = (known_attributes.nil, known_attributes.others);
        self.count_attributes_around(others, scope, component)?;
        if others > 0 && !nil {
            self.deliver_of_component(into);
        }
        Ok(nil)
    }

    /// Is the item whose start tag was just read one of the present list?
    pub(super) fn check_item(&mut self) -> Result<()> {
        let known_attributes = self.known_attributes()?;
        let field = &self.plan.layout.scopes()[self.scope].fields[self.field];
        let fits = known_attributes
            .fit(field.holds.kind())
            .and_then(|()| known_attributes.reject_nil("an item, not nil"));
        let fits = fits.and_then(|()| known_attributes.reject_array());
        let others = known_attributes.others;
        fits.map_err(|kind| self.error(kind, self.at()))?;
        self.count_attributes(others)
    }

    /// Is the number of items found the stated one, if there was one, and that of the schema?
    #[inline]
    pub(super) fn check_count(
        &self,
        stated: Option<u64>,
        fixed: usize,
        found: usize,
    ) -> Result<()> {
        if fixed > 0 && found != fixed {
            return Err(self.error(ErrorKind::Count { stated: fixed, found }, self.at()));
        }
        match stated {
            Some(stated) if stated != found as u64 => {
                let stated = usize::try_from(stated).unwrap_or(usize::MAX);
                Err(self.error(ErrorKind::Count { stated, found }, self.at()))
            }
            _ => Ok(()),
        }
    }

    fn at(&self) -> usize {
        self.reader.position()
    }

    /// The text of the element just begun, up to and including its end tag.
    pub(super) fn content(&mut self, element: usize) -> Result<Value<R::Held>> {
        let mut value = self.no_text(self.at());
        let mut first = true;
        loop {
            match self.reader.next()? {
                Event::Text(text) => {
                    let held = || self.reader.held(text, self.reader.began());
                    match first.then(held).flatten() {
                        Some(held) => value = held,
                        None => {
                            value = self.begin_scratch(value, element);
                            self.reader.append(text, self.scratch);
                        }
                    }
                }
                Event::End => break,
                Event::Start(_) | Event::Eof => {
                    let kind = ErrorKind::Expected("text, not an element".into());
                    return Err(self.error(kind, self.reader.began()));
                }
            }
            first = false;
            if let Value::Scratch(_) = value
                && self.scratch.len() > self.limits.value_bytes
            {
                let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
                return Err(self.error(kind, element));
            }
        }
        Ok(value)
    }

    /// The value of an element without text that ends at `at`.
    pub(super) fn no_text(&mut self, at: usize) -> Value<R::Held> {
        if R::IS_TEXT {
            return Value::Input(at, at);
        }
        self.scratch.clear();
        Value::Scratch(at)
    }

    /// Moves what was read so far into the scratch text.
    fn begin_scratch(&mut self, value: Value<R::Held>, element: usize) -> Value<R::Held> {
        match value {
            Value::Scratch(_) => return value,
            Value::Input(start, end) => {
                self.scratch.clear();
                self.scratch.push_str(self.input.get(start..end).unwrap_or_default());
            }
            Value::Held(held, _) => {
                self.scratch.clear();
                self.reader.append(R::text_of(held), self.scratch);
            }
        }
        Value::Scratch(element)
    }

    /// Passes over the end of the element just begun, which is nil, so that there is nothing in it but
    /// perhaps white space and comments.
    pub(super) fn pass_nil(&mut self, component: u16) -> Result<Step> {
        self.gap = None;
        loop {
            match self.reader.next()? {
                Event::End => break,
                Event::Text(text) if self.reader.is_white(text) => {}
                _ => {
                    let kind = ErrorKind::Expected(NOTHING.into());
                    return Err(self.error(kind, self.reader.began()));
                }
            }
        }
        self.check_names();
        Ok(Step::Between(component))
    }

    /// Reads a message that is nil, whose start tag was just read. Of one that is nothing, the Body has been read.
    ///
    /// # Errors
    /// It cannot be so, and has something that must be there.
    #[cold]
    pub(super) fn nil_message<F: Fields>(&mut self, message: &mut F) -> Result<()> {
        if self.plan.options.layout == Layout::Nothing {
            return Ok(());
        }
        if self.attributes {
            self.hold_first(false)?;
        }
        self.held_nil_message(message)
    }

    /// The same of one whose attributes are held, if they are values.
    #[cold]
    pub(super) fn held_nil_message<F: Fields>(&mut self, message: &mut F) -> Result<()> {
        let plan = self.plan;
        self.field = usize::MAX;
        let what = match plan.options.nillable && message.set_nil() {
            true if self.tags.held.is_empty() || plan.options.nil_in_records => {
                return self.nil_scope(&plan.scopes[0], message);
            }
            true => NIL_WITH_ATTRIBUTES,
            false if plan.may_be_nil() => return self.pass_nil(NONE).map(|_| ()),
            false => MESSAGE,
        };
        Err(self.error(ErrorKind::Expected(what.into()), self.at()))
    }

    /// Is there a value of a field that has a default? Of an empty element it is the one that the slot has for it. Without
    /// one it is that of the field, which the message has had since it was cleared.
    pub(super) fn has_value(&mut self, slot: &Slot, at: usize) -> bool {
        if !self.is_empty_value() {
            return true;
        }
        let Some(empty) = &slot.empty else { return false };
        self.scratch.clear();
        self.scratch.push_str(empty);
        self.value = Value::Scratch(at);
        true
    }

    /// Is there nothing between the tags of the present value?
    pub(super) fn is_empty_value(&self) -> bool {
        match self.value {
            Value::Input(start, end) => start == end,
            Value::Scratch(_) => self.scratch.is_empty(),
            Value::Held(held, _) => self.reader.value(R::text_of(held)).is_empty(),
        }
    }
}
