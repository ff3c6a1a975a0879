//! Writes the unknown content that a message has kept back into the document.
//!
//! A message is written as if nothing unknown had been kept, so that those without it pay nothing. Then
//! what was written is read once more, and what was kept is put where it stood.

use std::collections::BTreeMap;

use trunkline_codec::xml::element::{declared, name_end};
use trunkline_codec::xml::{self, Event, Options, Parser};
use trunkline_message::{Error, ErrorKind, Limits, Place, Result, Sibling, Unknown};

use crate::attributes::{XML, type_name};
use crate::encoder::Encoder;
use crate::names::Name;
use crate::plan::{NONE, Plan, ScopePlan, Shape};
use crate::types::ByType;

/// The kept content of messages and entries that were written.
#[derive(Debug, Default)]
pub(crate) struct KeptContent {
    /// In the order in which their ends were written, and how far the document was then.
    scopes: Vec<(usize, Unknown)>,
    /// How many elements, attributes and fields were not written.
    pub(crate) dropped: usize,
}

impl KeptContent {
    /// Forgets what an earlier message has kept.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.dropped = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }

    /// Forgets what a message has kept that cannot be written.
    pub(crate) fn clear(&mut self) {
        self.scopes.clear();
    }

    /// A scope has kept this, of which `end` bytes are written.
    #[cold]
    pub(crate) fn take(&mut self, end: usize, unknown: &Unknown) {
        self.dropped += unknown.iter().count();
        if unknown.markup().next().is_some() {
            self.scopes.push((end, unknown.clone()));
        }
    }

    /// Puts everything into the document, in which what the message's own element holds begins at
    /// `content`, or its attributes.
    #[cold]
    pub(crate) fn restore(
        &mut self,
        plan: &Plan,
        document: &str,
        content: usize,
    ) -> Result<String> {
        // Documents of this encoder are read without limits.
        let most = usize::MAX;
        let limits =
            Limits { message_bytes: most, value_bytes: most, depth: most, ..Limits::default() };
        let limits = Limits { attributes: most, ..limits };
        let mut parser = Parser::new(Options::soap(), &limits);
        parser.begin(document)?;
        while parser.position() < content {
            parser.next(document)?;
        }
        let start = document[..content].rfind('<').unwrap_or(0);
        let scopes = std::mem::take(&mut self.scopes);
        let has_default = !parser.namespace_name(document, parser.default_namespace()).is_empty();
        let mut walk = Walk {
            plan,
            document,
            parser,
            scopes: scopes.into_iter().peekable(),
            changes: Edits::default(),
            has_default,
            prefixes: 0,
            dropped: 0,
        };
        walk.scope(0, start)?;
        self.dropped += walk.dropped;
        self.dropped += walk.scopes.map(|(_, unknown)| unknown.markup().count()).sum::<usize>();
        Ok(walk.changes.made(document))
    }
}

impl Encoder {
    /// Writes what was kept, into a document without it.
    #[cold]
    pub(crate) fn restore(&mut self, content: usize, problem: Option<Error>) -> Result<()> {
        if let Some(problem) = problem {
            self.kept.clear();
            return Err(problem);
        }
        let document = std::str::from_utf8(self.output.as_slice());
        let document =
            document.map_err(|_| Error::new(ErrorKind::Unwritable("it is no text"), 0))?;
        let whole = self.kept.restore(&self.plan, document, content)?;
        self.output.clear();
        self.output.extend(whole.as_bytes());
        Ok(())
    }
}

/// Texts to put into a document.
#[derive(Debug, Default)]
struct Edits {
    /// By their places, attributes before content. Texts into empty elements, which are opened by them,
    /// depend on the elements' names.
    texts: BTreeMap<(usize, bool), (String, Option<String>)>,
}

impl Edits {
    fn put(&mut self, at: usize, text: &str) {
        self.texts.entry((at, true)).or_default().0.push_str(text);
    }

