//! Transports: framing, which is pure, and raw TCP, the only place where anything is read or sent

#![forbid(unsafe_code)]

mod buffer;
mod error;
mod fix;
mod framer;
mod length_prefixed;
pub mod tcp;
mod xml;

pub use buffer::FrameBuffer;
pub use error::Error;
pub use fix::Fix;
pub use framer::{Frame, Framer};
pub use length_prefixed::LengthPrefixed;
pub use xml::Xml;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
