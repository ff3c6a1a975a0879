//! A message that a client receives, in whatever encoding.

use std::borrow::Cow;

use trunkline_codec::fast_infoset::Reader;
use trunkline_codec::infoset::{Event, Reader as _};
use trunkline_message::{Limits, Message, Result};
use trunkline_soap::{self as soap, BodyPlace, Decoder, Fault, Opened, Unpacked, graph};

use super::prologue::Prologues;

/// An answer, which can be read several times, each time from its beginning.
pub(super) struct Incoming<'a> {
    /// Of one in a package, the outline.
    body: &'a [u8],
    package: Option<&'a Unpacked>,
    /// None reads XML.
    reader: Option<Reader<'a>>,
    /// How answers begin that are no faults and have no header blocks.
    plain: &'a mut Prologues<()>,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(
        body: &'a [u8],
        package: Option<&'a Unpacked>,
        reader: Option<Reader<'a>>,
        plain: &'a mut Prologues<()>,
    ) -> Self {
        Self { body, package, reader, plain }
    }

    /// Is it XML, by itself?
    pub(super) fn is_xml(&self) -> bool {
        self.reader.is_none() && self.package.is_none()
    }

    /// As XML, with all that is attached in its place.
    fn whole(&self) -> Cow<'a, [u8]> {
        self.package.map_or(Cow::Borrowed(self.body), Unpacked::whole)
    }

    /// The limits for reading that.
    fn whole_limits(&self, limits: &Limits) -> Limits {
        self.package.map_or_else(|| limits.clone(), |it| it.whole_limits(limits))
    }

    /// Does it begin like one that was neither a fault nor had header blocks? In a sequence, too, equal bytes
    /// mean the same: what an index once stood for, it stands for to the end.
    pub(super) fn is_plain(&self) -> bool {
        self.plain.find(self.body).is_some()
    }

    pub(super) fn remember_plain(&mut self, opened: &Opened) {
        self.plain.remember(self.body, opened, ());
    }

    pub(super) fn decode(&mut self, decoder: &mut Decoder, into: &mut impl Message) -> Result<()> {
        match &mut self.reader {
            None => match self.package {
                None => decoder.decode(self.body, into),
                Some(package) => decoder.decode_package(package, into),
            },
            Some(reader) => {
                reader.restart()?;
                decoder.decode_from(reader, into)
            }
        }
    }

    pub(super) fn open(&mut self, limits: &Limits) -> Result<Opened> {
        let Some(reader) = &mut self.reader else { return soap::open(self.body, limits) };
        reader.restart()?;
        open_from(reader, limits)
    }

    pub(super) fn fault(&mut self, limits: &Limits) -> Result<Fault> {
        match &mut self.reader {
            None => Fault::decode(&self.whole(), &self.whole_limits(limits)),
            Some(reader) => {
                reader.restart()?;
                Fault::decode_from(reader, limits)
            }
        }
    }

    pub(super) fn graph(&mut self, limits: &Limits) -> Result<graph::Message> {
        match &mut self.reader {
            None => graph::decode(&self.whole(), &self.whole_limits(limits)),
            Some(reader) => {
                reader.restart()?;
                graph::decode_from(reader, limits)
            }
        }
    }

    /// As XML, for people: of what cannot be read, what came before it.
    pub(super) fn shown(&mut self) -> String {
        let Some(reader) = &mut self.reader else {
            return String::from_utf8_lossy(&self.whole()).into_owned();
        };
        let mut shown = String::new();
        if reader.restart().is_ok() && matches!(reader.next(), Ok(Event::Start(_))) {
            _ = reader.raw(&[], &mut shown);
        }
        shown
    }

    /// Reads what is left of it: what was not wanted belongs to the vocabulary all the same. An error ends that,
    /// which the connection notices before it is used again.
    pub(super) fn finish(self) {
        _ = self.reader.map(Reader::finish);
    }
}

/// As [`soap::open_from`], with the place of the Body's first child.
pub(super) fn open_from(reader: &mut Reader<'_>, limits: &Limits) -> Result<Opened> {
    let mut opened = soap::open_from(reader, limits)?;
    if opened.body.is_some() {
        let (start, tag_end) = (reader.began(), reader.position());
        opened.place = Some(BodyPlace { start, name_end: tag_end, tag_end });
    }
    Ok(opened)
}
