//! Messages that wait, each once, for as many clients as wait for it.
//!
//! Queues and conflating matches hold handles, and the slab counts them. The last one that goes frees the
//! message. Messages lie in slots of pages, each with its head directly before its payload, so that reading one
//! touches one place. The slots of a page have one size, eight sizes to each doubling, so that at most a
//! ninth of a slot is unused. A long message has a page of its own.
//!
//! ```text
//!   handle: page, place --> page: [slot|slot|####|slot|  ]
//!
//!    0                               8                              16
//!  +-------------------------------+-------------------------------+
//!  | sequence                      | published: nanoseconds        |   0
//!  +---------------+---------------+-------+-------+---------------+
//!  | uses          | payload bytes | format| flags | renditions    |  16
//!  +---------------+---------------+-------+-------+---------------+
//!  | requester: client             | correlation                   |  32  if flag 1
//!  +-------------------------------+-------------------------------+
//!  | payload
//!
//!  | next free slot|                                                   0  a free slot
//! ```

mod renditions;

use crate::blocks::Blocks;
use crate::client::ClientId;
use crate::message::Requester;
use crate::pool::{Linked, Links, List, NONE, Pool};
use renditions::KeptRenditions;

/// Slots begin at multiples of so many bytes, and have as many at least.
const UNIT: usize = 16;
/// Bytes of the longest message that has no page of its own; a power of two.
const LARGEST: usize = 16 << 10;

/// Sizes of slots, and one more: pages with one slot of any size.
const SIZES: usize = 8 * ((LARGEST / UNIT).ilog2() as usize - 2);
const OWN: usize = SIZES;

/// A size of slots by its number, and its bytes, for a message of so many.
#[inline]
fn size_for(bytes: usize) -> (usize, usize) {
    if bytes > LARGEST {
        return (OWN, bytes);
    }
    let last = bytes.div_ceil(UNIT) - 1;
    // A doubling has eight steps.
    let step = (last | 8).ilog2() as usize - 3;
    let eighth = last >> step;
    (8 * step + eighth, (eighth + 1) << step << UNIT.ilog2())
}

/// Bytes of a message before its payload, without and with a requester.
const HEAD: usize = 32;
const HEAD_OF_REQUEST: usize = HEAD + 16;

/// Where the number of its renditions is.
const RENDITIONS: usize = 28;

const HAS_REQUESTER: u16 = 1;

/// No slot.
const NO_SLOT: u16 = u16::MAX;

/// Where a message lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle {
    pub(crate) page: u32,
    /// Where its slot begins in the page, in units.
    pub(crate) slot: u16,
}

impl Handle {
    /// No message.
    pub(crate) const NONE: Self = Self { page: NONE, slot: 0 };

    fn at(self) -> usize {
        usize::from(self.slot) * UNIT
    }
}

impl Default for Handle {
    fn default() -> Self {
        Self::NONE
    }
}

/// What is kept of a message while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept<'a> {
    pub(crate) sequence: u64,
    /// When it was published.
    pub(crate) published: u64,
    pub(crate) request: Option<Requester>,
    pub(crate) format: u16,
    pub(crate) payload: &'a [u8],
}

