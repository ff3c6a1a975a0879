//! The native protocol: frames of a client become calls, deliveries become frames. docs/native-protocol.md is the
//! protocol, [`trunkline_native`] its bytes.

mod aliases;
mod guaranteed;
mod renderer;

use trunkline_native as native;
use trunkline_native::{ClientFrame, Credentials, Hello, code, kind};
use trunkline_router::{Overflow, SubscriptionOptions, TopicId};

use crate::router::{
    ClientContext, ClientRenderer, ConnectionProducer, Greeting, Narrowing, Rejected,
    RequestedLimits,
};
use aliases::Aliases;

pub use renderer::NativeRenderer;

/// Reads the frames of one client.
#[derive(Debug, Default)]
pub struct NativeSession {
    aliases: Aliases,
    producer: ConnectionProducer,
}

impl NativeSession {
    /// Handles the whole frames in `bytes`, and says how many bytes those were.
    pub fn received(&mut self, context: &mut impl ClientContext, bytes: &[u8]) -> usize {
        let limit = context.frame_bytes();
        let mut used = 0;
        if !context.is_greeted() {
            used = self.greeting(context, bytes);
        }
        while context.is_open() && context.is_greeted() && context.may_go_on() {
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
        // Frames of a client that was told to go are ignored.
        if context.is_open() { used } else { bytes.len() }
    }

    fn greeting(&mut self, context: &mut impl ClientContext, bytes: &[u8]) -> usize {
        match native::decode_hello(bytes) {
            Ok(None) => 0,
            Ok(Some((hello, length))) => {
                let Some((credentials, more)) = credentials(context, &hello, &bytes[length..])
                else {
                    return 0;
                };
                if greet(context, &hello, credentials) { length + more } else { 0 }
            }
            Err(error) => {
                context.close(code::NO_HELLO, &error.to_string());
                0
            }
        }
    }

    /// Handles a frame; false if it is to come again, when there is room for it.
    fn frame(&mut self, context: &mut impl ClientContext, frame: &ClientFrame<'_>) -> bool {
        match *frame {
            ClientFrame::Producer(it) => return self.producer(context, it.name),
            ClientFrame::Store(it) => return self.store(context, &it),
            ClientFrame::Consume(it) => return guaranteed::consume(context, &it),
            ClientFrame::Acknowledge(it) => return guaranteed::acknowledge(context, &it),
            ClientFrame::Release(it) => return guaranteed::release(context, &it),
            ClientFrame::Delete(it) => return guaranteed::delete(context, it.name),
            ClientFrame::Hello(_) => context.close(code::BAD_FRAME, "a second HELLO"),
            ClientFrame::Credentials(_) => {
                context.close(code::BAD_FRAME, "CREDENTIALS that HELLO did not announce");
            }
            ClientFrame::Topic(topic) => self.topic(context, topic.alias, topic.name),
            ClientFrame::Forget(alias) => match self.aliases.remove(alias) {
                Some(topic) => context.release(topic),
                None => unknown_alias(context, kind::FORGET, alias.into(), alias),
            },
            ClientFrame::Publish(publish) => self.publish(context, &publish),
            ClientFrame::Subscribe(it) => return subscribe(context, &it),
            ClientFrame::Unsubscribe(number) => unsubscribe(context, number),
            ClientFrame::Request(request) => self.request(context, &request),
            ClientFrame::Reply(reply) => {
                let request = reply.request;
                if let Err(rejected) =
                    context.reply(request.client, request.correlation, reply.format, reply.payload)
                {
                    context.reject(kind::REPLY, request.correlation, &rejected);
                }
            }
            ClientFrame::Ping(token) => context.tell(|out| native::encode_router_pong(out, token)),
            ClientFrame::Pong(_) => {}
            ClientFrame::Taken(it) => {
                if let Err(rejected) = context.taken(it.messages, it.round_trip) {
                    context.close(code::BAD_FRAME, &format!("TAKEN: {}", rejected.text));
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
    fn publish(&mut self, context: &mut impl ClientContext, it: &native::Publish<'_>) {
        let Some(topic) = self.aliases.get(it.alias) else {
            if self.aliases.should_report(it.alias) {
                unknown_alias(context, kind::PUBLISH, it.alias.into(), it.alias);
            } else {
                context.reject_silently();
            }
            return;
        };
        match context.publish(topic, it.format, it.payload) {
            Ok(_) if it.clears_last_value => context.clear_last_value(topic.id),
            Ok(_) => {}
            // What it may not do is told once: a program that goes on publishing does not read, and more would flood
            // it.
            Err(rejected) if rejected.code == code::FORBIDDEN && !topic.tell_once() => {
                context.reject_silently();
            }
            Err(rejected) => context.reject(kind::PUBLISH, it.alias.into(), &rejected),
        }
    }

    fn topic(&mut self, context: &mut impl ClientContext, alias: u32, name: &str) {
        let place = match self.aliases.place(alias, context.aliases()) {
            Ok(()) => context.intern(name),
            Err(rejected) => Err(rejected),
        };
        match place {
            Ok(topic) => self.aliases.set(alias, topic),
            Err(rejected) => context.reject(kind::TOPIC, alias.into(), &rejected),
        }
    }

    fn request(&mut self, context: &mut impl ClientContext, request: &native::Request<'_>) {
        let Some(topic) = self.aliases.get(request.alias) else {
            return unknown_alias(context, kind::REQUEST, request.correlation, request.alias);
        };
        let timeout = u64::from(request.timeout_ms) * 1_000_000;
        let done =
            context.request(topic, request.correlation, timeout, request.format, request.payload);
        if let Err(rejected) = done {
            context.reject(kind::REQUEST, request.correlation, &rejected);
        }
    }

    /// Bytes of memory for the numbers of topics.
    pub(crate) fn memory(&self) -> usize {
        self.aliases.memory()
    }

    /// Gives back what the client held.
    pub fn leave(&mut self, mut release: impl FnMut(TopicId)) {
        self.aliases.take_all(&mut release);
    }
}

/// Handles SUBSCRIBE; false if it is to come again.
fn subscribe(context: &mut impl ClientContext, it: &native::Subscribe<'_>) -> bool {
    let (updates_per_second, conflate) = match it.updates {
        native::Updates::All => (None, false),
        native::Updates::PerSecond(updates) => (std::num::NonZeroU32::new(updates), false),
        native::Updates::Newest => (None, true),
    };
    let last_values = it.last_values;
    let number = it.subscription;
    let options =
        SubscriptionOptions { updates_per_second, conflate, last_values, ..Default::default() };
    let native::Subscribe { pattern, format, filter, fields, .. } = *it;
    let wanted = Narrowing { pattern, format, filter, fields };
    let subscribed = context.subscribe_narrowed(number, &wanted, options);
    match subscribed {
        Ok(Some(())) => context.tell(|out| native::encode_subscribed(out, number)),
        Ok(None) => return false,
        Err(rejected) => context.reject(kind::SUBSCRIBE, number.into(), &rejected),
    }
    true
}

fn unsubscribe(context: &mut impl ClientContext, number: u32) {
    let ended = if context.detach(number) { Ok(()) } else { context.unsubscribe(number) };
    match ended {
        Ok(()) => context.tell(|out| native::encode_unsubscribed(out, number)),
        Err(rejected) => context.reject(kind::UNSUBSCRIBE, number.into(), &rejected),
    }
}

fn unknown_alias(context: &mut impl ClientContext, of: u8, id: u64, alias: u32) {
    let text = format!("no TOPIC has given {alias} a meaning");
    context.reject(of, id, &Rejected::new(code::UNKNOWN, text));
}

/// What follows HELLO and shows who the client is, if HELLO says so, and its length; none if it is to come, or is none.
fn credentials<'a>(
    context: &mut impl ClientContext,
    hello: &Hello<'_>,
    bytes: &'a [u8],
) -> Option<(Option<Credentials<'a>>, usize)> {
    if !hello.has_credentials {
        return Some((None, 0));
    }
    match native::decode_client(bytes, native::CREDENTIALS_BYTES as u32) {
        Ok(None) => {}
        Ok(Some((ClientFrame::Credentials(it), length))) => return Some((Some(it), length)),
        Ok(Some(_)) => context.close(code::BAD_FRAME, "no CREDENTIALS where HELLO announced them"),
        Err(error) => context.close(code::BAD_FRAME, &format!("CREDENTIALS: {error}")),
    }
    None
}

/// Takes the client in; false if it is not taken in yet, or not at all.
fn greet(
    context: &mut impl ClientContext,
    hello: &Hello<'_>,
    credentials: Option<Credentials<'_>>,
) -> bool {
    if hello.version < native::VERSION {
        let text = format!("the oldest version spoken here is {}", native::VERSION);
        context.close(code::VERSION, &text);
        return false;
    }
    let overflow = match hello.overflow {
        native::Overflow::Default => None,
        native::Overflow::DropOldest => Some(Overflow::DropOldest),
        native::Overflow::DropNewest => Some(Overflow::DropNewest),
        native::Overflow::Disconnect => Some(Overflow::Disconnect),
    };
    let limits = RequestedLimits {
        queue_messages: hello.queue_messages as usize,
        queue_bytes: usize::try_from(hello.queue_bytes).unwrap_or(usize::MAX),
        overflow,
        messages_per_second: hello.messages_per_second,
        bytes_per_second: hello.bytes_per_second,
    };
    let uses_credit = hello.features.credit;
    if !context.greet(&Greeting { name: hello.name, limits, uses_credit, credentials }) {
        return false;
    }
    let native::Features { times, notices, .. } = hello.features;
    context.control(|renderer, _| {
        if let ClientRenderer::Native(renderer) = renderer {
            (renderer.times, renderer.notices) = (times, notices);
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
    true
}
