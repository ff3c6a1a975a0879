//! SUBSCRIBE.

use super::{text, u16_at, u32_at, updates};
use crate::error::{Error, ErrorKind};
use crate::frame::Subscribe;
use crate::kind::flag;

/// Bytes before the pattern, or before the filter and its length.
const HEAD: usize = 16;

pub(super) fn subscribe(frame: &[u8]) -> Result<Subscribe<'_>, Error> {
    let flags = frame[5];
    let (filter, pattern) = match flags & flag::HAS_FILTER {
        0 => ("", HEAD),
        _ => filter(frame)?,
    };
    Ok(Subscribe {
        subscription: u32_at(frame, 8),
        updates: updates(u32_at(frame, 12)),
        last_values: flags & flag::WANTS_LAST_VALUES != 0,
        format: (flags & flag::WANTS_FORMAT != 0).then(|| u16_at(frame, 6)),
        filter,
        pattern: text(frame, pattern)?,
    })
}

/// The filter, and where the pattern begins.
fn filter(frame: &[u8]) -> Result<(&str, usize), Error> {
    let length = u32_at(frame, HEAD);
    let begins = HEAD + 4;
    let ends = begins.saturating_add(length as usize);
    if length == 0 || ends > frame.len() {
        let (field, value) = ("the length of the filter", length);
        return Err(ErrorKind::UnknownValue { field, value }.at(HEAD));
    }
    // The filter alone, so that no letter begins in it and ends in the pattern.
    Ok((text(&frame[..ends], begins)?, ends))
}
