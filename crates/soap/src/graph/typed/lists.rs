//! Lists: numbers, and entries of any other kind, which may refer to values elsewhere.

use std::borrow::Cow;

use trunkline_message::{Entries, ErrorKind, Fields, Holds, Result, Shape};

use super::Reader;
use crate::graph::Name;
use crate::graph::model::{Array, Content, NodeId};
use crate::names::Name as Meaning;
use crate::plan::{NONE, ScopePlan, Shape as SlotShape};
use crate::unknown::{instead, rejected};

/// What a node of a list is.
#[derive(Clone, Copy)]
struct Entry {
    /// Of which field of an entry it is the value; none if it is the whole entry.
    field: Option<usize>,
    node: NodeId,
}

impl<'a> Reader<'a> {
    /// Have the items of the present list no element around them?
    pub(super) fn is_unwrapped(&self) -> bool {
        let slot = self.plan.scopes[self.scope].slots.get(self.field);
        slot.is_some_and(|it| it.shape == SlotShape::Run)
    }

    /// Reads the present field from all members of its name, at the first of them.
    pub(super) fn unwrapped<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        base: usize,
        (component, members): (u16, &[(Name, NodeId)]),
        into: &mut F,
    ) -> Result<()> {
        if self.is_noted(base) {
            return Ok(());
        }
        self.note(base)?;
        let is_one = |(name, _): &&(Name, NodeId)| {
            let meaning = scope.names.get(component, name.local().as_bytes());
            let meaning = meaning.filter(|_| self.plan.is_of_elements(name.namespace()));
            matches!(meaning, Some(Meaning::Field(field)) if usize::from(field) == self.field)
        };
        self.run = Some(members.iter().filter(is_one).map(|(_, node)| *node).collect());
        into.decode_field(self.field, self)
    }

    /// Reads the numbers of the present list.
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let items = self.items()?;
        let limit = self.limits.elements;
        if items.len() > limit {
            return Err(self.error(ErrorKind::Limit { name: "elements", limit }));
        }
        self.count(items.len())?;
        for node in items.iter() {
            self.node = *node;
            self.reject_reference(*node)?;
            self.check_type(*node)?;
            self.count_attributes(*node)?;
            item(self)?;
        }
        self.check_count(items.len())
    }

    /// The nodes of a list's numbers, whatever they are called.
    fn items(&mut self) -> Result<Cow<'a, [NodeId]>> {
        if let Some(run) = self.run.take() {
            return Ok(Cow::Owned(run));
        }
        match &self.graph.node(self.node).content {
            Content::Array(array) => self.array(array, 0).map(Cow::Owned),
            Content::Struct(members) => Ok(members.iter().map(|it| it.1).collect()),
            Content::Text(text) if self.is_blank(text)? => Ok(Cow::Borrowed(&[])),
            Content::Text(_) | Content::Nil => Err(self.no_items()),
        }
    }

    #[cold]
    fn no_items(&self) -> trunkline_message::Error {
        self.error(ErrorKind::Expected("items, not text".into()))
    }

    /// The nodes of an array's items, which are lists in lists as `deep` as this at most.
    fn array(&self, array: &Array, deep: usize) -> Result<Vec<NodeId>> {
        let ranks = &array.item_ranks;
        let fits = ranks.len() <= deep && ranks.iter().all(|rank| *rank == 1);
        if array.dimensions.len() > 1 || !fits {
            return Err(self.error(ErrorKind::Expected("an array of one dimension".into())));
        }
        // An item that was not transmitted has no correct value.
        if !array.is_complete() {
            let (stated, found) = (array.size(), array.items.len());
            let is_cut = array.items.iter().zip(0..).all(|(item, position)| item.0 == position);
            if is_cut && array.offset.is_none() {
                let stated = usize::try_from(stated).unwrap_or(usize::MAX);
                return Err(self.error(ErrorKind::Count { stated, found }));
            }
            let what = format!(
                "all {stated} items of the array, not {found} of them: it is partial or sparse"
            );
            return Err(self.error(ErrorKind::Expected(what.into())));
        }
        Ok(array.items.iter().map(|item| item.1).collect())
    }

    /// A list of a fixed size has exactly so many items.
    fn check_count(&self, found: usize) -> Result<()> {
        match self.present().and_then(|it| it.fixed) {
            Some(fixed) if fixed as usize != found => {
                Err(self.error(ErrorKind::Count { stated: fixed as usize, found }))
            }
            _ => Ok(()),
        }
    }

    /// Reads the entries of the present list, which another scope describes.
    pub(super) fn entries<G: Entries>(&mut self, inner: usize, into: &mut G) -> Result<()> {
        let plan = self.plan;
        let (outer, field) = (self.scope, self.field);
        let entries = self.entry_nodes(inner)?;
        self.check_count(entries.len())?;
        for (index, entry) in entries.into_iter().enumerate() {
            self.entries += 1;
            self.node = entry.node;
            if self.entries > self.limits.entries {
                let limit = self.limits.entries;
                return Err(self.error(ErrorKind::Limit { name: "entries", limit }));
            }
            let read = match entry.field {
                None => {
                    self.reject_reference(entry.node)?;
                    // The attributes of a choice by type are its arm's.
                    if plan.scopes[inner].by_type.is_none() {
                        self.count_attributes_around(entry.node, &plan.scopes[inner], NONE)?;
                    }
                    self.enter(entry.node)?;
                    let read = self.scope(inner, into.next_entry());
                    self.path.pop();
                    read
                }
                Some(only) => {
                    (self.scope, self.field) = (inner, only);
                    self.only(entry.node, into.next_entry())
                }
            };
            (self.scope, self.field) = (outer, field);
            read.map_err(|error| plan.locate(error.in_entry(index), outer, field))?;
        }
        Ok(())
    }

    /// Reads an entry whose only value is that of the present field.
    fn only<F: Fields>(&mut self, node: NodeId, into: &mut F) -> Result<()> {
        self.count(1)?;
        self.check(node)?;
        if matches!(self.graph.node(node).content, Content::Nil) {
            return Err(self.error(ErrorKind::Expected("an item, not nil".into())));
        }
        self.value(node, into)
    }

    /// The nodes of a list's entries, which are named so where names count.
    fn entry_nodes(&mut self, inner: usize) -> Result<Vec<Entry>> {
        let shape = self.plan.layout.scopes()[inner].shape;
        // The items of an array are whole entries, but for those that are one value each.
        let field = (shape == Shape::Item).then_some(0);
        let entries = |nodes: Vec<NodeId>| {
            nodes.into_iter().map(|node| Entry { field, node }).collect::<Vec<_>>()
        };
        if let Some(run) = self.run.take() {
            return Ok(entries(run));
        }
        match &self.graph.node(self.node).content {
            Content::Array(array) => Ok(entries(self.array(array, self.deep(inner))?)),
            Content::Struct(members) => self.named_entries(inner, shape, members),
            Content::Text(text) if self.is_blank(text)? => Ok(Vec::new()),
            Content::Text(_) | Content::Nil => Err(self.no_items()),
        }
    }

    /// How deep lists stand in each other in each entry of a list.
    fn deep(&self, mut inner: usize) -> usize {
        let mut deep = 0;
        loop {
            let scope = &self.plan.layout.scopes()[inner];
            match scope.fields.first().filter(|_| scope.shape == Shape::Item).map(|it| it.holds) {
                Some(Holds::List(_)) => return deep + 1,
                Some(Holds::Group(items)) => (inner, deep) = (items.0.into(), deep + 1),
                _ => return deep,
            }
        }
    }

    /// The entries among these elements.
    fn named_entries(
        &mut self,
        inner: usize,
        shape: Shape,
        members: &[(Name, NodeId)],
    ) -> Result<Vec<Entry>> {
        let plan = self.plan;
        let (entry, around) = (&plan.scopes[inner], &plan.scopes[self.scope]);
        let enclosing = around.container(&around.slots[self.field]).enclosing.as_ref();
        let mut entries = Vec::with_capacity(members.len());
        for (name, node) in members {
            let is_own = name.namespace() == plan.element_namespace();
            let is_item = |item: &str| plan.any_item || is_own && name.local() == item;
            let known = entry.names.get(NONE, name.local().as_bytes());
            let field = match (enclosing, shape, known) {
                (Some(element), ..) => is_item(&element.name).then_some(None),
                (_, Shape::Item, known) => {
                    (plan.any_item || is_own && known.is_some()).then_some(Some(0))
                }
                (.., Some(Meaning::Field(arm))) if plan.is_of_elements(name.namespace()) => {
                    Some(Some(usize::from(arm)))
                }
                _ => None,
            };
            match field {
                Some(field) => entries.push(Entry { field, node: *node }),
                None => self.unknown_in_list(inner, name, *node)?,
            }
        }
        Ok(entries)
    }

    /// Counts an element in a list that is none of its entries.
    fn unknown_in_list(&mut self, inner: usize, name: &Name, at: NodeId) -> Result<()> {
        self.node = at;
        let plan = self.plan;
        let slot = &plan.scopes[self.scope].slots[self.field];
        let (items, entry) = (self.plan.item_name(self.scope, slot), &self.plan.scopes[inner]);
        let meant = self.plan.meant_among(&items, entry, name.namespace(), name.local());
        if let Some(expected) = meant {
            return Err(self.error(instead(&expected, name.local(), name.namespace())));
        }
        let (scope, field, at) = (self.scope, self.field, self.at());
        self.unknown.add(1, || plan.locate(rejected(name.local(), at), scope, field))
    }
}
