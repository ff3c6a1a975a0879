//! `key=value` arguments as a message: `a=1 customer.name=Ann list.item[1]=x price:double=6.35`.

use trunkline_codec::soap::graph::{Content, Graph, Message, Name, Node, NodeId};
use trunkline_session::soap::outline::OutlinedOperation;

use crate::fault::Fault;

const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// Elements in the order in which they are named first.
#[derive(Debug, Default)]
struct Tree {
    inside: Vec<Branch>,
}

#[derive(Debug)]
struct Branch {
    name: String,
    /// Which of several elements of the name.
    index: usize,
    value: Option<(String, Option<String>)>,
    tree: Tree,
}

/// The request that calls an operation with these values.
pub(super) fn message(operation: &OutlinedOperation, values: &[String]) -> Result<Message, Fault> {
    let mut tree = Tree::default();
    for argument in values {
        tree.add(argument)?;
    }
    let mut message = Message::new(operation.binding.version);
    if operation.binding.style.is_encoded() {
        message.set_encoded();
    }
    let namespace = if operation.qualified { &*operation.element.namespace } else { "" };
    let root = tree.into_node(&mut message.graph, namespace);
    let name = Name::new(&operation.element.namespace, &operation.element.local);
    message.body.push((name, root));
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
        let mut steps = path.split('.').peekable();
        let mut tree = self;
        while let Some(step) = steps.next() {
            let (name, index) = step_of(step).ok_or_else(|| wrong("a name is none"))?;
            let branch = tree.branch(name, index);
            if steps.peek().is_none() {
                if branch.value.is_some() {
                    return Err(wrong("it stands twice; say name[1] for a second one"));
                }
                branch.value = Some((value.to_owned(), kind));
                return Ok(());
            }
            tree = &mut branch.tree;
        }
        Err(wrong("the key is empty"))
    }

    fn branch(&mut self, name: &str, index: usize) -> &mut Branch {
        let found = self.inside.iter().position(|it| it.name == name && it.index == index);
        let place = found.unwrap_or_else(|| {
            let (value, tree) = (None, Tree::default());
            self.inside.push(Branch { name: name.to_owned(), index, value, tree });
            self.inside.len() - 1
        });
        &mut self.inside[place]
    }

    fn into_node(self, graph: &mut Graph, namespace: &str) -> NodeId {
        let mut members = Vec::new();
        for branch in self.inside {
            let name = Name::new(namespace, &branch.name);
            let node = match branch.value {
                None => branch.tree.into_node(graph, namespace),
                Some((text, kind)) => {
                    let node = Node::new(Content::Text(text.into()));
                    graph.add(match kind {
                        Some(kind) => node.of_type(Name::new(XSD, &kind)),
                        None => node,
                    })
                }
            };
            members.push((name, node));
        }
        graph.add_struct(members)
    }
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
    let mut characters = name.chars();
    let first = characters.next().is_some_and(trunkline_codec::xml::is_name_start);
    (first && characters.all(trunkline_codec::xml::is_name_char)).then_some((name, index))
}
