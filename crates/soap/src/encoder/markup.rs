//! The markup of the encoder, turned into the events of an infoset.
//!
//! What stands between two values is the same in message after message. So it is parsed once: in which state
//! it was met, what it says, and in which state it leaves. What followed it the last time is tried first.
//! Between two values of one scope it follows from which they are, and then it is not even written.

use std::collections::{HashMap, VecDeque};

use trunkline_codec::infoset::{KnownName, KnownOpening, KnownStep, Name, Writer};
use trunkline_codec::xml::unescape;
use trunkline_wire::{Output, scan};

use super::form::Route;

/// Most pieces are no longer than this, and compared as a block.
const BLOCK: usize = 64;

/// So many pieces of markup and states are kept; then all are forgotten. Arrays have their sizes in markup.
const MOST: usize = 4096;

/// So many routes are kept.
const ROUTES: usize = 512;

/// What has been parsed, and where the encoder stands.
#[derive(Debug, Default)]
pub(super) struct Markup {
    states: Vec<State>,
    numbers: HashMap<State, usize>,
    pieces: Vec<Piece>,
    /// By their bytes.
    known: HashMap<Box<[u8]>, Vec<usize>>,
    /// The present state, the last piece, and the first one of a message.
    state: usize,
    last: usize,
    first: usize,
    /// Is the value of an attribute open?
    in_attribute: bool,
    /// The pieces on routes, each in its place; another may take it. None is kept if it is empty.
    routes: Vec<Crossed>,
    /// Are neither routes kept nor what writers make of steps?
    is_plain: bool,
}

/// What is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// Prefixes and their namespaces, the innermost last; how many there were at each open element.
    pub(super) namespaces: Vec<(String, String)>,
    open: Vec<usize>,
    /// Is the start tag of the innermost element open?
    in_tag: bool,
    /// The attribute whose value is being written.
    pub(super) attribute: Option<Attribute>,
}

/// An attribute up to its closing quote.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Attribute {
    pub(super) name: String,
    /// What is known of its value.
    text: String,
    /// Was the value written by itself?
    is_written: bool,
}

/// Markup that was parsed.
#[derive(Debug)]
struct Piece {
    from: usize,
    bytes: Box<[u8]>,
    /// Its first bytes, and a bit for each of those that count.
    block: [u8; BLOCK],
    counts: u64,
    /// Most pieces end elements, and then begin others, and do nothing else.
    ends: usize,
    starts: Vec<(OwnedName, KnownName)>,
    /// What stands behind these.
    events: Vec<Event>,
    /// Nothing does, and no start tag is open.
    is_whole: bool,
    step: KnownStep,
    /// What was made of it, if it begins elements with declarations or attributes and does nothing else.
    opening: Option<KnownOpening>,
    next: usize,
    /// Is the value of an attribute open then?
    in_attribute: bool,
    /// The piece that followed the last time.
    follower: usize,
}

/// A route, and the piece on it: all that is needed of one that is whole.
#[derive(Clone, Debug)]
struct Crossed {
    route: Route,
    number: u32,
    /// The states before and behind it, if it is whole.
    from: u32,
    next: u32,
    ends: u16,
    starts: u16,
    step: KnownStep,
}

impl Crossed {
    const NONE: Self = Self {
        route: Route::NONE,
        number: u32::MAX,
        from: u32::MAX,
        next: 0,
        ends: 0,
        starts: 0,
        step: KnownStep::NONE,
    };
}

#[derive(Debug)]
enum Event {
    Start(OwnedName, KnownName),
    Declare(String, String),
    Attribute(OwnedName, String),
    Text(String),
    End,
}

/// Prefix, namespace, and name there.
#[derive(Debug)]
struct OwnedName(String, String, String);

impl OwnedName {
    fn of(name: Name<'_>) -> Self {
        Self(name.prefix.to_owned(), name.namespace.to_owned(), name.local.to_owned())
    }

