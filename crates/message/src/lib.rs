//! One description of a message for every format.
//!
//! A [`Schema`] holds business facts: names, kinds, presence, as a graph of types. A [`Layout`]
//! gives each member of its message a position, and holds the [`Notes`] of formats about them. A
//! message, be it a struct with [`derive(Message)`](derive@Message) or a [`Record`] made at run
//! time, offers its [`Fields`]; a format is one [`Encoder`] and one [`Decoder`] over a plan that it
//! compiles from the layout. N messages and M formats meet here and nowhere else.
//!
//! A message that is described at run time:
//!
//! ```
//! use std::sync::Arc;
//! use trunkline_message::{Layout, Record, Value};
//!
//! let layout = Arc::new(Layout::from_listing(
//!     "message Order D
//!      field ClOrdID 11 text required
//!      field OrderQty 38 u32 optional
//!      group Allocations 78 Allocation implied
//!        field AllocAccount 79 text required
//!      end
//!      end",
//! )?);
//! let mut order = Record::new(&layout);
//! order.set("ClOrdID", "A1")?;
//! order.set("OrderQty", 100)?;
//! let allocations = order.group_mut("Allocations").expect("a group");
//! allocations.next_entry().set("AllocAccount", "FUND 7")?;
//! assert_eq!(order.get("ClOrdID"), Some(&Value::from("A1")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod any;
mod builder;
mod check;
mod decoder;
mod default;
mod element;
mod encoder;
mod error;
mod fields;
mod group;
mod identity;
mod layout;
mod limits;
mod listing;
mod notes;
mod presence;
mod record;
mod required;
mod schema;
mod types;
mod unknown;
mod value;
mod walk;

pub use any::Any;
pub use builder::LayoutBuilder;
pub use check::{Checks, Pattern, Unfit};
pub use decoder::Decoder;
pub use default::{default_of, is_one_of, put_default};
pub use element::Element;
pub use encoder::Encoder;
pub use error::{Error, ErrorKind, Result, short_path};
pub use fields::{Fields, Message, Structure, depth_around};
pub use group::{Entries, Group};
pub use layout::{Component, Field, Holds, Layout, Scope, ScopeId, Shape};
pub use limits::Limits;
pub use notes::Notes;
pub use presence::{Ones, Presence};
pub use record::{AnyContent, Record, RecordError, RecordGroup, Samples, Value};
pub use required::{Required, Unmet};
pub use schema::{
    Body, IntegerKind, Kind, Member, MemberId, Need, Schema, SchemaError, Type, TypeId, is_name,
    is_path,
};
pub use trunkline_message_derive::Message;
pub use types::{Members, Types};
pub use unknown::{Place, Sibling, Unknown, UnknownContent};
pub use value::{FieldValue, Form, Nothing};
