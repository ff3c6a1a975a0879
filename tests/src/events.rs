//! Documents as events in memory, with names and texts as numbers: a second form of the infoset, which
//! holds SOAP to the seam between it and XML.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use trunkline_codec::infoset::{self, Parsed, Tag, Writer};
use trunkline_codec::xml::{self, Event, Options, Parser, Source};
use trunkline_message::{Limits, Result};
use trunkline_wire::{Float, Integer, ValueError};

/// A document.
#[derive(Clone, Debug)]
pub struct Events {
    items: Vec<Item>,
    strings: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The texts.
    values: Vec<Value>,
}

/// What a text is held as: the number that it says, if it is the one way to say that.
#[derive(Clone, Debug)]
enum Value {
    Text(String),
    Boolean(bool),
    Integer(i64),
    Integers(Vec<i64>),
    Float(f64),
}

impl Value {
    fn of(text: &str) -> Self {
        let boolean = text.parse().map(Self::Boolean);
        let value = boolean.or_else(|_| text.parse().map(Self::Integer));
        let value = value.or_else(|_| {
            let items = text.split(' ').map(str::parse);
            items.collect::<std::result::Result<_, _>>().map(Self::Integers)
        });
        // What could be a decimal, too, is left as it is.
        let float = |it: &f64| (0.1..0.7).contains(it).then_some(Self::Float(*it));
        let value = value.ok().or_else(|| text.parse().ok().as_ref().and_then(float));
        let value = value.filter(|it| it.text() == text);
        value.unwrap_or_else(|| Self::Text(text.to_owned()))
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Boolean(value) => Cow::Owned(value.to_string()),
            Self::Integer(value) => Cow::Owned(value.to_string()),
            Self::Integers(values) => {
                let items: Vec<String> = values.iter().map(i64::to_string).collect();
                Cow::Owned(items.join(" "))
            }
            Self::Float(value) => Cow::Owned(value.to_string()),
        }
    }
}

#[derive(Clone, Debug)]
struct Item {
    piece: Piece,
    /// Where it stood in XML, for errors that say where.
    place: Range<usize>,
}

#[derive(Clone, Debug)]
enum Piece {
    Start(Start),
    End,
    Text(Text),
    Eof,
}

#[derive(Clone, Debug)]
struct Start {
    name: Name,
    attributes: Vec<(Name, Text)>,
    /// Prefixes and namespaces.
    declarations: Vec<(u32, u32)>,
}

/// The numbers of a name's parts.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    prefix: u32,
    namespace: u32,
    local: u32,
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        (self.namespace, self.local) == (other.namespace, other.local)
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.namespace, self.local).hash(state);
    }
}

/// The number of a text.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    number: u32,
    white: bool,
}

const NOTHING: u32 = 0;
const XML: u32 = 1;
const XML_NAMESPACE: u32 = 2;

impl Default for Events {
    fn default() -> Self {
        let (items, strings, numbers) = Default::default();
        let mut events = Self { items, strings, numbers, values: Vec::new() };
        for constant in ["", "xml", "http://www.w3.org/XML/1998/namespace"] {
            events.number(constant);
        }
        events
    }
}

impl Events {
    /// The events of an XML document.
    ///
    /// # Errors
    /// It is none that SOAP allows.
    pub fn of_xml(document: &[u8], limits: &Limits) -> Result<Self> {
        let mut source = Source::default();
        let input = source.prepare(document, limits)?;
        // Namespaces are checked by the parser, and found out here.
        let mut strict = Parser::new(Options::soap(), limits);
        strict.begin(input)?;
        while strict.next(input)? != Event::Eof {}
        let mut parser = Parser::new(Options { namespaces: false, ..Options::soap() }, limits);
        parser.begin(input)?;
        let mut events = Self::default();
        let mut open = Vec::new();
        loop {
            let start = parser.position();
            let event = parser.next(input)?;
            let mut place = start..parser.position();
            let piece = match event {
                Event::Start { name, .. } => {
                    place.start = name.qualified().as_ptr().addr() - input.as_ptr().addr() - 1;
                    let attributes: Vec<(&str, String)> = parser
                        .attributes(input)
                        .map(|it| (it.name.qualified(), it.value().into_owned()))
                        .collect();
                    Piece::Start(events.start(name.qualified(), &attributes, &mut open))
                }
                Event::End { .. } => {
                    open.pop();
                    Piece::End
                }
                Event::Text { raw, white, .. } => {
                    let mut text = String::new();
                    xml::unescape(raw, &mut text);
                    Piece::Text(events.text(&text, white))
                }
                Event::CData { raw, .. } => {
                    let mut text = String::new();
                    xml::normalise_newlines(raw, &mut text);
                    Piece::Text(events.text(&text, false))
                }
                Event::Eof => Piece::Eof,
                Event::Comment(_) | Event::ProcessingInstruction { .. } => continue,
            };
            let is_end = matches!(piece, Piece::Eof);
            events.items.push(Item { piece, place });
            if is_end {
                return Ok(events);
            }
        }
    }

