//! A trading platform to measure with, that of the currency markets: feed handlers, pricing engines,
//! algorithms and order gateways, each a [`component`], and the prices that they pass on, see [`fx`].

#![forbid(unsafe_code)]

pub mod component;
pub mod csv;
pub mod fx;
