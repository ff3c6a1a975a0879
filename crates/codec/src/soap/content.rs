//! What an element says in its attributes and its text.

use trunkline_message::{ErrorKind, Kind, Result};

use super::decoder::{Body, Value};
use super::opening;
use crate::xml::{self, Event};

impl Body<'_> {
    /// Looks at the attributes of the start tag just read: is the element nil? Does its type fit?
    pub(super) fn is_nil(&mut self) -> Result<bool> {
        let mut nil = false;
        for attribute in self.parser.attributes(self.input) {
            let namespace = self.parser.namespace_name(self.input, attribute.name.namespace);
            match (namespace, attribute.name.local()) {
                (opening::XSI, "nil") => match attribute.raw.trim() {
                    "true" | "1" => nil = true,
                    "false" | "0" => {}
                    _ => {
                        let expected = "xsi:nil to be true or false";
                        return Err(self.error(ErrorKind::Expected(expected.into()), self.at()));
                    }
                },
                (opening::XSI, "type") => self.check_type(attribute.raw.trim())?,
                ("", "href") | (opening::ENCODING12, "ref") => {
                    let what = "references to elements elsewhere (multi-ref)";
                    return Err(self.error(ErrorKind::Unsupported(what.into()), self.at()));
                }
                _ => {}
            }
        }
        Ok(nil)
    }

    fn at(&self) -> usize {
        self.parser.position()
    }

    /// A type of XML Schema must be one that the field's kind can hold; other types are their
    /// senders' own.
    fn check_type(&self, qualified: &str) -> Result<()> {
        let (prefix, local) = qualified.split_once(':').unwrap_or(("", qualified));
        let Some(namespace) = self.parser.resolve_prefix(self.input, prefix) else {
            let what = format!("a declared prefix in xsi:type=\"{qualified}\"");
            return Err(self.error(ErrorKind::Expected(what.into()), self.at()));
        };
        let namespace = self.parser.namespace_name(self.input, namespace);
        let fields = &self.plan.schema.scopes()[self.scope].fields;
        let kind = fields.get(self.field).map(|field| field.kind);
        let schema_type = namespace == opening::XSD;
        if schema_type && kind.is_some_and(|kind| !fits(kind, local)) {
            let what = format!("a value of another type than xsd:{local}");
            return Err(self.error(ErrorKind::Expected(what.into()), self.at()));
        }
        Ok(())
    }

    /// The text of the element just begun, up to and including its end tag.
    pub(super) fn content(&mut self, element: usize) -> Result<Value> {
        let mut value = Value::Input(self.at(), self.at());
        let mut first = true;
        loop {
            let at = self.at();
            match self.parser.next(self.input)? {
                Event::Text { raw, plain: true, .. } | Event::CData { raw, plain: true }
                    if first =>
                {
                    let start = raw.as_ptr().addr() - self.input.as_ptr().addr();
                    value = Value::Input(start, start + raw.len());
                }
                Event::Text { raw, plain, .. } => {
                    value = self.begin_scratch(value, element);
                    match plain {
                        true => self.scratch.push_str(raw),
                        false => xml::unescape(raw, self.scratch),
                    }
                }
                Event::CData { raw, .. } => {
                    value = self.begin_scratch(value, element);
                    xml::normalise_newlines(raw, self.scratch);
                }
                Event::Comment(_) | Event::ProcessingInstruction { .. } => continue,
                Event::End { .. } => break,
                Event::Start { .. } | Event::Eof => {
                    let expected = "text, not an element";
                    return Err(self.error(ErrorKind::Expected(expected.into()), at));
                }
            }
            first = false;
            if let Value::Scratch(_) = value
                && self.scratch.len() > self.limits.value_bytes
            {
                let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
                return Err(self.error(kind, element));
            }
        }
        Ok(value)
    }

    /// Moves what was read so far into the scratch text.
    fn begin_scratch(&mut self, value: Value, element: usize) -> Value {
        if let Value::Input(start, end) = value {
            self.scratch.clear();
            self.scratch.push_str(&self.input[start..end]);
        }
        Value::Scratch(element)
    }
}

/// May a value of the XML Schema type stand where this kind is expected?
fn fits(kind: Kind, local: &str) -> bool {
    let whole = matches!(
        local,
        "byte"
            | "short"
            | "int"
            | "long"
            | "integer"
            | "unsignedByte"
            | "unsignedShort"
            | "unsignedInt"
            | "unsignedLong"
            | "nonNegativeInteger"
            | "positiveInteger"
            | "nonPositiveInteger"
            | "negativeInteger"
    );
    match kind {
        Kind::Boolean => local == "boolean",
        Kind::Integer(_) => whole,
        Kind::Decimal | Kind::Float => whole || matches!(local, "decimal" | "double" | "float"),
        Kind::Bytes => local == "base64Binary",
        Kind::Date => local == "date",
        Kind::Time => local == "time",
        Kind::Timestamp => local == "dateTime",
        Kind::Text | Kind::Code => {
            !whole && !matches!(local, "boolean" | "decimal" | "double" | "float" | "base64Binary")
        }
        Kind::Integers(_) | Kind::Floats | Kind::Group(_) => false,
    }
}
