//! Codecs of ours at work on the messages that were loaded.

use std::hint::black_box;
use std::path::Path;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::{cdr, fix, soap};
use trunkline_message::Result as CodecResult;
use trunkline_net::tcp::Listener;
use trunkline_net::{Fix, Framer, LengthPrefixed, Xml};

use super::fault::Fault;
use super::question::Task;
use super::{accept, checked, exchange, one_way, pace};
use crate::experiment::{Operation, Sample};
use crate::format::{Codec, Format};
use crate::peer::write_corpus;

/// An encoder of some format.
pub(super) trait Encode: Send {
    fn encode(&mut self, message: &MarketDataIncrementalRefresh) -> CodecResult<&[u8]>;
}

/// A decoder of some format, and how its messages are told apart in a stream.
pub(super) trait Decode: Send {
    type Framer: Framer + Default + Send;

    fn decode(
        &mut self,
        bytes: &[u8],
        message: &mut MarketDataIncrementalRefresh,
    ) -> CodecResult<()>;

    /// Decodes into a new message, which takes the place of the last one: as the peers do.
    #[inline]
    fn decode_new(
        &mut self,
        bytes: &[u8],
        message: &mut MarketDataIncrementalRefresh,
    ) -> CodecResult<()> {
        *message = MarketDataIncrementalRefresh::default();
        self.decode(bytes, message)
    }
}

macro_rules! codec {
    ($format:ident, $framer:ty) => {
        impl Encode for $format::Encoder {
            #[inline]
            fn encode(&mut self, message: &MarketDataIncrementalRefresh) -> CodecResult<&[u8]> {
                self.encode(message)
            }
        }

        impl Decode for $format::Decoder {
            type Framer = $framer;

            #[inline]
            fn decode(
                &mut self,
                bytes: &[u8],
                message: &mut MarketDataIncrementalRefresh,
            ) -> CodecResult<()> {
                self.decode(bytes, message)
            }
        }
    };
}

codec!(soap, Xml);
codec!(fix, Fix);
codec!(cdr, LengthPrefixed);

/// Messages in one format, as bytes and as structures.
pub(super) struct Loaded {
    codec: Codec,
    corpus: Vec<Vec<u8>>,
    messages: Vec<MarketDataIncrementalRefresh>,
}

/// An encoder and a decoder, and what there is to work on. There is at least one message.
pub(super) struct Work<'a, E, D> {
    pub(super) encoder: &'a mut E,
    pub(super) decoder: &'a mut D,
    pub(super) corpus: &'a [Vec<u8>],
    pub(super) messages: &'a [MarketDataIncrementalRefresh],
}

impl Loaded {
    pub(super) fn new(format: Format, corpus: Vec<Vec<u8>>) -> Result<Self, Fault> {
        let mut codec = format.codec();
        let mut messages = Vec::with_capacity(corpus.len());
        for (index, bytes) in (0..).zip(&corpus) {
            let mut message = MarketDataIncrementalRefresh::default();
            codec.decode(bytes, &mut message).map_err(|error| Fault::at(index, error))?;
            messages.push(message);
        }
        Ok(Self { codec, corpus, messages })
    }

    /// The format is chosen here, once for a task.
    pub(super) fn perform(
        &mut self,
        task: &Task<'_>,
        listener: Option<&Listener>,
    ) -> Result<String, Fault> {
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

impl<E: Encode, D: Decode> Work<'_, E, D> {
    fn perform(self, task: &Task<'_>, listener: Option<&Listener>) -> Result<String, Fault> {
        checked(task)?;
        match *task {
            Task::Echo { file, is_reused: false } => self.echo(file),
            Task::Echo { file, is_reused: true } => self.echo_reused(file),
            Task::Run { operation, passes, is_reused } => self.run(operation, passes, is_reused),
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

    fn echo(self, file: &Path) -> Result<String, Fault> {
        let messages = self.encoded()?;
        write_corpus(file, &messages)?;
        Ok(format!("echoed {}", messages.len()))
    }

    fn echo_reused(self, file: &Path) -> Result<String, Fault> {
        let Work { encoder, decoder, corpus, .. } = self;
        let mut message = MarketDataIncrementalRefresh::default();
        let echo = |(index, bytes): (u64, &Vec<u8>)| {
            let decoded = decoder.decode(bytes, &mut message);
            let encoded = decoded.and_then(|()| encoder.encode(&message));
            encoded.map(<[u8]>::to_vec).map_err(|error| Fault::at(index, error))
        };
        let messages: Vec<Vec<u8>> = (0..).zip(corpus).map(echo).collect::<Result<_, _>>()?;
        write_corpus(file, &messages)?;
        Ok(format!("echoed {}", messages.len()))
    }

    /// Every message, encoded.
    pub(super) fn encoded(self) -> Result<Vec<Vec<u8>>, Fault> {
        let encode = |(index, message)| match self.encoder.encode(message) {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(Fault::at(index, error)),
        };
        (0..).zip(self.messages).map(encode).collect()
    }

    fn run(self, operation: Operation, passes: u64, is_reused: bool) -> Result<String, Fault> {
        let mut decoded = MarketDataIncrementalRefresh::default();
        let mut outcome = Ok(());
        let sample = Sample::of(|| {
            for _ in 0..passes {
                for (bytes, message) in self.corpus.iter().zip(self.messages) {
                    let done = match operation {
                        Operation::Decode if is_reused => {
                            self.decoder.decode(black_box(bytes), black_box(&mut decoded))
                        }
                        Operation::Decode => {
                            self.decoder.decode_new(black_box(bytes), black_box(&mut decoded))
                        }
                        Operation::Encode => self
                            .encoder
                            .encode(black_box(message))
                            .map(|bytes| _ = black_box(bytes)),
                    };
                    if let Err(error) = done {
                        outcome = Err(error);
                        return 0;
                    }
                }
            }
            passes * self.messages.len() as u64
        });
        outcome?;
        Ok(format!("{},{}", sample.nanoseconds, sample.messages))
    }
}
