//! The ceiling of memory: who gives way, and in which order.
//!
//! What waits may take what the ceiling leaves beside everything else. Towards its end:
//!
//! ```text
//!   0                                   5/8          6/8         7/8         8/8
//!   +------------------------------------+------------+-----------+-----------+
//!    everything waits as options say     |            |           |           |
//!                                        blocks that are kept for more are given back, and
//!                                        no more renditions are kept
//!                                                     renditions go, then last values; when
//!                                                     there are none, what has waited longest,
//!                                                     of clients above their share: so much
//!                                                     time a round
//!                                                                 clients above their share keep
//!                                                                 nothing more; nothing is stored,
//!                                                                 nobody is accepted
//!                                                                             nobody keeps more
//! ```
//!
//! The shares of all clients for which something waits are an eighth, so that a client within its share
//! loses nothing by what others do. Losses are told and counted like those of a full queue. A client that
//! would lose its newest keeps nothing more from 6/8 on, and loses its oldest from 7/8 on: what it has would
//! stay for ever otherwise.

use crate::blocks::Blocks;
use crate::client::{Client, Overflow};
use crate::egress::{Egress, Room, Turn, client_of};
use crate::limits::Limits;
use crate::message::Renderer;
use crate::pool::NONE;
use crate::router::{Router, Topic};

/// Clients looked at and messages dropped in a turn: others wait for it, some hundred microseconds.
const BUDGET: usize = 1_000;

/// Messages that a client above its share loses for one that it keeps.
const FOR_ONE: usize = 4;

/// Nanoseconds between two rounds when one has freed nothing.
const PAUSE: u64 = 10_000_000;

/// A part of the time for which the oldest has waited: what has waited for most of it goes in a round.
const ROUND: u64 = 8;

/// Bytes of last values that are dropped in a turn.
const LAST_VALUES: usize = 128 << 10;

/// What an output may hold however many clients there are.
const LEAST_OUTPUT: usize = 1 << 10;

/// How much memory what waits may take, and what it takes.
#[derive(Debug)]
pub(crate) struct Ceiling {
    /// Bytes for everything that waits.
    pub(crate) most: usize,
    /// Clients for which something waits.
    pub(crate) waiting: usize,
    /// Bytes of the outputs of all clients, as of when each was sent last.
    pub(crate) outputs: usize,
    /// Messages that were lost for want of memory.
    pub(crate) lost: u64,
    /// The round under way: the next client, the time until which messages go, the oldest that was left, and
    /// whether anything went.
    place: usize,
    horizon: u64,
    oldest: u64,
    has_freed: bool,
    /// When the next round may begin.
    pub(crate) next_at: u64,
}

impl Default for Ceiling {
    fn default() -> Self {
        Self {
            most: usize::MAX,
            waiting: 0,
            outputs: 0,
            lost: 0,
            place: 0,
            horizon: 0,
            oldest: u64::MAX,
            has_freed: false,
            next_at: 0,
        }
    }
}

impl Ceiling {
    /// So many eighths of what there is.
    fn eighths(&self, count: usize) -> usize {
        self.most / 8 * count
    }

    /// Blocks that are kept for more go.
    pub(crate) fn is_tight(&self, bytes: usize) -> bool {
        bytes >= self.eighths(5)
    }

    /// Last values go, and then what has waited longest.
    #[inline]
    pub(crate) fn is_short(&self, bytes: usize) -> bool {
        bytes >= self.eighths(6)
    }

    /// Nothing new is taken that can wait elsewhere.
    pub(crate) fn is_full(&self, bytes: usize) -> bool {
        bytes >= self.eighths(7)
    }

    /// Bytes that a client may hold whatever others do.
    fn share(&self) -> usize {
        self.eighths(1) / self.waiting.max(1)
    }
}

impl<R: Renderer> Egress<R> {
    /// There is little memory: whether a client may keep so many bytes more. One above its share loses
    /// what its options say, or the new message.
    #[cold]
    pub(crate) fn room_when_short(
        &mut self,
        turn: &Turn<'_>,
        index: u32,
        bytes: usize,
        keep: u32,
    ) -> Room {
        let client = client_of(&mut self.clients, index);
        let (overflow, held) = (client.options.overflow, client.held());
        let is_last = self.slab.bytes() > self.ceiling.most;
        let is_in_share = held + bytes <= self.ceiling.share();
        let gives_way = self.ceiling.is_full(self.slab.bytes()) || overflow == Overflow::DropNewest;
        if !is_last && (is_in_share || !gives_way) {
            return Room::Is;
        }
        if overflow == Overflow::DropOldest {
            for _ in 0..FOR_ONE {
                if !self.lose_for_memory(turn.now, index, keep) {
                    break;
                }
                if !self.ceiling.is_full(self.slab.bytes()) {
                    return Room::Is;
                }
            }
        }
        self.ceiling.lost += 1;
        let is_to_end = overflow == Overflow::Disconnect;
        if is_to_end { Room::CloseForMemory } else { Room::IsNot }
    }

    fn lose_for_memory(&mut self, now: u64, index: u32, keep: u32) -> bool {
        let before = client_of(&mut self.clients, index).discarded;
        let has_lost = self.lose_oldest(now, index, keep);
        // Records of ended matches are nobody's loss.
        self.ceiling.lost += client_of(&mut self.clients, index).discarded - before;
        has_lost
    }

    /// Drops some of what has waited longest, of clients above their share.
    pub(crate) fn relieve(&mut self, turn: &Turn<'_>) {
        let mut budget = BUDGET;
        while budget > 0 && self.ceiling.is_short(self.slab.bytes()) {
            if self.ceiling.place >= self.clients.len() {
                return self.end_round(turn.now);
            }
            budget -= 1;
            if self.relieve_client(turn, self.ceiling.place as u32, &mut budget) {
                self.ceiling.place += 1;
            }
        }
    }

