//! Returning unused memory.

use crate::message::Renderer;
use crate::router::Router;

/// A client without deliveries for so long gives back the memory of its buffers; nanoseconds.
const IDLE: u64 = 1_000_000_000;
/// Time between two checks of some of the clients.
const STEP: u64 = 10_000_000;
/// Checks that cover all clients.
const STEPS: usize = 100;
/// A topic that nobody has held for so long, and nobody subscribes to, is forgotten; nanoseconds.
pub(crate) const UNWANTED: u64 = 60_000_000_000;
/// Topics checked at a time.
const TOPICS: usize = 1 << 10;
/// Bytes of an output that are kept.
const KEPT: usize = 1 << 10;

impl<R> Router<R> {
    /// Checks some of the clients, so that all are checked once in a while.
    pub(crate) fn sweep_memory(&mut self, now: u64) {
        let (mut place, next) = self.sweep;
        if now < next || self.egress.clients.is_empty() {
            return;
        }
        let places = self.egress.clients.len();
        for _ in 0..places.div_ceil(STEPS) {
            place = (place + 1) % places as u32;
            self.sweep_client(now, place);
        }
        self.sweep = (place, now.saturating_add(STEP));
    }

    /// Whether there is unused memory, now or later.
    #[inline]
    pub(crate) fn has_unused(&self) -> bool {
        self.egress.matches.has_unused()
            || self.egress.slab.has_unused()
            || self.subscriptions.has_unused()
            || self.names.has_unused()
            || self.matcher.has_unused()
            || self.last_values.has_unused()
    }

    /// When there is memory to give back.
    #[inline]
    pub(crate) fn gives_back_at(&self) -> Option<u64> {
        let topics = self.candidates.front().map(|(since, _)| since.saturating_add(UNWANTED));
        let at = if self.has_unused() { Some(0) } else { topics };
        at.map(|at| at.max(self.shrink_at))
    }

    /// Gives back memory of ended clients in small steps, one structure at a time, and memory that has been
    /// unused for a while.
    pub(crate) fn give_back(&mut self, now: u64)
    where
        R: Renderer,
    {
        if self.gives_back_at().is_none_or(|at| now < at) {
            return;
        }
        let (topics, last_values) = (&mut self.topics, &mut self.last_values);
        let freed = |page| {
            topics.free(page);
            last_values.free_topics(page);
        };
        let has_more = self.egress.matches.shrink()
            || self.egress.slab.shrink()
            || self.subscriptions.shrink()
            || self.names.shrink(freed)
            || self.matcher.shrink()
            || self.last_values.shrink();
        let has_topics = self.forget_unwanted(now);
        let wait = if has_more || has_topics { STEP } else { IDLE };
        self.shrink_at = now.saturating_add(wait);
    }

    /// Forgets unwanted topics; returns whether there may be more.
    fn forget_unwanted(&mut self, now: u64) -> bool
    where
        R: Renderer,
    {
        for _ in 0..TOPICS {
            let Some((since, topic)) = self.candidates.front().copied() else { break };
            if now < since.saturating_add(UNWANTED) {
                break;
            }
            self.candidates.pop_front();
            let at = &mut self.topics[topic.0];
            if at.holds > 0 {
                at.is_candidate = false;
            } else if std::mem::take(&mut at.was_held) || !at.route.is_empty() {
                self.candidates.push_back((now, topic));
            } else {
                self.forget_topic(topic);
            }
        }
        let is_due = |(since, _): &(u64, _)| now >= since.saturating_add(UNWANTED);
        self.candidates.front().is_some_and(is_due)
    }

