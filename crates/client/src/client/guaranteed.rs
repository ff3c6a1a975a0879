//! Guaranteed delivery: storing, consuming, acknowledging.

use std::ops::Range;
use std::time::{Duration, Instant};

use trunkline_native::{RouterFrame, Stored, kind};
use trunkline_reactor::Deadline;

use super::{Client, GATHERED};
use crate::consumer::Consume;
use crate::conversation::{Conversation, Look, Subscription, Topic};
use crate::error::{Error, Result};
use crate::event::{Consuming, Refusal};

/// How long a producer waits before it tries again what the router could not store, and how long one that
/// only stores goes on before it looks whether there is such.
const RETRY: Duration = Duration::from_millis(500);

impl Client {
    /// Says under which name this client stores messages: the same over reconnections and restarts,
    /// and one client's at a time. Gives the sequence of the last message of this name that is stored, 0
    /// if there is none; the next that is stored gets the one behind it.
    ///
    /// # Errors
    ///
    /// If it is refused, or the name is none; and [`Error::ProducerExists`] for a second one on a connection,
    /// with which nothing has changed.
    pub fn producer(&mut self, name: &str) -> Result<u64> {
        self.conversation.producer(name)?;
        self.retry_at = None;
        let answered = "answer to PRODUCER";
        self.wait_for(answered, self.options.timeout, |frame| match frame {
            RouterFrame::Producing(it) => Look::Answer(Ok(it.last)),
            RouterFrame::Refused(it) if it.of == kind::PRODUCER => {
                Look::Answer(Err(Error::Refused((*it).into())))
            }
            _ => Look::Other,
        })?
    }

    /// Stores a message, and gives its sequence, by which [`Client::wait_stored`] and
    /// [`crate::Event::Stored`] call it. It is sent at once, and kept here and sent again after
    /// [`Client::reconnect`] until the router has acknowledged it. Waits for acknowledgements if as
    /// much is on its way as may be. Where the connection stays full, or the router cannot store for now,
    /// it is sent later, by this call or any other that sends.
    ///
    /// # Errors
    ///
    /// If there is no producer or it has ended ([`crate::Event::Refused`] said why), the message is too
    /// long, or there are no acknowledgements in time, so that there is no room for it: then it is not
    /// taken, and has no sequence.
    ///
    /// An error that is final ([`Error::is_final`]) says nothing of the message but of the connection. If
    /// the message was taken before that was lost, it is among [`Client::unacknowledged`], and is stored by
    /// [`Client::reconnect`]: who stores it once more then has it twice.
    pub fn store(&mut self, topic: Topic, format: u16, payload: &[u8]) -> Result<u64> {
        self.put(topic, format, payload, None, 0)
    }

    /// As [`Client::store`], for a message that need not be delivered when a time is over.
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

    /// Stores a message with others: it is sent by [`Client::flush`], by any other call that sends, or
    /// when 64 KiB have gathered. `None` lives for ever.
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

    /// Takes a message once there is room for it, and sends what has gathered if it is more than this.
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

    /// Sends what has gathered if it is more than this, with a message that is taken: what cannot be sent
    /// now is sent later, and not for the caller to try again.
    #[inline]
    fn send_taken(&mut self, gathered: usize) -> Result<()> {
        if self.conversation.output().len() <= gathered {
            return Ok(());
        }
        let sent = match self.flush() {
            Ok(()) if self.heard_at.elapsed() >= RETRY => self.go_on(),
            sent => sent,
        };
        sent.or_else(|error| if error.is_final() { Err(error) } else { Ok(()) })
    }

    /// Hears what the router says, without waiting, for programs that only store: something may be refused,
    /// and while it is nothing is sent.
    #[cold]
    fn go_on(&mut self) -> Result<()> {
        self.heard_at = Instant::now();
        self.keep_trying();
        self.look_in().or_else(|error| if error.is_final() { Err(error) } else { Ok(()) })
    }

    /// Waits until something is acknowledged.
    #[cold]
    fn wait_for_room(&mut self) -> Result<()> {
        let first = self.conversation.unacknowledged().start;
        self.wait_until("room for the producer", self.options.timeout, |conversation| {
            conversation.unacknowledged().start > first
        })
    }

