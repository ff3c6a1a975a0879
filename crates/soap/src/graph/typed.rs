//! From a graph into a message of a schema: for documents with references, which the decoder of
//! the plan does not follow.

mod lists;
mod rows;
mod values;

use std::cell::Cell;

use trunkline_codec::infoset;
use trunkline_message::{Error, ErrorKind, Field, Fields, Holds, Limits, Message as Typed, Result};

use self::rows::Rows;
use super::decode::{Form, decode_as};
use super::model::{Content, Graph, Message, Node, NodeId};
use super::namespaces::{ENCODING11, ENCODING12, RPC, envelope};
use crate::attributes::{is_own, is_unknown};
use crate::document;
use crate::names::Name as Meaning;
use crate::opening::excerpt;
use crate::options::Layout;
use crate::plan::{self, NONE, Plan, ScopePlan};
use crate::types::ByType;
use crate::unknown::{
    UnknownCounter, instead, local_part, meant_as_item, next_parameter, rejected,
    rejected_attribute,
};

/// Reads a message of the plan's schema from any document, references followed. Values that are
/// shared are read once for each use. Answers how many elements the schema does not know, as
/// [`Decoder::unknown`](crate::Decoder::unknown).
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
    let mut unknown = UnknownCounter::default();
    decode_counted(bytes, plan, limits, message, &mut unknown)?;
    Ok(unknown.count)
}

/// As [`decode_message`]; what is unknown is counted up to an error, too.
pub(crate) fn decode_counted<M: Typed>(
    bytes: &[u8],
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
    unknown: &mut UnknownCounter,
) -> Result<()> {
    let read = |reader: &mut document::Reader<'_>| {
        decode_counted_from(reader, plan, limits, message, unknown)
    };
    document::read(bytes, limits, read)
}

/// The same for a message in any form.
pub(crate) fn decode_counted_from<M: Typed>(
    reader: &mut impl infoset::Reader,
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
    unknown: &mut UnknownCounter,
) -> Result<()> {
    unknown.count = 0;
    read_from(reader, plan, limits, message, unknown)
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
    let mut unknown = UnknownCounter::default();
    decode_counted_from(reader, plan, limits, message, &mut unknown)?;
    Ok(unknown.count)
}

fn read_from<M: Typed>(
    reader: &mut impl infoset::Reader,
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
    unknown: &mut UnknownCounter,
) -> Result<()> {
    let (graph, places) = decode_as(reader, limits, plan, form(plan))?;
    let first = || graph.first_left_out.as_ref().map_or("", super::Name::local);
    unknown.add(graph.left_out, || rejected_attribute(first(), 0))?;
    let node = locate(plan, &graph, unknown)?;
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
    let mut unknown = UnknownCounter::default();
    read(graph, &[], node, plan, limits, message, &mut unknown)?;
    Ok(unknown.count)
}

/// As [`read_message`]; `places` has where the elements of nodes begin, and `unknown` counts on.
fn read<M: Typed>(
    graph: &Graph,
    places: &[usize],
    node: NodeId,
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
    unknown: &mut UnknownCounter,
) -> Result<()> {
    if !message.message_layout().is_same(&plan.layout) {
        return Err(Error::new(ErrorKind::Schema, 0));
    }
    if plan.is_by_schema {
        let what = "references in messages whose values are attributes";
        return Err(Error::new(ErrorKind::Unsupported(what.into()), 0));
    }
    reject_reference(plan, graph.node(node)).map_err(|kind| Error::new(kind, 0))?;
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
        empty: None,
        fields: 0,
        entries: 0,
        run: None,
        rows: None,
        bytes: Cell::new(0),
        unnamed: 0,
        result: None,
        unknown,
    };
    reader.message(message)
}

/// What a document of the plan is.
fn form(plan: &Plan) -> Form {
    match plan.options.layout {
        Layout::Fragment => Form::Element,
        Layout::Message | Layout::Operation | Layout::Body | Layout::Nothing => Form::Envelope,
    }
}