    fn sweep_client(&mut self, now: u64, place: u32) {
        let Some(client) = &mut self.egress.clients[place as usize] else { return };
        let (since, delivered) = client.swept_at;
        if client.port.delivered != delivered || client.port.output.len() > 0 {
            client.swept_at = (now, client.port.delivered);
        } else if now.saturating_sub(since) >= IDLE {
            if client.port.output.bytes.capacity() > KEPT {
                client.port.output.bytes = Vec::new();
            }
            client.queue.shrink(&mut self.egress.slab);
            self.egress.count_output(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::UNWANTED;
    use crate::blocks::{BLOCK, Blocks};
    use crate::client::Client;
    use crate::matched::{Conflated, Match};
    use crate::message::{Delivery, Gap, Renderer};
    use crate::router::{Router, Topic};
    use crate::{ClientOptions, Envelope, Limits, Mode, SubscriptionOptions, TopicId};

    struct Payloads;

    impl Renderer for Payloads {
        fn topic(&mut self, _: &mut Vec<u8>, _: TopicId, _: &str) {}

        fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>) {
            out.extend_from_slice(delivery.payload);
        }

        fn gap(&mut self, _: &mut Vec<u8>, _: &Gap<'_>) {}

        fn closing(&mut self, _: &mut Vec<u8>, _: &str) {}
    }

    #[test]
    fn what_there_are_many_of_is_small() {
        assert!(size_of::<Client<()>>() <= 512);
        assert_eq!((size_of::<Match>(), size_of::<Conflated>(), size_of::<Topic>()), (64, 64, 64));
    }

    #[test]
    fn an_idle_client_gives_its_buffers_back() {
        let mut router = Router::new(Limits::default());
        let client = router.connect(0, ClientOptions::default(), Payloads).expect("room");
        router.subscribe(0, client, 1, "a", &SubscriptionOptions::default()).expect("room");
        let topic = router.intern(0, "a").expect("room");
        let envelope =
            Envelope { mode: Mode::Direct, format: 0, request: None, payload: &[7; 2_000] };
        for _ in 0..1_000 {
            router.publish(0, topic, &envelope).expect("it is taken");
        }
        let held = |router: &Router<Payloads>| {
            let client = router.egress.find(client).expect("it is connected");
            client.port.output.bytes.capacity() + client.queue.capacity()
        };
        assert!(held(&router) > 1_000_000);
        while !router.output(client).is_empty() {
            router.sent(0, client, usize::MAX);
        }
        assert!(held(&router) > 64_000, "there may be more in a moment");
        for now in (0..300).map(|step| step * 10_000_000) {
            router.advance(now);
        }
        assert_eq!(held(&router), 0);
    }

    /// Lets so many nanoseconds pass, as a loop does that has nothing else to do.
    fn pass(router: &mut Router<Payloads>, now: &mut u64, time: u64) {
        let until = *now + time;
        while let Some(due) = router.next_deadline().filter(|due| *due <= until) {
            *now = due.max(*now + 1);
            router.advance(*now);
        }
        *now = until;
    }

    #[test]
    fn a_client_that_left_gives_back_what_its_topics_and_subscriptions_took() {
        let mut router = Router::new(Limits::default());
        let (mut now, topics) = (0, 50_000);
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"x" };
        let conflated = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
        let before = router.connect(now, ClientOptions::default(), Payloads).expect("room");
        router.subscribe(now, before, 1, "stays/*", &SubscriptionOptions::default()).expect("room");
        let greedy = router.connect(now, ClientOptions::default(), Payloads).expect("room");
        router.subscribe(now, greedy, 1, ">", &conflated).expect("room");
        let mut held = Vec::new();
        for number in 0..topics {
            let topic = router.intern(now, &format!("greedy/{number}")).expect("room");
            router.publish(now, topic, &envelope).expect("it is taken");
            held.push(topic);
        }
        // Somebody comes while all that is there.
        let stays = router.intern(now, "stays/there").expect("room");
        router.publish(now, stays, &envelope).expect("it is taken");
        let matches = |router: &Router<Payloads>| {
            let matches = &router.egress.matches;
            let waiting = router.egress.slab.capacity();
            (matches.matches.capacity(), matches.conflated.capacity(), waiting)
        };
        assert!(matches(&router).0 > topics && router.topics.capacity() > topics);
        held.into_iter().for_each(|topic| router.release(now, topic));
        router.disconnect(now, greedy);
        pass(&mut router, &mut now, 2 * UNWANTED);
        let (matches, conflated, waiting) = matches(&router);
        assert!(
            matches <= 2_048 && conflated == 0 && waiting == 0,
            "{matches} {conflated} {waiting}"
        );
        assert_eq!((router.names.len(), router.topics.capacity()), (1, 1_024));
        assert_eq!(router.topic_name(stays), "stays/there");
        router.publish(now, stays, &envelope).expect("it is taken");
        assert_eq!(router.output(before), b"xx");
        router.release(now, stays);
        router.disconnect(now, before);
        pass(&mut router, &mut now, 2 * UNWANTED);
        assert_eq!((router.names.len(), router.topics.capacity()), (0, 0));
        assert_eq!(router.next_deadline(), None, "there is nothing left to give back");
    }

    #[test]
    fn subscriptions_that_ended_give_back_what_their_patterns_took() {
        let mut router = Router::new(Limits::default());
        let (mut now, patterns) = (0, 50_000);
        let stays = router.connect(now, ClientOptions::default(), Payloads).expect("room");
        let leaves = router.connect(now, ClientOptions::default(), Payloads).expect("room");
        let options = SubscriptionOptions::default();
        for number in 0..patterns {
            // The second leads on by a prefix, the third by a whole level.
            let last = ["*", "b*", "c"][number as usize % 3];
            let pattern = format!("a/{number}/{last}");
            router.subscribe(now, leaves, number, &pattern, &options).expect("room");
        }
        router.subscribe(now, stays, 1, "b/*", &options).expect("room");
        assert!(router.matcher.capacity() > 2 * patterns as usize);
        router.disconnect(now, leaves);
        pass(&mut router, &mut now, UNWANTED);
        assert!(router.matcher.capacity() <= 2_048, "{}", router.matcher.capacity());
        assert_eq!(router.next_deadline(), None, "there is nothing left to give back");
        let topic = router.intern(now, "b/c").expect("room");
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"x" };
        assert_eq!(router.publish(now, topic, &envelope), Ok(1));
    }

    #[test]
    fn a_turn_gives_back_memory_of_one_structure() {
        let mut router = Router::new(Limits::default());
        let (mut now, topics) = (0, 100_000);
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"x" };
        let conflated = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
        let client = router.connect(now, ClientOptions::default(), Payloads).expect("room");
        router.subscribe(now, client, topics, ">", &conflated).expect("room");
        for number in 0..topics {
            let topic = router.intern(now, &format!("a/{number}")).expect("room");
            router.publish(now, topic, &envelope).expect("it is taken");
            router.release(now, topic);
            let options = SubscriptionOptions::default();
            router
                .subscribe(now, client, number, &format!("b/{number}/b*"), &options)
                .expect("room");
        }
        router.disconnect(now, client);
        let sizes = |router: &Router<Payloads>| {
            let matches = &router.egress.matches;
            let of_matches = [matches.matches.capacity(), matches.conflated.capacity()];
            let others = [
                router.subscriptions.capacity(),
                router.topics.capacity(),
                router.matcher.capacity(),
            ];
            [&of_matches[..], &others[..]].concat()
        };
        let (mut turns, most) = (0, sizes(&router));
        while let Some(due) = router.next_deadline() {
            let before = sizes(&router);
            now = due.max(now + 1);
            router.advance(now);
            let after = sizes(&router);
            let given = before.iter().zip(&after).filter(|(before, after)| after < before).count();
            assert!(given <= 1, "{before:?} {after:?}");
            turns += given;
        }
        assert!(most.iter().all(|size| *size > topics as usize / 2), "{most:?}");
        assert!(sizes(&router).iter().all(|size| *size <= 1_024) && turns > most.len());
    }

