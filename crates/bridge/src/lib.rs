//! FIX sessions joined to topics of a router, by rules
//!
//! What comes in a session is published to topics, and what is published to topics is sent in sessions. Each session is a
//! client of the router, with a thread of its own: the router's thread does nothing for FIX. [`Rules`] say what becomes of a
//! message, without I/O.
#![forbid(unsafe_code)]

mod bridge;
mod connection;
mod credentials;
mod first_place;
mod inbox;
mod link;
mod market;
mod names;
mod numbers;
mod outgoing;
mod progress;
mod requests;
mod rules;
mod session_store;
mod template;

pub use bridge::{Bridge, BridgeError, check};
pub use requests::{MarketData, MarketDataRejection, MarketTopic, Requests};
pub use rules::{Action, Rules};
pub use template::{Template, TemplateError};
