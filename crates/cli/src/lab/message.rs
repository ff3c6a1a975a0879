//! `trunkline lab message FILE --schema FILE`: what the user's own messages cost in each format.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;

use serde_json::json;
use trunkline_bench::clock::thread_cpu_nanoseconds;
use trunkline_bench::statistics::Summary;
use trunkline_bench::table::{Align, Table, number};
use trunkline_message::{Layout, Record};
use trunkline_transcode::{Codec, Content, Format, Found, Kind, Messages, Options, Scanner};

use crate::Ending;
use crate::arguments::MessageArguments;
use crate::client::counted;
use crate::description;
use crate::fault::Fault;
use crate::input::{self, limits};
use crate::output::{Form, print_table, remark};

/// Messages of one type that are timed; those behind them are passed over.
const MOST: usize = 1000;
/// CPU time of one repetition, in nanoseconds.
const REPETITION: u64 = 5_000_000;

pub(crate) fn run(arguments: &MessageArguments) -> Result<Ending, Fault> {
    let description = description::read(&arguments.schema, &arguments.description)?;
    let options =
        Options { begin_string: Some(arguments.begin_string.clone()), ..Options::default() };
    let mut messages = Messages::new(description, options.clone(), limits());
    let kinds = kinds(arguments, &mut messages)?;
    let form = arguments.form.get();
    let columns = ["message", "format"].map(|it| (it, Align::Left));
    let figures = ["messages", "bytes", "encode ns", "decode ns"].map(|it| (it, Align::Right));
    let mut table = Table::new(columns.into_iter().chain(figures));
    for kind in kinds.values() {
        for row in rows(kind, &options, arguments.repetitions) {
            match row {
                Ok(row) => row.put(&mut table, form)?,
                // It has no form for them, which is no fault of anybody's.
                Err(why) => remark(&why),
            }
        }
    }
    if form == Form::Text {
        print_table(table)?;
    }
    Ok(Ending::Right)
}

/// Messages of one type.
struct OfType {
    layout: Arc<Layout>,
    records: Vec<Record>,
}

/// The messages of the file by the names of their types.
fn kinds(
    arguments: &MessageArguments,
    messages: &mut Messages,
) -> Result<BTreeMap<String, OfType>, Fault> {
    let file = &*arguments.file;
    let (start, input) = input::open(file)?;
    let bytes = input::whole(start, input, file)?;
    let mut found = Vec::new();
    let is_text = !input::is_binary(&bytes[..bytes.len().min(64)]);
    let kind = Kind::of(&bytes);
    if is_text {
        let content = match kind {
            Some(Kind::Xml) => Content::Documents,
            _ if arguments.from.is_some_and(Format::is_binary) => Content::Dumps,
            _ => Content::Log,
        };
        let mut scanner = Scanner::new(limits(), content);
        scanner.feed(&bytes);
        scanner.end();
        let all = std::iter::from_fn(|| scanner.next_message());
        found.extend(all.flatten().map(|Found { kind, bytes, .. }| (kind, bytes)));
    } else {
        found.push((kind, bytes));
    }
    let mut kinds: BTreeMap<String, OfType> = BTreeMap::new();
    let mut wrong = 0_u64;
    for (kind, bytes) in found {
        let Some(format) = arguments.from.or(kind.and_then(format_of)) else {
            wrong += 1;
            continue;
        };
        match messages.decode(format, arguments.message.as_deref(), &bytes) {
            Ok(decoded) => {
                let layout = decoded.layout.clone();
                let of_type = kinds
                    .entry(layout.name().to_owned())
                    .or_insert_with(|| OfType { layout, records: Vec::new() });
                if of_type.records.len() < MOST {
                    of_type.records.push(decoded.record.clone());
                }
            }
            Err(error) => {
                if wrong == 0 {
                    remark(&format!("{file}: {error}"));
                }
                wrong += 1;
            }
        }
    }
    if wrong > 0 {
        remark(&format!("{file}: {} not as the schema says", counted(wrong, "message")));
    }
    if kinds.is_empty() {
        return Err(Fault::new(format!("{file}: it has no message that the schema describes")));
    }
    Ok(kinds)
}

