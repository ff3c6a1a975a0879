//! The elements of a call: its return value, its parameters.

use trunkline_message::{ScopeId, Shape as ScopeShape};
use trunkline_wire::Literal;

use crate::envelope;
use crate::names::Name;
use crate::naming::Naming;
use crate::plan::{NONE, Shape};

/// Of the first element of the message, the number of its namespace and its name.
pub(super) fn first(naming: &Naming<'_>) -> Option<(u8, Box<str>)> {
    let scope = ScopeId(0);
    let leading = naming.layout.scope(scope).fields.first()?;
    // One that tells its type has no element of its own among the arms.
    let by_type = || naming.typed_around(scope, leading).map(|it| Name::Component(it as u16));
    Some(match return_value(naming).or_else(by_type)? {
        Name::Field(field) => {
            let field = usize::from(field);
            let name = naming.fields(scope).swap_remove(field);
            (naming.namespace_number(scope, field), name.into())
        }
        Name::Component(component) => {
            let component = usize::from(component);
            let name = naming.component(scope, component);
            (naming.namespace_number_of_component(scope, component), name.into())
        }
    })
}

/// The first element of the message, if there is one that is. Attributes are none.
pub(super) fn return_value(naming: &Naming<'_>) -> Option<Name> {
    let mut fields = 0..naming.layout.scope(ScopeId(0)).fields.len();
    let is_attribute = |field| naming.shape(ScopeId(0), field) == Shape::Attribute;
    let is_own = |field| naming.around(ScopeId(0), field) == NONE;
    let first = fields.find(|&field| !(is_own(field) && is_attribute(field)))?;
    element_around(naming, first)
}

/// The elements of the message in their order, if it has nothing else.
pub(super) fn parameters(naming: &Naming<'_>) -> Option<Box<[Name]>> {
    let fields = 0..naming.layout.scope(ScopeId(0)).fields.len();
    let elements = fields.map(|field| element_around(naming, field));
    let mut elements: Vec<Name> = elements.collect::<Option<_>>()?;
    elements.dedup();
    Some(elements.into())
}

/// The element of the message that a field is or stands in, unless it has none of its own, as arms have none.
fn element_around(naming: &Naming<'_>, field: usize) -> Option<Name> {
    let scope = naming.layout.scope(ScopeId(0));
    let is_choice = |it: u16| scope.components[usize::from(it)].is_choice;
    let innermost = scope.fields[field].component;
    let mut around = innermost.filter(|_| !naming.options.flat);
    let shape = naming.shape(ScopeId(0), field);
    let is_element =
        !matches!(shape, Shape::Attribute | Shape::Text | Shape::Run | Shape::Any | Shape::Mixed);
    let mut element = Name::Field(field as u16);
    let mut has_none = !is_element || innermost.is_some_and(is_choice);
    while let Some(component) = around {
        (element, has_none) = (Name::Component(component), is_choice(component));
        around = scope.components[usize::from(component)].parent;
    }
    (!has_none && scope.shape != ScopeShape::Choice).then_some(element)
}

/// The element that names the first element of the message, which is in no namespace.
pub(super) fn result(naming: &Naming<'_>) -> Option<Literal> {
    let name = match return_value(naming)? {
        Name::Field(field) => naming.fields(ScopeId(0)).swap_remove(field.into()),
        Name::Component(component) => naming.component(ScopeId(0), component.into()),
    };
    let rpc = envelope::RPC;
    let element = format!("<rpc:result xmlns:rpc=\"{rpc}\">{name}</rpc:result>");
    Some(Literal::new(element.as_bytes()))
}
