//! From a document to a message: one pass with a stack of open elements, then the references.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use trunkline_codec::infoset::{self, Event};
use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::model::{Array, Content, Graph, Message, Node, NodeId};
use super::name::{Name, Names};
use super::namespaces::{self, SOAP11, SOAP12, XSD, is_encoding_style};
use super::node_attributes::{Head, NodeAttributes, NodeKind, Place, without_hash};
use crate::Version;
use crate::attributes::{is_own, is_unknown, reject_unknown_style, reject_unqualified, styles};
use crate::document;
use crate::opening::excerpt;
use crate::plan::Plan;

/// Edges to nodes that are not known yet are numbered from here.
pub(super) const UNRESOLVED: u32 = 1 << 31;

/// Longer texts are not taken for qualified names.
const LONGEST_QUALIFIED_NAME: usize = 256;

/// Reads any SOAP message. [`Limits::fields`] bounds the elements.
///
/// # Errors
/// What is not well-formed, no envelope, or larger than the limits; ids that stand twice and
/// references to none; text beside elements; what is wrong with arrays.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Message> {
    document::read(bytes, limits, |reader| decode_from(reader, limits))
}

/// As [`decode`], for a message in any form.
///
/// # Errors
/// As [`decode`].
pub fn decode_from(reader: &mut impl infoset::Reader, limits: &Limits) -> Result<Message> {
    Reader::new(reader, limits, None).envelope().map(|(message, _)| message)
}

/// As [`decode_from`], of a message whose Body is encoded, whether it says so or not.
pub(crate) fn decode_encoded_from(
    reader: &mut impl infoset::Reader,
    limits: &Limits,
) -> Result<Message> {
    let reader = Reader { is_encoded: true, ..Reader::new(reader, limits, None) };
    reader.envelope().map(|(message, _)| message)
}

/// The kinds of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Envelope,
    /// One element by itself: a header block, an entry of a fault's detail.
    Element,
}

/// As [`decode_from`], for a message of the plan's schema. Tells also where the element of each node
/// begins.
pub(super) fn decode_as(
    reader: &mut impl infoset::Reader,
    limits: &Limits,
    plan: &Plan,
    form: Form,
) -> Result<(Message, Vec<usize>)> {
    let reader = Reader { form, ..Reader::new(reader, limits, Some(plan)) };
    match form {
        Form::Envelope => reader.envelope(),
        Form::Element => reader.element(),
    }
}

/// The encoding style in force.
#[derive(Clone, Debug)]
struct Style {
    encoded: bool,
    text: Option<Arc<str>>,
}

struct Reader<'a, R: infoset::Reader> {
    reader: &'a mut R,
    limits: &'a Limits,
    names: Names<R>,
    nodes: Vec<Node>,
    /// Where their elements begin, if the message has a schema.
    places: Vec<usize>,
    /// Ids, their elements' nodes and places.
    ids: Vec<(R::Text, NodeId, usize)>,
    references: Vec<(R::Text, usize)>,
    /// How many unknown attributes references have, and the first.
    left_out: usize,
    first_left_out: Option<Name>,
    stack: Vec<Frame<R::Text>>,
    elements: usize,
    /// The plan of a message that has a schema: its Body is encoded or not, whether it says so or not.
    typed: Option<&'a Plan>,
    /// Is the Body of a message without a schema encoded?
    is_encoded: bool,
    in_body: bool,
    style: Style,
    form: Form,
}

/// An open element.
struct Frame<V> {
    name: Name,
    at: usize,
    node: NodeId,
    node_attributes: NodeAttributes<V>,
    text: String,
    /// Does the text mean something beside elements?
    has_text: bool,
    members: Vec<(Name, NodeId)>,
    /// Which members say their position in an array.
    positions: Vec<(usize, Vec<u64>)>,
    /// The style around it.
    outer: Option<Style>,
}

/// A child of Header or Body that has ended: its name, its node, its marks.
type Closed<V> = (Name, NodeId, NodeAttributes<V>);

/// A child of Header or Body.
struct Root {
    name: Name,
    node: NodeId,
    root: Option<bool>,
    /// May it be there only to be referred to?
    has_id: bool,
    style: Style,
}

