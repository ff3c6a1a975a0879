//! From a message of a schema to a graph, so that it can be written with references.

use std::collections::HashMap;

use trunkline_message::{
    Encoder, Error, ErrorKind, Fields, Kind, Message as Typed, Result, ScopeId, Unmet,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Time, Timestamp, base64,
    write_float,
};

use super::model::{Array, Content, Message, Node, NodeId};
use super::name::Name;
use super::namespaces::{self, XSD};
use crate::soap::naming::{Naming, xsd_name};
use crate::soap::plan::{Element, NONE, Plan};

/// The message as a graph, in the shape that the plan gives its documents. In encoded styles texts
/// that are equal are one value, so that an [`Encoder`](super::Encoder) writes them once; where the
/// plan writes types, groups and lists are arrays.
///
/// # Errors
/// A message of another schema, a required field that is not set, a plan whose values are
/// attributes.
pub fn from_message<M: Typed>(message: &M, plan: &Plan) -> Result<Message> {
    if !message.message_layout().is_same(&plan.layout) {
        return Err(Error::new(ErrorKind::Schema, 0));
    }
    if plan.options.attributes {
        let why = "values that are attributes cannot be referred to";
        return Err(Error::new(ErrorKind::Unwritable(why), 0));
    }
    let mut out = Message::new(plan.options.version);
    if plan.options.style.is_encoded() {
        out.set_encoded();
    }
    let scopes = 0..plan.layout.scopes().len();
    let naming = Naming { layout: &plan.layout, options: &plan.options };
    let mut writer = Writer {
        plan,
        encoded: plan.options.style.is_encoded(),
        names: scopes.map(|scope| ScopeNames::new(&naming, plan, scope)).collect(),
        item: Name::new(plan.element_namespace(), "item"),
        texts: HashMap::new(),
        out: &mut out,
        scope: 0,
        next: 0,
        open: Vec::new(),
        problem: None,
    };
    let node = writer.scope(0, message);
    if let Some(problem) = writer.problem {
        return Err(problem);
    }
    let root = (Name::new(&plan.root_namespace, &plan.root), node);
    let root = match plan.options.is_plain_rpc() {
        false => root,
        true => {
            let operation = Name::new(&plan.options.namespace, &plan.options.operation);
            (operation, out.graph.add_struct(vec![root]))
        }
    };
    out.body.push(root);
    Ok(out)
}

/// What the elements of a scope are called.
struct ScopeNames {
    entry: Name,
    fields: Vec<Name>,
    components: Vec<Name>,
    /// Types of entries and components have the schema's names, whatever the elements have.
    entry_type: Name,
    component_types: Vec<Name>,
}

impl ScopeNames {
    fn new(naming: &Naming<'_>, plan: &Plan, scope: usize) -> Self {
        let id = ScopeId(scope as u16);
        let entry = Name::new(plan.element_namespace(), &plan.scopes[scope].name);
        let components = 0..plan.scopes[scope].components.len();
        let known = plan.layout.scope(id);
        let entry_type = Name::new(&plan.options.namespace, &known.name);
        let component_type = |it: usize| entry_type.renamed(&known.components[it].type_name);
        Self {
            component_types: components.clone().map(component_type).collect(),
            fields: naming.fields(id).iter().map(|name| entry.renamed(name)).collect(),
            components: components.map(|it| entry.renamed(&naming.component(id, it))).collect(),
            entry,
            entry_type,
        }
    }
}

struct Writer<'a> {
    plan: &'a Plan,
    encoded: bool,
    names: Vec<ScopeNames>,
    item: Name,
    /// The node of each text.
    texts: HashMap<Box<str>, NodeId>,
    out: &'a mut Message,
    scope: usize,
    /// The first field of the scope that is not passed yet.
    next: usize,
    /// The structs that are open: the message's or entry's, and components inside.
    open: Vec<Open>,
    problem: Option<Error>,
}

/// A struct that is open.
struct Open {
    /// Which component it is.
    component: u16,
    members: Vec<(Name, NodeId)>,
}

