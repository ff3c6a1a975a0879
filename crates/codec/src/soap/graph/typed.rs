//! From a graph into a message of a schema: for documents with references, which the decoder of
//! the plan does not follow.

use std::borrow::Cow;
use std::cell::Cell;

use trunkline_message::{
    Decoder, Entries, Error, ErrorKind, Fields, Limits, Message as Typed, Result,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, base64, parse_float,
};

use super::decode::{Form, decode_as};
use super::model::{Content, Graph, Message, Node, NodeId};
use super::namespaces::{ENCODING11, ENCODING12, RPC, XSD, envelope};
use crate::infoset;
use crate::soap::attributes::{fits, says_nothing};
use crate::soap::document;
use crate::soap::names::Name as Meaning;
use crate::soap::opening::excerpt;
use crate::soap::plan::{Layout, NONE, Plan, ScopePlan};
use crate::soap::unknown::{instead, local_part, meant_as_item};
use crate::soap::values::parse_decimal;
use crate::width::within;

/// Reads a message of the plan's schema from any document, references followed. Values that are
/// shared are read once for each use. Answers how many elements the schema does not know, as
/// [`Decoder::unknown`](crate::soap::Decoder::unknown).
///
/// # Errors
/// Those of [`decode`](super::decode) and [`read_message`]; of a value that is used in many places,
/// the byte is where it stands.
pub fn decode_message<M: Typed>(
    bytes: &[u8],
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
) -> Result<usize> {
    let mut unknown = 0;
    decode_counted(bytes, plan, limits, message, &mut unknown)?;
    Ok(unknown)
}

/// As [`decode_message`]; what is unknown is counted up to an error, too.
pub(in crate::soap) fn decode_counted<M: Typed>(
    bytes: &[u8],
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
    unknown: &mut usize,
) -> Result<()> {
    *unknown = 0;
    document::read(bytes, limits, |reader| read_from(reader, plan, limits, message, unknown))
}

/// As [`decode_message`], for a message in any form.
///
/// # Errors
/// As [`decode_message`].
pub fn decode_message_from<M: Typed>(
    reader: &mut impl infoset::Reader,
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
) -> Result<usize> {
    let mut unknown = 0;
    read_from(reader, plan, limits, message, &mut unknown)?;
    Ok(unknown)
}

fn read_from<M: Typed>(
    reader: &mut impl infoset::Reader,
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
    unknown: &mut usize,
) -> Result<()> {
    let (graph, places) = decode_as(reader, limits, plan, form(plan))?;
    let (node, around) = locate(plan, &graph)?;
    *unknown = around;
    read(&graph.graph, &places, node, plan, limits, message, unknown)
}

/// Reads a message of the plan's schema from the node that stands for it; answers as
/// [`decode_message`].
///
/// # Errors
/// Values that contain themselves, arrays with gaps where a group or list is expected, values of
/// other kinds than the schema's, missing and repeated fields, more than the limits allow. A path
/// says where; there is no byte to point at.
pub fn read_message<M: Typed>(
    graph: &Graph,
    node: NodeId,
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
) -> Result<usize> {
    let mut unknown = 0;
    read(graph, &[], node, plan, limits, message, &mut unknown)?;
    Ok(unknown)
}

/// As [`read_message`]; `places` tells where the elements of nodes begin, and `unknown` counts on.
fn read<M: Typed>(
    graph: &Graph,
    places: &[usize],
    node: NodeId,
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
    unknown: &mut usize,
) -> Result<()> {
    if !message.message_layout().is_same(&plan.layout) {
        return Err(Error::new(ErrorKind::Schema, 0));
    }
    if plan.options.attributes {
        let what = "references in messages whose values are attributes";
        return Err(Error::new(ErrorKind::Unsupported(what.into()), 0));
    }
    refuse_reference(plan, graph.node(node)).map_err(|kind| Error::new(kind, 0))?;
    message.clear();
    let mut reader = Reader {
        plan,
        graph,
        places,
        limits,
        path: vec![node],
        seen: Vec::new(),
        node,
        scope: 0,
        field: 0,
        fields: 0,
        entries: 0,
        bytes: Cell::new(0),
        result: None,
        unknown: *unknown,
    };
    let read = reader.message(message);
    *unknown = reader.unknown;
    read
}

