//! A message whose schema is known at run time only.

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::{
    Decoder, Encoder, Entries, Fields, Group, Holds, Layout, Message, Need, Result, Scope, ScopeId,
    Structure, Unknown, Unmet,
};

mod collector;
mod sample;
mod value;
mod values;

use collector::Collector;
pub(crate) use collector::{of_float, of_integer};
pub use sample::{AnyContent, Samples};
pub use value::{RecordError, Value};
use value::{fits, integer, integers, is_of, with_sign_of};
use values::Values;

/// The entries of a list of a [`Record`]: of a repeating group, or of values, each of them the field
/// `item` of an entry.
#[derive(Clone)]
pub struct RecordGroup {
    layout: Arc<Layout>,
    scope: ScopeId,
    entries: Group<Record>,
}

impl RecordGroup {
    /// The entries.
    pub fn entries(&self) -> &[Record] {
        &self.entries
    }

    /// Adds an entry with no field set.
    #[inline]
    pub fn next_entry(&mut self) -> &mut Record {
        let (layout, scope) = (&self.layout, self.scope);
        self.entries.next_entry_with(|| Record::of_scope(layout, scope))
    }
}

impl PartialEq for RecordGroup {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl fmt::Debug for RecordGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

impl Entries for RecordGroup {
    type Entry = Record;

    #[inline]
    fn clear(&mut self) {
        self.entries.clear();
    }

    fn count(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    fn reserve(&mut self, count: usize) {
        self.entries.reserve(count);
    }

    #[inline]
    fn next_entry(&mut self) -> &mut Record {
        self.next_entry()
    }
}

/// A message, or an entry of its groups, held field by field after its layout.
///
/// The same encoders and decoders serve it as serve derived structs.
#[derive(Clone)]
pub struct Record {
    layout: Arc<Layout>,
    scope: ScopeId,
    values: Values,
    unknown: Unknown,
    has_defaults: bool,
    is_nil: bool,
}

impl Record {
    /// A message with no field set but those that have a default.
    pub fn new(layout: &Arc<Layout>) -> Self {
        Self::of_scope(layout, ScopeId(0))
    }

    fn of_scope(layout: &Arc<Layout>, scope: ScopeId) -> Self {
        let described = layout.scope(scope);
        let values = Values::new(described.fields.len());
        let has_defaults = !described.defaults.is_empty();
        let unknown = Unknown::default();
        let (layout, is_nil) = (layout.clone(), false);
        let mut record = Self { layout, scope, values, unknown, has_defaults, is_nil };
        record.put_defaults();
        record
    }

    /// The same message as a record.
    pub fn from_message<M: Structure>(message: &M) -> Self {
        let mut record = Self::new(M::layout());
        record.collect(message);
        record
    }

    /// Takes over every field of a message or entry of the same schema and scope.
    fn collect<F: Fields>(&mut self, fields: &F) {
        self.clear();
        if fields.is_nil() {
            self.set_nil();
        }
        fields.encode_fields(0, &mut Collector { record: self });
    }

    /// The fields' descriptions.
    pub fn scope(&self) -> &Scope {
        self.layout.scope(self.scope)
    }

    /// The value at a position of the scope, if it is set.
    pub fn value(&self, index: usize) -> Option<&Value> {
        self.values.get(index).filter(|value| self.counts(index, value))
    }

    /// As in a struct, a list that is implied by its items is absent without any.
    #[inline]
    fn counts(&self, index: usize, value: &Value) -> bool {
        !value.is_empty_list() || self.scope().fields[index].need != Need::Implied
    }

    /// The value of a field, if it is set; of the first one at this path, as
    /// [`Scope::position`] has it, or of a struct by itself: `Address/Street`.
    pub fn get(&self, path: &str) -> Option<&Value> {
        match self.scope().position(path) {
            Some(index) => self.value(index),
            None => {
                let (index, rest) = self.scope().struct_before(path)?;
                match self.value(index)? {
                    Value::Struct(inner) => inner.get(rest),
                    _ => None,
                }
            }
        }
    }

    /// What it keeps that its schema does not know.
    pub fn unknown_fields(&self) -> &Unknown {
        &self.unknown
    }

    /// Sets the first field at this path, and makes structs there that are around it. A whole number may
    /// be of any type that holds it; a value of an enumeration is set by its name.
    ///
    /// # Errors
    /// There is no such field, or it holds values of another kind, or a number is too large for it.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<(), RecordError> {
        let Some(index) = self.scope().position(path) else {
            let inner = self.scope().struct_before(path);
            let (index, rest) = inner.ok_or_else(|| RecordError::NoSuchField(path.into()))?;
            return self.structure_at(index).set(rest, value);
        };
        let value = self.admit(index, path, value.into())?;
        *self.place(index) = value;
        Ok(())
    }

