//! The pull parser: where it stands, what is open, and what comes next.

use std::hash::{Hash, Hasher};

use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::external::ExternalVocabulary;
use super::input::Input;
use super::opening::Opening;
use super::string::Text;
use super::vocabulary::{
    Counters, Mark, Span, Table, Vocabulary, VocabularyLimits, VocabularySize, XML,
};
use super::{END, Options, TWO_ENDS, syntax};

/// Checks documents and yields them event by event.
///
/// A parser owns the vocabulary, and buffers: the bytes are handed to every call, and must be the same from
/// [`begin`](Self::begin) to the end of the document.
#[derive(Debug)]
pub struct Parser {
    pub(super) options: Options,
    pub(super) limits: Limits,
    pub(super) vocabulary_limits: VocabularyLimits,
    pub(super) vocabulary: Vocabulary,
    pub(super) externals: Vec<(Box<str>, ExternalVocabulary)>,
    /// Is the vocabulary kept from document to document?
    pub(super) retains: bool,
    /// What documents of a sequence begin with.
    pub(super) openings: Vec<Opening>,
    /// The vocabulary at the beginning of the document.
    pub(super) mark: Mark,
    /// Strings of the document that are in other forms than UTF-8.
    pub(super) decoded: String,
    /// Bytes of what stands in the document for more than it takes there: see [`expand`](Self::expand).
    pub(super) expanded: usize,
    pub(super) position: usize,
    pub(super) began: usize,
    pub(super) state: State,
    /// Has the second half of two ends in one octet to be read?
    pub(super) second_end: bool,
    pub(super) open: Vec<Open>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) declarations: Vec<Declaration>,
    /// Memory for finding attributes that stand twice.
    pub(super) sorted: Vec<u32>,
    pub(super) counters: Counters,
    /// Those at the beginning of the document.
    pub(super) counted: Counters,
}

/// The limit of what a document says when its indexes are written out.
pub(super) const EXPANDED: &str = "expanded message_bytes";

/// Where in a document the parser stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Before a document, or behind it.
    Between,
    /// Before the root element.
    Prolog,
    /// Inside the document type, before the root element.
    DocumentType,
    /// Inside the root element.
    Content,
    /// Behind the root element.
    Epilog,
    /// In a document that was rejected.
    Broken,
}

/// An open element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) name: Name,
    /// How many declarations are in force outside.
    pub(super) declarations: u32,
}

/// A declaration of a prefix, which is empty for the default namespace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration {
    pub(super) prefix: Span,
    pub(super) namespace: Namespace,
}

/// The name of an element or attribute. Two are equal if they are the same name in the same namespace,
/// whatever their prefixes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Name {
    /// Among all names of the vocabulary.
    pub(super) number: u32,
    /// That of all which are equal, in every document of the parser.
    pub(super) same: u32,
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.same == other.same
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.same.hash(state);
    }
}

/// A namespace. Two are equal if their names are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Namespace(pub(super) u32);

impl Namespace {
    /// That of names that are in none.
    pub const NONE: Self = Self(0);
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Text,
    /// Where it begins in the document, in bytes.
    pub place: usize,
}

/// One piece of a document.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// An element begins. [`Parser::attributes`] has its attributes until the next one begins.
    Start(Name),
    /// The innermost open element ends.
    End,
    /// Text. That of one element may come in several pieces.
    Text(Text),
    /// A comment.
    Comment(Text),
    /// A processing instruction.
    Instruction {
        /// Its target.
        target: Text,
        /// What follows the target; may be empty.
        data: Text,
    },
    /// The document type. What follows it up to the root element may stand in it.
    DocumentType {
        /// Its system identifier.
        system: Option<Text>,
        /// Its public identifier.
        public: Option<Text>,
    },
    /// A reference to an entity that was not expanded.
    EntityReference {
        /// The name of the entity.
        name: Text,
        /// Its system identifier.
        system: Option<Text>,
        /// Its public identifier.
        public: Option<Text>,
    },
    /// The end of the document, also at every further call.
    Eof,
}

