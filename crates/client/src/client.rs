//! A client of a router: one connection, one thread.

mod exchange;
mod freshness;
mod guaranteed;

use std::collections::HashSet;
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use trunkline_native::{RouterFrame, Welcome, format, kind};
use trunkline_reactor::{Address, Deadline, Stream};

use self::exchange::open;
use self::guaranteed::sooner;
use crate::conversation::{Conversation, FrameClass, Subscription, Topic};
use crate::error::{Error, Result};
use crate::event::{Event, Rejection, Reply, RequestId};
use crate::freshness::Freshness;
use crate::options::{Options, Subscribe};

/// Bytes that [`Client::enqueue`] gathers before it sends them.
const GATHERED: usize = 64 << 10;

/// In a program that only publishes: the number of writes after which it checks whether the router has sent
/// something.
const WRITES_BETWEEN_LOOKS: u32 = 256;

/// A client of a router.
///
/// All calls run on the calling thread. While a call waits for an answer, it sets incoming messages aside;
/// the next [`Client::receive`] delivers them. A program must call something now and then (best `receive`):
/// the router ends a connection that gives no sign of life.
#[derive(Debug)]
pub struct Client {
    conversation: Conversation,
    stream: Stream,
    address: Address,
    options: Options,
    /// Writes since the last read.
    writes: u32,
    last_ping: u64,
    /// When the producer retries what the router could not store.
    retry_at: Option<Instant>,
    /// The zero of this client's times.
    epoch: Instant,
    freshness: Freshness,
    /// When something was read last, while the router's clock is asked.
    read_at: u64,
    /// When a storing call last checked what the router says.
    received_at: Instant,
}

impl Client {
    /// Connects and waits until the router has taken the client. Addresses look like
    /// `tcp://127.0.0.1:7400`, `unix:///path` and `shm:///path`.
    ///
    /// # Errors
    ///
    /// If nobody listens there, the listener is not a router, it rejects the client, or it does not answer
    /// in time.
    pub fn connect(address: &str, options: &Options) -> Result<Self> {
        let address = Address::from_str(address).map_err(Error::Address)?;
        let stream = open(&address, options)?;
        let mut client = Self {
            conversation: Conversation::new(options),
            stream,
            address,
            options: options.clone(),
            writes: 0,
            last_ping: 0,
            retry_at: None,
            epoch: Instant::now(),
            freshness: Freshness::default(),
            read_at: 0,
            received_at: Instant::now(),
        };
        client.greet()?;
        client.ask_clock()?;
        Ok(client)
    }

    /// Reconnects after the connection was lost, and announces all topics, subscriptions and the producer
    /// to the router; they stay valid. Messages that were published meanwhile do not come, and unsent ones
    /// are lost. But stored messages without an acknowledgement are sent again, durable subscriptions
    /// resume where they were, and replays resume behind what was received. A producer that has ended is
    /// not announced.
    ///
    /// # Errors
    ///
    /// As for [`Client::connect`]; the first rejection of a topic, a subscription or the producer; and
    /// [`Error::Sequence`].
    pub fn reconnect(&mut self) -> Result<()> {
        self.stream = open(&self.address, &self.options)?;
        self.conversation.restart();
        (self.writes, self.retry_at) = (0, None);
        self.freshness = Freshness::default();
        self.greet()?;
        self.barrier(|frame| match frame {
            RouterFrame::Subscribed(_) | RouterFrame::Consuming(_) | RouterFrame::Producing(_) => {
                FrameClass::Part
            }
            RouterFrame::Rejected(rejected)
                if matches!(
                    rejected.of,
                    kind::TOPIC | kind::SUBSCRIBE | kind::CONSUME | kind::PRODUCER
                ) =>
            {
                FrameClass::Answer(Rejection::from(*rejected))
            }
            _ => FrameClass::Other,
        })?;
        // Not earlier, because a rejection that comes before the time would be set aside.
        self.ask_clock()?;
        self.conversation.producer_end().map_or(Ok(()), Err)
    }

