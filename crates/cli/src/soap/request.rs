//! `key=value` arguments as a message: `a=1 customer.name=Ann list.item[1]=x price:double=6.35 price@unit=EUR`.

use trunkline_session::soap::outline::Body;
use trunkline_soap::Style;
use trunkline_soap::graph::{Content, Graph, Message, Name, Node, NodeId};

use super::{Called, typed};
use crate::fault::Fault;

pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// Elements in the order in which they are named first.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) inside: Vec<Branch>,
    /// Of the element around: names and values.
    pub(super) attributes: Vec<(String, String)>,
}

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) name: String,
    /// Which of several elements of the name,
    pub(super) index: usize,
    /// and whether that was said, as in `name[0]`.
    pub(super) is_numbered: bool,
    /// The value, and what was said of its type.
    pub(super) value: Option<(String, Option<String>)>,
    pub(super) tree: Tree,
}

/// The request that calls an operation with these values.
pub(super) fn message(called: &Called, values: &[String]) -> Result<Message, Fault> {
    let mut tree = Tree::default();
    for argument in values {
        tree.add(argument)?;
    }
    let mut message = Message::new(called.binding.version);
    let style = called.binding.style;
    if style.is_encoded() {
        message.set_encoded();
    }
    let element = &called.element;
    let root = match &called.types {
        Some(types) => typed::request(called, types, &tree, &mut message.graph)?,
        None => {
            if style.is_encoded() {
                tree.reject_lists()?;
            }
            let qualified = style == Style::DocumentLiteral && called.binding.qualified;
            let namespace = if qualified { &*element.namespace } else { "" };
            tree.node(&mut message.graph, namespace)
        }
    };
    if called.types.as_ref().is_none_or(|it| it.body() != Body::Empty) {
        message.body.push((Name::new(&element.namespace, &element.local), root));
    }
    Ok(message)
}

impl Tree {
    fn add(&mut self, argument: &str) -> Result<(), Fault> {
        let wrong = |why: &str| {
            Fault::new(format!("{argument:?} is not KEY=VALUE, such as order.price=6.35: {why}"))
        };
        let (key, value) = argument.split_once('=').ok_or_else(|| wrong("there is no ="))?;
        let (path, kind) = match key.split_once(':') {
            Some((path, kind)) => (path, Some(kind.to_owned())),
            None => (key, None),
        };
        let (path, attribute) = match path.split_once('@') {
            Some((path, attribute)) => (path, Some(attribute)),
            None => (path, None),
        };
        if let Some(attribute) = attribute {
            if !is_name(attribute) || kind.is_some() {
                return Err(wrong(&format!("{attribute:?} is no name of an attribute")));
            }
            if path.is_empty() {
                return self.attribute(attribute, value).ok_or_else(|| wrong(TWICE));
            }
        }
        let steps = steps_of(path);
        let mut steps = steps.iter().map(String::as_str).peekable();
        let mut tree = self;
        while let Some(step) = steps.next() {
            let no_name = || wrong(&format!("{step:?} is no name of an element"));
            let (name, index) = step_of(step).ok_or_else(no_name)?;
            let branch = tree.branch(name, index);
            branch.is_numbered |= step.ends_with(']');
            if let (None, Some(attribute)) = (steps.peek(), attribute) {
                return branch.tree.attribute(attribute, value).ok_or_else(|| wrong(TWICE));
            }
            if steps.peek().is_none() {
                if branch.value.is_some() {
                    return Err(wrong("it stands twice; say name[1] for a second one"));
                }
                if !branch.tree.inside.is_empty() {
                    return Err(wrong("it has elements inside already"));
                }
                branch.value = Some((value.to_owned(), kind));
                return Ok(());
            }
            if branch.value.is_some() {
                return Err(wrong(&format!("{name} has a value already")));
            }
            tree = &mut branch.tree;
        }
        Err(wrong("the key is empty"))
    }

    /// None if it is there already.
    fn attribute(&mut self, name: &str, value: &str) -> Option<()> {
        let is_new = self.attributes.iter().all(|it| it.0 != name);
        is_new.then(|| self.attributes.push((name.to_owned(), value.to_owned())))
    }

    fn branch(&mut self, name: &str, index: usize) -> &mut Branch {
        let found = self.inside.iter().position(|it| it.name == name && it.index == index);
        let place = found.unwrap_or_else(|| {
            let (value, tree) = (None, Tree::default());
            let (name, is_numbered) = (name.to_owned(), false);
            self.inside.push(Branch { name, index, is_numbered, value, tree });
            self.inside.len() - 1
        });
        &mut self.inside[place]
    }

    /// As elements of this namespace, as they were named.
    pub(super) fn node(&self, graph: &mut Graph, namespace: &str) -> NodeId {
        let mut members = Vec::new();
        for branch in &self.inside {
            let name = Name::new(namespace, &branch.name);
            let node = match &branch.value {
                None => branch.tree.node(graph, namespace),
                Some((_, Some(kind))) if kind == "nil" => graph.add(Node::new(Content::Nil)),
                Some((text, kind)) => {
                    let node = Node::new(Content::Text(text.as_str().into()));
                    graph.add(match kind {
                        Some(kind) => node.of_type(Name::new(XSD, kind)),
                        None => node,
                    })
                }
            };
            if branch.value.is_some() {
                branch.tree.mark(graph, node);
            }
            members.push((name, node));
        }
        let node = graph.add_struct(members);
        self.mark(graph, node);
        node
    }

    /// Gives the element its attributes, which are in no namespace.
    fn mark(&self, graph: &mut Graph, node: NodeId) {
        let attributes = self.attributes.iter();
        let named =
            attributes.map(|(name, value)| (Name::unqualified(name), value.as_str().into()));
        graph.node_mut(node).attributes = named.collect();
    }

    /// Encoded, they would have to be arrays, and nobody says of what.
    pub(super) fn reject_lists(&self) -> Result<(), Fault> {
        for Branch { name, index, tree, .. } in &self.inside {
            if *index > 0 {
                return Err(Fault::new(format!(
                    "{name}[{index}]: a list that is encoded is an array, which cannot be sent without a WSDL"
                )));
            }
            tree.reject_lists()?;
        }
        Ok(())
    }
}

const TWICE: &str = "it stands twice";

/// What stands between the dots. A name may have one itself, which is written `\.`.
fn steps_of(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut characters = path.chars().peekable();
    while let Some(character) = characters.next() {
        let own = character == '\\' && characters.next_if_eq(&'.').is_some();
        match (character, steps.last_mut()) {
            ('.', _) | (_, None) => steps.push(String::new()),
            (_, Some(step)) => step.push(if own { '.' } else { character }),
        }
    }
    steps
}

/// `name` or `name[1]`.
fn step_of(step: &str) -> Option<(&str, usize)> {
    let (name, index) = match step.strip_suffix(']') {
        Some(rest) => {
            let (name, index) = rest.split_once('[')?;
            (name, index.parse().ok()?)
        }
        None => (step, 0),
    };
    is_name(name).then_some((name, index))
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next().is_some_and(trunkline_codec::xml::is_name_start);
    first && characters.all(trunkline_codec::xml::is_name_char)
}
