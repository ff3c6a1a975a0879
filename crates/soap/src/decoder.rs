//! SOAP to fields.
//!
//! Three paths lead through a message, and a fuzzer holds them equal. The *generic* path reads it by the
//! XML parser. The *fast* path compares whole tags with the bytes that this plan would write, in any
//! order. The *template* path compares what stands between two values with what stood there in
//! earlier messages. Each path falls back to the one before it for whatever it does not know. Where
//! values are attributes, see [`super::tags`], there is no template path.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use trunkline_codec::infoset::{self, Reader as _, same};
use trunkline_codec::xml::{self, Parser, Source};
use trunkline_message::{Error, ErrorKind, Limits, Message, Result, UnknownContent};

use crate::attributes::is_of_graphs;
use crate::container::Enclosing;
use crate::entries::Run;
use crate::event_reader::EventReader;
use crate::form::{Form, Value, Xml};
use crate::gap_templates::GapTemplates;
use crate::graph;
use crate::names::Name;
use crate::namespaces::OF_NONE;
use crate::numbered::Numbers;
use crate::opening::{self, Entered, Names};
use crate::options::Layout;
use crate::package::{Resolver, Unpacked};
use crate::paths::Gap;
use crate::plan::{Plan, ScopePlan};
use crate::tags::Tags;
use crate::templates::{Opening, Templates};
use crate::unknown::UnknownCounter;
use crate::unknown::capture::ScopePath;

/// How many decoders there were.
static DECODERS: AtomicU64 = AtomicU64::new(0);

