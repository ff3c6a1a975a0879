//! Version 3 of the state, which earlier versions of this program wrote: without deliveries and pauses.

use crate::body::Reader;
use crate::state::{Part, read_account};

/// The version number at the beginning of such a record.
pub(crate) const VERSION: u32 = 3;

/// Some done ranges of a durable subscription, and its other state.
pub(crate) fn part<'a>(reader: &mut Reader<'a>) -> Option<(u32, Part<'a>)> {
    let (number, name, pattern) = (reader.u32()?, reader.text()?, reader.text()?);
    let from_time = reader.u64()?;
    let conflation = Some(reader.u64()?).filter(|it| *it != u64::MAX);
    let account = read_account(reader)?;
    let (matched, span) = ((reader.u64()?, reader.u64()?), (reader.u64()?, reader.u64()?));
    let bounds = reader.rising()?;
    let part = Part {
        name,
        pattern,
        from_time,
        conflation,
        account,
        matched,
        span,
        bounds,
        ..Part::default()
    };
    Some((number, part))
}
