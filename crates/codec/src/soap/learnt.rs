//! What stood between two values of the messages before.
//!
//! Messages of one sender repeat the same bytes between the same two fields:
//!
//! ```text
//!   <Symbol>CBG</Symbol><CFICode>ESXXXX</CFICode></Instrument><MDEntryPx>6.35</MDEntryPx>...
//!           ^^^\________________/^^^^^^\__________________________________/^^^^
//!          value       gap       value                 gap                value
//! ```
//! The parser reads a gap once. From then on it is one comparison, whatever prefixes, types or
//! white space the sender writes, and the field behind it is known before the gap is looked at.
//! A gap means the same only where the same prefixes stand for the same namespaces, so each set of
//! those has [gaps of its own](super::templates), and none is used inside elements with declarations
//! of their own.

use trunkline_wire::scan;

use crate::infoset::same;

/// Longer gaps are left to the parser.
const LONGEST: usize = 64;

/// Longer beginnings of entries are left to the parser.
const LONGEST_ENTRY: usize = 256;

/// A gap before the first field of a scope; the one behind field `n` has the key `n + 1`.
pub(super) const START: usize = 0;

/// In place of a field: the scope's element ends.
pub(super) const END: u16 = u16::MAX;

/// Gaps that open more components than this are left to the parser, as are those longer than a
/// byte can say.
const MOST_OPENED: usize = 4;

/// A place in a gap: offset and length.
pub(super) type Piece = (u8, u8);

/// What a gap does, in parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    /// The field whose value begins behind the gap, or [`END`].
    pub(super) field: u16,
    /// Name of that field's element.
    pub(super) name: Piece,
    /// How many elements it closes, not counting that of the field before.
    pub(super) closed: u8,
    /// How many it then opens, not counting that of the field behind.
    pub(super) opened: u8,
    /// Its length.
    pub(super) length: u8,
}

/// What a gap that was learnt does, and its number at its place: one word, so that it stays in a
/// register while a value is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known(u64);

impl Known {
    fn new(effect: Effect) -> Self {
        let Effect { field, name, closed, opened, length } = effect;
        let [low, high] = field.to_le_bytes();
        Self(u64::from_le_bytes([closed, opened, length, name.0, name.1, 0, low, high]))
    }

    #[inline(always)]
    fn numbered(self, way: usize) -> Self {
        Self(self.0 | (way as u64) << 40)
    }

    fn way(self) -> usize {
        (self.0 >> 40) as u8 as usize
    }

    /// Does it open or close elements?
    #[inline(always)]
    pub(super) fn moves(self) -> bool {
        self.0 as u16 != 0
    }

    /// As [`Effect::closed`].
    pub(super) fn closed(self) -> usize {
        self.0 as u8 as usize
    }

    /// As [`Effect::opened`].
    #[inline(always)]
    pub(super) fn opened(self) -> usize {
        (self.0 >> 8) as u8 as usize
    }

    /// As [`Effect::length`].
    #[inline(always)]
    pub(super) fn length(self) -> usize {
        (self.0 >> 16) as u8 as usize
    }

    /// Start and length of the field's name, where the gap ends at `end`.
    #[inline(always)]
    pub(super) fn name_before(self, end: usize) -> (usize, usize) {
        let offset = (self.0 >> 24) as u8 as usize;
        (end - self.length() + offset, (self.0 >> 32) as u8 as usize)
    }

    /// As [`Effect::field`].
    #[inline(always)]
    pub(super) fn field(self) -> u16 {
        (self.0 >> 48) as u16
    }
}

/// The bytes of a gap and what it does.
#[derive(Debug)]
struct Gap {
    bytes: [u8; LONGEST],
    /// A bit for each of the bytes that count.
    counts: u64,
    known: Known,
}

impl Default for Gap {
    /// A gap that stands nowhere, since its byte is in no UTF-8 text.
    fn default() -> Self {
        Self::new(&[0xFF], [0xFF; LONGEST], Effect { length: 1, ..Effect::default() })
    }
}

impl Gap {
    /// The gap of these bytes, one at least, which the block begins with.
    fn new(bytes: &[u8], block: [u8; LONGEST], effect: Effect) -> Self {
        let counts = u64::MAX >> (LONGEST - bytes.len().clamp(1, LONGEST));
        Self { bytes: block, counts, known: Known::new(effect) }
    }

