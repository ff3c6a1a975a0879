//! Conformance, cross-checks with other implementations, fuzz bodies.

pub mod conformance;
pub mod every_kind;
pub mod fuzz;
pub mod samples;
pub mod soap_ways;