impl<'a, R: infoset::Reader> Reader<'a, R> {
    fn new(reader: &'a mut R, limits: &'a Limits, typed: Option<&'a Plan>) -> Self {
        Self {
            reader,
            limits,
            names: Names::default(),
            nodes: Vec::new(),
            places: Vec::new(),
            ids: Vec::new(),
            references: Vec::new(),
            left_out: 0,
            first_left_out: None,
            stack: Vec::new(),
            elements: 0,
            typed,
            is_encoded: false,
            in_body: false,
            style: Style { encoded: false, text: None },
            form: Form::Envelope,
        }
    }

    /// Is the Body encoded, whatever it says?
    fn has_encoded_body(&self) -> bool {
        self.typed.map_or(self.is_encoded, |plan| plan.options.style.is_encoded())
    }

    /// Reads a document that is one element, which is the message whatever its `root` says.
    fn element(mut self) -> Result<(Message, Vec<usize>)> {
        self.style.encoded = self.has_encoded_body();
        self.in_body = true;
        let name = self.start("the message")?;
        let root = self.child(name)?;
        self.epilogue(Version::Soap12)?;
        let places = std::mem::take(&mut self.places);
        let body = vec![Root { root: Some(true), has_id: false, ..root }];
        self.finish(Version::Soap11, Vec::new(), body).map(|message| (message, places))
    }

    fn envelope(mut self) -> Result<(Message, Vec<usize>)> {
        let name = self.start("the Envelope")?;
        let version = match (self.reader.namespace_of(name), self.reader.local(name)) {
            (SOAP11, "Envelope") => Version::Soap11,
            (SOAP12, "Envelope") => Version::Soap12,
            _ => return Err(self.no_envelope(name)),
        };
        let soap = namespaces::envelope(version);
        self.part("Envelope", soap)?;
        self.enter_style();
        let mut name = self.start("Header or Body")?;
        let mut header = Vec::new();
        if self.reader.is(name, soap, "Header") {
            self.part("Header", soap)?;
            let outside = self.style.clone();
            self.enter_style();
            header = self.children()?;
            self.style = outside;
            name = self.start("Body")?;
        }
        if !self.reader.is(name, soap, "Body") {
            return Err(self.error(ErrorKind::Expected("the Body".into()), self.reader.position()));
        }
        self.part("Body", soap)?;
        // What a plan says holds for the Body: header blocks have schemas of their own.
        if self.style.text.is_none() {
            self.style.encoded = self.has_encoded_body();
        }
        self.enter_style();
        self.in_body = true;
        let body = self.children()?;
        self.epilogue(version)?;
        let places = std::mem::take(&mut self.places);
        self.finish(version, header, body).map(|message| (message, places))
    }

    /// Looks at the start tag, just read, of a part of the envelope.
    fn part(&self, name: &str, soap: &str) -> Result<()> {
        let mut fits = reject_unqualified(name, soap, self.reader);
        // Header blocks have styles of their own.
        if self.typed.is_some() && name != "Header" {
            fits = fits.and_then(|()| reject_unknown_style(self.reader));
        }
        fits.map_err(|kind| Error::new(kind, self.reader.began()))
    }

    /// Passes over what SOAP 1.1 section 4 allows behind the Body, and SOAP 1.2 does not (part 1
    /// section 5.1).
    fn epilogue(&mut self, version: Version) -> Result<()> {
        loop {
            match self.reader.next()? {
                Event::Eof => return Ok(()),
                Event::Start(name)
                    if version == Version::Soap11
                        && !self.reader.is(name, SOAP11, "Header")
                        && !self.reader.is(name, SOAP11, "Body") =>
                {
                    self.reader.skip()?;
                }
                Event::Text(text) if self.reader.is_white(text) => {}
                Event::Start(_) | Event::Text(_) => {
                    let what = "nothing but the end behind the Body";
                    let at = self.reader.began();
                    return Err(Error::new(ErrorKind::Expected(what.into()), at));
                }
                Event::End => {}
            }
        }
    }

    fn no_envelope(&self, found: R::Name) -> Error {
        let namespace = self.reader.namespace_of(found);
        let found = self.reader.qualified(found);
        let found = &found[..found.floor_char_boundary(64)];
        let namespace = &namespace[..namespace.floor_char_boundary(200)];
        let what = format!("a SOAP 1.1 or 1.2 Envelope, not <{found}> of {namespace:?}");
        Error::new(ErrorKind::Expected(what.into()), self.reader.began())
    }

