//! The commands of a client in JSON: one object a text, with one key that names the action.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use trunkline_native::format;

use super::guaranteed::GuaranteedCommand;
use super::keys::{Format, Keys, Text};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// Deliver what matches the pattern from now on.
    Subscribe {
        /// Chosen by the client; what is delivered names it.
        subscription: u32,
        /// A pattern of topics.
        pattern: Cow<'a, str>,
        /// Updates a second of each topic, at most.
        updates_per_second: Option<u32>,
        /// The newest replaces what waits.
        conflate: bool,
        /// First the last value of each topic that keeps it.
        last_values: bool,
        /// In another format than the one in which messages are published.
        wants_format: Option<u16>,
        /// Which messages, by what they say; all if it is empty.
        filter: Cow<'a, str>,
        /// Which of their fields, with commas between; all if it is empty.
        fields: Cow<'a, str>,
    },
    /// Deliver no more for this subscription.
    Unsubscribe {
        /// As it was given.
        subscription: u32,
    },
    /// Publish a message.
    Publish {
        /// Its topic.
        topic: Cow<'a, str>,
        /// The topic has no last value then.
        clears_last_value: bool,
        /// Format of the payload; see [`trunkline_native::format`].
        format: u16,
        /// The published payload.
        payload: Payload<'a>,
    },
    /// Ask whoever subscribes to a topic.
    Request {
        /// The topic.
        topic: Cow<'a, str>,
        /// Chosen by the client; the answer names it.
        correlation: u64,
        /// How long an answer is of use, in milliseconds.
        timeout_ms: u32,
        /// Format of the payload; see [`trunkline_native::format`].
        format: u16,
        /// The question.
        payload: Payload<'a>,
    },
    /// Answer a request.
    Reply {
        /// The requester, as in the message of the request.
        to: ReplyTo,
        /// Format of the payload; see [`trunkline_native::format`].
        format: u16,
        /// The answer.
        payload: Payload<'a>,
    },
    /// Something with a guarantee.
    Guaranteed(GuaranteedCommand<'a>),
    /// Learn what was taken.
    Taken {
        /// Conflated messages, from the first on.
        messages: u64,
        /// The shortest round trip that the client knows, in nanoseconds; 0 is none.
        round_trip_ns: u64,
    },
    /// Say the time.
    Clock {
        /// The number of the question.
        token: u64,
    },
    /// Answer with the same number.
    Ping {
        /// The number of the ping.
        token: u64,
    },
}

/// Where a payload is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// In the JSON text.
    Text(Cow<'a, str>),
    /// In the next frame, which is binary.
    NextFrame,
}

impl Payload<'_> {
    pub(super) fn into_owned(self) -> Payload<'static> {
        match self {
            Self::Text(text) => Payload::Text(owned(text)),
            Self::NextFrame => Payload::NextFrame,
        }
    }

    /// The payload itself; `frame` is the next frame, where that is awaited.
    pub fn bytes<'b>(&'b self, frame: &'b [u8]) -> &'b [u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::NextFrame => frame,
        }
    }
}

/// The requester to which a reply goes. In JSON it is a text that pages return unchanged, because
/// its numbers are too large for JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyTo {
    /// The requester.
    pub client: u64,
    /// Which of its requests.
    pub correlation: u64,
}

impl fmt::Display for ReplyTo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:x}-{:x}", self.client, self.correlation)
    }
}

impl Serialize for ReplyTo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl ReplyTo {
    fn parse(text: &str) -> Option<Self> {
        let (client, correlation) = text.split_once('-')?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        Some(Self { client: number(client)?, correlation: number(correlation)? })
    }
}

/// The reason why a text is not a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError(String);

impl CommandError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for CommandError {}

/// How long an answer is of use where a request does not say it, in milliseconds.
const TIMEOUT_MS: u32 = 5_000;

impl Format<'_> {
    fn number(&self) -> Result<u16, CommandError> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Name(name) => format::from_name(name).ok_or_else(|| {
                let names = format::NAMES.map(|(_, name)| name).join(", ");
                CommandError(format!("{name:?} is no format; there are {names}, and numbers"))
            }),
        }
    }
}

impl<'a> Command<'a> {
    /// Reads a text.
    ///
    /// # Errors
    /// It is no JSON, or no command; the error says where or what.
    pub fn parse(text: &'a str) -> Result<Self, CommandError> {
        let keys: Keys<'a> =
            serde_json::from_str(text).map_err(|error| CommandError(error.to_string()))?;
        keys.command()
    }

    /// Whether its payload comes in the next frame.
    pub fn awaits_payload(&self) -> bool {
        match self {
            Self::Publish { payload, .. }
            | Self::Request { payload, .. }
            | Self::Reply { payload, .. } => *payload == Payload::NextFrame,
            Self::Guaranteed(command) => command.awaits_payload(),
            _ => false,
        }
    }

