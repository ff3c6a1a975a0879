//! The messages of a description, compiled for formats as they are needed.

mod dictionary;
mod envelope;
mod filters;
mod leap_second;
mod selections;
mod validity;

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::HashMap;
use memchr::memmem;
use trunkline_codec::xml::{self, Source};
use trunkline_codec::{fast_infoset, infoset, json};
use trunkline_import::{Described, Description};
use trunkline_message::{Checks, ErrorKind, Holds, Layout, Limits, Place, Record, ScopeId, Value};
use trunkline_soap as soap;

use crate::codec::{Codec, Format, Options};
use crate::error::Error;
use crate::explain::explain;
use crate::filter::{Bound, Filter};
use crate::fix;
use crate::kind::{self, Envelope};
use crate::selection::{Kept, Selection};
use crate::tree::plain;
use dictionary::{OF_HEADER, Rules};
use filters::BoundTo;
use leap_second::reject_leap_second;
pub use validity::Invalid;

/// The messages of a description.
#[derive(Debug)]
pub struct Messages {
    description: Description,
    options: Options,
    limits: Limits,
    /// BeginString of all FIX that is written, if options or description say it.
    begin_string: Option<Arc<str>>,
    known: Vec<Known>,
    /// Where each stands among those that are known, by its name or MsgType.
    names: HashMap<String, usize>,
    /// By what names the description finds the messages that JSON calls so; there is one at least.
    called: HashMap<String, Vec<String>>,
    /// The one that was read last.
    last: Option<usize>,
    /// Its BeginString, if it was FIX.
    own: Option<Arc<str>>,
    /// The last one of FIX, and where its codec stands: the next is mostly of the same type and version.
    last_of_fix: Option<(usize, usize)>,
}

/// A message that was asked for.
#[derive(Debug)]
struct Known {
    /// Its name or MsgType, by which it was asked for.
    name: String,
    layout: Arc<Layout>,
    /// How SOAP says it, if that is described.
    soap: Option<soap::Options>,
    record: Record,
    codecs: Vec<Compiled>,
    filters: BoundTo<Filter, Bound>,
    selections: BoundTo<Selection, Kept>,
    /// The bounds of its fields, once they were asked for.
    checks: Option<Arc<Checks>>,
    /// What a dictionary says of it beyond that, likewise.
    rules: Option<Rules>,
}

#[derive(Debug)]
struct Compiled {
    format: Format,
    /// Of FIX.
    begin_string: Option<Arc<str>>,
    codec: Codec,
}

/// BeginStrings and formats for which a message is kept compiled.
const MOST_COMPILED: usize = 16;

/// A message that was read.
#[derive(Clone, Copy, Debug)]
pub struct Decoded<'a> {
    /// Its layout.
    pub layout: &'a Arc<Layout>,
    /// How SOAP says it, if that is described.
    pub soap: Option<&'a soap::Options>,
    /// What it says.
    pub record: &'a Record,
    /// How much of it is not described and not in the record.
    pub left_out: usize,
}

impl Messages {
    /// Those of a description.
    pub fn new(description: Description, options: Options, limits: Limits) -> Self {
        let of_dictionary = || match &description {
            Description::Fix(dictionary) => dictionary.begin_string(),
            _ => None,
        };
        let begin_string = options.begin_string.as_deref().or_else(of_dictionary).map(Arc::from);
        let (known, names, called) = Default::default();
        let (last, own, last_of_fix) = Default::default();
        Self {
            description,
            options,
            limits,
            begin_string,
            known,
            names,
            called,
            last,
            own,
            last_of_fix,
        }
    }

