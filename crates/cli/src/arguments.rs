//! The command line.

mod admin;
mod client;
mod credentials;
mod fix;
mod help;
mod journal;
mod messages;
mod router;
mod site;
mod soap;
mod tls;
mod top;

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use trunkline_experiment::link::{parse_delay, parse_rate};
use trunkline_session::soap::{Binding, MessageEncoding};

use crate::fault::Fault;
use crate::output::{Form, print, wants_bold};
use crate::quantity;
pub(crate) use admin::{
    AdminCommand, ClientsArguments, DisconnectArguments, DrainArguments, MostArguments,
    NamedArguments, ProducersArguments, SeekArguments, SubscriptionsArguments, TopicsArguments,
    WhichArguments,
};
pub(crate) use client::{
    ClientCommand, Column, DeleteArguments, DurableCommand, LoginArguments, PubArguments,
    ReplyArguments, RequestArguments, SubArguments, ToArguments,
};
pub(crate) use credentials::CredentialsCommand;
pub(crate) use fix::{FixAcceptArguments, FixCommand, FixConnectArguments, FixSessionArguments};
pub(crate) use help::{command, manual};
pub(crate) use journal::{ExportArguments, JournalCommand};
pub(crate) use messages::{
    ConvertArguments, DecodeArguments, DescriptionArguments, FetchArguments, MessageArguments,
};
pub(crate) use router::{ConfigCommand, ListenAddress, ServeArguments, SimulateArguments};
pub(crate) use site::{Asked, SiteArguments};
pub(crate) use soap::{
    CallerArguments, GuardArguments, SoapDescribeArguments, WsSecurityArguments,
};
pub(crate) use tls::{ServerTlsArguments, TlsArguments};
pub(crate) use top::{Sort, TopArguments};

/// One message over SOAP, FIX, CORBA CDR and Fast Infoset, as fast as possible, with proof
#[derive(Debug, Parser)]
#[command(name = "trunkline", version = env!("TRUNKLINE_VERSION"))]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the router: topics, conflation and slow consumers, for any number of clients
    Serve(ServeArguments),
    /// Check and print configurations of the router
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Make the lines of the router's credentials file
    #[command(subcommand)]
    Credentials(CredentialsCommand),
    /// Show clients, topics, rates and queues of a router, as they change
    Top(TopArguments),
    /// List what a router has, disconnect clients, drain it for maintenance
    #[command(subcommand)]
    Admin(AdminCommand),
    #[command(flatten)]
    Client(ClientCommand),
    /// Inspect the journal of guaranteed delivery
    #[command(subcommand)]
    Journal(JournalCommand),
    /// Run the router and its clients in virtual time, with random stalls, crashes and garbage,
    /// and check every byte
    Simulate(SimulateArguments),
    /// Rerun published evaluations beside other people's software
    #[command(subcommand)]
    Lab(LabCommand),
    /// Estimate what a stream of trade reports needs: bandwidth, CPU time and machines, by format
    Plan(PlanArguments),
    /// Print the description of a message
    Schema(SchemaArguments),
    /// Call SOAP services, and serve what a WSDL describes
    #[command(subcommand)]
    Soap(SoapCommand),
    /// Be one side of FIX sessions: log on and send, or accept and answer
    #[command(subcommand)]
    Fix(FixCommand),
    /// Say what messages are and what is in them: FIX, SOAP, XML, Fast Infoset, CDR; in logs, dumps and captures
    ///
    /// Messages of FIX, envelopes of SOAP and documents with a declaration may have prefixes on the lines of a log; other XML, JSON and
    /// dumps in hexadecimal or base64 have their lines for themselves. FIX may have other delimiters than SOH (`|`, `^A`). A message that is wrong is shown as far as it goes, with the place and the reason; the
    /// status is 1 then.
    Decode(DecodeArguments),
    /// Write messages in another format: FIX, JSON, XML, SOAP, Fast Infoset, CDR
    ///
    /// A message is written whole or not at all: one that is wrong, or holds what the other format cannot, is named on
    /// standard error with its place and its field, and the others go on; the status is 1 then.
    Convert(ConvertArguments),
    /// Make loopback behave as an Ethernet or a wide-area link, between a client and its server
    Link(LinkArguments),
    /// Print what a shell needs to complete our verbs and options
    Completions(CompletionsArguments),
    /// Print the manual page, or write all pages to a folder
    Man(ManArguments),
}

