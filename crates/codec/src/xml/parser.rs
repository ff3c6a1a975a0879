//! The pull parser: where it stands, what is open, and what comes next.

use trunkline_message::Limits;

use super::attribute::{Attribute, Place};
use super::entity;
use super::error::{Error, ErrorKind, excerpt};
use super::namespace::Namespaces;
use super::scan::{self, WHITE};
use super::{Event, Name, Namespace, Options, declaration};
use crate::intern::Index;

/// Checks a document and yields it event by event.
///
/// A parser owns buffers only: the text is handed to every call, and must be the same text from
/// [`Parser::begin`] to the end of the document; another one gives nonsense or panics. After an
/// error the only sensible call is `begin`.
///
/// A caller that knows what to expect may read the text itself from [`Parser::position`] on and
/// hand the position back, see [`Parser::set_position`].
#[derive(Clone, Debug)]
pub struct Parser {
    pub(super) options: Options,
    pub(super) limits: Limits,
    pub(super) position: usize,
    pub(super) state: State,
    pub(super) elements: Vec<Element>,
    pub(super) attributes: Vec<Place>,
    pub(super) attribute_index: Index,
    pub(super) namespaces: Namespaces,
}

/// Where in a document the parser stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Before the root.
    Prolog,
    /// Inside the root.
    Content,
    /// After an empty-element tag, whose end is due.
    EmptyElement,
    /// After the root.
    Epilog,
}

/// An open element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) name_start: u32,
    pub(super) name_length: u32,
    /// As in [`Name`], or [`UNSPLIT`].
    pub(super) local_start: u32,
    pub(super) namespace: Namespace,
    /// The number of namespace declarations in scope before this element.
    pub(super) declarations: u32,
}

/// The local part of an element pushed by the caller is looked for only if somebody asks.
const UNSPLIT: u32 = u32::MAX;

impl Parser {
    /// A parser that has no document yet; [`Parser::begin`] gives it one.
    pub fn new(options: Options, limits: &Limits) -> Self {
        let mut namespaces = Namespaces::default();
        namespaces.reset();
        Self {
            options,
            limits: limits.clone(),
            position: 0,
            state: State::Prolog,
            elements: Vec::new(),
            attributes: Vec::new(),
            attribute_index: Index::default(),
            namespaces,
        }
    }

    /// Begins a document, whose text comes from [`Source::prepare`](super::Source::prepare) or is
    /// otherwise known to be free of U+FFFE and U+FFFF. Checks the XML declaration and answers
    /// the position of the first byte after it and after white space: a `<`, if all is well.
    ///
    /// # Errors
    ///
    /// `MessageTooLong` by `Limits::message_bytes`, which holds for the text as well as for the
    /// bytes it came from; `MalformedDeclaration` and `UnsupportedVersion`.
    pub fn begin(&mut self, input: &str) -> Result<usize, Error> {
        let limit = self.limits.message_bytes.min(u32::MAX as usize - 1);
        if input.len() > limit {
            return Err(Error::new(ErrorKind::MessageTooLong(limit), 0));
        }
        self.state = State::Prolog;
        self.elements.clear();
        self.attributes.clear();
        self.namespaces.reset();
        let bytes = input.as_bytes();
        let start = declaration::read(bytes)?.map_or(0, |declaration| declaration.end);
        self.position = scan::skip(bytes, start, WHITE);
        Ok(self.position)
    }

