//! The values of those fields of a record that are set.

use std::sync::Arc;

use super::Value;
use super::value::empty;
use crate::presence::{Bits, Ones};
use crate::{Fields, Layout, ScopeId};

/// A value for each field that was ever set. Few of a wide scope's are, so the others take a bit and a
/// number each. A value that is not set any more stays, for the memory that it holds.
#[derive(Clone, Debug)]
pub(super) struct Values {
    set: Bits,
    /// Where the value of each field stands; [`NOWHERE`] if it was never set.
    places: Box<[u16]>,
    values: Vec<Value>,
}

/// A scope has fewer fields.
const NOWHERE: u16 = u16::MAX;

/// Room for so many values is taken at once.
const ROOM: usize = 16;

impl Values {
    /// None, of so many fields.
    pub(super) fn new(fields: usize) -> Self {
        let places = vec![NOWHERE; fields].into();
        Self { set: Bits::new(fields), places, values: Vec::new() }
    }

    /// A bit for each field that is set, the first lowest.
    #[inline]
    pub(super) fn set(&self) -> &[u64] {
        self.set.words()
    }

    #[inline]
    pub(super) fn is_set(&self, index: usize) -> bool {
        self.set.contains(index)
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Value> {
        if self.is_set(index) { self.values.get(usize::from(self.places[index])) } else { None }
    }

    /// The place of the value of a field of this scope. What stands there may be of an earlier message; it
    /// is set by [`insert`](Self::insert).
    #[inline]
    pub(super) fn place(
        &mut self,
        index: usize,
        layout: &Arc<Layout>,
        scope: ScopeId,
    ) -> &mut Value {
        let place = match self.places[index] {
            NOWHERE => self.make(index, layout, scope),
            place => usize::from(place),
        };
        &mut self.values[place]
    }

    /// The same, empty if the field was not set; it is now.
    pub(super) fn renew(
        &mut self,
        index: usize,
        layout: &Arc<Layout>,
        scope: ScopeId,
    ) -> &mut Value {
        let was_set = self.is_set(index);
        self.set.insert(index);
        let value = self.place(index, layout, scope);
        if !was_set {
            match value {
                Value::Group(group) => group.entries.clear(),
                Value::Struct(inner) => Fields::clear(&mut **inner),
                _ => {}
            }
        }
        value
    }

    /// Marks a field as set.
    #[inline]
    pub(super) fn insert(&mut self, index: usize) {
        self.set.insert(index);
    }

    #[inline(never)]
    fn make(&mut self, index: usize, layout: &Arc<Layout>, scope: ScopeId) -> usize {
        let place = self.values.len();
        if place == 0 {
            self.values.reserve_exact(ROOM.min(self.places.len()));
        }
        let holds = layout.scope(scope).fields[index].holds;
        // In place: a value that is made elsewhere and moved here waits for its own bytes.
        self.values.resize_with(place + 1, || empty(layout, holds));
        self.places[index] = place as u16;
        place
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.set.remove(index);
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.set.clear();
    }

    /// Those that are set with their positions, ascending.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Value)> {
        let set = Ones::new(self.set.words(), 0, self.places.len());
        set.map(|index| (index, &self.values[usize::from(self.places[index])]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use trunkline_random::Random;

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
        let mut random = Random::new(1);
        for step in 0..20_000 {
            let index = random.index(200);
            match random.below(300) {
                0 => {
                    values.clear();
                    map.clear();
                }
                1..=80 => {
                    values.remove(index);
                    map.remove(&index);
                }
                _ => {
                    *values.renew(index, &layout, ScopeId(0)) = Value::Integer(step);
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
