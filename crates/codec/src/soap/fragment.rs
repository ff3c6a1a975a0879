//! Pieces of XML that stand by themselves.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memchr_iter;
use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::qname::{QName, escape};
use crate::xml::{self, Event, Namespace, Parser};

/// One element with all that is in it and every namespace declaration that it needs, so that it
/// means the same wherever it is put: a header block, an entry of a fault's detail.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fragment {
    text: String,
    name: QName,
}

impl Fragment {
    /// The element in a text that has nothing else, but for an XML declaration, comments and white
    /// space, which are left out.
    ///
    /// # Errors
    /// Says what is wrong at which byte of the text.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(at) = text.find(['\u{fffe}', '\u{ffff}']) {
            let what = "XML: character U+FFFE or U+FFFF is not allowed";
            return Err(Error::new(ErrorKind::Syntax(what.into()), at));
        }
        let mut parser = Parser::new(xml::Options::soap(), &Limits::default());
        parser.begin(text)?;
        let mut place = 0..0;
        let mut root = None;
        loop {
            let at = parser.position();
            match parser.next(text)? {
                Event::Start { name, .. } if root.is_none() => {
                    // White space before the root is not an event.
                    place.start = at + text[at..].find('<').unwrap_or(0);
                    root = Some(QName::of(&parser, text, name));
                }
                Event::End { .. } if parser.depth() == 0 => place.end = parser.position(),
                Event::Eof => break,
                _ => {}
            }
        }
        match root {
            Some(name) => Ok(Self { text: text[place].to_owned(), name }),
            None => Err(Error::new(ErrorKind::Expected("an element".into()), 0)),
        }
    }

    /// An element of this name with this text in it. Characters that XML does not have become
    /// U+FFFD.
    ///
    /// # Errors
    /// The name could not be that of an element.
    pub fn text(name: &QName, text: &str) -> Result<Self> {
        name.check()?;
        let mut out = format!("<{}", name.local);
        if !name.namespace.is_empty() {
            out.push_str(" xmlns=\"");
            escape(&name.namespace, &mut out);
            out.push('"');
        }
        out.push('>');
        escape(text, &mut out);
        out.push_str(&format!("</{}>", name.local));
        Ok(Self { text: out, name: name.clone() })
    }

    /// The element as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text of the element, if there is nothing else in it.
    pub fn value(&self) -> Option<String> {
        let input = &*self.text;
        let mut parser = Parser::new(xml::Options::soap(), &Limits::default());
        parser.begin(input).ok()?;
        parser.next(input).ok()?;
        let mut value = String::new();
        loop {
            match parser.next(input).ok()? {
                Event::Text { raw, .. } => xml::unescape(raw, &mut value),
                Event::CData { raw, .. } => xml::normalise_newlines(raw, &mut value),
                Event::Start { .. } | Event::Eof => return None,
                Event::End { .. } => return Some(value),
                _ => {}
            }
        }
    }

    /// The name of the element.
    pub fn name(&self) -> &QName {
        &self.name
    }

    /// The element that stands at `place` of a document and that the parser has just left, without
    /// the parts of its start tag that are `removed`, in the order of the document.
    pub(super) fn cut(
        parser: &Parser,
        input: &str,
        place: Range<usize>,
        name: QName,
        removed: &[Range<usize>],
    ) -> Self {
        let mut text = String::with_capacity(place.len() + 64);
        let mut from = place.start;
        for gap in removed {
            text.push_str(&input[from..gap.start]);
            from = gap.end;
        }
        text.push_str(&input[from..place.end]);
        let declarations = needed(parser, input, &text);
        text.insert_str(name_end(&text), &declarations);
        Self { text, name }
    }

    /// The same element without these parts of its start tag, in the order of the document.
    pub(super) fn without(mut self, removed: &[Range<usize>]) -> Self {
        for gap in removed.iter().rev() {
            self.text.replace_range(gap.clone(), "");
        }
        self
    }

    /// The two parts between which attributes may be put into its start tag.
    pub(super) fn parts(&self) -> (&str, &str) {
        self.text.split_at(name_end(&self.text))
    }

    /// Whether its start tag declares the prefix.
    pub(super) fn declares(&self, prefix: &str) -> bool {
        declared(&self.text).contains(prefix)
    }
}

/// The declarations that an element takes from those around it: those of prefixes that
/// stand before a colon anywhere in it, be it in a name or in a value, and the default one.
fn needed(parser: &Parser, input: &str, raw: &str) -> String {
    let mut out = String::new();
    let text = match raw.contains("&#") {
        true => {
            let mut text = String::new();
            xml::unescape(raw, &mut text);
            Cow::Owned(text)
        }
        false => Cow::Borrowed(raw),
    };
    let mut settled = declared(raw);
    settled.extend(["xml", "xmlns"]);
    let mut declare = |name: &str, namespace| {
        out.push_str(name);
        out.push_str("=\"");
        escape(parser.namespace_name(input, namespace), &mut out);
        out.push('"');
    };
    if settled.insert("") && parser.default_namespace() != Namespace::NONE {
        declare(" xmlns", parser.default_namespace());
    }
    let mut from = 0;
    for colon in memchr_iter(b':', text.as_bytes()) {
        let before = &text[from..colon];
        from = colon + 1;
        let is_part = |character: char| character != ':' && xml::is_name_char(character);
        let start = before.trim_end_matches(is_part).len();
        let prefix = &before[start..];
        if let Some(namespace) = parser.resolve_prefix(input, prefix)
            && settled.insert(prefix)
        {
            declare(&format!(" xmlns:{prefix}"), namespace);
        }
    }
    out
}

/// Where the name in a start tag ends.
fn name_end(element: &str) -> usize {
    element.find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or(element.len())
}

/// The prefixes that the start tag of an element declares, the empty one for the default; the
/// element is known to be well-formed.
fn declared(element: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rest = &element[name_end(element)..];
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some((name, after)) = rest.split_once('=').filter(|_| !rest.starts_with(['/', '>']))
        else {
            return found;
        };
        match name.trim_ascii_end().strip_prefix("xmlns") {
            Some("") => _ = found.insert(""),
            Some(prefix) => found.extend(prefix.strip_prefix(':')),
            None => {}
        }
        let after = after.trim_start_matches([' ', '\t', '\r', '\n']);
        let quote = if after.starts_with('\'') { '\'' } else { '"' };
        let value = after.get(1..).unwrap_or_default();
        rest = value.split_once(quote).map_or("", |(_, rest)| rest);
    }
}
