//! The XML declaration (section 2.8, production 23).

use std::ops::Range;

use super::error::{Error, ErrorKind};
use super::scan::{self, NAME, WHITE};

/// The parts of a declaration that matter later.
pub(super) struct Declaration {
    /// Where the name of the encoding is.
    pub(super) encoding: Option<Range<usize>>,
    /// The position after `?>`.
    pub(super) end: usize,
}

/// Reads the declaration at the start of a document, if it has one. Only ASCII is looked at, so
/// that this works before the encoding is known.
pub(super) fn read(bytes: &[u8]) -> Result<Option<Declaration>, Error> {
    let longer = |&byte: &u8| scan::is(byte, NAME) || byte == b':' || byte >= 0x80;
    if !bytes.starts_with(b"<?xml") || bytes.get(5).is_some_and(longer) {
        return Ok(None);
    }
    let mut cursor = Cursor { bytes, at: 5 };
    let version = cursor.attribute(b"version")?.ok_or_else(|| cursor.expected("version"))?;
    match &bytes[version.clone()] {
        [b'1', b'.', minor @ ..] if !minor.is_empty() && minor.iter().all(u8::is_ascii_digit) => {}
        _ => return Err(Error::new(ErrorKind::UnsupportedVersion, version.start)),
    }
    let encoding = cursor.attribute(b"encoding")?;
    if let Some(name) = &encoding
        && !is_encoding_name(&bytes[name.clone()])
    {
        let expected = ErrorKind::MalformedDeclaration("the name of an encoding");
        return Err(Error::new(expected, name.start));
    }
    if let Some(value) = cursor.attribute(b"standalone")?
        && !matches!(&bytes[value.clone()], b"yes" | b"no")
    {
        return Err(Error::new(ErrorKind::MalformedDeclaration("yes or no"), value.start));
    }
    cursor.at = scan::skip(bytes, cursor.at, WHITE);
    if !bytes[cursor.at..].starts_with(b"?>") {
        return Err(cursor.expected("?>"));
    }
    Ok(Some(Declaration { encoding, end: cursor.at + 2 }))
}

fn is_encoding_name(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// Takes white space, the name, `=` and a quoted value, if the name is next.
    fn attribute(&mut self, name: &[u8]) -> Result<Option<Range<usize>>, Error> {
        let start = scan::skip(self.bytes, self.at, WHITE);
        if !self.bytes[start..].starts_with(name) {
            return Ok(None);
        }
        if start == self.at {
            return Err(self.expected("white space"));
        }
        self.at = scan::skip(self.bytes, start + name.len(), WHITE);
        if self.bytes.get(self.at) != Some(&b'=') {
            return Err(self.expected("="));
        }
        self.at = scan::skip(self.bytes, self.at + 1, WHITE);
        let quote = match self.bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => quote,
            _ => return Err(self.expected("a quoted value")),
        };
        let value = self.at + 1;
        // No legal value comes near this length, and a missing quote must not cost a long search.
        let window = &self.bytes[value..self.bytes.len().min(value + 256)];
        match window.iter().position(|&byte| byte == quote) {
            Some(length) => {
                self.at = value + length + 1;
                Ok(Some(value..value + length))
            }
            None => Err(self.expected("a closing quote")),
        }
    }

    fn expected(&self, what: &'static str) -> Error {
        Error::new(ErrorKind::MalformedDeclaration(what), self.at)
    }
}