/// What a document of the plan is.
fn form(plan: &Plan) -> Form {
    match plan.options.layout {
        Layout::Fragment => Form::Element,
        Layout::Message | Layout::Operation => Form::Envelope,
    }
}

/// The node that is the plan's message, and how many attributes of the call around it mean nothing.
fn locate(plan: &Plan, message: &Message) -> Result<(NodeId, usize)> {
    let expected = |namespace: &str, local: &str| {
        let what = format!("the element {local} of the namespace {namespace:?} in the Body");
        Error::new(ErrorKind::Expected(what.into()), 0)
    };
    let is_plain_rpc = plan.options.is_plain_rpc();
    let (namespace, local) = match is_plain_rpc {
        true => (&*plan.options.namespace, &*plan.options.operation),
        false => (&*plan.root_namespace, &*plan.root),
    };
    if plan.options.layout != Layout::Fragment {
        if !plan.options.any_header {
            refuse_mandatory(message)?;
        }
        refuse_fault(message)?;
    }
    let any = plan.options.any_wrapper;
    let root = message.root().filter(|(name, _)| any || name.is(namespace, local));
    let (_, root) = root.ok_or_else(|| expected(namespace, local))?;
    if !is_plain_rpc {
        return Ok((root, 0));
    }
    let call = message.graph.node(root);
    refuse_reference(plan, call).map_err(|kind| Error::new(kind, 0).within(local))?;
    match message.graph.members(root) {
        [(name, node), rest @ ..] if name.is(&plan.root_namespace, &plan.root) => {
            let Some((second, _)) = rest.first() else {
                let names = others(plan, call).map(super::Name::local);
                let root = &plan.root;
                let meant = names.clone().find_map(|it| meant_as_item(root, "", it));
                return match meant {
                    Some(kind) => Err(Error::new(kind, 0).within(local)),
                    None => Ok((*node, names.count())),
                };
            };
            let what = format!("the element {} after the message", excerpt(second.local()));
            Err(Error::new(ErrorKind::Unsupported(what.into()), 0).within(local))
        }
        _ => Err(expected(&plan.root_namespace, &plan.root).within(local)),
    }
}

/// Header blocks that must be understood are the caller's, or an error.
fn refuse_mandatory(message: &Message) -> Result<()> {
    let soap = envelope(message.version);
    let must = |node: NodeId| {
        let value = message.graph.node(node).attribute(soap, "mustUnderstand");
        matches!(value.map(str::trim), Some("1" | "true"))
    };
    match message.header.iter().find(|(_, node)| must(*node)) {
        None => Ok(()),
        Some((name, _)) => {
            let name = name.to_string();
            let what = format!("the header {}, which must be understood", excerpt(&name));
            Err(Error::new(ErrorKind::Unsupported(what.into()), 0))
        }
    }
}

fn refuse_fault(message: &Message) -> Result<()> {
    let is_fault = |name: &super::Name| name.is(envelope(message.version), "Fault");
    let Some((_, node)) = message.root().filter(|(name, _)| is_fault(name)) else {
        return Ok(());
    };
    let graph = &message.graph;
    let reason = graph.text_at(node, &["faultstring"]);
    let reason = reason.or_else(|_| graph.text_at(node, &["Reason", "Text"])).unwrap_or_default();
    let what = format!("a Fault in place of the message: {}", excerpt(reason.trim()));
    Err(Error::new(ErrorKind::Unsupported(what.into()), 0))
}

/// A value that is elsewhere is not an empty one: references that are not to an element of the
/// message, or that stand where the encoding rules do not hold, are left with their nodes.
fn refuse_reference(plan: &Plan, node: &Node) -> std::result::Result<(), ErrorKind> {
    let names = [("", "href"), (ENCODING11, "ref"), (ENCODING12, "ref")];
    let refers = names.iter().any(|(namespace, local)| node.attribute(namespace, local).is_some());
    match refers && plan.options.style.is_encoded() {
        true => Err(ErrorKind::Unsupported("a reference to what is not in the message".into())),
        false => Ok(()),
    }
}

/// The attributes of a node that say nothing, see [`says_nothing`].
fn others<'g>(plan: &'g Plan, node: &'g Node) -> impl Iterator<Item = &'g super::Name> + Clone {
    let names = node.attributes.iter().map(|(name, _)| name);
    names.filter(|name| says_nothing(plan, name.namespace(), name.local()))
}

