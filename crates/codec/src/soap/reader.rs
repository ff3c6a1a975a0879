//! What stands around the Body of a message, read once.

use std::ops::Range;

use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::attributes::refuse_unqualified;
use super::envelope::{SOAP11, SOAP12};
use super::header::{HeaderBlock, MOST_BLOCKS, namespace};
use super::opening::excerpt;
use super::plan::Version;
use super::qname::QName;
use crate::xml::{self, Event, Name, Namespace, Parser, Source};

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
    /// Where that child is; `None` also where the document is in an encoding that had to be
    /// transcoded.
    pub place: Option<BodyPlace>,
}

/// Where the first child of a Body stands, in bytes of the message as it was given. Messages with
/// the same bytes up to `tag_end` open alike in all but what `Opened` does not tell.
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
    let mut source = Source::default();
    let input = source.prepare(bytes, limits)?;
    let mut reader = Reader::begin(input, limits)?;
    let child = reader.open()?;
    let place = child.as_ref().and_then(|child| {
        let offset = borrowed_at(bytes, input)?;
        Some(BodyPlace {
            start: offset + child.tag.start,
            name_end: offset + child.name_end,
            tag_end: offset + child.tag.end,
        })
    });
    if child.is_none() {
        reader.finish()?;
    }
    let Reader { version, header, encoding_style, .. } = reader;
    let body = child.map(|child| child.name);
    let is_fault = body.as_ref().is_some_and(|name| name.is(namespace(version), "Fault"));
    Ok(Opened { version, header, body, is_fault, encoding_style, place })
}

/// Where the text begins in the bytes, if it is a part of them: behind a byte order mark.
fn borrowed_at(bytes: &[u8], text: &str) -> Option<usize> {
    let offset = text.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
    (offset + text.len() == bytes.len()).then_some(offset)
}

/// The first child of a Body.
pub(super) struct Child {
    pub(super) name: QName,
    /// Its start tag.
    tag: Range<usize>,
    name_end: usize,
}

/// Where things stand, for those who change the document.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Of each header block.
    pub(super) blocks: Vec<Range<usize>>,
    /// Where further blocks may be put.
    pub(super) insertion: usize,
    /// What has to stand around them there.
    pub(super) missing: Option<(String, String)>,
    /// Has an element without a prefix a namespace there?
    pub(super) default_namespace: bool,
}

/// A way into a document that stays open.
pub(super) struct Reader<'a> {
    pub(super) input: &'a str,
    pub(super) parser: Parser,
    limits: &'a Limits,
    pub(super) version: Version,
    pub(super) header: Vec<HeaderBlock>,
    encoding_style: Option<String>,
    pub(super) places: Places,
    /// The length of the XML declaration with the white space behind it.
    pub(super) prologue: usize,
    /// Bytes of all header blocks, with the declarations that each was given.
    copied: usize,
}

enum Tag<'a> {
    Start(usize, Name<'a>),
    End(usize),
    Eof,
}

impl<'a> Reader<'a> {
    pub(super) fn begin(input: &'a str, limits: &'a Limits) -> Result<Self> {
        let mut parser = Parser::new(xml::Options::soap(), limits);
        let prologue = parser.begin(input)?;
        Ok(Self {
            input,
            parser,
            limits,
            version: Version::Soap11,
            header: Vec::new(),
            encoding_style: None,
            places: Places::default(),
            prologue: if input.starts_with("<?xml") { prologue } else { 0 },
            copied: 0,
        })
    }

    /// Reads up to and including the start tag of the Body's first child, or its end tag.
    pub(super) fn open(&mut self) -> Result<Option<Child>> {
        let prefix = self.envelope()?;
        let (mut at, mut name) = self.start("Header or Body")?;
        if self.is(name, "Header") {
            self.part("Header", at)?;
            self.header(name)?;
            (at, name) = self.start("the Body")?;
        } else {
            self.places.insertion = at;
            let around = (format!("<{prefix}Header>"), format!("</{prefix}Header>"));
            self.places.missing = Some(around);
        }
        if !self.is(name, "Body") {
            return Err(self.unexpected(at, "the Body", name));
        }
        self.part("Body", at)?;
        match self.tag("an element in the Body")? {
            Tag::Start(at, name) => {
                self.style();
                let name_end = at + 1 + name.qualified().len();
                let tag = at..self.parser.position();
                Ok(Some(Child { name: QName::of(&self.parser, self.input, name), tag, name_end }))
            }
            _ => Ok(None),
        }
    }

    /// Reads from anywhere in the Body, or behind it, to the end of the document.
    pub(super) fn finish(&mut self) -> Result<()> {
        while self.parser.depth() > 1 {
            self.parser.next(self.input)?;
        }
        loop {
            match self.tag("the end of the Envelope")? {
                Tag::Start(at, name) => {
                    let again = self.is(name, "Header") || self.is(name, "Body");
                    if again || self.version == Version::Soap12 {
                        return Err(self.unexpected(at, "the end of the Envelope", name));
                    }
                    self.parser.skip_element(self.input)?;
                }
                Tag::End(_) => {}
                Tag::Eof => return Ok(()),
            }
        }
    }

