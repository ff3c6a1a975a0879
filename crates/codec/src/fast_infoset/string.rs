//! Strings: literal in one of four forms, or by index (X.891 clause 7.14 to 7.17, annex C.13 to C.20).

use std::borrow::Cow;

use trunkline_message::Result;

use super::algorithm::Algorithm;
use super::input::Input;
use super::parser::{Namespace, Parser};
use super::vocabulary::{Span, Table};
use super::{alphabet, characters, exceeded, syntax};

/// A text, the value of an attribute, or another string of the document. It means the same until the
/// document ends.
///
/// Whole words, since what is written in parts and read as a whole soon after makes the processor wait.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The number of a place.
    place: u64,
    /// Where it starts, and behind 32 bits its length.
    span: u64,
}

/// Where a string is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Vocabulary,
    /// In the document, in UTF-8.
    Input,
    /// In the memory for those of other forms.
    Decoded,
    /// In the document, as what stands for it in this algorithm.
    Algorithm(Algorithm),
}

impl Place {
    /// Those before algorithms.
    const FIRST: [Self; 3] = [Self::Vocabulary, Self::Input, Self::Decoded];

    #[inline(always)]
    fn number(self) -> u64 {
        match self {
            Self::Vocabulary => 0,
            Self::Input => 1,
            Self::Decoded => 2,
            Self::Algorithm(algorithm) => 3 + u64::from(algorithm.number()),
        }
    }

    #[inline(always)]
    fn of(number: u64) -> Self {
        match Self::FIRST.get(number as usize) {
            Some(place) => *place,
            None => Self::Algorithm(Algorithm::ALL[number as usize - 3]),
        }
    }
}

impl Text {
    const EMPTY: Self = Self { place: 0, span: 0 };

    #[inline]
    pub(super) fn of(span: Span) -> Self {
        Self::at(Place::Vocabulary, span.start as usize, span.length as usize)
    }

    /// What stands in the document, from here to there.
    #[inline]
    pub(super) fn of_input(start: usize, end: usize) -> Self {
        Self::at(Place::Input, start, end - start)
    }

    /// Places are numbers of 32 bits.
    #[inline(always)]
    fn at(place: Place, start: usize, length: usize) -> Self {
        Self { place: place.number(), span: start as u64 | (length as u64) << 32 }
    }

    /// Where it starts, and its length.
    #[inline(always)]
    fn span(self) -> (usize, usize) {
        (self.span as u32 as usize, (self.span >> 32) as usize)
    }
}

/// The form of a literal string, by what stands in its first octet.
#[derive(Clone, Copy, Debug)]
enum Form {
    Utf8,
    Utf16,
    /// By the number of the alphabet.
    Alphabet(usize),
    /// By the number of the algorithm.
    Algorithm(usize),
}

impl Parser {
    /// A string that always becomes an entry of its table.
    pub(super) fn identifying(&mut self, input: &mut Input<'_>, table: Table) -> Result<Span> {
        let octet = input.octet("a string")?;
        self.identifying_from(input, octet, table)
    }

    fn identifying_from(&mut self, input: &mut Input<'_>, octet: u8, table: Table) -> Result<Span> {
        let at = input.at - 1;
        if octet & 0x80 != 0 {
            let index = input.index_2(octet)?;
            return self.vocabulary.get(table, index, at);
        }
        let length = input.length_2(octet)?;
        let start = input.at;
        let text = characters::utf8(input.take(length, "a string")?, start)?;
        let is_name = matches!(table, Table::Prefixes | Table::LocalNames | Table::OtherNames);
        if is_name && !characters::is_name(text) {
            let shown = super::algorithm::characters_of(text);
            return Err(syntax(format!("{shown:?} is no name"), start));
        }
        self.vocabulary.add(table, text, &self.vocabulary_limits, at)
    }

    /// The name of a namespace.
    pub(super) fn namespace_name_of(&mut self, input: &mut Input<'_>) -> Result<Namespace> {
        let (octet, at) = (input.octet("the name of a namespace")?, input.at - 1);
        if octet & 0x80 != 0 {
            let index = input.index_2(octet)?;
            return self.vocabulary.namespace(index, at);
        }
        let length = input.length_2(octet)?;
        let start = input.at;
        let text = characters::utf8(input.take(length, "the name of a namespace")?, start)?;
        self.vocabulary.add_namespace(text, &self.vocabulary_limits, at)
    }

    /// A string that may become an entry of its table.
    #[inline]
    pub(super) fn value(&mut self, input: &mut Input<'_>, table: Table) -> Result<Text> {
        let octet = input.octet("a value")?;
        if octet == 0xff {
            return Ok(Text::EMPTY);
        }
        if octet & 0x80 != 0 {
            let at = input.at - 1;
            let index = input.index_2(octet)?;
            return self.indexed(table, index, at);
        }
        let mut number = || -> Result<(usize, usize)> {
            let next = input.octet("the form of a string")?;
            Ok((usize::from(octet & 0x0f) << 4 | usize::from(next >> 4), input.length_5(next)?))
        };
        let (form, length) = match octet & 0x30 {
            0x00 => (Form::Utf8, input.length_5(octet)?),
            0x10 => (Form::Utf16, input.length_5(octet)?),
            0x20 => number().map(|(number, length)| (Form::Alphabet(number), length))?,
            _ => number().map(|(number, length)| (Form::Algorithm(number), length))?,
        };
        self.literal(input, (form, length), table, octet & 0x40 != 0)
    }

