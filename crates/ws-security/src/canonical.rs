//! Exclusive XML Canonicalization 1.0 without comments, of one element of a document.
//!
//! No crate of others does it over a checked parser, so it is ours. `tests/tests/canonical.rs` holds it against libxml2.

use std::collections::BTreeMap;

use trunkline_codec::infoset::{Event, Reader as _, Tag as _};
use trunkline_codec::xml;
use trunkline_message::{Error, ErrorKind, Limits, Result};

/// The algorithm.
pub(crate) const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

/// The element that begins at a byte of a document, in the only form that all have who sign or verify it. Namespaces of `prefixes`
/// are those of `InclusiveNamespaces`: they are written where they are in scope, whether or not names have them; `#default` is
/// the one without a prefix.
///
/// # Errors
/// The document is not well-formed, has what SOAP forbids (a document type, processing instructions), is larger
/// than the limits, as canonical XML may be where the document is not, or no element begins there.
pub fn exclusive(document: &str, at: usize, prefixes: &[&str], limits: &Limits) -> Result<String> {
    let mut reader = xml::Reader::soap(document, limits)?;
    loop {
        match reader.next()? {
            Event::Start(name) if reader.began() == at => {
                let mut canonical = Canonical::new(prefixes);
                canonical.start(&reader, name);
                while !canonical.open.is_empty() {
                    if canonical.out.len() > limits.message_bytes {
                        let (name, limit) = ("message_bytes", limits.message_bytes);
                        return Err(Error::new(ErrorKind::Limit { name, limit }, reader.began()));
                    }
                    match reader.next()? {
                        Event::Start(name) => canonical.start(&reader, name),
                        Event::Text(text) => escape_text(&reader.value(text), &mut canonical.out),
                        Event::End | Event::Eof => canonical.end(),
                    }
                }
                return Ok(canonical.out);
            }
            Event::Eof => {
                let what = "an element here";
                return Err(Error::new(ErrorKind::Expected(what.into()), at));
            }
            _ => {}
        }
    }
}

type Reader<'d> = xml::Reader<'d, Box<xml::Parser>>;

struct Canonical<'p> {
    prefixes: &'p [&'p str],
    out: String,
    /// Of each open element, its name, and how many namespaces were written before it.
    open: Vec<(String, usize)>,
    /// What was written and is in scope: prefix and namespace.
    written: Vec<(String, String)>,
}

impl<'p> Canonical<'p> {
    fn new(prefixes: &'p [&'p str]) -> Self {
        Self { prefixes, out: String::new(), open: Vec::new(), written: Vec::new() }
    }

    fn start(&mut self, reader: &Reader<'_>, name: xml::Name<'_>) {
        let qualified = reader.qualified(name);
        self.out.push('<');
        self.out.push_str(&qualified);
        self.open.push((qualified, self.written.len()));
        // Of names in namespaces that are used here, in the order in which they are written.
        let mut used = BTreeMap::new();
        used.insert(reader.prefix(name), reader.namespace_of(name));
        let mut attributes: Vec<_> =
            (0..reader.attributes()).map(|index| reader.attribute(index)).collect();
        for (name, _) in attributes.iter().filter(|it| !reader.prefix(it.0).is_empty()) {
            used.insert(reader.prefix(*name), reader.namespace_of(*name));
        }
        for prefix in self.prefixes {
            let prefix = if *prefix == "#default" { "" } else { prefix };
            let found = reader.resolve(prefix).map(|it| reader.namespace_name(it));
            if let Some(namespace) = found.or(prefix.is_empty().then_some("")) {
                used.insert(prefix, namespace);
            }
        }
        for (prefix, namespace) in used {
            self.declare(prefix, namespace);
        }
        attributes.sort_by(|one, other| order(reader, one.0).cmp(&order(reader, other.0)));
        for (name, value) in attributes {
            self.attribute(&reader.qualified(name), &reader.value(value));
        }
        self.out.push('>');
    }

    /// Declares a namespace unless it was declared around here.
    fn declare(&mut self, prefix: &str, namespace: &str) {
        let found = self.written.iter().rev().find(|it| it.0 == prefix);
        let known = found.map_or("", |it| &it.1);
        if prefix == "xml" || known == namespace {
            return;
        }
        match prefix {
            "" => self.attribute("xmlns", namespace),
            _ => self.attribute(&format!("xmlns:{prefix}"), namespace),
        }
        self.written.push((prefix.to_owned(), namespace.to_owned()));
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let out = &mut self.out;
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        for character in value.chars() {
            match character {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '"' => out.push_str("&quot;"),
                '\t' => out.push_str("&#x9;"),
                '\n' => out.push_str("&#xA;"),
                '\r' => out.push_str("&#xD;"),
                other => out.push(other),
            }
        }
        out.push('"');
    }

    fn end(&mut self) {
        if let Some((name, written)) = self.open.pop() {
            self.out.push_str("</");
            self.out.push_str(&name);
            self.out.push('>');
            self.written.truncate(written);
        }
    }
}

/// By what attributes are ordered: their namespaces, then their names.
fn order<'r, 'd>(reader: &'r Reader<'d>, name: xml::Name<'d>) -> (&'r str, &'r str) {
    (reader.namespace_of(name), reader.local(name))
}

fn escape_text(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#xD;"),
            other => out.push(other),
        }
    }
}
