//! Legends: what stands for what in a figure, below its panels.

use super::palette::{Colour, Marker, marker};
use super::plot::{Stroke, swatch, swatch_of_bar};
use super::select::Series;
use super::text::escaped;

/// Entries of a legend in order, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Legend(Vec<(String, String)>);

impl Legend {
    fn add(&mut self, swatch: String, words: String) {
        if !self.0.iter().any(|(_, known)| *known == words) {
            self.0.push((swatch, words));
        }
    }

    /// A curve of a subject in a format.
    pub(super) fn series(&mut self, series: &Series<'_>) {
        let shape = Some(marker(series.subject));
        let words = format!("{}, {}", series.look.name, series.subject);
        self.add(swatch(series.look.colour, shape, Some(Stroke::Solid)), words);
    }

    /// A line, with or without a marker.
    pub(super) fn line(
        &mut self,
        colour: Colour,
        shape: Option<Marker>,
        stroke: Option<Stroke>,
        words: &str,
    ) {
        self.add(swatch(colour, shape, stroke), words.to_owned());
    }

    /// A bar.
    pub(super) fn bar(&mut self, colour: Colour, is_hollow: bool, words: &str) {
        self.add(swatch_of_bar(colour, is_hollow), words.to_owned());
    }

    /// As a list.
    pub(super) fn html(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let item =
            |(swatch, words): &(String, String)| format!("<li>{swatch} {}</li>", escaped(words));
        let items: String = self.0.iter().map(item).collect();
        format!("<ul class=\"legend\">{items}</ul>\n")
    }
}
