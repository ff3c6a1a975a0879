//! The types that `xsi:type` says of values and structs where content is by the encoding rules (SOAP 1.1 section 5.1): those by
//! which they are described, where that is noted, else those of their kinds.

use trunkline_message::{Holds, Layout, ScopeId, Shape, TypeId};

use crate::binding::{of_member, of_type};
use crate::envelope::{self, XSD};
use crate::naming::{Naming, xsd_name};
use crate::qname::QName;

/// The type that is noted of a value, or of each item of a list: the field is the one that holds them, or one of the lists
/// between. What nobody noted a namespace of is in `own`, that of the message.
pub fn noted_type(
    layout: &Layout,
    (mut scope, mut index): (ScopeId, usize),
    own: &str,
) -> Option<QName> {
    // The items of a list are what the member says that the list is.
    while layout.scope(scope).shape == Shape::Item {
        (scope, index) = layout.scope(scope).place?;
    }
    let member = layout.scope(scope).fields[index].member;
    let noted = of_member(layout, member, "type")?;
    Some(match noted.strip_prefix("xsd:") {
        Some(local) => QName::new(XSD, local),
        None => QName::new(of_member(layout, member, "type_namespace").unwrap_or(own), noted),
    })
}

impl Naming<'_> {
    /// A type that the message's schema describes.
    pub(super) fn own_type(&self, of: TypeId) -> QName {
        let namespace = of_type(self.layout, of, "type_namespace");
        let name = &self.layout.schema().type_of(of).name;
        QName::new(namespace.unwrap_or(&self.options.namespace), &**name)
    }

    /// The same of a component.
    pub(super) fn type_of_component(&self, id: ScopeId, index: usize) -> QName {
        let member = self.layout.scope(id).components[index].member;
        let members = self.layout.schema().members(member.of);
        self.own_type(members[member.index as usize].of)
    }

    /// The type that is noted of a value or of the items of a list. That of an arm told by its type is the arm's.
    pub(super) fn noted_type(&self, id: ScopeId, index: usize) -> Option<QName> {
        let is_arm = self.is_typed_arm(id, index);
        noted_type(self.layout, (id, index), &self.options.namespace).filter(|_| !is_arm)
    }

    /// The type of a value, or of the items of a list, that a field holds or that is in the lists which it holds.
    pub(super) fn value_type(&self, mut holds: Holds, of: (ScopeId, usize)) -> QName {
        for _ in self.layout.scopes() {
            match holds {
                Holds::Group(inner) if self.layout.scope(inner).shape == Shape::Item => {
                    holds = self.layout.scope(inner).fields[0].holds;
                }
                _ => break,
            }
        }
        let by_kind = || match holds {
            Holds::Enumeration(of) => self.own_type(of),
            holds => {
                let name = holds.kind().map_or("xsd:anyType", xsd_name);
                QName::new(XSD, name.trim_start_matches("xsd:"))
            }
        };
        self.noted_type(of.0, of.1).unwrap_or_else(by_kind)
    }

    /// The namespaces of the types that `xsi:type` names of values and structs, but for those which every message declares.
    pub(super) fn namespaces_of_values(&self) -> Vec<String> {
        if !self.options.types {
            return Vec::new();
        }
        let mut all: Vec<QName> = Vec::new();
        for id in (0..self.layout.scopes().len() as u16).map(ScopeId) {
            let scope = self.layout.scope(id);
            let fields = 0..scope.fields.len();
            all.extend(fields.clone().filter_map(|it| self.noted_type(id, it)));
            if !self.options.has_arrays() {
                continue;
            }
            all.push(self.own_type(scope.of));
            all.extend((0..scope.components.len()).map(|it| self.type_of_component(id, it)));
            all.extend(fields.filter_map(|it| match scope.fields[it].holds {
                Holds::Enumeration(of) => Some(self.own_type(of)),
                _ => None,
            }));
        }
        let names = all.into_iter().map(|it| it.namespace);
        let mut others: Vec<String> = Vec::new();
        for name in names.filter(|it| *it != XSD && *it != self.options.namespace) {
            if !others.contains(&name) {
                others.push(name);
            }
        }
        others
    }

    /// A type as `xsi:type` has it.
    pub(super) fn written_as_type(&self, name: &QName) -> String {
        match &*name.namespace {
            XSD => format!("xsd:{}", name.local),
            own if *own == *self.options.namespace => match own {
                "" => name.local.clone(),
                _ => format!("ns:{}", name.local),
            },
            _ => self.types.written(name),
        }
    }

    /// Is it the namespace of the encoding, whose prefix stands in every Envelope with arrays?
    pub(super) fn is_of_encoding(&self, namespace: &str) -> bool {
        let (_, encoding) = envelope::namespaces(self.options.version);
        self.options.style.is_encoded() && namespace == encoding
    }
}