/// For whom facts are printed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct FormArguments {
    /// Print each fact as a line of JSON
    #[arg(long = "json")]
    is_json: bool,
}

impl FormArguments {
    pub(crate) fn get(self) -> Form {
        if self.is_json { Form::Json } else { Form::Text }
    }
}

/// Of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write a page for each verb to this folder, such as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// The lab's verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Run an experiment and print its tables, the published figures beside ours
    Run(RunArguments),
    /// Print the tables of a record
    Show(ShowArguments),
    /// List the figures that are lower or higher in a second record than in a first
    Compare(CompareArguments),
    /// List the peers on this machine, and how to get the others
    Peers {
        #[command(flatten)]
        peers: PeersArguments,
        #[command(flatten)]
        form: FormArguments,
    },
    /// List the experiments and their parts
    List(FormArguments),
    /// Measure your own messages in every format: bytes, CPU time, round trips, instructions
    ///
    /// The messages are held as records, as whatever reads them by a schema at run time holds them; structs of Rust
    /// are faster. The figures are medians.
    Message(MessageArguments),
    /// The echo that the lab runs in a namespace of its own, to check its links
    #[command(hide = true)]
    EchoSlope(EchoSlopeArguments),
    /// One end of a network experiment: answers questions on standard input (peers/PROTOCOL.md)
    #[command(hide = true)]
    End(EndArguments),
    /// A program of an experiment with a middleware: performs tasks from standard input
    #[command(hide = true)]
    Component(ComponentArguments),
    /// One end of calls by a toolkit: answers questions on standard input (peers/PROTOCOL.md)
    #[command(hide = true)]
    Operations(OperationsArguments),
    /// Our engine of FIX as both sides of a session: answers questions on standard input (peers/PROTOCOL.md)
    #[command(hide = true)]
    Engine(EngineArguments),
    /// The bare forwarder, the baseline for brokers
    #[command(hide = true)]
    Forwarder(ForwarderArguments),
}

/// The verbs for services.
#[derive(Debug, Subcommand)]
pub(crate) enum SoapCommand {
    /// Print what a service offers: its ports and operations, what each takes, and how to call it
    ///
    /// What is read is the WSDL at a URL, or in a file with what that imports. Nothing else is fetched without --fetch.
    Describe(SoapDescribeArguments),
    /// Call an operation and print the reply
    ///
    /// The service's WSDL defines its messages. The call is rejected if an element is unknown or missing, or
    /// its value does not fit. Without a WSDL, use --namespace and --binding. Status 1 means that the service
    /// answered with a fault.
    Call(Box<SoapCallArguments>),
    /// Serve what a WSDL describes, with answers from files or made up
    ///
    /// Each operation of each port of SOAP has an answer: that of OPERATION.json in the folder of --answers, in the
    /// form that `convert` has, or else one with a value in every field. A file of --answers has rules that go before.
    /// Requests are held against the WSDL, with its facets. Each call is logged on standard error.
    Serve(SoapServeArguments),
}

/// Of `soap serve`.
#[derive(Debug, Args)]
pub(crate) struct SoapServeArguments {
    /// The WSDL
    #[arg(value_name = "FILE|URL")]
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) fetch: FetchArguments,
    /// Listen at this address; the system picks a port for 0
    #[arg(long, value_name = "HOST:PORT", value_parser = quantity::address, default_value = "127.0.0.1:8080")]
    pub(crate) listen: String,
    /// Serve this port of the WSDL only
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<String>,
    /// The folder with the answers, OPERATION.json or OPERATION.xml for each operation, OPERATION.MESSAGE.json where several are
    /// called so; or a file of TOML with rules: which answer to what, faults, delays
    #[arg(long, value_name = "FOLDER|FILE", conflicts_with = "write_answers")]
    pub(crate) answers: Option<PathBuf>,
    /// Pass over elements and attributes of requests that the WSDL does not have, and log their names; else they are a fault
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Write the answers that are made up to this folder, to be changed; and serve nothing
    #[arg(long, value_name = "FOLDER")]
    pub(crate) write_answers: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) guard: GuardArguments,
}

