//! What content codings take of a call: its messages in memory, as both ends write, compress, decompress and read them.

use std::hint::black_box;
use std::io::Write as _;

use flate2::write::GzEncoder;
use trunkline_bench::clock::thread_cpu_nanoseconds;
use trunkline_experiment::definition::Coding;
use trunkline_experiment::definition::codings::STAGES;
use trunkline_experiment::toolkits::{Call, Mode, Service};
use trunkline_http::{ClientConfig, Compression};

use super::codec::{BATCH, LONG, Way};
use super::exchange::{BODY_BYTES, Sent, Visit, visit};
use crate::answer;

/// What was measured of request and answer of a call.
pub(crate) struct Stages {
    /// Bytes of each.
    pub(crate) bytes: [usize; 2],
    /// What each stage takes of the processor for both, in nanoseconds; none where nothing is compressed.
    pub(crate) nanoseconds: [Option<f64>; STAGES.len()],
}

/// Does all stages again and again for so long.
pub(crate) fn measure(coding: Coding, call: Call, milliseconds: u32) -> Result<Stages, String> {
    visit(call, Measure { coding, size: call.size, milliseconds })
}

/// Within the limits of our clients.
pub(super) fn decompress(coding: Compression, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let ratio = ClientConfig::default().inflate_ratio;
    coding.decompress(bytes, BODY_BYTES, ratio).map_err(|error| error.to_string())
}

/// The compression of a coding, if it is one.
fn compression(coding: Coding) -> Option<Compression> {
    Compression::of_name(coding.mode().unwrap_or(Mode::HttpGzip).coding())
}

/// As Trunkline does; at another level, which it does not have, by the same library.
fn compress(coding: Coding, compression: Compression, bytes: &[u8]) -> Result<Vec<u8>, String> {
    if coding != Coding::GzipDefault {
        return Ok(compression.compress(bytes));
    }
    let room = Vec::with_capacity(bytes.len() / 4 + 64);
    let mut encoder = GzEncoder::new(room, flate2::Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_err(|error| error.to_string())
}

struct Measure {
    coding: Coding,
    size: u32,
    milliseconds: u32,
}

impl Visit for Measure {
    type Out = Result<Stages, String>;

    fn visit<Q: Sent, R: Sent>(
        self,
        operation: &'static str,
        request: Q,
        expected: R,
    ) -> Self::Out {
        let Self { coding, size, milliseconds } = self;
        let how = (Service::Arrays, coding.mode().unwrap_or(Mode::Http));
        let mut there = Way::<Q>::new(how, operation)?;
        let mut back = Way::<R>::new(how, &format!("{operation}Response"))?;
        let plain = [there.write(&request)?.to_vec(), back.write(&expected)?.to_vec()];
        let compression = compression(coding);
        let mut coded = Vec::new();
        for bytes in &plain {
            let Some(compression) = compression else { break };
            let short = compress(coding, compression, bytes)?;
            if decompress(compression, &short)? != *bytes {
                return Err(format!("{}: other bytes came back", coding.name()));
            }
            coded.push(short);
        }
        let mut pass = |stage: usize| -> Result<(), String> {
            match (stage, compression) {
                (0, _) => {
                    black_box(there.write(&request)?);
                    black_box(back.write(&expected)?);
                }
                (1, Some(compression)) => plain.iter().try_for_each(|bytes| {
                    compress(coding, compression, bytes).map(|it| drop(black_box(it)))
                })?,
                (2, Some(compression)) => coded.iter().try_for_each(|bytes| {
                    decompress(compression, bytes).map(|it| drop(black_box(it)))
                })?,
                (3, _) => {
                    there.read(&plain[0])?;
                    back.read(&plain[1])?;
                }
                _ => {}
            }
            Ok(())
        };
        let batch = if size >= LONG { 1 } else { BATCH };
        let spent = spend(milliseconds, batch, &mut pass)?;
        answer::compare(&request, there.came())?;
        answer::compare(&expected, back.came())?;
        let is_done = |stage: usize| compression.is_some() || [0, 3].contains(&stage);
        let nanoseconds = std::array::from_fn(|stage| is_done(stage).then_some(spent[stage]));
        let bytes = if coded.is_empty() { plain.each_ref() } else { [&coded[0], &coded[1]] };
        Ok(Stages { bytes: bytes.map(Vec::len), nanoseconds })
    }
}

/// What each stage takes of one pass, in nanoseconds of the processor: all stages in turns, for so long, after a pass that is not
/// timed.
fn spend(
    milliseconds: u32,
    batch: u32,
    pass: &mut dyn FnMut(usize) -> Result<(), String>,
) -> Result<[f64; STAGES.len()], String> {
    (0..STAGES.len()).try_for_each(&mut *pass)?;
    let (mut spent, mut count) = ([0; STAGES.len()], 0);
    while spent.iter().sum::<u64>() < u64::from(milliseconds) * 1_000_000 {
        for (stage, spent) in spent.iter_mut().enumerate() {
            let begun = thread_cpu_nanoseconds();
            for _ in 0..batch {
                pass(stage)?;
            }
            *spent += thread_cpu_nanoseconds() - begun;
        }
        count += batch;
    }
    Ok(spent.map(|it| it as f64 / f64::from(count)))
}
