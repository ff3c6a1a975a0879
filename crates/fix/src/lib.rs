//! FIX sessions: numbers, heartbeats, resends, rejects by dictionary; an acceptor and an initiator over TCP
//!
//! [`Session`] is a state machine without I/O and without a clock; [`tcp`] drives it over sockets. What the two sides say
//! is in FIX 4.0 to 4.4 and FIXT 1.1, session level; where these leave a choice, it is QuickFIX's.
#![forbid(unsafe_code)]

mod application;
mod dictionaries;
mod draft;
mod first;
mod incoming;
mod journal_store;
mod kept;
mod message;
mod outbox;
mod output;
mod reject;
mod rules;
mod schedule;
mod session;
mod settings;
mod store;
mod stream;
mod tags;
pub mod tcp;
mod time;
mod version;

pub use application::{Application, Notice};
pub use dictionaries::Dictionaries;
pub use draft::Draft;
pub use first::First;
pub use journal_store::JournalStore;
pub use message::{Field, Message};
pub use outbox::{Outbox, SendError};
pub use reject::{Reason, Refusal, Refused};
pub use rules::{Rules, Validation};
pub use schedule::{Hours, Schedule, ScheduleError};
pub use session::Session;
pub use settings::{Identity, Role, Settings, SubIds};
pub use store::{MemoryStore, Store, Wake};
pub use tags::{is_of_header, length_of_data};
pub use time::Moment;
pub use version::Version;
