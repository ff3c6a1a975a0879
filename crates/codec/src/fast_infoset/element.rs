//! Elements with their declarations and attributes (X.891 clause 7.3 to 7.5, 7.12, annex C.3, C.4, C.12).

use trunkline_message::Result;

use super::input::Input;
use super::parser::{Attribute, Declaration, Event, Name, Namespace, Open, Parser};
use super::vocabulary::{QualifiedName, Span, Table, XML, unknown};
use super::{END, LONGEST_TABLE, TWO_ENDS, exceeded, syntax};

/// Up to this many attributes are compared each with each.
const COMPARED: usize = 16;

const XMLNS: &str = "xmlns";
const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";

impl Parser {
    /// Reads the start of an element, which begins with this octet.
    #[inline]
    pub(super) fn element(&mut self, input: &mut Input<'_>, octet: u8) -> Result<Event> {
        let at = input.at - 1;
        if self.open.len() >= self.limits.depth {
            return Err(exceeded("depth", self.limits.depth, at));
        }
        let declarations = self.declarations.len() as u32;
        let mut first = octet & 0x3f;
        if first == 0x38 {
            self.read_declarations(input)?;
            first = input.octet("the name of an element")?;
            if first & 0xc0 != 0 {
                return Err(input.unknown(first, "the name of an element"));
            }
        }
        let name = match first {
            0x3c..0x40 => {
                let name = self.literal_name(input, first)?;
                if self.vocabulary.elements.len() < LONGEST_TABLE {
                    self.vocabulary.elements.push(name);
                }
                name
            }
            _ => {
                let index = input.index_3(first)?;
                let names = &self.vocabulary.elements;
                let found = names.get(index).copied();
                found.ok_or_else(|| unknown("element names", index, names.len(), at))?
            }
        };
        self.attributes.clear();
        if octet & 0x40 != 0 {
            self.read_attributes(input)?;
        }
        self.open.push(Open { name, declarations });
        Ok(Event::Start(name))
    }

    /// A name that is none of its table yet.
    #[inline(never)]
    fn literal_name(&mut self, input: &mut Input<'_>, octet: u8) -> Result<Name> {
        let at = input.at - 1;
        let prefix = match octet & 2 {
            0 => Span::default(),
            _ => self.identifying(input, Table::Prefixes)?,
        };
        let namespace = match octet & 1 {
            0 if octet & 2 != 0 => {
                return Err(syntax("a name has a prefix, but no namespace", at));
            }
            0 => Namespace::NONE,
            _ => self.namespace_name_of(input)?,
        };
        self.check_binding(prefix, namespace, at)?;
        let local = self.identifying(input, Table::LocalNames)?;
        let name = QualifiedName { prefix, namespace, local };
        self.vocabulary.add_name(name, &self.vocabulary_limits, at)
    }

    #[inline(never)]
    fn read_declarations(&mut self, input: &mut Input<'_>) -> Result<()> {
        let outside = self.declarations.len();
        loop {
            let octet = input.octet("a declaration of a namespace")?;
            let at = input.at - 1;
            match octet {
                END => return Ok(()),
                0xcc..0xd0 => {}
                _ => return Err(input.unknown(octet, "a declaration of a namespace")),
            }
            if self.declarations.len() - outside >= self.limits.attributes {
                return Err(exceeded("attributes", self.limits.attributes, at));
            }
            let prefix = match octet & 2 {
                0 => Span::default(),
                _ => self.identifying(input, Table::Prefixes)?,
            };
            let namespace = match octet & 1 {
                0 => Namespace::NONE,
                _ => self.namespace_name_of(input)?,
            };
            self.check_binding(prefix, namespace, at)?;
            let text = self.vocabulary.string(prefix);
            let mut declared = self.declarations[outside..].iter();
            if declared.any(|it| self.vocabulary.string(it.prefix) == text) {
                return Err(syntax("a prefix is declared twice", at));
            }
            self.declarations.push(Declaration { prefix, namespace });
        }
    }

    /// Two prefixes and their namespaces belong together (Namespaces in XML section 3).
    pub(super) fn check_binding(
        &self,
        prefix: Span,
        namespace: Namespace,
        at: usize,
    ) -> Result<()> {
        let prefix = self.vocabulary.string(prefix);
        let is_xml = namespace == Namespace(1);
        let name = self.vocabulary.namespace_name(namespace);
        match (prefix == XML) != is_xml || prefix == XMLNS || name == XMLNS_NAMESPACE {
            true => Err(syntax("a reserved prefix or namespace", at)),
            false => Ok(()),
        }
    }

    #[inline(never)]
    fn read_attributes(&mut self, input: &mut Input<'_>) -> Result<()> {
        loop {
            let octet = input.octet("an attribute, or the end of the attributes")?;
            let at = input.at - 1;
            let name = match octet {
                0..0x40 => self.attribute_name(usize::from(octet), at)?,
                // As an index from the second bit on.
                0x40..0x70 => {
                    let index = input.index_2(octet)?;
                    self.attribute_name(index, at)?
                }
                0x78..0x7c => {
                    let name = self.literal_name(input, octet)?;
                    if self.vocabulary.attributes.len() < LONGEST_TABLE {
                        self.vocabulary.attributes.push(name);
                    }
                    name
                }
                END => break,
                TWO_ENDS => {
                    self.note_end();
                    break;
                }
                _ => return Err(input.unknown(octet, "an attribute, or the end of the attributes")),
            };
            if self.attributes.len() >= self.limits.attributes {
                return Err(exceeded("attributes", self.limits.attributes, at));
            }
            let value = self.value(input, Table::AttributeValues)?;
            self.attributes.push(Attribute { name, value, place: at });
        }
        self.check_unique()
    }

    #[inline]
    fn attribute_name(&self, index: usize, at: usize) -> Result<Name> {
        let names = &self.vocabulary.attributes;
        let found = names.get(index).copied();
        found.ok_or_else(|| unknown("attribute names", index, names.len(), at))
    }

    /// Has the element no attribute twice?
    #[inline]
    fn check_unique(&mut self) -> Result<()> {
        let attributes = &self.attributes;
        let twice = if attributes.len() <= COMPARED {
            let mut all = attributes.iter().enumerate();
            all.any(|(at, it)| attributes[..at].iter().any(|other| other.name == it.name))
        } else {
            self.sorted.clear();
            self.sorted.extend(attributes.iter().map(|it| it.name.same));
            self.sorted.sort_unstable();
            self.sorted.windows(2).any(|pair| pair[0] == pair[1])
        };
        match (twice, attributes.last()) {
            (true, Some(last)) => {
                Err(syntax("an attribute stands twice in an element", last.place))
            }
            _ => Ok(()),
        }
    }
}
