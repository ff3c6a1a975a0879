//! XML as an infoset, to write.

use trunkline_wire::scan;

use crate::infoset::{self, Name};

/// Writes a document in UTF-8.
#[derive(Debug, Default)]
pub struct Writer {
    out: String,
    /// The names of the open elements, one behind the other, and where each begins.
    names: String,
    open: Vec<usize>,
    /// Is the start tag of the innermost one open yet?
    in_tag: bool,
}

impl Writer {
    /// Begins a document with its declaration.
    pub fn document() -> Self {
        let out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        Self { out, ..Self::default() }
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.out
    }

    fn end_tag(&mut self) {
        if std::mem::take(&mut self.in_tag) {
            self.out.push('>');
        }
    }

    fn attribute(&mut self, prefix: &str, local: &str, value: &str) -> bool {
        self.out.push(' ');
        qualified(prefix, local, &mut self.out);
        self.out.push_str("=\"");
        let is_legal = escape(value, true, &mut self.out);
        self.out.push('"');
        is_legal
    }
}

fn qualified(prefix: &str, local: &str, out: &mut String) {
    if !prefix.is_empty() {
        out.push_str(prefix);
        out.push(':');
    }
    out.push_str(local);
}

impl infoset::Writer for Writer {
    fn start(&mut self, name: Name<'_>) {
        self.end_tag();
        let start = self.names.len();
        self.open.push(start);
        qualified(name.prefix, name.local, &mut self.names);
        self.out.push('<');
        self.out.push_str(&self.names[start..]);
        self.in_tag = true;
    }

    fn declare(&mut self, prefix: &str, namespace: &str) -> bool {
        match prefix {
            "" => self.attribute("", "xmlns", namespace),
            prefix => self.attribute("xmlns", prefix, namespace),
        }
    }

    fn attribute(&mut self, name: Name<'_>, value: &str) -> bool {
        self.attribute(name.prefix, name.local, value)
    }

    fn text(&mut self, text: &str) -> bool {
        self.end_tag();
        escape(text, false, &mut self.out)
    }

    fn raw(&mut self, elements: &str) {
        self.end_tag();
        self.out.push_str(elements);
    }

    fn end(&mut self) {
        let Some(start) = self.open.pop() else { return };
        match std::mem::take(&mut self.in_tag) {
            true => self.out.push_str("/>"),
            false => {
                self.out.push_str("</");
                self.out.push_str(&self.names[start..]);
                self.out.push('>');
            }
        }
        self.names.truncate(start);
    }

    fn position(&self) -> usize {
        self.out.len()
    }
}

/// Appends a text so that it reads the same in an element, or between double quotes. Characters that
/// XML does not have become U+FFFD; says whether there was none.
pub fn escape(text: &str, in_quotes: bool, out: &mut String) -> bool {
    if !in_quotes && !scan::needs_escape(text.as_bytes()) {
        out.push_str(text);
        return true;
    }
    let mut legal = true;
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '>' => out.push_str("&gt;"),
            '"' if in_quotes => out.push_str("&quot;"),
            // A parser would turn it into a line feed, and all of these in quotes into blanks.
            '\r' => out.push_str("&#13;"),
            '\n' if in_quotes => out.push_str("&#10;"),
            '\t' if in_quotes => out.push_str("&#9;"),
            '\t' | '\n' => out.push(character),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => {
                legal = false;
                out.push('\u{fffd}');
            }
            _ => out.push(character),
        }
    }
    legal
}