impl Writer<'_> {
    fn scope<F: Fields>(&mut self, index: usize, fields: &F) -> NodeId {
        let outer = (self.scope, self.next, std::mem::take(&mut self.open));
        (self.scope, self.next) = (index, 0);
        self.open.push(Open { component: NONE, members: Vec::new() });
        if let Some(Unmet::Missing(field)) = fields.unmet() {
            self.fail(field, "a required field is not set");
        }
        fields.encode_fields(0, self);
        self.fill(self.plan.scopes[index].slots.len());
        while self.open.len() > 1 {
            self.close();
        }
        let members = self.open.pop().map(|it| it.members).unwrap_or_default();
        (self.scope, self.next, self.open) = outer;
        let mut node = Node::new(Content::Struct(members));
        // The message's own element is known by its name.
        if self.plan.arrays && index > 0 {
            node.type_name = Some(self.names[index].entry_type.clone());
        }
        self.out.graph.add(node)
    }

    /// Ends the innermost component.
    fn close(&mut self) {
        let Some(inner) = self.open.pop() else { return };
        let names = &self.names[self.scope];
        let name = names.components[usize::from(inner.component)].clone();
        let mut node = Node::new(Content::Struct(inner.members));
        if self.plan.arrays {
            node.type_name = Some(names.component_types[usize::from(inner.component)].clone());
        }
        let node = self.out.graph.add(node);
        if let Some(outer) = self.open.last_mut() {
            outer.members.push((name, node));
        }
    }

    /// Closes and opens components so that this one is the innermost.
    fn reach(&mut self, component: u16) {
        let scope = &self.plan.scopes[self.scope];
        while let Some(open) = self.open.last()
            && self.open.len() > 1
            && !scope.is_inside(component, open.component)
        {
            self.close();
        }
        let innermost = self.open.last().map_or(component, |open| open.component);
        let mut missing = Vec::new();
        let mut around = component;
        while around != innermost && around != NONE {
            missing.push(around);
            around = scope.components[usize::from(around)].parent;
        }
        for component in missing.into_iter().rev() {
            self.open.push(Open { component, members: Vec::new() });
        }
    }

    /// Adds what has to be there before a field though it holds nothing: groups that are parts of
    /// rpc, and required components that have no field set.
    fn fill(&mut self, field: usize) {
        let plan = self.plan;
        let scope = &plan.scopes[self.scope];
        if !scope.hollow {
            return;
        }
        for part in scope.parts.iter().map(|part| usize::from(*part)) {
            if part >= self.next && part < field {
                self.entries(part, Vec::new());
            }
        }
        let next = self.next;
        for (index, element) in scope.components.iter().enumerate() {
            let passed = |it: &Element| it.ranks.0 >= next && it.ranks.1 <= field;
            if passed(element) && scope.stands(index as u16, passed) {
                self.reach(index as u16);
            }
        }
    }

    fn add(&mut self, field: usize, node: NodeId) {
        self.fill(field);
        self.next = field + 1;
        self.reach(self.plan.scopes[self.scope].slots[field].component);
        let name = self.names[self.scope].fields[field].clone();
        if let Some(open) = self.open.last_mut() {
            open.members.push((name, node));
        }
    }

    /// What a field, or each item of a list, is.
    fn kind(&self, field: usize) -> Kind {
        self.plan.layout.scopes()[self.scope].fields[field].holds.kind().unwrap_or(Kind::Text)
    }

    fn node(&mut self, kind: Kind, text: &str) -> NodeId {
        let mut node = Node::new(Content::Text(text.into()));
        if self.plan.options.types {
            node.type_name = Some(schema_type(kind));
        }
        self.out.graph.add(node)
    }

    /// Adds a value that is written into a window.
    fn window(&mut self, field: usize, write: impl FnOnce(&mut [u8; 40]) -> usize) {
        let mut window = [0; 40];
        let length = write(&mut window);
        let text = String::from_utf8_lossy(&window[..length]);
        let node = self.node(self.kind(field), &text);
        self.add(field, node);
    }

    fn items<T: Copy>(
        &mut self,
        field: usize,
        values: &[T],
        write: impl Fn(T, &mut [u8; 40]) -> usize,
    ) {
        let kind = self.kind(field);
        let mut items = Vec::with_capacity(values.len());
        for value in values {
            let mut window = [0; 40];
            let length = write(*value, &mut window);
            // Their type is the array's to tell.
            items.push(self.out.graph.add_text(&String::from_utf8_lossy(&window[..length])));
        }
        let item = self.item.clone();
        self.array(field, schema_type(kind), &item, items);
    }

    /// Adds an array; where there are none, a struct of the same elements.
    fn array(&mut self, field: usize, item_type: Name, item: &Name, items: Vec<NodeId>) {
        let node = if self.plan.arrays {
            let mut array = Array::new(Some(item_type), items);
            array.item_name = item.clone();
            let arrays = Name::new(namespaces::encoding(self.plan.options.version), "Array");
            self.out.graph.add(Node::new(Content::Array(Box::new(array))).of_type(arrays))
        } else {
            let members = items.into_iter().map(|node| (item.clone(), node)).collect();
            self.out.graph.add_struct(members)
        };
        self.add(field, node);
    }

    /// Adds a group of these entries.
    fn entries(&mut self, field: usize, items: Vec<NodeId>) {
        let inner = usize::from(self.plan.scopes[self.scope].slots[field].scope);
        let names = &self.names[inner];
        let (entry, entry_type) = (names.entry.clone(), names.entry_type.clone());
        self.array(field, entry_type, &entry, items);
    }

    #[cold]
    fn fail(&mut self, field: usize, why: &'static str) {
        if self.problem.is_none() {
            let error = Error::new(ErrorKind::Unwritable(why), 0);
            self.problem = Some(self.plan.locate(error, self.scope, field));
        }
    }
}

