//! As much of a WSDL as one needs to call an operation by hand: where it is, what its element is called,
//! and what it takes.

mod attributes;
mod bindings;
mod documents;
mod folder;
mod policy;
mod simple;
mod tree;
mod types;

use std::fmt;

use trunkline_message::Limits;
use trunkline_soap::QName;

use super::Binding;
pub use attributes::Attribute;
pub use documents::{DocumentError, Fetch, Reading};
pub use folder::Folder;
pub use policy::Offers;
pub use simple::{Simple, Variety};
pub use types::{Body, Content, Items, Parameter, Type, TypeId, Types};

use documents::Documents;

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const WSDL_SOAP11: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
const WSDL_SOAP12: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";
/// XML Schema and its drafts.
const XSD: [&str; 3] = [
    "http://www.w3.org/2001/XMLSchema",
    "http://www.w3.org/2000/10/XMLSchema",
    "http://www.w3.org/1999/XMLSchema",
];
/// The encodings of SOAP 1.1 and 1.2.
const ENCODINGS: [&str; 2] =
    ["http://schemas.xmlsoap.org/soap/encoding/", "http://www.w3.org/2003/05/soap-encoding"];

/// An operation as a WSDL 1.1 names it, in one of its bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedOperation {
    /// Its name.
    pub name: String,
    /// Its SOAPAction; may be empty.
    pub action: String,
    /// How its messages look.
    pub binding: Binding,
    /// The element in the Body of a request, unless its message has no parts.
    pub element: QName,
    /// Header blocks that its requests may have, by the names of their parts.
    pub headers: Vec<String>,
    /// What it is of, apart from how it is bound.
    pub port_type: QName,
    /// The WSDL's ports for the binding.
    pub ports: Vec<Port>,
    input: Input,
}

/// A port of a WSDL: where requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The name of its service.
    pub service: String,
    /// The address, as a URL; may be empty.
    pub location: String,
    /// What its policy offers beside.
    pub offers: Offers,
}

/// The members of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Input {
    /// The parts of rpc: names and types.
    Parts(Vec<(String, QName)>),
    /// The element that is the Body's.
    Element,
    /// An element of this type.
    Type(QName),
    /// Nothing: the Body is empty.
    Nothing,
    /// Something else.
    NotUnderstood(String),
}

/// The operations of a WSDL and the types of what they take.
#[derive(Debug)]
pub struct Outline {
    documents: Documents,
    operations: Vec<OutlinedOperation>,
}

/// The reason why there is no outline: a document that cannot be fetched or read, or a part that is not
/// understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineError(String);

impl fmt::Display for OutlineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for OutlineError {}

impl Outline {
    /// Reads a WSDL 1.1 and what it imports and includes, as far as `reading` allows.
    ///
    /// # Errors
    /// The WSDL cannot be fetched, is not well-formed, or is none. What it imports is missed when it
    /// is needed.
    pub fn read(
        location: &str,
        fetch: &mut Fetch<'_>,
        reading: &Reading,
        limits: &Limits,
    ) -> Result<Self, OutlineError> {
        let documents = Documents::read(location, fetch, reading, limits)?;
        let operations = bindings::operations(&documents);
        Ok(Self { documents, operations })
    }

    /// The operations, one for each SOAP binding that has it.
    pub fn operations(&self) -> &[OutlinedOperation] {
        &self.operations
    }

    /// Which documents were named and not read, and why: some, and how many more. Empty if all were read.
    pub fn missing(&self) -> String {
        self.documents.unread(|_| true)
    }

    /// The request of an operation.
    ///
    /// # Errors
    /// Names what is not understood, or is not there.
    pub fn types(&self, operation: &OutlinedOperation) -> Result<Types, OutlineError> {
        types::of(operation, &self.documents)
            .map_err(|why| OutlineError(format!("{}: {why}", operation.name)))
    }
}
