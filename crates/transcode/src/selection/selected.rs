//! What is selected of a message, as formats write it.

use std::sync::Arc;

use trunkline_message::{
    Decoder, Encoder, Error, ErrorKind, Fields, Layout, Message, Need, Record, Result, Unmet, Value,
};

use super::kept::{Inside, Kept, is_all};

/// What is selected of a record: a view of it.
pub(crate) struct Selected<'a> {
    record: &'a Record,
    /// All that is described, if it is nothing.
    kept: Option<&'a Kept>,
    /// May what is required be left out?
    is_partial: bool,
}

impl<'a> Selected<'a> {
    pub(crate) fn new(record: &'a Record, kept: &'a Kept, is_partial: bool) -> Self {
        Self { record, kept: Some(kept), is_partial }
    }

    /// Whether nothing that the record says is left out.
    pub(crate) fn is_all(&self) -> bool {
        is_all(self.record, self.kept)
    }

    /// What is kept of the struct that a field holds, or of each that it lists.
    fn inside(&self, record: &'a Record, inside: &'a Inside) -> Self {
        let kept = match inside {
            Inside::All => None,
            Inside::Some(kept) => Some(kept),
        };
        Self { record, kept, is_partial: self.is_partial }
    }

    /// Those fields that are there, ascending. A struct of which nothing selected is there is absent, where it may be.
    fn each(&self, mut each: impl FnMut(usize, &'a Value, &'a Inside)) {
        match self.kept {
            None => {
                for position in 0..self.record.scope().fields.len() {
                    if let Some(value) = self.record.value(position) {
                        each(position, value, &Inside::All);
                    }
                }
            }
            Some(kept) => {
                for (position, inside) in kept.iter() {
                    if let Some(value) = self.there(self.record, position, inside) {
                        each(position, value, inside);
                    }
                }
            }
        }
    }

    fn there(&self, of: &'a Record, position: usize, inside: &'a Inside) -> Option<&'a Value> {
        let value = of.value(position)?;
        let (Value::Struct(record), Inside::Some(kept)) = (value, inside) else {
            return Some(value);
        };
        // An arm that is chosen is required, too.
        let is_required = of.scope().fields[position].need == Need::Required;
        let has_any = |(position, further)| self.there(record, position, further).is_some();
        ((is_required && !self.is_partial) || kept.iter().any(has_any)).then_some(value)
    }

    fn encode<E: Encoder>(&self, field: usize, value: &'a Value, kept: &'a Inside, to: &mut E) {
        match value {
            Value::Boolean(value) => to.boolean(field, *value),
            Value::Integer(value) => to.integer(field, *value),
            Value::Unsigned(value) => to.integer(field, *value),
            Value::BigInteger(value) => to.big_integer(field, value),
            Value::Decimal(value) => to.decimal(field, *value),
            Value::BigDecimal(value) => to.big_decimal(field, value),
            Value::Single(value) => to.float(field, *value),
            Value::Float(value) => to.float(field, *value),
            Value::Text(value) => to.text(field, value),
            Value::Bytes(value) => to.bytes(field, value),
            Value::Date(value) => to.date(field, *value),
            Value::Time(value) => to.time(field, *value),
            Value::Timestamp(value) => to.timestamp(field, *value),
            Value::Duration(value) => to.duration(field, *value),
            Value::Code(value) => to.code(field, *value),
            Value::Any(value) => to.any(field, value),
            Value::Enumeration(value) => to.enumeration(field, *value as usize),
            Value::Integers(values) => to.integers(field, values),
            Value::UnsignedIntegers(values) => to.integers(field, values),
            Value::Singles(values) => to.floats(field, values),
            Value::Floats(values) => to.floats(field, values),
            Value::Group(group) => {
                let entries: Vec<Self> =
                    group.entries().iter().map(|it| self.inside(it, kept)).collect();
                to.group(field, &entries);
            }
            Value::Struct(inner) => to.structure(field, &self.inside(inner, kept)),
        }
    }
}

impl Message for Selected<'_> {
    fn message_layout(&self) -> &Arc<Layout> {
        self.record.message_layout()
    }
}

impl Fields for Selected<'_> {
    fn encode_fields<E: Encoder>(&self, base: usize, encoder: &mut E) {
        self.each(|position, value, kept| self.encode(base + position, value, kept, encoder));
    }

    /// Nothing is read into a view.
    fn decode_field<D: Decoder>(&mut self, _: usize, _: &mut D) -> Result<()> {
        Err(Error::new(ErrorKind::Schema, 0))
    }

    fn clear(&mut self) {}

    fn is_nil(&self) -> bool {
        self.record.is_nil()
    }

    fn unmet(&self) -> Option<Unmet> {
        if self.record.is_nil() {
            return Some(Unmet::Nil);
        }
        if self.is_partial {
            return None;
        }
        let required = &self.record.scope().required;
        let mut there = vec![0_u64; required.words()];
        self.each(|position, _, _| there[position / 64] |= 1 << (position % 64));
        required.unmet(&there)
    }
}
