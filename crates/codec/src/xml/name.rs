//! Names: XML 1.0 fifth edition section 2.3, Namespaces in XML section 4.

use std::hash::{Hash, Hasher};

use super::Namespace;
use super::error::{Error, ErrorKind};
use super::scan::{self, NAME, NAME_START};

/// The name of an element or attribute, split at its colon. Two are equal if they are the same name in
/// the same namespace, whatever their prefixes.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub(super) qualified: &'a str,
    pub(super) local_start: u32,
    /// The namespace that the prefix, or the default declaration, stands for.
    pub namespace: Namespace,
}

impl<'a> Name<'a> {
    /// The name as it stands in the document, prefix included.
    pub fn qualified(&self) -> &'a str {
        self.qualified
    }

    /// What stands before the colon; empty if there is none.
    pub fn prefix(&self) -> &'a str {
        &self.qualified[..self.local_start.saturating_sub(1) as usize]
    }

    /// What stands after the colon; the whole name if there is none.
    #[inline]
    pub fn local(&self) -> &'a str {
        &self.qualified[self.local_start as usize..]
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.namespace == other.namespace && self.local() == other.local()
    }
}

impl Eq for Name<'_> {}

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.namespace, self.local()).hash(state);
    }
}

/// Where a name ends, and where its local part begins counted from its start (0: no prefix).
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) end: usize,
    pub(super) local_start: u32,
}

/// Reads a name, qualified if `namespaces` is set. `what` is the name of what is missing otherwise.
#[inline]
pub(super) fn read(
    input: &str,
    at: usize,
    namespaces: bool,
    what: &'static str,
) -> Result<Extent, Error> {
    let bytes = input.as_bytes();
    if !bytes.get(at).is_some_and(|&byte| scan::is(byte, NAME_START)) {
        return read_any(input, at, namespaces, what);
    }
    let end = scan::skip(bytes, at + 1, NAME);
    match bytes.get(end) {
        Some(b':') if namespaces => {}
        Some(b':' | 0x80..) => return read_any(input, at, namespaces, what),
        _ => return Ok(Extent { end, local_start: 0 }),
    }
    if !bytes.get(end + 1).is_some_and(|&byte| scan::is(byte, NAME_START)) {
        return read_any(input, at, namespaces, what);
    }
    let local_start = (end + 1 - at) as u32;
    let end = scan::skip(bytes, end + 2, NAME);
    match bytes.get(end) {
        Some(b':' | 0x80..) => read_any(input, at, namespaces, what),
        _ => Ok(Extent { end, local_start }),
    }
}

/// Reads a name character by character: colons in odd places and characters outside ASCII.
#[cold]
fn read_any(input: &str, at: usize, namespaces: bool, what: &'static str) -> Result<Extent, Error> {
    let rest = &input[at..];
    let Some(first) = rest.chars().next() else {
        return Err(Error::new(ErrorKind::Unterminated("a tag"), at));
    };
    if !is_name_start(first) {
        return Err(Error::new(ErrorKind::ExpectedName(what), at));
    }
    let length = rest.find(|character| !is_name_char(character)).unwrap_or(rest.len());
    let name = &rest[..length];
    let local_start = match name.find(':') {
        Some(colon) if namespaces => {
            let local = &name[colon + 1..];
            let starts = local.chars().next().is_some_and(is_name_start);
            if colon == 0 || !starts || local.contains(':') {
                return Err(Error::new(ErrorKind::MalformedQName, at));
            }
            (colon + 1) as u32
        }
        _ => 0,
    };
    Ok(Extent { end: at + length, local_start })
}

/// Whether a text is a name without a colon, an NCName (Namespaces in XML section 3, production 4).
pub fn is_ncname(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(is_name_start)
        && characters.all(is_name_char)
        && !text.contains(':')
}

/// Whether a character may begin a name, the colon included (section 2.3, production 4).
pub fn is_name_start(character: char) -> bool {
    matches!(character,
        ':' | '_' | 'A'..='Z' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Whether a character may continue a name, the colon included (section 2.3, production 4a).
pub fn is_name_char(character: char) -> bool {
    is_name_start(character)
        || matches!(character,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}