    /// The same without the text that it was read from.
    pub fn into_owned(self) -> Command<'static> {
        match self {
            Self::Subscribe {
                subscription,
                pattern,
                updates_per_second,
                conflate,
                last_values,
                wants_format,
                filter,
                fields,
            } => Command::Subscribe {
                subscription,
                pattern: owned(pattern),
                updates_per_second,
                conflate,
                last_values,
                wants_format,
                filter: owned(filter),
                fields: owned(fields),
            },
            Self::Unsubscribe { subscription } => Command::Unsubscribe { subscription },
            Self::Publish { topic, clears_last_value, format, payload } => Command::Publish {
                topic: owned(topic),
                clears_last_value,
                format,
                payload: payload.into_owned(),
            },
            Self::Request { topic, correlation, timeout_ms, format, payload } => Command::Request {
                topic: owned(topic),
                correlation,
                timeout_ms,
                format,
                payload: payload.into_owned(),
            },
            Self::Reply { to, format, payload } => {
                Command::Reply { to, format, payload: payload.into_owned() }
            }
            Self::Guaranteed(command) => Command::Guaranteed(command.into_owned()),
            Self::Taken { messages, round_trip_ns } => Command::Taken { messages, round_trip_ns },
            Self::Clock { token } => Command::Clock { token },
            Self::Ping { token } => Command::Ping { token },
        }
    }
}

/// The text of a key that may be absent, and not empty.
fn expression<'a>(text: Option<Text<'a>>, what: &str) -> Result<Cow<'a, str>, CommandError> {
    match text {
        Some(Text(text)) if text.is_empty() => Err(CommandError(what.into())),
        text => Ok(text.map(|Text(text)| text).unwrap_or_default()),
    }
}

/// What is wanted of messages.
pub(super) struct Wanted<'a> {
    pub(super) wants_format: Option<u16>,
    pub(super) filter: Cow<'a, str>,
    pub(super) fields: Cow<'a, str>,
}

impl<'a> Keys<'a> {
    /// The keys that say what is wanted of messages.
    pub(super) fn take_wanted(&mut self) -> Result<Wanted<'a>, CommandError> {
        let wants_format = self.format.take().map(|it| it.number()).transpose()?;
        let filter = expression(self.filter.take(), "where is a filter, such as Bid > 1.08")?;
        let fields = expression(self.fields.take(), "fields are such as Symbol,Bid,Ask")?;
        Ok(Wanted { wants_format, filter, fields })
    }

    fn command(mut self) -> Result<Command<'a>, CommandError> {
        let mut named = self.named();
        let Some(verb) = named.next() else {
            let actions = Self::ACTIONS.join(", ");
            return Err(CommandError(format!("one of the keys {actions} has to be there")));
        };
        if let Some(second) = named.next() {
            return Err(CommandError(format!("{verb} and {second} cannot stand in one text")));
        }
        let command = self.take(verb)?;
        // A key that means nothing beside this one would be passed over without a word.
        match self.left() {
            None => Ok(command),
            Some(key) => Err(CommandError(format!("{key} means nothing beside {verb}"))),
        }
    }

    fn take(&mut self, verb: &str) -> Result<Command<'a>, CommandError> {
        if let Some(subscription) = self.subscribe {
            let Some(Text(pattern)) = self.pattern.take() else {
                return Err(CommandError("subscribe needs a pattern".into()));
            };
            let updates_per_second = self.updates()?;
            let conflate = self.conflate.take().unwrap_or(false);
            let last_values = self.last_values.take().unwrap_or(false);
            let Wanted { wants_format, filter, fields } = self.take_wanted()?;
            return Ok(Command::Subscribe {
                subscription,
                pattern,
                updates_per_second,
                conflate,
                last_values,
                wants_format,
                filter,
                fields,
            });
        }
        if let Some(subscription) = self.unsubscribe {
            return Ok(Command::Unsubscribe { subscription });
        }
        if let Some(messages) = self.taken {
            let round_trip_ns = self.round_trip_ns.take().unwrap_or(0);
            return Ok(Command::Taken { messages, round_trip_ns });
        }
        if let Some(token) = self.clock {
            return Ok(Command::Clock { token });
        }
        if let Some(token) = self.ping {
            return Ok(Command::Ping { token });
        }
        if let Some(command) = self.take_guaranteed()? {
            return Ok(Command::Guaranteed(command));
        }
        let (format, payload) = self.content(verb)?;
        if let Some(Text(topic)) = self.publish.take() {
            let clears_last_value = self.clear_last_value.take().unwrap_or(false);
            return Ok(Command::Publish { topic, clears_last_value, format, payload });
        }
        if let Some(Text(topic)) = self.request.take() {
            let Some(correlation) = self.correlation.take() else {
                return Err(CommandError("request needs a correlation".into()));
            };
            let timeout_ms = self.timeout_ms.take().unwrap_or(TIMEOUT_MS);
            return Ok(Command::Request { topic, correlation, timeout_ms, format, payload });
        }
        let to = self.reply.take().and_then(|Text(to)| ReplyTo::parse(&to));
        let to = to.ok_or_else(|| {
            CommandError("reply is what stood as reply_to beside the request".into())
        })?;
        Ok(Command::Reply { to, format, payload })
    }

    pub(super) fn updates(&mut self) -> Result<Option<u32>, CommandError> {
        match self.updates_per_second.take() {
            Some(0) => Err(CommandError("updates_per_second is a number from 1 on".into())),
            updates => Ok(updates),
        }
    }

    /// The payload with its format.
    pub(super) fn content(&mut self, verb: &str) -> Result<(u16, Payload<'a>), CommandError> {
        let payload = match (self.payload.take(), self.binary.take().unwrap_or(false)) {
            (Some(Text(text)), false) => Payload::Text(text),
            (None, true) => Payload::NextFrame,
            _ => {
                return Err(CommandError(format!(
                    "{verb} needs either a payload or \"binary\": true with a binary frame after it"
                )));
            }
        };
        let format = match (self.format.take(), &payload) {
            (Some(format), _) => format.number()?,
            (None, Payload::Text(_)) => format::TEXT,
            (None, Payload::NextFrame) => format::OPAQUE,
        };
        Ok((format, payload))
    }
}

