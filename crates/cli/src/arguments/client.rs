//! The command line of a router's clients.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use trunkline_client::{Overflow, Start, format};
use trunkline_codec::CodeSet;
use trunkline_server::formats;

use super::messages::code_set;
use super::{Asked, DescriptionArguments, FormArguments, TlsArguments};
use crate::quantity;

/// The verbs of a client of a router.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Publish messages to a topic
    Pub(PubArguments),
    /// Subscribe to topics and print their messages
    ///
    /// Lost and elided messages are reported on standard error. Ctrl-C or --count ends it with a summary. The
    /// status is 1 if the router ends a subscription.
    Sub(SubArguments),
    /// Send a request to a topic and print the answer
    Request(RequestArguments),
    /// Answer the requests on a topic
    Reply(ReplyArguments),
    /// List and end durable subscriptions
    #[command(subcommand)]
    Durable(DurableCommand),
}

/// The verbs for durable subscriptions.
#[derive(Debug, Subcommand)]
pub(crate) enum DurableCommand {
    /// List the durable subscriptions of a router, and how much waits for each
    List(Asked),
    /// End a durable subscription for all of its consumers, with its waiting messages
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

/// The router, and the client's name.
#[derive(Debug, Args)]
pub(crate) struct ToArguments {
    /// The router: tcp://HOST:PORT, tls://HOST:PORT, unix:///PATH or shm:///PATH [default: $TRUNKLINE_TO, else
    /// tcp://127.0.0.1:7400]
    #[arg(long, short, value_name = "ADDRESS")]
    pub(crate) to: Option<String>,
    /// The client's name in the router's logs, metrics and rules
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) login: LoginArguments,
    /// Time limit for connecting and for answers, such as 5s or 300ms
    #[arg(long, value_parser = quantity::patience, default_value = "10s")]
    pub(crate) timeout: Duration,
    #[command(flatten)]
    pub(crate) tls: TlsArguments,
}

/// Who the client is.
#[derive(Debug, Default, Args)]
pub(crate) struct LoginArguments {
    /// The user who connects; without --password-file the terminal asks for the password [default: $TRUNKLINE_USER]
    #[arg(long, value_name = "USER", conflicts_with = "token_file")]
    pub(crate) user: Option<String>,
    /// A file whose first line is the user's password [default: $TRUNKLINE_PASSWORD_FILE]
    #[arg(long, value_name = "FILE", conflicts_with = "token_file")]
    pub(crate) password_file: Option<PathBuf>,
    /// A file whose first line is a token, in place of a user and a password [default: $TRUNKLINE_TOKEN_FILE]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

/// Of `pub`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true),
    override_usage = "trunkline pub [OPTIONS] <TOPIC> <PAYLOAD|-|--file <FILE>>\n       trunkline pub [OPTIONS] --topics"
)]
pub(crate) struct PubArguments {
    /// The topic, such as fx/EURUSD
    #[arg(required_unless_present = "topics", conflicts_with = "topics")]
    pub(crate) topic: Option<String>,
    /// The message; - publishes each line of standard input as a message, and with --format fix each message of FIX, whatever
    /// its values hold, with a line break behind it or not. Write -- before a payload that
    /// begins with a hyphen; negative numbers need none
    #[arg(group = "what", allow_negative_numbers = true)]
    pub(crate) payload: Option<String>,
    /// Publish the content of this file unchanged
    #[arg(long, short, value_name = "FILE", group = "what")]
    pub(crate) file: Option<PathBuf>,
    /// Read topics and messages from standard input: each line is a topic, a tab and a message
    #[arg(long, group = "what")]
    pub(crate) topics: bool,
    /// Messages per second [default: as fast as possible]
    #[arg(long, short, value_name = "PER_SECOND", value_parser = quantity::per_second)]
    pub(crate) rate: Option<f64>,
    /// Number of messages [default: all lines; without lines 1, or with --rate until Ctrl-C]
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) count: Option<u64>,
    /// The payload's format, by name or number: opaque, text, json, fix, soap-1.1 ...; cdr-be and cdr-le are cdr, with the
    /// byte of their byte order put before each message [default: text, for a file opaque]
    #[arg(long, value_parser = published_format)]
    pub(crate) format: Option<PublishedFormat>,
    /// The messages are in hexadecimal, as trunkline convert writes CDR and Fast Infoset; their bytes are published
    #[arg(long)]
    pub(crate) hex: bool,
    /// Clear the last value of the topic with each message: who subscribes later gets neither
    #[arg(long, conflicts_with = "guaranteed")]
    pub(crate) clear_last: bool,
    /// Store every message: the router acknowledges it when it is as durable as its topic asks, and
    /// delivers it until a consumer acknowledges it. Ends when the router has acknowledged all messages,
    /// and says how durable they are
    #[arg(long, short)]
    pub(crate) guaranteed: bool,
    /// The producer's name: the sequence of its messages continues from run to run, and one run at a time owns
    /// the name [default: a new name for each run, of which a router takes 10,000 an hour from one machine; give
    /// frequent runs a fixed name]
    #[arg(long, value_name = "NAME", requires = "guaranteed")]
    pub(crate) producer: Option<String>,
    /// Time to live of the messages, such as 30s; the router need not deliver them later
    #[arg(long, value_name = "TIME", value_parser = quantity::time_to_live, requires = "guaranteed")]
    pub(crate) time_to_live: Option<Duration>,
    /// Report every acknowledgement
    #[arg(long, short, requires = "guaranteed")]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

