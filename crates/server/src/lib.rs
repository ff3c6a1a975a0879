//! The router as a server: sessions, the loop, configuration, HTTP and WebSocket
//!
//! [`Engine`] is the whole router without sockets and clocks: bytes of clients go in, bytes for
//! clients come out. [`Server`] gives it listeners and a thread, from a [`Config`].

#![forbid(unsafe_code)]

pub mod config;
pub mod engine;
pub mod http;
mod pump;
pub mod server;
pub mod session;
pub mod simulation;
pub mod snapshot;
pub mod websocket;

pub use config::{Config, ConfigError};
pub use engine::{ConnectionId, Dirty, Engine, Peer};
pub use server::{Handle, Listening, Running, Server};
pub use session::Protocol;
