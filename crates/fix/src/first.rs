//! Whose session a connection is for, by its first message.

use trunkline_message::Limits;

use crate::message::Fields;
use crate::settings::Identity;
use crate::stream::{Found, find};
use crate::tags;
use crate::version::Version;

/// What the first bytes of a connection say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum First {
    /// More is needed.
    Incomplete,
    /// A Logon for the session of this identity, as this side says it.
    Logon(Identity),
    /// Something else: the connection is to be closed.
    Foreign(&'static str),
}

/// Bytes of a Logon at most: nobody is known yet.
const MOST: usize = 16 << 10;

impl First {
    /// Looks at the first bytes of a connection.
    pub fn of(bytes: &[u8]) -> Self {
        let limits = Limits { message_bytes: MOST, ..Limits::default() };
        let length = match find(bytes, false, &limits) {
            Found::Message(length) => length,
            Found::Incomplete => return Self::Incomplete,
            Found::Garbled(_) => return Self::Foreign("what came first is no message of FIX"),
        };
        let mut fields = Fields::default();
        let Ok(message) = fields.read(&bytes[..length]) else {
            return Self::Foreign("what came first is no message of FIX");
        };
        if message.message_type() != b"A" {
            return Self::Foreign("the first message is no Logon");
        }
        let Some(version) = Version::of(message.begin_string()) else {
            return Self::Foreign("the BeginString (8) is of no version that is known");
        };
        let text = |tag| message.get(tag).and_then(|it| std::str::from_utf8(it).ok());
        match (text(tags::TARGET_COMP_ID), text(tags::SENDER_COMP_ID)) {
            (Some(own), Some(other)) => Self::Logon(Identity::new(version, own, other)),
            _ => Self::Foreign("the Logon has no SenderCompID (49) or TargetCompID (56)"),
        }
    }
}
