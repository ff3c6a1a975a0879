//! The envelope around the Body of a message, read once.

use std::ops::Range;

use trunkline_codec::infoset::{Event, Reader};
use trunkline_codec::xml::element::name_end;
use trunkline_message::{Error, ErrorKind, Limits, Result};

use crate::attributes::{reject_unqualified, styles};
use crate::document;
use crate::envelope::{SOAP11, SOAP12};
use crate::header::{HeaderBlock, MOST_BLOCKS, namespace};
use crate::opening::excerpt;
use crate::options::Version;
use crate::qname::QName;

/// A message up to the first child of its Body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Which SOAP it is.
    pub version: Version,
    /// The header blocks, in order.
    pub header: Vec<HeaderBlock>,
    /// The name of the Body's first child; `None` if it has none.
    pub body: Option<QName>,
    /// Is that child a Fault?
    pub is_fault: bool,
    /// The `encodingStyle` that holds for it, as it is written (SOAP 1.1 section 4.1.1, SOAP 1.2
    /// part 1 section 5.1.1).
    pub encoding_style: Option<String>,
    /// The place of that child; `None` if the document is not XML, or had to be transcoded.
    pub place: Option<BodyPlace>,
}

/// Where the first child of a Body stands, in bytes of the message as it was given. Messages with
/// the same bytes up to `tag_end` open alike in all that `Opened` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyPlace {
    /// The position of its `<`.
    pub start: usize,
    /// The position behind its name.
    pub name_end: usize,
    /// The position behind its start tag. Before here the name may yet get its namespace.
    pub tag_end: usize,
}

/// Reads a message up to the first child of its Body, which is left unread but for its start tag;
/// to the end if there is no child.
///
/// # Errors
/// Says what is wrong at which byte. `ErrorKind::Version`: the document is not in an Envelope of
/// SOAP 1.1 or 1.2. Anything else is the sender's mistake:
/// [`Fault::of_error`](super::Fault::of_error) makes an answer of either. The rules are those of
/// SOAP 1.1 section 4 and SOAP 1.2 part 1 section 5; elements after the Body are allowed in SOAP
/// 1.1.
pub fn open(bytes: &[u8], limits: &Limits) -> Result<Opened> {
    document::read(bytes, limits, |reader| {
        let (mut opened, child) = read(reader, limits)?;
        let (input, offset) = (reader.input(), borrowed_at(bytes, reader.input()));
        opened.place = child.zip(offset).map(|(tag, offset)| BodyPlace {
            start: offset + tag.start,
            name_end: offset + tag.start + name_end(&input[tag.clone()]),
            tag_end: offset + tag.end,
        });
        Ok(opened)
    })
}

/// As [`open`], for a message in any form.
///
/// # Errors
/// As [`open`].
pub fn open_from(reader: &mut impl Reader, limits: &Limits) -> Result<Opened> {
    read(reader, limits).map(|(opened, _)| opened)
}

/// Tells also where the start tag of the Body's child stands.
fn read(reader: &mut impl Reader, limits: &Limits) -> Result<(Opened, Option<Range<usize>>)> {
    let mut envelope = Envelope::new(reader, limits);
    let child = envelope.open()?;
    let tag = child.is_some().then(|| envelope.reader.began()..envelope.reader.position());
    if child.is_none() {
        envelope.finish()?;
    }
    let Envelope { version, header, encoding_style, .. } = envelope;
    let is_fault = child.as_ref().is_some_and(|name| name.is(namespace(version), "Fault"));
    let opened = Opened { version, header, body: child, is_fault, encoding_style, place: None };
    Ok((opened, tag))
}

/// Where the text begins in the bytes, if it is a part of them: behind a byte order mark.
fn borrowed_at(bytes: &[u8], text: &str) -> Option<usize> {
    let offset = text.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
    (offset + text.len() == bytes.len()).then_some(offset)
}

/// Places in the document, for callers that change it.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Of each header block.
    pub(super) blocks: Vec<Range<usize>>,
    /// Where further blocks may be put.
    pub(super) insertion: usize,
    /// What has to stand around them there.
    pub(super) missing: Missing,
    /// Has an element without a prefix a namespace there?
    pub(super) default_namespace: bool,
}

/// Parts that a message lacks for adding header blocks.
#[derive(Debug, Default)]
pub(super) enum Missing {
    /// It has all.
    #[default]
    Nothing,
    /// A Header, whose name has this prefix.
    WholeHeader(String),
    /// The end tag of a Header of this name, which is an empty-element tag.
    EndTag(String),
}

/// A document that is open up to the first child of its Body.
pub(super) struct Envelope<'a, R> {
    pub(super) reader: &'a mut R,
    limits: &'a Limits,
    pub(super) version: Version,
    pub(super) header: Vec<HeaderBlock>,
    encoding_style: Option<String>,
    pub(super) places: Places,
    /// Bytes of all header blocks, with the declarations that each was given.
    copied: usize,
}

impl<'a, R: Reader> Envelope<'a, R> {
    pub(super) fn new(reader: &'a mut R, limits: &'a Limits) -> Self {
        Self {
            reader,
            limits,
            version: Version::Soap11,
            header: Vec::new(),
            encoding_style: None,
            places: Places::default(),
            copied: 0,
        }
    }

