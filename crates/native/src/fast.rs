//! The two frames that most of the bytes are made of, in a fixed number of steps.
//!
//! PUBLISH and MESSAGE without flags: the fixed part is one array, and the payload one copy.
//! `tests/properties.rs` holds that this is the same as the way all frames are written and read.

use crate::frame::{Message, Publish};
use crate::{MESSAGE_HEAD, PUBLISH_HEAD, kind};

/// The header as one number: length, kind, flags (0), format.
#[inline]
fn header(kind: u8, format: u16, length: usize) -> [u8; 8] {
    (length as u64 & 0xffff_ffff | u64::from(kind) << 32 | u64::from(format) << 48).to_le_bytes()
}

/// PUBLISH.
#[inline]
pub fn encode_publish(out: &mut Vec<u8>, alias: u32, format: u16, payload: &[u8]) {
    let mut head = [0; PUBLISH_HEAD];
    head[..8].copy_from_slice(&header(kind::PUBLISH, format, PUBLISH_HEAD + payload.len()));
    head[8..].copy_from_slice(&alias.to_le_bytes());
    out.reserve(PUBLISH_HEAD + payload.len());
    out.extend_from_slice(&head);
    out.extend_from_slice(payload);
}

/// MESSAGE that is neither conflated nor a request.
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
    head[..8].copy_from_slice(&header(kind::MESSAGE, format, MESSAGE_HEAD + payload.len()));
    head[8..12].copy_from_slice(&subscription.to_le_bytes());
    head[12..16].copy_from_slice(&topic.to_le_bytes());
    head[16..].copy_from_slice(&sequence.to_le_bytes());
    out.reserve(MESSAGE_HEAD + payload.len());
    out.extend_from_slice(&head);
    out.extend_from_slice(payload);
}

/// The frame and its length, if a whole frame of this kind without flags stands there and is within
/// the limit; nothing else is found out.
#[inline]
fn whole<const HEAD: usize>(
    bytes: &[u8],
    limit: u32,
    kind: u8,
) -> Option<(&[u8; HEAD], &[u8], u16, usize)> {
    let head = bytes.first_chunk::<HEAD>()?;
    let header = u64::from_le_bytes(*head.first_chunk::<8>()?);
    let length = header as u32;
    if (header >> 32) as u16 != u16::from(kind) || length > limit {
        return None;
    }
    let payload = bytes.get(HEAD..length as usize)?;
    Some((head, payload, (header >> 48) as u16, length as usize))
}

/// PUBLISH, and how many bytes it has, if the bytes begin with a whole one that is within the limit.
///
/// `None` says nothing: it is for [`crate::decode_client`] to say what stands there.
#[inline]
#[must_use]
pub fn decode_publish(bytes: &[u8], limit: u32) -> Option<(Publish<'_>, usize)> {
    let (head, payload, format, length) = whole::<PUBLISH_HEAD>(bytes, limit, kind::PUBLISH)?;
    let [.., a, b, c, d] = *head;
    let alias = u32::from_le_bytes([a, b, c, d]);
    Some((Publish { alias, format, payload }, length))
}

/// MESSAGE without flags, and how many bytes it has, if the bytes begin with a whole one that is
/// within the limit.
///
/// `None` says nothing: it is for [`crate::decode_router`] to say what stands there.
#[inline]
#[must_use]
pub fn decode_message(bytes: &[u8], limit: u32) -> Option<(Message<'_>, usize)> {
    let (head, payload, format, length) = whole::<MESSAGE_HEAD>(bytes, limit, kind::MESSAGE)?;
    let [_, _, _, _, _, _, _, _, s0, s1, s2, s3, t0, t1, t2, t3, ..] = *head;
    let message = Message {
        subscription: u32::from_le_bytes([s0, s1, s2, s3]),
        topic: u32::from_le_bytes([t0, t1, t2, t3]),
        sequence: u64::from_le_bytes(*head.last_chunk::<8>()?),
        conflation: None,
        request: None,
        format,
        payload,
    };
    Some((message, length))
}
