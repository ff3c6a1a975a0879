//! The content of documents, independent of their bytes: elements, attributes and texts, with names in
//! namespaces (XML Information Set). SOAP is written against these traits, so that it can be carried by other
//! forms than XML.
//!
//! Names and texts are handed out as small values that borrow nothing; the reader turns them into
//! strings where somebody asks for one. So a form that numbers its names is never made to spell them.
//!
//! A text may be a number to the form that holds it. Who reads a typed message asks for the type that the
//! field has ([`Tag::integer`]), and parses the text where the form does not answer; who writes one hands
//! the number on ([`Writer::integer`]), and a form without such a type puts the text.

use std::borrow::Cow;
use std::hash::Hash;

use trunkline_message::Result;
use trunkline_wire::{Date, Decimal, Float, Integer, Time, Timestamp, ValueError};
use trunkline_wire::{base64, write_float};

/// A value that a form holds as such; one of another type than is asked for may not fit.
pub type Parsed<T> = std::result::Result<T, ValueError>;

/// One piece of a document. Comments and processing instructions are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<N, T> {
    /// An element begins; [`Tag`] has its attributes until the next one begins.
    Start(N),
    /// The innermost open element ends.
    End,
    /// Text. That of one element may come in several pieces.
    Text(T),
    /// The end of the document, also at every further call.
    Eof,
}

/// How an element is read whose name is known by its number, see [`Reader::next_known`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected<T> {
    /// Whole: it holds one text and nothing else.
    Text(T),
    /// Its start.
    Start(T),
}

/// What [`Reader::next_known`] has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known<T, N, X> {
    /// A whole element, and its text, where [`Reader::began`] is.
    Text(T, X),
    /// The start of an element, and its name.
    Start(T, N),
    /// The end of the innermost open element.
    End,
}

/// What [`Reader::pass`] has passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed<N> {
    /// The name of the outermost element.
    pub first: N,
    /// The name of the innermost open element, which is the last that began.
    pub last: N,
    /// How many elements began.
    pub began: usize,
}

/// Are two names, prefixes or namespaces the same? Empty ones, which are frequent, are not compared by
/// `memcmp`: they may have the address of no memory, from where a load behind a mask, however empty,
/// takes AVX-512 processors hundreds of cycles.
#[inline]
pub fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || one == other)
}

/// The element that was begun last, and what names mean where the reader stands. Names, namespaces
/// and texts mean the same until the document ends.
pub trait Tag {
    /// The name of an element or attribute. Two are equal if they are the same name in the same
    /// namespace, whatever their prefixes.
    type Name: Copy + Eq + Hash;
    /// A namespace. Two are equal if their names are.
    type Namespace: Copy + Eq + Hash;
    /// A text, or the value of an attribute.
    type Text: Copy;

    /// How many attributes the element has, without declarations of namespaces.
    fn attributes(&self) -> usize;

    /// One of them.
    ///
    /// # Panics
    /// If there are not so many.
    fn attribute(&self, index: usize) -> (Self::Name, Self::Text);

    /// The namespace of a name.
    fn namespace(&self, name: Self::Name) -> Self::Namespace;

    /// The prefix of a name as it was read last; empty if it has none.
    fn prefix(&self, name: Self::Name) -> &str;

    /// The name in its namespace.
    fn local(&self, name: Self::Name) -> &str;

    /// The name of a namespace; empty if it is none.
    fn namespace_name(&self, namespace: Self::Namespace) -> &str;

    /// The namespace of a prefix in this place; the empty prefix is that of the default namespace.
    fn resolve(&self, prefix: &str) -> Option<Self::Namespace>;

    /// A text as a string.
    fn value(&self, text: Self::Text) -> Cow<'_, str>;

    /// Is a text white space that means nothing between elements?
    fn is_white(&self, text: Self::Text) -> bool;

    /// Appends a text to a string.
    fn append(&self, text: Self::Text, out: &mut String) {
        out.push_str(&self.value(text));
    }

    // Values. A form that holds a text as a value of the type asked for answers it; where it does not, the
    // text is parsed.

