//! The router as a server: the engine, the loop, configuration, HTTP
//!
//! [`Engine`] is the whole router without sockets and clocks: bytes of clients go in, bytes for
//! clients come out. [`Server`] gives it listeners and a thread, from a [`Config`].

#![forbid(unsafe_code)]

pub mod administration;
pub mod config;
pub mod engine;
pub mod event_loop;
pub mod formats;
pub mod http;
pub mod platform;
pub mod server;
pub mod snapshot;
pub mod threads;

pub use config::{Config, ConfigError};
pub use engine::{ConnectionId, Dirty, Engine, Peer};
pub use event_loop::EventLoop;
pub use platform::Platform;
pub use server::{Handle, Inherited, Listening, Pulse, Running, Server};
pub use trunkline_session::router::Protocol;
