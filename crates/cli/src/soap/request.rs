//! `key=value` arguments as a message: `a=1 customer.name=Ann list.item[0]=x price:double=6.35 price@unit=EUR`.

use trunkline_soap::graph::{Content, Encoder, Graph, Message, Name, Node, NodeId};
use trunkline_soap::{HeaderBlock, Style};

use super::body::Messages;
use super::members::Request;
use super::{Called, typed};
use crate::fault::Fault;

pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// Elements in the order in which they are named first.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) inside: Vec<Branch>,
    /// Of the element around: names and values.
    pub(super) attributes: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
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

/// The envelope that calls an operation with these values.
pub(super) fn envelope(
    called: &Called,
    values: &[String],
    blocks: &[HeaderBlock],
) -> Result<String, Fault> {
    let mut tree = Tree::default();
    for argument in values {
        tree.add(argument)?;
    }
    let mut message = Message::new(called.binding.version);
    let style = called.binding.style;
    if style.is_encoded() {
        message.set_encoded();
    }
    let graph = &mut message.graph;
    message.body = match &called.messages {
        Some(Messages { request: Some(Ok(form)), .. }) => {
            typed::request(called, &Request::new(form), &tree, graph)?
        }
        Some(Messages { request: Some(Err(why)), .. }) => {
            return Err(Fault::new(format!(
                "{}: {why}; an envelope can be sent as it is, by --body",
                called.name
            )));
        }
        // WS-I Basic Profile 1.1, R2716: a document without parts is an empty Body.
        Some(Messages { request: None, .. }) => {
            typed::nothing(called, &tree)?;
            Vec::new()
        }
        None => {
            if style.is_encoded() {
                tree.reject_lists()?;
            }
            let element = &called.element;
            let qualified = style == Style::DocumentLiteral && called.binding.qualified;
            let namespace = if qualified { &*element.namespace } else { "" };
            let root = tree.node(graph, namespace);
            vec![(Name::new(&element.namespace, &element.local), root)]
        }
    };
    let encoder = Encoder::new(called.binding.version);
    Ok(String::from_utf8_lossy(&encoder.encode_with(blocks, &message)?).into_owned())
}

impl Tree {
    fn add(&mut self, argument: &str) -> Result<(), Fault> {
        let wrong = |why: &str| {
            Fault::new(format!("{argument:?} is not KEY=VALUE, such as order.price=6.35: {why}"))
        };
        if argument.trim_ascii_start().starts_with(['{', '<']) {
            return Err(wrong("a request as a whole is said by --body"));
        }
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
        if kind.as_deref() == Some("nil") && !matches!(value, "" | "true") {
            return Err(wrong(&format!("what is nil has no value; say {path}:nil=")));
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
                if !branch.tree.inside.is_empty() && !is_type(value, kind.as_deref()) {
                    return Err(wrong("it has elements inside already"));
                }
                branch.value = Some((value.to_owned(), kind));
                return Ok(());
            }
            let is_value = |it: &(String, Option<String>)| !is_type(&it.0, it.1.as_deref());
            if branch.value.as_ref().is_some_and(is_value) {
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
        let named = |it: &Branch| (Name::new(namespace, &it.name), it.node(graph, namespace));
        let members = self.inside.iter().map(named).collect();
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

impl Branch {
    /// What is inside as it was given.
    pub(super) fn node(&self, graph: &mut Graph, namespace: &str) -> NodeId {
        let node = match &self.value {
            Some((_, Some(kind))) if kind == "nil" => graph.add(Node::new(Content::Nil)),
            Some((text, _)) if self.tree.inside.is_empty() => graph.add_text(text),
            _ => self.tree.node(graph, namespace),
        };
        let kind = self.value.as_ref().and_then(|it| it.1.as_ref()).filter(|it| *it != "nil");
        graph.node_mut(node).type_name = kind.map(|it| Name::new(XSD, it));
        self.tree.mark(graph, node);
        node
    }

    pub(super) fn is_nil(&self) -> bool {
        matches!(&self.value, Some((_, Some(kind))) if kind == "nil")
    }

    /// What it is once its type is known.
    pub(super) fn without_type(&self) -> Self {
        let value = self.value.as_ref().map(|it| (it.0.clone(), None));
        Self { value, ..self.clone() }
    }
}

/// Is it the type of an element with others inside, as in `shape:Circle=`?
fn is_type(value: &str, kind: Option<&str>) -> bool {
    value.is_empty() && kind.is_some_and(|it| it != "nil")
}

const TWICE: &str = "it stands twice";

/// A name as it stands in a key.
pub(super) fn step(name: &str) -> String {
    name.replace('.', r"\.")
}

/// What stands between the dots. A name may have one itself, which is written `\.`.
pub(super) fn steps_of(path: &str) -> Vec<String> {
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