    /// In the start tag of an element.
    fn put_attribute(&mut self, extent: &Extent, text: &str) {
        self.texts.entry((extent.name_end(), false)).or_default().0.push_str(text);
    }

    /// At the end of what an element holds.
    fn put_last(&mut self, extent: &Extent, text: &str) {
        let place = self.texts.entry((extent.content_end, true)).or_default();
        place.0.push_str(text);
        if extent.is_empty {
            place.1 = Some(extent.name.clone());
        }
    }

    fn made(&self, document: &str) -> String {
        let mut out = String::with_capacity(2 * document.len());
        let mut from = 0;
        for ((at, _), (text, opened)) in &self.texts {
            out.push_str(&document[from..*at]);
            from = *at;
            match opened {
                None => out.push_str(text),
                Some(name) => {
                    out.push_str(&format!(">{text}</{name}>"));
                    from += "/>".len();
                }
            }
        }
        out.push_str(&document[from..]);
        out
    }
}

/// An element that was written.
#[derive(Clone, Debug, Default)]
struct Extent {
    name: String,
    start: usize,
    /// Where its end tag begins, or the end of its tag if it is an empty-element tag.
    content_end: usize,
    end: usize,
    is_empty: bool,
    /// Where the entries of a list begin.
    entries: Vec<usize>,
}

impl Extent {
    /// Where its name ends.
    fn name_end(&self) -> usize {
        self.start + 1 + self.name.len()
    }
}

/// One of a scope's elements, in the element of a component.
struct Child {
    component: u16,
    sibling: Sibling,
    extent: Extent,
}

struct Walk<'a> {
    plan: &'a Plan,
    document: &'a str,
    parser: Parser,
    /// What was kept by those scopes whose ends are still to come.
    scopes: std::iter::Peekable<std::vec::IntoIter<(usize, Unknown)>>,
    changes: Edits,
    /// Would an element without a prefix be in a namespace?
    has_default: bool,
    /// How many prefixes were made.
    prefixes: usize,
    dropped: usize,
}

/// Components that hold nothing but what is unknown, so that they were not written: attributes, and what
/// is inside.
type Missing = BTreeMap<u16, (String, String)>;

/// What was written of a scope.
struct Written<'a> {
    scope: &'a ScopePlan,
    own: &'a Extent,
    /// The elements in that of each component, in their order.
    children: BTreeMap<u16, Vec<&'a Child>>,
}

impl<'a> Written<'a> {
    fn new(scope: &'a ScopePlan, own: &'a Extent, all: &'a [Child]) -> Self {
        let mut children: BTreeMap<u16, Vec<&Child>> = BTreeMap::new();
        for child in all {
            children.entry(child.component).or_default().push(child);
        }
        Self { scope, own, children }
    }

    fn children_of(&self, component: u16) -> &[&'a Child] {
        self.children.get(&component).map_or(&[], |it| it)
    }

    /// The component in whose element a place is; the scope's own if it has none in this plan.
    fn component_of(&self, place: Place) -> u16 {
        let component = match place {
            Place::Element { component, .. } | Place::Attribute { component } => component,
            Place::Entry { field, .. } | Place::FieldAttribute { field } => {
                self.scope.slots.get(usize::from(field)).map(|slot| slot.component)
            }
        };
        let is_there = |it: &u16| usize::from(*it) < self.scope.components.len();
        component.filter(is_there).unwrap_or(NONE)
    }