/// Stands at the node of one field.
struct Reader<'a> {
    plan: &'a Plan,
    graph: &'a Graph,
    /// Where the elements of the nodes begin, if that is known.
    places: &'a [usize],
    limits: &'a Limits,
    /// The nodes around the present one, and itself.
    path: Vec<NodeId>,
    /// One bit for each field and component of every open scope.
    seen: Vec<u64>,
    node: NodeId,
    scope: usize,
    field: usize,
    fields: usize,
    entries: usize,
    /// Of text, as often as it is used: sharing does not get around the limits.
    bytes: Cell<usize>,
    /// In an answer, the name of the return value, if `rpc:result` says it.
    result: Option<&'a str>,
    /// Elements that the schema does not know.
    unknown: usize,
}

type Parsed<T> = std::result::Result<T, ValueError>;

impl<'a> Reader<'a> {
    /// Reads the message from the only node of the path.
    fn message<M: Typed>(&mut self, message: &mut M) -> Result<()> {
        self.field = usize::MAX;
        self.count_attributes_around(self.node, &self.plan.scopes[0], NONE)?;
        if self.plan.may_be_nil() && self.graph.node(self.node).content == Content::Nil {
            return Ok(());
        }
        self.scope(0, message)
    }

    /// Counts the attributes of a node that say nothing.
    fn count_attributes(&mut self, node: NodeId) {
        self.unknown += others(self.plan, self.graph.node(node)).count();
    }

    /// The same for a field, which may be a group or list.
    ///
    /// # Errors
    /// One is meant as an entry or item.
    fn count_attributes_of(&mut self, node: NodeId, field: usize) -> Result<()> {
        let (plan, scope) = (self.plan, self.scope);
        let meant = others(plan, self.graph.node(node))
            .find_map(|name| plan.meant_by_attribute_of(scope, field, name.local()));
        if let Some(kind) = meant {
            return Err(self.error(kind));
        }
        self.count_attributes(node);
        Ok(())
    }

    /// The same, where the elements inside are those of a component of a scope.
    ///
    /// # Errors
    /// One is meant as one of those.
    fn count_attributes_around(
        &mut self,
        node: NodeId,
        scope: &ScopePlan,
        component: u16,
    ) -> Result<()> {
        let plan = self.plan;
        let meant = others(plan, self.graph.node(node))
            .find_map(|name| plan.meant_by_attribute(scope, component, name.local()));
        if let Some((meaning, kind)) = meant {
            if let Meaning::Field(field) = meaning
                && std::ptr::eq(scope, &plan.scopes[self.scope])
            {
                self.field = field.into();
            }
            return Err(self.error(kind));
        }
        self.count_attributes(node);
        Ok(())
    }

    /// Reads the fields of a message or entry from the node where the path ends.
    fn scope<F: Fields>(&mut self, index: usize, into: &mut F) -> Result<()> {
        let plan = self.plan;
        let scope = &plan.scopes[index];
        let base = self.seen.len();
        self.seen.resize(base + scope.words, 0);
        (self.scope, self.field) = (index, usize::MAX);
        self.members(scope, base, NONE, into)?;
        if let Some(unmet) = scope.required.unmet(&self.seen[base..]) {
            self.node = self.path[self.path.len() - 1];
            return Err(plan.layout.scopes()[index].refuse(unmet, self.at()));
        }
        self.seen.truncate(base);
        Ok(())
    }

