//! XML with names and structure apart from values, as XMill has it (Liefke and Suciu, 2000): the values of elements that stand
//! at the same place in the tree are alike, and lie together.
//!
//! A body is one octet and a frame of zstd. The octet says what is in the frame: 1, the body as it is; 2, a *parcel*. Numbers
//! are in base 128, the low digits first. A parcel is
//!
//! ```text
//! length of the document, count of containers, length of the templates, length of the structure, length of each container
//! templates, structure, containers
//! ```
//!
//! A *template* is a start tag with a hole, the octet 1, for each value of an attribute. The *structure* is a number for
//! each piece of the document: an end tag that is the one expected, one that is not, text, anything else, or a template
//! by its number; a template that is new is the next in the list. Values and texts end with the octet 0. Container 0 has all that is
//! neither tag nor text. Each hole of a template, and each path of elements with text, has the next container when it is
//! first used; once there are [`MOST_CONTAINERS`], all others share the last one.
//!
//! Nothing has to be well-formed: what is not a tag is anything else. Documents with the octets 0 or 1, which XML does
//! not have, those with a start tag of more than 64 KiB without its values or of more than 256 values, and those that
//! would not become shorter, are left as they are.

mod model;
mod reader;
mod writer;

use crate::{Error, zstd};

/// What is in a frame.
const PLAIN: u8 = 1;
const PARCEL: u8 = 2;

/// Between the values of a container.
const END: u8 = 0;
/// In the place of an attribute's value.
const HOLE: u8 = 1;

/// Pieces of the structure; those from [`TEMPLATES`] on are templates.
const END_TAG: u32 = 0;
const OTHER_END_TAG: u32 = 1;
const TEXT: u32 = 2;
const OTHER: u32 = 3;
const TEMPLATES: u32 = 4;

/// Containers at most.
const MOST_CONTAINERS: u32 = 256;

/// What a parcel may be longer than its document.
const OVERHEAD: usize = 64;

/// Behind what is in `room`.
pub(crate) fn compress(body: &[u8], mut room: Vec<u8>) -> Vec<u8> {
    match writer::parcel(body).filter(|it| it.len() <= body.len() + OVERHEAD) {
        Some(parcel) => {
            room.push(PARCEL);
            zstd::compress(&parcel, room)
        }
        None => {
            room.push(PLAIN);
            zstd::compress(body, room)
        }
    }
}

pub(crate) fn decompress(body: &[u8], most: usize, room: Vec<u8>) -> Result<Vec<u8>, Error> {
    match body.split_first() {
        Some((&PLAIN, frame)) => zstd::decompress(frame, most, room),
        Some((&PARCEL, frame)) => {
            let parcel = zstd::decompress(frame, most.saturating_add(OVERHEAD), Vec::new())?;
            reader::document(&parcel, most, room)
        }
        Some((first, _)) => Err(Error::Broken(format!("it begins with {first}, not with 1 or 2"))),
        None => Err(Error::Broken("it is empty".to_owned())),
    }
}

/// Appends a number.
fn push_number(to: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        to.push(number as u8 | 128);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Takes a number from the front; None if there is none of 32 bits.
fn take_number(from: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for place in 0..5 {
        let (&digit, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(digit & 127) << (7 * place);
        if digit < 128 {
            return u32::try_from(number).ok();
        }
    }
    None
}
