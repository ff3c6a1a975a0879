//! A Fast Infoset document as XML.

use trunkline_codec::fast_infoset::{Event, Name, Parser, Text};
use trunkline_codec::xml::escape;
use trunkline_message::Error;

/// A document that becomes XML.
pub(crate) struct Document<'a> {
    pub(crate) parser: &'a mut Parser,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: String,
}

impl Document<'_> {
    /// Of one that is wrong, what came before that place is in `out`.
    pub(crate) fn decode(&mut self) -> Result<(), Error> {
        self.parser.begin(self.bytes)?;
        loop {
            // The end of an element does not name it.
            let open = self.parser.open_element();
            match self.parser.next(self.bytes)? {
                Event::Start(name) => self.start(name),
                Event::End => {
                    self.out.push_str("</");
                    open.into_iter().for_each(|name| self.name(name));
                    self.out.push('>');
                }
                Event::Text(text) => self.escaped(text, false),
                Event::Comment(text) => self.around("<!--", &[text], "-->"),
                Event::Instruction { target, data } => self.around("<?", &[target, data], "?>"),
                Event::DocumentType { system, public } => self.document_type(system, public),
                Event::EntityReference { name, .. } => self.around("&", &[name], ";"),
                Event::Eof => break,
            }
        }
        self.out.push('\n');
        Ok(())
    }

    fn start(&mut self, name: Name) {
        self.out.push('<');
        self.name(name);
        for (prefix, namespace) in self.parser.declared() {
            let colon = if prefix.is_empty() { "" } else { ":" };
            self.out.extend([" xmlns", colon, prefix, "=\""]);
            escape(namespace, true, &mut self.out);
            self.out.push('"');
        }
        for index in 0..self.parser.attributes().len() {
            let attribute = self.parser.attributes()[index];
            self.out.push(' ');
            self.name(attribute.name);
            self.out.push_str("=\"");
            self.escaped(attribute.value, true);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn name(&mut self, name: Name) {
        let prefix = self.parser.prefix(name);
        let colon = if prefix.is_empty() { "" } else { ":" };
        self.out.extend([prefix, colon, self.parser.local(name)]);
    }

    fn escaped(&mut self, text: Text, in_quotes: bool) {
        escape(&self.parser.text(self.bytes, text), in_quotes, &mut self.out);
    }

    /// What XML writes as it is.
    fn around(&mut self, begin: &str, texts: &[Text], end: &str) {
        self.out.push_str(begin);
        for (index, &text) in texts.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { " " });
            self.out.push_str(&self.parser.text(self.bytes, text));
        }
        self.out.push_str(end);
    }

    /// The root element's name is not in the document type of Fast Infoset.
    fn document_type(&mut self, system: Option<Text>, public: Option<Text>) {
        let mut facts = String::from("<!-- document type");
        for (what, text) in [("public", public), ("system", system)] {
            if let Some(text) = text {
                facts.extend([", ", what, " "]);
                facts.push_str(&self.parser.text(self.bytes, text));
            }
        }
        self.out.push_str(&facts);
        self.out.push_str(" -->");
    }
}
