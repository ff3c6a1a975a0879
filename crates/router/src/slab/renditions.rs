//! The renditions of messages that wait. They lie in slots as messages do, and go with theirs.
//!
//! ```text
//!   message: renditions --> [format, cuts, slot] --> [format, cuts, slot]       in a list for each message,
//!                                        |                        |             and all in one
//!                                        v                        v
//!                                     [bytes]                  [bytes]
//! ```
//!
//! Most messages have one or two: the first few of a list are looked at. A message of which many clients select different fields
//! has thousands: the others are found in a table.

use std::collections::HashMap;
use std::num::NonZeroU16;

use super::{HEAD, Handle, OWN, Page, RENDITIONS, Slab, size_for};
use crate::message::{Rendition, RenditionFormat};
use crate::pool::{Linked, Links, List, NONE, Pool};

/// The rendition of a message in a format.
#[derive(Debug, Default)]
struct KeptRendition {
    /// 0 until it is used.
    format: u16,
    message: Handle,
    /// Where its bytes are, and how many.
    slot: Handle,
    length: u32,
    cuts: [u32; 2],
    is_failed: bool,
    /// The next one of the message, and the one before it, as its head counts them.
    next: u32,
    before: u32,
    links: Links,
}

const ALL: usize = 0;

impl Linked<ALL> for KeptRendition {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// Renditions that are kept. The head of a message has the number of its first one plus one, or 0.
pub(super) struct KeptRenditions {
    pool: Pool<KeptRendition>,
    all: List<ALL>,
    /// By message and format: those that came to be behind the first few of a list.
    of: HashMap<(Handle, u16), u32>,
}

/// The first few of a list.
const LOOKED_AT: usize = 4;

impl KeptRenditions {
    pub(super) fn new() -> Self {
        Self { pool: Pool::new(), all: List::default(), of: HashMap::new() }
    }

    #[inline]
    pub(super) fn bytes(&self) -> usize {
        // An entry of the table, and a byte of its own for each place.
        self.pool.bytes() + self.of.capacity() * (size_of::<((Handle, u16), u32)>() + 1)
    }

    /// The rendition of a message in a format, and how many places were looked at. `next` is the first one of the message.
    fn find(&self, message: Handle, format: u16, mut next: u32) -> (Option<u32>, usize) {
        for looked_at in 0..LOOKED_AT {
            if next == 0 {
                return (None, looked_at);
            }
            let it = &self.pool[next - 1];
            if it.format == format {
                return (Some(next - 1), looked_at + 1);
            }
            next = it.next;
        }
        match next {
            0 => (None, LOOKED_AT),
            _ => (self.of.get(&(message, format)).copied(), LOOKED_AT + 1),
        }
    }

    /// One has come before the others of its message: one of these may not be among the first few any more.
    fn index(&mut self, newest: u32) {
        let mut next = newest + 1;
        for _ in 0..LOOKED_AT {
            next = self.pool[next - 1].next;
            if next == 0 {
                return;
            }
        }
        let it = &self.pool[next - 1];
        self.of.insert((it.message, it.format), next - 1);
    }

    /// One is none any more; returns where its bytes are.
    fn give(&mut self, number: u32) -> Handle {
        let it = &self.pool[number];
        let (message, format, slot) = (it.message, it.format, it.slot);
        if !self.of.is_empty() {
            self.of.remove(&(message, format));
        }
        self.all.remove(&mut self.pool, number);
        self.pool.give(number);
        slot
    }

    #[inline]
    pub(super) fn has_unused(&self) -> bool {
        self.pool.has_unused()
    }

    pub(super) fn shrink(&mut self) -> bool {
        if self.of.capacity() > 4 * self.of.len() {
            self.of.shrink_to(2 * self.of.len());
        }
        self.pool.shrink()
    }
}

impl Slab {
    /// The rendition of a message in a format.
    pub(crate) fn rendition(
        &self,
        message: Handle,
        RenditionFormat(format): RenditionFormat,
    ) -> Option<Rendition<'_>> {
        let first = self.renditions_of(message);
        let (number, _) = self.renditions.find(message, format.get(), first);
        let it = &self.renditions.pool[number?];
        let bytes = &self.slot(it.slot)[..it.length as usize];
        Some(Rendition { bytes, cuts: it.cuts, is_failed: it.is_failed })
    }

