//! What converts and filters messages for the router, by itself: what a message costs it, and the codecs alone.

use std::sync::Arc;

use trunkline_client::format;
use trunkline_message::{Layout, Limits, Record};
use trunkline_server::config::TopicRule;
use trunkline_server::formats::{Converter, PublishedMessage};
use trunkline_transcode::{Codec, Format, Messages, Options};

use super::traffic::price;
use crate::sessions::DICTIONARY;
use trunkline_bench::clock::thread_cpu_nanoseconds;

/// What a repetition of a cost lasts at least, in nanoseconds of the processor.
const LONG_ENOUGH: u64 = 10_000_000;

/// Messages between two looks at the clock.
const BATCH: u64 = 256;

/// A message of a session, and whoever converts and filters for the router.
pub(super) struct Alone {
    pub(super) converter: Converter,
    pub(super) published: PublishedMessage,
    layout: Arc<Layout>,
}

impl Alone {
    /// It knows what is published.
    pub(super) fn new() -> Result<Self, String> {
        let payload = message();
        let rule = TopicRule {
            pattern: "fx/>".into(),
            schema: "FIX43.xml".into(),
            transport: None,
            format: Some(format::FIX),
            message: None,
            documents: [("FIX43.xml".to_owned(), DICTIONARY.as_bytes().to_vec())]
                .into_iter()
                .collect(),
        };
        let description = rule.describe().map_err(|problem| problem.to_string())?;
        let mut messages = Messages::new(description, Options::default(), Limits::default());
        let decoded = messages.decode(Format::Fix, None, &payload);
        let layout = decoded.map_err(|error| error.to_string())?.layout.clone();
        let mut converter = Converter::default();
        converter.set_topics(Arc::from([rule]));
        let published = PublishedMessage { topic: "fx/S0".into(), format: format::FIX, payload };
        Ok(Self { converter, published, layout })
    }

    /// The codec of a format, for this message.
    pub(super) fn codec(&self, format: Format) -> Result<Codec, String> {
        let options = Options { begin_string: Some("FIX.4.3".into()), ..Options::default() };
        Codec::new(&self.layout, format, &options, &Limits::default()).map_err(told)
    }

    /// What it is decoded into.
    pub(super) fn record(&self) -> Record {
        Record::new(&self.layout)
    }
}

/// Why a codec does not take a message.
pub(super) fn told(error: trunkline_message::Error) -> String {
    error.to_string()
}

/// A whole message, as it comes in a session: its size is 149.
fn message() -> Vec<u8> {
    let mut content =
        b"35=W\x0134=4711\x0149=SOURCE-0\x0152=20261128-09:30:00.123\x0156=ROUTER\x01".to_vec();
    content.extend(price(0, 4_777));
    let mut message = format!("8=FIX.4.3\u{1}9={}\u{1}", content.len()).into_bytes();
    message.extend(content);
    let sum = message.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    message.extend(format!("10={sum:03}\u{1}").into_bytes());
    message
}

/// What each of these takes of a message, in nanoseconds, in turns.
pub(super) fn in_turns<const N: usize>(
    repetitions: u32,
    mut costs: [&mut dyn FnMut() -> Result<f64, String>; N],
) -> Result<[Vec<f64>; N], String> {
    let mut all = [const { Vec::new() }; N];
    // The first of each does not count.
    for repetition in 0..=repetitions {
        for (cost, of_it) in costs.iter_mut().zip(&mut all) {
            let taken = cost()?;
            if repetition > 0 {
                of_it.push(taken);
            }
        }
    }
    Ok(all)
}

/// Nanoseconds of the processor that something takes, done again and again.
pub(super) fn cost(mut work: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let (start, mut done) = (thread_cpu_nanoseconds(), 0);
    loop {
        for _ in 0..BATCH {
            work()?;
        }
        done += BATCH;
        let taken = thread_cpu_nanoseconds() - start;
        if taken >= LONG_ENOUGH {
            return Ok(taken as f64 / done as f64);
        }
    }
}