    /// The value in the variant that the field has.
    fn admit(&self, index: usize, path: &str, value: Value) -> Result<Value, RecordError> {
        let field = &self.scope().fields[index];
        let holds = || self.layout.type_name(field);
        if let (Holds::Enumeration(of), Value::Text(name)) = (field.holds, &value) {
            let values = self.layout.schema().values(of);
            let found = values.iter().position(|it| **it == **name);
            let unknown = || RecordError::NoSuchValue(path.into(), holds(), name.to_string());
            return found.map(|it| Value::Enumeration(it as u32)).ok_or_else(unknown);
        }
        let value = with_sign_of(field.holds, value)
            .ok_or_else(|| RecordError::OutOfRange(path.into(), holds()))?;
        if !is_of(&value, &self.layout, field.holds) {
            return Err(RecordError::OtherKind(path.into(), holds()));
        }
        if !fits(field.holds, &value) {
            return Err(RecordError::OutOfRange(path.into(), holds()));
        }
        Ok(value)
    }

    /// The struct or choice by itself that is the first field at this path, made with no field set if
    /// it was absent. None if there is no such field, or it holds something else.
    pub fn struct_mut(&mut self, path: &str) -> Option<&mut Record> {
        let index = self.scope().position(path)?;
        let Holds::Struct(_) = self.scope().fields[index].holds else { return None };
        Some(self.structure_at(index))
    }

    /// The same by its position, which holds one.
    fn structure_at(&mut self, index: usize) -> &mut Record {
        match self.place(index) {
            Value::Struct(inner) => inner,
            _ => unreachable!("the field holds a struct by itself"),
        }
    }

    #[inline]
    fn place(&mut self, index: usize) -> &mut Value {
        self.values.renew(index, &self.layout, self.scope)
    }

    /// Makes the first field at this path absent, or what its default is. False if there is no such
    /// field.
    pub fn remove(&mut self, path: &str) -> bool {
        let Some(index) = self.scope().position(path) else { return false };
        match self.scope().fields[index].default.as_deref().cloned() {
            Some(default) => *self.place(index) = default,
            None => self.values.remove(index),
        }
        true
    }

    /// Sets the fields that have a default to it.
    #[inline]
    fn put_defaults(&mut self) {
        if self.has_defaults {
            self.put_each_default();
        }
    }

    #[inline(never)]
    fn put_each_default(&mut self) {
        let layout = self.layout.clone();
        let scope = layout.scope(self.scope);
        for &index in &scope.defaults {
            let default = scope.fields[index].default.as_deref();
            *self.place(index) = default.cloned().expect("it has one");
        }
    }

    /// The first group at this path, to add entries to. None if there is no group.
    pub fn group_mut(&mut self, path: &str) -> Option<&mut RecordGroup> {
        let index = self.scope().position(path)?;
        match self.scope().fields[index].holds {
            Holds::Group(_) => match self.place(index) {
                Value::Group(group) => Some(group),
                _ => None,
            },
            _ => None,
        }
    }

    fn set_fields(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.values.iter().filter(|&(index, value)| self.counts(index, value))
    }
}

impl Message for Record {
    /// An entry alone is no message: its layout is none that a plan could have been made from.
    #[inline]
    fn message_layout(&self) -> &Arc<Layout> {
        static OF_ENTRIES: LazyLock<Arc<Layout>> =
            LazyLock::new(|| Arc::new(Layout::of_no_message()));
        if self.scope == ScopeId(0) { &self.layout } else { &OF_ENTRIES }
    }
}

impl Fields for Record {
    fn encode_fields<E: Encoder>(&self, base: usize, encoder: &mut E) {
        // As `set_fields`, asked of lists alone.
        for (index, value) in self.values.iter() {
            let field = base + index;
            match value {
                Value::Boolean(value) => encoder.boolean(field, *value),
                Value::Integer(value) => encoder.integer(field, *value),
                Value::Unsigned(value) => encoder.integer(field, *value),
                Value::BigInteger(value) => encoder.big_integer(field, value),
                Value::Decimal(value) => encoder.decimal(field, *value),
                Value::BigDecimal(value) => encoder.big_decimal(field, value),
                Value::Single(value) => encoder.float(field, *value),
                Value::Float(value) => encoder.float(field, *value),
                Value::Text(value) => encoder.text(field, value),
                Value::Bytes(value) => encoder.bytes(field, value),
                Value::Date(value) => encoder.date(field, *value),
                Value::Time(value) => encoder.time(field, *value),
                Value::Timestamp(value) => encoder.timestamp(field, *value),
                Value::Duration(value) => encoder.duration(field, *value),
                Value::Code(value) => encoder.code(field, *value),
                Value::Any(value) => encoder.any(field, value),
                Value::Enumeration(value) => encoder.enumeration(field, *value as usize),
                list if !self.counts(index, list) => {}
                Value::Integers(values) => encoder.integers(field, values),
                Value::UnsignedIntegers(values) => encoder.integers(field, values),
                Value::Singles(values) => encoder.floats(field, values),
                Value::Floats(values) => encoder.floats(field, values),
                Value::Group(group) => encoder.group(field, group.entries()),
                Value::Struct(inner) => encoder.structure(field, &**inner),
            }
        }
        if !self.unknown.is_empty() {
            encoder.unknown(&self.unknown);
        }
    }