    /// Keeps a rendition of a message, which has none in this format, until the message goes.
    pub(crate) fn keep_rendition(
        &mut self,
        message: Handle,
        RenditionFormat(format): RenditionFormat,
        rendition: &Rendition<'_>,
    ) {
        let slot = self.keep_bytes(rendition.bytes);
        let number = self.renditions.pool.take();
        let next = self.renditions_of(message);
        self.set_renditions(message, number + 1);
        let length = u32::try_from(rendition.bytes.len()).expect("renditions are below 4 GiB");
        let &Rendition { cuts, is_failed, .. } = rendition;
        let (format, before, links) = (format.get(), 0, Links::default());
        if next != 0 {
            self.renditions.pool[next - 1].before = number + 1;
        }
        self.renditions.pool[number] =
            KeptRendition { format, message, slot, length, cuts, is_failed, next, before, links };
        self.renditions.index(number);
        self.renditions.all.push_back(&mut self.renditions.pool, number);
    }

    fn set_renditions(&mut self, message: Handle, number: u32) {
        let head = &mut self.pages[message.page].bytes[message.at()..];
        head[RENDITIONS..HEAD].copy_from_slice(&number.to_ne_bytes());
    }

    fn keep_bytes(&mut self, rendition: &[u8]) -> Handle {
        let (size, slot) = size_for(rendition.len().max(1));
        if size == OWN {
            let page = self.pages.take();
            let mut bytes = self.blocks.take(rendition.len());
            bytes.extend_from_slice(rendition);
            self.pages[page] = Page { bytes, size: OWN, used: 1, ..Page::default() };
            return Handle { page, slot: 0 };
        }
        let (handle, bytes) = self.take(size, slot);
        bytes[..rendition.len()].copy_from_slice(rendition);
        handle
    }

    /// Drops the renditions of a message.
    #[cold]
    pub(super) fn drop_renditions(&mut self, message: Handle) {
        let mut next = self.renditions_of(message);
        self.set_renditions(message, 0);
        while next != 0 {
            let number = next - 1;
            next = self.renditions.pool[number].next;
            let slot = self.renditions.give(number);
            self.free(slot);
        }
    }

    /// Drops those in some formats, of all messages.
    pub(crate) fn drop_renditions_in(&mut self, is_gone: &impl Fn(RenditionFormat) -> bool) {
        let mut number = self.renditions.all.head();
        while number != NONE {
            let it = &self.renditions.pool[number];
            let (after, message, format) = (it.links.next, it.message, it.format);
            if NonZeroU16::new(format).is_some_and(|it| is_gone(RenditionFormat(it))) {
                self.drop_rendition(message, number);
            }
            number = after;
        }
    }

    /// Drops one of the renditions of a message.
    fn drop_rendition(&mut self, message: Handle, number: u32) {
        let KeptRendition { next, before, .. } = self.renditions.pool[number];
        if next != 0 {
            self.renditions.pool[next - 1].before = before;
        }
        match before {
            0 => self.set_renditions(message, next),
            _ => self.renditions.pool[before - 1].next = next,
        }
        let slot = self.renditions.give(number);
        self.free(slot);
    }

