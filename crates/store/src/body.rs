//! The bodies of the journal's records: bytes and back.
//!
//! ```text
//!   a message
//!    0                               4       5       6               8
//!  +-------------------------------+-------+-------+---------------+
//!  | number of the producer        | flags | topic |    format     |   0
//!  +-------------------------------+-------+-------+---------------+
//!  |                           sequence                            |   8
//!  |              expires: nanoseconds since 1970, or 0            |  16
//!  +---------------------------------------------------------------+
//!  | topic: so many bytes, then the payload to the end                24
//! ```
//!
//! Numbers are little-endian; a text has its length before it, in 16 bits. `docs/journal.md` has the other
//! kinds.

use trunkline_journal::Record;

/// Kinds of records.
pub mod kind {
    /// The first record of each segment: everything known besides messages, or the first of several pieces
    /// of it.
    pub const STATE: u8 = 1;
    /// A message.
    pub const MESSAGE: u8 = 2;
    /// A producer publishes for the first time.
    pub const PRODUCER: u8 = 3;
    /// A durable subscription was made, in the layout of version 2 of the state.
    pub const SUBSCRIPTION_2: u8 = 4;
    /// Messages of a durable subscription were acknowledged, in version 2: their positions.
    pub const ACKNOWLEDGED_2: u8 = 5;
    /// A durable subscription was deleted.
    pub const DELETED: u8 = 6;
    /// A durable subscription was made, in the layout of version 3 of the state.
    pub const SUBSCRIPTION_3: u8 = 7;
    /// Messages of a durable subscription were done, in version 3.
    pub const DONE_3: u8 = 8;
    /// Another piece of a checkpoint, in version 3.
    pub const PIECE_3: u8 = 9;
    /// A durable subscription is made, or moved: its whole state.
    pub const SUBSCRIPTION: u8 = 10;
    /// Messages of a durable subscription are done.
    pub const DONE: u8 = 11;
    /// Another piece of a checkpoint, true at its place.
    pub const PIECE: u8 = 12;
    /// A message that says which message of a durable subscription it replaces: that one is done.
    pub const DEAD_LETTER: u8 = 13;
    /// How often messages of a durable subscription were delivered.
    pub const DELIVERED: u8 = 14;
    /// A producer was deleted.
    pub const PRODUCER_DELETED: u8 = 15;
    /// A durable subscription was paused, or resumed.
    pub const PAUSED: u8 = 16;

    /// The kind in words.
    pub fn name(kind: u8) -> &'static str {
        match kind {
            trunkline_journal::MARK => "mark",
            STATE => "state",
            MESSAGE => "message",
            PRODUCER => "producer",
            SUBSCRIPTION | SUBSCRIPTION_2 | SUBSCRIPTION_3 => "subscription",
            ACKNOWLEDGED_2 => "acknowledged",
            DELETED => "deleted",
            DONE | DONE_3 => "done",
            PIECE | PIECE_3 => "piece",
            DEAD_LETTER => "dead letter",
            DELIVERED => "delivered",
            PRODUCER_DELETED => "producer deleted",
            PAUSED => "paused",
            _ => "unknown",
        }
    }
}

/// A message as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredMessage<'a> {
    /// The producer.
    pub producer: u32,
    /// Its sequence in the producer.
    pub sequence: u64,
    /// The time after which it need not be delivered: nanoseconds since 1970, or 0.
    pub expires: u64,
    /// Whether it may have been published before.
    pub is_repeated: bool,
    /// The format of the payload.
    pub format: u16,
    /// Its topic.
    pub topic: &'a str,
    /// The message itself.
    pub payload: &'a [u8],
}

/// Bytes of a message before topic and payload.
const MESSAGE_HEAD: usize = 24;

