//! Renditions: messages in the formats of clients, each made once for all clients that want the format.
//!
//! ```text
//!   published --+-- can go at once:  made for the first client, framed for each
//!               |
//!               +-- has to wait:     in the slab, where renditions are kept beside it
//!                                      made for the first client whose turn has come, if others wait for the
//!                                      message too; or before, for a client that could take it at once
//! ```
//!
//! What is replaced while it waits is not rendered. The renditions of a message go with it. While memory is
//! short none is kept: each client's is made when it is needed, and those that were kept are dropped.

use std::collections::VecDeque;

use crate::client::ClientId;
use crate::egress::{Egress, Place};
use crate::message::{Delivery, Message, Renderer, Rendition, RenditionFormat};
use crate::router::Router;
use crate::slab::{Handle, Slab};

/// Bytes that a buffer for renditions keeps.
const KEPT: usize = 64 << 10;

/// How often the renditions of a format were needed. A number that got another meaning is counted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenditionCounts {
    /// The format.
    pub format: RenditionFormat,
    /// How many were made.
    pub made: u64,
    /// Deliveries besides those that they were made for: each was framed from one that was there.
    pub shared: u64,
    /// Messages that cannot be had in it: each was tried once.
    pub failed: u64,
    /// Conversions that are wanted or under way.
    pub pending: u64,
}

/// A rendition in a buffer.
#[derive(Debug, Default)]
struct Made {
    /// The topic and the sequence of the message.
    of: Option<(u32, u64)>,
    cuts: [u32; 2],
    bytes: Vec<u8>,
}

impl Made {
    fn make<R: Renderer>(&mut self, renderer: &R, format: RenditionFormat, message: &Message<'_>) {
        self.bytes.clear();
        let cuts = renderer.rendition(&mut self.bytes, format, message);
        self.cuts = cuts.map(|cut| u32::try_from(cut).expect("renditions are below 4 GiB"));
        self.of = Some((message.topic.0, message.sequence));
    }

    fn get(&self) -> Rendition<'_> {
        Rendition { bytes: &self.bytes, cuts: self.cuts, is_failed: false }
    }

    /// A long one keeps no memory.
    fn shrink(&mut self) {
        if self.bytes.capacity() > KEPT {
            *self = Self::default();
        }
    }
}

/// The renditions of a format.
#[derive(Debug)]
struct OfFormat {
    counts: RenditionCounts,
    /// That of the newest message which could go at once, if it is made here.
    newest: Made,
    /// One has been.
    is_framed: bool,
    /// Conversions that nobody makes yet, and deliveries of those that were made.
    wanted: VecDeque<u32>,
    used: u64,
}

/// What is there besides the renditions that the slab keeps.
#[derive(Debug, Default)]
pub(crate) struct Renditions {
    /// In the order in which they were wanted first.
    formats: Vec<OfFormat>,
    /// Where each number stands among them, plus one; 0 is nowhere.
    places: Vec<u16>,
    /// Those that are made here: few.
    framed: Vec<usize>,
    /// One that was made for a message which had waited.
    scratch: Made,
    /// The formats that want conversions, each once, in their turns.
    turns: VecDeque<usize>,
    /// The conversions of subscriptions that have ended, with their clients.
    pub(crate) ended: Vec<(ClientId, RenditionFormat)>,
}

