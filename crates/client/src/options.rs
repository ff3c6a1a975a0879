//! What a client asks for when it connects, and when it subscribes.

use std::time::Duration;

use trunkline_native::{Features, Hello, Overflow, Updates, VERSION};
use trunkline_reactor::Idle;

/// What a client asks for when it connects. 0 leaves a number to the router's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// For people: logs, metrics, rules of the router's configuration. At most 200 bytes.
    pub name: String,
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
    /// The client tells the router what this program has taken of conflated subscriptions (a message is
    /// taken when the handler of [`crate::Client::receive`] has returned), and the router sends no more
    /// ahead than keeps it busy: what it reads is fresh, however slow it is.
    pub credit: bool,
    /// Conflated messages say how old they are when they are handed over
    /// ([`crate::Message::age`]).
    pub times: bool,
    /// How long connecting, an answer, or room in a full connection may take.
    pub timeout: Duration,
    /// How the thread waits: asleep, or awake for a quicker answer.
    pub idle: Idle,
    /// The longest frame that is taken from the router, in bytes.
    pub frame_bytes: u32,
    /// Messages that come while the client waits for something else are put aside up to so many
    /// bytes.
    pub aside_bytes: usize,
    /// The socket's buffer for what is sent, in bytes, if not the system's own.
    pub send_buffer: Option<usize>,
    /// The socket's buffer for what is received, in bytes, if not the system's own.
    pub receive_buffer: Option<usize>,
}

impl Default for Options {
    /// No name, the router's own limits, credit and times, 10 s, asleep, frames up to 16 MiB, 64 MiB put aside.
    fn default() -> Self {
        Self {
            name: String::new(),
            queue_messages: 0,
            queue_bytes: 0,
            overflow: Overflow::Default,
            messages_per_second: 0,
            bytes_per_second: 0,
            credit: true,
            times: true,
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

    pub(crate) fn hello(&self) -> Hello<'_> {
        Hello {
            version: VERSION,
            features: Features { credit: self.credit, times: self.times },
            queue_messages: self.queue_messages,
            overflow: self.overflow,
            queue_bytes: self.queue_bytes,
            messages_per_second: self.messages_per_second,
            bytes_per_second: self.bytes_per_second,
            name: &self.name,
        }
    }
}

/// How many messages of each topic a subscription wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subscribe {
    /// At most so many a second of each topic, the newest of them; `None` or 0 is no cap.
    pub updates_per_second: Option<u32>,
    /// The newest takes the place of one that waits, with or without a cap.
    pub conflate: bool,
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
        Self { updates_per_second: None, conflate: true }
    }

    /// The newest of each topic, at most so many times a second.
    #[must_use]
    pub fn at_most(updates_per_second: u32) -> Self {
        Self { updates_per_second: Some(updates_per_second), conflate: true }
    }

    pub(crate) fn updates(&self) -> Updates {
        match self.updates_per_second {
            // The highest number means something else to the protocol, and is no cap.
            Some(rate) if rate > 0 && rate < u32::MAX => Updates::PerSecond(rate),
            _ if self.conflate => Updates::Newest,
            _ => Updates::All,
        }
    }
}
