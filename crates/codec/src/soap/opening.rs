//! The way into a message, from the XML declaration to its own element, and out again.

use trunkline_message::{Error, ErrorKind, Result};

use super::attributes::{
    Kept, Marks, has_graphs, others, refuse_independent, refuse_style, refuse_unqualified,
};
use super::envelope::{SOAP11, SOAP12};
use super::names::Name as Meaning;
use super::plan::{Layout, NONE, Plan};
use super::unknown::{Tally, meant_as_item, misplaced, place, refused_among_others};
use crate::infoset::same;
use crate::xml::{self, Event, Name, Namespace, Parser};

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
pub(super) enum Way {
    /// By what was learnt.
    Known,
    /// By the parser.
    Parsed,
    /// By the parser, and it is nil, so that nothing is inside. What begins so is not learnt.
    Nil,
}

/// Reads to the inside of the message's own element; is it nil? Counts the attributes there, and
/// on the call around it, that are unknown.
#[cold]
pub(super) fn open(
    plan: &Plan,
    input: &str,
    parser: &mut Parser,
    unknown: &mut Tally,
) -> Result<bool> {
    parser.begin(input)?;
    let at = parser.position();
    if plan.options.layout == Layout::Fragment {
        let name = start(input, parser, "the message")?;
        return message(plan, input, parser, (at, name), unknown);
    }
    let name = start(input, parser, "the Envelope")?;
    let namespace = parser.namespace_name(input, name.namespace);
    let soap = [SOAP11, SOAP12].into_iter().find(|it| *it == namespace);
    let Some(soap) = soap.filter(|_| name.local() == "Envelope") else {
        return Err(unexpected(at, "a SOAP 1.1 or 1.2 Envelope", parser, input, name));
    };
    let fits = refuse_unqualified("Envelope", soap, &xml::Reader::new(&*parser, input));
    fits.map_err(|kind| Error::new(kind, at))?;
    let style = refuse_style(plan, parser, input);
    let at = parser.position();
    let name = start(input, parser, "Header or Body")?;
    if !is(parser, input, name, soap, "Header") {
        return in_envelope(plan, input, parser, (soap, style), (at, name), unknown);
    }
    let fits = refuse_unqualified("Header", soap, &xml::Reader::new(&*parser, input));
    fits.map_err(|kind| Error::new(kind, at))?;
    header(input, parser, soap, plan.options.any_header)?;
    behind_header(plan, input, parser, (soap, style), unknown)
}

/// As [`open`], from behind the Header of an envelope that is in the namespace `soap`, and whose style
/// is known or not.
#[cold]
pub(super) fn behind_header(
    plan: &Plan,
    input: &str,
    parser: &mut Parser,
    envelope: (&str, Kept<()>),
    unknown: &mut Tally,
) -> Result<bool> {
    let at = parser.position();
    let name = start(input, parser, "Body")?;
    in_envelope(plan, input, parser, envelope, (at, name), unknown)
}

