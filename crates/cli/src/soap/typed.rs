//! A request as the service's WSDL has it: what does not fit is rejected.

use trunkline_import::nearest;
use trunkline_message::ScopeId;
use trunkline_soap::graph::{self, Array, Graph, Name, Node, NodeId};
use trunkline_soap::{Dimensions, QName};

use super::members::{Arm, Attribute, Content, Members, Parameter, Request};
use super::request::{Branch, Tree, step};
use super::{Called, listed};
use crate::fault::Fault;

/// As many names are shown where one is wrong.
const SHOWN: usize = 24;

/// What stands in the Body.
pub(super) fn request(
    called: &Called,
    request: &Request<'_>,
    tree: &Tree,
    graph: &mut Graph,
) -> Result<Vec<(Name, NodeId)>, Fault> {
    let mut writer = Writer { request, graph };
    let QName { namespace, local } = &called.element;
    let element = Name::new(namespace, local);
    let at = At { taker: &called.name, path: "" };
    let mut members = request.members();
    let is_value = members.text.is_some();
    let is_nil = !is_value && is_nil(request, &members, tree, local)?;
    let tree = if is_value || is_nil { with_own(tree, local) } else { tree.clone() };
    let attributes = writer.attributes("", &called.name, &tree.attributes, &members.attributes)?;
    if is_nil {
        let node = Node { attributes, ..Node::new(graph::Content::Nil) };
        return Ok(vec![(element, writer.graph.add(node))]);
    }
    if let Some(content) = members.text {
        let name = QName::new(namespace.as_str(), local.as_str());
        members.parameters = vec![Parameter {
            name,
            member: None,
            content,
            least: 1,
            most: 1,
            is_nillable: request.is_nillable(),
            may_be_nil: false,
            choice: None,
        }];
    }
    let inside = writer.members(&at, &tree.inside, &members)?;
    let node = match (request.is_body(), is_value, &*inside) {
        (true, ..) => return Ok(inside),
        (_, true, [(_, value)]) => *value,
        _ => graph.add_struct(inside),
    };
    graph.node_mut(node).attributes.extend(attributes);
    Ok(vec![(element, node)])
}

/// Is the element in the Body said to be nil, by its own name? That may be the name of a member, too, and is its then.
fn is_nil(request: &Request<'_>, members: &Members, tree: &Tree, own: &str) -> Result<bool, Fault> {
    let is_own = |it: &&Branch| it.name == own && it.is_nil() && !it.is_numbered;
    let is_member = members.parameters.iter().any(|it| it.name.local == own);
    if is_member || request.is_body() || !tree.inside.iter().any(|it| is_own(&it)) {
        return Ok(false);
    }
    if !request.is_nillable() {
        return Err(Fault::new(format!("{own} may not be nil")));
    }
    match tree.inside.iter().find(|it| !is_own(it)) {
        Some(other) => {
            Err(Fault::new(format!("{}: {own} is nil, and has no element", step(&other.name))))
        }
        None => Ok(true),
    }
}

/// Of an element that is called by its own name, as one that is a value: its attributes are those of the message, `@id`, be they
/// said so or by its name, `ask@id`.
fn with_own(tree: &Tree, name: &str) -> Tree {
    let mut tree = tree.clone();
    for branch in tree.inside.iter_mut().filter(|it| it.name == name) {
        tree.attributes.append(&mut branch.tree.attributes);
    }
    tree
}

