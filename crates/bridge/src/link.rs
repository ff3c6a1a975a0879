//! The thread that joins one session to the router: it stores and publishes what came, and sends what it is delivered.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tracing::{error, warn};
use trunkline_client::{
    Address, Consume, Conversation, Error, Event, Start, Subscription, Topic, code, format, kind,
};
use trunkline_fix::Version;
use trunkline_fix::tcp::Handle;

use crate::connection::{Connection, Fault};
use crate::inbox::{Inbox, Incoming};
use crate::market::Market;
use crate::numbers::{Numbers, SLOTS};
use crate::outgoing::{Delivered, Outgoing};
use crate::progress::{Arrived, Progress};
use crate::requests::Requests;
use crate::template::push_level;

/// Unacknowledged messages of a durable subscription.
const WINDOW: u32 = 1_024;

/// Topics for which a connection keeps a number; with one more it gives up all of them.
const TOPICS: usize = 256;

/// How long the thread waits while nothing happens, and while a session takes too little.
const LONG: Duration = Duration::from_secs(5);
const SHORT: Duration = Duration::from_millis(5);

/// How long it waits before it asks the router again for what that rejected for now, or connects again.
const RETRY: Duration = Duration::from_millis(500);

/// BusinessRejectReason (380): the router does not take the message.
const NOT_TAKEN: &str = "0";

/// A session, and its connection to the router.
pub(crate) struct Link {
    pub(crate) session: Handle,
    pub(crate) router: Address,
    /// Of the client, its producer, and, with patterns behind it, its durable subscriptions.
    pub(crate) name: String,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) numbers: Numbers,
    pub(crate) outgoing: Outgoing,
    pub(crate) sends: Vec<Send>,
    pub(crate) orders: Orders,
    /// What the session has asked for, as it knows it.
    pub(crate) requests: Arc<Mutex<Requests>>,
    pub(crate) market: Market,
    /// The logon whose requests these are.
    pub(crate) logon: Option<u64>,
}

/// Messages that the router has not acknowledged, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    all: VecDeque<Order>,
    /// So many of them have a sequence on this connection.
    stored: usize,
    /// Those that are not taken, and why, where that can be told only to who is logged on: FIX 4.0 and 4.1. Nothing is stored
    /// meanwhile: after a crash the session would begin behind what is, and tell nobody.
    untold: VecDeque<(Arrived, String)>,
}

/// A pattern of topics whose messages go into the session.
#[derive(Debug)]
pub(crate) struct Send {
    pub(crate) pattern: String,
    pub(crate) subscription: Option<Subscription>,
}

impl Send {
    fn is(&self, subscription: Subscription) -> bool {
        self.subscription == Some(subscription)
    }
}

/// A message that is to be stored, and the last sequence that it had.
#[derive(Debug)]
struct Order {
    message: Incoming,
    sequence: u64,
}

/// What the router said of the producer.
#[derive(Default)]
struct Answers {
    /// Everything up to here is stored.
    stored: Option<u64>,
    /// What is not, with code and reason.
    rejected: Option<(u64, u16, String)>,
    /// Subscriptions that it has rejected, and why.
    unsubscribed: Vec<(u64, String)>,
}

/// What a connection has, besides the conversation.
#[derive(Default)]
struct Turns {
    topics: HashMap<String, Topic>,
    retry_at: Option<Instant>,
    attach_at: Option<Instant>,
    end_at: Option<Instant>,
}

/// The name of the client and producer for a session. In a CompID, what separates these names is written as in a URL.
pub(crate) fn link_name(sender: &str, target: &str) -> String {
    let level = |text: &str| {
        let mut level = String::new();
        push_level(&mut level, text.as_bytes());
        level.replace(':', "%3A")
    };
    format!("fix/{}/{}", level(sender), level(target))
}

/// The name of the durable subscription to a pattern.
pub(crate) fn durable_name(link: &str, pattern: &str) -> String {
    format!("{link}:{pattern}")
}

fn consume(link: &str, pattern: &str) -> Consume {
    Consume { start: Start::New, ..Consume::durable(&durable_name(link, pattern), pattern) }
}

