//! Legends: what stands for what in a figure, above its panels.

use super::palette::{Colour, INK, Look, Marker, marker};
use super::plot::{Stroke, swatch, swatch_of_bar};
use super::text::escaped;

/// What the colours, the markers and the rest of a figure mean, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Legend {
    formats: Items,
    subjects: Items,
    rest: Items,
}

/// Swatches and words.
#[derive(Clone, Debug, Default)]
struct Items(Vec<(String, String)>);

impl Items {
    fn add(&mut self, swatch: impl FnOnce() -> String, words: &str) {
        if !self.0.iter().any(|(_, known)| known == words) {
            self.0.push((swatch(), words.to_owned()));
        }
    }
}

impl Legend {
    /// A curve: its colour is the format's, its marker the subject's.
    pub(super) fn curve(&mut self, look: &Look, subject: &str) {
        self.formats.add(|| swatch(look.colour, None, Some(Stroke::Solid)), &look.name);
        self.subjects.add(|| swatch(INK, Some(marker(subject)), None), subject);
    }

    /// A line, with or without a marker.
    pub(super) fn line(
        &mut self,
        colour: Colour,
        shape: Option<Marker>,
        stroke: Option<Stroke>,
        words: &str,
    ) {
        self.rest.add(|| swatch(colour, shape, stroke), words);
    }

    /// A bar.
    pub(super) fn bar(&mut self, colour: Colour, is_hollow: bool, words: &str) {
        self.rest.add(|| swatch_of_bar(colour, is_hollow), words);
    }

    /// As a list.
    pub(super) fn html(&self) -> String {
        let parts = [&self.formats, &self.subjects, &self.rest];
        let items: String = parts
            .iter()
            .flat_map(|items| &items.0)
            .map(|(swatch, words)| format!("<li>{swatch} {}</li>\n", escaped(words)))
            .collect();
        match items.is_empty() {
            true => items,
            false => format!("<ul class=\"legend\">\n{items}</ul>\n"),
        }
    }
}
