//! The native protocol: frames of a client become calls, deliveries become frames.

mod aliases;
mod guaranteed;

use trunkline_native as native;
use trunkline_native::{ClientFrame, Hello, Refused, code, kind};
use trunkline_router::{Delivery, Gap, Overflow, SubscriptionOptions, TopicId};
use trunkline_store::LossReason;

use super::desk::{Asked, Denied, Desk};
use aliases::Aliases;
use guaranteed::Producing;

/// Reads the frames of one client.
#[derive(Debug, Default)]
pub struct NativeSession {
    aliases: Aliases,
    producing: Producing,
}

impl NativeSession {
    /// Handles the whole frames in `bytes`, and says how many bytes those were.
    pub(crate) fn received(&mut self, desk: &mut Desk<'_>, bytes: &[u8]) -> usize {
        let limit = desk.frame_bytes();
        let mut used = 0;
        if !desk.is_greeted() {
            used = self.greeting(desk, bytes);
        }
        while desk.is_open() && desk.is_greeted() {
            let rest = &bytes[used..];
            if let Some((publish, length)) = native::decode_publish(rest, limit) {
                used += length;
                self.publish(desk, &publish);
                continue;
            }
            if let Some((store, length)) = native::decode_store(rest, limit) {
                if !self.store(desk, &store) {
                    break;
                }
                used += length;
                continue;
            }
            match native::decode_client(rest, limit) {
                Ok(None) => break,
                Ok(Some((frame, length))) => {
                    if !self.frame(desk, &frame) {
                        break;
                    }
                    used += length;
                }
                Err(error) => desk.close(code::BAD_FRAME, &error.to_string()),
            }
        }
        // What a client says that is told to go is not read.
        if desk.is_open() { used } else { bytes.len() }
    }

    fn greeting(&mut self, desk: &mut Desk<'_>, bytes: &[u8]) -> usize {
        match native::decode_hello(bytes) {
            Ok(None) => 0,
            Ok(Some((hello, length))) => {
                greet(desk, &hello);
                length
            }
            Err(error) => {
                desk.close(code::NO_HELLO, &error.to_string());
                0
            }
        }
    }

    /// Handles a frame; false if it is to come again, when there is room for it.
    fn frame(&mut self, desk: &mut Desk<'_>, frame: &ClientFrame<'_>) -> bool {
        match *frame {
            ClientFrame::Producer(it) => return self.producer(desk, it.name),
            ClientFrame::Store(it) => return self.store(desk, &it),
            ClientFrame::Consume(it) => return guaranteed::consume(desk, &it),
            ClientFrame::Acknowledge(it) => return guaranteed::acknowledge(desk, &it),
            ClientFrame::Release(it) => return guaranteed::release(desk, &it),
            ClientFrame::Delete(it) => return guaranteed::delete(desk, it.name),
            ClientFrame::Hello(_) => desk.close(code::BAD_FRAME, "a second HELLO"),
            ClientFrame::Topic(topic) => self.topic(desk, topic.alias, topic.name),
            ClientFrame::Forget(alias) => match self.aliases.remove(alias) {
                Some(topic) => desk.release(topic),
                None => unknown_alias(desk, kind::FORGET, alias.into(), alias),
            },
            ClientFrame::Publish(publish) => self.publish(desk, &publish),
            ClientFrame::Subscribe(it) => subscribe(desk, &it),
            ClientFrame::Unsubscribe(number) => unsubscribe(desk, number),
            ClientFrame::Request(request) => self.request(desk, &request),
            ClientFrame::Reply(reply) => {
                let request = reply.request;
                if let Err(denied) =
                    desk.reply(request.client, request.correlation, reply.format, reply.payload)
                {
                    desk.refuse(kind::REPLY, request.correlation, &denied);
                }
            }
            ClientFrame::Ping(token) => desk.tell(|out| native::encode_router_pong(out, token)),
            ClientFrame::Pong(_) => {}
            ClientFrame::Taken(it) => {
                if let Err(denied) = desk.taken(it.messages, it.round_trip) {
                    desk.close(code::BAD_FRAME, &format!("TAKEN: {}", denied.text));
                }
            }
            ClientFrame::Clock(token) => {
                let clock = native::Clock { token, time: desk.now() };
                desk.tell(|out| native::encode_router_clock(out, &clock));
            }
        }
        true
    }