/// The node that is the plan's message. Counts the attributes of the call around it that mean nothing.
fn locate(plan: &Plan, message: &Message, unknown: &mut UnknownCounter) -> Result<NodeId> {
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
            reject_mandatory(message)?;
        }
        reject_fault(message)?;
    }
    let any = plan.options.any_wrapper;
    let root = message.root().filter(|(name, _)| any || name.is(namespace, local));
    let (_, root) = root.ok_or_else(|| expected(namespace, local))?;
    if !is_plain_rpc {
        return Ok(root);
    }
    let call = message.graph.node(root);
    reject_reference(plan, call).map_err(|kind| Error::new(kind, 0).within(local))?;
    match message.graph.members(root) {
        [(name, node), rest @ ..] if name.is(&plan.root_namespace, &plan.root) => {
            let Some((second, _)) = rest.first() else {
                let names = others(plan, call).map(super::Name::local);
                let root = &plan.root;
                let meant = own(plan, call).find_map(|it| meant_as_item(root, "", it.local()));
                return match meant {
                    Some(kind) => Err(Error::new(kind, 0).within(local)),
                    None => {
                        let first = names.clone().next().unwrap_or_default();
                        unknown.add(names.count(), || rejected_attribute(first, 0))?;
                        Ok(*node)
                    }
                };
            };
            let what = format!("the element {} after the message", excerpt(second.local()));
            Err(Error::new(ErrorKind::Unsupported(what.into()), 0).within(local))
        }
        _ => Err(expected(&plan.root_namespace, &plan.root).within(local)),
    }
}