/// Of `sub`.
#[derive(Debug, Args)]
pub(crate) struct SubArguments {
    /// Patterns of topics, such as fx/*/spot: `*` is any level, `EUR*` a level that begins with EUR, `>` the rest
    #[arg(required = true, value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
    /// Receive at most N messages of each topic a second, the newest ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) updates_per_second: Option<u32>,
    /// Replace the waiting message of a topic by a newer one when this client does not keep up
    #[arg(long, short)]
    pub(crate) conflate: bool,
    /// First the last value of each topic, where the router keeps it (`[[last_value]]`), then what follows
    #[arg(long, short, conflicts_with = "kept")]
    pub(crate) last: bool,
    /// Receive the messages in this format, where the router knows the schema of what is published (`[[topic]]`): json,
    /// fix, soap-1.1 (or soap), soap-1.2, xml, cdr, fast-infoset
    #[arg(long = "as", value_name = "FORMAT", value_parser = converted_format)]
    pub(crate) format: Option<u16>,
    /// Receive the messages of which this holds, where the router knows the schema of what is published (`[[topic]]`):
    /// "Bid > 1.08 and (Source = 'X' or not Side in ('BUY', 'SELL')) and exists Quote.Ask"
    #[arg(long = "where", value_name = "FILTER")]
    pub(crate) filter: Option<String>,
    /// Receive these fields of messages alone, where the router knows the schema of what is published (`[[topic]]`), such
    /// as Symbol,Bid,Legs.Price. JSON leaves out whatever is not named, other formats what their schema lets be absent
    #[arg(long, value_name = "FIELDS")]
    pub(crate) fields: Option<String>,
    /// Receive at most N messages a second, of all topics
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) messages_per_second: u32,
    /// The most messages that wait for this client in the router [default: the router's]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) queue: u32,
    /// The policy when that queue is full [default: the router's]
    #[arg(long, value_name = "POLICY")]
    pub(crate) overflow: Option<OverflowName>,
    /// End after N messages
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Print every message and gap as a line of JSON
    #[arg(long, conflicts_with_all = ["show", "raw"])]
    pub(crate) json: bool,
    /// Print payloads unchanged, each with a line end
    #[arg(long, conflicts_with = "show")]
    pub(crate) raw: bool,
    /// Show each message as `trunkline decode` does: what it is, in the place of its payload, and its fields or elements in the
    /// lines below; by the schema if there is one
    #[arg(long, conflicts_with_all = ["json", "raw"])]
    pub(crate) decode: bool,
    /// The columns to print: names separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "topic,payload")]
    pub(crate) show: Vec<Column>,
    /// Reconnect when the connection is lost
    #[arg(long)]
    pub(crate) reconnect: bool,
    /// Consume guaranteed messages by the durable subscription of this name, and acknowledge each
    /// after printing it. The subscription outlives this client
    #[arg(long, short, value_name = "NAME", group = "kept")]
    pub(crate) durable: Option<String>,
    /// Receive the retained guaranteed messages, then live ones, without acknowledgements
    #[arg(long, group = "kept", requires = "from")]
    pub(crate) replay: bool,
    /// The start of a replay or of a new durable subscription: new, all, position:N, last:N or
    /// time:2026-07-01T09:30:00Z
    #[arg(long, value_name = "START", value_parser = quantity::start, requires = "kept")]
    pub(crate) from: Option<Start>,
    /// The speed of retained messages: max, or a multiple of their original pace, such as 1x or 2x [default: max]
    #[arg(long, value_name = "PACE", value_parser = quantity::pace, requires = "replay")]
    pub(crate) pace: Option<u32>,
    /// The most unacknowledged messages at a time [default: the router's]
    #[arg(long, value_name = "N", requires = "durable")]
    pub(crate) window: Option<u32>,
    /// The time after which a message that is not acknowledged is redelivered, such as 5s, if that is less than the
    /// router's configuration says
    #[arg(long, value_name = "TIME", value_parser = quantity::patience, requires = "durable")]
    pub(crate) acknowledge_within: Option<Duration>,
    /// The most deliveries of a message, after which it becomes a dead letter, if that is less than the router's
    /// configuration says
    #[arg(long, value_name = "N", requires = "durable")]
    pub(crate) deliveries: Option<u16>,
    /// Report when messages that were delivered unconfirmed are durable
    #[arg(long, requires = "kept")]
    pub(crate) confirmed: bool,
    /// What describes the messages: a FIX dictionary, OMG IDL, WSDL, XML Schema, or a listing (see `trunkline schema`). Each is printed in
    /// JSON then, in the place of its payload, with --json beside it, or with --decode by its fields
    #[arg(long, value_name = "FILE|URL", conflicts_with = "raw")]
    pub(crate) schema: Option<String>,
    /// The message's name, where the payload does not say it, as in CDR
    #[arg(long = "type", value_name = "TYPE", requires = "schema")]
    pub(crate) message: Option<String>,
    /// How text is written in FIX and CDR: UTF-8, ISO-8859-1 or windows-1252
    #[arg(long = "charset", value_name = "NAME", default_value = "UTF-8", value_parser = code_set, requires = "schema")]
    pub(crate) code_set: CodeSet,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

