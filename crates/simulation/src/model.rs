//! A reference model of one connection: it checks every frame that the router writes against
//! what was published and what was delivered before.

use std::collections::{BTreeMap, VecDeque};

use trunkline_native::{Closing, Gap, LastValues, Message, RouterFrame, Updates};

use super::history::{History, Lengths, is_match};
use super::payload;
use super::reader::RequestedSubscription;
use super::report::{Checked, Counts, Violation, ensure, violation};

/// A topic in a subscription.
#[derive(Debug, Default)]
pub(crate) struct Match {
    /// Sequence of the last message before the subscription, or before the last value that it is to get; then of
    /// the last that was delivered.
    last: u64,
    /// The last value that is to come first.
    owed: Option<u64>,
    /// Sequence of the last loss that was reported since.
    reported_until: u64,
    /// Losses that were reported since.
    reported: u64,
    /// From when on the next update may come.
    due: u64,
    /// Delivered in all.
    pub(crate) messages: u64,
    /// Replaced in all.
    pub(crate) replaced: u64,
    /// Reported as lost in all.
    pub(crate) lost: u64,
    /// The number that each publisher gave its last message.
    publishers: BTreeMap<u16, u32>,
}

impl Match {
    /// A message comes after those before it, and what is missing between is explained.
    fn check_sequence(&self, name: &str, sequence: u64, replaced: u64) -> Checked {
        let Self { last, reported, reported_until, .. } = *self;
        ensure(sequence > last, "order", || format!("{name} {sequence} comes after {last}"))?;
        let missing = sequence - last - 1;
        ensure(missing == reported + replaced && reported_until < sequence, "gaps", || {
            format!(
                "{name} {sequence} after {last}: {reported} reported as lost, {replaced} replaced"
            )
        })
    }

    /// The messages of each publisher come in its order.
    fn check_publisher(&mut self, name: &str, payload: &[u8]) -> Checked {
        let Some((publisher, number)) = payload::origin(payload) else { return Ok(()) };
        let earlier = self.publishers.insert(publisher, number);
        ensure(earlier.is_none_or(|it| it < number), "publisher's order", || {
            format!("{name}: {number} of publisher {publisher} after {earlier:?}")
        })
    }

    /// The last value comes first, unless it was lost, replaced by a newer one, or dropped before.
    fn check_first(&mut self, name: &str, message: &Message<'_>, may_miss: bool) -> Checked {
        let owed = self.owed.take();
        let sequence = message.sequence;
        if message.last_value.is_some() {
            return ensure(owed == Some(sequence), "last values", || {
                format!("{name} {sequence} comes as the last value, which is {owed:?}")
            });
        }
        let Some(value) = owed else { return Ok(()) };
        let explained = self.reported + message.conflation.map_or(0, |it| it.replaced);
        if sequence > value && sequence - value == explained + 1 {
            // All behind the value is explained, and the value is not.
            self.last = value;
            return ensure(may_miss, "last values", || {
                format!("{name} {sequence} comes before {value}, the last value")
            });
        }
        Ok(())
    }

    fn deliver(&mut self, now: u64, interval: u64, sequence: u64, replaced: u64) {
        (self.last, self.reported) = (sequence, 0);
        // An interval that ends late by a quarter at most counts as ended in time.
        let is_forgiven = now - self.due <= interval / 4;
        self.due = if is_forgiven { self.due } else { now } + interval;
        self.messages += 1;
        self.replaced += replaced;
    }
}

/// A subscription that the router has confirmed.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) pattern: String,
    updates: Updates,
    /// The messages that each topic had before.
    before: Lengths,
    pub(crate) wants_last_values: bool,
    /// The last values that there were.
    pub(crate) values: Lengths,
    /// The client was told that it has had all of them.
    pub(crate) is_whole: bool,
    pub(crate) matches: BTreeMap<String, Match>,
}

