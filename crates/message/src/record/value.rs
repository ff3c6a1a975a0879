//! The values of records, and why one is rejected.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Integer, Text, Time, Timestamp,
    parse_float,
};

use super::{Record, RecordGroup};
use crate::{Any, Decoder, Group, Holds, IntegerKind, Kind, Layout, Result};

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
    Any(Any),
    /// A value of an enumeration, by its place among them; set it by its name, a text.
    Enumeration(u32),
    Integers(Vec<i64>),
    UnsignedIntegers(Vec<u64>),
    Singles(Vec<f32>),
    Floats(Vec<f64>),
    /// A list of anything else.
    Group(RecordGroup),
    /// A struct or choice by itself.
    Struct(Box<Record>),
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
    Any => Any;
    RecordGroup => Group;
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

impl Value {
    /// The value of a kind that a text stands for, times and durations as ISO 8601 writes them; none
    /// if it is no such text, nor of data. That of an [`Any`] is an element.
    pub fn parse(kind: Kind, text: &str) -> Option<Self> {
        fn value<T: FromStr + Into<Value>>(text: &str) -> Option<Value> {
            text.parse::<T>().ok().map(Into::into)
        }
        fn whole<I: Integer + Into<Value>>(text: &str) -> Option<Value> {
            I::parse(text.as_bytes()).ok().map(Into::into)
        }
        match kind {
            Kind::Boolean => match text {
                "true" | "1" => Some(Self::Boolean(true)),
                "false" | "0" => Some(Self::Boolean(false)),
                _ => None,
            },
            Kind::Integer(kind) => match kind {
                IntegerKind::I8 => whole::<i8>(text),
                IntegerKind::I16 => whole::<i16>(text),
                IntegerKind::I32 => whole::<i32>(text),
                IntegerKind::I64 => whole::<i64>(text),
                IntegerKind::U8 => whole::<u8>(text),
                IntegerKind::U16 => whole::<u16>(text),
                IntegerKind::U32 => whole::<u32>(text),
                IntegerKind::U64 => whole::<u64>(text),
            },
            Kind::BigInteger => value::<BigInteger>(text),
            Kind::Decimal => value::<Decimal>(text),
            Kind::BigDecimal => value::<BigDecimal>(text),
            Kind::Float32 => parse_float::<f32>(text.as_bytes()).ok().map(Into::into),
            Kind::Float64 => parse_float::<f64>(text.as_bytes()).ok().map(Into::into),
            Kind::Text => Some(text.into()),
            Kind::Bytes => None,
            Kind::Date => value::<Date>(text),
            Kind::Time => value::<Time>(text),
            Kind::Timestamp => value::<Timestamp>(text),
            Kind::Duration => value::<Duration>(text),
            Kind::Code => value::<Code>(text),
            Kind::Any => Some(Self::Any(text.into())),
        }
    }

    /// Is it a list without items?
    #[inline]
    pub(super) fn is_empty_list(&self) -> bool {
        match self {
            Self::Group(group) => group.entries.is_empty(),
            Self::Integers(values) => values.is_empty(),
            Self::UnsignedIntegers(values) => values.is_empty(),
            Self::Singles(values) => values.is_empty(),
            Self::Floats(values) => values.is_empty(),
            _ => false,
        }
    }
}

/// Is the value in the variant that a field has which holds this? Of lists and structs, is it of the same
/// scope?
#[inline]
pub(super) fn is_of(value: &Value, layout: &Arc<Layout>, holds: Holds) -> bool {
    match (value, holds) {
        (Value::Group(group), Holds::Group(scope)) => {
            group.scope == scope && group.layout.is_same(layout)
        }
        (Value::Struct(inner), Holds::Struct(scope)) => {
            inner.scope == scope && inner.layout.is_same(layout)
        }
        (Value::Enumeration(_), Holds::Enumeration(_)) => true,
        (Value::Integers(_), Holds::List(Kind::Integer(kind))) => signed(kind),
        (Value::UnsignedIntegers(_), Holds::List(Kind::Integer(kind))) => !signed(kind),
        (Value::Singles(_), Holds::List(Kind::Float32)) => true,
        (Value::Floats(_), Holds::List(Kind::Float64)) => true,
        (value, Holds::Value(kind)) => is_of_kind(value, kind),
        _ => false,
    }
}

#[inline]
fn is_of_kind(value: &Value, kind: Kind) -> bool {
    match (value, kind) {
        (Value::Integer(_), Kind::Integer(kind)) => signed(kind),
        (Value::Unsigned(_), Kind::Integer(kind)) => !signed(kind),
        (Value::Boolean(_), Kind::Boolean)
        | (Value::BigInteger(_), Kind::BigInteger)
        | (Value::Decimal(_), Kind::Decimal)
        | (Value::BigDecimal(_), Kind::BigDecimal)
        | (Value::Single(_), Kind::Float32)
        | (Value::Float(_), Kind::Float64)
        | (Value::Text(_), Kind::Text)
        | (Value::Bytes(_), Kind::Bytes)
        | (Value::Date(_), Kind::Date)
        | (Value::Time(_), Kind::Time)
        | (Value::Timestamp(_), Kind::Timestamp)
        | (Value::Duration(_), Kind::Duration)
        | (Value::Code(_), Kind::Code)
        | (Value::Any(_), Kind::Any) => true,
        _ => false,
    }
}

/// What a field has before a value is read: its variant says which value that is, so that decoding needs no
/// look into the layout, unless for the width of a number.
pub(super) fn empty(layout: &Arc<Layout>, holds: Holds) -> Value {
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
        Holds::Struct(scope) => Value::Struct(Box::new(Record::of_scope(layout, scope))),
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
        Kind::Any => Value::Any(Any::default()),
    }
}

fn signed(kind: IntegerKind) -> bool {
    matches!(kind, IntegerKind::I8 | IntegerKind::I16 | IntegerKind::I32 | IntegerKind::I64)
}

/// A whole number in the variant that a field of this kind has; None if that cannot hold it.
pub(super) fn with_sign_of(holds: Holds, value: Value) -> Option<Value> {
    let Holds::Value(Kind::Integer(kind)) = holds else { return Some(value) };
    Some(match value {
        Value::Integer(number) if !signed(kind) => Value::Unsigned(number.try_into().ok()?),
        Value::Unsigned(number) if signed(kind) => Value::Integer(number.try_into().ok()?),
        value => value,
    })
}

/// Values hold numbers of any width as 64 bits: does it fit the field's?
pub(super) fn fits(holds: Holds, value: &Value) -> bool {
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

/// Reads a number in the width that the schema says, so that a larger one is rejected.
#[inline]
pub(super) fn integer<D: Decoder, W: Integer>(holds: Holds, decoder: &mut D) -> Result<W> {
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
pub(super) fn integers<D: Decoder, W: Integer>(
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
