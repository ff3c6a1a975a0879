//! Names in namespaces.

use std::fmt;
use std::sync::Arc;

/// The namespaces of XML Schema, that of the recommendation first; those of drafts have the same types.
pub(crate) const SCHEMA: [&str; 3] = [
    "http://www.w3.org/2001/XMLSchema",
    "http://www.w3.org/2000/10/XMLSchema",
    "http://www.w3.org/1999/XMLSchema",
];
/// The namespaces of the SOAP encoding.
pub(crate) const ENCODING: [&str; 3] = [
    "http://schemas.xmlsoap.org/soap/encoding/",
    "http://www.w3.org/2003/05/soap-encoding",
    "http://schemas.xmlsoap.org/soap/encoding",
];
pub(crate) const XML: &str = "http://www.w3.org/XML/1998/namespace";
pub(crate) const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";

/// Where the schemas of namespaces are that others import from nowhere, or from a place where they are not.
pub(crate) const PUBLISHED: [(&str, &str); 5] = [
    (XML, "http://www.w3.org/2001/xml.xsd"),
    (
        "http://www.w3.org/2000/09/xmldsig#",
        "http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd",
    ),
    (
        "http://www.w3.org/2001/04/xmlenc#",
        "http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd",
    ),
    ("http://www.w3.org/2005/08/addressing", "http://www.w3.org/2006/03/addressing/ws-addr.xsd"),
    ("http://schemas.xmlsoap.org/soap/envelope/", "http://schemas.xmlsoap.org/soap/envelope/"),
];

/// The name of an element, attribute, type or service: a local name in a namespace, or in none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// The namespace; empty for none.
    pub namespace: Arc<str>,
    /// The name in it.
    pub local: Arc<str>,
}

impl Name {
    /// A name in a namespace.
    pub fn new(namespace: impl Into<Arc<str>>, local: impl Into<Arc<str>>) -> Self {
        Self { namespace: namespace.into(), local: local.into() }
    }

    /// Is it of XML Schema itself?
    pub(crate) fn is_of_schema(&self) -> bool {
        SCHEMA.contains(&&*self.namespace)
    }

    /// Is it of the SOAP encoding?
    pub(crate) fn is_of_encoding(&self) -> bool {
        ENCODING.contains(&&*self.namespace)
    }
}

/// `{urn:a}order`; without a namespace, the local name alone.
impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            "" => out.write_str(&self.local),
            namespace => write!(out, "{{{namespace}}}{}", self.local),
        }
    }
}
