//! The form that the bytes of a message have: XML.

use trunkline_codec::xml::{self, Parser, Source};
use trunkline_message::{Limits, Result};

/// Reads a document.
pub(super) type Reader<'a> = xml::Reader<'a, Box<Parser>>;

/// Has the document read that the bytes are.
pub(super) fn read<T>(
    bytes: &[u8],
    limits: &Limits,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T>,
) -> Result<T> {
    let mut source = Source::default();
    let input = source.prepare(bytes, limits)?;
    read(&mut Reader::soap(input, limits)?)
}

/// Has a document written, whose bytes it answers beside what `write` answers.
pub(super) fn write<T>(write: impl FnOnce(&mut xml::Writer) -> T) -> (Vec<u8>, T) {
    let mut out = xml::Writer::document();
    let answer = write(&mut out);
    (out.finish().into_bytes(), answer)
}
