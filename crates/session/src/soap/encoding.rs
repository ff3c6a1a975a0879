//! How the infoset of a message is encoded: XML or Fast Infoset, with or without a retained vocabulary.

use std::fmt;

use trunkline_codec::fast_infoset::{Options, Parser, Writer};
use trunkline_message::Limits;
use trunkline_soap::Version;

use super::media::{SOAP_XML, TEXT_XML};
use super::outgoing::Outgoing;
use super::prologue::Prologues;
use super::vocabularies::Vocabularies;
use crate::profile::Retained;

/// The encoding of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageEncoding {
    /// XML in UTF-8.
    #[default]
    Xml,
    /// Fast Infoset, each message by itself.
    FastInfoset,
    /// Fast Infoset on a vocabulary that is retained, in each direction its own.
    StatefulFastInfoset,
}

impl MessageEncoding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Xml, Self::FastInfoset, Self::StatefulFastInfoset];

    /// The media type of a message of this SOAP; parameters may follow.
    pub const fn media_type(self, version: Version) -> &'static str {
        match (self, version) {
            (Self::Xml, Version::Soap11) => TEXT_XML,
            (Self::Xml, Version::Soap12) => SOAP_XML,
            (Self::FastInfoset, Version::Soap11) => "application/fastinfoset",
            (Self::FastInfoset, Version::Soap12) => "application/soap+fastinfoset",
            (Self::StatefulFastInfoset, Version::Soap11) => {
                "application/vnd.sun.stateful.fastinfoset"
            }
            (Self::StatefulFastInfoset, Version::Soap12) => {
                "application/vnd.sun.stateful.soap+fastinfoset"
            }
        }
    }

    /// The media type without parameters.
    pub(crate) fn content_type(self, version: Version) -> &'static str {
        essence(self.media_type(version))
    }

    /// The encoding and the SOAP that a media type is of, whatever its parameters.
    pub fn of_media_type(media_type: &str) -> Option<(Self, Version)> {
        let kind = essence(media_type);
        if kind.eq_ignore_ascii_case("application/xml") {
            return Some((Self::Xml, Version::Soap11));
        }
        let versions = [Version::Soap11, Version::Soap12].into_iter();
        let mut all = versions.flat_map(|version| Self::ALL.map(|it| (it, version)));
        all.find(|(it, version)| essence(it.media_type(*version)).eq_ignore_ascii_case(kind))
    }

    /// As profiles have it: `xml-utf8`, `fast-infoset`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xml => "xml-utf8",
            Self::FastInfoset | Self::StatefulFastInfoset => "fast-infoset",
        }
    }

    /// The vocabulary as profiles have it: `none`, `stateless`, `retained`.
    pub const fn vocabulary(self) -> &'static str {
        match self {
            Self::Xml => "none",
            Self::FastInfoset => "stateless",
            Self::StatefulFastInfoset => "retained",
        }
    }
}

/// A media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// Reads and writes Fast Infoset in one conversation.
pub(super) struct FastInfoset {
    pub(super) parser: Parser,
    pub(super) writer: Writer,
}

impl FastInfoset {
    /// None for XML.
    pub(super) fn new(
        encoding: MessageEncoding,
        limits: &Limits,
        vocabularies: &Vocabularies,
    ) -> Option<Box<Self>> {
        let (options, written) = (Options::soap(), vocabularies.sent.clone());
        let (parser, writer) = match encoding {
            MessageEncoding::Xml => return None,
            MessageEncoding::FastInfoset => {
                (Parser::stateless(options, limits), Writer::stateless(written))
            }
            MessageEncoding::StatefulFastInfoset => {
                let parser = Parser::retaining(options, limits, vocabularies.received);
                (parser, Writer::retaining(written))
            }
        };
        Some(Box::new(Self { parser, writer }))
    }
}

impl fmt::Debug for FastInfoset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("FastInfoset")
    }
}

/// How a message was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) encoding: MessageEncoding,
    pub(super) bytes: usize,
}

/// Fast Infoset on a client's side, of one connection or channel.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) binary: Box<FastInfoset>,
    /// How answers begin that are no faults and have no header blocks.
    pub(super) plain: Prologues<()>,
}

/// Those of a client, made when they are met.
#[derive(Debug)]
pub(super) struct Forms {
    limits: Limits,
    vocabularies: Vocabularies,
    /// Stateless and stateful.
    forms: [Option<Form>; 2],
}

impl Forms {
    pub(super) fn new(limits: Limits, vocabularies: Vocabularies) -> Self {
        Self { limits, vocabularies, forms: [None, None] }
    }

    /// None for XML.
    pub(super) fn get(&mut self, encoding: MessageEncoding) -> Option<&mut Form> {
        let form = &mut self.forms[usize::from(encoding == MessageEncoding::StatefulFastInfoset)];
        if form.is_none() {
            let binary = FastInfoset::new(encoding, &self.limits, &self.vocabularies)?;
            *form = Some(Form { binary, plain: Prologues::new() });
        }
        form.as_mut().filter(|_| encoding != MessageEncoding::Xml)
    }

    /// The message as bytes.
    pub(super) fn write<'a>(
        &'a mut self,
        encoding: MessageEncoding,
        message: &'a mut dyn Outgoing,
    ) -> trunkline_message::Result<&'a [u8]> {
        let Some(form) = self.get(encoding) else { return message.xml() };
        let writer = &mut form.binary.writer;
        writer.begin();
        message.write(writer)?;
        writer.finish()
    }

    /// The retained vocabularies, if there are any: of what was sent, and of what came.
    pub(super) fn retained(&self) -> Option<[Retained; 2]> {
        let FastInfoset { parser, writer } = &*self.forms[1].as_ref()?.binary;
        Some([Retained::of_writer(writer), Retained::of_parser(parser)])
    }

    /// Has a message been rejected, so that no later one of the sequence can be read?
    pub(super) fn is_broken(&self) -> bool {
        self.forms[1].as_ref().is_some_and(|it| it.binary.parser.is_broken())
    }

    /// Is one of the vocabularies so full that a new sequence serves better?
    pub(super) fn is_full(&self) -> bool {
        self.forms[1].as_ref().is_some_and(|it| {
            let (size, most) = (it.binary.parser.vocabulary_size(), self.vocabularies.received);
            let is_half = size.bytes > most.bytes / 2 || size.entries > most.entries / 2;
            is_half || it.binary.writer.is_full()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_tell_encoding_and_version() {
        for encoding in MessageEncoding::ALL {
            for version in [Version::Soap11, Version::Soap12] {
                let media_type = encoding.media_type(version).to_uppercase();
                let found = MessageEncoding::of_media_type(&format!("{media_type}; action=\"a\""));
                assert_eq!(found, Some((encoding, version)));
            }
        }
        let xml = MessageEncoding::of_media_type("application/xml");
        assert_eq!(xml, Some((MessageEncoding::Xml, Version::Soap11)));
        assert_eq!(MessageEncoding::of_media_type("text/plain"), None);
    }
}