    fn start(
        &mut self,
        name: &str,
        attributes: &[(&str, String)],
        open: &mut Vec<Vec<(u32, u32)>>,
    ) -> Start {
        let (declared, others): (Vec<_>, Vec<_>) =
            attributes.iter().partition(|(name, _)| *name == "xmlns" || name.starts_with("xmlns:"));
        let declarations = declared.iter().map(|(name, value)| {
            let prefix = name.strip_prefix("xmlns:").unwrap_or_default();
            (self.number(prefix), self.number(value))
        });
        open.push(declarations.collect());
        let mut name_of = |name: &str, is_attribute: bool| {
            let (prefix, local) = name.split_once(':').unwrap_or(("", name));
            let (prefix, local) = (self.number(prefix), self.number(local));
            let namespace = match is_attribute && prefix == NOTHING {
                true => NOTHING,
                false => find(open.iter().rev().map(Vec::as_slice), prefix).expect("a prefix"),
            };
            Name { prefix, namespace, local }
        };
        let name = name_of(name, false);
        let names: Vec<Name> = others.iter().map(|(name, _)| name_of(name, true)).collect();
        let values: Vec<Text> = others.iter().map(|(_, value)| self.text(value, false)).collect();
        let attributes = names.into_iter().zip(values).collect();
        Start { name, attributes, declarations: open.last().cloned().unwrap_or_default() }
    }

    fn text(&mut self, text: &str, white: bool) -> Text {
        self.hold(Value::of(text), white)
    }

    fn hold(&mut self, value: Value, white: bool) -> Text {
        self.values.push(value);
        Text { number: self.values.len() as u32 - 1, white }
    }

    fn text_of(&self, text: Text) -> Cow<'_, str> {
        self.values[text.number as usize].text()
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let number = self.strings.len() as u32;
        self.strings.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// A piece of another document.
    fn adopt(&mut self, from: &Self, piece: &Piece) -> Piece {
        match piece {
            Piece::Start(start) => {
                let name = self.adopt_name(from, start.name);
                let attributes = start.attributes.iter().map(|(name, value)| {
                    (self.adopt_name(from, *name), self.adopt_text(from, *value))
                });
                let attributes = attributes.collect();
                let declarations = start.declarations.iter().map(|(prefix, namespace)| {
                    (self.number(from.string(*prefix)), self.number(from.string(*namespace)))
                });
                Piece::Start(Start { name, attributes, declarations: declarations.collect() })
            }
            Piece::Text(text) => Piece::Text(self.adopt_text(from, *text)),
            other => other.clone(),
        }
    }

    fn adopt_name(&mut self, from: &Self, name: Name) -> Name {
        let [prefix, namespace, local] = [name.prefix, name.namespace, name.local]
            .map(|number| self.number(from.string(number)));
        Name { prefix, namespace, local }
    }

    fn adopt_text(&mut self, from: &Self, text: Text) -> Text {
        self.text(&from.text_of(text), text.white)
    }

    fn string(&self, number: u32) -> &str {
        &self.strings[number as usize]
    }