    /// Reads the members of the node where the path ends, as the element of a component. It goes
    /// as deep as the components of the schema.
    fn members<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        component: u16,
        into: &mut F,
    ) -> Result<()> {
        let graph = self.graph;
        let node = self.path[self.path.len() - 1];
        let members = match &graph.node(node).content {
            Content::Struct(members) => &members[..],
            Content::Text(text) if self.is_blank(text)? => &[],
            Content::Text(_) | Content::Nil | Content::Array(_) => {
                return Err(self.error(ErrorKind::Expected("elements by their names".into())));
            }
        };
        let index = self.scope;
        for (position, (name, child)) in members.iter().enumerate() {
            self.count(1)?;
            self.node = *child;
            let is_ours = name.namespace() == self.plan.element_namespace()
                || (self.plan.any_item && name.namespace() == &*self.plan.root_namespace);
            let local = name.local().as_bytes();
            let meaning = scope.names.get(component, local).filter(|_| is_ours);
            let meaning = meaning.or_else(|| self.return_value(scope, component, name, position));
            // Only what the schema knows is read, and only there can a circle be met.
            self.field = match meaning {
                Some(Meaning::Field(field)) => usize::from(field),
                Some(Meaning::Component(_)) => usize::MAX,
                None => {
                    self.unknown(scope, component, name)?;
                    continue;
                }
            };
            let node = graph.node(*child);
            refuse_reference(self.plan, node).map_err(|kind| self.error(kind))?;
            self.check_type(*child)?;
            match meaning {
                Some(Meaning::Component(inner)) => {
                    self.count_attributes_around(*child, scope, inner)?;
                }
                Some(Meaning::Field(field)) => self.count_attributes_of(*child, field.into())?,
                None => {}
            }
            if matches!(node.content, Content::Nil) {
                continue;
            }
            match meaning {
                Some(Meaning::Field(field)) => {
                    self.note(base)?;
                    self.enter(*child)?;
                    into.decode_field(usize::from(field), self)?;
                }
                Some(Meaning::Component(inner)) => {
                    self.note_component(scope, inner, base)?;
                    self.enter(*child)?;
                    self.members(scope, base, inner, into)?;
                    let missing = scope.required.missing_in_empty(inner, &self.seen[base..]);
                    if let Some(field) = missing {
                        self.field = field;
                        return Err(self.error(ErrorKind::Missing));
                    }
                }
                None => {}
            }
            self.path.pop();
            self.scope = index;
        }
        Ok(())
    }

    /// What a member is that has no other's name, if that is the return value of a call; see the
    /// decoder's way of the same name.
    fn return_value(
        &self,
        scope: &ScopePlan,
        component: u16,
        name: &super::Name,
        position: usize,
    ) -> Option<Meaning> {
        let value = self.plan.return_value.filter(|_| self.is_answer(component))?;
        let known = scope.names.get(component, name.local().as_bytes());
        let is_it = match self.result {
            Some(result) => result == name.local(),
            None => position == 0 && !name.is(RPC, "result"),
        };
        (is_it && known.is_none_or(|known| known == value)).then_some(value)
    }

    /// Is it the element with the parts of an answer that is read?
    fn is_answer(&self, component: u16) -> bool {
        self.plan.return_value.is_some() && self.path.len() == 1 && component == NONE
    }

    /// Counts the member at the present node, which is none of those expected, unless it is
    /// `rpc:result`.
    #[cold]
    fn unknown(&mut self, scope: &ScopePlan, component: u16, name: &super::Name) -> Result<()> {
        if self.is_answer(component) && name.is(RPC, "result") {
            self.field = usize::MAX;
            self.result = Some(local_part(self.text_value()?));
            return Ok(());
        }
        if let Some(expected) = self.plan.meant_in_scope(scope, component, name.local()) {
            self.field = match scope.names.get(component, name.local().as_bytes()) {
                Some(Meaning::Field(field)) => field.into(),
                _ => usize::MAX,
            };
            return Err(self.error(instead(&expected, name.local(), name.namespace())));
        }
        self.unknown += 1;
        Ok(())
    }

    /// Counts fields and items, as often as they are used.
    fn count(&mut self, more: usize) -> Result<()> {
        self.fields += more;
        let limit = self.limits.fields;
        match self.fields > limit {
            true => Err(self.error(ErrorKind::Limit { name: "fields", limit })),
            false => Ok(()),
        }
    }

    /// Refuses a component the second time.
    fn note_component(&mut self, scope: &ScopePlan, component: u16, base: usize) -> Result<()> {
        match scope.stands_twice(component, &mut self.seen[base..]) {
            true => Err(self.plan.component_twice(self.scope, component, self.at())),
            false => Ok(()),
        }
    }

    /// Refuses a field the second time.
    fn note(&mut self, base: usize) -> Result<()> {
        let bit = 1_u64 << (self.field % 64);
        let seen = &mut self.seen[base + self.field / 64];
        if *seen & bit != 0 {
            return Err(self.error(self.plan.twice(self.scope, self.field)));
        }
        *seen |= bit;
        Ok(())
    }

    fn enter(&mut self, node: NodeId) -> Result<()> {
        if self.path.contains(&node) {
            let what = "a tree, not a value that contains itself";
            return Err(self.error(ErrorKind::Expected(what.into())));
        }
        self.path.push(node);
        self.node = node;
        Ok(())
    }

    /// Counts a text, as often as it is looked at.
    fn count_text(&self, text: &str) -> Result<()> {
        self.bytes.set(self.bytes.get() + text.len());
        let limit = self.limits.message_bytes;
        match self.bytes.get() > limit {
            true => Err(self.error(ErrorKind::Limit { name: "message_bytes", limit })),
            false => Ok(()),
        }
    }

    /// Is it the white space of an element that has no others inside?
    fn is_blank(&self, text: &str) -> Result<bool> {
        self.count_text(text)?;
        Ok(text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')))
    }

    fn text_value(&self) -> Result<&'a str> {
        match &self.graph.node(self.node).content {
            Content::Text(text) => self.count_text(text).map(|()| &**text),
            Content::Struct(members) if members.is_empty() => Ok(""),
            _ => Err(self.error(ErrorKind::Expected("text, not elements".into()))),
        }
    }

    /// May a value of the node's type stand in the present field, or as an item of it?
    fn check_type(&self, node: NodeId) -> Result<()> {
        let field = self.plan.layout.scopes()[self.scope].fields.get(self.field);
        let (Some(name), Some(field)) = (&self.graph.node(node).type_name, field) else {
            return Ok(());
        };
        if name.namespace() != XSD || fits(field.holds.kind(), name.local()) {
            return Ok(());
        }
        let what = format!("a value of another type than xsd:{}", name.local());
        Err(self.error(ErrorKind::Expected(what.into())))
    }

    fn parse<T>(&self, expected: &'static str, parse: impl Fn(&[u8]) -> Parsed<T>) -> Result<T> {
        let text = self.text_value()?;
        // As the decoder does: without the white space around only where it is not taken with it.
        let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
        parse(text.as_bytes())
            .or_else(|_| parse(trimmed.as_bytes()))
            .map_err(|problem| self.error(ErrorKind::Value { expected, problem }))
    }

    /// The nodes of a list's items or a group's entries, which are named so where names count.
    fn items(&mut self, entry: Option<&ScopePlan>) -> Result<Cow<'a, [NodeId]>> {
        match &self.graph.node(self.node).content {
            Content::Array(array) if array.dimensions.len() > 1 || !array.item_ranks.is_empty() => {
                Err(self.error(ErrorKind::Expected("an array of one dimension".into())))
            }
            // What was not transmitted has no value that would be right.
            Content::Array(array) if !array.is_complete() => {
                let (stated, found) = (array.size(), array.items.len());
                let is_cut = array.items.iter().zip(0..).all(|(item, position)| item.0 == position);
                if is_cut && array.offset.is_none() {
                    let stated = usize::try_from(stated).unwrap_or(usize::MAX);
                    return Err(self.error(ErrorKind::Count { stated, found }));
                }
                let what = format!(
                    "all {stated} items of the array, not {found} of them: it is partial or sparse"
                );
                Err(self.error(ErrorKind::Expected(what.into())))
            }
            Content::Array(array) => Ok(array.items.iter().map(|item| item.1).collect()),
            Content::Struct(members) => {
                let namespace = self.plan.element_namespace();
                let mut items = Vec::with_capacity(members.len());
                for (name, node) in members {
                    match entry.filter(|_| !self.plan.any_item) {
                        Some(entry) if !name.is(namespace, &entry.name) => {
                            self.unknown_in_group(entry, name, *node)?;
                        }
                        _ => items.push(*node),
                    }
                }
                Ok(Cow::Owned(items))
            }
            Content::Text(text) if self.is_blank(text)? => Ok(Cow::Borrowed(&[])),
            Content::Text(_) | Content::Nil => {
                Err(self.error(ErrorKind::Expected("items, not text".into())))
            }
        }
    }

    /// Counts an element in a group that is none of its entries.
    fn unknown_in_group(
        &mut self,
        entry: &ScopePlan,
        name: &super::Name,
        at: NodeId,
    ) -> Result<()> {
        self.node = at;
        if let Some(expected) = self.plan.meant_in_group(entry, name.namespace(), name.local()) {
            return Err(self.error(instead(&expected, name.local(), name.namespace())));
        }
        self.unknown += 1;
        Ok(())
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let items = self.items(None)?;
        let limit = self.limits.elements;
        if items.len() > limit {
            return Err(self.error(ErrorKind::Limit { name: "elements", limit }));
        }
        self.count(items.len())?;
        for node in items.iter() {
            self.node = *node;
            refuse_reference(self.plan, self.graph.node(*node)).map_err(|kind| self.error(kind))?;
            self.check_type(*node)?;
            self.count_attributes(*node);
            item(self)?;
        }
        Ok(())
    }

    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        self.plan.locate(Error::new(kind, self.at()), self.scope, self.field)
    }

    /// Where the element of the present node begins, if that is known.
    fn at(&self) -> usize {
        self.places.get(self.node.index()).copied().unwrap_or(0)
    }
}

