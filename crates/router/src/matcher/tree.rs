//! The nodes of the trie, and what leads from one to another.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::values::{Places, Values};
use crate::names::Names;

/// No node, no level.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const ROOT: u32 = 0;

/// What stands at a level of a pattern, by numbers of [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Exact(u32),
    Prefix(u32),
    Star,
    Rest,
}

pub(super) struct Node {
    parent: u32,
    edge: Edge,
    /// How many exact levels lead on.
    pub(super) exact: u32,
    pub(super) star: u32,
    pub(super) rest: u32,
    values: Values,
    /// How many prefixes of each length, in bytes, lead on.
    #[expect(clippy::box_collection, reason = "nodes are many, and few have prefixes")]
    prefixes: Option<Box<Vec<(u16, u32)>>>,
}

impl Node {
    fn new(parent: u32, edge: Edge) -> Self {
        let values = Values::None;
        Self { parent, edge, exact: 0, star: NONE, rest: NONE, values, prefixes: None }
    }

    /// The lengths that prefixes have here, in bytes.
    pub(super) fn prefix_lengths(&self) -> impl Iterator<Item = usize> {
        self.prefixes.iter().flat_map(|lengths| lengths.iter()).map(|(length, _)| (*length).into())
    }

    fn is_bare(&self) -> bool {
        self.exact == 0
            && self.star == NONE
            && self.rest == NONE
            && self.prefixes.is_none()
            && matches!(self.values, Values::None)
    }

    fn add_prefix(&mut self, length: u16) {
        let lengths = self.prefixes.get_or_insert_default();
        match lengths.iter_mut().find(|(known, _)| *known == length) {
            Some((_, count)) => *count += 1,
            None => lengths.push((length, 1)),
        }
    }

    fn remove_prefix(&mut self, length: u16) {
        let Some(lengths) = &mut self.prefixes else { return };
        if let Some((_, count)) = lengths.iter_mut().find(|(known, _)| *known == length) {
            *count -= 1;
        }
        lengths.retain(|(_, count)| *count > 0);
        if lengths.is_empty() {
            self.prefixes = None;
        }
    }
}

pub(super) struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// Nodes by parent and edge; those behind `*` and `>` are in their parents.
    edges: HashTable<u32>,
    hasher: RandomState,
    levels: Names,
    /// How many edges have a level, by its number.
    uses: Vec<u32>,
    places: Places,
}

