//! A reply as lines, such as `customers.customer[1].firstName = Ann`.

use std::collections::HashMap;

use serde_json::json;
use trunkline_message::Limits;
use trunkline_session::Profile;
use trunkline_session::soap::Fault as SoapFault;
use trunkline_soap::graph::{self, Array, Content, Graph, Message, Name, Node, NodeId};
use trunkline_soap::{HeaderBlock, Version};

use super::content::enveloped;
use super::members::{Arm, Content as Known, Members, Parameter, Request};
use super::request::step;
use super::{Called, faults, mixed};
use crate::fault::Fault;
use crate::output::{Form, plain, print};

/// Prints the values of the first element in the Body, a line each, and behind them those of others. In rpc the first has the parts
/// of the answer, and is no value itself.
pub(super) fn print_values(message: &Message, called: &Called, form: Form) -> Result<(), Fault> {
    let of_response = called.messages.as_ref().and_then(|it| it.response.as_ref());
    let schema = of_response.and_then(|it| it.as_ref().ok()).map(Request::new);
    let is_body = schema.as_ref().is_some_and(Request::is_body);
    let mut lines = Lines::of(message, schema.as_ref());
    match &*message.body {
        all if is_body => lines.body(all),
        [] => {}
        [(name, root), others @ ..] => {
            let is_empty = match &message.graph.node(*root).content {
                Content::Struct(members) => members.is_empty(),
                Content::Text(text) => text.trim().is_empty(),
                Content::Nil => true,
                Content::Array(_) => false,
            };
            if !(called.binding.style.is_rpc() && is_empty) {
                lines.root(name, *root);
            }
            lines.of_others(others);
        }
    }
    if lines.values.is_empty() {
        return form.say("the answer is empty\n");
    }
    let lines = lines.values.into_iter().map(|(path, value)| match form {
        Form::Text => format!("{} = {}\n", plain(&path), plain(&value)),
        Form::Json => format!("{}\n", json!({"fact": "value", "path": path, "value": value})),
    });
    print(&lines.collect::<String>())
}

/// Their paths and texts, without types; of a simple message, the path is its name.
pub(super) fn values(message: &Message, name: &Name, root: NodeId) -> Vec<(String, String)> {
    let mut lines = Lines { shows_types: false, ..Lines::of(message, None) };
    lines.root(name, root);
    lines.values
}

/// The same of all elements in the Body, by their paths from their names on.
pub(super) fn values_of_body(message: &Message) -> Vec<(String, String)> {
    let mut lines = Lines { shows_types: false, ..Lines::of(message, None) };
    lines.body(&message.body);
    lines.values
}

/// Prints a fault with all that it says, what its detail holds, the header blocks beside it, and how the call travelled that it
/// answers. `envelope` is that of the answer.
pub(super) fn print_fault(
    fault: &SoapFault,
    (envelope, blocks): (&str, &[HeaderBlock]),
    profile: Option<&Profile>,
    form: Form,
) -> Result<(), Fault> {
    let more = faults::more(envelope);
    let text = more.text_of(fault);
    form.say(&format!("fault: {}\n", plain(&text)))?;
    if fault.subcodes.len() > 1 {
        for subcode in &fault.subcodes {
            form.say(&format!("subcode: {}\n", plain(&subcode.to_string())))?;
        }
    }
    let others = |it: &&(String, String)| it.1 != fault.reason;
    for (language, text) in more.reasons.iter().filter(others) {
        form.say(&format!("reason in {}: {}\n", plain(language), plain(text)))?;
    }
    for (name, uri) in [("node", &fault.node), ("role", &fault.role)] {
        if let Some(uri) = uri {
            form.say(&format!("{name}: {}\n", plain(uri)))?;
        }
    }
    let mut details: Vec<&str> = fault.detail.iter().map(|it| it.as_str()).collect();
    if let Some(text) = &more.detail_text {
        // It was read as an element, behind the others.
        if fault.detail.last().is_some_and(|it| it.name().is("", "text")) {
            details.pop();
        }
        details.push(text);
    }
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
    print_blocks(blocks, form)?;
    if let Some(profile) = &profile {
        form.say(&format!("profile: {profile}\n"))?;
    }
    let reason = |it: &(String, String)| json!({"language": it.0, "text": it.1});
    form.fact(&json!({
        "fact": "fault", "text": text,
        "subcodes": fault.subcodes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "reasons": more.reasons.iter().map(reason).collect::<Vec<_>>(),
        "node": fault.node, "role": fault.role,
        "details": details, "values": values, "profile": profile,
    }))
}

