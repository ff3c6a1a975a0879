//! Prefixes in scope and the namespaces they are bound to (Namespaces in XML 1.0).

use super::error::{Error, ErrorKind, excerpt};
use super::scan::{word4, word8};
use crate::intern::Index;

/// A namespace name of the current document. Two are equal if their names are equal, until the
/// parser begins another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Namespace(u32);

impl Namespace {
    /// No namespace.
    pub const NONE: Self = Self(0);
    /// `http://www.w3.org/XML/1998/namespace`, to which the prefix `xml` is always bound.
    pub const XML: Self = Self(1);
    /// `http://www.w3.org/2000/xmlns/`, which no element and no attribute is ever in.
    pub const XMLNS: Self = Self(2);
}

/// Up to this many prefixes and names are walked; an index serves more. SOAP messages have four to
/// eight of their own.
const WALKED: usize = 16;

/// The names of the constants, at the start of the arena.
const RESERVED: &str = "http://www.w3.org/XML/1998/namespacehttp://www.w3.org/2000/xmlns/";
const XML_LENGTH: u32 = 36;

/// A prefix that the document has declared, in scope or not. The default namespace is the prefix
/// of length zero.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    /// See [`key_of`]: with the length it decides alone for prefixes of up to eight bytes.
    key: u64,
    start: u32,
    length: u32,
    /// What the prefix is bound to, if it is in scope.
    namespace: Option<Namespace>,
    /// The tag that declared it last, to find a second declaration in one tag.
    declared_in: u32,
}

/// Where the text of a namespace name is: in the document, or unescaped in the arena.
#[derive(Clone, Copy, Debug)]
struct Uri {
    start: u32,
    length: u32,
    in_arena: bool,
}

/// What a declaration replaced.
#[derive(Clone, Copy, Debug)]
struct Undo {
    prefix: u32,
    namespace: Option<Namespace>,
}

/// All prefixes and namespace names of a document. Prefixes and names are kept until the next
/// document, so that each is stored and hashed once however often it is declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Namespaces {
    prefixes: Vec<Prefix>,
    prefix_index: Index,
    /// The prefix found last, tried first.
    recent: usize,
    uris: Vec<Uri>,
    uri_index: Index,
    arena: String,
    undo: Vec<Undo>,
    tag: u32,
    generation: u32,
}

impl Namespaces {
    /// Forgets the last document.
    pub(super) fn reset(&mut self) {
        let prefix = |key: &[u8], namespace| Prefix {
            key: key_of(key),
            start: 0,
            length: key.len() as u32,
            namespace: Some(namespace),
            declared_in: 0,
        };
        let reserved = |start, length| Uri { start, length, in_arena: true };
        self.prefixes.clear();
        self.prefixes.extend([prefix(b"", Namespace::NONE), prefix(b"xml", Namespace::XML)]);
        self.prefix_index.reset(0);
        self.recent = 1;
        self.arena.clear();
        self.arena.push_str(RESERVED);
        self.uris.clear();
        self.uris.extend([
            reserved(0, 0),
            reserved(0, XML_LENGTH),
            reserved(XML_LENGTH, RESERVED.len() as u32 - XML_LENGTH),
        ]);
        self.uri_index.reset(0);
        self.undo.clear();
        self.tag = 0;
        self.generation = self.generation.wrapping_add(1);
    }

    /// Takes over everything of another document; see [`super::Parser::restore`].
    pub(super) fn restore(&mut self, saved: &Self) {
        self.prefixes.clone_from(&saved.prefixes);
        self.prefix_index.clone_from(&saved.prefix_index);
        self.recent = saved.recent;
        self.uris.clone_from(&saved.uris);
        self.uri_index.clone_from(&saved.uri_index);
        self.arena.clone_from(&saved.arena);
        self.undo.clone_from(&saved.undo);
        self.tag = saved.tag;
        self.generation = saved.generation;
    }

