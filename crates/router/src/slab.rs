//! Messages that wait, each once, for as many clients as wait for it.
//!
//! Queues and conflating matches hold handles, and the slab counts them. The last one that goes frees the
//! message. Payloads lie in slots of pages; the slots of a page have one size, four sizes to each doubling,
//! so that at most a fifth of a slot is unused. A long payload has a page of its own.
//!
//! ```text
//!   handle --> Message: sequence, time, format, uses, page, slot --> page: [slot|slot|####|slot|  ]
//! ```

use crate::blocks::{BLOCK, Blocks};
use crate::message::Requester;
use crate::pool::{Linked, Links, List, NONE, Pool};

/// Bytes of the smallest slots, and of the longest payload that has no page of its own; both are powers
/// of two.
const SMALLEST: usize = 16;
const LARGEST: usize = 16 << 10;

/// Sizes of slots, and one more: pages with one slot of any size.
const SIZES: usize = 4 * (LARGEST / SMALLEST).ilog2() as usize + 1;
const OWN: usize = SIZES;

/// A size of slots by its number, and its bytes, for a payload of so many.
fn size_for(bytes: usize) -> (usize, usize) {
    if bytes <= SMALLEST {
        return (0, SMALLEST);
    }
    if bytes > LARGEST {
        return (OWN, bytes);
    }
    let last = bytes - 1;
    // A doubling has four steps.
    let step = last.ilog2() as usize - 2;
    let quarter = last >> step;
    let doubling = last.ilog2() as usize - SMALLEST.ilog2() as usize;
    (4 * doubling + quarter - 3, (quarter + 1) << step)
}

/// A message that waits. A cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Message {
    sequence: u64,
    published: u64,
    request: Option<Requester>,
    format: u16,
    slot: u16,
    page: u32,
    length: u32,
    uses: u32,
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

/// Slots of one size.
#[derive(Debug, Default)]
struct Page {
    /// As far as slots have been used.
    bytes: Vec<u8>,
    /// Bytes of a slot, and the number of that size.
    slot: usize,
    size: usize,
    /// Slots that were used and are free.
    free: Vec<u16>,
    used: usize,
    /// It had no message when memory was last given back.
    was_unused: bool,
    /// Neighbours among the pages of its size with room.
    links: Links,
}

impl Page {
    fn is_full(&self) -> bool {
        self.free.is_empty() && self.bytes.len() + self.slot > self.bytes.capacity()
    }

    #[inline]
    fn payload(&self, slot: u16, length: u32) -> &[u8] {
        &self.bytes[usize::from(slot) * self.slot..][..length as usize]
    }

    /// Writes a payload into a free slot.
    fn write(&mut self, payload: &[u8]) -> u16 {
        (self.used, self.was_unused) = (self.used + 1, false);
        if let Some(slot) = self.free.pop() {
            self.overwrite(slot, payload);
            return slot;
        }
        let at = self.bytes.len();
        self.bytes.extend_from_slice(payload);
        self.bytes.resize(at + self.slot, 0);
        (at / self.slot.max(1)) as u16
    }

    #[inline]
    fn overwrite(&mut self, slot: u16, payload: &[u8]) {
        self.bytes[usize::from(slot) * self.slot..][..payload.len()].copy_from_slice(payload);
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
    messages: Pool<Message>,
    pages: Pool<Page>,
    /// Pages with room, by the number of their size.
    open: [List<WITH_ROOM>; SIZES + 1],
    /// Pages that are kept without messages.
    unused: usize,
    pub(crate) blocks: Blocks,
}

impl Slab {
    pub(crate) fn new() -> Self {
        Self {
            messages: Pool::new(),
            pages: Pool::new(),
            open: [List::default(); SIZES + 1],
            unused: 0,
            blocks: Blocks::default(),
        }
    }

    /// Keeps a message, for one user.
    pub(crate) fn add(&mut self, kept: &Kept<'_>) -> u32 {
        let (page, slot) = self.place(kept.payload);
        let message = self.messages.take();
        self.messages[message] = Message {
            sequence: kept.sequence,
            published: kept.published,
            request: kept.request,
            format: kept.format,
            slot,
            page,
            length: u32::try_from(kept.payload.len()).expect("messages are below 4 GiB"),
            uses: 1,
        };
        message
    }

    /// Keeps a message instead of another one, which loses a user, for one user.
    pub(crate) fn replace(&mut self, message: u32, kept: &Kept<'_>) -> u32 {
        let at = &mut self.messages[message];
        let page = &mut self.pages[at.page];
        let length = kept.payload.len();
        // Half a slot may stay unused until the message goes.
        let fits = length <= page.slot && (2 * length > page.slot || page.slot == SMALLEST);
        if at.uses > 1 || !fits || page.size == OWN {
            self.release(message);
            return self.add(kept);
        }
        page.overwrite(at.slot, kept.payload);
        at.sequence = kept.sequence;
        at.published = kept.published;
        at.request = kept.request;
        at.format = kept.format;
        at.length = length as u32;
        message
    }