/// Makes the durable subscriptions, so that the router keeps from now on what the session is to send. The answer is the
/// position that the router's journal gave next before, if that can be known.
pub(crate) fn prepare(
    connection: &mut Connection,
    link: &str,
    patterns: &[String],
) -> Result<Option<u64>, Fault> {
    let Some(first) = patterns.first() else { return Ok(None) };
    // First, so that whoever is killed behind it finds the same again.
    let mut next = connection.next_position(first)?;
    for pattern in patterns {
        // What is delivered meanwhile is delivered again.
        let how = Consume { window: 1, ..consume(link, pattern) };
        let subscription = connection.conversation.consume(&how)?;
        let is_from = connection.until(|event| match event {
            Event::Consuming(it) if it.subscription == subscription => {
                Some(Ok(it.is_new.then_some(it.next)))
            }
            Event::Rejected(it) => Some(Err(Fault(it.text.to_owned()))),
            _ => None,
        })?;
        next = next.or(is_from);
        connection.leave(subscription)?;
    }
    Ok(next)
}

impl Link {
    /// Works until the inbox is stopped; the first connection is there, and begins at a sequence.
    pub(crate) fn run(mut self, first: Connection, last: u64) {
        let mut next = Some((first, last));
        while !self.inbox.is_stopped() {
            let dialled = match next.take() {
                Some(dialled) => Ok(dialled),
                None => Connection::dial(&self.router, &self.name),
            };
            let ended = dialled.and_then(|(connection, last)| self.converse(connection, last));
            if let Err(why) = ended {
                let session = &self.name;
                warn!(session, %why, "the session has lost the router, and connects again");
            }
            self.lose_market_data();
            self.outgoing.clear();
            self.sends.iter_mut().for_each(|it| it.subscription = None);
            if !self.inbox.is_stopped() {
                thread::sleep(RETRY);
            }
        }
    }

    fn converse(&mut self, mut connection: Connection, last: u64) -> Result<(), Fault> {
        self.acknowledged(last);
        // The rest is stored again, under the sequences that it had.
        self.orders.stored = 0;
        let mut turns = Turns::default();
        loop {
            self.attach(&mut turns, &mut connection.conversation)?;
            self.tell_untold();
            self.store(&mut turns, &mut connection.conversation)?;
            self.ask(&mut connection.conversation)?;
            let is_idle = self.outgoing.is_empty() && !self.market.is_waiting();
            let longest = match (is_idle, turns.retry_at) {
                (true, None) if !self.inbox.is_stopped() => LONG,
                (true, _) => RETRY,
                (false, _) => SHORT,
            };
            connection.exchange(Some(self.inbox.signal()), longest)?;
            self.take_events(&mut turns, &mut connection.conversation)?;
            if self.inbox.is_logged_on() {
                let conversation = &mut connection.conversation;
                self.outgoing.send(&self.session, &self.progress, conversation)?;
                self.market.send(&self.session, &self.progress, conversation);
            }
            if self.inbox.is_stopped() {
                let end = *turns.end_at.get_or_insert_with(|| Instant::now() + LONG);
                // What the router does not take in time is asked for again after the next start.
                if self.orders.all.is_empty() || Instant::now() >= end {
                    return Ok(());
                }
            }
        }
    }