    /// A text as a truth value.
    fn boolean(&self, _: Self::Text) -> Option<bool> {
        None
    }

    /// A text as a whole number.
    fn integer<I: Integer>(&self, _: Self::Text) -> Option<Parsed<I>> {
        None
    }

    /// A text as a decimal number.
    fn decimal(&self, _: Self::Text) -> Option<Parsed<Decimal>> {
        None
    }

    /// A text as a number of floating point.
    fn float<F: Float>(&self, _: Self::Text) -> Option<F> {
        None
    }

    /// A text as a day.
    fn date(&self, _: Self::Text) -> Option<Date> {
        None
    }

    /// A text as a time of day, with the zone that it came with.
    fn time(&self, _: Self::Text) -> Option<Time> {
        None
    }

    /// A text as a moment, with the zone that it came with.
    fn timestamp(&self, _: Self::Text) -> Option<Timestamp> {
        None
    }

    /// Appends the bytes of a text that holds bytes; answers whether it does.
    fn bytes(&self, _: Self::Text, _into: &mut Vec<u8>) -> bool {
        false
    }

    /// Appends the numbers of a text that holds several.
    fn integers<I: Integer>(&self, _: Self::Text, _into: &mut Vec<I>) -> Option<Parsed<()>> {
        None
    }

    /// The same of floating point; answers whether it holds such.
    fn floats<F: Float>(&self, _: Self::Text, _into: &mut Vec<F>) -> bool {
        false
    }

    /// The name of a name's namespace; empty if it is in none.
    fn namespace_of(&self, name: Self::Name) -> &str {
        self.namespace_name(self.namespace(name))
    }

    /// The number of a name, if the form numbers its names: that of all which are equal, in this document and in
    /// others, for as long as [`numbering`](Self::numbering) answers the same.
    fn number(&self, _: Self::Name) -> Option<u32> {
        None
    }

    /// For which documents numbers of names hold.
    fn numbering(&self) -> u64 {
        0
    }

    /// Bytes in which a text stands as it is in UTF-8, and from where to where, if the form holds it so.
    fn source(&self, _: Self::Text) -> Option<(&[u8], usize, usize)> {
        None
    }

    /// Whether it is this name in this namespace.
    fn is(&self, name: Self::Name, namespace: &str, local: &str) -> bool {
        self.local(name) == local && same(self.namespace_of(name), namespace)
    }

    /// The name with its prefix, for errors.
    fn qualified(&self, name: Self::Name) -> String {
        match self.prefix(name) {
            "" => self.local(name).into(),
            prefix => format!("{prefix}:{}", self.local(name)),
        }
    }

    /// The attribute of this name.
    fn find_attribute(&self, namespace: &str, local: &str) -> Option<Self::Text> {
        let mut attributes = (0..self.attributes()).map(|index| self.attribute(index));
        attributes.find(|(name, _)| self.is(*name, namespace, local)).map(|(_, value)| value)
    }
}

/// A document that is read piece by piece.
pub trait Reader: Tag {
    /// Reads the next piece.
    ///
    /// # Errors
    /// The document breaks the rules of its form, or is larger than the reader's limits.
    fn next(&mut self) -> Result<Event<Self::Name, Self::Text>>;

    /// Reads what comes next at once, if it is an element without attributes and declarations whose name `known`
    /// knows by its number and which is as it says, or, if `ends` are wanted, the end of an element. Reads nothing if
    /// it is anything else, or wrong: that is for [`next`](Self::next), which gives the same in pieces.
    fn next_known<T>(
        &mut self,
        _ends: bool,
        _known: impl FnOnce(u32) -> Option<Expected<T>>,
    ) -> Option<Known<T, Self::Name, Self::Text>> {
        None
    }

    /// Goes to where [`remember`](Self::remember) was called for the same `caller` in an earlier document, if this one, of
    /// which nothing was read, begins with the same bytes and they mean the same.
    fn pass(&mut self, _caller: u64) -> Option<Passed<Self::Name>> {
        None
    }

    /// Remembers what was read so far, inside so many elements that `began`, if a document that begins alike can be passed
    /// over to here.
    fn remember(&mut self, _caller: u64, _began: usize) {}