impl Decoder for Reader<'_> {
    fn big_integer(&mut self) -> Result<BigInteger> {
        todo!()
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        todo!()
    }

    fn duration(&mut self) -> Result<Duration> {
        todo!()
    }

    fn enumeration(&mut self) -> Result<usize> {
        todo!()
    }

    fn structure<F: Fields>(&mut self, _: &mut F) -> Result<()> {
        todo!()
    }

    fn boolean(&mut self) -> Result<bool> {
        self.parse("true or false", |text| match text {
            b"true" | b"1" => Ok(true),
            b"false" | b"0" => Ok(false),
            b"" => Err(ValueError::Empty),
            _ => Err(ValueError::Malformed { at: 0 }),
        })
    }

    fn integer<I: Integer>(&mut self) -> Result<I> {
        self.parse("a whole number", |text| match text.strip_prefix(b"+") {
            Some(digits) if digits.first().is_some_and(u8::is_ascii_digit) => I::parse(digits),
            _ => I::parse(text),
        })
    }

    fn decimal(&mut self) -> Result<Decimal> {
        let exponents = self.plan.options.exponents;
        self.parse("a decimal number", |text| parse_decimal(text, exponents))
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        self.parse("a number", parse_float)
    }

    fn text(&mut self, into: &mut Text) -> Result<()> {
        into.assign(self.text_value()?);
        Ok(())
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        into.clear();
        into.push_str(self.text_value()?);
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        let text = self.text_value()?.as_bytes();
        base64::decode_into(text, self.limits.value_bytes, into)
            .map_err(|problem| self.error(ErrorKind::Value { expected: "base64", problem }))
    }

    fn code(&mut self) -> Result<Code> {
        self.parse("a code of at most 15 ASCII characters", Code::parse)
    }

    fn date(&mut self) -> Result<Date> {
        self.parse("a date as YYYY-MM-DD", Date::parse_xml)
    }

    fn time(&mut self) -> Result<Time> {
        let time = self.parse("a time as HH:MM:SS", Time::parse_xml)?;
        Ok(if self.plan.options.zone { time } else { time.in_utc() })
    }

    fn timestamp(&mut self) -> Result<Timestamp> {
        let moment = self.parse("a time stamp as YYYY-MM-DDTHH:MM:SS", Timestamp::parse_xml)?;
        Ok(if self.plan.options.zone { moment } else { moment.in_utc() })
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        into.clear();
        let holds = self.plan.layout.scopes()[self.scope].fields[self.field].holds;
        self.list(|reader| {
            let number = within(reader.integer()?, holds);
            let expected = "a whole number";
            into.push(
                number.map_err(|problem| reader.error(ErrorKind::Value { expected, problem }))?,
            );
            Ok(())
        })
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        into.clear();
        self.list(|reader| {
            into.push(reader.float()?);
            Ok(())
        })
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        into.clear();
        let plan = self.plan;
        let (outer, field) = (self.scope, self.field);
        let inner = usize::from(plan.scopes[outer].slots[field].scope);
        for (index, node) in self.items(Some(&plan.scopes[inner]))?.iter().enumerate() {
            self.entries += 1;
            self.node = *node;
            if self.entries > self.limits.entries {
                let limit = self.limits.entries;
                return Err(self.error(ErrorKind::Limit { name: "entries", limit }));
            }
            refuse_reference(plan, self.graph.node(*node)).map_err(|kind| self.error(kind))?;
            self.count_attributes_around(*node, &plan.scopes[inner], NONE)?;
            self.enter(*node)?;
            let read = self.scope(inner, into.next_entry());
            (self.scope, self.field) = (outer, field);
            read.map_err(|error| plan.locate(error.in_entry(index), outer, field))?;
            self.path.pop();
        }
        Ok(())
    }
}
