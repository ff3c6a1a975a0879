//! Codecs of ours at work on the messages that were loaded.

use std::path::Path;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Message, Record, Result as CodecResult, Structure as _};
use trunkline_net::tcp::Listener;

use super::fault::Fault;
use super::question::Task;
use super::{accept, exchange, one_way, pace};
use crate::answer;
use crate::format::{Codec, Decode, Encode};
use crate::peer::write_corpus;
use crate::subjects::Passes;
use trunkline_experiment::format::Format;

/// What messages an end can be loaded with.
pub(super) trait Load: Message + Send + Sync + 'static {
    /// One without anything in it.
    fn empty() -> Self;

    /// Is `found` the same? The error is the first field that is not.
    fn compare(&self, found: &Self) -> Result<(), String>;
}

impl Load for MarketDataIncrementalRefresh {
    #[inline]
    fn empty() -> Self {
        Self::default()
    }

    fn compare(&self, found: &Self) -> Result<(), String> {
        answer::compare(self, found)
    }
}

impl Load for CustomerServices {
    #[inline]
    fn empty() -> Self {
        Self::default()
    }

    fn compare(&self, found: &Self) -> Result<(), String> {
        answer::compare(self, found)
    }
}

/// Records of market data.
impl Load for Record {
    #[inline]
    fn empty() -> Self {
        Self::new(MarketDataIncrementalRefresh::layout())
    }

    fn compare(&self, found: &Self) -> Result<(), String> {
        answer::compare_records(self, found)
    }
}

/// Messages in one format, as bytes and as structures.
pub(super) struct Loaded<M> {
    codec: Codec,
    corpus: Vec<Vec<u8>>,
    messages: Vec<M>,
}

/// Messages of any kind that are loaded.
pub(super) trait Perform {
    /// Does what is asked with them, and returns the answer.
    fn perform(&mut self, task: &Task<'_>, listener: Option<&Listener>) -> Result<String, Fault>;
}

/// An encoder and a decoder, and what there is to work on. There is at least one message.
pub(super) struct Work<'a, M, E, D> {
    pub(super) encoder: &'a mut E,
    pub(super) decoder: &'a mut D,
    pub(super) corpus: &'a [Vec<u8>],
    pub(super) messages: &'a [M],
}

/// Decodes into a new message, which takes the place of the last one: as the peers do.
#[inline]
pub(super) fn decode_new<M: Load>(
    decoder: &mut impl Decode,
    bytes: &[u8],
    message: &mut M,
) -> CodecResult<()> {
    *message = M::empty();
    decoder.decode(bytes, message)
}

impl<M: Load> Loaded<M> {
    pub(super) fn new(format: Format, corpus: Vec<Vec<u8>>) -> Result<Self, Fault> {
        let mut codec = Codec::of(format);
        let mut messages = Vec::with_capacity(corpus.len());
        for (index, bytes) in (0..).zip(&corpus) {
            let mut message = M::empty();
            codec.decode(bytes, &mut message).map_err(|error| Fault::at(index, error))?;
            messages.push(message);
        }
        Ok(Self { codec, corpus, messages })
    }
}

impl<M: Load> Perform for Loaded<M> {
    /// The format is chosen here, once for a task.
    fn perform(&mut self, task: &Task<'_>, listener: Option<&Listener>) -> Result<String, Fault> {
        let Self { codec, corpus, messages } = self;
        match codec {
            Codec::Soap(encoder, decoder) => {
                Work { encoder, decoder: &mut **decoder, corpus, messages }.perform(task, listener)
            }
            Codec::Fix(encoder, decoder) => {
                Work { encoder, decoder, corpus, messages }.perform(task, listener)
            }
            Codec::Cdr(encoder, decoder) => {
                Work { encoder, decoder, corpus, messages }.perform(task, listener)
            }
        }
    }
}

impl<M: Load, E: Encode, D: Decode> Work<'_, M, E, D> {
    fn perform(self, task: &Task<'_>, listener: Option<&Listener>) -> Result<String, Fault> {
        match *task {
            Task::Echo { file, is_reused: false } => echoed(file, self.encoded()?),
            Task::Echo { file, is_reused: true } => echoed(file, self.encoded_from_one()?),
            Task::Run(passes) => self.run(passes),
            Task::Reply { wait, file } => exchange::reply(self, accept(listener, wait)?, file),
            Task::Call { address, wait, count, file } => {
                exchange::call(self, address, wait, count, file)
            }
            Task::Drain { wait, carried, slow } => {
                one_way::drain(self, accept(listener, wait)?, carried, slow)
            }
            Task::Pour { address, count, carried, slow } => {
                one_way::pour(self, address, count, carried, slow)
            }
            Task::Pace { address, wait, rate, count, file } => {
                pace::pace(self, address, wait, rate, count, file)
            }
        }
    }

    /// The same of every message, decoded into one.
    fn encoded_from_one(self) -> Result<Vec<Vec<u8>>, Fault> {
        let Work { encoder, decoder, corpus, .. } = self;
        let mut message = M::empty();
        let echo = |(index, bytes): (u64, &Vec<u8>)| {
            let decoded = decoder.decode(bytes, &mut message);
            let encoded = decoded.and_then(|()| encoder.encode(&message));
            encoded.map(<[u8]>::to_vec).map_err(|error| Fault::at(index, error))
        };
        (0..).zip(corpus).map(echo).collect()
    }

    /// Every message, encoded.
    pub(super) fn encoded(self) -> Result<Vec<Vec<u8>>, Fault> {
        let encode = |(index, message)| match self.encoder.encode(message) {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(Fault::at(index, error)),
        };
        (0..).zip(self.messages).map(encode).collect()
    }

    fn run(self, passes: Passes) -> Result<String, Fault> {
        let Work { encoder, decoder, corpus, messages } = self;
        let sample = passes.time(encoder, decoder, (messages, corpus), M::empty)?;
        Ok(format!("{},{}", sample.nanoseconds, sample.messages))
    }
}

fn echoed(file: &Path, messages: Vec<Vec<u8>>) -> Result<String, Fault> {
    write_corpus(file, &messages)?;
    Ok(format!("echoed {}", messages.len()))
}
