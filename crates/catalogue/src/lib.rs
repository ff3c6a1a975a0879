//! Published message types, described once and carried by every format.

#![forbid(unsafe_code)]

pub mod commerce;
pub mod market_data;
