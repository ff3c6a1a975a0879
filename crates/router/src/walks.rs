//! Walks: what leads a new subscription to the last values of its topics, some at a time.
//!
//! No index leads from a pattern to topics, so a walk goes over all values. Where it finds one that the
//! subscription matches, it makes the match and offers the value to it, as its first message. A match that a
//! publish makes meanwhile is [`OWED`] the value, which it gets before the published message.
//!
//! ```text
//!   values   [ a ][ b ][   ][ c ][ d ][ e ] ...      a, b: offered, or their pattern is another
//!                             ^                      c: next
//!                           walk                     d: owed, if it was published to since SUBSCRIBE
//! ```
//!
//! A walk stops while its client cannot take more, and goes on when the client has read. The walks of a
//! client follow one another; the clients take turns.

use std::collections::VecDeque;

use crate::client::{Overflow, slow};
use crate::conflation::WAITING_HEAD;
use crate::egress::{Egress, Turn, client_of, mark};
use crate::last_values::OWES;
use crate::matched::OWED;
use crate::message::Renderer;
use crate::pattern::patterns_overlap;
use crate::rejection::Rejection;
use crate::router::Router;
use crate::topics::TopicId;

/// Steps of all walks in a turn: others wait for them, some ten microseconds.
const STEPS: usize = 500;
/// Steps of one client, until it is the next one's turn.
const SHARE: usize = 100;
/// Steps that an offered value takes, besides one for so many bytes.
const OFFER: usize = 4;
const BYTES: usize = 256;

/// Last values of a client that wait in its queue at most, while a walk goes on.
const WAITING: u32 = 16;

/// The way of a subscription over the values.
#[derive(Debug)]
struct Walk {
    subscription: u32,
    /// Of the subscription: another one may have its number now.
    serial: u64,
    next: u32,
    end: u32,
}

/// The walks of a client.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    walks: VecDeque<Walk>,
    /// Whether it is among the clients whose walks go on.
    is_listed: bool,
    /// Last values that may wait when they go on.
    most_waiting: u32,
}

/// How a step ended.
enum Step {
    /// It took so many steps.
    Taken(usize),
    /// The client has to read first, until at most so many last values wait.
    Waits(u32),
    /// The client has no more walks.
    Done,
}

impl<R> Egress<R> {
    /// The walks of a client may go on.
    pub(crate) fn wake_walks(&mut self, index: u32) {
        let client = client_of(&mut self.clients, index);
        if let Some(walks) = &mut client.walks
            && !walks.is_listed
            && client.port.last_values_waiting <= walks.most_waiting
        {
            walks.is_listed = true;
            self.walking.push_back(index);
        }
    }
}

impl<R: Renderer> Egress<R> {
    /// Whether a last value may be offered to a client: it goes at once, or few wait.
    fn may_offer(
        &mut self,
        turn: &Turn<'_>,
        index: u32,
        (is_conflated, is_filtered): (bool, bool),
        bytes: usize,
    ) -> bool {
        let most = self.update_mark();
        let client = client_of(&mut self.clients, index);
        let goes_at_once = !is_filtered
            && client.port.can_take(turn.now, most)
            && (!is_conflated || client.ready.is_empty() && client.admits_update());
        if goes_at_once {
            return true;
        }
        let (options, bytes) = (&client.options, bytes + WAITING_HEAD);
        let messages = usize::from(!is_conflated || is_filtered);
        let never = bytes > options.queue_bytes || messages > options.queue_messages;
        let fits = client.held() + bytes <= options.queue_bytes
            && client.in_queue() + messages <= options.queue_messages;
        let may = match client.port.last_values_waiting {
            // Where the oldest makes room there may never be any: one at a time has its turn.
            0 => !never && (fits || options.overflow == Overflow::DropOldest),
            waiting => fits && waiting < WAITING,
        };
        if !may {
            // If it has a pace, and nothing waits, that alone holds it up.
            self.arm_client(turn.now, index);
        }
        may
    }
}

