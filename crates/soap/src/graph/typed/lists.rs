//! Lists: numbers, and entries of any other kind, which may refer to values elsewhere.

use std::borrow::Cow;

use trunkline_message::{Entries, ErrorKind, Fields, Holds, Result, Shape};

use super::Reader;
use crate::entries::ENTRY;
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
        if let Some(run) = self.run_or_row() {
            return Ok(Cow::Owned(run));
        }
        match &self.graph.node(self.node).content {
            Content::Array(array) => self.array(array, &[]).map(Cow::Owned),
            Content::Struct(members) => Ok(members.iter().map(|it| it.1).collect()),
            Content::Text(text) if self.is_blank(text)? => Ok(Cow::Borrowed(&[])),
            Content::Text(_) | Content::Nil => Err(self.no_items()),
        }
    }

    #[cold]
    fn no_items(&self) -> trunkline_message::Error {
        self.error(ErrorKind::Expected("items, not text".into()))
    }

    /// The nodes of an array's items, which are arrays in each other of these dimensions at most.
    fn array(&self, array: &Array, inside: &[usize]) -> Result<Vec<NodeId>> {
        self.check_array(array, 1, inside)?;
        Ok(array.items.iter().map(|item| item.1).collect())
    }

    /// Has an array so many dimensions, and are all its items there, which are arrays in each other of the dimensions
    /// `inside` at most?
    pub(super) fn check_array(
        &self,
        array: &Array,
        dimensions: usize,
        inside: &[usize],
    ) -> Result<()> {
        if array.dimensions.len() != dimensions || !inside.ends_with(&array.item_ranks) {
            let what = match dimensions {
                1 => "an array of one dimension".to_owned(),
                _ => format!("an array of {dimensions} dimensions"),
            };
            return Err(self.error(ErrorKind::Expected(what.into())));
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
        Ok(())
    }

    /// A list of a fixed size has exactly so many items.
    pub(super) fn check_count(&self, found: usize) -> Result<()> {
        match self.present().and_then(|it| it.fixed) {
            Some(fixed) if fixed as usize != found => {
                Err(self.error(ErrorKind::Count { stated: fixed as usize, found }))
            }
            _ => Ok(()),
        }
    }

    /// Reads the entries of the present list, which another scope describes.
    pub(super) fn entries<G: Entries>(&mut self, inner: usize, into: &mut G) -> Result<()> {
        if let Some(rows) = self.rows()? {
            return self.read_rows(inner, &rows, into);
        }
        let plan = self.plan;
        let (outer, field) = (self.scope, self.field);
        let entries = self.entry_nodes(inner)?;
        self.check_count(entries.len())?;
        let around = &plan.scopes[outer];
        let takes_nil = around.container(&around.slots[field]).takes_nil;
        for (index, entry) in entries.into_iter().enumerate() {
            self.node = entry.node;
            self.count_entries(1)?;
            let is_nil = matches!(self.graph.node(entry.node).content, Content::Nil);
            let read = match entry.field {
                _ if is_nil && takes_nil => {
                    (self.scope, self.field) = (inner, entry.field.unwrap_or(usize::MAX));
                    self.nil(entry.node, into.next_entry())
                }
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

    /// Reads an entry that is nil.
    fn nil<F: Fields>(&mut self, node: NodeId, into: &mut F) -> Result<()> {
        self.count(1)?;
        self.count_attributes(node)?;
        match into.set_nil() {
            true => Ok(()),
            false => Err(self.error(ErrorKind::Expected(ENTRY.into()))),
        }
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
            Content::Array(array) => Ok(entries(self.array(array, &self.inside(inner))?)),
            Content::Struct(members) => self.named_entries(inner, shape, members),
            Content::Text(text) if self.is_blank(text)? => Ok(Vec::new()),
            Content::Text(_) | Content::Nil => Err(self.no_items()),
        }
    }

    /// The dimensions of the arrays in each other in each entry of a list, those of the outermost last.
    pub(super) fn inside(&self, inner: usize) -> Vec<usize> {
        let scopes = self.plan.layout.scopes();
        let (mut found, mut inner) = (Vec::new(), inner);
        while scopes[inner].shape == Shape::Item
            && matches!(scopes[inner].fields[0].holds, Holds::List(_) | Holds::Group(_))
        {
            found.insert(0, self.plan.dimensions_of(inner, 0));
            match self.plan.innermost(inner, 0) {
                Holds::Group(items) => inner = items.0.into(),
                _ => break,
            }
        }
        found
    }

    /// Counts the entries of a list before there is room for them.
    pub(super) fn count_entries(&mut self, more: usize) -> Result<()> {
        self.entries = self.entries.saturating_add(more);
        let limit = self.limits.entries;
        match self.entries > limit {
            true => Err(self.error(ErrorKind::Limit { name: "entries", limit })),
            false => Ok(()),
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
