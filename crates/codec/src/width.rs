//! The width of a field's whole numbers, which a record reads as 64 bits whatever the schema says.

use trunkline_message::{Holds, Kind};
use trunkline_wire::{Integer, ValueError};

/// The number, if the field's width holds it.
#[inline]
pub(crate) fn within<I: Integer>(number: I, holds: Holds) -> Result<I, ValueError> {
    let Some(Kind::Integer(kind)) = holds.kind() else { return Ok(number) };
    let bits = 8 * kind.bytes() as u32;
    let wide = number.to_i128();
    let beyond = if I::SIGNED { wide >> (bits - 1) } else { wide >> bits };
    if beyond == 0 || beyond == -1 { Ok(number) } else { Err(ValueError::OutOfRange) }
}
