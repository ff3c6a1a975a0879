//! Templates of gaps: what stood between two values of earlier messages.
//!
//! Messages of one sender repeat the same bytes between the same two fields:
//!
//! ```text
//!   <Symbol>CBG</Symbol><CFICode>ESXXXX</CFICode></Instrument><MDEntryPx>6.35</MDEntryPx>...
//!           ^^^\________________/^^^^^^\__________________________________/^^^^
//!          value       gap       value                 gap                value
//! ```
//! The parser reads a gap once, and its bytes become a template. From then on the gap is one comparison,
//! whatever prefixes, types or white space the sender writes, and the field behind it is predicted.
//! A template holds only where the same prefixes stand for the same namespaces, so each set of
//! those has [gaps of its own](super::templates), and none is used inside elements with declarations
//! of their own.

use trunkline_codec::infoset::same;
use trunkline_wire::scan;

/// Longer gaps become no templates.
const LONGEST: usize = 64;

/// Longer beginnings of entries become no templates.
const LONGEST_ENTRY: usize = 256;

/// A gap before the first field of a scope; the one behind field `n` has the key `n + 1`.
pub(super) const START: usize = 0;

/// In place of a field: the scope's element ends.
pub(super) const END: u16 = u16::MAX;

/// Gaps that open more components than this become no templates; nor do those longer than a byte
/// can say.
const MOST_OPENED: usize = 4;

/// A place in a gap: offset and length.
pub(super) type Piece = (u8, u8);

/// The effect of crossing a gap.
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

/// The effect of a template and its index at its site, packed into one word, so that it stays in a
/// register while a value is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedEffect(u64);

impl PackedEffect {
    fn new(effect: Effect) -> Self {
        let Effect { field, name, closed, opened, length } = effect;
        let [low, high] = field.to_le_bytes();
        Self(u64::from_le_bytes([closed, opened, length, name.0, name.1, 0, low, high]))
    }

    #[inline(always)]
    fn numbered(self, index: usize) -> Self {
        Self(self.0 | (index as u64) << 40)
    }

    fn index(self) -> usize {
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

/// The bytes of a gap and its effect.
#[derive(Debug)]
struct Template {
    bytes: [u8; LONGEST],
    /// A bit for each of the bytes that count.
    counts: u64,
    known: PackedEffect,
}

impl Default for Template {
    /// A template that matches nothing, since its byte is in no UTF-8 text.
    fn default() -> Self {
        Self::new(&[0xFF], [0xFF; LONGEST], Effect { length: 1, ..Effect::default() })
    }
}

impl Template {
    /// The template of these bytes, one at least, with which the block begins.
    fn new(bytes: &[u8], block: [u8; LONGEST], effect: Effect) -> Self {
        let counts = u64::MAX >> (LONGEST - bytes.len().clamp(1, LONGEST));
        Self { bytes: block, counts, known: PackedEffect::new(effect) }
    }

    #[inline(always)]
    fn stands(&self, bytes: &[u8], at: usize) -> bool {
        match bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(window) => scan::agree_where(window, &self.bytes, self.counts),
            None => self.stands_near_end(bytes, at),
        }
    }

    /// Is it the one that matches nothing?
    fn is_none(&self) -> bool {
        self.bytes[0] == 0xFF
    }

    #[cold]
    fn stands_near_end(&self, bytes: &[u8], at: usize) -> bool {
        let bytes_that_count = &self.bytes[..self.known.length()];
        bytes.get(at..).is_some_and(|rest| rest.starts_with(bytes_that_count))
    }
}

/// Templates of one site at most: messages that alternate, and fields that are absent now and then,
/// must not evict each other.
const TEMPLATES_PER_SITE: usize = 4;

/// The templates of one site: of what follows one field of a scope, or precedes its first. The one that
/// is predicted comes first, and is compared before the others.
#[derive(Debug, Default)]
struct Site {
    /// A saturating counter from 0 to [`CONFIDENT`]: how well the first template predicts.
    confidence: u8,
    gaps: [Template; TEMPLATES_PER_SITE],
    /// The elements that each template opens.
    opened: [Opened; TEMPLATES_PER_SITE],
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

impl Site {
    /// Predicts this template from now on; those before it move on by one.
    fn bring_forward(&mut self, index: usize) {
        self.gaps[..=index].rotate_right(1);
        self.opened[..=index].rotate_right(1);
    }
}

const CONFIDENT: u8 = 4;

/// All templates of gaps, by scope and field.
#[derive(Debug, Default)]
pub(super) struct GapTemplates {
    sites: Vec<Site>,
    /// The sites that have templates.
    known: Vec<usize>,
    /// Where the sites of each scope begin.
    scopes: Box<[usize]>,
    /// The prefixes of all elements in the templates, by the numbers of their namespaces.
    prefixes: Box<[Prefix]>,
    /// A bit for each namespace whose elements have the plan's own prefix in the templates.
    planned: u64,
    /// By scope, the name of its entries.
    items: Box<[Option<Box<str>>]>,
    /// By scope, what stands before the content of an entry, where that is not as planned.
    entries: Box<[Entry]>,
    /// By scope, how many entries the last group had: so many are likely to come again.
    counts: Box<[usize]>,
}

/// The prefix of a namespace.
#[derive(Debug)]
struct Prefix {
    planned: Box<str>,
    found: Option<Box<str>>,
}

/// The template of an entry: the bytes from the end of a tag to its content; empty where there is none.
#[derive(Debug, Default)]
struct Entry {
    bytes: Box<[u8]>,
    /// The name of its element.
    name: Piece,
}

impl GapTemplates {
    /// No templates yet, of scopes with so many fields each, whose namespaces have these prefixes.
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
        let sites = (0..count).map(|_| Site::default()).collect();
        let items = vec![None; scopes.len()].into();
        let entries = scopes.iter().map(|_| Entry::default()).collect();
        let counts = vec![0; scopes.len()].into();
        let prefixes = prefixes.map(|it| Prefix { planned: it.into(), found: None }).collect();
        let (known, scopes) = (Vec::new(), scopes.into());
        Self { sites, known, scopes, prefixes, planned: 0, items, entries, counts }
    }

