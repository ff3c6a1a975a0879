//! What in a message is not as its description says, beyond what reading it shows.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use memchr::memmem;
use trunkline_codec::fast_infoset;
use trunkline_codec::infoset::{Event, Reader as _};
use trunkline_import::xsd::{Schemas, Validation, Violation};
use trunkline_import::{Description, Limits};
use trunkline_message::{Checks, short_path};
use trunkline_soap as soap;

use super::{Known, Messages, Rules};
use crate::codec::Format;
use crate::error::Error;

/// Something in a message that is not as its description says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The line and the character in the bytes, from 1; none if the message is of a format that has no lines.
    pub place: Option<(u32, u32)>,
    /// The path of the element, attribute or field.
    pub path: String,
    /// The rule of XML Schema that is broken. Of a message that no schema describes it is `facet`; of FIX also `type` of a value
    /// that is none of its field, `order` of a field of header, body or trailer among those of another, and `header` of one
    /// of a header that nothing describes.
    pub rule: &'static str,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, rule, what, .. } = self;
        write!(out, "{}: {what} ({rule})", short_path(path))
    }
}

impl Messages {
    /// Says what of these bytes, or of the message that was read from them last, is not as the description says: nothing, if all
    /// is. Documents and envelopes of XML are held against their schema, if they have one; a message of another format is, in
    /// the form that it has as XML. What no schema declares, such as a call of style rpc, and what other kinds of description
    /// describe, is held against the bounds of its fields.
    ///
    /// # Errors
    /// Nothing was read, or there is no form of it as XML.
    pub fn validate(&mut self, format: Format, bytes: &[u8]) -> Result<Vec<Invalid>, Error> {
        let is_text = matches!(format, Format::Xml | Format::Soap11 | Format::Soap12);
        if self.schemas().is_some() && is_text {
            let validation = self.validation(bytes);
            let mut all = told(&validation, true);
            if !validation.undeclared.is_empty() && self.last.is_some() {
                all.extend(self.of_layout()?);
            }
            return Ok(all);
        }
        if matches!(self.description, Description::Fix(_)) {
            let mut all = self.of_layout()?;
            all.extend(self.of_dictionary(format, bytes)?);
            return Ok(all);
        }
        if self.last.is_none()
            && let Some(fault) = self.fault_as_xml(format, bytes)
        {
            return Ok(told(&self.validation(&fault), false));
        }
        let index = self.last()?;
        let is_document = |it: &soap::Options| it.style == soap::Style::DocumentLiteral;
        let is_declared = self.known[index].soap.as_ref().is_some_and(is_document);
        if self.schemas().is_none() || !is_declared {
            return self.of_layout();
        }
        // Nothing that is not described is in it, or it would not be XML of the schema.
        let mut document = Vec::new();
        self.write(Format::Soap11, &mut document)?;
        Ok(told(&self.validation(&document), false))
    }

    /// The same of an envelope of XML in which no message is that is described, as it holds a fault or nothing: what the schemas
    /// declare of its Header and of the fault's details.
    pub fn validate_envelope(&self, envelope: &[u8]) -> Vec<Invalid> {
        told(&self.validation(envelope), true)
    }

    /// Elements of a document or an envelope that are nil and may not be: read as absent, they would be something else in
    /// another format. And those whose type has to be named, which is not kept of what is nil.
    ///
    /// # Errors
    /// There is one: which, and where.
    pub(super) fn reject_nil(&mut self, format: Format, bytes: &[u8]) -> Result<(), Error> {
        if self.schemas().is_none() {
            return Ok(());
        }
        let is_text = matches!(format, Format::Xml | Format::Soap11 | Format::Soap12);
        // Charsets in which the word is not spelled by the letters of ASCII have zeros, or no tag.
        let is_ascii = bytes.first_chunk::<4>().is_some_and(|it| !it.contains(&0) && it[0] < 0x80);
        let may_say = |word: &[u8]| !is_ascii && is_text || memmem::find(bytes, word).is_some();
        if !may_say(b"nil") {
            return Ok(());
        }
        let document = match format {
            _ if is_text => Cow::Borrowed(bytes),
            Format::FastInfoset => Cow::Owned(self.binary_as_xml(bytes)?.into_bytes()),
            _ => return Ok(()),
        };
        let validation = self.validation(&document);
        let place = |it: &Violation| is_text.then_some((it.line, it.column));
        match validation.violations.iter().find(|it| it.is_nil) {
            Some(nil) => Err(Error::Nil(place(nil), nil.path.clone())),
            None if may_say(b"type") && validation.is_valid() => self.reject_untyped(),
            None => Ok(()),
        }
    }