    /// Reads to the end of the document if nothing but the ends of elements is left; reads nothing if not.
    fn end_document(&mut self) -> bool {
        false
    }

    /// Where the piece read last begins, in bytes.
    fn began(&self) -> usize;

    /// Where the next piece begins or what stands before it, in bytes.
    fn position(&self) -> usize;

    /// The number of open elements.
    fn depth(&self) -> usize;

    /// Where one of the attributes of the element begun last stands, in bytes.
    fn attribute_began(&self, _index: usize) -> usize {
        self.began()
    }

    /// Reads on after a `Start` to the end of its element and appends the whole element to `out`, as XML
    /// in UTF-8 that declares all prefixes that it needs, without these of its attributes, which are
    /// in ascending order.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    fn raw(&mut self, left_out: &[usize], out: &mut String) -> Result<()>;

    /// Goes back to the beginning of the document, as if nothing of it had been read.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    fn restart(&mut self) -> Result<()>;

    /// Reads on after a `Start` to the end of its element.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    fn skip(&mut self) -> Result<()> {
        let outside = self.depth().saturating_sub(1);
        while self.depth() > outside {
            self.next()?;
        }
        Ok(())
    }
}

/// The name of an element or attribute that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The prefix; empty if it has none.
    pub prefix: &'a str,
    /// The namespace that the prefix is declared for; empty if it is in none.
    pub namespace: &'a str,
    /// The name in the namespace.
    pub local: &'a str,
}

/// What a writer made of a name, so that it finds it at once when the name comes again.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownName {
    /// The writer for which the number holds.
    pub(crate) writer: u64,
    pub(crate) number: u32,
}

/// What a writer made of the ends and starts of a [step](Writer::step), so that it writes them at once when they come
/// again.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownStep {
    /// The writer for which the octets hold, and for how long.
    pub(crate) writer: u64,
    pub(crate) generation: u64,
    pub(crate) octets: [u8; 16],
    pub(crate) length: u8,
}

impl KnownStep {
    /// Nothing: no writer has made anything of it.
    pub const NONE: Self = Self { writer: 0, generation: 0, octets: [0; 16], length: 0 };
}

/// What a writer made of the starts, declarations and attributes that it was [given](Writer::opening), so that it writes them at once when
/// they come again.
#[derive(Clone, Debug, Default)]
pub struct KnownOpening {
    /// The writer for which the octets hold, and for how long.
    pub(crate) writer: u64,
    pub(crate) generation: u64,
    pub(crate) octets: Vec<u8>,
    /// How many elements begin, and how many values of attributes are indexes, and are none.
    pub(crate) depth: usize,
    pub(crate) values: [u64; 2],
    /// What is declared: texts, and where in them prefixes and namespaces stand; where each element's begin.
    pub(crate) text: String,
    pub(crate) declared: Vec<[u32; 4]>,
    pub(crate) scopes: Vec<[usize; 3]>,
}

/// A document that is written piece by piece. What belongs to an element's start may come in any order
/// before its content.
///
/// Characters that no document may have (XML 1.0 section 2.2) become U+FFFD; the methods that take text
/// answer whether there was none.
pub trait Writer {
    /// Begins an element.
    fn start(&mut self, name: Name<'_>);

    /// As [`start`](Self::start), of a name that comes again and again: `known` was given with it before, or
    /// is the default.
    fn start_known(&mut self, name: Name<'_>, _known: &mut KnownName) {
        self.start(name);
    }

    /// Ends so many elements, and begins others, each inside the one before, as [`end`](Self::end) and
    /// [`start_known`](Self::start_known) do. `whole` was given with these ends and names before, or is the default;
    /// then nothing that belongs to the last start follows.
    fn step<'n>(
        &mut self,
        ends: usize,
        starts: impl ExactSizeIterator<Item = (Name<'n>, &'n mut KnownName)>,
        _whole: Option<&mut KnownStep>,
    ) {
        (0..ends).for_each(|_| self.end());
        starts.for_each(|(name, known)| self.start_known(name, known));
    }