    /// What describes them.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Reads a message; `name` is that of its type where the bytes do not say it, or its MsgType.
    ///
    /// # Errors
    /// There is no such message, or the format has no form for it, or the bytes are not as they must be.
    pub fn decode(
        &mut self,
        format: Format,
        name: Option<&str>,
        bytes: &[u8],
    ) -> Result<Decoded<'_>, Error> {
        // What cannot be read is not the message before.
        self.last = None;
        let (index, compiled) = match self.as_before(format, name, bytes) {
            Some(same) => same,
            None => self.reader(format, name, bytes)?,
        };
        let left_out = self.read((index, compiled), format, bytes)?;
        let Known { layout, soap, record, .. } = &self.known[index];
        Ok(Decoded { layout, soap: soap.as_ref(), record, left_out })
    }

    /// What [`reader`](Self::reader) finds, where a message of FIX is of the same type and version as the one before.
    fn as_before(
        &self,
        format: Format,
        name: Option<&str>,
        bytes: &[u8],
    ) -> Option<(usize, usize)> {
        let (index, compiled) = self.last_of_fix.filter(|_| format == Format::Fix)?;
        let known = &self.known[index];
        let codec = known.codecs.get(compiled)?;
        let (begin_string, message_type) = fix::usual_head(bytes)?;
        // A type that is no text makes the head none.
        let is_named = match name {
            Some(name) => known.name == name && std::str::from_utf8(message_type).is_ok(),
            None => known.name.as_bytes() == message_type,
        };
        let is_same = is_named
            && codec.format == Format::Fix
            && codec.begin_string.as_ref().is_some_and(|it| it.as_bytes() == begin_string);
        is_same.then_some((index, compiled))
    }

    /// Which message bytes are, and where its codec for their format stands: for FIX, of the version that they say.
    fn reader(
        &mut self,
        format: Format,
        name: Option<&str>,
        bytes: &[u8],
    ) -> Result<(usize, usize), Error> {
        let head = if format == Format::Fix { fix::head(bytes) } else { None };
        let name = match (name, head) {
            (Some(name), _) => Cow::Borrowed(name),
            (None, Some((_, message_type))) => Cow::Borrowed(message_type),
            (None, None) => self.name_of(format, bytes)?,
        };
        let index = self.index(&name)?;
        let found = (index, self.compiled(index, format, head.map(|it| it.0))?);
        if format == Format::Fix {
            self.last_of_fix = Some(found);
        }
        Ok(found)
    }

    /// Appends the message that was read last in another format, and says how much of what it keeps that is not
    /// described has no form there.
    ///
    /// # Errors
    /// Nothing was read, or the format has no form for the message: names the field.
    pub fn write(&mut self, to: Format, out: &mut Vec<u8>) -> Result<usize, Error> {
        self.write_with(&[], "", to, out)
    }

    /// The same behind other bytes, and with header blocks, as they stand in the Header.
    fn write_with(
        &mut self,
        before: &[u8],
        header: &str,
        to: Format,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let (index, compiled) = self.writer(to, false)?;
        let Known { layout, record, codecs, .. } = &mut self.known[index];
        let mut kept = record.unknown_fields().iter().map(|it| it.0);
        let of_header = kept.find(|it| to == Format::Fix && OF_HEADER.contains(it));
        if let Some(tag) = of_header {
            return Err(Error::NoHeader(tag));
        }
        let codec = &mut codecs[compiled].codec;
        let bytes =
            codec.encode_with(header, record).map_err(|error| Error::Unwritable(to, error))?;
        reject_leap_second(to, bytes, layout, record)?;
        append(out, before, bytes);
        Ok(codec.not_written())
    }

    /// Appends a message of one format in another one. All of it: what the other format cannot hold is an error. Header blocks
    /// of an envelope are kept in another; where there is none, [the options](Options::header_blocks) say what becomes of
    /// them. A fault becomes one of the other version of SOAP.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), and names the field that has no form.
    pub fn convert(
        &mut self,
        message: (Format, &[u8]),
        name: Option<&str>,
        to: Format,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.convert_behind(&[], message, name, to, out)
    }

    /// The same behind other bytes, which are appended first, so that room for both is taken once.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    pub fn convert_behind(
        &mut self,
        before: &[u8],
        (from, bytes): (Format, &[u8]),
        name: Option<&str>,
        to: Format,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let header = match self.opened(from, bytes)? {
            Some(opened) if opened.is_fault => {
                let start = out.len();
                out.extend_from_slice(before);
                let converted = self.convert_fault((from, bytes), opened.header, to, out);
                if converted.is_err() {
                    out.truncate(start);
                }
                return converted;
            }
            Some(opened) => self.header_in(to, &opened.header)?,
            None => String::new(),
        };
        let left_out = self.decode(from, name, bytes)?.left_out;
        self.reject_nil(from, bytes)?;
        if left_out > 0 {
            return Err(Error::Undescribed(from, left_out, None));
        }
        let start = out.len();
        match self.write_with(before, &header, to, out)? {
            0 if from == Format::Xml && has_instructions(to, &out[start + before.len()..]) => {
                out.truncate(start);
                Err(Error::Instructions(to))
            }
            0 => Ok(()),
            left_out => {
                out.truncate(start);
                let index = self.last.take().ok_or(Error::NothingRead)?;
                let Known { layout, record, .. } = &self.known[index];
                Err(Error::Undescribed(to, left_out, undescribed(layout, record, ScopeId(0))))
            }
        }
    }

    /// The message that was read last, and where its codec for a format stands that is written: of FIX, of the version
    /// that it has itself or else of that of all.
    fn writer(&mut self, to: Format, keeps_version: bool) -> Result<(usize, usize), Error> {
        let index = self.last()?;
        let (own, of_all) = (self.own.as_ref(), self.begin_string.as_ref());
        let begin_string = if keeps_version { own.or(of_all) } else { of_all.or(own) };
        let begin_string = match to {
            Format::Fix => Some(begin_string.ok_or(Error::NoBeginString)?.clone()),
            _ => None,
        };
        Ok((index, self.compiled(index, to, begin_string.as_deref())?))
    }

    fn last(&self) -> Result<usize, Error> {
        match self.last {
            Some(index) => Ok(index),
            None => Err(Error::NothingRead),
        }
    }

    /// Reads a message of a format: whichever version of FIX it says, its fields are those of the dictionary.
    fn read(
        &mut self,
        (index, compiled): (usize, usize),
        format: Format,
        bytes: &[u8],
    ) -> Result<usize, Error> {
        let Known { layout, record, codecs, .. } = &mut self.known[index];
        let Compiled { begin_string, codec, .. } = &mut codecs[compiled];
        let decoded = codec.decode(bytes, record);
        let left_out = decoded.map_err(|error| {
            delimited(format, bytes).unwrap_or_else(|| {
                match explain(format, bytes, layout, &error) {
                    it if it.is_empty() => Error::Rejected(error),
                    explained => Error::Value(error, explained),
                }
            })
        })?;
        let is_own = match (&self.own, &*begin_string) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        if !is_own {
            self.own.clone_from(begin_string);
        }
        self.last = Some(index);
        Ok(left_out)
    }

    /// The name of the type of a message, as its bytes say it; of FIX, without a head.
    fn name_of<'a>(&mut self, format: Format, bytes: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        let name = match format {
            // Its head says it, which this one has not.
            Format::Fix => delimited(format, bytes).map_or(Ok(None), Err)?,
            Format::Xml | Format::Soap11 | Format::Soap12 => {
                let mut source = Source::default();
                let text = source.prepare(bytes, &self.limits);
                let text = text.map_err(|error| Error::Rejected(error.into()))?;
                let options = match format {
                    Format::Xml => xml::Options::default(),
                    _ => xml::Options::soap(),
                };
                let reader = xml::Reader::begin(options, text, &self.limits);
                let mut reader = reader.map_err(|error| Error::Rejected(error.into()))?;
                self.root(&mut reader)?.map(Cow::Owned)
            }
            Format::FastInfoset => {
                let mut parser = self.binary_parser();
                let reader = fast_infoset::Reader::begin(&mut parser, bytes);
                self.root(&mut reader.map_err(Error::Rejected)?)?.map(Cow::Owned)
            }
            Format::Json => match json::name(bytes) {
                Ok(name) => self.name_of_called(name, bytes)?,
                Err(_) => None,
            },
            Format::CdrLittle | Format::CdrBig => None,
        };
        let only = || match &self.description.messages()[..] {
            [only] => Some(Cow::Owned(only.clone())),
            _ => None,
        };
        name.or_else(only).ok_or_else(|| match format {
            Format::Json => {
                json_problem(bytes, &self.limits).map_or(Error::Unnamed(format), Error::Rejected)
            }
            _ => Error::Unnamed(format),
        })
    }

    /// The name by which the description finds the message that an object of JSON calls so; none if that is the name of a member.
    fn name_of_called<'a>(
        &mut self,
        name: Cow<'a, str>,
        bytes: &[u8],
    ) -> Result<Option<Cow<'a, str>>, Error> {
        let is_named = json_holds(bytes, |it| matches!(it, json::Value::Object(_)))
            || self.names.contains_key(&*name)
            || self.description.messages().iter().any(|it| **it == *name)
            || json_holds(bytes, |it| matches!(it, json::Value::Null))
                && !self.description.messages_called(&name).is_empty();
        if !is_named {
            return Ok(None);
        }
        if !self.called.contains_key(&*name) {
            let found = self.description.messages_called(&name);
            if found.is_empty() {
                return Ok(Some(name));
            }
            self.called.insert(name.to_string(), found);
        }
        match &*self.called[&*name] {
            [one] => Ok(Some(Cow::Owned(one.clone()))),
            several => Err(Error::Ambiguous(name.into_owned(), several.to_vec())),
        }
    }

    fn root(&self, reader: &mut impl infoset::Reader) -> Result<Option<String>, Error> {
        let envelope = Envelope::read(reader).map_err(Error::Rejected)?;
        if envelope.content.is_some() && envelope.is_empty_or_fault() {
            return Err(Error::NoMessage);
        }
        let Some((local, namespace)) = envelope.content else { return Ok(None) };
        let of_type = envelope.of_type.as_ref().map(|(local, namespace)| (&**local, &**namespace));
        let mut names = match envelope.version {
            Some(_) => self.description.names_of_element(&local, &namespace, of_type),
            None => self.description.names_of_document(&local, &namespace, of_type),
        };
        if names.len() < 2 {
            return Ok(Some(names.pop().unwrap_or(local)));
        }
        // What else stands in the Body tells which of them it is.
        let mut body = vec![(namespace, local)];
        if envelope.version.is_some() {
            kind::behind(reader, &mut body).map_err(Error::Rejected)?;
        }
        let mut fitting = self.description.names_of_body(&body);
        match fitting.len() {
            1 => Ok(fitting.pop()),
            0 => Err(Error::Unfit(elements(&body), names)),
            _ => Err(Error::Ambiguous(elements(&body), fitting)),
        }
    }

    /// Where the message of a name or MsgType stands among those that are known.
    fn index(&mut self, name: &str) -> Result<usize, Error> {
        if let Some(known) = self.names.get(name) {
            return Ok(*known);
        }
        let Some(Described { layout, soap }) = self.description.message(name)? else {
            return Err(Error::NoSuchMessage(self.description.no_message("the description", name)));
        };
        let layout = Arc::new(layout);
        let record = Record::new(&layout);
        let (codecs, filters, selections, checks, rules) = Default::default();
        self.known.push(Known {
            name: name.to_owned(),
            layout,
            soap,
            record,
            codecs,
            filters,
            selections,
            checks,
            rules,
        });
        self.names.insert(name.to_owned(), self.known.len() - 1);
        Ok(self.known.len() - 1)
    }

    /// Where a message's codec for a format stands.
    fn compiled(
        &mut self,
        index: usize,
        format: Format,
        begin_string: Option<&str>,
    ) -> Result<usize, Error> {
        let Known { layout, soap, codecs, .. } = &mut self.known[index];
        let is_it =
            |it: &Compiled| it.format == format && it.begin_string.as_deref() == begin_string;
        if let Some(at) = codecs.iter().position(is_it) {
            return Ok(at);
        }
        if format == Format::Xml && soap.as_ref().is_some_and(|it| it.layout == soap::Layout::Body)
        {
            let what = "a Body as a document; name an element in it (--type)";
            let error = trunkline_message::Error::new(ErrorKind::Unsupported(what.into()), 0);
            return Err(Error::NoForm(format, layout.name().to_owned(), error));
        }
        let begin = begin_string.map(str::to_owned).or_else(|| self.options.begin_string.clone());
        let soap = soap.clone();
        let options = Options { begin_string: begin, soap, ..self.options.clone() };
        let codec = Codec::new(layout, format, &options, &self.limits)
            .map_err(|error| Error::NoForm(format, layout.name().to_owned(), error))?;
        if codecs.len() == MOST_COMPILED {
            codecs.remove(0);
        }
        codecs.push(Compiled { format, begin_string: begin_string.map(Arc::from), codec });
        Ok(codecs.len() - 1)
    }
}

