//! SOAP 1.1 and 1.2 messages in XML.
//!
//! A message nests as its schema says: structs are elements around their fields, a list is an element
//! around one for each entry or `item`, unless it is unwrapped, a choice is the element of its arm. Names
//! are the schema's, or short ones ([`Options::compact_tags`]). Values may be attributes instead
//! ([`Options::attributes`]), and components may do without elements ([`Options::flat`]):
//!
//! ```text
//! <MDIncGroup><MDEntryID>T1</MDEntryID><Instrument><Symbol>CBG</Symbol></Instrument></MDIncGroup>
//! <MDIncGroup MDEntryID="T1"><Instrument Symbol="CBG"/></MDIncGroup>
//! <MDIncGroup><MDEntryID>T1</MDEntryID><Symbol>CBG</Symbol></MDIncGroup>
//! <MDIncGroup MDEntryID="T1" Symbol="CBG"/>
//! ```
//! The envelope around a message follows the style: with rpc, an element named after the operation
//! stands between Body and message. Source: SOAP 1.1 sections 4, 5 and 7; the shape is that of
//! Kohlhoff & Steele 2004, Figure 6, and the other schemas are those that section 7 asks for.

#![forbid(unsafe_code)]

mod any;
mod attributes;
mod binding;
mod call;
mod container;
mod content;
mod decoder;
mod dimensions;
mod document;
mod encoder;
mod entries;
mod envelope;
mod escape;
mod event_reader;
mod fault;
mod form;
mod forward;
mod fragment;
mod gap_templates;
pub mod graph;
mod header;
mod mixed;
mod names;
mod namespaces;
mod naming;
mod nothing;
mod numbered;
mod opening;
mod options;
mod order;
mod package;
mod parts;
mod paths;
mod plan;
mod qname;
mod reader;
mod slots;
mod tags;
mod templates;
mod types;
mod unknown;
mod value_types;
mod values;
mod white_space;

pub use any::{NamespaceConstraint, holds_wildcards, namespace_constraint};
pub use binding::{
    entry_name, is_attribute, is_by_type, is_declared_type, is_mixed, is_nillable, is_of_arms,
    is_repeated, is_spaced, is_text, is_typed, is_unwrapped, item_name, namespace_of, noted_empty,
    noted_name, type_namespace,
};
pub use decoder::Decoder;
pub use dimensions::Dimensions;
pub use encoder::Encoder;
pub use fault::{Fault, FaultCode, FaultParts};
pub use forward::forward;
pub use fragment::Fragment;
pub use header::{HeaderBlock, Roles, is_forwarded, not_understood, targeted};
pub use naming::xsd_name;
pub use nothing::Nothing;
pub use options::{Layout, Options, Style, Version};
pub use package::{
    Attachments, Following, Packed, Packing, Unpacked, decoded_id, is_package, new_id, refers_to,
    unpack, unpack_envelope,
};
pub use plan::Plan;
pub use qname::QName;
pub use reader::{BodyPlace, Opened, open, open_from};
pub use types::type_of_arm;
pub use value_types::noted_type;
pub use white_space::WhiteSpace;
