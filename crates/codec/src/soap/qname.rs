//! Names of two parts, and how they stand in values.

use std::fmt;

use trunkline_message::{Error, ErrorKind, Result};

use super::opening::excerpt;
use crate::xml::{self, Parser};

/// The name of an element, an attribute or a fault code: a namespace and a name in it (Namespaces
/// in XML section 2.1, XML Schema part 2 section 3.2.18).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QName {
    /// The name of the namespace; empty for none.
    pub namespace: String,
    /// The name in the namespace.
    pub local: String,
}

impl QName {
    /// This name in this namespace, which is empty for none.
    pub fn new(namespace: impl Into<String>, local: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), local: local.into() }
    }

    /// Whether it is this name in this namespace.
    pub fn is(&self, namespace: &str, local: &str) -> bool {
        self.local == local && self.namespace == namespace
    }

    /// The name of an element or attribute that the parser has just read.
    pub(super) fn of(parser: &Parser, input: &str, name: xml::Name<'_>) -> Self {
        Self::new(parser.namespace_name(input, name.namespace), name.local())
    }

    /// What a value says, such as `ns:local`, where the parser stands; a prefix that is not
    /// declared says nothing.
    pub(super) fn in_value(parser: &Parser, input: &str, value: &str) -> Self {
        let value = value.trim_matches([' ', '\t', '\r', '\n']);
        let (prefix, local) = value.rsplit_once(':').unwrap_or(("", value));
        let namespace = parser.resolve_prefix(input, prefix);
        Self::new(namespace.map_or("", |it| parser.namespace_name(input, it)), local)
    }

    /// Appends it to a value, with the declaration that the element around it needs. Names of the
    /// namespace `near` have the prefix that is declared for it.
    pub(super) fn to_value(
        &self,
        near: (&str, &str),
        declaration: &mut String,
        value: &mut String,
    ) {
        match &*self.namespace {
            "" => {}
            namespace if namespace == near.1 => {
                value.push_str(near.0);
                value.push(':');
            }
            namespace => {
                declaration.push_str(" xmlns:ns=\"");
                escape(namespace, declaration);
                declaration.push('"');
                value.push_str("ns:");
            }
        }
        escape(&self.local, value);
    }

    /// # Errors
    /// The local name could not be that of an element.
    pub(super) fn check(&self) -> Result<()> {
        let mut characters = self.local.chars();
        let good = characters.next().is_some_and(|first| first != ':' && xml::is_name_start(first))
            && characters.all(|other| other != ':' && xml::is_name_char(other));
        match good {
            true => Ok(()),
            false => {
                let what = format!("the name of an element, not {:?}", excerpt(&self.local));
                Err(Error::new(ErrorKind::Expected(what.into()), 0))
            }
        }
    }
}

/// The namespace in braces before the local name, as James Clark writes it: `{urn:x}local`.
impl fmt::Display for QName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            "" => f.write_str(&self.local),
            namespace => write!(f, "{{{namespace}}}{}", self.local),
        }
    }
}

/// Appends a text so that it reads the same in an element and between double quotes. Characters
/// that XML does not have become U+FFFD, so that a text from anywhere can be told.
pub(super) fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
}
