//! `trunkline lab message FILE --schema FILE`: what the user's own messages cost in each format.

mod counts;
mod tables;
mod trips;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;

use trunkline_bench::clock::thread_cpu_nanoseconds;
use trunkline_experiment::link::Link;
use trunkline_lab::capacity::Demand;
use trunkline_lab::counter;
use trunkline_message::{Layout, Record};
use trunkline_transcode::{Codec, Content, Format, Kind, Messages, Options, Scanner};

use crate::Ending;
use crate::arguments::MessageArguments;
use crate::client::counted;
use crate::description;
use crate::fault::Fault;
use crate::input::{self, limits};
use crate::output::remark;
pub(crate) use counts::Counted;
pub(crate) use counts::counted as what_is_counted;
use trips::Trips;

/// Messages of one type that are timed; those behind them are passed over.
const MOST: usize = 1000;
/// CPU time of one repetition, in nanoseconds.
const REPETITION: u64 = 5_000_000;

pub(crate) fn run(arguments: &MessageArguments) -> Result<Ending, Fault> {
    let description = description::read(&arguments.schema, &arguments.description)?;
    let options =
        Options { begin_string: Some(arguments.begin_string.clone()), ..Options::default() };
    let mut messages = Messages::new(description, options.clone(), limits());
    let kinds = kinds(arguments, &mut messages, &options)?;
    if let Some(counted) = &arguments.counted {
        return work(counted, &kinds);
    }
    let demand = arguments.rate.map(|rate| Demand::new(rate, 1, 1.0)).transpose()?;
    if arguments.instructions {
        if arguments.file == "-" {
            return Err(Fault::new("--instructions reads the messages again: name a file"));
        }
        counter::try_it().map_err(Fault::new)?;
        announce(&kinds);
    }
    let mut measured = Vec::new();
    for kind in kinds.values() {
        for row in rows(kind, arguments)? {
            match row {
                Ok(row) => measured.push(row),
                // It has no form for them, which is no fault of anybody's.
                Err(why) => remark(&why),
            }
        }
    }
    tables::print_all(&measured, demand.as_ref(), arguments)?;
    Ok(Ending::Right)
}

/// Says what will take a while: this program runs under Valgrind again and again.
fn announce(kinds: &BTreeMap<String, OfType>) {
    let types = counted(kinds.len() as u64, "type of message");
    let formats = counted(Format::ALL.len() as u64, "format");
    remark(&format!(
        "counting instructions under Valgrind, of {types} in up to {formats}: some seconds for each"
    ));
}

/// Does what is counted, in the process that Valgrind looks at.
fn work(counted: &Counted, kinds: &BTreeMap<String, OfType>) -> Result<Ending, Fault> {
    let kind = kinds.get(&counted.name).ok_or_else(|| Fault::new("there is no such type"))?;
    let mut timed = Timed::new(kind, counted.format).map_err(Fault::new)?;
    for (which, passes) in counted.passes.into_iter().enumerate() {
        timed.passes[which] = passes as usize;
        timed.time(which);
    }
    Ok(Ending::Right)
}

/// Messages of one type.
struct OfType {
    layout: Arc<Layout>,
    /// How each format writes them.
    options: Options,
    records: Vec<Record>,
}

/// The messages of the file by the names of their types.
fn kinds(
    arguments: &MessageArguments,
    messages: &mut Messages,
    options: &Options,
) -> Result<BTreeMap<String, OfType>, Fault> {
    let file = &*arguments.file;
    let (start, input) = input::open(file)?;
    let (start, input) = match arguments.from {
        Some(format) if format.is_binary() => (start, input),
        _ => input::text(start, input, file)?,
    };
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
        found.extend(all.flatten().map(|it| it.bytes));
    } else {
        found.push(bytes);
    }
    let mut kinds: BTreeMap<String, OfType> = BTreeMap::new();
    let mut wrong = 0_u64;
    for bytes in found {
        let Some(format) = arguments.from.or_else(|| Format::of(&bytes)) else {
            wrong += 1;
            continue;
        };
        match messages.decode(format, arguments.message.as_deref(), &bytes) {
            Ok(decoded) => {
                let layout = decoded.layout.clone();
                let of_type = kinds.entry(layout.name().to_owned()).or_insert_with(|| {
                    let options = Options { soap: decoded.soap.cloned(), ..options.clone() };
                    OfType { layout, options, records: Vec::new() }
                });
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
    /// Instructions of encoding and decoding one, if they are counted.
    instructions: Option<[f64; 2]>,
    trips: Vec<Trips>,
}

/// What the messages of a type cost in each format that has a form for them, timed in turns; or why one has none.
fn rows<'a>(
    kind: &'a OfType,
    arguments: &MessageArguments,
) -> Result<Vec<Result<Timed<'a>, String>>, Fault> {
    let mut rows: Vec<_> =
        Format::ALL.iter().map(|(format, _)| Timed::new(kind, *format)).collect();
    for row in rows.iter_mut().flatten() {
        row.warm_up();
        if arguments.instructions {
            let name = kind.layout.name();
            remark(&format!("counting {name} as {}", row.format));
            row.instructions = Some(counts::of(name, row.format, kind.records.len())?);
        }
        for &link in &arguments.link {
            row.trips.push(row.trips(link)?);
        }
    }
    for _ in 0..arguments.repetitions {
        for row in rows.iter_mut().flatten() {
            row.repeat()?;
        }
    }
    Ok(rows)
}

impl<'a> Timed<'a> {
    fn new(kind: &'a OfType, format: Format) -> Result<Self, String> {
        let name = kind.layout.name();
        let why = |error: trunkline_message::Error| format!("{name} as {format}: {error}");
        let mut codec = Codec::new(&kind.layout, format, &kind.options, &limits()).map_err(why)?;
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
        let (encode, decode, trips) = (Vec::new(), Vec::new(), Vec::new());
        let (passes, instructions) = ([1; 2], None);
        Ok(Self { kind, format, codec, encoded, passes, encode, decode, instructions, trips })
    }

    /// What is timed is warm, and long enough for the clock.
    fn warm_up(&mut self) {
        for which in 0..2 {
            while self.time(which) < REPETITION {
                self.passes[which] *= 2;
            }
        }
    }

    fn trips(&self, link: Link) -> Result<Trips, Fault> {
        let Self { kind: OfType { layout, options, records }, format, .. } = self;
        Trips::new(layout, records, (*format, options, link)).map_err(|error| {
            Fault::new(format!("{} as {format} over {link}: {error}", layout.name()))
        })
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

    fn repeat(&mut self) -> Result<(), Fault> {
        let count = self.kind.records.len();
        let each = |time: u64, passes: usize| time as f64 / (passes * count) as f64;
        let time = self.time(0);
        self.encode.push(each(time, self.passes[0]));
        let time = self.time(1);
        self.decode.push(each(time, self.passes[1]));
        self.trips.iter_mut().try_for_each(|it| it.repeat(&self.kind.records))
    }

    /// Bytes of a message, on average.
    fn bytes(&self) -> f64 {
        self.encoded.iter().map(Vec::len).sum::<usize>() as f64 / self.encoded.len() as f64
    }

    /// Messages a second that a link carries; none where it has no rate.
    fn carried(&self, link: Link) -> Option<f64> {
        link.rate?;
        let busy: u64 = self.encoded.iter().map(|it| link.serialisation(it.len() as u64)).sum();
        Some(self.encoded.len() as f64 * 1e9 / busy as f64)
    }
}
