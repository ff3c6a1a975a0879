//! Reads everything before a message, from the XML declaration to the message's own element, and
//! everything behind it, by the parser.

use trunkline_codec::infoset::{Event, Reader};
use trunkline_codec::xml::Namespace;
use trunkline_message::{Error, ErrorKind, Result};

use crate::attributes::{
    Kept, KnownAttributes, has_graphs, others, own, reject_independent, reject_style,
    reject_unqualified,
};
use crate::envelope::{SOAP11, SOAP12};
use crate::form::Form;
use crate::names::Name as Meaning;
use crate::options::Layout;
use crate::plan::{NONE, Plan};
use crate::types::check_root_type;
use crate::unknown::{
    MESSAGE, UnknownCounter, meant_as_item, misplaced, rejected, rejected_among_others,
};

/// What names mean inside the message's own element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// For which declarations this holds.
    pub(super) generation: u32,
    /// Namespace of the message's elements, if the document has declared it.
    pub(super) namespace: Option<Namespace>,
    /// That of the Body's child, if its elements may be in that too.
    pub(super) outer_namespace: Option<Namespace>,
    /// Do names without a prefix mean what the plan means by them?
    pub(super) as_planned: bool,
}

/// How the inside of the message's element was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// By a template.
    ByTemplate,
    /// By the parser.
    Parsed,
    /// By the parser, and it is nil, so that nothing is inside. What begins so becomes no template.
    Nil,
}

/// Reads from the beginning to the inside of the message's own element; is it nil? Counts the attributes
/// there, and on the call around it, that are unknown.
#[cold]
pub(super) fn open<R: Reader>(
    plan: &Plan,
    reader: &mut R,
    unknown: &mut UnknownCounter,
) -> Result<bool> {
    if plan.options.layout == Layout::Fragment {
        let name = start(reader, "the message")?;
        return message(plan, reader, name, unknown);
    }
    let name = start(reader, "the Envelope")?;
    let namespace = reader.namespace_of(name);
    let soap = [SOAP11, SOAP12].into_iter().find(|it| *it == namespace);
    let Some(soap) = soap.filter(|_| reader.local(name) == "Envelope") else {
        return Err(unexpected("a SOAP 1.1 or 1.2 Envelope", reader, name));
    };
    let fits = reject_unqualified("Envelope", soap, reader);
    fits.map_err(|kind| Error::new(kind, reader.began()))?;
    let style = reject_style(plan, reader);
    let name = start(reader, "Header or Body")?;
    if !reader.is(name, soap, "Header") {
        return in_envelope(plan, reader, (soap, style), name, unknown);
    }
    let fits = reject_unqualified("Header", soap, reader);
    fits.map_err(|kind| Error::new(kind, reader.began()))?;
    header(reader, soap, plan.options.any_header)?;
    behind_header(plan, reader, (soap, style), unknown)
}

/// As [`open`], from behind the Header of an envelope that is in the namespace `soap`, and whose style
/// is known or not.
#[cold]
pub(super) fn behind_header<R: Reader>(
    plan: &Plan,
    reader: &mut R,
    envelope: (&str, Kept<()>),
    unknown: &mut UnknownCounter,
) -> Result<bool> {
    let name = start(reader, "Body")?;
    in_envelope(plan, reader, envelope, name, unknown)
}

/// The same from behind the start tag of what has to be the Body.
fn in_envelope<R: Reader>(
    plan: &Plan,
    reader: &mut R,
    (soap, style): (&str, Kept<()>),
    name: R::Name,
    unknown: &mut UnknownCounter,
) -> Result<bool> {
    if !reader.is(name, soap, "Body") {
        return Err(unexpected("the Body", reader, name));
    }
    let style = style.and_then(|()| reject_unqualified("Body", soap, reader));
    let style = style.and_then(|()| reject_style(plan, reader));
    style.map_err(|kind| Error::new(kind, reader.began()))?;
    if plan.options.layout == Layout::Body {
        return message(plan, reader, name, unknown);
    }
    body(plan, reader, soap, unknown)
}

