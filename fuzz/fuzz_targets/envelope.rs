//! Any bytes as envelopes with headers and faults.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trunkline_tests::fuzz::envelope(data));
