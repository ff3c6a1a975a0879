//! Start tags and empty-element tags with their attributes (section 3.1).

use super::attribute::{Place, check_unique};
use super::entity::{self, normalise_attribute};
use super::error::{Error, ErrorKind};
use super::name::{self, Extent};
use super::parser::{Element, Parser, State};
use super::scan::{self, WHITE};
use super::{Event, Name, Namespace};

/// Where the text between two quotes ends, and whether it is its own value.
struct Value {
    end: usize,
    plain: bool,
}

impl Parser {
    /// Reads the tag whose `<` is at `at`.
    #[inline]
    pub(super) fn start_tag<'a>(&mut self, input: &'a str, at: usize) -> Result<Event<'a>, Error> {
        let start = at + 1;
        let extent = name::read(input, start, self.options.namespaces, "an element name after <")?;
        let declarations = self.namespaces.declarations();
        self.attributes.clear();
        let (end, empty) = match input.as_bytes().get(extent.end) {
            Some(b'>') => (extent.end + 1, false),
            _ => self.rest_of_tag(input, extent.end)?,
        };
        let namespace = match extent.local_start {
            0 => self.namespaces.default_namespace(),
            local => self.namespaces.resolve_at(input, start, local as usize - 1)?,
        };
        if self.elements.len() >= self.limits.depth {
            return Err(Error::new(ErrorKind::TooDeep(self.limits.depth), at));
        }
        self.elements.push(Element {
            name_start: start as u32,
            name_length: (extent.end - start) as u32,
            local_start: extent.local_start,
            namespace,
            declarations,
        });
        self.position = end;
        self.state = if empty { State::EmptyElement } else { State::Content };
        let qualified = &input[start..extent.end];
        let name = Name { qualified, local_start: extent.local_start, namespace };
        Ok(Event::Start { name, empty })
    }

    /// Reads what follows the name; answers the position after the tag and whether it was empty.
    #[inline(never)]
    fn rest_of_tag(&mut self, input: &str, from: usize) -> Result<(usize, bool), Error> {
        let bytes = input.as_bytes();
        self.namespaces.enter_tag();
        let mut count = 0;
        let mut at = from;
        let tag_end = loop {
            let word = scan::skip(bytes, at, WHITE);
            match bytes.get(word) {
                Some(b'>') => break (word + 1, false),
                Some(b'/') if bytes.get(word + 1) == Some(&b'>') => break (word + 2, true),
                Some(b'/') if bytes.len() > word + 1 => {
                    return Err(Error::new(ErrorKind::Expected("> after /"), word + 1));
                }
                None | Some(b'/') => {
                    return Err(Error::new(ErrorKind::Unterminated("a start tag"), word));
                }
                Some(_) if word == at => {
                    let expected = ErrorKind::Expected("white space, > or />");
                    return Err(Error::new(expected, word));
                }
                Some(_) => {}
            }
            count += 1;
            if count > self.limits.attributes {
                return Err(Error::new(ErrorKind::TooManyAttributes(self.limits.attributes), word));
            }
            at = self.attribute_or_declaration(input, word)?;
        };
        for place in self.attributes.iter_mut().filter(|place| place.local_start != 0) {
            let length = place.local_start as usize - 1;
            place.namespace =
                self.namespaces.resolve_at(input, place.name_start as usize, length)?;
        }
        check_unique(&self.attributes, &mut self.attribute_index, input)?;
        Ok(tag_end)
    }

    /// Reads one attribute; answers the position after its closing quote.
    fn attribute_or_declaration(&mut self, input: &str, start: usize) -> Result<usize, Error> {
        let bytes = input.as_bytes();
        let namespaces = self.options.namespaces;
        let extent = name::read(input, start, namespaces, "an attribute name, > or />")?;
        let equals = scan::skip(bytes, extent.end, WHITE);
        match bytes.get(equals) {
            Some(b'=') => {}
            Some(_) => {
                let expected = ErrorKind::Expected("= after the name of an attribute");
                return Err(Error::new(expected, equals));
            }
            None => return Err(Error::new(ErrorKind::Unterminated("a start tag"), equals)),
        }
        let value_start = scan::skip(bytes, equals + 1, WHITE) + 1;
        let value = self.value(bytes, value_start)?;
        let place = Place {
            name_start: start as u32,
            name_length: (extent.end - start) as u32,
            local_start: extent.local_start,
            value_start: value_start as u32,
            value_length: (value.end - value_start) as u32,
            namespace: Namespace::NONE,
            plain: value.plain,
        };
        if namespaces && declares(&bytes[start..extent.end], extent) {
            self.declaration(input, place)?;
        } else {
            self.attributes.push(place);
        }
        Ok(value.end + 1)
    }

    /// Reads a value up to its closing quote. `start` is the position after the opening one.
    fn value(&self, bytes: &[u8], start: usize) -> Result<Value, Error> {
        let quote = match bytes.get(start - 1) {
            Some(&quote @ (b'"' | b'\'')) => quote,
            Some(_) => {
                let expected = ErrorKind::Expected("a quoted attribute value after =");
                return Err(Error::new(expected, start - 1));
            }
            None => return Err(Error::new(ErrorKind::Unterminated("a start tag"), start - 1)),
        };
        let mut plain = true;
        let mut end = start;
        loop {
            end = scan::value_end(bytes, end);
            match bytes.get(end) {
                Some(&byte) if byte == quote => break,
                Some(b'"' | b'\'') => end += 1,
                Some(b'\t' | b'\n' | b'\r') => {
                    plain = false;
                    end += 1;
                }
                Some(b'&') => {
                    plain = false;
                    end = entity::reference(bytes, end)?.end;
                }
                Some(b'<') => return Err(Error::new(ErrorKind::LessThanInAttribute, end)),
                Some(&control) => {
                    return Err(Error::new(ErrorKind::ForbiddenCharacter(control.into()), end));
                }
                None => {
                    return Err(Error::new(ErrorKind::Unterminated("an attribute value"), start));
                }
            }
        }
        if end - start > self.limits.value_bytes {
            return Err(Error::new(ErrorKind::ValueTooLong(self.limits.value_bytes), start));
        }
        Ok(Value { end, plain })
    }

    /// Puts a namespace declaration into force (Namespaces sections 3 and 5).
    fn declaration(&mut self, input: &str, place: Place) -> Result<(), Error> {
        let attribute = place.view(input);
        let start = place.name_start as usize;
        let value_start = place.value_start as usize;
        let namespace = if attribute.plain {
            self.namespaces.intern(input, value_start, attribute.raw.len())
        } else {
            self.namespaces.intern_with(input, |arena| normalise_attribute(attribute.raw, arena))
        };
        let prefix = if place.local_start == 0 { "" } else { attribute.name.local() };
        match (prefix, namespace) {
            ("xmlns", _) => return Err(Error::new(ErrorKind::ReservedPrefix, start)),
            ("xml", Namespace::XML) => {}
            ("xml", _) => return Err(Error::new(ErrorKind::ReservedPrefix, start)),
            (_, Namespace::XML | Namespace::XMLNS) => {
                return Err(Error::new(ErrorKind::ReservedNamespace, value_start));
            }
            ("", _) => {}
            (_, Namespace::NONE) => return Err(Error::new(ErrorKind::EmptyNamespace, value_start)),
            _ => {}
        }
        let prefix_start = start + attribute.name.qualified().len() - prefix.len();
        if !self.namespaces.declare(input, prefix_start, prefix.len(), namespace) {
            return Err(Error::new(ErrorKind::DuplicateAttribute, start));
        }
        Ok(())
    }
}

/// Whether an attribute is a namespace declaration: `xmlns` or `xmlns:prefix`.
fn declares(name: &[u8], extent: Extent) -> bool {
    match extent.local_start {
        0 => name == b"xmlns",
        local => local == 6 && name.starts_with(b"xmlns"),
    }
}
