//! SOAP to fields.
//!
//! Three ways through the same message, held together by the fuzzer. The *general* way is the XML
//! parser. The *expected* way compares whole tags with those that this plan would write, in any
//! order. The *learnt* way compares what stands between two values with what stood there in
//! earlier messages. Each leaves to the one before it whatever it does not know.

use std::sync::Arc;

use trunkline_message::{Error, ErrorKind, Fields, Limits, Message, Result};
use trunkline_wire::scan;

use super::attributes::Marks;
use super::learnt::{self, Effect, Learnt, piece};
use super::names::Name;
use super::opening::{self, Opening};
use super::plan::{NONE, Plan, ScopePlan, Shape};
use crate::xml::{self, Event, Namespace, Parser, Source};

/// Reads messages of one schema from SOAP, whichever version and prefixes they use.
#[derive(Debug)]
pub struct Decoder {
    plan: Arc<Plan>,
    limits: Limits,
    source: Source,
    parser: Parser,
    opening: Opening,
    learnt: Learnt,
    scratch: String,
    seen: Vec<u64>,
    expected: bool,
}

impl Decoder {
    /// A decoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self::with_limits(plan, Limits::default())
    }

    /// A decoder with limits of its own.
    pub fn with_limits(plan: &Arc<Plan>, limits: Limits) -> Self {
        Self {
            plan: plan.clone(),
            parser: Parser::new(xml::Options::default(), &limits),
            limits,
            source: Source::default(),
            opening: Opening::default(),
            learnt: Learnt::new(plan.scopes.iter().map(|scope| scope.slots.len())),
            scratch: String::new(),
            seen: Vec::new(),
            expected: true,
        }
    }

    /// The plain twin: takes the general way only. For tests and comparisons.
    #[must_use]
    pub fn general(mut self) -> Self {
        self.expected = false;
        self
    }

    /// Reads one whole message into place. After an error the message holds what came before it.
    /// Elements that the schema does not know are checked and passed over.
    ///
    /// # Errors
    /// Says what is wrong at which byte in which field; the document must end with `bytes`.
    #[inline]
    pub fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
        let plan = &*self.plan;
        if !Arc::ptr_eq(message.message_schema(), &plan.schema) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        let input = self.source.prepare(bytes, &self.limits)?;
        message.clear();
        self.seen.clear();
        // Where nothing is long enough to meet a limit, the limit needs no look.
        let limits = &self.limits;
        let is_short = input.len() <= limits.value_bytes.min(limits.message_bytes);
        let mut expected = self.expected && is_short;
        let known = expected && self.opening.resume(input, &mut self.parser);
        if !known {
            opening::open(plan, input, &mut self.parser)?;
            if expected {
                self.opening.learn(input, &self.parser);
                self.learnt.forget();
            }
        }
        expected &= self.parser.depth() + plan.depth <= limits.depth;
        let mut body = Body {
            plan,
            limits,
            input,
            parser: &mut self.parser,
            scratch: &mut self.scratch,
            seen: &mut self.seen,
            expected,
            as_planned: false,
            namespace: None,
            generation: None,
            learnt: &mut self.learnt,
            same_context: expected,
            gap: None,
            value: Value::Input(0, 0),
            scope: 0,
            field: 0,
            fields: 0,
        };
        body.scope(&plan.scopes[0], message)?;
        let end = self.parser.position();
        if known && self.opening.ends(input, end) {
            return Ok(());
        }
        opening::close(input, &mut self.parser)?;
        if expected {
            self.opening.learn_end(input, end);
        }
        Ok(())
    }
}

/// Where the value of the present field stands.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// In the input, from here to there.
    Input(usize, usize),
    /// In the scratch text, since it is not in the input as it is; the element begins here.
    Scratch(usize),
}

pub(super) struct Body<'a> {
    pub(super) plan: &'a Plan,
    pub(super) limits: &'a Limits,
    pub(super) input: &'a str,
    pub(super) parser: &'a mut Parser,
    pub(super) scratch: &'a mut String,
    /// One bit for each field of every open scope.
    seen: &'a mut Vec<u64>,
    /// Is the expected way wanted?
    expected: bool,
    /// Do names without a prefix mean what the plan means by them?
    pub(super) as_planned: bool,
    /// Namespace of the message's elements, if the document has declared it.
    pub(super) namespace: Option<Namespace>,
    /// For which declarations the two answers above and the one below hold.
    generation: Option<u32>,
    learnt: &'a mut Learnt,
    /// Are only the envelope's declarations in scope, so that learnt gaps mean the same?
    same_context: bool,
    gap: Option<Gap>,
    pub(super) value: Value,
    pub(super) scope: usize,
    pub(super) field: usize,
    fields: usize,
}

