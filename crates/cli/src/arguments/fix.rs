//! The command line of the verbs for FIX sessions.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use trunkline_fix::{Schedule, Version};

use super::{FormArguments, ServerTlsArguments, TlsArguments};
use crate::quantity;

/// The verbs for FIX sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum FixCommand {
    /// Log on to an acceptor, print what it sends, and send what is given
    ///
    /// Each line of standard input is a message: `35=D|11=order-1|55=INTC`, with `|`, `^A` or SOH between the fields; by
    /// the names of a dictionary, `NewOrderSingle|ClOrdID=order-1|Side=BUY|TransactTime={now}`; or JSON,
    /// `{"MsgType": "NewOrderSingle", "ClOrdID": "order-1"}`, with lists for groups, or as `convert` writes it. What the session writes itself is
    /// passed over, so that lines of a log can be sent again, as they stand. In others {now} is the time, {count} a number
    /// that counts up from 1.
    ///
    /// At the end of the input, and on an interrupt, it logs out. Status 1 means that the other side ended the session,
    /// or that a line could not be sent.
    Connect(FixConnectArguments),
    /// Accept sessions, print what comes, and answer by rules
    ///
    /// The rules are a file of TOML: `[[answer]]` has `to`, a message by its name or MsgType; `when`, fields and the values
    /// that they must have; `times`, how often it is given; and `send`, a message as `connect` takes it, or a list of them, in
    /// which {ClOrdID} or {11} is what that field of the message has, {now} the time and {count} a number that counts up from 1
    /// over all answers; {{now}} is the text {now}. Or it has `reject`, the text of a BusinessMessageReject, in which braces are
    /// text, and `reason`, its BusinessRejectReason (0 if it is not there). The first answer that fits is given.
    Accept(FixAcceptArguments),
}

/// Of every session.
#[derive(Debug, Args)]
pub(crate) struct FixSessionArguments {
    /// Our own name: SenderCompID of what we send
    #[arg(long, value_name = "NAME")]
    pub(crate) sender: String,
    /// BeginString: FIX.4.0 to FIX.4.4, or FIXT.1.1 for FIX 5.0 [default: the dictionary's, else FIX.4.4]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) version: Option<Version>,
    /// A dictionary, of QuickFIX or Orchestra: messages are checked by it, and shown and taken by its names
    #[arg(long, value_name = "FILE")]
    pub(crate) dictionary: Option<String>,
    /// The dictionary of FIXT 1.1, for FIX 5.0 [default: none, header and session are not checked]
    #[arg(long, value_name = "FILE", requires = "dictionary")]
    pub(crate) transport: Option<String>,
    /// ApplVerID of FIXT 1.1, such as 9 for FIX 5.0 SP2 [default: the dictionary's, else 9]
    #[arg(long, value_name = "ID")]
    pub(crate) application: Option<String>,
    /// Keep numbers and messages below this folder; without it, both sides begin with 1, and end with the process
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Begin with number 1 on both sides at each Logon
    #[arg(long)]
    pub(crate) reset: bool,
    /// The hours of the session, such as `mon-fri 08:00-17:30 America/New_York` or `sun 17:00-fri 17:00`: it is logged out at
    /// their end, and numbers begin with 1 in the next [default: it never stops; days: all; zone: UTC]
    #[arg(long, value_name = "HOURS")]
    pub(crate) hours: Option<Schedule>,
    /// Also print messages of the session, those that are sent too: Logon, Heartbeat, ResendRequest and the others, and
    /// what is sent again
    #[arg(long)]
    pub(crate) all: bool,
    /// Print what comes and what is sent as it is, with `|` for SOH; passwords are never shown
    #[arg(long, conflicts_with = "is_json")]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Of `fix connect`.
#[derive(Debug, Args)]
pub(crate) struct FixConnectArguments {
    /// Where the acceptor listens: HOST:PORT, or tls://HOST:PORT
    #[arg(value_name = "ADDRESS", value_parser = quantity::address_or_tls)]
    pub(crate) address: String,
    /// The acceptor's name: TargetCompID of what we send
    #[arg(long, value_name = "NAME")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) session: FixSessionArguments,
    #[command(flatten)]
    pub(crate) tls: TlsArguments,
    /// Send the messages of this file, a line each, instead of those of standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) send: Option<PathBuf>,
    /// Send messages whose values are not those of the dictionary, too, to see what the other side makes of them
    #[arg(long)]
    pub(crate) unchecked: bool,
    /// HeartBtInt: how long without a message until a Heartbeat is sent, in seconds: 30, or 30s
    #[arg(long, value_name = "TIME", value_parser = quantity::heartbeat, default_value = "30s")]
    pub(crate) heartbeat: Duration,
    /// A field that the Logon has besides, such as 553=user; may be repeated
    #[arg(long, value_name = "TAG=VALUE")]
    pub(crate) logon: Vec<String>,
    /// Begin with this number of ours instead of 1, where the other side expects it
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, conflicts_with_all = ["store", "reset"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) next: u64,
    /// How long to stay for answers when the input has ended, such as 10s
    #[arg(long, value_name = "TIME", value_parser = quantity::patience, default_value = "1s")]
    pub(crate) wait: Duration,
    /// How long to wait for a connection, and for the answer to the Logon
    #[arg(long, value_name = "TIME", value_parser = quantity::patience, default_value = "10s")]
    pub(crate) timeout: Duration,
}

/// Of `fix accept`.
#[derive(Debug, Args)]
pub(crate) struct FixAcceptArguments {
    /// Listen at this address; the system picks a port for 0
    #[arg(long, value_name = "HOST:PORT", value_parser = quantity::address, default_value = "127.0.0.1:5001")]
    pub(crate) listen: String,
    /// Who may log on, by its SenderCompID; may be repeated
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) target: Vec<String>,
    #[command(flatten)]
    pub(crate) session: FixSessionArguments,
    #[command(flatten)]
    pub(crate) tls: ServerTlsArguments,
    /// The rules by which messages are answered
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// Take rules whose values are not those of the dictionary, too, to see what the other side makes of them
    #[arg(long, requires = "answers")]
    pub(crate) unchecked: bool,
}

fn version(text: &str) -> Result<Version, String> {
    Version::of(text.as_bytes()).ok_or_else(|| {
        let all: Vec<_> = Version::ALL.iter().map(|it| it.begin_string()).collect();
        let hint = if text.starts_with("FIX.5") { ": FIX 5.0 runs over FIXT.1.1" } else { "" };
        format!("a version is one of {}{hint}", all.join(", "))
    })
}
