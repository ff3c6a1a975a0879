//! What the records of a journal say of producers and durable subscriptions (`docs/journal.md`).

use std::collections::BTreeMap;

use trunkline_journal::Record;
use trunkline_store::{StoredMessage, kind};

/// A producer.
#[derive(Debug, Default)]
pub(super) struct Producer {
    pub(super) name: String,
    /// Sequence of its last message.
    pub(super) last: u64,
}

/// A durable subscription.
#[derive(Debug, Default)]
pub(super) struct Durable {
    pub(super) name: String,
    pub(super) pattern: String,
    pub(super) acknowledged: u64,
}

/// Producers and durable subscriptions by their numbers, as they are after the records that were learnt.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) producers: BTreeMap<u32, Producer>,
    pub(super) durables: BTreeMap<u32, Durable>,
}

/// The layout of the record of all that is known.
const VERSION: u32 = 1;

impl Known {
    /// Learns what a record says; what cannot be understood says nothing.
    pub(super) fn learn(&mut self, record: &Record<'_>) {
        let mut reader = Reader(record.body);
        match record.kind {
            kind::STATE => {
                if let Some(known) = Self::read(&mut reader) {
                    *self = known;
                }
            }
            kind::MESSAGE => {
                if let Some(message) = StoredMessage::read(record.body)
                    && let Some(producer) = self.producers.get_mut(&message.producer)
                {
                    producer.last = producer.last.max(message.sequence);
                }
            }
            kind::PRODUCER => _ = self.read_producer(&mut reader),
            kind::SUBSCRIPTION => _ = self.read_durable(&mut reader),
            kind::ACKNOWLEDGED => _ = self.read_acknowledged(&mut reader),
            kind::DELETED => _ = reader.u32().map(|number| self.durables.remove(&number)),
            _ => {}
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut known = Self::default();
        if reader.u32()? != VERSION {
            return None;
        }
        let (_next_producer, producers) = (reader.u32()?, reader.u32()?);
        for _ in 0..producers {
            known.read_producer(reader)?.last = reader.u64()?;
            let (_position, _used) = (reader.u64()?, reader.u64()?);
        }
        let (_next_durable, durables) = (reader.u32()?, reader.u32()?);
        for _ in 0..durables {
            known.read_durable(reader)?;
        }
        Some(known)
    }

    fn read_producer(&mut self, reader: &mut Reader<'_>) -> Option<&mut Producer> {
        let (number, name) = (reader.u32()?, reader.text()?.to_owned());
        self.producers.insert(number, Producer { name, last: 0 });
        self.producers.get_mut(&number)
    }

    fn read_durable(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let number = reader.u32()?;
        let (name, pattern) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        let (_horizon, _from_time) = (reader.u64()?, reader.u64()?);
        let acknowledged = reader.u64()?;
        let (_elided, _expired, _lost, _deliveries) =
            (reader.u64()?, reader.u64()?, reader.u64()?, reader.u64()?);
        // Position, address and whether it waits for the disk; then positions alone.
        for bytes in [20, 8] {
            let count = reader.u32()?;
            reader.pass(usize::try_from(count).ok()?.checked_mul(bytes)?)?;
        }
        self.durables.insert(number, Durable { name, pattern, acknowledged });
        Some(())
    }

    fn read_acknowledged(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let (number, positions) = (reader.u32()?, reader.u32()?);
        self.durables.get_mut(&number)?.acknowledged += u64::from(positions);
        Some(())
    }
}

/// Reads numbers and texts; none where they are not there.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn u32(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*bytes))
    }

    fn u64(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    fn text(&mut self) -> Option<&'a str> {
        let (length, rest) = self.0.split_first_chunk()?;
        let (text, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        self.0 = rest;
        str::from_utf8(text).ok()
    }

    fn pass(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.get(bytes..)?;
        Some(())
    }
}
