//! XML for people: one element a line, indented.

/// Writes a document.
#[derive(Debug)]
pub(super) struct Markup {
    text: String,
    depth: usize,
    /// The prefixes in references that are others, or none, each with its colon.
    renamed: Vec<(String, &'static str)>,
}

/// The attributes that name types, elements and attributes, with their prefixes.
const REFERENCES: [&str; 4] = ["type", "base", "ref", "itemType"];

impl Markup {
    pub(super) fn new() -> Self {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".into();
        Self { text, depth: 0, renamed: Vec::new() }
    }

    /// One in which these prefixes of references are others.
    pub(super) fn renaming(renamed: Vec<(String, &'static str)>) -> Self {
        Self { renamed, ..Self::new() }
    }

    /// Begins an element that has others inside.
    pub(super) fn begin(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.text.push_str(">\n");
        self.depth += 1;
    }

    pub(super) fn end(&mut self, name: &str) {
        self.depth -= 1;
        self.indent();
        self.text.push_str(&format!("</{name}>\n"));
    }

    /// An element with nothing inside.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.text.push_str("/>\n");
    }

    pub(super) fn documentation(&mut self, text: Option<&str>) {
        let Some(text) = text else { return };
        self.tag("wsdl:documentation", &[]);
        self.text.push('>');
        self.escape(text);
        self.text.push_str("</wsdl:documentation>\n");
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            self.text.push_str(&format!(" {name}=\""));
            match self.renamed(name, value) {
                Some((prefix, local)) => {
                    self.text.push_str(prefix);
                    self.escape(&value[local..]);
                }
                None => self.escape(value),
            }
            self.text.push('"');
        }
    }

    /// The prefix that a reference has in place of its own, and where its name begins.
    fn renamed(&self, name: &str, value: &str) -> Option<(&'static str, usize)> {
        let mut all = self.renamed.iter().filter(|_| REFERENCES.contains(&name));
        let found = all.find(|(prefix, _)| value.starts_with(&**prefix))?;
        Some((found.1, found.0.len()))
    }

    /// For text and attributes both. What XML 1.0 cannot carry becomes U+FFFD.
    fn escape(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '&' => self.text.push_str("&amp;"),
                '"' => self.text.push_str("&quot;"),
                // A parser would turn it into a line feed.
                '\r' => self.text.push_str("&#13;"),
                '\0'..=' ' if !matches!(c, '\t' | '\n' | ' ') => self.text.push('\u{FFFD}'),
                '\u{FFFE}' | '\u{FFFF}' => self.text.push('\u{FFFD}'),
                c => self.text.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_markup_is_escaped_and_what_is_not_xml_replaced() {
        let mut markup = Markup::new();
        markup.begin("a", &[("b", "<\"&\u{1}\">")]);
        markup.documentation(Some("x < y &\r\u{FFFF}"));
        markup.end("a");
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <a b=\"&lt;&quot;&amp;\u{FFFD}&quot;&gt;\">\n  \
            <wsdl:documentation>x &lt; y &amp;&#13;\u{FFFD}</wsdl:documentation>\n</a>\n";
        assert_eq!(markup.finish(), expected);
    }
}
