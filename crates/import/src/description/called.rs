//! Which messages have a name in a format that knows neither namespaces nor operations, as JSON does.

use std::collections::HashSet;

use super::{Described, Description, RESPONSE, named_as, operations};
use crate::names;
use crate::wsdl::{self, Style};
use crate::xsd::{Name, Schemas};

impl Description {
    /// The names by which [`message`](Self::message) finds messages whose own name is this, the name of their layout: in a WSDL
    /// what operations take and answer, or, where none has it, elements. Of those that are the same message one is named.
    pub fn messages_called(&self, name: &str) -> Vec<String> {
        let of_elements = |schemas| self.distinct(of_elements(schemas, name));
        match self {
            Self::Services(services) => match &*of_operations(services, name) {
                [] => of_elements(services.schemas()),
                found => self.distinct(found.to_vec()),
            },
            Self::Elements(schemas) => of_elements(schemas),
            Self::Fix(_) | Self::Idl(_) | Self::Listing(_) | Self::Sample(_) => {
                let found = self.message(name);
                found.is_ok_and(|it| it.is_some()).then(|| name.to_owned()).into_iter().collect()
            }
        }
    }

    /// The first of those that are the same message. What has no form is named too: reading it says why.
    fn distinct(&self, found: Vec<String>) -> Vec<String> {
        if found.len() < 2 {
            return found;
        }
        let is_same = |one: &Described, other: &Described| {
            let version = other.soap.as_ref().map(|it| it.version).unwrap_or_default();
            let one_soap = one.soap.clone().map(|it| trunkline_soap::Options { version, ..it });
            one.layout.id() == other.layout.id() && one_soap == other.soap
        };
        let mut known: Vec<(String, Option<Described>)> = Vec::new();
        for name in found {
            let of = self.message(&name).ok().flatten();
            let is_known = known.iter().any(|it| match (&it.1, &of) {
                (Some(one), Some(other)) => is_same(one, other),
                _ => false,
            });
            if !is_known {
                known.push((name, of));
            }
        }
        known.into_iter().map(|it| it.0).collect()
    }
}

/// What operations take and answer whose message has this name. Of several operations of a name the first is found by it.
fn of_operations(services: &wsdl::Description, name: &str) -> Vec<String> {
    let (mut found, mut passed) = (Vec::new(), HashSet::new());
    for (_, operation) in operations(services) {
        if !passed.insert(&*operation.name) {
            continue;
        }
        for (message, behind) in [(&operation.request, ""), (&operation.response, RESPONSE)] {
            let own = message.as_ref().and_then(|it| name_in(services, operation.style, it));
            if own.is_some_and(|it| is_called(it, name)) {
                found.push(format!("{}{behind}", operation.name));
            }
        }
    }
    found
}

/// The name of what stands in the Body, if there is something.
fn name_in<'a>(
    services: &wsdl::Description,
    style: Style,
    message: &'a wsdl::Message,
) -> Option<&'a str> {
    match (style, &*message.parts) {
        (Style::Rpc, _) => Some(&message.wrapper.local),
        (Style::Document, []) => None,
        (Style::Document, [part]) if message.is_encoded || !services.is_told_inside(part) => {
            Some(part.element().map_or(&*part.name, |it| &*it.local))
        }
        (Style::Document, _) => Some(&message.wrapper.local),
    }
}

/// Elements of this name, and those whose `xsi:type` names a type of it.
fn of_elements(schemas: &Schemas, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let whole = schemas.elements().filter(|it| !schemas.is_abstract(it.1));
    for (element, id) in whole {
        let is_open = schemas.is_open(id);
        if !is_open && is_called(&element.local, name) {
            found.push(element.to_string());
        }
        let types = schemas.types_of(id).into_iter().filter_map(|it| schemas.type_name(it));
        let called = types.filter(|it: &&Name| is_called(&it.local, name));
        found.extend(called.map(|it| named_as(element, it)));
    }
    found.sort();
    found
}

/// Is a message called so whose element or type has a name that not every format allows?
fn is_called(local: &str, name: &str) -> bool {
    local == name || names::joined(local).is_some_and(|it| it == name)
}
