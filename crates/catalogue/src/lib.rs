//! Published message types, described once and carried by every format; and what FIX calls its fields.

#![forbid(unsafe_code)]

pub mod commerce;
pub mod fix;
pub mod market_data;
