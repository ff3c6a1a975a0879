//! Guaranteed delivery: producers, durable subscriptions and acknowledgements over a journal
//!
//! [`Store`] is a state machine over a [`trunkline_journal::Journal`]: it appends guaranteed messages,
//! delivers them to direct subscribers and to consumers of durable subscriptions, and keeps them until the
//! consumers have acknowledged them. It has no threads, no clock, no files and no protocol.
#![forbid(unsafe_code)]

mod acknowledge;
mod administration;
mod body;
mod checkpoint;
mod conflation;
mod consumer;
mod dead_letter;
mod directory;
mod durable;
mod event_sink;
mod open;
mod overdue;
mod producer;
mod pump;
mod ranges;
mod rotate;
mod search;
mod settings;
mod slices;
mod state;
mod store;
mod version2;
mod version3;
mod view;

pub use administration::Purged;
pub use body::{StoredMessage, kind};
pub use consumer::{Consume, Start};
pub use dead_letter::DEAD_LETTER_FORMAT;
pub use durable::{Account, Loss, LossReason};
pub use event_sink::{
    ClockReading, Consuming, Delivery, Durability, EventSink, Rejected, Sending, Stored,
};
pub use open::Opened;
pub use producer::ProducerId;
pub use settings::{
    DeadLetters, DeliveryPolicy, DeliveryRule, Forwarding, Level, Policy, Rule, Settings,
};
pub use state::{Known, KnownProducer, State};
pub use store::{Counts, DurableView, NewMessage, Producing, Store};
pub use view::{ConsumerView, ProducerView};
