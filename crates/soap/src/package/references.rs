//! Which parts of its package an envelope refers to, and where.

use std::collections::HashMap;
use std::ops::Range;

use trunkline_codec::attachment::Package;
use trunkline_codec::xml::{Attribute, Event, Name, Namespace, Options, Parser};
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_wire::base64;

use super::unpack::{Place, wrong};

const XOP: &str = "http://www.w3.org/2004/08/xop/include";

/// What stands in an envelope in the place of octets that a decoder gets from elsewhere: no base64, and one character.
pub(super) const MARK: &str = "!";

/// What a reference takes of `message_bytes` by itself: more than is kept of it, however short it is.
const REFERENCE: usize = 128;

/// An envelope, and what it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Referring {
    text: String,
    references: Vec<Reference>,
    /// Are the parts yet to come, so that nobody knows whether a text refers to one?
    is_open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Reference {
    /// What it is in the text.
    range: Range<usize>,
    part: usize,
    /// The element that stays around the octets, where an empty one refers to them.
    element: Option<Element>,
    /// Is it in the Body?
    is_in_body: bool,
    /// Is it a text that is a URI?
    is_text: bool,
}

/// A part that is yet to come.
pub(super) struct Coming {
    pub(super) uri: String,
    /// Does more than a text refer to it, which may be a text and nothing else?
    pub(super) is_sure: bool,
}

/// Places of an element in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Element {
    name: Range<usize>,
    /// The attribute that refers to the part, with the white space before it.
    href: Range<usize>,
    /// Where its start tag ends, but for `>` or `/>`.
    tag_end: usize,
}

impl Referring {
    /// Finds all references in an envelope, which is the part `root` of a package, of XOP or not.
    pub(super) fn read(
        text: &str,
        package: &Package,
        root: usize,
        is_xop: bool,
        limits: &Limits,
    ) -> Result<Self> {
        let known = Known::of(package, root);
        let mut search = Search::new(text, known, is_xop, limits)?;
        while search.next()? {}
        let Search { mut references, mut room, .. } = search;
        let mut is_used = vec![false; package.parts.len()];
        is_used[root] = true;
        let tags = references.iter().filter(|it| !it.is_text);
        tags.for_each(|it| is_used[it.part] = true);
        // A text that is the URI of a part is one, unless that has its place already.
        references.retain(|it| !it.is_text || !is_used[it.part]);
        references.iter().for_each(|it| is_used[it.part] = true);
        if let Some(unused) = is_used.iter().position(|it| !it) {
            let id = &package.parts[unused].head.id;
            let what =
                format!("nothing in the envelope refers to the part {id:?} that is attached");
            return Err(wrong(what, 0));
        }
        for reference in &references {
            let length = package.parts[reference.part].data.len();
            room.take(length, reference.range.start)?;
        }
        Ok(Self { text: text.to_owned(), references, is_open: false })
    }

    /// Finds all references in an envelope whose parts are yet to come; and these, by their numbers from 1 on. In MTOM
    /// only an `Include` refers to a part, in the other kinds also what is `cid:` or `uuid:`.
    pub(super) fn read_open(
        text: &str,
        is_xop: bool,
        limits: &Limits,
    ) -> Result<(Self, Vec<Coming>)> {
        let mut search = Search::new(text, Known::any(), is_xop, limits)?;
        while search.next()? {}
        let Search { references, mut room, known, .. } = search;
        let uris = known.coming.unwrap_or_default().into_iter();
        let mut coming: Vec<Coming> = uris.map(|uri| Coming { uri, is_sure: false }).collect();
        for reference in &references {
            let its = &mut coming[reference.part - 1];
            its.is_sure |= !reference.is_text;
            room.take(its.uri.len(), reference.range.start)?;
        }
        Ok((Self { text: text.to_owned(), references, is_open: true }, coming))
    }

    /// Do texts refer to parts?
    pub(super) fn has_texts(&self) -> bool {
        match self.is_open {
            false => self.references.iter().any(|it| it.is_text),
            // A text may be one and nothing else, where there are other references.
            true => !self.references.is_empty() && self.references.iter().all(|it| it.is_text),
        }
    }