    /// The next element; only white space may stand before it.
    fn start(&mut self, expected: &'static str) -> Result<R::Name> {
        loop {
            match self.reader.next()? {
                Event::Start(name) => return Ok(name),
                Event::Text(text) if self.reader.is_white(text) => {}
                _ => {
                    let at = self.reader.began();
                    return Err(Error::new(ErrorKind::Expected(expected.into()), at));
                }
            }
        }
    }

    fn place(&mut self) -> Place<'_, R> {
        Place { tag: self.reader, names: &mut self.names }
    }

    /// Takes over the encoding style of the start tag just read, if it names one; answers the one
    /// before.
    fn enter_style(&mut self) -> Option<Style> {
        let (_, text) = styles(self.reader).next()?;
        let encoded = namespaces::is_soap_encoding(&text);
        let style = Style { encoded, text: Some((&*text).into()) };
        Some(std::mem::replace(&mut self.style, style))
    }

    /// Reads the children of Header or Body, and its end tag.
    fn children(&mut self) -> Result<Vec<Root>> {
        let mut roots = Vec::new();
        loop {
            match self.reader.next()? {
                Event::Start(name) => roots.push(self.child(name)?),
                Event::End => return Ok(roots),
                Event::Text(text) if self.reader.is_white(text) => {}
                Event::Text(_) | Event::Eof => {
                    let at = self.reader.began();
                    return Err(Error::new(ErrorKind::Expected("an element".into()), at));
                }
            }
        }
    }

    /// Reads an element to its end tag, however deep.
    fn child(&mut self, name: R::Name) -> Result<Root> {
        self.open(name)?;
        let style = self.style.clone();
        loop {
            match self.reader.next()? {
                Event::Start(name) => self.open(name)?,
                Event::End => {
                    if let Some((name, node, node_attributes)) = self.close()? {
                        let has_id = style.encoded && node_attributes.id.is_some();
                        return Ok(Root { name, node, root: node_attributes.root, has_id, style });
                    }
                }
                Event::Text(text) => self.text(text),
                Event::Eof => {
                    let kind = ErrorKind::Truncated { expected: "an end tag" };
                    return Err(self.error(kind, self.reader.began()));
                }
            }
        }
    }

    /// Adds to the text of the innermost element.
    fn text(&mut self, text: R::Text) {
        let Some(frame) = self.stack.last_mut() else { return };
        let means_something = !self.reader.is_white(text);
        frame.has_text |= means_something;
        frame.text.push_str(&self.reader.value(text));
        // Once more for each piece of a text, so long ones are not looked at.
        if means_something && frame.text.len() <= LONGEST_QUALIFIED_NAME {
            let mut place = Place { tag: &*self.reader, names: &mut self.names };
            place.note_prefix(&frame.text, &mut frame.node_attributes.prefixes);
        }
    }

    /// An element begins, whose start tag was just read.
    fn open(&mut self, name: R::Name) -> Result<()> {
        let at = self.reader.began();
        self.elements += 1;
        if self.elements > self.limits.fields {
            let kind = ErrorKind::Limit { name: "fields", limit: self.limits.fields };
            return Err(self.error(kind, at));
        }
        let outer = self.enter_style();
        if self.typed.is_some() && self.in_body {
            let known = reject_unknown_style(self.reader);
            known.map_err(|kind| self.error_in(self.reader.local(name), kind, at))?;
        }
        let encoded = self.style.encoded;
        let node_attributes = self.place().node_attributes(encoded);
        let node_attributes =
            node_attributes.map_err(|kind| self.error_in(self.reader.local(name), kind, at))?;
        let name = self.names.get(self.reader, name);
        let node = match node_attributes.reference.is_some() {
            true => NodeId(0),
            false => {
                self.nodes.push(Node::new(Content::Nil));
                if self.typed.is_some() {
                    self.places.push(at);
                }
                NodeId(self.nodes.len() as u32 - 1)
            }
        };
        self.stack.push(Frame {
            name,
            at,
            node,
            node_attributes,
            text: String::new(),
            has_text: false,
            members: Vec::new(),
            positions: Vec::new(),
            outer,
        });
        Ok(())
    }

    /// An element ends; it is handed back if it is a child of Header or Body.
    fn close(&mut self) -> Result<Option<Closed<R::Text>>> {
        let mut frame = self.stack.pop().expect("an open element");
        if let Some(outer) = frame.outer.take() {
            self.style = outer;
        }
        let node = match frame.node_attributes.reference.take() {
            Some(reference) => self.refer(&frame, reference),
            None => self.value(&mut frame),
        };
        let node = node.map_err(|kind| self.error_in(frame.name.local(), kind, frame.at))?;
        let Some(parent) = self.stack.last_mut() else {
            return Ok(Some((frame.name, node, frame.node_attributes)));
        };
        if let Some(position) = frame.node_attributes.position {
            parent.positions.push((parent.members.len(), position));
        }
        parent.members.push((frame.name, node));
        Ok(None)
    }

    /// # Errors
    /// The element has content; or, in the message of a schema, attributes that might be meant as
    /// the value's: a reference keeps none. Those of others are counted.
    fn refer(&mut self, frame: &Frame<R::Text>, reference: R::Text) -> Result<NodeId, ErrorKind> {
        if frame.has_text || !frame.members.is_empty() {
            let what = "no content in an element that refers to another";
            return Err(ErrorKind::Expected(what.into()));
        }
        if let Some(plan) = self.typed.filter(|_| self.in_body) {
            let names = frame.node_attributes.attributes.iter().map(|(name, _)| name);
            for name in names.filter(|it| is_unknown(plan, it.namespace(), it.local())) {
                if is_own(plan, name.namespace()) {
                    let name = excerpt(name.local());
                    let what = format!("no attribute {name} in an element that refers to another");
                    return Err(ErrorKind::Expected(what.into()));
                }
                self.left_out += 1;
                self.first_left_out.get_or_insert_with(|| name.clone());
            }
        }
        self.references.push((reference, frame.at));
        Ok(NodeId(UNRESOLVED | (self.references.len() as u32 - 1)))
    }

    fn value(&mut self, frame: &mut Frame<R::Text>) -> Result<NodeId, ErrorKind> {
        if let Some(id) = frame.node_attributes.id {
            self.ids.push((id, frame.node, frame.at));
        }
        // Header blocks are not the schema's.
        let content = match frame.node_attributes.nil && self.typed.is_some() && !self.in_body {
            true => Content::Nil,
            false => content(frame)?,
        };
        if let Content::Array(array) = &content {
            self.check_items(array)?;
        }
        let named = || type_of(&frame.name).filter(|_| frame.node_attributes.encoded);
        let type_name = frame.node_attributes.type_name.take().or_else(named);
        self.nodes[frame.node.index()] = Node {
            type_name,
            content,
            attributes: std::mem::take(&mut frame.node_attributes.attributes),
            prefixes: std::mem::take(&mut frame.node_attributes.prefixes),
        };
        Ok(frame.node)
    }

    /// Puts the elements that ids stand for in place of the references to them.
    fn finish(
        mut self,
        version: Version,
        mut header: Vec<Root>,
        mut body: Vec<Root>,
    ) -> Result<Message> {
        let targets = self.targets()?;
        if !targets.is_empty() {
            let roots = header.iter_mut().chain(&mut body).map(|root| &mut root.node);
            let edges = self.nodes.iter_mut().flat_map(|node| edges(&mut node.content));
            for node in roots.chain(edges).filter(|node| node.0 & UNRESOLVED != 0) {
                *node = targets[(node.0 & !UNRESOLVED) as usize];
            }
        }
        let all: Vec<NodeId> = body.iter().map(|root| root.node).collect();
        keep_roots(&mut body, &targets.into_iter().collect(), !header.is_empty());
        // The style of an element that is only there to be referred to is no part of its value.
        let kept: HashSet<NodeId> = body.iter().map(|root| root.node).collect();
        for node in all.into_iter().filter(|node| !kept.contains(node)) {
            let attributes = &mut self.nodes[node.index()].attributes;
            attributes.retain(|(name, value)| {
                !is_encoding_style(name) || !namespaces::is_soap_encoding(value)
            });
        }
        let mut message = Message::new(version);
        message.graph = Graph { nodes: self.nodes };
        (message.left_out, message.first_left_out) = (self.left_out, self.first_left_out);
        let style = body.first().map_or(&self.style, |root| &root.style);
        message.encoding_style = style.text.as_deref().map(str::to_owned);
        if style.encoded && style.text.is_none() {
            message.set_encoded();
        }
        for root in &header {
            own_style(&mut message, version, root);
        }
        let is_same = |text: &str| Some(text) == message.encoding_style.as_deref();
        for root in &body {
            let attributes = &mut message.graph.nodes[root.node.index()].attributes;
            attributes.retain(|(name, value)| !is_encoding_style(name) || !is_same(value));
        }
        message.header = header.into_iter().map(|root| (root.name, root.node)).collect();
        message.body = body.into_iter().map(|root| (root.name, root.node)).collect();
        Ok(message)
    }

    /// The node of each reference.
    fn targets(&self) -> Result<Vec<NodeId>> {
        let mut known: HashMap<Cow<'_, str>, NodeId> = HashMap::with_capacity(self.ids.len());
        for (id, node, at) in &self.ids {
            let id = self.reader.value(*id);
            if known.contains_key(&id) {
                let id = &id[..id.floor_char_boundary(64)];
                let what = format!("an id once, but {id:?} is another element's already");
                return Err(Error::new(ErrorKind::Expected(what.into()), *at));
            }
            known.insert(id, *node);
        }
        let target = |(reference, at): &(R::Text, usize)| {
            let reference = without_hash(self.reader.value(*reference));
            match known.get(&reference) {
                Some(node) => Ok(*node),
                None => Err(self.no_target(&reference, *at)),
            }
        };
        self.references.iter().map(target).collect()
    }

    fn no_target(&self, reference: &str, at: usize) -> Error {
        let id = &reference[..reference.floor_char_boundary(64)];
        let place = match self.form {
            Form::Envelope => "",
            Form::Element => " in the same header block or detail",
        };
        let what = format!("an element with the id {id:?}{place}, to which this one refers");
        Error::new(ErrorKind::Expected(what.into()), at)
    }

    /// Items of a simple type have no elements inside.
    fn check_items(&self, array: &Array) -> Result<(), ErrorKind> {
        let is_simple =
            array.item_ranks.is_empty() && array.item_type.as_ref().is_some_and(is_simple);
        let is_compound = |(_, id): &(u64, NodeId)| {
            let node = self.nodes.get(id.index());
            node.is_some_and(|it| {
                it.type_name.is_none()
                    && matches!(it.content, Content::Struct(_) | Content::Array(_))
            })
        };
        match is_simple && array.items.iter().any(is_compound) {
            true => Err(not_simple(array.item_type.as_ref())),
            false => Ok(()),
        }
    }

    #[cold]
    fn error(&self, kind: ErrorKind, at: usize) -> Error {
        self.located(Error::new(kind, at))
    }

    /// In an element that is not on the stack.
    #[cold]
    fn error_in(&self, element: &str, kind: ErrorKind, at: usize) -> Error {
        self.located(Error::new(kind, at).within(element))
    }

    fn located(&self, error: Error) -> Error {
        let open = self.stack.iter().rev();
        open.fold(error, |error, frame| error.within(frame.name.local()))
    }
}

