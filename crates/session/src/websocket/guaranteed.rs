//! Guaranteed delivery in JSON: what a page stores and consumes, and what it is told.

mod command;
mod event;
mod execute;

pub use command::{Consumption, Digits, GuaranteedCommand, Storing};
pub use event::GuaranteedEvent;

pub(super) use command::StartAt;
pub(super) use execute::execute;