/// Reads messages of one schema from SOAP, whichever version and prefixes they use.
#[derive(Debug)]
pub struct Decoder {
    plan: Arc<Plan>,
    limits: Limits,
    source: Source,
    parser: Parser,
    templates: Templates,
    scratch: String,
    /// For scopes too wide for the stack.
    seen: Vec<u64>,
    tags: Tags,
    numbers: Numbers,
    /// A number that no other decoder has.
    number: u64,
    fast: bool,
    in_order: bool,
    unknown: UnknownCounter,
    attached: Resolver,
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
            parser: Parser::new(checked(plan), &limits),
            unknown: UnknownCounter::new(UnknownContent::default(), &limits),
            limits,
            source: Source::default(),
            templates: Templates::new(plan),
            scratch: String::new(),
            seen: Vec::new(),
            tags: Tags::new(plan),
            numbers: Numbers::new(plan),
            number: DECODERS.fetch_add(1, Ordering::Relaxed),
            fast: true,
            in_order: false,
            attached: Resolver::default(),
        }
    }

    /// The plain twin: takes the generic path only. For tests and comparisons.
    #[must_use]
    pub fn generic(mut self) -> Self {
        self.fast = false;
        self
    }

    /// Rejects elements that do not stand in the schema's order, which is left to the sender by default. Takes the generic path
    /// only.
    #[must_use]
    pub fn in_order(self) -> Self {
        Self { in_order: true, ..self.generic() }
    }

    /// Does this with elements and attributes that the schema does not know at all, in place of counting
    /// them. What is kept is written back where it stood by an [`Encoder`](super::Encoder). Attributes of items and of the
    /// call around a message, and what stands in documents that are read as graphs, are counted.
    #[must_use]
    pub fn on_unknown(mut self, content: UnknownContent) -> Self {
        // The templates hold such attributes, which are not read again.
        self.templates = Templates::new(&self.plan);
        self.unknown = UnknownCounter::new(content, &self.limits);
        self
    }

    /// How many elements of the last message the schema does not know at all, up to the error where it
    /// was rejected. They were checked for being well-formed, and passed over with what stands inside,
    /// which does not count. Unknown attributes count like elements, but for those of XML, XML Schema and SOAP.
    pub fn unknown(&self) -> usize {
        self.unknown.count
    }

    /// Reads one whole message into place. After an error the message holds what came before it.
    /// Elements and attributes that the schema does not know are passed over and counted, see
    /// [`unknown`](Self::unknown), or [rejected](Self::on_unknown); an element that it knows in another namespace, as an attribute, or
    /// as the entry of a group, is an error, and so is an attribute that it knows as an element. Where content is encoded and refers to elements elsewhere, or tells more of arrays than a list
    /// needs, the document is read as a
    /// [graph](super::graph) and the message from that.
    ///
    /// # Errors
    /// Says what is wrong at which byte in which field; the document must end with `bytes`.
    #[inline]
    pub fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
        match self.decode_tree(bytes, message) {
            Err(error) => self.decode_graph(bytes, message, error),
            Ok(()) => Ok(()),
        }
    }

    /// As [`decode`](Self::decode), of an envelope that came in a package: members take the octets that stand beside it.
    /// Where anything else than a member of octets refers to them, or the message is a graph, the envelope is read with base64
    /// in their places.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_package<M: Message>(
        &mut self,
        package: &Unpacked,
        message: &mut M,
    ) -> Result<()> {
        let Some(attached) = package.attached() else {
            return self.decode(package.outline(), message);
        };
        self.attached.begin(attached);
        let read = self.decode(package.outline(), message);
        match self.attached.end() && read.is_ok() {
            true => Ok(()),
            false => self.decode_whole(package, message),
        }
    }

    /// Reads the envelope with base64 in it, which no template needs to know. What is short enough beside it is so inside.
    #[cold]
    fn decode_whole<M: Message>(&mut self, package: &Unpacked, message: &mut M) -> Result<()> {
        let limits = package.whole_limits(&self.limits);
        let parser = Parser::new(checked(&self.plan), &limits);
        let parser = mem::replace(&mut self.parser, parser);
        let limits = mem::replace(&mut self.limits, limits);
        let fast = mem::replace(&mut self.fast, false);
        let read = self.decode(&package.whole(), message);
        (self.parser, self.limits, self.fast) = (parser, limits, fast);
        read
    }

    /// Reads the message again as a graph, if that is what the error asks for.
    #[cold]
    fn decode_graph<M: Message>(
        &mut self,
        bytes: &[u8],
        message: &mut M,
        error: Error,
    ) -> Result<()> {
        match self.plan.may_be_graph() && is_of_graphs(error.kind()) {
            true => {
                graph::decode_counted(bytes, &self.plan, &self.limits, message, &mut self.unknown)
            }
            false => Err(error),
        }
    }

    /// As [`decode`](Self::decode), for a message in any form, which `reader` has not begun to read. It
    /// takes the generic path. A message that is a graph is read once more, from the beginning.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), and those of the reader.
    pub fn decode_from<R, M>(&mut self, reader: &mut R, message: &mut M) -> Result<()>
    where
        R: infoset::Reader,
        M: Message,
    {
        match self.decode_tree_from(reader, message) {
            Err(error) if self.plan.may_be_graph() && is_of_graphs(error.kind()) => {
                reader.restart()?;
                let (plan, unknown) = (&self.plan, &mut self.unknown);
                graph::decode_counted_from(reader, plan, &self.limits, message, unknown)
            }
            read => read,
        }
    }

    fn decode_tree_from<R, M>(&mut self, reader: &mut R, message: &mut M) -> Result<()>
    where
        R: infoset::Reader,
        M: Message,
    {
        let plan = &*self.plan;
        self.unknown.begin();
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        message.clear();
        self.numbers.begin(reader.numbering());
        let mut reader = EventReader::new(reader, &self.limits);
        let is_known = self.fast && !plan.in_tags && reader.pass_opening(self.number);
        let nil = !is_known && opening::open(plan, &mut reader, &mut self.unknown)?;
        if self.fast && !is_known && !nil && self.unknown.count == 0 {
            reader.remember_opening(self.number);
        }
        let first = reader.before_first();
        let (_, templates) = self.templates.present();
        let memory = Memory {
            scratch: &mut self.scratch,
            seen: &mut self.seen,
            tags: &mut self.tags,
            numbers: &mut self.numbers,
            templates,
            unknown: &mut self.unknown,
            attached: &mut self.attached,
        };
        let mut body = Body::new(plan, &self.limits, reader, memory, first);
        body.fast = self.fast && !plan.in_tags;
        body.in_order = self.in_order;
        match nil {
            true => body.nil_message(message)?,
            false => body.message(false, message)?,
        }
        if body.fast && body.reader.end_document() {
            return Ok(());
        }
        opening::close(plan, &mut body.reader)
    }

    #[inline(always)]
    fn decode_tree<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
        let plan = &*self.plan;
        self.unknown.begin();
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        let input = self.source.prepare(bytes, &self.limits)?;
        message.clear();
        let limits = &self.limits;
        let mut fast = self.fast && is_short(input, limits);
        let attributes = plan.in_tags;
        let entered =
            self.templates.enter(plan, input, &mut self.parser, fast, &mut self.unknown)?;
        let known = entered == Entered::ByTemplate;
        fast &= entered != Entered::Nil && plan.width <= limits.attributes;
        fast &= self.parser.depth() + plan.depth <= limits.depth;
        let first = self.parser.position();
        let (mut opening, templates) = self.templates.present();
        let memory = Memory {
            scratch: &mut self.scratch,
            seen: &mut self.seen,
            tags: &mut self.tags,
            numbers: &mut self.numbers,
            templates,
            unknown: &mut self.unknown,
            attached: &mut self.attached,
        };
        let reader = Xml::new(&mut self.parser, input);
        let mut body = Body::new(plan, limits, reader, memory, first);
        body.input = input;
        body.fast = fast;
        body.in_order = self.in_order;
        body.same_context = fast && !attributes;
        if !attributes && fast {
            match opening.as_deref_mut() {
                Some(opening) => body.learn_names(opening, known),
                None => body.check_names(),
            }
        }
        match entered {
            Entered::Nil => body.nil_message(message)?,
            _ => body.message(known, message)?,
        }
        let mut reader = body.reader;
        let end = reader.parser().position();
        if known && opening.as_ref().is_some_and(|it| it.ends(input, end)) {
            return Ok(());
        }
        opening::close(plan, &mut reader)?;
        if fast && let Some(opening) = opening {
            opening.learn_end(input, end);
        }
        Ok(())
    }
}