    /// Reads the next event.
    ///
    /// # Errors
    ///
    /// Everything that makes a document not well-formed, not namespace-well-formed if
    /// [`Options::namespaces`] is set, or larger than the limits.
    #[inline]
    pub fn next<'a>(&mut self, input: &'a str) -> Result<Event<'a>, Error> {
        if self.state != State::Content {
            return self.next_outside(input);
        }
        let bytes = input.as_bytes();
        let at = self.position;
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'<'), Some(b'/')) => self.end_tag(input, at),
            (Some(b'<'), Some(b'!' | b'?')) => self.markup(input, at),
            (Some(b'<'), _) => self.start_tag(input, at),
            (Some(_), _) => self.text(input, at),
            (None, _) => {
                let name = excerpt(self.open_element(input).unwrap_or(""));
                Err(Error::new(ErrorKind::UnclosedElement(name), at))
            }
        }
    }

    /// The next event before or after the root, or the end of an empty-element tag.
    #[inline(never)]
    fn next_outside<'a>(&mut self, input: &'a str) -> Result<Event<'a>, Error> {
        if self.state == State::EmptyElement {
            return self.close(input);
        }
        let bytes = input.as_bytes();
        let at = scan::skip(bytes, self.position, WHITE);
        self.position = at;
        match (bytes.get(at), bytes.get(at + 1)) {
            (None, _) if self.state == State::Epilog => Ok(Event::Eof),
            (None, _) => Err(Error::new(ErrorKind::NoRoot, at)),
            (Some(b'<'), Some(b'!' | b'?')) => self.markup(input, at),
            (Some(b'<'), Some(b'/')) => Err(Error::new(ErrorKind::UnmatchedEndTag, at)),
            (Some(b'<'), _) if self.state == State::Epilog => {
                Err(Error::new(ErrorKind::SecondRoot, at))
            }
            (Some(b'<'), _) => self.start_tag(input, at),
            (Some(_), _) => Err(Error::new(ErrorKind::ContentOutsideRoot, at)),
        }
    }

    #[inline]
    fn end_tag<'a>(&mut self, input: &'a str, at: usize) -> Result<Event<'a>, Error> {
        let bytes = input.as_bytes();
        let Some(&Element { name_start, name_length, .. }) = self.elements.last() else {
            return Err(Error::new(ErrorKind::UnmatchedEndTag, at));
        };
        let end = at + 2 + name_length as usize;
        if !scan::same(bytes, name_start as usize, at + 2, name_length as usize) {
            return Err(self.wrong_end_tag(input, at));
        }
        if bytes.get(end) == Some(&b'>') {
            self.position = end + 1;
            return self.close(input);
        }
        let after = scan::skip(bytes, end, WHITE);
        if bytes.get(after) != Some(&b'>') {
            return Err(self.wrong_end_tag(input, at));
        }
        self.position = after + 1;
        self.close(input)
    }

    /// What is wrong with an end tag that is not the expected one.
    #[cold]
    fn wrong_end_tag(&self, input: &str, at: usize) -> Error {
        let expected = self.open_element(input).unwrap_or("");
        let found = &input[at + 2..];
        let name_length = found
            .find(|character: char| character.is_ascii_whitespace() || "<>/".contains(character))
            .unwrap_or(found.len());
        if &found[..name_length] != expected {
            let ends = name_length == found.len() && expected.starts_with(found);
            return match ends {
                true => Error::new(ErrorKind::Unterminated("an end tag"), at),
                false => Error::new(ErrorKind::MismatchedEndTag(excerpt(expected)), at),
            };
        }
        let after = scan::skip(input.as_bytes(), at + 2 + name_length, WHITE);
        match after == input.len() {
            true => Error::new(ErrorKind::Unterminated("an end tag"), at),
            false => Error::new(ErrorKind::Expected("> in an end tag"), after),
        }
    }

    /// Closes the innermost element.
    #[inline]
    fn close<'a>(&mut self, input: &'a str) -> Result<Event<'a>, Error> {
        let Some(mut element) = self.elements.pop() else {
            return Err(Error::new(ErrorKind::UnmatchedEndTag, self.position));
        };
        let start = element.name_start as usize;
        let qualified = &input[start..start + element.name_length as usize];
        if element.local_start == UNSPLIT {
            (element.local_start, element.namespace) = self.split(input, start, qualified)?;
        }
        self.leave(element);
        let Element { local_start, namespace, .. } = element;
        Ok(Event::End { name: Name { qualified, local_start, namespace } })
    }

    #[inline]
    fn leave(&mut self, element: Element) {
        if self.namespaces.declarations() > element.declarations {
            self.namespaces.leave(element.declarations);
        }
        self.state = if self.elements.is_empty() { State::Epilog } else { State::Content };
    }

    #[cold]
    fn split(
        &mut self,
        input: &str,
        start: usize,
        qualified: &str,
    ) -> Result<(u32, Namespace), Error> {
        match qualified.find(':') {
            Some(colon) if self.options.namespaces => {
                Ok((colon as u32 + 1, self.namespaces.resolve_at(input, start, colon)?))
            }
            _ => Ok((0, self.namespaces.default_namespace())),
        }
    }

    #[inline]
    fn text<'a>(&mut self, input: &'a str, start: usize) -> Result<Event<'a>, Error> {
        let bytes = input.as_bytes();
        let mut plain = true;
        let mut end = start;
        if scan::is(bytes[start], WHITE) {
            end = scan::skip(bytes, start, WHITE);
            plain = !bytes[start..end].contains(&b'\r');
        }
        let white = matches!(bytes.get(end), None | Some(b'<'));
        if !white {
            loop {
                end = scan::text_end(bytes, end);
                match bytes.get(end) {
                    None | Some(b'<') => break,
                    Some(&byte) => end = beyond(bytes, end, byte, &mut plain)?,
                }
            }
        }
        if end - start > self.limits.value_bytes {
            return Err(Error::new(ErrorKind::ValueTooLong(self.limits.value_bytes), start));
        }
        self.position = end;
        Ok(Event::Text { raw: &input[start..end], plain, white })
    }

    /// Reads on after a `Start` event up to and including the matching `End`. All of it is
    /// checked.
    ///
    /// # Errors
    ///
    /// As [`Parser::next`].
    pub fn skip_element(&mut self, input: &str) -> Result<(), Error> {
        let outside = self.elements.len().saturating_sub(1);
        while self.elements.len() > outside {
            self.next(input)?;
        }
        Ok(())
    }

    /// Takes over another parser's place: for a caller who finds that a document begins with the
    /// same bytes as one that the other parser has read so far.
    pub fn restore(&mut self, saved: &Self) {
        self.position = saved.position;
        self.state = saved.state;
        self.elements.clone_from(&saved.elements);
        self.attributes.clone_from(&saved.attributes);
        self.namespaces.restore(&saved.namespaces);
    }

    /// The same, for a document with the same bytes as the other's before and behind a part in which
    /// nothing was opened that is still open, and from which nothing is declared: behind it the
    /// other's stand at `from`, and this one's at `to`.
    pub fn restore_moved(&mut self, saved: &Self, from: usize, to: usize) {
        self.restore(saved);
        let moved = |at: &mut u32| {
            if *at as usize >= from {
                *at = (*at as usize - from + to) as u32;
            }
        };
        self.position = self.position - from + to;
        self.elements.iter_mut().for_each(|element| moved(&mut element.name_start));
        for place in &mut self.attributes {
            moved(&mut place.name_start);
            moved(&mut place.value_start);
        }
        self.namespaces.each_start(moved);
    }

    /// The position of the next byte to read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Continues at another position: the caller has read and checked the text up to there, and
    /// has reported every tag that it did not read in pairs by [`Parser::push_known`] and
    /// [`Parser::pop_known`]. Not to be used between the two events of an empty-element tag.
    pub fn set_position(&mut self, at: usize) {
        self.position = at;
    }

    /// Goes back into the start tag just read: the caller reads on from `at`, behind its name and
    /// declarations, to the tag's end.
    pub fn resume_in_tag(&mut self, at: usize) {
        self.position = at;
        self.state = State::Content;
    }

    /// How many attributes and namespace declarations an element may have.
    pub fn most_attributes(&self) -> usize {
        self.limits.attributes
    }

    /// Notes that the caller has read a start tag with no declarations, whose name begins at
    /// `name_start`. The prefix of the name must be bound; the position is not moved.
    ///
    /// # Errors
    ///
    /// `TooDeep` by `Limits::depth`.
    #[inline]
    pub fn push_known(&mut self, name_start: usize, name_length: usize) -> Result<(), Error> {
        if self.elements.len() >= self.limits.depth {
            return Err(Error::new(ErrorKind::TooDeep(self.limits.depth), name_start));
        }
        self.elements.push(Element {
            name_start: name_start as u32,
            name_length: name_length as u32,
            local_start: UNSPLIT,
            namespace: Namespace::NONE,
            declarations: self.namespaces.declarations(),
        });
        self.state = State::Content;
        Ok(())
    }

    /// Notes that the caller has read an end tag whose name has this length; the start tag may have
    /// been read by the parser. The position does not move. Returns `false`, and notes nothing, if
    /// the name of the innermost element has another length: then it has a prefix that the end tag
    /// lacks.
    #[inline]
    #[must_use]
    pub fn pop_known(&mut self, name_length: usize) -> bool {
        match self.elements.pop_if(|element| element.name_length as usize == name_length) {
            Some(element) => {
                self.leave(element);
                true
            }
            None => false,
        }
    }

    /// Notes that the caller has read the end tags of so many elements, which it knows to have the
    /// right names. The position is not moved.
    #[inline]
    pub fn pop_known_elements(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(element) = self.elements.pop() {
                self.leave(element);
            }
        }
    }

    /// Whether the next byte is content of the innermost element: not between the two events of an
    /// empty-element tag, and not outside the root. Only then may the caller read on by itself.
    #[inline]
    pub fn is_in_content(&self) -> bool {
        self.state == State::Content
    }

    /// The number of open elements. An element is open from its `Start` until its `End`.
    pub fn depth(&self) -> usize {
        self.elements.len()
    }

    /// The qualified name of the innermost open element.
    pub fn open_element<'a>(&self, input: &'a str) -> Option<&'a str> {
        let element = self.elements.last()?;
        let start = element.name_start as usize;
        Some(&input[start..start + element.name_length as usize])
    }

    /// Start and length of the names of the open elements, without the `outer` outermost ones.
    pub fn open_elements(&self, outer: usize) -> impl ExactSizeIterator<Item = (usize, usize)> {
        let inner = self.elements.get(outer..).unwrap_or_default();
        inner.iter().map(|it| (it.name_start as usize, it.name_length as usize))
    }

    /// After a `Start`: was it an empty-element tag?
    pub fn is_empty_element(&self) -> bool {
        self.state == State::EmptyElement
    }

    /// Has the innermost open element declarations of its own?
    pub fn declares(&self) -> bool {
        let before = self.elements.last().map_or(0, |element| element.declarations);
        self.namespaces.declarations() > before
    }

    /// The attributes of the last start tag, without namespace declarations, in the order of the
    /// document. They are there until the next start tag is read.
    pub fn attributes<'a>(&self, input: &'a str) -> impl ExactSizeIterator<Item = Attribute<'a>> {
        self.attributes.iter().map(move |place| place.view(input))
    }

    /// The attribute of the last start tag with this namespace and local name.
    pub fn attribute<'a>(
        &self,
        input: &'a str,
        namespace: Namespace,
        local: &str,
    ) -> Option<Attribute<'a>> {
        self.attributes(input).find(|it| it.name.namespace == namespace && it.name.local() == local)
    }

    /// The namespace of elements without a prefix.
    pub fn default_namespace(&self) -> Namespace {
        self.namespaces.default_namespace()
    }

    /// The namespace that a prefix stands for where the parser is, for qualified names in values
    /// such as that of `xsi:type`. The empty prefix stands for the default namespace.
    pub fn resolve_prefix(&self, input: &str, prefix: &str) -> Option<Namespace> {
        self.namespaces.resolve(input, prefix)
    }

    /// The prefixes in scope that a document can declare, and the names of their namespaces. The
    /// empty prefix stands for the default namespace.
    pub fn bindings<'a>(&'a self, input: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.namespaces.bindings(input)
    }

    /// The name of a namespace; empty for [`Namespace::NONE`].
    pub fn namespace_name<'a>(&'a self, input: &'a str, namespace: Namespace) -> &'a str {
        self.namespaces.name(input, namespace)
    }

    /// The namespace of this name, if the document has declared it so far. Look a name up once
    /// whenever [`Parser::declarations_generation`] changes, and compare namespaces from there on.
    pub fn find_namespace(&self, input: &str, name: &str) -> Option<Namespace> {
        self.namespaces.find(input, name)
    }

    /// A number that changes whenever a namespace declaration comes into scope or goes out of it,
    /// and when a document begins.
    pub fn declarations_generation(&self) -> u32 {
        self.namespaces.generation()
    }
}

/// The position after a byte that text must be looked at for.
fn beyond(bytes: &[u8], at: usize, byte: u8, plain: &mut bool) -> Result<usize, Error> {
    match byte {
        b'&' => {
            *plain = false;
            Ok(entity::reference(bytes, at)?.end)
        }
        b'\r' => {
            *plain = false;
            Ok(at + 1)
        }
        b']' if bytes[at + 1..].starts_with(b"]>") => {
            Err(Error::new(ErrorKind::CDataEndInText, at))
        }
        b']' => Ok(at + 1),
        control => Err(Error::new(ErrorKind::ForbiddenCharacter(control.into()), at)),
    }
}
