//! How many threads the routers of the tests have: all of what is tested holds with several.

/// As `TRUNKLINE_ROUTER__THREADS` says, which the binary reads as well; else one.
pub(crate) fn threads() -> usize {
    std::env::var("TRUNKLINE_ROUTER__THREADS").map_or(1, |it| it.parse().expect("a number"))
}
