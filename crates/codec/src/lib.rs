//! Wire formats over one waist: each is a plan compiled from a schema, an encoder and a decoder. And XML as
//! a pull parser, and Fast Infoset, as infosets, which the format SOAP is written against, in a crate of its own.

#![forbid(unsafe_code)]

pub mod attachment;
pub mod cdr;
mod code_set;
pub mod fast_infoset;
pub mod fix;
pub mod infoset;
mod intern;
pub mod json;
pub mod xml;

pub use code_set::CodeSet;
