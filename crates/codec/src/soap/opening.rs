//! The way into a message, from the XML declaration to its own element, and out again.

use trunkline_message::{Error, ErrorKind, Result};

use super::attributes::{
    Marks, has_graphs, others, refuse_independent, refuse_style, refuse_unqualified,
};
use super::envelope::{SOAP11, SOAP12};
use super::learnt::Learnt;
use super::names::Name as Meaning;
use super::plan::{Layout, NONE, Plan};
use super::unknown::{meant_as_item, misplaced, place};
use crate::xml::{self, Event, Name, Namespace, Parser};

/// The envelope of the last message: most senders send the same bytes around every message, and
/// equal bytes need not be parsed again.
#[derive(Debug, Default)]
pub(super) struct Opening {
    before: Box<[u8]>,
    after: Box<[u8]>,
    parser: Option<Parser>,
    names: Option<Names>,
    /// Attributes on the way that mean nothing.
    unknown: usize,
}

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

/// A longer envelope (with a Header that varies, say) is not worth keeping.
const LONGEST: usize = 4096;

impl Opening {
    /// Goes to the inside of the message's own element; what is `expected` may be known, or is learnt.
    /// Tells in `unknown`, up to an error too, how many attributes of the tags there mean nothing.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        plan: &Plan,
        input: &str,
        parser: &mut Parser,
        learnt: &mut Learnt,
        expected: bool,
        unknown: &mut usize,
    ) -> Result<Way> {
        if expected && self.resume(input, parser) {
            *unknown = self.unknown;
            return Ok(Way::Known);
        }
        if open(plan, input, parser, unknown)? {
            return Ok(Way::Nil);
        }
        if expected {
            match plan.options.attributes {
                false => self.learn(input, parser),
                true => self.learn_in_tag(input, parser, plan.width),
            }
            self.unknown = *unknown;
            learnt.forget();
        }
        Ok(Way::Parsed)
    }

    /// Puts the parser behind the envelope's beginning if it is that of the last message.
    #[inline]
    fn resume(&self, input: &str, parser: &mut Parser) -> bool {
        match &self.parser {
            Some(saved) if input.as_bytes().starts_with(&self.before) => {
                parser.restore(saved);
                true
            }
            _ => false,
        }
    }

    /// Remembers the way to where the parser stands, inside the message's element.
    #[cold]
    fn learn(&mut self, input: &str, parser: &Parser) {
        self.parser = (parser.position() <= LONGEST).then(|| parser.clone());
        self.before = input.as_bytes()[..parser.position().min(LONGEST)].into();
        self.after = Box::default();
        self.names = None;
    }

    /// What names mean behind the beginning that was resumed.
    #[inline]
    pub(super) fn names(&self) -> Option<Names> {
        self.names
    }

    /// Remembers what names mean behind the beginning that was learnt.
    #[cold]
    pub(super) fn learn_names(&mut self, names: Names) {
        self.names = Some(names);
    }

    /// Remembers the way to where the first attribute of the message's element may stand. Of a tag
    /// that may have more than `width` of them with its declarations, or that declares anything
    /// later, nothing is remembered.
    #[cold]
    fn learn_in_tag(&mut self, input: &str, parser: &Parser, width: usize) {
        let end = parser.position();
        let first = parser.attributes(input).next().map(|it| it.name.qualified());
        let name = first.map(|name| name.as_ptr().addr() - input.as_ptr().addr() - 1);
        let empty = parser.is_empty_element();
        let at = name.unwrap_or(end - 1 - usize::from(empty));
        *self = Self::default();
        let declares_later = input[at..end].contains("xmlns");
        let start = input[..at].rfind('<').unwrap_or(0);
        let declarations = input[start..at].matches("xmlns").count();
        if at <= LONGEST && !declares_later && declarations + width <= parser.most_attributes() {
            let mut parser = parser.clone();
            parser.resume_in_tag(at);
            self.before = input.as_bytes()[..at].into();
            self.parser = Some(parser);
        }
    }

    /// Is the rest of the document the same as that of the last message?
    #[inline]
    pub(super) fn ends(&self, input: &str, at: usize) -> bool {
        !self.after.is_empty() && input.as_bytes()[at..] == *self.after
    }

    /// Remembers the rest of the document, which was found good.
    #[cold]
    pub(super) fn learn_end(&mut self, input: &str, at: usize) {
        let rest = &input.as_bytes()[at..];
        self.after = if rest.len() <= LONGEST { rest.into() } else { Box::default() };
    }
}