    /// The envelope with octets as base64 in their places.
    pub(super) fn whole<'p>(&self, octets: impl Fn(usize) -> &'p [u8]) -> Vec<u8> {
        self.replaced(|reference, out| match self.stays(reference) {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => base64::encode_into(octets(reference.part), out),
        })
    }

    /// A text that stays as it is: whether it refers to a part is known to who reads the member.
    fn stays(&self, reference: &Reference) -> Option<&str> {
        let is_open = self.is_open && reference.is_text;
        is_open.then(|| &self.text[reference.range.clone()])
    }

    /// The envelope with a mark in each place in the Body where octets are wanted, base64 in others; and these places.
    pub(super) fn marked<'p>(&self, octets: impl Fn(usize) -> &'p [u8]) -> (Vec<u8>, Vec<Place>) {
        let mut places = Vec::new();
        let marked = self.replaced(|reference, out| {
            let text = self.stays(reference);
            if reference.is_in_body {
                let (at, part, may_stay) = (out.len(), reference.part, text.is_some());
                places.push(Place { at, part, may_stay });
                out.extend_from_slice(text.unwrap_or(MARK).as_bytes());
            } else if let Some(text) = text {
                out.extend_from_slice(text.as_bytes());
            } else {
                base64::encode_into(octets(reference.part), out);
            }
        });
        (marked, places)
    }

    fn replaced(&self, mut replace: impl FnMut(&Reference, &mut Vec<u8>)) -> Vec<u8> {
        // What declares another character set is in UTF-8 now.
        let mut copied = match self.text.strip_prefix("<?xml").and_then(|it| it.find("?>")) {
            Some(end) => "<?xml".len() + end + "?>".len(),
            None => 0,
        };
        let mut out = Vec::with_capacity(self.text.len());
        for reference in &self.references {
            let Reference { range, element, .. } = reference;
            let copy = |range: Range<usize>, out: &mut Vec<u8>| {
                out.extend_from_slice(&self.text.as_bytes()[range]);
            };
            copy(copied..range.start, &mut out);
            if let Some(Element { href, tag_end, .. }) = element {
                copy(range.start..href.start, &mut out);
                copy(href.end..*tag_end, &mut out);
                out.push(b'>');
            }
            replace(reference, &mut out);
            if let Some(Element { name, .. }) = element {
                out.extend_from_slice(b"</");
                copy(name.clone(), &mut out);
                out.push(b'>');
            }
            copied = range.end;
        }
        out.extend_from_slice(&self.text.as_bytes()[copied..]);
        out
    }
}

/// How many bytes an envelope may still get longer.
struct Room {
    left: usize,
    limit: usize,
}

impl Room {
    /// Takes so many for a reference at a place.
    fn take(&mut self, bytes: usize, at: usize) -> Result<()> {
        let kind = ErrorKind::Limit { name: "message_bytes", limit: self.limit };
        self.left = self.left.checked_sub(bytes).ok_or_else(|| Error::new(kind, at))?;
        Ok(())
    }
}

/// Goes through an envelope.
struct Search<'a> {
    text: &'a str,
    parser: Parser,
    known: Known<'a>,
    references: Vec<Reference>,
    room: Room,
    is_xop: bool,
    is_in_body: bool,
    /// Was the start of an element read last?
    is_begun: bool,
}

/// The parts that an envelope may refer to.
struct Known<'a> {
    /// Parts but the root.
    by_id: HashMap<&'a str, usize>,
    /// Of ids with escapes, what they mean.
    by_decoded_id: HashMap<String, usize>,
    /// If they are yet to come: the URIs that were met, by which they have their numbers.
    coming: Option<Vec<String>>,
}

impl<'a> Known<'a> {
    fn of(package: &'a Package, root: usize) -> Self {
        let mut by_id = HashMap::new();
        let mut by_decoded_id = HashMap::new();
        for (at, part) in package.parts.iter().enumerate() {
            let id = part.head.id.as_str();
            if id.is_empty() || at == root {
                continue;
            }
            by_id.insert(id, at);
            if id.contains('%') {
                by_decoded_id.entry(decoded(id)).or_insert(at);
            }
        }
        Self { by_id, by_decoded_id, coming: None }
    }

    fn any() -> Self {
        let (by_id, by_decoded_id) = Default::default();
        Self { by_id, by_decoded_id, coming: Some(Vec::new()) }
    }

    /// The part that a URI refers to, which may have been escaped where the id was not, or the other way around.
    fn part(&mut self, uri: &str) -> Option<usize> {
        let Self { by_id, by_decoded_id, coming } = self;
        if let Some(uris) = coming {
            if !["cid:", "uuid:"].iter().any(|it| uri.starts_with(it)) {
                return None;
            }
            let number = *by_decoded_id.entry(uri.to_owned()).or_insert(uris.len() + 1);
            if number > uris.len() {
                uris.push(uri.to_owned());
            }
            return Some(number);
        }
        let id = uri.strip_prefix("cid:")?;
        let found = by_id.get(id).copied();
        found.or_else(|| {
            let id = decoded(id);
            by_id.get(id.as_str()).or_else(|| by_decoded_id.get(&id)).copied()
        })
    }

    /// The same of the URI in an attribute: DIME has any, as it stands.
    fn part_of_href(&mut self, uri: &str) -> Option<usize> {
        self.by_id.get(uri).copied().or_else(|| self.part(uri))
    }
}