    /// Reads up to and including the start tag of the Body's first child, whose name it answers, or
    /// the end tag of the Body.
    pub(super) fn open(&mut self) -> Result<Option<QName>> {
        let prefix = self.envelope()?;
        let mut name = self.start("Header or Body")?;
        if self.is(name, "Header") {
            self.part("Header")?;
            self.read_header(name)?;
            name = self.start("the Body")?;
        } else {
            self.places.insertion = self.reader.began();
            self.places.missing = Missing::WholeHeader(prefix);
        }
        if !self.is(name, "Body") {
            return Err(self.unexpected("the Body", name));
        }
        self.part("Body")?;
        match self.tag("an element in the Body")? {
            Event::Start(name) => {
                self.style();
                Ok(Some(QName::of(self.reader, name)))
            }
            _ => Ok(None),
        }
    }

    /// Reads from anywhere in the Body, or behind it, to the end of the document.
    pub(super) fn finish(&mut self) -> Result<()> {
        while self.reader.depth() > 1 {
            self.reader.next()?;
        }
        loop {
            match self.tag("the end of the Envelope")? {
                Event::Start(name) => {
                    let again = self.is(name, "Header") || self.is(name, "Body");
                    if again || self.version == Version::Soap12 {
                        return Err(self.unexpected("the end of the Envelope", name));
                    }
                    self.reader.skip()?;
                }
                Event::Eof => return Ok(()),
                Event::End | Event::Text(_) => {}
            }
        }
    }

    /// Reads the start tag of the Envelope; answers its prefix.
    fn envelope(&mut self) -> Result<String> {
        let name = self.start("the Envelope")?;
        self.version = match (self.reader.namespace_of(name), self.reader.local(name)) {
            (SOAP11, "Envelope") => Version::Soap11,
            (SOAP12, "Envelope") => Version::Soap12,
            (namespace, _) => {
                let mut found = QName::of(self.reader, name).to_string();
                if namespace.is_empty() {
                    found.push_str(" of no namespace");
                }
                let what = format!("an Envelope of {SOAP11} or {SOAP12}, not {}", excerpt(&found));
                return Err(Error::new(ErrorKind::Version(what.into()), self.reader.began()));
            }
        };
        self.part("Envelope")?;
        self.places.default_namespace = self.has_default_namespace();
        Ok(self.reader.prefix(name).into())
    }

    fn has_default_namespace(&self) -> bool {
        let namespace = self.reader.resolve("");
        namespace.is_some_and(|it| !self.reader.namespace_name(it).is_empty())
    }

    fn read_header(&mut self, name: R::Name) -> Result<()> {
        self.places.default_namespace |= self.has_default_namespace();
        while let Event::Start(name) = self.tag("a header block")? {
            self.block(name)?;
        }
        self.places.insertion = self.reader.began();
        // The end of an empty-element tag takes no bytes.
        if self.reader.began() == self.reader.position() {
            self.places.missing = Missing::EndTag(self.reader.qualified(name));
        }
        Ok(())
    }

    fn block(&mut self, name: R::Name) -> Result<()> {
        let at = self.reader.began();
        let limit = |name, limit| Err(Error::new(ErrorKind::Limit { name, limit }, at));
        if self.header.len() >= self.limits.entries {
            return limit("entries", self.limits.entries);
        }
        if self.header.len() >= MOST_BLOCKS {
            return limit("header blocks", MOST_BLOCKS);
        }
        let block = HeaderBlock::read(self.reader, self.version, name)?;
        // Each block takes a copy of declarations around it, which may be long.
        self.copied += block.content.as_str().len();
        if self.copied > self.limits.message_bytes {
            return limit("message_bytes", self.limits.message_bytes);
        }
        self.header.push(block);
        self.places.blocks.push(at..self.reader.position());
        Ok(())
    }

    /// Notes the `encodingStyle` of the start tag just read.
    fn style(&mut self) -> bool {
        let own = namespace(self.version);
        let Some((_, style)) = styles(self.reader).find(|it| it.0 == own) else { return false };
        self.encoding_style = Some(style.trim().to_owned());
        true
    }

    /// Looks at the start tag, just read, of a part of the envelope. Parts of SOAP 1.2 have no
    /// `encodingStyle` (part 1 section 5.1.1).
    fn part(&mut self, name: &str) -> Result<()> {
        let at = self.reader.began();
        let fits = reject_unqualified(name, namespace(self.version), self.reader);
        fits.map_err(|kind| Error::new(kind, at))?;
        match self.style() && self.version == Version::Soap12 {
            true => {
                let what = "no encodingStyle on Envelope, Header or Body of SOAP 1.2";
                Err(Error::new(ErrorKind::Expected(what.into()), at))
            }
            false => Ok(()),
        }
    }

    fn start(&mut self, expected: &'static str) -> Result<R::Name> {
        let before = self.reader.position();
        match self.tag(expected)? {
            Event::Start(name) => Ok(name),
            _ => Err(Error::new(ErrorKind::Expected(expected.into()), before)),
        }
    }

    /// The next tag; only white space may stand before it.
    fn tag(&mut self, expected: &'static str) -> Result<Event<R::Name, R::Text>> {
        loop {
            match self.reader.next()? {
                Event::Text(text) if self.reader.is_white(text) => {}
                Event::Text(_) => {
                    let at = self.reader.began();
                    return Err(Error::new(ErrorKind::Expected(expected.into()), at));
                }
                tag => return Ok(tag),
            }
        }
    }

    fn is(&self, name: R::Name, local: &str) -> bool {
        self.reader.is(name, namespace(self.version), local)
    }

    fn unexpected(&self, expected: &str, found: R::Name) -> Error {
        let found = QName::of(self.reader, found).to_string();
        let what = format!("{expected}, not {}", excerpt(&found));
        Error::new(ErrorKind::Expected(what.into()), self.reader.began())
    }
}
