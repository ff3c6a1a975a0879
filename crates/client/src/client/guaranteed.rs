//! Guaranteed delivery: storing, consuming, acknowledging.

use std::ops::Range;
use std::time::{Duration, Instant};

use trunkline_native::{RouterFrame, Stored, kind};
use trunkline_reactor::Deadline;

use super::{Client, GATHERED};
use crate::consumer::Consume;
use crate::conversation::{Conversation, FrameClass, Subscription, Topic};
use crate::error::{Error, Result};
use crate::event::{Consuming, Rejection};

/// How long a producer waits before it retries what the router could not store, and how long a client that
/// only stores goes on before it checks for rejections.
const RETRY: Duration = Duration::from_millis(500);

impl Client {
    /// Sets the name under which this client stores messages. The name stays the same over reconnections
    /// and restarts, and belongs to one client at a time. Returns the sequence of the last stored message
    /// of this name, 0 if there is none; the next message gets the following sequence.
    ///
    /// # Errors
    ///
    /// If the router rejects it, or the name is not valid; and [`Error::ProducerExists`] for a second
    /// producer on a connection, which changes nothing.
    pub fn producer(&mut self, name: &str) -> Result<u64> {
        self.conversation.producer(name)?;
        self.retry_at = None;
        let answered = "answer to PRODUCER";
        self.wait_for(answered, self.options.timeout, |frame| match frame {
            RouterFrame::Producing(it) => FrameClass::Answer(Ok(it.last)),
            RouterFrame::Rejected(it) if it.of == kind::PRODUCER => {
                FrameClass::Answer(Err(Error::Rejected((*it).into())))
            }
            _ => FrameClass::Other,
        })?
    }

    /// Stores a message, and returns its sequence, which [`Client::wait_stored`] and
    /// [`crate::Event::Stored`] use. The message is sent at once. The client keeps it, and sends it again
    /// after [`Client::reconnect`], until the router has acknowledged it. If the window is full, the call
    /// waits for acknowledgements. If the connection stays full, or the router cannot store for now, this
    /// call or any other that sends will send it later.
    ///
    /// # Errors
    ///
    /// If there is no producer or it has ended ([`crate::Event::Rejected`] gave the reason), the message is
    /// too long, or no acknowledgement makes room in time. Then the client has not taken the message, and
    /// it has no sequence.
    ///
    /// A final error ([`Error::is_final`]) is about the connection and says nothing about the message. If
    /// the message was taken before the connection was lost, it is among [`Client::unacknowledged`], and
    /// [`Client::reconnect`] stores it: storing it again would duplicate it.
    pub fn store(&mut self, topic: Topic, format: u16, payload: &[u8]) -> Result<u64> {
        self.put(topic, format, payload, None, 0)
    }

    /// As [`Client::store`], with a time to live: after it, the message need not be delivered.
    ///
    /// # Errors
    ///
    /// As [`Client::store`].
    pub fn store_for(
        &mut self,
        topic: Topic,
        format: u16,
        payload: &[u8],
        time_to_live: Duration,
    ) -> Result<u64> {
        self.put(topic, format, payload, Some(time_to_live), 0)
    }

    /// Stores a message in a batch. [`Client::flush`], any other call that sends, or 64 KiB in the batch send it.
    /// `None` is no time to live.
    ///
    /// # Errors
    ///
    /// As [`Client::store`].
    #[inline]
    pub fn enqueue_store(
        &mut self,
        topic: Topic,
        format: u16,
        payload: &[u8],
        time_to_live: Option<Duration>,
    ) -> Result<u64> {
        self.put(topic, format, payload, time_to_live, GATHERED)
    }