    /// Consumes while somebody is logged on; else the router keeps what is for them.
    fn attach(&mut self, turns: &mut Turns, conversation: &mut Conversation) -> Result<(), Fault> {
        let is_logged_on = self.inbox.is_logged_on();
        if is_logged_on && turns.attach_at.is_some_and(|it| Instant::now() < it) {
            return Ok(());
        }
        turns.attach_at = None;
        for at in 0..self.sends.len() {
            match self.sends[at].subscription {
                None if is_logged_on => {
                    let how = consume(&self.name, &self.sends[at].pattern);
                    let how = Consume { window: WINDOW, ..how };
                    self.sends[at].subscription = Some(conversation.consume(&how)?);
                }
                Some(subscription) if !is_logged_on => {
                    conversation.unsubscribe(subscription);
                    self.sends[at].subscription = None;
                    self.outgoing.clear();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Subscribes to what the session has asked for, and to no more when that is gone.
    fn ask(&mut self, conversation: &mut Conversation) -> Result<(), Fault> {
        let logon = self.inbox.logon();
        if logon != self.logon {
            self.market.clear(conversation);
            self.logon = logon;
        }
        while let Some(request) = self.inbox.request(logon) {
            self.market.run(request, conversation)?;
        }
        Ok(())
    }

    /// With the connection to the router its subscriptions are gone. The session ends, so that the other side asks again.
    fn lose_market_data(&mut self) {
        if std::mem::take(&mut self.market).is_empty() {
            return;
        }
        self.session.log_out(Some("market data is interrupted; ask for it again"));
    }

    /// Hands the router what came, as far as it takes it.
    fn store(&mut self, turns: &mut Turns, conversation: &mut Conversation) -> Result<(), Fault> {
        if conversation.is_pausing() {
            let at = *turns.retry_at.get_or_insert_with(|| Instant::now() + RETRY);
            if Instant::now() < at {
                return Ok(());
            }
            turns.retry_at = None;
            conversation.store_again();
        }
        while self.orders.untold.is_empty() {
            while self.orders.stored < self.orders.all.len() {
                let is_done = self.store_next(turns, conversation)?;
                if !is_done || !self.orders.untold.is_empty() {
                    return Ok(());
                }
            }
            // The file of numbers tells no more apart.
            if self.orders.all.len() as u64 >= SLOTS - 1 {
                return Ok(());
            }
            let Some(message) = self.inbox.pop() else { return Ok(()) };
            match message.arrived {
                Some(_) => self.orders.all.push_back(Order { message, sequence: 0 }),
                None => self.publish(&message, turns, conversation)?,
            }
        }
        Ok(())
    }

    fn publish(
        &self,
        message: &Incoming,
        turns: &mut Turns,
        conversation: &mut Conversation,
    ) -> Result<(), Fault> {
        let topic = topic(&mut turns.topics, conversation, &message.topic)?;
        if let Err(why) = conversation.publish(topic, format::FIX, &message.payload) {
            error!(session = self.name, topic = message.topic, %why, "a message is not published");
        }
        Ok(())
    }

    /// Stores the next message; false if there is no room for it now.
    fn store_next(
        &mut self,
        turns: &mut Turns,
        conversation: &mut Conversation,
    ) -> Result<bool, Fault> {
        if self.progress.take_refused()
            && let Err(why) = self.session.wait_for_store()
        {
            self.progress.refuse();
            return Err(why.into());
        }
        let Orders { all, stored, .. } = &mut self.orders;
        let Order { message, sequence } = &mut all[*stored];
        let topic = topic(&mut turns.topics, conversation, &message.topic)?;
        match conversation.store(topic, format::FIX, &message.payload, 0) {
            Ok(number) => {
                (*sequence, *stored) = (number, *stored + 1);
                if let Some(arrived) = message.arrived {
                    // Nothing of it has left the process yet.
                    self.numbers.note(number, arrived)?;
                }
                Ok(true)
            }
            Err(Error::WindowFull { .. }) => Ok(false),
            Err(why @ Error::TooLong { .. }) => {
                self.refuse(self.orders.stored, &why.to_string());
                Ok(true)
            }
            Err(why) => Err(why.into()),
        }
    }

    fn take_events(
        &mut self,
        turns: &mut Turns,
        conversation: &mut Conversation,
    ) -> Result<(), Fault> {
        let mut answers = Answers::default();
        while let Some(event) = conversation.next_event()? {
            self.take_event(event, turns, &mut answers)?;
        }
        if let Some(sequence) = answers.stored {
            self.acknowledged(sequence);
        }
        for (number, why) in &answers.unsubscribed {
            if let Some(id) = self.market.rejected(*number, why, &self.session, conversation) {
                self.requests.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            }
        }
        match answers.rejected {
            None => Ok(()),
            // It is taken later.
            Some((_, code::NOT_DURABLE | code::OUT_OF_SEQUENCE, why)) => {
                warn!(session = self.name, why, "the router does not store for now");
                Ok(())
            }
            Some((_, code::TAKEN_OVER, why)) => Err(Fault(why)),
            Some((sequence, _, why)) => {
                let mut stored = self.orders.all.iter().take(self.orders.stored);
                let at = stored.position(|it| it.sequence == sequence);
                at.into_iter().for_each(|at| self.refuse(at, &why));
                // A producer has ended with what was rejected, and begins again with a connection.
                Err(Fault(why))
            }
        }
    }

    fn take_event(
        &mut self,
        event: Event<'_>,
        turns: &mut Turns,
        answers: &mut Answers,
    ) -> Result<(), Fault> {
        let session = &*self.name;
        match event {
            Event::Stored(it) => answers.stored = Some(it.sequence),
            Event::Delivery(it) if self.sends.iter().any(|own| own.is(it.subscription)) => {
                self.outgoing.push(Delivered {
                    subscription: it.subscription,
                    position: it.position,
                    is_repeated: it.is_repeated,
                    format: it.format,
                    payload: it.payload.to_vec(),
                });
            }
            Event::Rejected(it) if it.of == kind::STORE => {
                answers.rejected = Some((it.id, it.code, it.text.to_owned()));
            }
            Event::Rejected(it) if it.of == kind::CONSUME => {
                let is_own = |own: Subscription| u64::from(own.number()) == it.id;
                let own = self.sends.iter_mut().find(|own| own.subscription.is_some_and(is_own));
                if let Some(send) = own {
                    warn!(
                        session,
                        pattern = send.pattern,
                        why = it.text,
                        "nothing is sent for now"
                    );
                    send.subscription = None;
                    turns.attach_at = Some(Instant::now() + LONG);
                }
            }
            Event::Rejected(it) if it.of == kind::SUBSCRIBE => {
                answers.unsubscribed.push((it.id, it.text.to_owned()));
            }
            Event::Rejected(it) if it.of == kind::TOPIC => {
                // The number is free, and the next topic's.
                turns.topics.retain(|_, topic| u64::from(topic.number()) != it.id);
                warn!(session, why = it.text, "the router rejects a topic");
            }
            Event::Message(it) => self.market.update(it.subscription, it.format, it.payload),
            Event::Rejected(it) => warn!(session, why = it.text, "the router rejects something"),
            Event::Lost(it) => {
                let (count, reason) = (it.count, it.reason);
                error!(session, count, ?reason, "messages for the session are lost");
            }
            Event::Ended(subscription) => {
                let own = self.sends.iter_mut().find(|own| own.is(subscription));
                own.into_iter().for_each(|it| it.subscription = None);
            }
            Event::Closing(it) => return Err(Fault(it.text.to_owned())),
            _ => {}
        }
        Ok(())
    }

    /// The router has everything up to a sequence.
    fn acknowledged(&mut self, sequence: u64) {
        let mut has_moved = false;
        let Orders { all, stored, .. } = &mut self.orders;
        while let Some(order) = all.pop_front_if(|it| it.sequence > 0 && it.sequence <= sequence) {
            *stored = stored.saturating_sub(1);
            order.message.arrived.into_iter().for_each(|it| self.progress.end(it));
            has_moved = true;
        }
        if has_moved {
            // The store of the session looks how far the router is.
            self.session.with(|_| ());
        }
    }

    /// Tells the other side, if it is there, which messages are not taken.
    fn tell_untold(&mut self) {
        while let Some((arrived, why)) = self.orders.untold.front() {
            // Numbers that are no more mean others now, and the other side has given up these.
            let is_told = !self.progress.is_current(*arrived)
                || self.session.with(|outbox| outbox.reject(arrived.number, why)).is_ok();
            if !is_told {
                return;
            }
            self.progress.end(*arrived);
            self.orders.untold.pop_front();
            self.session.with(|_| ());
        }
    }

    /// Tells the other side that a message is not taken.
    fn refuse(&mut self, at: usize, why: &str) {
        let Some(Order { message, .. }) = self.orders.all.remove(at) else { return };
        if at < self.orders.stored {
            self.orders.stored -= 1;
        }
        let Some(arrived) = message.arrived else { return };
        warn!(session = self.name, topic = message.topic, why, "a message is not taken");
        let number = arrived.number;
        self.progress.refuse();
        if self.session.identity().version < Version::Fix42 {
            self.orders.untold.push_back((arrived, why.to_owned()));
            return self.tell_untold();
        }
        let field = |tag: &[u8]| {
            let mut fields = message.payload.split(|it| *it == 1);
            fields.find_map(|it| it.strip_prefix(tag)).map(String::from_utf8_lossy)
        };
        let message_type = field(b"35=").unwrap_or_default();
        let text = why.replace('\u{1}', " ");
        let body =
            format!("45={number}\u{1}58={text}\u{1}372={message_type}\u{1}380={NOT_TAKEN}\u{1}");
        if let Err(why) = self.session.with(|outbox| outbox.send("j", body.as_bytes())) {
            error!(session = self.name, number, %why, "it cannot be told either");
        }
        self.progress.end(arrived);
        self.session.with(|_| ());
    }
}

/// The number of a topic on this connection.
fn topic(
    topics: &mut HashMap<String, Topic>,
    conversation: &mut Conversation,
    name: &str,
) -> Result<Topic, Fault> {
    if let Some(topic) = topics.get(name) {
        return Ok(*topic);
    }
    if topics.len() >= TOPICS {
        topics.drain().for_each(|(_, topic)| conversation.forget(topic));
    }
    let topic = conversation.topic(name)?;
    topics.insert(name.to_owned(), topic);
    Ok(topic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_sessions_have_one_name() {
        assert_eq!(link_name("BANK", "FUND-1"), "fix/BANK/FUND-1");
        assert_eq!(link_name("A/B", "C"), "fix/A%2FB/C");
        assert_eq!(link_name("A", "B/C"), "fix/A/B%2FC");
        assert_eq!(link_name("A%2FB", "C:D"), "fix/A%252FB/C%3AD");
    }
}
