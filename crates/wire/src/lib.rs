//! Bytes: numbers, decimals, times, text, scanning, checksums, and the output buffer

mod code;
mod decimal;
mod digits;
mod float;
mod int;
mod value;

pub use code::Code;
pub use decimal::Decimal;
pub use float::{parse_float, write_float};
pub use int::Integer;
pub use value::{ValueError, Window};

#[cfg(test)]
mod testing {
    use proptest::test_runner::{Config, RngSeed};

    /// The same cases in every run.
    pub(crate) fn config() -> Config {
        Config { rng_seed: RngSeed::Fixed(2004), cases: 2000, ..Config::default() }
    }
}
