//! Conflation: updates of a match replace one another while they wait, before they are rendered.
//!
//! An update waits until the interval since the match's last delivery is over, and then until the
//! client can take it, behind the other matches that wait for that. It keeps its place when a newer one
//! replaces it, so that all topics get their turn however often each is published.
//!
//! ```text
//!              update, and the client can take it: delivered
//!         +-----------------------------------------------------+
//!         |                                                     v
//!       idle <---- interval over, nothing waits -------------- cooling
//!         |                                                     |
//!         | update, and the client cannot                       | update
//!         v                                                     v
//!       ready <--- interval over, the client cannot ---------- cooling, one waits --+
//!         |  ^                                                  |        ^          | newer update:
//!         |  | newer update: the one that waited is elided      |        +----------+ the one that waited
//!         |  +---+                                              |                     is elided
//!         |      |                                              |
//!         +------+-- its turn, and the client can: delivered    +-- interval over, and the client can:
//!         +--------> cooling                                        delivered, cooling
//! ```
//!
//! Without an interval a match never cools: it is idle or ready.

use crate::client::slow;
use crate::deadlines::Timer;
use crate::delayed::{Before, has_to_wait};
use crate::egress::{
    Content, Egress, Place, Room, Source, Turn, client_of, emit, mark, settle_first, tell,
};
use crate::matched::{LAST_VALUE, Lost, Match};
use crate::message::{Conflation, Renderer};
use crate::pool::NONE;
use crate::slab::Handle;

/// If an interval ends late, by at most this part of itself, it counts as ended in time: a late timer does
/// not delay the next interval, and the delivered rate keeps up to the cap.
const FORGIVEN: u64 = 4;

/// Bytes that a waiting update counts for, besides its payload.
pub(crate) const WAITING_HEAD: usize = 40;

impl<R: Renderer> Egress<R> {
    /// Delivers a newly published update, or lets it wait.
    pub(crate) fn offer_update(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let most = self.update_mark();
        let Match { client: index, extra, topic, .. } = self.matches.matches[id];
        if self.matches.conflated[extra].waiting != Handle::NONE {
            return self.replace_update(turn, id, content);
        }
        let client = client_of(&mut self.clients, index);
        let is_delayed = client.port.slow & slow::DELAYED != 0 && self.matches.has_delayed(id);
        let conflated = &mut self.matches.conflated[extra];
        // Others that wait for credit come first.
        let may_go = !conflated.is_cooling
            && !is_delayed
            && client.port.can_take(turn.now, most)
            && client.ready.is_empty()
            && client.admits_update();
        if !may_go {
            return self.keep_update(turn, id, content);
        }
        let replaced = std::mem::take(&mut conflated.replaced);
        let published = content.published;
        let age = turn.now.saturating_sub(published);
        let conflation = Some(&Conflation { replaced, age, published });
        if let Some(credit) = &mut client.credit {
            credit.sent(turn.now);
        }
        let matched = &mut self.matches.matches[id];
        if has_to_wait(&client.port, matched, content.format) {
            self.delay_newest(turn, id, content, Some(replaced));
            self.cool(turn.now, turn.now, extra);
            return true;
        }
        let source =
            Source { renditions: &mut self.renditions, slab: &self.slab, waited: Handle::NONE };
        let content = &Content { conflation, ..*content };
        let made = emit(turn, source, &mut client.port, matched, content);
        mark(&mut client.port, &mut self.dirty);
        if made.is_some() {
            self.keep_newest_rendition(topic, content.sequence);
        }
        self.cool(turn.now, turn.now, extra);
        true
    }

    /// An update begins to wait.
    fn keep_update(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let Match { client: index, extra, topic, .. } = self.matches.matches[id];
        let bytes = WAITING_HEAD + content.payload.len();
        let room = self.make_room(turn, index, bytes, 0, NONE);
        if room != Room::Is {
            return self.discard_newest(turn, id, room, content.sequence);
        }
        let shared = self.shared(topic, content, Place::Update(extra));
        let waiting = shared.unwrap_or_else(|| self.slab.add(&content.kept()));
        self.matches.conflated[extra].waiting = waiting;
        self.matches.matches[id].queued += 1;
        if self.matches.matches[id].rendition().is_some() {
            self.wait_with_rendition(topic, content.sequence, waiting);
        }
        let client = client_of(&mut self.clients, index);
        // What was lost behind one that is delayed comes before this one.
        let back = self.matches.take_back(&mut client.gaps, id);
        self.matches.put_front(&mut client.gaps, id, back);
        client.waiting_bytes += bytes;
        client.waits += 1;
        if !self.matches.conflated[extra].is_cooling && !self.matches.has_delayed(id) {
            self.make_ready(extra);
        }
        self.pump(turn, index);
        true
    }

