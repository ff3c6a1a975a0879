//! Subscriptions of one client that match the same topic: how many there may be, and what becomes of others.
//!
//! Whether patterns have a topic in common that somebody will publish to is not known before it is published to.
//! So a pattern that the client has too often is refused at once, and so is a topic's name where the topic's route
//! is there; others are refused when a message would go to them. The newest are, and each as a whole: a
//! subscription that gets some of its topics and not others would lose messages without a word.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::client::ClientId;
use crate::egress::{Turn, client_of};
use crate::message::Renderer;
use crate::pool::NONE;
use crate::refusal::Refusal;
use crate::router::Router;
use crate::subscriptions::LEAVE;
use crate::topics::TopicId;

/// A subscription that is refused after it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateRefusal {
    /// Whose it was.
    pub client: ClientId,
    /// The client's number of it.
    pub subscription: u32,
    /// Why.
    pub refusal: Refusal,
}

/// Subscriptions that are refused after they were made.
#[derive(Default)]
pub(crate) struct Overlaps {
    /// To be ended, bit by bit.
    ending: VecDeque<Ending>,
    /// Ended, and to be told.
    ended: VecDeque<LateRefusal>,
}

struct Ending {
    subscription: u32,
    /// The number may be another's by now, but not with this serial number.
    serial: u64,
    refusal: Refusal,
}

impl Overlaps {
    /// Whether nothing is to be done.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ending.is_empty() && self.ended.is_empty()
    }
}

impl<R: Renderer> Router<R> {
    /// The next subscription that was ended because more of its client's than may match a topic; the client is to
    /// be told. [`Self::advance`] ends them, some at a time.
    pub fn next_late_refusal(&mut self) -> Option<LateRefusal> {
        self.overlaps.ended.pop_front()
    }

    /// Refuses a subscription of which it is known now that it would be one too many.
    pub(crate) fn check_overlaps(&self, client: ClientId, pattern: &str) -> Result<(), Refusal> {
        let limit = self.egress.limits.overlaps_per_client;
        if self.has_too_often(client, pattern, limit) {
            return Err(Refusal::TooManyOverlaps(limit));
        }
        let topic = self.names.find(pattern);
        let topic = topic.filter(|topic| self.topics[topic.0].epoch == self.epoch);
        if topic.is_some_and(|topic| self.lanes_in_route(topic, client.index) >= limit) {
            return Err(Refusal::TooManyOverlapsOnTopic { limit, topic: pattern.into() });
        }
        Ok(())
    }

    /// Whether a client has so many subscriptions of a pattern.
    fn has_too_often(&self, client: ClientId, pattern: &str, limit: usize) -> bool {
        let Some(own) = self.egress.find(client).map(|at| &at.subscriptions) else { return false };
        let same = self.matcher.same(pattern);
        if own.len() < limit || same.len() < limit {
            return false;
        }
        let is_own = |number: &&u32| self.subscriptions[**number].client == client.index;
        let is_same = |number: &&u32| &*self.subscriptions[**number].pattern == pattern;
        let count = match own.len() < same.len() {
            true => own.values().filter(is_same).count(),
            false => same.iter().filter(is_own).count(),
        };
        count >= limit
    }

    /// How many lanes of a client are in the route of a topic.
    fn lanes_in_route(&self, topic: TopicId, client: u32) -> usize {
        self.place_in_route(topic, (client + 1, 0)) - self.place_in_route(topic, (client, 0))
    }

    fn has_lane(&self, topic: TopicId, subscription: u32) -> bool {
        let place = self.place_in_route(topic, self.place_of(subscription));
        let lane = self.topics[topic.0].route.get(place);
        lane.is_some_and(|lane| self.egress.lanes.lanes[*lane].subscription == subscription)
    }

    /// Leaves the oldest of each client in `found`, the subscriptions that match a topic, as many as may be and
    /// those that have a lane, and refuses the others.
    #[cold]
    pub(crate) fn refuse_overlaps(&mut self, topic: TopicId, found: &mut Vec<u32>) {
        let limit = self.egress.limits.overlaps_per_client;
        found.sort_unstable_by_key(|subscription| {
            let at = &self.subscriptions[*subscription];
            (at.client, at.serial)
        });
        let (mut client, mut count) = (NONE, 0);
        let mut name: Option<Arc<str>> = None;
        found.retain(|subscription| {
            let of = self.subscriptions[*subscription].client;
            if of != client {
                (client, count) = (of, 0);
            }
            count += 1;
            if count <= limit || self.has_lane(topic, *subscription) {
                return true;
            }
            let topic = name.get_or_insert_with(|| self.names.name(topic).into()).clone();
            let at = &mut self.subscriptions[*subscription];
            if !std::mem::replace(&mut at.is_refused, true) {
                let refusal = Refusal::TooManyOverlapsOnTopic { limit, topic };
                let (subscription, serial) = (*subscription, at.serial);
                self.overlaps.ending.push_back(Ending { subscription, serial, refusal });
            }
            false
        });
    }

    /// Ends some of the subscriptions that are refused.
    pub(crate) fn go_on_refusing(&mut self, now: u64) {
        let mut budget = LEAVE;
        while budget > 0
            && let Some(next) = self.overlaps.ending.front()
        {
            let subscription = next.subscription;
            // The client may have ended it meanwhile, or have left.
            let at = self.subscriptions.get(subscription).filter(|at| at.serial == next.serial);
            if let Some((index, number)) = at.map(|at| (at.client, at.number)) {
                if !self.end_subscription(subscription, &mut budget) {
                    return;
                }
                let client = client_of(&mut self.egress.clients, index);
                client.subscriptions.remove(&number);
                let id = client.port.id;
                // What waited behind it may have room now.
                self.egress.pump(&Turn { now, names: &self.names }, index);
                if let Some(Ending { refusal, .. }) = self.overlaps.ending.pop_front() {
                    let told = LateRefusal { client: id, subscription: number, refusal };
                    self.overlaps.ended.push_back(told);
                }
            } else {
                self.overlaps.ending.pop_front();
            }
        }
    }
}