    /// Reads it from its beginning.
    pub fn reader(&self) -> Reader<'_> {
        let began = self.items.first().map_or(0, |item| item.place.start);
        Reader { events: self, next: 0, tag: 0, open: Vec::new(), place: began..began }
    }

    /// What it says, a line for each start, text and end: pieces of a text are one, and attributes are in
    /// the order of their names.
    ///
    /// # Panics
    /// If a name's prefix means another namespace where the name stands.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut reader = self.reader();
        loop {
            match infoset::Reader::next(&mut reader).expect("events in memory") {
                infoset::Event::Start(name) => {
                    assert_eq!(find(reader.declarations(), name.prefix), Some(name.namespace));
                    let mut attributes: Vec<String> = (0..reader.attributes())
                        .map(|index| {
                            let (name, value) = reader.attribute(index);
                            let meant = match name.prefix {
                                NOTHING => Some(NOTHING),
                                prefix => find(reader.declarations(), prefix),
                            };
                            assert_eq!(meant, Some(name.namespace));
                            format!("{}={:?}", self.shown(name), reader.value(value))
                        })
                        .collect();
                    attributes.sort();
                    lines.push(format!("<{} {}", self.shown(name), attributes.join(" ")));
                }
                infoset::Event::Text(text) => {
                    let text = reader.value(text);
                    match lines.last_mut() {
                        Some(last) if last.starts_with('"') => last.push_str(&text),
                        _ => lines.push(format!("\"{text}")),
                    }
                }
                infoset::Event::End => lines.push(">".into()),
                infoset::Event::Eof => return lines,
            }
        }
    }

    fn shown(&self, name: Name) -> String {
        format!("{{{}}}{}", self.string(name.namespace), self.string(name.local))
    }
}

/// What a prefix stands for, by declarations from the innermost.
fn find<'d>(declarations: impl Iterator<Item = &'d [(u32, u32)]>, prefix: u32) -> Option<u32> {
    let mut declarations = declarations.flatten();
    match declarations.find(|it| it.0 == prefix) {
        Some((_, namespace)) => Some(*namespace),
        None if prefix == NOTHING => Some(NOTHING),
        None => (prefix == XML).then_some(XML_NAMESPACE),
    }
}

/// Reads events.
#[derive(Debug)]
pub struct Reader<'a> {
    events: &'a Events,
    next: usize,
    /// The start read last.
    tag: usize,
    open: Vec<usize>,
    place: Range<usize>,
}

impl<'a> Reader<'a> {
    fn start(&self, at: usize) -> &'a Start {
        match &self.events.items[at].piece {
            Piece::Start(start) => start,
            other => panic!("a start, not {other:?}"),
        }
    }

    fn declarations(&self) -> impl Iterator<Item = &'a [(u32, u32)]> {
        self.open.iter().rev().map(|at| &*self.start(*at).declarations)
    }

    fn held(&self, text: Text) -> &'a Value {
        &self.events.values[text.number as usize]
    }

    fn name(&self, name: Name) -> infoset::Name<'a> {
        let [prefix, namespace, local] =
            [name.prefix, name.namespace, name.local].map(|number| self.events.string(number));
        infoset::Name { prefix, namespace, local }
    }
}

/// A number is none of a type.
fn unfit<I: Integer>(value: i64) -> ValueError {
    I::parse(value.to_string().as_bytes()).err().expect("a number that does not fit")
}

