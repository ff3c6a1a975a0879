//! Any bytes as Fast Infoset documents.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trunkline_tests::fuzz::fast_infoset(data);
});
