//! CONSUME.

use super::super::subscribe::with_length;
use super::super::{name, text, u16_at, u32_at, u64_at, updates};
use super::has;
use crate::NAME_BYTES;
use crate::encode::CONSUME_HEAD;
use crate::error::{Error, ErrorKind};
use crate::frame::{Consume, DeliveryPolicy, Start};
use crate::kind::flag;

/// Bytes before the name at least, by the flags.
pub(super) fn shortest(flags: u8) -> usize {
    let texts = (flags & (flag::CONSUMES_FILTER | flag::CONSUMES_FIELDS)).count_ones();
    CONSUME_HEAD + 4 * texts as usize
}

pub(super) fn consume(frame: &[u8]) -> Result<Consume<'_>, Error> {
    let name_length = frame[21];
    if usize::from(name_length) > NAME_BYTES {
        return Err(unknown("name_length", name_length, 21));
    }
    let flags = frame[5];
    let (filter, at) = match flags & flag::CONSUMES_FILTER {
        0 => ("", CONSUME_HEAD),
        _ => with_length(frame, CONSUME_HEAD, "the length of the filter")?,
    };
    let (fields, begin) = match flags & flag::CONSUMES_FIELDS {
        0 => ("", at),
        _ => with_length(frame, at, "the length of the fields")?,
    };
    let pattern = begin + usize::from(name_length);
    let Some(named) = frame.get(..pattern) else {
        let (length, least) = (frame.len() as u32, pattern as u32);
        return Err(ErrorKind::TooShort { length, least }.at(0));
    };
    Ok(Consume {
        subscription: u32_at(frame, 8),
        window: u32_at(frame, 12),
        updates: updates(u32_at(frame, 16)),
        start: start(frame[20], u64_at(frame, 24))?,
        pace: u32_at(frame, 32),
        wants_confirmed: has(frame, flag::WANTS_CONFIRMED),
        wants_acknowledged: has(frame, flag::WANTS_ACKNOWLEDGED),
        policy: DeliveryPolicy {
            acknowledge_within_ms: u32_at(frame, 36),
            deliveries: u16_at(frame, 22),
        },
        format: (flags & flag::CONSUMES_FORMAT != 0).then(|| u16_at(frame, 6)),
        filter,
        fields,
        name: name(named, begin)?,
        pattern: text(frame, pattern)?,
    })
}

fn start(kind: u8, value: u64) -> Result<Start, Error> {
    Ok(match kind {
        0 => Start::New,
        1 => Start::All,
        2 => Start::Position(value),
        3 => Start::Time(value),
        4 => Start::Last(value),
        other => return Err(unknown("start", other, 20)),
    })
}

fn unknown(field: &'static str, value: u8, at: usize) -> Error {
    ErrorKind::UnknownValue { field, value: value.into() }.at(at)
}
