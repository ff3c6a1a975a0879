//! A [`Link`] made of the loopback interface and a clock, without root.
//!
//! A link says how long bytes take, a [`Shaper`](shaper::Shaper) holds them for that long, and a
//! [`Proxy`] does so between two TCP sockets. [`check`] measures how true all that is.

pub mod check;
mod connection;
pub mod proxy;
pub mod shaper;

pub use proxy::{Proxy, ProxyError};
use trunkline_experiment::link::Link;
