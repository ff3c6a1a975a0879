//! The elements of a call: its return value, its parameters.

use trunkline_message::{Need, ScopeId, Shape as ScopeShape};
use trunkline_wire::Literal;

use crate::envelope;
use crate::names::Name;
use crate::naming::Naming;
use crate::plan::{NONE, Shape};

/// Of each element with which the message may begin, the number of its namespace and its name; none if they have no names.
pub(super) fn first(naming: &Naming<'_>) -> Box<[(u8, Box<str>)]> {
    let scope = ScopeId(0);
    let Some(leading) = naming.layout.scope(scope).fields.first() else { return Box::default() };
    // One that tells its type has no element of its own among the arms.
    let by_type = || naming.typed_around(scope, leading).map(|it| Name::Component(it as u16));
    let elements = match return_value(naming).or_else(by_type) {
        Some(one) => vec![one],
        None => leading_arms(naming).unwrap_or_default(),
    };
    let names = naming.fields(scope);
    let named = |element| match element {
        Name::Field(field) => {
            let field = usize::from(field);
            (naming.namespace_number(scope, field), names[field].as_str().into())
        }
        Name::Component(component) => {
            let component = usize::from(component);
            let name = naming.component(scope, component);
            (naming.namespace_number_of_component(scope, component), name.into())
        }
    };
    elements.into_iter().map(named).collect()
}

/// The elements of the choice with which the message begins, if one of them has to be there and each has a name.
fn leading_arms(naming: &Naming<'_>) -> Option<Vec<Name>> {
    let scope = naming.layout.scope(ScopeId(0));
    let mut choice = scope.components.get(usize::from(scope.fields.first()?.component?))?;
    while let Some(around) = choice.parent {
        choice = &scope.components[usize::from(around)];
    }
    if !choice.is_choice || choice.need != Need::Required || naming.options.flat {
        return None;
    }
    let arm = |field: usize| {
        // One of several elements begins with the first of them, which may be absent.
        let mut around = scope.fields[field].component;
        while let Some(component) = around.map(|it| &scope.components[usize::from(it)]) {
            if !component.is_choice || component.need != Need::Required {
                return None;
            }
            around = component.parent;
        }
        if let Some(by_type) = naming.typed_around(ScopeId(0), &scope.fields[field]) {
            return Some(Name::Component(by_type as u16));
        }
        is_element(naming, field).then_some(Name::Field(field as u16))
    };
    let mut arms = choice.fields.clone().map(arm).collect::<Option<Vec<_>>>()?;
    arms.dedup();
    Some(arms)
}

/// Is a field of the message an element by itself?
fn is_element(naming: &Naming<'_>, field: usize) -> bool {
    let shape = naming.shape(ScopeId(0), field);
    !matches!(shape, Shape::Attribute | Shape::Text | Shape::Run | Shape::Any | Shape::Mixed)
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
    let mut element = Name::Field(field as u16);
    let mut has_none = !is_element(naming, field) || innermost.is_some_and(is_choice);
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