    /// Takes a message once there is room for it, and sends the batch if it is more than this.
    #[inline]
    fn put(
        &mut self,
        topic: Topic,
        format: u16,
        payload: &[u8],
        time_to_live: Option<Duration>,
        gathered: usize,
    ) -> Result<u64> {
        let milliseconds = time_to_live.map_or(0, |time| milliseconds(time).max(1));
        if self.conversation.is_holding() {
            self.go_on()?;
        }
        loop {
            match self.conversation.store(topic, format, payload, milliseconds) {
                Ok(sequence) => return self.send_taken(gathered).map(|()| sequence),
                Err(Error::WindowFull { .. }) => self.wait_for_room()?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends the batch if it is more than this, with a message that is taken: what cannot be sent now is
    /// sent later, and the caller must not repeat it.
    #[inline]
    fn send_taken(&mut self, gathered: usize) -> Result<()> {
        if self.conversation.output().len() <= gathered {
            return Ok(());
        }
        let sent = match self.flush() {
            Ok(()) if self.received_at.elapsed() >= RETRY => self.go_on(),
            sent => sent,
        };
        sent.or_else(|error| if error.is_final() { Err(error) } else { Ok(()) })
    }

    /// Processes what the router says, without waiting, for programs that only store: the router may reject
    /// something, and meanwhile nothing is sent.
    #[cold]
    fn go_on(&mut self) -> Result<()> {
        self.received_at = Instant::now();
        self.keep_trying();
        self.look_in().or_else(|error| if error.is_final() { Err(error) } else { Ok(()) })
    }

    /// Waits for an acknowledgement.
    #[cold]
    fn wait_for_room(&mut self) -> Result<()> {
        let first = self.conversation.unacknowledged().start;
        self.wait_until("room for the producer", self.options.timeout, |conversation| {
            conversation.unacknowledged().start > first
        })
    }

    /// Waits until a message and all before it are acknowledged, and returns the acknowledgement: the
    /// durability, and the position of the last message that it covers. What a former connection stored, as
    /// [`Client::producer`] says, is not acknowledged on this one; see [`Client::unacknowledged`].
    ///
    /// # Errors
    ///
    /// If the producer or the connection has ended, or the acknowledgement does not come in time.
    pub fn wait_stored(&mut self, sequence: u64, timeout: Duration) -> Result<Stored> {
        let covers = |it: &Stored| it.sequence >= sequence;
        self.wait_until("acknowledgement of what is stored", timeout, |conversation| {
            conversation.acknowledged().as_ref().is_some_and(covers)
        })?;
        self.conversation.acknowledged().ok_or(Error::NoProducer)
    }

    /// The last acknowledgement, which covers all messages up to its own.
    #[must_use]
    pub fn acknowledged(&self) -> Option<Stored> {
        self.conversation.acknowledged()
    }

    /// Sequences of the stored messages that the router has not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> Range<u64> {
        self.conversation.unacknowledged()
    }

    /// Why stored messages stay here for now: the router has rejected one, and the client retries from time
    /// to time.
    #[must_use]
    pub fn held_back(&self) -> Option<&Rejection> {
        self.conversation.held_back()
    }

    /// Sends and receives until a condition holds.
    fn wait_until(
        &mut self,
        waiting_for: &'static str,
        timeout: Duration,
        mut is_so: impl FnMut(&Conversation) -> bool,
    ) -> Result<()> {
        let deadline = Deadline::after(Some(timeout));
        loop {
            self.conversation.look_for(|_| FrameClass::<()>::Other)?;
            if is_so(&self.conversation) {
                return self.write_little();
            }
            if let Some(error) = self.conversation.producer_end() {
                return Err(error);
            }
            let retry = self.keep_trying();
            if !self.conversation.output().is_empty() {
                self.write_part()?;
            } else if !self.read_before(sooner(deadline, retry))? && deadline.is_over() {
                let because = self.held_back().cloned();
                return Err(Error::TimedOut { waiting_for, because });
            }
        }
    }

    /// Retries what the router could not store, if it is time; otherwise returns when it will be.
    #[inline]
    pub(super) fn keep_trying(&mut self) -> Option<Instant> {
        if !self.conversation.is_pausing() {
            return None;
        }
        let now = Instant::now();
        let at = *self.retry_at.get_or_insert(now + RETRY);
        if now < at {
            return Some(at);
        }
        self.retry_at = None;
        self.conversation.store_again();
        None
    }

    /// Asks for guaranteed messages, and waits until the consumer is active. [`Client::consuming`] returns
    /// its state.
    ///
    /// # Errors
    ///
    /// If the router rejects it, or the name is not valid.
    pub fn consume(&mut self, how: &Consume) -> Result<Subscription> {
        let made = self.conversation.consume(how)?;
        let number = made.number();
        let answered = "answer to CONSUME";
        let answer = self.wait_for(answered, self.options.timeout, |frame| match frame {
            RouterFrame::Consuming(it) if it.subscription == number => FrameClass::Answer(Ok(made)),
            RouterFrame::Rejected(it) if it.of == kind::CONSUME && it.id == number.into() => {
                FrameClass::Answer(Err(Error::Rejected((*it).into())))
            }
            _ => FrameClass::Other,
        });
        if matches!(answer, Err(Error::TimedOut { .. } | Error::Aside { .. })) {
            self.conversation.unsubscribe(made);
        }
        answer?
    }

    /// The last state of a consumer that the router reported.
    #[must_use]
    pub fn consuming(&self, subscription: Subscription) -> Option<Consuming> {
        self.conversation.consuming(subscription)
    }

    /// Acknowledges the message at a position: it is not delivered again. The acknowledgement is sent
    /// with the next [`Client::flush`] or [`Client::receive`], or when 64 KiB have gathered.
    ///
    /// # Errors
    ///
    /// If the connection is lost or stays full.
    #[inline]
    pub fn acknowledge(&mut self, subscription: Subscription, position: u64) -> Result<()> {
        self.conversation.acknowledge(subscription, position);
        self.flush_beyond(GATHERED)
    }

    /// As [`Client::acknowledge`], cumulatively: all messages that were delivered to this client up to a
    /// position.
    ///
    /// # Errors
    ///
    /// As [`Client::acknowledge`].
    #[inline]
    pub fn acknowledge_through(&mut self, subscription: Subscription, position: u64) -> Result<()> {
        self.conversation.acknowledge_through(subscription, position);
        self.flush_beyond(GATHERED)
    }

    /// Gives a message back: the router redelivers it, perhaps to another consumer, and not before the
    /// delay is over. It is sent as [`Client::acknowledge`] is.
    ///
    /// # Errors
    ///
    /// As [`Client::acknowledge`].
    pub fn release(
        &mut self,
        subscription: Subscription,
        position: u64,
        delay: Duration,
    ) -> Result<()> {
        self.conversation.release(subscription, position, milliseconds(delay));
        self.flush_beyond(GATHERED)
    }

    /// Ends a durable subscription for all of its consumers, with its waiting messages.
    ///
    /// # Errors
    ///
    /// If the router rejects it: no subscription has this name.
    pub fn delete(&mut self, name: &str) -> Result<()> {
        self.conversation.delete(name)?;
        self.barrier(|frame| match frame {
            RouterFrame::Rejected(it) if it.of == kind::DELETE => {
                FrameClass::Answer(Rejection::from(*it))
            }
            _ => FrameClass::Other,
        })
    }
}

/// The deadline, or an earlier time.
pub(super) fn sooner(deadline: Deadline, time: Option<Instant>) -> Deadline {
    match (deadline, time) {
        (Deadline::Never, Some(time)) => Deadline::At(time),
        (Deadline::At(end), Some(time)) => Deadline::At(end.min(time)),
        _ => deadline,
    }
}

/// In the unit of frames.
fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
