//! Parts of a package whose octets come later than its envelope.

use std::collections::VecDeque;

use trunkline_codec::attachment::dime::{self, Place};
use trunkline_codec::attachment::{Head, multipart};
use trunkline_message::{Error, ErrorKind, Result};

/// The parts that follow an envelope which was [packed](crate::Encoder::pack_before), one after another. Their octets are given
/// piece by piece, so that a part may be of any length.
#[derive(Debug)]
pub struct Following {
    pub(super) heads: VecDeque<Head>,
    pub(super) writer: Writer,
    /// Has something of the first of them been written?
    pub(super) is_begun: bool,
}

/// What writes them.
#[derive(Debug)]
pub(super) enum Writer {
    /// There is no package.
    None,
    Multipart(multipart::Writer),
    Dime(dime::Writer),
}

impl Following {
    /// Does nothing follow?
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Appends octets of the next part, and what has to stand around them. `is_last` says that the part ends with them, and behind
    /// the last part the package does.
    ///
    /// # Errors
    /// The head of the part cannot be written, there is no part any more, or there are more octets than a record has.
    pub fn write(&mut self, octets: &[u8], is_last: bool, out: &mut Vec<u8>) -> Result<()> {
        let is_last_part = self.heads.len() == 1;
        let Some(head) = self.heads.front_mut() else { return Err(unwritable()) };
        let is_first = !std::mem::replace(&mut self.is_begun, !is_last);
        match &mut self.writer {
            Writer::None => return Err(unwritable()),
            Writer::Multipart(writer) => {
                if is_first {
                    writer.begin_part(head, out)?;
                }
                out.extend_from_slice(octets);
                if is_last && is_last_part {
                    writer.end(out);
                }
            }
            Writer::Dime(writer) => {
                if is_first {
                    // An id is the URI that refers to it.
                    head.id.insert_str(0, "cid:");
                }
                let length = u32::try_from(octets.len()).map_err(|_| unwritable())?;
                let place = Place { has_more: !is_last, is_last: is_last && is_last_part };
                writer.begin_record(head, length, place, out)?;
                out.extend_from_slice(octets);
                out.extend_from_slice(dime::padding(length));
            }
        }
        if is_last {
            self.heads.pop_front();
        }
        Ok(())
    }
}

#[cold]
fn unwritable() -> Error {
    Error::new(ErrorKind::Unwritable("no part of the package has room for these octets"), 0)
}
