//! Memory that clients do not need any more goes back.

use crate::router::Router;

/// A client that was delivered nothing for so long gives back what its buffers hold, in nanoseconds.
const IDLE: u64 = 1_000_000_000;
/// Between two looks at some of the clients.
const STEP: u64 = 10_000_000;
/// Looks in which all clients are seen.
const STEPS: usize = 100;
/// Bytes of an output that are kept.
const KEPT: usize = 1 << 10;

impl<R> Router<R> {
    /// Looks at some of the clients, so that all are seen once in a while.
    pub(crate) fn look_at_memory(&mut self, now: u64) {
        let (mut place, next) = self.look;
        if now < next || self.egress.clients.is_empty() {
            return;
        }
        let places = self.egress.clients.len();
        for _ in 0..places.div_ceil(STEPS) {
            place = (place + 1) % places as u32;
            self.look_at_client(now, place);
        }
        self.look = (place, now.saturating_add(STEP));
    }

    fn look_at_client(&mut self, now: u64, place: u32) {
        let Some(client) = &mut self.egress.clients[place as usize] else { return };
        let (since, delivered) = client.looked_at;
        if client.port.delivered != delivered || client.port.output.len() > 0 {
            client.looked_at = (now, client.port.delivered);
        } else if now.saturating_sub(since) >= IDLE {
            if client.port.output.bytes.capacity() > KEPT {
                client.port.output.bytes = Vec::new();
            }
            client.queue.shrink();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::client::Client;
    use crate::lane::{Conflated, Lane};
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
        assert_eq!((size_of::<Lane>(), size_of::<Conflated>(), size_of::<Topic>()), (64, 64, 64));
    }

    #[test]
    fn an_idle_client_gives_its_buffers_back() {
        let mut router = Router::new(Limits::default());
        let client = router.connect(0, ClientOptions::default(), Payloads).expect("room");
        router.subscribe(0, client, 1, "a", &SubscriptionOptions::default()).expect("room");
        let topic = router.intern(0, "a").expect("room");
        let envelope =
            Envelope { mode: Mode::Direct, format: 0, request: None, payload: &[7; 10_000] };
        for _ in 0..100 {
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
}
