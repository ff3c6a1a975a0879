//! Conformance, cross-checks with other implementations, fuzz bodies.

pub mod conformance;
pub mod every_kind;
pub mod fuzz;
pub mod random;
pub mod samples;
pub mod schemas;
pub mod soap_ways;
