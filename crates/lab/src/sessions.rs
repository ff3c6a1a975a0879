//! FIX sessions in the lab: our engine as both sides of one, as the engines of others are beside it.

mod engine;

pub use engine::serve;

/// The part of FIX 4.3 that the sessions of the lab speak, as a dictionary of QuickFIX: every engine has the same.
pub(crate) const DICTIONARY: &str = include_str!("sessions/FIX43.xml");
