//! The driver of services: threads with a connection each that send what was encoded before, again and
//! again, and wait for the answers (Ng, Chen and Greenfield 2004, section 3.2).
//!
//! It is the same for every server and does as little as it can: a request is one write of bytes made
//! before, an answer is found by its framing and compared with the first one to the same request, which
//! was looked at outside of the clock. What it costs is nearly the same for all.
//!
//! ```text
//! Request, Protocol --> Load --+-- thread: connect, warm up --|barrier|-- call, call, call --+-- Outcome
//!                              +-- thread: connect, warm up --|       |-- call, call, call --+
//! ```

mod answer;
mod connection;
mod load;
mod request;
mod secure;

pub use connection::{Connecting, Failure};
pub use load::{Load, Outcome, Until};
pub(crate) use load::{drive, one_by_one};
pub use request::{Post, Protocol, Request};
pub use secure::Secure;