fn format_of(kind: Kind) -> Option<Format> {
    match kind {
        Kind::Fix => Some(Format::Fix),
        Kind::Xml => Some(Format::Xml),
        Kind::FastInfoset => Some(Format::FastInfoset),
        Kind::Json => Some(Format::Json),
        Kind::Giop | Kind::Gzip => None,
    }
}

/// One format of one type.
struct Timed<'a> {
    kind: &'a OfType,
    format: Format,
    codec: Codec,
    encoded: Vec<Vec<u8>>,
    /// How often all messages are gone through in one repetition.
    passes: [usize; 2],
    /// Nanoseconds a message.
    encode: Vec<f64>,
    decode: Vec<f64>,
}

/// What the messages of a type cost in each format that has a form for them, timed in turns; or why one has none.
fn rows<'a>(
    kind: &'a OfType,
    options: &Options,
    repetitions: u32,
) -> Vec<Result<Timed<'a>, String>> {
    let mut rows: Vec<_> =
        Format::ALL.iter().map(|(format, _)| Timed::new(kind, *format, options)).collect();
    for _ in 0..repetitions {
        rows.iter_mut().flatten().for_each(Timed::repeat);
    }
    rows
}

impl<'a> Timed<'a> {
    fn new(kind: &'a OfType, format: Format, options: &Options) -> Result<Self, String> {
        let name = kind.layout.name();
        let why = |error: trunkline_message::Error| format!("{name} as {format}: {error}");
        let mut codec = Codec::new(&kind.layout, format, options, &limits()).map_err(why)?;
        let mut encoded = Vec::new();
        for record in &kind.records {
            encoded.push(codec.encode(record).map_err(why)?.to_vec());
            // What would be smaller for having less in it is not compared.
            match codec.not_written() {
                0 => {}
                1 => {
                    return Err(format!(
                        "{name} as {format}: a field that is not described has no form"
                    ));
                }
                count => {
                    return Err(format!(
                        "{name} as {format}: {count} fields that are not described have no form"
                    ));
                }
            }
        }
        let (encode, decode) = (Vec::new(), Vec::new());
        let mut timed = Self { kind, format, codec, encoded, passes: [1; 2], encode, decode };
        // What is timed is warm, and long enough for the clock.
        for which in 0..2 {
            while timed.time(which) < REPETITION {
                timed.passes[which] *= 2;
            }
        }
        Ok(timed)
    }

    /// CPU time of one repetition of encoding (0) or decoding (1), in nanoseconds.
    fn time(&mut self, which: usize) -> u64 {
        let mut into = Record::new(&self.kind.layout);
        let start = thread_cpu_nanoseconds();
        for _ in 0..self.passes[which] {
            if which == 0 {
                for record in &self.kind.records {
                    black_box(self.codec.encode(black_box(record)).map_or(0, <[u8]>::len));
                }
            } else {
                for bytes in &self.encoded {
                    black_box(self.codec.decode(black_box(bytes), &mut into).is_ok());
                }
            }
        }
        thread_cpu_nanoseconds() - start
    }

    fn repeat(&mut self) {
        let count = self.kind.records.len();
        let each = |time: u64, passes: usize| time as f64 / (passes * count) as f64;
        let time = self.time(0);
        self.encode.push(each(time, self.passes[0]));
        let time = self.time(1);
        self.decode.push(each(time, self.passes[1]));
    }

    fn put(&self, table: &mut Table, form: Form) -> Result<(), Fault> {
        let count = self.encoded.len();
        let bytes = self.encoded.iter().map(Vec::len).sum::<usize>() as f64 / count as f64;
        let [encode, decode] = [&self.encode, &self.decode].map(|it| Summary::of(it));
        let (Some(encode), Some(decode)) = (encode, decode) else { return Ok(()) };
        let name = self.kind.layout.name();
        table.row([
            name.to_owned(),
            self.format.to_string(),
            count.to_string(),
            number(bytes),
            number(encode.median),
            number(decode.median),
        ]);
        form.fact(&json!({
            "fact": "message_in_format", "name": name, "format": self.format.name(),
            "messages": count, "bytes": bytes,
            "encode_ns": encode.median, "encode_ns_low": encode.low, "encode_ns_high": encode.high,
            "decode_ns": decode.median, "decode_ns_low": decode.low, "decode_ns_high": decode.high,
            "repetitions": encode.runs,
        }))
    }
}
