//! What WebSocket clients share of a message: its JSON without what differs by client, and a payload's own frame.
//!
//! ```text
//!   {"message":{"subscription":2,  "topic":"fx/EURUSD","sequence":7  ,"replaced":3,...  ,"payload":"1.08"}}  [frame]
//!    by client                     first part                        by client          second part          third
//! ```

use serde::Serialize;
use trunkline_router::{Delivery, Message, Rendition, Requester};

use super::writer::{carried, follow, is_opaque, named, text};
use super::{Carried, ReplyTo, Writer};

/// What comes last in the object of a message; see [`super::Message`].
#[derive(Serialize)]
struct Rest<'a> {
    #[serde(skip_serializing_if = "is_opaque", serialize_with = "named")]
    format: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<ReplyTo>,
    #[serde(flatten)]
    payload: Carried<'a>,
}

/// Adds a value. Writing to a Vec does not fail, nor do these types.
fn json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let _ = serde_json::to_writer(out, value);
}

pub(super) fn reply_to(request: &Requester) -> ReplyTo {
    ReplyTo { client: request.client.as_u64(), correlation: request.correlation }
}

/// Makes the rendition of a message. Returns where its first two parts end.
pub(crate) fn render(out: &mut Vec<u8>, it: &Message<'_>) -> [usize; 2] {
    out.extend_from_slice(br#""topic":"#);
    json(out, it.name());
    out.extend_from_slice(br#","sequence":"#);
    json(out, &it.sequence);
    let first = out.len();
    let payload = carried(it.payload);
    json(out, &Rest { format: it.format, reply_to: it.request.map(reply_to), payload });
    // It continues the object that the first part is in, and ends the one around it.
    out[first] = b',';
    out.push(b'}');
    let second = out.len();
    follow(out, payload, it.payload);
    [first, second]
}

/// What differs by client of a message that was replaced, or is old.
#[derive(Clone, Copy, Default)]
pub(super) struct Ages {
    pub(super) replaced: Option<u64>,
    pub(super) is_last_value: bool,
    pub(super) age: Option<u64>,
    pub(super) published: Option<u64>,
}

impl Ages {
    /// Those of a delivery, with the time of publishing if the client wants it.
    pub(super) fn of(it: &Delivery<'_>, times: bool) -> Self {
        let age = it.conflation.map(|it| (it.age, it.published));
        let age = age.or(it.last_value.map(|it| (it.age, it.published)));
        Self {
            replaced: it.conflation.map(|conflation| conflation.replaced),
            is_last_value: it.last_value.is_some(),
            age: age.map(|(age, _)| age),
            published: age.filter(|_| times).map(|(_, published)| published),
        }
    }
}

impl Writer {
    /// Adds a message of a subscription, framed from its rendition.
    pub(super) fn framed(
        &mut self,
        out: &mut Vec<u8>,
        (subscription, ages): (u32, Ages),
        rendition: &Rendition<'_>,
    ) {
        let [first, second, third] = rendition.parts();
        self.text.clear();
        self.text.extend_from_slice(br#"{"message":{"subscription":"#);
        json(&mut self.text, &subscription);
        self.text.push(b',');
        let begin = self.text.len();
        for (key, value) in [
            (&br#","replaced":"#[..], ages.replaced),
            (br#","last_value":true,"age_ns":"#, ages.age.filter(|_| ages.is_last_value)),
            (br#","age_ns":"#, ages.age.filter(|_| !ages.is_last_value)),
            (br#","published_ns":"#, ages.published),
        ] {
            if let Some(value) = value {
                self.text.extend_from_slice(key);
                json(&mut self.text, &value);
            }
        }
        let (begin, middle) = self.text.split_at(begin);
        text(out, &[begin, first, middle, second]);
        out.extend_from_slice(third);
    }
}

#[cfg(test)]
mod tests {
    use trunkline_router::{
        ClientId, ClientOptions, Envelope, Gap, Limits, Mode, Renderer, RenditionFormat, Router,
        SubscriptionOptions, TopicId,
    };

    use super::super::tests::Random;
    use super::super::{WebSocketRenderer, Welcome};
    use super::*;
    use crate::router::SessionRenderer;

    /// Renders each message in both ways: from its rendition, and for the client alone.
    struct Twins {
        shared: WebSocketRenderer,
        alone: WebSocketRenderer,
        framed: usize,
    }

    impl Twins {
        fn new(times: bool) -> Self {
            let welcome = Welcome {
                version: 1,
                name: "",
                frame_bytes: 0,
                subscriptions: 0,
                credit: false,
                times,
                notices: false,
            };
            let [shared, alone] = [(); 2].map(|()| {
                let mut renderer = WebSocketRenderer::default();
                renderer.open(&mut Vec::new(), "", &welcome);
                renderer
            });
            Self { shared, alone, framed: 0 }
        }
    }

    impl Renderer for Twins {
        fn topic(&mut self, _: &mut Vec<u8>, _: TopicId, _: &str) {}

        fn message(&mut self, _: &mut Vec<u8>, _: &Delivery<'_>) {
            unreachable!("each is framed");
        }

        fn wants(&self, _: u32) -> Option<RenditionFormat> {
            self.shared.wants()
        }

        fn rendition(&self, out: &mut Vec<u8>, _: RenditionFormat, it: &Message<'_>) -> [usize; 2] {
            render(out, it)
        }

        fn framed(&mut self, out: &mut Vec<u8>, it: &Delivery<'_>, rendition: &Rendition<'_>) {
            let mut alone = Vec::new();
            self.alone.message(&mut alone, it);
            let before = out.len();
            self.shared.framed(out, it, rendition);
            let text = String::from_utf8_lossy(&alone);
            assert_eq!(out[before..], alone, "{text}");
            self.framed += 1;
        }

        fn gap(&mut self, _: &mut Vec<u8>, _: &Gap<'_>) {}

        fn closing(&mut self, _: &mut Vec<u8>, _: &str) {}
    }

    /// A payload that is a text or none, short or longer than the lengths that a frame's head changes at.
    fn payload(random: &mut Random) -> Vec<u8> {
        let most = [4, 200, 70_000][random.below(3)];
        let length = random.below(most);
        match random.below(3) {
            0 => (0..length).map(|_| random.below(256) as u8).collect(),
            1 => (0..length).map(|_| random.below(128) as u8).collect(),
            _ => "\"é\\\u{1F600}/".chars().cycle().take(length).collect::<String>().into_bytes(),
        }
    }

    fn connect(router: &mut Router<Twins>, random: &mut Random) -> ClientId {
        let renderer = Twins::new(random.below(2) == 0);
        let client = router.connect(0, ClientOptions::default(), renderer).expect("room");
        for number in 0..1 + random.below(3) as u32 {
            let options = SubscriptionOptions {
                conflate: random.below(2) == 0,
                last_values: random.below(2) == 0,
                ..SubscriptionOptions::default()
            };
            let pattern = [">", "a/*", "b\"é"][random.below(3)];
            let number = number * 1_000_000_007;
            router.subscribe(0, client, number, pattern, &options).expect("room");
        }
        client
    }

    #[test]
    fn a_message_is_the_same_whether_its_json_is_shared_or_not() {
        let mut random = Random(0x5eed);
        let mut router = Router::new(Limits { output_bytes: 1_000, ..Limits::default() });
        router.keep_last_values([">"]);
        let (mut clients, mut now, mut framed) = (Vec::new(), 0, 0);
        for step in 0..4_000 {
            now += random.below(1_000_000_000) as u64;
            if step % 100 == 0 {
                clients.push(connect(&mut router, &mut random));
                if clients.len() > 8 {
                    let first = clients.remove(0);
                    framed += router.renderer(first).expect("it is there").framed;
                    router.disconnect(now, first);
                }
            }
            let name = ["a", "a/b", "a/\\", "b\"é"][random.below(4)];
            let topic = router.intern(now, name).expect("room");
            let requester = clients[random.below(clients.len())];
            let correlation = random.below(1_000) as u64;
            let is_request = random.below(5) == 0;
            let request = is_request.then_some(Requester { client: requester, correlation });
            let format = [0, 1, 2, 40_000][random.below(4)];
            let payload = payload(&mut random);
            let envelope = Envelope { mode: Mode::Direct, format, request, payload: &payload };
            router.publish(now, topic, &envelope).expect("it is taken");
            router.release(now, topic);
            router.advance(now);
            let reads = clients[random.below(clients.len())];
            router.sent(now, reads, usize::MAX);
        }
        for client in clients {
            while !router.output(client).is_empty() {
                router.sent(now, client, usize::MAX);
            }
            framed += router.renderer(client).expect("it is there").framed;
        }
        let counts = router.view().renditions().next().expect("JSON");
        assert!(counts.made > 4_000 / 2 && counts.shared > counts.made, "{counts:?}");
        assert!(framed as u64 >= (counts.made + counts.shared) / 2, "{framed}");
    }
}