    #[inline]
    fn decode_field<D: Decoder>(&mut self, index: usize, decoder: &mut D) -> Result<()> {
        let (layout, scope) = (&self.layout, self.scope);
        let holds = || layout.scope(scope).fields[index].holds;
        match self.values.place(index, layout, scope) {
            Value::Boolean(value) => *value = decoder.boolean()?,
            Value::Integer(value) => *value = integer(holds(), decoder)?,
            Value::Unsigned(value) => *value = integer(holds(), decoder)?,
            Value::BigInteger(value) => *value = decoder.big_integer()?,
            Value::Decimal(value) => *value = decoder.decimal()?,
            Value::BigDecimal(value) => *value = decoder.big_decimal()?,
            Value::Single(value) => *value = decoder.float()?,
            Value::Float(value) => *value = decoder.float()?,
            Value::Text(value) => decoder.text(value)?,
            Value::Bytes(value) => decoder.bytes(value)?,
            Value::Date(value) => *value = decoder.date()?,
            Value::Time(value) => *value = decoder.time()?,
            Value::Timestamp(value) => *value = decoder.timestamp()?,
            Value::Duration(value) => *value = decoder.duration()?,
            Value::Code(value) => *value = decoder.code()?,
            Value::Any(value) => decoder.any(value)?,
            Value::Enumeration(value) => *value = decoder.enumeration()? as u32,
            Value::Integers(values) => integers(holds(), decoder, values)?,
            Value::UnsignedIntegers(values) => integers(holds(), decoder, values)?,
            Value::Singles(values) => decoder.floats(values)?,
            Value::Floats(values) => decoder.floats(values)?,
            Value::Group(group) => decoder.group(group)?,
            Value::Struct(_) => return decoder.structure(self.structure_at(index)),
        }
        self.values.insert(index);
        Ok(())
    }

    #[inline]
    fn clear(&mut self) {
        self.values.clear();
        self.unknown.clear();
        self.is_nil = false;
        self.put_defaults();
    }

    #[inline]
    fn is_nil(&self) -> bool {
        self.is_nil
    }

    fn set_nil(&mut self) -> bool {
        self.values.clear();
        self.unknown.clear();
        self.is_nil = true;
        true
    }

    #[inline(always)]
    fn unmet(&self) -> Option<Unmet> {
        if self.is_nil {
            return Some(Unmet::Nil);
        }
        let is_there = |field| self.value(field).is_some();
        self.scope().required.unmet_where(self.values.set(), is_there)
    }

    #[inline]
    fn unknown(&mut self) -> Option<&mut Unknown> {
        Some(&mut self.unknown)
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.layout.is_same(&other.layout)
            && self.scope == other.scope
            && self.is_nil == other.is_nil
            && self.unknown == other.unknown
            && self.set_fields().eq(other.set_fields())
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = self.scope();
        let mut map = f.debug_struct(&scope.name);
        if self.is_nil {
            map.field("nil", &true);
        }
        for (index, value) in self.set_fields() {
            // A name may stand in several components, and what differs prints otherwise.
            let path = scope.path(index);
            match (scope.fields[index].holds, value) {
                (Holds::Enumeration(of), Value::Enumeration(value)) => {
                    map.field(&path, &self.layout.schema().values(of)[*value as usize]);
                }
                _ => _ = map.field(&path, value),
            }
        }
        for (number, value) in self.unknown.iter() {
            map.field(&number.to_string(), &String::from_utf8_lossy(value));
        }
        for (_, text) in self.unknown.markup() {
            map.field("unknown", &text);
        }
        map.finish()
    }
}