/// Where reading has come to.
enum Step {
    /// At the value of a field; its element, which the parser does not count as open, has a name
    /// of this start and length.
    Leaf { field: usize, content: usize, name: (usize, usize) },
    /// Between the elements of this component.
    Between(u16),
    /// Behind the end tag of the scope's element.
    Ended,
}

/// The gap that is being read, see [`learnt`].
#[derive(Clone, Copy)]
struct Gap {
    key: usize,
    start: usize,
    /// Elements open at its start, and the fewest since.
    depth: usize,
    floor: usize,
}

impl<'a> Body<'a> {
    /// Reads what stands in the element of a message or entry, up to and including its end tag.
    #[inline]
    pub(super) fn scope<F: Fields>(&mut self, scope: &'a ScopePlan, into: &mut F) -> Result<()> {
        let base = self.seen.len();
        self.seen.resize(base + scope.required.len(), 0);
        self.check_names();
        let start = self.parser.position();
        let first = match self.same_context && self.parser.is_in_content() {
            true => self.learnt.find(self.scope, learnt::START, self.input.as_bytes(), start),
            false => None,
        };
        let mut step = match first.map(|gap| self.cross(gap, start, base)).transpose()? {
            Some(Some((field, content, name))) => Step::Leaf { field, content, name },
            Some(None) => Step::Ended,
            None => {
                // The end of an empty-element tag takes no bytes, so it is no gap.
                match self.parser.is_in_content() {
                    true => self.begin_gap(learnt::START, start),
                    false => self.gap = None,
                }
                Step::Between(NONE)
            }
        };
        loop {
            step = match step {
                Step::Leaf { field, content, name } => {
                    self.leaves(scope, base, (field, content, name), into)?
                }
                Step::Between(component) => self.step(scope, base, component, into)?,
                Step::Ended => break,
            };
        }
        if self.fields > self.limits.fields {
            let kind = ErrorKind::Limit { name: "fields", limit: self.limits.fields };
            return Err(Error::new(kind, self.parser.position()));
        }
        let seen = &self.seen[base..];
        let missing = seen.iter().zip(&scope.required).position(|(seen, it)| it & !seen != 0);
        if let Some(word) = missing {
            let bit = (scope.required[word] & !seen[word]).trailing_zeros() as usize;
            self.field = word * 64 + bit;
            return Err(self.error(ErrorKind::Missing, self.parser.position()));
        }
        self.seen.truncate(base);
        Ok(())
    }

