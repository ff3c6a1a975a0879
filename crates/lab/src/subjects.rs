//! Who takes part: our codecs in this process, on structs and on records, and the peers.

use std::hint::black_box;

use trunkline_message::{Message, Result};

use crate::builds;
use crate::evaluation::Request;
use crate::experiment::{Operation, Sample, Subject, SubjectError};
use crate::format::{Codec, Decode, Encode};
use crate::peer::{ANSWER_TIMEOUT, Peer, PeerSubject};
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::subjects::{REUSING_PEERS, formats_of, is_reused};

/// A codec of ours. Encodes kept messages; decodes each message into a new one, or all into one.
pub(crate) struct Local<'a, M, N> {
    name: &'static str,
    format: Format,
    codec: Codec,
    messages: &'a [M],
    corpus: Vec<Vec<u8>>,
    empty: N,
}

impl<'a, M: Message, N: Fn() -> M> Local<'a, M, N> {
    /// `empty` makes an empty message. By its name it is known whether one is used again.
    pub(crate) fn new(name: &'static str, format: Format, messages: &'a [M], empty: N) -> Self {
        Self { name, format, codec: Codec::of(format), messages, corpus: Vec::new(), empty }
    }
}

impl<M: Message, N: Fn() -> M> Subject for Local<'_, M, N> {
    fn name(&self) -> &str {
        self.name
    }

    fn format(&self) -> &str {
        self.format.name()
    }

    /// Encoding is the same whatever is decoded into.
    fn can(&self, operation: Operation) -> bool {
        operation == Operation::Decode || !is_reused(self.name)
    }

    fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
        self.corpus = corpus.to_vec();
        Ok(())
    }

    /// Encodes what it decodes, so that one check is enough for both.
    fn echo(&mut self) -> Result<Vec<Vec<u8>>, SubjectError> {
        let is_reused = is_reused(self.name);
        let Self { codec, corpus, empty, .. } = self;
        let mut decoded = empty();
        let echo: Result<Vec<Vec<u8>>> = corpus
            .iter()
            .map(|bytes| {
                if !is_reused {
                    decoded = empty();
                }
                codec.decode(bytes, &mut decoded)?;
                Ok(codec.encode(&decoded)?.to_vec())
            })
            .collect();
        Ok(echo?)
    }

    fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, SubjectError> {
        let passes = Passes { operation, count: passes.into(), is_reused: is_reused(self.name) };
        let Self { codec, messages, corpus, empty, .. } = self;
        let empty = &*empty;
        let loaded = (&**messages, &**corpus);
        // The format is chosen here, once, and not for each message: the loops are a user's own.
        let sample = match codec {
            Codec::Soap(encoder, decoder) => passes.time(encoder, &mut **decoder, loaded, empty),
            Codec::Fix(encoder, decoder) => passes.time(encoder, decoder, loaded, empty),
            Codec::Cdr(encoder, decoder) => passes.time(encoder, decoder, loaded, empty),
        };
        Ok(sample?)
    }
}

/// Passes over all messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passes {
    pub(crate) operation: Operation,
    pub(crate) count: u64,
    /// All are decoded into one.
    pub(crate) is_reused: bool,
}

impl Passes {
    /// Each loop is a user's own: what is new is made and dropped within the time.
    pub(crate) fn time<M: Message>(
        self,
        encoder: &mut impl Encode,
        decoder: &mut impl Decode,
        (messages, corpus): (&[M], &[Vec<u8>]),
        empty: impl Fn() -> M,
    ) -> Result<Sample> {
        let Self { operation, count, is_reused } = self;
        match operation {
            Operation::Encode => timed(count, messages, |message| {
                encoder.encode(message).map(|bytes| _ = black_box(bytes))
            }),
            Operation::Decode if is_reused => {
                let mut message = empty();
                timed(count, corpus, |bytes| decoder.decode(bytes, black_box(&mut message)))
            }
            Operation::Decode => timed(count, corpus, |bytes| {
                let mut message = empty();
                decoder.decode(bytes, black_box(&mut message))
            }),
        }
    }
}