/// The same from behind the start tag of what has to be the Body.
fn in_envelope(
    plan: &Plan,
    input: &str,
    parser: &mut Parser,
    (soap, style): (&str, Kept<()>),
    (at, name): (usize, Name<'_>),
    unknown: &mut Tally,
) -> Result<bool> {
    if !is(parser, input, name, soap, "Body") {
        return Err(unexpected(at, "the Body", parser, input, name));
    }
    let style =
        style.and_then(|()| refuse_unqualified("Body", soap, &xml::Reader::new(&*parser, input)));
    let style = style.and_then(|()| refuse_style(plan, parser, input));
    style.map_err(|kind| Error::new(kind, at))?;
    body(plan, input, parser, soap, unknown)
}

/// Passes over header blocks; one that has to be understood is not, unless `any` is.
pub(super) fn header(input: &str, parser: &mut Parser, soap: &str, any: bool) -> Result<()> {
    let outside = parser.depth() - 1;
    while parser.depth() > outside {
        let at = parser.position();
        let Event::Start { name, .. } = parser.next(input)? else { continue };
        let must = parser.attributes(input).any(|it| {
            it.name.local() == "mustUnderstand"
                && parser.namespace_name(input, it.name.namespace) == soap
                && matches!(it.value().trim(), "1" | "true")
        });
        if must && !any && parser.depth() == outside + 2 {
            let what =
                format!("the header {}, which must be understood", excerpt(name.qualified()));
            return Err(Error::new(ErrorKind::Unsupported(what.into()), at));
        }
    }
    Ok(())
}

fn body(
    plan: &Plan,
    input: &str,
    parser: &mut Parser,
    soap: &str,
    unknown: &mut Tally,
) -> Result<bool> {
    let (operation, namespace) = (&plan.options.operation, &plan.options.namespace);
    let mut at = parser.position();
    let mut name = start(input, parser, "the message")?;
    if is(parser, input, name, soap, "Fault") {
        let what = format!("a Fault in place of the message: {}", text(input, parser)?);
        return Err(Error::new(ErrorKind::Unsupported(what.into()), at));
    }
    let is_call = refuse_independent(plan, parser, input);
    is_call.map_err(|kind| Error::new(kind, at))?;
    if plan.options.is_plain_rpc() {
        let any = plan.options.any_wrapper;
        if !any && !is(parser, input, name, namespace, operation) {
            let expected = format!("the operation {operation} of {}", shown(namespace));
            return Err(unexpected(at, &expected, parser, input, name));
        }
        let fits = refuse_style(plan, parser, input);
        fits.map_err(|kind| Error::new(kind, at))?;
        if has_graphs(plan) {
            check(plan, input, parser, at, false)?;
        }
        count_around(plan, parser, input, unknown)?;
        at = parser.position();
        name = start(input, parser, "the message")?;
    }
    message(plan, input, parser, (at, name), unknown)
}

/// Counts the attributes of the start tag just read, which is that of the call around the message,
/// that are unknown.
fn count_around(plan: &Plan, parser: &Parser, input: &str, unknown: &mut Tally) -> Result<()> {
    let (mut count, namespace) = (0, &plan.root_namespace);
    for attribute in others(plan, parser, input) {
        if let Some(kind) = meant_as_item(&plan.root, namespace, attribute.name.local()) {
            return Err(Error::new(kind, place(attribute, input)));
        }
        count += 1;
    }
    unknown.add(count, || refused_among_others(plan, parser, input))
}

/// Looks at the start tag just read, which has to be that of the message's own element. Where fields
/// are attributes, they are not looked at here.
fn message(
    plan: &Plan,
    input: &str,
    parser: &Parser,
    (at, name): (usize, Name<'_>),
    unknown: &mut Tally,
) -> Result<bool> {
    let any = plan.options.any_wrapper && !plan.options.is_plain_rpc();
    if !any && !is(parser, input, name, &plan.root_namespace, &plan.root) {
        let namespace = shown(&plan.root_namespace);
        let expected = format!("the message {} of {namespace}", plan.root);
        return Err(unexpected(at, &expected, parser, input, name));
    }
    let nil = check(plan, input, parser, at, plan.may_be_nil())?;
    if plan.in_tags {
        return Ok(nil);
    }
    if let Some((meaning, kind, at)) = misplaced(plan, parser, input, &plan.scopes[0], NONE) {
        let field = if let Meaning::Field(field) = meaning { field.into() } else { usize::MAX };
        return Err(plan.locate(Error::new(kind, at), 0, field));
    }
    let count = others(plan, parser, input).count();
    if count > 0 {
        unknown.add(count, || refused_among_others(plan, parser, input))?;
        unknown.keep_of_message(plan, parser, input)?;
    }
    Ok(nil)
}

/// Looks at the attributes of the start tag just read: there have to be elements by their names, or
/// none at all if it `may` be nil; says whether it is.
fn check(plan: &Plan, input: &str, parser: &Parser, at: usize, may: bool) -> Result<bool> {
    let marks = Marks::read(plan, parser, input).and_then(|marks| {
        if !may {
            marks.refuse_nil("a message, not nil")?;
        }
        marks.refuse_others(plan).map(|()| marks.nil)
    });
    marks.map_err(|kind| Error::new(kind, at))
}

fn unexpected(at: usize, what: &str, parser: &Parser, input: &str, found: Name<'_>) -> Error {
    let namespace = shown(parser.namespace_name(input, found.namespace));
    let what = format!("{what}, not <{}> of {namespace}", excerpt(found.qualified()));
    Error::new(ErrorKind::Expected(what.into()), at)
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
fn text(input: &str, parser: &mut Parser) -> Result<String> {
    let mut text = String::new();
    let outside = parser.depth() - 1;
    while parser.depth() > outside {
        let before = text.len();
        match parser.next(input)? {
            Event::Text { raw, white: false, .. } => xml::unescape(raw.trim(), &mut text),
            Event::CData { raw, .. } => text.push_str(raw.trim()),
            _ => continue,
        }
        if before > 0 {
            text.insert(before, ' ');
        }
        text.truncate(text.floor_char_boundary(200));
    }
    Ok(text)
}

fn is(parser: &Parser, input: &str, name: Name<'_>, namespace: &str, local: &str) -> bool {
    name.local() == local && same(parser.namespace_name(input, name.namespace), namespace)
}

/// The next element; only white space and comments may stand before it.
fn start<'a>(input: &'a str, parser: &mut Parser, expected: &'static str) -> Result<Name<'a>> {
    loop {
        let at = parser.position();
        match parser.next(input)? {
            Event::Start { name, .. } => return Ok(name),
            Event::Text { white: true, .. }
            | Event::Comment(_)
            | Event::ProcessingInstruction { .. } => {}
            Event::Text { .. } | Event::CData { .. } | Event::End { .. } | Event::Eof => {
                return Err(Error::new(ErrorKind::Expected(expected.into()), at));
            }
        }
    }
}

/// Reads from behind the message's element to the end of the document. What stands behind the Body
/// is passed over in SOAP 1.1 (section 4), and so is what stands in an encoded Body behind the call,
/// to be referred to.
#[cold]
pub(super) fn close(plan: &Plan, input: &str, parser: &mut Parser) -> Result<()> {
    loop {
        let at = parser.position();
        let depth = parser.depth();
        let in_soap_11 = depth == 1 && envelope(input, parser) == Some(SOAP11);
        match parser.next(input)? {
            Event::Eof => return Ok(()),
            Event::End { .. }
            | Event::Text { white: true, .. }
            | Event::Comment(_)
            | Event::ProcessingInstruction { .. } => {}
            Event::Text { .. } | Event::CData { .. } => {
                let expected = "end tags after the message, not text";
                return Err(Error::new(ErrorKind::Expected(expected.into()), at));
            }
            Event::Start { name, .. } => {
                let again = || {
                    let part = matches!(name.local(), "Header" | "Body");
                    part && parser.namespace_name(input, name.namespace) == SOAP11
                };
                if depth == 2 && has_graphs(plan) || in_soap_11 && !again() {
                    parser.skip_element(input)?;
                    continue;
                }
                let what = format!("the element {} after the message", excerpt(name.qualified()));
                return Err(Error::new(ErrorKind::Unsupported(what.into()), at));
            }
        }
    }
}

/// The namespace of the Envelope, inside which the parser stands.
fn envelope<'a>(input: &'a str, parser: &'a Parser) -> Option<&'a str> {
    let (start, length) = parser.open_elements(0).next()?;
    let (prefix, _) = input[start..start + length].split_once(':').unwrap_or_default();
    parser.resolve_prefix(input, prefix).map(|it| parser.namespace_name(input, it))
}
