//! The router as one client may use it: what sessions ask, done by the router, the store and the engine's state.

use std::fmt;

use tracing::{debug, warn};
use trunkline_native::code;
use trunkline_router::{
    ClientId, Envelope, FilterId, Mode, Rejection, Requester, Router, SubscriptionOptions, TopicId,
    check_pattern,
};
use trunkline_security::Operation;
use trunkline_session::router::{
    ClientContext, ClientRenderer, Greeting, GuaranteedMessage, HeldTopic, Narrowed, Narrowing,
    Rejected, SessionRenderer as _, StoreError, selection_of,
};
use trunkline_store::{ClockReading, Consume, NewMessage, ProducerId, Producing, Store};

use super::storage::{ClientSink, Storage};
use super::{
    ClientOutput, ClientSession, EngineState, ExceededLimit, LOGGED_EVERY, Origin, Timer, WaitsFor,
    message_bytes,
};

/// The router as one client sees it, for the time of one read.
pub(super) struct EngineContext<'a> {
    pub(super) now: u64,
    pub(super) router: &'a mut Router<ClientOutput>,
    pub(super) storage: &'a mut Storage,
    pub(super) state: &'a mut EngineState,
    pub(super) client_session: &'a mut ClientSession,
}

impl ClientContext for EngineContext<'_> {
    type Sink<'s> = ClientSink<'s>;

    fn client(&self) -> ClientId {
        self.client_session.id
    }

    fn now(&self) -> u64 {
        self.now
    }

    #[inline]
    fn is_open(&self) -> bool {
        !self.client_session.is_closing
    }

    #[inline]
    fn is_greeted(&self) -> bool {
        self.client_session.is_greeted
    }

    #[inline]
    fn may_go_on(&mut self) -> bool {
        let id = self.client_session.id;
        if self.state.work >= WORK {
            self.state.held.hold(id, WaitsFor::Turn);
            return false;
        }
        let has_room = self.router.has_room_for_control(id);
        if !has_room {
            self.state.held.hold(id, WaitsFor::Reader);
        }
        has_room
    }

    fn frame_bytes(&self) -> u32 {
        u32::try_from(self.state.config.limits.frame_bytes).unwrap_or(u32::MAX)
    }

    fn aliases(&self) -> u32 {
        let limit = self.state.config.limits.topics_per_client;
        u32::try_from(limit).unwrap_or(u32::MAX).min(trunkline_native::TOPIC_NUMBERS)
    }

    fn subscriptions(&self) -> u32 {
        u32::try_from(self.state.config.limits.subscriptions_per_client).unwrap_or(u32::MAX)
    }

    fn greet(&mut self, greeting: &Greeting<'_>) -> bool {
        if !self.identify(greeting.credentials) {
            return false;
        }
        let client_session = &mut *self.client_session;
        client_session.is_greeted = true;
        greeting.name.clone_into(&mut client_session.name);
        client_session.requested = greeting.limits;
        let options = client_session.options(&self.state.config);
        client_session.updates_per_second = self
            .state
            .config
            .updates_per_second(&client_session.name, client_session.access.identity());
        self.router.set_options(self.now, client_session.id, options);
        client_session.uses_credit = greeting.uses_credit;
        if greeting.uses_credit {
            self.router.use_credit(client_session.id);
        }
        self.state.access.audit.connected(self.now, client_session);
        self.state.notices.greeted(client_session.id.index as usize);
        true
    }

    fn intern(&mut self, name: &str) -> Result<HeldTopic, Rejected> {
        let topic = self.router.intern(self.now, name).map_err(Rejected::from)?;
        Ok(HeldTopic::new(topic))
    }

    fn release(&mut self, topic: TopicId) {
        self.router.release(self.now, topic);
    }

    #[inline]
    fn publish(
        &mut self,
        topic: &mut HeldTopic,
        format: u16,
        payload: &[u8],
    ) -> Result<usize, Rejected> {
        if !topic.allows(Operation::Publish, self.state.access.epoch) {
            self.look_up_rights(topic, Operation::Publish)?;
        }
        let format = self.format_of(format, topic.id);
        self.client_session.published += 1;
        self.client_session.format = format;
        let envelope = Envelope { mode: Mode::Direct, format, request: None, payload };
        let published = self.router.publish(self.now, topic.id, &envelope);
        self.state.work += self.router.take_work();
        Ok(published?)
    }

    fn clear_last_value(&mut self, topic: TopicId) {
        self.router.clear_last_value(self.now, topic);
    }

    fn request(
        &mut self,
        topic: &mut HeldTopic,
        correlation: u64,
        timeout: u64,
        format: u16,
        payload: &[u8],
    ) -> Result<(), Rejected> {
        if !topic.allows(Operation::Request, self.state.access.epoch) {
            self.look_up_rights(topic, Operation::Request)?;
        }
        let topic = topic.id;
        let format = self.format_of(format, topic);
        self.client_session.published += 1;
        self.client_session.format = format;
        self.state.totals.requests += 1;
        let id = self.client_session.id;
        let most = self.state.config.limits.requests_per_client;
        let deadline = match timeout {
            0 => self.now.saturating_add(UNSTATED_TIMEOUT),
            timeout => self.now.saturating_add(timeout),
        };
        let ticket = self.state.access.tickets.next_ticket();
        if let Some(output) = self.router.renderer(id) {
            if output.requests.len() >= most {
                let text = format!("{most} requests wait already (limits.requests_per_client)");
                return Err(Rejected::new(code::LIMIT, text));
            }
            if !output.requests.add(correlation, ticket, deadline) {
                let text = format!("the request {correlation} waits already");
                return Err(Rejected::new(code::IN_USE, text));
            }
            self.state.memory.count_requests(1, 0);
            let before = output.requests.alarm();
            if let Some(at) = output.requests.arm(deadline) {
                if let Some(before) = before {
                    self.state.cancel_timer(before, id, Timer::Requests);
                }
                self.state.set_timer(at, id, Timer::Requests);
            }
        }
        // Who was asked knows the ticket, and nobody else.
        let request = Some(Requester { client: id, correlation: ticket });
        let envelope = Envelope { mode: Mode::Direct, format, request, payload };
        let published = self.router.publish(self.now, topic, &envelope);
        self.state.work += self.router.take_work();
        let published = match published {
            Ok(0) => {
                let text = match self.router.matches_of(topic) {
                    0 => "nobody subscribes to this topic",
                    _ => "no subscriber to this topic has room for it",
                };
                Err(Rejected::new(code::NO_RESPONDER, text))
            }
            Ok(_) => return Ok(()),
            Err(rejection) => Err(rejection.into()),
        };
        if let Some(output) = self.router.renderer(id)
            && output.requests.take(ticket).is_some()
        {
            self.state.memory.count_requests(0, 1);
        }
        published
    }

    fn reply(
        &mut self,
        requester: u64,
        ticket: u64,
        format: u16,
        payload: &[u8],
    ) -> Result<(), Rejected> {
        let gone = |text| Rejected::new(code::REQUESTER_GONE, text);
        let client = ClientId::from_u64(requester);
        let output = self.router.renderer(client).ok_or_else(|| gone("the requester has left"))?;
        let Some(correlation) = output.requests.take(ticket) else {
            return Err(gone("the requester does not wait for this any more"));
        };
        self.state.totals.replies += 1;
        self.state.memory.count_requests(0, 1);
        let is_taken = self.router.reply(client, |output, out| {
            output.renderer.reply(out, correlation, format, payload);
        });
        if is_taken { Ok(()) } else { Err(gone("the requester accepts no more answers")) }
    }

    fn narrow(&mut self, wanted: &Narrowing<'_>) -> Result<Option<Narrowed>, Rejected> {
        self.narrowed(wanted, None)
    }

    fn subscribe(
        &mut self,
        number: u32,
        pattern: &str,
        options: SubscriptionOptions,
    ) -> Result<(), Rejected> {
        let done = self.subscribe_to(number, pattern, options);
        let (client, state) = (self.client_session.id, &mut *self.state);
        if let Some(filter) = options.filter {
            match done {
                Ok(()) => state.filters.begin(client, filter),
                Err(_) => state.filters.settle(filter),
            }
        }
        if let Some(selection) = options.rendition.and_then(selection_of) {
            match done {
                Ok(()) => state.selections.begin(client, selection),
                Err(_) => state.selections.settle(selection),
            }
        }
        done
    }

    fn unsubscribe(&mut self, number: u32) -> Result<(), Rejected> {
        self.router.unsubscribe(self.now, self.client_session.id, number).map_err(Rejected::from)
    }

    fn taken(&mut self, messages: u64, round_trip: u64) -> Result<(), Rejected> {
        self.router
            .taken(self.now, self.client_session.id, messages, round_trip)
            .map_err(Rejected::from)
    }

    fn produce(&mut self, name: &str) -> Result<Producing, StoreError> {
        self.check_producing(name)?;
        // Also a name that another connection has used: a client that stores under it is counted.
        let last = self.storage.store.last_of_producer(name);
        let origin = last.is_none_or(|last| last == 0).then(|| self.client_session.origin());
        if let Some(origin) = &origin {
            self.check_new_producer(origin, last.is_some())?;
        }
        let producing = self.with_store(|store, at, client, _| store.produce(at, client, name))?;
        if let Some(origin) = origin {
            self.client_session.new_producer =
                self.storage.new_producers.add(origin, last.is_some());
        }
        self.client_session.producer = Some(producing.producer);
        Ok(producing)
    }

    #[inline]
    fn store(
        &mut self,
        producer: ProducerId,
        topic: &mut HeldTopic,
        it: &GuaranteedMessage<'_>,
    ) -> Result<(), StoreError> {
        if !topic.allows(Operation::Store, self.state.access.epoch) {
            self.look_up_rights(topic, Operation::Store)?;
        }
        let topic = topic.id;
        // A longer message could be stored, but not published to direct subscribers.
        let (bytes, limit) = (it.payload.len(), message_bytes(&self.state.config));
        if bytes > limit {
            return Err(Rejected::from(Rejection::MessageTooLong { bytes, limit }).into());
        }
        if self.router.is_short_of_memory() {
            self.state.memory.wait(self.now);
            self.state.held.hold_message(self.client_session.id);
            return Err(StoreError::WouldBlock);
        }
        if self.state.held.is_behind(self.client_session.id) {
            return Err(StoreError::WouldBlock);
        }
        self.storage.name.clear();
        self.storage.name.push_str(self.router.topic_name(topic));
        let name = std::mem::take(&mut self.storage.name);
        let message = NewMessage {
            sequence: it.sequence,
            time_to_live: it.time_to_live,
            is_repeated: it.is_repeated,
            format: self.state.conversions.format_of(it.format, || &name),
            topic: &name,
            payload: it.payload,
        };
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        sink.topic = Some(topic);
        let stored = store.store(at, producer, &message, &mut sink);
        self.storage.name = name;
        match stored {
            Ok(()) => {
                self.client_session.published += 1;
                self.client_session.format = it.format;
                // Nothing was stored before: what is taken now with a sequence is its first.
                if let Some(new_producer) =
                    self.client_session.new_producer.take_if(|_| it.sequence > 0)
                {
                    self.storage.new_producers.stored(&new_producer);
                }
                Ok(())
            }
            Err(trunkline_store::Rejected::Busy) => {
                self.state.held.hold_message(self.client_session.id);
                Err(StoreError::WouldBlock)
            }
            Err(rejected) => Err(self.store_error(&rejected)),
        }
    }

    fn consume(&mut self, request: &Consume<'_>, wanted: &Narrowing<'_>) -> Result<(), StoreError> {
        if let Err(error) = check_pattern(request.pattern) {
            let offset = u32::try_from(error.offset).ok();
            let text = format!("no pattern: {error}");
            return Err(Rejected { code: code::BAD_NAME, offset, text }.into());
        }
        self.check_access_as(Operation::Consume, request.pattern, Some(request.name))?;
        let number = request.subscription;
        // Before anything of it begins: what a consumer has must not become another one's.
        if self.router.has_subscription(self.client_session.id, number) || self.has_consumer(number)
        {
            let text = format!("the client has a subscription {number} already");
            return Err(Rejected::new(code::IN_USE, text).into());
        }
        let most = self.subscriptions();
        if self.storage.consumers.of(self.client_session.id) >= most {
            let text = format!(
                "the client has its limit of {most} subscriptions (limits.subscriptions_per_client)"
            );
            return Err(Rejected::new(code::LIMIT, text).into());
        }
        self.room_for_subscription()?;
        let Some(filter) = self.begin_want(request, wanted)? else {
            return Err(StoreError::WouldBlock);
        };
        let asked = Consume { filter: filter.map(|FilterId(it)| it), ..*request };
        let done =
            self.with_store(|store, at, client, sink| store.consume(at, client, &asked, sink));
        let id = self.client_session.id;
        match done {
            Ok(()) => self.storage.consumers.begin(id),
            Err(_) => self.storage.deferred.end(id.as_u64(), number),
        }
        done
    }

    fn delete(&mut self, name: &str) -> Result<(), StoreError> {
        // Who may not end it does not learn whether it exists, unless it may end all of its topics.
        let pattern = self.storage.store.pattern_of(name).unwrap_or(">").to_owned();
        self.check_access_as(Operation::Delete, &pattern, Some(name))?;
        self.with_store(|store, at, _, sink| store.delete(at, name, sink))?;
        self.audit_done("delete", name);
        Ok(())
    }

    fn detach(&mut self, subscription: u32) -> bool {
        let client = self.client_session.id.as_u64();
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        let was_there = store.detach(at, client, subscription, &mut sink).is_ok();
        if was_there {
            self.storage.consumers.end(self.client_session.id);
            self.storage.deferred.end(client, subscription);
        }
        was_there
    }

    fn with_store<T>(
        &mut self,
        ask: impl FnOnce(
            &mut Store,
            ClockReading,
            u64,
            &mut ClientSink<'_>,
        ) -> Result<T, trunkline_store::Rejected>,
    ) -> Result<T, StoreError> {
        let client = self.client_session.id.as_u64();
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        let done = ask(store, at, client, &mut sink);
        done.map_err(|rejected| self.store_error(&rejected))
    }

    fn control(&mut self, write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>)) {
        self.router.control(self.client_session.id, |output, out| write(&mut output.renderer, out));
    }

    #[cold]
    fn reject_by(
        &mut self,
        what: fmt::Arguments<'_>,
        rejected: &Rejected,
        write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>),
    ) {
        self.state.totals.rejections += 1;
        self.control(write);
        debug!(client = %self.client_session.label(), %what, reason = %rejected.text, "rejected");
        let client_session = &mut *self.client_session;
        client_session.rejections += 1;
        if client_session
            .rejections_logged_at
            .is_none_or(|at| self.now >= at.saturating_add(LOGGED_EVERY))
        {
            client_session.rejections_logged_at = Some(self.now);
            warn!(
                client = %client_session.label(),
                %what,
                reason = %rejected.text,
                rejections = client_session.rejections,
                "something a client asked for is not done"
            );
        }
    }

    #[cold]
    fn reject_silently(&mut self) {
        self.state.totals.rejections += 1;
        self.client_session.rejections += 1;
    }

    #[cold]
    fn close(&mut self, code: u16, reason: &str) {
        close(self.now, self.router, self.client_session, code, reason);
    }
}