fn edges(content: &mut Content) -> Vec<&mut NodeId> {
    match content {
        Content::Struct(members) => members.iter_mut().map(|member| &mut member.1).collect(),
        Content::Array(array) => array.items.iter_mut().map(|item| &mut item.1).collect(),
        Content::Nil | Content::Text(_) => Vec::new(),
    }
}

/// Leaves out the elements that stand in the Body only to be referred to (SOAP 1.1 sections 5.1 and
/// 5.6): those that say that they are no root, and those that others refer to and that do not say
/// that they are one. If that is all, the first is the root: it may contain itself; unless all say
/// that they are none and there is a Header to refer to them.
fn keep_roots(body: &mut Vec<Root>, targets: &HashSet<NodeId>, has_header: bool) {
    let is_root = |root: &Root| match root.root {
        Some(stated) => stated,
        None => !(root.has_id && targets.contains(&root.node)),
    };
    let none = has_header && body.iter().all(|root| root.root == Some(false));
    if none || body.iter().any(is_root) {
        return body.retain(is_root);
    }
    body.truncate(1 + body.iter().position(|root| root.root != Some(false)).unwrap_or(0));
    if body.len() > 1 {
        body.drain(..body.len() - 1);
    }
}

/// A header block keeps the style that holds for it, whoever stated it.
fn own_style(message: &mut Message, version: Version, root: &Root) {
    let Some(text) = root.style.text.as_deref().filter(|_| root.style.encoded) else { return };
    let attributes = &mut message.graph.nodes[root.node.index()].attributes;
    if !attributes.iter().any(|(name, _)| is_encoding_style(name)) {
        let name = Name::new(namespaces::envelope(version), "encodingStyle");
        attributes.push((name, text.into()));
    }
}

