//! What every middleware looks like to the lab: topics to publish to, to subscribe to, and to wait on.
//!
//! An adaptor of a middleware implements [`Bus`] and [`Connect`] and nothing else; what the programs
//! of an experiment do is in `component` and is the same for all.

use std::io;
use std::time::Duration;

/// How a program waits for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// Looks once and returns: the caller asks again and again.
    Spin,
    /// Sleeps in the kernel until a message comes, but no longer than this.
    Block(Duration),
}

/// A connection to a middleware, used by one thread.
///
/// Errors of all methods are final: the connection is gone, or what was asked cannot be done
/// ([`io::ErrorKind::Unsupported`]). A full connection is no error, except when it stays full for
/// [`BusOptions::timeout`] ([`io::ErrorKind::TimedOut`]).
pub trait Bus {
    /// Publishes a message to the topic at this index of the names given at the connecting. What is
    /// sent may wait for [`Bus::flush`]; what has gathered beyond some 64 KiB is sent by itself.
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()>;

    /// Sends what waits: when this returns, the kernel or the other side's memory has all of it.
    fn flush(&mut self) -> io::Result<()>;

    /// Subscribes to these topics, by their indexes, in addition to earlier ones. Returns when the
    /// subscriptions have taken effect, as far as the middleware tells; messages that come before are
    /// kept for [`Bus::poll`].
    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()>;

    /// Hands over every message that is there, or that one read brings, with the index of its topic.
    /// Returns how many, 0 if none came in time. Never waits with a message in hand, and does not go on
    /// waiting when something was acknowledged.
    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize>;

    /// What this connection was told it has lost, in messages, since it began. A middleware that tells
    /// nobody has none.
    fn told_lost(&self) -> u64 {
        0
    }

    /// Publishes a message that must not be lost, to a topic of somebody's durable subscription. It waits
    /// for [`Bus::flush`] as others do. Guaranteed messages are numbered by the order of these calls.
    fn publish_guaranteed(&mut self, _topic: usize, _payload: &[u8]) -> io::Result<()> {
        Err(no_guarantee())
    }

    /// How many of the guaranteed messages the middleware has acknowledged: the first so many, without a
    /// gap. It changes while messages are polled.
    fn acknowledged(&self) -> u64 {
        0
    }

    /// A durable subscription of this name to these topics, made if it is not there, from the first message
    /// on. Each message is acknowledged when the sink of [`Bus::poll`] has returned; acknowledgements go
    /// together as the middleware takes them best.
    fn subscribe_guaranteed(&mut self, _name: &str, _topics: &[usize]) -> io::Result<()> {
        Err(no_guarantee())
    }
}

pub(crate) fn no_guarantee() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "there is no guaranteed delivery here")
}

/// Connects to a middleware.
pub trait Connect {
    /// A connection to `address` for these topics. Names have levels separated by `/`, of letters,
    /// digits, `-` and `_`; an adaptor writes them as its middleware wants them.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::Unsupported`] if the middleware cannot do what the options ask for.
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>>;
}

/// What a connection asks of its middleware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BusOptions {
    /// Name of the client, where the middleware knows names.
    pub name: String,
    /// The middleware queues no more messages than this for the client, and then discards new ones.
    /// `None`: as much as it does by default. One that cannot be told a number ignores it.
    pub queue_messages: Option<usize>,
    /// The middleware delivers no more than this to the client in a second, and queues the rest.
    pub messages_per_second: Option<u32>,
    /// For each topic the middleware delivers no more than this in a second, the newest only.
    pub updates_per_second: Option<u32>,
    /// A middleware that conflates is told what this program has taken, where it can be told. False: it has to
    /// do with what the sockets tell.
    pub credit: bool,
    /// Size of the socket's receive buffer in bytes, if not the system's own.
    pub receive_buffer: Option<usize>,
    /// How this program will wait: an adaptor with threads of its own follows it.
    pub spins: bool,
    /// How long connecting, subscribing and a full connection may take.
    pub timeout: Duration,
}

impl Default for BusOptions {
    fn default() -> Self {
        Self {
            name: "lab".to_owned(),
            queue_messages: None,
            messages_per_second: None,
            updates_per_second: None,
            credit: true,
            receive_buffer: None,
            spins: false,
            timeout: Duration::from_secs(10),
        }
    }
}
