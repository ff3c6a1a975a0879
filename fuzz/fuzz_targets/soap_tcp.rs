//! Any bytes as SOAP/TCP.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trunkline_tests::fuzz::soap_tcp(data));