    /// The element of a component, if it was written.
    fn extent_of(&self, component: u16) -> Option<&'a Extent> {
        if component == NONE {
            return Some(self.own);
        }
        let around = self.children_of(self.scope.element_around(component));
        let order = self.scope.order(Sibling::Component(component));
        let found = around.binary_search_by_key(&order, |it| self.scope.order(it.sibling)).ok()?;
        Some(&around[found].extent)
    }

    /// The elements of a field: one, or those of a list without one around them.
    fn of_field(&self, field: u16) -> &[&'a Child] {
        let Some(slot) = self.scope.slots.get(usize::from(field)) else { return &[] };
        let order = self.scope.order(Sibling::Field(field));
        let all = self.children_of(slot.component);
        let start = all.partition_point(|it| self.scope.order(it.sibling) < order);
        let end = all.partition_point(|it| self.scope.order(it.sibling) <= order);
        &all[start..end]
    }

    /// The element in that of a component that comes behind another, or is the first.
    fn next(&self, component: u16, behind: Option<Sibling>) -> Option<&'a Child> {
        let order = behind.map(|it| self.scope.order(it));
        let all = self.children_of(component);
        let next = all.partition_point(|it| Some(self.scope.order(it.sibling)) <= order);
        all.get(next).copied()
    }
}

