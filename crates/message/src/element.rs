//! Lists as Rust has them: `Vec` and arrays.

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Text, Time, Timestamp,
};

use crate::{
    Decoder, Encoder, Entries, ErrorKind, FieldValue, Fields, Form, Kind, Need, Result, TypeId,
    Types,
};

/// What a `Vec` or an array may hold. Numbers go to the formats as one slice, bytes as data, anything
/// else as entries.
#[diagnostic::on_unimplemented(
    message = "a list of `{Self}` is no type of a field",
    label = "no type of a field",
    note = "items are values, lists, or structs and enums that derive `Message`; one that may be nil is an `Option` of one"
)]
pub trait Element: FieldValue + Fields {
    /// Are they octets, a list of which is data?
    const IS_OCTET: bool = false;

    /// May they be nil?
    const MAY_BE_NIL: bool = false;

    /// The type of a list of them in a schema.
    fn register_list(types: &mut Types, fixed: Option<u32>) -> TypeId {
        let of = Self::register(types);
        types.list(of, fixed)
    }

    /// Hands a list to the encoder.
    #[inline]
    fn encode_list<E: Encoder>(list: &[Self], position: usize, encoder: &mut E) {
        encoder.group(position, list);
    }

    /// Takes a list from the decoder.
    ///
    /// # Errors
    /// The decoder's, where it is no such list.
    #[inline]
    fn decode_list<D: Decoder>(list: &mut Vec<Self>, decoder: &mut D) -> Result<()> {
        decoder.group(list)
    }
}

macro_rules! entries {
    ($($type:ty),*) => {$(
        impl Element for $type {}
    )*};
}

entries!(
    bool, Decimal, Code, Date, Time, Timestamp, Duration, BigInteger, BigDecimal, Text, String
);

macro_rules! numbers {
    ($($type:ty, $method:ident;)*) => {$(
        impl Element for $type {
            #[inline]
            fn encode_list<E: Encoder>(list: &[Self], position: usize, encoder: &mut E) {
                encoder.$method(position, list);
            }

            #[inline]
            fn decode_list<D: Decoder>(list: &mut Vec<Self>, decoder: &mut D) -> Result<()> {
                decoder.$method(list)
            }
        }
    )*};
}

numbers! {
    i8, integers;
    i16, integers;
    i32, integers;
    i64, integers;
    u16, integers;
    u32, integers;
    u64, integers;
    f32, floats;
    f64, floats;
}

/// `Vec<u8>` is data, not a list of numbers.
impl Element for u8 {
    const IS_OCTET: bool = true;

    fn register_list(types: &mut Types, _: Option<u32>) -> TypeId {
        types.scalar(Kind::Bytes)
    }

    #[inline]
    fn encode_list<E: Encoder>(list: &[Self], position: usize, encoder: &mut E) {
        encoder.bytes(position, list);
    }

    #[inline]
    fn decode_list<D: Decoder>(list: &mut Vec<Self>, decoder: &mut D) -> Result<()> {
        decoder.bytes(list)
    }
}

/// What may be nil goes to the formats as entries, whatever it is.
impl<T: Element> Element for Option<T> {
    const MAY_BE_NIL: bool = true;

    fn register_list(types: &mut Types, fixed: Option<u32>) -> TypeId {
        const { assert!(!T::MAY_BE_NIL, "an item that may be nil is an Option once") };
        let of = T::register(types);
        types.list(of, fixed)
    }
}

impl<T: Element> Element for Vec<T> {
    fn register_list(types: &mut Types, fixed: Option<u32>) -> TypeId {
        const { assert!(!T::MAY_BE_NIL, "items that may be nil are those of a member's own list") };
        let of = Self::register(types);
        types.list(of, fixed)
    }
}

impl<T: Element, const N: usize> Element for [T; N] {
    fn register_list(types: &mut Types, fixed: Option<u32>) -> TypeId {
        const { assert!(!T::MAY_BE_NIL, "items that may be nil are those of a member's own list") };
        let of = Self::register(types);
        types.list(of, fixed)
    }
}

/// Any number of items; none are the same as no list, which `Option<Vec<T>>` tells apart. Data is there
/// even if it is empty.
impl<T: Element> FieldValue for Vec<T> {
    const FORM: Form = Form::List;
    const NEED: Need = if T::IS_OCTET { Need::Required } else { Need::Implied };
    const NIL_ITEMS: bool = T::MAY_BE_NIL;

    fn empty() -> Self {
        Self::new()
    }

    fn register(types: &mut Types) -> TypeId {
        T::register_list(types, None)
    }

    #[inline]
    fn is_there(&self) -> bool {
        T::IS_OCTET || !self.is_empty()
    }

    #[inline]
    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
        T::encode_list(self, position, encoder);
    }

    #[inline]
    fn decode<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
        T::decode_list(self, decoder)
    }

    #[inline]
    fn reset(&mut self) {
        self.clear();
    }
}

impl<T: Element> Fields for Vec<T> {
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

/// Exactly so many items.
impl<T: Element, const N: usize> FieldValue for [T; N] {
    const FORM: Form = Form::List;
    const NIL_ITEMS: bool = T::MAY_BE_NIL;

    fn empty() -> Self {
        const {
            assert!(N > 0 && N <= u32::MAX as usize, "an array has one item or more");
            assert!(!T::IS_OCTET, "data of a fixed size is a Vec<u8>");
        }
        std::array::from_fn(|_| T::empty())
    }

    fn register(types: &mut Types) -> TypeId {
        T::register_list(types, Some(N as u32))
    }

    #[inline]
    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
        T::encode_list(self, position, encoder);
    }

    fn decode<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
        let mut items = Vec::new();
        T::decode_list(&mut items, decoder)?;
        // Formats check the count of such lists, so that their errors say where.
        let found = items.len();
        *self = items
            .try_into()
            .map_err(|_| crate::Error::new(ErrorKind::Count { stated: N, found }, 0))?;
        Ok(())
    }
}

impl<T: Element, const N: usize> Fields for [T; N] {
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

/// As many entries are held in memory as there are.
impl<T: FieldValue + Fields> Entries for Vec<T> {
    type Entry = T;

    #[inline]
    fn clear(&mut self) {
        Vec::clear(self);
    }

    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn reserve(&mut self, count: usize) {
        Vec::reserve(self, crate::group::within_reason::<T>(count));
    }

    #[inline]
    fn next_entry(&mut self) -> &mut T {
        self.push(T::item());
        self.last_mut().expect("it was pushed")
    }
}
