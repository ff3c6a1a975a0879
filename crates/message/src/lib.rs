//! One description of a message for every format: schema, fields, encoder, decoder, record.

#![forbid(unsafe_code)]

mod limits;

pub use limits::Limits;