/// Appends what was written behind other bytes.
fn append(out: &mut Vec<u8>, before: &[u8], written: &[u8]) {
    out.reserve(before.len() + written.len());
    out.extend_from_slice(before);
    out.extend_from_slice(written);
}

/// Elements as errors name them: as many as are read at a glance.
fn elements(body: &[(String, String)]) -> String {
    const SHOWN: usize = 8;
    let name = |(namespace, local): &(String, String)| match &**namespace {
        "" => plain(local),
        namespace => plain(&format!("{{{namespace}}}{local}")),
    };
    let shown: Vec<String> = body.iter().take(SHOWN).map(name).collect();
    let more = if body.len() > SHOWN { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Has what a message has kept as it stood processing instructions, which SOAP has none of?
fn has_instructions(to: Format, document: &[u8]) -> bool {
    let is_soap = matches!(to, Format::Soap11 | Format::Soap12);
    is_soap && memmem::find(document.strip_prefix(b"<?").unwrap_or(document), b"<?").is_some()
}

/// Why FIX is not read that came out of a log.
fn delimited(format: Format, bytes: &[u8]) -> Option<Error> {
    let is_fix = format == Format::Fix;
    is_fix.then(|| fix::foreign_delimiter(bytes)).flatten().map(Error::Delimited)
}

/// What is wrong with JSON, whatever it says.
fn json_problem(bytes: &[u8], limits: &Limits) -> Option<trunkline_message::Error> {
    json::Values::new(bytes, limits).map_or_else(Some, |mut it| it.next()?.err())
}

/// Does nothing stand in an object of JSON but one member, which is such a value?
fn json_holds(bytes: &[u8], is_it: impl Fn(&json::Value<'_>) -> bool) -> bool {
    let first = json::Values::new(bytes, &Limits::default()).ok().and_then(|mut it| it.next());
    match first {
        Some(Ok(json::Value::Object(members))) => matches!(&*members, [(_, it)] if is_it(it)),
        _ => false,
    }
}

/// The path of the first field or element that a record keeps and its layout does not describe.
fn undescribed(layout: &Layout, record: &Record, scope: ScopeId) -> Option<String> {
    let unknown = record.unknown_fields();
    if let Some((number, _)) = unknown.iter().next() {
        return Some(number.to_string());
    }
    if let Some((place, markup)) = unknown.markup().next() {
        let is_attribute = matches!(place, Place::Attribute { .. } | Place::FieldAttribute { .. });
        // Behind an attribute stands its namespace.
        let end = markup.rfind('"').map_or(0, |it| it + 1);
        let named = match markup.split_at(end) {
            (attribute, namespace) if is_attribute && !namespace.is_empty() => {
                format!("{{{namespace}}}{attribute}")
            }
            _ => markup.to_owned(),
        };
        return Some(plain(&named[..named.floor_char_boundary(100)]));
    }
    let scope = layout.scope(scope);
    scope.fields.iter().enumerate().find_map(|(index, field)| {
        let path = scope.path(index);
        match (record.value(index)?, field.holds) {
            (Value::Struct(inner), Holds::Struct(inside)) => {
                Some(format!("{path}/{}", undescribed(layout, inner, inside)?))
            }
            (Value::Group(group), Holds::Group(inside)) => {
                let mut entries = group.entries().iter().enumerate();
                entries.find_map(|(at, entry)| {
                    Some(format!("{path}[{at}]/{}", undescribed(layout, entry, inside)?))
                })
            }
            _ => None,
        }
    })
}
