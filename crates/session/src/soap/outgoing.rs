//! A message that a client sends, in whatever encoding.

use trunkline_codec::fast_infoset::Writer;
use trunkline_message::{Limits, Message, Result};
use trunkline_soap::{Encoder, HeaderBlock, Packed, Packing, graph};

/// A message that can be written in every encoding, and again if the server takes another one.
pub(super) trait Outgoing {
    /// As XML.
    fn xml(&mut self) -> Result<&[u8]>;

    /// Into a document that has been begun.
    fn write(&mut self, writer: &mut Writer) -> Result<()>;

    /// As XML, with what is attached to it; answers whether it knows what may be.
    fn pack(&mut self, _: &Packing<'_>, _: &mut Packed) -> Result<bool> {
        Ok(false)
    }
}

/// One with a schema.
pub(super) struct Typed<'a, M> {
    pub(super) encoder: &'a mut Encoder,
    /// Header blocks.
    pub(super) header: &'a str,
    pub(super) message: &'a M,
}

impl<M: Message> Outgoing for Typed<'_, M> {
    fn xml(&mut self) -> Result<&[u8]> {
        self.encoder.encode_with(self.header, self.message)
    }

    fn write(&mut self, writer: &mut Writer) -> Result<()> {
        self.encoder.encode_to(self.header, self.message, writer)
    }

    fn pack(&mut self, packing: &Packing<'_>, into: &mut Packed) -> Result<bool> {
        self.encoder.pack(self.header, self.message, packing, into).map(|()| true)
    }
}

/// One without.
pub(super) struct Untyped<'a> {
    pub(super) encoder: graph::Encoder,
    pub(super) header: &'a [HeaderBlock],
    pub(super) message: &'a graph::Message,
    pub(super) document: Vec<u8>,
}

impl Outgoing for Untyped<'_> {
    fn xml(&mut self) -> Result<&[u8]> {
        self.document = self.encoder.encode_with(self.header, self.message)?;
        Ok(&self.document)
    }

    fn write(&mut self, writer: &mut Writer) -> Result<()> {
        self.encoder.encode_to(self.header, self.message, writer)
    }
}

/// One that is written already.
pub(super) struct Whole<'a> {
    pub(super) envelope: &'a [u8],
}

impl Outgoing for Whole<'_> {
    fn xml(&mut self) -> Result<&[u8]> {
        Ok(self.envelope)
    }

    fn write(&mut self, writer: &mut Writer) -> Result<()> {
        let message = graph::decode(self.envelope, &Limits::default())?;
        graph::Encoder::new(message.version).encode_to(&[], &message, writer)
    }
}
