//! What the user may type to speak with a router.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use trunkline_client::{Overflow, Start, format};
use trunkline_experiment::link::parse_delay;

use crate::quantity;

/// The verbs of a client of a router.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Publish messages to a topic
    Pub(PubArguments),
    /// Subscribe to topics and print what comes
    ///
    /// What was lost or elided is told on standard error. Ends with a summary, by Ctrl-C or --count; and with
    /// status 1 when the router ends a subscription.
    Sub(SubArguments),
    /// Ask on a topic and print the answer
    Request(RequestArguments),
    /// Answer the requests on a topic
    Reply(ReplyArguments),
    /// End durable subscriptions
    #[command(subcommand)]
    Durable(DurableCommand),
}

/// What is done with durable subscriptions.
#[derive(Debug, Subcommand)]
pub(crate) enum DurableCommand {
    /// End a durable subscription for all of its consumers, with what waits in it
    Delete(DeleteArguments),
}

/// Of `durable delete`.
#[derive(Debug, Args)]
pub(crate) struct DeleteArguments {
    /// The durable subscription
    pub(crate) subscription: String,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

/// Which router, and who we are.
#[derive(Debug, Args)]
pub(crate) struct ToArguments {
    /// The router: tcp://HOST:PORT, unix:///PATH or shm:///PATH [default: $TRUNKLINE_TO, else
    /// tcp://127.0.0.1:7400]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) to: Option<String>,
    /// Our name in the router's logs, metrics and rules
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How long connecting and answers may take, such as 5s or 300ms
    #[arg(long, value_parser = parse_delay, default_value = "10s")]
    pub(crate) timeout: Duration,
}

/// Of `pub`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true),
    override_usage = "trunkline pub [OPTIONS] <TOPIC> <PAYLOAD|-|--file <FILE>>"
)]
pub(crate) struct PubArguments {
    /// The topic, such as fx/EURUSD
    pub(crate) topic: String,
    /// The message; - takes every line of standard input as one. Behind -- it may begin with a hyphen,
    /// as a negative number may anywhere
    #[arg(group = "what", allow_negative_numbers = true)]
    pub(crate) payload: Option<String>,
    /// Take the message from this file, as it is
    #[arg(long, value_name = "FILE", group = "what")]
    pub(crate) file: Option<PathBuf>,
    /// Messages per second; without it, as fast as it goes
    #[arg(long, value_name = "PER_SECOND", value_parser = quantity::per_second)]
    pub(crate) rate: Option<f64>,
    /// How many messages [default: all lines; without lines 1, or with --rate until Ctrl-C]
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// What the payload is, by name or number: opaque, text, json, fix, soap-1.1 ... [default: text,
    /// or of a file opaque]
    #[arg(long, value_parser = payload_format)]
    pub(crate) format: Option<u16>,
    /// Store every message: the router acknowledges it when it is as durable as its topic asks, and
    /// delivers it until it is acknowledged. Ends when all are, and says how durable they are
    #[arg(long)]
    pub(crate) guaranteed: bool,
    /// Whose messages they are: their sequence goes on from run to run, and one run at a time has
    /// the name [default: a name for this run, of which a router takes 10,000 an hour from one machine; runs
    /// that are many are to keep a name]
    #[arg(long, value_name = "NAME", requires = "guaranteed")]
    pub(crate) producer: Option<String>,
    /// They need not be delivered any more after this time, such as 30s
    #[arg(long, value_name = "TIME", value_parser = quantity::time_to_live, requires = "guaranteed")]
    pub(crate) time_to_live: Option<Duration>,
    /// Tell of every acknowledgement
    #[arg(long, requires = "guaranteed")]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

/// Of `sub`.
#[derive(Debug, Args)]
pub(crate) struct SubArguments {
    /// Topics: `*` is any level, `EUR*` a level that begins so, `>` the rest, such as fx/*/spot
    #[arg(required = true, value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
    /// At most so many messages of each topic a second, the newest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) updates_per_second: Option<u32>,
    /// When we do not keep up, the newest of each topic takes the place of what waits
    #[arg(long)]
    pub(crate) conflate: bool,
    /// At most so many messages a second, of all topics
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) messages_per_second: u32,
    /// The most messages that wait for us in the router [default: the router's]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) queue: u32,
    /// What happens when more would wait [default: the router's]
    #[arg(long, value_name = "POLICY")]
    pub(crate) overflow: Option<OverflowName>,
    /// End after so many messages
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Print every message and gap as a line of JSON
    #[arg(long, conflicts_with_all = ["show", "raw"])]
    pub(crate) json: bool,
    /// Print payloads as they are, each with a line end
    #[arg(long, conflicts_with = "show")]
    pub(crate) raw: bool,
    /// What to print of a message: names with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "topic,payload")]
    pub(crate) show: Vec<Column>,
    /// Connect again when the connection is lost
    #[arg(long)]
    pub(crate) reconnect: bool,
    /// Take guaranteed messages by the durable subscription of this name, which goes on while we are
    /// away, and acknowledge each when it is printed
    #[arg(long, value_name = "NAME", group = "kept")]
    pub(crate) durable: Option<String>,
    /// Take the guaranteed messages that are kept, then live ones; nothing is acknowledged
    #[arg(long, group = "kept", requires = "from")]
    pub(crate) replay: bool,
    /// Where a replay, or a durable subscription that is new, begins: new, all, position:N, last:N or
    /// time:2026-07-01T09:30:00Z
    #[arg(long, value_name = "START", value_parser = quantity::start, requires = "kept")]
    pub(crate) from: Option<Start>,
    /// How fast kept messages come: max, or in times of their pace, such as 1x or 2x [default: max]
    #[arg(long, value_name = "PACE", value_parser = quantity::pace, requires = "replay")]
    pub(crate) pace: Option<u32>,
    /// The most messages that come before we acknowledge some [default: the router's]
    #[arg(long, value_name = "N", requires = "durable")]
    pub(crate) window: Option<u32>,
    /// Tell when messages that came before they were durable are
    #[arg(long, requires = "kept")]
    pub(crate) confirmed: bool,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

impl SubArguments {
    /// Whether guaranteed messages are wanted.
    pub(crate) fn is_guaranteed(&self) -> bool {
        self.durable.is_some() || self.replay
    }
}

/// What `sub` can print of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Column {
    /// Its topic
    Topic,
    /// Its number in the topic
    Sequence,
    /// How long ago it was published, of conflated subscriptions
    Age,
    /// How many others it took the place of
    Replaced,
    /// What the payload is
    Format,
    /// Bytes of the payload
    Bytes,
    /// The pattern that it came by
    Pattern,
    /// Its place in the router's journal, of guaranteed messages
    Position,
    /// When the router took it, of guaranteed messages
    Time,
    /// Of guaranteed messages: redelivered and how often, unconfirmed, kept
    State,
    /// The payload: text, or hexadecimal
    Payload,
}

