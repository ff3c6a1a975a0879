//! Conformance, cross-checks with other implementations, fuzz bodies.

pub mod conformance;
pub mod fuzz;
pub mod samples;
pub mod skip;