/// Of `soap call`.
#[derive(Debug, Args)]
pub(crate) struct SoapCallArguments {
    /// The service's address, such as http://127.0.0.1:8080/calculator
    pub(crate) url: String,
    /// The operation to call
    pub(crate) operation: String,
    /// The request's elements: `a=1`, `order.price=6.35`, `list.item[0]=x` and `list.item[1]=y`, `grid[0].item[1]=2`, without a value `a:nil=`, an empty
    /// list or struct `list=`. Without a WSDL, an element may name its type of XML Schema, `price:double=6.35`.
    /// Attributes: `price@unit=EUR`, of the Body's element `@id=5`
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) values: Vec<String>,
    /// The request in place of its elements: XML, which is the element in the Body or the envelope, or JSON in the form
    /// that `convert` has, with or without the object around it that has its name. It is the text itself, a file, or `-` for
    /// standard input
    #[arg(long, value_name = "TEXT|FILE", conflicts_with = "values")]
    pub(crate) body: Option<String>,
    /// Send values that the WSDL forbids, too, and XML as it is
    #[arg(long)]
    pub(crate) unchecked: bool,
    /// Send this header block: XML, or JSON such as '{"Session": {"token": "x"}}' for one of the WSDL; the text itself
    /// or a file. Several are allowed
    #[arg(long, value_name = "TEXT|FILE")]
    pub(crate) header: Vec<String>,
    /// Print the request, and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Read the WSDL from this URL or file instead of URL?wsdl; `-` is standard input
    #[arg(long, value_name = "URL|FILE", conflicts_with = "namespace")]
    pub(crate) wsdl: Option<String>,
    /// Also follow imports of the WSDL to other hosts
    #[arg(long, conflicts_with = "namespace")]
    pub(crate) other_hosts: bool,
    /// Also read files that the WSDL imports from outside its folder
    #[arg(long, requires = "wsdl")]
    pub(crate) other_folders: bool,
    /// Call this port of the WSDL, at its address there and not at URL: its name, or SERVICE/PORT
    #[arg(long, value_name = "PORT", conflicts_with = "namespace")]
    pub(crate) port: Option<String>,
    /// The operation's namespace; no WSDL is read then
    #[arg(long, value_name = "URI")]
    pub(crate) namespace: Option<String>,
    /// The style of the messages [default without a WSDL: document-literal]
    #[arg(long, value_name = "STYLE")]
    pub(crate) binding: Option<SoapBinding>,
    /// The elements inside the Body's element are in no namespace, as with elementFormDefault="unqualified"
    #[arg(long, requires = "namespace")]
    pub(crate) unqualified: bool,
    /// Name of the element in the Body [default: the operation's]
    #[arg(long, value_name = "NAME", requires = "namespace")]
    pub(crate) element: Option<String>,
    /// The SOAPAction
    #[arg(long, value_name = "URI")]
    pub(crate) action: Option<String>,
    /// Speak SOAP 1.2
    #[arg(long)]
    pub(crate) soap12: bool,
    /// The encoding of the messages if the server reads it, else XML. Over HTTP a request that is sent in XML tells
    /// the server that the answer may be in Fast Infoset, and no vocabulary is retained
    #[arg(long, value_name = "ENCODING", default_value = "xml")]
    pub(crate) encoding: SoapEncoding,
    /// Take the transport and encoding that the WSDL's policy offers: SOAP/TCP, Fast Infoset
    #[arg(long, conflicts_with_all = ["namespace", "encoding"])]
    pub(crate) by_policy: bool,
    /// Over HTTP, send the request in the encoding without knowing that the server reads it
    #[arg(long)]
    pub(crate) optimistic: bool,
    /// Print the envelope unchanged; of Fast Infoset, as XML
    #[arg(long, conflicts_with = "is_json")]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) caller: CallerArguments,
    #[command(flatten)]
    pub(crate) ws_security: WsSecurityArguments,
    /// Compress the request
    #[arg(long)]
    pub(crate) gzip: bool,
    /// How long to wait for a connection, and for the answer, such as 5s
    #[arg(long, value_parser = quantity::patience, default_value = "30s")]
    pub(crate) timeout: Duration,
    #[command(flatten)]
    pub(crate) tls: TlsArguments,
}

