//! Conversations: a protocol, a format and a transport together, such as SOAP services over HTTP

#![forbid(unsafe_code)]

mod profile;
pub mod soap;

pub use profile::Profile;