    /// Waits until the router has accepted the client. The calls that wait for answers send the
    /// announcements.
    fn greet(&mut self) -> Result<()> {
        self.find_answer("answer to HELLO", self.options.timeout, |frame| match frame {
            RouterFrame::Welcome(_) => FrameClass::Answer(()),
            _ => FrameClass::Other,
        })
    }

    /// What the router said when it took this client.
    #[must_use]
    pub fn welcome(&self) -> Option<&Welcome> {
        self.conversation.welcome()
    }

    /// The router's address.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Gives a number to a topic, to publish to it, and waits until the router has accepted the name.
    ///
    /// # Errors
    ///
    /// If the name is rejected.
    pub fn topic(&mut self, name: &str) -> Result<Topic> {
        Ok(self.topics(&[name])?[0])
    }

    /// As [`Client::topic`] for many names, with a single wait.
    ///
    /// # Errors
    ///
    /// If a name is rejected; then no name gets a number.
    pub fn topics(&mut self, names: &[impl AsRef<str>]) -> Result<Vec<Topic>> {
        let mut topics = Vec::with_capacity(names.len());
        // Sent with the barrier, which processes every answer.
        let requested = names.iter().try_for_each(|name| -> Result<()> {
            topics.push(self.conversation.topic(name.as_ref())?);
            Ok(())
        });
        let mut rejected = HashSet::new();
        let taken = requested.and_then(|()| {
            self.barrier(|frame| match frame {
                RouterFrame::Rejected(it) if it.of == kind::TOPIC => {
                    rejected.insert(it.id);
                    FrameClass::Answer(Rejection::from(*it))
                }
                _ => FrameClass::Other,
            })
        });
        if let Err(error) = taken {
            topics.retain(|it| !rejected.contains(&it.number().into()));
            topics.into_iter().for_each(|topic| self.forget(topic));
            return Err(error);
        }
        Ok(topics)
    }

    /// Releases the number of a topic. Do not publish to it afterwards.
    pub fn forget(&mut self, topic: Topic) {
        self.conversation.forget(topic);
    }

    /// Publishes a message of no particular format, at once.
    ///
    /// # Errors
    ///
    /// If it is too long, or the connection is lost or stays full.
    #[inline]
    pub fn publish(&mut self, topic: Topic, payload: &[u8]) -> Result<()> {
        self.publish_as(topic, format::OPAQUE, payload)
    }

    /// Publishes a message, at once, with the format of its payload ([`crate::format`]).
    ///
    /// # Errors
    ///
    /// As [`Client::publish`].
    #[inline]
    pub fn publish_as(&mut self, topic: Topic, format: u16, payload: &[u8]) -> Result<()> {
        self.conversation.publish(topic, format, payload)?;
        self.flush()
    }

    /// Publishes a message that clears the last value of its topic, at once: subscribers get it, and those
    /// who subscribe later get no last value.
    ///
    /// # Errors
    ///
    /// As [`Client::publish`], and if the router knows no last values.
    pub fn publish_and_clear(&mut self, topic: Topic, format: u16, payload: &[u8]) -> Result<()> {
        self.conversation.publish_and_clear(topic, format, payload)?;
        self.flush()
    }

    /// Publishes a message in a batch. [`Client::flush`], any other call that sends, or 64 KiB in the batch send
    /// it.
    ///
    /// # Errors
    ///
    /// As [`Client::publish`].
    #[inline]
    pub fn enqueue(&mut self, topic: Topic, payload: &[u8]) -> Result<()> {
        self.enqueue_as(topic, format::OPAQUE, payload)
    }

    /// As [`Client::enqueue`], with the format of the payload ([`crate::format`]).
    ///
    /// # Errors
    ///
    /// As [`Client::publish`].
    #[inline]
    pub fn enqueue_as(&mut self, topic: Topic, format: u16, payload: &[u8]) -> Result<()> {
        self.conversation.publish(topic, format, payload)?;
        self.flush_beyond(GATHERED)
    }

