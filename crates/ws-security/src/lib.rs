//! Security header blocks of SOAP: user names, time stamps, signatures; no I/O, no clock
//!
//! A [`Seal`] puts a block into an envelope that is about to be sent, a [`Guard`] looks at those of an envelope that came.
//! Source: OASIS Web Services Security, SOAP Message Security 1.1 ("WSS" below), its UsernameToken Profile 1.1 and X.509
//! Certificate Token Profile 1.1; W3C XML Signature 1.1 and Exclusive XML Canonicalization 1.0.
//!
//! ```
//! use trunkline_message::Limits;
//! use trunkline_soap::{Roles, open};
//! use trunkline_wire::Timestamp;
//! use trunkline_ws_security::{Guard, Received, Seal};
//!
//! let envelope = b"<E:Envelope xmlns:E='http://schemas.xmlsoap.org/soap/envelope/'><E:Body/></E:Envelope>";
//! let now = Timestamp::parse_xml(b"2026-03-01T12:00:00Z").expect("a moment");
//! let sent = Seal::new().user_digest("ann", "secret").apply(envelope, now)?;
//!
//! let guard = Guard::new().passwords(|user| (user == "ann").then(|| "secret".to_owned()));
//! let header = open(&sent, &Limits::default())?.header;
//! let (roles, limits) = (Roles::ultimate(&[]), Limits::default());
//! let received = Received { header: &header, roles: &roles, document: Some(&sent), limits: &limits };
//! let caller = guard.check(&received, now).expect("a user that is known");
//! assert_eq!(caller.user.as_deref(), Some("ann"));
//! assert!(guard.check(&received, now).is_err(), "it is replayed");
//! # Ok::<(), trunkline_message::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod canonical;
mod document;
mod element;
mod fault;
mod guard;
mod keys;
mod moment;
mod replays;
mod seal;
mod signature;
mod timestamp;
mod token;

pub use guard::{Caller, Guard, Received};
pub use keys::{Authorities, KeyError, SigningKey};
pub use seal::Seal;

/// The namespace of the header block and of its tokens.
pub const WSSE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
/// The namespace of time stamps and of identifiers.
pub const WSU: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// The namespace of signatures.
pub(crate) const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
