//! Packages of a message and what is attached to it: MIME's `multipart/related` (RFC 2387), in which MTOM and SOAP with
//! Attachments send, and DIME (draft-nielsen-dime-02).
//!
//! A parser is given the bytes as they come and answers what they are, one thing at a time; the bytes of a part are never
//! collected, so that a part may be of any length. A writer makes what stands around the bytes of parts.
//!
//! ```
//! use trunkline_codec::attachment::{Head, Kind, Package, Part, multipart};
//!
//! let head = Head { id: "root".into(), kind: Kind::Media("text/xml".into()), ..Head::default() };
//! let package = Package { parts: vec![Part { head, data: b"<a/>".to_vec() }] };
//! let mut writer = multipart::Writer::new("a-boundary")?;
//! let bytes = package.write_multipart(&mut writer)?;
//! assert_eq!(
//!     bytes,
//!     b"--a-boundary\r\nContent-Type: text/xml\r\nContent-Transfer-Encoding: binary\r\n\
//!       Content-ID: <root>\r\n\r\n<a/>\r\n--a-boundary--\r\n"
//! );
//!
//! let mut parser = multipart::Parser::new("a-boundary", &Default::default())?;
//! assert_eq!(Package::read(&mut parser, &bytes, 1 << 20)?, package);
//! # Ok::<(), trunkline_message::Error>(())
//! ```

pub mod dime;
mod media_type;
pub mod multipart;
mod package;
mod steps;
mod transfer;

use std::collections::HashSet;

use trunkline_message::{Error, ErrorKind, Result};

pub use media_type::MediaType;
pub use package::{Package, Part};

/// Parts of a package that a parser accepts unless it is told otherwise: whoever wants to be read writes no more.
pub const PARTS: usize = 1_000;

/// What a parser accepts at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Parts of a package.
    pub parts: usize,
    /// Bytes of what a part says of itself.
    pub head_bytes: usize,
    /// Bytes before the first part.
    pub preamble_bytes: usize,
    /// Bytes of one part as they are sent.
    pub part_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { parts: PARTS, head_bytes: 16 << 10, preamble_bytes: 64 << 10, part_bytes: 4 << 30 }
    }
}

/// What a part says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// By which others refer to it: the `Content-ID` without its brackets, DIME's id. Empty if it has none.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Further header fields, in MIME.
    pub fields: Vec<(String, String)>,
    /// Options by their numbers, in DIME.
    pub options: Vec<(u16, Vec<u8>)>,
}

/// What a part is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// It does not say.
    #[default]
    Unstated,
    /// A media type, such as `image/png`. DIME may have an empty one.
    Media(String),
    /// An absolute URI, in DIME only.
    Uri(String),
}

/// What the next bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// More of them are needed to tell.
    More,
    /// A part begins: see [`Parser::head`].
    Part,
    /// Bytes of the part: see [`Parser::data`].
    Data,
    /// The part is whole.
    PartEnd,
    /// The package is whole. What stands behind it is for its reader to judge.
    End,
}

/// Reads a package as its bytes come.
pub trait Parser: steps::Steps {
    /// The next event in `input`, and how many of its bytes are done with: the next call is given those behind them.
    /// No more bytes follow if the input `is_last`.
    ///
    /// # Errors
    /// The package breaks the rules of its format, passes a limit, or ends before its end.
    fn next(&mut self, input: &[u8], is_last: bool) -> Result<(usize, Event)> {
        let mut whole = 0;
        loop {
            let (done, event) = self.step(&input[whole..], is_last)?;
            self.advance(whole..whole + done);
            whole += done;
            if let Some(event) = event {
                return Ok((whole, event));
            }
        }
    }

    /// What the part that began last says of itself.
    fn head(&self) -> &Head;

    /// Does nothing stand behind a package that is whole, but other packages?
    fn is_exact(&self) -> bool;

    /// The bytes of an [`Event::Data`], which was found in this input.
    fn data<'a>(&'a self, input: &'a [u8]) -> &'a [u8];
}

/// The parts so far: how many, by which ids.
#[derive(Debug, Default)]
struct Parts {
    count: usize,
    ids: HashSet<String>,
}

impl Parts {
    /// One more part, which begins at a byte.
    fn add(&mut self, head: &Head, limits: &Limits, at: usize) -> Result<()> {
        self.count += 1;
        if self.count > limits.parts {
            return Err(exceeded("attachment parts", limits.parts, at));
        }
        if !head.id.is_empty() && !self.ids.insert(head.id.clone()) {
            return Err(syntax(format!("two parts have the id {:?}", head.id), at));
        }
        Ok(())
    }
}

#[cold]
fn syntax(what: impl Into<std::borrow::Cow<'static, str>>, at: usize) -> Error {
    Error::new(ErrorKind::Syntax(what.into()), at)
}

#[cold]
fn exceeded(name: &'static str, limit: usize, at: usize) -> Error {
    Error::new(ErrorKind::Limit { name, limit }, at)
}

#[cold]
fn truncated(expected: &'static str, at: usize) -> Error {
    Error::new(ErrorKind::Truncated { expected }, at)
}

#[cold]
fn unwritable(why: &'static str) -> Error {
    Error::new(ErrorKind::Unwritable(why), 0)
}
