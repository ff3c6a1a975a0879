//! Wire formats over one waist: each is a plan compiled from a schema, an encoder and a decoder.

#![forbid(unsafe_code)]

pub mod cdr;
mod code_set;
pub mod fix;
pub mod infoset;
pub mod soap;
pub mod xml;

mod width;

pub use code_set::CodeSet;
