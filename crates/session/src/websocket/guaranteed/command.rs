//! The commands of guaranteed delivery.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use trunkline_native::NAME_BYTES;
use trunkline_store::Start;

use crate::router::interval;
use crate::websocket::command::{CommandError, Payload, Wanted, owned};
use crate::websocket::keys::{Keys, Text};

/// A command of guaranteed delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuaranteedCommand<'a> {
    /// Store under this name from now on.
    Producer {
        /// The name, which stays the same over connections.
        name: Cow<'a, str>,
    },
    /// Store a message.
    Store(Storing<'a>),
    /// Deliver the messages of a durable subscription, or a replay.
    Consume(Consumption<'a>),
    /// Messages are done with.
    Acknowledge {
        /// The subscription over which they came.
        subscription: u32,
        /// The position of the only one, or the last.
        position: u64,
        /// Those before it, too.
        is_cumulative: bool,
    },
    /// A message is given back.
    Release {
        /// The subscription over which it came.
        subscription: u32,
        /// Its position.
        position: u64,
        /// It is not delivered again before this is over, in milliseconds.
        delay_ms: u32,
    },
    /// End a durable subscription.
    Delete {
        /// Its name.
        name: Cow<'a, str>,
    },
}

/// A message to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storing<'a> {
    /// Its topic.
    pub topic: Cow<'a, str>,
    /// Its number among those of the producer, from 1.
    pub sequence: u64,
    /// For how long it is of use, in milliseconds; 0 for ever.
    pub time_to_live_ms: u32,
    /// It may have been sent before.
    pub is_repeated: bool,
    /// Format of the payload; see [`trunkline_native::format`].
    pub format: u16,
    /// The message itself.
    pub payload: Payload<'a>,
}

/// What a page wants to consume; see [`trunkline_store::Consume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumption<'a> {
    /// Chosen by the client; what is delivered names it.
    pub subscription: u32,
    /// The name of the durable subscription; empty for a replay.
    pub name: Cow<'a, str>,
    /// Which topics.
    pub pattern: Cow<'a, str>,
    /// The most unacknowledged messages; 0 leaves it to the router.
    pub window: u32,
    /// Where it begins, if this creates it.
    pub start: Start,
    /// Conflated, with so many nanoseconds between two updates of a topic.
    pub conflation: Option<u64>,
    /// Thousandths of the original pace; 0 for as fast as possible.
    pub pace: u32,
    /// Tell when what was delivered is as durable as asked.
    pub wants_confirmed: bool,
    /// Tell when acknowledgements are kept.
    pub wants_acknowledged: bool,
    /// The milliseconds after which a message that is not acknowledged is redelivered; 0 leaves it to the router.
    pub acknowledge_within_ms: u32,
    /// The most deliveries of a message; 0 leaves it to the router.
    pub deliveries: u16,
    /// In another format than the one in which messages are stored.
    pub wants_format: Option<u16>,
    /// Which messages, by what they say; all if it is empty.
    pub filter: Cow<'a, str>,
    /// Which of their fields, with commas between; all if it is empty.
    pub fields: Cow<'a, str>,
}

impl GuaranteedCommand<'_> {
    /// Whether its payload comes in the next frame.
    pub(in crate::websocket) fn awaits_payload(&self) -> bool {
        matches!(self, Self::Store(Storing { payload: Payload::NextFrame, .. }))
    }

    /// The same without the text that it was read from.
    pub(in crate::websocket) fn into_owned(self) -> GuaranteedCommand<'static> {
        match self {
            Self::Producer { name } => GuaranteedCommand::Producer { name: owned(name) },
            Self::Store(it) => GuaranteedCommand::Store(Storing {
                topic: owned(it.topic),
                payload: it.payload.into_owned(),
                ..it
            }),
            Self::Consume(it) => GuaranteedCommand::Consume(Consumption {
                name: owned(it.name),
                pattern: owned(it.pattern),
                filter: owned(it.filter),
                fields: owned(it.fields),
                ..it
            }),
            Self::Acknowledge { subscription, position, is_cumulative } => {
                GuaranteedCommand::Acknowledge { subscription, position, is_cumulative }
            }
            Self::Release { subscription, position, delay_ms } => {
                GuaranteedCommand::Release { subscription, position, delay_ms }
            }
            Self::Delete { name } => GuaranteedCommand::Delete { name: owned(name) },
        }
    }
}

