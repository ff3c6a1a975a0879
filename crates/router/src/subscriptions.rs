//! Subscriptions, and the routes from topics to them.

use std::num::NonZeroU32;

use crate::client::{ClientId, slow};
use crate::egress::{Turn, client_of};
use crate::filters::FilterId;
use crate::last_values::OWES;
use crate::matched::OWED;
use crate::message::{Renderer, RenditionFormat};
use crate::pool::{List, NONE};
use crate::rejection::Rejection;
use crate::retire::NewMatch;
use crate::router::{Router, Subscription, Topic};
use crate::topic::check_pattern;
use crate::topics::{InternError, TopicId};

/// The options of a subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionOptions {
    /// At most so many updates a second of each topic: a newer one replaces the waiting one.
    pub updates_per_second: Option<NonZeroU32>,
    /// Whether a newer update replaces the waiting one also without a cap, when the client cannot take
    /// more.
    pub conflate: bool,
    /// Whether the last value of each topic comes first, where it is kept.
    pub last_values: bool,
    /// The format that its messages are wanted in, instead of the one that the client's renderer wants.
    pub rendition: Option<RenditionFormat>,
    /// The filter that its messages have to pass ([`Router::next_decision`]).
    pub filter: Option<FilterId>,
}

/// Topics that are checked for one that can be forgotten, when another needs room.
const SWEEP: usize = 64;

/// Matches and subscriptions of a client that are ended at a time: others wait for it, some ten
/// microseconds.
pub(crate) const LEAVE: usize = 1_000;

impl<R: Renderer> Router<R> {
    /// The number of a topic. It is valid until it is released as often as it was interned.
    ///
    /// At the limit of topics, a topic is forgotten that nobody holds and for which nothing waits, or else
    /// one that only its last value holds. If it is published to again, its sequence restarts at 1.
    ///
    /// # Errors
    ///
    /// The name is not valid for a topic, or all topics are in use.
    pub fn intern(&mut self, _now: u64, name: &str) -> Result<TopicId, Rejection> {
        let topic = match self.names.intern(name) {
            Err(InternError::Full { .. })
                if self.sweep(|_, _| true) || self.forget_topic_with_value() =>
            {
                self.names.intern(name)
            }
            result => result,
        }?;
        self.topics.provide(topic.0);
        let at = &mut self.topics[topic.0];
        at.is_known = true;
        at.holds += 1;
        Ok(topic)
    }

    /// Takes back one [`Self::intern`].
    pub fn release(&mut self, now: u64, topic: TopicId) {
        let Some(at) = self.topics.get_mut(topic.0) else { return };
        at.holds = at.holds.saturating_sub(1);
        if at.is_known && at.holds == 0 && !at.is_candidate {
            at.is_candidate = true;
            self.candidates.push_back((now, topic));
        } else {
            at.was_held = true;
        }
    }

    /// Forgets an unused topic that `may` go, the one that has not been held for longest.
    fn sweep(&mut self, may: impl Fn(TopicId, &Topic) -> bool) -> bool {
        for _ in 0..SWEEP.min(self.candidates.len()) {
            let Some((since, topic)) = self.candidates.pop_front() else { return false };
            let at = &mut self.topics[topic.0];
            if at.holds > 0 {
                at.is_candidate = false;
            } else if may(topic, at)
                && at.route.iter().all(|matched| self.egress.matches.is_idle(*matched))
            {
                self.forget_topic(topic);
                return true;
            } else {
                self.candidates.push_back((since, topic));
            }
        }
        false
    }

    pub(crate) fn forget_topic(&mut self, topic: TopicId) {
        // The topic that gets its number begins its sequence again.
        self.egress.forget_newest();
        self.egress.renditions.forget();
        let route = std::mem::take(&mut self.topics[topic.0]).route;
        for matched in route {
            let subscription = self.egress.matches.matches[matched].subscription;
            let siblings = &mut self.subscriptions[subscription].matches;
            siblings.remove(&mut self.egress.matches.matches, matched);
            self.egress.retire_match(matched);
        }
        self.names.remove(topic);
    }

