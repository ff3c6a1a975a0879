//! What a client is to see, as one number: of frames as the router writes them, and of events as the
//! client library hands them on.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use trunkline_client::Event;
use trunkline_native::{Conflation, RouterFrame};

/// A digest of a frame or an event; both give the same. It leaves out the names of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest(u64);

/// Something that a client saw.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) time: u64,
    pub(crate) seen: Digest,
    /// In words, if they are wanted.
    pub(crate) text: Option<String>,
}

impl Observation {
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.time, self.seen) == (other.time, other.seen)
    }
}

#[derive(Hash)]
enum Kind {
    Message,
    Gap,
    Rejected,
    Reply,
    Welcome,
    Subscribed,
    Unsubscribed,
    Pong,
    Closing,
    LastValues,
    Notice,
}

fn seen(kind: Kind, what: impl Hash) -> Digest {
    let mut hasher = DefaultHasher::new();
    kind.hash(&mut hasher);
    what.hash(&mut hasher);
    Digest(hasher.finish())
}

fn parts(conflation: Option<Conflation>) -> Option<(u64, u64)> {
    conflation.map(|it| (it.replaced, it.age))
}

/// What the client is to see of a frame; nothing if the library keeps it for itself. Messages and gaps
/// need the name of their topic.
pub(crate) fn of_frame(frame: &RouterFrame<'_>, name: &str) -> Option<Digest> {
    Some(match frame {
        RouterFrame::Topic(_) | RouterFrame::Ping(_) => return None,
        RouterFrame::Producing(_)
        | RouterFrame::Stored(_)
        | RouterFrame::Consuming(_)
        | RouterFrame::Delivery(_)
        | RouterFrame::Confirmed(_)
        | RouterFrame::Acknowledged(_)
        | RouterFrame::Clock(_)
        | RouterFrame::Lost(_) => return None,
        RouterFrame::Message(it) => seen(
            Kind::Message,
            (
                (it.subscription, name, it.sequence, parts(it.conflation)),
                (it.request.is_some(), it.last_value, it.format, it.payload),
            ),
        ),
        RouterFrame::Gap(it) => {
            seen(Kind::Gap, (it.subscription, name, it.count, it.first, it.last, it.age))
        }
        RouterFrame::Rejected(it) => {
            seen(Kind::Rejected, (it.of, it.code, it.offset, known_id(it), it.text))
        }
        RouterFrame::Reply(it) => seen(Kind::Reply, (it.correlation, it.format, it.payload)),
        RouterFrame::Welcome(it) => seen(Kind::Welcome, (it.frame_bytes, it.topics)),
        RouterFrame::Subscribed(number) => seen(Kind::Subscribed, number),
        RouterFrame::Unsubscribed(number) => seen(Kind::Unsubscribed, number),
        RouterFrame::Pong(token) => seen(Kind::Pong, token),
        RouterFrame::LastValues(it) => seen(Kind::LastValues, (it.subscription, it.count)),
        RouterFrame::Notice(it) => seen(Kind::Notice, (it.code, it.text)),
        RouterFrame::Closing(it) => seen(Kind::Closing, (it.code, it.text)),
    })
}

/// What the client saw.
pub(crate) fn of_event(event: &Event<'_>) -> Digest {
    match event {
        Event::Message(it) => seen(
            Kind::Message,
            (
                (it.subscription.number(), it.topic, it.sequence, parts(it.conflation)),
                (it.request.is_some(), it.last_value, it.format, it.payload),
            ),
        ),
        Event::Gap(it) => seen(
            Kind::Gap,
            (it.subscription.number(), it.topic, it.count, it.first, it.last, it.age),
        ),
        Event::Rejected(it) => {
            seen(Kind::Rejected, (it.of, it.code, it.offset, known_id(it), it.text))
        }
        Event::Reply(it) => seen(Kind::Reply, (it.correlation, it.format, it.payload)),
        Event::Welcome(it) => seen(Kind::Welcome, (it.frame_bytes, it.topics)),
        Event::Subscribed(it) => seen(Kind::Subscribed, it.number()),
        Event::Unsubscribed(it) => seen(Kind::Unsubscribed, it.number()),
        Event::Pong(token) => seen(Kind::Pong, token),
        Event::LastValues(it) => seen(Kind::LastValues, (it.subscription.number(), it.count)),
        Event::Notice(it) => seen(Kind::Notice, (it.code, it.text)),
        Event::Closing(it) => seen(Kind::Closing, (it.code, it.text)),
        _ => Digest(0),
    }
}

/// Whether an event is the answer to SUBSCRIBE.
pub(crate) fn answers_subscribe(event: &Event<'_>) -> bool {
    match event {
        Event::Subscribed(_) => true,
        Event::Rejected(rejected) => rejected.of == trunkline_native::kind::SUBSCRIBE,
        _ => false,
    }
}

/// The number that a rejection names. That of a REPLY is random: it comes from the request.
fn known_id(it: &trunkline_native::Rejected<'_>) -> u64 {
    if it.of == trunkline_native::kind::REPLY { 0 } else { it.id }
}
