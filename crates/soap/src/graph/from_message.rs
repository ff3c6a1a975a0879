//! From a message of a schema to a graph, so that it can be written with references.

mod values;

use std::collections::HashMap;

use trunkline_message::{
    Error, ErrorKind, Fields, Holds, Limits, Message as Typed, Need, Result, ScopeId, Shape,
};

use super::model::{Array, Content, Message, Node, NodeId};
use super::name::Name;
use super::namespaces::{self, XSD};
use crate::dimensions::Sizes;
use crate::naming::Naming;
use crate::plan::{self, NONE, Plan};

/// The message as a graph, in the shape that the plan gives its documents. In encoded styles texts
/// that are equal are one value, so that an [`Encoder`](super::Encoder) writes them once; where the
/// plan writes types, groups and lists are arrays.
///
/// # Errors
/// A message of another schema, a required field that is not set, an array of another size, a choice
/// without an arm or with several, structs and lists inside each other deeper than the default of
/// [`Limits`], a plan whose values are attributes.
pub fn from_message<M: Typed>(message: &M, plan: &Plan) -> Result<Message> {
    if !message.message_layout().is_same(&plan.layout) {
        return Err(Error::new(ErrorKind::Schema, 0));
    }
    if plan.is_by_schema {
        let why = "values that are attributes, or in other namespaces, are not written so";
        return Err(Error::new(ErrorKind::Unwritable(why), 0));
    }
    let mut out = Message::new(plan.options.version);
    if plan.options.style.is_encoded() {
        out.set_encoded();
    }
    let scopes = 0..plan.layout.scopes().len();
    let naming = Naming::new(&plan.layout, &plan.options);
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
        depth: 0,
        problem: None,
    };
    let node = match plan.options.nillable && message.is_nil() {
        true => writer.nil(0, message),
        false => writer.scope(0, message),
    };
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
    fields: Vec<Name>,
    components: Vec<Name>,
    /// Types of structs have the schema's names, whatever the elements have.
    own_type: Name,
    /// That of a choice by type which is the scope.
    declared: Option<Name>,
    /// Those of arms that `xsi:type` selects.
    arm_types: Vec<Option<Name>>,
    component_types: Vec<Name>,
    /// Those of the values of fields, or of the items of lists.
    value_types: Vec<Name>,
}

impl ScopeNames {
    fn new(naming: &Naming<'_>, plan: &Plan, scope: usize) -> Self {
        let id = ScopeId(scope as u16);
        let element = Name::new(plan.element_namespace(), "item");
        let components = 0..plan.scopes[scope].components.len();
        let known = plan.layout.scope(id);
        let own_type = Name::from(&naming.own_type(known.of));
        let component_type = |it: usize| Name::from(&naming.type_of_component(id, it));
        let value_type =
            |it: usize| Name::from(&naming.value_type(known.fields[it].holds, (id, it)));
        let arm_type = |it: usize| {
            let type_name = naming.written_type(id, it).filter(|_| naming.is_typed_arm(id, it));
            type_name.map(|it| Name::new(&it.namespace, &it.local))
        };
        let declared = naming.is_typed_scope(id).then(|| naming.declared_type(id));
        Self {
            declared: declared.map(|it| Name::new(&it.namespace, &it.local)),
            arm_types: (0..known.fields.len()).map(arm_type).collect(),
            component_types: components.clone().map(component_type).collect(),
            value_types: (0..known.fields.len()).map(value_type).collect(),
            fields: naming.fields(id).iter().map(|name| element.renamed(name)).collect(),
            components: components.map(|it| element.renamed(&naming.component(id, it))).collect(),
            own_type,
        }
    }
}

struct Writer<'a> {
    plan: &'a Plan,
    encoded: bool,
    names: Vec<ScopeNames>,
    item: Name,
    /// The node of each text of a type.
    texts: HashMap<Name, HashMap<Box<str>, NodeId>>,
    out: &'a mut Message,
    scope: usize,
    /// The first field of the scope that is not passed yet.
    next: usize,
    /// The structs that are open: the message's or entry's, and components inside.
    open: Vec<Open>,
    /// How many structs and lists the scope is in.
    depth: usize,
    problem: Option<Error>,
}

/// A struct that is open.
struct Open {
    /// Which component it is.
    component: u16,
    members: Vec<(Name, NodeId)>,
}

