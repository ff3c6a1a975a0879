//! Are two messages the same graph?

use std::collections::HashMap;

use super::model::{Array, Content, Graph, Message, Node, NodeId};
use super::namespaces::XSD;

impl Message {
    /// Whether both have the same names, types, values and attributes, and the same values are one
    /// value in both: identity is compared, and how it was written is not.
    pub fn is_same(&self, other: &Self) -> bool {
        let roots = |message: &Self| {
            let roots = message.header.iter().chain(&message.body);
            roots.map(|root| root.0.clone()).collect::<Vec<_>>()
        };
        let ids = |message: &Self| {
            let roots = message.header.iter().chain(&message.body);
            roots.map(|root| root.1).collect::<Vec<_>>()
        };
        self.header.len() == other.header.len()
            && roots(self) == roots(other)
            && are_same((&self.graph, &ids(self)), (&other.graph, &ids(other)))
    }
}

/// Whether the graphs that can be reached from these roots, pair by pair, are the same.
pub fn are_same(left: (&Graph, &[NodeId]), right: (&Graph, &[NodeId])) -> bool {
    let mut pairing = Pairing::default();
    if left.1.len() != right.1.len() || !pairing.all(left.1, right.1) {
        return false;
    }
    while let Some((a, b)) = pairing.pending.pop() {
        let (a, b) = (left.0.node(a), right.0.node(b));
        if !same_facts(a, b) || !pairing.content(&a.content, &b.content) {
            return false;
        }
    }
    true
}

/// Attributes mean the same in any order.
fn same_facts(a: &Node, b: &Node) -> bool {
    let sorted = |node: &Node| {
        let mut attributes = node.attributes.clone();
        attributes.sort();
        attributes
    };
    a.type_name == b.type_name
        && a.attributes.len() == b.attributes.len()
        && (a.attributes == b.attributes || sorted(a) == sorted(b))
}

/// Which node stands for which, in both directions.
#[derive(Default)]
struct Pairing {
    right_of: HashMap<NodeId, NodeId>,
    left_of: HashMap<NodeId, NodeId>,
    pending: Vec<(NodeId, NodeId)>,
}

impl Pairing {
    fn pair(&mut self, a: NodeId, b: NodeId) -> bool {
        match (self.right_of.get(&a), self.left_of.get(&b)) {
            (None, None) => {
                self.right_of.insert(a, b);
                self.left_of.insert(b, a);
                self.pending.push((a, b));
                true
            }
            (Some(right), Some(left)) => (*right, *left) == (b, a),
            _ => false,
        }
    }

    fn all(&mut self, a: &[NodeId], b: &[NodeId]) -> bool {
        a.iter().zip(b).all(|(a, b)| self.pair(*a, *b))
    }

    fn content(&mut self, a: &Content, b: &Content) -> bool {
        match (a, b) {
            (Content::Nil, Content::Nil) => true,
            (Content::Text(a), Content::Text(b)) => a == b,
            // An element without content is an empty struct or an empty text.
            (Content::Text(text), Content::Struct(members))
            | (Content::Struct(members), Content::Text(text)) => {
                text.is_empty() && members.is_empty()
            }
            (Content::Struct(a), Content::Struct(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && self.pair(a.1, b.1))
            }
            (Content::Array(a), Content::Array(b)) => self.arrays(a, b),
            _ => false,
        }
    }

    fn arrays(&mut self, a: &Array, b: &Array) -> bool {
        // An array of any type need not say so.
        let item_type = |array: &Array| match &array.item_type {
            Some(name) if name.is(XSD, "anyType") => None,
            other => other.clone(),
        };
        item_type(a) == item_type(b)
            && a.item_ranks == b.item_ranks
            && a.dimensions == b.dimensions
            && a.items.len() == b.items.len()
            && a.items.iter().zip(&b.items).all(|(a, b)| a.0 == b.0 && self.pair(a.1, b.1))
    }
}