    #[inline]
    fn publish(&mut self, desk: &mut Desk<'_>, it: &native::Publish<'_>) {
        let Some(topic) = self.aliases.get(it.alias) else {
            if self.aliases.has_to_be_told(it.alias) {
                unknown_alias(desk, kind::PUBLISH, it.alias.into(), it.alias);
            } else {
                desk.refuse_silently();
            }
            return;
        };
        if let Err(denied) = desk.publish(topic, it.format, it.payload) {
            desk.refuse(kind::PUBLISH, it.alias.into(), &denied);
        }
    }

    fn topic(&mut self, desk: &mut Desk<'_>, alias: u32, name: &str) {
        let place = match self.aliases.place(alias, desk.aliases()) {
            Ok(()) => desk.intern(name),
            Err(denied) => Err(denied),
        };
        match place {
            Ok(topic) => self.aliases.set(alias, topic),
            Err(denied) => desk.refuse(kind::TOPIC, alias.into(), &denied),
        }
    }

    fn request(&mut self, desk: &mut Desk<'_>, request: &native::Request<'_>) {
        let Some(topic) = self.aliases.get(request.alias) else {
            return unknown_alias(desk, kind::REQUEST, request.correlation, request.alias);
        };
        let timeout = u64::from(request.timeout_ms) * 1_000_000;
        let asked =
            desk.request(topic, request.correlation, timeout, request.format, request.payload);
        if let Err(denied) = asked {
            desk.refuse(kind::REQUEST, request.correlation, &denied);
        }
    }

    /// Gives back what the client held.
    pub(crate) fn leave(&mut self, mut release: impl FnMut(TopicId)) {
        self.aliases.take_all(&mut release);
    }
}

fn subscribe(desk: &mut Desk<'_>, it: &native::Subscribe<'_>) {
    let options = match it.updates {
        native::Updates::All => SubscriptionOptions::default(),
        native::Updates::PerSecond(updates) => SubscriptionOptions {
            updates_per_second: std::num::NonZeroU32::new(updates),
            ..SubscriptionOptions::default()
        },
        native::Updates::Newest => {
            SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() }
        }
    };
    let number = it.subscription;
    match desk.subscribe(number, it.pattern, options) {
        Ok(()) => desk.tell(|out| native::encode_subscribed(out, number)),
        Err(denied) => desk.refuse(kind::SUBSCRIBE, number.into(), &denied),
    }
}

fn unsubscribe(desk: &mut Desk<'_>, number: u32) {
    let ended = if desk.detach(number) { Ok(()) } else { desk.unsubscribe(number) };
    match ended {
        Ok(()) => desk.tell(|out| native::encode_unsubscribed(out, number)),
        Err(denied) => desk.refuse(kind::UNSUBSCRIBE, number.into(), &denied),
    }
}

fn unknown_alias(desk: &mut Desk<'_>, of: u8, id: u64, alias: u32) {
    let text = format!("no TOPIC has given {alias} a meaning");
    desk.refuse(of, id, &Denied { code: code::UNKNOWN, offset: None, text });
}

fn greet(desk: &mut Desk<'_>, hello: &Hello<'_>) {
    if hello.version < native::VERSION {
        let text = format!("the oldest version spoken here is {}", native::VERSION);
        return desk.close(code::VERSION, &text);
    }
    let overflow = match hello.overflow {
        native::Overflow::Default => None,
        native::Overflow::DropOldest => Some(Overflow::DropOldest),
        native::Overflow::DropNewest => Some(Overflow::DropNewest),
        native::Overflow::Disconnect => Some(Overflow::Disconnect),
    };
    desk.greet(&Asked {
        name: hello.name,
        queue_messages: hello.queue_messages as usize,
        queue_bytes: usize::try_from(hello.queue_bytes).unwrap_or(usize::MAX),
        overflow,
        messages_per_second: hello.messages_per_second,
        bytes_per_second: hello.bytes_per_second,
        credit: hello.features.credit,
    });
    let times = hello.features.times;
    desk.control(|face, _| {
        if let Some(face) = face.native() {
            face.times = times;
        }
    });
    let welcome = native::Welcome {
        version: native::VERSION,
        features: hello.features,
        frame_bytes: desk.frame_bytes(),
        client: desk.client().as_u64(),
        topics: desk.aliases(),
        subscriptions: desk.subscriptions(),
    };
    desk.tell(|out| native::encode_welcome(out, &welcome));
}