/// Is nothing given to what takes nothing?
pub(super) fn nothing(called: &Called, tree: &Tree) -> Result<(), Fault> {
    let given = tree.inside.first().map(|it| it.name.clone());
    let given = given.or(tree.attributes.first().map(|it| format!("@{}", it.0)));
    match given {
        Some(name) => Err(Fault::new(format!("{name:?}: {} takes nothing", called.name))),
        None => Ok(()),
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

struct Writer<'a> {
    request: &'a Request<'a>,
    graph: &'a mut Graph,
}

impl Writer<'_> {
    /// The elements of a struct, in its order, whatever order they were named in.
    fn members(
        &mut self,
        at: &At<'_>,
        branches: &[Branch],
        members: &Members,
    ) -> Result<Vec<(Name, NodeId)>, Fault> {
        let parameters = &*members.parameters;
        let is_known = |name: &str| parameters.iter().any(|it| it.name.local == name);
        let others = branches.iter().filter(|it| !is_known(&it.name));
        if let Some(branch) = others.clone().next().filter(|_| !members.is_open) {
            return Err(self.unknown(at, &branch.name, parameters));
        }
        if members.needs_any {
            let what = "needs an element of any name (xsd:any), for which there is no key";
            return Err(Fault::new(format!("{} {what}: say the request with --body", at.taker)));
        }
        self.choose(at, branches, members)?;
        // With the place of each: what is chosen again and again stands as it was given.
        let mut found: Vec<((usize, usize), Name, NodeId)> = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let local = &parameter.name.local;
            if parameters[..index].iter().any(|it| it.name.local == *local) {
                // What is given goes to the first of the name.
                if parameter.least > 0 {
                    let path = at.inside(local);
                    return Err(Fault::new(format!(
                        "{path}: {} takes several of the name: say the request with --body",
                        at.taker
                    )));
                }
                continue;
            }
            let given = branches.iter().enumerate().filter(|it| it.1.name == *local);
            let mut given: Vec<(usize, &Branch)> = given.collect();
            given.sort_by_key(|it| it.1.index);
            let places: Vec<usize> = given.iter().map(|it| it.0).collect();
            let given: Vec<&Branch> = given.into_iter().map(|it| it.1).collect();
            let choice = parameter.choice.filter(|it| members.choices[*it].is_repeated);
            let name = Name::new(&parameter.name.namespace, local);
            let nodes = self.parameter(at, parameter, &given, parameters)?;
            for (count, node) in nodes.into_iter().enumerate() {
                let place = match choice {
                    Some(choice) => {
                        let first = parameters.iter().position(|it| it.choice == Some(choice));
                        (first.unwrap_or(index), places.get(count).copied().unwrap_or(0))
                    }
                    None => (index, count),
                };
                found.push((place, name.clone(), node));
            }
        }
        for (place, branch) in others.enumerate() {
            let node = branch.node(self.graph, "");
            found.push(((parameters.len(), place), Name::unqualified(&branch.name), node));
        }
        found.sort_by_key(|it| it.0);
        Ok(found.into_iter().map(|(_, name, node)| (name, node)).collect())
    }

    /// Is one given of those of which one has to be there?
    fn choose(&self, at: &At<'_>, branches: &[Branch], members: &Members) -> Result<(), Fault> {
        for (index, choice) in members.choices.iter().enumerate() {
            let arms = members.parameters.iter().filter(|it| it.choice == Some(index));
            let arms: Vec<&Parameter> = arms.collect();
            let is_given = |it: &&&Parameter| branches.iter().any(|of| of.name == it.name.local);
            let given: Vec<&str> = arms.iter().filter(is_given).map(|it| &*it.name.local).collect();
            let taker = at.taker;
            if let ([one, other, ..], false) = (&*given, choice.is_repeated) {
                let (one, other) = (at.inside(one), at.inside(other));
                return Err(Fault::new(format!(
                    "{one} and {other}: {taker} takes one of {}",
                    listed(arms.iter().map(|it| it.name.local.clone()), SHOWN)
                )));
            }
            if let (true, [], [first, ..]) = (choice.is_needed, &*given, &*arms) {
                let example =
                    self.example(at.inside(&first.name.local), first.most > 1, first.content, 0);
                return Err(Fault::new(format!(
                    "{taker} needs one of {}; say {example}",
                    listed(arms.iter().map(|it| at.inside(&it.name.local)), SHOWN)
                )));
            }
        }
        Ok(())
    }

    /// An element, as often as it is given.
    fn parameter(
        &mut self,
        at: &At<'_>,
        parameter: &Parameter,
        given: &[&Branch],
        all: &[Parameter],
    ) -> Result<Vec<NodeId>, Fault> {
        let Parameter { name, content, least, most, .. } = parameter;
        let path = at.inside(&name.local);
        if given.is_empty() {
            return match (least, self.request.only_value(*content)) {
                (0, _) => Ok(Vec::new()),
                (1, Some(only)) => {
                    let content = *content;
                    let text = Node::new(graph::Content::Text(only.as_str().into()));
                    Ok(vec![self.add(text, content)])
                }
                _ => Err(self.missing(at, parameter, all)),
            };
        }
        let is_nillable = parameter.is_nillable || parameter.may_be_nil;
        if let (Content::Array(..), true) = (content, *most == 1) {
            given.iter().try_for_each(|it| self.of_array(&path, it))?;
            return match given {
                [one] if one.is_nil() && !one.is_numbered => {
                    self.nil(&path, one, *content, is_nillable).map(|it| vec![it])
                }
                given => {
                    let is_whole = matches!(given, [one] if !one.is_numbered);
                    self.array(&path, *content, given, is_whole).map(|it| vec![it])
                }
            };
        }
        in_order(&path, given)?;
        count(&path, at.taker, given.len(), *least, *most)?;
        let node = |branch: &&Branch| match branch.is_nil() {
            true => self.nil(&path, branch, *content, is_nillable),
            false => self.value(&path, branch, *content),
        };
        given.iter().map(node).collect()
    }

    fn value(&mut self, path: &str, branch: &Branch, content: Content) -> Result<NodeId, Fault> {
        if let Content::Typed(scope, component) = content {
            return self.typed(path, branch, (content, self.request.arms(scope, component)));
        }
        let attributes = self.attributes_of(path, branch, content)?;
        let node = self.content(path, branch, content)?;
        self.graph.node_mut(node).attributes = attributes;
        Ok(node)
    }

    /// An element of one of several types: that which was said, as in `shape:Circle=`, or the first that what is given fits.
    fn typed(
        &mut self,
        path: &str,
        branch: &Branch,
        (declared, arms): (Content, Vec<Arm>),
    ) -> Result<NodeId, Fault> {
        let names = || arms.iter().map(|it| &*it.name.local);
        let said = branch.value.as_ref().and_then(|it| it.1.as_deref());
        let chosen = match said {
            Some(said) => arms.iter().find(|it| it.name.local == said).ok_or_else(|| {
                let meant = nearest(said, names()).map(|it| format!("; did you mean {it}?"));
                let all = listed(names().map(str::to_owned), SHOWN);
                Fault::new(format!(
                    "{path} is one of {all}, not {said}{}",
                    meant.unwrap_or_default()
                ))
            })?,
            None => {
                let mut order: Vec<&Arm> = arms.iter().collect();
                order.sort_by_key(|it| !it.is_base);
                let fits = order.iter().find(|it| self.has_all(it.content, &branch.tree));
                fits.or(order.first()).copied().ok_or_else(|| {
                    let what = self.request.shown(declared);
                    Fault::new(format!("{path}: there is no type that a {what} may be"))
                })?
            }
        };
        let Arm { name, content, is_base } = chosen;
        let inside = branch.without_type();
        let node = self.value(path, &inside, *content)?;
        if !is_base || self.request.is_encoded() {
            self.graph.node_mut(node).type_name = Some(Name::new(&name.namespace, &name.local));
        }
        Ok(node)
    }

    /// Is everything that is given in it?
    fn has_all(&self, content: Content, tree: &Tree) -> bool {
        let members = self.request.members_of(content);
        let has = |name: &str| members.parameters.iter().any(|it| it.name.local == name);
        let has_attribute = |name: &str| members.attributes.iter().any(|it| it.name.local == name);
        tree.inside.iter().all(|it| has(&it.name))
            && tree.attributes.iter().all(|it| has_attribute(&it.0))
    }

    /// The attributes of an element, as its type has them.
    fn attributes_of(
        &self,
        path: &str,
        branch: &Branch,
        content: Content,
    ) -> Result<Vec<(Name, Box<str>)>, Fault> {
        let given = &branch.tree.attributes;
        if content == Content::Any {
            let given = given.iter();
            return Ok(given
                .map(|(name, value)| (Name::unqualified(name), value.as_str().into()))
                .collect());
        }
        let known = self.request.members_of(content).attributes;
        self.attributes(path, &self.request.shown(content), given, &known)
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
        for (index, Attribute { name, of, is_required }) in known.iter().enumerate() {
            // What is given goes to the first of the name.
            let is_second = known[..index].iter().any(|it| it.name.local == name.local);
            let path = format!("{path}@{}", name.local);
            let value = given.iter().find(|it| it.0 == name.local && !is_second);
            let Some((_, value)) = value else {
                if let (true, Some(only)) =
                    (*is_required, self.request.only_value(Content::Value(of.0, of.1)))
                {
                    let name = Name::new(&name.namespace, &name.local);
                    found.push((name, only.as_str().into()));
                    continue;
                }
                if *is_required {
                    let shown = self.request.shown(Content::Value(of.0, of.1));
                    return Err(Fault::new(format!(
                        "{path} is missing: {taker} needs it ({shown}); say {path}=VALUE"
                    )));
                }
                continue;
            };
            self.check(&path, *of, value, None)?;
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

    fn content(&mut self, path: &str, branch: &Branch, content: Content) -> Result<NodeId, Fault> {
        let shown = self.request.shown(content);
        let members = match content {
            Content::Value(scope, index) => return self.text(path, branch, (scope, index)),
            Content::Array(..) => return self.array(path, content, &[branch], true),
            Content::Any if branch.value.is_none() && self.request.is_encoded() => {
                branch.tree.reject_lists()?;
                return Ok(branch.node(self.graph, ""));
            }
            Content::Any => return Ok(branch.node(self.graph, "")),
            Content::Typed(..) | Content::Struct(..) | Content::List(..) => {
                self.request.members_of(content)
            }
        };
        if let Some(Content::Value(scope, index)) = members.text {
            return self.text(path, branch, (scope, index));
        }
        match &branch.value {
            Some((text, None)) if members.is_mixed && !text.is_empty() => {
                Ok(self.graph.add_text(text))
            }
            Some((text, kind)) if !text.is_empty() || kind.is_some() => {
                let there = self.list(&members.parameters);
                Err(Fault::new(format!(
                    "{path} is no value, but holds {there}: say {path}.NAME=VALUE"
                )))
            }
            _ => {
                // A list is called as its element.
                let own = path.rsplit('.').next().unwrap_or(path);
                let taker = if matches!(content, Content::List(..)) { own } else { &shown };
                let inside = self.members(&At { taker, path }, &branch.tree.inside, &members)?;
                Ok(self.add(Node::new(graph::Content::Struct(inside)), content))
            }
        }
    }

    fn text(&mut self, path: &str, branch: &Branch, of: (ScopeId, usize)) -> Result<NodeId, Fault> {
        let content = Content::Value(of.0, of.1);
        let shown = || self.request.shown(content);
        match &branch.value {
            Some((text, kind)) => {
                self.check(path, of, text, kind.as_deref())?;
                Ok(self.add(Node::new(graph::Content::Text(text.as_str().into())), content))
            }
            None if branch.tree.inside.is_empty() => {
                Err(Fault::new(format!("{path} has no value ({}): say {path}=VALUE", shown())))
            }
            None => {
                Err(Fault::new(format!("{path} is a value ({}), without elements inside", shown())))
            }
        }
    }

    /// Is the text a value that the field takes, and of the type that was said, if one was?
    fn check(
        &self,
        path: &str,
        of: (ScopeId, usize),
        text: &str,
        kind: Option<&str>,
    ) -> Result<(), Fault> {
        let content = Content::Value(of.0, of.1);
        let name = self.request.type_name(content);
        let is_it = |it: &str| {
            let declared = name.as_ref().map(Name::local);
            declared == Some(it) || self.request.kind_name(content) == Some(it)
        };
        if let Some(kind) = kind.filter(|it| !is_it(it)) {
            let shown = self.request.shown(content);
            return Err(Fault::new(format!("{path} is {shown}, not {kind}")));
        }
        let checked = self.request.check(of, text);
        checked.map_err(|takes| Fault::new(format!("{path}={text}: it takes {takes}")))
    }

    /// An array of the encoding. Its items are `list[0]`, `list[1]`, or, as in a literal document,
    /// `list.NAME[0]`, `list.NAME[1]` by a [name of theirs](Request::item_names). `is_whole` says that the only branch is the
    /// array, and no item.
    fn array(
        &mut self,
        path: &str,
        array: Content,
        given: &[&Branch],
        is_whole: bool,
    ) -> Result<NodeId, Fault> {
        let (item, (least, most)) = match array {
            Content::Array(scope, index) => {
                (self.request.item(scope, index), self.request.items(scope, index))
            }
            other => (other, (0, u64::MAX)),
        };
        let inside: Vec<&Branch> = match given {
            [Branch { value: None, tree, .. }] if is_whole => tree.inside.iter().collect(),
            _ => Vec::new(),
        };
        let are_items = self.are_items(path, (array, item), &inside)?;
        let is_empty = matches!(given, [Branch { value: Some((text, None)), .. }]
            if is_whole && text.is_empty());
        let mut items = if are_items { inside } else { given.to_vec() };
        if is_empty {
            items.clear();
        }
        if is_whole && !are_items && !is_empty && matches!(item, Content::Array(..)) {
            let example = self.example(path.to_owned(), true, item, 0);
            return Err(Fault::new(format!("{path} is a list of lists: say {example}")));
        }
        items.sort_by_key(|it| it.index);
        in_order(path, &items)?;
        count(path, &self.request.shown(item), items.len(), least, most)?;
        let mut nodes = Vec::new();
        let is_inside_another = self.request.is_item(array);
        for branch in items {
            let path = format!("{path}{}[{}]", item_step(path), branch.index);
            nodes.push(match branch.is_nil() {
                true if is_inside_another && self.request.is_of_numbers(item) => {
                    return Err(Fault::new(format!(
                        "{path} may not be nil: an array of {} inside another has a number in each place",
                        self.request.shown(item)
                    )));
                }
                true => self.nil(&path, branch, item, true)?,
                false => self.value(&path, branch, item)?,
            });
        }
        let mut sizes = vec![Some(nodes.len() as u64)];
        let dimensions = self.request.dimensions(array);
        for _ in 1..dimensions {
            let rows = nodes.len();
            let size;
            (nodes, size) = self.row_by_row(path, &nodes)?;
            if size == 0 && rows > Dimensions::MOST_EMPTY_ROWS {
                let most = Dimensions::MOST_EMPTY_ROWS;
                return Err(Fault::new(format!(
                    "{path} has {rows} rows without an item, more than {most}"
                )));
            }
            sizes.push(Some(size));
        }
        let item = match dimensions {
            1 => item,
            _ => self.request.item_of_rows(array, dimensions),
        };
        let (name, item_ranks) = self.request.item_type(item);
        let array = Array { item_ranks, dimensions: sizes, ..Array::new(name, nodes) };
        Ok(self.graph.add_array(array))
    }

    /// Is what was said inside of an array its items, and not what is in the first of them?
    fn are_items(
        &self,
        path: &str,
        (array, item): (Content, Content),
        inside: &[&Branch],
    ) -> Result<bool, Fault> {
        let Some(first) = inside.first() else { return Ok(false) };
        let members = self.request.names_in(item);
        let is_member = |it: &&&Branch| members.contains(&it.name);
        if item == Content::Any {
            return Ok(inside.iter().all(|it| it.name == first.name));
        }
        let names = self.request.item_names(array);
        let is_item = |name: &str| names.iter().any(|it| it.eq_ignore_ascii_case(name));
        let is_known = |it: &&&Branch| is_item(&it.name) || is_member(it);
        if let Some(wrong) = inside.iter().find(|it| !is_known(it)) {
            let known = names.iter().chain(&members).map(String::as_str);
            let meant = nearest(&wrong.name, known).map(|it| format!("; did you mean {it}?"));
            let wrong = format!("{path}.{}", step(&wrong.name));
            let (shown, meant) = (self.request.shown(item), meant.unwrap_or_default());
            let item = format!("{path}{}", item_step(path));
            return Err(Fault::new(format!(
                "{wrong:?}: {path} is a list of {shown}, whose items are {item}[0], {item}[1]{meant}"
            )));
        }
        if inside.iter().any(|it| is_member(&it)) {
            return Ok(false);
        }
        match inside.iter().find(|it| it.name != first.name) {
            Some(other) => Err(Fault::new(format!(
                "{path}: its items are called {} and {}: say one of the two",
                first.name, other.name
            ))),
            None => Ok(true),
        }
    }

    /// The items of these rows, and how many each has.
    fn row_by_row(&self, path: &str, rows: &[NodeId]) -> Result<(Vec<NodeId>, u64), Fault> {
        let items = |row: &NodeId| self.graph.array(*row).map_or(&[][..], |it| &it.items);
        let size = rows.first().map_or(0, |row| items(row).len());
        let is_other = |row: &NodeId| self.graph.array(*row).is_none() || items(row).len() != size;
        match rows.iter().position(is_other) {
            None => {
                let nodes = rows.iter().flat_map(|row| items(row).iter().map(|item| item.1));
                Ok((nodes.collect(), size as u64))
            }
            Some(at) => Err(Fault::new(format!(
                "{path} is an array of several dimensions, whose rows have all the same number of items: row {at} has {}, \
                 and the first {size}",
                items(&rows[at]).len()
            ))),
        }
    }

    fn nil(
        &mut self,
        path: &str,
        branch: &Branch,
        content: Content,
        is_nillable: bool,
    ) -> Result<NodeId, Fault> {
        if !is_nillable {
            return Err(Fault::new(format!("{path} may not be nil")));
        }
        let attributes = match content {
            Content::Typed(..) => Vec::new(),
            content => self.attributes_of(path, branch, content)?,
        };
        Ok(self.graph.add(Node { attributes, ..Node::new(graph::Content::Nil) }))
    }

    /// Adds a node, with its type where content is encoded.
    fn add(&mut self, node: Node, content: Content) -> NodeId {
        let is_encoded = self.request.is_encoded();
        let name = self.request.type_name(content).filter(|_| is_encoded);
        self.graph.add(match name {
            Some(name) => node.of_type(name),
            None => node,
        })
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
        let content = parameter.content;
        let mut ways = vec![self.example(path.clone(), parameter.most > 1, content, 0)];
        let may_be_empty = match content {
            Content::Struct(..) | Content::List(..) => {
                let members = self.request.members_of(content);
                let is_optional = members.parameters.iter().all(|it| it.least == 0);
                is_optional
                    && members.text.is_none()
                    && members.choices.iter().all(|it| !it.is_needed)
            }
            Content::Array(scope, index) => self.request.items(scope, index).0 == 0,
            _ => false,
        };
        if may_be_empty && !ways[0].ends_with('=') {
            ways.push(format!("{path}= for an empty one"));
        }
        if parameter.is_nillable {
            ways.push(format!("{path}:nil= for no value"));
        }
        let (taker, takes) = (at.taker, self.list(all));
        Fault::new(format!("{path} is missing: {taker} takes {takes}; say {}", ways.join(", or ")))
    }

    /// How a value is given.
    fn example(&self, path: String, is_list: bool, content: Content, depth: usize) -> String {
        let path = if is_list { format!("{path}[0]") } else { path };
        let of_member = |it: &Parameter| {
            let path = format!("{path}.{}", step(&it.name.local));
            self.example(path, it.most > 1, it.content, depth + 1)
        };
        match content {
            Content::Struct(..) | Content::List(..) => {
                let members = self.request.members_of(content);
                let required = members.parameters.iter().find(|it| it.least > 0);
                match required.or(members.parameters.first()) {
                    None if members.text.is_some() => format!("{path}=VALUE"),
                    None => format!("{path}="),
                    Some(_) if depth == 4 => format!("{path}.NAME=VALUE"),
                    Some(member) => of_member(member),
                }
            }
            Content::Typed(scope, component) if depth < 4 => {
                match self.request.arms(scope, component).first() {
                    Some(arm) => self.example(path, false, arm.content, depth + 1),
                    None => format!("{path}=VALUE"),
                }
            }
            Content::Array(scope, index) if depth < 4 => {
                let path = if path.ends_with(']') { format!("{path}.item") } else { path };
                self.example(path, true, self.request.item(scope, index), depth + 1)
            }
            _ => format!("{path}=VALUE"),
        }
    }

    /// Names and types, for people.
    fn list(&self, parameters: &[Parameter]) -> String {
        let one = |it: &Parameter| {
            let many = if it.most > 1 { " each" } else { "" };
            let optional = match (it.least, it.choice) {
                (_, Some(_)) => ", or another",
                (0, None) => ", optional",
                _ => "",
            };
            format!("{} ({}{many}{optional})", it.name.local, self.request.shown(it.content))
        };
        match parameters {
            [] => "nothing".to_owned(),
            parameters => listed(parameters.iter().map(one), SHOWN),
        }
    }
}

/// What is between the path of an array and the number of an item: nothing, unless the array has a number itself.
fn item_step(path: &str) -> &'static str {
    if path.ends_with(']') { ".item" } else { "" }
}

/// Is each one there, from the first on?
fn in_order(path: &str, given: &[&Branch]) -> Result<(), Fault> {
    match given.iter().enumerate().find(|(index, it)| it.index != *index) {
        Some((missing, _)) => Err(Fault::new(format!(
            "{path}{}[{missing}] is missing before others",
            item_step(path)
        ))),
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