impl Kept<'_> {
    /// Bytes in a slot.
    #[inline]
    fn size(&self) -> usize {
        let head = if self.request.is_some() { HEAD_OF_REQUEST } else { HEAD };
        head + self.payload.len()
    }

    fn head(&self) -> [u8; HEAD] {
        let length = u32::try_from(self.payload.len()).expect("messages are below 4 GiB");
        let flags = if self.request.is_some() { HAS_REQUESTER } else { 0 };
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&self.sequence.to_ne_bytes());
        head[8..16].copy_from_slice(&self.published.to_ne_bytes());
        head[16..20].copy_from_slice(&1_u32.to_ne_bytes());
        head[20..24].copy_from_slice(&length.to_ne_bytes());
        head[24..26].copy_from_slice(&self.format.to_ne_bytes());
        head[26..28].copy_from_slice(&flags.to_ne_bytes());
        head
    }

    /// Writes it to the beginning of a slot, for one user.
    #[inline]
    fn write(&self, slot: &mut [u8]) {
        let (head, mut rest) = slot.split_first_chunk_mut().expect("slots have room for a head");
        *head = self.head();
        if let Some(request) = &self.request {
            let (client, after) = rest.split_first_chunk_mut().expect("room for a requester");
            *client = request.client.as_u64().to_ne_bytes();
            let (correlation, after) = after.split_first_chunk_mut().expect("and its number");
            *correlation = request.correlation.to_ne_bytes();
            rest = after;
        }
        rest[..self.payload.len()].copy_from_slice(self.payload);
    }
}

/// A number of the head of a message that begins at `slot`.
macro_rules! field {
    ($type:ty, $slot:expr, $at:expr) => {{
        let head: &[u8; HEAD] = $slot.first_chunk().expect("slots have room for a head");
        let bytes = head[$at..].first_chunk().expect("fields are within the head");
        <$type>::from_ne_bytes(*bytes)
    }};
}

/// Reads what [`Kept::write`] wrote.
#[inline(always)]
fn read(slot: &[u8]) -> Kept<'_> {
    let mut rest = &slot[HEAD..];
    let request = (field!(u16, slot, 26) & HAS_REQUESTER != 0).then(|| {
        let (client, after) = rest.split_first_chunk().expect("a requester");
        let (correlation, after) = after.split_first_chunk().expect("and its number");
        rest = after;
        let client = ClientId::from_u64(u64::from_ne_bytes(*client));
        Requester { client, correlation: u64::from_ne_bytes(*correlation) }
    });
    Kept {
        sequence: field!(u64, slot, 0),
        published: field!(u64, slot, 8),
        request,
        format: field!(u16, slot, 24),
        payload: &rest[..field!(u32, slot, 20) as usize],
    }
}

/// Slots of one size.
#[derive(Debug, Default)]
struct Page {
    bytes: Vec<u8>,
    /// Bytes of a slot, and the number of that size.
    slot: usize,
    size: usize,
    /// Where slots begin that were never used.
    fresh: usize,
    /// The slot that was freed last, with the others behind it.
    free: u16,
    used: u16,
    /// It had no message when memory was last given back.
    was_unused: bool,
    /// Neighbours among the pages of its size with room.
    links: Links,
}

impl Page {
    #[inline]
    fn is_full(&self) -> bool {
        self.free == NO_SLOT && self.fresh + self.slot > self.bytes.len()
    }

    /// A free slot.
    #[inline]
    fn take(&mut self) -> u16 {
        (self.used, self.was_unused) = (self.used + 1, false);
        let slot = self.free;
        if slot != NO_SLOT {
            let next = self.bytes[usize::from(slot) * UNIT..].first_chunk();
            self.free = u16::from_ne_bytes(*next.expect("a slot"));
            return slot;
        }
        let fresh = self.fresh;
        self.fresh += self.slot;
        (fresh / UNIT) as u16
    }

    #[inline]
    fn give(&mut self, slot: u16) {
        let next = self.bytes[usize::from(slot) * UNIT..].first_chunk_mut();
        *next.expect("a slot") = self.free.to_ne_bytes();
        self.free = slot;
    }
}

const WITH_ROOM: usize = 0;

impl Linked<WITH_ROOM> for Page {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// Messages that wait, and the memory of all that waits.
pub(crate) struct Slab {
    pages: Pool<Page>,
    /// Pages with room, by the number of their size.
    open: [List<WITH_ROOM>; SIZES],
    /// Pages that are kept without messages.
    unused: usize,
    renditions: KeptRenditions,
    pub(crate) blocks: Blocks,
}

impl Slab {
    pub(crate) fn new() -> Self {
        Self {
            pages: Pool::new(),
            open: [List::default(); SIZES],
            unused: 0,
            renditions: KeptRenditions::new(),
            blocks: Blocks::default(),
        }
    }

