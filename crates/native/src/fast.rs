//! The most frequent frames, in a fixed number of steps.
//!
//! PUBLISH and MESSAGE without flags, STORE and DELIVERY: the fixed part is one array, and the payload one
//! copy. `tests/properties.rs` checks that the result equals that of the general encoder and decoder.

use crate::decode::{u32_at, u64_at};
use crate::frame::{Delivery, Message, Publish, Store};
use crate::kind::{self, flag};
use crate::{DELIVERY_HEAD, MESSAGE_HEAD, PUBLISH_HEAD, STORE_HEAD};

/// The header as one number: length, kind, flags, format.
#[inline]
fn header(kind: u8, flags: u8, format: u16, length: usize) -> [u8; 8] {
    let kind_and_flags = u64::from(kind) << 32 | u64::from(flags) << 40;
    (length as u64 & 0xffff_ffff | kind_and_flags | u64::from(format) << 48).to_le_bytes()
}

/// PUBLISH.
#[inline]
pub fn encode_publish(out: &mut Vec<u8>, alias: u32, format: u16, payload: &[u8]) {
    let mut head = [0; PUBLISH_HEAD];
    head[..8].copy_from_slice(&header(kind::PUBLISH, 0, format, PUBLISH_HEAD + payload.len()));
    head[8..].copy_from_slice(&alias.to_le_bytes());
    out.reserve(PUBLISH_HEAD + payload.len());
    out.extend_from_slice(&head);
    out.extend_from_slice(payload);
}

/// PUBLISH that clears the last value of its topic.
pub fn encode_clearing_publish(out: &mut Vec<u8>, alias: u32, format: u16, payload: &[u8]) {
    let before = out.len();
    encode_publish(out, alias, format, payload);
    out[before + 5] = flag::CLEARS;
}

/// MESSAGE without conflation and request.
#[inline]
pub fn encode_plain_message(
    out: &mut Vec<u8>,
    subscription: u32,
    topic: u32,
    sequence: u64,
    format: u16,
    payload: &[u8],
) {
    let mut head = [0; MESSAGE_HEAD];
    head[..8].copy_from_slice(&header(kind::MESSAGE, 0, format, MESSAGE_HEAD + payload.len()));
    head[8..12].copy_from_slice(&subscription.to_le_bytes());
    head[12..16].copy_from_slice(&topic.to_le_bytes());
    head[16..].copy_from_slice(&sequence.to_le_bytes());
    out.reserve(MESSAGE_HEAD + payload.len());
    out.extend_from_slice(&head);
    out.extend_from_slice(payload);
}

/// STORE.
#[inline]
pub fn encode_store(out: &mut Vec<u8>, store: &Store<'_>) {
    let flags = flag::when(store.is_repeated, flag::SENT_BEFORE);
    let length = STORE_HEAD + store.payload.len();
    let mut head = [0; STORE_HEAD];
    head[..8].copy_from_slice(&header(kind::STORE, flags, store.format, length));
    head[8..12].copy_from_slice(&store.alias.to_le_bytes());
    head[12..16].copy_from_slice(&store.time_to_live_ms.to_le_bytes());
    head[16..].copy_from_slice(&store.sequence.to_le_bytes());
    out.reserve(length);
    out.extend_from_slice(&head);
    out.extend_from_slice(store.payload);
}

/// DELIVERY, with the fields of its flags.
#[inline]
pub fn encode_delivery(out: &mut Vec<u8>, delivery: &Delivery<'_>) {
    let flags = flag::when(delivery.conflation.is_some(), flag::CONFLATED)
        | flag::when(delivery.is_repeated, flag::DELIVERED_BEFORE)
        | flag::when(delivery.is_unconfirmed, flag::UNCONFIRMED)
        | flag::when(delivery.is_kept, flag::KEPT)
        | flag::when(delivery.is_unrendered, flag::UNRENDERED);
    let fixed = DELIVERY_HEAD + if delivery.conflation.is_some() { 16 } else { 0 };
    let length = fixed + delivery.payload.len();
    let mut head = [0; DELIVERY_HEAD];
    head[..8].copy_from_slice(&header(kind::DELIVERY, flags, delivery.format, length));
    head[8..12].copy_from_slice(&delivery.subscription.to_le_bytes());
    head[12..16].copy_from_slice(&delivery.topic.to_le_bytes());
    head[16..24].copy_from_slice(&delivery.position.to_le_bytes());
    head[24..32].copy_from_slice(&delivery.time.to_le_bytes());
    head[32..36].copy_from_slice(&delivery.deliveries.to_le_bytes());
    out.reserve(length);
    out.extend_from_slice(&head);
    if let Some(conflation) = delivery.conflation {
        out.extend_from_slice(&conflation.replaced.to_le_bytes());
        out.extend_from_slice(&conflation.age.to_le_bytes());
    }
    out.extend_from_slice(delivery.payload);
}