    /// A client subscribes to all topics that match a pattern, under a number that it chooses.
    ///
    /// The pattern is not valid, the client is gone or has a subscription of this number, or the limit of
    /// subscriptions is reached.
    ///
    /// The pattern is none, the client is gone or has a subscription of this number, or there are as
    /// many subscriptions as may be.
    pub fn subscribe(
        &mut self,
        _now: u64,
        client: ClientId,
        subscription: u32,
        pattern: &str,
        options: &SubscriptionOptions,
    ) -> Result<(), Rejection> {
        check_pattern(pattern).map_err(Rejection::Pattern)?;
        let limits = &self.egress.limits;
        let (all, each) = (limits.subscriptions, limits.subscriptions_per_client);
        let of_all = self.subscriptions.len();
        let at = self.egress.find(client).filter(|at| at.port.slow & slow::CLOSING == 0);
        let at = at.ok_or(Rejection::NoClient)?;
        if at.subscriptions.contains_key(&subscription) {
            return Err(Rejection::SubscriptionExists(subscription));
        }
        if at.subscriptions.len() >= each {
            return Err(Rejection::TooManySubscriptionsOfClient(each));
        }
        self.check_overlaps(client, pattern)?;
        if of_all >= all {
            return Err(Rejection::TooManySubscriptions(all));
        }
        let number = self.subscriptions.take();
        self.last_serial += 1;
        client_of(&mut self.egress.clients, client.index)
            .subscriptions
            .insert(subscription, number);
        self.subscriptions[number] = Subscription {
            client: client.index,
            number: subscription,
            pattern: pattern.into(),
            is_conflated: options.conflate || options.updates_per_second.is_some(),
            interval: options.updates_per_second.map_or(NONE, |updates| {
                self.egress.use_interval(1_000_000_000_u64.div_ceil(u64::from(updates.get())))
            }),
            rendition: options.rendition,
            filter: options.filter,
            matches: List::default(),
            serial: self.last_serial,
            is_rejected: false,
            is_walking: options.last_values,
            last_values: 0,
        };
        self.matcher.insert(pattern, number);
        self.add_to_routes(pattern, number);
        if options.last_values {
            self.begin_walk(number);
        }
        self.finish_closing();
        Ok(())
    }

    /// A new subscription comes into the routes. A pattern that is the name of a topic changes one
    /// route at most, and all others stay as they are.
    fn add_to_routes(&mut self, pattern: &str, subscription: u32) {
        if pattern.contains(['*', '>']) {
            self.epoch += 1;
            return;
        }
        let Some(topic) = self.names.find(pattern) else { return };
        let at = &mut self.topics[topic.0];
        if self.egress.matches.matches.len() >= self.egress.limits.matches {
            at.epoch = 0;
        } else if at.epoch == self.epoch {
            let place = self.place_in_route(topic, self.place_of(subscription));
            let matched = self.new_match(topic, subscription);
            self.topics[topic.0].route.insert(place, matched);
            self.mark_crowd(topic);
        }
    }

    pub(crate) fn new_match(&mut self, topic: TopicId, subscription: u32) -> u32 {
        let at = &mut self.subscriptions[subscription];
        let matched = self.egress.new_match(&NewMatch {
            client: at.client,
            number: at.number,
            topic: topic.0,
            subscription,
            is_conflated: at.is_conflated,
            interval: at.interval,
            rendition: at.rendition,
            filter: at.filter,
        });
        at.matches.push_back(&mut self.egress.matches.matches, matched);
        if at.is_walking && self.last_values.find(topic).is_some() {
            self.egress.matches.matches[matched].flags |= OWED;
            self.topics[topic.0].marks |= OWES;
        }
        matched
    }

    /// Where the match of a subscription is in a route, or would be.
    pub(crate) fn place_in_route(&self, topic: TopicId, place: (u32, u32)) -> usize {
        let matches = &self.egress.matches.matches;
        let route = &self.topics[topic.0].route;
        route
            .partition_point(|matched| (matches[*matched].client, matches[*matched].number) < place)
    }

    /// What routes are in the order of: the client, and its number for the subscription, so that a
    /// client with several gets each message in an order that depends on no other client.
    pub(crate) fn place_of(&self, subscription: u32) -> (u32, u32) {
        let at = &self.subscriptions[subscription];
        (at.client, at.number)
    }

    pub(crate) fn has_matches(&self, more: usize) -> bool {
        self.egress.matches.matches.len() + more <= self.egress.limits.matches
    }

    /// Makes the route of a topic: subscriptions that were not there get their matches. None has to go,
    /// since the matches of a subscription go with it.
    #[inline(never)]
    pub(crate) fn make_route(&mut self, now: u64, topic: TopicId) -> Result<(), Rejection> {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.work += self.matcher.matches(self.names.name(topic), &mut found) + found.len();
        if self.may_overlap(topic, found.len()) {
            self.reject_overlaps(topic, &mut found);
        }
        let more = found.len() - self.topics[topic.0].route.len();
        let limit = self.egress.limits.matches;
        let mut fits = self.has_matches(more);
        // Topics that are not in use give theirs.
        while !fits && self.sweep(|other, at| other != topic && !at.route.is_empty()) {
            fits = self.has_matches(more);
        }
        if fits && more > 0 {
            found.sort_unstable_by_key(|subscription| self.place_of(*subscription));
            let old = std::mem::take(&mut self.topics[topic.0].route);
            let mut old = old.into_iter().peekable();
            for subscription in &found {
                let is_there = |matched: &u32| {
                    self.egress.matches.matches[*matched].subscription == *subscription
                };
                let matched = match old.next_if(is_there) {
                    Some(matched) => matched,
                    None => self.new_match(topic, *subscription),
                };
                self.topics[topic.0].route.push(matched);
            }
            self.mark_crowd(topic);
        }
        self.found = found;
        if !fits {
            return Err(Rejection::TooManyMatches(limit));
        }
        self.topics[topic.0].epoch = self.epoch;
        self.settle_whether_kept(now, topic);
        Ok(())
    }