/// Prints the header blocks of an answer, each with what it asks of whom and what it holds.
pub(super) fn print_blocks(blocks: &[HeaderBlock], form: Form) -> Result<(), Fault> {
    for block in blocks {
        let HeaderBlock { name, must_understand, role, relay, content } = block;
        let must = if *must_understand { ", must be understood" } else { "" };
        let to = role.as_ref().map_or(String::new(), |it| format!(", for {}", plain(it)));
        let relayed = if *relay { ", to be relayed" } else { "" };
        let xml = content.as_str();
        form.say(&format!("header block{must}{to}{relayed}: {}\n", plain(xml)))?;
        let values = inside(xml);
        for (path, value) in &values {
            form.say(&format!("  {} = {}\n", plain(path), plain(value)))?;
        }
        let values: Vec<_> =
            values.iter().map(|(path, value)| json!({"path": path, "value": value})).collect();
        form.fact(&json!({
            "fact": "header", "name": name.local, "namespace": name.namespace,
            "must_understand": must_understand, "role": role, "relay": relay,
            "xml": xml, "values": values,
        }))?;
    }
    Ok(())
}

/// The values of an element, by their paths from its name on; none if it is as short as its value.
fn inside(detail: &str) -> Vec<(String, String)> {
    if !detail.starts_with('<') {
        return Vec::new();
    }
    let envelope = enveloped(detail, Version::Soap11, "");
    let message = graph::decode(envelope.as_bytes(), &Limits::default()).ok();
    let Some(message) = message.or_else(|| mixed::decode(&envelope)) else { return Vec::new() };
    let Some((name, root)) = message.root() else { return Vec::new() };
    if message.graph.members(root).is_empty() {
        return Vec::new();
    }
    let mut lines = Lines::of(&message, None);
    lines.members(("", ""), [(name.clone(), root)].iter(), None);
    lines.values
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
    /// What the WSDL has there, if that is known.
    schema: Option<&'a Request<'a>>,
    is_encoded: bool,
    shows_types: bool,
    /// Where values stand that have values inside: one that is used again is not printed again.
    printed: HashMap<NodeId, String>,
    depth: usize,
    values: Vec<(String, String)>,
}

impl<'a> Lines<'a> {
    fn of(message: &'a Message, schema: Option<&'a Request<'a>>) -> Self {
        Self {
            graph: &message.graph,
            schema,
            is_encoded: message.is_encoded(),
            shows_types: true,
            printed: HashMap::new(),
            depth: 0,
            values: Vec::new(),
        }
    }

    /// The element of the message.
    fn root(&mut self, name: &Name, root: NodeId) {
        let graph = self.graph;
        let known = self.schema.map(Request::members);
        match graph.members(root) {
            [] => {
                let text = known.and_then(|it| it.text);
                self.node(&step(name.local()), root, text);
            }
            members => {
                if let Some(of) = self.type_of(graph.node(root), None).filter(|_| known.is_none()) {
                    self.line(&format!("{}:{of}", step(name.local())), "");
                }
                for (name, value) in &graph.node(root).attributes {
                    // What SOAP says there is no part of the answer.
                    if !ENVELOPES.contains(&name.namespace()) {
                        self.line(&format!("@{}", name.local()), value);
                    }
                }
                // It says which of the others is the return value (SOAP 1.2 part 2, 4.2.1).
                let values = members.iter().filter(|(name, _)| !name.is(RPC, "result"));
                let own = step(name.local());
                self.members(("", &own), values, known.as_ref());
            }
        }
    }

    /// All elements of the Body, which is the message.
    fn body(&mut self, all: &'a [(Name, NodeId)]) {
        let known = self.schema.map(Request::members);
        self.members(("", ""), all.iter(), known.as_ref());
    }