/// The parts of a frame with a fixed part of this length.
struct Whole<'a, const HEAD: usize> {
    head: &'a [u8; HEAD],
    flags: u8,
    format: u16,
    payload: &'a [u8],
    length: usize,
}

/// The frame, if there is a complete one of this kind, without other flags and within the limit; nothing
/// else is checked.
#[inline]
fn whole<const HEAD: usize>(
    bytes: &[u8],
    limit: u32,
    kind: u8,
    known_flags: u8,
) -> Option<Whole<'_, HEAD>> {
    let head = bytes.first_chunk::<HEAD>()?;
    let header = u64::from_le_bytes(*head.first_chunk::<8>()?);
    let length = header as u32;
    let [kind_there, flags] = ((header >> 32) as u16).to_le_bytes();
    if kind_there != kind || flags & !known_flags != 0 || length > limit {
        return None;
    }
    let payload = bytes.get(HEAD..length as usize)?;
    Some(Whole { head, flags, format: (header >> 48) as u16, payload, length: length as usize })
}

/// PUBLISH and its length, if the bytes begin with a complete one within the limit.
///
/// After `None`, call [`crate::decode_client`].
#[inline]
#[must_use]
pub fn decode_publish(bytes: &[u8], limit: u32) -> Option<(Publish<'_>, usize)> {
    let it = whole::<PUBLISH_HEAD>(bytes, limit, kind::PUBLISH, 0)?;
    let alias = u32::from_le_bytes(*it.head.last_chunk()?);
    let publish =
        Publish { alias, clears_last_value: false, format: it.format, payload: it.payload };
    Some((publish, it.length))
}

/// MESSAGE without flags, and its length, if the bytes begin with a complete one within the limit.
///
/// After `None`, call [`crate::decode_router`].
#[inline]
#[must_use]
pub fn decode_message(bytes: &[u8], limit: u32) -> Option<(Message<'_>, usize)> {
    let it = whole::<MESSAGE_HEAD>(bytes, limit, kind::MESSAGE, 0)?;
    let message = Message {
        subscription: u32_at(it.head, 8),
        topic: u32_at(it.head, 12),
        sequence: u64_at(it.head, 16),
        conflation: None,
        request: None,
        published: None,
        last_value: None,
        format: it.format,
        payload: it.payload,
    };
    Some((message, it.length))
}

/// STORE that was not sent before, and its length, if the bytes begin with a complete one within the limit.
///
/// After `None`, call [`crate::decode_client`].
#[inline]
#[must_use]
pub fn decode_store(bytes: &[u8], limit: u32) -> Option<(Store<'_>, usize)> {
    let it = whole::<STORE_HEAD>(bytes, limit, kind::STORE, 0)?;
    let store = Store {
        alias: u32_at(it.head, 8),
        time_to_live_ms: u32_at(it.head, 12),
        sequence: u64_at(it.head, 16),
        is_repeated: false,
        format: it.format,
        payload: it.payload,
    };
    Some((store, it.length))
}

/// DELIVERY of a message, without conflation, and its length, if the bytes begin with a complete one within the limit.
///
/// After `None`, call [`crate::decode_router`].
#[inline]
#[must_use]
pub fn decode_delivery(bytes: &[u8], limit: u32) -> Option<(Delivery<'_>, usize)> {
    let flags = flag::DELIVERED_BEFORE | flag::UNCONFIRMED | flag::KEPT;
    let it = whole::<DELIVERY_HEAD>(bytes, limit, kind::DELIVERY, flags)?;
    let delivery = Delivery {
        subscription: u32_at(it.head, 8),
        topic: u32_at(it.head, 12),
        position: u64_at(it.head, 16),
        time: u64_at(it.head, 24),
        deliveries: u32_at(it.head, 32),
        conflation: None,
        is_repeated: it.flags & flag::DELIVERED_BEFORE != 0,
        is_unconfirmed: it.flags & flag::UNCONFIRMED != 0,
        is_kept: it.flags & flag::KEPT != 0,
        is_unrendered: false,
        format: it.format,
        payload: it.payload,
    };
    Some((delivery, it.length))
}
