//! The elements inside a field that is not a single value, and their depth.

use trunkline_message::{Field, Holds, Layout, ScopeId, Shape as ScopeShape};
use trunkline_wire::Literal;

use crate::binding::is_nillable;
use crate::naming::Naming;
use crate::plan::Shape;

/// An element around what a scope describes: the message's, an entry's, that of a struct by itself.
#[derive(Debug)]
pub(super) struct Enclosing {
    /// As it is written.
    pub(super) name: Box<str>,
    pub(super) local: Box<str>,
    /// The number of its namespace.
    pub(super) namespace_number: u8,
    /// `<MDEntry>`, or `<MDEntry` where attributes may follow.
    pub(super) start: Literal,
    pub(super) end: Literal,
}

/// The elements that hold the entries of a list, or the fields of a struct with a scope of its own.
#[derive(Debug)]
pub(super) struct Container {
    /// The element of each entry or number, or of the struct. None where each entry is one element
    /// already, that of its only field: an arm or an item.
    pub(super) enclosing: Option<Enclosing>,
    /// How many items a list has; 0 for any number.
    pub(super) fixed: usize,
    /// Have the items elements inside?
    pub(super) is_compound: bool,
    /// Is it an array of the encoding, whose start tag ends in a count?
    pub(super) is_array: bool,
    /// How many dimensions that has.
    pub(super) dimensions: usize,
    /// May its items be nil? So may be a struct, with attributes.
    pub(super) takes_nil: bool,
}

impl Container {
    /// The container of a field with this name; none for a single value.
    pub(super) fn new(
        naming: &Naming<'_>,
        (id, index): (ScopeId, usize),
        shape: Shape,
        (name, namespace_number): (&str, u8),
    ) -> Option<Self> {
        let (layout, field) = (naming.layout, &naming.layout.scope(id).fields[index]);
        let fixed = field.fixed.map_or(0, |count| count as usize);
        let of_scope = |local: &str, scope: ScopeId| {
            let name = naming.namespaces.written(namespace_number, local);
            let start = match naming.is_typed_scope(scope) {
                // The arm's type ends it.
                true => Literal::new(format!("<{name}").as_bytes()),
                false => naming.start(&name, &naming.own_type(layout.scope(scope).of)),
            };
            Enclosing {
                end: end(&name),
                name: name.into(),
                local: local.into(),
                namespace_number,
                start,
            }
        };
        let plain = |local: &str, holds: Holds| {
            let name = naming.namespaces.written(namespace_number, local);
            let start = Literal::new(naming.field_start(&name, holds, (id, index)).as_bytes());
            Enclosing {
                end: end(&name),
                name: name.into(),
                local: local.into(),
                namespace_number,
                start,
            }
        };
        let shape_of = |scope: ScopeId| layout.scope(scope).shape;
        let (enclosing, is_compound) = match (field.holds, shape) {
            (Holds::Value(_) | Holds::Enumeration(_), _) => return None,
            (Holds::Struct(inner), _) => (Some(of_scope(name, inner)), true),
            (Holds::List(kind), Shape::Run) => (Some(plain(name, Holds::Value(kind))), false),
            (Holds::List(_), Shape::Value | Shape::Attribute) => (None, false),
            (Holds::List(_), _) => {
                let noted = super::binding::item_name(layout, field);
                let noted = noted.filter(|_| !naming.options.compact_tags).unwrap_or("item");
                let name = naming.namespaces.written(namespace_number, noted);
                let start = Literal::new(format!("<{name}>").as_bytes());
                let (end, local) = (end(&name), noted.into());
                (Some(Enclosing { name: name.into(), local, namespace_number, start, end }), false)
            }
            (Holds::Group(inner), _) if shape_of(inner) == ScopeShape::Item => {
                let item = layout.scope(inner).fields[0].holds;
                (None, !matches!(item, Holds::Value(_) | Holds::Enumeration(_)))
            }
            (Holds::Group(_), Shape::Run) if naming.is_of_arms(field) => (None, true),
            (Holds::Group(inner), Shape::Run) => (Some(of_scope(name, inner)), true),
            (Holds::Group(inner), _)
                if shape_of(inner) == ScopeShape::Choice && !naming.is_typed_scope(inner) =>
            {
                (None, true)
            }
            (Holds::Group(inner), _) => {
                // The base of a choice by type may be a value.
                let is_compound = !naming.is_typed_scope(inner);
                (Some(of_scope(&naming.entry_of(field, inner), inner)), is_compound)
            }
        };
        let is_array = shape != Shape::Run && naming.is_array(field.holds);
        let dimensions = naming.dimensions.of(field.holds);
        let takes_nil = takes_nil(naming, field, enclosing.is_some());
        Some(Self { enclosing, fixed, is_compound, is_array, dimensions, takes_nil })
    }
}