    #[inline(always)]
    fn stands(&self, bytes: &[u8], at: usize) -> bool {
        match bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(window) => scan::agree_where(window, &self.bytes, self.counts),
            None => self.stands_near_end(bytes, at),
        }
    }

    /// Is it the one that stands nowhere?
    fn is_none(&self) -> bool {
        self.bytes[0] == 0xFF
    }

    #[cold]
    fn stands_near_end(&self, bytes: &[u8], at: usize) -> bool {
        let bytes_that_count = &self.bytes[..self.known.length()];
        bytes.get(at..).is_some_and(|rest| rest.starts_with(bytes_that_count))
    }
}

/// How many gaps are known of one place: messages in turn, and fields now and then absent, must not
/// push each other out.
const WAYS: usize = 4;

/// What is known of the gap at one place. The usual gap comes first, so that it is found without
/// a look at the others.
#[derive(Debug, Default)]
struct Place {
    /// How sure it is that the first gap is the usual one, from 0 to [`SURE`].
    sureness: u8,
    gaps: [Gap; WAYS],
    /// The elements that each gap opens.
    opened: [Opened; WAYS],
}

/// The elements that a gap opens, which are components.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opened {
    /// Their names, outermost first.
    pub(super) names: [Piece; MOST_OPENED],
    /// Their bits among those of the scope, and in which word these are.
    pub(super) bits: u64,
    pub(super) word: usize,
}

impl Place {
    /// Makes this gap the usual one; those before it move on by one.
    fn bring_forward(&mut self, way: usize) {
        self.gaps[..=way].rotate_right(1);
        self.opened[..=way].rotate_right(1);
    }
}

const SURE: u8 = 4;

/// All gaps learnt, by scope and field.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    places: Vec<Place>,
    /// The places where something is known.
    known: Vec<usize>,
    /// Where the places of each scope begin.
    scopes: Box<[usize]>,
    /// Of all elements in the gaps, by the numbers of their namespaces.
    prefixes: Box<[Prefix]>,
    /// A bit for each namespace whose elements have the plan's own prefix in the gaps.
    planned: u64,
    /// By scope, of its entries.
    items: Box<[Option<Box<str>>]>,
    /// By scope, what stands before the content of an entry, where that is not as planned.
    entries: Box<[Entry]>,
    /// By scope, how many entries the last group had: so many are likely to come again.
    counts: Box<[usize]>,
}

/// What stands for a namespace.
#[derive(Debug)]
struct Prefix {
    planned: Box<str>,
    found: Option<Box<str>>,
}

/// The bytes from the end of a tag to the content of an entry; no bytes where none are known.
#[derive(Debug, Default)]
struct Entry {
    bytes: Box<[u8]>,
    /// The name of its element.
    name: Piece,
}

