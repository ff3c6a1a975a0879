//! Guaranteed messages: asked for, shown, acknowledged when they are printed.

use std::fmt::Write as _;

use serde_json::{Value, json};
use trunkline_client::{
    Client, Confirmed, Consume, Delivery, Error, Event, Lost, LostReason, Rejected, Rejection,
    Start, Subscribe, Subscription, kind,
};

use super::{Listing, point_at_text};
use crate::arguments::{Column, SubArguments};
use crate::client::{counted, not_taken, tell};
use crate::fault::Fault;
use crate::quantity::moment;

/// Asks for the guaranteed messages of a pattern.
pub(super) fn consume(
    client: &mut Client,
    arguments: &SubArguments,
    pattern: &str,
    updates: Subscribe,
) -> Result<Subscription, Fault> {
    if arguments.durable.is_some() && arguments.patterns.len() > 1 {
        let many = arguments.patterns.len();
        return Err(Fault::new(format!(
            "a durable subscription has one pattern, and these are {many}; give each a name of its own"
        )));
    }
    let how = Consume {
        name: arguments.durable.clone().unwrap_or_default(),
        pattern: pattern.to_owned(),
        window: arguments.window.unwrap_or(0),
        start: arguments.from.unwrap_or(Start::New),
        pace: arguments.pace.unwrap_or(0),
        updates,
        wants_confirmed: arguments.confirmed,
        wants_acknowledged: false,
        acknowledge_within: arguments.acknowledge_within.unwrap_or_default(),
        deliveries: arguments.deliveries.unwrap_or(0),
    };
    let subscription = client.consume(&how).map_err(|error| match (error, &arguments.durable) {
        (error, _) if point_at_text(&error, arguments) => not_taken(pattern, error),
        (Error::Rejected(rejection), Some(name)) if rejection.offset.is_none() => {
            Fault::new(format!("the durable subscription {name:?} is rejected: {}", rejection.text))
        }
        (error, _) => not_taken(pattern, error),
    })?;
    if let (Some(name), Some(it)) = (&arguments.durable, client.consuming(subscription)) {
        let made = if it.is_new { "is new" } else { "goes on" };
        tell(&match it.waiting {
            // After a restart the router has yet to find what waits.
            0 => format!("{name} {made}: looking for messages from position {} on", it.next),
            waiting => format!("{name} {made}: {} waiting", counted(waiting, "message")),
        });
    }
    Ok(subscription)
}

/// What is shown of a guaranteed message beside what every message has.
pub(super) struct Shown {
    position: u64,
    time: u64,
    deliveries: u32,
    is_repeated: bool,
    is_unconfirmed: bool,
    is_kept: bool,
}

impl Shown {
    fn new(it: &Delivery<'_>) -> Self {
        let Delivery { position, time, deliveries, is_repeated, is_unconfirmed, is_kept, .. } = *it;
        Self { position, time, deliveries, is_repeated, is_unconfirmed, is_kept }
    }

    /// One of the columns of guaranteed messages.
    pub(super) fn write(&self, column: Column, line: &mut String) {
        match column {
            Column::Position => _ = write!(line, "{}", self.position),
            Column::Time => line.push_str(&moment(self.time)),
            _ => line.push_str(&self.state()),
        }
    }

    fn state(&self) -> String {
        let redelivered = match (self.is_repeated, self.deliveries) {
            (false, _) => None,
            (true, 0) => Some("redelivered".to_owned()),
            (true, times) => Some(format!("redelivered ({times})")),
        };
        let unconfirmed = self.is_unconfirmed.then(|| "unconfirmed".to_owned());
        let kept = self.is_kept.then(|| "kept".to_owned());
        let all: Vec<String> = [redelivered, unconfirmed, kept].into_iter().flatten().collect();
        if all.is_empty() { "-".to_owned() } else { all.join(", ") }
    }

    pub(super) fn json(&self, value: &mut Value) {
        value["position"] = self.position.into();
        value["time"] = moment(self.time).into();
        value["time_ns"] = self.time.into();
        value["deliveries"] = self.deliveries.into();
        value["is_redelivered"] = self.is_repeated.into();
        value["is_unconfirmed"] = self.is_unconfirmed.into();
        value["is_kept"] = self.is_kept.into();
    }
}