impl Parser {
    /// A parser of documents that stand by themselves. A document's vocabulary has the default limits.
    pub fn stateless(options: Options, limits: &Limits) -> Self {
        Self::new(options, limits, VocabularyLimits::default(), false)
    }

    /// A parser of a sequence of documents, each of which builds on the vocabulary of those before.
    pub fn retaining(options: Options, limits: &Limits, vocabulary: VocabularyLimits) -> Self {
        Self::new(options, limits, vocabulary, true)
    }

    fn new(
        options: Options,
        limits: &Limits,
        vocabulary_limits: VocabularyLimits,
        retains: bool,
    ) -> Self {
        // Places are numbers of 32 bits, and constants come before all that is added.
        let bytes = vocabulary_limits.bytes.min(u32::MAX as usize / 2);
        let entries = vocabulary_limits.entries.min(u32::MAX as usize / 2);
        let mut vocabulary = Vocabulary::default();
        vocabulary.reset();
        Self {
            options,
            limits: limits.clone(),
            vocabulary_limits: VocabularyLimits { bytes, entries },
            mark: vocabulary.mark(),
            vocabulary,
            externals: Vec::new(),
            retains,
            openings: Vec::new(),
            decoded: String::new(),
            expanded: 0,
            position: 0,
            began: 0,
            state: State::Between,
            second_end: false,
            open: Vec::new(),
            attributes: Vec::new(),
            declarations: Vec::new(),
            sorted: Vec::new(),
            counters: Counters::default(),
            counted: Counters::default(),
        }
    }

    /// Makes an external vocabulary known by its URI, for documents that refer to it.
    #[must_use]
    pub fn with_external(mut self, uri: &str, vocabulary: ExternalVocabulary) -> Self {
        self.externals.push((uri.into(), vocabulary));
        self
    }

    /// How much the vocabulary holds at present.
    pub fn vocabulary_size(&self) -> VocabularySize {
        self.vocabulary.size()
    }

    /// How values came so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Begins a document, and reads what stands before its content.
    ///
    /// # Errors
    /// What is wrong there; the limit `message_bytes`. In a sequence, the document before this one was not
    /// read to its end, or was rejected: then nobody knows the vocabulary of this one.
    pub fn begin(&mut self, bytes: &[u8]) -> Result<()> {
        if self.retains && self.state != State::Between {
            let what = match self.state {
                State::Broken => "an earlier document of the sequence was rejected",
                _ => "an earlier document of the sequence was not read to its end",
            };
            return Err(syntax(what, 0));
        }
        if !self.retains {
            self.vocabulary.reset();
        }
        self.mark = self.vocabulary.mark();
        self.counted = self.counters;
        self.restart(bytes)
    }

