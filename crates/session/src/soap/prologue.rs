//! How messages begin that have been seen before.

use trunkline_soap::Opened;

/// The beginnings of messages without header blocks: from the first byte to the end of the start
/// tag in the Body. What begins with equal bytes is the same so far.
#[derive(Debug)]
pub(super) struct Prologues<T>(Vec<(Box<[u8]>, T)>);

/// As many are remembered; then it begins anew.
const MOST: usize = 16;
/// And none that is longer.
const LONGEST: usize = 4096;

impl<T: Copy> Prologues<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// What was noted for messages that begin like this one.
    #[inline]
    pub(super) fn find(&self, message: &[u8]) -> Option<T> {
        self.0.iter().find(|(bytes, _)| message.starts_with(bytes)).map(|(_, noted)| *noted)
    }

    /// Notes something for messages that begin like this one, unless it has header blocks.
    #[cold]
    pub(super) fn remember(&mut self, message: &[u8], opened: &Opened, noted: T) {
        let Some(place) = opened.place else { return };
        if !opened.header.is_empty() || place.tag_end > LONGEST {
            return;
        }
        if self.0.len() == MOST {
            self.0.clear();
        }
        self.0.push((message[..place.tag_end].into(), noted));
    }
}
