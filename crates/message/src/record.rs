//! A message whose schema is known at run time only.

use std::fmt;
use std::sync::{Arc, LazyLock};

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
};

use crate::presence::Ones;
use crate::{
    Decoder, Encoder, Entries, Fields, Group, Holds, IntegerKind, Kind, Layout, Message, Need,
    Result, Scope, ScopeId, Structure, Unknown, Unmet,
};

/// The value of one field of a [`Record`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Boolean(bool),
    /// Whole numbers with a sign, of any width.
    Integer(i64),
    /// Whole numbers without a sign, of any width.
    Unsigned(u64),
    BigInteger(BigInteger),
    Decimal(Decimal),
    BigDecimal(BigDecimal),
    /// An IEEE single.
    Single(f32),
    /// An IEEE double.
    Float(f64),
    Text(Text),
    Bytes(Vec<u8>),
    Date(Date),
    Time(Time),
    Timestamp(Timestamp),
    Duration(Duration),
    Code(Code),
    /// A value of an enumeration, by its place among them; set it by its name, a text.
    Enumeration(u32),
    Integers(Vec<i64>),
    UnsignedIntegers(Vec<u64>),
    Singles(Vec<f32>),
    Floats(Vec<f64>),
    /// A list of anything else.
    Group(RecordGroup),
    /// A struct or choice by itself; none before the first is set.
    Struct(Option<Box<Record>>),
}

macro_rules! values {
    ($($type:ty => $variant:ident;)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

values! {
    bool => Boolean;
    i8 => Integer;
    i16 => Integer;
    i32 => Integer;
    i64 => Integer;
    u8 => Unsigned;
    u16 => Unsigned;
    u32 => Unsigned;
    u64 => Unsigned;
    BigInteger => BigInteger;
    Decimal => Decimal;
    BigDecimal => BigDecimal;
    f32 => Single;
    f64 => Float;
    &str => Text;
    Text => Text;
    Vec<u8> => Bytes;
    Date => Date;
    Time => Time;
    Timestamp => Timestamp;
    Duration => Duration;
    Code => Code;
    RecordGroup => Group;
}

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

    /// Are the entries of both described by the same scope?
    fn holds_what(&self, other: &Self) -> bool {
        self.layout.is_same(&other.layout) && self.scope == other.scope
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

    #[inline]
    fn reserve(&mut self, count: usize) {
        self.entries.reserve(count);
    }

    #[inline]
    fn next_entry(&mut self) -> &mut Record {
        self.next_entry()
    }
}

/// Why a field of a record cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// The schema has no field of this name.
    NoSuchField(String),
    /// The field holds values of another kind: which.
    OtherKind(String, String),
    /// The number, or one of the list, does not fit the width that the field has: which.
    OutOfRange(String, String),
    /// The enumeration that the field holds has no value of this name: its name, and the other.
    NoSuchValue(String, String, String),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchField(name) => write!(f, "there is no field {name}"),
            Self::OtherKind(name, holds) => write!(f, "{name} holds {holds}"),
            Self::OutOfRange(name, holds) => {
                write!(f, "the number does not fit {name}, which holds {holds}")
            }
            Self::NoSuchValue(name, of, value) => {
                write!(f, "{name} holds {of}, of which {value:?} is no value")
            }
        }
    }
}

impl std::error::Error for RecordError {}

/// A message, or an entry of its groups, held field by field after its layout.
///
/// The same encoders and decoders serve it as serve derived structs.
#[derive(Clone)]
pub struct Record {
    layout: Arc<Layout>,
    scope: ScopeId,
    present: Box<[u64]>,
    values: Box<[Value]>,
    unknown: Unknown,
}

impl Record {
    /// A message with no field set.
    pub fn new(layout: &Arc<Layout>) -> Self {
        Self::of_scope(layout, ScopeId(0))
    }

    fn of_scope(layout: &Arc<Layout>, scope: ScopeId) -> Self {
        let fields = &layout.scope(scope).fields;
        Self {
            layout: layout.clone(),
            scope,
            present: vec![0; fields.len().div_ceil(64)].into(),
            values: fields.iter().map(|field| empty(layout, field.holds)).collect(),
            unknown: Unknown::default(),
        }
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
        fields.encode_fields(0, &mut Collector { record: self });
    }

    /// The fields' descriptions.
    pub fn scope(&self) -> &Scope {
        self.layout.scope(self.scope)
    }

    /// The value at a position of the scope, if it is set.
    pub fn value(&self, index: usize) -> Option<&Value> {
        (self.is_set(index) && self.counts(index)).then(|| &self.values[index])
    }

