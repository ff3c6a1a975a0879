//! The frames of guaranteed delivery; STORE and DELIVERY are in [`crate::fast`].

use super::{begin, long, put_texts, put_u32, put_u64, updates};
use crate::HEADER;
use crate::frame::{
    Acknowledge, Acknowledged, Confirmed, Consume, Consuming, Durability, Lost, LostReason,
    Producing, Release, Start, Stored,
};
use crate::kind::{self, flag};

/// Bytes of CONSUME before the name.
pub(crate) const CONSUME_HEAD: usize = 40;

fn put_durability(out: &mut Vec<u8>, durability: Durability) {
    out.extend_from_slice(&durability.memory.to_le_bytes());
    out.extend_from_slice(&durability.disk.to_le_bytes());
}

/// A frame of one name.
fn named(out: &mut Vec<u8>, kind: u8, name: &str) {
    begin(out, kind, 0, 0, 4 + name.len());
    put_u32(out, 0);
    out.extend_from_slice(name.as_bytes());
}

/// PRODUCER.
pub fn encode_producer(out: &mut Vec<u8>, name: &str) {
    named(out, kind::PRODUCER, name);
}

/// CONSUME.
pub fn encode_consume(out: &mut Vec<u8>, consume: &Consume<'_>) {
    let flags = flag::when(consume.wants_confirmed, flag::WANTS_CONFIRMED)
        | flag::when(consume.wants_acknowledged, flag::WANTS_ACKNOWLEDGED)
        | flag::when(consume.format.is_some(), flag::CONSUMES_FORMAT)
        | flag::when(!consume.filter.is_empty(), flag::CONSUMES_FILTER)
        | flag::when(!consume.fields.is_empty(), flag::CONSUMES_FIELDS);
    let texts = [consume.filter, consume.fields];
    let rest = CONSUME_HEAD - HEADER + long(texts) + consume.name.len() + consume.pattern.len();
    begin(out, kind::CONSUME, flags, consume.format.unwrap_or(0), rest);
    put_u32(out, consume.subscription);
    put_u32(out, consume.window);
    put_u32(out, updates(consume.updates));
    let (start, value) = match consume.start {
        Start::New => (0, 0),
        Start::All => (1, 0),
        Start::Position(position) => (2, position),
        Start::Time(time) => (3, time),
        Start::Last(count) => (4, count),
    };
    // A longer name is not valid: the router rejects it, and never takes its end for the pattern.
    let name_length = u8::try_from(consume.name.len()).unwrap_or(u8::MAX);
    out.extend_from_slice(&[start, name_length]);
    out.extend_from_slice(&consume.policy.deliveries.to_le_bytes());
    put_u64(out, value);
    put_u32(out, consume.pace);
    put_u32(out, consume.policy.acknowledge_within_ms);
    put_texts(out, texts);
    out.extend_from_slice(consume.name.as_bytes());
    out.extend_from_slice(consume.pattern.as_bytes());
}

/// ACKNOWLEDGE.
pub fn encode_acknowledge(out: &mut Vec<u8>, acknowledge: &Acknowledge) {
    let flags = flag::when(acknowledge.is_cumulative, flag::CUMULATIVE);
    begin(out, kind::ACKNOWLEDGE, flags, 0, 16);
    put_u32(out, acknowledge.subscription);
    put_u32(out, 0);
    put_u64(out, acknowledge.position);
}

/// RELEASE.
pub fn encode_release(out: &mut Vec<u8>, release: &Release) {
    begin(out, kind::RELEASE, 0, 0, 16);
    put_u32(out, release.subscription);
    put_u32(out, release.delay_ms);
    put_u64(out, release.position);
}

/// DELETE.
pub fn encode_delete(out: &mut Vec<u8>, name: &str) {
    named(out, kind::DELETE, name);
}

/// PRODUCING.
pub fn encode_producing(out: &mut Vec<u8>, producing: &Producing) {
    begin(out, kind::PRODUCING, 0, 0, 24);
    put_u32(out, producing.window);
    put_u32(out, 0);
    put_u64(out, producing.window_bytes);
    put_u64(out, producing.last);
}

/// STORED.
pub fn encode_stored(out: &mut Vec<u8>, stored: &Stored) {
    begin(out, kind::STORED, 0, 0, 24);
    put_durability(out, stored.durability);
    put_u32(out, 0);
    put_u64(out, stored.sequence);
    put_u64(out, stored.position);
}

/// CONSUMING.
pub fn encode_consuming(out: &mut Vec<u8>, consuming: &Consuming) {
    begin(out, kind::CONSUMING, flag::when(consuming.is_new, flag::NEW), 0, 24);
    put_u32(out, consuming.subscription);
    put_u32(out, consuming.window);
    put_u64(out, consuming.waiting);
    put_u64(out, consuming.next);
}

/// CONFIRMED.
pub fn encode_confirmed(out: &mut Vec<u8>, confirmed: &Confirmed) {
    begin(out, kind::CONFIRMED, 0, 0, 16);
    put_u32(out, confirmed.subscription);
    put_durability(out, confirmed.durability);
    put_u64(out, confirmed.position);
}

/// ACKNOWLEDGED.
pub fn encode_acknowledged(out: &mut Vec<u8>, acknowledged: &Acknowledged) {
    begin(out, kind::ACKNOWLEDGED, 0, 0, 24);
    put_u32(out, acknowledged.subscription);
    put_durability(out, acknowledged.durability);
    put_u64(out, acknowledged.acknowledgements);
    put_u64(out, acknowledged.position);
}

/// LOST.
pub fn encode_lost(out: &mut Vec<u8>, lost: &Lost) {
    begin(out, kind::LOST, 0, 0, 32);
    put_u32(out, lost.subscription);
    let reason = match lost.reason {
        LostReason::Expired => 1,
        LostReason::Damaged => 2,
        LostReason::OverQuota => 3,
        LostReason::NotKept => 4,
        LostReason::Purged => 5,
        LostReason::Other(reason) => reason,
    };
    put_u32(out, u32::from(reason));
    put_u64(out, lost.count);
    put_u64(out, lost.first);
    put_u64(out, lost.last);
}