impl Encoder for Writer<'_> {
    fn big_integer(&mut self, field: usize, _: &BigInteger) {
        self.fail(field, "not yet");
    }

    fn big_decimal(&mut self, field: usize, _: &BigDecimal) {
        self.fail(field, "not yet");
    }

    fn duration(&mut self, field: usize, _: Duration) {
        self.fail(field, "not yet");
    }

    fn enumeration(&mut self, field: usize, _: usize) {
        self.fail(field, "not yet");
    }

    fn structure<F: Fields>(&mut self, field: usize, _: &F) {
        self.fail(field, "not yet");
    }

    fn boolean(&mut self, field: usize, value: bool) {
        let node = self.node(Kind::Boolean, if value { "true" } else { "false" });
        self.add(field, node);
    }

    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.window(field, |window| value.write(window));
    }

    fn decimal(&mut self, field: usize, value: Decimal) {
        self.window(field, |window| value.write(window));
    }

    fn float<F: Float>(&mut self, field: usize, value: F) {
        self.window(field, |window| write_float(value, window));
    }

    fn string(&mut self, field: usize, value: &str) {
        let shared = self.encoded && !value.is_empty();
        let node = match self.texts.get(value) {
            Some(node) if shared => *node,
            _ => {
                let node = self.node(Kind::Text, value);
                if shared {
                    self.texts.insert(value.into(), node);
                }
                node
            }
        };
        self.add(field, node);
    }

    fn bytes(&mut self, field: usize, value: &[u8]) {
        let mut text = Vec::new();
        base64::encode_into(value, &mut text);
        let node = self.node(Kind::Bytes, &String::from_utf8_lossy(&text));
        self.add(field, node);
    }

    fn code(&mut self, field: usize, value: Code) {
        let node = self.node(Kind::Code, value.as_str());
        self.add(field, node);
    }

    fn date(&mut self, field: usize, value: Date) {
        self.window(field, |window| value.write_xml(window));
    }

    fn time(&mut self, field: usize, value: Time) {
        let zone = self.plan.options.zone;
        self.window(field, |window| value.write_xml(zone, window));
    }

    fn timestamp(&mut self, field: usize, value: Timestamp) {
        let zone = self.plan.options.zone;
        self.window(field, |window| value.write_xml(zone, window));
    }

    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        self.items(field, values, |value, window| value.write(window));
    }

    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        self.items(field, values, write_float);
    }

    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        let plan = self.plan;
        let (outer, inner) = (self.scope, plan.scopes[self.scope].slots[field].scope);
        let mut items = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let had_problem = self.problem.is_some();
            items.push(self.scope(usize::from(inner), entry));
            if !had_problem && let Some(problem) = self.problem.take() {
                self.problem = Some(plan.locate(problem.in_entry(index), outer, field));
            }
        }
        self.entries(field, items);
    }
}

/// The type of XML Schema that values of a kind have.
fn schema_type(kind: Kind) -> Name {
    let name = xsd_name(kind);
    Name::new(XSD, name.split_once(':').map_or("anyType", |(_, local)| local))
}
