//! SOAP services and clients.
//!
//! A [`Service`] is a set of functions; a [`Server`] answers over HTTP, a [`TcpServer`] over raw
//! TCP, and [`Conversation`] without any socket. A [`Client`] calls; [`client!`](crate::client)
//! makes one with methods.

mod admission;
mod arrived;
mod asynchronous;
mod binding;
mod call;
mod carrier;
mod channel;
mod channels;
mod charset;
mod client;
mod context;
mod conversation;
mod described;
pub mod element;
mod encoding;
mod exchange;
mod fallback;
pub mod header;
mod http;
mod incoming;
mod inspection;
mod macros;
mod media;
mod metrics;
mod operation;
mod outgoing;
mod page;
mod ports;
mod posting;
mod prologue;
mod public;
mod ranking;
mod replies;
mod service;
mod shared;
mod signature;
mod streams;
mod tcp;
mod telemetry;
mod url;
mod vocabularies;
pub mod ws_security;
pub mod wsdl;

pub use admission::{Arrival, BasicLogin, Refusal};
pub use asynchronous::{AsyncFunction, Detached};
pub use binding::Binding;
pub use call::{CallReport, Log};
pub use charset::in_utf8;
pub use client::{CallError, Client, name_of};
pub use context::{Context, Stages};
pub use conversation::{Answer, Conversation, Outcome};
pub use encoding::MessageEncoding;
pub use http::{Running, Server, StartError};
pub use operation::Function;
pub use service::{Endpoint, Service, ServiceError};
pub use shared::SharedConnection;
pub use signature::Signature;
pub use streams::{Attachment, AttachmentReader};
pub use tcp::{TcpConfig, TcpServer};
pub use trunkline_codec::fast_infoset::{VocabularyLimits, WriterOptions};
pub use trunkline_http::{ClientConfig, ClientTls, Config, ServerTls, Workers};
pub use trunkline_soap::{
    Attachments, Fault, FaultCode, Fragment, HeaderBlock, Nothing, QName, Style,
    Version as SoapVersion,
};
pub use vocabularies::Vocabularies;
