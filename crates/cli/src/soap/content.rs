//! Messages that are given in files or as texts, in JSON or XML, and where in them something is wrong.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use serde_json::Value as Json;
use trunkline_codec::json;
use trunkline_import::nearest;
use trunkline_import::wsdl::Description;
use trunkline_import::xsd::Violation;
use trunkline_message::{
    Component, Error, ErrorKind, Field, Holds, Layout, Record, ScopeId, Shape, UnknownContent,
    short_path,
};
use trunkline_session::soap::in_utf8;
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style, Version, is_nillable};
use trunkline_transcode::{Format, explain};

use super::members::Request;
use super::place::{self, Counted, Placed, Uneven};
use super::{listed, valid};
use crate::fault::Fault;

/// The layout of a message, and how it looks.
pub(super) type Form = (Arc<Layout>, Options);

/// As many names are shown where one is wrong.
const SHOWN: usize = 24;

/// Why a text is no message, and where: `3:7: symbol: a required field is missing`.
pub(super) struct Unread {
    /// The line and the character, from 1; none if that is not known.
    pub(super) place: Option<(usize, usize)>,
    /// Of what, if that is not all, by the names that our own errors have.
    pub(super) path: String,
    pub(super) what: String,
}

impl Unread {
    pub(super) fn new(what: impl ToString) -> Self {
        Self { place: None, path: String::new(), what: what.to_string() }
    }

    /// The same behind the name of what was read, as compilers have it.
    pub(super) fn of(&self, name: &str) -> String {
        match self.place {
            Some(_) => format!("{name}:{}", self.text()),
            None => format!("{name}: {}", self.what),
        }
    }

    /// The place and what is wrong there.
    pub(super) fn text(&self) -> String {
        match self.place {
            Some((line, column)) => format!("{line}:{column}: {}", self.what),
            None => self.what.clone(),
        }
    }
}

/// What a user said, and where in it something is.
pub(super) enum Said<'a> {
    /// JSON, and where in the text the message begins.
    Json(&'a str, usize),
    /// A value in a text of TOML.
    Toml(&'a str, &'a Placed),
    Xml(&'a Enveloped<'a>),
}

impl Said<'_> {
    /// The line and the character of what the schemas forbid; `path` is that in the element of the Body.
    pub(super) fn place_of(&self, violation: &Violation, path: &str) -> Option<(usize, usize)> {
        match self {
            Self::Xml(said) => said.place_of_line((violation.line, violation.column)),
            _ => self.found(|placed| placed.at(path, Counted::FromOne).bytes.start),
        }
    }

    /// The same of a field, by the path that our own errors have. Of XML that is not known.
    pub(super) fn place_of_field(&self, path: &str) -> Option<(usize, usize)> {
        self.found(|placed| placed.at(path, Counted::FromZero).bytes.start)
    }

    /// Why a message that was read cannot be written.
    pub(super) fn unwritable(&self, error: &Error) -> Unread {
        let path = error.path();
        let before =
            if path.is_empty() { String::new() } else { format!("{}: ", short_path(&path)) };
        let mut what = format!("{before}{}", error.kind());
        let place = self.found(|placed| {
            let found = placed.at(&path, Counted::FromZero);
            match found.uneven_row() {
                Some(Uneven { at, row, items, first }) => {
                    what += &format!(": row {row} has {items}, and the first {first}");
                    at
                }
                None => found.bytes.start,
            }
        });
        Unread { place, path, what }
    }

    fn found(&self, at: impl FnOnce(&Placed) -> usize) -> Option<(usize, usize)> {
        match self {
            Self::Json(text, start) => {
                Some(place::of_byte(text, at(&Placed::of_json(text, *start))))
            }
            Self::Toml(text, placed) => Some(place::of_byte(text, at(placed))),
            Self::Xml(_) => None,
        }
    }
}

/// A message that somebody wrote, and what is against sending it.
pub(super) struct Given {
    pub(super) record: Record,
    /// What the schemas forbid in it.
    pub(super) invalid: Option<Unread>,
}

/// A message in a file: in JSON, or as XML, which is the element in the Body or the whole envelope.
///
/// # Errors
/// It is not one of this form, or one that cannot be sent: with the file and the line.
pub(super) fn from_file(
    description: &Description,
    path: &Path,
    form: &Form,
) -> Result<Given, Fault> {
    let text = fs::read(path).and_then(text_of).map_err(|cause| of_file(path, &cause))?;
    let text = &*text;
    let given = match text.trim_ascii_start().starts_with('<') {
        true => {
            let said = Enveloped::new(text, form.1.version, "");
            let read = from_xml(&said, form, Some(description));
            read.and_then(|it| given(description, form, it, &Said::Xml(&said)))
        }
        false => {
            // The parts of what is encoded are not as a schema has them.
            let unsaid = match form.1.style.is_encoded() {
                true => reject_unsaid((text, 0..text.len()), (&form.0, &form.1), false),
                false => Ok(()),
            };
            unsaid
                .and_then(|()| from_json(text, &form.0, Some(form)))
                .and_then(|it| given(description, form, it, &Said::Json(text, 0)))
        }
    };
    given.map_err(|why| Fault::new(why.of(&path.display().to_string())))
}