    /// Sends the batch. When it returns, the system has all of it.
    ///
    /// # Errors
    ///
    /// If the connection is lost or stays full; in the second case the caller may repeat the call.
    pub fn flush(&mut self) -> Result<()> {
        self.write(self.options.timeout)?;
        self.writes += 1;
        if self.writes > WRITES_BETWEEN_LOOKS {
            self.writes = 0;
            self.look_in()?;
        }
        Ok(())
    }

    /// Waits until the router has processed everything that was sent before.
    ///
    /// # Errors
    ///
    /// If the connection is lost or there is no answer in time.
    pub fn synchronise(&mut self) -> Result<()> {
        self.barrier(|_| FrameClass::Other)
    }

    /// Subscribes to a pattern, and waits until the subscription is active.
    ///
    /// # Errors
    ///
    /// If it is rejected.
    pub fn subscribe(&mut self, pattern: &str, how: &Subscribe) -> Result<Subscription> {
        Ok(self.subscribe_each(&[pattern], how)?[0])
    }

    /// As [`Client::subscribe`] for many patterns, with a single wait. The subscriptions' numbers rise in
    /// the order of the patterns if none was ended before.
    ///
    /// # Errors
    ///
    /// If one is rejected; then the others are ended.
    pub fn subscribe_each(
        &mut self,
        patterns: &[impl AsRef<str>],
        how: &Subscribe,
    ) -> Result<Vec<Subscription>> {
        let mut made = Vec::with_capacity(patterns.len());
        let requested = patterns.iter().try_for_each(|pattern| -> Result<()> {
            made.push(self.conversation.subscribe(pattern.as_ref(), how)?);
            Ok(())
        });
        let mut rejected = HashSet::new();
        let numbers: HashSet<u64> = made.iter().map(|it| it.number().into()).collect();
        let stand = requested.and_then(|()| {
            self.barrier(|frame| match frame {
                RouterFrame::Subscribed(_) => FrameClass::Part,
                // The router may reject an older one meanwhile, which is an event.
                RouterFrame::Rejected(it)
                    if it.of == kind::SUBSCRIBE && numbers.contains(&it.id) =>
                {
                    rejected.insert(it.id);
                    FrameClass::Answer(Rejection::from(*it))
                }
                _ => FrameClass::Other,
            })
        });
        if let Err(error) = stand {
            if !error.is_final() {
                made.retain(|it| !rejected.contains(&u64::from(it.number())));
                made.into_iter().for_each(|it| self.conversation.unsubscribe(it));
            }
            return Err(error);
        }
        Ok(made)
    }

    /// Ends a subscription or a replay, or leaves a durable subscription, and waits until the router has
    /// done so. Messages that came before may still be delivered.
    ///
    /// # Errors
    ///
    /// If it is rejected, or the connection is lost.
    pub fn unsubscribe(&mut self, subscription: Subscription) -> Result<()> {
        self.conversation.unsubscribe(subscription);
        let number = subscription.number();
        self.wait_for("end of the subscription", self.options.timeout, |frame| match frame {
            RouterFrame::Unsubscribed(it) if *it == number => FrameClass::Answer(Ok(())),
            RouterFrame::Rejected(it) if it.of == kind::UNSUBSCRIBE && it.id == number.into() => {
                FrameClass::Answer(Err(Error::Rejected((*it).into())))
            }
            _ => FrameClass::Other,
        })?
    }

    /// Sends a request and waits for the first answer.
    ///
    /// # Errors
    ///
    /// If nobody subscribes to the topic, nobody answers in time, or the connection is lost.
    pub fn request(&mut self, topic: Topic, payload: &[u8], timeout: Duration) -> Result<Reply> {
        self.request_as(topic, format::OPAQUE, payload, timeout)
    }

