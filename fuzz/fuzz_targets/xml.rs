//! Any bytes as XML documents.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trunkline_tests::fuzz::xml(data);
});
