//! Legends: what stands for what in a figure, above its panels.

use super::plot::{Ink, swatch, swatch_of_bar};
use super::text::escaped;

/// What the colours, the markers and the rest of a figure mean, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Legend(Vec<Entry>);

/// What has these words in a legend.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Colours of formats come first, then markers of subjects, then the rest.
    pub(super) rank: u8,
    pub(super) ink: Ink,
    pub(super) words: String,
}

impl Legend {
    /// Adds what is not yet there.
    pub(super) fn add(&mut self, entries: &[Entry]) {
        for entry in entries {
            let is_known = |it: &Entry| it.rank == entry.rank && it.words == entry.words;
            if !self.0.iter().any(is_known) {
                self.0.push(entry.clone());
            }
        }
    }

    /// As a list.
    pub(super) fn html(&self, has_bars: bool) -> String {
        let mut entries: Vec<&Entry> = self.0.iter().collect();
        entries.sort_by_key(|entry| entry.rank);
        let item = |Entry { ink, words, .. }: &Entry| {
            let swatch = if has_bars { swatch_of_bar(*ink) } else { swatch(*ink) };
            format!("<li>{swatch} {}</li>\n", escaped(words))
        };
        let items: String = entries.into_iter().map(item).collect();
        match items.is_empty() {
            true => items,
            false => format!("<ul class=\"legend\">\n{items}</ul>\n"),
        }
    }
}