impl Subscription {
    /// How many messages of a topic were published since the subscription was confirmed, if it matches.
    pub(crate) fn published(&self, topic: &str, length: u64) -> u64 {
        let before = self.before.get(topic).copied().unwrap_or_default();
        if is_match(&self.pattern, topic) { length - before } else { 0 }
    }

    fn matched(&mut self, topic: &str) -> &mut Match {
        if !self.matches.contains_key(topic) {
            let before = self.before.get(topic).copied().unwrap_or_default();
            let owed = self.values.get(topic).copied();
            let last = owed.map_or(before, |value| value - 1);
            self.matches.insert(topic.to_owned(), Match { last, owed, ..Match::default() });
        }
        self.matches.get_mut(topic).expect("it has been put there")
    }

    fn interval(&self) -> u64 {
        match self.updates {
            Updates::PerSecond(rate) => 1_000_000_000 / u64::from(rate),
            _ => 0,
        }
    }
}

/// The caps that a client requested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Caps {
    pub(crate) messages_per_second: u64,
    pub(crate) bytes_per_second: u64,
}

/// What may come at once, in nanoseconds of a cap.
const BURST: u64 = 10_000_000;

/// The number of messages whose times of arrival the model keeps.
const REMEMBERED: usize = 200;

/// The model of one connection.
#[derive(Debug, Default)]
pub(crate) struct Model {
    caps: Caps,
    /// Times and bytes of the last messages.
    recent: VecDeque<(u64, u64)>,
    names: BTreeMap<u32, String>,
    /// Requests without an answer yet.
    requested: VecDeque<(RequestedSubscription, Lengths, Lengths)>,
    pub(crate) subscriptions: BTreeMap<u32, Subscription>,
    is_welcome: bool,
    pub(crate) is_closed: bool,
    /// Messages delivered, of all subscriptions.
    pub(crate) messages: u64,
}

impl Model {
    pub(crate) fn new(caps: Caps) -> Self {
        Self { caps, ..Self::default() }
    }

    /// The client has requested a subscription.
    pub(crate) fn ask(&mut self, requested: RequestedSubscription, history: &History) {
        // A number that is in use is rejected.
        if !self.subscriptions.contains_key(&requested.number) {
            let values = match requested.last_values {
                true => history.last_values(&requested.pattern),
                false => Lengths::new(),
            };
            self.requested.push_back((requested, history.lengths(), values));
        }
    }

    /// The name of a topic's number, as the router announced it.
    pub(crate) fn name(&self, topic: u32) -> Option<&str> {
        self.names.get(&topic).map(String::as_str)
    }

    /// A frame has been written for the client.
    pub(crate) fn frame(
        &mut self,
        now: u64,
        frame: &RouterFrame<'_>,
        history: &History,
        counts: &mut Counts,
    ) -> Checked {
        ensure(!self.is_closed, "conversation", || format!("{frame:?} after the end"))?;
        let is_first = !std::mem::replace(&mut self.is_welcome, true);
        let (is_welcome, is_closing) =
            (matches!(frame, RouterFrame::Welcome(_)), matches!(frame, RouterFrame::Closing(_)));
        ensure(is_first == is_welcome || is_closing, "conversation", || {
            format!("{frame:?} without a welcome, or a second welcome")
        })?;
        match frame {
            RouterFrame::Topic(topic) => {
                self.names.insert(topic.alias, topic.name.to_owned());
                Ok(())
            }
            RouterFrame::Message(message) => self.message(now, message, history, counts),
            RouterFrame::Gap(gap) => self.gap(now, gap, history, counts),
            RouterFrame::Subscribed(number) => self.subscribed(*number, counts),
            RouterFrame::LastValues(it) => self.last_values(it, history.drops_values, counts),
            RouterFrame::Unsubscribed(number) => {
                counts.unsubscribed += 1;
                let ended = self.subscriptions.remove(number).is_some();
                ensure(ended, "conversation", || format!("{number} ended, but was not confirmed"))
            }
            RouterFrame::Closing(Closing { .. }) => {
                self.is_closed = true;
                Ok(())
            }
            RouterFrame::Rejected(rejected) => {
                use trunkline_native::{code, kind};
                match (rejected.of, rejected.code) {
                    (kind::REQUEST, code::NO_RESPONDER | code::TIMED_OUT) => counts.unanswered += 1,
                    _ => counts.other_rejections += 1,
                }
                Ok(())
            }
            RouterFrame::Reply(_) => {
                counts.replies += 1;
                Ok(())
            }
            RouterFrame::Welcome(_)
            | RouterFrame::Notice(_)
            | RouterFrame::Ping(_)
            | RouterFrame::Pong(_) => Ok(()),
            RouterFrame::Clock(clock) => {
                ensure(clock.time == now && clock.token <= now, "clock", || {
                    format!("{clock:?} at {now}")
                })
            }
            RouterFrame::Producing(_)
            | RouterFrame::Stored(_)
            | RouterFrame::Consuming(_)
            | RouterFrame::Delivery(_)
            | RouterFrame::Confirmed(_)
            | RouterFrame::Acknowledged(_)
            | RouterFrame::Lost(_) => {
                violation("conversation", format!("{frame:?}, but nobody requested it"))
            }
        }
    }

