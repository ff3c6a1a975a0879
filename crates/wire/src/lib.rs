//! Bytes: numbers, decimals, times, quantities, text, scanning, checksums, and the output buffer

pub mod base64;
mod big;
mod checksum;
mod code;
mod decimal;
mod digits;
mod float;
mod int;
mod output;
mod prefetch;
pub mod quantity;
pub mod scan;
mod text;
mod time;
mod value;

pub use big::{BigDecimal, BigInteger};
pub use checksum::{fix_checksum, sum_and_or};
pub use code::Code;
pub use decimal::Decimal;
pub use float::{Float, parse_float, parse_float_within, write_float};
pub use int::Integer;
pub use output::{Cursor, Literal, Output};
pub use prefetch::ahead;
pub use text::{INLINE, Text, is_plain, plain_text, validate_utf8};
pub use time::{Date, Duration, Time, Timestamp};
pub use value::{ValueError, Window};

#[cfg(test)]
mod testing {
    use proptest::test_runner::{Config, RngSeed};

    /// The same cases in every run.
    pub(crate) fn config() -> Config {
        let rng_seed = RngSeed::Fixed(2004);
        Config { rng_seed, cases: 2000, failure_persistence: None, ..Config::default() }
    }
}
