//! The state of a conversation, and how a frame of the router changes it.

use std::collections::HashSet;

use trunkline_native::{
    self as native, Clock, RouterFrame, Welcome, code, encode_forget, encode_pong, encode_topic,
    kind,
};

use crate::consumer::{Consumer, SubscriptionState};
use crate::conversation::Subscription;
use crate::error::{Error, Result};
use crate::names::Names;
use crate::numbers::Numbers;
use crate::options::Subscribe;
use crate::producer::{Producer, SETTLED};

/// The state of a conversation besides its input.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The bytes to send.
    pub(crate) output: Vec<u8>,
    /// Names of the router's topics.
    pub(crate) names: Names,
    /// Topics of this client, by alias.
    pub(crate) topics: Numbers<Box<str>>,
    pub(crate) subscriptions: Numbers<SubscriptionState>,
    pub(crate) producer: Option<Producer>,
    /// Requests that wait for their answers.
    pub(crate) requests: HashSet<u64>,
    pub(crate) welcome: Option<Welcome>,
    /// Conflated messages that were delivered on this connection, and how many of them were reported to the
    /// router.
    pub(crate) handed: u64,
    pub(crate) reported: u64,
    /// The last answer of the router's clock.
    pub(crate) clock: Option<Clock>,
    /// Code and reason.
    pub(crate) closed: Option<(u16, String)>,
    /// Topics and subscriptions have to be announced once the router has accepted this client again.
    announces: bool,
}

/// What a frame means to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Nothing.
    Inside,
    /// The event of its kind.
    Event,
    /// [`crate::Event::Ended`].
    Ended(Subscription),
}

impl State {
    /// Forgets everything but topics, subscriptions, and a producer's messages.
    pub(crate) fn restart(&mut self) {
        match &mut self.producer {
            Some(producer) if producer.end().is_none() => producer.restart(),
            _ => self.end_producer(),
        }
        self.subscriptions.retain(SubscriptionState::restart);
        self.output.clear();
        self.names.clear();
        self.requests.clear();
        self.welcome = None;
        (self.handed, self.reported, self.clock) = (0, 0, None);
        self.closed = None;
        self.announces = true;
    }

