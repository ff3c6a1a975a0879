//! How lanes, and what waits in them, come and go.

use crate::client::Client;
use crate::egress::{Egress, client_of};
use crate::lane::{CONFLATED, Conflated, Lane};
use crate::message::Renderer;
use crate::pool::{Links, NONE};

/// What a new lane is of.
pub(crate) struct NewLane {
    pub(crate) client: u32,
    pub(crate) number: u32,
    pub(crate) topic: u32,
    pub(crate) subscription: u32,
    pub(crate) is_conflated: bool,
    pub(crate) interval: u32,
}

impl<R: Renderer> Egress<R> {
    pub(crate) fn new_lane(&mut self, new: &NewLane) -> u32 {
        let id = self.lanes.lanes.take();
        let generation = self.lanes.next_generation();
        let (mut flags, mut extra) = (0, NONE);
        if new.is_conflated {
            (flags, extra) = (CONFLATED, self.lanes.conflated.take());
            self.lanes.conflated[extra] = Conflated {
                lane: id,
                interval: new.interval,
                losses: NONE,
                waiting: NONE,
                ..Conflated::default()
            };
        }
        self.lanes.lanes[id] = Lane {
            client: new.client,
            number: new.number,
            topic: new.topic,
            subscription: new.subscription,
            flags,
            extra,
            generation,
            siblings: Links::default(),
            ..Lane::default()
        };
        let client = client_of(&mut self.clients, new.client);
        client.lanes += 1;
        let limit = self.limits.lanes_per_client;
        if client.lanes > limit {
            let reason = format!(
                "the client has more than its limit of {limit} lanes, which are pairs of \
                 subscription and topic (limits.lanes_per_client)"
            );
            self.close(new.client, &reason);
        }
        id
    }

    /// Ends a lane: what waits in it is lost, and nobody is told. Its counters go to the client's.
    pub(crate) fn retire_lane(&mut self, id: u32) {
        let lane = &mut self.lanes.lanes[id];
        let client = client_of(&mut self.clients, lane.client);
        let waits = u64::from(lane.queued);
        lane.discarded += waits;
        client.discarded += waits;
        if lane.is_conflated() {
            let extra = lane.extra;
            if self.lanes.conflated[extra].waiting != NONE {
                self.release_update(extra);
            }
            self.stop_cooling(extra);
        } else {
            lane.queued = 0;
            client.waits -= waits;
            client.queued -= waits as usize;
        }
        let lane = &self.lanes.lanes[id];
        let client = client_of(&mut self.clients, lane.client);
        self.lanes.forget_losses(&mut client.gaps, id);
        client.retired += self.lanes.ledger(id);
        client.lanes -= 1;
        let generation = self.lanes.next_generation();
        let lane = &mut self.lanes.lanes[id];
        lane.generation = generation;
        if lane.is_conflated() {
            self.lanes.conflated.give(lane.extra);
        }
        self.lanes.lanes.give(id);
        forget_queue(client);
    }

    /// A number for an interval between updates, which it keeps while somebody uses it.
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

/// A queue whose lanes are all gone has nothing to say.
fn forget_queue<R>(client: &mut Client<R>) {
    if client.queued == 0 && !client.queue.is_empty() {
        client.queue.clear();
    }
    client.settle();
}