    /// Ends so many elements and begins so many others as in a [step](Self::step) before, if what was made of that holds
    /// here; answers whether it does.
    fn repeat(&mut self, _ends: usize, _starts: usize, _whole: &KnownStep) -> bool {
        false
    }

    /// Writes what `write` does, which begins elements inside each other, with declarations and attributes, and nothing
    /// else. `known` was given with the same before, or is the default.
    fn opening(&mut self, _known: &mut KnownOpening, write: impl FnOnce(&mut Self)) {
        write(self);
    }

    /// Declares a prefix in the element just begun.
    fn declare(&mut self, prefix: &str, namespace: &str) -> bool;

    /// Gives the element just begun an attribute.
    fn attribute(&mut self, name: Name<'_>, value: &str) -> bool;

    /// Puts text into the innermost open element. An empty one adds nothing, but says that the element
    /// may have content: forms that write elements without any shorter write it in full.
    fn text(&mut self, text: &str) -> bool;

    /// Puts a text into the innermost open element, or gives the element just begun the attribute with it.
    fn put(&mut self, attribute: Option<Name<'_>>, text: &str) -> bool {
        match attribute {
            Some(name) => self.attribute(name, text),
            None => self.text(text),
        }
    }

    /// As [`put`](Self::put), of a text that stands at the front of a block, too.
    fn put_block<const N: usize>(
        &mut self,
        attribute: Option<Name<'_>>,
        _block: &[u8; N],
        text: &str,
    ) -> bool {
        self.put(attribute, text)
    }

    /// As [`put`](Self::put), of a text in UTF-8, all of whose characters are XML's.
    fn put_octets(&mut self, attribute: Option<Name<'_>>, text: &[u8]) {
        self.put(attribute, &String::from_utf8_lossy(text));
    }

    // Values, to be put like texts. A form that has no type for one puts the text that XML Schema has for it.

    /// Puts a truth value.
    fn boolean(&mut self, attribute: Option<Name<'_>>, value: bool) {
        self.put(attribute, if value { "true" } else { "false" });
    }

    /// Puts a whole number.
    fn integer<I: Integer>(&mut self, attribute: Option<Name<'_>>, value: I) {
        self.integers(attribute, &[value]);
    }

    /// Puts a decimal number.
    fn decimal(&mut self, attribute: Option<Name<'_>>, value: Decimal) {
        self.put(attribute, &spaced(&[value], |value, window| value.write(window)));
    }

    /// Puts a number of floating point.
    fn float<F: Float>(&mut self, attribute: Option<Name<'_>>, value: F) {
        self.floats(attribute, &[value]);
    }

    /// Puts bytes.
    fn bytes(&mut self, attribute: Option<Name<'_>>, value: &[u8]) {
        let mut text = Vec::new();
        base64::encode_into(value, &mut text);
        self.put(attribute, &String::from_utf8_lossy(&text));
    }

    /// Puts several whole numbers.
    fn integers<I: Integer>(&mut self, attribute: Option<Name<'_>>, values: &[I]) {
        self.put(attribute, &spaced(values, I::write));
    }

    /// Puts several numbers of floating point.
    fn floats<F: Float>(&mut self, attribute: Option<Name<'_>>, values: &[F]) {
        self.put(attribute, &spaced(values, write_float));
    }

    /// Puts whole elements, written as XML, into the innermost open element. They may use the prefixes
    /// that are declared around them.
    fn raw(&mut self, elements: &str);

    /// Ends the innermost open element.
    fn end(&mut self);

    /// How many bytes were written.
    fn position(&self) -> usize;
}

/// Values as one text, with blanks between them.
pub(crate) fn spaced<T: Copy>(values: &[T], write: impl Fn(T, &mut [u8; 40]) -> usize) -> String {
    let mut text = String::new();
    for (index, value) in values.iter().enumerate() {
        let mut window = [0; 40];
        let length = write(*value, &mut window);
        text.push_str(if index > 0 { " " } else { "" });
        text.push_str(&String::from_utf8_lossy(&window[..length]));
    }
    text
}
