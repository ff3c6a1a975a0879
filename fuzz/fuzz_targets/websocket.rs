//! Any bytes as what a browser sends to the router.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trunkline_tests::fuzz::websocket(data));
