//! The formats of renditions: what clients of one protocol share of a message.
//!
//! ```text
//!        1  the JSON of WebSocket clients
//!    0x100  + payload format: whole messages in it
//!   0x1000  + 16 * selection + payload format: what is selected of messages in it, or in their own for the last of 16
//! ```

use std::num::NonZeroU16;

use trunkline_router::{ConvertsTo, Message, RenditionFormat};

use crate::websocket;

/// The JSON of WebSocket clients.
pub const JSON: RenditionFormat = RenditionFormat(NonZeroU16::MIN);

/// Formats of renditions from this number on are conversions: payload formats, from 0 on.
const CONVERSIONS: u16 = 0x100;

/// From this number on they are conversions of what is selected.
const SELECTIONS: u16 = 0x1000;

/// Payload formats of each selection.
const FORMATS: u16 = 16;

/// In place of a payload format: as the message is published.
const OWN: u16 = FORMATS - 1;

/// Selections that have numbers at a time.
pub const MOST_SELECTIONS: u16 = (u16::MAX - SELECTIONS) / FORMATS;

/// The rendition of messages in another payload format ([`trunkline_native::format`]), if that has a number that is low
/// enough: those that messages are converted into do.
pub fn conversion_into(format: u16) -> Option<RenditionFormat> {
    let number = format.checked_add(CONVERSIONS).filter(|it| *it < SELECTIONS)?;
    NonZeroU16::new(number).map(RenditionFormat)
}

/// The rendition of what a selection, by its number, keeps of messages, in another payload format or in their own; none
/// for numbers that are too high.
pub fn selection_into(selection: u16, format: Option<u16>) -> Option<RenditionFormat> {
    if selection >= MOST_SELECTIONS || format.is_some_and(|it| it >= OWN) {
        return None;
    }
    let number = SELECTIONS + selection * FORMATS + format.unwrap_or(OWN);
    NonZeroU16::new(number).map(RenditionFormat)
}

/// The number of the selection of a rendition, if it has one.
pub fn selection_of(RenditionFormat(number): RenditionFormat) -> Option<u16> {
    number.get().checked_sub(SELECTIONS).map(|it| it / FORMATS)
}

/// What a rendition that is a conversion makes of messages.
pub fn converts_to(RenditionFormat(number): RenditionFormat) -> Option<ConvertsTo> {
    if let Some(number) = number.get().checked_sub(SELECTIONS) {
        let format = number % FORMATS;
        return Some(ConvertsTo::Part((format != OWN).then_some(format)));
    }
    number.get().checked_sub(CONVERSIONS).map(ConvertsTo::Format)
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_selection_and_format_has_a_number_of_its_own() {
        let mut seen = HashSet::from([JSON]);
        for format in 0..OWN {
            let number = conversion_into(format).expect("a number");
            assert_eq!(converts_to(number), Some(ConvertsTo::Format(format)));
            assert!(selection_of(number).is_none() && seen.insert(number));
        }
        for selection in 0..MOST_SELECTIONS {
            for format in (0..OWN).map(Some).chain([None]) {
                let number = selection_into(selection, format).expect("a number");
                assert_eq!(converts_to(number), Some(ConvertsTo::Part(format)));
                assert_eq!(selection_of(number), Some(selection));
                assert!(seen.insert(number));
            }
        }
        assert!(selection_into(MOST_SELECTIONS, None).is_none());
        assert!(selection_into(0, Some(OWN)).is_none() && conversion_into(SELECTIONS).is_none());
        assert!(converts_to(JSON).is_none());
    }
}
