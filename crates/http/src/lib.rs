//! HTTP/1.0 and 1.1: a server that hands requests to a [`Handler`], whole or as they come, and a blocking [`Client`].
//!
//! Hyper reads and writes the messages. This crate has what a service needs around it: limits and
//! time-outs on everything (each has a name in [`Config`]), compression, a pool of workers, TLS, and
//! counts of the bytes that went over the wire.

#![forbid(unsafe_code)]

mod accept;
mod beside;
mod client;
mod clock;
mod compression;
mod config;
mod connection;
mod counters;
mod error;
mod guard;
mod host;
mod limits;
mod message;
mod pool;
mod rejection;
mod server;
mod streaming;
#[cfg(feature = "tls")]
mod tls;
mod transport;

pub use bytes::Bytes;
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, Version, header};

pub use beside::{Beside, Job, Talk, Waiting};
pub use client::{AnswerBody, Client, ClientConfig, Received};
pub use config::{Config, Order, Workers};
pub use counters::Counters;
pub use error::{Error, Result};
pub use host::host_of;
pub use limits::{Files, raise_open_files};
pub use message::{Handler, Peer, Request, Response, TlsPeer, Wait};
pub use server::{Running, Server};
pub use streaming::{Body, Rest, Streamed};
pub use trunkline_compression::Compression;
#[cfg(feature = "tls")]
pub use trunkline_tls::{ClientTls, ServerTls, TlsStream};
