//! From an element's name to its field, in one probe most of the time.

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Field(usize),
    Component(u16),
}

/// The names that may stand in each component of a scope.
#[derive(Debug, Default)]
pub(super) struct Names {
    entries: Vec<Entry>,
    /// Positions in `entries` plus one, by hash; open addressing.
    table: Box<[u16]>,
}

#[derive(Debug)]
struct Entry {
    component: u16,
    name: Box<[u8]>,
    meaning: Name,
}

/// Mixes the ends and the length of a name: names that share both are told apart by the probe.
#[inline]
fn hash(component: u16, name: &[u8]) -> usize {
    let (head, tail) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => (short(name), 0),
    };
    let mixed = (head ^ tail.rotate_left(23) ^ (name.len() as u64) << 56)
        .wrapping_add(u64::from(component).wrapping_mul(0xA24B_AED4_963E_E407))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 40) as usize
}

/// Fewer than eight bytes, as a number.
#[inline]
fn short(name: &[u8]) -> u64 {
    match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        (Some(head), Some(tail)) => {
            u64::from(u32::from_le_bytes(*head)) | u64::from(u32::from_le_bytes(*tail)) << 32
        }
        _ => name.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)),
    }
}

impl Names {
    pub(super) fn add(&mut self, component: u16, name: &str, meaning: Name) {
        self.entries.push(Entry { component, name: name.as_bytes().into(), meaning });
    }

    pub(super) fn finish(mut self) -> Self {
        let size = (4 * self.entries.len()).next_power_of_two();
        let mut table = vec![0_u16; size];
        for (index, entry) in self.entries.iter().enumerate() {
            let mut at = hash(entry.component, &entry.name) & (size - 1);
            while table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            table[at] = index as u16 + 1;
        }
        self.table = table.into();
        self
    }

    #[inline]
    pub(super) fn get(&self, component: u16, name: &[u8]) -> Option<Name> {
        let mask = self.table.len() - 1;
        let mut at = hash(component, name) & mask;
        loop {
            let entry = &self.entries[usize::from(self.table[at].checked_sub(1)?)];
            if entry.component == component && *entry.name == *name {
                return Some(entry.meaning);
            }
            at = (at + 1) & mask;
        }
    }

    /// Like [`get`](Self::get), for a caller that compares the name itself: the first candidate.
    #[inline]
    pub(super) fn guess(&self, component: u16, name: &[u8]) -> Option<Name> {
        let at = hash(component, name) & (self.table.len() - 1);
        let entry = &self.entries[usize::from(self.table[at].checked_sub(1)?)];
        (entry.component == component).then_some(entry.meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_its_component_only() {
        let mut names = Names::default();
        let all: Vec<String> = (0..400).map(|i| format!("{}name{i}", "x".repeat(i % 17))).collect();
        for (i, name) in all.iter().enumerate() {
            names.add((i % 3) as u16, name, Name::Field(i));
        }
        let names = names.finish();
        for (i, name) in all.iter().enumerate() {
            for component in 0..4 {
                let expected = (component == (i % 3) as u16).then_some(Name::Field(i));
                assert_eq!(names.get(component, name.as_bytes()), expected);
            }
            assert_eq!(names.get(0, &name.as_bytes()[1..]), None);
        }
    }
}
