//! Options of a client, and of its subscriptions.

use std::time::Duration;

use trunkline_native::{
    Features, Hello, Overflow, Updates, VERSION, encode_credentials, encode_hello,
};
#[cfg(feature = "tls")]
use trunkline_reactor::ClientTls;
use trunkline_reactor::Idle;

use crate::login::Login;

/// Options of a client. 0 leaves a number to the router's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// For people: logs, metrics, rules of the router's configuration. At most 200 bytes.
    pub name: String,
    /// What shows who this client is. Without TLS everybody on the way to the router can read it.
    pub login: Option<Login>,
    /// The most messages that wait for this client in the router.
    pub queue_messages: u32,
    /// The most bytes of payload that wait for this client in the router.
    pub queue_bytes: u64,
    /// What the router does when that queue is full.
    pub overflow: Overflow,
    /// The most messages a second that the router sends to this client.
    pub messages_per_second: u32,
    /// The most bytes of payload a second that the router sends to this client.
    pub bytes_per_second: u64,
    /// The client reports to the router what this program has taken of conflated subscriptions (a message
    /// is taken when the handler of [`crate::Client::receive`] has returned). The router sends only as much
    /// ahead as keeps it busy: it reads fresh updates, however slow it is.
    pub credit: bool,
    /// Conflated messages have their age when they are delivered ([`crate::Message::age`]).
    pub times: bool,
    /// Whom the client trusts at addresses with TLS (`tls://`), and its own certificate. These addresses need it.
    #[cfg(feature = "tls")]
    pub tls: Option<ClientTls>,
    /// Time limit for connecting, for an answer, and for room in a full connection.
    pub timeout: Duration,
    /// How the thread waits: asleep, or awake for a quicker answer.
    pub idle: Idle,
    /// The longest frame that is accepted from the router, in bytes.
    pub frame_bytes: u32,
    /// The most bytes of messages that are set aside while the client waits for something else.
    pub aside_bytes: usize,
    /// The socket's send buffer in bytes, if not the system's default.
    pub send_buffer: Option<usize>,
    /// The socket's receive buffer in bytes, if not the system's default.
    pub receive_buffer: Option<usize>,
}

impl Default for Options {
    /// No name, the router's own limits, credit and times, 10 s, asleep, frames up to 16 MiB, 64 MiB set
    /// aside.
    fn default() -> Self {
        Self {
            name: String::new(),
            login: None,
            queue_messages: 0,
            queue_bytes: 0,
            overflow: Overflow::Default,
            messages_per_second: 0,
            bytes_per_second: 0,
            credit: true,
            times: true,
            #[cfg(feature = "tls")]
            tls: None,
            timeout: Duration::from_secs(10),
            idle: Idle::Block,
            frame_bytes: 16 << 20,
            aside_bytes: 64 << 20,
            send_buffer: None,
            receive_buffer: None,
        }
    }
}

impl Options {
    /// The default options with a name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The frames that begin a connection.
    pub(crate) fn introduce(&self, out: &mut Vec<u8>) {
        encode_hello(out, &self.hello());
        if let Some(login) = &self.login {
            encode_credentials(out, &login.credentials());
        }
    }

    fn hello(&self) -> Hello<'_> {
        Hello {
            version: VERSION,
            has_credentials: self.login.is_some(),
            features: Features {
                credit: self.credit,
                times: self.times,
                last_values: true,
                notices: true,
                policies: true,
                formats: true,
                filters: true,
                fields: true,
            },
            queue_messages: self.queue_messages,
            overflow: self.overflow,
            queue_bytes: self.queue_bytes,
            messages_per_second: self.messages_per_second,
            bytes_per_second: self.bytes_per_second,
            name: &self.name,
        }
    }
}

/// Which messages of each topic a subscription receives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscribe {
    /// At most so many updates a second of each topic, the newest; `None` or 0 is no cap.
    pub updates_per_second: Option<u32>,
    /// A newer update replaces a waiting one, with or without a cap.
    pub conflate: bool,
    /// First the last value of each topic, where the router keeps it; not for consumers.
    pub last_values: bool,
    /// The format that messages are wanted in ([`crate::format`]), where the router knows what is published. A message that has
    /// no form in it is a gap with the reason; for a consumer a delivery with it ([`crate::Delivery::is_unrendered`]).
    pub format: Option<u16>,
    /// Which messages, by what they say, where the router knows what is published. Those who consume a durable
    /// subscription at a time name the same.
    pub filter: Option<Box<str>>,
    /// Which of their fields, such as `Symbol,Bid,Legs.Price`, where the router knows what is published.
    pub fields: Option<Box<str>>,
}

impl Subscribe {
    /// Every message.
    #[must_use]
    pub fn every() -> Self {
        Self::default()
    }

    /// The newest of each topic, as often as this client can take it.
    #[must_use]
    pub fn newest() -> Self {
        Self { conflate: true, ..Self::default() }
    }

    /// The newest of each topic, at most so many a second.
    #[must_use]
    pub fn at_most(updates_per_second: u32) -> Self {
        Self { updates_per_second: Some(updates_per_second), ..Self::newest() }
    }

    /// The same, with the last value of each topic first, where the router keeps it. They have
    /// [`Message::last_value`](crate::Message::last_value); [`Event::LastValues`](crate::Event::LastValues)
    /// says that all have come.
    #[must_use]
    pub fn last_values(self) -> Self {
        Self { last_values: true, ..self }
    }

    /// Bytes of a filter and of fields in a frame.
    pub(crate) fn text_bytes(&self) -> usize {
        [&self.filter, &self.fields].into_iter().flatten().map(|it| 4 + it.len()).sum()
    }

    /// The same, with messages in this format ([`crate::format`]).
    #[must_use]
    pub fn in_format(self, format: u16) -> Self {
        Self { format: Some(format), ..self }
    }

    /// The same, with those messages alone that pass a filter, such as `Bid > 1.08 and Source = 'X'`. One that the router
    /// cannot read by its schema is a gap with the reason.
    #[must_use]
    pub fn filter(self, filter: &str) -> Self {
        Self { filter: Some(filter.into()), ..self }
    }

    /// The same, with these fields alone of each message, such as `Symbol,Bid,Legs.Price`. A message that the router cannot
    /// read by its schema, or that has no form in its format without the other fields, is a gap with the reason.
    #[must_use]
    pub fn fields(self, fields: &str) -> Self {
        Self { fields: Some(fields.into()), ..self }
    }

    pub(crate) fn updates(&self) -> Updates {
        match self.updates_per_second {
            // The highest number has another meaning in the protocol, and is no cap.
            Some(rate) if rate > 0 && rate < u32::MAX => Updates::PerSecond(rate),
            _ if self.conflate => Updates::Newest,
            _ => Updates::All,
        }
    }
}