/// The type of an element's name, where the encoding declares one.
fn type_of(name: &Name) -> Option<Name> {
    match name.local() {
        _ if !namespaces::is_encoding(name.namespace()) => None,
        "Array" | "Struct" | "base64" => Some(name.clone()),
        local => namespaces::is_simple_type(local).then(|| name.moved(XSD)),
    }
}

fn is_simple(name: &Name) -> bool {
    name.namespace() == XSD && namespaces::is_simple_type(name.local())
}

fn not_simple(name: Option<&Name>) -> ErrorKind {
    let local = name.map_or("anySimpleType", Name::local);
    ErrorKind::Expected(format!("text in a value of the type xsd:{local}, not elements").into())
}

fn is_encoding_type(name: &Name, local: &str) -> bool {
    name.local() == local && namespaces::is_encoding(name.namespace())
}

fn content<V>(frame: &mut Frame<V>) -> Result<Content, ErrorKind> {
    let node_attributes = &mut frame.node_attributes;
    let is_empty = frame.members.is_empty();
    if node_attributes.nil {
        return match is_empty && !frame.has_text {
            true => Ok(Content::Nil),
            false => Err(ErrorKind::Expected("no content in an element that is nil".into())),
        };
    }
    if frame.has_text && !is_empty {
        return Err(ErrorKind::Unsupported("text beside elements (mixed content)".into()));
    }
    if !is_empty && node_attributes.type_name.as_ref().is_some_and(is_simple) {
        return Err(not_simple(node_attributes.type_name.as_ref()));
    }
    let type_name = node_attributes.type_name.as_ref().unwrap_or(&frame.name);
    let encoded = node_attributes.encoded;
    let is = |kind, local| {
        node_attributes.kind == Some(kind) || (encoded && is_encoding_type(type_name, local))
    };
    if node_attributes.array.is_some() || is(NodeKind::Array, "Array") {
        if frame.has_text {
            return Err(ErrorKind::Expected("items of an array, not text".into()));
        }
        let head = node_attributes.array.take().unwrap_or_default();
        let members = std::mem::take(&mut frame.members);
        let array = array(head, members, std::mem::take(&mut frame.positions))?;
        return Ok(Content::Array(Box::new(array)));
    }
    if !is_empty || (is(NodeKind::Struct, "Struct") && !frame.has_text) {
        return Ok(Content::Struct(std::mem::take(&mut frame.members)));
    }
    Ok(Content::Text(std::mem::take(&mut frame.text).into()))
}

