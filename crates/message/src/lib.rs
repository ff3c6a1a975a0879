//! One description of a message for every format.
//!
//! A [`Schema`] holds business facts: names, numbers, kinds, presence. A message, be it a struct
//! with [`derive(Message)`](derive@Message) or a [`Record`] made at run time, offers its
//! [`Fields`]; a format is one [`Encoder`] and one [`Decoder`] over a plan that it compiles from
//! the schema. N messages and M formats meet here and nowhere else.

#![forbid(unsafe_code)]

mod decoder;
mod encoder;
mod error;
mod fields;
mod group;
mod limits;
mod listing;
mod presence;
mod record;
mod schema;
mod unknown;
mod value;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::{Error, ErrorKind, Result};
pub use fields::{Fields, Message, Structure};
pub use group::{Entries, Group};
pub use limits::Limits;
pub use presence::{Ones, Presence};
pub use record::{Record, RecordError, RecordGroup, Value};
pub use schema::{
    Component, Field, IntegerKind, Kind, Need, Schema, SchemaBuilder, SchemaError, Scope, ScopeId,
};
pub use trunkline_message_derive::Message;
pub use unknown::Unknown;
pub use value::FieldValue;
