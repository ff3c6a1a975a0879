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
//! A gap means the same only where the same namespaces are declared and the same elements are
//! open, so all are forgotten when an envelope begins differently, and none is used inside
//! elements with declarations of their own.

use trunkline_wire::scan;

/// Longer gaps are left to the parser.
const LONGEST: usize = 64;

/// A gap before the first field of a scope; the one behind field `n` has the key `n + 1`.
pub(super) const START: usize = 0;

/// In place of a field: the scope's element ends.
pub(super) const END: u16 = u16::MAX;

/// Gaps that open more components than this are left to the parser, as are those longer than a
/// byte can say.
const MOST_OPENED: usize = 4;

/// A place in a gap: offset and length.
pub(super) type Piece = (u8, u8);

/// What a gap does: small, so that it travels in registers.
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

/// The bytes of a gap and what it does; two cache lines hold it.
#[derive(Debug)]
struct Gap {
    bytes: [u8; LONGEST],
    effect: Effect,
}

impl Default for Gap {
    /// A gap that stands nowhere, since its byte is in no UTF-8 text.
    fn default() -> Self {
        Self { bytes: [0xFF; LONGEST], effect: Effect { length: 1, ..Effect::default() } }
    }
}

impl Gap {
    fn is_known(&self) -> bool {
        self.bytes[0] != 0xFF
    }

    #[inline(always)]
    fn stands(&self, bytes: &[u8], at: usize) -> bool {
        let length = usize::from(self.effect.length);
        match bytes.get(at..at + LONGEST) {
            Some(window) => scan::agree(window, &self.bytes, length),
            None => self.stands_near_end(bytes, at),
        }
    }

    #[cold]
    fn stands_near_end(&self, bytes: &[u8], at: usize) -> bool {
        let length = usize::from(self.effect.length);
        bytes.get(at..).is_some_and(|rest| rest.starts_with(&self.bytes[..length]))
    }
}

/// How many gaps are known of one place: messages in turn, and fields now and then absent, must not
/// push each other out.
const WAYS: usize = 4;

/// Which of the gaps of a place is the usual one, and how sure that is.
#[derive(Clone, Copy, Debug, Default)]
struct Habit {
    favourite: u8,
    /// From 0 to [`SURE`].
    sureness: u8,
}

const SURE: u8 = 2;

/// All gaps learnt, by scope and field.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    gaps: Vec<Gap>,
    /// Names of the elements that each gap opens.
    names: Vec<[Piece; MOST_OPENED]>,
    habits: Vec<Habit>,
    /// Where the places of each scope begin.
    scopes: Box<[usize]>,
    /// Of all elements in the gaps.
    prefix: Option<Box<str>>,
}

impl Learnt {
    /// Knows nothing yet of scopes with so many fields each.
    pub(super) fn new(fields: impl Iterator<Item = usize>) -> Self {
        let mut places = 0;
        let mut scopes = Vec::new();
        for fields in fields {
            scopes.push(places);
            places += fields + 1;
        }
        let gaps = (0..WAYS * places).map(|_| Gap::default()).collect();
        let names = vec![Default::default(); WAYS * places];
        Self {
            gaps,
            names,
            habits: vec![Habit::default(); places],
            scopes: scopes.into(),
            prefix: None,
        }
    }

    #[cold]
    pub(super) fn forget(&mut self) {
        self.gaps.fill_with(Gap::default);
        self.prefix = None;
    }

    /// Is it the prefix of all gaps? The first one becomes it.
    #[inline]
    pub(super) fn agrees(&mut self, prefix: &str) -> bool {
        let own = &**self.prefix.get_or_insert_with(|| prefix.into());
        own.is_empty() && prefix.is_empty() || own == prefix
    }

    /// The number of the gap that stands at `at`, if it was learnt: the usual one of its place, or
    /// any if `others` are asked for.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        scope: usize,
        key: usize,
        bytes: &[u8],
        at: usize,
        others: bool,
    ) -> Option<usize> {
        let place = self.scopes[scope] + key;
        let favourite = WAYS * place + usize::from(self.habits[place].favourite);
        if self.gaps[favourite].stands(bytes, at) {
            self.habits[place].sureness = SURE;
            return Some(favourite);
        }
        if others { self.find_another(place, bytes, at) } else { None }
    }

    /// The usual gap of a place did not come: once too often?
    #[inline(always)]
    pub(super) fn is_surprised(&mut self, scope: usize, key: usize) -> bool {
        let habit = &mut self.habits[self.scopes[scope] + key];
        match habit.sureness.checked_sub(1) {
            Some(sureness) => habit.sureness = sureness,
            None => return true,
        }
        false
    }

    #[inline(never)]
    fn find_another(&mut self, place: usize, bytes: &[u8], at: usize) -> Option<usize> {
        let gaps = &self.gaps[WAYS * place..WAYS * (place + 1)];
        let way = gaps.iter().position(|gap| gap.stands(bytes, at))?;
        let habit = &mut self.habits[place];
        match habit.sureness.checked_sub(1) {
            Some(sureness) => habit.sureness = sureness,
            None => habit.favourite = way as u8,
        }
        Some(WAYS * place + way)
    }

    /// What a gap does.
    #[inline(always)]
    pub(super) fn effect(&self, gap: usize) -> Effect {
        self.gaps[gap].effect
    }

    /// The names of the elements that a gap opens.
    pub(super) fn opened(&self, gap: usize) -> [Piece; MOST_OPENED] {
        self.names[gap]
    }

    /// Keeps a gap, which then is the usual one of its place.
    #[cold]
    pub(super) fn learn(
        &mut self,
        scope: usize,
        key: usize,
        bytes: &[u8],
        effect: Effect,
        names: [Piece; MOST_OPENED],
    ) {
        let mut block = [0; LONGEST];
        let Some(held) = block.get_mut(..bytes.len()) else { return };
        held.copy_from_slice(bytes);
        let place = self.scopes[scope] + key;
        let habit = &mut self.habits[place];
        let gaps = &mut self.gaps[WAYS * place..WAYS * (place + 1)];
        let unknown = gaps.iter().position(|gap| !gap.is_known());
        let way = unknown.unwrap_or((usize::from(habit.favourite) + 1) % WAYS);
        gaps[way] = Gap { bytes: block, effect };
        self.names[WAYS * place + way] = names;
        *habit = Habit { favourite: way as u8, sureness: 1 };
    }
}

/// A piece of a gap that begins at `gap`; `None` where it is too far or too long.
pub(super) fn piece(gap: usize, start: usize, length: usize) -> Option<Piece> {
    Some((u8::try_from(start.checked_sub(gap)?).ok()?, u8::try_from(length).ok()?))
}

/// The names of the elements that a gap opens, if they are few enough.
pub(super) fn pieces(
    gap: usize,
    names: impl ExactSizeIterator<Item = (usize, usize)>,
) -> Option<(u8, [Piece; MOST_OPENED])> {
    let mut pieces = [Piece::default(); MOST_OPENED];
    let opened = names.len();
    for (i, (start, length)) in names.enumerate() {
        *pieces.get_mut(i)? = piece(gap, start, length)?;
    }
    Some((opened as u8, pieces))
}
