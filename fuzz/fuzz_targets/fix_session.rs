//! Any bytes as the other side of a FIX session.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trunkline_tests::fuzz::fix_session(data));
