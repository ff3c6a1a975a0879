//! A request as the service's WSDL has it: what does not fit is rejected.

use trunkline_session::soap::SoapVersion;
use trunkline_session::soap::outline::{
    Attribute, Body, Content, Items, Parameter, Simple, TypeId, Types,
};
use trunkline_soap::graph::{self, Array, Graph, Name, Node, NodeId};

use super::request::{Branch, Tree, XSD};
use super::{Called, listed};
use crate::fault::Fault;

pub(crate) use trunkline_transcode::nearest;

/// As many names are shown where one is wrong.
const SHOWN: usize = 24;

/// The element that stands in the Body.
pub(super) fn request(
    called: &Called,
    types: &Types,
    tree: &Tree,
    graph: &mut Graph,
) -> Result<NodeId, Fault> {
    let encoded = called.binding.style.is_encoded();
    let is_soap12 = called.binding.version == SoapVersion::Soap12;
    let mut writer = Writer { types, graph, encoded, is_soap12 };
    let at = At { taker: &called.name, path: "" };
    let attributes = writer.attributes("", &called.name, &tree.attributes, types.attributes())?;
    let members = writer.members(&at, &tree.inside, types.parameters())?;
    match (types.body(), &*members) {
        (Body::Value, [(_, value)]) => Ok(*value),
        _ => {
            let node = graph.add_struct(members);
            graph.node_mut(node).attributes = attributes;
            Ok(node)
        }
    }
}

/// Where in the request, and the name of what holds it.
struct At<'a> {
    taker: &'a str,
    path: &'a str,
}

impl At<'_> {
    fn inside(&self, name: &str) -> String {
        let name = step(name);
        if self.path.is_empty() { name } else { format!("{}.{name}", self.path) }
    }
}

/// A name as it stands in a key.
fn step(name: &str) -> String {
    name.replace('.', r"\.")
}

struct Writer<'a> {
    types: &'a Types,
    graph: &'a mut Graph,
    encoded: bool,
    is_soap12: bool,
}