impl Renditions {
    pub(crate) fn counts(&self) -> impl Iterator<Item = RenditionCounts> + '_ {
        self.formats.iter().map(|it| {
            let shared = it.counts.shared + it.used.saturating_sub(it.counts.made);
            let shared = if it.used == 0 { it.counts.shared } else { shared };
            RenditionCounts { shared, ..it.counts }
        })
    }

    #[inline]
    fn of(&mut self, format: RenditionFormat) -> usize {
        match self.places.get(usize::from(format.0.get())) {
            Some(place) if *place > 0 => usize::from(*place) - 1,
            _ => self.add(format),
        }
    }

    #[cold]
    fn add(&mut self, format: RenditionFormat) -> usize {
        let counts = RenditionCounts { format, made: 0, shared: 0, failed: 0, pending: 0 };
        let (newest, is_framed, wanted) = (Made::default(), false, VecDeque::new());
        self.formats.push(OfFormat { counts, newest, is_framed, wanted, used: 0 });
        let number = usize::from(format.0.get());
        if number >= self.places.len() {
            self.places.resize(number + 1, 0);
        }
        // There are fewer than numbers, of which 0 is none.
        self.places[number] = self.formats.len() as u16;
        self.formats.len() - 1
    }

    /// Frames a message for a client. `waited` is where it has waited, or nothing if it is newly published.
    /// Returns whether a rendition was made.
    #[inline(never)]
    pub(crate) fn frame<R: Renderer>(
        &mut self,
        slab: &Slab,
        (renderer, out): (&mut R, &mut Vec<u8>),
        delivery: &Delivery<'_>,
        (format, waited): (RenditionFormat, Handle),
    ) -> bool {
        let at = self.of(format);
        let Self { formats, framed, scratch, .. } = self;
        let OfFormat { counts, newest, is_framed, .. } = &mut formats[at];
        if !std::mem::replace(is_framed, true) {
            framed.push(at);
        }
        let is_new = waited == Handle::NONE;
        if !is_new && let Some(kept) = slab.rendition(waited, format) {
            counts.shared += 1;
            renderer.framed(out, delivery, &kept);
            return false;
        }
        let made = if is_new { newest } else { scratch };
        let is_there = is_new && made.of == Some((delivery.topic.0, delivery.sequence));
        if is_there {
            counts.shared += 1;
        } else {
            counts.made += 1;
            made.make(renderer, format, &delivery.message());
        }
        renderer.framed(out, delivery, &made.get());
        !is_there
    }

    /// A conversion is wanted.
    pub(crate) fn want(&mut self, format: RenditionFormat, conversion: u32) {
        let at = self.of(format);
        let OfFormat { counts, wanted, .. } = &mut self.formats[at];
        counts.pending += 1;
        wanted.push_back(conversion);
        if wanted.len() == 1 {
            self.turns.push_back(at);
        }
    }

    /// The next conversion to make. Formats take turns, so that one which many want does not hold up others.
    pub(crate) fn next_wanted(&mut self) -> Option<u32> {
        let at = self.turns.pop_front()?;
        let wanted = &mut self.formats[at].wanted;
        let next = wanted.pop_front();
        if !wanted.is_empty() {
            self.turns.push_back(at);
        }
        next
    }

    /// A conversion was made, or could not be, or was not tried.
    pub(crate) fn end_pending(&mut self, format: RenditionFormat, made: Option<bool>) {
        let at = self.of(format);
        let counts = &mut self.formats[at].counts;
        counts.pending -= 1;
        counts.made += u64::from(made == Some(true));
        counts.failed += u64::from(made == Some(false));
    }

    /// A conversion was delivered.
    pub(crate) fn count_use(&mut self, format: RenditionFormat) {
        let at = self.of(format);
        self.formats[at].used += 1;
    }

    /// Messages may get the numbers of others.
    pub(crate) fn forget(&mut self) {
        self.framed.iter().for_each(|at| self.formats[*at].newest.of = None);
    }

    /// Gives back the memory of long ones.
    pub(crate) fn shrink(&mut self) {
        self.scratch.shrink();
        self.framed.iter().for_each(|at| self.formats[*at].newest.shrink());
    }
}

impl<R> Egress<R> {
    /// A rendition was made for a message that had waited: it is kept if others wait for the message.
    pub(crate) fn keep_rendition(&mut self, message: Handle, format: RenditionFormat) {
        if message != Handle::NONE && self.slab.is_shared(message) && self.may_keep_renditions() {
            self.slab.keep_rendition(message, format, &self.renditions.scratch.get());
        }
    }

    /// A rendition was made for a client that could take the newest message at once: it is kept if clients
    /// wait for the message that want one.
    pub(crate) fn keep_newest_rendition(&mut self, topic: u32, sequence: u64) {
        let newest = &self.newest;
        if newest.wants_rendition && (newest.topic, newest.sequence) == (topic, sequence) {
            let message = match newest.place {
                Place::Slab(message) => message,
                Place::Update(first) => self.matches.conflated[first].waiting,
                Place::Nowhere | Place::Queue(_) => Handle::NONE,
            };
            if message != Handle::NONE && self.slab.sequence(message) == sequence {
                self.take_newest_renditions(topic, sequence, message);
            }
        }
    }

    /// The newest message waits, in the slab, for a client that wants a rendition.
    pub(crate) fn wait_with_rendition(&mut self, topic: u32, sequence: u64, message: Handle) {
        self.newest.wants_rendition = true;
        self.take_newest_renditions(topic, sequence, message);
    }

    /// Keeps the renditions of the newest message that are there.
    fn take_newest_renditions(&mut self, topic: u32, sequence: u64, message: Handle) {
        if !self.may_keep_renditions() {
            return;
        }
        for at in &self.renditions.framed {
            let OfFormat { counts, newest, .. } = &self.renditions.formats[*at];
            if newest.of == Some((topic, sequence))
                && self.slab.rendition(message, counts.format).is_none()
            {
                self.slab.keep_rendition(message, counts.format, &newest.get());
            }
        }
    }

    fn may_keep_renditions(&self) -> bool {
        !self.ceiling.is_tight(self.slab.bytes())
    }
}

impl<R: Renderer> Router<R> {
    /// A subscription that wanted a conversion has ended: whose it was, and which conversion. Once for each.
    pub fn next_ended_rendition(&mut self) -> Option<(ClientId, RenditionFormat)> {
        self.egress.renditions.ended.pop()
    }

    /// Drops the renditions of formats that nobody wants any more, so that their numbers can mean something else. Returns
    /// those formats of which conversions are still under way: their numbers cannot yet. Goes through all renditions that
    /// are kept.
    pub fn forget_renditions(
        &mut self,
        is_gone: impl Fn(RenditionFormat) -> bool,
    ) -> Vec<RenditionFormat> {
        self.egress.slab.drop_renditions_in(&is_gone);
        let mut under_way = Vec::new();
        for it in self.egress.renditions.formats.iter_mut().filter(|it| is_gone(it.counts.format)) {
            match it.counts.pending {
                0 => it.wanted = VecDeque::new(),
                _ => under_way.push(it.counts.format),
            }
        }
        under_way
    }
}
