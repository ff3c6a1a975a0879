//! The router as a server: sessions, the loop, configuration, HTTP and WebSocket
#![forbid(unsafe_code)]

pub mod http;
pub mod snapshot;
pub mod websocket;
