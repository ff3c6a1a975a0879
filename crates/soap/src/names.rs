//! From an element's name to its field, by one look-up without a probe.

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Field(u16),
    Component(u16),
}

/// A start tag's first bytes: `<`, and as much of the name as counts.
pub(super) type Window = [u8; 34];

/// Longer names are found by search.
const LONGEST: usize = 32;

/// How many multipliers are tried.
const ATTEMPTS: usize = 512;

/// The names that may stand in each component of a scope.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Of the scope's own element first, then of its components in their order; by names as they are
    /// written.
    tables: Vec<Table>,
    /// The same by local names, where any name has a prefix.
    locals: Vec<Table>,
}

/// A name that is known.
#[derive(Clone, Debug)]
struct Entry {
    name: Box<[u8]>,
    /// The number of its namespace.
    namespace_number: u8,
    meaning: Name,
}

#[derive(Debug, Default)]
struct Table {
    entries: Vec<Entry>,
    /// By hash, what a name means and its position in `entries` plus one, or 0.
    places: Box<[(Name, u16)]>,
    /// Positions of the entries that have no place: long ones, and twins of others.
    searched: Box<[usize]>,
    /// Chosen so that no two names share a place.
    multiplier: u64,
    shift: u32,
}

/// The first and the last eight bytes of the name and its length, mixed.
#[inline]
fn mix(window: &Window, length: usize) -> u64 {
    let word = |at: usize| window[at..].first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
    let (kept, tail) = match length {
        0..8 => ((1 << (8 * length)) - 1, 0),
        8..=LONGEST => (u64::MAX, word(length - 7)),
        _ => (0, 0),
    };
    (word(1) & kept) ^ tail.rotate_left(29) ^ (length as u64) << 56
}

impl Table {
    #[inline]
    fn place(&self, window: &Window, length: usize) -> usize {
        (mix(window, length).wrapping_mul(self.multiplier) >> self.shift) as usize
    }

    /// Tries multipliers until every name has a place of its own; with sixteen places a name, one
    /// in a few does. Names that no multiplier can tell apart are left to be searched for.
    fn finish(&mut self) {
        let mut places = (16 * self.entries.len()).next_power_of_two().max(2);
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        for attempt in 1..=ATTEMPTS {
            if attempt % 64 == 0 {
                places *= 2;
            }
            seed = seed.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(0x2545_F491_4F6C_DD1D);
            self.multiplier = seed | 1;
            self.shift = 64 - places.trailing_zeros();
            if self.fill(places, attempt == ATTEMPTS) {
                return;
            }
        }
    }

    /// Gives every name its place; false if two different hashes want the same, unless they `may`.
    fn fill(&mut self, places: usize, may: bool) -> bool {
        let mut filled = vec![(Name::Component(0), 0); places];
        let mut searched = Vec::new();
        for (index, Entry { name, meaning, .. }) in self.entries.iter().enumerate() {
            let Some(own) = window(name) else {
                searched.push(index);
                continue;
            };
            let place = &mut filled[self.place(&own, name.len())];
            match self.entries.get(usize::from(place.1).wrapping_sub(1)) {
                None => *place = (*meaning, index as u16 + 1),
                Some(Entry { name: other, .. }) => {
                    let others = window(other).map(|window| mix(&window, other.len()));
                    if !may && others != Some(mix(&own, name.len())) {
                        return false;
                    }
                    searched.push(index);
                }
            }
        }
        (self.places, self.searched) = (filled.into(), searched.into());
        true
    }

    /// The entries of this name.
    fn entries_of(&self, name: &[u8]) -> impl Iterator<Item = &Entry> {
        let at_place = window(name).and_then(|window| {
            let (_, entry) = self.places[self.place(&window, name.len())];
            self.entries.get(usize::from(entry).wrapping_sub(1))
        });
        let searched = self.searched.iter().map(|index| &self.entries[*index]);
        at_place.into_iter().chain(searched).filter(move |known| *known.name == *name)
    }
}

/// The window of a start tag with this name, unless the name is too long for one.
fn window(name: &[u8]) -> Option<Window> {
    let mut window = [0; 34];
    window.get_mut(1..=LONGEST)?.get_mut(..name.len())?.copy_from_slice(name);
    Some(window)
}

