//! The formats of renditions: what clients of one protocol share of a message.

use std::num::NonZeroU16;

use trunkline_router::{Message, RenditionFormat};

use crate::websocket;

/// The JSON of WebSocket clients.
pub const JSON: RenditionFormat = RenditionFormat(NonZeroU16::MIN);

/// Formats of renditions from this number on are conversions: payload formats, from 0 on.
const CONVERSIONS: u16 = 0x100;

/// The rendition of messages in another payload format ([`trunkline_native::format`]), if that has a number that is low
/// enough: those that messages are converted into do.
pub fn conversion_into(format: u16) -> Option<RenditionFormat> {
    format.checked_add(CONVERSIONS).and_then(NonZeroU16::new).map(RenditionFormat)
}

/// The payload format of a rendition that is a conversion.
pub fn converts_to(RenditionFormat(number): RenditionFormat) -> Option<u16> {
    number.get().checked_sub(CONVERSIONS)
}

/// Its name in metrics.
pub fn rendition_name(format: RenditionFormat) -> &'static str {
    if format == JSON { "json" } else { "unknown" }
}

/// Makes the rendition of a message; see [`trunkline_router::Renderer::rendition`].
pub(crate) fn render(
    out: &mut Vec<u8>,
    format: RenditionFormat,
    message: &Message<'_>,
) -> [usize; 2] {
    debug_assert_eq!(format, JSON, "there is no other");
    websocket::render(out, message)
}
