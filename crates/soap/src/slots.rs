//! What each field of a scope is to the parser, and how it is written.

use trunkline_message::{Holds, ScopeId};
use trunkline_wire::Literal;

use crate::container::{Container, end};
use crate::names::{Name, Names};
use crate::naming::Naming;
use crate::order::Order;
use crate::plan::{Enumerations, ListForm, Shape, Slot};
use crate::white_space::WhiteSpace;

/// Makes the slots of a scope.
pub(super) struct Slots<'a> {
    pub(super) naming: &'a Naming<'a>,
    pub(super) id: ScopeId,
    pub(super) enumerations: &'a mut Enumerations,
    pub(super) containers: Vec<Container>,
}

impl Slots<'_> {
    pub(super) fn slots(
        &mut self,
        order: &Order,
        names: &mut Names,
        attributes: &mut Names,
    ) -> Box<[Slot]> {
        let (naming, id) = (self.naming, self.id);
        let slot = |(index, local): (usize, String)| {
            let slot = self.slot(index, &local, order);
            let name = naming.namespaces.written(slot.namespace_number, &local);
            if slot.form == ListForm::Arms {
                self.arms(&slot, index, names);
                return slot;
            }
            let names = match slot.shape {
                Shape::Attribute => &mut *attributes,
                Shape::Text | Shape::Bare | Shape::Mixed => return slot,
                _ if naming.is_typed_scope(id) || naming.follows(id, index) => return slot,
                _ if naming.is_wildcard(id, index) => return slot,
                _ => &mut *names,
            };
            names.add(
                slot.component,
                (&name, &local),
                slot.namespace_number,
                Name::Field(index as u16),
            );
            slot
        };
        naming.fields(id).into_iter().enumerate().map(slot).collect()
    }

    fn slot(&mut self, index: usize, local: &str, order: &Order) -> Slot {
        let (naming, id) = (self.naming, self.id);
        let field = &naming.layout.scope(id).fields[index];
        let shape = naming.shape(id, index);
        let namespace_number = naming.namespace_number(id, index);
        let name = &*naming.namespaces.written(namespace_number, local);
        let mut container = Container::new(naming, (id, index), shape, (local, namespace_number));
        let type_attribute =
            naming.is_typed_arm(id, index).then(|| naming.type_attribute(id, index));
        let is_apart = naming.is_typed_scope(id);
        if let (Some(container), Some(type_attribute)) = (&mut container, &type_attribute) {
            container.set_type(naming, (!is_apart).then_some(type_attribute));
        }
        let own = container.as_ref().and_then(|it| it.enclosing.as_ref());
        let is_of_arms = naming.is_of_arms(field);
        let holds_typed = field.holds.scope().is_some_and(|it| naming.is_typed_scope(it));
        let holds_any = naming.holds_any(field);
        let (start, end) = match (shape, own) {
            _ if is_apart => (Literal::new(b""), Literal::new(b"")),
            // No start tag is as the plan would write it to the letter: there is more than one.
            (Shape::Any, _) => (Literal::new(b"<\0"), end(name)),
            (Shape::Run | Shape::Struct, _) if holds_typed || is_of_arms || holds_any => {
                (Literal::new(b"<\0"), end(name))
            }
            (Shape::Attribute, _) => {
                (Literal::new(format!(" {name}=\"").as_bytes()), Literal::new(b"\""))
            }
            (Shape::Text | Shape::Bare | Shape::Mixed, _) => (Literal::new(b""), Literal::new(b"")),
            (Shape::Run | Shape::Struct, Some(own)) => (own.start.clone(), own.end.clone()),
            (Shape::Run, None) => (self.run_start(index, name), end(name)),
            (Shape::Value | Shape::Defaulted, _) if type_attribute.is_some() => {
                let type_attribute = type_attribute.unwrap_or_default();
                (Literal::new(format!("<{name}{type_attribute}>").as_bytes()), end(name))
            }
            _ => {
                let start = naming.field_start(name, field.holds, (id, index));
                (Literal::new(start.as_bytes()), end(name))
            }
        };
        let container = self.keep(container);
        let scope = match field.holds {
            Holds::Group(inner) | Holds::Struct(inner) => inner.0,
            Holds::Enumeration(of) => self.enumerations.place(naming.layout, of),
            Holds::Value(_) | Holds::List(_) => 0,
        };
        let component = naming.around(id, index);
        let (visit, rank) = (order.visit_of[index], order.rank_of[index]);
        let white_space = WhiteSpace::of(naming.layout, naming.layout.scope(id), field);
        let may_be_empty = matches!(shape, Shape::Defaulted | Shape::Text);
        let empty = naming.empty(field).filter(|_| may_be_empty).map(Into::into);
        Slot {
            start,
            end,
            shape,
            component,
            scope,
            container,
            form: self.list_form(index, shape),
            namespace_number,
            white_space,
            empty,
            visit,
            rank,
        }
    }

    fn list_form(&self, index: usize, shape: Shape) -> ListForm {
        let (naming, id) = (self.naming, self.id);
        let field = &naming.layout.scope(id).fields[index];
        let is_list = matches!(field.holds, Holds::List(_) | Holds::Group(_));
        let holds_typed = || field.holds.scope().is_some_and(|it| naming.is_typed_scope(it));
        match shape {
            Shape::Value | Shape::Attribute if is_list => ListForm::Spaced,
            Shape::Group if holds_typed() => ListForm::ByType,
            Shape::Run if naming.is_of_arms(field) => ListForm::Arms,
            Shape::Run if naming.is_wildcard(id, index) => ListForm::Any,
            Shape::Mixed => ListForm::Mixed,
            _ => ListForm::Elements,
        }
    }

    fn keep(&mut self, container: Option<Container>) -> u16 {
        container.map_or(0, |container| {
            self.containers.push(container);
            self.containers.len() as u16 - 1
        })
    }

    /// Adds the names of arms that stand where their list does.
    fn arms(&self, slot: &Slot, index: usize, names: &mut Names) {
        let (naming, inner) = (self.naming, ScopeId(slot.scope));
        for (arm, local) in naming.fields(inner).into_iter().enumerate() {
            let namespace_number = naming.namespace_number(inner, arm);
            let name = naming.namespaces.written(namespace_number, &local);
            names.add(slot.component, (&name, &local), namespace_number, Name::Field(index as u16));
        }
    }

    /// The start tag of an item without a list around it.
    fn run_start(&self, index: usize, name: &str) -> Literal {
        let (layout, of) = (self.naming.layout, (self.id, index));
        let item = layout.scope(self.id).fields[index].holds.scope();
        let item = item.map(|it| layout.scope(it).fields[0].holds);
        let start = item.map(|item| self.naming.field_start(name, item, of)).unwrap_or_default();
        Literal::new(start.as_bytes())
    }
}
