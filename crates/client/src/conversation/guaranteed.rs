//! Guaranteed delivery: storing, consuming, acknowledging.

use std::ops::Range;

use trunkline_native::{
    self as native, Acknowledge, Release, Store, Stored, encode_acknowledge, encode_delete,
    encode_release,
};

use super::{Conversation, Subscription, Topic};
use crate::consumer::{Consume, Consumer, Kind};
use crate::error::{Error, Result};
use crate::event::{Consuming, Rejection};
use crate::options::Subscribe;
use crate::producer::Producer;

/// Bytes of CONSUME before name and pattern.
const CONSUME_HEAD: usize = 40;

impl Conversation {
    /// Sets the name under which this client stores messages: the same over reconnections and restarts.
    /// [`crate::Event::Producing`] or [`crate::Event::Rejected`] is the answer; store nothing before it.
    ///
    /// A connection has one producer, even after it has ended. A rejected one may be asked for again, and
    /// another one too if no message waits to be stored.
    ///
    /// # Errors
    ///
    /// [`Error::BadName`]; and [`Error::ProducerExists`], which changes nothing.
    pub fn producer(&mut self, name: &str) -> Result<()> {
        check_name(name)?;
        self.state.begin_producer(name)
    }

    /// Stores a message and returns its sequence: 1, 2, 3 and so on for this producer, also over restarts.
    /// The conversation keeps the message until [`crate::Event::Stored`] covers it, and sends it again
    /// after [`Conversation::restart`]. After `time_to_live_ms` milliseconds it need not be delivered any
    /// more; 0 is never.
    ///
    /// # Errors
    ///
    /// [`Error::WindowFull`] until more is acknowledged; [`Error::NoProducer`]; [`Error::TooLong`]; and the
    /// reason why the producer has ended, if it has ([`Conversation::producer_end`]).
    #[inline]
    pub fn store(
        &mut self,
        topic: Topic,
        format: u16,
        payload: &[u8],
        time_to_live_ms: u32,
    ) -> Result<u64> {
        self.check_payload(payload, native::MOST_MESSAGE_HEAD)?;
        let producer = self.state.producer.as_mut().ok_or(Error::NoProducer)?;
        let (alias, sequence, is_repeated) = (topic.0, 0, false);
        let store = Store { alias, time_to_live_ms, sequence, is_repeated, format, payload };
        producer.store(&mut self.state.output, &store)
    }

    /// Why nothing is stored any more: the router has rejected a message for good, so it does not store the
    /// later ones either; or another program has the name. Only [`Conversation::producer`] on a new
    /// connection begins again.
    #[must_use]
    pub fn producer_end(&self) -> Option<Error> {
        self.state.producer.as_ref()?.end()
    }

    /// The last acknowledgement, which covers all messages up to its own.
    #[must_use]
    pub fn acknowledged(&self) -> Option<Stored> {
        self.state.producer.as_ref()?.stored_last()
    }

    /// Sequences of the stored messages that the router has not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> Range<u64> {
        self.state.producer.as_ref().map_or(0..0, Producer::unacknowledged)
    }

    /// Whether the router could not store a message for now ([`crate::code::NOT_DURABLE`], reported by
    /// [`crate::Event::Rejected`]). The caller then waits a while and calls [`Conversation::store_again`].
    /// Until then stored messages stay here.
    #[inline]
    #[must_use]
    pub fn is_pausing(&self) -> bool {
        self.state.producer.as_ref().is_some_and(Producer::is_pausing)
    }

    /// Why stored messages stay here for now.
    #[must_use]
    pub fn held_back(&self) -> Option<&Rejection> {
        self.state.producer.as_ref()?.held_back()
    }

    /// Whether stored messages are held back.
    #[inline]
    pub(crate) fn is_holding(&self) -> bool {
        self.state.producer.as_ref().is_some_and(Producer::is_holding)
    }

    /// Retries what the router could not store.
    pub fn store_again(&mut self) {
        if let Some(producer) = &mut self.state.producer {
            producer.try_again(&mut self.state.output);
        }
    }

    /// Asks for guaranteed messages. [`crate::Event::Consuming`] or [`crate::Event::Rejected`] is the
    /// answer.
    ///
    /// # Errors
    ///
    /// [`Error::BadName`], the pattern does not fit a frame, [`Error::NoPolicies`], a filter or the names of fields are
    /// empty, or the router knows no formats, no filters or no fields.
    pub fn consume(&mut self, how: &Consume) -> Result<Subscription> {
        if !how.name.is_empty() {
            check_name(&how.name)?;
        }
        let wanted = Subscribe { last_values: false, ..how.updates.clone() };
        self.state.check_subscription(&wanted)?;
        let head = CONSUME_HEAD + wanted.text_bytes() + how.name.len();
        self.check_payload(how.pattern.as_bytes(), head)?;
        if how.policy() != native::DeliveryPolicy::NONE {
            self.state.check_policies()?;
        }
        self.stand(Kind::Consumer(Box::new(Consumer::new(how))))
    }

    /// The state of a consumer, once the router has reported it.
    #[must_use]
    pub fn consuming(&self, subscription: Subscription) -> Option<Consuming> {
        match &self.state.subscriptions.get(subscription.0)?.kind {
            Kind::Consumer(consumer) => consumer.consuming,
            Kind::Direct { .. } => None,
        }
    }

    /// Acknowledges the message at a position.
    #[inline]
    pub fn acknowledge(&mut self, subscription: Subscription, position: u64) {
        self.send_acknowledge(subscription, position, false);
    }

    /// Acknowledges every message that was delivered to this client up to a position.
    #[inline]
    pub fn acknowledge_through(&mut self, subscription: Subscription, position: u64) {
        self.send_acknowledge(subscription, position, true);
    }

    fn send_acknowledge(&mut self, subscription: Subscription, position: u64, is_cumulative: bool) {
        let subscription = subscription.0;
        let acknowledge = Acknowledge { subscription, position, is_cumulative };
        encode_acknowledge(&mut self.state.output, &acknowledge);
    }

    /// Gives a message back; the router redelivers it, perhaps to another consumer, after `delay_ms`
    /// milliseconds.
    pub fn release(&mut self, subscription: Subscription, position: u64, delay_ms: u32) {
        let subscription = subscription.0;
        let release = Release { subscription, delay_ms, position };
        encode_release(&mut self.state.output, &release);
    }

    /// Ends a durable subscription for all of its consumers, with its waiting messages.
    ///
    /// # Errors
    ///
    /// [`Error::BadName`].
    pub fn delete(&mut self, name: &str) -> Result<()> {
        check_name(name)?;
        encode_delete(&mut self.state.output, name);
        Ok(())
    }
}

fn check_name(name: &str) -> Result<()> {
    let is_name = (1..=native::NAME_BYTES).contains(&name.len());
    match is_name && !name.contains(char::is_control) {
        true => Ok(()),
        false => Err(Error::BadName(name.to_owned())),
    }
}
