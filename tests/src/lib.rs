//! Conformance, cross-checks with other implementations, fuzz bodies.

pub mod conformance;
pub mod fuzz;
pub mod samples;
pub mod skip;

/// The README's example compiles and tells the truth.
#[doc = include_str!("../../README.md")]
mod readme {}
