//! What the peers in Rust share: the peer's side of PROTOCOL.md and the message's structures.

pub mod market_data;
mod server;

pub use server::{Codec, Failure, serve};
