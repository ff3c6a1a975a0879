//! The nodes of the trie, and the edges between them.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::RandomState;

use super::text::Text;
use super::values::{Places, Values};
use crate::pool::Pool;
use crate::tables::Tables;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const ROOT: u32 = 0;

/// The edge of a level of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Exact,
    Prefix,
    Star,
    Rest,
}

impl Edge {
    /// The edge of a level, and the level without its `*`.
    fn of(level: &str) -> (Self, &[u8]) {
        match (level, level.strip_suffix('*')) {
            ("*", _) => (Self::Star, b""),
            (">", _) => (Self::Rest, b""),
            (_, Some(prefix)) => (Self::Prefix, prefix.as_bytes()),
            (_, None) => (Self::Exact, level.as_bytes()),
        }
    }
}

/// One cache line: finding a level costs this, and its place in the table.
#[repr(align(64))]
pub(super) struct Node {
    level: Text,
    pub(super) values: Values,
    parent: u32,
    /// The number of exact levels behind it.
    pub(super) exact: u32,
    pub(super) star: u32,
    pub(super) rest: u32,
    /// The number of its list of lengths; `NONE` if it has no prefixes.
    lengths: u32,
    edge: Edge,
}

const _: () = assert!(size_of::<Node>() == 64);

impl Default for Node {
    fn default() -> Self {
        Self::new(NONE, Edge::Rest, b"")
    }
}

impl Node {
    fn new(parent: u32, edge: Edge, level: &[u8]) -> Self {
        let (level, values) = (Text::new(level), Values::None);
        Self { level, values, parent, exact: 0, star: NONE, rest: NONE, lengths: NONE, edge }
    }

    fn is_bare(&self) -> bool {
        self.exact == 0
            && [self.star, self.rest, self.lengths] == [NONE; 3]
            && matches!(self.values, Values::None)
    }
}

/// The number of a node's prefixes, by their length in bytes.
type Lengths = Vec<(usize, u32)>;

pub(super) struct Tree {
    nodes: Pool<Node>,
    /// Nodes by parent and level; those behind `*` and `>` are in their parents.
    edges: Tables<u32>,
    hasher: RandomState,
    lengths: Pool<Lengths>,
    places: Places,
}

impl Tree {
    pub(super) fn new() -> Self {
        let mut nodes = Pool::new();
        assert_eq!(nodes.take(), ROOT, "it is the first");
        Self {
            nodes,
            edges: Tables::new(),
            hasher: RandomState::default(),
            lengths: Pool::new(),
            places: Places::new(),
        }
    }

