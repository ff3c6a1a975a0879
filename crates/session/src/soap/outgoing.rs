//! A message that a client sends, in whatever encoding.

use trunkline_codec::attachment::Head;
use trunkline_codec::fast_infoset::Writer;
use trunkline_message::{Limits, Message, Result};
use trunkline_soap::{Encoder, Following, HeaderBlock, Packed, Packing, graph};

/// A message that can be written in every encoding, and again if the server takes another one.
pub(super) trait Outgoing {
    /// As XML.
    fn xml(&mut self) -> Result<&[u8]>;

    /// Into a document that has been begun.
    fn write(&mut self, writer: &mut Writer) -> Result<()>;

    /// As XML, with what is attached to it, before parts that follow; none if it does not know what may be attached.
    fn pack(&mut self, _: &Packing<'_>, _: &[Head], _: &mut Packed) -> Result<Option<Following>> {
        Ok(None)
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

    fn pack(
        &mut self,
        packing: &Packing<'_>,
        parts: &[Head],
        into: &mut Packed,
    ) -> Result<Option<Following>> {
        self.encoder.pack_before(self.header, self.message, packing, parts, into).map(Some)
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