/// Writes the frames that a client reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeFace {
    /// Conflated messages say when they were published.
    times: bool,
}

impl NativeFace {
    pub(crate) fn refused(self, out: &mut Vec<u8>, refused: &Refused<'_>) {
        native::encode_refused(out, refused);
    }

    pub(crate) fn reply(self, out: &mut Vec<u8>, correlation: u64, format: u16, payload: &[u8]) {
        native::encode_router_reply(out, &native::RouterReply { correlation, format, payload });
    }

    pub(crate) fn delivery(
        self,
        out: &mut Vec<u8>,
        topic: u32,
        it: &trunkline_store::Delivery<'_>,
    ) {
        native::encode_delivery(
            out,
            &native::Delivery {
                subscription: it.subscription,
                topic,
                position: it.position,
                time: it.time,
                deliveries: it.deliveries,
                conflation: it
                    .conflation
                    .map(|(replaced, age)| native::Conflation { replaced, age }),
                is_repeated: it.is_repeated,
                is_unconfirmed: it.is_unconfirmed,
                is_kept: it.is_kept,
                format: it.format,
                payload: it.payload,
            },
        );
    }

    pub(crate) fn lost(self, out: &mut Vec<u8>, subscription: u32, it: &trunkline_store::Loss) {
        let reason = match it.reason {
            LossReason::Expired => native::LostReason::Expired,
            LossReason::Damaged => native::LostReason::Damaged,
            LossReason::Quota => native::LostReason::OverQuota,
            LossReason::Gone => native::LostReason::NotKept,
        };
        let (count, first, last) = (it.count, it.first, it.last);
        native::encode_lost(out, &native::Lost { subscription, reason, count, first, last });
    }

    pub(crate) fn ping(self, out: &mut Vec<u8>, token: u64) {
        native::encode_router_ping(out, token);
    }

    pub(crate) fn close(self, out: &mut Vec<u8>, code: u16, reason: &str) {
        native::encode_closing(out, code, reason);
    }

    pub(crate) fn topic(self, out: &mut Vec<u8>, topic: TopicId, name: &str) {
        native::encode_router_topic(out, topic.0, name);
    }

    // Into the router's loop, so that a delivery is never written to memory to be read again.
    #[inline(always)]
    pub(crate) fn message(self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        if it.conflation.is_none() && it.request.is_none() {
            let (subscription, topic) = (it.subscription, it.topic.0);
            native::encode_plain_message(
                out,
                subscription,
                topic,
                it.sequence,
                it.format,
                it.payload,
            );
        } else {
            self.rare_message(out, &{ *it });
        }
    }

    #[inline(never)]
    fn rare_message(self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        let conflation = it.conflation.map(|conflation| native::Conflation {
            replaced: conflation.replaced,
            age: conflation.age,
        });
        let published = it.conflation.filter(|_| self.times).map(|it| it.published);
        let request = it.request.map(|request| native::Requester {
            client: request.client.as_u64(),
            correlation: request.correlation,
        });
        native::encode_message(
            out,
            &native::Message {
                subscription: it.subscription,
                topic: it.topic.0,
                sequence: it.sequence,
                conflation,
                request,
                published,
                format: it.format,
                payload: it.payload,
            },
        );
    }

    pub(crate) fn gap(self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        native::encode_gap(
            out,
            &native::Gap {
                subscription: gap.subscription,
                topic: gap.topic.0,
                count: gap.count,
                first: gap.first,
                last: gap.last,
                age: gap.age,
            },
        );
    }
}
