//! TLS by rustls: certificates, keys and authorities from PEM, and how each side uses them
//!
//! No sockets: whoever has one asks [`ServerTls::current`] or [`ClientTls::config`] for what a handshake needs, or has
//! [`ClientTls::connect`] do it.

#![forbid(unsafe_code)]

mod client;
mod error;
mod explain;
mod pem;
mod server;
mod subject;

pub use client::{ClientTls, TlsStream};
pub use error::CredentialsError;
pub use explain::explain;
pub use server::{ServerFiles, ServerTls, Versions};
pub use subject::{dns_names, is_authority, subject, uris};
