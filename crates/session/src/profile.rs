//! The profile of a connection: transport, envelope, encoding, compression.

use std::fmt;

use trunkline_codec::fast_infoset::{Counters, Parser, VocabularySize, Writer};

/// How a message travels. Prints as `http-1.1/soap-1.1-rpc-encoded/xml-utf8/none/gzip/873 bytes`,
/// as the lab's rows do but for the bytes; behind it stands what else there is to say, such as
/// `, vocabulary of 14 entries, 208 bytes, 85 % hits` or `, 2 unknown elements`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// `http-1.1`, `http-1.1-tls`, `tcp`, `soap-tcp-1.0`, `soap-tcp-1.0-tls`.
    pub transport: &'static str,
    /// `soap-1.1-rpc-encoded`.
    pub envelope: String,
    /// `xml-utf8`, `fast-infoset`.
    pub encoding: &'static str,
    /// The state that both sides keep from earlier messages: `retained`; `stateless` where the encoding could
    /// have it; `none` with XML.
    pub vocabulary: &'static str,
    /// `none`, `gzip`, `deflate`.
    pub compression: &'static str,
    /// Of the message before compression, without the transport's own.
    pub bytes: usize,
    /// The vocabulary, if it is retained: what the requests so far have built.
    pub retained: Option<Retained>,
    /// The encoding of the answer, if it is another one.
    pub answer: Option<&'static str>,
    /// How many elements of the message its schema does not know, so that they were passed over: of
    /// the request in a server's profile, of the reply in a client's.
    pub unknown: usize,
}

/// A vocabulary that is retained from message to message in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retained {
    /// What it holds.
    pub size: VocabularySize,
    /// Values that were indexes into it, and values that were not.
    pub values: Counters,
}

impl Retained {
    pub(crate) fn of_parser(parser: &Parser) -> Self {
        Self { size: parser.vocabulary_size(), values: parser.counters() }
    }

    pub(crate) fn of_writer(writer: &Writer) -> Self {
        Self { size: writer.vocabulary_size(), values: writer.counters() }
    }

    /// Of a hundred values, so many were indexes.
    pub fn hit_rate(&self) -> u32 {
        let Counters { indexes, literals } = self.values;
        (indexes * 100).checked_div(indexes + literals).unwrap_or_default() as u32
    }
}

/// As profiles have it: `14 entries, 208 bytes, 85 % hits`.
impl fmt::Display for Retained {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VocabularySize { entries, bytes } = self.size;
        write!(out, "{entries} entries, {bytes} bytes, {} % hits", self.hit_rate())
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transport, envelope, encoding, vocabulary, compression, bytes, .. } = self;
        write!(out, "{transport}/{envelope}/{encoding}/{vocabulary}/{compression}/{bytes} bytes")?;
        if let Some(retained) = &self.retained {
            write!(out, ", vocabulary of {retained}")?;
        }
        if let Some(answer) = self.answer {
            write!(out, ", answered in {answer}")?;
        }
        match self.unknown {
            0 => Ok(()),
            1 => write!(out, ", 1 unknown element"),
            unknown => write!(out, ", {unknown} unknown elements"),
        }
    }
}
