//! Pieces of XML that stand by themselves.

use trunkline_codec::infoset::{Event, Reader, Tag, Writer};
use trunkline_codec::xml::{self, element};
use trunkline_message::{Error, ErrorKind, Limits, Result};

use crate::envelope::{SOAP11, SOAP12};
use crate::graph::is_soap_encoding;
use crate::qname::QName;

/// One element with all that is in it and every namespace declaration that it needs, so that it
/// means the same wherever it is put: a header block, an entry of a fault's detail.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fragment {
    text: String,
    name: QName,
}

impl Fragment {
    /// The element in a text that has nothing else, but for an XML declaration, comments and white
    /// space, which are left out.
    ///
    /// # Errors
    /// Says what is wrong at which byte of the text.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(at) = text.find(['\u{fffe}', '\u{ffff}']) {
            let what = "XML: character U+FFFE or U+FFFF is not allowed";
            return Err(Error::new(ErrorKind::Syntax(what.into()), at));
        }
        let mut reader = xml::Reader::soap(text, &Limits::default())?;
        let Event::Start(name) = reader.next()? else {
            return Err(Error::new(ErrorKind::Expected("an element".into()), 0));
        };
        let fragment = Self::read(&mut reader, name, &[])?;
        while !matches!(reader.next()?, Event::Eof) {}
        Ok(fragment)
    }

    /// An element of this name with this text in it. Characters that XML does not have become
    /// U+FFFD.
    ///
    /// # Errors
    /// The name could not be that of an element.
    pub fn text(name: &QName, text: &str) -> Result<Self> {
        name.check()?;
        let mut out = xml::Writer::default();
        out.start(name.without_prefix());
        if !name.namespace.is_empty() {
            out.declare("", &name.namespace);
        }
        out.text(text);
        out.end();
        Ok(Self { text: out.finish(), name: name.clone() })
    }

    /// The element as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text of the element, if there is nothing else in it.
    pub fn value(&self) -> Option<String> {
        let mut reader = self.reader(&Limits::default()).ok()?;
        reader.next().ok()?;
        let mut value = String::new();
        loop {
            match reader.next().ok()? {
                Event::Text(text) => value.push_str(&reader.value(text)),
                Event::Start(_) | Event::Eof => return None,
                Event::End => return Some(value),
            }
        }
    }

    /// Does it say that its content is written by the encoding rules of either SOAP?
    pub fn is_encoded(&self) -> bool {
        let Ok(mut reader) = self.reader(&Limits::default()) else { return false };
        if reader.next().is_err() {
            return false;
        }
        let styles = [SOAP11, SOAP12].map(|soap| reader.find_attribute(soap, "encodingStyle"));
        styles.into_iter().flatten().any(|style| is_soap_encoding(&reader.value(style)))
    }

    /// The name of the element.
    pub fn name(&self) -> &QName {
        &self.name
    }

    /// Reads it.
    pub(super) fn reader(&self, limits: &Limits) -> Result<impl Reader + '_> {
        Ok(xml::Reader::soap(&self.text, limits)?)
    }

    /// The element just begun, whose name this is, to its end, without these of its attributes, which
    /// are in ascending order.
    pub(super) fn read<R: Reader>(
        reader: &mut R,
        name: R::Name,
        left_out: &[usize],
    ) -> Result<Self> {
        let name = QName::of(reader, name);
        let mut text = String::new();
        reader.raw(left_out, &mut text)?;
        Ok(Self { text, name })
    }

    /// The two parts between which attributes may be put into its start tag.
    pub(super) fn parts(&self) -> (&str, &str) {
        self.text.split_at(element::name_end(&self.text))
    }

    /// Whether its start tag declares the prefix.
    pub(super) fn declares(&self, prefix: &str) -> bool {
        element::declared(&self.text).contains(prefix)
    }
}