    fn view(&self) -> Name<'_> {
        Name { prefix: &self.0, namespace: &self.1, local: &self.2 }
    }
}

impl Piece {
    /// Tells the writer what it says; nothing is kept of a step if it is `plain`.
    #[inline(always)]
    fn write(&mut self, writer: &mut impl Writer, is_plain: bool) {
        let starts = self.starts.iter_mut().map(|(name, known)| (name.view(), known));
        writer.step(self.ends, starts, (self.is_whole && !is_plain).then_some(&mut self.step));
        for event in &mut self.events {
            match event {
                Event::Start(name, known) => writer.start_known(name.view(), known),
                Event::Declare(prefix, namespace) => _ = writer.declare(prefix, namespace),
                Event::Attribute(name, value) => _ = writer.attribute(name.view(), value),
                Event::Text(text) => _ = writer.text(text),
                Event::End => writer.end(),
            }
        }
    }

    #[inline]
    fn is(&self, output: &Output) -> bool {
        let length = self.bytes.len();
        match output.first_block() {
            _ if output.len() != length => false,
            Some(block) if length <= BLOCK => scan::agree_where(block, &self.block, self.counts),
            _ => *self.bytes == *output.as_slice(),
        }
    }
}

impl Markup {
    /// Begins a message.
    pub(super) fn begin(&mut self) {
        if self.pieces.len() > MOST || self.states.len() > MOST {
            *self = Self { is_plain: self.is_plain, ..Self::default() };
        }
        if self.states.is_empty() {
            self.number(State::default());
        }
        (self.state, self.last, self.in_attribute) = (0, usize::MAX, false);
    }

    /// Tells the writer what the markup says, which may break off within a tag.
    #[inline]
    pub(super) fn write(&mut self, output: &Output, writer: &mut impl Writer) {
        let followed = self.pieces.get(self.last).map_or(self.first, |it| it.follower);
        let is_it = |it: &&Piece| it.from == self.state && it.is(output);
        let number = match self.pieces.get(followed).filter(is_it) {
            Some(_) => followed,
            None => self.find(output.as_slice()),
        };
        self.write_piece(number, writer);
    }

    /// Writes the piece on this route, if it is known.
    #[inline(always)]
    pub(super) fn take(&mut self, route: Route, writer: &mut impl Writer) -> bool {
        let Some(known) = self.routes.get(route.place(ROUTES)) else { return false };
        if known.route != route {
            return false;
        }
        let (ends, starts) = (known.ends.into(), known.starts.into());
        if known.from as usize == self.state && writer.repeat(ends, starts, &known.step) {
            (self.state, self.last) = (known.next as usize, known.number as usize);
            self.in_attribute = false;
            return true;
        }
        self.take_piece(route, writer)
    }

    /// As [`take`](Self::take), where the writer has to be told of the piece.
    #[inline(never)]
    fn take_piece(&mut self, route: Route, writer: &mut impl Writer) -> bool {
        let number = self.routes[route.place(ROUTES)].number as usize;
        let is_it = self.pieces.get(number).is_some_and(|piece| piece.from == self.state);
        if is_it {
            self.write_piece(number, writer);
            self.learn(route);
        }
        is_it
    }

    /// The piece written last is that on this route.
    pub(super) fn learn(&mut self, route: Route) {
        if self.is_plain {
            return;
        }
        let piece = &self.pieces[self.last];
        self.routes.resize(ROUTES, Crossed::NONE);
        self.routes[route.place(ROUTES)] = Crossed {
            route,
            number: self.last as u32,
            from: if piece.is_whole { piece.from as u32 } else { u32::MAX },
            next: piece.next as u32,
            ends: piece.ends as u16,
            starts: piece.starts.len() as u16,
            step: piece.step,
        };
    }

    /// Neither keeps routes nor what a writer makes of steps.
    pub(super) fn set_plain(&mut self) {
        self.is_plain = true;
    }

