//! The form that a message is written in: XML's bytes, or any that infosets are written in.
//!
//! XML is written by literal tags. For another form the tags are buffered up to the next value, and then
//! turned into events; the value itself goes to the writer as it is.

use trunkline_codec::infoset::{Name, Writer};
use trunkline_codec::xml::{self, unescape};
use trunkline_wire::Output;

/// Where what the encoder writes goes to.
pub(super) trait Form {
    /// Is it XML, which is what the encoder's output is?
    const IS_XML: bool;
    /// What another form is written by.
    type Writer: Writer;

    /// Turns the markup that is buffered in the output into events, and empties the output.
    fn flush(&mut self, output: &mut Output);

    /// Writes a value behind all that was flushed: as the value of the attribute of this name, or in the
    /// innermost element. Answers what `write` answers.
    fn value<T>(
        &mut self,
        write: impl FnOnce(&mut Self::Writer, Option<Name<'_>>) -> T,
    ) -> Option<T>;

    /// How many runs of markup and values were flushed.
    fn events(&self) -> usize;
}

/// XML.
pub(super) struct Xml;

impl Form for Xml {
    const IS_XML: bool = true;
    type Writer = xml::Writer;

    #[inline(always)]
    fn flush(&mut self, _: &mut Output) {}

    #[inline(always)]
    fn value<T>(&mut self, _: impl FnOnce(&mut xml::Writer, Option<Name<'_>>) -> T) -> Option<T> {
        None
    }

    #[inline(always)]
    fn events(&self) -> usize {
        0
    }
}

/// Another form: the events of an infoset.
pub(super) struct Infoset<'w, W> {
    writer: &'w mut W,
    /// Prefixes and their namespaces, the innermost last; how many there were at each open element.
    namespaces: Vec<(String, String)>,
    open: Vec<usize>,
    /// Is the start tag of the innermost element open?
    in_tag: bool,
    /// The attribute whose value is being written: its name, what is known of the value, and whether that was
    /// written.
    attribute: Option<(String, String, bool)>,
    events: usize,
}

impl<'w, W: Writer> Infoset<'w, W> {
    pub(super) fn new(writer: &'w mut W) -> Self {
        let (namespaces, open) = Default::default();
        Self { writer, namespaces, open, in_tag: false, attribute: None, events: 0 }
    }

    /// Puts whole elements, written as XML.
    pub(super) fn raw(&mut self, elements: &str) {
        self.writer.raw(elements);
    }

    /// Turns markup of this encoder, which may break off within a tag, into events.
    fn markup(&mut self, mut rest: &str) {
        while !rest.is_empty() {
            rest = match (&self.attribute, self.in_tag) {
                (Some(_), _) => self.in_attribute(rest),
                (None, true) => self.in_tag(rest),
                (None, false) => self.content(rest),
            };
        }
    }

    fn in_attribute<'t>(&mut self, rest: &'t str) -> &'t str {
        let (value, behind) = rest.split_once('"').map_or((rest, None), |it| (it.0, Some(it.1)));
        if let Some((_, text, _)) = &mut self.attribute {
            unescape(value, text);
        }
        let Some(behind) = behind else { return "" };
        if let Some((name, value, false)) = self.attribute.take()
            && declared(&name).is_none()
        {
            let name = named(&self.namespaces, &name, true);
            self.writer.attribute(name, &value);
        }
        behind
    }

    fn in_tag<'t>(&mut self, rest: &'t str) -> &'t str {
        if let Some(behind) = rest.strip_prefix("/>") {
            self.in_tag = false;
            self.end();
            return behind;
        }
        if let Some(behind) = rest.strip_prefix('>') {
            self.in_tag = false;
            return behind;
        }
        let (name, behind) = rest.split_once("=\"").unwrap_or((rest, ""));
        self.attribute = Some((name.trim_start().to_owned(), String::new(), false));
        behind
    }

    fn content<'t>(&mut self, rest: &'t str) -> &'t str {
        if rest.starts_with("<?") {
            return rest.split_once("?>").map_or("", |it| it.1);
        }
        if rest.starts_with("</") {
            self.end();
            return rest.split_once('>').map_or("", |it| it.1);
        }
        match rest.strip_prefix('<') {
            Some(tag) => {
                let end = tag.find([' ', '/', '>']).unwrap_or(tag.len());
                let (name, behind) = tag.split_at(end);
                self.start(name, behind);
                behind
            }
            None => {
                let (text, behind) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
                let mut value = String::new();
                unescape(text, &mut value);
                self.writer.text(&value);
                behind
            }
        }
    }

    /// Begins an element whose tag has all of its declarations in `behind`.
    fn start(&mut self, name: &str, mut behind: &str) {
        let outside = self.namespaces.len();
        self.open.push(outside);
        while let Some((attribute, rest)) = behind.split_once("=\"")
            && !attribute.contains('>')
            && let Some((value, rest)) = rest.split_once('"')
        {
            if let Some(prefix) = declared(attribute.trim_start()) {
                let mut namespace = String::new();
                unescape(value, &mut namespace);
                self.namespaces.push((prefix.to_owned(), namespace));
            }
            behind = rest;
        }
        self.writer.start(named(&self.namespaces, name, false));
        for (prefix, namespace) in &self.namespaces[outside..] {
            self.writer.declare(prefix, namespace);
        }
        self.in_tag = true;
    }

    fn end(&mut self) {
        self.writer.end();
        self.namespaces.truncate(self.open.pop().unwrap_or(0));
    }
}

/// The prefix that an attribute of this name declares, if it does.
fn declared(attribute: &str) -> Option<&str> {
    let prefix = attribute.strip_prefix("xmlns")?;
    if prefix.is_empty() { Some("") } else { prefix.strip_prefix(':') }
}

/// What a name means. Attributes without a prefix are in no namespace.
fn named<'n>(namespaces: &'n [(String, String)], name: &'n str, is_attribute: bool) -> Name<'n> {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let is_none = is_attribute && prefix.is_empty();
    let found = namespaces.iter().rev().find(|(known, _)| *known == prefix).filter(|_| !is_none);
    Name { prefix, namespace: found.map_or("", |it| &it.1), local }
}

impl<W: Writer> Form for Infoset<'_, W> {
    const IS_XML: bool = false;
    type Writer = W;

    fn flush(&mut self, output: &mut Output) {
        // What an encoder writes is UTF-8.
        let markup = std::str::from_utf8(output.as_slice()).unwrap_or_default();
        if !markup.is_empty() {
            self.events += 1;
            self.markup(markup);
            output.clear();
        }
    }

    fn value<T>(&mut self, write: impl FnOnce(&mut W, Option<Name<'_>>) -> T) -> Option<T> {
        self.events += 1;
        Some(match &mut self.attribute {
            Some((name, _, is_written)) => {
                *is_written = true;
                write(self.writer, Some(named(&self.namespaces, name, true)))
            }
            None => write(self.writer, None),
        })
    }

    fn events(&self) -> usize {
        self.events
    }
}