    fn subscribed(&mut self, number: u32, counts: &mut Counts) -> Checked {
        counts.subscribed += 1;
        let Some((requested, before, values)) = self.requested.pop_front() else {
            return violation(
                "conversation",
                format!("{number} is confirmed, but nobody requested it"),
            );
        };
        ensure(requested.number == number, "conversation", || {
            format!("{number} is confirmed, but {} was requested first", requested.number)
        })?;
        let RequestedSubscription { pattern, updates, last_values, .. } = requested;
        let subscription = Subscription {
            pattern,
            updates,
            before,
            wants_last_values: last_values,
            values,
            is_whole: false,
            matches: BTreeMap::new(),
        };
        self.subscriptions.insert(number, subscription);
        Ok(())
    }

    fn last_values(&mut self, it: &LastValues, may_miss: bool, counts: &mut Counts) -> Checked {
        counts.whole += 1;
        let Some(subscription) = self.subscriptions.get_mut(&it.subscription) else {
            return violation("last values", format!("{it:?}, and no such subscription stands"));
        };
        let is_first = !std::mem::replace(&mut subscription.is_whole, true);
        let known = subscription.values.len() as u64;
        let fits = it.count == known || may_miss && it.count < known;
        ensure(fits && is_first && subscription.wants_last_values, "last values", || {
            format!("{it:?}, of {:?}", subscription.values)
        })
    }

    fn message(
        &mut self,
        now: u64,
        message: &Message<'_>,
        history: &History,
        counts: &mut Counts,
    ) -> Checked {
        self.messages += 1;
        counts.delivered += 1;
        let head = trunkline_native::MESSAGE_HEAD;
        self.pace(now, (head + message.payload.len()) as u64)?;
        let (subscription, name) = self.find(message.subscription, message.topic)?;
        let sequence = message.sequence;
        let Some(published) = history.message(name, sequence) else {
            return violation("delivery", format!("{name} {sequence} was never published"));
        };
        let is_same = (published.format, &*published.payload) == (message.format, message.payload);
        ensure(is_same, "delivery", || format!("{name} {sequence} is not what was published"))?;
        let (interval, is_conflated) =
            (subscription.interval(), subscription.updates != Updates::All);
        ensure(message.conflation.is_some() == is_conflated, "conflation", || {
            format!("{name} {sequence}: {:?} in a {:?}", message.conflation, subscription.updates)
        })?;
        let (is_whole, may_miss) = (subscription.is_whole, history.drops_values);
        ensure(!is_whole || message.last_value.is_none(), "last values", || {
            format!("{name} {sequence} comes after the last of the last values")
        })?;
        let sent_age = message.last_value.unwrap_or(now - published.time);
        ensure(sent_age == now - published.time, "last values", || {
            format!("{name} {sequence} is not {sent_age} ns old")
        })?;
        counts.last_values += u64::from(message.last_value.is_some());
        let matched = subscription.matched(name);
        matched.check_first(name, message, may_miss)?;
        let replaced = message.conflation.map_or(0, |it| it.replaced);
        matched.check_sequence(name, sequence, replaced)?;
        if let Some(conflation) = message.conflation {
            let age = now - published.time;
            ensure(conflation.age == age, "conflation", || {
                format!("{name} {sequence} is {age} ns old, not {}", conflation.age)
            })?;
            let reported = message.published.unwrap_or(published.time);
            ensure(reported == published.time, "conflation", || {
                format!("{name} {sequence} is of {}, not of {reported}", published.time)
            })?;
            ensure(now >= matched.due, "conflation", || {
                format!("{name} {sequence} comes too soon")
            })?;
        }
        matched.check_publisher(name, message.payload)?;
        matched.deliver(now, interval, sequence, replaced);
        counts.replaced += replaced;
        Ok(())
    }