/// Header blocks that must be understood are the caller's, or an error.
fn reject_mandatory(message: &Message) -> Result<()> {
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

fn reject_fault(message: &Message) -> Result<()> {
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
fn reject_reference(plan: &Plan, node: &Node) -> std::result::Result<(), ErrorKind> {
    let names = [("", "href"), (ENCODING11, "ref"), (ENCODING12, "ref")];
    let refers = names.iter().any(|(namespace, local)| node.attribute(namespace, local).is_some());
    match refers && plan.options.style.is_encoded() {
        true => Err(ErrorKind::Unsupported("a reference to what is not in the message".into())),
        false => Ok(()),
    }
}

/// The attributes of a node that are unknown, see [`is_unknown`].
fn others<'g>(plan: &'g Plan, node: &'g Node) -> impl Iterator<Item = &'g super::Name> + Clone {
    let names = node.attributes.iter().map(|(name, _)| name);
    names.filter(|name| is_unknown(plan, name.namespace(), name.local()))
}

/// Those of them that may be meant as elements of the message.
fn own<'g>(plan: &'g Plan, node: &'g Node) -> impl Iterator<Item = &'g super::Name> {
    others(plan, node).filter(|name| is_own(plan, name.namespace()))
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
    /// What the present node stands for, which is an empty element.
    empty: Option<&'a str>,
    fields: usize,
    entries: usize,
    /// The elements of the present list, if they have none around them.
    run: Option<Vec<NodeId>>,
    /// What the present list is of an array of several dimensions, if it is its rows or one of them.
    rows: Option<Rows<'a>>,
    /// Of text, as often as it is used: sharing does not get around the limits.
    bytes: Cell<usize>,
    /// How many parameters were read by position.
    unnamed: usize,
    /// In an answer, the name of the return value, if `rpc:result` says it.
    result: Option<&'a str>,
    /// Elements that the schema does not know.
    unknown: &'a mut UnknownCounter,
}

impl<'a> Reader<'a> {
    /// Reads the message from the only node of the path.
    fn message<M: Typed>(&mut self, message: &mut M) -> Result<()> {
        self.field = usize::MAX;
        self.count_attributes_around(self.node, &self.plan.scopes[0], NONE)?;
        if self.graph.node(self.node).content == Content::Nil
            && (self.plan.options.nillable && message.set_nil() || self.plan.may_be_nil())
        {
            return Ok(());
        }
        self.scope(0, message)
    }

    /// Counts the attributes of a node, that of the present field, that are unknown.
    ///
    /// # Errors
    /// They are rejected.
    fn count_attributes(&mut self, node: NodeId) -> Result<()> {
        let (plan, scope, field) = (self.plan, self.scope, self.field);
        self.add_attributes(node, |error| plan.locate(error, scope, field))
    }

    fn add_attributes(&mut self, node: NodeId, locate: impl FnOnce(Error) -> Error) -> Result<()> {
        let names = others(self.plan, self.graph.node(node)).map(super::Name::local);
        let (first, at) = (names.clone().next().unwrap_or_default(), self.place_of(node));
        self.unknown.add(names.count(), || locate(rejected_attribute(first, at)))
    }

    /// The same for a field, which may be a group or list.
    ///
    /// # Errors
    /// One is meant as an entry or item, or they are rejected.
    fn count_attributes_of(&mut self, node: NodeId, field: usize) -> Result<()> {
        let (plan, scope) = (self.plan, self.scope);
        let meant = own(plan, self.graph.node(node))
            .find_map(|name| plan.meant_by_attribute_of(scope, field, name.local()));
        if let Some(kind) = meant {
            return Err(self.error(kind));
        }
        self.count_attributes(node)
    }

    /// The same, where the elements inside are those of a component of a scope.
    ///
    /// # Errors
    /// One is meant as one of those, or they are rejected.
    fn count_attributes_around(
        &mut self,
        node: NodeId,
        scope: &ScopePlan,
        component: u16,
    ) -> Result<()> {
        let plan = self.plan;
        let meant = own(plan, self.graph.node(node))
            .find_map(|name| plan.meant_by_attribute(scope, component, name.local()));
        if let Some((meaning, kind)) = meant {
            // In the element of a component, which is no field, it is one of the present scope.
            if let Meaning::Field(field) = meaning
                && self.field == usize::MAX
            {
                self.field = field.into();
            }
            return Err(self.error(kind));
        }
        if component == NONE {
            return self.count_attributes(node);
        }
        let within = self.scope;
        self.add_attributes(node, |error| plan.locate_component(error, within, component))
    }

    /// Reads the fields of a message, an entry or a struct from the node where the path ends.
    fn scope<F: Fields>(&mut self, index: usize, into: &mut F) -> Result<()> {
        let plan = self.plan;
        let scope = &plan.scopes[index];
        if let Some(types) = &scope.by_type {
            return self.choice_apart(index, types, into);
        }
        let base = self.seen.len();
        self.seen.resize(base + scope.words, 0);
        (self.scope, self.field) = (index, usize::MAX);
        self.members(scope, base, NONE, into)?;
        if let Some(unmet) = scope.required.unmet(&self.seen[base..]) {
            self.node = self.path[self.path.len() - 1];
            return Err(plan.layout.scopes()[index].reject(unmet, self.at()));
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
            let meaning = match meaning {
                Some(meaning) => Some(meaning),
                None => self.unnamed(scope, component, name, position)?,
            };
            // Only members of the schema are read, so a cycle can occur only there.
            match meaning {
                Some(Meaning::Field(field)) => {
                    self.field = match scope.led_by(field.into()) {
                        Some(types) => self.arm(types)?,
                        None => field.into(),
                    };
                    self.member(scope, base, (component, members), *child, into)?;
                }
                Some(Meaning::Component(inner)) => {
                    self.field = usize::MAX;
                    self.component(scope, base, inner, *child, into)?;
                }
                None => self.unknown(scope, component, name)?,
            }
            self.scope = index;
        }
        Ok(())
    }

    /// The arm that the present node is, by its type. An error is that of the choice, which is a
    /// component of the scope or all of it.
    fn arm(&self, types: &ByType) -> Result<usize> {
        let node = self.graph.node(self.node);
        let type_name = node.type_name.as_ref().map(|it| (it.namespace(), it.local()));
        let is_nil = matches!(node.content, Content::Nil);
        let arm = reject_reference(self.plan, node).and_then(|()| types.arm(type_name, is_nil));
        arm.map_err(|kind| {
            let scope = &self.plan.layout.scopes()[self.scope];
            let choice = scope.fields[usize::from(types.first)].component;
            scope.locate_component(Error::new(kind, self.at()), choice)
        })
    }

    /// Reads the choice that the node is where the path ends.
    fn choice_apart<F: Fields>(
        &mut self,
        index: usize,
        types: &ByType,
        into: &mut F,
    ) -> Result<()> {
        self.node = self.path[self.path.len() - 1];
        self.scope = index;
        self.field = self.arm(types)?;
        self.count(1)?;
        self.check(self.node)?;
        if matches!(self.graph.node(self.node).content, Content::Nil) {
            return Err(self.error(ErrorKind::Expected("an entry, not nil".into())));
        }
        into.decode_field(self.field, self)
    }

    /// Reads the present field, which a node is one of the `members` of a component.
    fn member<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        base: usize,
        (component, members): (u16, &[(super::Name, NodeId)]),
        node: NodeId,
        into: &mut F,
    ) -> Result<()> {
        if self.is_unwrapped() {
            return self.unwrapped(scope, base, (component, members), into);
        }
        self.check(node)?;
        if matches!(self.graph.node(node).content, Content::Nil) {
            return Ok(());
        }
        self.note(base)?;
        let is_default = matches!(&self.graph.node(node).content, Content::Text(text)
            if text.is_empty() && scope.slots[self.field].shape == plan::Shape::Defaulted);
        if !is_default {
            return self.value(node, into);
        }
        let plan = self.plan;
        self.empty = plan.scopes[self.scope].slots[self.field].empty.as_deref();
        let read = if self.empty.is_some() { self.value(node, into) } else { Ok(()) };
        self.empty = None;
        read
    }

    /// Reads the present field from a node that has been checked.
    fn value<F: Fields>(&mut self, node: NodeId, into: &mut F) -> Result<()> {
        self.enter(node)?;
        into.decode_field(self.field, self)?;
        self.path.pop();
        Ok(())
    }

    /// May the node stand for the present field? Counts its attributes.
    fn check(&mut self, node: NodeId) -> Result<()> {
        self.reject_reference(node)?;
        let inside = match self.holds() {
            Some(Holds::Struct(inside)) => Some(&self.plan.scopes[usize::from(inside.0)]),
            _ => None,
        };
        if inside.is_some_and(|it| it.by_type.is_some()) {
            // The type is that of the arm, and so are the attributes.
            return Ok(());
        }
        if !self.plan.scopes[self.scope].is_typed_arm(self.field) {
            self.check_type(node)?;
        }
        match inside {
            Some(inside) => self.count_attributes_around(node, inside, NONE),
            _ => self.count_attributes_of(node, self.field),
        }
    }

    fn reject_reference(&self, node: NodeId) -> Result<()> {
        reject_reference(self.plan, self.graph.node(node)).map_err(|kind| self.error(kind))
    }

    /// Reads the members of a component.
    fn component<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        base: usize,
        component: u16,
        node: NodeId,
        into: &mut F,
    ) -> Result<()> {
        self.reject_reference(node)?;
        self.count_attributes_around(node, scope, component)?;
        if matches!(self.graph.node(node).content, Content::Nil) {
            return Ok(());
        }
        self.note_component(scope, component, base)?;
        self.enter(node)?;
        self.members(scope, base, component, into)?;
        if let Some(unmet) = scope.required.unmet_in_empty(component, &self.seen[base..]) {
            return Err(self.plan.layout.scopes()[self.scope].reject(unmet, self.at()));
        }
        self.path.pop();
        Ok(())
    }

    /// What a member is that has no other's name, if that is the return value of a call, or a parameter by
    /// position; see the decoder's method of the same name.
    fn unnamed(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        name: &super::Name,
        position: usize,
    ) -> Result<Option<Meaning>> {
        let known = scope.names.get(component, name.local().as_bytes());
        let is_of_call = self.path.len() == 1 && component == NONE;
        match &self.plan.parameters {
            Some(parameters) if is_of_call && known.is_none() => {
                let next = next_parameter(parameters, &mut self.unnamed, || position == 0);
                self.field = usize::MAX;
                next.map_err(|kind| self.error(kind).within(name.local()))
            }
            _ => Ok(self.return_value(known, component, name, position)),
        }
    }

    fn return_value(
        &self,
        known: Option<Meaning>,
        component: u16,
        name: &super::Name,
        position: usize,
    ) -> Option<Meaning> {
        let value = self.plan.return_value.filter(|_| self.is_answer(component))?;
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
        let (plan, within, at) = (self.plan, self.scope, self.at());
        let local = name.local();
        self.unknown.add(1, || plan.locate_component(rejected(local, at), within, component))
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

    /// Rejects a component the second time.
    fn note_component(&mut self, scope: &ScopePlan, component: u16, base: usize) -> Result<()> {
        match scope.stands_twice(component, &mut self.seen[base..]) {
            true => Err(self.plan.component_twice(self.scope, component, self.at())),
            false => Ok(()),
        }
    }

    /// Was the present field there already?
    fn is_noted(&self, base: usize) -> bool {
        self.seen[base + self.field / 64] >> (self.field % 64) & 1 != 0
    }

    /// Rejects a field the second time.
    fn note(&mut self, base: usize) -> Result<()> {
        let bit = 1_u64 << (self.field % 64);
        let seen = &mut self.seen[base + self.field / 64];
        if *seen & bit != 0 {
            return Err(self.error(self.plan.twice(self.scope, self.field)));
        }
        *seen |= bit;
        Ok(())
    }

    /// Goes into a node. References may lead deeper than the document itself is.
    fn enter(&mut self, node: NodeId) -> Result<()> {
        if self.path.contains(&node) {
            let what = "a tree, not a value that contains itself";
            return Err(self.error(ErrorKind::Expected(what.into())));
        }
        let limit = self.limits.depth;
        if self.path.len() >= limit {
            return Err(self.error(ErrorKind::Limit { name: "depth", limit }));
        }
        self.path.push(node);
        self.node = node;
        Ok(())
    }

    /// The present field; none in the element of a component.
    fn present(&self) -> Option<&'a Field> {
        self.plan.layout.scopes()[self.scope].fields.get(self.field)
    }

    /// What it holds.
    fn holds(&self) -> Option<Holds> {
        self.present().map(|it| it.holds)
    }

    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        self.plan.locate(Error::new(kind, self.at()), self.scope, self.field)
    }

    /// Where the element of the present node begins, if that is known.
    fn at(&self) -> usize {
        self.place_of(self.node)
    }

    fn place_of(&self, node: NodeId) -> usize {
        self.places.get(node.index()).copied().unwrap_or(0)
    }
}