/// The styles of bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SoapBinding {
    #[value(alias = "document_literal")]
    DocumentLiteral,
    #[value(alias = "document_literal_bare")]
    DocumentLiteralBare,
    #[value(alias = "document_encoded")]
    DocumentEncoded,
    #[value(alias = "rpc_literal")]
    RpcLiteral,
    #[value(alias = "rpc_encoded")]
    RpcEncoded,
}

impl SoapBinding {
    pub(crate) fn binding(self) -> Binding {
        match self {
            Self::DocumentLiteral => Binding::document_literal(),
            Self::DocumentLiteralBare => Binding::document_literal_bare(),
            Self::DocumentEncoded => Binding::document_encoded(),
            Self::RpcLiteral => Binding::rpc_literal(),
            Self::RpcEncoded => Binding::rpc_encoded(),
        }
    }
}

/// The encodings of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SoapEncoding {
    Xml,
    FastInfoset,
    StatefulFastInfoset,
}

impl SoapEncoding {
    pub(crate) fn get(self) -> MessageEncoding {
        match self {
            Self::Xml => MessageEncoding::Xml,
            Self::FastInfoset => MessageEncoding::FastInfoset,
            Self::StatefulFastInfoset => MessageEncoding::StatefulFastInfoset,
        }
    }
}

/// Of `lab end`.
#[derive(Debug, Args)]
pub(crate) struct EndArguments {
    /// Send the loaded bytes, and echo received bytes, without a codec
    #[arg(long)]
    pub(crate) bare: bool,
    /// Decode into records, whose schema is known only at run time, and not into structs
    #[arg(long, conflicts_with = "bare")]
    pub(crate) record: bool,
}

/// Of `lab operations`.
#[derive(Debug, Args)]
pub(crate) struct OperationsArguments {
    /// Echo bytes, without any toolkit
    #[arg(long)]
    pub(crate) bare: bool,
    /// The operations on arrays
    #[arg(long, conflicts_with = "bare")]
    pub(crate) arrays: bool,
}

/// Of `lab engine`.
#[derive(Debug, Args)]
pub(crate) struct EngineArguments {
    /// trunkline, trunkline-spinning or trunkline-sleeping
    #[arg(default_value = "trunkline")]
    pub(crate) name: String,
}

/// Of `lab component`.
#[derive(Debug, Args)]
pub(crate) struct ComponentArguments {
    /// The middleware, such as trunkline or bare-forwarder
    pub(crate) subject: String,
}

/// Of `lab forwarder`.
#[derive(Debug, Args)]
pub(crate) struct ForwarderArguments {
    /// The address to listen at, and `spin` to poll without sleeping
    #[arg(value_name = "ADDRESS", num_args = 1..=2, required = true)]
    pub(crate) arguments: Vec<String>,
}

