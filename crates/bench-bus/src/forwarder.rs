//! The bare forwarder: what is left of a broker when everything is taken away that can be.
//!
//! A process with one loop over epoll that copies what publishers send to whoever asked for it. It is
//! the limit that brokers are held against, so it has no more than a broker cannot do without: one read
//! and one write a turn, no look into a payload, no names, no acknowledgements. What was asked for is
//! found by a number of 16 bits in a table; several topics may share one, and the subscriber passes over
//! what is none of its own.
//!
//! ```text
//! 0         4       6      7      8             16
//! | length  | group | kind | zero | tag         | payload ...
//! ```
//! Little-endian; `length` counts what follows it. Kind 0 is a message, 1 asks for the groups in the
//! payload (`u16` each), 2 is the answer to that. `group` is what the forwarder looks at; `tag` is the
//! topic for those who send and receive.
//!
//! A subscriber that does not read has at most [`PENDING_BYTES`] in its queue; further messages for it are
//! dropped and counted, and nobody else waits for it.

mod bus;
#[cfg(target_os = "linux")]
mod server;

pub use bus::ForwarderConnect;
#[cfg(target_os = "linux")]
pub use server::{Forwarder, main};

use std::io;

/// What waits at most for one subscriber, in bytes.
pub const PENDING_BYTES: usize = 64 << 20;

/// Bytes before the payload.
pub(crate) const HEADER: usize = 16;
/// A longer message ends its connection.
pub(crate) const MESSAGE_BYTES: usize = 16 << 20;

pub(crate) const MESSAGE: u8 = 0;
pub(crate) const SUBSCRIBE: u8 = 1;
pub(crate) const SUBSCRIBED: u8 = 2;

/// The start of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    /// Of the whole frame, in bytes.
    pub(crate) length: usize,
    pub(crate) group: u16,
    pub(crate) kind: u8,
    pub(crate) tag: u64,
}

impl Header {
    /// The frame at the front of `bytes`; `None` if it is not there as a whole.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> io::Result<Option<Self>> {
        let Some((head, _)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize + 4;
        let group = u16::from_le_bytes([head[4], head[5]]);
        let [.., a, b, c, d, e, f, g, h] = *head;
        let tag = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let kind = head[6];
        if !(HEADER..=MESSAGE_BYTES).contains(&length) || kind > SUBSCRIBED {
            let text = format!("no frame of the forwarder: length {length}, kind {kind}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok((length <= bytes.len()).then_some(Self { length, group, kind, tag }))
    }

    /// Appends a frame.
    #[inline]
    pub(crate) fn write(out: &mut Vec<u8>, group: u16, kind: u8, tag: u64, payload: &[u8]) {
        let mut head = [0; HEADER];
        head[..4].copy_from_slice(&((HEADER + payload.len() - 4) as u32).to_le_bytes());
        head[4..6].copy_from_slice(&group.to_le_bytes());
        head[6] = kind;
        head[8..].copy_from_slice(&tag.to_le_bytes());
        out.extend_from_slice(&head);
        out.extend_from_slice(payload);
    }
}

/// The group of a topic with this tag.
pub(crate) fn group_of(tag: u64) -> u16 {
    (tag ^ tag >> 16 ^ tag >> 32 ^ tag >> 48) as u16
}
