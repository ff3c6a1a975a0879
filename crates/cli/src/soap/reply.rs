//! A reply as lines, such as `customers.customer[1].firstName = Ann`.

use std::collections::HashMap;

use serde_json::json;
use trunkline_message::Limits;
use trunkline_session::Profile;
use trunkline_session::soap::Fault as SoapFault;
use trunkline_soap::Version;
use trunkline_soap::graph::{self, Array, Content, Graph, Message, NodeId};

use super::content::enveloped;
use super::request::step;
use crate::fault::Fault;
use crate::output::{Form, plain, print};

/// Prints the values of the first element in the Body, a line each. In rpc that has the parts of the answer, and is
/// no value itself.
pub(super) fn print_values(message: &Message, is_rpc: bool, form: Form) -> Result<(), Fault> {
    let nothing = || form.say("the answer is empty\n");
    let Some((name, root)) = message.root() else { return nothing() };
    let is_empty = match &message.graph.node(root).content {
        Content::Struct(members) => members.is_empty(),
        Content::Text(text) => text.trim().is_empty(),
        Content::Nil => true,
        Content::Array(_) => false,
    };
    if is_rpc && is_empty {
        return nothing();
    }
    let values = values(message, name.local(), root);
    let lines = values.into_iter().map(|(path, value)| match form {
        Form::Text => format!("{} = {}\n", plain(&path), plain(&value)),
        Form::Json => format!("{}\n", json!({"fact": "value", "path": path, "value": value})),
    });
    print(&lines.collect::<String>())
}

/// Their paths and texts; of a simple answer, the path is its name.
pub(super) fn values(message: &Message, name: &str, root: NodeId) -> Vec<(String, String)> {
    let mut lines =
        Lines { graph: &message.graph, printed: HashMap::new(), depth: 0, values: Vec::new() };
    match message.graph.members(root) {
        [] => lines.node(&step(name), root),
        members => {
            for (name, value) in &message.graph.node(root).attributes {
                // What SOAP says there is no part of the answer.
                if !ENVELOPES.contains(&name.namespace()) {
                    lines.line(&format!("@{}", name.local()), value);
                }
            }
            // It says which of the others is the return value (SOAP 1.2 part 2, 4.2.1).
            let values = members.iter().filter(|(name, _)| !name.is(RPC, "result"));
            lines.members("", values.map(|(name, node)| (name.local(), *node)));
        }
    }
    lines.values
}

/// The same of all elements in the Body, by their paths from their names on.
pub(super) fn values_of_body(message: &Message) -> Vec<(String, String)> {
    let mut lines =
        Lines { graph: &message.graph, printed: HashMap::new(), depth: 0, values: Vec::new() };
    lines.members("", message.body.iter().map(|(name, node)| (name.local(), *node)));
    lines.values
}

/// Prints a fault, what its detail holds, and how the call travelled that it answers.
pub(super) fn print_fault(
    fault: &SoapFault,
    profile: Option<&Profile>,
    form: Form,
) -> Result<(), Fault> {
    let details: Vec<&str> = fault.detail.iter().map(|it| it.as_str()).collect();
    form.say(&format!("fault: {}\n", plain(&fault.to_string())))?;
    for detail in &details {
        form.say(&format!("detail: {}\n", plain(detail)))?;
        for (path, value) in inside(detail) {
            form.say(&format!("  {} = {}\n", plain(&path), plain(&value)))?;
        }
    }
    let values = details.iter().flat_map(|it| inside(it));
    let values: Vec<_> =
        values.map(|(path, value)| json!({"path": path, "value": value})).collect();
    let profile = profile.map(ToString::to_string);
    if let Some(profile) = &profile {
        form.say(&format!("profile: {profile}\n"))?;
    }
    let text = fault.to_string();
    form.fact(&json!({"fact": "fault", "text": text, "details": details, "values": values, "profile": profile}))
}

/// The values of an element, by their paths from its name on; none if it is as short as its value.
fn inside(detail: &str) -> Vec<(String, String)> {
    let envelope = enveloped(detail, Version::Soap11, "");
    let Ok(message) = graph::decode(envelope.as_bytes(), &Limits::default()) else {
        return Vec::new();
    };
    let Some((name, root)) = message.root() else { return Vec::new() };
    if message.graph.members(root).is_empty() {
        return Vec::new();
    }
    let values = values(&message, name.local(), root);
    let path = |path: String| match path.starts_with('@') {
        true => format!("{}{path}", name.local()),
        false => format!("{}.{path}", name.local()),
    };
    values.into_iter().map(|it| (path(it.0), it.1)).collect()
}

/// The path of an item: `list[2]`, or of several dimensions, and of an array in another one, row by row: `grid[1].item[0]`.
fn of_item(path: &str, array: &Array, position: u64) -> String {
    let mut path = path.to_owned();
    for index in array.coordinates(position) {
        // An element of several of a name has its own number.
        let item = if path.ends_with(']') { ".item" } else { "" };
        path += &format!("{item}[{index}]");
    }
    path
}

const ENVELOPES: [&str; 2] =
    ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"];

const RPC: &str = "http://www.w3.org/2003/05/soap-rpc";

/// References may nest deeper than elements.
const DEEPEST: usize = 128;

struct Lines<'a> {
    graph: &'a Graph,
    /// Where values stand that have values inside: one that is used again is not printed again.
    printed: HashMap<NodeId, String>,
    depth: usize,
    values: Vec<(String, String)>,
}

impl Lines<'_> {
    fn members<'n>(
        &mut self,
        path: &str,
        members: impl Iterator<Item = (&'n str, NodeId)> + Clone,
    ) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (name, _) in members.clone() {
            *counts.entry(name).or_default() += 1;
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (name, node) in members {
            let index = seen.entry(name).or_default();
            let own = step(name);
            let step = if counts[name] > 1 { format!("{own}[{index}]") } else { own };
            *index += 1;
            let path = if path.is_empty() { step } else { format!("{path}.{step}") };
            self.node(&path, node);
        }
    }

    fn node(&mut self, path: &str, id: NodeId) {
        let graph = self.graph;
        let node = graph.node(id);
        if !matches!(node.content, Content::Nil | Content::Text(_)) {
            if let Some(first) = self.printed.get(&id) {
                let (path, first) = (format!("{path}:same"), first.clone());
                return self.line(&path, &first);
            }
            self.printed.insert(id, path.to_owned());
        }
        if self.depth == DEEPEST {
            return self.line(&format!("{path}:deeper"), "say --raw");
        }
        self.depth += 1;
        for (name, value) in &node.attributes {
            self.line(&format!("{path}@{}", name.local()), value);
        }
        match &node.content {
            // What is no text is told from one by the key, as in requests.
            Content::Nil => self.line(&format!("{path}:nil"), ""),
            Content::Text(text) => self.line(path, text),
            Content::Struct(members) if members.is_empty() => self.line(path, ""),
            Content::Array(array) if array.items.is_empty() => self.line(path, ""),
            Content::Struct(members) => {
                self.members(path, members.iter().map(|(name, node)| (name.local(), *node)));
            }
            Content::Array(array) => {
                for (position, item) in &array.items {
                    self.node(&of_item(path, array, *position), *item);
                }
            }
        }
        self.depth -= 1;
    }

    fn line(&mut self, path: &str, value: &str) {
        self.values.push((path.to_owned(), value.to_owned()));
    }
}
