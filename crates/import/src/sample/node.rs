//! What stands at one place of all samples.

use std::fmt;
use std::sync::Arc;

use super::guess::Guess;

/// The name of an element, attribute or member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) namespace: Arc<str>,
    pub(super) local: String,
    pub(super) is_attribute: bool,
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            "" => out.write_str(&self.local),
            namespace => write!(out, "{{{namespace}}}{}", self.local),
        }
    }
}

/// Everything that stands at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// How often there is something.
    pub(super) count: usize,
    /// How often that has other things inside: elements, attributes, members.
    pub(super) structs: usize,
    /// Its values.
    pub(super) values: Guess,
    /// What is inside, in the order in which it came first.
    pub(super) slots: Vec<Slot>,
    /// Of arrays, what each item is.
    pub(super) items: Option<Box<Node>>,
    /// Is there text between elements?
    pub(super) is_mixed: bool,
    /// Do elements stand in different orders?
    pub(super) is_in_any_order: bool,
}

/// Something inside.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) name: Name,
    pub(super) node: Node,
    /// In how many it is.
    pub(super) around: usize,
    /// How many of it are in one at most.
    pub(super) most: usize,
    /// How often it is said to be nothing: `null`, `xsi:nil`.
    pub(super) nils: usize,
}

impl Node {
    /// Takes in what stands at the same place of another sample.
    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.structs += other.structs;
        self.values.merge(&other.values);
        self.is_mixed |= other.is_mixed;
        self.is_in_any_order |= other.is_in_any_order;
        match (&mut self.items, other.items) {
            (Some(own), Some(items)) => own.merge(*items),
            (own @ None, Some(items)) => *own = Some(items),
            (_, None) => {}
        }
        self.merge_slots(other.slots);
    }

    fn merge_slots(&mut self, others: Vec<Slot>) {
        let mut last = None;
        for slot in others {
            let known = self.slots.iter().position(|it| it.name == slot.name);
            let at = match known {
                Some(at) => {
                    let own = &mut self.slots[at];
                    own.around += slot.around;
                    own.most = own.most.max(slot.most);
                    own.nils += slot.nils;
                    own.node.merge(slot.node);
                    at
                }
                // Behind that which stands before it in its own sample.
                None => {
                    let at = last.map_or(0, |it: usize| it + 1);
                    self.slots.insert(at, slot);
                    at
                }
            };
            let is_element = !self.slots[at].name.is_attribute;
            if is_element && last.is_some_and(|it| it > at) {
                self.is_in_any_order = true;
            }
            last = Some(at);
        }
    }
}
