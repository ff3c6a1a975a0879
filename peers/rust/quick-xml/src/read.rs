//! Reading: bytes to the typed structure through the pull reader.
#![allow(non_snake_case)]

use peer::Failure;
use peer::market_data::*;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Reads a whole envelope; text may be anything that is well-formed.
pub(crate) fn envelope(text: &str, rpc: bool, message: &mut FIXMLMessage) -> Result<(), Failure> {
    let mut xml = Xml { reader: Reader::from_str(text), content: String::new() };
    xml.reader.config_mut().expand_empty_elements = true;
    let wrappers: &[&str] = if rpc {
        &["Envelope", "Body", "sendMessage", "FIXMLMessage"]
    } else {
        &["Envelope", "Body", "FIXMLMessage"]
    };
    for wrapper in wrappers {
        match xml.child()? {
            Some(start) if start.local_name().as_ref() == *wrapper => {}
            _ => return Err(format!("{wrapper} is missing").into()),
        }
    }
    message.read(&mut xml)?;
    for _ in &wrappers[1..] {
        if let Some(start) = xml.child()? {
            return Err(format!("{start:?} has no place here").into());
        }
    }
    Ok(())
}

/// The reader, and a buffer for content that is not one piece of text.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    content: String,
}

impl<'a> Xml<'a> {
    /// The start tag of the next child, or None at the parent's end.
    fn child(&mut self) -> Result<Option<BytesStart<'a>>, Failure> {
        loop {
            match self.reader.read_event()? {
                Event::Start(start) => return Ok(Some(start)),
                Event::End(_) => return Ok(None),
                Event::Text(text) if text.trim().is_empty() => {}
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                other => return Err(format!("{other:?} has no place here").into()),
            }
        }
    }

    /// Hands an element's content to `take`, up to the element's end.
    fn content<T>(&mut self, take: impl FnOnce(&str) -> Result<T, Failure>) -> Result<T, Failure> {
        let first = match self.reader.read_event()? {
            Event::End(_) => return take(""),
            Event::Text(text) => text,
            other => {
                self.content.clear();
                self.append(other)?;
                return self.rest(take);
            }
        };
        // Nearly all content is one piece of text.
        match self.reader.read_event()? {
            Event::End(_) => take(&first.xml10_content()),
            other => {
                self.content.clear();
                self.content.push_str(&first.xml10_content());
                self.append(other)?;
                self.rest(take)
            }
        }
    }

    fn rest<T>(&mut self, take: impl FnOnce(&str) -> Result<T, Failure>) -> Result<T, Failure> {
        loop {
            match self.reader.read_event()? {
                Event::End(_) => return take(&self.content),
                other => self.append(other)?,
            }
        }
    }

    fn append(&mut self, event: Event<'_>) -> Result<(), Failure> {
        match event {
            Event::Text(text) => self.content.push_str(&text.xml10_content()),
            Event::CData(text) => self.content.push_str(&text.xml10_content()),
            Event::Comment(_) | Event::PI(_) => {}
            Event::GeneralRef(reference) => match reference.resolve_char_ref()? {
                Some(character) => self.content.push(character),
                None => self.content.push(match &*reference {
                    "lt" => '<',
                    "gt" => '>',
                    "amp" => '&',
                    "quot" => '"',
                    "apos" => '\'',
                    other => return Err(format!("unknown entity {other}").into()),
                }),
            },
            other => return Err(format!("{other:?} has no place in a value").into()),
        }
        Ok(())
    }
}

/// What an element, whose start tag was read, fills up to its end tag.
pub(crate) trait Read {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure>;
}

impl Read for Text {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        *self = xml.content(|text| Ok(Text::new(text)))?;
        Ok(())
    }
}

impl Read for bool {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        *self = xml.content(|text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(format!("{text:?} is not a boolean").into()),
        })?;
        Ok(())
    }
}

impl Read for u32 {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        *self = xml.content(|text| Ok(text.parse()?))?;
        Ok(())
    }
}

impl Read for i32 {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        *self = xml.content(|text| Ok(text.parse()?))?;
        Ok(())
    }
}

impl Read for f64 {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        *self = xml.content(|text| Ok(text.parse()?))?;
        Ok(())
    }
}

impl Read for Code {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        *self = xml.content(|text| match text.as_bytes() {
            [code] => Ok(Code(*code)),
            _ => Err(format!("{text:?} is not one character").into()),
        })?;
        Ok(())
    }
}

impl Read for Bytes {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        self.0 = xml.content(|text| Ok(base64_simd::STANDARD.decode_to_vec(text)?))?;
        Ok(())
    }
}

impl<T: Read + Default> Read for Option<T> {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        self.insert(T::default()).read(xml)
    }
}

/// A record that can be the entry of a list.
trait Entry: Read + Default {
    const NAME: &'static str;
}

impl<T: Entry> Read for Vec<T> {
    fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        // Entries are large, and a list is seldom longer: growing it would move them about.
        self.reserve(16);
        while let Some(start) = xml.child()? {
            if start.local_name().as_ref() != T::NAME {
                return Err(format!("{start:?} is not a {}", T::NAME).into());
            }
            self.push_mut(T::default()).read(xml)?;
        }
        Ok(())
    }
}

macro_rules! record {
    (
        $Record:ident $element:literal $delimiter:literal {
            $($Item:ident: $Type:ty = ($name:literal, $tag:literal, $length_tag:literal);)*
        }
        $($paths:tt)*
    ) => {
        impl Read for $Record {
            fn read(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
                while let Some(start) = xml.child()? {
                    match start.local_name().as_ref() {
                        $($name => self.$Item.read(xml)?,)*
                        name => return Err(format!("{name} has no place in {}", $element).into()),
                    }
                }
                match self.missing() {
                    Some(name) => Err(format!("{name} is missing in {}", $element).into()),
                    None => Ok(()),
                }
            }
        }

        impl Entry for $Record {
            const NAME: &'static str = $element;
        }
    };
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/generated/market_data.rs"));