    /// Goes back to the beginning of the document.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn restart(&mut self, bytes: &[u8]) -> Result<()> {
        if self.vocabulary.has_grown(&self.mark) {
            self.vocabulary.go_back(&self.mark);
        }
        self.counters = self.counted;
        self.open.clear();
        self.attributes.clear();
        self.declarations.clear();
        self.decoded.clear();
        self.expanded = 0;
        (self.position, self.began, self.second_end) = (0, 0, false);
        self.state = State::Broken;
        let limit = self.limits.message_bytes.min(u32::MAX as usize / 2);
        if bytes.len() > limit {
            return Err(super::exceeded("message_bytes", limit, 0));
        }
        let mut input = self.input(bytes);
        self.prologue(&mut input)?;
        self.position = input.at;
        self.began = input.at;
        self.state = State::Prolog;
        Ok(())
    }

    /// Counts what an index stands for, and texts of booleans: a few octets can name a long text many times, so that
    /// all of them together are bounded as a document that wrote them out would be.
    #[inline]
    pub(super) fn expand(&mut self, bytes: usize, at: usize) -> Result<()> {
        self.expanded = self.expanded.saturating_add(bytes);
        match self.expanded > self.limits.message_bytes {
            true => Err(super::exceeded(EXPANDED, self.limits.message_bytes, at)),
            false => Ok(()),
        }
    }

    #[inline]
    fn input<'a>(&self, bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, at: self.position, longest: self.limits.value_bytes }
    }

    /// Reads the next event.
    ///
    /// # Errors
    /// Everything that breaks the format or is larger than the limits; what the infoset of no XML document has,
    /// such as names that are none.
    #[inline]
    pub fn next(&mut self, bytes: &[u8]) -> Result<Event> {
        let mut input = self.input(bytes);
        self.began = input.at;
        let event = match self.state {
            State::Content => self.content(&mut input),
            _ => self.outside(&mut input),
        };
        self.position = input.at;
        if event.is_err() {
            self.state = State::Broken;
        }
        event
    }

    #[inline]
    fn content(&mut self, input: &mut Input<'_>) -> Result<Event> {
        if self.second_end {
            self.second_end = false;
            return Ok(self.close());
        }
        let octet = input.octet("content of an element, or its end")?;
        match octet {
            0..0x80 => self.element(input, octet),
            0x80..0xc0 => Ok(Event::Text(self.chunk(input, octet)?)),
            END => Ok(self.close()),
            TWO_ENDS => {
                self.second_end = true;
                Ok(self.close())
            }
            _ => self.other(input, octet),
        }
    }

    #[inline]
    pub(super) fn close(&mut self) -> Event {
        if let Some(element) = self.open.pop() {
            self.declarations.truncate(element.declarations as usize);
        }
        if self.open.is_empty() {
            self.state = State::Epilog;
        }
        Event::End
    }

    /// The end of the element whose start was read last stands in the same octet as that of its attributes.
    pub(super) fn note_end(&mut self) {
        self.second_end = true;
    }

    #[inline(never)]
    fn outside(&mut self, input: &mut Input<'_>) -> Result<Event> {
        loop {
            if matches!(self.state, State::Between | State::Broken) {
                return match self.state {
                    State::Between => Ok(Event::Eof),
                    _ => Err(syntax("the document was rejected", input.at)),
                };
            }
            let octet = match std::mem::take(&mut self.second_end) {
                true => END,
                false => input.octet("the root element or the end of the document")?,
            };
            match (octet, self.state) {
                (END, State::DocumentType) => self.state = State::Prolog,
                (END, State::Epilog) => {
                    if input.at < input.bytes.len() {
                        let bytes = input.bytes.len() - input.at;
                        return Err(Error::new(ErrorKind::Trailing { bytes }, input.at));
                    }
                    self.state = State::Between;
                    return Ok(Event::Eof);
                }
                (END | TWO_ENDS, _) => {
                    return Err(syntax("an end that nothing has begun", input.at - 1));
                }
                (0..0x80, State::Prolog) => {
                    let event = self.element(input, octet)?;
                    self.state = State::Content;
                    return Ok(event);
                }
                (0..0x80, State::Epilog) => {
                    return Err(syntax("a second root element", input.at - 1));
                }
                (0x80..0xc0, _) => {
                    return Err(syntax("text outside the root element", input.at - 1));
                }
                (0xc4..0xc8, State::Prolog) => return self.document_type(input, octet),
                (0xe1, _) | (0xe2, State::Prolog | State::Epilog) => {
                    return self.other(input, octet);
                }
                _ => return Err(input.unknown(octet, "the root element")),
            }
        }
    }

    /// What may stand in an element beside elements and text.
    #[inline(never)]
    fn other(&mut self, input: &mut Input<'_>, octet: u8) -> Result<Event> {
        let at = input.at - 1;
        match octet {
            0xe1 => {
                if !self.options.instructions {
                    let what = "processing instructions are rejected, SOAP has none";
                    return Err(syntax(what, at));
                }
                let target = self.identifying(input, Table::OtherNames)?;
                if self.vocabulary.string(target).eq_ignore_ascii_case(XML) {
                    return Err(syntax("a processing instruction has the target xml", at));
                }
                let data = self.value(input, Table::OtherStrings)?;
                if self.text(input.bytes, data).contains("?>") {
                    return Err(syntax("?> inside a processing instruction", at));
                }
                Ok(Event::Instruction { target: Text::of(target), data })
            }
            0xe2 => {
                let comment = self.value(input, Table::OtherStrings)?;
                let text = self.text(input.bytes, comment);
                match text.contains("--") || text.ends_with('-') {
                    true => Err(syntax("-- inside a comment, or - at its end", at)),
                    false => Ok(Event::Comment(comment)),
                }
            }
            0xc8..0xcc => self.entity_reference(input, octet),
            _ => Err(input.unknown(octet, "content of an element, or its end")),
        }
    }

    /// Where the event read last begins, in bytes.
    #[inline]
    pub fn began(&self) -> usize {
        self.began
    }

    /// Where the next octet stands.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The number of open elements.
    #[inline]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The name of the innermost open element.
    pub fn open_element(&self) -> Option<Name> {
        self.open.last().map(|element| element.name)
    }

    /// Was the document rejected? Then none that follows in a sequence can be read.
    pub fn is_broken(&self) -> bool {
        self.state == State::Broken
    }

    /// Was the document read to its end?
    pub fn is_at_end(&self) -> bool {
        self.state == State::Between
    }

    /// The attributes of the element that began last.
    #[inline]
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The prefixes that the element that began last declares, and the names of their namespaces; the empty
    /// prefix is for the default namespace, and an empty name takes a declaration back.
    pub fn declared(&self) -> impl Iterator<Item = (&str, &str)> {
        let outside = self.open.last().map_or(0, |element| element.declarations as usize);
        self.declarations[outside..].iter().map(|it| self.declaration(it))
    }

    /// The same of all open elements, the innermost last.
    pub(super) fn declared_around(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        self.declarations.iter().map(|it| self.declaration(it))
    }

    fn declaration(&self, declaration: &Declaration) -> (&str, &str) {
        let prefix = self.vocabulary.string(declaration.prefix);
        (prefix, self.vocabulary.namespace_name(declaration.namespace))
    }

    /// The namespace of a prefix in this place; the empty prefix is that of the default namespace.
    pub fn resolve(&self, prefix: &str) -> Option<Namespace> {
        let mut declarations = self.declarations.iter().rev();
        let found = declarations.find(|it| self.vocabulary.string(it.prefix) == prefix);
        match (found, prefix) {
            (Some(declaration), "") => Some(declaration.namespace),
            (Some(declaration), _) => {
                Some(declaration.namespace).filter(|it| *it != Namespace::NONE)
            }
            (None, "") => Some(Namespace::NONE),
            (None, _) => (prefix == XML).then_some(Namespace(1)),
        }
    }

    /// The number of a name: that of every name that means the same, for as long as [`numbering`](Self::numbering)
    /// is the same.
    #[inline]
    pub fn number(&self, name: Name) -> u32 {
        name.same
    }

    /// For which documents, and parser, numbers hold.
    #[inline]
    pub fn numbering(&self) -> u64 {
        self.vocabulary.numbering()
    }

    /// The namespace of a name.
    #[inline]
    pub fn namespace(&self, name: Name) -> Namespace {
        self.vocabulary.name(name).namespace
    }

    /// The prefix of a name; empty if it has none.
    #[inline]
    pub fn prefix(&self, name: Name) -> &str {
        self.vocabulary.string(self.vocabulary.name(name).prefix)
    }

    /// The name in its namespace.
    #[inline]
    pub fn local(&self, name: Name) -> &str {
        self.vocabulary.string(self.vocabulary.name(name).local)
    }

    /// The name of a namespace; empty if it is none.
    #[inline]
    pub fn namespace_name(&self, namespace: Namespace) -> &str {
        self.vocabulary.namespace_name(namespace)
    }
}
