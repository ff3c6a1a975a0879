//! The formats of renditions: what clients of one protocol share of a message.

use std::num::NonZeroU16;

use trunkline_router::{Message, RenditionFormat};

use crate::websocket;

/// The JSON of WebSocket clients.
pub const JSON: RenditionFormat = RenditionFormat(NonZeroU16::MIN);

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
