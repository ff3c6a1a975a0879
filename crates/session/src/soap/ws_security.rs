//! Security header blocks (WS-Security): what clients put into their requests, and what services demand of them.
//!
//! A [`Seal`] is what is put in, a [`Guard`] is what is demanded. They are of messages and not of connections, so that they hold over
//! SOAP/TCP too, and behind proxies that end TLS. What each protects is in `docs/security.md`.
//!
//! ```no_run
//! use trunkline_session::soap::Client;
//! use trunkline_session::soap::ws_security::Seal;
//!
//! let mut client = Client::new("https://shop.example.org/orders", "urn:orders")?;
//! client.set_ws_security(Seal::new().user("ann", "secret").timestamp(None));
//! # Ok::<(), trunkline_session::soap::CallError>(())
//! ```

use std::time::{SystemTime, UNIX_EPOCH};

use trunkline_codec::attachment::Head;
use trunkline_codec::fast_infoset::Writer;
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_soap::{Following, HeaderBlock, Packed, Packing, Roles, graph};
use trunkline_wire::Timestamp;

use super::outgoing::Outgoing;

pub(super) use trunkline_ws_security::WSSE;
pub use trunkline_ws_security::{Authorities, Caller, Guard, KeyError, Received, Seal, SigningKey};

/// The moment in UTC.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanoseconds = i128::try_from(since.as_nanos()).unwrap_or_default();
    Timestamp::from_unix_nanoseconds(nanoseconds).unwrap_or_default()
}

/// Who sent a message, by its header; with the envelope, if it came as XML and by itself.
pub(super) fn check(
    guard: &Guard,
    header: &[HeaderBlock],
    roles: &Roles<'_>,
    document: Option<&[u8]>,
    limits: &Limits,
) -> std::result::Result<Caller, trunkline_soap::Fault> {
    guard.check(&Received { header, roles, document, limits }, now())
}

/// A message with a Security header of now.
pub(super) fn sealed(seal: &Seal, envelope: &[u8]) -> Result<Vec<u8>> {
    seal.apply(envelope, now())
}

/// A message that gets a Security header each time it is written.
pub(super) struct Sealed<'m> {
    pub(super) seal: &'m Seal,
    pub(super) message: &'m mut dyn Outgoing,
    pub(super) document: Vec<u8>,
}

impl Outgoing for Sealed<'_> {
    fn xml(&mut self) -> Result<&[u8]> {
        self.document = sealed(self.seal, self.message.xml()?)?;
        Ok(&self.document)
    }

    fn write(&mut self, writer: &mut Writer) -> Result<()> {
        if self.seal.is_signature() {
            let what = "a signed message to be sent in XML: its signature is of that";
            return Err(Error::new(ErrorKind::Expected(what.into()), 0));
        }
        let document = sealed(self.seal, self.message.xml()?)?;
        let message = graph::decode(&document, &Limits::default())?;
        graph::Encoder::new(message.version).encode_to(&[], &message, writer)
    }

    /// What is attached would not be signed, so that nothing is.
    fn pack(&mut self, _: &Packing<'_>, _: &[Head], _: &mut Packed) -> Result<Option<Following>> {
        Ok(None)
    }
}