    /// Keeps a message, for one user.
    pub(crate) fn add(&mut self, kept: &Kept<'_>) -> Handle {
        let (size, slot) = size_for(kept.size());
        if size == OWN {
            return self.add_long(kept);
        }
        let (handle, bytes) = self.take(size, slot);
        kept.write(bytes);
        handle
    }

    /// A free slot of a size, and its bytes.
    #[inline]
    fn take(&mut self, size: usize, slot: usize) -> (Handle, &mut [u8]) {
        let mut page = self.open[size].head();
        if page == NONE {
            page = self.open_page(size, slot);
        } else if self.pages[page].used == 0 {
            self.unused -= 1;
        }
        let at = &mut self.pages[page];
        let handle = Handle { page, slot: at.take() };
        if at.is_full() {
            self.open[size].remove(&mut self.pages, page);
        }
        (handle, &mut self.pages[page].bytes[handle.at()..])
    }

    #[cold]
    fn add_long(&mut self, kept: &Kept<'_>) -> Handle {
        let page = self.pages.take();
        let mut bytes = self.blocks.take(kept.size());
        bytes.extend_from_slice(&kept.head());
        if let Some(request) = &kept.request {
            bytes.extend_from_slice(&request.client.as_u64().to_ne_bytes());
            bytes.extend_from_slice(&request.correlation.to_ne_bytes());
        }
        bytes.extend_from_slice(kept.payload);
        self.pages[page] = Page { bytes, size: OWN, used: 1, ..Page::default() };
        Handle { page, slot: 0 }
    }

    #[cold]
    fn open_page(&mut self, size: usize, slot: usize) -> u32 {
        let page = self.pages.take();
        let bytes = self.blocks.take_filled();
        self.pages[page] = Page { bytes, slot, size, free: NO_SLOT, ..Page::default() };
        self.open[size].push_back(&mut self.pages, page);
        page
    }

    /// Keeps a message instead of another one, which loses a user, for one user.
    pub(crate) fn replace(&mut self, message: Handle, kept: &Kept<'_>) -> Handle {
        let page = &mut self.pages[message.page];
        let slot = &mut page.bytes[message.at()..];
        let size = kept.size();
        // Half a slot may stay unused until the message goes. Long ones have no slots.
        let fits = size <= page.slot && 2 * size > page.slot;
        if fits && field!(u32, slot, 16) == 1 && field!(u32, slot, RENDITIONS) == 0 {
            kept.write(slot);
            return message;
        }
        self.release(message);
        self.add(kept)
    }

    #[inline]
    fn uses(&mut self, message: Handle) -> &mut [u8; 4] {
        let slot = &mut self.pages[message.page].bytes[message.at()..];
        let head: &mut [u8; HEAD] = slot.first_chunk_mut().expect("slots have room for a head");
        head[16..].first_chunk_mut().expect("fields are within the head")
    }

    /// Another user of a message.
    #[inline]
    pub(crate) fn share(&mut self, message: Handle) {
        let uses = self.uses(message);
        *uses = (u32::from_ne_bytes(*uses) + 1).to_ne_bytes();
    }

    /// A user of a message is gone.
    #[inline]
    pub(crate) fn release(&mut self, message: Handle) {
        let uses = self.uses(message);
        let left = u32::from_ne_bytes(*uses) - 1;
        *uses = left.to_ne_bytes();
        if left == 0 {
            if self.renditions_of(message) != 0 {
                self.drop_renditions(message);
            }
            self.free(message);
        }
    }

    /// The number of a message's first rendition, plus one; 0 if it has none.
    #[inline]
    fn renditions_of(&self, message: Handle) -> u32 {
        field!(u32, self.slot(message), RENDITIONS)
    }

