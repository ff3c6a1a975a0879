//! Client library of the router
//!
//! [`Client`] publishes, subscribes and asks over one connection, on the thread that calls it; there
//! is no other. [`Conversation`] is the same without a socket: bytes in, events and bytes out.
//!
//! ```no_run
//! use trunkline_client::{Client, Event, Options, Subscribe};
//!
//! # fn main() -> Result<(), trunkline_client::Error> {
//! let mut client = Client::connect("tcp://127.0.0.1:7400", &Options::named("prices"))?;
//! let subscription = client.subscribe("fx/*", &Subscribe::every())?;
//! let topic = client.topic("fx/EURUSD")?;
//! client.publish(topic, b"1.0842")?;
//! client.receive(None, &mut |event| match event {
//!     Event::Message(message) => println!("{} {:?}", message.topic, message.payload),
//!     Event::Gap(gap) => println!("{} lost {}", gap.topic, gap.count),
//!     _ => {}
//! })?;
//! client.unsubscribe(subscription)?;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod client;
mod conversation;
mod error;
mod event;
mod input;
mod names;
mod numbers;
mod options;
mod state;

pub use client::Client;
pub use conversation::{Conversation, Subscription, Topic};
pub use error::{Error, Result};
pub use event::{Event, Gap, Message, Refusal, Reply, RequestId};
pub use options::{Options, Subscribe};
pub use trunkline_native::{Conflation, Overflow, code, format, kind};
pub use trunkline_reactor::{Address, Idle};
