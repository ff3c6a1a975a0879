//! Subscriptions of one client that match the same topic: their limit, and the rejection of others.
//!
//! The router cannot know before a message is published whether two patterns have a topic in common. So it
//! rejects a pattern at once if the client has it too often, and also a topic's name if the topic has a
//! route. Others it rejects when a message would go to them: the newest, and each as a whole. A
//! subscription that got only some of its topics would lose messages silently.
//!
//! What is below the limit may still be much: a message to a topic with hundreds of one client's
//! subscriptions is work for hundreds, which others wait for. So it counts for more: whoever publishes it has
//! done its share of a turn with one or two such messages.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::client::ClientId;
use crate::egress::{Turn, client_of};
use crate::message::Renderer;
use crate::rejection::Rejection;
use crate::router::Router;
use crate::subscriptions::LEAVE;
use crate::topics::TopicId;

/// A topic's mark: one of its clients may have more than a few matches.
pub(crate) const CROWDED: u8 = 4;

/// Matches of a client on a topic whose deliveries count as one each.
const FEW: usize = 16;

/// Deliveries that one to a further match counts as.
const GREEDY: usize = 256;

/// A subscription that is rejected after it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateRejection {
    /// Whose it was.
    pub client: ClientId,
    /// The client's number for it.
    pub subscription: u32,
    /// Why.
    pub rejection: Rejection,
}

/// Subscriptions that are rejected after they were made.
#[derive(Default)]
pub(crate) struct Overlaps {
    /// Subscriptions that end in small steps.
    ending: VecDeque<Ending>,
    /// Ended subscriptions that are not reported yet.
    ended: VecDeque<LateRejection>,
}

struct Ending {
    subscription: u32,
    /// Another subscription may have the number now, but not with this serial number.
    serial: u64,
    rejection: Rejection,
}

impl Overlaps {
    /// Whether there is nothing to do.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ending.is_empty() && self.ended.is_empty()
    }
}

impl<R: Renderer> Router<R> {
    /// The next subscription that ended because too many of its client's match a topic; the caller tells
    /// the client. [`Self::advance`] ends them, some at a time.
    pub fn next_late_rejection(&mut self) -> Option<LateRejection> {
        self.overlaps.ended.pop_front()
    }

    /// Rejects a subscription that already exceeds the limit.
    pub(crate) fn check_overlaps(&self, client: ClientId, pattern: &str) -> Result<(), Rejection> {
        let limit = self.egress.limits.overlaps_per_client;
        if self.has_too_often(client, pattern, limit) {
            return Err(Rejection::TooManyOverlaps(limit));
        }
        let topic = self.names.find(pattern);
        let topic = topic.filter(|topic| self.topics[topic.0].epoch == self.epoch);
        if topic.is_some_and(|topic| self.matches_in_route(topic, client.index) >= limit) {
            return Err(Rejection::TooManyOverlapsOnTopic { limit, topic: pattern.into() });
        }
        Ok(())
    }

    /// Whether a client has so many subscriptions of a pattern, besides rejected ones.
    fn has_too_often(&self, client: ClientId, pattern: &str, limit: usize) -> bool {
        let Some(own) = self.egress.find(client).map(|at| &at.subscriptions) else { return false };
        let same = self.matcher.same(pattern);
        if own.len() < limit || same.len() < limit {
            return false;
        }
        let counts = |number: &&u32| {
            let at = &self.subscriptions[**number];
            at.client == client.index && &*at.pattern == pattern && !at.is_rejected
        };
        let count = match own.len() < same.len() {
            true => own.values().filter(counts).count(),
            false => same.iter().filter(counts).count(),
        };
        count >= limit
    }

    /// The number of matches of a client in the route of a topic, besides those of rejected subscriptions.
    fn matches_in_route(&self, topic: TopicId, client: u32) -> usize {
        let (from, to) =
            (self.place_in_route(topic, (client, 0)), self.place_in_route(topic, (client + 1, 0)));
        let matches = self.topics[topic.0].route[from..to].iter();
        let of = matches.map(|matched| self.egress.matches.matches[*matched].subscription);
        of.filter(|subscription| !self.subscriptions[*subscription].is_rejected).count()
    }

    /// Matches on a topic beyond a few of each client.
    fn crowd(&self, topic: TopicId) -> usize {
        let (matches, route) = (&self.egress.matches.matches, &self.topics[topic.0].route);
        let of_one = |one: &u32, other: &u32| matches[*one].client == matches[*other].client;
        route.chunk_by(of_one).map(|own| own.len().saturating_sub(FEW)).sum()
    }

    /// Marks a topic whose route has grown, if it is crowded.
    pub(crate) fn mark_crowd(&mut self, topic: TopicId) {
        if self.topics[topic.0].route.len() > FEW && self.crowd(topic) > 0 {
            self.topics[topic.0].marks |= CROWDED;
        }
    }

    /// Counts a message to a crowded topic as more work.
    #[cold]
    pub(crate) fn count_crowd(&mut self, topic: TopicId) {
        let crowd = self.crowd(topic);
        self.work += GREEDY * crowd;
        if crowd == 0 {
            // They have left.
            self.topics[topic.0].marks &= !CROWDED;
        }
    }

