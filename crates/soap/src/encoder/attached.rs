//! Octets that travel beside the envelope.

use super::Body;
use super::form::Form;
use crate::package::Reference;
use crate::plan::Shape;

impl<F: Form, const ATTRIBUTES: bool> Body<'_, F, ATTRIBUTES> {
    /// Attaches the octets of a field, and refers to them, if it is an element that may and there is room; answers whether it is.
    #[cold]
    pub(super) fn attach(&mut self, field: usize, octets: &[u8]) -> bool {
        if self.attaching.is_full(octets) {
            return false;
        }
        let slot = &self.scope.slots[field];
        let is_element = matches!(slot.shape, Shape::Value | Shape::Defaulted);
        let is_text = slot.shape == Shape::Text && !self.is_within_text(field);
        let is_by_href = self.attaching.is_by_href();
        if !is_element && (is_by_href || !is_text) {
            return false;
        }
        let start = slot.start.to_vec();
        let end = slot.end.to_vec();
        if is_by_href && !(start.ends_with(b">") && end.starts_with(b"</")) {
            return false;
        }
        match self.attaching.add(octets) {
            Reference::Content(text) => {
                self.field(field, text.len(), |cursor| cursor.copy(text.as_bytes()));
            }
            Reference::Href(uri) => {
                self.approach_element(field);
                let behind = end.iter().position(|it| *it == b'>').map_or(end.len(), |it| it + 1);
                let tag = &start[..start.len() - 1];
                for piece in [tag, b" href=\"", uri.as_bytes(), b"\"/>", &end[behind..]] {
                    self.output.extend(piece);
                }
            }
        }
        true
    }
}
