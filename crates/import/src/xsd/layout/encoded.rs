//! What content by the rules of the SOAP encoding may leave out, and its arrays where they are documents.

use std::collections::HashSet;

use trunkline_message::TypeId;

use super::{Builder, Form, Members, is_abstract, items};
use crate::Problem;
use crate::xsd::component::{Blocked, Element, ElementId, TypeBody, TypeUse};
use crate::xsd::content::{Arm, Item};
use crate::xsd::lookup::Found;
use crate::xsd::name::Name;

impl<'a> Builder<'a> {
    /// Does an element hold the struct that is being made, with nothing between that may be absent? By the encoding its value is
    /// nil where that ends, since any value may be (SOAP 1.1, section 5.1).
    pub(super) fn is_endless(&self, element: &'a Element) -> Result<bool, Problem> {
        let Some(around) = self.filling.filter(|_| self.is_encoded) else { return Ok(false) };
        let mut seen = HashSet::new();
        let mut next: Vec<(&TypeUse, Blocked)> = vec![(&element.of, element.blocked)];
        while let Some((of, blocked)) = next.pop() {
            let Found::Type(id, of) = self.schemas.found(of)? else { continue };
            let TypeBody::Complex(_) = of.body else { continue };
            // Lists may be empty, and one of several types is in a place of its own.
            let is_struct = items(of).is_none() && self.schemas.derived(id, blocked).is_empty();
            if !is_struct || is_abstract(of) || self.schemas.text_values(of)?.is_some() {
                continue;
            }
            if id == around {
                return Ok(true);
            }
            if seen.insert(id) {
                let content = self.schemas.content(of)?;
                let inside = content.iter().filter_map(needed).map(|it| self.schemas.at(it));
                let inside = inside.filter(|it| !it.is_nillable);
                next.extend(inside.map(|it| (&it.of, it.blocked)));
            }
        }
        Ok(false)
    }

    /// The struct of documents that are an array of one dimension, such as the detail of a fault: its items. None of what is
    /// no such array, or has items of any type.
    pub(crate) fn document_of_items(
        &mut self,
        of: &'a TypeUse,
        name: &Name,
    ) -> Result<Option<TypeId>, Problem> {
        let Found::Type(_, of) = self.schemas.found(of)? else { return Ok(None) };
        let Some(array) = items(of).filter(|it| *it.dimensions == [1]) else { return Ok(None) };
        let held = self.held(&array.of, &name.local)?;
        if !matches!(held.form, Form::Value | Form::Struct) {
            return Ok(None);
        }
        let root = self.declare(&name.local);
        let mut members = Members::new(root, &name.namespace);
        self.items(&mut members, &held, array.occurs);
        members.finish(self);
        Ok(Some(root))
    }
}

/// The element that stands once, and has to.
fn needed(item: &Item) -> Option<ElementId> {
    match (&*item.arms, item.least, item.most) {
        ([Arm::Element(id)], 1.., Some(1)) => Some(*id),
        _ => None,
    }
}