/// Reads to the inside of the message's own element; is it nil? Counts the attributes there, and
/// on the call around it, that are unknown.
#[cold]
pub(super) fn open(
    plan: &Plan,
    input: &str,
    parser: &mut Parser,
    unknown: &mut usize,
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
    let mut style = refuse_style(plan, parser, input);
    let mut at = parser.position();
    let mut name = start(input, parser, "Header or Body")?;
    if is(parser, input, name, soap, "Header") {
        let fits = refuse_unqualified("Header", soap, &xml::Reader::new(&*parser, input));
        fits.map_err(|kind| Error::new(kind, at))?;
        header(input, parser, soap, plan.options.any_header)?;
        at = parser.position();
        name = start(input, parser, "Body")?;
    }
    if !is(parser, input, name, soap, "Body") {
        return Err(unexpected(at, "the Body", parser, input, name));
    }
    style =
        style.and_then(|()| refuse_unqualified("Body", soap, &xml::Reader::new(&*parser, input)));
    style = style.and_then(|()| refuse_style(plan, parser, input));
    style.map_err(|kind| Error::new(kind, at))?;
    body(plan, input, parser, soap, unknown)
}

/// Passes over header blocks; one that has to be understood is not, unless `any` is.
fn header(input: &str, parser: &mut Parser, soap: &str, any: bool) -> Result<()> {
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
    unknown: &mut usize,
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
        *unknown += count_around(plan, parser, input)?;
        at = parser.position();
        name = start(input, parser, "the message")?;
    }
    message(plan, input, parser, (at, name), unknown)
}

/// How many attributes of the start tag just read, which is that of the call around the message,
/// are unknown.
fn count_around(plan: &Plan, parser: &Parser, input: &str) -> Result<usize> {
    let (mut count, namespace) = (0, &plan.root_namespace);
    for attribute in others(plan, parser, input) {
        if let Some(kind) = meant_as_item(&plan.root, namespace, attribute.name.local()) {
            return Err(Error::new(kind, place(attribute, input)));
        }
        count += 1;
    }
    Ok(count)
}

/// Looks at the start tag just read, which has to be that of the message's own element. Where fields
/// are attributes, they are not looked at here.
fn message(
    plan: &Plan,
    input: &str,
    parser: &Parser,
    (at, name): (usize, Name<'_>),
    unknown: &mut usize,
) -> Result<bool> {
    let any = plan.options.any_wrapper && !plan.options.is_plain_rpc();
    if !any && !is(parser, input, name, &plan.root_namespace, &plan.root) {
        let namespace = shown(&plan.root_namespace);
        let expected = format!("the message {} of {namespace}", plan.root);
        return Err(unexpected(at, &expected, parser, input, name));
    }
    let nil = check(plan, input, parser, at, plan.may_be_nil())?;
    if plan.options.attributes {
        return Ok(nil);
    }
    if let Some((meaning, kind, at)) = misplaced(plan, parser, input, &plan.scopes[0], NONE) {
        let field = if let Meaning::Field(field) = meaning { field.into() } else { usize::MAX };
        return Err(plan.locate(Error::new(kind, at), 0, field));
    }
    *unknown += others(plan, parser, input).count();
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
    name.local() == local && parser.namespace_name(input, name.namespace) == namespace
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