    /// A piece of the text of an element, which begins with this octet.
    #[inline]
    pub(super) fn chunk(&mut self, input: &mut Input<'_>, octet: u8) -> Result<Text> {
        if octet & 0x20 != 0 {
            let at = input.at - 1;
            let index = input.index_4(octet)?;
            return self.indexed(Table::Chunks, index, at);
        }
        let mut number = || -> Result<(usize, usize)> {
            let next = input.octet("the form of a text")?;
            Ok((usize::from(octet & 3) << 6 | usize::from(next >> 2), input.length_7(next)?))
        };
        let (form, length) = match octet & 0x0c {
            0x00 => (Form::Utf8, input.length_7(octet)?),
            0x04 => (Form::Utf16, input.length_7(octet)?),
            0x08 => number().map(|(number, length)| (Form::Alphabet(number), length))?,
            _ => number().map(|(number, length)| (Form::Algorithm(number), length))?,
        };
        self.literal(input, (form, length), Table::Chunks, octet & 0x10 != 0)
    }

    /// The entry of a table of values.
    #[inline]
    fn indexed(&mut self, table: Table, index: usize, at: usize) -> Result<Text> {
        self.counters.indexes += 1;
        let span = self.vocabulary.get(table, index, at)?;
        self.expand(span.length as usize, at)?;
        Ok(Text::of(span))
    }

    #[inline]
    fn literal(
        &mut self,
        input: &mut Input<'_>,
        (form, length): (Form, usize),
        table: Table,
        is_added: bool,
    ) -> Result<Text> {
        let start = input.at;
        let bytes = input.take(length, "a string")?;
        self.counters.literals += 1;
        match form {
            Form::Utf8 if is_added => {
                let text = characters::utf8(bytes, start)?;
                Ok(Text::of(self.vocabulary.add(table, text, &self.vocabulary_limits, start)?))
            }
            Form::Utf8 => {
                characters::check_utf8(bytes, start)?;
                Ok(Text::at(Place::Input, start, length))
            }
            _ => self.decoded(bytes, start, form, table, is_added),
        }
    }

    /// A literal that is not in UTF-8.
    #[inline(never)]
    fn decoded(
        &mut self,
        bytes: &[u8],
        at: usize,
        form: Form,
        table: Table,
        is_added: bool,
    ) -> Result<Text> {
        let range = match form {
            Form::Utf8 | Form::Utf16 => characters::append_utf16(bytes, at, &mut self.decoded)?,
            Form::Alphabet(number) => {
                let alphabets = &self.vocabulary.alphabets;
                alphabet::append(alphabets, number, (bytes, at), &mut self.decoded)?
            }
            Form::Algorithm(number) => {
                let algorithm = Algorithm::of(number, &self.vocabulary.algorithms, at)?;
                if algorithm == Algorithm::CData && table != Table::Chunks {
                    return Err(syntax("a CDATA section stands only in an element", at));
                }
                algorithm.check(bytes, at)?;
                if algorithm == Algorithm::Boolean {
                    self.expand(bytes.len() * 8 * "false ".len(), at)?;
                }
                if !is_added {
                    return Ok(Text::at(Place::Algorithm(algorithm), at, bytes.len()));
                }
                let start = self.decoded.len();
                algorithm.append(bytes, &mut self.decoded);
                start..self.decoded.len()
            }
        };
        let limit = self.limits.message_bytes;
        if range.end > limit {
            return Err(exceeded("message_bytes", limit, at));
        }
        if !is_added {
            return Ok(Text::at(Place::Decoded, range.start, range.len()));
        }
        let text = &self.decoded[range.clone()];
        let span = self.vocabulary.add(table, text, &self.vocabulary_limits, at)?;
        self.decoded.truncate(range.start);
        Ok(Text::of(span))
    }

    /// A string of the document that these bytes are.
    #[inline]
    pub fn text<'a>(&'a self, bytes: &'a [u8], text: Text) -> Cow<'a, str> {
        let (start, length) = text.span();
        match Place::of(text.place) {
            Place::Vocabulary => {
                let span = Span { start: start as u32, length: length as u32 };
                Cow::Borrowed(self.vocabulary.string(span))
            }
            // It was checked.
            Place::Input => {
                Cow::Borrowed(std::str::from_utf8(octets(bytes, text)).unwrap_or_default())
            }
            Place::Decoded => Cow::Borrowed(&self.decoded[start..start + length]),
            Place::Algorithm(algorithm) => {
                let mut out = String::new();
                algorithm.append(octets(bytes, text), &mut out);
                Cow::Owned(out)
            }
        }
    }

    /// The octets among which a string of the document stands as it is in UTF-8, and from where to where.
    #[inline]
    pub(super) fn source<'a>(
        &'a self,
        bytes: &'a [u8],
        text: Text,
    ) -> Option<(&'a [u8], usize, usize)> {
        let source = match Place::of(text.place) {
            Place::Vocabulary => self.vocabulary.octets(),
            Place::Input => bytes,
            Place::Decoded => self.decoded.as_bytes(),
            Place::Algorithm(_) => return None,
        };
        let (start, length) = text.span();
        Some((source, start, start + length))
    }

    /// The octets of a string that stand for it in an algorithm.
    #[inline]
    pub(super) fn encoded<'a>(&self, bytes: &'a [u8], text: Text) -> Option<(Algorithm, &'a [u8])> {
        match Place::of(text.place) {
            Place::Algorithm(algorithm) => Some((algorithm, octets(bytes, text))),
            _ => None,
        }
    }
}

#[inline]
fn octets(bytes: &[u8], text: Text) -> &[u8] {
    let (start, length) = text.span();
    bytes.get(start..start + length).unwrap_or_default()
}
