//! The parts of a scope that are written even if nothing in it is set.

use trunkline_message::{Component, Field, Holds, Need, Scope, ScopeId, Shape as ScopeShape};
use trunkline_wire::Literal;

use crate::binding::{is_repeated, is_unwrapped};
use crate::naming::Naming;
use crate::options::{Layout, Options};
use crate::plan::{Shape, Slot};

/// A field that is written though it is not set.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) field: u16,
    pub(super) rank: usize,
    /// One beyond the last rank of what stands in its place: the arms, of a choice.
    pub(super) end: usize,
    /// An element that is nil. Without one, an empty list: that of a part of rpc, none of which may be
    /// left out (WS-I Basic Profile 1.1, R2211).
    pub(super) nil: Option<Literal>,
}

/// The fields of a scope that are written though they are not set.
pub(super) fn parts(naming: &Naming<'_>, id: ScopeId, slots: &[Slot]) -> Box<[Part]> {
    let lists = match id.0 {
        0 => lists(naming.layout, naming.options),
        _ => Box::default(),
    };
    let nil =
        |slot: &Slot| Some(Literal::new(format!("<{} xsi:nil=\"true\"/>", slot.name()).as_bytes()));
    let part = |(index, slot): (usize, &Slot)| {
        let (field, rank) = (index as u16, usize::from(slot.rank));
        let arms = naming.arms_of(id, index).filter(|_| naming.is_nil_choice(id, index));
        let end = rank + arms.as_ref().map_or(1, |it| it.len());
        match naming.is_nil_written(id, index) || arms.is_some() {
            true => Some(Part { field, rank, end, nil: nil(slot) }),
            false => {
                let is_element = !matches!(
                    slot.shape,
                    Shape::Attribute | Shape::Run | Shape::Mixed | Shape::Any
                );
                let is_part = lists.contains(&field) && is_element;
                is_part.then_some(Part { field, rank, end, nil: None })
            }
        }
    };
    let mut parts: Vec<Part> = slots.iter().enumerate().filter_map(part).collect();
    parts.sort_by_key(|it| it.rank);
    parts.into()
}

/// The lists that are parts of rpc by themselves.
fn lists(layout: &trunkline_message::Layout, options: &Options) -> Box<[u16]> {
    if !options.style.is_rpc() || options.layout != Layout::Operation || options.attributes {
        return Box::default();
    }
    let scope = layout.scope(ScopeId(0));
    let is_part = |index: &u16| {
        let field = &scope.fields[usize::from(*index)];
        // One of an optional component would say that the component is there, one of a choice that
        // it is chosen.
        let holds = |it: &Component, index: usize| it.fields.contains(&index);
        let absent = |it: &Component| {
            (it.need == Need::Implied || it.is_choice) && holds(it, usize::from(*index))
        };
        let is_array = options.has_arrays() && !is_repeated(layout, field);
        let is_wrapped = !is_unwrapped(layout, field) || is_array;
        // An optional list tells that it has no entries from its not being there.
        matches!(field.holds, Holds::Group(_) | Holds::List(_))
            && is_wrapped
            && field.need != Need::Optional
            && scope.shape == ScopeShape::Struct
            && (options.flat || field.component.is_none())
            && !scope.components.iter().any(absent)
    };
    (0..scope.fields.len() as u16).filter(is_part).collect()
}

/// Has a scope a component that must be there though nothing inside is set?
pub(super) fn hollow(scope: &Scope) -> bool {
    let of_choice = |it: &Field| it.component.map(|it| &scope.components[usize::from(it)]);
    let may_lack = |it: &Field| match of_choice(it).filter(|it| it.is_choice) {
        Some(choice) => choice.need != Need::Required,
        None => it.need != Need::Required,
    };
    scope.components.iter().any(|component| {
        let inside = &scope.fields[component.fields.clone()];
        component.need == Need::Required && !component.is_choice && inside.iter().all(may_lack)
    })
}
