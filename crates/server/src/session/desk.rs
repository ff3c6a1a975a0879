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

use super::Face;
use crate::engine::{Keeper, LOGGED_EVERY, Member, Office, Reminder};

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
pub struct Desk<'a> {
    pub(crate) now: u64,
    pub(crate) router: &'a mut Router<Face>,
    pub(crate) keeper: &'a mut Keeper,
    pub(crate) office: &'a mut Office,
    pub(crate) member: &'a mut Member,
}

impl Desk<'_> {
    /// The client that this is.
    pub fn client(&self) -> ClientId {
        self.member.id
    }

    /// Nanoseconds since the router's epoch.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// False once the connection is to end: nothing more is read from it.
    pub fn is_open(&self) -> bool {
        !self.member.is_closing
    }

    /// True once the client has said who it is.
    pub fn is_greeted(&self) -> bool {
        self.member.is_greeted
    }

    /// The most bytes of a frame.
    pub fn frame_bytes(&self) -> u32 {
        u32::try_from(self.office.config.limits.frame_bytes).unwrap_or(u32::MAX)
    }

    /// Aliases are below this.
    pub fn aliases(&self) -> u32 {
        let limit = self.office.config.limits.topics_per_client;
        u32::try_from(limit).unwrap_or(u32::MAX).min(trunkline_native::TOPIC_NUMBERS)
    }

    /// The most subscriptions of this client.
    pub fn subscriptions(&self) -> u32 {
        u32::try_from(self.office.config.limits.subscriptions_per_client).unwrap_or(u32::MAX)
    }

    /// Takes the client in under its name: with the options of the configuration, or less where it
    /// asks for less.
    pub fn greet(&mut self, asked: &Asked<'_>) {
        let member = &mut *self.member;
        member.is_greeted = true;
        asked.name.clone_into(&mut member.name);
        member.asked = Ask {
            queue_messages: asked.queue_messages,
            queue_bytes: asked.queue_bytes,
            overflow: asked.overflow,
            messages_per_second: asked.messages_per_second,
            bytes_per_second: asked.bytes_per_second,
        };
        let options = member.options(&self.office.config);
        member.updates_per_second = self.office.config.updates_per_second(&member.name);
        self.router.set_options(self.now, member.id, options);
        member.uses_credit = asked.credit;
        if asked.credit {
            self.router.use_credit(member.id);
        }
        info!(
            client = %member.label(),
            address = %member.peer.address,
            profile = %member.profile(),
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
        self.member.published += 1;
        self.member.format = format;
        let envelope = Envelope { mode: Mode::Direct, format, request: None, payload };
        self.router.publish(self.now, topic, &envelope).map_err(denied)
    }

    /// As [`Desk::publish`], wanting a reply within `timeout` nanoseconds; 0 leaves the waiting to
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
        self.member.published += 1;
        self.member.format = format;
        self.office.totals.requests += 1;
        let id = self.member.id;
        let most = self.office.config.limits.requests_per_client;
        let deadline = match timeout {
            0 => self.now.saturating_add(UNSTATED_TIMEOUT),
            timeout => self.now.saturating_add(timeout),
        };
        if let Some(face) = self.router.renderer(id) {
            if face.requests.len() >= most {
                let text = format!("{most} requests wait already (limits.requests_per_client)");
                return Err(Denied { code: code::LIMIT, offset: None, text });
            }
            if !face.requests.add(correlation, deadline) {
                let text = format!("a request {correlation} waits already");
                return Err(Denied { code: code::IN_USE, offset: None, text });
            }
            let before = face.requests.alarm();
            if let Some(at) = face.requests.arm(deadline) {
                if let Some(before) = before {
                    self.office.take_back(before, id, Reminder::Requests);
                }
                self.office.remind(at, id, Reminder::Requests);
            }
        }
        let request = Some(Requester { client: id, correlation });
        let envelope = Envelope { mode: Mode::Direct, format, request, payload };
        let published = match self.router.publish(self.now, topic, &envelope) {
            Ok(0) => Err(Denied {
                code: code::NO_RESPONDER,
                offset: None,
                text: match self.router.lanes_of(topic) {
                    0 => "nobody subscribes to this topic".to_owned(),
                    _ => "who subscribes to this topic has no room for it".to_owned(),
                },
            }),
            Ok(_) => return Ok(()),
            Err(refusal) => Err(denied(refusal)),
        };
        if let Some(face) = self.router.renderer(id) {
            face.requests.take(correlation);
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
        let face = self.router.renderer(client).ok_or_else(|| gone("the requester has left"))?;
        if !face.requests.take(correlation) {
            return Err(gone("the requester does not wait for this any more"));
        }
        self.office.totals.replies += 1;
        let told = self.router.reply(client, |face, out| {
            face.reply(out, correlation, format, payload);
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
        if let Some(cap) = self.member.updates_per_second {
            let asked = options.updates_per_second;
            options.updates_per_second = Some(asked.map_or(cap, |asked| asked.min(cap)));
        }
        self.router
            .subscribe(self.now, self.member.id, number, pattern, &options)
            .map_err(denied)?;
        let is_conflated = options.conflate || options.updates_per_second.is_some();
        if is_conflated && !self.member.uses_credit && !self.member.has_bounded_buffers {
            self.member.has_bounded_buffers = true;
            self.office.to_bound.push(self.member.id);
        }
        debug!(client = %self.member.label(), subscription = number, pattern, "subscribed");
        Ok(())
    }

    /// Ends a subscription.
    ///
    /// # Errors
    ///
    /// There is none of this number.
    pub fn unsubscribe(&mut self, number: u32) -> Result<(), Denied> {
        self.router.unsubscribe(self.now, self.member.id, number).map_err(denied)
    }

    /// The client has taken so many conflated messages, from the first on; `round_trip` in nanoseconds,
    /// or 0.
    ///
    /// # Errors
    ///
    /// It has not said that it would tell, or it cannot have taken so many or so few.
    pub fn taken(&mut self, messages: u64, round_trip: u64) -> Result<(), Denied> {
        self.router.taken(self.now, self.member.id, messages, round_trip).map_err(denied)
    }

    /// Writes something for the client, in its protocol.
    pub fn tell(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.router.control(self.member.id, |_, out| write(out));
    }

    /// As [`Desk::tell`], by the half that renders.
    pub fn control(&mut self, write: impl FnOnce(&mut Face, &mut Vec<u8>)) {
        self.router.control(self.member.id, write);
    }

    /// Tells the client that what it asked for by a frame `of` this kind is not done.
    #[cold]
    pub fn refuse(&mut self, of: u8, id: u64, denied: &Denied) {
        let refused =
            Refused { of, code: denied.code, offset: denied.offset, id, text: &denied.text };
        let what = format_args!("{} {id}", kind::name(of));
        self.refuse_by(what, denied, |face, out| face.refused(out, &refused));
    }

    /// As [`Desk::refuse`], told by `write`; `what` is for the log.
    #[cold]
    pub fn refuse_by(
        &mut self,
        what: fmt::Arguments<'_>,
        denied: &Denied,
        write: impl FnOnce(&mut Face, &mut Vec<u8>),
    ) {
        self.office.totals.refusals += 1;
        self.router.control(self.member.id, write);
        debug!(client = %self.member.label(), %what, reason = %denied.text, "refused");
        let member = &mut *self.member;
        member.refusals += 1;
        if member.refusals_logged_at.is_none_or(|at| self.now >= at.saturating_add(LOGGED_EVERY)) {
            member.refusals_logged_at = Some(self.now);
            warn!(
                client = %member.label(),
                %what,
                reason = %denied.text,
                refusals = member.refusals,
                "something a client asked for is not done"
            );
        }
    }

    /// Counts something that is not done and that the client has been told of before.
    #[cold]
    pub fn refuse_silently(&mut self) {
        self.office.totals.refusals += 1;
        self.member.refusals += 1;
    }

    /// Ends the connection: the client is told why, and nothing more is read from it.
    #[cold]
    pub fn close(&mut self, code: u16, reason: &str) {
        close(self.now, self.router, self.member, code, reason);
    }
}

/// See [`Desk::close`].
pub(crate) fn close(
    now: u64,
    router: &mut Router<Face>,
    member: &mut Member,
    code: u16,
    reason: &str,
) {
    if member.is_closing {
        return;
    }
    member.is_closing = true;
    if let Some(face) = router.renderer(member.id) {
        face.closing_code = code;
    }
    router.close(now, member.id, reason);
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
