//! What a description defines.

use super::policy::Offers;
use crate::xsd::component::TypeUse;
use crate::xsd::name::Name;
use crate::{Place, Problem};

/// A service.
#[derive(Clone, Debug)]
pub struct Service {
    /// Its name.
    pub name: Name,
    /// For people, with single blanks; empty if it is not said.
    pub documentation: String,
    /// Where it can be called.
    pub ports: Vec<Port>,
    /// Where it is described.
    pub place: Place,
}

/// Where a service can be called.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The place of its binding in [`bindings`](super::Description::bindings).
    pub binding: usize,
    /// The URL, if it is said.
    pub address: Option<String>,
    /// What the policies of the port, of its binding and of its port type offer.
    pub offers: Offers,
    /// Where it is described.
    pub place: Place,
}

/// How messages are carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SOAP 1.1.
    Soap11,
    /// SOAP 1.2.
    Soap12,
    /// HTTP without SOAP, which has no envelopes.
    Http,
    /// That of a namespace that is not known; empty if the binding says none.
    Other(String),
}

/// Which element stands in the Body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// That of the message.
    Document,
    /// One named after the operation.
    Rpc,
}

/// How the operations of a port type are carried.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Its name.
    pub name: Name,
    /// How messages are carried.
    pub protocol: Protocol,
    /// By what SOAP is carried; empty if it is not said.
    pub transport: String,
    /// The name of what it binds.
    pub port_type: Name,
    /// The operations that it has.
    pub operations: Vec<Operation>,
    pub(crate) offers: Offers,
    /// Where it is described.
    pub place: Place,
}

/// An operation of a binding.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name; several may have one that differ in their messages.
    pub name: String,
    /// For people, with single blanks; empty if it is not said.
    pub documentation: String,
    /// Which element stands in the Body.
    pub style: Style,
    /// The `SOAPAction`, if it is said.
    pub action: Option<String>,
    /// What is sent; none if the service begins.
    pub request: Option<Message>,
    /// What comes back; none if nothing does.
    pub response: Option<Message>,
    /// What may come back instead.
    pub faults: Vec<Fault>,
    /// Why its messages are not known, where that may be.
    pub(crate) problem: Option<Problem>,
    /// Where it is described.
    pub place: Place,
}

/// What an envelope carries.
#[derive(Clone, Debug)]
pub struct Message {
    /// The message of the port type.
    pub name: Name,
    /// The name of the element around the parts of rpc.
    pub wrapper: Name,
    /// Is the content by the rules of the SOAP encoding?
    pub is_encoded: bool,
    /// The parts in the Body.
    pub parts: Vec<Part>,
    /// The header blocks.
    pub headers: Vec<Header>,
    /// The names of the parts that are attachments.
    pub attachments: Vec<String>,
    /// Where it is bound.
    pub place: Place,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    pub(crate) of: PartOf,
    /// Where it is described.
    pub place: Place,
}

impl Part {
    /// The element that it is, if it is not of a type.
    pub fn element(&self) -> Option<&Name> {
        match &self.of {
            PartOf::Element(name) => Some(name),
            PartOf::Type(_) | PartOf::Nothing => None,
        }
    }

    /// Is this the element that it is in a document?
    pub(crate) fn is_written_as(&self, element: &Name) -> bool {
        match &self.of {
            PartOf::Element(name) => name == element,
            PartOf::Type(_) => element.namespace.is_empty() && *element.local == *self.name,
            PartOf::Nothing => false,
        }
    }

    /// Is the other one the same element, or an element of the same name and type?
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (&self.of, &other.of) {
            (PartOf::Element(one), PartOf::Element(other)) => one == other,
            (PartOf::Type(one), PartOf::Type(of)) => self.name == other.name && one.is_same(of),
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum PartOf {
    Element(Name),
    Type(TypeUse),
    /// It is not said.
    Nothing,
}

/// A header block.
#[derive(Clone, Debug)]
pub struct Header {
    /// The part that it is.
    pub part: Part,
    /// Is its content by the rules of the SOAP encoding?
    pub is_encoded: bool,
    /// The namespace of one whose part is of a type.
    pub namespace: String,
}

/// What a fault may have as its detail.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its name.
    pub name: String,
    /// The message of the port type.
    pub message: Name,
    /// The part that it is, if there is one.
    pub part: Option<Part>,
}

/// What a port type has.
#[derive(Clone, Debug, Default)]
pub(crate) struct PortType {
    pub(crate) operations: Vec<AbstractOperation>,
    pub(crate) offers: Offers,
}

#[derive(Clone, Debug)]
pub(crate) struct AbstractOperation {
    pub(crate) name: String,
    pub(crate) documentation: String,
    pub(crate) input: Option<Exchanged>,
    pub(crate) output: Option<Exchanged>,
    /// By name.
    pub(crate) faults: Vec<Exchanged>,
}

/// A message where an operation has it.
#[derive(Clone, Debug)]
pub(crate) struct Exchanged {
    pub(crate) name: Option<String>,
    pub(crate) message: Name,
}

#[derive(Clone, Debug)]
pub(crate) struct AbstractMessage {
    pub(crate) parts: Vec<Part>,
}
