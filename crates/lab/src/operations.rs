//! The operations of the benchmark of Metro's SOAP/TCP (2007), and those on arrays of Govindaraju and others (2004), at
//! both of our ends.
//!
//! `trunkline lab operations` answers the questions of the section Operations of `peers/PROTOCOL.md`, as the peers
//! do: it serves, and it calls from threads that stay, each with a client of its own.
//!
//! ```text
//! > serve soap-tcp 1                  < serving PORT
//! > connect soap-tcp PORT 16          < connected 16
//! > call echoStruct 0 60 FILE         < called COUNT NANOSECONDS
//! ```

pub mod arrays;
mod bytes;
mod callers;
mod codec;
pub(crate) mod codings;
mod end;
mod exchange;
mod http_bytes;
mod service;
pub mod structures;
mod values;

pub use end::{Identity, serve};
pub(crate) use exchange::{Connector, check};
pub use service::{Manner, Names, names, service};
