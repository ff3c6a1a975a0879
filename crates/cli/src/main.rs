//! The trunkline binary.

fn main() {}
