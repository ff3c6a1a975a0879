//! What a session may do: everything that a client can ask of the router.

mod guaranteed;

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

use tracing::{debug, info, warn};
use trunkline_native::{Refused, code, kind};
use trunkline_router::{
    ClientId, Envelope, Mode, Overflow, Refusal, Requester, Router, SubscriptionOptions,
    TopicErrorKind, TopicId,
};

pub(crate) use guaranteed::code_of;
pub use guaranteed::{NotNow, ToStore};

use super::ClientRenderer;
use crate::engine::{ClientSession, EngineState, LOGGED_EVERY, Reminder, Storage, WaitsFor};

/// Why something that a client asked for is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// For programs; see [`trunkline_native::code`].
    pub code: u16,
    /// The byte of the name or pattern that is wrong, if one is.
    pub offset: Option<u32>,
    /// For people.
    pub text: String,
}

/// What a client says of itself; 0 leaves it to the router.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// For logs, metrics and rules.
    pub name: &'a str,
    /// The most messages in its queue.
    pub queue_messages: usize,
    /// The most bytes in its queue.
    pub queue_bytes: usize,
    /// What happens when the queue is full.
    pub overflow: Option<Overflow>,
    /// The most messages a second.
    pub messages_per_second: u32,
    /// The most bytes a second.
    pub bytes_per_second: u64,
    /// It tells what it has taken of conflated subscriptions.
    pub credit: bool,
}

/// The router as one client sees it, for the time of one read.
pub struct ClientContext<'a> {
    pub(crate) now: u64,
    pub(crate) router: &'a mut Router<ClientRenderer>,
    pub(crate) storage: &'a mut Storage,
    pub(crate) state: &'a mut EngineState,
    pub(crate) client_session: &'a mut ClientSession,
}