pub(super) fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Payload<'_> {
        Payload::Text(text.into())
    }

    fn ten_updates_a_second() -> Command<'static> {
        Command::Subscribe {
            subscription: 1,
            pattern: "fx/>".into(),
            updates_per_second: Some(10),
            conflate: false,
            last_values: false,
            wants_format: None,
            filter: "".into(),
            fields: "".into(),
        }
    }

    #[test]
    fn every_command_is_read() {
        let to = ReplyTo { client: u64::MAX, correlation: 10 };
        for (json, command) in [
            (
                r#"{"subscribe": 1, "pattern": "fx/>", "updates_per_second": 10}"#,
                ten_updates_a_second(),
            ),
            (r#"{"unsubscribe": 1}"#, Command::Unsubscribe { subscription: 1 }),
            (
                r#"{"publish": "fx/EURUSD", "payload": "1.\u0031"}"#,
                Command::Publish {
                    topic: "fx/EURUSD".into(),
                    clears_last_value: false,
                    format: 1,
                    payload: text("1.1"),
                },
            ),
            (
                r#"{"publish": "a", "binary": true, "format": "fix"}"#,
                Command::Publish {
                    topic: "a".into(),
                    clears_last_value: false,
                    format: 5,
                    payload: Payload::NextFrame,
                },
            ),
            (
                r#"{"publish": "a", "binary": true}"#,
                Command::Publish {
                    topic: "a".into(),
                    clears_last_value: false,
                    format: 0,
                    payload: Payload::NextFrame,
                },
            ),
            (
                r#"{"request": "a", "correlation": 9, "format": 40000, "payload": ""}"#,
                Command::Request {
                    topic: "a".into(),
                    correlation: 9,
                    timeout_ms: 5_000,
                    format: 40_000,
                    payload: text(""),
                },
            ),
            (
                r#"{"reply": "ffffffffffffffff-a", "payload": "x"}"#,
                Command::Reply { to, format: 1, payload: text("x") },
            ),
            (r#"{"ping": 7}"#, Command::Ping { token: 7 }),
            (r#"{"clock": 7}"#, Command::Clock { token: 7 }),
            (r#"{"taken": 7}"#, Command::Taken { messages: 7, round_trip_ns: 0 }),
            (
                r#"{"taken": 7, "round_trip_ns": 250000}"#,
                Command::Taken { messages: 7, round_trip_ns: 250_000 },
            ),
        ] {
            let read = Command::parse(json).expect(json);
            assert_eq!([&read, &read.clone().into_owned()], [&command, &command]);
            assert_eq!(read.awaits_payload(), json.contains("binary"), "{json}");
        }
    }

    #[test]
    fn a_requester_is_a_text() {
        let to = ReplyTo { client: u64::MAX, correlation: 10 };
        assert_eq!(ReplyTo::parse(&to.to_string()), Some(to));
    }

    #[test]
    fn a_subscription_names_a_format() {
        for (format, number) in [("\"fix\"", 5), ("\"soap\"", 3), ("32769", 32_769)] {
            let json = format!(r#"{{"subscribe": 1, "pattern": "a", "format": {format}}}"#);
            let read = Command::parse(&json).expect(&json);
            let wants = |it: &Command<'_>| match it {
                Command::Subscribe { wants_format, .. } => *wants_format == Some(number),
                _ => false,
            };
            assert!(wants(&read) && wants(&read.into_owned()));
        }
    }

    #[test]
    fn a_subscription_has_a_filter_and_fields() {
        let json =
            r#"{"subscribe": 1, "pattern": "a", "where": "Bid > 1.08", "fields": "Bid,Ask"}"#;
        let read = Command::parse(json).expect(json);
        let has_it = |it: &Command<'_>| match it {
            Command::Subscribe { filter, fields, .. } => {
                filter == "Bid > 1.08" && fields == "Bid,Ask"
            }
            _ => false,
        };
        assert!(has_it(&read) && has_it(&read.into_owned()));
    }

    #[test]
    fn last_values_are_requested_and_cleared() {
        let json = r#"{"subscribe": 1, "pattern": "fx/>", "conflate": true, "last_values": true}"#;
        let read = Command::parse(json).expect(json);
        let wants = |command: &Command<'_>| {
            matches!(command, Command::Subscribe { conflate: true, last_values: true, .. })
        };
        assert!(wants(&read) && wants(&read.into_owned()));
        let json = r#"{"publish": "a", "binary": true, "clear_last_value": true}"#;
        let read = Command::parse(json).expect(json);
        let clears = |command: &Command<'_>| {
            matches!(command, Command::Publish { clears_last_value: true, .. })
        };
        assert!(clears(&read) && clears(&read.into_owned()));
    }

    #[test]
    fn the_document_shows_commands() {
        let page = include_str!("../../../../docs/websocket.md");
        let (_, section) = page.split_once("## What a client says").expect("the section");
        let (section, _) = section.split_once("\n## ").expect("the next section");
        let rows = section.lines().filter(|line| line.starts_with("| "));
        let texts: Vec<&str> =
            rows.flat_map(|row| row.split('`').filter(|part| part.starts_with('{'))).collect();
        assert!(texts.len() > 7, "{texts:?}");
        for text in texts {
            Command::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    }

    #[test]
    fn samples_of_the_document_tell_payloads_from_texts() {
        let page = include_str!("../../../../docs/websocket.md");
        let samples: Vec<&str> = page.split("```").filter(|it| it.contains("onmessage")).collect();
        assert_eq!(samples.len(), 2);
        for sample in samples {
            let (_, handler) = sample.split_once("onmessage = ").expect("a handler");
            let (before, _) = handler.split_once("JSON.parse(data)").expect("texts are read");
            assert!(before.contains("typeof data !== \"string\""), "{sample}");
            assert!(handler.contains("\"binary\" in message"), "{sample}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (json, reason) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("[1", "line 1 column"),
            (r#"{"subscribe": -1}"#, "invalid value: integer `-1`, expected u32"),
            (r#"{"nmae": 1}"#, "unknown field `nmae`"),
            (r#"{"ping": 1, "ping": 2}"#, "duplicate field `ping`"),
            ("{}", "one of the keys subscribe, unsubscribe"),
            (r#"{"ping": 1, "subscribe": 1}"#, "subscribe and ping cannot"),
            (r#"{"subscribe": 1}"#, "needs a pattern"),
            (r#"{"subscribe": 1, "pattern": "a", "where": ""}"#, "where is a filter"),
            (r#"{"subscribe": 1, "pattern": "a", "fields": ""}"#, "fields are such as"),
            (r#"{"subscribe": 1, "pattern": "a", "updates_per_second": 0}"#, "from 1 on"),
            (r#"{"publish": "a"}"#, "publish needs either a payload"),
            (r#"{"publish": "a", "payload": "", "binary": true}"#, "publish needs either"),
            (r#"{"publish": "a", "payload": "", "pattern": "b"}"#, "pattern means nothing"),
            (
                r#"{"publish": "a", "payload": "", "format": "fox"}"#,
                "\"fox\" is no format; there are opaque",
            ),
            (r#"{"request": "a", "payload": ""}"#, "needs a correlation"),
            (r#"{"reply": "7", "payload": ""}"#, "reply_to"),
            (r#"{"ping": 1, "round_trip_ns": 1}"#, "round_trip_ns means nothing beside ping"),
            (r#"{"taken": -1}"#, "invalid value: integer `-1`, expected u64"),
            (
                r#"{"unsubscribe": 1, "last_values": true}"#,
                "last_values means nothing beside unsubscribe",
            ),
            (r#"{"ping": 1, "payload": ""}"#, "payload means nothing beside ping"),
        ] {
            let error = Command::parse(json).expect_err(json).to_string();
            assert!(error.contains(reason), "{json}: {error}");
        }
    }
}