    /// As in a struct, a list that is implied by its items is absent without any.
    #[inline]
    fn counts(&self, index: usize) -> bool {
        let is_empty = match &self.values[index] {
            Value::Group(group) => group.entries.is_empty(),
            Value::Integers(values) => values.is_empty(),
            Value::UnsignedIntegers(values) => values.is_empty(),
            Value::Singles(values) => values.is_empty(),
            Value::Floats(values) => values.is_empty(),
            _ => false,
        };
        !is_empty || self.scope().fields[index].need != Need::Implied
    }

    /// The value of a field, if it is set; of the first one at this path, as
    /// [`Scope::position`] has it, or of a struct by itself: `Address/Street`.
    pub fn get(&self, path: &str) -> Option<&Value> {
        match self.scope().position(path) {
            Some(index) => self.value(index),
            None => {
                let (index, rest) = self.scope().struct_before(path)?;
                match self.value(index)? {
                    Value::Struct(inner) => inner.as_ref()?.get(rest),
                    _ => None,
                }
            }
        }
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
        self.values[index] = value;
        self.insert(index);
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
        let is_of_kind = match (&self.values[index], &value) {
            (Value::Group(here), Value::Group(group)) => here.holds_what(group),
            (Value::Struct(_), Value::Struct(_)) => false,
            (here, value) => std::mem::discriminant(here) == std::mem::discriminant(value),
        };
        if !is_of_kind {
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
        let was_set = self.is_set(index);
        self.present[index / 64] |= 1 << (index % 64);
        let (layout, scope) = (&self.layout, self.scope);
        let Value::Struct(inner) = &mut self.values[index] else {
            unreachable!("the field holds a struct by itself")
        };
        let made = || {
            let scope = layout.scope(scope).fields[index].holds.scope();
            Box::new(Record::of_scope(layout, scope.expect("it has a scope of its own")))
        };
        let inner = inner.get_or_insert_with(made);
        if !was_set {
            // It may be of an earlier message, kept for its memory.
            inner.clear();
        }
        inner
    }

    /// Makes the first field at this path absent. False if there is no such field.
    pub fn remove(&mut self, path: &str) -> bool {
        let Some(index) = self.scope().position(path) else { return false };
        self.present[index / 64] &= !(1 << (index % 64));
        true
    }

    /// The first group at this path, to add entries to. None if there is no group.
    pub fn group_mut(&mut self, path: &str) -> Option<&mut RecordGroup> {
        let index = self.scope().position(path)?;
        let was_set = self.is_set(index);
        let Value::Group(group) = &mut self.values[index] else { return None };
        if !was_set {
            // They are of an earlier message, kept for their memory.
            group.entries.clear();
        }
        self.present[index / 64] |= 1 << (index % 64);
        Some(group)
    }

    fn is_set(&self, index: usize) -> bool {
        self.present.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    #[inline]
    fn insert(&mut self, index: usize) {
        self.present[index / 64] |= 1 << (index % 64);
    }

    fn set_fields(&self) -> impl Iterator<Item = (usize, &Value)> {
        Ones::new(&self.present, 0, self.values.len())
            .filter(|&index| self.counts(index))
            .map(|index| (index, &self.values[index]))
    }
}

/// The kind of a value is the variant of its place from the beginning, so that decoding a field
/// needs no look into the schema, unless for the width of a number.
fn empty(layout: &Arc<Layout>, holds: Holds) -> Value {
    match holds {
        Holds::Value(kind) => empty_value(kind),
        Holds::List(Kind::Integer(kind)) if signed(kind) => Value::Integers(Vec::new()),
        Holds::List(Kind::Integer(_)) => Value::UnsignedIntegers(Vec::new()),
        Holds::List(Kind::Float32) => Value::Singles(Vec::new()),
        Holds::List(_) => Value::Floats(Vec::new()),
        Holds::Enumeration(_) => Value::Enumeration(0),
        Holds::Group(scope) => {
            Value::Group(RecordGroup { layout: layout.clone(), scope, entries: Group::default() })
        }
        // Made when it is set: it may hold itself.
        Holds::Struct(_) => Value::Struct(None),
    }
}

fn empty_value(kind: Kind) -> Value {
    match kind {
        Kind::Boolean => Value::Boolean(false),
        Kind::Integer(kind) if signed(kind) => Value::Integer(0),
        Kind::Integer(_) => Value::Unsigned(0),
        Kind::BigInteger => Value::BigInteger(BigInteger::default()),
        Kind::Decimal => Value::Decimal(Decimal::default()),
        Kind::BigDecimal => Value::BigDecimal(BigDecimal::default()),
        Kind::Float32 => Value::Single(0.0),
        Kind::Float64 => Value::Float(0.0),
        Kind::Text => Value::Text(Text::default()),
        Kind::Bytes => Value::Bytes(Vec::new()),
        Kind::Date => Value::Date(Date::default()),
        Kind::Time => Value::Time(Time::default()),
        Kind::Timestamp => Value::Timestamp(Timestamp::default()),
        Kind::Duration => Value::Duration(Duration::default()),
        Kind::Code => Value::Code(Code::default()),
    }
}

fn signed(kind: IntegerKind) -> bool {
    matches!(kind, IntegerKind::I8 | IntegerKind::I16 | IntegerKind::I32 | IntegerKind::I64)
}

/// A whole number in the variant that a field of this kind has; None if that cannot hold it.
fn with_sign_of(holds: Holds, value: Value) -> Option<Value> {
    let Holds::Value(Kind::Integer(kind)) = holds else { return Some(value) };
    Some(match value {
        Value::Integer(number) if !signed(kind) => Value::Unsigned(number.try_into().ok()?),
        Value::Unsigned(number) if signed(kind) => Value::Integer(number.try_into().ok()?),
        value => value,
    })
}

/// Values hold numbers of any width as 64 bits: does it fit the field's?
fn fits(holds: Holds, value: &Value) -> bool {
    let Some(Kind::Integer(kind)) = holds.kind() else { return true };
    let shift = 64 - 8 * kind.bytes() as u32;
    let signed = |value: &i64| value << shift >> shift == *value;
    let unsigned = |value: &u64| value << shift >> shift == *value;
    match value {
        Value::Integer(value) => signed(value),
        Value::Unsigned(value) => unsigned(value),
        Value::Integers(values) => values.iter().all(signed),
        Value::UnsignedIntegers(values) => values.iter().all(unsigned),
        _ => true,
    }
}

/// Reads a number in the width that the schema says, so that a larger one is refused.
#[inline]
fn integer<D: Decoder, W: Integer>(holds: Holds, decoder: &mut D) -> Result<W> {
    let Holds::Value(Kind::Integer(kind)) = holds else { return decoder.integer() };
    let number = match kind {
        IntegerKind::I8 => W::from_i64(decoder.integer::<i8>()?.into()),
        IntegerKind::I16 => W::from_i64(decoder.integer::<i16>()?.into()),
        IntegerKind::I32 => W::from_i64(decoder.integer::<i32>()?.into()),
        IntegerKind::U8 => W::from_u64(decoder.integer::<u8>()?.into()),
        IntegerKind::U16 => W::from_u64(decoder.integer::<u16>()?.into()),
        IntegerKind::U32 => W::from_u64(decoder.integer::<u32>()?.into()),
        IntegerKind::I64 | IntegerKind::U64 => return decoder.integer(),
    };
    Ok(number.expect("64 bits hold it"))
}

/// The same for a list.
fn integers<D: Decoder, W: Integer>(
    holds: Holds,
    decoder: &mut D,
    into: &mut Vec<W>,
) -> Result<()> {
    fn widened<D: Decoder, I: Integer, W: Integer>(
        decoder: &mut D,
        into: &mut Vec<W>,
    ) -> Result<()> {
        if !decoder.goes_on() {
            into.clear();
        }
        let mut narrow = Vec::<I>::new();
        decoder.integers(&mut narrow)?;
        into.extend(narrow.into_iter().map(|number| W::from_i128(number.to_i128()).expect("fits")));
        Ok(())
    }
    let Holds::List(Kind::Integer(kind)) = holds else { return decoder.integers(into) };
    match kind {
        IntegerKind::I8 => widened::<_, i8, _>(decoder, into),
        IntegerKind::I16 => widened::<_, i16, _>(decoder, into),
        IntegerKind::I32 => widened::<_, i32, _>(decoder, into),
        IntegerKind::U8 => widened::<_, u8, _>(decoder, into),
        IntegerKind::U16 => widened::<_, u16, _>(decoder, into),
        IntegerKind::U32 => widened::<_, u32, _>(decoder, into),
        IntegerKind::I64 | IntegerKind::U64 => decoder.integers(into),
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
        for (index, value) in self.set_fields() {
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
                Value::Enumeration(value) => encoder.enumeration(field, *value as usize),
                Value::Integers(values) => encoder.integers(field, values),
                Value::UnsignedIntegers(values) => encoder.integers(field, values),
                Value::Singles(values) => encoder.floats(field, values),
                Value::Floats(values) => encoder.floats(field, values),
                Value::Group(group) => encoder.group(field, group.entries()),
                Value::Struct(Some(inner)) => encoder.structure(field, &**inner),
                Value::Struct(None) => {}
            }
        }
        if !self.unknown.is_empty() {
            encoder.unknown(&self.unknown);
        }
    }

    #[inline]
    fn decode_field<D: Decoder>(&mut self, index: usize, decoder: &mut D) -> Result<()> {
        let holds = || self.layout.scope(self.scope).fields[index].holds;
        match &mut self.values[index] {
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
            Value::Enumeration(value) => *value = decoder.enumeration()? as u32,
            Value::Integers(values) => integers(holds(), decoder, values)?,
            Value::UnsignedIntegers(values) => integers(holds(), decoder, values)?,
            Value::Singles(values) => decoder.floats(values)?,
            Value::Floats(values) => decoder.floats(values)?,
            Value::Group(group) => decoder.group(group)?,
            Value::Struct(_) => return decoder.structure(self.structure_at(index)),
        }
        self.insert(index);
        Ok(())
    }

    #[inline]
    fn clear(&mut self) {
        self.present.fill(0);
        self.unknown.clear();
    }

    #[inline(always)]
    fn unmet(&self) -> Option<Unmet> {
        let is_there = |field| self.value(field).is_some();
        self.scope().required.unmet_where(&self.present, is_there)
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
            && self.unknown == other.unknown
            && self.set_fields().eq(other.set_fields())
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = self.scope();
        let mut map = f.debug_struct(&scope.name);
        for (index, value) in self.set_fields() {
            let field = &scope.fields[index];
            match (field.holds, value) {
                (Holds::Enumeration(of), Value::Enumeration(value)) => {
                    map.field(&field.name, &self.layout.schema().values(of)[*value as usize]);
                }
                _ => _ = map.field(&field.name, value),
            }
        }
        for (number, value) in self.unknown.iter() {
            map.field(&number.to_string(), &String::from_utf8_lossy(value));
        }
        map.finish()
    }
}

/// An encoder whose format is the record itself.
struct Collector<'a> {
    record: &'a mut Record,
}

