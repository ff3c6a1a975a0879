//! What the codec takes of a call: its messages are written and read in memory, as both ends do.

use trunkline_bench::clock::thread_cpu_nanoseconds;
use trunkline_codec::fast_infoset::{Options, Parser, Reader, Writer, WriterOptions};
use trunkline_experiment::toolkits::{Call, Mode, Service};
use trunkline_http::Compression;
use trunkline_soap::{Decoder, Encoder, Plan};

use super::arrays::limits;
use super::codings::decompress;
use super::exchange::{Sent, Visit, visit};
use super::service::{BINDING, names};
use crate::answer;

/// Passes before any is timed, so that vocabularies hold what they will.
const BEFORE: u32 = 8;

/// Passes between two looks at the clock, of messages that are short; and what others have of them, at least.
pub(super) const BATCH: u32 = 16;
pub(super) const LONG: u32 = 1000;

/// So many calls took so many nanoseconds of the processor, in a mode.
pub(super) fn measure(
    (service, mode): (Service, Mode),
    call: Call,
    milliseconds: u32,
) -> Result<(u32, u64), String> {
    visit(call, Measure { service, mode, size: call.size, milliseconds })
}

struct Measure {
    service: Service,
    mode: Mode,
    size: u32,
    milliseconds: u32,
}

impl Visit for Measure {
    type Out = Result<(u32, u64), String>;

    fn visit<Q: Sent, R: Sent>(
        self,
        operation: &'static str,
        request: Q,
        expected: R,
    ) -> Self::Out {
        let mut there = Way::<Q>::new((self.service, self.mode), operation)?;
        let mut back = Way::<R>::new((self.service, self.mode), &format!("{operation}Response"))?;
        let mut pass = |times: u32| -> Result<(), String> {
            for _ in 0..times {
                there.carry(&request)?;
                back.carry(&expected)?;
            }
            Ok(())
        };
        let is_long = self.size >= LONG;
        pass(if is_long { 1 } else { BEFORE })?;
        let batch = if is_long { 1 } else { BATCH };
        let (begun, mut count) = (thread_cpu_nanoseconds(), 0);
        let nanoseconds = loop {
            pass(batch)?;
            count += batch;
            let nanoseconds = thread_cpu_nanoseconds() - begun;
            if nanoseconds >= u64::from(self.milliseconds) * 1_000_000 {
                break nanoseconds;
            }
        };
        answer::compare(&request, there.came())?;
        answer::compare(&expected, back.came())?;
        Ok((count, nanoseconds))
    }
}

/// One direction: who writes, and who reads.
pub(super) struct Way<M> {
    writing: Writing,
    reading: Reading<M>,
    coding: Option<Compression>,
}

struct Writing {
    encoder: Encoder,
    /// None for XML.
    binary: Option<Writer>,
}

struct Reading<M> {
    decoder: Decoder,
    /// None for XML.
    binary: Option<Parser>,
    came: M,
}

impl<M: Sent> Way<M> {
    pub(super) fn new((service, mode): (Service, Mode), element: &str) -> Result<Self, String> {
        let plan = Plan::new(M::layout(), &BINDING.options(names(service).namespace, element));
        let plan = plan.map_err(|error| error.to_string())?;
        let (written, limits) = (WriterOptions::default(), limits());
        let retained = || {
            let parser = Parser::retaining(Options::soap(), &limits, Default::default());
            (Writer::retaining(written.clone()), parser)
        };
        let stateless =
            || (Writer::stateless(written.clone()), Parser::stateless(Options::soap(), &limits));
        let binary = match mode {
            Mode::SoapTcp | Mode::Multiplexed | Mode::SoapTcpUnbounded => Some(retained()),
            Mode::HttpFastInfoset | Mode::HttpFastInfosetGzip | Mode::SoapTcpStateless => {
                Some(stateless())
            }
            Mode::Http | Mode::HttpChunked | Mode::HttpOnce => None,
            Mode::HttpGzip | Mode::HttpDeflate | Mode::HttpZstd | Mode::HttpXmlCoding => None,
            Mode::Rmi | Mode::Bytes | Mode::HttpBytes | Mode::HttpReferences => {
                return Err(format!("{} has no codec here", mode.name()));
            }
        };
        let (writer, parser) = binary.unzip();
        let decoder = Decoder::with_limits(&plan, limits.clone());
        Ok(Self {
            writing: Writing { encoder: Encoder::new(&plan), binary: writer },
            reading: Reading { decoder, binary: parser, came: M::default() },
            coding: Compression::of_name(mode.coding()),
        })
    }

    fn carry(&mut self, message: &M) -> Result<(), String> {
        let Self { writing, reading, coding } = self;
        let bytes = writing.write(message)?;
        match coding {
            None => reading.read(bytes),
            Some(coding) => reading.read(&decompress(*coding, &coding.compress(bytes))?),
        }
    }

    /// Writes a message, and does not compress it.
    pub(super) fn write(&mut self, message: &M) -> Result<&[u8], String> {
        self.writing.write(message)
    }

    /// Reads a message that is not compressed.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.reading.read(bytes)
    }

    /// What was read last.
    pub(super) fn came(&self) -> &M {
        &self.reading.came
    }
}

impl Writing {
    fn write<M: Sent>(&mut self, message: &M) -> Result<&[u8], String> {
        let Self { encoder, binary } = self;
        let written = match binary {
            None => encoder.encode(message),
            Some(writer) => {
                writer.begin();
                encoder.encode_to("", message, writer).and_then(|()| writer.finish())
            }
        };
        written.map_err(|error| error.to_string())
    }
}

impl<M: Sent> Reading<M> {
    fn read(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Self { decoder, binary, came } = self;
        let read = match binary {
            None => decoder.decode(bytes, came),
            Some(parser) => Reader::begin(parser, bytes).and_then(|mut reader| {
                decoder.decode_from(&mut reader, came)?;
                reader.finish()
            }),
        };
        read.map_err(|error| error.to_string())
    }
}