    fn has_match(&self, topic: TopicId, subscription: u32) -> bool {
        let place = self.place_in_route(topic, self.place_of(subscription));
        let matched = self.topics[topic.0].route.get(place);
        matched.is_some_and(|matched| {
            self.egress.matches.matches[*matched].subscription == subscription
        })
    }

    /// Whether a client has more subscriptions than may match one topic.
    pub(crate) fn has_many(&self, client: u32) -> bool {
        let at = self.egress.clients[client as usize].as_ref();
        at.is_some_and(|at| at.subscriptions.len() > self.egress.limits.overlaps_per_client)
    }

    /// Whether some of the `found` subscriptions that match a topic may have to be rejected, or already are.
    /// Those with matches stay, so this happens only if the route grows.
    #[inline]
    pub(crate) fn may_overlap(&self, topic: TopicId, found: usize) -> bool {
        found > self.topics[topic.0].route.len()
            && (found > self.egress.limits.overlaps_per_client || !self.overlaps.ending.is_empty())
    }

    /// Keeps in `found`, the subscriptions that match a topic, the oldest of each client, up to the limit,
    /// and those that have a match; rejects the others. Rejected ones no longer count, and get no match.
    #[cold]
    pub(crate) fn reject_overlaps(&mut self, topic: TopicId, found: &mut Vec<u32>) {
        let limit = self.egress.limits.overlaps_per_client;
        let counts = |it: &&u32| {
            let at = &self.subscriptions[**it];
            !at.is_rejected && self.has_many(at.client)
        };
        let mut many: Vec<u32> = found.iter().filter(counts).copied().collect();
        many.sort_unstable_by_key(|it| {
            (self.subscriptions[*it].client, self.subscriptions[*it].serial)
        });
        let of_one = |one: &u32, other: &u32| {
            self.subscriptions[*one].client == self.subscriptions[*other].client
        };
        let beyond = many.chunk_by(of_one).flat_map(|own| own.iter().skip(limit));
        let rejected: Vec<u32> =
            beyond.filter(|it| !self.has_match(topic, **it)).copied().collect();
        let name: Arc<str> = self.names.name(topic).into();
        for subscription in rejected {
            let at = &mut self.subscriptions[subscription];
            at.is_rejected = true;
            let rejection = Rejection::TooManyOverlapsOnTopic { limit, topic: name.clone() };
            self.overlaps.ending.push_back(Ending { subscription, serial: at.serial, rejection });
        }
        found.retain(|it| !self.subscriptions[*it].is_rejected || self.has_match(topic, *it));
    }

    /// Rejects a subscription that was made.
    pub(crate) fn reject_later(&mut self, subscription: u32, rejection: Rejection) {
        let at = &mut self.subscriptions[subscription];
        if !std::mem::replace(&mut at.is_rejected, true) {
            self.overlaps.ending.push_back(Ending { subscription, serial: at.serial, rejection });
        }
    }

    /// Ends some of the rejected subscriptions.
    pub(crate) fn go_on_rejecting(&mut self, now: u64) {
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
                self.egress.wake_walks(index);
                if let Some(Ending { rejection, .. }) = self.overlaps.ending.pop_front() {
                    let late = LateRejection { client: id, subscription: number, rejection };
                    self.overlaps.ended.push_back(late);
                }
            } else {
                self.overlaps.ending.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::message::{Delivery, Gap, Renderer};
    use crate::router::Router;
    use crate::{ClientOptions, Envelope, Limits, Mode, SubscriptionOptions, TopicId};

    struct Nothing;

    impl Renderer for Nothing {
        fn topic(&mut self, _: &mut Vec<u8>, _: TopicId, _: &str) {}

        fn message(&mut self, _: &mut Vec<u8>, _: &Delivery<'_>) {}

        fn gap(&mut self, _: &mut Vec<u8>, _: &Gap<'_>) {}

        fn closing(&mut self, _: &mut Vec<u8>, _: &str) {}
    }

    #[test]
    fn subscribers_of_many_clients_are_not_compared_when_nothing_is_gained() {
        let mut router = Router::new(Limits { overlaps_per_client: 2, ..Limits::default() });
        let options = SubscriptionOptions::default();
        let topic = router.intern(0, "a").expect("room");
        let publish = |router: &mut Router<Nothing>| {
            let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"x" };
            router.publish(0, topic, &envelope).expect("it is taken")
        };
        for _ in 0..10 {
            let client = router.connect(0, ClientOptions::default(), Nothing).expect("room");
            router.subscribe(0, client, 1, "a", &options).expect("room");
        }
        assert!(router.may_overlap(topic, 10), "all are new");
        assert!((0..10).all(|client| !router.has_many(client)));
        assert_eq!(publish(&mut router), 10);
        let other = router.connect(0, ClientOptions::default(), Nothing).expect("room");
        for number in 0..3 {
            // The route is made again, and is what it was.
            router.subscribe(0, other, number, &format!("{number}/*"), &options).expect("room");
            assert!(!router.may_overlap(topic, 10));
            assert_eq!(publish(&mut router), 10);
        }
        assert!(router.may_overlap(topic, 11) && router.has_many(other.index));
    }
}