    /// A client ends a subscription. What waits for it is lost.
    ///
    /// # Errors
    ///
    /// The client is gone, or has no subscription of this number.
    pub fn unsubscribe(
        &mut self,
        now: u64,
        client: ClientId,
        subscription: u32,
    ) -> Result<(), Rejection> {
        let at = self.egress.find_mut(client).ok_or(Rejection::NoClient)?;
        let number = at.subscriptions.remove(&subscription);
        let number = number.ok_or(Rejection::NoSubscription(subscription))?;
        let mut budget = usize::MAX;
        self.end_subscription(number, &mut budget);
        // What waited behind it may have room now.
        self.egress.pump(&Turn { now, names: &self.names }, client.index);
        self.egress.wake_walks(client.index);
        Ok(())
    }

    /// Ends a subscription, or some of its matches: as many as the budget has. `false` if there are more.
    pub(crate) fn end_subscription(&mut self, subscription: u32, budget: &mut usize) -> bool {
        let place_of = self.place_of(subscription);
        loop {
            let matched = self.subscriptions[subscription].matches.head();
            if matched == NONE {
                break;
            }
            if *budget == 0 {
                return false;
            }
            *budget -= 1;
            let topic = TopicId(self.egress.matches.matches[matched].topic);
            let place = self.place_in_route(topic, place_of);
            let route = &mut self.topics[topic.0].route;
            route.remove(place);
            // The topic may be held for long; others come and go without it.
            if route.spilled() && route.capacity() > 4 * route.len() {
                route.shrink_to_fit();
            }
            let siblings = &mut self.subscriptions[subscription].matches;
            siblings.remove(&mut self.egress.matches.matches, matched);
            self.egress.retire_match(matched);
        }
        let at = std::mem::take(&mut self.subscriptions[subscription]);
        if let Some(filter) = at.filter {
            let client = client_of(&mut self.egress.clients, at.client).port.id;
            self.egress.filters.ended.push((client, filter));
        }
        if let Some(rendition) = at.rendition {
            let client = client_of(&mut self.egress.clients, at.client).port.id;
            self.egress.renditions.ended.push((client, rendition));
        }
        self.matcher.remove(&at.pattern, subscription);
        self.egress.leave_interval(at.interval);
        self.subscriptions.give(subscription);
        *budget = budget.saturating_sub(1);
        true
    }

    /// Ends the subscriptions of clients that are about to be disconnected.
    pub(crate) fn finish_closing(&mut self) {
        while let Some(client) = self.egress.closing.pop() {
            if self.egress.find(client).is_some() {
                self.leave(client.index);
            }
        }
    }

    /// Ends all subscriptions of a client, now or bit by bit.
    pub(crate) fn leave(&mut self, place: u32) {
        let Some(client) = &mut self.egress.clients[place as usize] else { return };
        let was_leaving = std::mem::replace(&mut client.is_leaving, true);
        let has_left = match was_leaving {
            true => !self.leaving.contains(&place),
            false => self.leave_for(place, LEAVE),
        };
        if has_left {
            self.finish_leaving(place);
        } else if !was_leaving {
            self.leaving.push_back(place);
        }
    }

    /// Ends subscriptions and matches of a client, as many as the budget has. `false` if there are more.
    fn leave_for(&mut self, place: u32, mut budget: usize) -> bool {
        loop {
            let Some(client) = &mut self.egress.clients[place as usize] else { return true };
            let Some((number, subscription)) = client.subscriptions.pop_first() else {
                return true;
            };
            if budget == 0 || !self.end_subscription(subscription, &mut budget) {
                if let Some(client) = &mut self.egress.clients[place as usize] {
                    client.subscriptions.insert(number, subscription);
                }
                return false;
            }
        }
    }

    /// A client has no subscriptions any more. If it is gone too, so is its place.
    fn finish_leaving(&mut self, place: u32) {
        let client = self.egress.clients[place as usize].as_ref();
        if client.is_some_and(|client| client.is_gone) {
            self.free_client(place);
        }
    }

    /// Ends some more subscriptions of clients that are leaving.
    pub(crate) fn go_on_leaving(&mut self) {
        if let Some(place) = self.leaving.pop_front() {
            if self.leave_for(place, LEAVE) {
                self.finish_leaving(place);
            } else {
                self.leaving.push_back(place);
            }
        }
    }
}
