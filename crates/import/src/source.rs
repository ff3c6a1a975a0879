//! What a document of XML describes.

use crate::markup::Document;
use crate::xsd::name::{SCHEMA, WSDL};

/// What a document of XML describes, by its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Services: [`wsdl`](crate::wsdl).
    Wsdl,
    /// Elements and types: [`xsd`](crate::xsd).
    Schema,
    /// Something else, such as a FIX dictionary; or it is no XML.
    Other,
}

impl Source {
    /// Looks at the root of a document.
    pub fn of(bytes: &[u8]) -> Self {
        match Document::root_name(bytes) {
            Some((namespace, name)) if namespace == WSDL && name == "definitions" => Self::Wsdl,
            Some((namespace, name)) if SCHEMA.contains(&&*namespace) && name == "schema" => {
                Self::Schema
            }
            _ => Self::Other,
        }
    }
}
