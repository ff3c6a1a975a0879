//! Any bytes as frames of the router's native protocol.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trunkline_tests::fuzz::native(data));
