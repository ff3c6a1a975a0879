//! Documents of XML that are a line of a log.

use trunkline_codec::infoset::{Event, Reader as _};
use trunkline_codec::xml::{Options, Reader};
use trunkline_message::Limits;

use super::documents::{LONGEST_NAME, begins_name, behind_prolog, is_begin, is_of_name};

/// A line that is longer is no document, so that the end of no other is waited for.
const LONGEST_LINE: usize = 64 << 10;

/// May this line be a document, as far as it is there? Those that begin as they do anywhere are found so.
pub(super) fn may_be_document(line: &[u8]) -> bool {
    line.len() <= LONGEST_LINE
        && line.first() == Some(&b'<')
        && line.get(1).is_none_or(|it| begins_name(*it))
        && is_begin(line) != Some(true)
}

/// What lines say of those behind them.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The element of a document over several lines, or of one that is cut: what follows may be a part of it.
    around: Option<Vec<u8>>,
}

impl Lines {
    /// Is all of this line a document, and no part of another? How long is that?
    pub(super) fn document(&self, line: &[u8], limits: &Limits) -> Option<usize> {
        let text = line.trim_ascii_end();
        let is_part = self.around.as_ref().is_some_and(|it| *it != name(text));
        let is_one = !is_part && text.ends_with(b">") && is_well_formed(text, limits);
        is_one.then_some(text.len())
    }

    /// A message was found.
    pub(super) fn found(&mut self) {
        self.around = None;
    }

    /// This document is cut. Behind it the next one of its kind may begin.
    pub(super) fn cut(&mut self, document: &[u8]) {
        let name = name(behind_prolog(document));
        self.around = (!name.is_empty()).then(|| name.to_vec());
    }

    /// A line without a message. One that begins as text is of the log.
    pub(super) fn pass(&mut self, line: &[u8]) {
        let text = line.trim_ascii_end();
        match text {
            [b'<', b'/', ..] => {
                let ended = text[2..].trim_ascii_end();
                let ended = ended.strip_suffix(b">").unwrap_or(ended).trim_ascii_end();
                if self.around.as_ref().is_some_and(|it| it == ended) {
                    self.around = None;
                }
            }
            [b'<', first, ..] if begins_name(*first) && self.around.is_none() => {
                let is_tag = text.ends_with(b">") && !text.ends_with(b"/>");
                if is_tag && !text[1..].contains(&b'<') {
                    self.around = Some(name(text).to_vec());
                }
            }
            [] | [b'<' | b' ' | b'\t', ..] => {}
            _ => self.around = None,
        }
    }
}

/// The name of the element that begins here.
fn name(text: &[u8]) -> &[u8] {
    let name = text.strip_prefix(b"<").unwrap_or_default();
    let length = name.iter().take(LONGEST_NAME).take_while(|it| is_of_name(**it)).count();
    &name[..length]
}

fn is_well_formed(text: &[u8], limits: &Limits) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let Ok(mut reader) = Reader::begin(Options::default(), text, limits) else { return false };
    loop {
        match reader.next() {
            Ok(Event::Eof) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
