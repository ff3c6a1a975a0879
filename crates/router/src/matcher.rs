//! Which patterns a topic matches: a trie of levels.
//!
//! A node stands for the beginning of patterns. From it lead exact levels and prefixes, all in one
//! table for all nodes, and at most one `*` and one `>`. The strings of levels are kept once, so that
//! a topic's level is hashed once and then compared as a number. Of prefixes a node knows which
//! lengths exist: one look-up for each, however many prefixes there are.
//!
//! So a topic costs what its levels and the wildcards on its way cost, and not what the number of
//! patterns would.

use crate::topic::TOPIC_LEVELS;

mod tree;
mod values;

use tree::{Edge, NONE, ROOT, Tree};

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

    /// Adds a value to a pattern, which [`crate::check_pattern`] takes. `false` if it has it.
    pub fn insert(&mut self, pattern: &str, value: u32) -> bool {
        let mut node = ROOT;
        for level in pattern.split('/').take(TOPIC_LEVELS) {
            node = self.tree.child_or_new(node, level);
        }
        self.tree.add_value(node, value)
    }

    /// Takes a value from a pattern. `false` if it did not have it.
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

    /// Appends the values of all patterns that match a topic, in no order. A value is there once for
    /// each pattern that has it.
    pub fn matches(&self, topic: &str, found: &mut Vec<u32>) {
        let own = topic.starts_with('$');
        let mut search = Search {
            tree: &self.tree,
            topic: topic.as_bytes(),
            own,
            levels: [UNKNOWN; TOPIC_LEVELS],
            found,
        };
        search.node(ROOT, 0, 0);
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

/// A level whose number has not been looked up yet.
const UNKNOWN: u32 = NONE - 1;

/// One topic on its way through the tree.
struct Search<'a> {
    tree: &'a Tree,
    topic: &'a [u8],
    /// The first level begins with `$`, and wildcards stand for others.
    own: bool,
    /// Numbers of the topic's levels, as far as anybody asked; `NONE` where no pattern has the level.
    levels: [u32; TOPIC_LEVELS],
    found: &'a mut Vec<u32>,
}

impl Search<'_> {
    /// Goes on from a node, with the level that is the `depth`th and begins at byte `start`.
    fn node(&mut self, node: u32, depth: usize, start: usize) {
        let tree = self.tree;
        if start > self.topic.len() {
            tree.values_of(node).append_to(self.found);
            return;
        }
        if depth == TOPIC_LEVELS {
            return;
        }
        let node_number = node;
        let node = tree.node(node);
        let rest = &self.topic[start..];
        let level = &rest[..memchr::memchr(b'/', rest).unwrap_or(rest.len())];
        let next = start + level.len() + 1;
        if node.exact > 0
            && let Some(child) = self.exact(node_number, depth, level)
        {
            self.node(child, depth + 1, next);
        }
        for length in node.prefix_lengths() {
            if let Some(prefix) = level.get(..length)
                && let Some(number) = tree.level(prefix)
                && let Some(child) = tree.follow(node_number, Edge::Prefix(number))
            {
                self.node(child, depth + 1, next);
            }
        }
        if self.own && depth == 0 {
            return;
        }
        if node.star != NONE {
            self.node(node.star, depth + 1, next);
        }
        if node.rest != NONE {
            tree.values_of(node.rest).append_to(self.found);
        }
    }

    fn exact(&mut self, node: u32, depth: usize, level: &[u8]) -> Option<u32> {
        if self.levels[depth] == UNKNOWN {
            self.levels[depth] = self.tree.level(level).unwrap_or(NONE);
        }
        let number = self.levels[depth];
        if number == NONE { None } else { self.tree.follow(node, Edge::Exact(number)) }
    }
}