impl ClientContext<'_> {
    /// The client that this is.
    pub fn client(&self) -> ClientId {
        self.client_session.id
    }

    /// Nanoseconds since the router's epoch.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// False once the connection is to end: nothing more is read from it.
    pub fn is_open(&self) -> bool {
        !self.client_session.is_closing
    }

    /// True once the client has said who it is.
    pub fn is_greeted(&self) -> bool {
        self.client_session.is_greeted
    }

    /// Whether there is room for the answer to what comes next. If not, it stays where it is until the client has
    /// read of what it was answered before.
    #[inline]
    pub fn has_room_for_answer(&mut self) -> bool {
        let id = self.client_session.id;
        let has_room = self.router.has_room_for_control(id);
        if !has_room {
            self.state.held.hold(id, WaitsFor::Reader);
        }
        has_room
    }

    /// The most bytes of a frame.
    pub fn frame_bytes(&self) -> u32 {
        u32::try_from(self.state.config.limits.frame_bytes).unwrap_or(u32::MAX)
    }

    /// Aliases are below this.
    pub fn aliases(&self) -> u32 {
        let limit = self.state.config.limits.topics_per_client;
        u32::try_from(limit).unwrap_or(u32::MAX).min(trunkline_native::TOPIC_NUMBERS)
    }

    /// The most subscriptions of this client.
    pub fn subscriptions(&self) -> u32 {
        u32::try_from(self.state.config.limits.subscriptions_per_client).unwrap_or(u32::MAX)
    }

    /// Takes the client in under its name: with the options of the configuration, or less where it
    /// asks for less.
    pub fn greet(&mut self, asked: &Asked<'_>) {
        let client_session = &mut *self.client_session;
        client_session.is_greeted = true;
        asked.name.clone_into(&mut client_session.name);
        client_session.asked = Ask {
            queue_messages: asked.queue_messages,
            queue_bytes: asked.queue_bytes,
            overflow: asked.overflow,
            messages_per_second: asked.messages_per_second,
            bytes_per_second: asked.bytes_per_second,
        };
        let options = client_session.options(&self.state.config);
        client_session.updates_per_second =
            self.state.config.updates_per_second(&client_session.name);
        self.router.set_options(self.now, client_session.id, options);
        client_session.uses_credit = asked.credit;
        if asked.credit {
            self.router.use_credit(client_session.id);
        }
        info!(
            client = %client_session.label(),
            address = %client_session.peer.address,
            profile = %client_session.profile(),
            "connected"
        );
    }

    /// The topic of this name, held for this client until it is released.
    ///
    /// # Errors
    ///
    /// The name is no topic, or reserved, or the router knows as many topics as it may.
    pub fn intern(&mut self, name: &str) -> Result<TopicId, Denied> {
        self.router.intern(self.now, name).map_err(denied)
    }

    /// Gives a topic back.
    pub fn release(&mut self, topic: TopicId) {
        self.router.release(self.now, topic);
    }

    /// Hands a message to everybody who subscribes to its topic.
    ///
    /// # Errors
    ///
    /// The router does not take the message.
    #[inline]
    pub fn publish(
        &mut self,
        topic: TopicId,
        format: u16,
        payload: &[u8],
    ) -> Result<usize, Denied> {
        self.client_session.published += 1;
        self.client_session.format = format;
        let envelope = Envelope { mode: Mode::Direct, format, request: None, payload };
        self.router.publish(self.now, topic, &envelope).map_err(denied)
    }

    /// As [`ClientContext::publish`], wanting a reply within `timeout` nanoseconds; 0 leaves the waiting to
    /// the client.
    ///
    /// # Errors
    ///
    /// Nobody who subscribes to the topic has room for it, the correlation is in use, or too many requests wait.
    pub fn request(
        &mut self,
        topic: TopicId,
        correlation: u64,
        timeout: u64,
        format: u16,
        payload: &[u8],
    ) -> Result<(), Denied> {
        self.client_session.published += 1;
        self.client_session.format = format;
        self.state.totals.requests += 1;
        let id = self.client_session.id;
        let most = self.state.config.limits.requests_per_client;
        let deadline = match timeout {
            0 => self.now.saturating_add(UNSTATED_TIMEOUT),
            timeout => self.now.saturating_add(timeout),
        };
        if let Some(renderer) = self.router.renderer(id) {
            if renderer.requests.len() >= most {
                let text = format!("{most} requests wait already (limits.requests_per_client)");
                return Err(Denied { code: code::LIMIT, offset: None, text });
            }
            if !renderer.requests.add(correlation, deadline) {
                let text = format!("a request {correlation} waits already");
                return Err(Denied { code: code::IN_USE, offset: None, text });
            }
            let before = renderer.requests.alarm();
            if let Some(at) = renderer.requests.arm(deadline) {
                if let Some(before) = before {
                    self.state.take_back(before, id, Reminder::Requests);
                }
                self.state.remind(at, id, Reminder::Requests);
            }
        }
        let request = Some(Requester { client: id, correlation });
        let envelope = Envelope { mode: Mode::Direct, format, request, payload };
        let published = match self.router.publish(self.now, topic, &envelope) {
            Ok(0) => Err(Denied {
                code: code::NO_RESPONDER,
                offset: None,
                text: match self.router.matches_of(topic) {
                    0 => "nobody subscribes to this topic".to_owned(),
                    _ => "who subscribes to this topic has no room for it".to_owned(),
                },
            }),
            Ok(_) => return Ok(()),
            Err(refusal) => Err(denied(refusal)),
        };
        if let Some(renderer) = self.router.renderer(id) {
            renderer.requests.take(correlation);
        }
        published
    }

    /// Hands the answer to who asked, if it waits still.
    ///
    /// # Errors
    ///
    /// The requester is gone, or has been answered, or has stopped waiting.
    pub fn reply(
        &mut self,
        requester: u64,
        correlation: u64,
        format: u16,
        payload: &[u8],
    ) -> Result<(), Denied> {
        let gone =
            |text: &str| Denied { code: code::REQUESTER_GONE, offset: None, text: text.to_owned() };
        let client = ClientId::from_u64(requester);
        let renderer =
            self.router.renderer(client).ok_or_else(|| gone("the requester has left"))?;
        if !renderer.requests.take(correlation) {
            return Err(gone("the requester does not wait for this any more"));
        }
        self.state.totals.replies += 1;
        let told = self.router.reply(client, |renderer, out| {
            renderer.reply(out, correlation, format, payload);
        });
        if told { Ok(()) } else { Err(gone("the requester takes nothing any more")) }
    }

    /// Subscribes to a pattern, with no more updates than the configuration allows this client.
    ///
    /// # Errors
    ///
    /// The pattern is wrong, the number is in use, or a limit is reached.
    pub fn subscribe(
        &mut self,
        number: u32,
        pattern: &str,
        options: SubscriptionOptions,
    ) -> Result<(), Denied> {
        if self.has_consumer(number) {
            let refusal = Refusal::SubscriptionExists(number);
            return Err(denied(refusal));
        }
        self.room_for_subscription()?;
        let mut options = options;
        if let Some(cap) = self.client_session.updates_per_second {
            let asked = options.updates_per_second;
            options.updates_per_second = Some(asked.map_or(cap, |asked| asked.min(cap)));
        }
        self.router
            .subscribe(self.now, self.client_session.id, number, pattern, &options)
            .map_err(denied)?;
        let is_conflated = options.conflate || options.updates_per_second.is_some();
        if is_conflated
            && !self.client_session.uses_credit
            && !self.client_session.has_bounded_buffers
        {
            self.client_session.has_bounded_buffers = true;
            self.state.to_bound.push(self.client_session.id);
        }
        debug!(client = %self.client_session.label(), subscription = number, pattern, "subscribed");
        Ok(())
    }

    /// Ends a subscription.
    ///
    /// # Errors
    ///
    /// There is none of this number.
    pub fn unsubscribe(&mut self, number: u32) -> Result<(), Denied> {
        self.router.unsubscribe(self.now, self.client_session.id, number).map_err(denied)
    }

    /// The client has taken so many conflated messages, from the first on; `round_trip` in nanoseconds,
    /// or 0.
    ///
    /// # Errors
    ///
    /// It has not said that it would tell, or it cannot have taken so many or so few.
    pub fn taken(&mut self, messages: u64, round_trip: u64) -> Result<(), Denied> {
        self.router.taken(self.now, self.client_session.id, messages, round_trip).map_err(denied)
    }

    /// Writes something for the client, in its protocol.
    pub fn tell(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.router.control(self.client_session.id, |_, out| write(out));
    }

    /// As [`ClientContext::tell`], by the half that renders.
    pub fn control(&mut self, write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>)) {
        self.router.control(self.client_session.id, write);
    }

    /// Tells the client that what it asked for by a frame `of` this kind is not done.
    #[cold]
    pub fn refuse(&mut self, of: u8, id: u64, denied: &Denied) {
        let refused =
            Refused { of, code: denied.code, offset: denied.offset, id, text: &denied.text };
        let what = format_args!("{} {id}", kind::name(of));
        self.refuse_by(what, denied, |renderer, out| renderer.refused(out, &refused));
    }

    /// As [`ClientContext::refuse`], told by `write`; `what` is for the log.
    #[cold]
    pub fn refuse_by(
        &mut self,
        what: fmt::Arguments<'_>,
        denied: &Denied,
        write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>),
    ) {
        self.state.totals.refusals += 1;
        self.router.control(self.client_session.id, write);
        debug!(client = %self.client_session.label(), %what, reason = %denied.text, "refused");
        let client_session = &mut *self.client_session;
        client_session.refusals += 1;
        if client_session
            .refusals_logged_at
            .is_none_or(|at| self.now >= at.saturating_add(LOGGED_EVERY))
        {
            client_session.refusals_logged_at = Some(self.now);
            warn!(
                client = %client_session.label(),
                %what,
                reason = %denied.text,
                refusals = client_session.refusals,
                "something a client asked for is not done"
            );
        }
    }

    /// Counts something that is not done and that the client has been told of before.
    #[cold]
    pub fn refuse_silently(&mut self) {
        self.state.totals.refusals += 1;
        self.client_session.refusals += 1;
    }

    /// Ends the connection: the client is told why, and nothing more is read from it.
    #[cold]
    pub fn close(&mut self, code: u16, reason: &str) {
        close(self.now, self.router, self.client_session, code, reason);
    }
}

