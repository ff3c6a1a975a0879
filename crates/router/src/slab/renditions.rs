//! The renditions of messages that wait. They lie in slots as messages do, and go with theirs.
//!
//! ```text
//!   message: renditions --> [format, cuts, slot] --> [format, cuts, slot]       in a list for each message,
//!                                        |                        |             and all in one
//!                                        v                        v
//!                                     [bytes]                  [bytes]
//! ```

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
    /// The next one of the message, as its head counts them.
    next: u32,
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
}

impl KeptRenditions {
    pub(super) fn new() -> Self {
        Self { pool: Pool::new(), all: List::default() }
    }

    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.pool.bytes()
    }

    #[inline]
    pub(super) fn has_unused(&self) -> bool {
        self.pool.has_unused()
    }

    pub(super) fn shrink(&mut self) -> bool {
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
        let mut next = self.renditions_of(message);
        while next != 0 {
            let it = &self.renditions.pool[next - 1];
            if it.format == format.get() {
                let bytes = &self.slot(it.slot)[..it.length as usize];
                return Some(Rendition { bytes, cuts: it.cuts, is_failed: it.is_failed });
            }
            next = it.next;
        }
        None
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
        let (format, links) = (format.get(), Links::default());
        self.renditions.pool[number] =
            KeptRendition { format, message, slot, length, cuts, is_failed, next, links };
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
            let (slot, after) = {
                let it = &self.renditions.pool[number];
                (it.slot, it.next)
            };
            self.renditions.all.remove(&mut self.renditions.pool, number);
            self.renditions.pool.give(number);
            self.free(slot);
            next = after;
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
        let KeptRendition { next, slot, .. } = self.renditions.pool[number];
        let mut before = self.renditions_of(message);
        if before == number + 1 {
            self.set_renditions(message, next);
        } else {
            while self.renditions.pool[before - 1].next != number + 1 {
                before = self.renditions.pool[before - 1].next;
            }
            self.renditions.pool[before - 1].next = next;
        }
        self.renditions.all.remove(&mut self.renditions.pool, number);
        self.renditions.pool.give(number);
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
