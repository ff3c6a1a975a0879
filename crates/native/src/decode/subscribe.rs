//! SUBSCRIBE.

use super::{text, u16_at, u32_at, updates};
use crate::error::{Error, ErrorKind};
use crate::frame::Subscribe;
use crate::kind::flag;

/// Bytes before the pattern, or before the texts that come before it.
const HEAD: usize = 16;

/// Bytes before the pattern at least, by the flags.
pub(super) fn shortest(flags: u8) -> usize {
    let texts = (flags & (flag::HAS_FILTER | flag::HAS_FIELDS)).count_ones();
    HEAD + 4 * texts as usize
}

pub(super) fn subscribe(frame: &[u8]) -> Result<Subscribe<'_>, Error> {
    let flags = frame[5];
    let (filter, at) = match flags & flag::HAS_FILTER {
        0 => ("", HEAD),
        _ => with_length(frame, HEAD, "the length of the filter")?,
    };
    let (fields, at) = match flags & flag::HAS_FIELDS {
        0 => ("", at),
        _ => with_length(frame, at, "the length of the fields")?,
    };
    Ok(Subscribe {
        subscription: u32_at(frame, 8),
        updates: updates(u32_at(frame, 12)),
        last_values: flags & flag::WANTS_LAST_VALUES != 0,
        format: (flags & flag::WANTS_FORMAT != 0).then(|| u16_at(frame, 6)),
        filter,
        fields,
        pattern: text(frame, at)?,
    })
}

/// A text with its length before it, and where it ends.
pub(super) fn with_length<'a>(
    frame: &'a [u8],
    at: usize,
    field: &'static str,
) -> Result<(&'a str, usize), Error> {
    let begins = at + 4;
    let length = if begins <= frame.len() { u32_at(frame, at) } else { 0 };
    let ends = begins.saturating_add(length as usize);
    if length == 0 || ends > frame.len() {
        return Err(ErrorKind::UnknownValue { field, value: length }.at(at));
    }
    // The text alone, so that no letter begins in it and ends in what follows.
    Ok((text(&frame[..ends], begins)?, ends))
}