    #[inline(always)]
    fn write_piece(&mut self, number: usize, writer: &mut impl Writer) {
        let is_plain = self.is_plain;
        let piece = &mut self.pieces[number];
        if let Some(mut known) = piece.opening.take_if(|_| !is_plain) {
            writer.opening(&mut known, |writer| piece.write(writer, true));
            piece.opening = Some(known);
        } else {
            piece.write(writer, is_plain);
        }
        (self.state, self.last, self.in_attribute) = (piece.next, number, piece.in_attribute);
    }

    /// Is the value of an attribute open, or the content of an element?
    #[inline]
    pub(super) fn in_attribute(&self) -> bool {
        self.in_attribute
    }

    /// The state in which a value is written, which closes no attribute that has one.
    #[inline]
    pub(super) fn state_for_value(&mut self) -> &State {
        let state = &self.states[self.state];
        if state.attribute.as_ref().is_some_and(|it| !it.is_written) {
            let mut written = state.clone();
            written.attribute.iter_mut().for_each(|it| it.is_written = true);
            self.state = self.number(written);
        }
        &self.states[self.state]
    }

    fn number(&mut self, state: State) -> usize {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        self.states.push(state.clone());
        self.numbers.insert(state, self.states.len() - 1);
        self.states.len() - 1
    }

    /// The piece that was not expected here, and what it follows is told of it.
    #[inline(never)]
    fn find(&mut self, bytes: &[u8]) -> usize {
        let mut known = self.known.get(bytes).into_iter().flatten();
        let number = match known.find(|it| self.pieces[**it].from == self.state) {
            Some(known) => *known,
            None => self.parse(bytes),
        };
        match self.pieces.get_mut(self.last) {
            Some(before) => before.follower = number,
            None => self.first = number,
        }
        number
    }

    #[cold]
    fn parse(&mut self, bytes: &[u8]) -> usize {
        let mut parser = Parser { state: self.states[self.state].clone(), events: Vec::new() };
        // What an encoder writes is UTF-8.
        let mut rest = std::str::from_utf8(bytes).unwrap_or_default();
        while !rest.is_empty() {
            rest = match (&parser.state.attribute, parser.state.in_tag) {
                (Some(_), _) => parser.in_attribute(rest),
                (None, true) => parser.in_tag(rest),
                (None, false) => parser.content(rest),
            };
        }
        let Parser { state, events } = parser;
        let mut events: VecDeque<Event> = events.into();
        let (mut ends, mut starts) = (0, Vec::new());
        while events.pop_front_if(|it| matches!(it, Event::End)).is_some() {
            ends += 1;
        }
        while let Some(Event::Start(name, known)) =
            events.pop_front_if(|it| matches!(it, Event::Start(..)))
        {
            starts.push((name, known));
        }
        let events: Vec<Event> = events.into();
        let is_whole = events.is_empty() && !state.in_tag;
        let in_attribute = state.attribute.is_some();
        let begins = |it: &Event| !matches!(it, Event::Text(_) | Event::End);
        let is_opening = ends == 0
            && !events.is_empty()
            && !state.in_tag
            && !self.states[self.state].in_tag
            && events.iter().all(begins);
        let next = self.number(state);
        let number = self.pieces.len();
        let (from, follower) = (self.state, usize::MAX);
        let mut block = [0; BLOCK];
        let length = bytes.len().min(BLOCK);
        block[..length].copy_from_slice(&bytes[..length]);
        let counts = u64::MAX.checked_shr((BLOCK - length) as u32).unwrap_or(0);
        let piece = Piece {
            from,
            bytes: bytes.into(),
            block,
            counts,
            ends,
            starts,
            events,
            is_whole,
            step: KnownStep::default(),
            opening: is_opening.then(KnownOpening::default),
            next,
            in_attribute,
            follower,
        };
        self.pieces.push(piece);
        self.known.entry(bytes.into()).or_default().push(number);
        number
    }
}