    /// An update replaces the waiting one.
    fn replace_update(&mut self, turn: &Turn<'_>, id: u32, content: &Content<'_>) -> bool {
        let Match { client: index, extra, topic, .. } = self.matches.matches[id];
        let waiting = self.matches.conflated[extra].waiting;
        let (old, new) = (self.slab.length(waiting), content.payload.len());
        let more = new.saturating_sub(old);
        // What others wait for too stays, and the new one takes memory beside it.
        let grows = if self.slab.is_shared(waiting) { WAITING_HEAD + new } else { more };
        let room = match self.room_in_memory(turn, index, grows, extra) {
            Room::Is => self.room_in_queue(turn, index, more, 0, extra),
            none => none,
        };
        if room != Room::Is {
            return self.discard_newest(turn, id, room, content.sequence);
        }
        let waiting = match self.shared(topic, content, Place::Update(extra)) {
            None => self.slab.replace(waiting, &content.kept()),
            Some(shared) => {
                self.slab.release(waiting);
                shared
            }
        };
        let conflated = &mut self.matches.conflated[extra];
        conflated.waiting = waiting;
        conflated.elided += 1;
        conflated.replaced += 1;
        let has_lost = conflated.losses != NONE;
        // A newer one than the last value, and the first that the client gets.
        self.matches.matches[id].flags &= !LAST_VALUE;
        if self.matches.matches[id].rendition().is_some() {
            self.wait_with_rendition(topic, content.sequence, waiting);
        }
        let client = client_of(&mut self.clients, index);
        client.elided += 1;
        client.waiting_bytes = client.waiting_bytes + new - old;
        // The losses after the replaced update come before this one.
        if has_lost {
            let back = self.matches.take_back(&mut client.gaps, id);
            self.matches.put_front(&mut client.gaps, id, back);
        }
        self.pump_behind(turn, index);
        true
    }

    /// The waiting update waits only for the client.
    pub(crate) fn make_ready(&mut self, extra: u32) {
        let conflated = &mut self.matches.conflated[extra];
        conflated.is_ready = true;
        let index = self.matches.matches[conflated.matched].client;
        let client = client_of(&mut self.clients, index);
        client.ready.push_back(&mut self.matches.conflated, extra);
    }

    /// Delivers the update that has waited longest for the client.
    pub(crate) fn deliver_next_update(&mut self, turn: &Turn<'_>, index: u32) {
        let extra = client_of(&mut self.clients, index).ready.head();
        if extra != NONE {
            self.deliver_update(turn, extra, turn.now);
        }
    }

    /// Delivers the waiting update, as if at `time`.
    fn deliver_update(&mut self, turn: &Turn<'_>, extra: u32, time: u64) {
        let conflated = &mut self.matches.conflated[extra];
        let id = conflated.matched;
        let waiting = conflated.waiting;
        let replaced = std::mem::take(&mut conflated.replaced);
        let client = client_of(&mut self.clients, self.matches.matches[id].client);
        let lost = self.matches.take_front(&mut client.gaps, id);
        let format = self.slab.get(waiting).format;
        if has_to_wait(&client.port, &self.matches.matches[id], format) {
            if let Some(credit) = &mut client.credit {
                credit.sent(turn.now);
            }
            self.slab.share(waiting);
            self.delay(turn, id, waiting, Before { lost, replaced: Some(replaced) });
            self.release_update(extra);
            return self.cool(turn.now, time, extra);
        }
        let matched = &mut self.matches.matches[id];
        tell(turn, &mut client.port, matched, (lost, &self.filters.reasons));
        let update = self.slab.get(waiting);
        let age = turn.now.saturating_sub(update.published);
        // A last value is old, and has not waited for that long.
        if matched.flags & LAST_VALUE == 0 {
            self.waits.record(age);
        }
        let content = Content {
            sequence: update.sequence,
            published: update.published,
            conflation: Some(&Conflation { replaced, age, published: update.published }),
            request: update.request.as_ref(),
            format: update.format,
            payload: update.payload,
        };
        if let Some(credit) = &mut client.credit {
            credit.sent(turn.now);
        }
        let source = Source { renditions: &mut self.renditions, slab: &self.slab, waited: waiting };
        let made = emit(turn, source, &mut client.port, matched, &content);
        mark(&mut client.port, &mut self.dirty);
        if let Some(format) = made {
            self.keep_rendition(waiting, format);
        }
        self.release_update(extra);
        self.cool(turn.now, time, extra);
    }