/// Gives every item its position: its own, else the one behind that of the item before.
fn array(
    head: Head,
    members: Vec<(Name, NodeId)>,
    positions: Vec<(usize, Vec<u64>)>,
) -> Result<Array, ErrorKind> {
    let mut array = Array::new(head.item_type, Vec::new());
    array.item_ranks = head.ranks;
    array.dimensions = head.sizes.unwrap_or_else(|| vec![None]);
    if let Some((name, _)) = members.first().filter(|(name, _)| type_of(name).is_none()) {
        array.item_name = name.clone();
    }
    let outside = |array: &Array, what: &str| {
        let brackets = array.brackets();
        ErrorKind::Expected(format!("{what} inside an array of {brackets}").into())
    };
    if let Some(offset) = head.offset {
        // An empty array has no position, but an offset of zero all the same.
        let is_zero = offset.iter().all(|it| *it == 0);
        let position = if is_zero { Some(0) } else { array.position(&offset) };
        array.offset = Some(position.ok_or_else(|| outside(&array, "an offset"))?);
    }
    let known = array.dimensions.iter().all(Option::is_some).then(|| array.size());
    let found = members.len();
    let mut next = array.offset.unwrap_or(0);
    let mut stated = positions.into_iter().peekable();
    for (index, (_, node)) in members.into_iter().enumerate() {
        if let Some((_, place)) = stated.next_if(|it| it.0 == index) {
            next = array.position(&place).ok_or_else(|| outside(&array, "a position"))?;
        } else if let Some(size) = known.filter(|size| next >= *size) {
            let stated = usize::try_from(size).unwrap_or(usize::MAX);
            return Err(ErrorKind::Count { stated, found });
        }
        array.items.push((next, node));
        next = next.checked_add(1).ok_or_else(|| outside(&array, "a position"))?;
    }
    if !array.items.is_sorted_by_key(|item| item.0) {
        array.items.sort_by_key(|item| item.0);
    }
    match array.items.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let place = array.place(pair[0].0);
            Err(ErrorKind::Expected(format!("one item at the position {place}, not two").into()))
        }
        None => Ok(array),
    }
}