    /// Waits until a message is acknowledged, and with it all before, and gives the acknowledgement: how
    /// durable they are, and where the last message that it covers is.
    ///
    /// # Errors
    ///
    /// If the producer has ended, or the connection; or it is not acknowledged in time.
    pub fn wait_stored(&mut self, sequence: u64, timeout: Duration) -> Result<Stored> {
        let covers = |it: &Stored| it.sequence >= sequence;
        self.wait_until("acknowledgement of what is stored", timeout, |conversation| {
            conversation.acknowledged().as_ref().is_some_and(covers)
        })?;
        self.conversation.acknowledged().ok_or(Error::NoProducer)
    }

    /// The last acknowledgement, which covers everything that was stored before.
    #[must_use]
    pub fn acknowledged(&self) -> Option<Stored> {
        self.conversation.acknowledged()
    }

    /// Sequences of the messages that are stored here and not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> Range<u64> {
        self.conversation.unacknowledged()
    }

    /// Why what is stored stays here for now: the router has refused it, and is asked again from time to time.
    #[must_use]
    pub fn held_back(&self) -> Option<&Refusal> {
        self.conversation.held_back()
    }

    /// Sends and hears until something is so.
    fn wait_until(
        &mut self,
        waiting_for: &'static str,
        timeout: Duration,
        mut is_so: impl FnMut(&Conversation) -> bool,
    ) -> Result<()> {
        let deadline = Deadline::after(Some(timeout));
        loop {
            self.conversation.look_for(|_| Look::<()>::Other)?;
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

    /// Tries again what the router could not store, if it is time; else says when it will be.
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

    /// Asks for guaranteed messages, and waits until the router delivers them. [`Client::consuming`]
    /// says how the consumer stands.
    ///
    /// # Errors
    ///
    /// If it is refused, or the name is none.
    pub fn consume(&mut self, how: &Consume) -> Result<Subscription> {
        let made = self.conversation.consume(how)?;
        let number = made.number();
        let answered = "answer to CONSUME";
        let answer = self.wait_for(answered, self.options.timeout, |frame| match frame {
            RouterFrame::Consuming(it) if it.subscription == number => Look::Answer(Ok(made)),
            RouterFrame::Refused(it) if it.of == kind::CONSUME && it.id == number.into() => {
                Look::Answer(Err(Error::Refused((*it).into())))
            }
            _ => Look::Other,
        });
        if matches!(answer, Err(Error::TimedOut { .. } | Error::Aside { .. })) {
            self.conversation.unsubscribe(made);
        }
        answer?
    }

    /// What the router said last of how a consumer stands.
    #[must_use]
    pub fn consuming(&self, subscription: Subscription) -> Option<Consuming> {
        self.conversation.consuming(subscription)
    }

    /// This client has done with the message at a position: it is not delivered again. It is said with
    /// the next [`Client::flush`] or [`Client::receive`], or when 64 KiB have gathered.
    ///
    /// # Errors
    ///
    /// If the connection is lost or stays full.
    #[inline]
    pub fn acknowledge(&mut self, subscription: Subscription, position: u64) -> Result<()> {
        self.conversation.acknowledge(subscription, position);
        self.flush_beyond(GATHERED)
    }

    /// As [`Client::acknowledge`], of all messages that were delivered to this client up to a position.
    ///
    /// # Errors
    ///
    /// As [`Client::acknowledge`].
    #[inline]
    pub fn acknowledge_through(&mut self, subscription: Subscription, position: u64) -> Result<()> {
        self.conversation.acknowledge_through(subscription, position);
        self.flush_beyond(GATHERED)
    }

    /// Gives a message back: it is delivered again, perhaps to another consumer, and not before a time is
    /// over. It is said as [`Client::acknowledge`] is.
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

    /// Ends a durable subscription for all of its consumers, with what waits in it.
    ///
    /// # Errors
    ///
    /// If it is refused: there is none of this name.
    pub fn delete(&mut self, name: &str) -> Result<()> {
        self.conversation.delete(name)?;
        self.barrier(|frame| match frame {
            RouterFrame::Refused(it) if it.of == kind::DELETE => Look::Answer(Refusal::from(*it)),
            _ => Look::Other,
        })
    }
}

/// The deadline, or a time that is before it.
pub(super) fn sooner(deadline: Deadline, time: Option<Instant>) -> Deadline {
    match (deadline, time) {
        (Deadline::Never, Some(time)) => Deadline::At(time),
        (Deadline::At(end), Some(time)) => Deadline::At(end.min(time)),
        _ => deadline,
    }
}

/// As frames have them.
fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
