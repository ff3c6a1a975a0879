//! Goes through a document, element by element.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use trunkline_codec::xml::{self, Event, Parser, Source};

use super::identity::{Row, Scope};
use super::model::{Matched, State};
use super::simple::shown;
use super::types::{Content, TypeRules};
use super::value::{BLANKS, Words};
use super::{Fault, Rules, Validation, places};
use crate::Limits;
use crate::markup::Prefixes;
use crate::xsd::Schemas;
use crate::xsd::component::ElementId;
use crate::xsd::name::Name;
use crate::xsd::wildcard::Process;

/// What is wrong, at the byte of an element's tag, with the attribute if it is one.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) at: usize,
    pub(super) attribute: Option<String>,
    pub(super) fault: Fault,
}

/// A document that is gone through.
pub(super) struct Walk<'a> {
    pub(super) schemas: &'a Schemas,
    pub(super) rules: &'a Rules,
    pub(super) input: &'a str,
    pub(super) parser: Parser,
    /// The elements that are open, outermost first.
    pub(super) frames: Vec<Frame>,
    pub(super) scopes: Vec<Scope>,
    pub(super) rows: Vec<Row>,
    /// Steps that keys have cost.
    pub(super) work: u64,
    pub(super) ids: HashSet<String>,
    /// Names that refer to others, with the elements that have them.
    pub(super) references: Vec<(String, usize)>,
    pub(super) names: Names,
    pub(super) out: Vec<Found>,
    most: usize,
    undeclared: Vec<Name>,
}

/// An element that is open.
pub(super) struct Frame {
    pub(super) name: Name,
    pub(super) at: usize,
    pub(super) element: Option<ElementId>,
    pub(super) rules: Arc<TypeRules>,
    pub(super) state: State,
    pub(super) text: String,
    /// What prefixes stand for in it, if its text has any.
    pub(super) prefixes: Prefixes,
    pub(super) has_children: bool,
    pub(super) is_nil: bool,
    /// Was it told that something may not stand in it?
    pub(super) is_broken: bool,
    /// The fields of rows whose value it is.
    pub(super) fields: Vec<(usize, usize)>,
    /// What the keys in it, and itself, have.
    pub(super) tables: HashMap<usize, HashSet<String>>,
}

/// The parts of names, each kept once.
#[derive(Default)]
pub(super) struct Names(HashSet<Arc<str>>);

impl Names {
    pub(super) fn name(&mut self, namespace: &str, local: &str) -> Name {
        let mut kept = |text: &str| match self.0.get(text) {
            Some(known) => known.clone(),
            None => {
                let text: Arc<str> = text.into();
                self.0.insert(text.clone());
                text
            }
        };
        Name { namespace: kept(namespace), local: kept(local) }
    }
}

/// What an element is held against.
pub(super) enum Wanted {
    Declared(ElementId),
    /// One of any name, of which so much has to be known.
    Any(Process),
}

/// Is it a namespace of SOAP's envelopes?
pub(super) fn is_of_envelope(namespace: &str) -> bool {
    ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"]
        .contains(&namespace)
}

pub(super) fn document(
    schemas: &Schemas,
    rules: &Rules,
    bytes: &[u8],
    limits: &Limits,
) -> Validation {
    let of_parser = trunkline_message::Limits {
        message_bytes: limits.document_bytes,
        depth: limits.depth,
        ..trunkline_message::Limits::default()
    };
    let mut source = Source::default();
    let input = match source.prepare(bytes, &of_parser) {
        Ok(input) => input,
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.offset.min(bytes.len())]);
            let violation = places::of_error(&before, error.offset, &error);
            return Validation { violations: vec![violation], ..Validation::default() };
        }
    };
    let mut walk = Walk {
        schemas,
        rules,
        input,
        parser: Parser::new(xml::Options::default(), &of_parser),
        frames: Vec::new(),
        scopes: Vec::new(),
        rows: Vec::new(),
        work: 0,
        ids: HashSet::new(),
        references: Vec::new(),
        names: Names::default(),
        out: Vec::new(),
        most: limits.violations,
        undeclared: Vec::new(),
    };
    let read = walk.all();
    let is_cut = walk.is_full();
    let (undeclared, mut found) = (walk.undeclared, walk.out);
    found.truncate(limits.violations);
    let mut violations = places::of(input, found, &of_parser);
    if let Err(error) = read {
        violations.push(places::of_error(input, error.offset, &error));
    }
    Validation { violations, is_cut, undeclared }
}