    /// Whether a message has more than one user.
    pub(crate) fn is_shared(&self, message: Handle) -> bool {
        field!(u32, self.slot(message), 16) > 1
    }

    fn free(&mut self, message: Handle) {
        let Handle { page, slot } = message;
        let at = &mut self.pages[page];
        at.used -= 1;
        let (size, used) = (at.size, at.used);
        if size == OWN {
            return self.give_page(page);
        }
        let was_full = at.is_full();
        at.give(slot);
        if was_full {
            self.open[size].push_back(&mut self.pages, page);
        }
        if used == 0 {
            // The only one with room may be needed in a moment.
            if self.open[size].is_only(page) {
                self.unused += 1;
            } else {
                self.open[size].remove(&mut self.pages, page);
                self.give_page(page);
            }
        }
    }

    /// Gives back the memory of a page without messages, which is in no list.
    fn give_page(&mut self, page: u32) {
        self.blocks.give(std::mem::take(&mut self.pages[page].bytes));
        self.pages.give(page);
    }

    #[inline]
    fn slot(&self, message: Handle) -> &[u8] {
        &self.pages[message.page].bytes[message.at()..]
    }

    /// A message.
    #[inline]
    pub(crate) fn get(&self, message: Handle) -> Kept<'_> {
        read(self.slot(message))
    }

    /// The sequence of a message.
    #[inline]
    pub(crate) fn sequence(&self, message: Handle) -> u64 {
        field!(u64, self.slot(message), 0)
    }

    /// When a message was published.
    #[inline]
    pub(crate) fn published(&self, message: Handle) -> u64 {
        field!(u64, self.slot(message), 8)
    }

    /// Bytes of the payload of a message.
    #[inline]
    pub(crate) fn length(&self, message: Handle) -> usize {
        field!(u32, self.slot(message), 20) as usize
    }

    /// Messages that wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let used = |page| self.pages.get(page).map_or(0, |page| usize::from(page.used));
        (0..self.pages.capacity() as u32).map(used).sum()
    }

    /// Pages that there is memory for.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.pages.capacity()
    }

    /// Bytes of memory for everything that waits, each message once, and what is kept for more.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.bytes() + self.pages.bytes() + self.renditions.bytes()
    }

    /// Whether there is unused memory.
    #[inline]
    pub(crate) fn has_unused(&self) -> bool {
        self.unused > 0 || self.pages.has_unused() || self.renditions.has_unused()
    }

    /// Gives back memory of one structure that has been unused since the last call. Returns whether there
    /// was any.
    pub(crate) fn shrink(&mut self) -> bool {
        self.shrink_pages() || self.pages.shrink() || self.renditions.shrink()
    }

    fn shrink_pages(&mut self) -> bool {
        let before = self.unused;
        for size in 0..SIZES {
            let page = self.open[size].head();
            // Others with room come behind one that is kept without messages.
            if page != NONE
                && self.pages[page].used == 0
                && std::mem::replace(&mut self.pages[page].was_unused, true)
            {
                self.open[size].remove(&mut self.pages, page);
                self.give_page(page);
                self.unused -= 1;
            }
        }
        self.unused < before
    }
}

#[cfg(test)]
mod tests {
    use trunkline_random::Random;

    use super::*;
    use crate::blocks::BLOCK;

