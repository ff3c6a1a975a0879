//! The native protocol: frames of a client become calls, deliveries become frames.

mod aliases;
mod guaranteed;

use trunkline_native as native;
use trunkline_native::{ClientFrame, Hello, Refused, code, kind};
use trunkline_router::{Delivery, Gap, Overflow, SubscriptionOptions, TopicId};
use trunkline_store::LossReason;

use super::context::{Asked, ClientContext, Denied};
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
    pub(crate) fn received(&mut self, context: &mut ClientContext<'_>, bytes: &[u8]) -> usize {
        let limit = context.frame_bytes();
        let mut used = 0;
        if !context.is_greeted() {
            used = self.greeting(context, bytes);
        }
        while context.is_open() && context.is_greeted() && context.has_room_for_answer() {
            let rest = &bytes[used..];
            if let Some((publish, length)) = native::decode_publish(rest, limit) {
                used += length;
                self.publish(context, &publish);
                continue;
            }
            if let Some((store, length)) = native::decode_store(rest, limit) {
                if !self.store(context, &store) {
                    break;
                }
                used += length;
                continue;
            }
            match native::decode_client(rest, limit) {
                Ok(None) => break,
                Ok(Some((frame, length))) => {
                    if !self.frame(context, &frame) {
                        break;
                    }
                    used += length;
                }
                Err(error) => context.close(code::BAD_FRAME, &error.to_string()),
            }
        }
        // What a client says that is told to go is not read.
        if context.is_open() { used } else { bytes.len() }
    }

    fn greeting(&mut self, context: &mut ClientContext<'_>, bytes: &[u8]) -> usize {
        match native::decode_hello(bytes) {
            Ok(None) => 0,
            Ok(Some((hello, length))) => {
                greet(context, &hello);
                length
            }
            Err(error) => {
                context.close(code::NO_HELLO, &error.to_string());
                0
            }
        }
    }

    /// Handles a frame; false if it is to come again, when there is room for it.
    fn frame(&mut self, context: &mut ClientContext<'_>, frame: &ClientFrame<'_>) -> bool {
        match *frame {
            ClientFrame::Producer(it) => return self.producer(context, it.name),
            ClientFrame::Store(it) => return self.store(context, &it),
            ClientFrame::Consume(it) => return guaranteed::consume(context, &it),
            ClientFrame::Acknowledge(it) => return guaranteed::acknowledge(context, &it),
            ClientFrame::Release(it) => return guaranteed::release(context, &it),
            ClientFrame::Delete(it) => return guaranteed::delete(context, it.name),
            ClientFrame::Hello(_) => context.close(code::BAD_FRAME, "a second HELLO"),
            ClientFrame::Topic(topic) => self.topic(context, topic.alias, topic.name),
            ClientFrame::Forget(alias) => match self.aliases.remove(alias) {
                Some(topic) => context.release(topic),
                None => unknown_alias(context, kind::FORGET, alias.into(), alias),
            },
            ClientFrame::Publish(publish) => self.publish(context, &publish),
            ClientFrame::Subscribe(it) => subscribe(context, &it),
            ClientFrame::Unsubscribe(number) => unsubscribe(context, number),
            ClientFrame::Request(request) => self.request(context, &request),
            ClientFrame::Reply(reply) => {
                let request = reply.request;
                if let Err(denied) =
                    context.reply(request.client, request.correlation, reply.format, reply.payload)
                {
                    context.refuse(kind::REPLY, request.correlation, &denied);
                }
            }
            ClientFrame::Ping(token) => context.tell(|out| native::encode_router_pong(out, token)),
            ClientFrame::Pong(_) => {}
            ClientFrame::Taken(it) => {
                if let Err(denied) = context.taken(it.messages, it.round_trip) {
                    context.close(code::BAD_FRAME, &format!("TAKEN: {}", denied.text));
                }
            }
            ClientFrame::Clock(token) => {
                let clock = native::Clock { token, time: context.now() };
                context.tell(|out| native::encode_router_clock(out, &clock));
            }
        }
        true
    }

    #[inline]
    fn publish(&mut self, context: &mut ClientContext<'_>, it: &native::Publish<'_>) {
        let Some(topic) = self.aliases.get(it.alias) else {
            if self.aliases.has_to_be_told(it.alias) {
                unknown_alias(context, kind::PUBLISH, it.alias.into(), it.alias);
            } else {
                context.refuse_silently();
            }
            return;
        };
        if let Err(denied) = context.publish(topic, it.format, it.payload) {
            context.refuse(kind::PUBLISH, it.alias.into(), &denied);
        }
    }

    fn topic(&mut self, context: &mut ClientContext<'_>, alias: u32, name: &str) {
        let place = match self.aliases.place(alias, context.aliases()) {
            Ok(()) => context.intern(name),
            Err(denied) => Err(denied),
        };
        match place {
            Ok(topic) => self.aliases.set(alias, topic),
            Err(denied) => context.refuse(kind::TOPIC, alias.into(), &denied),
        }
    }

    fn request(&mut self, context: &mut ClientContext<'_>, request: &native::Request<'_>) {
        let Some(topic) = self.aliases.get(request.alias) else {
            return unknown_alias(context, kind::REQUEST, request.correlation, request.alias);
        };
        let timeout = u64::from(request.timeout_ms) * 1_000_000;
        let asked =
            context.request(topic, request.correlation, timeout, request.format, request.payload);
        if let Err(denied) = asked {
            context.refuse(kind::REQUEST, request.correlation, &denied);
        }
    }

    /// Gives back what the client held.
    pub(crate) fn leave(&mut self, mut release: impl FnMut(TopicId)) {
        self.aliases.take_all(&mut release);
    }
}