/// What is checked of a document. One that is no envelope may have processing instructions, which are passed over.
fn checked(plan: &Plan) -> xml::Options {
    let is_envelope = plan.options.layout != Layout::Fragment;
    xml::Options { instructions: !is_envelope, ..xml::Options::soap() }
}

/// A document that is too short to exceed a limit needs no check of it.
#[inline]
fn is_short(input: &str, limits: &Limits) -> bool {
    input.len() <= limits.value_bytes.min(limits.message_bytes)
}

/// A message that is read from a document of some form.
pub(super) struct Body<'a, R: Form> {
    pub(super) plan: &'a Plan,
    pub(super) limits: &'a Limits,
    /// The document, if it is a text.
    pub(super) input: &'a str,
    pub(super) reader: R,
    pub(super) scratch: &'a mut String,
    /// Memory for the bits of a wide scope.
    pub(super) seen: &'a mut Vec<u64>,
    /// Is the fast path allowed?
    pub(super) fast: bool,
    /// Does the order of elements count?
    pub(super) in_order: bool,
    /// Do names without a prefix mean what the plan means by them?
    pub(super) as_planned: bool,
    /// Namespace of the message's elements, if the document has declared it.
    pub(super) namespace: Option<R::Namespace>,
    /// That of the Body's child, if its elements may be in that too.
    outer_namespace: Option<R::Namespace>,
    /// For which declarations the two answers above and the one below hold.
    pub(super) generation: Option<u32>,
    /// Are values attributes?
    pub(super) attributes: bool,
    /// How scopes are read.
    pub(super) scope_path: ScopePath,
    pub(super) tags: &'a mut Tags,
    pub(super) numbers: &'a mut Numbers,
    pub(super) templates: &'a mut GapTemplates,
    /// Are only the envelope's declarations in scope, so that templates hold?
    pub(super) same_context: bool,
    pub(super) gap: Option<Gap>,
    pub(super) value: Value<R::Held>,
    /// How many items the group or list just begun says that it has.
    pub(super) stated: Option<u64>,
    /// In an answer, or a call by position, where its first element may stand, until another stood there.
    pub(super) first: Option<usize>,
    /// How many parameters were read by position.
    pub(super) unnamed: usize,
    /// In an answer, the name of the return value, if `rpc:result` says it.
    pub(super) result: Option<Box<str>>,
    /// Elements that the schema does not know.
    pub(super) unknown: &'a mut UnknownCounter,
    /// What stands beside the envelope.
    pub(super) attached: &'a mut Resolver,
    pub(super) scope: usize,
    /// The element of the scope: that of the message, an entry or a struct.
    pub(super) own: &'a Enclosing,
    /// Of an unwrapped list, which elements are read, and where the first one begins.
    pub(super) run: Run,
    pub(super) begun: usize,
    pub(super) field: usize,
    pub(super) fields: usize,
    /// Entries of all groups so far.
    pub(super) entries: usize,
}