    /// Drops the renditions of at most so many messages, those that were made first. Returns whether there
    /// were any.
    pub(crate) fn drop_some_renditions(&mut self, most: usize) -> bool {
        for dropped in 0..most {
            let first = self.renditions.all.head();
            if first == NONE {
                return dropped > 0;
            }
            self.drop_renditions(self.renditions.pool[first].message);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use trunkline_random::Random;

    use super::*;
    use crate::slab::Kept;

    fn format(number: u16) -> RenditionFormat {
        RenditionFormat(NonZeroU16::new(number).expect("not 0"))
    }

    fn rendition(bytes: &[u8]) -> Rendition<'_> {
        Rendition { bytes, cuts: [0, bytes.len()].map(|it| it as u32), is_failed: false }
    }

    fn message(slab: &mut Slab, sequence: u64) -> Handle {
        let payload = b"message";
        slab.add(&Kept { sequence, published: 0, request: None, format: 0, payload })
    }

    #[test]
    fn one_of_thousands_is_found_at_a_few_places() {
        const MANY: u16 = 3_000;
        let mut slab = Slab::new();
        let messages = [1, 2].map(|it| message(&mut slab, it));
        for it in messages {
            for number in 1..=MANY {
                slab.keep_rendition(it, format(number), &rendition(&number.to_ne_bytes()));
            }
        }
        let most = |slab: &Slab| {
            let places = messages.iter().flat_map(|it| {
                let first = slab.renditions_of(*it);
                (1..=MANY + 1).map(move |number| slab.renditions.find(*it, number, first).1)
            });
            places.max()
        };
        assert_eq!(most(&slab), Some(LOOKED_AT + 1));
        // Also when every second one has gone, each without a search for the one before it.
        slab.drop_renditions_in(&|RenditionFormat(it)| it.get() % 2 == 0);
        assert_eq!(most(&slab), Some(LOOKED_AT + 1));
        for it in messages {
            for number in 1..=MANY {
                let found = slab.rendition(it, format(number)).map(|it| it.bytes.to_vec());
                let expected = (number % 2 == 1).then(|| number.to_ne_bytes().to_vec());
                assert_eq!(found, expected, "{number}");
            }
        }
    }

    #[test]
    fn renditions_go_with_their_message() {
        let mut slab = Slab::new();
        let (first, second) = (message(&mut slab, 1), message(&mut slab, 2));
        slab.share(first);
        for it in [first, second] {
            for number in 1..=10 {
                slab.keep_rendition(it, format(number), &rendition(b"as it is wanted"));
            }
        }
        slab.release(first);
        assert!(slab.rendition(first, format(1)).is_some(), "somebody still waits for it");
        slab.release(first);
        let kept = &slab.renditions;
        assert_eq!((kept.pool.len(), kept.of.len()), (10, 10 - LOOKED_AT), "those of the other");
        // What comes to lie at the same place has none.
        let third = message(&mut slab, 3);
        assert_eq!(third, first, "its place was free");
        assert!((1..=10).all(|number| slab.rendition(third, format(number)).is_none()));
        assert!((1..=10).all(|number| slab.rendition(second, format(number)).is_some()));
        [second, third].into_iter().for_each(|it| slab.release(it));
        assert_eq!((slab.renditions.pool.len(), slab.renditions.of.len(), slab.len()), (0, 0, 0));
    }

    #[test]
    fn what_is_kept_is_what_a_plain_table_has() {
        let (mut slab, mut random) = (Slab::new(), Random::new(7));
        let mut messages: Vec<(Handle, HashMap<u16, Vec<u8>>)> = Vec::new();
        for step in 0..20_000_u64 {
            match random.below(20) {
                0..2 if messages.len() < 20 => {
                    messages.push((message(&mut slab, step), HashMap::new()));
                }
                2 if !messages.is_empty() => {
                    let at = random.below(messages.len() as u64) as usize;
                    slab.release(messages.swap_remove(at).0);
                }
                3 if random.below(20) == 0 => {
                    let gone = random.below(7) as u16;
                    slab.drop_renditions_in(&|RenditionFormat(it)| it.get() % 7 == gone);
                    messages.iter_mut().for_each(|it| it.1.retain(|number, _| number % 7 != gone));
                }
                4 if random.below(50) == 0 => {
                    slab.drop_some_renditions(1);
                    // Of one message, all have gone.
                    for (message, plain) in &mut messages {
                        if slab.renditions_of(*message) == 0 {
                            plain.clear();
                        }
                    }
                }
                _ if !messages.is_empty() => {
                    let at = random.below(messages.len() as u64) as usize;
                    let (message, plain) = &mut messages[at];
                    let number = 1 + random.below(40) as u16;
                    let found =
                        slab.rendition(*message, format(number)).map(|it| it.bytes.to_vec());
                    assert_eq!(found.as_ref(), plain.get(&number), "step {step}");
                    if found.is_none() {
                        let bytes = vec![step as u8; random.below(300) as usize];
                        slab.keep_rendition(*message, format(number), &rendition(&bytes));
                        plain.insert(number, bytes);
                    }
                }
                _ => {}
            }
        }
        let all: usize = messages.iter().map(|it| it.1.len()).sum();
        assert_eq!(slab.renditions.pool.len(), all);
        messages.iter().for_each(|it| slab.release(it.0));
        assert_eq!((slab.renditions.pool.len(), slab.renditions.of.len()), (0, 0));
    }
}