impl SubArguments {
    /// Whether the user asks for guaranteed messages.
    pub(crate) fn is_guaranteed(&self) -> bool {
        self.durable.is_some() || self.replay
    }
}

/// The columns that `sub` can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Column {
    /// Its topic
    Topic,
    /// Its number in the topic
    Sequence,
    /// The time since it was published, of conflated subscriptions and last values
    Age,
    /// The number of updates that it replaced
    Replaced,
    /// The payload's format
    Format,
    /// Bytes of the payload
    Bytes,
    /// The pattern that matched it
    Pattern,
    /// Its place in the router's journal, of guaranteed messages
    Position,
    /// When the router took it, of guaranteed messages
    Time,
    /// Of guaranteed messages: redelivered and how often, unconfirmed, kept; of others: last, if it is a last value
    State,
    /// The payload: text as it is, FIX with | between its fields, Fast Infoset as XML, and else hexadecimal behind what
    /// it is. JSON comes on one line; other text with control characters has escapes for them, and \\ for a backslash
    Payload,
}

/// The router's policy when the client's queue is full.
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
    /// The request. Write -- before a payload that begins with a hyphen; negative numbers need none
    #[arg(allow_negative_numbers = true)]
    pub(crate) payload: String,
    /// The payload's format, by name or number
    #[arg(long, value_parser = payload_format, default_value = "text")]
    pub(crate) format: u16,
    /// Print the answer unchanged, without a line end
    #[arg(long, conflicts_with = "is_json")]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
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
    /// The answer to every request. Write -- before a payload that begins with a hyphen; negative numbers need none
    #[arg(group = "what", allow_negative_numbers = true)]
    pub(crate) payload: Option<String>,
    /// Answer with the output of this shell command. It gets the request on standard input and its topic
    /// as $TRUNKLINE_TOPIC; if it fails or takes longer than --timeout, there is no answer
    #[arg(long, short, value_name = "COMMAND", group = "what")]
    pub(crate) command: Option<String>,
    /// End after N requests
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) count: Option<u64>,
    /// The answers' format, by name or number
    #[arg(long, value_parser = payload_format, default_value = "text")]
    pub(crate) format: u16,
    #[command(flatten)]
    pub(crate) to: ToArguments,
}

/// A format that the router converts into. One that it may learn has a number.
fn converted_format(text: &str) -> Result<u16, String> {
    let known = |it: &u16| formats::CONVERTED.contains(it) || text.parse() == Ok(*it);
    format::from_name(text)
        .filter(known)
        .ok_or_else(|| format!("messages are converted into {}", formats::names()))
}

/// The format of what is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PublishedFormat {
    /// Its number.
    pub(crate) number: u16,
    /// The byte that says the byte order of CDR, where the messages do not have it.
    pub(crate) byte_order: Option<u8>,
}

fn published_format(text: &str) -> Result<PublishedFormat, String> {
    let byte_order = match text {
        "cdr-be" => Some(0),
        "cdr-le" => Some(1),
        _ => None,
    };
    let number = if byte_order.is_some() { format::CDR } else { payload_format(text)? };
    Ok(PublishedFormat { number, byte_order })
}

fn payload_format(text: &str) -> Result<u16, String> {
    format::from_name(text).ok_or_else(|| {
        let names: Vec<_> = format::NAMES.iter().map(|(_, name)| *name).collect();
        format!("a format is a number up to 65535 or one of {}", names.join(", "))
    })
}