impl Writer<'_> {
    /// The elements of a struct, in its order, whatever order they were named in.
    fn members(
        &mut self,
        at: &At<'_>,
        branches: &[Branch],
        parameters: &[Parameter],
    ) -> Result<Vec<(Name, NodeId)>, Fault> {
        let is_known = |name: &str| parameters.iter().any(|it| it.name.local == name);
        if let Some(branch) = branches.iter().find(|it| !is_known(&it.name)) {
            return Err(self.unknown(at, &branch.name, parameters));
        }
        let mut members = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let local = &parameter.name.local;
            if parameters[..index].iter().any(|it| it.name.local == *local) {
                // What is given goes to the first of the name.
                if parameter.least > 0 {
                    let path = at.inside(local);
                    return Err(Fault::new(format!(
                        "{path}: {} takes several of the name",
                        at.taker
                    )));
                }
                continue;
            }
            let mut given: Vec<&Branch> = branches.iter().filter(|it| it.name == *local).collect();
            given.sort_by_key(|it| it.index);
            let name = Name::new(&parameter.name.namespace, local);
            for node in self.parameter(at, parameter, &given, parameters)? {
                members.push((name.clone(), node));
            }
        }
        Ok(members)
    }

    /// An element, as often as it is given.
    fn parameter(
        &mut self,
        at: &At<'_>,
        parameter: &Parameter,
        given: &[&Branch],
        all: &[Parameter],
    ) -> Result<Vec<NodeId>, Fault> {
        let Parameter { name, type_id, least, most, nillable, fixed } = parameter;
        let path = at.inside(&name.local);
        if given.is_empty() {
            return match least {
                0 => Ok(Vec::new()),
                _ => Err(self.missing(at, parameter, all)),
            };
        }
        let content = &self.types.get(*type_id).content;
        if let Content::NotUnderstood(why) = content {
            return Err(not_understood(&path, why));
        }
        if let Some(fixed) = fixed {
            given.iter().try_for_each(|it| it.is_fixed(&path, fixed))?;
        }
        if let (Content::Array(items), true) = (content, *most == 1) {
            given.iter().try_for_each(|it| self.of_array(&path, it))?;
            return match given {
                [one] if one.is_nil() && !one.is_numbered => {
                    self.nil(&path, one, *type_id, *nillable).map(|it| vec![it])
                }
                given => {
                    let is_whole = matches!(given, [one] if !one.is_numbered);
                    self.array(&path, *items, given, is_whole).map(|it| vec![it])
                }
            };
        }
        in_order(&path, given)?;
        count(&path, at.taker, given.len(), *least, *most)?;
        let node = |branch: &&Branch| match branch.is_nil() {
            true => self.nil(&path, branch, *type_id, *nillable),
            false => self.value(&path, branch, *type_id),
        };
        given.iter().map(node).collect()
    }

    fn value(&mut self, path: &str, branch: &Branch, type_id: TypeId) -> Result<NodeId, Fault> {
        let attributes = self.attributes_of(path, branch, type_id)?;
        let node = self.content(path, branch, type_id)?;
        self.graph.node_mut(node).attributes = attributes;
        Ok(node)
    }

    /// The attributes of an element, as its type has them.
    fn attributes_of(
        &self,
        path: &str,
        branch: &Branch,
        type_id: TypeId,
    ) -> Result<Vec<(Name, Box<str>)>, Fault> {
        let (given, of) = (&branch.tree.attributes, self.types.get(type_id));
        if of.content == Content::Any {
            let given = given.iter();
            return Ok(given
                .map(|(name, value)| (Name::unqualified(name), value.as_str().into()))
                .collect());
        }
        let shown = || self.types.shown(type_id).to_string();
        let taker = of.name.as_ref().map_or_else(shown, |it| it.local.clone());
        self.attributes(path, &taker, given, &of.attributes)
    }

    fn attributes(
        &self,
        path: &str,
        taker: &str,
        given: &[(String, String)],
        known: &[Attribute],
    ) -> Result<Vec<(Name, Box<str>)>, Fault> {
        let is_known = |name: &str| known.iter().any(|it| it.name.local == name);
        if let Some((name, _)) = given.iter().find(|it| !is_known(&it.0)) {
            let there = match known {
                [] => "no attributes".to_owned(),
                known => listed(known.iter().map(|it| format!("@{}", it.name.local)), SHOWN),
            };
            return Err(Fault::new(format!("{path}@{name}: {taker} takes {there}")));
        }
        let mut found = Vec::new();
        for (index, Attribute { name, simple, is_required, fixed }) in known.iter().enumerate() {
            // What is given goes to the first of the name.
            let is_second = known[..index].iter().any(|it| it.name.local == name.local);
            let path = format!("{path}@{}", name.local);
            let value = given.iter().find(|it| it.0 == name.local && !is_second);
            let Some((_, value)) = value else {
                if *is_required {
                    let value = fixed.as_deref().unwrap_or("VALUE");
                    return Err(Fault::new(format!(
                        "{path} is missing: {taker} needs it ({simple}); say {path}={value}"
                    )));
                }
                continue;
            };
            if let Some(fixed) = fixed.as_ref().filter(|it| !is_same_value(it, value)) {
                return Err(Fault::new(format!(
                    "{path}={value}: it takes {fixed}, which is fixed"
                )));
            }
            check(&path, simple, value, None)?;
            found.push((Name::new(&name.namespace, &name.local), value.as_str().into()));
        }
        Ok(found)
    }

    /// An array of the encoding has the attributes of the encoding, and no others.
    fn of_array(&self, path: &str, branch: &Branch) -> Result<(), Fault> {
        match branch.tree.attributes.first() {
            Some((name, _)) => {
                Err(Fault::new(format!("{path}@{name}: an array takes no attributes")))
            }
            None => Ok(()),
        }
    }

    fn content(&mut self, path: &str, branch: &Branch, type_id: TypeId) -> Result<NodeId, Fault> {
        let shown = self.types.shown(type_id).to_string();
        match (&self.types.get(type_id).content, &branch.value) {
            (Content::NotUnderstood(why), _) => Err(not_understood(path, why)),
            (Content::Any, Some((text, kind))) => {
                let node = Node::new(graph::Content::Text(text.as_str().into()));
                Ok(self.graph.add(match kind {
                    Some(kind) => node.of_type(Name::new(XSD, kind)),
                    None => node,
                }))
            }
            (Content::Any, None) => {
                if self.encoded {
                    branch.tree.reject_lists()?;
                }
                Ok(branch.tree.node(self.graph, ""))
            }
            (Content::Simple(simple), Some((text, kind))) => {
                check(path, simple, text, kind.as_deref())?;
                Ok(self.add(Node::new(graph::Content::Text(text.as_str().into())), type_id))
            }
            (Content::Simple(_), None) if branch.tree.inside.is_empty() => {
                Err(Fault::new(format!("{path} has no value ({shown}): say {path}=VALUE")))
            }
            (Content::Simple(_), None) => {
                Err(Fault::new(format!("{path} is a value ({shown}), without elements inside")))
            }
            (Content::Struct(members), None) => {
                let at = At { taker: &shown, path };
                let members = self.members(&at, &branch.tree.inside, members)?;
                Ok(self.add(Node::new(graph::Content::Struct(members)), type_id))
            }
            (Content::Struct(members), Some((text, None))) if text.is_empty() => {
                let at = At { taker: &shown, path };
                let members = self.members(&at, &[], members)?;
                Ok(self.add(Node::new(graph::Content::Struct(members)), type_id))
            }
            (Content::Struct(members), Some(_)) => {
                let there = self.list(members);
                Err(Fault::new(format!(
                    "{path} is no value, but holds {there}: say {path}.NAME=VALUE"
                )))
            }
            (Content::Array(items), _) => self.array(path, *items, &[branch], true),
        }
    }

    /// An array of the encoding. Its items are `list[0]`, `list[1]`, or, as in a literal document,
    /// `list.NAME[0]`, `list.NAME[1]` of any name. `is_whole` says that the only branch is the array, and no item.
    fn array(
        &mut self,
        path: &str,
        of: Items,
        given: &[&Branch],
        is_whole: bool,
    ) -> Result<NodeId, Fault> {
        let item = of.type_id;
        let inside: Vec<&Branch> = match given {
            [Branch { value: None, tree, .. }] if is_whole => tree.inside.iter().collect(),
            _ => Vec::new(),
        };
        let content = &self.types.get(item).content;
        let is_member = |name: &str| match content {
            Content::Struct(members) => members.iter().any(|it| it.name.local == name),
            _ => false,
        };
        let are_items = inside.first().is_some_and(|first| {
            !is_member(&first.name) && inside.iter().all(|it| it.name == first.name)
        });
        let is_empty = matches!(given, [Branch { value: Some((text, None)), .. }]
            if is_whole && text.is_empty());
        let mut items = if are_items { inside } else { given.to_vec() };
        if is_empty {
            items.clear();
        }
        if is_whole && !are_items && !is_empty && matches!(content, Content::Array(_)) {
            let example = self.example(path.to_owned(), true, item, 0);
            return Err(Fault::new(format!("{path} is a list of lists: say {example}")));
        }
        items.sort_by_key(|it| it.index);
        in_order(path, &items)?;
        count(path, &self.types.shown(item).to_string(), items.len(), of.least, of.most)?;
        let mut nodes = Vec::new();
        for branch in items {
            let path = format!("{path}[{}]", branch.index);
            nodes.push(match branch.is_nil() {
                true => self.nil(&path, branch, item, true)?,
                false => self.value(&path, branch, item)?,
            });
        }
        let name = self.type_name(item);
        Ok(self.graph.add_array(Array::new(name, nodes)))
    }

    fn nil(
        &mut self,
        path: &str,
        branch: &Branch,
        type_id: TypeId,
        nillable: bool,
    ) -> Result<NodeId, Fault> {
        if !nillable {
            return Err(Fault::new(format!("{path} may not be nil")));
        }
        let attributes = self.attributes_of(path, branch, type_id)?;
        Ok(self.graph.add(Node { attributes, ..Node::new(graph::Content::Nil) }))
    }

    /// Adds a node, with its type where content is encoded.
    fn add(&mut self, node: Node, type_id: TypeId) -> NodeId {
        let name = self.type_name(type_id).filter(|_| self.encoded);
        self.graph.add(match name {
            Some(name) => node.of_type(name),
            None => node,
        })
    }

    fn type_name(&self, id: TypeId) -> Option<Name> {
        let name = self.types.get(id).name.as_ref()?;
        // A WSDL has no other names for the encoding's own types than those of SOAP 1.1.
        let is_own = name.namespace == "http://schemas.xmlsoap.org/soap/encoding/";
        match self.is_soap12 && is_own {
            true => Some(Name::new(XSD, &name.local)),
            false => Some(Name::new(&name.namespace, &name.local)),
        }
    }

    fn unknown(&self, at: &At<'_>, name: &str, parameters: &[Parameter]) -> Fault {
        let path = at.inside(name);
        let names = parameters.iter().map(|it| &*it.name.local);
        let meant = nearest(name, names).map(|it| format!("; did you mean {it}?"));
        let (taker, there) = (at.taker, self.list(parameters));
        Fault::new(format!("{path:?}: {taker} takes {there}{}", meant.unwrap_or_default()))
    }

    fn missing(&self, at: &At<'_>, parameter: &Parameter, all: &[Parameter]) -> Fault {
        let path = at.inside(&parameter.name.local);
        let content = &self.types.get(parameter.type_id).content;
        if let Content::NotUnderstood(why) = content {
            return not_understood(&path, why);
        }
        let mut ways = vec![match &parameter.fixed {
            Some(fixed) => format!("{path}={fixed}"),
            None => self.example(path.clone(), parameter.most > 1, parameter.type_id, 0),
        }];
        let may_be_empty = match content {
            Content::Struct(members) => members.iter().all(|it| it.least == 0),
            Content::Array(items) => items.least == 0,
            _ => false,
        };
        if may_be_empty && !ways[0].ends_with('=') {
            ways.push(format!("{path}= for an empty one"));
        }
        if parameter.nillable {
            ways.push(format!("{path}:nil= for no value"));
        }
        let (taker, takes) = (at.taker, self.list(all));
        Fault::new(format!("{path} is missing: {taker} takes {takes}; say {}", ways.join(", or ")))
    }

    /// How a value is given.
    fn example(&self, path: String, is_list: bool, type_id: TypeId, depth: usize) -> String {
        let path = if is_list { format!("{path}[0]") } else { path };
        let of_member = |it: &Parameter| {
            let path = format!("{path}.{}", step(&it.name.local));
            self.example(path, it.most > 1, it.type_id, depth + 1)
        };
        match &self.types.get(type_id).content {
            Content::Struct(members) => {
                let required = members.iter().find(|it| it.least > 0);
                match required.or(members.first()) {
                    None => format!("{path}="),
                    Some(_) if depth == 4 => format!("{path}.NAME=VALUE"),
                    Some(member) => of_member(member),
                }
            }
            Content::Array(items) if depth < 4 => {
                let path = if path.ends_with(']') { format!("{path}.item") } else { path };
                self.example(path, true, items.type_id, depth + 1)
            }
            _ => format!("{path}=VALUE"),
        }
    }

    /// Names and types, for people.
    fn list(&self, parameters: &[Parameter]) -> String {
        let one = |it: &Parameter| {
            let many = if it.most > 1 { " each" } else { "" };
            let optional = if it.least == 0 { ", optional" } else { "" };
            format!("{} ({}{many}{optional})", it.name.local, self.types.shown(it.type_id))
        };
        match parameters {
            [] => "nothing".to_owned(),
            parameters => listed(parameters.iter().map(one), SHOWN),
        }
    }
}

