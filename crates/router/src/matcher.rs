//! Which patterns a topic matches: a trie of levels.
//!
//! A node stands for the beginning of patterns. Exact levels and prefixes lead from it, all in one table
//! for all nodes, and at most one `*` and one `>`. A node is a cache line with its level in it: without a
//! warm cache each level costs two memory reads. A node knows the lengths of its prefixes: one look-up for
//! each length, however many prefixes there are.
//!
//! So the cost of a topic depends on its levels and the wildcards on its way, not on the number of
//! patterns.

use crate::topic::TOPIC_LEVELS;

mod text;
mod tree;
mod values;

use tree::{NONE, ROOT, Tree};

/// Patterns, each with values: a set of pairs.
pub struct Matcher {
    tree: Tree,
}

impl Default for Matcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Matcher {
    /// No patterns yet.
    pub fn new() -> Self {
        Self { tree: Tree::new() }
    }

    /// Adds a value to a pattern that [`crate::check_pattern`] accepts. `false` if it has it.
    pub fn insert(&mut self, pattern: &str, value: u32) -> bool {
        let mut node = ROOT;
        for level in pattern.split('/').take(TOPIC_LEVELS) {
            node = self.tree.child_or_new(node, level);
        }
        self.tree.add_value(node, value)
    }

    /// Removes a value from a pattern. `false` if it did not have it.
    pub fn remove(&mut self, pattern: &str, value: u32) -> bool {
        let mut node = ROOT;
        for level in pattern.split('/').take(TOPIC_LEVELS) {
            match self.tree.child(node, level) {
                Some(child) => node = child,
                None => return false,
            }
        }
        let removed = self.tree.remove_value(node, value);
        self.tree.prune(node);
        removed
    }

    /// The values of a pattern.
    pub(crate) fn same(&self, pattern: &str) -> &[u32] {
        let mut node = ROOT;
        for level in pattern.split('/').take(TOPIC_LEVELS) {
            match self.tree.child(node, level) {
                Some(child) => node = child,
                None => return &[],
            }
        }
        self.tree.node(node).values.as_slice()
    }

    /// Appends the values of all patterns that match a topic, in no order. A value is there once for
    /// each pattern that has it. Returns how many nodes it has gone through.
    pub fn matches(&self, topic: &str, found: &mut Vec<u32>) -> usize {
        let mut search = Search { tree: &self.tree, topic: topic.as_bytes(), found, steps: 0 };
        search.node(ROOT, 0, 0);
        search.steps
    }

    pub(crate) fn has_unused(&self) -> bool {
        self.tree.has_unused()
    }

    /// Gives back some unused memory of one structure; returns whether there was any.
    pub(crate) fn shrink(&mut self) -> bool {
        self.tree.shrink()
    }

    /// Bytes of memory, about.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// Nodes that there is memory for.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.tree.capacity()
    }

    /// How many pairs of pattern and value there are.
    pub fn len(&self) -> usize {
        self.tree.values()
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One topic on its way through the tree.
struct Search<'a> {
    tree: &'a Tree,
    topic: &'a [u8],
    found: &'a mut Vec<u32>,
    steps: usize,
}

impl Search<'_> {
    /// Goes on from a node, with the level that is the `depth`th and begins at byte `start`.
    fn node(&mut self, number: u32, depth: usize, start: usize) {
        let tree = self.tree;
        let node = tree.node(number);
        self.steps += 1;
        if start > self.topic.len() {
            self.found.extend_from_slice(node.values.as_slice());
            return;
        }
        if depth == TOPIC_LEVELS {
            return;
        }
        let rest = &self.topic[start..];
        let level = &rest[..memchr::memchr(b'/', rest).unwrap_or(rest.len())];
        let next = start + level.len() + 1;
        if node.exact > 0
            && let Some(child) = tree.exact(number, level)
        {
            self.node(child, depth + 1, next);
        }
        for length in tree.prefix_lengths(node) {
            if let Some(prefix) = level.get(..length)
                && let Some(child) = tree.prefix(number, prefix)
            {
                self.node(child, depth + 1, next);
            }
        }
        // No wildcard matches the first level of the router's own topics.
        if depth == 0 && level.starts_with(b"$") {
            return;
        }
        if node.star != NONE {
            self.node(node.star, depth + 1, next);
        }
        if node.rest != NONE {
            self.found.extend_from_slice(tree.node(node.rest).values.as_slice());
        }
    }
}
