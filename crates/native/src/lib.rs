//! The native protocol: frames as bytes, to the byte
#![forbid(unsafe_code)]