impl Learnt {
    /// Knows nothing yet of scopes with so many fields each, whose namespaces have these prefixes.
    pub(super) fn new<'a>(
        fields: impl Iterator<Item = usize>,
        prefixes: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut count = 0;
        let mut scopes = Vec::new();
        for fields in fields {
            scopes.push(count);
            count += fields + 1;
        }
        let places = (0..count).map(|_| Place::default()).collect();
        let items = vec![None; scopes.len()].into();
        let entries = scopes.iter().map(|_| Entry::default()).collect();
        let counts = vec![0; scopes.len()].into();
        let prefixes = prefixes.map(|it| Prefix { planned: it.into(), found: None }).collect();
        let (known, scopes) = (Vec::new(), scopes.into());
        Self { places, known, scopes, prefixes, planned: 0, items, entries, counts }
    }

    /// How many entries a group of this scope had the last time.
    #[inline]
    pub(super) fn count(&mut self, scope: usize) -> &mut usize {
        &mut self.counts[scope]
    }

    /// The place of the gap behind field `key - 1`, or before the first, of a scope.
    #[inline(always)]
    pub(super) fn place(&self, scope: usize, key: usize) -> usize {
        self.scopes[scope] + key
    }

    #[cold]
    pub(super) fn forget(&mut self) {
        for place in self.known.drain(..) {
            self.places[place] = Place::default();
        }
        self.prefixes.iter_mut().for_each(|it| it.found = None);
        self.planned = 0;
        self.items.fill(None);
        self.entries.fill_with(Entry::default);
    }

    /// Does the beginning of an entry that was learnt stand at `at`? Its length, and start and
    /// length of its name.
    #[inline]
    pub(super) fn entry(&self, scope: usize, bytes: &[u8], at: usize) -> Option<(usize, Piece)> {
        let known = &self.entries[scope];
        let stands = !known.bytes.is_empty() && bytes[at..].starts_with(&known.bytes);
        stands.then_some((known.bytes.len(), known.name))
    }

    /// Keeps the beginning of an entry.
    pub(super) fn learn_entry(&mut self, scope: usize, bytes: &[u8], name: Option<Piece>) {
        if let Some(name) = name
            && bytes.len() <= LONGEST_ENTRY
        {
            self.entries[scope] = Entry { bytes: bytes.into(), name };
        }
    }

    /// Is it the name of all the scope's entries? The first one becomes it.
    pub(super) fn agrees_item(&mut self, scope: usize, name: &str) -> bool {
        same(self.items[scope].get_or_insert_with(|| name.into()), name)
    }

    /// Is it the prefix of this namespace in all gaps? The first one becomes it.
    pub(super) fn agrees(&mut self, space: u8, prefix: &str) -> bool {
        let Prefix { planned, found } = &mut self.prefixes[usize::from(space)];
        let found = &**found.get_or_insert_with(|| prefix.into());
        self.planned |= u64::from(same(found, planned)) << space;
        same(found, prefix)
    }

    /// The same of the plan's own prefix.
    #[inline]
    pub(super) fn agrees_planned(&mut self, space: u8) -> bool {
        self.planned >> (space & 63) & 1 != 0 || self.agrees_first(space)
    }

    #[cold]
    fn agrees_first(&mut self, space: u8) -> bool {
        let planned = self.prefixes[usize::from(space)].planned.clone();
        self.agrees(space, &planned)
    }

    /// The gap that stands at `at`, if it was learnt: the usual one of its place, or any if
    /// `others` are asked for.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        place: usize,
        bytes: &[u8],
        at: usize,
        others: bool,
    ) -> Option<Known> {
        let known = &mut self.places[place];
        if known.gaps[0].stands(bytes, at) {
            known.sureness = SURE;
            return Some(known.gaps[0].known);
        }
        if others { self.find_another(place, bytes, at) } else { None }
    }

    /// The usual gap of a place did not come: once too often?
    #[inline(always)]
    pub(super) fn is_surprised(&mut self, place: usize) -> bool {
        let known = &mut self.places[place];
        match known.sureness.checked_sub(1) {
            Some(sureness) => known.sureness = sureness,
            None => return true,
        }
        false
    }

    #[inline(never)]
    fn find_another(&mut self, place: usize, bytes: &[u8], at: usize) -> Option<Known> {
        let known = &mut self.places[place];
        let way = known.gaps.iter().position(|gap| gap.stands(bytes, at))?;
        let Some(sureness) = known.sureness.checked_sub(1) else {
            known.bring_forward(way);
            return Some(known.gaps[0].known);
        };
        known.sureness = sureness;
        Some(known.gaps[way].known.numbered(way))
    }

    /// The names of the elements that the gap opens which was found last at a place; the bits of all,
    /// and in which word these are.
    #[inline]
    pub(super) fn opened(&self, place: usize, known: Known) -> (&[Piece], u64, usize) {
        let opened = &self.places[place].opened[known.way()];
        (&opened.names[..known.opened()], opened.bits, opened.word)
    }

    /// Keeps a gap, which then is the usual one of its place.
    #[cold]
    pub(super) fn learn(&mut self, place: usize, bytes: &[u8], effect: Effect, opened: Opened) {
        let mut block = [0; LONGEST];
        let Some(held) = block.get_mut(..bytes.len()).filter(|held| !held.is_empty()) else {
            return;
        };
        held.copy_from_slice(bytes);
        let known = &mut self.places[place];
        if known.gaps[0].is_none() {
            self.known.push(place);
        }
        let last = WAYS - 1;
        known.gaps[last] = Gap::new(bytes, block, effect);
        known.opened[last] = opened;
        known.bring_forward(last);
        known.sureness = SURE;
    }
}

/// How many elements a gap opens, and their names.
pub(super) type Pieces = (u8, [Piece; MOST_OPENED]);

/// A piece of a gap that begins at `gap`; `None` where it is too far or too long.
pub(super) fn piece(gap: usize, start: usize, length: usize) -> Option<Piece> {
    Some((u8::try_from(start.checked_sub(gap)?).ok()?, u8::try_from(length).ok()?))
}

/// The names of the elements that a gap opens, if they are few enough.
pub(super) fn pieces(
    gap: usize,
    names: impl ExactSizeIterator<Item = (usize, usize)>,
) -> Option<Pieces> {
    let mut pieces = [Piece::default(); MOST_OPENED];
    let opened = names.len();
    for (i, (start, length)) in names.enumerate() {
        *pieces.get_mut(i)? = piece(gap, start, length)?;
    }
    Some((opened as u8, pieces))
}
