//! Conformance, cross-checks with other implementations, fuzz bodies.

pub mod conformance;
pub mod fuzz;
pub mod plain_fix;
pub mod random;
pub mod samples;
pub mod schemas;