impl Walk<'_> {
    /// Reads the inside of a scope's element, whose start tag at `start` was read, and its end tag.
    fn scope(&mut self, index: usize, start: usize) -> Result<Extent> {
        let plan = self.plan;
        let scope = &plan.scopes[index];
        if let Some(types) = &scope.by_type {
            // The element is that of the arm.
            return self.field(index, self.arm_by_type(types).unwrap_or(0), start);
        }
        let mut children: Vec<Child> = Vec::new();
        // Where the last element ended that is no component's.
        let mut behind = start;
        let mut open: Vec<usize> = Vec::new();
        let own = loop {
            let component = open.last().map_or(NONE, |it| match children[*it].sibling {
                Sibling::Component(component) => component,
                Sibling::Field(_) => NONE,
            });
            let at = self.parser.position();
            match self.parser.next(self.document)? {
                Event::Start { name, .. } => {
                    let local = name.local().as_bytes();
                    let namespace = self.parser.namespace_name(self.document, name.namespace);
                    let mut all = scope.names.all(component, local);
                    let meaning = all.find(|(namespace_number, _)| {
                        plan.namespaces.name(*namespace_number) == namespace
                    });
                    let (sibling, extent) = match meaning.map(|(_, meaning)| meaning) {
                        Some(Name::Field(field)) => {
                            let field = self.arm(scope, field.into());
                            (Sibling::Field(field as u16), self.field(index, field, at)?)
                        }
                        Some(Name::Component(inner)) => {
                            open.push(children.len());
                            (Sibling::Component(inner), Extent { start: at, ..Extent::default() })
                        }
                        None => {
                            let field = scope.wildcard_for(component, namespace);
                            self.parser.skip_element(self.document)?;
                            let end = self.parser.position();
                            behind = end;
                            let Some(field) = field else { continue };
                            (Sibling::Field(field), Extent { start: at, end, ..Extent::default() })
                        }
                    };
                    behind = behind.max(extent.end);
                    children.push(Child { component, sibling, extent });
                }
                Event::End { .. } => match open.pop() {
                    Some(child) => {
                        let start = children[child].extent.start;
                        children[child].extent = self.ended(start, at);
                    }
                    None => break self.ended(start, at),
                },
                Event::Eof => break self.ended(start, at),
                _ => {}
            }
        };
        let is_inside = |(end, _): &(usize, Unknown)| (start..=own.end).contains(end);
        while let Some((end, unknown)) = self.scopes.next_if(is_inside) {
            match end >= behind {
                true => self.put(&Written::new(scope, &own, &children), &unknown),
                // A scope inside that was not gone through, as those of mixed content.
                false => self.dropped += unknown.markup().count(),
            }
        }
        Ok(own)
    }

    /// The field of which the start tag was just read, by its name; of a choice by type, that of the arm
    /// that `xsi:type` names.
    fn arm(&self, scope: &ScopePlan, field: usize) -> usize {
        let choice = scope.led_by(field);
        choice.and_then(|types| self.arm_by_type(types)).unwrap_or(field)
    }

    /// The arm whose type is the `xsi:type` of the start tag just read.
    fn arm_by_type(&self, types: &ByType) -> Option<usize> {
        let tag = xml::Reader::new(&self.parser, self.document);
        let found = type_name(&tag).ok()?;
        types.arm(found.as_ref().map(|(namespace, local)| (*namespace, &**local)), false).ok()
    }

    /// The element that begins at `start`, whose end tag at `at` was just read, if it has one.
    fn ended(&self, start: usize, at: usize) -> Extent {
        let element = &self.document[start + 1..];
        let (name, end) = (element[..name_end(element)].to_owned(), self.parser.position());
        let is_empty = at == end;
        let content_end = if is_empty { end - "/>".len() } else { at };
        Extent { name, start, content_end, end, is_empty, entries: Vec::new() }
    }

    /// Reads the element of a field, the start tag of which, at `at`, was read.
    fn field(&mut self, index: usize, field: usize, at: usize) -> Result<Extent> {
        let plan = self.plan;
        let around = &plan.scopes[index];
        let slot = &around.slots[field];
        let inner = usize::from(slot.scope);
        let has_inside = match slot.shape {
            Shape::Struct | Shape::Group => true,
            Shape::Run => inner > 0,
            _ => false,
        };
        let enclosing = has_inside && around.container(slot).enclosing.is_some();
        match slot.shape {
            Shape::Struct | Shape::Run if enclosing => return self.scope(inner, at),
            // Its only element is that of the item.
            Shape::Run if has_inside => return self.field(inner, 0, at),
            Shape::Group => {}
            _ => {
                let depth = self.parser.depth();
                let mut end = self.parser.position();
                while self.parser.depth() >= depth {
                    end = self.parser.position();
                    self.parser.next(self.document)?;
                }
                return Ok(self.ended(at, end));
            }
        }
        let mut entries = Vec::new();
        loop {
            let start = self.parser.position();
            match self.parser.next(self.document)? {
                Event::Start { name, .. } => {
                    entries.push(start);
                    if enclosing {
                        self.scope(inner, start)?;
                        continue;
                    }
                    let local = name.local().as_bytes();
                    match plan.scopes[inner].names.get(NONE, local) {
                        Some(Name::Field(of)) => _ = self.field(inner, of.into(), start)?,
                        _ => self.parser.skip_element(self.document)?,
                    }
                }
                Event::End { .. } | Event::Eof => {
                    return Ok(Extent { entries, ..self.ended(at, start) });
                }
                _ => {}
            }
        }
    }

    /// Puts what a scope has kept between its elements.
    fn put(&mut self, written: &Written<'_>, unknown: &Unknown) {
        let scope = written.scope;
        let mut missing = Missing::new();
        let mut all = unknown.markup().peekable();
        while let Some((place, text)) = all.next() {
            let component = written.component_of(place);
            self.put_missing(written, &mut missing, component);
            match place {
                Place::Attribute { .. } => {
                    let text = self.attribute(text);
                    match written.extent_of(component) {
                        Some(extent) => self.changes.put_attribute(extent, &text),
                        None => missing.entry(component).or_default().0.push_str(&text),
                    }
                }
                Place::FieldAttribute { field } => match written.of_field(field) {
                    [first, ..] => {
                        let text = self.attribute(text);
                        self.changes.put_attribute(&first.extent, &text);
                    }
                    [] => self.dropped += 1,
                },
                Place::Element { behind, .. } => {
                    let text = self.element(text);
                    self.put_behind(written, &mut missing, (component, behind), &text);
                }
                Place::Entry { field, entries } => {
                    let mut text = self.element(text);
                    let elements = written.of_field(field);
                    if !elements.is_empty() {
                        let is_run = scope.slots[usize::from(field)].shape == Shape::Run;
                        self.put_entry(elements, is_run, entries as usize, &text);
                        continue;
                    }
                    // An empty list may not be there. What is in it says where it was.
                    let is_of = |it: &(Place, &str)| matches!(it.0, Place::Entry { field: of, .. } if of == field);
                    let mut count = 1;
                    while let Some((_, more)) = all.next_if(is_of) {
                        text.push_str(&self.element(more));
                        count += 1;
                    }
                    match empty_list(scope, field, &text) {
                        Some(text) => {
                            let behind = Some(Sibling::Field(field));
                            self.put_behind(written, &mut missing, (component, behind), &text);
                        }
                        None => self.dropped += count,
                    }
                }
            }
        }
        self.put_missing(written, &mut missing, NONE);
    }

    /// Puts the components that are missing where they belong, the innermost first, unless something of
    /// `component` is next.
    fn put_missing(&mut self, written: &Written<'_>, missing: &mut Missing, component: u16) {
        let scope = written.scope;
        while let Some((inner, _)) = missing.last_key_value()
            && !scope.is_inside(component, *inner)
            && let Some((inner, (attributes, inside))) = missing.pop_last()
        {
            let Some(element) = scope.components.get(usize::from(inner)) else { continue };
            let start = element.start.to_vec();
            let start = String::from_utf8_lossy(&start);
            let start = start.trim_end_matches('>');
            let text = format!("{start}{attributes}>{inside}</{}>", element.name());
            let place = (scope.element_around(inner), Some(Sibling::Component(inner)));
            self.put_behind(written, missing, place, &text);
        }
    }

    /// Puts an element into that of a component, behind what it stood behind.
    fn put_behind(
        &mut self,
        written: &Written<'_>,
        missing: &mut Missing,
        (component, behind): (u16, Option<Sibling>),
        text: &str,
    ) {
        match (written.extent_of(component), written.next(component, behind)) {
            (None, _) => missing.entry(component).or_default().1.push_str(text),
            (Some(_), Some(next)) => self.changes.put(next.extent.start, text),
            (Some(extent), None) => self.changes.put_last(extent, text),
        }
    }

    /// Puts an element behind so many entries of a list, which has these elements.
    fn put_entry(&mut self, elements: &[&Child], is_run: bool, entries: usize, text: &str) {
        let extent = &elements[elements.len() - 1].extent;
        match (is_run, elements.get(entries), extent.entries.get(entries)) {
            (true, Some(next), _) => self.changes.put(next.extent.start, text),
            (true, None, _) => self.changes.put(extent.end, text),
            (false, _, Some(next)) => self.changes.put(*next, text),
            (false, _, None) => self.changes.put_last(extent, text),
        }
    }

    /// An attribute as it is written in a start tag.
    fn attribute(&mut self, text: &str) -> String {
        let end = text.rfind('"').map_or(text.len(), |it| it + 1);
        let (attribute, namespace) = text.split_at(end);
        if namespace.is_empty() {
            return format!(" {attribute}");
        }
        if namespace == XML {
            return format!(" xml:{attribute}");
        }
        // A prefix that stands for nothing else.
        let prefix = loop {
            self.prefixes += 1;
            let prefix = format!("kept{}", self.prefixes);
            if self.parser.resolve_prefix(self.document, &prefix).is_none() {
                break prefix;
            }
        };
        let mut name = String::new();
        trunkline_codec::xml::escape(namespace, true, &mut name);
        format!(" xmlns:{prefix}=\"{name}\" {prefix}:{attribute}")
    }

    /// An element as it stands in the document.
    fn element(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if self.has_default && !declared(&text).contains("") {
            text.insert_str(name_end(&text), " xmlns=\"\"");
        }
        text
    }
}

/// A list without entries in which something stands. Arrays tell how many entries they have, so they
/// are always there.
fn empty_list(scope: &ScopePlan, field: u16, inside: &str) -> Option<String> {
    let slot = scope.slots.get(usize::from(field))?;
    match slot.shape {
        Shape::Run => Some(inside.to_owned()),
        Shape::Group | Shape::List if !scope.container(slot).is_array => {
            Some(format!("<{0}>{inside}</{0}>", slot.name()))
        }
        _ => None,
    }
}
