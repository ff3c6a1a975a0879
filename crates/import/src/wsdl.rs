//! WSDL 1.1: services, their ports, bindings and operations, and the layouts of what stands in the envelopes.
//!
//! Bindings of SOAP 1.1 and 1.2 have layouts: document and rpc, literal and encoded, with header blocks and the
//! details of faults; parts that a MIME binding puts into attachments are named. Other bindings, such as those of
//! HTTP without SOAP, are listed and have none.
//!
//! What a binding, port or message refers to has to be there: a reference into nothing is rejected with its place.

mod content;
mod definitions;
mod policy;
mod reader;

use std::collections::HashMap;
use std::fmt;

pub use content::Described;
pub use definitions::{
    Binding, Fault, Header, Message, Operation, Part, Port, Protocol, Service, Style,
};
pub use policy::Offers;

use crate::problem::Warnings;
use crate::xsd::name::Name;
use crate::xsd::{Documents, Schemas};
use crate::{Limits, Place, Problem, Resolver};
use definitions::{AbstractMessage, PortType};

/// The services of a description, and all that they are made of.
#[derive(Debug)]
pub struct Description {
    services: Vec<Service>,
    bindings: Vec<Binding>,
    port_types: HashMap<Name, PortType>,
    messages: HashMap<Name, AbstractMessage>,
    schemas: Schemas,
    warnings: Vec<Problem>,
    has_nil_parts: bool,
}

impl Description {
    /// From now on the parts of encoded calls and answers may be nil, as any value may be there (SOAP 1.1 section 5.1): such a part
    /// may be absent in a message, and the numbers of an array may be nil. Without this a part is required, and an array of numbers holds
    /// nothing else, as who has typed it in a program has it.
    pub fn let_parts_be_nil(&mut self) {
        self.has_nil_parts = true;
    }

    /// Reads a description, and the descriptions and schemas that it imports. The resolver is asked as by
    /// [`Schemas::read`].
    ///
    /// # Errors
    /// A document is not there, or is neither description nor schema; something is referred to that none of them
    /// defines; or they are beyond the limits.
    pub fn read(path: &str, resolver: &mut dyn Resolver, limits: &Limits) -> Result<Self, Problem> {
        Self::read_from(Documents::new(resolver, limits), path, limits)
    }

    /// The same of documents that are not all there, or not all right: what does not need those is read without. An operation that
    /// does has no [`request`](Self::request), and the reason names what is [missing](Self::missing).
    ///
    /// # Errors
    /// As [`read`](Self::read), of the first document and of what stands in it.
    pub fn read_in_part(
        path: &str,
        resolver: &mut dyn Resolver,
        limits: &Limits,
    ) -> Result<Self, Problem> {
        Self::read_from(Documents::in_part(resolver, limits), path, limits)
    }

    fn read_from(
        mut documents: Documents<'_>,
        path: &str,
        limits: &Limits,
    ) -> Result<Self, Problem> {
        let mut warnings = Warnings::new(limits.warnings);
        let start = Place { file: path.into(), line: 1, column: 1 };
        let mut description = reader::read(&mut documents, &start, &mut warnings)?;
        description.warnings = warnings.all();
        Ok(description)
    }

    /// The services, in their order.
    pub fn services(&self) -> &[Service] {
        &self.services
    }

    /// The bindings, in their order; ports name them.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The binding of a port.
    pub fn binding(&self, port: &Port) -> &Binding {
        &self.bindings[port.binding]
    }

    /// The elements and types that messages are made of.
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// Which documents were named and not read, and why: some, and how many more. Empty if all were.
    pub fn missing(&self) -> String {
        self.schemas.missing()
    }

    /// What is odd, but can be lived with.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Soap11 => out.write_str("SOAP 1.1"),
            Self::Soap12 => out.write_str("SOAP 1.2"),
            Self::Http => out.write_str("HTTP without SOAP"),
            Self::Other(namespace) => out.write_str(namespace),
        }
    }
}

impl fmt::Display for Style {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Document => "document",
            Self::Rpc => "rpc",
        })
    }
}