    fn gap(&mut self, now: u64, gap: &Gap<'_>, history: &History, counts: &mut Counts) -> Checked {
        let (subscription, name) = self.find(gap.subscription, gap.topic)?;
        let is_conflated = subscription.updates != Updates::All;
        let matched = subscription.matched(name);
        let Gap { count, first, last, age, .. } = *gap;
        if let Some(value) = matched.owed.take_if(|_| !is_conflated)
            && first > value
        {
            ensure(history.drops_values, "last values", || {
                format!("{name}: {first} is lost before {value}, the last value")
            })?;
            matched.last = value;
        }
        let after = matched.last.max(matched.reported_until);
        let reported = || format!("{name}: {count} lost, {first} to {last}, after {after}");
        let fits = first > after && last >= first && count > 0 && last <= history.length(name);
        ensure(fits && count <= last - first + 1, "gaps", reported)?;
        // Without conflation everything between two deliveries is lost.
        ensure(
            is_conflated || (count == last - first + 1 && first == after + 1),
            "gaps",
            reported,
        )?;
        let published = history.message(name, first).map_or(0, |it| it.time);
        ensure(age <= now - published, "gaps", || format!("{}: lost {age} ns ago", reported()))?;
        matched.reported += count;
        matched.lost += count;
        matched.reported_until = last;
        counts.gaps += 1;
        counts.lost += count;
        Ok(())
    }

    fn find(&mut self, number: u32, topic: u32) -> Result<(&mut Subscription, &str), Violation> {
        let Some(name) = self.names.get(&topic) else {
            return violation("conversation", format!("topic {topic} has no name"));
        };
        let Some(subscription) = self.subscriptions.get_mut(&number) else {
            return violation("conversation", format!("{name}: no subscription {number} stands"));
        };
        ensure(is_match(&subscription.pattern, name), "matching", || {
            format!("{name} does not match {}", subscription.pattern)
        })?;
        Ok((subscription, name))
    }

    /// No more messages and bytes than the client wants in a second.
    fn pace(&mut self, now: u64, bytes: u64) -> Checked {
        let Caps { messages_per_second, bytes_per_second } = self.caps;
        if messages_per_second == 0 && bytes_per_second == 0 {
            return Ok(());
        }
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        let most = |rate: u64, time: u64| rate * (now - time + BURST) / 1_000_000_000;
        let (mut messages, mut sum) = (1, 0);
        // A message is paid for when it has gone, and so the newest does not count yet.
        for (time, bytes) in self.recent.iter().rev() {
            messages += 1;
            sum += bytes;
            let fits = messages_per_second == 0 || messages <= most(messages_per_second, *time) + 1;
            ensure(fits, "rate", || format!("{messages} messages in {} ns", now - time))?;
            let fits = bytes_per_second == 0 || sum <= most(bytes_per_second, *time) + bytes;
            ensure(fits, "rate", || format!("{sum} bytes in {} ns", now - time))?;
        }
        self.recent.push_back((now, bytes));
        Ok(())
    }
}