impl<'a> Keys<'a> {
    /// The command, if the action is one of guaranteed delivery.
    pub(in crate::websocket) fn take_guaranteed(
        &mut self,
    ) -> Result<Option<GuaranteedCommand<'a>>, CommandError> {
        Ok(Some(if let Some(name) = self.producer.take() {
            GuaranteedCommand::Producer { name: checked("producer", name)? }
        } else if let Some(Text(topic)) = self.store.take() {
            GuaranteedCommand::Store(self.take_storing(topic)?)
        } else if let Some(subscription) = self.consume {
            GuaranteedCommand::Consume(self.take_consumption(subscription)?)
        } else if let Some(subscription) = self.acknowledge {
            let (position, is_cumulative) = match (self.position.take(), self.through.take()) {
                (Some(position), None) => (position, false),
                (None, Some(position)) => (position, true),
                _ => {
                    let text = "acknowledge needs either the position of a message, or through: the \
                                position up to which all are acknowledged";
                    return Err(CommandError::new(text));
                }
            };
            GuaranteedCommand::Acknowledge { subscription, position: position.0, is_cumulative }
        } else if let Some(subscription) = self.release {
            let Some(Digits(position)) = self.position.take() else {
                return Err(CommandError::new("release needs the position of a message"));
            };
            let delay_ms = self.delay_ms.take().unwrap_or(0);
            GuaranteedCommand::Release { subscription, position, delay_ms }
        } else if let Some(name) = self.delete.take() {
            GuaranteedCommand::Delete { name: checked("delete", name)? }
        } else {
            return Ok(None);
        }))
    }

    fn take_storing(&mut self, topic: Cow<'a, str>) -> Result<Storing<'a>, CommandError> {
        let Some(sequence) = self.sequence.take().filter(|sequence| *sequence > 0) else {
            return Err(CommandError::new("store needs a sequence, a number from 1 on"));
        };
        let (format, payload) = self.content("store")?;
        Ok(Storing {
            topic,
            sequence,
            time_to_live_ms: self.time_to_live_ms.take().unwrap_or(0),
            is_repeated: self.repeated.take().unwrap_or(false),
            format,
            payload,
        })
    }

    fn take_consumption(&mut self, subscription: u32) -> Result<Consumption<'a>, CommandError> {
        let Some(Text(pattern)) = self.pattern.take() else {
            return Err(CommandError::new("consume needs a pattern"));
        };
        let name = match self.name.take() {
            Some(name) => checked("name", name)?,
            None => Cow::Borrowed(""),
        };
        let conflates = self.conflate.take().unwrap_or(false);
        let conflation = match self.updates()? {
            Some(updates) => Some(interval(updates)),
            None => conflates.then_some(0),
        };
        let Wanted { wants_format, filter, fields } = self.take_wanted()?;
        Ok(Consumption {
            subscription,
            name,
            pattern,
            window: self.window.take().unwrap_or(0),
            start: self.start.take().map_or(Start::New, StartAt::start),
            conflation,
            pace: self.pace.take().unwrap_or(0),
            wants_confirmed: self.wants_confirmed.take().unwrap_or(false),
            wants_acknowledged: self.wants_acknowledged.take().unwrap_or(false),
            acknowledge_within_ms: self.acknowledge_within_ms.take().unwrap_or(0),
            deliveries: self.deliveries.take().unwrap_or(0),
            wants_format,
            filter,
            fields,
        })
    }
}

/// The name of a producer or a durable subscription.
fn checked<'a>(key: &str, Text(name): Text<'a>) -> Result<Cow<'a, str>, CommandError> {
    if name.is_empty() || name.len() > NAME_BYTES || name.contains(char::is_control) {
        let text = format!("{key}: a name has 1 to {NAME_BYTES} bytes and no control characters");
        return Err(CommandError::new(text));
    }
    Ok(name)
}

/// Where a subscription begins, as a text has it.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::websocket) enum StartAt {
    New,
    All,
    Position(Digits),
    TimeNs(Digits),
    Last(u64),
}

