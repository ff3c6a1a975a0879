//! Client library of the router
//!
//! [`Client`] publishes, subscribes and sends requests over one connection, on the calling thread; it
//! starts no thread. [`Conversation`] is the same without a socket: bytes in, events and bytes out.
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
//!
//! Guaranteed delivery: the client keeps a stored message until the router has it, and the router keeps it
//! until a consumer has acknowledged it.
//!
//! ```no_run
//! use std::time::Duration;
//! use trunkline_client::{Client, Consume, Event, Options, format};
//!
//! # fn main() -> Result<(), trunkline_client::Error> {
//! let mut client = Client::connect("tcp://127.0.0.1:7400", &Options::named("desk 7"))?;
//! client.producer("desk-7")?;
//! let topic = client.topic("orders/new")?;
//! let sequence = client.store(topic, format::FIX, b"35=D")?;
//! let stored = client.wait_stored(sequence, Duration::from_secs(5))?;
//! println!("on disk of {}, at {}", stored.durability.disk, stored.position);
//!
//! client.consume(&Consume::durable("risk", "orders/>"))?;
//! let mut done = Vec::new();
//! client.receive(None, &mut |event| {
//!     if let Event::Delivery(it) = event {
//!         println!("{} {:?}", it.topic, it.payload);
//!         done.push((it.subscription, it.position));
//!     }
//! })?;
//! for (subscription, position) in done {
//!     client.acknowledge(subscription, position)?;
//! }
//! # client.flush()
//! # }
//! ```

#![forbid(unsafe_code)]

mod client;
mod consumer;
mod conversation;
mod error;
mod event;
mod freshness;
mod input;
mod login;
mod names;
mod numbers;
mod options;
mod producer;
mod state;

pub use client::Client;
pub use consumer::Consume;
pub use conversation::{Conversation, Subscription, Topic};
pub use error::{Error, Result};
pub use event::{
    Acknowledged, Confirmed, Consuming, Delivery, Event, Gap, LastValues, Lost, Message, Rejection,
    Reply, RequestId,
};
pub use login::Login;
pub use options::{Options, Subscribe};
pub use trunkline_native::{
    Conflation, Durability, LostReason, Notice, Overflow, Producing, Rejected, Start, Stored, code,
    format, kind,
};
pub use trunkline_reactor::{Address, Idle};
#[cfg(feature = "tls")]
pub use trunkline_reactor::{ClientTls, CredentialsError};
