//! The values of the nodes, each found in constant time to be removed.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;

use crate::tables::Tables;

/// The values of one node. Most nodes have one or none.
#[derive(Default)]
pub(super) enum Values {
    #[default]
    None,
    One(u32),
    #[expect(clippy::box_collection, reason = "nodes are many, and few have several values")]
    Many(Box<Vec<u32>>),
}

impl Values {
    #[inline]
    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }

    fn push(&mut self, value: u32) {
        match self {
            Self::None => *self = Self::One(value),
            Self::One(first) => *self = Self::Many(Box::new(vec![*first, value])),
            Self::Many(values) => values.push(value),
        }
    }

    /// Removes the value at a position and puts the last one there; returns that one.
    fn swap_remove(&mut self, position: usize) -> Option<u32> {
        match self {
            Self::None => None,
            Self::One(_) => {
                *self = Self::None;
                None
            }
            Self::Many(values) => {
                values.swap_remove(position);
                let moved = values.get(position).copied();
                if let [value] = values[..] {
                    *self = Self::One(value);
                }
                moved
            }
        }
    }
}

/// The place of a value in its node's list.
struct Place {
    node: u32,
    value: u32,
    position: u32,
}

/// The places of all values of all nodes.
pub(super) struct Places {
    table: Tables<Place>,
    hasher: RandomState,
}

impl Places {
    pub(super) fn new() -> Self {
        Self { table: Tables::new(), hasher: RandomState::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// `false` if the node has the value.
    pub(super) fn add(&mut self, node: u32, values: &mut Values, value: u32) -> bool {
        let Self { table, hasher } = self;
        let hash = hash(hasher, node, value);
        let is_it = |place: &Place| (place.node, place.value) == (node, value);
        if table.find(hash, is_it).is_some() {
            return false;
        }
        let position = u32::try_from(values.as_slice().len()).expect("values are u32");
        let place = Place { node, value, position };
        table.insert(hash, place, |place| self::hash(hasher, place.node, place.value));
        values.push(value);
        true
    }

    /// `false` if the node does not have the value.
    pub(super) fn remove(&mut self, node: u32, values: &mut Values, value: u32) -> bool {
        let hash = hash(&self.hasher, node, value);
        let is_it = |place: &Place| (place.node, place.value) == (node, value);
        let Some(Place { position, .. }) = self.table.remove(hash, is_it) else { return false };
        if let Some(moved) = values.swap_remove(position as usize) {
            let hash = self::hash(&self.hasher, node, moved);
            let is_it = |place: &Place| (place.node, place.value) == (node, moved);
            self.table.find_mut(hash, is_it).expect("each value has a place").position = position;
        }
        true
    }

    pub(super) fn has_unused(&self) -> bool {
        self.table.has_unused()
    }

    /// Gives some memory back; whether there was any to give.
    pub(super) fn shrink(&mut self) -> bool {
        let hasher = &self.hasher;
        self.table.shrink(|place| hash(hasher, place.node, place.value))
    }
}

fn hash(hasher: &RandomState, node: u32, value: u32) -> u64 {
    hasher.hash_one(u64::from(node) << 32 | u64::from(value))
}
