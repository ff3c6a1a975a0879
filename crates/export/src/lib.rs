//! [Layouts](trunkline_message::Layout) as descriptions that others read.
//!
//! | module | what it writes |
//! |---|---|
//! | [`rust`] | structs with `derive(Message)`; of WSDL, clients and services too |
//!
//! Nothing here does I/O. What a kind of description cannot say is left out, and [`Written`] says what and why.

#![forbid(unsafe_code)]

mod messages;
pub mod rust;
mod types;

pub use messages::{Message, Messages};

/// A description that was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// How many types or messages it describes.
    pub count: usize,
    /// What is not in it.
    pub left_out: Vec<LeftOut>,
}

/// What is not in a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The message, type or operation.
    pub what: String,
    /// Why there is no form for it.
    pub why: String,
}
