//! What stands before the content of a document: its header, what it tells of itself, the vocabulary that it begins
//! with, and the document type (X.891 clauses 7.2 and 12, annex C.2).

use trunkline_message::{Error, ErrorKind, Result};

use super::alphabet::Alphabet;
use super::input::Input;
use super::parser::{Event, Namespace, Parser, State};
use super::string::Text;
use super::vocabulary::{QualifiedName, Span, Table};
use super::{END, HEADER, LONGEST_TABLE, characters, exceeded, syntax};

/// The parts that may stand behind the header, by their bits.
mod part {
    pub(super) const RESERVED: u8 = 0x80;
    pub(super) const ADDITIONAL_DATA: u8 = 0x40;
    pub(super) const VOCABULARY: u8 = 0x20;
    pub(super) const NOTATIONS: u8 = 0x10;
    pub(super) const UNPARSED_ENTITIES: u8 = 0x08;
    pub(super) const CHARACTER_ENCODING: u8 = 0x04;
    pub(super) const STANDALONE: u8 = 0x02;
    pub(super) const VERSION: u8 = 0x01;
}

impl Parser {
    /// Reads up to the first child of the document.
    pub(super) fn prologue(&mut self, input: &mut Input<'_>) -> Result<()> {
        declaration(input)?;
        let at = input.at;
        if !input.bytes[at..].starts_with(&HEADER) {
            let expected = "a Fast Infoset document of version 1".into();
            return Err(Error::new(ErrorKind::Expected(expected), at));
        }
        input.at += HEADER.len();
        let parts = input.octet("the parts of the document")?;
        if parts == 0 {
            return Ok(());
        }
        if parts & part::RESERVED != 0 {
            return Err(input.unknown(parts, "the parts of the document"));
        }
        let has = |bit| parts & bit != 0;
        if has(part::ADDITIONAL_DATA) {
            for _ in 0..input.count()? {
                let start = input.at + 1;
                characters::utf8(input.string("the URI of additional data")?, start)?;
                input.string("additional data")?;
            }
        }
        if has(part::VOCABULARY) {
            self.initial_vocabulary(input)?;
        }
        if !self.options.document_types && has(part::NOTATIONS | part::UNPARSED_ENTITIES) {
            return Err(syntax("document types are rejected, SOAP has none", input.at));
        }
        if has(part::NOTATIONS) {
            self.declared_items(input, 0xc0..0xc4)?;
        }
        if has(part::UNPARSED_ENTITIES) {
            self.declared_items(input, 0xd0..0xd2)?;
        }
        if has(part::CHARACTER_ENCODING) {
            let start = input.at + 1;
            characters::utf8(input.string("a character encoding")?, start)?;
        }
        if has(part::STANDALONE) {
            let octet = input.octet("whether the document is standalone")?;
            if octet > 1 {
                return Err(input.unknown(octet, "whether the document is standalone"));
            }
        }
        if has(part::VERSION) {
            self.value(input, Table::OtherStrings)?;
        }
        Ok(())
    }

    /// Reads notations, or unparsed entities, which nothing refers to that is read here.
    fn declared_items(&mut self, input: &mut Input<'_>, octets: std::ops::Range<u8>) -> Result<()> {
        let is_entity = octets.start == 0xd0;
        loop {
            let octet = input.octet("a notation or an unparsed entity")?;
            if octet == END {
                return Ok(());
            }
            if !octets.contains(&octet) {
                return Err(input.unknown(octet, "a notation or an unparsed entity"));
            }
            self.identifying(input, Table::OtherNames)?;
            if is_entity || octet & 2 != 0 {
                self.identifying(input, Table::OtherUris)?;
            }
            if octet & 1 != 0 {
                self.identifying(input, Table::OtherUris)?;
            }
            if is_entity {
                self.identifying(input, Table::OtherNames)?;
            }
        }
    }

    fn initial_vocabulary(&mut self, input: &mut Input<'_>) -> Result<()> {
        let octets = [input.octet("a vocabulary")?, input.octet("a vocabulary")?];
        let parts = u16::from_be_bytes(octets);
        if parts & 0xe000 != 0 {
            return Err(input.unknown(octets[0], "the tables of a vocabulary"));
        }
        if parts & 0x1000 != 0 {
            self.external_vocabulary(input)?;
        }
        if parts & 0x0800 != 0 {
            for _ in 0..input.count()? {
                let start = input.at + 1;
                let characters = characters::utf8(input.string("a restricted alphabet")?, start)?;
                self.count_definition(input.at)?;
                self.vocabulary.alphabets.push(Alphabet::new(characters, start)?);
            }
        }
        if parts & 0x0400 != 0 {
            for _ in 0..input.count()? {
                let start = input.at + 1;
                let name = characters::utf8(input.string("an encoding algorithm")?, start)?;
                self.count_definition(input.at)?;
                self.vocabulary.algorithms.push(name.into());
            }
        }
        let bits = (0..).map(|at| 0x0200_u16 >> at);
        for (bit, table) in bits.zip(Table::ALL).filter(|(bit, _)| parts & bit != 0) {
            for _ in 0..input.count()? {
                self.initial_entry(input, table, bit)?;
            }
        }
        if parts & 0x0002 != 0 {
            for _ in 0..input.count()? {
                let name = self.name_of_indexes(input)?;
                self.vocabulary.elements.push(name);
            }
        }
        if parts & 0x0001 != 0 {
            for _ in 0..input.count()? {
                let name = self.name_of_indexes(input)?;
                self.vocabulary.attributes.push(name);
            }
        }
        let names = self.vocabulary.elements.len().max(self.vocabulary.attributes.len());
        match names > LONGEST_TABLE {
            true => Err(exceeded("vocabulary entries", LONGEST_TABLE, input.at)),
            false => Ok(()),
        }
    }

