//! Who takes part: our codecs in this process, on structs and on records, and the peers.

use std::hint::black_box;

use trunkline_message::{Message, Result};

use crate::experiment::{Operation, Sample, Subject, SubjectError};
use crate::format::{Codec, Family, Format};
use crate::peer::{ANSWER_TIMEOUT, Discovery, Known, Peer, PeerSubject};

/// Our codecs on structs with `derive(Message)`.
pub const TRUNKLINE: &str = "trunkline";
/// Our codecs on records, whose schema is known at run time only.
pub const TRUNKLINE_RECORD: &str = "trunkline-record";
/// A second `trunkline` in the same run: how far it differs from the first is noise.
pub(crate) const TWIN: &str = "trunkline-twin";

/// A codec of ours. Encodes kept messages; decodes every message into the same one, as a
/// connection does.
pub(crate) struct Local<'a, M> {
    name: &'static str,
    format: Format,
    profile: String,
    codec: Codec,
    messages: &'a [M],
    corpus: Vec<Vec<u8>>,
    decoded: M,
}

impl<'a, M: Message> Local<'a, M> {
    /// `decoded` is an empty message.
    pub(crate) fn new(name: &'static str, format: Format, messages: &'a [M], decoded: M) -> Self {
        let (profile, codec) = (format.profile(), format.codec());
        Self { name, format, profile, codec, messages, corpus: Vec::new(), decoded }
    }
}

impl<M: Message> Subject for Local<'_, M> {
    fn name(&self) -> &str {
        self.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn format(&self) -> &str {
        self.format.name()
    }

    fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
        self.corpus = corpus.to_vec();
        Ok(())
    }

    /// Encodes what it decodes, so that one check is enough for both.
    fn echo(&mut self) -> Result<Option<Vec<Vec<u8>>>, SubjectError> {
        let Self { codec, corpus, decoded, .. } = self;
        let echo: Result<Vec<Vec<u8>>> = corpus
            .iter()
            .map(|bytes| {
                codec.decode(bytes, decoded)?;
                Ok(codec.encode(decoded)?.to_vec())
            })
            .collect();
        Ok(Some(echo?))
    }

    fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, SubjectError> {
        let Self { codec, messages, corpus, decoded, .. } = self;
        // The format is chosen here, once, and not for each message: the loops are a user's own.
        match (operation, codec) {
            (Operation::Encode, Codec::Soap(encoder, _)) => {
                timed(passes, messages, |message| kept(encoder.encode(message)))
            }
            (Operation::Encode, Codec::Fix(encoder, _)) => {
                timed(passes, messages, |message| kept(encoder.encode(message)))
            }
            (Operation::Encode, Codec::Cdr(encoder, _)) => {
                timed(passes, messages, |message| kept(encoder.encode(message)))
            }
            (Operation::Decode, Codec::Soap(_, decoder)) => {
                timed(passes, corpus, |bytes| decoder.decode(bytes, black_box(&mut *decoded)))
            }
            (Operation::Decode, Codec::Fix(_, decoder)) => {
                timed(passes, corpus, |bytes| decoder.decode(bytes, black_box(&mut *decoded)))
            }
            (Operation::Decode, Codec::Cdr(_, decoder)) => {
                timed(passes, corpus, |bytes| decoder.decode(bytes, black_box(&mut *decoded)))
            }
        }
    }
}

fn kept(bytes: Result<&[u8]>) -> Result<()> {
    bytes.map(|bytes| _ = black_box(bytes))
}

fn timed<T>(
    passes: u32,
    items: &[T],
    mut work: impl FnMut(&T) -> Result<()>,
) -> Result<Sample, SubjectError> {
    let mut outcome = Ok(());
    let sample = Sample::of(|| {
        for _ in 0..passes {
            for item in items {
                if let Err(error) = work(black_box(item)) {
                    outcome = Err(error);
                    return 0;
                }
            }
        }
        u64::from(passes) * items.len() as u64
    });
    outcome?;
    Ok(sample)
}

/// Which formats each peer is measured with.
const PEER_FORMATS: [(&str, &[Format]); 10] = [
    ("gsoap-best", &[Format::SoapRpc, Format::SoapDocument]),
    ("gsoap-debian", &[Format::SoapRpc, Format::SoapDocument]),
    ("quickfix", &[Format::Fix]),
    ("omniorb", &[Format::CdrUnion]),
    ("quick-xml", &[Format::SoapDocument]),
    ("ironfix", &[Format::Fix]),
    ("pugixml", &[Format::SoapDocument]),
    ("gsoap-best-services", &SERVICES_IN_SOAP),
    ("gsoap-debian-services", &SERVICES_IN_SOAP),
    (
        "metro-services",
        &[Format::NgDocumentLiteral, Format::NgDocumentLiteralWrapped, Format::NgRpcLiteral],
    ),
];

/// Every way in which SOAP carries customer and product records.
const SERVICES_IN_SOAP: [Format; 5] = [
    Format::NgDocumentLiteral,
    Format::NgDocumentLiteralWrapped,
    Format::NgDocumentEncoded,
    Format::NgRpcLiteral,
    Format::NgRpcEncoded,
];

/// Peers that can echo for the sake of the check, but by no encoder of their own.
const DECODERS: [&str; 1] = ["pugixml"];

/// The formats that the peer with a program of this name is measured with.
pub(crate) fn formats_of(peer: &str) -> &'static [Format] {
    PEER_FORMATS.iter().find(|(name, _)| *name == peer).map_or(&[], |(_, formats)| formats)
}

/// One format of a peer.
pub(crate) struct Contestant {
    pub(crate) known: Known,
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

/// Starts every peer that is there, once for each of its formats among `formats`.
pub(crate) fn contestants(discovery: &Discovery, formats: &[Format]) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for (known, program) in &discovery.peers {
        for &format in formats_of(known.name).iter().filter(|format| formats.contains(format)) {
            let state = match program {
                None => State::Absent,
                Some(program) => match Peer::start(known.name, program, ANSWER_TIMEOUT) {
                    Err(error) => State::Broken(error.to_string()),
                    Ok(peer) => admit(peer, format),
                },
            };
            contestants.push(Contestant { known: *known, format, state });
        }
    }
    contestants
}

fn admit(peer: Peer, format: Format) -> State {
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
    let mut subject = PeerSubject::new(peer, format.name(), &format.profile());
    if DECODERS.contains(&greeting.name.as_str()) {
        subject = subject.decoding_only();
    }
    State::Ready { subject: Box::new(subject), version: greeting.version }
}
