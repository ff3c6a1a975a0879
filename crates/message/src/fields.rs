//! What a struct or record offers to the formats.

use std::sync::Arc;

use crate::{Decoder, Encoder, FieldValue, Layout, Members, Result, Unknown, Unmet};

/// The fields of a message, a struct inside or what a list holds, by their position in the scope.
///
/// Derived for structs by [`derive(Message)`](derive@crate::Message); implemented by
/// [`Record`](crate::Record) for schemas that are known at run time only.
pub trait Fields {
    /// Hands every set field to the encoder, ascending, its position counted from `base`.
    fn encode_fields<E: Encoder>(&self, base: usize, encoder: &mut E);

    /// Takes the value of the field at `index` from the decoder.
    ///
    /// # Errors
    /// The decoder's, where the value is not of the field's kind.
    fn decode_field<D: Decoder>(&mut self, index: usize, decoder: &mut D) -> Result<()>;

    /// Sets every field to its default, or to absent, zero or empty; memory is kept.
    fn clear(&mut self);

    /// The first rule of its scope that it does not meet: a struct meets them all, a record may lack a
    /// required field.
    #[inline]
    fn unmet(&self) -> Option<Unmet> {
        None
    }

    /// Is it an item of a list that is nil: there, and nothing (`xsi:nil` in XML, `null` in JSON)? A struct by itself
    /// may be so, too, and has its attributes then, if it is a record.
    #[inline]
    fn is_nil(&self) -> bool {
        false
    }

    /// Makes it [nil](Self::is_nil), with no field set; false if it cannot be, as no struct can.
    #[inline]
    fn set_nil(&mut self) -> bool {
        false
    }

    /// Where fields are kept that the schema does not know; none by default, and they are dropped.
    #[inline]
    fn unknown(&mut self) -> Option<&mut Unknown> {
        None
    }
}

/// A whole message: fields of which the layout is known.
pub trait Message: Fields {
    /// The layout that the message's own fields follow.
    fn message_layout(&self) -> &Arc<Layout>;
}

/// A struct or choice that describes itself, whole message or part of one.
pub trait Structure: Fields + FieldValue + 'static {
    /// The name of its type.
    const NAME: &'static str;

    /// May it be [nil](Fields::is_nil) as a whole, as an `Option` of a struct may?
    const MAY_BE_NIL: bool = false;

    /// Adds its members, or arms, to a description.
    fn describe(members: &mut Members<'_>);

    /// Its layout as a message.
    fn layout() -> &'static Arc<Layout>;
}

/// A message that is nil if it is `None`, where its format can say so: of SOAP, an element that is `nillable`.
impl<T: Structure> Structure for Option<T> {
    const NAME: &'static str = T::NAME;
    const MAY_BE_NIL: bool = true;

    fn describe(members: &mut Members<'_>) {
        T::describe(members);
    }

    fn layout() -> &'static Arc<Layout> {
        T::layout()
    }
}

impl<T: Structure> Message for Option<T> {
    fn message_layout(&self) -> &Arc<Layout> {
        T::layout()
    }
}

/// The [depth](FieldValue::DEPTH) of a struct that holds members of these depths.
pub const fn depth_around(inside: &[usize]) -> usize {
    let (mut deepest, mut at) = (0, 0);
    while at < inside.len() {
        if inside[at] > deepest {
            deepest = inside[at];
        }
        at += 1;
    }
    deepest + 1
}
