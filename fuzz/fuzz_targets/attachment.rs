//! Any bytes as packages of MIME and DIME.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trunkline_tests::fuzz::attachment(data);
});
