//! One function a format that takes any bytes and panics if a promise is broken.

mod attachment;
mod cdr;
mod changes;
mod documents;
mod edits;
mod envelope;
mod fast_infoset;
mod fix;
mod journal;
mod json;
mod native;
mod record;
mod soap;
mod soap_tcp;
mod typed_infoset;
mod websocket;
mod xml;

pub use attachment::{attachment, read_in_pieces};
pub use cdr::cdr;
pub use documents::Reach;
pub use envelope::{DOCUMENTS as ENVELOPES, envelope};
pub use fast_infoset::fast_infoset;
pub use fix::fix;
pub use journal::journal;
pub use json::json;
pub use native::native;
pub use record::record;
pub use soap::soap;
pub use soap_tcp::soap_tcp;
pub use typed_infoset::{TypedInfoset, typed_infoset};
pub use websocket::websocket;
pub use xml::{markup, xml};