impl Collector<'_> {
    fn put(&mut self, field: usize, value: Value) {
        debug_assert_eq!(
            std::mem::discriminant(&self.record.values[field]),
            std::mem::discriminant(&value)
        );
        self.record.values[field] = value;
        self.record.insert(field);
    }
}

fn widen<I: Integer>(value: I) -> Value {
    if I::SIGNED { Value::Integer(value.to_i64()) } else { Value::Unsigned(value.to_u64()) }
}

impl Encoder for Collector<'_> {
    fn boolean(&mut self, field: usize, value: bool) {
        self.put(field, Value::Boolean(value));
    }
    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.put(field, widen(value));
    }
    fn decimal(&mut self, field: usize, value: Decimal) {
        self.put(field, Value::Decimal(value));
    }
    fn big_integer(&mut self, field: usize, value: &BigInteger) {
        self.put(field, Value::BigInteger(value.clone()));
    }
    fn big_decimal(&mut self, field: usize, value: &BigDecimal) {
        self.put(field, Value::BigDecimal(value.clone()));
    }
    fn float<F: Float>(&mut self, field: usize, value: F) {
        let single = F::BYTES == f32::BYTES;
        let bits = value.bits();
        self.put(
            field,
            match single {
                true => Value::Single(f32::of_bits(bits)),
                false => Value::Float(f64::of_bits(bits)),
            },
        );
    }
    fn string(&mut self, field: usize, value: &str) {
        self.put(field, Value::Text(value.into()));
    }
    fn bytes(&mut self, field: usize, value: &[u8]) {
        self.put(field, Value::Bytes(value.into()));
    }
    fn code(&mut self, field: usize, value: Code) {
        self.put(field, Value::Code(value));
    }
    fn date(&mut self, field: usize, value: Date) {
        self.put(field, Value::Date(value));
    }
    fn time(&mut self, field: usize, value: Time) {
        self.put(field, Value::Time(value));
    }
    fn timestamp(&mut self, field: usize, value: Timestamp) {
        self.put(field, Value::Timestamp(value));
    }
    fn duration(&mut self, field: usize, value: Duration) {
        self.put(field, Value::Duration(value));
    }
    fn enumeration(&mut self, field: usize, value: usize) {
        self.put(field, Value::Enumeration(value as u32));
    }
    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        let values = if I::SIGNED {
            Value::Integers(values.iter().map(|value| value.to_i64()).collect())
        } else {
            Value::UnsignedIntegers(values.iter().map(|value| value.to_u64()).collect())
        };
        self.put(field, values);
    }
    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        let bits = values.iter().map(|it| it.bits());
        self.put(
            field,
            match F::BYTES == f32::BYTES {
                true => Value::Singles(bits.map(f32::of_bits).collect()),
                false => Value::Floats(bits.map(f64::of_bits).collect()),
            },
        );
    }
    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        self.record.structure_at(field).collect(value);
    }
    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        if let Value::Group(group) = &mut self.record.values[field] {
            Entries::clear(group);
            for entry in entries {
                group.next_entry().collect(entry);
            }
        }
        self.record.insert(field);
    }
    fn unknown(&mut self, fields: &Unknown) {
        self.record.unknown.clone_from(fields);
    }
}