impl Container {
    /// Gives the start tag of an arm its `xsi:type`, or else that of the element around the choice.
    pub(super) fn set_type(&mut self, naming: &Naming<'_>, type_attribute: Option<&String>) {
        let end = if naming.in_tags { "" } else { ">" };
        match (&mut self.enclosing, type_attribute) {
            (Some(element), Some(type_attribute)) => {
                let start = format!("<{}{type_attribute}{end}", element.name);
                element.start = Literal::new(start.as_bytes());
            }
            _ => self.enclosing = None,
        }
    }
}

/// May the items of a list be nil, or a struct that has attributes? Where content is encoded the list may have no element
/// of its items.
fn takes_nil(naming: &Naming<'_>, field: &Field, has_element: bool) -> bool {
    let in_records = naming.options.nil_in_records;
    match field.holds {
        Holds::Group(inner) if naming.options.style.is_encoded() => {
            let is_item = naming.layout.scope(inner).shape == ScopeShape::Item;
            // A row of an array of several dimensions has no element.
            let is_row = naming.dimensions.of(field.holds) > 1;
            (field.nil_items || in_records) && (has_element || is_item) && !is_row
        }
        Holds::Struct(_) => in_records && is_nillable(naming.layout, field),
        _ => field.nil_items,
    }
}

pub(super) fn end(name: &str) -> Literal {
    Literal::new(format!("</{name}>").as_bytes())
}

/// The values of an enumeration.
#[derive(Debug)]
pub(super) struct Values {
    names: Box<[Box<str>]>,
    /// Their places, by the names.
    sorted: Box<[u32]>,
}

impl Values {
    pub(super) fn new(names: &[Box<str>]) -> Self {
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_by_key(|it| &names[*it as usize]);
        Self { names: names.into(), sorted: sorted.into() }
    }

    /// The name of the value at a place.
    pub(super) fn name(&self, place: usize) -> Option<&str> {
        self.names.get(place).map(|it| &**it)
    }

    /// The place of the value of this name.
    pub(super) fn place(&self, name: &[u8]) -> Option<usize> {
        let of = |it: &u32| self.names[*it as usize].as_bytes();
        let found = self.sorted.binary_search_by_key(&name, of).ok()?;
        Some(self.sorted[found] as usize)
    }

    /// The first few, as an error names them.
    pub(super) fn shown(&self) -> String {
        let first: Vec<&str> = self.names.iter().take(8).map(|it| &**it).collect();
        let more = if self.names.len() > 8 { ", ..." } else { "" };
        format!("one of {}{more}", first.join(", "))
    }
}

/// How deep elements nest in each scope. What may hold itself counts as if nothing were in it, and is
/// measured when it is entered: it has no depth that a plan could know.
pub(super) struct Depths {
    /// Inside the element of the message.
    pub(super) message: usize,
    /// Inside that of an entry or struct, for scopes that are measured; 0 for others.
    pub(super) measured: Vec<usize>,
}

impl Depths {
    pub(super) fn new(layout: &Layout, flat: bool) -> Self {
        let scopes = layout.scopes();
        // A scope stands before those inside it, unless it is one of those that hold it.
        let mut again = vec![false; scopes.len()];
        for (index, scope) in scopes.iter().enumerate() {
            let container = scope.fields.iter().filter_map(|it| it.holds.scope());
            for inner in container.filter(|it| usize::from(it.0) <= index) {
                again[usize::from(inner.0)] = true;
            }
        }
        let mut depths = vec![0; scopes.len()];
        for (index, scope) in scopes.iter().enumerate().rev() {
            let outer = |mut component: Option<u16>| {
                let mut count = 0;
                while let Some(around) = component {
                    component = scope.components[usize::from(around)].parent;
                    count += 1;
                }
                if flat { 0 } else { count }
            };
            let fields = scope.fields.iter().map(|field| {
                let container = match field.holds {
                    Holds::Group(inner) | Holds::Struct(inner) => {
                        let inner = usize::from(inner.0);
                        2 + if again[inner] { 0 } else { depths[inner] }
                    }
                    Holds::List(_) => 2,
                    Holds::Value(_) | Holds::Enumeration(_) => 1,
                };
                outer(field.component) + container
            });
            let components = (0..scope.components.len()).map(|it| outer(Some(it as u16)));
            depths[index] = fields.chain(components).max().unwrap_or(0);
        }
        let message = depths[0];
        let measured =
            depths.iter().zip(again).map(|(depth, again)| if again { *depth } else { 0 });
        Self { message, measured: measured.collect() }
    }
}

/// Which scopes are entered by more than one name of an element. Templates of the ends of their
/// elements, and before them, would hold for one name only.
pub(super) fn many_named<'a>(
    scopes: usize,
    elements: impl Iterator<Item = (u16, &'a Enclosing)>,
) -> Vec<bool> {
    let mut names: Vec<Option<&str>> = vec![None; scopes];
    let mut many = vec![false; scopes];
    for (scope, element) in elements {
        let scope = usize::from(scope);
        many[scope] |= *names[scope].get_or_insert(&element.name) != &*element.name;
    }
    many
}
