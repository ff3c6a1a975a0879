//! Which message stands in a Body, or is a document, by the names of its elements.

use std::ptr;

use super::{Description, RESPONSE, named_as, operations};
use crate::wsdl::{self, Style};
use crate::xsd::{Name, Schemas};

/// What an operation takes or answers.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    operation: &'a str,
    is_response: bool,
    style: Style,
    message: &'a wsdl::Message,
}

impl Candidate<'_> {
    fn name(&self) -> String {
        format!("{}{}", self.operation, if self.is_response { RESPONSE } else { "" })
    }

    /// May it have this element in the Body?
    fn has(&self, element: &Name) -> bool {
        match self.style {
            Style::Rpc => self.message.wrapper == *element,
            Style::Document => self.message.parts.iter().any(|it| it.is_written_as(element)),
        }
    }

    /// Does the Body of both look alike, so that it makes no difference which of them is read?
    fn is_like(&self, other: &Self) -> bool {
        let (own, others) = (&self.message.parts, &other.message.parts);
        (self.style, other.style) == (Style::Document, Style::Document)
            && self.message.is_encoded == other.message.is_encoded
            && own.len() == others.len()
            && own.iter().zip(others).all(|(own, other)| own.is_like(other))
    }

    /// Does it have all of these elements, and nothing that is not among them?
    fn fits(&self, services: &wsdl::Description, body: &[Name]) -> bool {
        match self.style {
            Style::Rpc => matches!(body, [only] if self.has(only)),
            Style::Document => {
                body.len() == self.message.parts.len()
                    && services.absent(self.message, body).is_empty()
            }
        }
    }

    /// Do its parts stand in their order?
    fn is_in_order(&self, services: &wsdl::Description, body: &[Name]) -> bool {
        let parts = &self.message.parts;
        self.style == Style::Rpc
            || body.iter().zip(parts).all(|(element, part)| services.is_part(part, element))
    }
}

impl Description {
    /// The names by which [`message`](Self::message) finds what is in an envelope, or the document, whose first element is this, and
    /// whose `xsi:type` names this type. There are several where operations of WSDL have it in messages that differ in what else
    /// stands in the Body, by which [`names_of_body`](Self::names_of_body) finds the one; none if this kind of description knows
    /// nothing of namespaces, or not this element.
    pub fn names_of_element(
        &self,
        local: &str,
        namespace: &str,
        of_type: Option<(&str, &str)>,
    ) -> Vec<String> {
        let element = Name::new(namespace, local);
        match self {
            Self::Services(services) => match &*candidates(services, &element) {
                [] => of_schemas(services.schemas(), &element, of_type),
                found => found.iter().map(Candidate::name).collect(),
            },
            Self::Elements(schemas) => of_schemas(schemas, &element, of_type),
            Self::Listing(described) | Self::Sample(described) => {
                let is_it = described.is_element(local, namespace);
                is_it.then(|| described.layout.name().to_owned()).into_iter().collect()
            }
            Self::Fix(_) | Self::Idl(_) => Vec::new(),
        }
    }

    /// The same of a document by itself: what an operation takes or answers that is a Body is none, but an element in it may be.
    pub fn names_of_document(
        &self,
        local: &str,
        namespace: &str,
        of_type: Option<(&str, &str)>,
    ) -> Vec<String> {
        let Self::Services(services) = self else {
            return self.names_of_element(local, namespace, of_type);
        };
        let element = Name::new(namespace, local);
        let mut found = candidates(services, &element);
        found.retain(|it| it.style == Style::Rpc || !services.is_body(it.message));
        match &*found {
            [] => of_schemas(services.schemas(), &element, of_type),
            found => found.iter().map(Candidate::name).collect(),
        }
    }

    /// Those of them whose parts are the elements of the Body, which are given by namespace and local name: if the order of these
    /// is that of one message alone, this one.
    pub fn names_of_body(&self, body: &[(String, String)]) -> Vec<String> {
        let Self::Services(services) = self else { return Vec::new() };
        let body: Vec<Name> = body.iter().map(|it| Name::new(&*it.0, &*it.1)).collect();
        let Some(first) = body.first() else { return Vec::new() };
        let mut found = candidates(services, first);
        found.retain(|it| it.fits(services, &body));
        let mut in_order = found.iter().filter(|it| it.is_in_order(services, &body));
        match (in_order.next(), in_order.next()) {
            (Some(only), None) => vec![only.name()],
            _ => found.iter().map(Candidate::name).collect(),
        }
    }
}

/// What operations take and answer that may have this element in the Body; of those that look alike the first, and of several
/// operations of a name the first, which is found by it.
fn candidates<'a>(services: &'a wsdl::Description, element: &Name) -> Vec<Candidate<'a>> {
    let mut found = Vec::<Candidate<'a>>::new();
    for (_, operation) in operations(services) {
        let is_found = || {
            let first = operations(services).find(|it| it.1.name == operation.name);
            first.is_some_and(|it| ptr::eq(it.1, operation))
        };
        for (message, is_response) in [(&operation.request, false), (&operation.response, true)] {
            let Some(message) = message else { continue };
            let (name, style) = (&*operation.name, operation.style);
            let candidate = Candidate { operation: name, is_response, style, message };
            let is_new = || !found.iter().any(|it| it.is_like(&candidate));
            if candidate.has(element) && is_found() && is_new() {
                found.push(candidate);
            }
        }
    }
    found
}

/// The name of an element of a schema, with the type that `xsi:type` names if it is derived from its own.
fn of_schemas(schemas: &Schemas, element: &Name, of_type: Option<(&str, &str)>) -> Vec<String> {
    let Some(id) = schemas.element(element) else { return Vec::new() };
    let is_it = |it: &&Name| of_type == Some((&*it.local, &*it.namespace));
    let types = schemas.types_of(id).into_iter().filter_map(|it| schemas.type_name(it));
    let found = types.into_iter().find(is_it);
    vec![found.map_or_else(|| element.to_string(), |it| named_as(element, it))]
}
