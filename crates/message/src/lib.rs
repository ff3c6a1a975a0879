//! One description of a message for every format.
//!
//! A [`Schema`] holds business facts: names, numbers, kinds, presence. A message, be it a struct
//! with [`derive(Message)`](derive@Message) or a [`Record`] made at run time, offers its
//! [`Fields`]; a format is one [`Encoder`] and one [`Decoder`] over a plan that it compiles from
//! the schema. N messages and M formats meet here and nowhere else.
//!
//! A message that is described at run time:
//!
//! ```
//! use std::sync::Arc;
//! use trunkline_message::{Record, Schema, Value};
//!
//! let schema = Arc::new(Schema::from_listing(
//!     "message Order D
//!      field ClOrdID 11 text required
//!      field OrderQty 38 u32 optional
//!      group Allocations 78 Allocation optional
//!        field AllocAccount 79 text required
//!      end
//!      end",
//! )?);
//! let mut order = Record::new(&schema);
//! order.set("ClOrdID", "A1")?;
//! order.set("OrderQty", 100)?;
//! let allocations = order.group_mut("Allocations").expect("a group");
//! allocations.next_entry().set("AllocAccount", "FUND 7")?;
//! assert_eq!(order.get("ClOrdID"), Some(&Value::from("A1")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
mod required;
mod schema;
mod unknown;
mod value;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::{Error, ErrorKind, Result};
pub use fields::{Fields, Message, Structure, depth_around};
pub use group::{Entries, Group};
pub use limits::Limits;
pub use presence::{Ones, Presence};
pub use record::{Record, RecordError, RecordGroup, Value};
pub use required::Required;
pub use schema::{
    Component, Field, IntegerKind, Kind, Need, Schema, SchemaBuilder, SchemaError, Scope, ScopeId,
};
pub use trunkline_message_derive::Message;
pub use unknown::Unknown;
pub use value::FieldValue;