/// What the router does when too much waits for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverflowName {
    DropOldest,
    DropNewest,
    Disconnect,
}

impl From<OverflowName> for Overflow {
    fn from(name: OverflowName) -> Self {
        match name {
            OverflowName::DropOldest => Self::DropOldest,
            OverflowName::DropNewest => Self::DropNewest,
            OverflowName::Disconnect => Self::Disconnect,
        }
    }
}

/// Of `request`.
#[derive(Debug, Args)]
pub(crate) struct RequestArguments {
    /// The topic, such as quotes/EURUSD
    pub(crate) topic: String,
    /// The request. Behind -- it may begin with a hyphen, as a negative number may anywhere
    #[arg(allow_negative_numbers = true)]
    pub(crate) payload: String,
    /// What the payload is, by name or number
    #[arg(long, value_parser = payload_format, default_value = "text")]
    pub(crate) format: u16,
    /// Print the answer as it is, without a line end
    #[arg(long)]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

/// Of `reply`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true),
    override_usage = "trunkline reply [OPTIONS] <TOPIC> <PAYLOAD|--command <COMMAND>>"
)]
pub(crate) struct ReplyArguments {
    /// The topic, or a pattern of topics
    pub(crate) topic: String,
    /// The answer to every request. Behind -- it may begin with a hyphen, as a negative number may anywhere
    #[arg(group = "what", allow_negative_numbers = true)]
    pub(crate) payload: Option<String>,
    /// Answer with what this shell command prints. It gets the request on standard input and its topic
    /// as $TRUNKLINE_TOPIC; where it fails or takes longer than --timeout, there is no answer
    #[arg(long, value_name = "COMMAND", group = "what")]
    pub(crate) command: Option<String>,
    /// End after so many requests
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// What the answers are, by name or number
    #[arg(long, value_parser = payload_format, default_value = "text")]
    pub(crate) format: u16,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

fn payload_format(text: &str) -> Result<u16, String> {
    format::from_name(text).ok_or_else(|| {
        let names: Vec<_> = format::NAMES.iter().map(|(_, name)| *name).collect();
        format!("a format is a number up to 65535 or one of {}", names.join(", "))
    })
}