/// A message that was read, with what the schemas say of it.
///
/// # Errors
/// It cannot be sent.
pub(super) fn given(
    description: &Description,
    (layout, options): &Form,
    record: Record,
    said: &Said<'_>,
) -> Result<Given, Unread> {
    let plan = Plan::new(layout, options).map_err(Unread::new)?;
    let mut encoder = Encoder::new(&plan);
    let written = encoder.encode(&record).map_err(|error| said.unwritable(&error))?;
    let written = String::from_utf8_lossy(written);
    // Lines are those of what was said.
    let envelope = match said {
        Said::Xml(said) => &*said.envelope,
        _ => &*written,
    };
    let invalid = valid::of_message(description, options, (envelope, &record), Some(said));
    Ok(Given { record, invalid })
}

/// A message in JSON, of which every member is known. It may stand in an object whose only member has the name of the
/// message, as `convert` writes it and reads it, also where the message has a member of that name. What `form` has is suggested
/// where a name is not known.
pub(super) fn from_json(
    text: &str,
    layout: &Arc<Layout>,
    form: Option<&Form>,
) -> Result<Record, Unread> {
    from_part(text, 0..text.len(), layout, form)
}

/// The same of a part of a text.
pub(super) fn from_part(
    text: &str,
    part: Range<usize>,
    layout: &Arc<Layout>,
    form: Option<&Form>,
) -> Result<Record, Unread> {
    let whole = &text[part.clone()];
    let trimmed = whole.trim_ascii();
    let own = part.start + whole.len() - whole.trim_ascii_start().len();
    let nil_items = form.is_some_and(|it| it.1.style.is_encoded());
    let nillable = form.is_some_and(|it| it.1.nillable);
    let options = |named| json::Options { named, nil_items, nillable, ..json::Options::default() };
    let mut plan = json::Plan::new(layout, &options(false)).map_err(Unread::new)?;
    if plan.is_named(trimmed.as_bytes()) {
        plan = json::Plan::new(layout, &options(true)).map_err(Unread::new)?;
    }
    let mut record = Record::new(layout);
    let mut decoder = json::Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    decoder.decode(trimmed.as_bytes(), &mut record).map_err(|error| Unread {
        place: Some(place::of_byte(text, own + error.offset())),
        path: error.path(),
        what: told(&error, (Format::Json, trimmed.as_bytes()), layout, form),
    })?;
    Ok(record)
}

/// Rejects a message in JSON that does not say a member which has to be there, and may be nil: absent, it would be sent as that.
/// Does it look at what is inside others?
pub(super) fn reject_unsaid(
    (text, part): (&str, Range<usize>),
    (layout, options): (&Layout, &Options),
    is_deep: bool,
) -> Result<(), Unread> {
    // What is no JSON is told by who reads it.
    let Ok(mut said) = serde_json::from_str::<Json>(&text[part.clone()]) else { return Ok(()) };
    if let Json::Object(members) = &mut said
        && members.len() == 1
        && let Some(inside) = members.get_mut(layout.name())
    {
        let has_own_name = layout.scope(ScopeId(0)).position(layout.name()).is_some();
        match inside.is_null() {
            // Nor is a message told here that is nil and may not be.
            true if !options.nillable && !has_own_name => return Ok(()),
            true if !options.nillable => {}
            false if !inside.is_object() => {}
            _ => said = inside.take(),
        }
    }
    match unsaid(layout, (ScopeId(0), None), &said, ("", is_deep)) {
        None => Ok(()),
        Some(path) => {
            let place = Said::Json(text, part.start).place_of_field(&path);
            let what = "it is missing, and has to be there; null says that it is nil";
            Err(Unread { place, what: format!("{path}: {what}"), path })
        }
    }
}