impl Walk<'_> {
    fn all(&mut self) -> Result<(), xml::Error> {
        let input = self.input;
        self.parser.begin(input)?;
        while !self.is_full() {
            let at = self.parser.position();
            match self.parser.next(input)? {
                Event::Start { name, .. } => {
                    let namespace = self.parser.namespace_name(input, name.namespace);
                    let name = self.names.name(namespace, name.local());
                    let blanks = input[at..].len() - input[at..].trim_ascii_start().len();
                    self.start(name, at + blanks)?;
                }
                Event::End { .. } => self.end(),
                Event::Text { raw, white, .. } => self.text(raw, white, xml::unescape),
                Event::CData { raw, .. } => self.text(raw, false, xml::normalise_newlines),
                Event::Eof => break,
                _ => {}
            }
        }
        for (name, at) in std::mem::take(&mut self.references) {
            if self.ids.contains(&name) {
                continue;
            }
            let what = format!("{} refers to no ID", shown(&name));
            self.tell_at(at, Fault::new("cvc-id", what));
        }
        Ok(())
    }

    /// Is as much told as may be?
    fn is_full(&self) -> bool {
        self.out.len() > self.most
    }

    /// Tells what is wrong with an element.
    pub(super) fn tell_at(&mut self, at: usize, fault: Fault) {
        self.out.push(Found { at, attribute: None, fault });
    }

    fn start(&mut self, name: Name, at: usize) -> Result<(), xml::Error> {
        let wanted = self.wanted(&name, at);
        match wanted {
            Some(wanted) => self.open(name, at, wanted)?,
            None => self.parser.skip_element(self.input)?,
        }
        Ok(())
    }

    /// What an element is held against; none if it is not looked into.
    fn wanted(&mut self, name: &Name, at: usize) -> Option<Wanted> {
        let global = self.schemas.global_elements.get(name).copied();
        let is_envelope = |it: &Name| is_of_envelope(&it.namespace);
        let is_body = self.is_in_envelope(&["Body"]);
        let Some(around) = self.frames.last_mut() else {
            return match global {
                Some(global) => Some(Wanted::Declared(global)),
                None if is_envelope(name) && *name.local == *"Envelope" => {
                    Some(Wanted::Any(Process::Lax))
                }
                None => Some(Wanted::Any(Process::Strict)),
            };
        };
        around.has_children = true;
        if is_body && global.is_none() && !is_envelope(name) {
            self.undeclared.push(name.clone());
            return None;
        }
        let around_at = around.at;
        let fault = if around.is_nil {
            Fault::new("cvc-elt", format!("{name} stands in an element that is nil"))
        } else {
            let rules = around.rules.clone();
            match &rules.content {
                Content::Any => {
                    return Some(global.map_or(Wanted::Any(Process::Lax), Wanted::Declared));
                }
                Content::Text(_) => {
                    Fault::misplaced(format!("{name} stands where there is text alone"))
                }
                Content::Elements { model, .. } => {
                    let heads = self.schemas.heads_of(name);
                    let fault = match around.is_broken {
                        true => None,
                        false => match model.step(self.schemas, name, &heads, &mut around.state) {
                            Ok(matched) => return self.matched(name, matched),
                            Err(fault) => Some(fault),
                        },
                    };
                    around.is_broken = true;
                    let known = model.by_name(self.schemas, name, &heads);
                    fault.into_iter().for_each(|it| self.tell_at(at, it));
                    return known.and_then(|it| self.matched(name, it));
                }
            }
        };
        if !std::mem::replace(&mut around.is_broken, true) {
            self.tell_at(around_at, fault);
        }
        None
    }

    /// Is the next element an entry of one of these parts of an envelope that no schema declares?
    pub(super) fn is_in_envelope(&self, parts: &[&str]) -> bool {
        let [_, around] = &self.frames[..] else { return false };
        is_of_envelope(&around.name.namespace)
            && parts.contains(&&*around.name.local)
            && around.element.is_none()
    }

    fn matched(&self, name: &Name, matched: Matched<'_>) -> Option<Wanted> {
        match matched {
            Matched::Element(id) => Some(Wanted::Declared(id)),
            Matched::Any(wildcard) if wildcard.process == Process::Skip => None,
            Matched::Any(wildcard) => {
                let global = self.schemas.global_elements.get(name).copied();
                Some(global.map_or(Wanted::Any(wildcard.process), Wanted::Declared))
            }
        }
    }

    fn text(&mut self, raw: &str, is_white: bool, append: fn(&str, &mut String)) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (may_be_text, keeps) = match &frame.rules.content {
            Content::Text(_) => (true, true),
            Content::Any => (true, false),
            // What is fixed is compared.
            Content::Elements { is_mixed, .. } => (*is_mixed, *is_mixed && frame.element.is_some()),
        };
        if (keeps || frame.is_nil) && !frame.has_children {
            append(raw, &mut frame.text);
        }
        let is_empty = matches!(&frame.rules.content,
            Content::Elements { model, is_mixed: false } if model.is_empty);
        if may_be_text || frame.is_broken || is_white && !is_empty {
            return;
        }
        // Blanks may be written as references, or in a section of CDATA.
        let mut text = String::new();
        append(raw, &mut text);
        let what = match text.trim_matches(BLANKS) {
            "" if is_empty && !frame.is_nil && !text.is_empty() => {
                "blanks stand where there is to be nothing"
            }
            "" => return,
            _ => "text stands where there are elements alone",
        };
        frame.is_broken = true;
        let at = frame.at;
        self.tell_at(at, Fault::misplaced(what));
    }

    fn end(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let rules = frame.rules.clone();
        if let Content::Elements { model, .. } = &rules.content
            && !frame.is_broken
            && !frame.is_nil
            && let Err(fault) = model.end(self.schemas, &frame.state)
        {
            self.tell_at(frame.at, fault);
        }
        if frame.is_nil && !frame.text.is_empty() {
            self.tell_at(frame.at, Fault::new("cvc-elt", "text stands in an element that is nil"));
        }
        let key = if frame.is_nil { None } else { self.value(&frame) };
        self.end_of_keys(frame, key);
    }

    /// The key of the text of an element, if it is one.
    fn value(&mut self, frame: &Frame) -> Option<String> {
        let declared = frame.element.map(|it| self.schemas.at(it));
        let fixed = declared.and_then(|it| it.fixed.as_ref());
        let is_empty = frame.text.is_empty() && !frame.has_children;
        let default = declared.and_then(|it| it.default.as_ref()).or(fixed).filter(|_| is_empty);
        let text = default.unwrap_or(&frame.text);
        // What the schema says has its prefixes.
        let of_schema = declared.map_or(&frame.prefixes, |it| &it.prefixes);
        let prefixes = if default.is_some() { of_schema } else { &frame.prefixes };
        let of = match &frame.rules.content {
            Content::Text(of) => of,
            Content::Elements { is_mixed: true, .. } => {
                if let Some(fixed) = fixed.filter(|it| *it != text || frame.has_children) {
                    let what = format!("{} is not {fixed:?}, which is fixed", shown(text));
                    self.tell_at(frame.at, Fault::new("cvc-elt", what));
                }
                return None;
            }
            _ => return None,
        };
        let found = of.value(text, prefixes).map(|it| it.key());
        // The schema says of which type the value is by itself.
        let key_of =
            |it: &str| of.value(it, of_schema).map_or_else(|_| it.to_owned(), |it| it.key());
        match found {
            Ok(key) => {
                if let Some(fixed) = fixed.filter(|it| key_of(it) != key) {
                    let what = format!("{} is not {fixed:?}, which is fixed", shown(text));
                    self.tell_at(frame.at, Fault::new("cvc-elt", what));
                }
                if let Some(words) = of.identity() {
                    self.note_identity(words, text, frame.at);
                }
                Some(key)
            }
            Err(fault) => {
                self.tell_at(frame.at, fault);
                None
            }
        }
    }

    /// Notes a name that stands once in a document, or one that refers to it.
    pub(super) fn note_identity(&mut self, words: Words, text: &str, at: usize) {
        let names = text.split_ascii_whitespace();
        if words == Words::IdRef {
            self.references.extend(names.map(|it| (it.to_owned(), at)));
            return;
        }
        for name in names {
            if !self.ids.insert(name.to_owned()) {
                let what = format!("the ID {} stands twice", shown(name));
                self.tell_at(at, Fault::new("cvc-id", what));
            }
        }
    }
}