    /// # Errors
    /// The message that was read last is valid, and is not as it would be written: an element that is nil is of an abstract type.
    fn reject_untyped(&mut self) -> Result<(), Error> {
        let mut written = Vec::new();
        // What cannot be written as XML is told where it is written.
        if self.write(Format::Soap11, &mut written).is_err() {
            return Ok(());
        }
        let all = self.validation(&written).violations;
        let lost = all.into_iter().find(|it| it.rule == "cvc-type");
        lost.map_or(Ok(()), |it| Err(Error::NilType(it.path)))
    }

    /// A document of Fast Infoset as XML.
    fn binary_as_xml(&self, bytes: &[u8]) -> Result<String, Error> {
        let mut parser = self.binary_parser();
        let mut text = String::new();
        let written = fast_infoset::Reader::begin(&mut parser, bytes).and_then(|mut reader| {
            while !matches!(reader.next()?, Event::Start(_) | Event::Eof) {}
            reader.raw(&[], &mut text)
        });
        written.map(|()| text).map_err(Error::Rejected)
    }

    fn schemas(&self) -> Option<&Schemas> {
        match &self.description {
            Description::Elements(schemas) => Some(schemas),
            Description::Services(services) => Some(services.schemas()),
            _ => None,
        }
    }

    fn validation(&self, document: &[u8]) -> Validation {
        let (document_bytes, depth) = (self.limits.message_bytes, self.limits.depth);
        let limits = Limits { document_bytes, depth, ..Limits::default() };
        self.schemas().map_or_else(Validation::default, |it| it.validate(document, &limits))
    }

    /// What a dictionary says of the message that was read last, which is these bytes or can be written as FIX.
    fn of_dictionary(&mut self, format: Format, bytes: &[u8]) -> Result<Vec<Invalid>, Error> {
        let is_fix = format == Format::Fix;
        let mut written = Vec::new();
        // What cannot be written has no order, and is told where it is.
        if !is_fix && self.write(Format::Fix, &mut written).is_err() {
            return Ok(Vec::new());
        }
        let index = self.last()?;
        let Known { layout, rules, .. } = &mut self.known[index];
        let Description::Fix(dictionary) = &self.description else { return Ok(Vec::new()) };
        let Some(message) = dictionary.message(layout.name()) else { return Ok(Vec::new()) };
        let rules = rules.get_or_insert_with(|| Rules::new(dictionary, message));
        Ok(rules.check(if is_fix { bytes } else { &written }, is_fix))
    }

    /// What the bounds of its fields say of the message that was read last.
    fn of_layout(&mut self) -> Result<Vec<Invalid>, Error> {
        let index = self.last()?;
        let Known { layout, record, checks, .. } = &mut self.known[index];
        let checks = match checks {
            Some(made) => made,
            None => {
                let made =
                    Checks::new(layout).map_err(|error| Error::Unchecked(error.to_string()))?;
                checks.insert(Arc::new(made))
            }
        };
        let unfit = checks.check(record).err();
        Ok(unfit
            .into_iter()
            .map(|it| {
                let (path, what) = (it.path().to_owned(), it.why().to_owned());
                Invalid { place: None, path, rule: "facet", what }
            })
            .collect())
    }
}

fn told(validation: &Validation, has_places: bool) -> Vec<Invalid> {
    let of = |it: &Violation| Invalid {
        place: has_places.then_some((it.line, it.column)),
        path: it.path.clone(),
        rule: it.rule,
        what: it.what.clone(),
    };
    let mut all: Vec<Invalid> = validation.violations.iter().map(of).collect();
    if validation.is_cut {
        let what = format!("there is more, and only the first {} are told", all.len());
        all.push(Invalid { place: None, path: "/".into(), rule: "limit", what });
    }
    all
}