    /// Learns what a frame says to the producer, as soon as it comes; false if the frame is not for it.
    pub(crate) fn receive_frame(&mut self, frame: &RouterFrame<'_>) -> Result<bool> {
        let Some(producer) = &mut self.producer else { return Ok(false) };
        match frame {
            RouterFrame::Stored(stored) => {
                producer.acknowledge(stored, &mut self.output)?;
                self.forget_topics();
            }
            RouterFrame::Rejected(rejected) if rejected.of == kind::STORE => {
                producer.reject(rejected, &mut self.output);
            }
            RouterFrame::Pong(SETTLED) => producer.settled(&mut self.output),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Begins a producer; a connection has one.
    pub(crate) fn begin_producer(&mut self, name: &str) -> Result<()> {
        if let Some(producer) = &mut self.producer {
            let is_same = producer.name() == name;
            if producer.is_announced() || !is_same && !producer.unacknowledged().is_empty() {
                return Err(Error::ProducerExists(producer.name().to_owned()));
            }
            if !is_same {
                self.end_producer();
            }
        }
        let producer = self.producer.get_or_insert_with(|| Producer::new(name));
        // After a reconnection it is announced when the router has accepted this client.
        if !self.announces {
            producer.announce(&mut self.output);
        }
        Ok(())
    }

    /// Forgets the producer and its messages.
    pub(crate) fn end_producer(&mut self) {
        if let Some(producer) = &mut self.producer {
            producer.give_up();
        }
        self.forget_topics();
        self.producer = None;
    }

    /// Releases the aliases that no kept message needs any more.
    fn forget_topics(&mut self) {
        while let Some(alias) = self.producer.as_mut().and_then(Producer::forgotten) {
            self.topics.remove(alias);
            encode_forget(&mut self.output, alias);
        }
    }

    /// Learns what a frame says, and returns what it means to the user.
    pub(crate) fn take(&mut self, frame: &RouterFrame<'_>) -> Result<Taken> {
        match frame {
            RouterFrame::Topic(topic) => {
                if !self.names.set(topic.alias, topic.name) {
                    let what = format!("a topic of the number {}", topic.alias);
                    return Err(Error::Broken(what));
                }
                return Ok(Taken::Inside);
            }
            RouterFrame::Ping(token) => {
                encode_pong(&mut self.output, *token);
                return Ok(Taken::Inside);
            }
            RouterFrame::Clock(clock) => {
                self.clock = Some(*clock);
                return Ok(Taken::Inside);
            }
            RouterFrame::Message(message) if message.conflation.is_some() => self.handed += 1,
            RouterFrame::LastValues(_) | RouterFrame::Notice(_) => {}
            RouterFrame::Reply(reply) if !self.requests.remove(&reply.correlation) => {
                return Ok(Taken::Inside);
            }
            RouterFrame::Rejected(rejected) if !self.take_rejected(rejected) => {
                return Ok(Taken::Inside);
            }
            RouterFrame::Welcome(welcome) => self.take_welcome(welcome)?,
            RouterFrame::Unsubscribed(number) => {
                let ended = self.subscriptions.remove(*number);
                if ended.is_some_and(|mut it| !it.is_left && it.consumer().is_some()) {
                    return Ok(Taken::Ended(Subscription(*number)));
                }
            }
            RouterFrame::Closing(closing) => {
                self.closed = Some((closing.code, closing.text.to_owned()));
            }
            RouterFrame::Producing(producing) => match &mut self.producer {
                Some(producer) => producer.producing(producing, &mut self.output),
                None => return Err(Error::Broken("PRODUCING without a PRODUCER".to_owned())),
            },
            RouterFrame::Consuming(consuming) => {
                if let Some(consumer) = self.consumer(consuming.subscription) {
                    consumer.confirm((*consuming).into());
                }
            }
            RouterFrame::Delivery(delivery) => self.has_seen(delivery),
            RouterFrame::Reply(_)
            | RouterFrame::Rejected(_)
            | RouterFrame::Message(_)
            | RouterFrame::Gap(_)
            | RouterFrame::Subscribed(_)
            | RouterFrame::Pong(_)
            | RouterFrame::Stored(_)
            | RouterFrame::Confirmed(_)
            | RouterFrame::Acknowledged(_)
            | RouterFrame::Lost(_) => {}
        }
        Ok(Taken::Event)
    }

    #[inline]
    pub(crate) fn consumer(&mut self, number: u32) -> Option<&mut Consumer> {
        self.subscriptions.get_mut(number)?.consumer()
    }

    /// Notes a delivered message.
    #[inline]
    pub(crate) fn has_seen(&mut self, delivery: &native::Delivery<'_>) {
        if let Some(consumer) = self.consumer(delivery.subscription) {
            consumer.has_seen(delivery.position);
        }
    }

    /// Releases what a rejected frame had taken; false for a request that nobody waits for.
    fn take_rejected(&mut self, rejected: &native::Rejected<'_>) -> bool {
        let number = rejected.id as u32;
        match rejected.of {
            // The earlier holder of the number keeps it.
            kind::TOPIC | kind::SUBSCRIBE if rejected.code == code::IN_USE => {}
            kind::CONSUME
                if rejected.code == code::IN_USE
                    && self.consumer(number).is_some_and(|it| it.is_confirmed) => {}
            kind::TOPIC => _ = self.topics.remove(number),
            // The router rejects an UNSUBSCRIBE if it has ended the subscription, which it reports
            // separately: that report frees the number, once.
            kind::SUBSCRIBE | kind::CONSUME => _ = self.subscriptions.remove(number),
            // A producer that has stored before keeps its messages for the next connection.
            kind::PRODUCER => _ = self.producer.take_if(|it| !it.is_kept_when_rejected()),
            kind::REQUEST => return self.requests.remove(&rejected.id),
            _ => {}
        }
        true
    }

    /// Whether the router knows last values; before it has answered it may.
    pub(crate) fn check_last_values(&self) -> Result<()> {
        let knows = self.welcome.is_none_or(|welcome| welcome.features.last_values);
        if knows { Ok(()) } else { Err(Error::NoLastValues) }
    }

    /// Whether the router knows what a subscription asks for; before it has answered it may.
    pub(crate) fn check_subscription(&self, how: &Subscribe) -> Result<()> {
        if [&how.filter, &how.fields].into_iter().flatten().any(|it| it.is_empty()) {
            return Err(Error::EmptyText);
        }
        if how.last_values {
            self.check_last_values()?;
        }
        let Some(Welcome { features, .. }) = &self.welcome else { return Ok(()) };
        match how {
            _ if how.format.is_some() && !features.formats => Err(Error::NoFormats),
            _ if how.filter.is_some() && !features.filters => Err(Error::NoFilters),
            _ if how.fields.is_some() && !features.fields => Err(Error::NoFields),
            _ => Ok(()),
        }
    }

    /// Whether consumers may ask for a policy; before the router has answered they may.
    pub(crate) fn check_policies(&self) -> Result<()> {
        let knows = self.welcome.is_none_or(|welcome| welcome.features.policies);
        if knows { Ok(()) } else { Err(Error::NoPolicies) }
    }

    fn take_welcome(&mut self, welcome: &Welcome) -> Result<()> {
        if welcome.version != native::VERSION {
            let version = welcome.version;
            return Err(Error::Broken(format!("it speaks version {version} of the protocol")));
        }
        self.welcome = Some(*welcome);
        if std::mem::take(&mut self.announces) {
            if self.topics.end() > welcome.topics {
                return Err(Error::TooManyTopics { limit: welcome.topics });
            }
            for (alias, name) in self.topics.iter() {
                encode_topic(&mut self.output, alias, name);
            }
            for (number, subscription) in self.subscriptions.iter() {
                self.check_subscription(subscription.wanted())?;
                if subscription.wants_policy() {
                    self.check_policies()?;
                }
                subscription.announce(&mut self.output, number);
            }
            if let Some(producer) = &mut self.producer {
                producer.announce(&mut self.output);
            }
        }
        Ok(())
    }
}