impl Tree {
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![Node::new(NONE, Edge::Rest)],
            free: Vec::new(),
            edges: HashTable::new(),
            hasher: RandomState::default(),
            levels: Names::new(),
            uses: Vec::new(),
            places: Places::new(),
        }
    }

    #[inline]
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub(super) fn values_of(&self, node: u32) -> &Values {
        &self.node(node).values
    }

    /// How many values all nodes have together.
    pub(super) fn values(&self) -> usize {
        self.places.len()
    }

    /// The number of a level or prefix, if any pattern has it.
    pub(super) fn level(&self, level: &[u8]) -> Option<u32> {
        self.levels.find(level)
    }

    pub(super) fn follow(&self, node: u32, edge: Edge) -> Option<u32> {
        match edge {
            Edge::Star => Some(self.node(node).star).filter(|child| *child != NONE),
            Edge::Rest => Some(self.node(node).rest).filter(|child| *child != NONE),
            Edge::Exact(_) | Edge::Prefix(_) => {
                let is_it = |child: &u32| {
                    let child = self.node(*child);
                    child.parent == node && child.edge == edge
                };
                self.edges.find(hash(&self.hasher, node, edge), is_it).copied()
            }
        }
    }

    /// The node behind a level of a pattern.
    pub(super) fn child(&self, node: u32, level: &str) -> Option<u32> {
        let edge = match kind(level) {
            Kind::Star => Edge::Star,
            Kind::Rest => Edge::Rest,
            Kind::Prefix(prefix) => Edge::Prefix(self.level(prefix.as_bytes())?),
            Kind::Exact => Edge::Exact(self.level(level.as_bytes())?),
        };
        self.follow(node, edge)
    }

    pub(super) fn child_or_new(&mut self, node: u32, level: &str) -> u32 {
        if let Some(child) = self.child(node, level) {
            return child;
        }
        let edge = match kind(level) {
            Kind::Star => Edge::Star,
            Kind::Rest => Edge::Rest,
            Kind::Prefix(prefix) => Edge::Prefix(self.use_level(prefix)),
            Kind::Exact => Edge::Exact(self.use_level(level)),
        };
        let child = self.new_node(Node::new(node, edge));
        let length = self.prefix_length(edge);
        let parent = &mut self.nodes[node as usize];
        match edge {
            Edge::Star => parent.star = child,
            Edge::Rest => parent.rest = child,
            Edge::Prefix(_) => parent.add_prefix(length),
            Edge::Exact(_) => parent.exact += 1,
        }
        if let Edge::Prefix(_) | Edge::Exact(_) = edge {
            let Self { edges, hasher, nodes, .. } = self;
            edges.insert_unique(hash(hasher, node, edge), child, |child| {
                let child = &nodes[*child as usize];
                hash(hasher, child.parent, child.edge)
            });
        }
        child
    }

    /// `false` if the node has the value.
    pub(super) fn add_value(&mut self, node: u32, value: u32) -> bool {
        self.places.add(node, &mut self.nodes[node as usize].values, value)
    }

    /// `false` if the node does not have the value.
    pub(super) fn remove_value(&mut self, node: u32, value: u32) -> bool {
        self.places.remove(node, &mut self.nodes[node as usize].values, value)
    }

    /// Removes a node without children and values, and then its parent if that is so too, and so on.
    pub(super) fn prune(&mut self, mut node: u32) {
        while node != ROOT && self.node(node).is_bare() {
            let Node { parent, edge, .. } = *self.node(node);
            let length = self.prefix_length(edge);
            let above = &mut self.nodes[parent as usize];
            match edge {
                Edge::Star => above.star = NONE,
                Edge::Rest => above.rest = NONE,
                Edge::Prefix(_) => above.remove_prefix(length),
                Edge::Exact(_) => above.exact -= 1,
            }
            if let Edge::Exact(level) | Edge::Prefix(level) = edge {
                let hash = hash(&self.hasher, parent, edge);
                if let Ok(entry) = self.edges.find_entry(hash, |child| *child == node) {
                    entry.remove();
                }
                self.release_level(level);
            }
            self.free.push(node);
            node = parent;
        }
    }

    fn new_node(&mut self, node: Node) -> u32 {
        if let Some(number) = self.free.pop() {
            self.nodes[number as usize] = node;
            return number;
        }
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 nodes")
    }

    /// The length in bytes of the prefix that an edge asks for.
    fn prefix_length(&self, edge: Edge) -> u16 {
        let Edge::Prefix(level) = edge else { return 0 };
        u16::try_from(self.levels.name(level).len()).unwrap_or(u16::MAX)
    }

    fn use_level(&mut self, level: &str) -> u32 {
        let number = self.level(level.as_bytes()).unwrap_or_else(|| self.levels.insert(level));
        let index = number as usize;
        if index >= self.uses.len() {
            self.uses.resize(index + 1, 0);
        }
        self.uses[index] += 1;
        number
    }

    fn release_level(&mut self, level: u32) {
        let uses = &mut self.uses[level as usize];
        *uses -= 1;
        if *uses == 0 {
            self.levels.remove(level);
        }
    }
}

/// A level of a pattern, as it is written.
enum Kind<'a> {
    Exact,
    Prefix(&'a str),
    Star,
    Rest,
}

fn kind(level: &str) -> Kind<'_> {
    match level {
        "*" => Kind::Star,
        ">" => Kind::Rest,
        _ => level.strip_suffix('*').map_or(Kind::Exact, Kind::Prefix),
    }
}

#[inline]
fn hash(hasher: &RandomState, parent: u32, edge: Edge) -> u64 {
    let level = match edge {
        Edge::Exact(level) => level << 1,
        Edge::Prefix(level) => level << 1 | 1,
        Edge::Star | Edge::Rest => NONE,
    };
    hasher.hash_one(u64::from(parent) << 32 | u64::from(level))
}
