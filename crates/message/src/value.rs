//! The Rust types that a field can have.

use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

use crate::{Decoder, Encoder, IntegerKind, Kind, Result};

/// A type of field: which kind it is, and which method of encoder and decoder serves it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a field",
    note = "a struct inside needs `#[component]`, a list of structs is a `Group<Entry>` with `#[group(entry = \"...\")]`"
)]
pub trait FieldValue: Default {
    /// The kind that the schema says.
    const KIND: Kind;

    /// Hands the value to the encoder.
    fn encode<E: Encoder>(&self, field: usize, encoder: &mut E);

    /// Takes the value from the decoder.
    ///
    /// # Errors
    /// The decoder's, where the value is not of this kind.
    fn decode<D: Decoder>(&mut self, decoder: &mut D) -> Result<()>;

    /// Back to zero or empty; memory is kept.
    #[inline]
    fn reset(&mut self) {
        *self = Self::default();
    }
}

macro_rules! plain {
    ($($type:ty, $kind:expr, $method:ident;)*) => {$(
        impl FieldValue for $type {
            const KIND: Kind = $kind;

            #[inline]
            fn encode<E: Encoder>(&self, field: usize, encoder: &mut E) {
                encoder.$method(field, *self);
            }

            #[inline]
            fn decode<D: Decoder>(&mut self, decoder: &mut D) -> Result<()> {
                *self = decoder.$method()?;
                Ok(())
            }
        }
    )*};
}

plain! {
    bool, Kind::Boolean, boolean;
    i8, Kind::Integer(IntegerKind::I8), integer;
    i16, Kind::Integer(IntegerKind::I16), integer;
    i32, Kind::Integer(IntegerKind::I32), integer;
    i64, Kind::Integer(IntegerKind::I64), integer;
    u8, Kind::Integer(IntegerKind::U8), integer;
    u16, Kind::Integer(IntegerKind::U16), integer;
    u32, Kind::Integer(IntegerKind::U32), integer;
    u64, Kind::Integer(IntegerKind::U64), integer;
    Decimal, Kind::Decimal, decimal;
    f64, Kind::Float, float;
    Code, Kind::Code, code;
    Date, Kind::Date, date;
    Time, Kind::Time, time;
    Timestamp, Kind::Timestamp, timestamp;
}

macro_rules! in_place {
    ($($type:ty, $kind:expr, $method:ident;)*) => {$(
        impl FieldValue for $type {
            const KIND: Kind = $kind;

            #[inline]
            fn encode<E: Encoder>(&self, field: usize, encoder: &mut E) {
                encoder.$method(field, self);
            }

            #[inline]
            fn decode<D: Decoder>(&mut self, decoder: &mut D) -> Result<()> {
                decoder.$method(self)
            }

            #[inline]
            fn reset(&mut self) {
                self.clear();
            }
        }
    )*};
}

in_place! {
    Text, Kind::Text, text;
    String, Kind::Text, string;
    Vec<u8>, Kind::Bytes, bytes;
    Vec<i16>, Kind::Integers(IntegerKind::I16), integers;
    Vec<i32>, Kind::Integers(IntegerKind::I32), integers;
    Vec<i64>, Kind::Integers(IntegerKind::I64), integers;
    Vec<u16>, Kind::Integers(IntegerKind::U16), integers;
    Vec<u32>, Kind::Integers(IntegerKind::U32), integers;
    Vec<u64>, Kind::Integers(IntegerKind::U64), integers;
    Vec<f64>, Kind::Floats, floats;
}