/// Of `lab run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The experiment, such as kohlhoff-2004 (see `trunkline lab list`), or a file NAME.toml
    pub(crate) experiment: String,
    /// Run only these parts: names separated by commas. Each run also measures the noise of the machine, since
    /// conclusions about times need it
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Take the trades from this CSV file, plain or gzip, instead of a generated day; its first line
    /// names the columns: ms_since_midnight, symbol, price_x10000, size and others
    #[arg(long, value_name = "FILE")]
    pub(crate) trades: Option<PathBuf>,
    /// Let a middleware carry the ticks of this file, or of all files in a folder, instead of generated ones:
    /// CSV, plain or zip, with the currency pair in its name; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) ticks: Vec<PathBuf>,
    /// Write every result as a line of JSON to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write every result as a line of JSON to a dated file in the folder records
    #[arg(long)]
    pub(crate) record: bool,
    /// Write a page for a browser, the rows and the logs of all measured times to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) peers: PeersArguments,
    /// Time the codecs of this build beside those of another, and report which are faster
    #[arg(long, value_name = "BINARY")]
    pub(crate) against: Option<PathBuf>,
    /// Of govindaraju-2004: let our client call a service of your own, too, which offers what peers/arrays.wsdl
    /// describes; NAME is what the results call it. May be repeated
    #[arg(long = "endpoint", value_name = "NAME=URL")]
    pub(crate) endpoints: Vec<String>,
    /// Measure quickly, not for a record: fewer lengths and repetitions
    #[arg(long)]
    pub(crate) quick: bool,
    /// Report no progress on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Of `lab show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// A file that `lab run --json` or `lab run --record` wrote
    #[arg(value_name = "RECORD")]
    pub(crate) record: PathBuf,
    /// Show only the tables whose title contains this, in upper or lower case; may be repeated
    #[arg(long = "table", value_name = "TITLE")]
    pub(crate) tables: Vec<String>,
    /// Write a page for a browser and the rows to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Print the rows as lines of JSON, the conclusions judged as those of runs today are
    #[arg(long, conflicts_with = "tables")]
    pub(crate) json: bool,
}