impl EngineContext<'_> {
    /// The format of a message: what its publisher says, or else the configuration.
    #[inline]
    fn format_of(&self, format: u16, topic: TopicId) -> u16 {
        self.state.conversions.format_of(format, || self.router.topic_name(topic))
    }

    /// Subscribes, whatever becomes of the filter then.
    fn subscribe_to(
        &mut self,
        number: u32,
        pattern: &str,
        mut options: SubscriptionOptions,
    ) -> Result<(), Rejected> {
        if self.has_consumer(number) {
            return Err(Rejection::SubscriptionExists(number).into());
        }
        if check_pattern(pattern).is_ok() {
            self.check_access(Operation::Subscribe, pattern)?;
        }
        self.room_for_subscription()?;
        if let Some(cap) = self.client_session.updates_per_second {
            let requested = options.updates_per_second;
            options.updates_per_second = Some(requested.map_or(cap, |it| it.min(cap)));
        }
        self.router
            .subscribe(self.now, self.client_session.id, number, pattern, &options)
            .map_err(Rejected::from)?;
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

    /// The reason why the store rejects a request. A client for which there is no room is held
    /// until there is.
    #[cold]
    fn store_error(&mut self, rejected: &trunkline_store::Rejected) -> StoreError {
        match rejected {
            trunkline_store::Rejected::Busy => {
                self.state.held.hold(self.client_session.id, WaitsFor::Storage);
                StoreError::WouldBlock
            }
            trunkline_store::Rejected::OutOfSequence(next) => {
                StoreError::OutOfSequence(*next, rejected.into())
            }
            _ => StoreError::Rejected(rejected.into()),
        }
    }

    /// Whether the client may have a name of a producer under which nothing is stored.
    fn check_new_producer(&mut self, origin: &Origin, is_known: bool) -> Result<(), Rejected> {
        let journal = &self.state.config.journal;
        let (unused, stored) = (journal.producers_per_client, journal.new_producers_per_client);
        let may = self.storage.new_producers.may(self.now, origin, is_known, (unused, stored));
        let Err(too_many) = may else { return Ok(()) };
        let (most, what, key) = match too_many {
            ExceededLimit::Unused => (unused, "nothing", "producers_per_client"),
            ExceededLimit::Stored => (stored, "something", "new_producers_per_client"),
        };
        let who = match &*origin.client {
            "" => "clients without a name".to_owned(),
            name => format!("clients of the name {name:?}"),
        };
        let text = format!(
            "{who} at {} have used {most} new names of producers within an hour and \
             stored {what} under them, and may use no more (journal.{key}); a \
             producer that keeps its name, such as that of `trunkline pub --producer \
             NAME`, is counted once",
            origin.host
        );
        Err(Rejected::new(code::LIMIT, text))
    }

    /// Whether there may be one more subscription, be it direct, durable or a replay.
    fn room_for_subscription(&self) -> Result<(), Rejected> {
        let limit = self.state.config.limits.subscriptions;
        let all = self.router.view().subscriptions_now() + self.storage.consumers.all();
        if all < limit { Ok(()) } else { Err(Rejection::TooManySubscriptions(limit).into()) }
    }

    /// Whether a number is taken by a durable subscription or a replay.
    fn has_consumer(&self, subscription: u32) -> bool {
        self.storage.consumers.of(self.client_session.id) > 0
            && self.storage.store.has_consumer(self.client_session.id.as_u64(), subscription)
    }
}

/// Ends the connection: tells the client why, and reads nothing more from it.
pub(super) fn close(
    now: u64,
    router: &mut Router<ClientOutput>,
    client_session: &mut ClientSession,
    code: u16,
    reason: &str,
) {
    if client_session.is_closing {
        return;
    }
    client_session.is_closing = true;
    if let Some(output) = router.renderer(client_session.id) {
        output.closing_code = code;
    }
    router.close(now, client_session.id, reason);
}

/// Deliveries that what is read of one connection may make before others have their turn: some milliseconds of work.
const WORK: usize = 64 << 10;

/// A request without a time-out is forgotten after this; nanoseconds.
const UNSTATED_TIMEOUT: u64 = 60_000_000_000;