impl Listing<'_> {
    /// What comes beside direct messages.
    pub(super) fn take_guaranteed(&mut self, event: &Event<'_>) {
        match event {
            Event::Delivery(it) if it.is_unrendered => self.take_unrendered(it),
            Event::Delivery(it) => {
                let Delivery { subscription, topic, conflation, format, payload, .. } = *it;
                let (sequence, guaranteed) = (None, Some(Shown::new(it)));
                let shown = super::Shown {
                    subscription,
                    topic,
                    sequence,
                    conflation,
                    last_value: None,
                    age: None,
                    format,
                    payload,
                    guaranteed,
                };
                self.take_shown(&shown, false);
                if self.arguments.durable.is_some() {
                    self.printed.push((subscription, it.position));
                }
            }
            Event::Confirmed(confirmed) => self.take_confirmed(confirmed),
            Event::Lost(lost) => self.take_lost(lost),
            Event::Ended(_) => {
                let name = self.arguments.durable.as_deref().unwrap_or_default();
                self.ended = Some(format!("the durable subscription {name:?} was deleted"));
            }
            Event::Rejected(rejected) => self.take_rejected(rejected),
            // The first one was the answer to what was asked.
            Event::Consuming(it) => tell(match it.window {
                0 => "paused by an administrator",
                _ => "resumed",
            }),
            // What the router says last is in the error behind it, and the others are answers to nothing that
            // is asked here.
            _ => {}
        }
    }

    /// A message that is not to be had as it was asked for is a gap. It is acknowledged when that is told: a replay from its
    /// position finds it as it was stored.
    fn take_unrendered(&mut self, it: &Delivery<'_>) {
        let Delivery { subscription, topic, position, .. } = *it;
        let reason = String::from_utf8_lossy(it.payload);
        if self.arguments.json {
            let mut value = json!({
                "event": "gap",
                "topic": topic,
                "pattern": self.pattern(subscription),
                "count": 1,
                "reason": reason,
            });
            Shown::new(it).json(&mut value);
            self.note(&value);
        }
        let at = format!("{topic} message at position {position} is not to be had: {reason}");
        self.count_gap(1, &at);
        if self.arguments.durable.is_some() {
            self.printed.push((subscription, position));
        }
    }

    /// A subscription that stood is rejected: what it would bring is missing, so nothing more is waited for.
    fn take_rejected(&mut self, rejected: &Rejected<'_>) {
        if !matches!(rejected.of, kind::SUBSCRIBE | kind::CONSUME) {
            return tell(&Rejection::from(*rejected).to_string());
        }
        let of = self.patterns.iter().find(|(it, _)| u64::from(it.number()) == rejected.id);
        let pattern = of.map_or("", |(subscription, _)| self.pattern(*subscription));
        self.ended = Some(format!("{pattern:?} is rejected: {}", rejected.text));
    }

    fn take_confirmed(&mut self, confirmed: &Confirmed) {
        self.confirmed = Some(*confirmed);
        if self.arguments.json {
            let Confirmed { subscription, durability, position } = *confirmed;
            self.note(&json!({
                "event": "confirmed",
                "pattern": self.pattern(subscription),
                "position": position,
                "memory": durability.memory,
                "disk": durability.disk,
            }));
        }
    }

    fn take_lost(&mut self, lost: &Lost) {
        let Lost { subscription, reason, count, first, last } = *lost;
        self.tally.gaps += 1;
        self.tally.lost += count;
        let why = match reason {
            LostReason::Expired => "their time to live was over".to_owned(),
            LostReason::Damaged => "the journal is damaged there".to_owned(),
            LostReason::OverQuota => "more waited than may".to_owned(),
            LostReason::NotKept => "the journal does not keep them any longer".to_owned(),
            LostReason::Purged => "an administrator purged them".to_owned(),
            LostReason::Other(number) => format!("reason {number}"),
        };
        if self.arguments.json {
            self.note(&json!({
                "event": "lost",
                "pattern": self.pattern(subscription),
                "count": count,
                "first": first,
                "last": last,
                "reason": why,
            }));
        }
        let messages = match count {
            0 => "an unknown number of messages".to_owned(),
            count => counted(count, "message"),
        };
        tell(&format!("lost: {messages} at positions {first} to {last}; {why}"));
    }

    /// A line of JSON that is no message.
    fn note(&mut self, value: &Value) {
        self.out.extend_from_slice(format!("{value}\n").as_bytes());
    }

    /// Says that we have done with what is printed, if somebody has read it.
    pub(super) fn acknowledge(&mut self, client: &mut Client) -> Result<(), Error> {
        for (subscription, position) in self.printed.drain(..).filter(|_| self.is_read) {
            client.acknowledge(subscription, position)?;
        }
        client.flush()
    }
}
