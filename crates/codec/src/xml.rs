//! XML 1.0 (fifth edition) with Namespaces in XML 1.0 (third edition): a pull parser that checks
//! everything a document may get wrong without a DTD, and allocates nothing per event.
//!
//! ```
//! use trunkline_codec::xml::{Event, Options, Parser, Source};
//! use trunkline_message::Limits;
//!
//! let limits = Limits::default();
//! let mut source = Source::default();
//! let text = source.prepare(b"<?xml version='1.0'?><a>7</a>", &limits)?;
//! let mut parser = Parser::new(Options::default(), &limits);
//! parser.begin(text)?;
//! assert!(matches!(parser.next(text)?, Event::Start { name, .. } if name.local() == "a"));
//! assert!(matches!(parser.next(text)?, Event::Text { raw: "7", plain: true, .. }));
//! # Ok::<(), trunkline_codec::xml::Error>(())
//! ```
//!
//! The order of the work: [`Source`] turns bytes into checked text, [`Parser`] turns text into
//! events that borrow from it, [`unescape`] and its relatives turn raw content into values. [`Reader`]
//! and [`Writer`] make an [infoset](crate::infoset) of it.
//!
//! Every document type declaration is rejected, because SOAP forbids it (SOAP 1.1 section 3,
//! SOAP 1.2 section 5) and because it is the root of entity expansion attacks. So only the five
//! predefined entities exist, all attributes are of type CDATA, and nothing external is read.

mod attribute;
mod declaration;
pub mod element;
mod encoding;
mod entity;
mod error;
mod markup;
mod name;
mod namespace;
mod parser;
mod reader;
pub mod scan;
mod start_tag;
mod writer;

pub use attribute::Attribute;
pub use encoding::Source;
pub use entity::{normalise_attribute, normalise_newlines, unescape};
pub use error::{Error, ErrorKind};
pub use name::{Name, is_name_char, is_name_start, is_ncname};
pub use namespace::Namespace;
pub use parser::Parser;
pub use reader::{Reader, Text};
pub use writer::{Writer, escape};

/// What a [`Parser`] checks beyond well-formedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether Namespaces in XML 1.0 applies: names are split at the colon, prefixes must be bound
    /// and attributes are unique by expanded name. On by default.
    pub namespaces: bool,
    /// Whether processing instructions are allowed. On by default; SOAP has none (SOAP 1.1 section
    /// 3, SOAP 1.2 part 1 section 5), see [`Options::soap`].
    pub instructions: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { namespaces: true, instructions: true }
    }
}

impl Options {
    /// For messages of SOAP.
    pub fn soap() -> Self {
        Self { instructions: false, ..Self::default() }
    }
}

/// One piece of a document. White space outside the root element is not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A start tag or an empty-element tag. [`Parser::attributes`] has its attributes until the
    /// next event is pulled.
    Start {
        /// The name of the element.
        name: Name<'a>,
        /// Whether the tag was an empty-element tag; its `End` follows all the same.
        empty: bool,
    },
    /// An end tag, or the end of an empty-element tag.
    End {
        /// The name of the element.
        name: Name<'a>,
    },
    /// Character data up to the next markup. It is never empty, but comments, processing
    /// instructions and CDATA sections split the text of an element into several events.
    Text {
        /// The text as it stands in the document.
        raw: &'a str,
        /// Whether `raw` is the text itself; if not, [`unescape`] makes it so.
        plain: bool,
        /// Whether `raw` is white space only. A character reference to white space counts as text.
        white: bool,
    },
    /// The content of a CDATA section.
    CData {
        /// The content as it stands in the document.
        raw: &'a str,
        /// Whether `raw` has no carriage return; if not, [`normalise_newlines`] resolves them.
        plain: bool,
    },
    /// The content of a comment, with line ends as in the document.
    Comment(&'a str),
    /// A processing instruction.
    ProcessingInstruction {
        /// The name after `<?`.
        target: &'a str,
        /// What follows the white space after the target, up to `?>`; may be empty.
        data: &'a str,
    },
    /// The end of the document, also at every further call.
    Eof,
}
