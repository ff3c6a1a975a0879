//! The Rust types that a field can have.

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Text, Time, Timestamp,
};

use crate::{
    Decoder, Encoder, Fields, Group, IntegerKind, Kind, Members, Need, Result, Structure, TypeId,
    Types, Unknown, Unmet,
};

/// What a type of field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A value.
    Value,
    /// A list.
    List,
    /// A list that keeps its entries' memory.
    Group,
    /// A struct, whose members lie in the positions of the one around it, unless it is optional.
    Struct,
    /// A choice, whose arms lie in the positions of the struct around it.
    Choice,
}

/// A type of field: what it is in a schema, and how encoder and decoder serve it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a field",
    label = "no type of a field",
    note = "a struct or enum inside derives `Message`; a list is a `Vec<Item>` or `Group<Entry>`, a map a list of structs \
            that have a key and a value; a time is one of `trunkline_wire`"
)]
pub trait FieldValue: Sized {
    /// Value, list, struct or choice?
    const FORM: Form = Form::Value;

    /// How many positions it takes: 1, or as many as the members of a struct or the arms of a choice.
    const WIDTH: usize = 1;

    /// How many positions it takes where it is optional: a struct then lies by itself, a choice does not.
    const OPTIONAL_WIDTH: usize = 1;

    /// How deep structs that are always there stand inside it, itself counted.
    ///
    /// It is found from those of the structs inside, so that structs which hold each other without
    /// end are a compile error: a cycle of constants.
    const DEPTH: usize = 0;

    /// Must it be there, where nothing else is said?
    const NEED: Need = Need::Required;

    /// The names of the values of an enumeration; none of anything else.
    const VALUES: &'static [&'static str] = &[];

    /// Is it a list whose items may be nil?
    const NIL_ITEMS: bool = false;

    /// Zero or empty; of a struct, its members' defaults.
    fn empty() -> Self;

    /// An item of a list with nothing set, which is there.
    #[inline]
    fn item() -> Self {
        Self::empty()
    }

    /// Its type in a schema.
    fn register(types: &mut Types) -> TypeId;

    /// Adds a member of this type to a struct, as [`Members::add`] does.
    fn describe_as(members: &mut Members<'_>, path: &str, need: Option<Need>) {
        members.add::<Self>(path, need);
    }

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

    /// Hands it to the encoder as one position: a struct by itself.
    #[inline]
    fn encode_alone<E: Encoder>(&self, position: usize, encoder: &mut E) {
        self.encode(position, encoder);
    }

    /// Takes it from the decoder as one position: a struct by itself.
    ///
    /// # Errors
    /// The decoder's, where the value is not of this kind.
    #[inline]
    fn decode_alone<D: Decoder>(&mut self, decoder: &mut D) -> Result<()> {
        self.decode(0, decoder)
    }

    /// Back to zero or empty; memory is kept, unless by `Option`, `Box` and `Vec`, which drop what
    /// they hold.
    #[inline]
    fn reset(&mut self) {
        *self = Self::empty();
    }
}

/// What may be absent. A choice lies where it would lie otherwise, and is absent if no arm is set; a
/// struct lies by itself, so that it may be there with nothing inside.
impl<T: FieldValue> FieldValue for Option<T> {
    const WIDTH: usize = T::OPTIONAL_WIDTH;
    const NEED: Need = if is_choice::<T>() { Need::Implied } else { Need::Optional };
    const NIL_ITEMS: bool = T::NIL_ITEMS;

    fn empty() -> Self {
        None
    }

    #[inline]
    fn item() -> Self {
        Some(T::item())
    }

    fn register(types: &mut Types) -> TypeId {
        T::register(types)
    }

    #[inline]
    fn is_there(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
        match self {
            Some(value) if is_choice::<T>() => value.encode(position, encoder),
            Some(value) => value.encode_alone(position, encoder),
            None => {}
        }
    }

    #[inline]
    fn decode<D: Decoder>(&mut self, offset: usize, decoder: &mut D) -> Result<()> {
        let value = self.get_or_insert_with(T::empty);
        if is_choice::<T>() { value.decode(offset, decoder) } else { value.decode_alone(decoder) }
    }
}

/// An item of a list, or a message, that is nil if it is `None`.
impl<T: FieldValue + Fields> Fields for Option<T> {
    #[inline]
    fn encode_fields<E: Encoder>(&self, base: usize, encoder: &mut E) {
        if let Some(item) = self {
            item.encode_fields(base, encoder);
        }
    }

    #[inline]
    fn decode_field<D: Decoder>(&mut self, index: usize, decoder: &mut D) -> Result<()> {
        self.get_or_insert_with(T::item).decode_field(index, decoder)
    }

    fn clear(&mut self) {
        match self {
            Some(item) => item.clear(),
            None => *self = Some(T::item()),
        }
    }

    #[inline]
    fn unmet(&self) -> Option<Unmet> {
        self.as_ref().map_or(Some(Unmet::Nil), Fields::unmet)
    }

    #[inline]
    fn is_nil(&self) -> bool {
        self.is_none()
    }

    fn set_nil(&mut self) -> bool {
        *self = None;
        true
    }

