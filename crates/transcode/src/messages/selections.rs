//! Selected fields of the messages of a description.

use std::sync::Arc;

use super::{Known, Messages, append, reject_leap_second};
use crate::codec::Format;
use crate::error::Error;
use crate::filter::FilterError;
use crate::selection::{Kept, Scan, Selected, Selection};

impl Messages {
    /// Holds a selection against the messages of the description, or against the one of this name. `to` is the format
    /// that they are written in, if it is known.
    ///
    /// # Errors
    /// A field is none of these messages, or the format has no message that may be without the others.
    pub fn check_selection(
        &self,
        selection: &Selection,
        to: Option<Format>,
        name: Option<&str>,
    ) -> Result<(), FilterError> {
        let mut scan = Scan::new(selection, to);
        let is_whole = self.each_layout(name, |layout| scan.message(layout));
        scan.end(is_whole)
    }

    /// Appends what is selected of a message, in another format or in its own. A message in its own format of which nothing
    /// is left out is appended as it is.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), and names the field that has no form, or that the format cannot leave out.
    pub fn select(
        &mut self,
        message: (Format, &[u8]),
        name: Option<&str>,
        selection: &Arc<Selection>,
        to: Format,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.select_behind(&[], message, name, selection, to, out)
    }

    /// The same behind other bytes, which are appended first, so that room for both is taken once.
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn select_behind(
        &mut self,
        before: &[u8],
        (from, bytes): (Format, &[u8]),
        name: Option<&str>,
        selection: &Arc<Selection>,
        to: Format,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let left_out = self.decode(from, name, bytes)?.left_out;
        let (index, compiled) = self.writer(to, from == to)?;
        let Known { layout, record, codecs, selections, .. } = &mut self.known[index];
        let kept = selections.bound(selection, |it| Kept::new(it, layout));
        let selected = Selected::new(record, kept, to == Format::Json);
        if from == to && left_out == 0 && selected.is_all() {
            append(out, before, bytes);
            return Ok(());
        }
        let encoded = codecs[compiled].codec.encode(&selected);
        let encoded = encoded.map_err(|error| Error::Unwritable(to, error))?;
        reject_leap_second(to, encoded, layout, record)?;
        append(out, before, encoded);
        Ok(())
    }
}
