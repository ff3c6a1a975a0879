//! An envelope as a signature needs it: where its parts begin, and what is referred to by which identifier.

use std::collections::HashMap;

use trunkline_codec::infoset::{Event, Reader as _, Tag};
use trunkline_codec::xml;
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_soap::Version;

use crate::element::Element;
use crate::fault::cut;
use crate::{DS, WSU};

const SOAP: [(&str, Version); 2] = [
    ("http://schemas.xmlsoap.org/soap/envelope/", Version::Soap11),
    ("http://www.w3.org/2003/05/soap-envelope", Version::Soap12),
];

/// The namespace of a version's envelope.
pub(crate) fn namespace(version: Version) -> &'static str {
    SOAP.iter().find(|it| it.1 == version).map_or("", |it| it.0)
}

/// Where the parts of an envelope begin, in bytes.
#[derive(Debug)]
pub(crate) struct Document<'d> {
    pub(crate) text: &'d str,
    pub(crate) limits: &'d Limits,
    pub(crate) version: Version,
    /// Of each header block.
    pub(crate) blocks: Vec<usize>,
    /// The header block that was asked for.
    pub(crate) block: Option<Element>,
    pub(crate) header: Option<HeaderEnd>,
    pub(crate) body: usize,
    pub(crate) body_id: Option<String>,
    identifiers: HashMap<String, Identified>,
}

/// Where the Header ends.
#[derive(Debug)]
pub(crate) struct HeaderEnd {
    pub(crate) name: String,
    /// The position of its end tag, or behind it if it is an empty-element tag.
    pub(crate) at: usize,
    pub(crate) is_empty_tag: bool,
}

/// What has an identifier.
#[derive(Debug)]
struct Identified {
    at: usize,
    count: usize,
    /// Is it given by an attribute that signatures refer to?
    is_referable: bool,
}

impl<'d> Document<'d> {
    /// Reads an envelope whole; of its header blocks it keeps the one that stands at a place among them.
    pub(crate) fn read(text: &'d str, block: Option<usize>, limits: &'d Limits) -> Result<Self> {
        let mut reader = xml::Reader::soap(text, limits)?;
        let expected = |what: &'static str, at| Error::new(ErrorKind::Expected(what.into()), at);
        let Event::Start(name) = reader.next()? else { return Err(expected("an Envelope", 0)) };
        let version = SOAP.iter().find(|it| reader.is(name, it.0, "Envelope"));
        let version = version.ok_or_else(|| expected("an Envelope", reader.began()))?.1;
        let mut read = Self {
            text,
            limits,
            version,
            blocks: Vec::new(),
            block: None,
            header: None,
            body: 0,
            body_id: None,
            identifiers: HashMap::new(),
        };
        read.identify(&reader);
        let own = namespace(version);
        loop {
            match reader.next()? {
                Event::Start(name) => {
                    read.identify(&reader);
                    match (reader.is(name, own, "Header"), reader.is(name, own, "Body")) {
                        (true, _) if read.header.is_none() && read.body == 0 => {
                            read.header(&mut reader, name, block)?;
                        }
                        (_, true) if read.body == 0 => {
                            read.body = reader.began();
                            let id = reader.find_attribute(WSU, "Id");
                            read.body_id = id.map(|it| reader.value(it).into_owned());
                            read.pass(&mut reader)?;
                        }
                        (false, false) => read.pass(&mut reader)?,
                        _ => return Err(expected("one Header before one Body", reader.began())),
                    }
                }
                Event::Eof if read.body == 0 => return Err(expected("a Body", text.len())),
                Event::Eof => return Ok(read),
                Event::End | Event::Text(_) => {}
            }
        }
    }

    fn header(
        &mut self,
        reader: &mut xml::Reader<'d, Box<xml::Parser>>,
        name: xml::Name<'d>,
        block: Option<usize>,
    ) -> Result<()> {
        let name = reader.qualified(name);
        loop {
            match reader.next()? {
                Event::Start(name) => {
                    self.identify(reader);
                    self.blocks.push(reader.began());
                    if block == Some(self.blocks.len() - 1) {
                        let element = Element::read(reader, name, |it| self.identify(it))?;
                        self.block = Some(element);
                    } else {
                        self.pass(reader)?;
                    }
                }
                Event::End => {
                    let at = reader.began();
                    let is_empty_tag = at == reader.position();
                    self.header = Some(HeaderEnd { name, at, is_empty_tag });
                    return Ok(());
                }
                Event::Text(_) | Event::Eof => {}
            }
        }
    }

    /// Reads to the end of the element that has begun.
    fn pass(&mut self, reader: &mut xml::Reader<'d, Box<xml::Parser>>) -> Result<()> {
        let outside = reader.depth() - 1;
        while reader.depth() > outside {
            if let Event::Start(_) = reader.next()? {
                self.identify(reader);
            }
        }
        Ok(())
    }

    /// Notes the identifiers of an element. What others may take for one counts too: an identifier that two have means
    /// different things to different readers.
    fn identify(&mut self, reader: &xml::Reader<'d, Box<xml::Parser>>) {
        for index in 0..reader.attributes() {
            let (name, value) = reader.attribute(index);
            let local = reader.local(name);
            if !local.eq_ignore_ascii_case("id") {
                continue;
            }
            let is_referable = local == "Id" && matches!(reader.namespace_of(name), WSU | "");
            let at = reader.began();
            let value = reader.value(value);
            let known = self.identifiers.entry(value.into_owned());
            let known = known.or_insert(Identified { at, count: 0, is_referable });
            known.count += 1;
        }
    }

    /// Where the only element of an identifier begins.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn find(&self, id: &str) -> std::result::Result<usize, String> {
        let found = self.identifiers.get(id);
        let id = cut(id);
        match found {
            Some(Identified { at, count: 1, is_referable: true }) => Ok(*at),
            Some(Identified { count: 1, .. }) => {
                Err(format!("the identifier {id:?} is none of wsu:Id"))
            }
            Some(_) => Err(format!("several elements have the identifier {id:?}")),
            None => Err(format!("no element has the identifier {id:?}")),
        }
    }
}

/// The only element in a signature of this name.
pub(crate) fn of_signature<'e>(outer: &'e Element, local: &'e str) -> Option<&'e Element> {
    outer.only(DS, local)
}
