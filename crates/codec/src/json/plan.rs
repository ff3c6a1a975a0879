//! A layout compiled for JSON: keys to write, names to look up.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use trunkline_message::{
    Component, Error, ErrorKind, Field, Holds, Layout, Required, Result, Scope, Shape, TypeId,
};

use super::decoder::name;
use super::text::{is_of_one, quote};

/// How messages are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Are numbers strings, for readers that hold them as doubles? Floats are not, since they are doubles.
    pub quoted: bool,
    /// Does the message stand in an object of one member, which has its name? So a stream of several
    /// messages says which each is.
    pub named: bool,
    /// May an item of any list be `null`, as one of an array of SOAP's encoding may be nil? Records hold that. Otherwise
    /// only where the layout says so ([`Field::nil_items`](trunkline_message::Field::nil_items)).
    pub nil_items: bool,
    /// May the message be `null`, as an element of SOAP may be nil? Records hold that, and an `Option` of a struct.
    pub nillable: bool,
}

/// A layout compiled for JSON; shared by any number of encoders and decoders.
#[derive(Debug)]
pub struct Plan {
    pub(super) layout: Arc<Layout>,
    pub(super) options: Options,
    /// `{"Order":`, if messages are named.
    pub(super) prologue: Box<[u8]>,
    pub(super) scopes: Vec<ScopePlan>,
    /// The names of the values of each enumeration, with their places.
    values: HashMap<TypeId, HashMap<Box<str>, usize>>,
}

#[derive(Debug)]
pub(super) struct ScopePlan {
    pub(super) slots: Box<[Slot]>,
    /// `"Instrument":` of each component.
    pub(super) keys: Box<[Box<[u8]>]>,
    /// What stands directly in the scope, and in each of its components behind it.
    nodes: Box<[HashMap<Box<str>, Member>]>,
    pub(super) required: Required,
    /// It is the item of a list, which has no name.
    pub(super) is_item: bool,
}

/// What the codec does with a field.
#[derive(Debug)]
pub(super) struct Slot {
    /// `"Price":`
    pub(super) key: Box<[u8]>,
    /// The components around it, outer before inner.
    pub(super) around: Box<[u16]>,
    /// The scope of what is inside.
    pub(super) inside: usize,
    pub(super) fixed: Option<usize>,
}

/// What a name means in a scope or component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Field(usize),
    Component(u16),
}

impl Plan {
    /// Compiles a layout.
    ///
    /// # Errors
    /// A struct has a member and a component of one name.
    pub fn new(layout: &Arc<Layout>, options: &Options) -> Result<Arc<Self>> {
        let scopes = layout.scopes().iter().map(ScopePlan::new).collect::<Result<Vec<_>>>()?;
        let mut values = HashMap::new();
        for field in layout.scopes().iter().flat_map(|it| &it.fields) {
            if let Holds::Enumeration(of) = field.holds {
                let names = layout.schema().values(of).iter().cloned().zip(0..);
                values.entry(of).or_insert_with(|| names.collect());
            }
        }
        let prologue = match options.named {
            true => [b"{", &*key(layout.name())].concat().into(),
            false => Box::default(),
        };
        let (layout, options) = (layout.clone(), options.clone());
        Ok(Arc::new(Self { layout, options, prologue, scopes, values }))
    }

    /// The layout that was compiled.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Has the message a member of its own name?
    pub fn has_own_name(&self) -> bool {
        self.scopes[0].member(None, self.layout.name()).is_some()
    }

    /// Does the message stand in an object of one member, which has its name? Of a message that [has such a member
    /// itself](Self::has_own_name) that is so where nothing stands beside it, and an object in it: then it is no value. So is
    /// `null` in it, where the message may be that.
    pub fn is_named(&self, bytes: &[u8]) -> bool {
        let is_called = name(bytes).is_ok_and(|it| it == self.layout.name());
        let is_around =
            || is_of_one(bytes, b"{") || self.options.nillable && is_of_one(bytes, b"null");
        is_called && (!self.has_own_name() || is_around())
    }

    /// The place of the value of this name among those of an enumeration.
    pub(super) fn value(&self, of: TypeId, name: &str) -> Option<usize> {
        self.values.get(&of)?.get(name).copied()
    }

    pub(super) fn field(&self, scope: usize, field: usize) -> &Field {
        &self.layout.scopes()[scope].fields[field]
    }

    /// Adds a field to the path of an error.
    #[cold]
    pub(super) fn locate(&self, error: Error, scope: usize, field: usize) -> Error {
        self.layout.scopes()[scope].locate(error, field)
    }
}

impl ScopePlan {
    fn new(scope: &Scope) -> Result<Self> {
        let mut nodes = vec![HashMap::<Box<str>, Member>::new(); 1 + scope.components.len()];
        let mut add = |component: Option<u16>, name: &str, member| {
            let node = component.map_or(0, |it| 1 + usize::from(it));
            match nodes[node].insert(name.into(), member) {
                None => Ok(()),
                Some(_) => {
                    let what = format!("two members {name:?} of one object");
                    let error = Error::new(ErrorKind::Unsupported(what.into()), 0);
                    Err(scope.locate_component(error, component))
                }
            }
        };
        for (index, component) in scope.components.iter().enumerate() {
            add(component.parent, &component.name, Member::Component(index as u16))?;
        }
        for (index, field) in scope.fields.iter().enumerate() {
            add(field.component, &field.name, Member::Field(index))?;
        }
        let slot = |field: &Field| Slot {
            key: key(&field.name),
            around: around(&scope.components, field.component),
            inside: field.holds.scope().map_or(0, |it| it.0.into()),
            fixed: field.fixed.map(|it| it as usize),
        };
        Ok(Self {
            slots: scope.fields.iter().map(slot).collect(),
            keys: scope.components.iter().map(|it| key(&it.name)).collect(),
            nodes: nodes.into(),
            required: scope.required.clone(),
            is_item: scope.shape == Shape::Item,
        })
    }

    /// What a name means there.
    pub(super) fn member(&self, component: Option<u16>, name: &str) -> Option<Member> {
        self.nodes[component.map_or(0, |it| 1 + usize::from(it))].get(name).copied()
    }
}

fn key(name: &str) -> Box<[u8]> {
    let mut out = Vec::new();
    quote(name, &mut out);
    out.push(b':');
    out.into()
}

fn around(components: &[Component], mut component: Option<u16>) -> Box<[u16]> {
    let mut around = Vec::new();
    while let Some(index) = component {
        around.push(index);
        component = components[usize::from(index)].parent;
    }
    around.reverse();
    around.into()
}
