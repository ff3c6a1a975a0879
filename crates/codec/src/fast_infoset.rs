//! Fast Infoset (ITU-T X.891, ISO/IEC 24824-1): the information set of a document in binary. Names, and values
//! that come again, are indexes in tables that both sides build alike; numbers and bytes may stand as such.
//!
//! ```
//! use trunkline_codec::fast_infoset::{Options, Parser, Reader, Writer, WriterOptions};
//! use trunkline_codec::infoset::{Event, Name, Reader as _, Tag, Writer as _};
//! use trunkline_message::Limits;
//!
//! let mut writer = Writer::stateless(WriterOptions::default());
//! writer.begin();
//! writer.start(Name { prefix: "", namespace: "", local: "a" });
//! writer.text("7");
//! writer.end();
//! let document = writer.finish()?;
//! assert_eq!(document, b"\xe0\0\0\x01\0\x3c\0a\x90\x37\xff");
//!
//! let mut parser = Parser::stateless(Options::soap(), &Limits::default());
//! let mut reader = Reader::begin(&mut parser, document)?;
//! assert!(matches!(reader.next()?, Event::Start(name) if reader.local(name) == "a"));
//! assert!(matches!(reader.next()?, Event::Text(text) if reader.value(text) == "7"));
//! # Ok::<(), trunkline_message::Error>(())
//! ```
//!
//! A [`Parser`] reads documents event by event, and owns the vocabulary: the tables. A [`Reader`] and a
//! [`Writer`] make an [infoset](crate::infoset) of it. Documents are either *stateless*, so that each begins with
//! empty tables, or of a sequence that *retains* its vocabulary, such as those of one direction of a channel of
//! SOAP over TCP. In a sequence every document is read in its order and to its end ([`Reader::finish`]), be it
//! wanted or not; after an error in one, none that follows can be read.
//!
//! The tables of a sequence only grow, for the format has no word for forgetting. So both sides
//! bound them by [`VocabularyLimits`]. A [`Writer`] adds what pays, and stops at its limit; the parser
//! rejects what would pass its own.

mod algorithm;
mod alphabet;
mod characters;
mod element;
mod external;
mod input;
mod known;
mod opening;
mod parser;
mod prologue;
mod quick;
mod reader;
mod sender;
mod string;
mod vocabulary;
mod writer;

pub use external::ExternalVocabulary;
pub use parser::{Attribute, Event, Name, Namespace, Parser};
pub use reader::Reader;
pub use string::Text;
pub use vocabulary::{Counters, VocabularyLimits, VocabularySize};
pub use writer::{Encoding, Writer, WriterOptions};

use std::borrow::Cow;

use trunkline_message::{Error, ErrorKind};

/// What a [`Parser`] rejects beyond what breaks the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether document types, with their notations and unparsed entities, and entity references are
    /// allowed. They are by default; SOAP has none.
    pub document_types: bool,
    /// Whether processing instructions are allowed. They are by default; SOAP has none.
    pub instructions: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { document_types: true, instructions: true }
    }
}

impl Options {
    /// For messages of SOAP (SOAP 1.1 section 3, SOAP 1.2 part 1 section 5).
    pub fn soap() -> Self {
        Self { document_types: false, instructions: false }
    }
}

/// What a document begins with, behind the XML declaration that it may have: the format and its version 1.
const HEADER: [u8; 4] = [0xe0, 0, 0, 1];

/// The end of an element, of a list or of the document; and two of them.
const END: u8 = 0xf0;
const TWO_ENDS: u8 = 0xff;

/// At most so many entries has a table (X.891 section 8.2).
const LONGEST_TABLE: usize = 1 << 20;

/// A document that breaks the rules of the format, at this byte.
#[cold]
#[inline(never)]
fn syntax(what: impl Into<Cow<'static, str>>, at: usize) -> Error {
    let what: Cow<'static, str> = what.into();
    Error::new(ErrorKind::Syntax(format!("Fast Infoset: {what}").into()), at)
}

#[cold]
#[inline(never)]
fn exceeded(name: &'static str, limit: usize, at: usize) -> Error {
    Error::new(ErrorKind::Limit { name, limit }, at)
}