impl Writer<'_> {
    /// The node of a message, an entry or a struct.
    fn scope<F: Fields>(&mut self, index: usize, fields: &F) -> NodeId {
        let mut members = self.members(index, fields);
        if self.plan.scopes[index].by_type.is_some()
            && let Some((_, node)) = members.pop()
        {
            return node;
        }
        let mut node = Node::new(Content::Struct(members));
        // The message's own element is known by its name.
        if self.plan.arrays && index > 0 {
            node.type_name = Some(self.names[index].own_type.clone());
        }
        self.out.graph.add(node)
    }

    fn members<F: Fields>(&mut self, index: usize, fields: &F) -> Vec<(Name, NodeId)> {
        let outer = (self.scope, self.next, std::mem::take(&mut self.open));
        (self.scope, self.next) = (index, 0);
        self.open.push(Open { component: NONE, members: Vec::new() });
        if let Some(unmet) = fields.unmet()
            && self.problem.is_none()
        {
            let error = Error::new(ErrorKind::Unwritable(unmet.why()), 0);
            self.problem = Some(self.plan.layout.scopes()[index].locate_unmet(error, unmet));
        }
        fields.encode_fields(0, self);
        self.fill(self.plan.scopes[index].slots.len());
        while self.open.len() > 1 {
            self.close();
        }
        let members = self.open.pop().map(|it| it.members).unwrap_or_default();
        (self.scope, self.next, self.open) = outer;
        members
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
        let lists = scope.parts.iter().filter(|part| part.nil.is_none());
        for part in lists.map(|part| usize::from(part.field)) {
            if part >= self.next && part < field {
                let dimensions = plan.dimensions_of(self.scope, part);
                self.list(part, &Sizes::of_nothing(dimensions), Vec::new());
            }
        }
        let next = self.next;
        for (index, element) in scope.components.iter().enumerate() {
            let passed = |it: &plan::Element| it.ranks.0 >= next && it.ranks.1 <= field;
            if passed(element) && scope.stands(index as u16, passed) {
                self.reach(index as u16);
            }
        }
    }

    /// Adds the element of a field.
    fn add_one(&mut self, field: usize, node: NodeId) {
        let names = &self.names[self.scope];
        let name = names.fields[field].clone();
        if let Some(type_name) = &names.arm_types[field] {
            self.out.graph.node_mut(node).type_name = Some(type_name.clone());
        }
        self.add(field, [(name, node)]);
    }

    /// Adds elements where a field stands.
    fn add(&mut self, field: usize, elements: impl IntoIterator<Item = Element>) {
        self.fill(field);
        self.next = field + 1;
        self.reach(self.plan.scopes[self.scope].slots[field].component);
        if let Some(open) = self.open.last_mut() {
            open.members.extend(elements);
        }
    }

    /// What the field holds.
    fn holds(&self, field: usize) -> Holds {
        self.plan.layout.scopes()[self.scope].fields[field].holds
    }

    /// The node of a text of this type.
    fn node(&mut self, type_name: Name, text: &str) -> NodeId {
        let mut node = Node::new(Content::Text(text.into()));
        if self.plan.options.types {
            node.type_name = Some(type_name);
        }
        self.out.graph.add(node)
    }

    /// The name of the element of each entry of a list, or each number; none where an entry is one
    /// element already, that of its item or that of its arm.
    fn enclosing(&self, field: usize) -> Option<Name> {
        let scope = &self.plan.scopes[self.scope];
        let enclosing = scope.container(&scope.slots[field]).enclosing.as_ref();
        enclosing.map(|it| self.item.renamed(&it.name))
    }

    /// Have the entries of a list no element around them?
    fn is_unwrapped(&self, field: usize) -> bool {
        self.plan.scopes[self.scope].slots[field].shape == plan::Shape::Run
    }

    /// The type of a field's value.
    fn value_type(&self, field: usize) -> Name {
        self.names[self.scope].value_types[field].clone()
    }

    /// The elements of a list's entries.
    fn elements<F: Fields>(&mut self, field: usize, inner: usize, entries: &[F]) -> Vec<Element> {
        let mut elements = Vec::with_capacity(entries.len());
        let (outer, plan) = (self.scope, self.plan);
        let enclosing = self.enclosing(field);
        let around = &plan.scopes[outer];
        let takes_nil = around.container(&around.slots[field]).takes_nil;
        for (index, entry) in entries.iter().enumerate() {
            let had_problem = self.problem.is_some();
            match &enclosing {
                _ if takes_nil && entry.is_nil() => {
                    let name = enclosing.as_ref().unwrap_or(&self.names[inner].fields[0]).clone();
                    elements.push((name, self.nil(inner, entry)));
                }
                Some(name) => {
                    let node = self.scope(inner, entry);
                    elements.push((name.clone(), node));
                }
                None => elements.extend(self.members(inner, entry)),
            }
            if !had_problem && let Some(problem) = self.problem.take() {
                self.problem = Some(plan.locate(problem.in_entry(index), outer, field));
            }
        }
        elements
    }

    /// An entry or a message that is nil.
    fn nil<F: Fields>(&mut self, inner: usize, entry: &F) -> NodeId {
        let problem = self.problem.take();
        let has_content = !self.members(inner, entry).is_empty();
        self.problem = problem;
        if has_content && self.problem.is_none() {
            let kind = ErrorKind::Unwritable("it is nil and has more inside");
            self.problem = Some(Error::new(kind, 0));
        }
        self.out.graph.add(Node::new(Content::Nil))
    }

    /// Adds a list of these elements: an array of these sizes, a struct of them, or nothing around them.
    fn list(&mut self, field: usize, sizes: &Sizes, elements: Vec<Element>) {
        let known = &self.plan.layout.scopes()[self.scope].fields[field];
        let found = sizes.as_slice()[0];
        if let Some(fixed) = known.fixed.filter(|it| *it as usize != found) {
            let stated = fixed as usize;
            self.fail(field, ErrorKind::Count { stated, found });
        }
        if self.is_unwrapped(field) {
            if elements.is_empty() && known.need == Need::Optional {
                let why = "an empty list that is unwrapped cannot be told from none";
                self.fail(field, ErrorKind::Unwritable(why));
            }
            return self.add(field, elements);
        }
        let node = match self.array_type(self.scope, field).filter(|_| self.plan.arrays) {
            Some((item_type, item_ranks)) => {
                let name = elements.first().map(|it| it.0.clone());
                let items = elements.into_iter().map(|it| it.1).collect();
                let mut array = Array { item_ranks, ..Array::new(Some(item_type), items) };
                array.dimensions = sizes.as_slice().iter().map(|it| Some(*it as u64)).collect();
                array.item_name = name.unwrap_or_else(|| self.item.clone());
                let arrays = Name::new(namespaces::encoding(self.plan.options.version), "Array");
                self.out.graph.add(Node::new(Content::Array(Box::new(array))).of_type(arrays))
            }
            None => self.out.graph.add_struct(elements),
        };
        self.add_one(field, node);
    }

    /// The type of the items of a list, as an array has it: their name, and how deep they are arrays
    /// themselves. None of choices, whose elements show by their names which arm they are, as the items
    /// of an array do not.
    fn array_type(&self, scope: usize, field: usize) -> Option<(Name, Vec<usize>)> {
        let layout = &self.plan.layout;
        let value_type = || self.names[scope].value_types[field].clone();
        let inner = match self.plan.innermost(scope, field) {
            Holds::List(_) => return Some((value_type(), Vec::new())),
            Holds::Group(inner) => usize::from(inner.0),
            _ => return None,
        };
        let entry = &layout.scopes()[inner];
        match (entry.shape, entry.fields.first().map(|it| it.holds)) {
            (Shape::Choice, _) => {
                let name = self.names[inner].declared.clone();
                name.map(|it| (it, Vec::new()))
            }
            (Shape::Struct, _) => Some((self.names[inner].own_type.clone(), Vec::new())),
            (_, Some(Holds::Value(_) | Holds::Enumeration(_))) => Some((value_type(), Vec::new())),
            _ => Some(match self.array_type(inner, 0) {
                Some((name, mut ranks)) => {
                    ranks.push(self.plan.dimensions_of(inner, 0));
                    (name, ranks)
                }
                None => (Name::new(XSD, "anyType"), Vec::new()),
            }),
        }
    }

    /// Adds a field, a struct or choice that is described by another scope.
    fn inside<F: Fields>(&mut self, field: usize, inner: usize, value: &F) {
        let (had_problem, outer) = (self.problem.is_some(), self.scope);
        let node = self.scope(inner, value);
        if !had_problem && let Some(problem) = self.problem.take() {
            self.problem = Some(self.plan.locate(problem, outer, field));
        }
        self.add_one(field, node);
    }

    /// May another struct or list be opened? No decoder reads deeper nesting.
    fn deepen(&mut self, field: usize) -> bool {
        let limit = Limits::default().depth;
        let is_fit = self.depth < limit;
        if !is_fit {
            self.fail(field, ErrorKind::Limit { name: "depth", limit });
        }
        self.depth += usize::from(is_fit);
        is_fit
    }

    #[cold]
    fn fail(&mut self, field: usize, kind: ErrorKind) {
        if self.problem.is_none() {
            self.problem = Some(self.plan.locate(Error::new(kind, 0), self.scope, field));
        }
    }
}

type Element = (Name, NodeId);