/// Passes over header blocks; one that has to be understood is not, unless `any` is.
pub(super) fn header(reader: &mut impl Reader, soap: &str, any: bool) -> Result<()> {
    let outside = reader.depth() - 1;
    while reader.depth() > outside {
        let Event::Start(name) = reader.next()? else { continue };
        let must = reader.find_attribute(soap, "mustUnderstand");
        let must = must.is_some_and(|it| matches!(reader.value(it).trim(), "1" | "true"));
        if must && !any && reader.depth() == outside + 2 {
            let name = reader.qualified(name);
            let what = format!("the header {}, which must be understood", excerpt(&name));
            return Err(Error::new(ErrorKind::Unsupported(what.into()), reader.began()));
        }
    }
    Ok(())
}

fn body<R: Reader>(
    plan: &Plan,
    reader: &mut R,
    soap: &str,
    unknown: &mut UnknownCounter,
) -> Result<bool> {
    let (operation, namespace) = (&plan.options.operation, &plan.options.namespace);
    if plan.options.layout == Layout::Nothing {
        return empty_body(reader, soap, unknown).map(|()| true);
    }
    let mut name = start(reader, "the message")?;
    let at = reader.began();
    if reader.is(name, soap, "Fault") {
        return Err(fault(reader, at)?);
    }
    let is_call = reject_independent(plan, reader);
    is_call.map_err(|kind| Error::new(kind, at))?;
    if plan.options.is_plain_rpc() {
        let any = plan.options.any_wrapper;
        if !any && !reader.is(name, namespace, operation) {
            let expected = format!("the operation {operation} of {}", shown(namespace));
            return Err(unexpected(&expected, reader, name));
        }
        let fits = reject_style(plan, reader);
        fits.map_err(|kind| Error::new(kind, at))?;
        if has_graphs(plan) {
            check(plan, reader, false)?;
        }
        count_around(plan, reader, unknown)?;
        name = start(reader, "the message")?;
    }
    message(plan, reader, name, unknown)
}

/// Passes over the rest of a Body that is to be empty; elements that stand there all the same are unknown.
fn empty_body<R: Reader>(reader: &mut R, soap: &str, unknown: &mut UnknownCounter) -> Result<()> {
    loop {
        let event = reader.next()?;
        let at = reader.began();
        match event {
            Event::Start(name) if reader.is(name, soap, "Fault") => return Err(fault(reader, at)?),
            Event::Start(name) => {
                unknown.add(1, || rejected(reader.local(name), at))?;
                reader.skip()?;
            }
            Event::Text(text) if reader.is_white(text) => {}
            Event::End => return Ok(()),
            _ => {
                let kind = ErrorKind::Expected("nothing in the Body".into());
                return Err(Error::new(kind, at));
            }
        }
    }
}

/// The error that the element just begun is a Fault.
fn fault(reader: &mut impl Reader, at: usize) -> Result<Error> {
    let what = format!("a Fault in place of the message: {}", text(reader)?);
    Ok(Error::new(ErrorKind::Unsupported(what.into()), at))
}

/// Counts the attributes of the start tag just read, which is that of the call around the message,
/// that are unknown.
fn count_around(plan: &Plan, reader: &impl Reader, unknown: &mut UnknownCounter) -> Result<()> {
    for index in own(plan, reader) {
        let local = reader.local(reader.attribute(index).0);
        if let Some(kind) = meant_as_item(&plan.root, &plan.root_namespace, local) {
            return Err(Error::new(kind, reader.attribute_began(index)));
        }
    }
    unknown.add(others(plan, reader).count(), || rejected_among_others(plan, reader))
}

