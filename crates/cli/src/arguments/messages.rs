//! The command line of the verbs for messages of others.

use clap::Args;
use trunkline_codec::CodeSet;
use trunkline_experiment::link::Link;
use trunkline_transcode::Format;

use super::FormArguments;
use crate::lab::message::{Counted, what_is_counted};
use crate::quantity;

/// How a file is read that describes messages.
#[derive(Debug, Default, Args)]
pub(crate) struct DescriptionArguments {
    /// Takes header and trailer from another dictionary, as those of FIX 5.0 are in FIXT11.xml
    #[arg(long, value_name = "FILE")]
    pub(crate) transport: Option<String>,
    /// A folder in which files are that IDL includes; may be repeated
    #[arg(long, value_name = "FOLDER")]
    pub(crate) include: Vec<String>,
    /// A macro for IDL; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    #[command(flatten)]
    pub(crate) fetch: FetchArguments,
}

/// What may be fetched of a description.
#[derive(Debug, Default, Args)]
pub(crate) struct FetchArguments {
    /// Fetch the description where its name is a URL, and what it imports from that host: at most 100 documents, 16 MiB of all
    /// together, in 30 s
    #[arg(long)]
    pub(crate) fetch: bool,
    /// Also fetch what it imports from other hosts
    #[arg(long, requires = "fetch")]
    pub(crate) other_hosts: bool,
}

/// Of `decode`.
#[derive(Debug, Args)]
pub(crate) struct DecodeArguments {
    /// Logs, streams or dumps of messages; documents in the order in which they were sent; one or both directions of a
    /// connection of SOAP/TCP as bytes; or captures (pcap, pcapng). All of them may be compressed by gzip; `-` is
    /// standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<String>,
    /// What describes the messages: a FIX dictionary, OMG IDL, WSDL, XML Schema, or a listing (see `trunkline schema`). Fields are shown
    /// by their names then, and checked
    #[arg(long, short, value_name = "FILE|URL")]
    pub(crate) schema: Option<String>,
    /// The message's name, where the bytes do not say it, as in CDR
    #[arg(long = "type", value_name = "TYPE", requires = "schema")]
    pub(crate) message: Option<String>,
    /// The format, where the bytes do not say it: cdr-le or cdr-be
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) format: Option<Format>,
    /// How text is written in FIX and CDR: UTF-8, ISO-8859-1 or windows-1252
    #[arg(long = "charset", value_name = "NAME", default_value = "UTF-8", value_parser = code_set)]
    pub(crate) code_set: CodeSet,
    /// Also say what is not valid by the schema, with line, path and rule: elements that are missing or out of order, values
    /// out of their bounds, keys. The status is 1 then
    #[arg(long, requires = "schema")]
    pub(crate) check: bool,
    /// Each document builds on the vocabulary of those before, as on a connection of SOAP/TCP (stateful Fast
    /// Infoset). Its size and use are told on standard error
    #[arg(long)]
    pub(crate) retain: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
}

/// Of `convert`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// Logs, streams or dumps of messages, plain or compressed by gzip; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<String>,
    /// The format of the messages: fix, cdr-le, cdr-be, xml, soap-1.1, soap-1.2, fast-infoset or json
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) from: Format,
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) to: Format,
    /// What describes the messages: a FIX dictionary, OMG IDL, WSDL, XML Schema, or a listing (see `trunkline schema`)
    #[arg(long, short, value_name = "FILE|URL")]
    pub(crate) schema: String,
    /// The message's name, where the bytes do not say it, as in CDR
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) message: Option<String>,
    /// Convert only what is valid by the schema: elements that are missing or out of order, values out of their bounds, keys. Of
    /// what is not, say why, with line, path and rule
    #[arg(long)]
    pub(crate) check: bool,
    /// Messages of CDR and Fast Infoset stand behind their length, four bytes, the least significant first, and FIX one
    /// behind the other. Without it each is a line, in hexadecimal if it is no text
    #[arg(long)]
    pub(crate) framed: bool,
    /// How text is written in FIX and CDR: UTF-8, ISO-8859-1 or windows-1252
    #[arg(long = "charset", value_name = "NAME", default_value = "UTF-8", value_parser = code_set)]
    pub(crate) code_set: CodeSet,
    /// BeginString of FIX [default: the dictionary's]
    #[arg(long, value_name = "VERSION")]
    pub(crate) begin_string: Option<String>,
    /// The namespace of elements in XML and SOAP [default: none]
    #[arg(long, value_name = "URI", default_value = "", hide_default_value = true)]
    pub(crate) namespace: String,
    /// Write the numbers of JSON as strings, for readers that hold them as doubles
    #[arg(long)]
    pub(crate) quoted: bool,
    /// Leave out header blocks of SOAP where the format to write has no place for them, as FIX, CDR, JSON and XML without an
    /// envelope have not. Without it such messages are errors
    #[arg(long)]
    pub(crate) drop_headers: bool,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
}

/// Of `lab message`.
#[derive(Debug, Args)]
pub(crate) struct MessageArguments {
    /// A log, stream or dump of messages; `-` is standard input. The first 1000 of each type are measured
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// What describes the messages: a FIX dictionary, OMG IDL, WSDL, XML Schema, or a listing (see `trunkline schema`)
    #[arg(long, short, value_name = "FILE|URL")]
    pub(crate) schema: String,
    /// The message's name, where the bytes do not say it, as in CDR
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) message: Option<String>,
    /// The format of the file, where the bytes do not say it: cdr-le or cdr-be
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) from: Option<Format>,
    /// BeginString of FIX
    #[arg(long, value_name = "VERSION", default_value = "FIX.4.4")]
    pub(crate) begin_string: String,
    /// Repetitions, of which the middle one is the figure
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repetitions: u32,
    /// Also make round trips over these links, named as 10mbit-20ms, 100mbit, 1ms or direct, and say how many messages a
    /// second each carries
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) link: Vec<Link>,
    /// Also say what so many messages a second need, as `plan` does: a line, a share of a core
    #[arg(long, value_name = "RATE", value_parser = quantity::per_second)]
    pub(crate) rate: Option<f64>,
    /// Also count the instructions of encoding and decoding one, by Valgrind
    #[arg(long)]
    pub(crate) instructions: bool,
    /// What Valgrind counts
    #[arg(long, hide = true, value_parser = what_is_counted)]
    pub(crate) counted: Option<Counted>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
}

fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|it| it.1).collect();
        format!("a format is one of {}", names.join(", "))
    })
}

pub(super) fn code_set(name: &str) -> Result<CodeSet, String> {
    CodeSet::named(name).ok_or_else(|| {
        let names = CodeSet::ALL.map(CodeSet::name);
        format!("a charset is one of {}", names.join(", "))
    })
}