impl<R: Renderer> Router<R> {
    /// A new subscription wants the last values of its topics.
    pub(crate) fn begin_walk(&mut self, subscription: u32) {
        let at = &self.subscriptions[subscription];
        let (index, serial) = (at.client, at.serial);
        let (next, end) = match at.pattern.contains(['*', '>']) {
            true => (0, self.last_values.end()),
            false => {
                let topic = self.names.find(&at.pattern);
                let value = topic.and_then(|topic| self.last_values.find(topic));
                value.map_or((0, 0), |value| (value, value + 1))
            }
        };
        let walks = &mut client_of(&mut self.egress.clients, index).walks;
        let walk = Walk { subscription, serial, next, end };
        walks
            .get_or_insert_with(|| Box::new(Walks { most_waiting: WAITING, ..Walks::default() }))
            .walks
            .push_back(walk);
        self.egress.wake_walks(index);
    }

    /// Goes on with some walks.
    pub(crate) fn go_on_walking(&mut self, now: u64) {
        let mut steps = STEPS;
        while steps > 0
            && let Some(index) = self.egress.walking.pop_front()
        {
            let mut share = SHARE.min(steps);
            let end = loop {
                let step = self.step(now, index);
                let taken = if let Step::Taken(taken) = step { taken } else { 1 };
                steps = steps.saturating_sub(taken);
                share = share.saturating_sub(taken);
                if share == 0 || !matches!(step, Step::Taken(_)) {
                    break step;
                }
            };
            match end {
                Step::Taken(_) => self.egress.walking.push_back(index),
                Step::Waits(most) => {
                    if let Some(walks) = self.walks_of(index) {
                        (walks.is_listed, walks.most_waiting) = (false, most);
                    }
                }
                Step::Done => {
                    if let Some(client) = &mut self.egress.clients[index as usize] {
                        client.walks = None;
                    }
                }
            }
            self.finish_closing();
        }
    }

    fn walks_of(&mut self, index: u32) -> Option<&mut Walks> {
        let client = self.egress.clients.get_mut(index as usize)?.as_mut()?;
        client.walks.as_deref_mut()
    }

    /// A step of a client's first walk.
    fn step(&mut self, now: u64, index: u32) -> Step {
        let client = self.egress.clients[index as usize].as_mut();
        let client = client.filter(|client| client.port.slow & slow::CLOSING == 0);
        let Some(client) = client else { return Step::Done };
        let Some(walks) = &mut client.walks else { return Step::Done };
        let Some(walk) = walks.walks.front_mut() else { return Step::Done };
        let at = self.subscriptions.get(walk.subscription);
        let at = at.filter(|at| at.serial == walk.serial && !at.is_rejected);
        let Some(at) = at else {
            // It has ended, or is about to.
            walks.walks.pop_front();
            return Step::Taken(1);
        };
        let (subscription, value) = (walk.subscription, walk.next);
        if value >= walk.end {
            return self.end_walk(index, subscription);
        }
        let topic = self.last_values.topic_of(value);
        let topic = topic.filter(|topic| patterns_overlap(&at.pattern, self.names.name(*topic)));
        let taken = match topic.map(|topic| self.offer_on_the_way(now, subscription, topic)) {
            None => 1,
            Some(Some(taken)) => taken,
            Some(None) => return Step::Waits(WAITING - 1),
        };
        let walk = self.walks_of(index).and_then(|walks| walks.walks.front_mut());
        if let Some(walk) = walk.filter(|walk| walk.subscription == subscription) {
            walk.next += 1;
        }
        Step::Taken(taken)
    }