    #[inline]
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node]
    }

    /// How many values all nodes have together.
    pub(super) fn values(&self) -> usize {
        self.places.len()
    }

    /// The lengths in bytes that prefixes behind a node have.
    #[inline]
    pub(super) fn prefix_lengths(&self, node: &Node) -> impl Iterator<Item = usize> {
        let lengths = self.lengths.get(node.lengths);
        lengths.into_iter().flatten().map(|(length, _)| *length)
    }

    /// The node behind an exact level.
    #[inline]
    pub(super) fn exact(&self, node: u32, level: &[u8]) -> Option<u32> {
        self.find(node, Edge::Exact, level)
    }

    /// The node behind a prefix.
    pub(super) fn prefix(&self, node: u32, prefix: &[u8]) -> Option<u32> {
        self.find(node, Edge::Prefix, prefix)
    }

    #[inline]
    fn find(&self, parent: u32, edge: Edge, level: &[u8]) -> Option<u32> {
        let is_it = |child: &u32| {
            let child = self.node(*child);
            child.parent == parent && child.edge == edge && child.level.as_bytes() == level
        };
        self.edges.find(hash(&self.hasher, parent, edge, level), is_it).copied()
    }

    /// The node behind a level of a pattern.
    pub(super) fn child(&self, node: u32, level: &str) -> Option<u32> {
        match Edge::of(level) {
            (Edge::Star, _) => Some(self.node(node).star).filter(|child| *child != NONE),
            (Edge::Rest, _) => Some(self.node(node).rest).filter(|child| *child != NONE),
            (edge, level) => self.find(node, edge, level),
        }
    }

    /// The node behind a level of a pattern, made if it is not there.
    pub(super) fn child_or_new(&mut self, node: u32, level: &str) -> u32 {
        if let Some(child) = self.child(node, level) {
            return child;
        }
        let (edge, level) = Edge::of(level);
        let child = self.new_node(Node::new(node, edge, level));
        let parent = &mut self.nodes[node];
        match edge {
            Edge::Star => parent.star = child,
            Edge::Rest => parent.rest = child,
            Edge::Prefix => self.add_length(node, level.len()),
            Edge::Exact => parent.exact += 1,
        }
        if let Edge::Prefix | Edge::Exact = edge {
            let Self { edges, hasher, nodes, .. } = self;
            let hash = hash(hasher, node, edge, level);
            edges.insert(hash, child, |child| hash_of_node(hasher, &nodes[*child]));
        }
        child
    }

    /// `false` if the node has the value.
    pub(super) fn add_value(&mut self, node: u32, value: u32) -> bool {
        self.places.add(node, &mut self.nodes[node].values, value)
    }

    /// `false` if the node does not have the value.
    pub(super) fn remove_value(&mut self, node: u32, value: u32) -> bool {
        self.places.remove(node, &mut self.nodes[node].values, value)
    }

    /// Removes a node without children and values, then its parent if it has none either, and so on.
    pub(super) fn prune(&mut self, mut node: u32) {
        while node != ROOT && self.node(node).is_bare() {
            let hash = hash_of_node(&self.hasher, self.node(node));
            // Those behind `*` and `>` are not there.
            self.edges.remove(hash, |child| *child == node);
            let bare = std::mem::take(&mut self.nodes[node]);
            self.nodes.give(node);
            let parent = &mut self.nodes[bare.parent];
            match bare.edge {
                Edge::Star => parent.star = NONE,
                Edge::Rest => parent.rest = NONE,
                Edge::Prefix => self.remove_length(bare.parent, bare.level.as_bytes().len()),
                Edge::Exact => parent.exact -= 1,
            }
            node = bare.parent;
        }
    }

    fn new_node(&mut self, node: Node) -> u32 {
        let number = self.nodes.take();
        self.nodes[number] = node;
        number
    }

    pub(super) fn has_unused(&self) -> bool {
        self.nodes.has_unused()
            || self.edges.has_unused()
            || self.lengths.has_unused()
            || self.places.has_unused()
    }

    /// Gives back some unused memory of one structure; returns whether there was any.
    pub(super) fn shrink(&mut self) -> bool {
        let Self { nodes, edges, hasher, lengths, places } = self;
        nodes.shrink()
            || edges.shrink(|node| hash_of_node(hasher, &nodes[*node]))
            || lengths.shrink()
            || places.shrink()
    }

    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        // An edge takes about as much as its number twice, with free places.
        self.nodes.bytes() + self.lengths.bytes() + self.nodes.len() * 2 * size_of::<u32>()
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.nodes.capacity().max(self.lengths.capacity())
    }

    fn add_length(&mut self, node: u32, length: usize) {
        let list = &mut self.nodes[node].lengths;
        if *list == NONE {
            *list = self.lengths.take();
        }
        let lengths = &mut self.lengths[*list];
        match lengths.iter_mut().find(|(known, _)| *known == length) {
            Some((_, count)) => *count += 1,
            None => lengths.push((length, 1)),
        }
    }

    fn remove_length(&mut self, node: u32, length: usize) {
        let list = &mut self.nodes[node].lengths;
        let lengths = &mut self.lengths[*list];
        if let Some((_, count)) = lengths.iter_mut().find(|(known, _)| *known == length) {
            *count -= 1;
        }
        lengths.retain(|(_, count)| *count > 0);
        if lengths.is_empty() {
            *lengths = Lengths::new();
            self.lengths.give(std::mem::replace(list, NONE));
        }
    }
}

#[inline]
fn hash(hasher: &RandomState, parent: u32, edge: Edge, level: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write_u32(parent << 1 | u32::from(edge == Edge::Prefix));
    hasher.write(level);
    hasher.finish()
}

fn hash_of_node(hasher: &RandomState, node: &Node) -> u64 {
    hash(hasher, node.parent, node.edge, node.level.as_bytes())
}