    /// Calls `change` with where each text in the document begins.
    pub(super) fn each_start(&mut self, change: impl Fn(&mut u32)) {
        // The two constant prefixes are not in the document.
        self.prefixes.iter_mut().skip(2).for_each(|prefix| change(&mut prefix.start));
        let uris = self.uris.iter_mut().filter(|uri| !uri.in_arena);
        uris.for_each(|uri| change(&mut uri.start));
    }

    /// The prefixes in scope but for `xml`, and the names of their namespaces.
    pub(super) fn bindings<'a>(
        &'a self,
        input: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let prefix = |at: usize, of: &Prefix| match at {
            0 => "",
            _ => text(input, of.start, of.length),
        };
        let all = self.prefixes.iter().enumerate().filter(|(at, _)| *at != 1);
        all.filter_map(move |(at, of)| Some((prefix(at, of), self.name(input, of.namespace?))))
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    /// The number of declarations in scope; [`Self::leave`] goes back to it.
    pub(super) fn declarations(&self) -> u32 {
        self.undo.len() as u32
    }

    /// Marks the beginning of a tag that may declare prefixes.
    pub(super) fn enter_tag(&mut self) {
        self.tag += 1;
    }

    /// Takes back all declarations beyond the first `declarations`.
    pub(super) fn leave(&mut self, declarations: u32) {
        for Undo { prefix, namespace } in self.undo.drain(declarations as usize..).rev() {
            self.prefixes[prefix as usize].namespace = namespace;
        }
        self.generation = self.generation.wrapping_add(1);
    }

    pub(super) fn default_namespace(&self) -> Namespace {
        self.prefixes.first().and_then(|prefix| prefix.namespace).unwrap_or(Namespace::NONE)
    }

    /// The namespace a prefix is bound to. An empty prefix asks for the default namespace.
    #[inline]
    pub(super) fn resolve(&self, input: &str, prefix: &str) -> Option<Namespace> {
        self.prefixes[self.position(input, prefix)?].namespace
    }

    /// The same for the prefix of a name in the document, remembered for the next name.
    #[inline]
    pub(super) fn resolve_at(
        &mut self,
        input: &str,
        start: usize,
        length: usize,
    ) -> Result<Namespace, Error> {
        let prefix = &input[start..start + length];
        if prefix.len() <= 8 {
            let recent = &self.prefixes[self.recent];
            if let (true, Some(namespace)) =
                (recent.key == key_of(prefix.as_bytes()), recent.namespace)
                && recent.length == length as u32
            {
                return Ok(namespace);
            }
        }
        if let Some(position) = self.position(input, prefix)
            && let Some(namespace) = self.prefixes[position].namespace
        {
            self.recent = position;
            return Ok(namespace);
        }
        let kind = match prefix {
            "xmlns" => ErrorKind::ReservedPrefix,
            _ => ErrorKind::UnboundPrefix(excerpt(prefix)),
        };
        Err(Error::new(kind, start))
    }

    fn position(&self, input: &str, prefix: &str) -> Option<usize> {
        if prefix.is_empty() {
            return (!self.prefixes.is_empty()).then_some(0);
        }
        let key = key_of(prefix.as_bytes());
        let equal = |known: &Prefix| {
            known.key == key
                && known.length as usize == prefix.len()
                && (prefix.len() <= 8 || text(input, known.start, known.length) == prefix)
        };
        if self.prefixes.len() <= WALKED {
            return self.prefixes.iter().position(equal);
        }
        let hash = self.prefix_index.hash(prefix);
        let found = self.prefix_index.find(hash, |at| equal(&self.prefixes[at as usize]))?;
        Some(found as usize)
    }

    /// Adds a declaration, which stays until [`Self::leave`]. `start` and `length` are where the
    /// prefix is in the document, a length of zero meaning the default namespace. Answers whether
    /// the prefix is the tag's first of that name; otherwise nothing is declared.
    #[must_use]
    pub(super) fn declare(
        &mut self,
        input: &str,
        start: usize,
        length: usize,
        namespace: Namespace,
    ) -> bool {
        let prefix = &input[start..start + length];
        let position = match self.position(input, prefix) {
            Some(position) => position,
            None => self.add_prefix(input, start, prefix),
        };
        let entry = &mut self.prefixes[position];
        if entry.declared_in == self.tag {
            return false;
        }
        entry.declared_in = self.tag;
        self.undo.push(Undo { prefix: position as u32, namespace: entry.namespace });
        entry.namespace = Some(namespace);
        self.generation = self.generation.wrapping_add(1);
        true
    }