    /// Room for one more alphabet or algorithm? Their numbers have eight bits.
    fn count_definition(&self, at: usize) -> Result<()> {
        match self.vocabulary.alphabets.len().max(self.vocabulary.algorithms.len()) >= 256 {
            true => Err(exceeded("restricted alphabets and encoding algorithms", 256, at)),
            false => Ok(()),
        }
    }

    fn initial_entry(&mut self, input: &mut Input<'_>, table: Table, bit: u16) -> Result<()> {
        if bit <= 0x0010 {
            let (before, start) = (self.vocabulary.size().entries, input.at);
            let text = self.value(input, table)?;
            // It may have been said to be added, or to be one that is.
            if self.vocabulary.size().entries == before {
                let text = self.text(input.bytes, text).into_owned();
                self.vocabulary.add(table, &text, &self.vocabulary_limits, start)?;
            }
            return Ok(());
        }
        let (start, at) = (input.at + 1, input.at);
        let text = characters::utf8(input.string("an entry of a vocabulary")?, start)?;
        let is_name = matches!(table, Table::Prefixes | Table::LocalNames | Table::OtherNames);
        if is_name && !characters::is_name(text) {
            return Err(syntax("an entry of a vocabulary is no name", start));
        }
        match table {
            Table::Namespaces => {
                self.vocabulary.add_namespace(text, &self.vocabulary_limits, at)?;
            }
            _ => _ = self.vocabulary.add(table, text, &self.vocabulary_limits, at)?,
        }
        Ok(())
    }

    fn external_vocabulary(&mut self, input: &mut Input<'_>) -> Result<()> {
        let start = input.at + 1;
        let uri = characters::utf8(input.string("the URI of a vocabulary")?, start)?;
        let Some((_, external)) = self.externals.iter().find(|(known, _)| **known == *uri) else {
            let shown = super::algorithm::characters_of(uri);
            let what = format!("the external vocabulary {shown:?}");
            return Err(Error::new(ErrorKind::Unsupported(what.into()), start));
        };
        // Its indexes count from the beginning of the tables.
        if !self.vocabulary.is_empty() {
            return Err(syntax("an external vocabulary behind other entries", start));
        }
        external.load(&mut self.vocabulary, &self.vocabulary_limits, start)
    }

    /// A name whose parts are indexes.
    fn name_of_indexes(&mut self, input: &mut Input<'_>) -> Result<super::Name> {
        let octet = input.octet("a name")?;
        let at = input.at - 1;
        if octet > 3 || octet == 2 {
            return Err(input.unknown(octet, "a name with or without prefix and namespace"));
        }
        let prefix = match octet & 2 {
            0 => Span::default(),
            _ => {
                let index = index(input)?;
                self.vocabulary.get(Table::Prefixes, index, at)?
            }
        };
        let namespace = match octet & 1 {
            0 => Namespace::NONE,
            _ => {
                let index = index(input)?;
                self.vocabulary.namespace(index, at)?
            }
        };
        let local = index(input)?;
        let local = self.vocabulary.get(Table::LocalNames, local, at)?;
        let name = QualifiedName { prefix, namespace, local };
        self.vocabulary.add_name(name, &self.vocabulary_limits, at)
    }

    /// The document type, which begins with this octet.
    pub(super) fn document_type(&mut self, input: &mut Input<'_>, octet: u8) -> Result<Event> {
        if !self.options.document_types {
            return Err(syntax("document types are rejected, SOAP has none", input.at - 1));
        }
        self.state = State::DocumentType;
        let (system, public) = self.identifiers(input, octet)?;
        Ok(Event::DocumentType { system, public })
    }

    /// A reference to an entity that was not expanded, which begins with this octet.
    pub(super) fn entity_reference(&mut self, input: &mut Input<'_>, octet: u8) -> Result<Event> {
        if !self.options.document_types {
            let what = "references to entities are rejected, SOAP has none";
            return Err(syntax(what, input.at - 1));
        }
        let name = Text::of(self.identifying(input, Table::OtherNames)?);
        let (system, public) = self.identifiers(input, octet)?;
        Ok(Event::EntityReference { name, system, public })
    }

    fn identifiers(
        &mut self,
        input: &mut Input<'_>,
        octet: u8,
    ) -> Result<(Option<Text>, Option<Text>)> {
        let mut identifier = |bit| match octet & bit {
            0 => Ok(None),
            _ => self.identifying(input, Table::OtherUris).map(|it| Some(Text::of(it))),
        };
        Ok((identifier(2)?, identifier(1)?))
    }
}

/// An index in an initial vocabulary, whose first bit is 0.
fn index(input: &mut Input<'_>) -> Result<usize> {
    let octet = input.octet("an index")?;
    match octet & 0x80 {
        0 => input.index_2(octet),
        _ => Err(input.unknown(octet, "an index")),
    }
}

/// Passes over the XML declaration that says what a document is to those who expect XML (X.891 section 12.3).
fn declaration(input: &mut Input<'_>) -> Result<()> {
    if !input.bytes.starts_with(b"<?xml") {
        return Ok(());
    }
    for version in ["", " version='1.0'", " version='1.1'"] {
        for standalone in ["", " standalone='yes'", " standalone='no'"] {
            let whole = format!("<?xml{version} encoding='finf'{standalone}?>");
            if input.bytes.starts_with(whole.as_bytes()) {
                input.at = whole.len();
                return Ok(());
            }
        }
    }
    let expected = "an XML declaration with encoding='finf', or none".into();
    Err(Error::new(ErrorKind::Expected(expected), 0))
}