fn timed<T>(count: u64, items: &[T], mut work: impl FnMut(&T) -> Result<()>) -> Result<Sample> {
    let mut outcome = Ok(());
    let sample = Sample::of(|| {
        for _ in 0..count {
            for item in items {
                if let Err(error) = work(black_box(item)) {
                    outcome = Err(error);
                    return 0;
                }
            }
        }
        count * items.len() as u64
    });
    outcome.map(|()| sample)
}

/// Peers that can echo for the sake of the check, but by no encoder of their own.
const DECODERS: [&str; 1] = ["pugixml"];

/// One format of a peer.
pub(crate) struct Contestant {
    /// What rows call it.
    pub(crate) name: &'static str,
    pub(crate) format: Format,
    /// The running peer, or why there is none.
    pub(crate) state: State,
}

/// How a contestant stands before it is measured.
pub(crate) enum State {
    /// It runs.
    Ready { subject: Box<PeerSubject>, version: String },
    /// Its program is not on this machine.
    Absent,
    /// Its program is there but does not serve: why, in one line.
    Broken(String),
}

/// Starts every peer that is there, once for each of its formats among `formats`, and once more if it
/// can decode all messages into one; and both builds of ours, if there is another.
pub(crate) fn contestants(request: &Request, formats: &[Format]) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for (known, program) in &request.peers.peers {
        for &format in formats_of(known.name).iter().filter(|format| formats.contains(format)) {
            let start = |name: &'static str| match program {
                None => State::Absent,
                Some(program) => match Peer::start(known.name, program, ANSWER_TIMEOUT) {
                    Err(error) => State::Broken(error.to_string()),
                    Ok(peer) => admit(peer, format, name),
                },
            };
            let name = known.subject();
            contestants.push(Contestant { name, format, state: start(name) });
            // Once is enough to say that it is not there.
            let reusing = REUSING_PEERS.iter().find(|(peer, _)| *peer == known.name);
            if let Some(&(_, name)) = reusing.filter(|_| program.is_some()) {
                contestants.push(Contestant { name, format, state: start(name) });
            }
        }
    }
    if let Some(other) = &request.against {
        contestants.extend(builds::contestants([&request.program, other], formats));
    }
    contestants
}

/// A running peer as the subject of this name, if it has the format.
pub(crate) fn admit(peer: Peer, format: Format, name: &'static str) -> State {
    let greeting = peer.greeting().clone();
    let is_known = greeting.formats.iter().any(|name| name == format.name());
    // Few toolkits have every style of services; a codec without its format is a mistake.
    if !is_known && format.family() == Family::CustomerServices {
        return State::Absent;
    }
    if !is_known {
        let known = greeting.formats.join(", ");
        let (name, format) = (greeting.name, format.name());
        return State::Broken(format!("peer {name} does not know {format}, but {known}"));
    }
    let mut subject = PeerSubject::new(peer, format.name()).named(name);
    if is_reused(name) {
        subject = subject.reusing();
    }
    if DECODERS.contains(&greeting.name.as_str()) {
        subject = subject.decoding_only();
    }
    State::Ready { subject: Box::new(subject), version: greeting.version }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;

    use super::*;
    use crate::format;
    use crate::market_data::messages;
    use crate::trading_day::TradingDay;
    use trunkline_experiment::subjects::{TRUNKLINE, TRUNKLINE_REUSED};

    #[test]
    fn each_message_is_decoded_into_a_new_one_unless_one_is_reused() {
        let structs = messages::sample(&TradingDay::generated(1), 3, 7);
        let corpus = format::corpus(Format::Fix, &structs).expect("FIX carries it");
        for (name, made) in [(TRUNKLINE, 2 * 7), (TRUNKLINE_REUSED, 1)] {
            let count = Cell::new(0);
            let empty = || {
                count.set(count.get() + 1);
                MarketDataIncrementalRefresh::default()
            };
            let mut subject = Local::new(name, Format::Fix, &structs, empty);
            subject.prepare(&corpus).expect("it keeps them");
            assert_eq!(subject.echo().expect("right answers"), corpus);
            count.set(0);
            let sample = subject.run(Operation::Decode, 2).expect("it decodes");
            assert_eq!((count.get(), sample.messages), (made, 14), "{name}");
        }
    }
}