/// The state for reading a message, which the next one reuses.
struct Memory<'a> {
    scratch: &'a mut String,
    seen: &'a mut Vec<u64>,
    tags: &'a mut Tags,
    numbers: &'a mut Numbers,
    templates: &'a mut GapTemplates,
    unknown: &'a mut UnknownCounter,
    attached: &'a mut Resolver,
}

impl<'a, R: Form> Body<'a, R> {
    /// Reads on from inside the message's own element, by the generic path; `first` is where its first
    /// element may stand.
    #[inline(always)]
    fn new(
        plan: &'a Plan,
        limits: &'a Limits,
        reader: R,
        memory: Memory<'a>,
        first: usize,
    ) -> Self {
        let Memory { scratch, seen, tags, numbers, templates, unknown, attached } = memory;
        Self {
            plan,
            limits,
            input: "",
            reader,
            scratch,
            seen,
            fast: false,
            in_order: false,
            as_planned: false,
            namespace: None,
            outer_namespace: None,
            generation: None,
            attributes: plan.in_tags,
            scope_path: if plan.in_tags { ScopePath::Attributes } else { ScopePath::Elements },
            tags,
            numbers,
            templates,
            same_context: false,
            gap: None,
            value: Value::Scratch(0),
            stated: None,
            first: plan.takes_unnamed().then_some(first),
            unnamed: 0,
            result: None,
            unknown,
            attached,
            own: &plan.message,
            run: Run::First,
            begun: 0,
            scope: 0,
            field: 0,
            fields: 0,
            entries: 0,
        }
    }

    /// Reads the message, whose own element was just begun; did a template match what stands before it (`known`)?
    #[inline(always)]
    fn message<M: Message>(&mut self, known: bool, message: &mut M) -> Result<()> {
        if !known {
            self.pend();
        }
        if self.attributes && self.hold_first(known)? {
            return self.held_nil_message(message);
        }
        self.scope(&self.plan.scopes[0], message)
    }

    /// Counts a field and rejects it the second time. `seen` has a bit for each of the scope's.
    #[inline(always)]
    pub(super) fn note(&mut self, field: usize, seen: &mut [u64], at: usize) -> Result<()> {
        self.fields += 1;
        let bit = 1_u64 << (field % 64);
        let word = &mut seen[field / 64];
        if *word & bit != 0 {
            return Err(self.duplicate(field, at));
        }
        *word |= bit;
        Ok(())
    }

    #[cold]
    fn duplicate(&mut self, field: usize, at: usize) -> Error {
        self.field = field;
        self.error(self.plan.twice(self.scope, field), at)
    }

    /// Rejects a component the second time, at `at`.
    #[inline]
    pub(super) fn note_component(
        &self,
        scope: &ScopePlan,
        component: u16,
        seen: &mut [u64],
        at: usize,
    ) -> Result<()> {
        match scope.stands_twice(component, seen) {
            true => Err(self.plan.component_twice(self.scope, component, at)),
            false => Ok(()),
        }
    }