    /// Elements in the Body of which the WSDL knows nothing.
    fn of_others(&mut self, others: &'a [(Name, NodeId)]) {
        self.members(("", ""), others.iter(), None);
    }

    /// What is inside of the element at a path; text beside elements has its own name there.
    fn members<'n>(
        &mut self,
        (path, own): (&str, &str),
        members: impl Iterator<Item = &'n (Name, NodeId)> + Clone,
        known: Option<&Members>,
    ) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (name, _) in members.clone() {
            *counts.entry(key(name)).or_default() += 1;
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (name, node) in members {
            let index = seen.entry(key(name)).or_default();
            let at = *index;
            *index += 1;
            if mixed::is_text(name) {
                let around = if path.is_empty() { own } else { path };
                self.node(&format!("{around}:text[{at}]"), *node, None);
                continue;
            }
            let own = step(name.local());
            let step = if counts[key(name)] > 1 { format!("{own}[{at}]") } else { own };
            let path = if path.is_empty() { step } else { format!("{path}.{step}") };
            let is_it = |it: &&Parameter| it.name.local == name.local();
            let content = known.and_then(|it| it.parameters.iter().find(is_it));
            self.node(&path, *node, content.map(|it| it.content));
        }
    }

    fn node(&mut self, path: &str, id: NodeId, content: Option<Known>) {
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
        let of = self.type_of(node, content);
        let typed = of.as_ref().map_or_else(|| path.to_owned(), |of| format!("{path}:{of}"));
        for (name, value) in &node.attributes {
            self.line(&format!("{path}@{}", name.local()), value);
        }
        match &node.content {
            // What is no text is told from one by the key, as in requests.
            Content::Nil => self.line(&format!("{path}:nil"), ""),
            Content::Text(text) => self.line(&typed, text),
            Content::Struct(members) if members.is_empty() => self.line(&typed, ""),
            Content::Array(array) if array.items.is_empty() => self.line(path, ""),
            Content::Struct(members) => {
                if of.is_some() {
                    self.line(&typed, "");
                }
                let known = self.schema.zip(content);
                let known = known.map(|(schema, it)| {
                    schema.members_of(schema.of_type(it, node.type_name.as_ref()))
                });
                self.members((path, ""), members.iter(), known.as_ref());
            }
            Content::Array(array) => {
                let item = match (self.schema, content) {
                    (Some(schema), Some(it @ Known::Array(scope, index))) => {
                        match schema.dimensions(it) {
                            1 => Some(schema.item(scope, index)),
                            several => Some(schema.item_of_rows(it, several)),
                        }
                    }
                    _ => None,
                };
                for (position, at) in &array.items {
                    self.node(&of_item(path, array, *position), *at, item);
                }
            }
        }
        self.depth -= 1;
    }

    /// The type that an element says, where that tells more than the WSDL has: of one that may be of several, of one of any
    /// shape, and where nothing is known of a struct.
    fn type_of(&self, node: &Node, content: Option<Known>) -> Option<String> {
        let name = node.type_name.as_ref().filter(|_| self.shows_types)?;
        if matches!(node.content, Content::Nil | Content::Array(_)) {
            return None;
        }
        let tells = match (self.schema, content) {
            (Some(schema), Some(Known::Typed(scope, component))) => {
                let is_it = |it: &Arm| it.is_base && Name::from(&it.name) == *name;
                !schema.arms(scope, component).iter().any(is_it)
            }
            (Some(_), Some(Known::Any)) => true,
            (Some(schema), Some(known @ Known::Struct(..))) => {
                schema.type_name(known).is_some_and(|it| it != *name)
            }
            (Some(_), Some(_)) => false,
            _ => !self.is_encoded && matches!(node.content, Content::Struct(_)),
        };
        tells.then(|| name.local().to_owned())
    }

    fn line(&mut self, path: &str, value: &str) {
        self.values.push((path.to_owned(), value.to_owned()));
    }
}

/// By what members are counted: texts beside elements are called like nothing else.
fn key(name: &Name) -> &str {
    if mixed::is_text(name) { ":text" } else { name.local() }
}