    /// Reads the start tag of the Envelope; answers its prefix with the colon.
    fn envelope(&mut self) -> Result<&'a str> {
        let (at, name) = self.start("the Envelope")?;
        let found = self.parser.namespace_name(self.input, name.namespace);
        self.version = match (found, name.local()) {
            (SOAP11, "Envelope") => Version::Soap11,
            (SOAP12, "Envelope") => Version::Soap12,
            _ => {
                let mut found = QName::of(&self.parser, self.input, name).to_string();
                if name.namespace == Namespace::NONE {
                    found.push_str(" of no namespace");
                }
                let what = format!("an Envelope of {SOAP11} or {SOAP12}, not {}", excerpt(&found));
                return Err(Error::new(ErrorKind::Version(what.into()), at));
            }
        };
        self.part("Envelope", at)?;
        self.places.default_namespace = self.parser.default_namespace() != Namespace::NONE;
        let qualified = name.qualified();
        Ok(&qualified[..qualified.len() - name.local().len()])
    }

    fn header(&mut self, name: Name<'_>) -> Result<()> {
        self.places.default_namespace |= self.parser.default_namespace() != Namespace::NONE;
        if self.parser.is_empty_element() {
            self.places.insertion = self.parser.position();
            self.places.missing = Some((">".into(), format!("</{}>", name.qualified())));
        }
        loop {
            match self.tag("a header block")? {
                Tag::Start(at, name) => self.block(at, name)?,
                Tag::End(at) if self.places.missing.is_none() => {
                    self.places.insertion = at;
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    fn block(&mut self, at: usize, name: Name<'_>) -> Result<()> {
        let limit = |name, limit| Err(Error::new(ErrorKind::Limit { name, limit }, at));
        if self.header.len() >= self.limits.entries {
            return limit("entries", self.limits.entries);
        }
        if self.header.len() >= MOST_BLOCKS {
            return limit("header blocks", MOST_BLOCKS);
        }
        let block = HeaderBlock::read(&mut self.parser, self.input, self.version, at, name)?;
        // Each block takes a copy of declarations around it, which may be long.
        self.copied += block.content.as_str().len();
        if self.copied > self.limits.message_bytes {
            return limit("message_bytes", self.limits.message_bytes);
        }
        self.header.push(block);
        self.places.blocks.push(at..self.parser.position());
        Ok(())
    }

    /// Notes the `encodingStyle` of the start tag just read.
    fn style(&mut self) -> bool {
        let own = namespace(self.version);
        let mut attributes = self.parser.attributes(self.input);
        let style = attributes.find(|it| {
            it.name.local() == "encodingStyle"
                && self.parser.namespace_name(self.input, it.name.namespace) == own
        });
        let Some(style) = style else { return false };
        self.encoding_style = Some(style.value().trim().to_owned());
        true
    }

    /// Looks at the start tag of a part of the envelope, at `at`. Parts of SOAP 1.2 have no
    /// `encodingStyle` (part 1 section 5.1.1).
    fn part(&mut self, name: &str, at: usize) -> Result<()> {
        let soap = namespace(self.version);
        let fits = refuse_unqualified(name, soap, &self.parser, self.input);
        fits.map_err(|kind| Error::new(kind, at))?;
        match self.style() && self.version == Version::Soap12 {
            true => {
                let what = "no encodingStyle on Envelope, Header or Body of SOAP 1.2";
                Err(Error::new(ErrorKind::Expected(what.into()), at))
            }
            false => Ok(()),
        }
    }

    fn start(&mut self, expected: &'static str) -> Result<(usize, Name<'a>)> {
        let before = self.parser.position();
        match self.tag(expected)? {
            Tag::Start(at, name) => Ok((at, name)),
            _ => Err(Error::new(ErrorKind::Expected(expected.into()), before)),
        }
    }

    /// The next tag; only white space and comments may stand before it.
    fn tag(&mut self, expected: &'static str) -> Result<Tag<'a>> {
        loop {
            let at = self.parser.position();
            match self.parser.next(self.input)? {
                Event::Start { name, .. } => {
                    // Outside the root, white space is not an event.
                    let at = at + self.input[at..].find('<').unwrap_or(0);
                    return Ok(Tag::Start(at, name));
                }
                Event::End { .. } => return Ok(Tag::End(at)),
                Event::Eof => return Ok(Tag::Eof),
                Event::Text { white: true, .. }
                | Event::Comment(_)
                | Event::ProcessingInstruction { .. } => {}
                Event::Text { .. } | Event::CData { .. } => {
                    return Err(Error::new(ErrorKind::Expected(expected.into()), at));
                }
            }
        }
    }

    fn is(&self, name: Name<'_>, local: &str) -> bool {
        name.local() == local
            && self.parser.namespace_name(self.input, name.namespace) == namespace(self.version)
    }

    fn unexpected(&self, at: usize, expected: &str, found: Name<'_>) -> Error {
        let found = QName::of(&self.parser, self.input, found).to_string();
        let what = format!("{expected}, not {}", excerpt(&found));
        Error::new(ErrorKind::Expected(what.into()), at)
    }
}