impl Tag for Reader<'_> {
    type Name = Name;
    type Namespace = u32;
    type Text = Text;

    fn attributes(&self) -> usize {
        self.start(self.tag).attributes.len()
    }

    fn attribute(&self, index: usize) -> (Name, Text) {
        self.start(self.tag).attributes[index]
    }

    fn namespace(&self, name: Name) -> u32 {
        name.namespace
    }

    fn prefix(&self, name: Name) -> &str {
        self.events.string(name.prefix)
    }

    fn local(&self, name: Name) -> &str {
        self.events.string(name.local)
    }

    fn namespace_name(&self, namespace: u32) -> &str {
        self.events.string(namespace)
    }

    fn resolve(&self, prefix: &str) -> Option<u32> {
        find(self.declarations(), *self.events.numbers.get(prefix)?)
    }

    fn value(&self, text: Text) -> Cow<'_, str> {
        self.events.text_of(text)
    }

    fn is_white(&self, text: Text) -> bool {
        text.white
    }

    fn boolean(&self, text: Text) -> Option<bool> {
        match self.held(text) {
            Value::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    fn integer<I: Integer>(&self, text: Text) -> Option<Parsed<I>> {
        match self.held(text) {
            Value::Integer(value) => Some(I::from_i64(*value).ok_or_else(|| unfit::<I>(*value))),
            _ => None,
        }
    }

    fn float<F: Float>(&self, text: Text) -> Option<F> {
        match self.held(text) {
            Value::Float(value) if F::BYTES == 8 => Some(F::of_bits(value.to_bits())),
            _ => None,
        }
    }

    fn integers<I: Integer>(&self, text: Text, into: &mut Vec<I>) -> Option<Parsed<()>> {
        let Value::Integers(values) = self.held(text) else { return None };
        Some(values.iter().try_for_each(|value| {
            into.push(I::from_i64(*value).ok_or_else(|| unfit::<I>(*value))?);
            Ok(())
        }))
    }
}

impl infoset::Reader for Reader<'_> {
    fn next(&mut self) -> Result<infoset::Event<Name, Text>> {
        let item = &self.events.items[self.next];
        self.place = item.place.clone();
        let at = self.next;
        self.next += 1;
        Ok(match &item.piece {
            Piece::Start(start) => {
                self.open.push(at);
                self.tag = at;
                infoset::Event::Start(start.name)
            }
            Piece::End => {
                self.open.pop();
                infoset::Event::End
            }
            Piece::Text(text) => infoset::Event::Text(*text),
            Piece::Eof => {
                self.next = at;
                infoset::Event::Eof
            }
        })
    }

    fn began(&self) -> usize {
        self.place.start
    }

    fn position(&self) -> usize {
        self.place.end
    }

    fn depth(&self) -> usize {
        self.open.len()
    }

    fn restart(&mut self) -> Result<()> {
        *self = self.events.reader();
        Ok(())
    }

    fn raw(&mut self, left_out: &[usize], out: &mut String) -> Result<()> {
        let mut writer = xml::Writer::default();
        let mut declarations: Vec<(u32, u32)> = Vec::new();
        for declaration in self.declarations().flatten() {
            if !declarations.iter().any(|it| it.0 == declaration.0) {
                declarations.push(*declaration);
            }
        }
        // The default that is none goes without saying.
        declarations.retain(|it| *it != (NOTHING, NOTHING));
        let outside = self.open.len() - 1;
        let mut left_out = left_out;
        let mut started = Some(self.tag);
        while self.open.len() > outside {
            if let Some(at) = started.take() {
                let start = self.start(at);
                writer.start(self.name(start.name));
                for (index, (name, value)) in start.attributes.iter().enumerate() {
                    if !left_out.contains(&index) {
                        writer.attribute(self.name(*name), &self.events.text_of(*value));
                    }
                }
                for (prefix, namespace) in std::mem::take(&mut declarations) {
                    writer.declare(self.events.string(prefix), self.events.string(namespace));
                }
                left_out = &[];
            }
            match self.next()? {
                infoset::Event::Start(_) => {
                    started = Some(self.tag);
                    declarations.clone_from(&self.start(self.tag).declarations);
                }
                infoset::Event::End => writer.end(),
                infoset::Event::Text(text) => _ = writer.text(&self.events.text_of(text)),
                infoset::Event::Eof => break,
            }
        }
        out.push_str(&writer.finish());
        Ok(())
    }
}

/// Writes events.
#[derive(Debug, Default)]
pub struct Recorder {
    events: Events,
    /// The starts of the open elements.
    open: Vec<usize>,
}

impl Recorder {
    /// What was written.
    pub fn finish(mut self) -> Events {
        assert!(self.open.is_empty(), "elements are open");
        self.push(Piece::Eof);
        self.events
    }

    fn push(&mut self, piece: Piece) {
        let at = self.events.items.len();
        self.events.items.push(Item { piece, place: at..at + 1 });
    }

    fn number(&mut self, name: infoset::Name<'_>) -> Name {
        let [prefix, namespace, local] =
            [name.prefix, name.namespace, name.local].map(|text| self.events.number(text));
        Name { prefix, namespace, local }
    }

