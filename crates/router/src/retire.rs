//! The creation and end of matches, and of their waiting messages.

use crate::egress::{Egress, client_of, settle_first};
use crate::filters::FilterId;
use crate::matched::{CONFLATED, CONVERTED, Conflated, Match, wanting};
use crate::message::{Renderer, RenditionFormat};
use crate::pool::{Links, NONE};
use crate::slab::Handle;
use crate::subscriptions::LEAVE;

/// The parts of a new match.
pub(crate) struct NewMatch {
    pub(crate) client: u32,
    pub(crate) number: u32,
    pub(crate) topic: u32,
    pub(crate) subscription: u32,
    pub(crate) is_conflated: bool,
    pub(crate) interval: u32,
    pub(crate) rendition: Option<RenditionFormat>,
    pub(crate) filter: Option<FilterId>,
}

impl<R: Renderer> Egress<R> {
    pub(crate) fn new_match(&mut self, new: &NewMatch) -> u32 {
        let id = self.matches.matches.take();
        let generation = self.matches.next_generation();
        let (mut flags, mut extra) = (0, NONE);
        if new.is_conflated {
            (flags, extra) = (CONFLATED, self.matches.conflated.take());
            self.matches.conflated[extra] = Conflated {
                matched: id,
                interval: new.interval,
                losses: NONE,
                waiting: Handle::NONE,
                ..Conflated::default()
            };
        }
        self.matches.matches[id] = Match {
            client: new.client,
            number: new.number,
            topic: new.topic,
            subscription: new.subscription,
            flags,
            extra,
            generation,
            siblings: Links::default(),
            ..Match::default()
        };
        let client = client_of(&mut self.clients, new.client);
        let renderer = &client.port.renderer;
        let wants = new.rendition.or_else(|| renderer.wants(new.number));
        let is_converted = wants.is_some_and(|it| renderer.converts_to(it).is_some());
        self.matches.matches[id].flags |= wanting(wants) | if is_converted { CONVERTED } else { 0 };
        client.matches += 1;
        if let Some(filter) = new.filter {
            self.matches.filter(id, filter);
        }
        let limit = self.limits.matches_per_client;
        if client.matches as usize > limit {
            let reason = format!(
                "the client has more than its limit of {limit} matches, which are pairs of \
                 subscription and topic (limits.matches_per_client)"
            );
            self.close(new.client, &reason);
        }
        id
    }

    /// Ends a match: its waiting messages are lost without a report. Its counters are added to the
    /// client's.
    pub(crate) fn retire_match(&mut self, id: u32) {
        // It may wait there.
        self.forget_newest();
        let undecided = self.forget_undecided(id);
        let matched = &mut self.matches.matches[id];
        let client = client_of(&mut self.clients, matched.client);
        settle_first(&mut client.port, matched);
        let waits = u64::from(matched.queued);
        let elsewhere = self.matches.delayed_messages(id) + undecided;
        let matched = &mut self.matches.matches[id];
        matched.discarded += waits;
        client.discarded += waits;
        if matched.is_conflated() {
            let extra = matched.extra;
            if self.matches.conflated[extra].waiting != Handle::NONE {
                self.release_update(extra);
            }
            self.stop_cooling(extra);
            self.matches.matches[id].queued = 0;
            let client = client_of(&mut self.clients, self.matches.matches[id].client);
            client.waits -= u64::from(elsewhere);
        } else {
            matched.queued = 0;
            client.waits -= waits;
            client.queued -= waits as usize - elsewhere as usize;
        }
        let index = self.matches.matches[id].client;
        let client = client_of(&mut self.clients, index);
        self.matches.forget_losses(&mut client.gaps, id);
        client.retired += self.matches.ledger(id);
        client.matches -= 1;
        self.matches.forget_counts(id);
        let generation = self.matches.next_generation();
        let matched = &mut self.matches.matches[id];
        matched.generation = generation;
        if matched.is_conflated() {
            self.matches.conflated.give(matched.extra);
        }
        self.matches.matches.give(id);
        self.forget_queue(index);
    }

    /// A queue whose matches have all ended can be emptied. What it shares goes in steps.
    fn forget_queue(&mut self, index: u32) {
        let client = client_of(&mut self.clients, index);
        if client.queued == 0 && !client.queue.is_empty() {
            let mut queue = std::mem::take(&mut client.queue);
            if !queue.drop_some(0, &mut self.slab) {
                self.dropped.push(queue);
            }
        }
        self.settle(index);
    }

    /// Drops some more of the records of ended matches.
    pub(crate) fn go_on_dropping(&mut self) {
        if let Some(queue) = self.dropped.last_mut()
            && queue.drop_some(LEAVE, &mut self.slab)
        {
            self.dropped.pop();
        }
    }

    /// A number for an interval between updates, valid while somebody uses it.
    pub(crate) fn use_interval(&mut self, nanoseconds: u64) -> u32 {
        let intervals = &mut self.intervals;
        let interval = *self.interval_of.entry(nanoseconds).or_insert_with(|| {
            let interval = intervals.take();
            intervals[interval].nanoseconds = nanoseconds;
            interval
        });
        intervals[interval].users += 1;
        interval
    }

    pub(crate) fn leave_interval(&mut self, interval: u32) {
        if interval == NONE {
            return;
        }
        let at = &mut self.intervals[interval];
        at.users -= 1;
        if at.users == 0 {
            self.interval_of.remove(&at.nanoseconds);
            at.armed = None;
            self.intervals.give(interval);
        }
    }
}