    /// Offers the value of a topic, unless the match has had it. Returns how many steps that took; nothing
    /// if the client has to read first.
    fn offer_on_the_way(&mut self, now: u64, subscription: u32, topic: TopicId) -> Option<usize> {
        let at = &self.subscriptions[subscription];
        let (index, how) = (at.client, (at.is_conflated, at.filter.is_some()));
        let matched = self.match_of(topic, subscription);
        let is_owed = |matched: u32| self.egress.matches.matches[matched].flags & OWED != 0;
        // Of a route that is made, it is missing if the subscription is rejected.
        let is_missing = matched.is_none() && self.topics[topic.0].epoch != self.epoch;
        if !is_missing && !matched.is_some_and(is_owed) {
            return Some(1);
        }
        let bytes = self.last_values.get(topic)?.payload.len();
        let turn = Turn { now, names: &self.names };
        if !self.egress.may_offer(&turn, index, how, bytes) {
            return None;
        }
        match matched.map_or_else(|| self.match_on_the_way(now, topic, subscription), Ok) {
            Ok(matched) => self.offer_last_value(now, topic, matched),
            Err(None) => {}
            Err(Some(rejection)) => self.reject_later(subscription, rejection),
        }
        Some(OFFER + bytes / BYTES)
    }

    /// The match of a subscription in a route.
    fn match_of(&self, topic: TopicId, subscription: u32) -> Option<u32> {
        let place = self.place_in_route(topic, self.place_of(subscription));
        let matched = *self.topics[topic.0].route.get(place)?;
        let is_it = self.egress.matches.matches[matched].subscription == subscription;
        is_it.then_some(matched)
    }

    /// Makes the match of a subscription alone, since the whole route costs a step for each subscriber. `None`
    /// is the error if the subscription is rejected with others.
    fn match_on_the_way(
        &mut self,
        now: u64,
        topic: TopicId,
        subscription: u32,
    ) -> Result<u32, Option<Rejection>> {
        let client = self.subscriptions[subscription].client;
        if self.has_many(client) || !self.has_matches(1) {
            // Which of them may match the topic, and who gives matches, is settled with the route.
            self.make_route(now, topic).map_err(Some)?;
            return self.match_of(topic, subscription).ok_or(None);
        }
        let place = self.place_in_route(topic, self.place_of(subscription));
        let matched = self.new_match(topic, subscription);
        self.topics[topic.0].route.insert(place, matched);
        self.mark_crowd(topic);
        Ok(matched)
    }

    /// Offers the value of a topic to a match, as its first message.
    fn offer_last_value(&mut self, now: u64, topic: TopicId, matched: u32) {
        let at = &mut self.egress.matches.matches[matched];
        at.flags &= !OWED;
        let subscription = at.subscription;
        let Some(value) = self.last_values.get(topic) else { return };
        let turn = Turn { now, names: &self.names };
        self.egress.offer_last_value(&turn, matched, value);
        self.subscriptions[subscription].last_values += 1;
        self.last_values.offered += 1;
    }

    /// Before a message is published to a topic: offers the value of the topic to those who are owed it.
    #[cold]
    #[inline(never)]
    pub(crate) fn offer_owed_values(&mut self, now: u64, topic: TopicId) {
        self.topics[topic.0].marks &= !OWES;
        for place in 0..self.topics[topic.0].route.len() {
            let matched = self.topics[topic.0].route[place];
            if self.egress.matches.matches[matched].flags & OWED != 0 {
                self.offer_last_value(now, topic, matched);
            }
        }
    }

    /// All values were offered: tells the client, once none waits any more.
    fn end_walk(&mut self, index: u32, subscription: u32) -> Step {
        let most = self.egress.limits.output_bytes;
        let client = client_of(&mut self.egress.clients, index);
        if client.port.last_values_waiting > 0 || client.port.output.len() >= most {
            return Step::Waits(0);
        }
        let at = &mut self.subscriptions[subscription];
        at.is_walking = false;
        let port = &mut client.port;
        port.renderer.last_values(&mut port.output.bytes, at.number, at.last_values);
        mark(port, &mut self.egress.dirty);
        if let Some(walks) = &mut client.walks {
            walks.walks.pop_front();
        }
        Step::Taken(OFFER)
    }
}
