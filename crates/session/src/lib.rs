//! Conversations: SOAP services and clients, the router's native and WebSocket sessions

#![forbid(unsafe_code)]

pub mod native;
mod profile;
pub mod router;
pub mod soap;
pub mod soap_tcp;
pub mod websocket;

pub use profile::{Profile, Retained};