    /// How many entries a group of this scope had the last time.
    #[inline]
    pub(super) fn count(&mut self, scope: usize) -> &mut usize {
        &mut self.counts[scope]
    }

    /// The site behind field `key - 1` of a scope, or before its first.
    #[inline(always)]
    pub(super) fn site(&self, scope: usize, key: usize) -> usize {
        self.scopes[scope] + key
    }

    #[cold]
    pub(super) fn forget(&mut self) {
        for site in self.known.drain(..) {
            self.sites[site] = Site::default();
        }
        self.prefixes.iter_mut().for_each(|it| it.found = None);
        self.planned = 0;
        self.items.fill(None);
        self.entries.fill_with(Entry::default);
    }

    /// Does the template of an entry match at `at`? Its length, and start and length of its name.
    #[inline]
    pub(super) fn entry(&self, scope: usize, bytes: &[u8], at: usize) -> Option<(usize, Piece)> {
        let known = &self.entries[scope];
        let stands = !known.bytes.is_empty() && bytes[at..].starts_with(&known.bytes);
        stands.then_some((known.bytes.len(), known.name))
    }

    /// Makes a template of the beginning of an entry.
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

    /// Is it the prefix of this namespace in all templates? The first one becomes it.
    pub(super) fn agrees(&mut self, namespace_number: u8, prefix: &str) -> bool {
        let Prefix { planned, found } = &mut self.prefixes[usize::from(namespace_number)];
        let found = &**found.get_or_insert_with(|| prefix.into());
        self.planned |= u64::from(same(found, planned)) << namespace_number;
        same(found, prefix)
    }

    /// The same of the plan's own prefix.
    #[inline]
    pub(super) fn agrees_planned(&mut self, namespace_number: u8) -> bool {
        self.planned >> (namespace_number & 63) & 1 != 0 || self.agrees_first(namespace_number)
    }

    #[cold]
    fn agrees_first(&mut self, namespace_number: u8) -> bool {
        let planned = self.prefixes[usize::from(namespace_number)].planned.clone();
        self.agrees(namespace_number, &planned)
    }

    /// The template that matches at `at`: the predicted one of its site, or any if `others` are asked for.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        site: usize,
        bytes: &[u8],
        at: usize,
        others: bool,
    ) -> Option<PackedEffect> {
        let known = &mut self.sites[site];
        if known.gaps[0].stands(bytes, at) {
            known.confidence = CONFIDENT;
            return Some(known.gaps[0].known);
        }
        if others { self.find_another(site, bytes, at) } else { None }
    }

    /// The predicted template of a site did not match: once too often?
    #[inline(always)]
    pub(super) fn mispredicted(&mut self, site: usize) -> bool {
        let known = &mut self.sites[site];
        match known.confidence.checked_sub(1) {
            Some(confidence) => known.confidence = confidence,
            None => return true,
        }
        false
    }

    #[inline(never)]
    fn find_another(&mut self, site: usize, bytes: &[u8], at: usize) -> Option<PackedEffect> {
        let known = &mut self.sites[site];
        let index = known.gaps.iter().position(|gap| gap.stands(bytes, at))?;
        let Some(confidence) = known.confidence.checked_sub(1) else {
            known.bring_forward(index);
            return Some(known.gaps[0].known);
        };
        known.confidence = confidence;
        Some(known.gaps[index].known.numbered(index))
    }

    /// The names of the elements that the template opens which matched last at a site; the bits of all,
    /// and in which word these are.
    #[inline]
    pub(super) fn opened(&self, site: usize, known: PackedEffect) -> (&[Piece], u64, usize) {
        let opened = &self.sites[site].opened[known.index()];
        (&opened.names[..known.opened()], opened.bits, opened.word)
    }

    /// Keeps a template, which its site then predicts.
    #[cold]
    pub(super) fn learn(&mut self, site: usize, bytes: &[u8], effect: Effect, opened: Opened) {
        let mut block = [0; LONGEST];
        let Some(held) = block.get_mut(..bytes.len()).filter(|held| !held.is_empty()) else {
            return;
        };
        held.copy_from_slice(bytes);
        let known = &mut self.sites[site];
        if known.gaps[0].is_none() {
            self.known.push(site);
        }
        let last = TEMPLATES_PER_SITE - 1;
        known.gaps[last] = Template::new(bytes, block, effect);
        known.opened[last] = opened;
        known.bring_forward(last);
        known.confidence = CONFIDENT;
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
