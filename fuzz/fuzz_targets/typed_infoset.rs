//! Any bytes as sequences of Fast Infoset documents with typed messages.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trunkline_tests::fuzz::typed_infoset(data));
