//! Dynamic values: any SOAP message, without a schema, with the SOAP encoding's references.
//!
//! The SOAP encoding sends graphs. A value that is used twice stands in the message once, with an
//! id, and is referred to elsewhere (`href`, `enc:ref`); values may contain themselves. [`decode`]
//! keeps that identity: two edges lead to the same [`NodeId`]. Literal content is read into the
//! same model, so one value serves the command line, calls without a schema and echo services.
//!
//! ```
//! use trunkline_soap::graph;
//! use trunkline_message::Limits;
//!
//! let document = br##"<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"
//!     E:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><E:Body>
//!     <pair><left href="#7"/><right href="#7"/></pair><multiRef id="7">one</multiRef>
//! </E:Body></E:Envelope>"##;
//! let message = graph::decode(document, &Limits::default())?;
//! let (_, pair) = message.root().expect("a root");
//! assert_eq!(message.graph.member(pair, "left"), message.graph.member(pair, "right"));
//! assert_eq!(message.graph.text_at(pair, &["left"])?, "one");
//! # Ok::<(), trunkline_message::Error>(())
//! ```
//!
//! Sources: SOAP 1.1 section 5; SOAP 1.2 part 2 sections 2 to 4.

mod decode;
mod encode;
mod extent;
mod from_message;
mod model;
mod name;
mod namespaces;
mod node_attributes;
mod prefixes;
mod same;
mod typed;
mod writer;

pub(super) use decode::decode_encoded_from;
pub use decode::{decode, decode_from};
pub use encode::Encoder;
pub use from_message::from_message;
pub use model::{Array, Content, Graph, Message, Node, NodeId};
pub use name::Name;
pub use namespaces::is_known_encoding;
pub(super) use namespaces::{is_simple_type, is_soap_encoding};
pub use same::are_same;
pub(super) use typed::{decode_counted, decode_counted_from};
pub use typed::{decode_message, decode_message_from, read_message};
