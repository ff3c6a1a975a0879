//! The values of those fields of a record that are set.

use std::sync::Arc;

use super::Value;
use super::value::{empty, is_of};
use crate::presence::{Bits, Ones};
use crate::{Layout, ScopeId};

/// Values in the order of their positions. Few of a wide scope's fields are set, so the others take a bit
/// each and nothing else. Behind them stand values of earlier messages, for the memory that they hold.
#[derive(Debug)]
pub(super) struct Values {
    set: Bits,
    values: Vec<Value>,
    /// So many are set.
    live: usize,
    /// No position from here on is set.
    next: usize,
}

impl Values {
    /// None, of so many fields.
    pub(super) fn new(fields: usize) -> Self {
        Self { set: Bits::new(fields), values: Vec::new(), live: 0, next: 0 }
    }

    /// A bit for each field that is set, the first lowest.
    #[inline]
    pub(super) fn set(&self) -> &[u64] {
        self.set.words()
    }

    #[inline]
    pub(super) fn is_set(&self, index: usize) -> bool {
        index < self.next && self.set.contains(index)
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Value> {
        if self.is_set(index) { self.values.get(self.set.rank(index)) } else { None }
    }

    /// The value of a field of this scope; an empty one if it was absent.
    #[inline]
    pub(super) fn place(
        &mut self,
        index: usize,
        layout: &Arc<Layout>,
        scope: ScopeId,
    ) -> &mut Value {
        let is_last = index >= self.next;
        let rank = if is_last { self.live } else { self.set.rank(index) };
        if is_last || !self.set.contains(index) {
            self.make(index, rank, layout, scope);
        }
        &mut self.values[rank]
    }

    #[inline]
    fn make(&mut self, index: usize, rank: usize, layout: &Arc<Layout>, scope: ScopeId) {
        let holds = layout.scope(scope).fields[index].holds;
        if rank < self.live {
            self.values.insert(rank, empty(layout, holds));
        } else {
            match self.values.get_mut(rank) {
                Some(old) if is_of(old, layout, holds) => renew(old),
                Some(old) => *old = empty(layout, holds),
                None => self.values.push(empty(layout, holds)),
            }
        }
        self.set.insert(index);
        self.live += 1;
        self.next = self.next.max(index + 1);
    }

    pub(super) fn remove(&mut self, index: usize) {
        if self.is_set(index) {
            let value = self.values.remove(self.set.rank(index));
            self.values.push(value);
            self.set.remove(index);
            self.live -= 1;
        }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.set.clear();
        (self.live, self.next) = (0, 0);
    }

    /// Those that are set with their positions, ascending.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Value)> {
        Ones::new(self.set.words(), 0, self.next).zip(&self.values)
    }
}

impl Clone for Values {
    fn clone(&self) -> Self {
        let values = self.values[..self.live].to_vec();
        Self { set: self.set.clone(), values, live: self.live, next: self.next }
    }
}

/// What decoders add to, and do not clear, is emptied.
#[inline]
fn renew(old: &mut Value) {
    match old {
        Value::Group(group) => group.entries.clear(),
        Value::Struct(inner) => crate::Fields::clear(&mut **inner),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Kind, Need};

    /// In any order of setting, removing and clearing, they are what a map holds.
    #[test]
    fn values_are_those_of_a_map() {
        let mut builder = Layout::builder("Wide");
        for field in 0..200 {
            builder.field(
                &format!("f{field}"),
                Kind::Integer(crate::IntegerKind::I64),
                Need::Optional,
            );
        }
        let layout = Arc::new(builder.build().unwrap());
        let (mut values, mut map) = (Values::new(200), BTreeMap::new());
        let mut state = 1_u64;
        let mut below = |count: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % count
        };
        for step in 0..20_000 {
            let index = below(200) as usize;
            match below(300) {
                0 => {
                    values.clear();
                    map.clear();
                }
                1..=80 => {
                    values.remove(index);
                    map.remove(&index);
                }
                _ => {
                    *values.place(index, &layout, ScopeId(0)) = Value::Integer(step);
                    map.insert(index, Value::Integer(step));
                }
            }
            assert_eq!(values.get(index), map.get(&index));
            assert_eq!(values.is_set(index), map.contains_key(&index));
            if step % 50 == 0 {
                assert!(values.iter().eq(map.iter().map(|(index, value)| (*index, value))));
                assert!(values.clone().iter().eq(values.iter()));
            }
        }
    }
}