/// The path of the first such member.
fn unsaid(
    layout: &Layout,
    (id, around): (ScopeId, Option<u16>),
    said: &Json,
    (path, is_deep): (&str, bool),
) -> Option<String> {
    let scope = layout.scope(id);
    if scope.shape == Shape::Item {
        return unsaid_inside(layout, &scope.fields[0], said, path);
    }
    let members = said.as_object()?;
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
    let component = |(index, it): (usize, &Component)| {
        let inside = members.get(&*it.name)?;
        unsaid(layout, (id, Some(index as u16)), inside, (&at(&it.name), is_deep))
    };
    let components = scope.components.iter().enumerate().filter(|it| it.1.parent == around);
    let field = |it: &Field| match members.get(&*it.name) {
        None => is_nillable(layout, it).then(|| at(&it.name)),
        Some(inside) if is_deep => unsaid_inside(layout, it, inside, &at(&it.name)),
        Some(_) => None,
    };
    let fields = scope.fields.iter().filter(|it| it.component == around);
    components.map(component).chain(fields.map(field)).flatten().next()
}

fn unsaid_inside(layout: &Layout, field: &Field, said: &Json, path: &str) -> Option<String> {
    match (field.holds, said) {
        (Holds::Struct(inner), _) => unsaid(layout, (inner, None), said, (path, true)),
        (Holds::Group(inner), Json::Array(items)) => {
            let each =
                |(at, it)| unsaid(layout, (inner, None), it, (&format!("{path}[{at}]"), true));
            items.iter().enumerate().find_map(each)
        }
        _ => None,
    }
}

/// The text of a file, in UTF-8 or as its XML says, without its byte order mark.
pub(super) fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    let text = String::from_utf8(in_utf8(&bytes).into_owned()).map_err(|_| {
        let why = "it is not in UTF-8, and says no other encoding that is read here";
        io::Error::new(io::ErrorKind::InvalidData, why)
    })?;
    Ok(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text))
}

/// A message in an envelope, of which every element is known, or may stand there by the schemas, as attributes may of which these
/// name none.
pub(super) fn from_xml(
    said: &Enveloped<'_>,
    form: &Form,
    description: Option<&Description>,
) -> Result<Record, Unread> {
    let style = form.1.style;
    let is_valid = |it: &Description| {
        style == Style::DocumentLiteral
            && it.missing().is_empty()
            && valid::violations(it, style, &said.envelope).is_empty()
    };
    read_xml(said, form, UnknownContent::Reject).or_else(|why| {
        match description.is_some_and(is_valid) {
            true => read_xml(said, form, UnknownContent::Keep),
            false => Err(why),
        }
    })
}

fn read_xml(said: &Enveloped<'_>, form: &Form, unknown: UnknownContent) -> Result<Record, Unread> {
    let (layout, options) = form;
    // Who reads an answer takes an element of any name around it; who writes one has to name it as the description does.
    let options = Options { any_header: true, any_wrapper: false, ..options.clone() };
    let plan = Plan::new(layout, &options).map_err(Unread::new)?;
    let mut record = Record::new(layout);
    let mut decoder = Decoder::new(&plan).on_unknown(unknown);
    let bytes = said.envelope.as_bytes();
    decoder.decode(bytes, &mut record).map_err(|error| Unread {
        place: Some(said.place(error.offset())),
        path: error.path(),
        what: told(&error, (Format::Xml, bytes), layout, Some(form)),
    })?;
    Ok(record)
}

/// An error without its byte, with what was meant or may stand there.
fn told(
    error: &Error,
    (format, bytes): (Format, &[u8]),
    layout: &Layout,
    form: Option<&Form>,
) -> String {
    let path = error.path();
    let before = if path.is_empty() { String::new() } else { format!("{}: ", short_path(&path)) };
    let mut what = format!("{before}{}{}", error.kind(), explain(format, bytes, layout, error));
    if let (ErrorKind::Unknown, Some(form)) = (error.kind(), form) {
        let (around, wrong) = path.rsplit_once('/').unwrap_or(("", &path));
        let request = Request::new(form);
        let names_at = |path: &str| request.names_at(path, format == Format::Json);
        let names = names_at(around)
            .or_else(|| names_at(around.split_once('/').map_or("", |it| it.1)))
            .unwrap_or_default();
        if !names.is_empty() {
            // The object around may have been meant, which has the name of the message.
            let is_own = around.is_empty() && format == Format::Json && wrong != layout.name();
            let own = is_own.then(|| layout.name());
            let known = names.iter().map(|it| &**it).chain(own);
            let meant = nearest(wrong.trim_start_matches('@'), known);
            let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
            what += &format!("; there is {}{meant}", listed(names.iter().cloned(), SHOWN));
        }
    }
    what
}

/// A text of XML as an envelope, which knows where in the text it is.
pub(super) struct Enveloped<'a> {
    pub(super) envelope: String,
    text: &'a str,
    /// Where the element begins that is the text's, in the envelope and in the text.
    starts: (usize, usize),
}