/// Looks at the start tag just read, which has to be that of the message's own element. Where fields
/// are attributes, they are not looked at here.
fn message<R: Reader>(
    plan: &Plan,
    reader: &R,
    name: R::Name,
    unknown: &mut UnknownCounter,
) -> Result<bool> {
    let any = plan.options.layout == Layout::Body
        || plan.options.any_wrapper && !plan.options.is_plain_rpc();
    if !any && !reader.is(name, &plan.root_namespace, &plan.root) {
        let namespace = shown(&plan.root_namespace);
        let expected = format!("the message {} of {namespace}", plan.root);
        return Err(unexpected(&expected, reader, name));
    }
    if let Some(root_type) = &plan.root_type {
        let fits = check_root_type(root_type, reader);
        fits.map_err(|kind| Error::new(kind, reader.began()))?;
    }
    let nil = check(plan, reader, plan.options.nillable || plan.may_be_nil())?;
    if plan.in_tags {
        return Ok(nil);
    }
    if let Some((meaning, kind, at)) = misplaced(plan, reader, &plan.scopes[0], NONE) {
        let field = if let Meaning::Field(field) = meaning { field.into() } else { usize::MAX };
        return Err(plan.locate(Error::new(kind, at), 0, field));
    }
    let count = others(plan, reader).count();
    if count > 0 {
        unknown.add(count, || rejected_among_others(plan, reader))?;
        unknown.keep_of_message(plan, reader)?;
    }
    Ok(nil)
}

/// Looks at the attributes of the start tag just read: there have to be elements by their names, or
/// none at all if it `may` be nil; says whether it is.
fn check(plan: &Plan, reader: &impl Reader, may: bool) -> Result<bool> {
    let known_attributes = KnownAttributes::read(plan, reader).and_then(|known_attributes| {
        if !may {
            known_attributes.reject_nil(MESSAGE)?;
        }
        known_attributes.reject_others(plan).map(|()| known_attributes.nil)
    });
    known_attributes.map_err(|kind| Error::new(kind, reader.began()))
}

fn unexpected<R: Reader>(what: &str, reader: &R, found: R::Name) -> Error {
    let namespace = shown(reader.namespace_of(found));
    let what = format!("{what}, not <{}> of {namespace}", excerpt(&reader.qualified(found)));
    Error::new(ErrorKind::Expected(what.into()), reader.began())
}

/// A namespace as errors name it.
pub(super) fn shown(namespace: &str) -> String {
    match namespace {
        "" => "no namespace".into(),
        name => format!("{:?}", excerpt(name)),
    }
}

/// As much of a document as an error shows.
pub(super) fn excerpt(text: &str) -> &str {
    &text[..text.floor_char_boundary(200)]
}

/// The beginning of the text in the element just begun, whatever elements it stands in.
fn text(reader: &mut impl Reader) -> Result<String> {
    let mut text = String::new();
    let outside = reader.depth() - 1;
    while reader.depth() > outside {
        let Event::Text(part) = reader.next()? else { continue };
        if reader.is_white(part) {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(reader.value(part).trim());
        text.truncate(text.floor_char_boundary(200));
    }
    Ok(text)
}

/// The next element; only white space and comments may stand before it.
fn start<R: Reader>(reader: &mut R, expected: &'static str) -> Result<R::Name> {
    loop {
        match reader.next()? {
            Event::Start(name) => return Ok(name),
            Event::Text(text) if reader.is_white(text) => {}
            Event::Text(_) | Event::End | Event::Eof => {
                return Err(Error::new(ErrorKind::Expected(expected.into()), reader.began()));
            }
        }
    }
}

/// Reads from behind the message's element to the end of the document. What stands behind the Body
/// is passed over in SOAP 1.1 (section 4), and so is what stands in an encoded Body behind the call,
/// to be referred to.
#[cold]
pub(super) fn close(plan: &Plan, reader: &mut impl Form) -> Result<()> {
    loop {
        let depth = reader.depth();
        let in_soap_11 = depth == 1 && reader.envelope() == Some(SOAP11);
        let event = reader.next()?;
        let at = reader.began();
        match event {
            Event::Eof => return Ok(()),
            Event::End => {}
            Event::Text(text) if reader.is_white(text) => {}
            Event::Text(_) => {
                let expected = "end tags after the message, not text";
                return Err(Error::new(ErrorKind::Expected(expected.into()), at));
            }
            Event::Start(name) => {
                let again = || {
                    let part = matches!(reader.local(name), "Header" | "Body");
                    part && reader.namespace_of(name) == SOAP11
                };
                if depth == 2 && has_graphs(plan) || in_soap_11 && !again() {
                    reader.skip()?;
                    continue;
                }
                let name = reader.qualified(name);
                let what = format!("the element {} after the message", excerpt(&name));
                return Err(Error::new(ErrorKind::Unsupported(what.into()), at));
            }
        }
    }
}