    /// Removes the waiting update, which is delivered or lost.
    pub(crate) fn release_update(&mut self, extra: u32) {
        let conflated = &mut self.matches.conflated[extra];
        let (id, waiting) = (conflated.matched, std::mem::take(&mut conflated.waiting));
        let was_ready = std::mem::take(&mut conflated.is_ready);
        let matched = &mut self.matches.matches[id];
        matched.queued -= 1;
        let client = client_of(&mut self.clients, matched.client);
        if was_ready {
            client.ready.remove(&mut self.matches.conflated, extra);
        }
        client.waiting_bytes -= WAITING_HEAD + self.slab.length(waiting);
        client.waits -= 1;
        self.slab.release(waiting);
        self.matches.settle(&mut client.gaps, id);
    }

    /// Drops the update that has waited longest for the client, unless it is that of `keep`.
    pub(crate) fn lose_oldest_update(&mut self, now: u64, index: u32, keep: u32) -> bool {
        let client = client_of(&mut self.clients, index);
        let mut extra = client.ready.head();
        if extra != NONE && extra == keep {
            extra = self.matches.conflated[extra].ready.next;
        }
        if extra == NONE {
            return false;
        }
        client.discarded += 1;
        let conflated = &self.matches.conflated[extra];
        let (id, waiting) = (conflated.matched, conflated.waiting);
        let matched = &mut self.matches.matches[id];
        settle_first(&mut client.port, matched);
        matched.discarded += 1;
        let lost = Lost::one(self.slab.sequence(waiting), now);
        // In front, before the losses after it.
        self.matches.put_front(&mut client.gaps, id, Some(lost));
        self.release_update(extra);
        self.settle(index);
        true
    }

    /// A match has delivered: its interval begins at `time`.
    fn cool(&mut self, now: u64, time: u64, extra: u32) {
        let conflated = &mut self.matches.conflated[extra];
        let interval = conflated.interval;
        if interval == NONE {
            return;
        }
        let at = &mut self.intervals[interval];
        conflated.is_cooling = true;
        conflated.was_late = time < now;
        conflated.due = time.saturating_add(at.nanoseconds);
        let list = &mut at.cooling[usize::from(conflated.was_late)];
        list.push_back(&mut self.matches.conflated, extra);
        self.arm_interval(interval);
    }

    /// The match whose interval ends next, and when.
    fn next_to_end(&self, interval: u32) -> Option<(u32, u64)> {
        let heads = self.intervals[interval].cooling.map(|list| list.head());
        let heads = heads.into_iter().filter(|extra| *extra != NONE);
        heads.map(|extra| (extra, self.matches.conflated[extra].due)).min_by_key(|(_, due)| *due)
    }

    fn arm_interval(&mut self, interval: u32) {
        if self.intervals[interval].armed.is_none()
            && let Some((_, due)) = self.next_to_end(interval)
        {
            self.intervals[interval].armed = Some(due);
            self.deadlines.set(due, Timer::Interval(interval));
        }
    }

    /// Matches whose interval is over deliver their waiting update, if the client can take it.
    pub(crate) fn end_intervals(&mut self, turn: &Turn<'_>, interval: u32) {
        let most = self.update_mark();
        while let Some((extra, due)) = self.next_to_end(interval)
            && due <= turn.now
        {
            self.stop_cooling(extra);
            let conflated = &self.matches.conflated[extra];
            if conflated.waiting == Handle::NONE {
                continue;
            }
            let index = self.matches.matches[conflated.matched].client;
            // It is next when that is delivered.
            if self.matches.has_delayed(conflated.matched) {
                continue;
            }
            let client = client_of(&mut self.clients, index);
            let may_go = client.port.slow & slow::CLOSING == 0
                && client.port.can_take(turn.now, most)
                && client.ready.is_empty()
                && client.admits_update();
            if may_go {
                let most = self.intervals[interval].nanoseconds / FORGIVEN;
                let time = if turn.now - due <= most { due } else { turn.now };
                self.deliver_update(turn, extra, time);
            } else {
                self.make_ready(extra);
            }
            self.pump(turn, index);
        }
        self.arm_interval(interval);
    }

    /// Removes a match from those whose interval is not over.
    pub(crate) fn stop_cooling(&mut self, extra: u32) {
        let conflated = &mut self.matches.conflated[extra];
        if std::mem::take(&mut conflated.is_cooling) {
            let (interval, list) = (conflated.interval, usize::from(conflated.was_late));
            self.intervals[interval].cooling[list].remove(&mut self.matches.conflated, extra);
        }
    }
}