    #[test]
    fn a_topic_that_is_held_gives_back_what_its_subscribers_took() {
        let mut router = Router::new(Limits::default());
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"x" };
        let topic = router.intern(0, "held").expect("room");
        let many: Vec<_> = (0..1_000)
            .map(|_| {
                let client = router.connect(0, ClientOptions::default(), Payloads).expect("room");
                let options = SubscriptionOptions::default();
                router.subscribe(0, client, 1, "held", &options).expect("room");
                client
            })
            .collect();
        assert_eq!(router.publish(0, topic, &envelope), Ok(1_000));
        for (left, client) in (0..1_000).rev().zip(many) {
            if left % 2 == 0 {
                router.disconnect(0, client);
            } else {
                router.unsubscribe(0, client, 1).expect("it stands");
            }
            let route = &router.topics[topic.0].route;
            assert_eq!(route.len(), left);
            assert!(route.capacity() <= (4 * left).max(8), "{} for {left}", route.capacity());
        }
    }

    #[test]
    fn a_topic_that_somebody_wants_goes_on_counting() {
        let mut router = Router::new(Limits::default());
        let mut now = 0;
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"x" };
        let reader = router.connect(now, ClientOptions::default(), Payloads).expect("room");
        router.subscribe(now, reader, 1, "read", &SubscriptionOptions::default()).expect("room");
        // Published by somebody who holds nothing between, as browsers do.
        for _ in 0..10 {
            for name in ["read", "unread"] {
                let topic = router.intern(now, name).expect("room");
                router.publish(now, topic, &envelope).expect("it is taken");
                router.release(now, topic);
            }
            pass(&mut router, &mut now, UNWANTED / 2);
        }
        let sequence = |router: &Router<Payloads>, name: &str| {
            router.names.find(name).map(|topic| router.topics[topic.0].sequence)
        };
        assert_eq!((sequence(&router, "read"), sequence(&router, "unread")), (Some(10), Some(10)));
        pass(&mut router, &mut now, 3 * UNWANTED);
        assert_eq!((sequence(&router, "read"), sequence(&router, "unread")), (Some(10), None));
    }

    #[test]
    fn a_topic_that_is_held_again_is_kept() {
        let mut router = Router::new(Limits::default());
        let mut now = 0;
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"x" };
        let topic = router.intern(now, "held").expect("room");
        router.publish(now, topic, &envelope).expect("it is taken");
        router.release(now, topic);
        assert_eq!(router.intern(now, "held"), Ok(topic));
        pass(&mut router, &mut now, 3 * UNWANTED);
        assert_eq!((router.topic_name(topic), router.topics[topic.0].sequence), ("held", 1));
        router.release(now, topic);
        pass(&mut router, &mut now, 3 * UNWANTED);
        assert_eq!((router.names.len(), router.topic_name(topic)), (0, ""));
    }

    #[test]
    fn a_pace_that_nobody_has_any_more_takes_no_room() {
        let mut router = Router::new(Limits::default());
        let client = router.connect(0, ClientOptions::default(), Payloads).expect("room");
        let at_most = |updates| SubscriptionOptions {
            updates_per_second: std::num::NonZeroU32::new(updates),
            ..SubscriptionOptions::default()
        };
        for updates in 1..=2_000 {
            for id in [2 * updates, 2 * updates + 1] {
                router.subscribe(0, client, id, "a", &at_most(updates)).expect("room");
            }
            router.unsubscribe(0, client, 2 * updates).expect("it stands");
            assert_eq!(router.egress.interval_of.len(), 1, "one has it still");
            router.unsubscribe(0, client, 2 * updates + 1).expect("it stands");
        }
        assert_eq!(router.egress.interval_of.len(), 0);
        assert!(router.egress.intervals.capacity() <= 1_024);
    }

    #[test]
    fn every_idle_client_gives_its_buffers_back() {
        let mut router = Router::new(Limits::default());
        let clients = [(); 5].map(|()| {
            let client = router.connect(0, ClientOptions::default(), Payloads).expect("room");
            router.subscribe(0, client, 1, "a", &SubscriptionOptions::default()).expect("room");
            client
        });
        let topic = router.intern(0, "a").expect("room");
        let envelope =
            Envelope { mode: Mode::Direct, format: 0, request: None, payload: &[7; 10_000] };
        router.publish(0, topic, &envelope).expect("it is taken");
        clients.iter().for_each(|client| router.sent(0, *client, usize::MAX));
        for now in (0..300).map(|step| step * 10_000_000) {
            router.advance(now);
        }
        let held = clients.map(|client| {
            router.egress.find(client).expect("it is connected").port.output.bytes.capacity()
        });
        assert_eq!(held, [0; 5]);
    }

    #[test]
    fn a_topic_that_is_often_let_go_of_is_a_candidate_once() {
        let mut router: Router<Payloads> = Router::new(Limits::default());
        for now in 0..10_000 {
            let topic = router.intern(now, "a").expect("room");
            router.release(now, topic);
        }
        assert_eq!(router.candidates.len(), 1);
    }

    #[test]
    fn what_a_long_update_took_is_given_back_with_it() {
        let mut router = Router::new(Limits::default());
        let client = router.connect(0, ClientOptions::default(), Payloads).expect("room");
        let options = SubscriptionOptions {
            updates_per_second: std::num::NonZeroU32::new(10),
            conflate: true,
            ..SubscriptionOptions::default()
        };
        router.subscribe(0, client, 1, "a", &options).expect("room");
        let topic = router.intern(0, "a").expect("room");
        for payload in [&[7; 10][..], &[7; 1_000_000]] {
            let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload };
            router.publish(0, topic, &envelope).expect("it is taken");
        }
        let held = |router: &Router<Payloads>| router.view().memory().waiting;
        assert!(held(&router) >= 1_000_000);
        router.advance(1_000_000_000);
        assert_eq!(router.output(client).len(), 1_000_010);
        assert!(held(&router) < 200_000, "{}", held(&router));
    }

    /// A router with clients that do not read, of which each has a tenth of a topic's messages in its
    /// output, and the others wait.
    fn slow_clients(clients: u32, options: &SubscriptionOptions) -> Router<Payloads> {
        let mut router = Router::new(Limits { output_bytes: 1, ..Limits::default() });
        for _ in 0..clients {
            let client = router.connect(0, ClientOptions::default(), Payloads).expect("room");
            router.subscribe(0, client, 1, ">", options).expect("room");
        }
        for number in 0..50_000 {
            let topic = router.intern(0, &format!("a/{number}")).expect("room");
            let envelope =
                Envelope { mode: Mode::Direct, format: 0, request: None, payload: &[7; 1_000] };
            let taken = router.publish(0, topic, &envelope);
            assert_eq!(taken, Ok(clients as usize));
        }
        router
    }

    #[test]
    fn what_waits_for_several_clients_takes_memory_once() {
        let updates = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
        for options in [SubscriptionOptions::default(), updates] {
            let held = |clients| {
                let router = slow_clients(clients, &options);
                let totals = router.view().totals();
                assert!(totals.queued_bytes > clients as usize * 50_000_000);
                totals.memory.waiting
            };
            let (one, six) = (held(1), held(6));
            assert!((50_000_000..60_000_000).contains(&one), "{one}");
            // Handles of 16 bytes, and a record for each message.
            assert!((50_000_000..66_000_000).contains(&six), "{six}");
        }
    }

    #[test]
    fn what_waited_for_several_clients_goes_with_the_last_of_them() {
        let mut router = slow_clients(3, &SubscriptionOptions::default());
        let mut now = 0;
        let clients: Vec<_> = router.view().clients(0..3).map(|client| client.id).collect();
        let held = |router: &Router<Payloads>| router.view().memory().waiting;
        let most = held(&router);
        router.disconnect(now, clients[0]);
        pass(&mut router, &mut now, UNWANTED / 2);
        // One reads all that waits for it.
        while !router.output(clients[1]).is_empty() {
            router.sent(now, clients[1], usize::MAX);
        }
        assert_eq!(router.egress.slab.len(), 49_999, "all but the first wait for the last client");
        assert!(held(&router) > most - most / 10);
        router.disconnect(now, clients[2]);
        pass(&mut router, &mut now, UNWANTED / 2);
        assert_eq!(router.egress.slab.len(), 0);
        // Besides blocks for more, the one that has read keeps a segment until it has been idle for a while.
        assert!(held(&router) <= (Blocks::MOST + 1) * BLOCK, "{}", held(&router));
        assert!(!router.egress.slab.has_unused());
    }
}