impl StartAt {
    fn start(self) -> Start {
        match self {
            Self::New => Start::New,
            Self::All => Start::All,
            Self::Position(Digits(position)) => Start::Position(position),
            Self::TimeNs(Digits(time)) => Start::Time(time),
            Self::Last(count) => Start::Last(count),
        }
    }
}

/// A position, or a time since 1970. In JSON it is a text of decimal digits, because numbers of JavaScript are
/// exact below 2^53 only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits(pub u64);

impl Serialize for Digits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Digits {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        struct Reading;

        impl Visitor<'_> for Reading {
            type Value = Digits;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a text of decimal digits, such as \"1000017\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digits, E> {
                let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
                let number = text.parse().ok().filter(|_| is_plain);
                number.map(Digits).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        text.deserialize_str(Reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::Command;

    fn consumption() -> Consumption<'static> {
        Consumption {
            subscription: 2,
            name: "".into(),
            pattern: "orders/>".into(),
            window: 0,
            start: Start::New,
            conflation: None,
            pace: 0,
            wants_confirmed: false,
            wants_acknowledged: false,
            acknowledge_within_ms: 0,
            deliveries: 0,
            wants_format: None,
            filter: "".into(),
            fields: "".into(),
        }
    }

    fn storing() -> Storing<'static> {
        Storing {
            topic: "orders/new".into(),
            sequence: 42,
            time_to_live_ms: 0,
            is_repeated: false,
            format: 1,
            payload: Payload::Text("buy".into()),
        }
    }

    #[test]
    fn every_command_is_read() {
        use GuaranteedCommand as It;
        let position = u64::MAX;
        let last = position.to_string();
        for (json, command) in [
            (r#"{"producer": "d\u00e9sk"}"#.to_owned(), It::Producer { name: "désk".into() }),
            (
                r#"{"store": "orders/new", "sequence": 42, "payload": "buy"}"#.to_owned(),
                It::Store(storing()),
            ),
            (
                r#"{"store": "orders/new", "sequence": 42, "binary": true, "repeated": true,
                    "time_to_live_ms": 9, "format": "fix"}"#
                    .to_owned(),
                It::Store(Storing {
                    time_to_live_ms: 9,
                    is_repeated: true,
                    format: 5,
                    payload: Payload::NextFrame,
                    ..storing()
                }),
            ),
            (r#"{"consume": 2, "pattern": "orders/>"}"#.to_owned(), It::Consume(consumption())),
            (
                r#"{"consume": 2, "pattern": "orders/>", "name": "risk", "window": 7, "pace": 2000,
                    "start": "all", "updates_per_second": 3, "wants_confirmed": true,
                    "wants_acknowledged": true, "acknowledge_within_ms": 5000, "deliveries": 3,
                    "format": "json", "where": "Bid > 1.08", "fields": "Bid,Ask"}"#
                    .to_owned(),
                It::Consume(Consumption {
                    name: "risk".into(),
                    window: 7,
                    start: Start::All,
                    conflation: Some(333_333_334),
                    pace: 2_000,
                    wants_confirmed: true,
                    wants_acknowledged: true,
                    acknowledge_within_ms: 5_000,
                    deliveries: 3,
                    wants_format: Some(2),
                    filter: "Bid > 1.08".into(),
                    fields: "Bid,Ask".into(),
                    ..consumption()
                }),
            ),
            (
                format!(r#"{{"acknowledge": 2, "position": "{last}"}}"#),
                It::Acknowledge { subscription: 2, position, is_cumulative: false },
            ),
            (
                format!(r#"{{"acknowledge": 2, "through": "{last}"}}"#),
                It::Acknowledge { subscription: 2, position, is_cumulative: true },
            ),
            (
                r#"{"release": 2, "position": "9007199254740993"}"#.to_owned(),
                It::Release { subscription: 2, position: 9_007_199_254_740_993, delay_ms: 0 },
            ),
            (
                r#"{"release": 2, "position": "1", "delay_ms": 500}"#.to_owned(),
                It::Release { subscription: 2, position: 1, delay_ms: 500 },
            ),
            (r#"{"delete": "risk"}"#.to_owned(), It::Delete { name: "risk".into() }),
        ] {
            let read = Command::parse(&json).expect(&json);
            assert_eq!(read.awaits_payload(), json.contains("binary"), "{json}");
            assert_eq!(read.clone().into_owned(), read);
            assert_eq!(read, Command::Guaranteed(command));
        }
    }

    #[test]
    fn a_subscription_begins_where_the_page_says() {
        for (start, expected) in [
            (r#""new""#, Start::New),
            (r#""all""#, Start::All),
            (r#"{"position": "18446744073709551615"}"#, Start::Position(u64::MAX)),
            (r#"{"time_ns": "1700000000000000001"}"#, Start::Time(1_700_000_000_000_000_001)),
            (r#"{"last": 5}"#, Start::Last(5)),
        ] {
            let json =
                format!(r#"{{"consume": 2, "pattern": "a", "start": {start}, "conflate": true}}"#);
            let Command::Guaranteed(GuaranteedCommand::Consume(it)) =
                Command::parse(&json).expect(&json)
            else {
                panic!("{json}");
            };
            assert_eq!((it.start, it.conflation), (expected, Some(0)), "{json}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_the_command_and_the_key() {
        let long = format!(r#"{{"producer": "{}"}}"#, "x".repeat(201));
        for (json, reason) in [
            (r#"{"producer": ""}"#, "producer: a name has 1 to 200 bytes"),
            (r#"{"producer": "a\n"}"#, "producer: a name has 1 to 200 bytes"),
            (&*long, "producer: a name has 1 to 200 bytes"),
            (r#"{"delete": ""}"#, "delete: a name has 1 to 200 bytes"),
            (r#"{"consume": 1, "pattern": "a", "name": ""}"#, "name: a name has 1 to"),
            (r#"{"store": "a", "payload": ""}"#, "store needs a sequence"),
            (r#"{"store": "a", "sequence": 0, "payload": ""}"#, "a number from 1 on"),
            (r#"{"store": "a", "sequence": "1", "payload": ""}"#, "sequence: invalid type: string"),
            (r#"{"store": "a", "sequence": 1}"#, "store needs either a payload"),
            (
                r#"{"store": "a", "sequence": 1.5, "payload": ""}"#,
                "sequence: invalid type: floating",
            ),
            (r#"{"consume": 1}"#, "consume needs a pattern"),
            (
                r#"{"consume": 1, "pattern": "a", "start": "old"}"#,
                "start: unknown variant `old`, expected one of `new`, `all`",
            ),
            (
                r#"{"consume": 1, "pattern": "a", "start": {"position": 7}}"#,
                "start: invalid type: integer `7`, expected a text of decimal digits",
            ),
            (
                r#"{"consume": 1, "pattern": "a", "updates_per_second": 0}"#,
                "updates_per_second is a number",
            ),
            (r#"{"acknowledge": 1}"#, "acknowledge needs either the position"),
            (r#"{"acknowledge": 1, "position": "1", "through": "1"}"#, "acknowledge needs either"),
            (
                r#"{"acknowledge": 1, "position": 9007199254740993}"#,
                "position: invalid type: integer",
            ),
            (
                r#"{"acknowledge": 1, "position": "+7"}"#,
                "position: invalid value: string \"+7\", expected a text of decimal digits",
            ),
            (r#"{"acknowledge": 1, "position": ""}"#, "position: invalid value"),
            (
                r#"{"acknowledge": 1, "position": "18446744073709551616"}"#,
                "position: invalid value",
            ),
            (r#"{"release": 1}"#, "release needs the position"),
            (
                r#"{"release": 1, "position": "1", "through": "1"}"#,
                "through means nothing beside release",
            ),
            (
                r#"{"publish": "a", "sequence": 1, "payload": ""}"#,
                "sequence means nothing beside publish",
            ),
        ] {
            let error = Command::parse(json).expect_err(json).to_string();
            assert!(error.contains(reason), "{json}: {error}");
        }
        let error = Command::parse(r#"{"release": 1, "position": 7}"#).expect_err("no text");
        assert!(error.to_string().ends_with("at line 1 column 28"), "{error}");
    }
}
