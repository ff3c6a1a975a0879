//! The Rust types that a field can have.

use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

use crate::{Decoder, Encoder, Group, IntegerKind, Kind, Need, Result, Structure, TypeId, Types};

/// What a type of field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A value, or a list of values.
    Value,
    /// A repeating group.
    Group,
    /// A struct, whose members lie in the positions of the one around it.
    Struct,
}

/// A type of field: what it is in a schema, and how encoder and decoder serve it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a field",
    note = "a struct inside derives `Message`, a list of structs is a `Group<Entry>`"
)]
pub trait FieldValue: Default {
    /// Value, group or struct?
    const FORM: Form = Form::Value;

    /// How many positions it takes: 1, or as many as the members of a struct.
    const WIDTH: usize = 1;

    /// How deep structs stand inside it, itself counted.
    ///
    /// It is found from those of the structs inside, so that structs which hold each other are a
    /// compile error: a cycle of constants.
    const DEPTH: usize = 0;

    /// Must it be there, where nothing else is said?
    const NEED: Need = Need::Required;

    /// Its type in a schema.
    fn register(types: &mut Types) -> TypeId;

    /// Is there anything to hand to an encoder?
    #[inline]
    fn is_there(&self) -> bool {
        true
    }

    /// Hands the value to the encoder, or the values of a struct, the first at this position.
    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E);

    /// Takes the value from the decoder; of a struct, that of the member at this offset.
    ///
    /// # Errors
    /// The decoder's, where the value is not of this kind.
    fn decode<D: Decoder>(&mut self, offset: usize, decoder: &mut D) -> Result<()>;

    /// Back to zero or empty; memory is kept, unless by `Option`.
    #[inline]
    fn reset(&mut self) {
        *self = Self::default();
    }
}

/// What may be absent: a value. A struct is absent if all inside is, a group if it is empty.
impl<T: FieldValue> FieldValue for Option<T> {
    const WIDTH: usize = {
        assert!(
            matches!(T::FORM, Form::Value),
            "an Option holds a value; a struct is marked #[field(implied)], a group may be empty"
        );
        T::WIDTH
    };
    const NEED: Need = Need::Optional;

    fn register(types: &mut Types) -> TypeId {
        T::register(types)
    }

    #[inline]
    fn is_there(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
        if let Some(value) = self {
            value.encode(position, encoder);
        }
    }

    #[inline]
    fn decode<D: Decoder>(&mut self, offset: usize, decoder: &mut D) -> Result<()> {
        self.get_or_insert_with(T::default).decode(offset, decoder)
    }
}

impl<T: Structure> FieldValue for Group<T> {
    const FORM: Form = Form::Group;
    const DEPTH: usize = T::DEPTH;
    const NEED: Need = Need::Optional;

    fn register(types: &mut Types) -> TypeId {
        let entry = types.structure::<T>();
        types.list(entry)
    }

    #[inline]
    fn is_there(&self) -> bool {
        !self.is_empty()
    }

    #[inline]
    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
        encoder.group(position, self);
    }

    #[inline]
    fn decode<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
        decoder.group(self)
    }

    #[inline]
    fn reset(&mut self) {
        self.clear();
    }
}

macro_rules! plain {
    ($($type:ty, $kind:expr, $method:ident;)*) => {$(
        impl FieldValue for $type {
            fn register(types: &mut Types) -> TypeId {
                types.scalar($kind)
            }

            #[inline]
            fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
                encoder.$method(position, *self);
            }

            #[inline]
            fn decode<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
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

fn list(types: &mut Types, kind: Kind) -> TypeId {
    let item = types.scalar(kind);
    types.list(item)
}

macro_rules! in_place {
    ($($type:ty, $register:path, $kind:expr, $method:ident;)*) => {$(
        impl FieldValue for $type {
            fn register(types: &mut Types) -> TypeId {
                $register(types, $kind)
            }

            #[inline]
            fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
                encoder.$method(position, self);
            }

            #[inline]
            fn decode<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
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
    Text, Types::scalar, Kind::Text, text;
    String, Types::scalar, Kind::Text, string;
    Vec<u8>, Types::scalar, Kind::Bytes, bytes;
    Vec<i16>, list, Kind::Integer(IntegerKind::I16), integers;
    Vec<i32>, list, Kind::Integer(IntegerKind::I32), integers;
    Vec<i64>, list, Kind::Integer(IntegerKind::I64), integers;
    Vec<u16>, list, Kind::Integer(IntegerKind::U16), integers;
    Vec<u32>, list, Kind::Integer(IntegerKind::U32), integers;
    Vec<u64>, list, Kind::Integer(IntegerKind::U64), integers;
    Vec<f64>, list, Kind::Float, floats;
}