/// See [`ClientContext::close`].
pub(crate) fn close(
    now: u64,
    router: &mut Router<ClientRenderer>,
    client_session: &mut ClientSession,
    code: u16,
    reason: &str,
) {
    if client_session.is_closing {
        return;
    }
    client_session.is_closing = true;
    if let Some(renderer) = router.renderer(client_session.id) {
        renderer.closing_code = code;
    }
    router.close(now, client_session.id, reason);
}

/// What a client asked of its queue, kept for when the configuration changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ask {
    pub(crate) queue_messages: usize,
    pub(crate) queue_bytes: usize,
    pub(crate) overflow: Option<Overflow>,
    pub(crate) messages_per_second: u32,
    pub(crate) bytes_per_second: u64,
}

impl Ask {
    /// `options`, or less where the client asked for less.
    pub(crate) fn limit(&self, options: &mut trunkline_router::ClientOptions) {
        if self.queue_messages > 0 {
            options.queue_messages = options.queue_messages.min(self.queue_messages);
        }
        if self.queue_bytes > 0 {
            options.queue_bytes = options.queue_bytes.min(self.queue_bytes);
        }
        options.overflow = self.overflow.unwrap_or(options.overflow);
        options.messages_per_second =
            lower(options.messages_per_second, NonZeroU32::new(self.messages_per_second));
        options.bytes_per_second =
            lower(options.bytes_per_second, NonZeroU64::new(self.bytes_per_second));
    }
}

/// The lower of two caps, either of which may be none.
fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// A request without a time-out is forgotten after this; nanoseconds.
const UNSTATED_TIMEOUT: u64 = 60_000_000_000;

/// The router's refusal as the protocols tell it.
#[cold]
pub(crate) fn denied(refusal: Refusal) -> Denied {
    let (code, offset) = match &refusal {
        Refusal::Topic(error) if error.kind == TopicErrorKind::Reserved => {
            (code::RESERVED, Some(0))
        }
        Refusal::Topic(error) | Refusal::Pattern(error) => {
            (code::BAD_NAME, u32::try_from(error.offset).ok())
        }
        Refusal::SubscriptionExists(_) => (code::IN_USE, None),
        Refusal::NoSubscription(_) | Refusal::NoTopic => (code::UNKNOWN, None),
        Refusal::MessageTooLong { .. } => (code::TOO_LONG, None),
        _ => (code::LIMIT, None),
    };
    Denied { code, offset, text: refusal.to_string() }
}
