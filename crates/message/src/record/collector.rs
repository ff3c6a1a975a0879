//! Any message into a record.

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Time, Timestamp,
};

use super::{Record, Value};
use crate::{Any, Encoder, Entries, Fields, Unknown};

/// An encoder whose format is the record itself.
pub(super) struct Collector<'a> {
    pub(super) record: &'a mut Record,
}

impl Collector<'_> {
    fn put(&mut self, field: usize, value: Value) {
        let place = self.record.place(field);
        debug_assert_eq!(std::mem::discriminant(place), std::mem::discriminant(&value));
        *place = value;
    }
}

pub(crate) fn of_integer<I: Integer>(value: I) -> Value {
    if I::SIGNED { Value::Integer(value.to_i64()) } else { Value::Unsigned(value.to_u64()) }
}

pub(crate) fn of_float<F: Float>(value: F) -> Value {
    match F::BYTES == f32::BYTES {
        true => Value::Single(f32::of_bits(value.bits())),
        false => Value::Float(f64::of_bits(value.bits())),
    }
}

impl Encoder for Collector<'_> {
    fn boolean(&mut self, field: usize, value: bool) {
        self.put(field, Value::Boolean(value));
    }
    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.put(field, of_integer(value));
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
        self.put(field, of_float(value));
    }
    fn string(&mut self, field: usize, value: &str) {
        self.put(field, Value::Text(value.into()));
    }
    fn bytes(&mut self, field: usize, value: &[u8]) {
        self.put(field, Value::Bytes(value.into()));
    }
    fn any(&mut self, field: usize, value: &Any) {
        self.put(field, Value::Any(value.clone()));
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
        if let Value::Group(group) = self.record.place(field) {
            Entries::clear(group);
            for entry in entries {
                group.next_entry().collect(entry);
            }
        }
    }
    fn unknown(&mut self, fields: &Unknown) {
        self.record.unknown.clone_from(fields);
    }
}
