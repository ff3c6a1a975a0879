//! [Layouts](trunkline_message::Layout) as descriptions that others read.
//!
//! | module | what it writes |
//! |---|---|
//! | [`fix`] | FIX dictionaries in the form of QuickFIX |
//! | [`idl`] | OMG IDL; of IDL and of WSDL, interfaces too |
//! | [`rust`] | structs with `derive(Message)`; of WSDL, clients and services too |
//! | [`wsdl`] | WSDL 1.1, of the services of IDL and of WSDL |
//! | [`xsd`] | XML Schema |
//!
//! Nothing here does I/O. What a kind of description cannot say is left out or said otherwise, and [`Written`] says
//! what and why.

#![forbid(unsafe_code)]

mod calls;
mod changes;
pub mod fix;
pub mod idl;
mod messages;
pub mod rust;
mod types;
pub mod wsdl;
pub mod xsd;

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
    /// What is in it, and says less than it did: a line for each reason.
    pub changed: Vec<LeftOut>,
    /// The files to which it refers, if it is several: their names and texts.
    pub beside: Vec<(String, String)>,
}

/// What is not in a description, or not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The message, type or operation.
    pub what: String,
    /// Why there is no form for it, or another one.
    pub why: String,
}