fn subscribe(context: &mut ClientContext<'_>, it: &native::Subscribe<'_>) {
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
    match context.subscribe(number, it.pattern, options) {
        Ok(()) => context.tell(|out| native::encode_subscribed(out, number)),
        Err(denied) => context.refuse(kind::SUBSCRIBE, number.into(), &denied),
    }
}

fn unsubscribe(context: &mut ClientContext<'_>, number: u32) {
    let ended = if context.detach(number) { Ok(()) } else { context.unsubscribe(number) };
    match ended {
        Ok(()) => context.tell(|out| native::encode_unsubscribed(out, number)),
        Err(denied) => context.refuse(kind::UNSUBSCRIBE, number.into(), &denied),
    }
}

fn unknown_alias(context: &mut ClientContext<'_>, of: u8, id: u64, alias: u32) {
    let text = format!("no TOPIC has given {alias} a meaning");
    context.refuse(of, id, &Denied { code: code::UNKNOWN, offset: None, text });
}

fn greet(context: &mut ClientContext<'_>, hello: &Hello<'_>) {
    if hello.version < native::VERSION {
        let text = format!("the oldest version spoken here is {}", native::VERSION);
        return context.close(code::VERSION, &text);
    }
    let overflow = match hello.overflow {
        native::Overflow::Default => None,
        native::Overflow::DropOldest => Some(Overflow::DropOldest),
        native::Overflow::DropNewest => Some(Overflow::DropNewest),
        native::Overflow::Disconnect => Some(Overflow::Disconnect),
    };
    context.greet(&Asked {
        name: hello.name,
        queue_messages: hello.queue_messages as usize,
        queue_bytes: usize::try_from(hello.queue_bytes).unwrap_or(usize::MAX),
        overflow,
        messages_per_second: hello.messages_per_second,
        bytes_per_second: hello.bytes_per_second,
        credit: hello.features.credit,
    });
    let times = hello.features.times;
    context.control(|renderer, _| {
        if let Some(renderer) = renderer.native() {
            renderer.times = times;
        }
    });
    let welcome = native::Welcome {
        version: native::VERSION,
        features: hello.features,
        frame_bytes: context.frame_bytes(),
        client: context.client().as_u64(),
        topics: context.aliases(),
        subscriptions: context.subscriptions(),
    };
    context.tell(|out| native::encode_welcome(out, &welcome));
}

/// Writes the frames that a client reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeRenderer {
    /// Conflated messages say when they were published.
    times: bool,
}

impl NativeRenderer {
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
