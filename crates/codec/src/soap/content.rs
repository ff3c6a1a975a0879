//! What an element says in its attributes and its text.

use trunkline_message::{ErrorKind, Fields, Holds, Kind, Result};

use super::attributes::Marks;
use super::decoder::{Body, Value};
use super::plan::{NONE, ScopePlan, Shape};
use super::types::begins_with_arm;
use crate::xml::{self, Event};

impl<'a> Body<'a> {
    /// What the start tag just read says of a field's or component's content.
    #[inline]
    pub(super) fn marks(&self) -> Result<Marks<'a>> {
        if self.parser.attributes(self.input).len() == 0 {
            return Ok(Marks::default());
        }
        Marks::read(self.plan, self.parser, self.input).map_err(|kind| self.error(kind, self.at()))
    }

    /// Is the field whose start tag was just read nil? Does its type fit? Keeps how many items it
    /// says that it has.
    #[inline]
    pub(super) fn is_nil(&mut self) -> Result<bool> {
        if self.parser.attributes(self.input).len() == 0 {
            self.stated = None;
            return Ok(false);
        }
        self.is_nil_by_marks(true)
    }

    /// The same for an item, whose attributes nobody keeps.
    #[inline]
    pub(super) fn is_item_nil(&mut self) -> Result<bool> {
        if self.parser.attributes(self.input).len() == 0 {
            self.stated = None;
            return Ok(false);
        }
        self.is_nil_by_marks(false)
    }

    #[inline(never)]
    fn is_nil_by_marks(&mut self, keeps: bool) -> Result<bool> {
        let marks = self.marks()?;
        let plan = self.plan;
        let holds = plan.layout.scopes()[self.scope].fields[self.field].holds;
        let around = &plan.scopes[self.scope];
        let slot = &around.slots[self.field];
        let is_apart = begins_with_arm(&plan.scopes, slot);
        let typed = match is_apart || around.is_typed_arm(self.field) {
            // Which arm it is, the type says.
            true => Ok(()),
            false => marks.fit(self.kind_of(holds, slot.shape)),
        };
        let fits = typed.and_then(|()| match slot.shape {
            _ if marks.nil => Ok(None),
            Shape::Group if plan.any_item => {
                marks.array(around.inside(slot).is_compound).map(|it| it.count)
            }
            Shape::List => {
                let fits = marks.refuse_simple(plan).and_then(|()| marks.array(false));
                fits.map(|it| it.count)
            }
            _ => marks.refuse_array().map(|()| None),
        });
        self.stated = fits.map_err(|kind| self.error(kind, self.at()))?;
        if is_apart {
            // The attributes are those of the arm.
            self.count_attributes(if marks.nil { marks.others } else { 0 })?;
            return Ok(marks.nil);
        }
        let is_scope = match slot.shape {
            Shape::Struct => true,
            Shape::Run => slot.scope > 0 && around.inside(slot).enclosing.is_some(),
            _ => false,
        };
        if is_scope {
            let inner = &plan.scopes[usize::from(slot.scope)];
            self.count_attributes_around(marks.others, inner, NONE)?;
            if self.attributes {
                self.hold_of_field(inner, marks.nil)?;
            }
        } else {
            let keeps = keeps && slot.shape != Shape::Run;
            self.count_attributes_of_field(marks.others, keeps)?;
        }
        Ok(marks.nil)
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

    /// Is the component whose start tag was just read nil?
    pub(super) fn is_nil_component<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        into: &mut F,
    ) -> Result<bool> {
        let marks = self.marks()?;
        if !marks.nil {
            let fits = marks.refuse_others(self.plan);
            fits.map_err(|kind| self.error(kind, self.at()))?;
        }
        self.count_attributes_around(marks.others, scope, component)?;
        if marks.others > 0 && !marks.nil {
            self.hand_of_component(into);
        }
        Ok(marks.nil)
    }

    /// Is the item whose start tag was just read one of the present list?
    pub(super) fn check_item(&mut self) -> Result<()> {
        let marks = self.marks()?;
        let field = &self.plan.layout.scopes()[self.scope].fields[self.field];
        let fits =
            marks.fit(field.holds.kind()).and_then(|()| marks.refuse_nil("an item, not nil"));
        let fits = fits.and_then(|()| marks.refuse_array());
        fits.map_err(|kind| self.error(kind, self.at()))?;
        self.count_attributes(marks.others)
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
        self.parser.position()
    }

    /// The text of the element just begun, up to and including its end tag.
    pub(super) fn content(&mut self, element: usize) -> Result<Value> {
        let mut value = Value::Input(self.at(), self.at());
        let mut first = true;
        loop {
            let at = self.at();
            match self.parser.next(self.input)? {
                Event::Text { raw, plain: true, .. } | Event::CData { raw, plain: true }
                    if first =>
                {
                    let start = raw.as_ptr().addr() - self.input.as_ptr().addr();
                    value = Value::Input(start, start + raw.len());
                }
                Event::Text { raw, plain, .. } => {
                    value = self.begin_scratch(value, element);
                    match plain {
                        true => self.scratch.push_str(raw),
                        false => xml::unescape(raw, self.scratch),
                    }
                }
                Event::CData { raw, .. } => {
                    value = self.begin_scratch(value, element);
                    xml::normalise_newlines(raw, self.scratch);
                }
                Event::Comment(_) | Event::ProcessingInstruction { .. } => continue,
                Event::End { .. } => break,
                Event::Start { .. } | Event::Eof => {
                    let expected = "text, not an element";
                    return Err(self.error(ErrorKind::Expected(expected.into()), at));
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

    /// Moves what was read so far into the scratch text.
    fn begin_scratch(&mut self, value: Value, element: usize) -> Value {
        if let Value::Input(start, end) = value {
            self.scratch.clear();
            self.scratch.push_str(&self.input[start..end]);
        }
        Value::Scratch(element)
    }
}