impl<'a> Enveloped<'a> {
    /// An envelope with these header blocks around an element, unless the text is one.
    pub(super) fn new(text: &'a str, version: Version, header: &str) -> Self {
        let element = element(text);
        let own = element.as_ptr() as usize - text.as_ptr() as usize;
        if is_envelope(text) {
            let envelope = text.trim_ascii().to_owned();
            let blanks = text.len() - text.trim_ascii_start().len();
            return Self { envelope, text, starts: (0, blanks) };
        }
        let envelope = enveloped(element, version, header);
        let start = envelope.len() - element.len() - END.len();
        Self { envelope, text, starts: (start, own) }
    }

    /// The line and the character in the text of a byte of the envelope; of what is before the element, its beginning.
    pub(super) fn place(&self, offset: usize) -> (usize, usize) {
        let (start, own) = self.starts;
        place::of_byte(self.text, (own + offset.saturating_sub(start)).min(self.text.len()))
    }

    /// The same of a line and a character of the envelope, both from 1; none if that is in a header block that is not of the text.
    pub(super) fn place_of_line(&self, (line, column): (u32, u32)) -> Option<(usize, usize)> {
        let (mut offset, envelope) = (0, &*self.envelope);
        for _ in 1..line {
            offset += envelope[offset..].find('\n').map_or(0, |it| it + 1);
        }
        let behind = envelope[offset..].char_indices().nth(column.saturating_sub(1) as usize);
        offset += behind.map_or(0, |it| it.0);
        (offset >= self.starts.0).then(|| self.place(offset))
    }
}

/// What is behind the element in an envelope.
const END: &str = "</SOAP-ENV:Body></SOAP-ENV:Envelope>";

/// Is it a whole envelope?
pub(super) fn is_envelope(text: &str) -> bool {
    let tag = element(text).trim_start_matches('<');
    let end = tag.find(|it: char| it.is_whitespace() || "/>".contains(it)).unwrap_or(tag.len());
    tag[..end].rsplit(':').next() == Some("Envelope")
}

/// An envelope with these header blocks around an element, unless it is one.
pub(super) fn enveloped(text: &str, version: Version, header: &str) -> String {
    if is_envelope(text) {
        return text.to_owned();
    }
    let namespace = match version {
        Version::Soap11 => "http://schemas.xmlsoap.org/soap/envelope/",
        Version::Soap12 => "http://www.w3.org/2003/05/soap-envelope",
    };
    let header = match header {
        "" => String::new(),
        blocks => format!("<SOAP-ENV:Header>{blocks}</SOAP-ENV:Header>"),
    };
    let element = element(text);
    format!(
        "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\">{header}<SOAP-ENV:Body>{element}{END}"
    )
}

/// What is behind the declaration and comments of a document.
fn element(text: &str) -> &str {
    let text = text.trim_ascii();
    let behind = [("<?", "?>"), ("<!--", "-->")]
        .iter()
        .find_map(|(start, end)| text.strip_prefix(start)?.split_once(end).map(|it| it.1));
    behind.map_or(text, element)
}

/// A message in JSON, as a line; in an object with its name where it has a member of that name, which would be taken for it.
pub(super) fn to_json(layout: &Arc<Layout>, record: &Record) -> trunkline_message::Result<String> {
    let mut plan = json::Plan::new(layout, &json::Options::default())?;
    if plan.has_own_name() {
        let options = json::Options { named: true, ..json::Options::default() };
        plan = json::Plan::new(layout, &options)?;
    }
    let mut encoder = json::Encoder::new(&plan);
    Ok(String::from_utf8_lossy(encoder.encode(record)?).into_owned())
}

pub(super) fn of_file(path: &Path, cause: &io::Error) -> Fault {
    Fault::new(format!("{}: {cause}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_text_that_was_given() {
        let text = "<?xml version='1.0'?>\n<!-- ä -->\n  <a>\n <b/></a>\n";
        let said = Enveloped::new(text, Version::Soap11, "<h>\n</h>");
        let at = said.envelope.find("<b/>").expect("it is there");
        assert_eq!(said.place(at), (4, 2));
        assert_eq!(said.place(said.envelope.find("<a>").expect("it is there")), (3, 3));
        // The header has a line of its own.
        assert_eq!(said.place_of_line((3, 2)), Some((4, 2)));
        assert_eq!(said.place_of_line((1, 1)), None);
        let whole = format!("\n {}", said.envelope);
        let said = Enveloped::new(&whole, Version::Soap11, "");
        assert_eq!(said.place(0), (2, 2));
        assert_eq!(said.envelope, whole.trim());
    }
}