/// Reads markup of the encoder.
struct Parser {
    state: State,
    events: Vec<Event>,
}

impl Parser {
    fn in_attribute<'t>(&mut self, rest: &'t str) -> &'t str {
        let (value, behind) = rest.split_once('"').map_or((rest, None), |it| (it.0, Some(it.1)));
        if let Some(attribute) = &mut self.state.attribute {
            unescape(value, &mut attribute.text);
        }
        let Some(behind) = behind else { return "" };
        if let Some(Attribute { name, text, is_written: false }) = self.state.attribute.take()
            && declared(&name).is_none()
        {
            let name = OwnedName::of(named(&self.state.namespaces, &name, true));
            self.events.push(Event::Attribute(name, text));
        }
        behind
    }

    fn in_tag<'t>(&mut self, rest: &'t str) -> &'t str {
        if let Some(behind) = rest.strip_prefix("/>") {
            self.state.in_tag = false;
            self.end();
            return behind;
        }
        if let Some(behind) = rest.strip_prefix('>') {
            self.state.in_tag = false;
            return behind;
        }
        let (name, behind) = rest.split_once("=\"").unwrap_or((rest, ""));
        let name = name.trim_start().to_owned();
        self.state.attribute = Some(Attribute { name, text: String::new(), is_written: false });
        behind
    }

    fn content<'t>(&mut self, rest: &'t str) -> &'t str {
        if rest.starts_with("<?") {
            return rest.split_once("?>").map_or("", |it| it.1);
        }
        if rest.starts_with("</") {
            self.end();
            return rest.split_once('>').map_or("", |it| it.1);
        }
        match rest.strip_prefix('<') {
            Some(tag) => {
                let end = tag.find([' ', '/', '>']).unwrap_or(tag.len());
                let (name, behind) = tag.split_at(end);
                self.start(name, behind);
                behind
            }
            None => {
                let (text, behind) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
                let mut value = String::new();
                unescape(text, &mut value);
                self.events.push(Event::Text(value));
                behind
            }
        }
    }

    /// Begins an element whose tag has all of its declarations in `behind`.
    fn start(&mut self, name: &str, mut behind: &str) {
        let namespaces = &mut self.state.namespaces;
        let outside = namespaces.len();
        self.state.open.push(outside);
        while let Some((attribute, rest)) = behind.split_once("=\"")
            && !attribute.contains('>')
            && let Some((value, rest)) = rest.split_once('"')
        {
            if let Some(prefix) = declared(attribute.trim_start()) {
                let mut namespace = String::new();
                unescape(value, &mut namespace);
                namespaces.push((prefix.to_owned(), namespace));
            }
            behind = rest;
        }
        let name = OwnedName::of(named(namespaces, name, false));
        self.events.push(Event::Start(name, KnownName::default()));
        let declarations = namespaces[outside..].iter();
        let declare =
            |(prefix, name): &(String, String)| Event::Declare(prefix.clone(), name.clone());
        self.events.extend(declarations.map(declare));
        self.state.in_tag = true;
    }

    fn end(&mut self) {
        self.events.push(Event::End);
        self.state.namespaces.truncate(self.state.open.pop().unwrap_or(0));
    }
}

/// The prefix that an attribute of this name declares, if it does.
fn declared(attribute: &str) -> Option<&str> {
    let prefix = attribute.strip_prefix("xmlns")?;
    if prefix.is_empty() { Some("") } else { prefix.strip_prefix(':') }
}

/// What a name means. Attributes without a prefix are in no namespace.
pub(super) fn named<'n>(
    namespaces: &'n [(String, String)],
    name: &'n str,
    is_attribute: bool,
) -> Name<'n> {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let is_none = is_attribute && prefix.is_empty();
    let found = namespaces.iter().rev().find(|(known, _)| *known == prefix).filter(|_| !is_none);
    Name { prefix, namespace: found.map_or("", |it| &it.1), local }
}