impl Branch {
    fn is_nil(&self) -> bool {
        matches!(&self.value, Some((_, Some(kind))) if kind == "nil")
    }

    /// Is it this value? An empty element has it, too, and none is without one (XML Schema part 1, 3.3.4).
    fn is_fixed(&self, path: &str, fixed: &str) -> Result<(), Fault> {
        let is_it = |text: &str| text.is_empty() || is_same_value(fixed, text);
        match &self.value {
            Some((text, _)) if self.is_nil() || !is_it(text) => {
                Err(Fault::new(format!("{path}={text}: it takes {fixed}, which is fixed")))
            }
            _ => Ok(()),
        }
    }
}

fn is_same_value(fixed: &str, text: &str) -> bool {
    text.split_ascii_whitespace().eq(fixed.split_ascii_whitespace())
}

/// Is each one there, from the first on?
fn in_order(path: &str, given: &[&Branch]) -> Result<(), Fault> {
    match given.iter().enumerate().find(|(index, it)| it.index != *index) {
        Some((missing, _)) => {
            Err(Fault::new(format!("{path}[{missing}] is missing before others")))
        }
        None => Ok(()),
    }
}

/// Are there neither too few nor too many?
fn count(path: &str, taker: &str, count: usize, least: u64, most: u64) -> Result<(), Fault> {
    let count = count as u64;
    if (least..=most).contains(&count) {
        return Ok(());
    }
    let wanted = if count > most { ("most", most) } else { ("least", least) };
    Err(Fault::new(format!(
        "{path}: {taker} takes at {} {} of it, and there are {count}",
        wanted.0, wanted.1
    )))
}

fn not_understood(path: &str, why: &str) -> Fault {
    Fault::new(format!("{path} is not understood: {why}"))
}

fn check(path: &str, simple: &Simple, text: &str, kind: Option<&str>) -> Result<(), Fault> {
    if let Some(kind) = kind.filter(|it| Some(*it) != simple.built_in()) {
        return Err(Fault::new(format!("{path} is {simple}, not {kind}")));
    }
    match simple.takes(text) {
        true => Ok(()),
        false => Err(Fault::new(format!("{path}={text}: it takes {simple}"))),
    }
}