    /// Reads the values of fields as long as learnt gaps follow, and one that none follows.
    ///
    /// This loop is what decoding costs: what it needs stays in registers.
    #[inline]
    fn leaves<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        (mut field, mut content, mut name): (usize, usize, (usize, usize)),
        into: &mut F,
    ) -> Result<Step> {
        let bytes = self.input.as_bytes();
        while self.same_context {
            let end = scan::find_markup(bytes, content);
            let Some(gap) = self.learnt.find(self.scope, field + 1, bytes, end) else { break };
            self.value = Value::Input(content, end);
            self.field = field;
            into.decode_field(field, self)?;
            match self.cross(gap, end, base)? {
                Some(next) => (field, content, name) = next,
                None => return Ok(Step::Ended),
            }
        }
        self.leaf(scope, (field, content, name), into)
    }

    /// Reads the value of a field that no learnt gap follows.
    #[inline(never)]
    fn leaf<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        (field, content, name): (usize, usize, (usize, usize)),
        into: &mut F,
    ) -> Result<Step> {
        let bytes = self.input.as_bytes();
        let end = scan::find_markup(bytes, content);
        let slot = &scope.slots[field];
        self.field = field;
        let is_plain = name.1 == slot.end.len() - 3;
        if self.as_planned && is_plain && slot.end.matches(bytes, end) {
            self.value = Value::Input(content, end);
            self.parser.set_position(end + slot.end.len());
            into.decode_field(field, self)?;
            self.begin_gap(field + 1, end);
            return Ok(Step::Between(slot.component));
        }
        self.parser.push_known(name.0, name.1)?;
        self.parser.set_position(content);
        self.value = self.content(name.0 - 1)?;
        into.decode_field(field, self)?;
        match self.value {
            Value::Input(_, end) if bytes[end..].starts_with(b"</") => {
                self.begin_gap(field + 1, end);
            }
            _ => self.gap = None,
        }
        Ok(Step::Between(slot.component))
    }

    /// Does what the learnt gap at `at` does: the field behind it, where its value begins, and
    /// start and length of its name; or nothing, at the scope's end.
    #[inline(always)]
    fn cross(
        &mut self,
        gap: usize,
        at: usize,
        base: usize,
    ) -> Result<Option<(usize, usize, (usize, usize))>> {
        let effect = self.learnt.effect(gap);
        if effect.closed | effect.opened != 0 {
            self.close_and_open(gap, at)?;
        }
        let content = at + usize::from(effect.length);
        if effect.field == learnt::END {
            self.parser.set_position(content);
            return Ok(None);
        }
        let field = usize::from(effect.field);
        let name = (at + usize::from(effect.name.0), usize::from(effect.name.1));
        self.note(field, base, name.0 - 1)?;
        Ok(Some((field, content, name)))
    }

    #[inline(never)]
    fn close_and_open(&mut self, gap: usize, at: usize) -> Result<()> {
        let effect = self.learnt.effect(gap);
        self.parser.pop_known_elements(usize::from(effect.closed));
        let names = self.learnt.opened(gap);
        for (offset, length) in &names[..usize::from(effect.opened)] {
            self.parser.push_known(at + usize::from(*offset), usize::from(*length))?;
        }
        Ok(())
    }

    #[inline]
    fn begin_gap(&mut self, key: usize, start: usize) {
        let depth = self.parser.depth();
        self.gap = Some(Gap { key, start, depth, floor: depth });
    }

    /// Keeps the gap that ends at `end`, before the value of a field or behind the scope's end.
    #[inline(never)]
    fn learn(&mut self, field: u16, name: (usize, usize), end: usize) {
        let Some(gap) = self.gap.take() else { return };
        let closed = u8::try_from(gap.depth - gap.floor);
        let opened = learnt::pieces(gap.start, self.parser.open_elements(gap.floor));
        let name =
            if field == learnt::END { Some((0, 0)) } else { piece(gap.start, name.0, name.1) };
        let length = u8::try_from(end - gap.start);
        if let (Ok(closed), Some((opened, names)), Some(name), Ok(length), true) =
            (closed, opened, name, length, self.same_context)
        {
            let effect = Effect { field, name, closed, opened, length };
            let bytes = &self.input.as_bytes()[gap.start..end];
            self.learnt.learn(self.scope, gap.key, bytes, effect, names);
        }
    }

    /// An element was closed.
    #[inline]
    fn closed(&mut self) {
        if let Some(gap) = &mut self.gap {
            gap.floor = gap.floor.min(self.parser.depth());
        }
    }

    /// An element of the message was opened whose name has this prefix. Gaps are learnt for one
    /// prefix only: then a gap that closes an element closes it by the name that opened it.
    #[inline]
    pub(super) fn opened(&mut self, prefix: &str) {
        if self.same_context && !self.learnt.agrees(prefix) {
            self.same_context = false;
        }
    }

    /// Finds the next value without the help of a gap.
    #[inline(never)]
    fn step<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        component: u16,
        into: &mut F,
    ) -> Result<Step> {
        let step = match self.as_planned && self.parser.is_in_content() {
            true => self.expected_step(scope, base, component, into)?,
            false => self.general_step(scope, base, component, into)?,
        };
        match step {
            Step::Leaf { field, content, name } => {
                self.learn(field as u16, name, content);
            }
            // The message's own element may have another prefix, and ends once a message.
            Step::Ended if self.scope > 0 => {
                self.learn(learnt::END, (0, 0), self.parser.position());
            }
            Step::Ended | Step::Between(_) => {}
        }
        Ok(step)
    }

    /// Reads tags as long as each is one of the plan's, to the letter, then one event of the
    /// parser's.
    #[inline]
    fn expected_step<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        mut component: u16,
        into: &mut F,
    ) -> Result<Step> {
        let bytes = self.input.as_bytes();
        let mut at = self.parser.position();
        while let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<34>) {
            if window[1] == b'/' {
                let own = match scope.components.get(usize::from(component)) {
                    Some(element) => &element.end,
                    None => &scope.end,
                };
                if !own.matches(bytes, at) || !self.parser.pop_known(own.len() - 3) {
                    break;
                }
                self.closed();
                // Its declarations are out of force, if it had any.
                self.check_names();
                at += own.len();
                let Some(element) = scope.components.get(usize::from(component)) else {
                    self.parser.set_position(at);
                    return Ok(Step::Ended);
                };
                component = element.parent;
                if !self.as_planned {
                    break;
                }
                continue;
            }
            let length = scan::name_length(window);
            match scope.names.guess(component, window, length) {
                Some(Name::Field(field)) => {
                    let slot = &scope.slots[field];
                    if !slot.start.matches(bytes, at) {
                        break;
                    }
                    self.opened("");
                    let (content, name) = (at + slot.start.len(), (at + 1, length));
                    self.note(field, base, at)?;
                    if slot.shape == Shape::Value {
                        return Ok(Step::Leaf { field, content, name });
                    }
                    self.parser.push_known(name.0, name.1)?;
                    self.parser.set_position(content);
                    self.gap = None;
                    into.decode_field(field, self)?;
                    self.gap = None;
                    self.check_names();
                    at = self.parser.position();
                    if !self.as_planned {
                        break;
                    }
                }
                Some(Name::Component(inner)) => {
                    let start = &scope.components[usize::from(inner)].start;
                    if !start.matches(bytes, at) {
                        break;
                    }
                    self.opened("");
                    self.parser.push_known(at + 1, length)?;
                    at += start.len();
                    component = inner;
                }
                None => break,
            }
        }
        self.parser.set_position(at);
        self.general_step(scope, base, component, into)
    }

    /// Takes one event from the parser.
    #[inline(never)]
    fn general_step<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        component: u16,
        into: &mut F,
    ) -> Result<Step> {
        let at = self.parser.position();
        match self.parser.next(self.input)? {
            Event::Start { name, .. } => {
                self.check_names();
                self.opened(name.prefix());
                self.field = usize::MAX;
                let meaning = match Some(name.namespace) == self.namespace {
                    true => scope.names.get(component, name.local().as_bytes()),
                    false => None,
                };
                match meaning {
                    Some(Name::Field(field)) => {
                        let name = (at + 1, name.qualified().len());
                        self.general_field(scope, base, component, (field, at, name), into)
                    }
                    Some(Name::Component(inner)) if !self.is_nil()? => Ok(Step::Between(inner)),
                    Some(Name::Component(_)) => self.pass_over(component),
                    None => {
                        self.fields += 1;
                        self.pass_over(component)
                    }
                }
            }
            Event::End { .. } => {
                self.check_names();
                self.closed();
                match scope.components.get(usize::from(component)) {
                    Some(element) => Ok(Step::Between(element.parent)),
                    None => Ok(Step::Ended),
                }
            }
            Event::Text { white: true, .. }
            | Event::Comment(_)
            | Event::ProcessingInstruction { .. } => Ok(Step::Between(component)),
            Event::Text { .. } | Event::CData { .. } => {
                Err(Error::new(ErrorKind::Expected("elements here, not text".into()), at))
            }
            Event::Eof => Err(Error::new(ErrorKind::Truncated { expected: "an end tag" }, at)),
        }
    }

    /// Passes over the element just begun.
    fn pass_over(&mut self, component: u16) -> Result<Step> {
        self.gap = None;
        self.parser.skip_element(self.input)?;
        self.check_names();
        Ok(Step::Between(component))
    }

    fn general_field<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        component: u16,
        (field, at, name): (usize, usize, (usize, usize)),
        into: &mut F,
    ) -> Result<Step> {
        self.field = field;
        if self.is_nil()? {
            return self.pass_over(component);
        }
        self.note(field, base, at)?;
        let alone = !self.parser.declares() && !self.parser.is_empty_element();
        if self.same_context && scope.slots[field].shape == Shape::Value && alone {
            // A gap may follow, so its value is read like the others.
            self.parser.pop_known_elements(1);
            return Ok(Step::Leaf { field, content: self.parser.position(), name });
        }
        self.gap = None;
        if scope.slots[field].shape == Shape::Value {
            self.value = self.content(at)?;
        }
        into.decode_field(field, self)?;
        self.gap = None;
        self.check_names();
        Ok(Step::Between(component))
    }

    /// Counts a field and refuses it the second time.
    #[inline(always)]
    fn note(&mut self, field: usize, base: usize, at: usize) -> Result<()> {
        self.field = field;
        self.fields += 1;
        let bit = 1_u64 << (field % 64);
        let seen = &mut self.seen[base + field / 64];
        if *seen & bit != 0 {
            return Err(self.error(ErrorKind::Duplicate, at));
        }
        *seen |= bit;
        Ok(())
    }

    /// Answers anew, when declarations changed, which namespace is the message's and whether names
    /// without a prefix are in it.
    #[inline]
    pub(super) fn check_names(&mut self) {
        let generation = Some(self.parser.declarations_generation());
        if self.generation != generation {
            self.same_context &= self.generation.is_none();
            self.generation = generation;
            self.namespace = match self.plan.element_namespace() {
                "" => Some(Namespace::NONE),
                name => self.parser.find_namespace(self.input, name),
            };
            self.as_planned = self.expected && self.names_are_planned();
        }
    }

    #[cold]
    fn names_are_planned(&self) -> bool {
        let namespace = |it| self.parser.namespace_name(self.input, it);
        let prefixes_are_ours = |(prefix, name): (&str, &str)| {
            self.parser.resolve_prefix(self.input, prefix).map(namespace) == Some(name)
        };
        Some(self.parser.default_namespace()) == self.namespace
            && (!self.plan.options.types
                || opening::TYPE_PREFIXES.into_iter().all(prefixes_are_ours))
    }

    /// What the start tag just read says of a field's or component's content.
    #[inline]
    pub(super) fn marks(&self) -> Result<Marks> {
        Marks::read(self.parser, self.input).map_err(|kind| self.error(kind, self.at()))
    }

    /// Is the field whose start tag was just read nil? Does its type fit?
    #[inline]
    pub(super) fn is_nil(&mut self) -> Result<bool> {
        let marks = self.marks()?;
        if let Some(field) = self.plan.schema.scopes()[self.scope].fields.get(self.field) {
            marks.fit(field.kind).map_err(|kind| self.error(kind, self.at()))?;
        }
        Ok(marks.nil)
    }

    fn at(&self) -> usize {
        self.parser.position()
    }

    /// The text of the element just begun, up to and including its end tag.
    pub(super) fn content(&mut self, element: usize) -> Result<Value> {
        let mut value = Value::Input(self.at(), self.at());
        let mut first = true;
        loop {
            let at = self.at();
            match self.parser.next(self.input)? {
                Event::Text { raw, plain: true, .. } | Event::CData { raw, plain: true }
                    if first =>
                {
                    let start = raw.as_ptr().addr() - self.input.as_ptr().addr();
                    value = Value::Input(start, start + raw.len());
                }
                Event::Text { raw, plain, .. } => {
                    value = self.begin_scratch(value, element);
                    match plain {
                        true => self.scratch.push_str(raw),
                        false => xml::unescape(raw, self.scratch),
                    }
                }
                Event::CData { raw, .. } => {
                    value = self.begin_scratch(value, element);
                    xml::normalise_newlines(raw, self.scratch);
                }
                Event::Comment(_) | Event::ProcessingInstruction { .. } => continue,
                Event::End { .. } => break,
                Event::Start { .. } | Event::Eof => {
                    let expected = "text, not an element";
                    return Err(self.error(ErrorKind::Expected(expected.into()), at));
                }
            }
            first = false;
            if let Value::Scratch(_) = value
                && self.scratch.len() > self.limits.value_bytes
            {
                let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
                return Err(self.error(kind, element));
            }
        }
        Ok(value)
    }

    /// Moves what was read so far into the scratch text.
    fn begin_scratch(&mut self, value: Value, element: usize) -> Value {
        if let Value::Input(start, end) = value {
            self.scratch.clear();
            self.scratch.push_str(&self.input[start..end]);
        }
        Value::Scratch(element)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, kind: ErrorKind, offset: usize) -> Error {
        self.plan.locate(Error::new(kind, offset), self.scope, self.field)
    }
}
