//! Whole elements that come as XML.

use trunkline_message::Limits;

use super::Writer;
use crate::fast_infoset::sender::string;
use crate::infoset::{Name, Writer as _};
use crate::xml::{self, Event, Options, Parser, Source};

/// Why elements are not written.
type Why = &'static str;

const MALFORMED: Why = "elements that are no well-formed XML";

impl Writer {
    /// Writes elements, in which the prefixes may stand that are declared around them.
    pub(super) fn write_elements(&mut self, elements: &str) -> Result<(), Why> {
        // An element around them makes them a document. Prefixes are resolved here.
        let document = format!("<a>{elements}</a>");
        let unlimited = Limits {
            message_bytes: usize::MAX,
            depth: usize::MAX,
            value_bytes: usize::MAX,
            attributes: usize::MAX,
            ..Limits::default()
        };
        let mut source = Source::default();
        let text = source.prepare(document.as_bytes(), &unlimited).map_err(|_| MALFORMED)?;
        let mut parser = Parser::new(Options { namespaces: false, ..Options::soap() }, &unlimited);
        parser.begin(text).map_err(|_| MALFORMED)?;
        let mut value = String::new();
        loop {
            let event = parser.next(text).map_err(|_| MALFORMED)?;
            value.clear();
            match event {
                Event::Start { .. } if parser.depth() == 1 => {}
                Event::Start { name, .. } => self.write_element(name.qualified(), &parser, text)?,
                Event::End { .. } if parser.depth() == 0 => {}
                Event::End { .. } => self.end(),
                Event::Text { raw, .. } => {
                    xml::unescape(raw, &mut value);
                    self.text(&value);
                }
                Event::CData { raw, .. } => {
                    xml::normalise_newlines(raw, &mut value);
                    self.text(&value);
                }
                Event::Comment(_) | Event::ProcessingInstruction { .. } => {}
                Event::Eof => return Ok(()),
            }
        }
    }

    fn write_element(&mut self, name: &str, parser: &Parser, text: &str) -> Result<(), Why> {
        let attributes: Vec<(&str, String)> = parser
            .attributes(text)
            .map(|it| (it.name.qualified(), it.value().into_owned()))
            .collect();
        let declared = |name: &str| match name.strip_prefix("xmlns") {
            Some("") => Some(String::new()),
            Some(rest) => rest.strip_prefix(':').map(str::to_owned),
            None => None,
        };
        let own: Vec<(String, &String)> =
            attributes.iter().filter_map(|(name, value)| Some((declared(name)?, value))).collect();
        let resolve = |writer: &Self, prefix: &str| {
            let found = own.iter().find(|it| it.0 == prefix).map(|it| it.1.clone());
            found.or_else(|| writer.declared_namespace(prefix))
        };
        let split = |name: &str| -> (String, String) {
            let (prefix, local) = name.split_once(':').unwrap_or(("", name));
            (prefix.to_owned(), local.to_owned())
        };
        let (prefix, local) = split(name);
        let namespace =
            resolve(self, &prefix).ok_or("elements with a prefix that is not declared")?;
        self.start(Name { prefix: &prefix, namespace: &namespace, local: &local });
        for (prefix, namespace) in &own {
            self.declare(prefix, namespace);
        }
        for (name, value) in attributes.iter().filter(|(name, _)| declared(name).is_none()) {
            let (prefix, local) = split(name);
            let namespace = match prefix.is_empty() {
                true => String::new(),
                false => {
                    resolve(self, &prefix).ok_or("attributes with a prefix that is not declared")?
                }
            };
            self.attribute(Name { prefix: &prefix, namespace: &namespace, local: &local }, value);
        }
        Ok(())
    }

    /// The namespace of a prefix in this place.
    fn declared_namespace(&self, prefix: &str) -> Option<String> {
        let mut scope = self.scope.iter().rev();
        let found = scope.find(|[known, _]| string(&self.scope_text, *known) == prefix);
        match (found, prefix) {
            (Some([_, namespace]), _) => Some(string(&self.scope_text, *namespace).to_owned()),
            (None, "") => Some(String::new()),
            (None, "xml") => Some(crate::fast_infoset::vocabulary::XML_NAMESPACE.to_owned()),
            (None, _) => None,
        }
    }
}