impl<'a> StoredMessage<'a> {
    /// The bytes before topic and payload.
    pub(crate) fn head(&self) -> [u8; MESSAGE_HEAD] {
        let mut head = [0; MESSAGE_HEAD];
        head[..4].copy_from_slice(&self.producer.to_le_bytes());
        head[4] = self.is_repeated.into();
        head[5] = self.topic.len() as u8;
        head[6..8].copy_from_slice(&self.format.to_le_bytes());
        head[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        head[16..].copy_from_slice(&self.expires.to_le_bytes());
        head
    }

    /// Bytes of it in a record.
    pub(crate) fn size(&self) -> usize {
        MESSAGE_HEAD + self.topic.len() + self.payload.len()
    }

    /// The message in a record: a stored one, or a dead letter; `None` if it has none.
    #[inline]
    pub fn of(record: &Record<'a>) -> Option<Self> {
        match record.kind {
            kind::MESSAGE => Self::read(record.body),
            kind::DEAD_LETTER => Self::read(Replaced::read(record.body)?.1),
            _ => None,
        }
    }

    /// From the body of a record of a stored message; `None` if it is not one.
    #[inline]
    pub fn read(body: &'a [u8]) -> Option<Self> {
        let (head, rest) = body.split_first_chunk::<MESSAGE_HEAD>()?;
        let eight =
            |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let (topic, payload) = rest.split_at_checked(head[5].into())?;
        Some(Self {
            producer: u32::from_le_bytes(head[..4].try_into().expect("four bytes")),
            sequence: eight(8),
            expires: eight(16),
            is_repeated: head[4] & 1 != 0,
            format: u16::from_le_bytes([head[6], head[7]]),
            topic: std::str::from_utf8(topic).ok()?,
            payload,
        })
    }
}

/// The message that a dead letter replaces, before the letter itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    /// The durable subscription of which it is done.
    pub(crate) durable: u32,
    pub(crate) position: u64,
}

impl Replaced {
    /// Bytes of it.
    pub(crate) const BYTES: usize = 12;

    pub(crate) fn bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&self.durable.to_le_bytes());
        bytes[4..].copy_from_slice(&self.position.to_le_bytes());
        bytes
    }

    /// It, and the letter behind it.
    pub(crate) fn read(body: &[u8]) -> Option<(Self, &[u8])> {
        let mut reader = Reader(body);
        let (durable, position) = (reader.u32()?, reader.u64()?);
        Some((Self { durable, position }, reader.0))
    }
}

/// Writes numbers and texts one after the other.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(&(text.len() as u16).to_le_bytes());
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Seven bits a byte, the lowest first; the eighth bit says that more follow.
    pub(crate) fn short(&mut self, mut value: u64) -> &mut Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    /// Rising positions: their number, and the distance of each from the previous one, seven bits a byte.
    pub(crate) fn rising(&mut self, positions: impl ExactSizeIterator<Item = u64>) -> &mut Self {
        self.u32(positions.len() as u32);
        let mut before = 0;
        for position in positions {
            self.short(position.wrapping_sub(before));
            before = position;
        }
        self
    }
}

/// Reads numbers and texts; `None` if they are missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn u32(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*bytes))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let (length, rest) = self.0.split_first_chunk()?;
        let (text, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    /// What [`Writer::rising`] wrote.
    pub(crate) fn rising(&mut self) -> Option<Vec<u64>> {
        let mut before = 0_u64;
        self.list(|it| {
            before = before.checked_add(it.short()?)?;
            Some(before)
        })
    }

    /// What [`Writer::short`] wrote.
    pub(crate) fn short(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }

    /// A list with its length first; no more items than there are bytes, whatever the length says.
    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.u32()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(read(self)?);
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_were_written() {
        for positions in [&[][..], &[0], &[5, 6, 7, 200, 1 << 40], &[u64::MAX]] {
            let mut out = Writer::default();
            out.rising(positions.iter().copied());
            assert_eq!(Reader(&out.0).rising().as_deref(), Some(positions));
            assert_eq!(Reader(&out.0[..out.0.len() - 1]).rising(), None);
        }
        assert_eq!(
            Reader(&[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])
                .rising(),
            None
        );
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let message = StoredMessage {
            producer: 7,
            sequence: u64::MAX,
            expires: 99,
            is_repeated: true,
            format: 5,
            topic: "orders/\u{20ac}",
            payload: b"35=D",
        };
        let mut body = message.head().to_vec();
        body.extend_from_slice(message.topic.as_bytes());
        body.extend_from_slice(message.payload);
        assert_eq!(body.len(), message.size());
        assert_eq!(StoredMessage::read(&body), Some(message));
        for length in 0..MESSAGE_HEAD + message.topic.len() {
            assert_eq!(StoredMessage::read(&body[..length]), None);
        }
    }
}