impl Names {
    /// For a scope with so many components.
    pub(super) fn new(components: usize) -> Self {
        let tables = || (0..=components).map(|_| Table::default()).collect();
        Self { tables: tables(), locals: tables() }
    }

    /// Adds a name that may stand in a component, as it is written and by itself, with the number of
    /// its namespace; each stands there once.
    pub(super) fn add(
        &mut self,
        component: u16,
        (written, local): (&str, &str),
        namespace_number: u8,
        meaning: Name,
    ) {
        let entry = |name: &str| Entry { name: name.as_bytes().into(), namespace_number, meaning };
        self.tables[table(component)].entries.push(entry(written));
        self.locals[table(component)].entries.push(entry(local));
    }

    /// How many names the component with the most of them has.
    pub(super) fn largest(&self) -> usize {
        self.tables.iter().map(|table| table.entries.len()).max().unwrap_or(0)
    }

    pub(super) fn finish(mut self) -> Self {
        let names = |tables: &[Table]| -> Vec<Box<[u8]>> {
            tables.iter().flat_map(|it| &it.entries).map(|it| it.name.clone()).collect()
        };
        if names(&self.tables) == names(&self.locals) {
            self.locals.clear();
        }
        self.tables.iter_mut().chain(&mut self.locals).for_each(Table::finish);
        self
    }

    /// What the local name means in the component, in whichever namespace.
    pub(super) fn get(&self, component: u16, local: &[u8]) -> Option<Name> {
        self.all(component, local).next().map(|(_, meaning)| meaning)
    }

    /// What the local name means in the component in each namespace, with the numbers of those.
    pub(super) fn all(&self, component: u16, local: &[u8]) -> impl Iterator<Item = (u8, Name)> {
        let tables = if self.locals.is_empty() { &self.tables } else { &self.locals };
        tables[table(component)].entries_of(local).map(|it| (it.namespace_number, it.meaning))
    }

    /// What the name of `length` bytes in the window means, if it is a name of the component at
    /// all: for a caller that then compares the whole tag.
    #[inline]
    pub(super) fn guess(&self, component: u16, window: &Window, length: usize) -> Option<Name> {
        let table = &self.tables[table(component)];
        let (meaning, entry) = table.places[table.place(window, length)];
        (entry != 0).then_some(meaning)
    }
}

/// [`NONE`](super::plan::NONE), the scope's own element, comes first.
#[inline]
fn table(component: u16) -> usize {
    usize::from(component.wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_its_component_only() {
        let mut names = Names::new(3);
        let all: Vec<String> = (0..400).map(|i| format!("{}name{i}", "x".repeat(i % 40))).collect();
        for (i, name) in all.iter().enumerate() {
            names.add((i % 3) as u16, (name, name), 0, Name::Field(i as u16));
        }
        // Their hashes are equal: they differ in the middle only.
        let mut add = |component, name, meaning| names.add(component, (name, name), 0, meaning);
        add(0, "Customer1BillingAddress", Name::Field(1000));
        add(0, "Customer2BillingAddress", Name::Field(2000));
        add(crate::plan::NONE, "own", Name::Component(1));
        let names = names.finish();
        assert_eq!(names.get(0, b"Customer1BillingAddress"), Some(Name::Field(1000)));
        assert_eq!(names.get(0, b"Customer2BillingAddress"), Some(Name::Field(2000)));
        assert_eq!(names.get(0, b"Customer3BillingAddress"), None);
        assert_eq!(names.get(u16::MAX, b"own"), Some(Name::Component(1)));
        for (i, name) in all.iter().enumerate() {
            for component in 0..3 {
                let expected = (component == (i % 3) as u16).then_some(Name::Field(i as u16));
                assert_eq!(names.get(component, name.as_bytes()), expected);
                if let (Some(window), true) = (window(name.as_bytes()), expected.is_some()) {
                    let guessed = names.guess(component, &window, name.len());
                    assert!(
                        guessed == expected || names.get(component, name.as_bytes()) == expected
                    );
                }
            }
            assert_eq!(names.get(0, &name.as_bytes()[1..]), None);
        }
    }
}