    /// The start to which something belongs: nothing has come behind it.
    fn start(&mut self) -> &mut Start {
        match &mut self.events.items.last_mut().expect("an element").piece {
            Piece::Start(start) => start,
            other => panic!("a start, not {other:?}"),
        }
    }

    fn put_value(&mut self, attribute: Option<infoset::Name<'_>>, value: Value) {
        let held = self.events.hold(value, false);
        match attribute {
            Some(name) => {
                let name = self.number(name);
                Recorder::start(self).attributes.push((name, held));
            }
            None => self.push(Piece::Text(held)),
        }
    }

    fn text_of(&mut self, text: &str) -> (Text, bool) {
        let is_illegal = |it: char| matches!(it, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
        let white = text.chars().all(|it| matches!(it, ' ' | '\t' | '\n'));
        let held = self.events.text(&text.replace(is_illegal, "\u{fffd}"), white);
        (held, !text.contains(is_illegal))
    }
}

impl Writer for Recorder {
    fn start(&mut self, name: infoset::Name<'_>) {
        let name = self.number(name);
        self.open.push(self.events.items.len());
        self.push(Piece::Start(Start { name, attributes: Vec::new(), declarations: Vec::new() }));
    }

    fn declare(&mut self, prefix: &str, namespace: &str) -> bool {
        let (held, is_legal) = self.text_of(namespace);
        let namespace = self.events.text_of(held).into_owned();
        let declaration = (self.events.number(prefix), self.events.number(&namespace));
        Recorder::start(self).declarations.push(declaration);
        is_legal
    }

    fn attribute(&mut self, name: infoset::Name<'_>, value: &str) -> bool {
        let (name, (value, is_legal)) = (self.number(name), self.text_of(value));
        Recorder::start(self).attributes.push((name, Text { white: false, ..value }));
        is_legal
    }

    fn text(&mut self, text: &str) -> bool {
        let (number, is_legal) = self.text_of(text);
        if !text.is_empty() {
            self.push(Piece::Text(number));
        }
        is_legal
    }

    fn boolean(&mut self, attribute: Option<infoset::Name<'_>>, value: bool) {
        self.put_value(attribute, Value::Boolean(value));
    }

    fn integer<I: Integer>(&mut self, attribute: Option<infoset::Name<'_>>, value: I) {
        match i64::try_from(value.to_i128()) {
            Ok(value) => self.put_value(attribute, Value::Integer(value)),
            Err(_) => _ = self.put(attribute, &value.to_i128().to_string()),
        }
    }

    fn integers<I: Integer>(&mut self, attribute: Option<infoset::Name<'_>>, values: &[I]) {
        let all: std::result::Result<Vec<i64>, _> =
            values.iter().map(|it| i64::try_from(it.to_i128())).collect();
        match (values, all) {
            ([value], _) => self.integer(attribute, *value),
            (_, Ok(all)) if !all.is_empty() => self.put_value(attribute, Value::Integers(all)),
            _ => {
                let texts: Vec<String> = values.iter().map(|it| it.to_i128().to_string()).collect();
                self.put(attribute, &texts.join(" "));
            }
        }
    }

    fn raw(&mut self, elements: &str) {
        let mut around = xml::Writer::default();
        around.start(infoset::Name { prefix: "", namespace: "", local: "around" });
        let mut declared = Vec::new();
        for at in self.open.iter().rev() {
            let Piece::Start(start) = &self.events.items[*at].piece else { continue };
            for (prefix, namespace) in &start.declarations {
                if !declared.contains(prefix) {
                    declared.push(*prefix);
                    around.declare(self.events.string(*prefix), self.events.string(*namespace));
                }
            }
        }
        around.raw(elements);
        around.end();
        let limits = Limits { depth: 1 << 20, ..Limits::default() };
        let events = Events::of_xml(around.finish().as_bytes(), &limits).expect("elements");
        for item in &events.items[1..events.items.len() - 2] {
            let piece = self.events.adopt(&events, &item.piece);
            self.push(piece);
        }
    }

    fn end(&mut self) {
        self.open.pop().expect("an open element");
        self.push(Piece::End);
    }

    fn position(&self) -> usize {
        self.events.items.len()
    }
}
