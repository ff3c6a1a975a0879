//! A request as rules see it.

use std::sync::Arc;

use trunkline_codec::json;
use trunkline_message::{
    Decoder, Encoder, Error, ErrorKind, Fields, Layout, Message, Record, Result, Unmet,
};

use crate::soap::content::Form;

/// Requests of one form as JSON.
pub(super) fn plan((layout, options): &Form) -> Result<Arc<json::Plan>> {
    let nil_items = options.style.is_encoded();
    json::Plan::new(layout, &json::Options { nil_items, ..json::Options::default() })
}

/// What a request says. One that is nil is an object with nothing but its attributes.
///
/// # Errors
/// JSON has no form for it.
pub(super) fn said(plan: &Arc<json::Plan>, request: &Record) -> Result<String> {
    let mut encoder = json::Encoder::new(plan);
    let text = encoder.encode(&Asked(request))?;
    Ok(String::from_utf8_lossy(text).into_owned())
}

/// A request that lacks nothing where it is nil.
struct Asked<'a>(&'a Record);

impl Message for Asked<'_> {
    fn message_layout(&self) -> &Arc<Layout> {
        self.0.message_layout()
    }
}

impl Fields for Asked<'_> {
    fn encode_fields<E: Encoder>(&self, base: usize, encoder: &mut E) {
        self.0.encode_fields(base, encoder);
    }

    /// Nothing is read into it.
    fn decode_field<D: Decoder>(&mut self, _: usize, _: &mut D) -> Result<()> {
        Err(Error::new(ErrorKind::Schema, 0))
    }

    fn clear(&mut self) {}

    fn unmet(&self) -> Option<Unmet> {
        self.0.unmet().filter(|it| *it != Unmet::Nil)
    }
}