    fn kept(sequence: u64, payload: &[u8]) -> Kept<'_> {
        let client = ClientId { index: 7, generation: 9 };
        let request =
            sequence.is_multiple_of(3).then_some(Requester { client, correlation: sequence });
        Kept { sequence, published: 2 * sequence, request, format: 3, payload }
    }

    /// Bytes that differ from those of other numbers.
    fn payload(number: u64, length: usize) -> Vec<u8> {
        (0..length).map(|at| (at as u64 * 7 + number * 31) as u8).collect()
    }

    #[test]
    fn every_payload_has_a_slot_that_fits() {
        let (mut last, mut sizes) = (UNIT, 1);
        for length in 1..=LARGEST {
            let (size, slot) = size_for(length);
            assert!(slot.is_multiple_of(UNIT) && slot >= length, "{length}");
            assert!(slot - length < UNIT.max(slot / 9), "{length}");
            if slot != last {
                (last, sizes) = (slot, sizes + 1);
            }
            assert_eq!(size, sizes - 1, "{length}");
        }
        assert_eq!((sizes, last), (SIZES, LARGEST));
        assert_eq!(size_for(LARGEST + 1), (OWN, LARGEST + 1));
    }

    #[test]
    fn a_message_is_there_until_its_last_user_goes() {
        let (mut slab, mut random) = (Slab::new(), Random::new(1));
        // Each with its users and what it should be.
        let mut all: Vec<(Handle, usize, u64, usize)> = Vec::new();
        for number in 0..40_000 {
            let most = random.pick(&[1, 40, 300, 300, 3_000, 40_000]);
            let length = random.below(most) as usize;
            let bytes = payload(number, length);
            let grows = number % 10_000 < 5_000;
            match random.below(if grows { 6 } else { 9 }) {
                0..3 => all.push((slab.add(&kept(number, &bytes)), 1, number, length)),
                3 if !all.is_empty() => {
                    let at = random.below(all.len() as u64) as usize;
                    slab.share(all[at].0);
                    all[at].1 += 1;
                }
                4 if !all.is_empty() => {
                    let at = random.below(all.len() as u64) as usize;
                    let message = slab.replace(all[at].0, &kept(number, &bytes));
                    all[at].1 -= 1;
                    if all[at].1 == 0 {
                        all.swap_remove(at);
                    }
                    all.push((message, 1, number, length));
                }
                _ if !all.is_empty() => {
                    let at = random.below(all.len() as u64) as usize;
                    slab.release(all[at].0);
                    all[at].1 -= 1;
                    if all[at].1 == 0 {
                        all.swap_remove(at);
                    }
                }
                _ => {}
            }
            if number % 100 == 0 {
                for (message, _, number, length) in &all {
                    assert_eq!(slab.get(*message), kept(*number, &payload(*number, *length)));
                }
                assert_eq!(slab.len(), all.len());
            }
        }
        for (message, uses, ..) in all {
            (0..uses).for_each(|_| slab.release(message));
        }
        assert_eq!(slab.len(), 0);
        (0..10).for_each(|_| _ = slab.shrink());
        assert!(!slab.has_unused());
        assert_eq!(
            slab.bytes(),
            slab.blocks.free().len() * BLOCK,
            "nothing is left but some blocks"
        );
    }

    #[test]
    fn messages_that_are_left_here_and_there_hold_no_other_pages() {
        let mut slab = Slab::new();
        let bytes = payload(1, 1_000);
        let all: Vec<Handle> = (0..10_000).map(|number| slab.add(&kept(number, &bytes))).collect();
        let full = slab.bytes();
        assert!((10_000_000..12_000_000).contains(&full), "{full}");
        // The last tenth stays.
        all[..9_000].iter().for_each(|message| slab.release(*message));
        let kept = slab.blocks.free().len() * BLOCK;
        assert!(slab.blocks.bytes() - kept < full / 9, "{}", slab.bytes());
    }

    #[test]
    fn a_long_payload_takes_its_own_length_and_goes_at_once() {
        let mut slab = Slab::new();
        let bytes = payload(1, 1_000_000);
        let message = slab.add(&kept(1, &bytes));
        assert_eq!(slab.blocks.bytes(), HEAD + 1_000_000);
        assert_eq!(slab.get(message).payload, bytes);
        let message = slab.replace(message, &kept(2, b"short"));
        assert_eq!((slab.blocks.bytes(), slab.get(message).payload), (BLOCK, &b"short"[..]));
        slab.release(message);
    }
}
