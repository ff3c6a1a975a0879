//! In which order the fields of a scope are written, and read where the order counts.

use trunkline_message::{Error, ErrorKind, Result, ScopeId};

use crate::binding::is_in_any_order;
use crate::decoder::Body;
use crate::form::Form;
use crate::names::Name;
use crate::naming::Naming;
use crate::plan::{NONE, ScopePlan, Shape};

/// Attributes come before all that is inside their element, whatever the schema's order is. A
/// message shows its fields in the schema's order only. So the encoder visits it more than once,
/// and each visit writes the fields whose turn it is.
pub(super) struct Order {
    /// Of each field, as which it is written.
    pub(super) rank_of: Vec<u16>,
    /// Of each field, in which visit.
    pub(super) visit_of: Vec<u16>,
    /// How many visits there are.
    pub(super) visits: u16,
    /// Of each component, the rank of the first field inside and one beyond the last.
    pub(super) spans: Vec<(usize, usize)>,
}

impl Order {
    pub(super) fn new(naming: &Naming<'_>, id: ScopeId) -> Self {
        let scope = naming.layout.scope(id);
        let mut written = Written::new(naming, id);
        written.element(NONE);
        let mut order = Self {
            rank_of: vec![0; scope.fields.len()],
            visit_of: vec![0; scope.fields.len()],
            visits: 1,
            spans: written.spans,
        };
        let mut last = 0;
        for (rank, field) in written.fields.into_iter().enumerate() {
            // The schema's order goes back: only the next visit comes to this field.
            order.visits += u16::from(field < last);
            order.rank_of[field] = rank as u16;
            order.visit_of[field] = order.visits - 1;
            last = field;
        }
        order
    }
}

/// The attributes and children of an element.
#[derive(Clone, Default)]
struct Children {
    attributes: Vec<usize>,
    /// By the first field: components, then the field itself.
    elements: Vec<(usize, Child)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Child {
    Component(u16),
    Field,
}

struct Written {
    /// Of the scope's own element, then of the components.
    children: Vec<Children>,
    fields: Vec<usize>,
    spans: Vec<(usize, usize)>,
}

impl Written {
    fn new(naming: &Naming<'_>, id: ScopeId) -> Self {
        let scope = naming.layout.scope(id);
        let mut children = vec![Children::default(); scope.components.len() + 1];
        let place = |component: u16| usize::from(component.wrapping_add(1));
        for index in 0..scope.fields.len() {
            let around = &mut children[place(naming.around(id, index))];
            match naming.shape(id, index) {
                Shape::Attribute => around.attributes.push(index),
                _ => around.elements.push((index, Child::Field)),
            }
        }
        if !naming.options.flat {
            for (index, component) in scope.components.iter().enumerate() {
                let around = &mut children[place(component.parent.unwrap_or(NONE))];
                around.elements.push((component.fields.start, Child::Component(index as u16)));
            }
        }
        children.iter_mut().for_each(|children| children.elements.sort());
        Self { children, fields: Vec::new(), spans: vec![(0, 0); scope.components.len()] }
    }

    /// Writes what stands in a component, or in the scope's own element.
    fn element(&mut self, component: u16) {
        let children = std::mem::take(&mut self.children[usize::from(component.wrapping_add(1))]);
        let first = self.fields.len();
        self.fields.extend(children.attributes);
        for (field, child) in children.elements {
            match child {
                Child::Component(inner) => self.element(inner),
                Child::Field => self.fields.push(field),
            }
        }
        if component != NONE {
            self.spans[usize::from(component)] = (first, self.fields.len());
        }
    }
}

impl<R: Form> Body<'_, R> {
    /// Looks at an element that begins at `at`, where these fields of the scope were there before.
    ///
    /// # Errors
    /// One of them stands behind it in the schema, and their order counts.
    #[cold]
    pub(super) fn check_order(
        &self,
        scope: &ScopePlan,
        seen: &[u64],
        meaning: Name,
        at: usize,
    ) -> Result<()> {
        let described = &self.plan.layout.scopes()[self.scope];
        let (first, end) = match meaning {
            Name::Field(field) => (usize::from(field), usize::from(field) + 1),
            Name::Component(inner) => {
                let fields = &described.components[usize::from(inner)].fields;
                (fields.start, fields.end)
            }
        };
        let rank = |field: usize| scope.slots[field].rank;
        let Some(least) = (first..end).map(rank).min() else { return Ok(()) };
        let is_behind = |other: &usize| {
            let is_there = seen[other / 64] >> (other % 64) & 1 != 0;
            let is_element = !matches!(scope.slots[*other].shape, Shape::Attribute | Shape::Text);
            is_there && is_element && rank(*other) > least && !(first..end).contains(other)
        };
        let mut behind = (0..described.fields.len()).filter(is_behind);
        let Some(other) =
            behind.find(|it| !is_in_any_order(&self.plan.layout, described, [first, *it]))
        else {
            return Ok(());
        };
        let what = format!("the element before {}, as the schema has them", described.path(other));
        let error = Error::new(ErrorKind::Expected(what.into()), at);
        Err(match meaning {
            Name::Field(field) => self.plan.locate(error, self.scope, field.into()),
            Name::Component(inner) => self.plan.locate_component(error, self.scope, inner),
        })
    }
}
