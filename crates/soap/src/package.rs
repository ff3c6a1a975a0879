//! Envelopes that come in a package, with what is attached to them: MTOM (SOAP Message Transmission Optimization Mechanism,
//! 2005), SOAP with Attachments (W3C Note, 2000) and DIME.
//!
//! Octets stand beside the envelope as they are. A member takes them from there when the message is
//! [decoded](crate::Decoder::decode_package), and puts them there when it is [packed](crate::Encoder::pack): nothing is written as base64 in
//! between. The plain twin is [`Unpacked::whole`], the envelope with base64 in their places.

mod following;
mod pack;
mod references;
mod unpack;

pub use following::Following;
pub(crate) use pack::{Attaching, Reference};
pub use pack::{Packed, Packing, new_id};
pub use references::{decoded as decoded_id, refers_to};
pub(crate) use unpack::Resolver;
pub use unpack::{Unpacked, unpack, unpack_envelope};

const DIME: &str = "application/dime";
const MIME: &str = "multipart/related";
const XOP_XML: &str = "application/xop+xml";

/// How octets travel beside an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attachments {
    /// In a package of MIME, where an `xop:Include` stands for them (MTOM).
    Mtom,
    /// In a package of MIME, where an empty element has their `href` (SOAP with Attachments), as gSOAP has it.
    Swa,
    /// In a package of MIME, where their URI is the text of the element (`swaRef` of WS-I's Attachments Profile 1.0), as
    /// JAX-WS has it.
    SwaRef,
    /// In a package of DIME, where an empty element has their `href`.
    Dime,
}

/// Is a body of this media type a package?
pub fn is_package(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    [DIME, MIME].iter().any(|it| essence.eq_ignore_ascii_case(it))
}
