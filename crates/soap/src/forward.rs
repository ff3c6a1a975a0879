//! Messages as intermediaries pass them on: all that stays is copied, to the byte.

use trunkline_codec::infoset::Reader;
use trunkline_message::{Limits, Result};

use crate::document;
use crate::header::{HeaderBlock, Roles, is_forwarded};
use crate::qname::QName;
use crate::reader::{Envelope, Missing};

/// The message as an intermediary passes it on: without the blocks that end here, see
/// [`is_forwarded`], and with those it puts in behind the others. The rest stays as it is to the
/// byte, but in UTF-8. The caller has asked [`not_understood`](super::not_understood) before.
///
/// # Errors
/// As [`open`](super::open); the whole document is checked.
pub fn forward(
    bytes: &[u8],
    limits: &Limits,
    roles: &Roles<'_>,
    processed: &dyn Fn(&QName) -> bool,
    inserted: &[HeaderBlock],
) -> Result<Vec<u8>> {
    document::read(bytes, limits, |reader| {
        let input = reader.input();
        forwarded(reader, input, limits, roles, processed, inserted)
    })
}

/// Reads a document, and copies what stays.
fn forwarded(
    reader: &mut impl Reader,
    input: &str,
    limits: &Limits,
    roles: &Roles<'_>,
    processed: &dyn Fn(&QName) -> bool,
    inserted: &[HeaderBlock],
) -> Result<Vec<u8>> {
    let prologue = if input.starts_with("<?xml") { reader.position() } else { 0 };
    let mut envelope = Envelope::new(reader, limits);
    envelope.open()?;
    envelope.finish()?;
    let places = envelope.places;
    let mut out = String::with_capacity(input.len() + 64);
    // What the declaration says of the encoding may be so no more.
    if prologue > 0 {
        out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    }
    let mut from = prologue;
    for (block, place) in envelope.header.iter().zip(&places.blocks) {
        if !is_forwarded(block, roles, processed(&block.name)) {
            out.push_str(&input[from..place.start]);
            from = place.end;
        }
    }
    if !inserted.is_empty() {
        let no_default = if places.default_namespace { " xmlns=\"\"" } else { "" };
        let blocks: String = inserted
            .iter()
            .map(|block| {
                let extra = if block.content.declares("") { "" } else { no_default };
                block.encode_in(envelope.version, true, extra)
            })
            .collect();
        out.push_str(&input[from..places.insertion]);
        from = places.insertion;
        let blocks = match &places.missing {
            Missing::Nothing => blocks,
            Missing::WholeHeader(prefix) if prefix.is_empty() => {
                format!("<Header>{blocks}</Header>")
            }
            Missing::WholeHeader(prefix) => format!("<{prefix}:Header>{blocks}</{prefix}:Header>"),
            Missing::EndTag(name) => {
                // The empty-element tag is opened: its slash is left out.
                out.truncate(out.len() - 2);
                format!(">{blocks}</{name}>")
            }
        };
        out.push_str(&blocks);
    }
    out.push_str(&input[from..]);
    Ok(out.into_bytes())
}
