//! Messages of the benchmark of Metro's SOAP/TCP, as the lab sends them.

#[allow(unreachable_pub)]
#[path = "../../../lab/src/operations/structures.rs"]
mod structures;
#[allow(dead_code)]
#[path = "../../../lab/src/operations/values.rs"]
mod values;

use structures::{Items, OfOrder, OfStruct, OfSynthetic};

pub(crate) fn echo_struct() -> OfStruct {
    OfStruct { value: values::structure() }
}

/// With so many bytes.
pub(crate) fn echo_synthetic(bytes: u32) -> OfSynthetic {
    OfSynthetic { value: values::synthetic(bytes) }
}

/// With so many items.
pub(crate) fn echo_array(items: u32) -> Items {
    Items { value: values::items(items) }
}

/// The answer, with so many lines.
pub(crate) fn get_order(lines: u32) -> OfOrder {
    OfOrder { value: values::order(&values::query(lines)) }
}