    fn place(&mut self, payload: &[u8]) -> (u32, u16) {
        let (size, slot) = size_for(payload.len());
        let mut page = self.open[size].head();
        if page == NONE {
            page = self.pages.take();
            let at = &mut self.pages[page];
            at.bytes = self.blocks.take(if size == OWN { slot } else { BLOCK });
            (at.slot, at.size) = (slot, size);
            self.open[size].push_back(&mut self.pages, page);
        } else if self.pages[page].used == 0 {
            self.unused -= 1;
        }
        let at = &mut self.pages[page];
        let slot = at.write(payload);
        if at.is_full() {
            self.open[size].remove(&mut self.pages, page);
        }
        (page, slot)
    }

    /// Another user of a message.
    #[inline]
    pub(crate) fn share(&mut self, message: u32) {
        self.messages[message].uses += 1;
    }

    /// A user of a message is gone.
    #[inline]
    pub(crate) fn release(&mut self, message: u32) {
        let at = &mut self.messages[message];
        at.uses -= 1;
        if at.uses == 0 {
            let (page, slot) = (at.page, at.slot);
            self.messages.give(message);
            self.free(page, slot);
        }
    }

    fn free(&mut self, page: u32, slot: u16) {
        let at = &mut self.pages[page];
        at.used -= 1;
        let (size, used) = (at.size, at.used);
        if size == OWN {
            return self.give_page(page);
        }
        let was_full = at.is_full();
        at.free.push(slot);
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
        let at = &mut self.pages[page];
        at.free.clear();
        self.blocks.give(std::mem::take(&mut at.bytes));
        self.pages.give(page);
    }

    /// A message.
    #[inline]
    pub(crate) fn get(&self, message: u32) -> Kept<'_> {
        let at = &self.messages[message];
        Kept {
            sequence: at.sequence,
            published: at.published,
            request: at.request,
            format: at.format,
            payload: self.pages[at.page].payload(at.slot, at.length),
        }
    }

    /// The sequence of a message.
    #[inline]
    pub(crate) fn sequence(&self, message: u32) -> u64 {
        self.messages[message].sequence
    }

    /// When a message was published.
    #[inline]
    pub(crate) fn published(&self, message: u32) -> u64 {
        self.messages[message].published
    }

    /// Bytes of the payload of a message.
    #[inline]
    pub(crate) fn length(&self, message: u32) -> usize {
        self.messages[message].length as usize
    }

    /// Whether somebody waits for a reply to a message.
    #[inline]
    pub(crate) fn is_request(&self, message: u32) -> bool {
        self.messages[message].request.is_some()
    }

    /// Messages that wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Messages that there is memory for.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.messages.capacity()
    }

    /// Bytes of memory for everything that waits, each message once, and what is kept for more.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.bytes() + self.messages.bytes() + self.pages.bytes()
    }

    /// Whether there is unused memory.
    #[inline]
    pub(crate) fn has_unused(&self) -> bool {
        self.unused > 0 || self.messages.has_unused() || self.pages.has_unused()
    }

    /// Gives back memory of one structure that has been unused since the last call. Returns whether there
    /// was any.
    pub(crate) fn shrink(&mut self) -> bool {
        self.shrink_pages() || self.messages.shrink() || self.pages.shrink()
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

    fn kept(sequence: u64, payload: &[u8]) -> Kept<'_> {
        Kept { sequence, published: 2 * sequence, request: None, format: 3, payload }
    }

    /// Bytes that differ from those of other numbers.
    fn payload(number: u64, length: usize) -> Vec<u8> {
        (0..length).map(|at| (at as u64 * 7 + number * 31) as u8).collect()
    }

    #[test]
    fn every_payload_has_a_slot_that_fits() {
        let (mut last, mut sizes) = (SMALLEST, 1);
        for length in 0..=LARGEST {
            let (size, slot) = size_for(length);
            assert!(slot >= length && (length <= SMALLEST || 5 * length > 4 * slot), "{length}");
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
        let mut all: Vec<(u32, usize, u64, usize)> = Vec::new();
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
        let all: Vec<u32> = (0..10_000).map(|number| slab.add(&kept(number, &bytes))).collect();
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
        assert_eq!(slab.blocks.bytes(), 1_000_000);
        assert_eq!(slab.get(message).payload, bytes);
        let message = slab.replace(message, &kept(2, b"short"));
        assert_eq!((slab.blocks.bytes(), slab.get(message).payload), (BLOCK, &b"short"[..]));
        slab.release(message);
    }
}