    #[inline]
    fn unknown(&mut self) -> Option<&mut Unknown> {
        self.as_mut()?.unknown()
    }
}

const fn is_choice<T: FieldValue>() -> bool {
    matches!(T::FORM, Form::Choice)
}

/// What is inside, elsewhere in memory: what holds itself is an `Option<Box<Self>>`.
impl<T: FieldValue> FieldValue for Box<T> {
    const FORM: Form = T::FORM;
    const WIDTH: usize = T::WIDTH;
    const OPTIONAL_WIDTH: usize = T::OPTIONAL_WIDTH;
    const DEPTH: usize = T::DEPTH;
    const NEED: Need = T::NEED;
    const NIL_ITEMS: bool = T::NIL_ITEMS;

    fn empty() -> Self {
        Self::new(T::empty())
    }

    fn register(types: &mut Types) -> TypeId {
        T::register(types)
    }

    #[inline]
    fn is_there(&self) -> bool {
        (**self).is_there()
    }

    #[inline]
    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
        (**self).encode(position, encoder);
    }

    #[inline]
    fn decode<D: Decoder>(&mut self, offset: usize, decoder: &mut D) -> Result<()> {
        (**self).decode(offset, decoder)
    }

    #[inline]
    fn encode_alone<E: Encoder>(&self, position: usize, encoder: &mut E) {
        (**self).encode_alone(position, encoder);
    }

    #[inline]
    fn decode_alone<D: Decoder>(&mut self, decoder: &mut D) -> Result<()> {
        (**self).decode_alone(decoder)
    }

    #[inline]
    fn reset(&mut self) {
        (**self).reset();
    }
}

impl<T: Structure> FieldValue for Group<T> {
    const FORM: Form = Form::Group;
    const NEED: Need = Need::Implied;

    fn empty() -> Self {
        Self::default()
    }

    fn register(types: &mut Types) -> TypeId {
        const { assert!(!T::MAY_BE_NIL, "entries that may be nil are those of a Vec") };
        let entry = types.structure::<T>();
        types.list(entry, None)
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

/// What an arm of a choice holds that has nothing to say but that it is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nothing;

impl Fields for Nothing {
    #[inline]
    fn encode_fields<E: Encoder>(&self, _: usize, _: &mut E) {}

    #[inline]
    fn decode_field<D: Decoder>(&mut self, _: usize, _: &mut D) -> Result<()> {
        Ok(())
    }

    fn clear(&mut self) {}
}

impl FieldValue for Nothing {
    const FORM: Form = Form::Struct;
    const WIDTH: usize = 0;

    fn empty() -> Self {
        Self
    }

    fn register(types: &mut Types) -> TypeId {
        types.once::<Self>(|types| types.declare("Nothing"))
    }

    #[inline]
    fn encode<E: Encoder>(&self, _: usize, _: &mut E) {}

    #[inline]
    fn decode<D: Decoder>(&mut self, _: usize, _: &mut D) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn encode_alone<E: Encoder>(&self, position: usize, encoder: &mut E) {
        encoder.structure(position, self);
    }

    #[inline]
    fn decode_alone<D: Decoder>(&mut self, decoder: &mut D) -> Result<()> {
        decoder.structure(self)
    }
}

/// As an item of a list, a value is the only field of a scope.
macro_rules! item {
    ($($type:ty),*) => {$(
        impl Fields for $type {
            #[inline]
            fn encode_fields<E: Encoder>(&self, base: usize, encoder: &mut E) {
                FieldValue::encode(self, base, encoder);
            }

            #[inline]
            fn decode_field<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
                FieldValue::decode(self, 0, decoder)
            }

            #[inline]
            fn clear(&mut self) {
                FieldValue::reset(self);
            }
        }
    )*};
}

macro_rules! plain {
    ($($type:ty, $kind:expr, $method:ident;)*) => {$(
        impl FieldValue for $type {
            fn empty() -> Self {
                Self::default()
            }

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

        item!($type);
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
    f32, Kind::Float32, float;
    f64, Kind::Float64, float;
    Code, Kind::Code, code;
    Date, Kind::Date, date;
    Time, Kind::Time, time;
    Timestamp, Kind::Timestamp, timestamp;
    Duration, Kind::Duration, duration;
}

macro_rules! big {
    ($($type:ty, $kind:expr, $method:ident;)*) => {$(
        impl FieldValue for $type {
            fn empty() -> Self {
                Self::default()
            }

            fn register(types: &mut Types) -> TypeId {
                types.scalar($kind)
            }

            fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
                encoder.$method(position, self);
            }

            fn decode<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
                *self = decoder.$method()?;
                Ok(())
            }
        }

        item!($type);
    )*};
}

big! {
    BigInteger, Kind::BigInteger, big_integer;
    BigDecimal, Kind::BigDecimal, big_decimal;
}

macro_rules! in_place {
    ($($type:ty, $method:ident;)*) => {$(
        impl FieldValue for $type {
            fn empty() -> Self {
                Self::default()
            }

            fn register(types: &mut Types) -> TypeId {
                types.scalar(Kind::Text)
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

        item!($type);
    )*};
}

in_place! {
    Text, text;
    String, string;
}