    /// A round is over: the next takes more.
    fn end_round(&mut self, now: u64) {
        let ceiling = &mut self.ceiling;
        if !std::mem::take(&mut ceiling.has_freed)
            && (ceiling.horizon > 0 || ceiling.oldest == u64::MAX)
        {
            ceiling.next_at = now.saturating_add(PAUSE);
        }
        let waited = now.saturating_sub(ceiling.oldest);
        ceiling.horizon = match ceiling.oldest {
            // Nobody had anything to lose.
            u64::MAX => 0,
            oldest => oldest.saturating_add(waited / ROUND),
        };
        (ceiling.place, ceiling.oldest) = (0, u64::MAX);
    }

    /// Drops what a client above its share has from before the horizon. `false` if there is more.
    fn relieve_client(&mut self, turn: &Turn<'_>, index: u32, budget: &mut usize) -> bool {
        let share = self.ceiling.share();
        let mut has_lost = false;
        let is_done = loop {
            let Some(client) = &self.clients[index as usize] else { return true };
            if client.held() <= share || client.closing.is_some() || client.is_gone {
                break true;
            }
            let Some(oldest) = self.oldest_of(index) else { break true };
            let overflow = client.options.overflow;
            if overflow == Overflow::DropNewest && !self.ceiling.is_full(self.slab.bytes()) {
                break true;
            }
            if oldest > self.ceiling.horizon {
                self.ceiling.oldest = self.ceiling.oldest.min(oldest);
                break true;
            }
            if overflow == Overflow::Disconnect {
                self.close(index, SHORT_OF_MEMORY);
                self.ceiling.has_freed = true;
                break true;
            }
            if *budget == 0 {
                break false;
            }
            *budget -= 1;
            if !self.lose_for_memory(turn.now, index, NONE) {
                break true;
            }
            (has_lost, self.ceiling.has_freed) = (true, true);
        };
        if has_lost {
            self.pump(turn, index);
        }
        is_done
    }

    /// When the oldest was published of what a client may lose.
    fn oldest_of(&self, index: u32) -> Option<u64> {
        let client = self.clients[index as usize].as_ref()?;
        if let Some(front) = client.queue.front(&self.slab) {
            return Some(front.kept.published);
        }
        let ready = client.ready.head();
        (ready != NONE).then(|| self.slab.get(self.matches.conflated[ready].waiting).published)
    }
}

impl<R> Router<R> {
    /// Bytes of tables: topics with their routes, patterns, subscriptions, matches and clients, about.
    pub(crate) fn tables(&self) -> usize {
        let matches = &self.egress.matches;
        let topics = self.topics.capacity() * size_of::<Topic>() + self.names.bytes();
        let routes = matches.matches.len() * 2 * size_of::<u32>();
        let clients = self.egress.clients.capacity() * size_of::<Option<Client<R>>>();
        let patterns = self.subscriptions.bytes() + self.matcher.bytes();
        let conversions = self.egress.conversions.bytes() + self.egress.filters.bytes();
        topics + routes + matches.bytes() + patterns + clients + conversions
    }
}

impl<R: Renderer> Router<R> {
    /// Bytes that others take under the same ceiling, such as connections and a journal.
    pub fn set_memory_of_others(&mut self, bytes: usize) {
        self.of_others = bytes;
        self.measure();
    }

    /// Whether so little memory is left that nothing should be taken that can wait elsewhere.
    pub fn is_short_of_memory(&self) -> bool {
        self.egress.ceiling.is_full(self.egress.slab.bytes())
    }

    /// What waits may take what others leave. All outputs together are about a quarter at most.
    pub(crate) fn measure(&mut self) {
        let last_values = self.last_values.memory();
        let beside = self.of_others.saturating_add(self.tables()).saturating_add(last_values);
        let clients = self.clients();
        let egress = &mut self.egress;
        let beside = beside.saturating_add(egress.ceiling.outputs);
        let Limits { memory_bytes, output_bytes, .. } = egress.limits;
        egress.ceiling.most = memory_bytes.saturating_sub(beside);
        let part = memory_bytes / 4 / clients.max(1);
        egress.output_bytes = output_bytes.min(part.max(LEAST_OUTPUT));
        let is_tight = egress.ceiling.is_tight(egress.slab.bytes());
        egress.slab.blocks.keep(if is_tight { Blocks::LEAST } else { Blocks::MOST });
    }

    /// When something has to give way.
    #[inline]
    pub(crate) fn relieves_at(&self) -> Option<u64> {
        let ceiling = &self.egress.ceiling;
        let is_short = ceiling.is_short(self.egress.slab.bytes());
        is_short.then(|| ceiling.next_at.max(self.now.saturating_add(1)))
    }

    /// Sees to it that what waits stays below its part of the ceiling: last values give way first.
    pub(crate) fn relieve(&mut self, now: u64) {
        self.measure();
        if !self.egress.ceiling.is_short(self.egress.slab.bytes()) {
            return;
        }
        if self.egress.slab.drop_some_renditions(BUDGET) {
            return;
        }
        if self.drop_last_values(now, LAST_VALUES) > 0 {
            return self.measure();
        }
        if self.egress.ceiling.next_at <= now {
            self.egress.relieve(&Turn { now, names: &self.names });
            if !self.egress.closing.is_empty() {
                self.finish_closing();
            }
        }
    }
}

/// What a client is told that is disconnected for want of memory.
pub(crate) const SHORT_OF_MEMORY: &str =
    "the router is short of memory (limits.memory_bytes): the client reads too slowly";
