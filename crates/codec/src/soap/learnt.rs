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

use trunkline_wire::Literal;

/// A gap before the first field of a scope; the one behind field `n` has the key `n + 1`.
pub(super) const START: usize = 0;

/// In place of a field: the scope's element ends.
pub(super) const END: u16 = u16::MAX;

/// Gaps that open more components than this are left to the parser, as are longer ones.
const MOST_OPENED: usize = 4;
const LONGEST: usize = 255;

/// A place in a gap: offset and length.
pub(super) type Piece = (u8, u8);

/// What a gap does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    /// The field whose value begins behind the gap, or [`END`].
    pub(super) field: u16,
    /// Name of that field's element.
    pub(super) name: Piece,
    /// How many elements it closes, not counting that of the field before.
    pub(super) closed: u8,
    /// How many it then opens, not counting that of the field behind, and their names.
    pub(super) opened: u8,
    pub(super) names: [Piece; MOST_OPENED],
}

#[derive(Debug, Default)]
struct Gap {
    literal: Literal,
    effect: Effect,
}

/// The two gaps seen last behind one field, so that two messages in turn do not push each other
/// out.
#[derive(Debug, Default)]
struct Gaps {
    gaps: [Option<Gap>; 2],
    recent: usize,
}

/// All gaps learnt, by scope and field.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    gaps: Vec<Gaps>,
    /// Where the gaps of each scope begin.
    scopes: Box<[usize]>,
    /// Of all elements in the gaps.
    prefix: Option<Box<str>>,
}

impl Learnt {
    /// Knows nothing yet of scopes with so many fields each.
    pub(super) fn new(fields: impl Iterator<Item = usize>) -> Self {
        let mut total = 0;
        let mut scopes = Vec::new();
        for fields in fields {
            scopes.push(total);
            total += fields + 1;
        }
        Self {
            gaps: (0..total).map(|_| Gaps::default()).collect(),
            scopes: scopes.into(),
            prefix: None,
        }
    }

    #[cold]
    pub(super) fn forget(&mut self) {
        self.gaps.fill_with(Gaps::default);
        self.prefix = None;
    }

    /// Is it the prefix of all gaps? The first one becomes it.
    #[inline]
    pub(super) fn agrees(&mut self, prefix: &str) -> bool {
        let own = &**self.prefix.get_or_insert_with(|| prefix.into());
        own.is_empty() && prefix.is_empty() || own == prefix
    }

    /// The gap that stands at `at`, if it was learnt: its length and what it does.
    #[inline]
    pub(super) fn find(
        &mut self,
        scope: usize,
        key: usize,
        bytes: &[u8],
        at: usize,
    ) -> Option<(usize, Effect)> {
        let Gaps { gaps, recent } = &mut self.gaps[self.scopes[scope] + key];
        for index in [*recent & 1, (*recent & 1) ^ 1] {
            if let Some(gap) = &gaps[index]
                && gap.literal.matches(bytes, at)
            {
                *recent = index;
                return Some((gap.literal.len(), gap.effect));
            }
        }
        None
    }

    /// Keeps a gap in place of the one not used lately.
    #[cold]
    pub(super) fn learn(&mut self, scope: usize, key: usize, bytes: &[u8], effect: Effect) {
        let Gaps { gaps, recent } = &mut self.gaps[self.scopes[scope] + key];
        *recent ^= 1;
        gaps[*recent & 1] = Some(Gap { literal: Literal::new(bytes), effect });
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

/// Is a gap of this length worth keeping?
pub(super) fn is_short(length: usize) -> bool {
    length <= LONGEST
}