/// Does a URI that stands in an envelope refer to the part of this id?
pub fn refers_to(uri: &str, id: &str) -> bool {
    let of_mime = |uri: &str| uri == id || decoded(uri) == decoded(id);
    !id.is_empty() && (uri == id || uri.strip_prefix("cid:").is_some_and(of_mime))
}

impl<'a> Search<'a> {
    fn new(text: &'a str, known: Known<'a>, is_xop: bool, limits: &Limits) -> Result<Self> {
        let mut parser = Parser::new(Options::soap(), limits);
        parser.begin(text)?;
        let limit = limits.message_bytes;
        let mut room = Room { left: limit, limit };
        room.take(text.len(), 0)?;
        let (references, is_in_body, is_begun) = (Vec::new(), false, false);
        Ok(Self { text, parser, known, references, room, is_xop, is_in_body, is_begun })
    }

    /// Looks at one piece; answers whether others follow.
    fn next(&mut self) -> Result<bool> {
        let before = self.parser.position();
        let is_begun = std::mem::take(&mut self.is_begun);
        match self.parser.next(self.text)? {
            Event::Eof => return Ok(false),
            Event::Start { name, .. } => {
                self.is_begun = true;
                if self.parser.depth() == 2 {
                    self.is_in_body = name.local() == "Body";
                }
                self.element(name, before)?;
            }
            Event::Text { .. } if is_begun => self.content(before)?,
            _ => {}
        }
        Ok(true)
    }

    /// Does the text that is all that an element has refer to a part?
    fn content(&mut self, before: usize) -> Result<()> {
        let range = before..self.parser.position();
        let is_include_alone = self.is_xop && self.known.coming.is_some();
        if is_include_alone || !self.text[range.end..].starts_with("</") {
            return Ok(());
        }
        match self.known.part(self.text[range.clone()].trim_ascii()) {
            Some(part) => self.refer(range, part, None, true),
            None => Ok(()),
        }
    }

    /// Does an element refer to a part, which begins behind `before`?
    fn element(&mut self, name: Name<'a>, before: usize) -> Result<()> {
        let text = self.text;
        let Self { parser, known, is_xop, .. } = &mut *self;
        let is_include =
            name.local() == "Include" && parser.namespace_name(text, name.namespace) == XOP;
        if *is_xop && !is_include {
            return Ok(());
        }
        let href = parser.attribute(text, Namespace::NONE, "href");
        let uri = href.as_ref().map(Attribute::value).unwrap_or_default();
        let is_empty = parser.is_empty_element()
            || text[parser.position()..].trim_ascii_start().starts_with("</");
        // Of an element that is not empty it is no reference, whatever it is.
        let part = if is_include || is_empty { known.part_of_href(&uri) } else { None };
        let Some(part) = part else {
            return match (is_include, uri.starts_with("cid:")) {
                (false, _) => Ok(()),
                (true, true) => Err(wrong(format!("no part of the package is {uri:?}"), before)),
                (true, false) => Err(wrong("an Include refers to no part of the package", before)),
            };
        };
        let tag_end = parser.position();
        // An element stays, without what referred to the part.
        let element = match href {
            Some(href) if !is_include => Some(self.without(name, &href, tag_end)),
            _ => None,
        };
        self.parser.skip_element(self.text)?;
        self.refer(before..self.parser.position(), part, element, false)
    }

    /// An element whose start tag ends here, without an attribute.
    fn without(&self, name: Name<'_>, attribute: &Attribute<'_>, tag_end: usize) -> Element {
        let place = |part: &str| {
            let start = part.as_ptr().addr() - self.text.as_ptr().addr();
            start..start + part.len()
        };
        let before = &self.text[..place(attribute.name.qualified()).start];
        // The value is in quotes.
        let href = before.trim_ascii_end().len()..place(attribute.raw).end + 1;
        let tag = self.text[..tag_end].trim_end_matches('>').trim_end_matches('/');
        Element { name: place(name.qualified()), href, tag_end: tag.len() }
    }

    fn refer(
        &mut self,
        range: Range<usize>,
        part: usize,
        element: Option<Element>,
        is_text: bool,
    ) -> Result<()> {
        self.room.take(REFERENCE, range.start)?;
        let is_in_body = self.is_in_body;
        self.references.push(Reference { range, part, element, is_in_body, is_text });
        Ok(())
    }
}

/// A URI's characters without their escapes, as `Content-ID` has them (RFC 2392 section 2).
pub fn decoded(id: &str) -> String {
    let mut octets = Vec::with_capacity(id.len());
    let mut rest = id.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = match (first, behind) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|it| u8::from_str_radix(it, 16).ok()),
            _ => None,
        };
        octets.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&octets).into_owned()
}
