//! Conformance, cross-checks with other implementations, fuzz bodies.