    /// As [`Client::request`], with the format of the payload ([`crate::format`]).
    ///
    /// # Errors
    ///
    /// As [`Client::request`].
    pub fn request_as(
        &mut self,
        topic: Topic,
        format: u16,
        payload: &[u8],
        timeout: Duration,
    ) -> Result<Reply> {
        // The wait sends it, and sees the answer whenever it comes.
        let correlation = self.ask(topic, format, payload, timeout)?;
        let answer = self.wait_for("reply", timeout, |frame| match frame {
            RouterFrame::Reply(it) if it.correlation == correlation => {
                FrameClass::Answer(Ok(Reply { format: it.format, payload: it.payload.to_vec() }))
            }
            RouterFrame::Rejected(it) if it.of == kind::REQUEST && it.id == correlation => {
                FrameClass::Answer(Err(Error::Rejected((*it).into())))
            }
            _ => FrameClass::Other,
        });
        self.conversation.give_up(correlation);
        answer?
    }

    /// Sends a request, at once, and returns its number, which comes back with [`Event::Reply`] or
    /// [`Event::Rejected`].
    ///
    /// # Errors
    ///
    /// If it is too long, or the connection is lost or stays full.
    pub fn send_request(
        &mut self,
        topic: Topic,
        format: u16,
        payload: &[u8],
        timeout: Duration,
    ) -> Result<u64> {
        let correlation = self.ask(topic, format, payload, timeout)?;
        self.flush()?;
        Ok(correlation)
    }

    /// A request that is not sent yet, and its number.
    fn ask(&mut self, topic: Topic, format: u16, payload: &[u8], timeout: Duration) -> Result<u64> {
        let milliseconds = timeout.as_millis().clamp(1, u128::from(u32::MAX)) as u32;
        self.conversation.request(topic, format, payload, milliseconds)
    }

    /// Answers a request, at once.
    ///
    /// # Errors
    ///
    /// If the answer is too long, or the connection is lost or stays full. If nobody waits for the answer
    /// any more, [`Event::Rejected`] says so.
    pub fn reply(&mut self, request: RequestId, reply: &Reply) -> Result<()> {
        self.conversation.reply(request, reply)?;
        self.flush()
    }

    /// Delivers everything available to `handler`. If nothing is available, it waits. It returns the number
    /// of events: 0 if the time-out ended before. `None` waits without limit, and a time-out of zero does
    /// not wait. It sends the batch first; if there is no room for all of it, it delivers what comes, and
    /// the next call sends the rest.
    ///
    /// # Errors
    ///
    /// If the connection is lost. The router's last message is an event before that.
    pub fn receive(
        &mut self,
        timeout: Option<Duration>,
        handler: &mut dyn FnMut(Event<'_>),
    ) -> Result<usize> {
        self.writes = 0;
        let deadline = Deadline::after(timeout);
        loop {
            let mut count = 0;
            while let Some(mut event) = self.conversation.next_event()? {
                if is_for_users(&event) {
                    let is_conflated = self.freshness.look_at(self.epoch, &mut event);
                    handler(event);
                    count += 1;
                    if is_conflated {
                        self.report_taken_early();
                    }
                }
            }
            let tell = self.report_taken();
            let retry = [self.keep_trying(), tell].into_iter().flatten().min();
            let written = self.write_or_read();
            // The next call meets the error.
            if count > 0 {
                return Ok(count);
            }
            if !written? {
                continue;
            }
            if !self.read_before(sooner(deadline, retry))?
                && (retry.is_none() || deadline.is_over())
            {
                return Ok(0);
            }
        }
    }

    /// Whether messages were set aside during a wait for an answer.
    #[must_use]
    pub fn has_aside(&self) -> bool {
        self.conversation.has_aside()
    }
}

/// The others are answers to calls that wait for them; one that remains came too late. CONSUMING also says that
/// a subscription is paused or resumed.
fn is_for_users(event: &Event<'_>) -> bool {
    !matches!(
        event,
        Event::Welcome(_)
            | Event::Subscribed(_)
            | Event::Unsubscribed(_)
            | Event::Producing(_)
            | Event::Pong(_)
    )
}
