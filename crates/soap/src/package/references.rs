//! Which parts of its package an envelope refers to, and where.

use std::collections::HashMap;
use std::ops::Range;

use trunkline_codec::attachment::Package;
use trunkline_codec::xml::{Event, Name, Namespace, Options, Parser};
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_wire::base64;

use super::unpack::{Place, wrong};

const XOP: &str = "http://www.w3.org/2004/08/xop/include";

/// What stands in an envelope in the place of octets that a decoder gets from elsewhere: no base64, and one character.
pub(super) const MARK: &str = "!";

/// An envelope, and what it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Referring {
    text: String,
    references: Vec<Reference>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Reference {
    /// What it is in the text.
    range: Range<usize>,
    part: usize,
    /// Tags around the octets, where an empty element refers to them.
    tags: Option<[String; 2]>,
    /// Is it in the Body?
    is_in_body: bool,
    /// Is it a text that is a URI?
    is_text: bool,
}

impl Referring {
    /// Finds all references in an envelope, which is the part `root` of a package.
    pub(super) fn read(
        text: &str,
        package: &Package,
        root: usize,
        limits: &Limits,
    ) -> Result<Self> {
        let mut search = Search::new(text, package, limits)?;
        while search.next()? {}
        let Search { mut references, .. } = search;
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
        let mut room = limits.message_bytes.checked_sub(text.len());
        for reference in &references {
            let length = package.parts[reference.part].data.len();
            room = room.and_then(|it| it.checked_sub(length));
            if room.is_none() {
                let limit = limits.message_bytes;
                let kind = ErrorKind::Limit { name: "message_bytes", limit };
                return Err(Error::new(kind, reference.range.start));
            }
        }
        Ok(Self { text: text.to_owned(), references })
    }

    /// Do texts refer to parts?
    pub(super) fn has_texts(&self) -> bool {
        self.references.iter().any(|it| it.is_text)
    }

    /// The envelope with octets as base64 in their places.
    pub(super) fn whole<'p>(&self, octets: impl Fn(usize) -> &'p [u8]) -> Vec<u8> {
        self.replaced(|_, part, out| base64::encode_into(octets(part), out))
    }

    /// The envelope with a mark in each place in the Body where octets are wanted, base64 in others; and these places.
    pub(super) fn marked<'p>(&self, octets: impl Fn(usize) -> &'p [u8]) -> (Vec<u8>, Vec<Place>) {
        let mut places = Vec::new();
        let marked = self.replaced(|is_in_body, part, out| match is_in_body {
            true => {
                places.push(Place { at: out.len(), part });
                out.extend_from_slice(MARK.as_bytes());
            }
            false => base64::encode_into(octets(part), out),
        });
        (marked, places)
    }

    fn replaced(&self, mut replace: impl FnMut(bool, usize, &mut Vec<u8>)) -> Vec<u8> {
        // What declares another character set is in UTF-8 now.
        let mut copied = match self.text.strip_prefix("<?xml").and_then(|it| it.find("?>")) {
            Some(end) => "<?xml".len() + end + "?>".len(),
            None => 0,
        };
        let mut out = Vec::with_capacity(self.text.len());
        for Reference { range, part, tags, is_in_body, .. } in &self.references {
            out.extend_from_slice(&self.text.as_bytes()[copied..range.start]);
            let [start, end] = tags.as_ref().map_or(["", ""], |[start, end]| [start, end]);
            out.extend_from_slice(start.as_bytes());
            replace(*is_in_body, *part, &mut out);
            out.extend_from_slice(end.as_bytes());
            copied = range.end;
        }
        out.extend_from_slice(&self.text.as_bytes()[copied..]);
        out
    }
}

/// Goes through an envelope.
struct Search<'a> {
    text: &'a str,
    parser: Parser,
    by_id: HashMap<&'a str, usize>,
    references: Vec<Reference>,
    is_in_body: bool,
    /// Was the start of an element read last?
    is_begun: bool,
}

impl<'a> Search<'a> {
    fn new(text: &'a str, package: &'a Package, limits: &Limits) -> Result<Self> {
        let mut parser = Parser::new(Options::soap(), limits);
        parser.begin(text)?;
        let parts = package.parts.iter().enumerate().filter(|(_, it)| !it.head.id.is_empty());
        let by_id = parts.map(|(at, it)| (it.head.id.as_str(), at)).collect();
        Ok(Self { text, parser, by_id, references: Vec::new(), is_in_body: false, is_begun: false })
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
            Event::Text { .. } if is_begun => self.content(before),
            _ => {}
        }
        Ok(true)
    }

    /// Does the text that is all that an element has refer to a part?
    fn content(&mut self, before: usize) {
        let range = before..self.parser.position();
        let Some(uri) = self.text[range.clone()].trim_ascii().strip_prefix("cid:") else { return };
        let found = self.by_id.get(decoded(uri).as_str()).copied();
        if let Some(part) = found.filter(|_| self.text[range.end..].starts_with("</")) {
            self.refer(range, part, None, true);
        }
    }

    /// Does an element refer to a part, which begins behind `before`?
    fn element(&mut self, name: Name<'a>, before: usize) -> Result<()> {
        let Self { text, parser, by_id, .. } = self;
        let is_include =
            name.local() == "Include" && parser.namespace_name(text, name.namespace) == XOP;
        let href = parser.attribute(text, Namespace::NONE, "href").map(|it| it.value());
        // DIME has any URI, as it stands.
        let as_it_stands = href.as_deref().filter(|it| by_id.contains_key(it));
        let cid = href.as_deref().and_then(|it| it.strip_prefix("cid:")).map(decoded);
        let id = as_it_stands.map(str::to_owned).or(cid);
        let (Some(id), true) = (id, is_include || parser.is_empty_element()) else {
            return match is_include {
                true => Err(wrong("an Include refers to no part of the package", before)),
                false => Ok(()),
            };
        };
        let Some(part) = by_id.get(id.as_str()).copied() else {
            return Err(wrong(format!("no part of the package is {id:?}"), before));
        };
        let tag_end = parser.position();
        parser.skip_element(text)?;
        let (range, tag) = (before..parser.position(), &text[before..tag_end]);
        // An element stays, without what referred to the part.
        let tags = (!is_include).then(|| [without_href(tag), format!("</{}>", name.qualified())]);
        self.refer(range, part, tags, false);
        Ok(())
    }

    fn refer(
        &mut self,
        range: Range<usize>,
        part: usize,
        tags: Option<[String; 2]>,
        is_text: bool,
    ) {
        let is_in_body = self.is_in_body;
        self.references.push(Reference { range, part, tags, is_in_body, is_text });
    }
}

/// The start tag of an empty element as that of one with content, without its attribute `href`.
fn without_href(tag: &str) -> String {
    let tag = tag.trim_end_matches('>').trim_end_matches('/');
    let mut rest = tag;
    let mut kept = String::new();
    while let Some(quote) = rest.find(['"', '\'']) {
        let (before, value) = rest.split_at(quote);
        let mark = &value[..1];
        let end = value[1..].find(mark).map_or(value.len(), |it| it + 2);
        let name = before.trim_end().trim_end_matches('=').trim();
        if name.split_whitespace().next_back() == Some("href") {
            kept.push_str(before[..before.rfind("href").unwrap_or(before.len())].trim_end());
        } else {
            kept.push_str(before);
            kept.push_str(&value[..end]);
        }
        rest = &value[end..];
    }
    kept.push_str(rest);
    kept.push('>');
    kept
}

/// A URI's characters without their escapes, as `Content-ID` has them (RFC 2392 section 2).
fn decoded(id: &str) -> String {
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