    /// Calls `read` with a bit for each field and component of a scope, none set.
    #[inline(always)]
    pub(super) fn with_bits<T>(
        &mut self,
        scope: &ScopePlan,
        read: impl FnOnce(&mut Self, &mut [u64]) -> T,
    ) -> T {
        let words = scope.words;
        match [0; 4].get_mut(..words) {
            Some(seen) => read(self, seen),
            None => {
                let mut seen = std::mem::take(self.seen);
                seen.clear();
                seen.resize(words, 0);
                let result = read(self, &mut seen);
                *self.seen = seen;
                result
            }
        }
    }

    /// Answers anew, when declarations changed, which namespace is the message's and whether names
    /// without a prefix are in it.
    #[inline]
    pub(super) fn check_names(&mut self) {
        let generation = Some(self.reader.generation());
        if self.generation != generation {
            self.same_context &= self.generation.is_none();
            self.generation = generation;
            self.namespace = self.reader.find_namespace(self.plan.element_namespace());
            if self.plan.any_item {
                let name = &self.plan.options.namespace;
                self.outer_namespace = self.reader.find_namespace(name);
            }
            self.as_planned = R::IS_TEXT && self.fast && self.names_are_planned();
        }
    }

    /// Is a name in this namespace one of the message's elements?
    #[inline]
    pub(super) fn is_own(&self, namespace: R::Namespace) -> bool {
        if !R::IS_TEXT {
            return self.is_own_by_name(self.reader.namespace_name(namespace));
        }
        let namespace = Some(namespace);
        namespace == self.namespace || self.plan.any_item && namespace == self.outer_namespace
    }

    fn is_own_by_name(&self, namespace: &str) -> bool {
        let plan = self.plan;
        same(namespace, plan.element_namespace())
            || plan.any_item && same(namespace, &plan.options.namespace)
    }

    /// Is a name in this namespace in that of this number?
    #[inline]
    pub(super) fn is_in(&self, namespace_number: u8, namespace: R::Namespace) -> bool {
        match namespace_number {
            0 => self.is_own(namespace),
            OF_NONE => self.reader.is_none(namespace),
            _ => same(
                self.reader.namespace_name(namespace),
                self.plan.namespaces.name(namespace_number),
            ),
        }
    }

    /// What an element of this name means in a component of a scope.
    #[inline]
    pub(super) fn meaning(&self, scope: &ScopePlan, component: u16, name: R::Name) -> Option<Name> {
        let local = self.reader.local(name).as_bytes();
        let namespace = self.reader.namespace(name);
        if self.plan.namespaces.is_one() {
            return match self.is_own(namespace) {
                true => scope.names.get(component, local),
                false => None,
            };
        }
        let mut all = scope.names.all(component, local);
        all.find(|(namespace_number, _)| self.is_in(*namespace_number, namespace))
            .map(|(_, meaning)| meaning)
    }

    #[cold]
    fn names_are_planned(&self) -> bool {
        let is_named = |prefix: &str, name: &str| {
            let namespace = self.reader.resolve(prefix);
            namespace.is_some_and(|it| same(self.reader.namespace_name(it), name))
        };
        self.plan.namespaces.unprefixed().is_none_or(|it| is_named("", it))
            && self.plan.prefixes.iter().all(|(prefix, name)| is_named(prefix, name))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, kind: ErrorKind, offset: usize) -> Error {
        self.plan.locate(Error::new(kind, offset), self.scope, self.field)
    }
}

impl Body<'_, Xml<'_>> {
    /// Takes over what names mean behind an opening, if it is `known`; keeps it if not.
    #[inline]
    fn learn_names(&mut self, opening: &mut Opening, known: bool) {
        match opening.names().filter(|_| known) {
            Some(names) => self.take_names(names),
            None => opening.learn_names(self.names()),
        }
    }

    /// What names mean here.
    #[cold]
    fn names(&mut self) -> Names {
        self.check_names();
        Names {
            generation: self.reader.generation(),
            namespace: self.namespace,
            outer_namespace: self.outer_namespace,
            as_planned: self.as_planned,
        }
    }

    fn take_names(&mut self, names: Names) {
        self.generation = Some(names.generation);
        self.namespace = names.namespace;
        self.outer_namespace = names.outer_namespace;
        self.as_planned = names.as_planned;
    }
}
