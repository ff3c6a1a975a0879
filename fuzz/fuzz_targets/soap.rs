//! Any bytes as SOAP messages and as changes to them.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trunkline_tests::fuzz::soap(data));