/// Of `lab compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The earlier record
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,
    /// The later record
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,
    /// Print every pair of rows, and not one line for all lengths of messages
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// The folder of the peers.
#[derive(Debug, Args)]
pub(crate) struct PeersArguments {
    /// Folder of the peers' programs [default: $TRUNKLINE_PEERS, else peers/build/bin]
    #[arg(long = "peers", value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// Of `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// Trade reports per second
    #[arg(long, value_name = "PER_SECOND", allow_negative_numbers = true)]
    pub(crate) rate: f64,
    /// Entries of a full message
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    pub(crate) entries: u32,
    /// The longest time that a report waits for others: 1s, 50ms, 200us
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = quantity::seconds)]
    pub(crate) window: f64,
    /// The formats: names separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "soap-rpc,fix,cdr-le")]
    pub(crate) format: Vec<String>,
    /// Number of clients; each gets every report
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) clients: u32,
    /// The line to each client, in bits per second: 256k, 10M, 1G
    #[arg(long, value_name = "BITS", value_parser = quantity::bits)]
    pub(crate) bandwidth: Option<u64>,
    /// Take the costs of the formats from this record instead of measuring them now
    #[arg(long, value_name = "RECORD")]
    pub(crate) costs: Option<PathBuf>,
    /// Measure with the trades of this CSV file, plain or gzip, instead of a generated day
    #[arg(long, value_name = "FILE", conflicts_with = "costs")]
    pub(crate) trades: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// A message that the binary knows, such as market-data; a file with a listing; a FIX dictionary, of QuickFIX or
    /// Orchestra; WSDL or XML Schema; OMG IDL, whose name ends in .idl; or a sample of a message, in XML or JSON, of which
    /// a first description is made
    #[arg(value_name = "NAME|FILE|URL")]
    pub(crate) name: String,
    /// Of a dictionary, the message by its name or MsgType; of IDL, the struct, union or exception; of WSDL, the
    /// operation, with /response behind it what it answers; of WSDL and XML Schema, the element. Without it, all that
    /// is in the file is listed. Behind a sample, another sample
    #[arg(value_name = "MESSAGE|SAMPLE")]
    pub(crate) message: Option<String>,
    /// More samples of the same message
    #[arg(value_name = "SAMPLE")]
    pub(crate) samples: Vec<String>,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
    /// Print the listing, one field a line, in the form that tools and `trunkline schema FILE` read
    #[arg(long, group = "written", conflicts_with = "is_json")]
    pub(crate) listing: bool,
    /// Print a module of Rust: a struct with derive(Message) for each message and what is inside, and of WSDL and of
    /// interfaces of IDL a client and a service of SOAP too; of one message if MESSAGE is given
    #[arg(long, group = "written", conflicts_with = "is_json")]
    pub(crate) rust: bool,
    /// Print a FIX dictionary in the form of QuickFIX, of the messages whose members have tags
    #[arg(long, group = "written", conflicts_with = "is_json")]
    pub(crate) fix: bool,
    /// Print OMG IDL: a struct, union or enum for each message and what is inside, and of WSDL interfaces too
    #[arg(long, group = "written", conflicts_with = "is_json")]
    pub(crate) idl: bool,
    /// Print an XML Schema of the documents that messages are in XML
    #[arg(long, group = "written", conflicts_with = "is_json")]
    pub(crate) xsd: bool,
    /// Print WSDL 1.1 of the services of a WSDL or the interfaces of IDL, document/literal wrapped; of one operation if
    /// MESSAGE is given
    #[arg(long, group = "written", conflicts_with = "is_json")]
    pub(crate) wsdl: bool,
    /// With --xsd or --wsdl, the namespace of messages that have none of their own; without it, those of --xsd are in
    /// none. With --idl, the module
    #[arg(
        long,
        value_name = "URI|MODULE",
        requires = "written",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) namespace: String,
    /// Write files into this folder instead of printing the only one: with --xsd, one for each namespace, with --wsdl, one
    /// for each service
    #[arg(long, value_name = "DIR", requires = "written")]
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Of `link`.
#[derive(Debug, Args)]
pub(crate) struct LinkArguments {
    /// Address to listen at; clients connect here. Port 0 is any free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: String,
    /// Address of the server, such as 127.0.0.1:9000
    #[arg(long, value_name = "ADDR")]
    pub(crate) to: String,
    /// Bits per second in each direction, such as 256k, 10M or 1G; without it, no limit
    #[arg(long, value_parser = parse_rate)]
    pub(crate) rate: Option<NonZeroU64>,
    /// One-way delay, such as 20ms or 500us
    #[arg(long, value_parser = parse_delay, default_value = "0ms")]
    pub(crate) delay: Duration,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// Of `lab echo-slope`.
#[derive(Debug, Args)]
pub(crate) struct EchoSlopeArguments {
    #[arg(long)]
    pub(crate) port: u16,
    #[arg(long)]
    pub(crate) repetitions: u32,
    #[arg(long)]
    pub(crate) passes: u32,
}

/// The command; None if the user asked for help or the version, which have been printed.
pub(crate) fn parse() -> Result<Option<Command>, Fault> {
    let parsed = command().try_get_matches();
    match parsed.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => Ok(Some(arguments.command)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                let text = error.render();
                print(&if wants_bold() { text.ansi().to_string() } else { text.to_string() })?;
                Ok(None)
            }
            _ => Err(Fault::new(one_line(&error))),
        },
    }
}

/// The library's message has several lines; ours has one.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let command = typed_verbs();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return format!("a command is missing; see {command} --help");
    }
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let sentence = words.join(" ");
    let sentence = sentence.trim_start_matches("error: ");
    format!("{sentence}{}; see {command} --help", meant(error))
}

/// What the user may have meant instead, in brackets, or nothing.
fn meant(error: &clap::Error) -> String {
    let kinds =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let names = kinds.into_iter().filter_map(|kind| match error.get(kind)? {
        ContextValue::String(name) => Some(vec![name.clone()]),
        ContextValue::Strings(names) => Some(names.clone()),
        _ => None,
    });
    let names: Vec<String> = names.flatten().map(|name| format!("'{name}'")).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", names.join(" or "))
    }
}

/// The verbs that were typed, as far as there are such: `trunkline lab run`.
fn typed_verbs() -> String {
    let (mut verbs, mut command) = ("trunkline".to_owned(), command());
    for word in std::env::args_os().skip(1) {
        let Some(verb) = command.find_subcommand(&word) else { break };
        verbs = format!("{verbs} {}", verb.get_name());
        command = verb.clone();
    }
    verbs
}