    fn add_prefix(&mut self, input: &str, start: usize, prefix: &str) -> usize {
        let position = self.prefixes.len();
        self.prefixes.push(Prefix {
            key: key_of(prefix.as_bytes()),
            start: start as u32,
            length: prefix.len() as u32,
            namespace: None,
            declared_in: 0,
        });
        let first_unindexed = match position {
            ..WALKED => return position,
            WALKED => 0,
            _ => position,
        };
        for at in first_unindexed..=position {
            let known = self.prefixes[at];
            // The two constant prefixes are not in the document.
            let text = match at {
                0 => "",
                1 => "xml",
                _ => text(input, known.start, known.length),
            };
            self.prefix_index.insert(self.prefix_index.hash(text), at as u32);
        }
        position
    }

    /// The namespace with this name, if the document has declared it or it is a constant.
    pub(super) fn find(&self, input: &str, uri: &str) -> Option<Namespace> {
        if self.uris.len() <= WALKED {
            let position = (0..self.uris.len() as u32).find(|&at| self.uri(input, at) == uri)?;
            return Some(Namespace(position));
        }
        let hash = self.uri_index.hash(uri);
        self.uri_index.find(hash, |at| self.uri(input, at) == uri).map(Namespace)
    }

    /// The name of a namespace.
    pub(super) fn name<'a>(&'a self, input: &'a str, namespace: Namespace) -> &'a str {
        self.uri(input, namespace.0)
    }

    fn uri<'a>(&'a self, input: &'a str, position: u32) -> &'a str {
        match self.uris.get(position as usize) {
            Some(&Uri { start, length, in_arena: true }) => text(&self.arena, start, length),
            Some(&Uri { start, length, in_arena: false }) => text(input, start, length),
            None => "",
        }
    }

    /// The namespace whose name stands in the document from `start` on.
    pub(super) fn intern(&mut self, input: &str, start: usize, length: usize) -> Namespace {
        let uri = &input[start..start + length];
        self.find(input, uri).unwrap_or_else(|| {
            self.add_uri(input, Uri { start: start as u32, length: length as u32, in_arena: false })
        })
    }

    /// The namespace whose name `write` appends to the arena.
    pub(super) fn intern_with(
        &mut self,
        input: &str,
        write: impl FnOnce(&mut String),
    ) -> Namespace {
        let start = self.arena.len();
        write(&mut self.arena);
        if let Some(known) = self.find(input, &self.arena[start..]) {
            self.arena.truncate(start);
            return known;
        }
        let length = (self.arena.len() - start) as u32;
        self.add_uri(input, Uri { start: start as u32, length, in_arena: true })
    }

    fn add_uri(&mut self, input: &str, uri: Uri) -> Namespace {
        let position = self.uris.len();
        self.uris.push(uri);
        let first_unindexed = match position {
            ..WALKED => return Namespace(position as u32),
            WALKED => 0,
            _ => position,
        };
        for at in first_unindexed..=position {
            let hash = self.uri_index.hash(self.uri(input, at as u32));
            self.uri_index.insert(hash, at as u32);
        }
        Namespace(position as u32)
    }
}

fn text(input: &str, start: u32, length: u32) -> &str {
    &input[start as usize..(start + length) as usize]
}

/// At most eight bytes as a number, different for different prefixes of the same length.
#[inline]
fn key_of(prefix: &[u8]) -> u64 {
    let length = prefix.len();
    match length {
        0 => 0,
        1..=3 => {
            u64::from(prefix[0])
                | u64::from(prefix[length / 2]) << 8
                | u64::from(prefix[length - 1]) << 16
        }
        4..=7 => u64::from(word4(prefix)) | u64::from(word4(&prefix[length - 4..])) << 32,
        _ => word8(prefix),
    }
}
