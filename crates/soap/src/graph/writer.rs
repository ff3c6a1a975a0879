//! One walk over a graph that writes its elements, with a stack in place of recursion.

use std::collections::VecDeque;
use std::sync::LazyLock;

use trunkline_codec::infoset::{self, Name as Qualified};
use trunkline_codec::xml::is_ncname;
use trunkline_message::{Error, ErrorKind, Result};

use super::encode::{Encoder, State};
use super::model::{Content, Graph, Message, Node, NodeId};
use super::name::Name;
use super::namespaces::{self, is_encoding_style};
use super::prefixes::Prefixes;
use crate::{HeaderBlock, Version};

/// How an element comes into its parent.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// `SOAP-ENC:position`, where it has to be said.
    position: Option<String>,
    /// A child of Header or Body, or an element of its own.
    is_top: bool,
    /// A child of the Body, which has others.
    is_one_of_many: bool,
    /// An element of its own, only there to be referred to.
    is_independent: bool,
    /// A child of Header.
    is_block: bool,
}

/// An element that is open.
struct Open<'a> {
    name: &'a Name,
    node: NodeId,
    next: usize,
    /// Of an array, the position behind the last item.
    position: u64,
}

/// What comes next in an open element.
enum Step<'a> {
    Child(&'a Name, NodeId, Entry),
    /// An item that was not transmitted, where positions alone do not show it.
    Gap(&'a Name),
    End,
}

pub(super) struct Writer<'a, W> {
    encoder: &'a Encoder,
    graph: &'a Graph,
    prefixes: Prefixes,
    states: Vec<State>,
    /// Nodes that are to be elements of their own.
    queue: VecDeque<NodeId>,
    last_id: u32,
    /// Does the present child of Header or Body follow the encoding rules?
    encoded: bool,
    /// Do shared values stand where they are used first for now?
    embeds: bool,
    open: Vec<Open<'a>>,
    out: &'a mut W,
}

/// Prefixes that an element has to declare, and their namespaces.
type Declarations = Vec<(String, String)>;

impl<'a, W: infoset::Writer> Writer<'a, W> {
    pub(super) fn new(
        encoder: &'a Encoder,
        graph: &'a Graph,
        prefixes: Prefixes,
        states: Vec<State>,
        out: &'a mut W,
    ) -> Self {
        Self {
            encoder,
            graph,
            prefixes,
            states,
            queue: VecDeque::new(),
            last_id: 0,
            encoded: false,
            embeds: encoder.embedded,
            open: Vec::new(),
            out,
        }
    }

    pub(super) fn document(&mut self, message: &'a Message, blocks: &[HeaderBlock]) -> Result<()> {
        let envelope = Name::new(namespaces::envelope(self.encoder.version), "Envelope");
        let [header, body] = ["Header", "Body"].map(|local| envelope.renamed(local));
        self.start(&envelope)?;
        for (prefix, namespace) in self.prefixes.declared() {
            if !self.out.declare(prefix, namespace) {
                return Err(self.error(NO_CHARACTER));
            }
        }
        if !message.header.is_empty() || !blocks.is_empty() {
            self.start(&header)?;
            // A Body of another style has no place for values of header blocks.
            self.embeds |= !message.is_encoded() || message.body.is_empty();
            for (name, node) in &message.header {
                self.encoded = self.own_style(*node).unwrap_or(false);
                let entry = Entry { is_top: true, is_block: true, ..Entry::default() };
                self.element(name, *node, entry, None)?;
            }
            self.embeds = self.encoder.embedded;
            let version = self.encoder.version;
            blocks.iter().for_each(|block| self.out.raw(&block.encode_in(version, true, "")));
            self.out.end();
        }
        self.start(&body)?;
        self.encoded = message.is_encoded();
        let style = message.encoding_style.as_deref().map(|it| match self.encoded {
            true => namespaces::encoding(self.encoder.version),
            false => it,
        });
        // SOAP 1.2 allows the attribute on children of Body, and not on Body (part 1, 5.1.1).
        let (on_body, on_child) = match self.encoder.version {
            Version::Soap11 => (style, None),
            Version::Soap12 => (None, style),
        };
        self.style(on_body)?;
        self.out.text("");
        for (name, node) in &message.body {
            let is_one_of_many = message.body.len() > 1;
            let entry = Entry { is_top: true, is_one_of_many, ..Entry::default() };
            let own = self.own_style(*node);
            self.encoded = own.unwrap_or(message.is_encoded());
            self.element(name, *node, entry, on_child.filter(|_| own.is_none()))?;
        }
        let style = namespaces::encoding(self.encoder.version);
        self.independent_elements(Some(style).filter(|_| !message.is_encoded()))?;
        self.out.end();
        self.out.end();
        Ok(())
    }

    /// Begins an element whose prefix is declared, or is to be.
    fn start(&mut self, name: &Name) -> Result<()> {
        self.check_name(name)?;
        self.out.start(self.prefixes.qualified(name).0);
        Ok(())
    }

    /// Writes those with the style, if it is not that of the Body.
    fn independent_elements(&mut self, style: Option<&str>) -> Result<()> {
        static NAME: LazyLock<Name> = LazyLock::new(|| Name::unqualified("multiRef"));
        while let Some(node) = self.queue.pop_front() {
            if self.states[node.index()].is_written {
                continue;
            }
            self.encoded = true;
            let entry = Entry { is_top: true, is_independent: true, ..Entry::default() };
            let style = style.filter(|_| self.own_style(node).is_none());
            self.element(&NAME, node, entry, style)?;
        }
        Ok(())
    }

    /// Whether a child of Header or Body follows the encoding rules, if it says so itself.
    fn own_style(&self, node: NodeId) -> Option<bool> {
        let attributes = &self.graph.node(node).attributes;
        let style = attributes.iter().find(|(name, _)| is_encoding_style(name));
        style.map(|(_, value)| namespaces::is_soap_encoding(value))
    }

    fn style(&mut self, style: Option<&str>) -> Result<()> {
        let Some(style) = style else { return Ok(()) };
        let name = Name::new(namespaces::envelope(self.encoder.version), "encodingStyle");
        self.attribute(&name, style)
    }

    /// Writes an element with all that is in it.
    fn element(
        &mut self,
        name: &'a Name,
        node: NodeId,
        entry: Entry,
        style: Option<&str>,
    ) -> Result<()> {
        self.begin(name, node, entry, style)?;
        while let Some(open) = self.open.last_mut() {
            match open.step(self.graph, self.encoded, self.encoder.version) {
                Step::Child(name, node, entry) => self.begin(name, node, entry, None)?,
                Step::Gap(name) => {
                    self.start(name)?;
                    self.attribute(&Name::new(namespaces::XSI, "nil"), "true")?;
                    self.out.end();
                }
                Step::End => {
                    if let Some(open) = self.open.pop() {
                        self.states[open.node.index()].is_open = false;
                        self.out.end();
                    }
                }
            }
            if self.out.position() > self.encoder.limits.message_bytes {
                let limit = self.encoder.limits.message_bytes;
                return Err(self.error(ErrorKind::Limit { name: "message_bytes", limit }));
            }
        }
        Ok(())
    }

    /// Writes the start tag of an element; the whole of it, if it has no children.
    fn begin(
        &mut self,
        name: &'a Name,
        id: NodeId,
        entry: Entry,
        style: Option<&str>,
    ) -> Result<()> {
        let node = self.graph.node(id);
        let refers = self.refers(id, &entry).map_err(|kind| self.error_in(name, kind))?;
        let mut declarations = Declarations::new();
        self.start(name)?;
        declare(&mut declarations, self.prefixes.qualified(name));
        if !refers {
            self.identity(id)?;
            self.style(style)?;
            self.type_of(node, &entry, &mut declarations)?;
        } else {
            self.reference(id)?;
        }
        if let Some(position) = &entry.position {
            self.attribute(&Name::new(namespaces::ENCODING11, "position"), position)?;
        }
        self.root(id, &entry)?;
        if !refers {
            let has_id = self.encoded && self.states[id.index()].id != 0;
            self.attributes(node, has_id, entry.is_block, &mut declarations)?;
        }
        for (prefix, namespace) in declarations {
            if !self.out.declare(&prefix, &namespace) {
                return Err(self.error(NO_CHARACTER));
            }
        }
        match &node.content {
            _ if refers => self.out.end(),
            Content::Nil => self.out.end(),
            Content::Text(text) if text.is_empty() => self.out.end(),
            Content::Text(text) => {
                if !self.out.text(text) {
                    return Err(self.error_in(name, NO_CHARACTER));
                }
                self.out.end();
            }
            Content::Struct(_) | Content::Array(_) => {
                self.out.text("");
                self.states[id.index()].is_open = true;
                let offset = self.graph.array(id).and_then(|array| array.offset);
                let says_offset = self.encoded && self.encoder.version == Version::Soap11;
                let position = offset.filter(|_| says_offset).unwrap_or(0);
                self.open.push(Open { name, node: id, next: 0, position });
            }
        }
        Ok(())
    }

    /// Tells the roots of the Body from elements that are only there to be referred to, where it is
    /// not clear (SOAP 1.1 section 5.6).
    fn root(&mut self, id: NodeId, entry: &Entry) -> Result<()> {
        let has_id = self.states[id.index()].id != 0;
        let is_root = entry.is_one_of_many && has_id;
        if !self.encoded || self.encoder.version != Version::Soap11 {
            return Ok(());
        }
        let value = match (entry.is_independent, is_root) {
            (true, _) => "0",
            (false, true) => "1",
            (false, false) => return Ok(()),
        };
        self.attribute(&Name::new(namespaces::ENCODING11, "root"), value)
    }

    /// Does this element refer to the node, which stands elsewhere?
    fn refers(&mut self, id: NodeId, entry: &Entry) -> std::result::Result<bool, ErrorKind> {
        let node = self.graph.node(id);
        let state = self.states[id.index()];
        let limit = self.encoder.limits.depth;
        // Envelope and Body are open too.
        let depth = self.open.len() + 3;
        let is_compound = matches!(node.content, Content::Struct(_) | Content::Array(_));
        let has_references = self.encoded && self.encoder.multi_ref;
        let at_end = self.encoder.version == Version::Soap11 && !self.encoder.embedded;
        let is_shared = state.uses > 1 && !self.embeds;
        if entry.is_independent {
            self.states[id.index()].is_written = true;
            return Ok(false);
        }
        if has_references && !matches!(node.content, Content::Nil) {
            if state.is_written && state.id != 0 {
                return Ok(true);
            }
            // Chains that are too long to nest go on in elements of their own.
            let is_last = is_compound && depth >= limit;
            if at_end && !entry.is_top && (is_shared || is_last) {
                if state.id == 0 {
                    self.give_id(id);
                    self.queue.push_back(id);
                }
                return Ok(true);
            }
            if state.uses > 1 && state.id == 0 {
                self.give_id(id);
            }
        }
        if state.is_open {
            let why = "the value contains itself, which takes references to write";
            return Err(ErrorKind::Unwritable(why));
        }
        if depth > limit {
            return Err(ErrorKind::Limit { name: "depth", limit });
        }
        self.states[id.index()].is_written |= has_references;
        Ok(false)
    }

    fn give_id(&mut self, id: NodeId) {
        self.last_id += 1;
        self.states[id.index()].id = self.last_id;
    }

    /// The attribute by which others refer to the node.
    fn identity(&mut self, id: NodeId) -> Result<()> {
        let name = match (self.states[id.index()].id, self.encoder.version) {
            _ if !self.encoded => return Ok(()),
            (0, _) => return Ok(()),
            (_, Version::Soap11) => Name::unqualified("id"),
            (_, Version::Soap12) => Name::new(namespaces::ENCODING12, "id"),
        };
        self.attribute(&name, &format!("ref-{}", self.states[id.index()].id))
    }

    fn reference(&mut self, id: NodeId) -> Result<()> {
        let id = self.states[id.index()].id;
        match self.encoder.version {
            Version::Soap11 => self.attribute(&Name::unqualified("href"), &format!("#ref-{id}")),
            Version::Soap12 => {
                self.attribute(&Name::new(namespaces::ENCODING12, "ref"), &format!("ref-{id}"))
            }
        }
    }

    /// What an element says of its value's type and size.
    fn type_of(
        &mut self,
        node: &'a Node,
        entry: &Entry,
        declarations: &mut Declarations,
    ) -> Result<()> {
        if matches!(node.content, Content::Nil) {
            self.attribute(&Name::new(namespaces::XSI, "nil"), "true")?;
        }
        if let Some(name) = &node.type_name
            && (self.encoder.types || entry.is_independent)
        {
            let name = self.type_name(name, declarations)?;
            self.attribute(&Name::new(namespaces::XSI, "type"), &name)?;
        }
        let Content::Array(array) = &node.content else { return Ok(()) };
        if !self.encoded {
            return Ok(());
        }
        let mark = |local| Name::new(namespaces::encoding(self.encoder.version), local);
        match self.encoder.version {
            Version::Soap11 => {
                let any = Name::new(namespaces::XSD, "anyType");
                let item_type = array.item_type.as_ref().unwrap_or(&any);
                let value = self.type_name(item_type, declarations)? + &array.brackets();
                self.attribute(&mark("arrayType"), &value)?;
                if let Some(stated) = array.offset {
                    self.attribute(&mark("offset"), &array.place(stated))?;
                }
            }
            Version::Soap12 => {
                let arrays = mark("Array");
                let stated = array.item_type.as_ref();
                let stated = if array.item_ranks.is_empty() { stated } else { Some(&arrays) };
                if let Some(stated) = stated {
                    let value = self.type_name(stated, declarations)?;
                    self.attribute(&mark("itemType"), &value)?;
                }
                self.attribute(&mark("arraySize"), &array.size_list())?;
            }
        }
        Ok(())
    }

    fn attributes(
        &mut self,
        node: &'a Node,
        has_id: bool,
        is_block: bool,
        declarations: &mut Declarations,
    ) -> Result<()> {
        for (name, value) in &node.attributes {
            let known = if is_block { self.prefixes.block(name, value) } else { None };
            let (name, value) = match &known {
                Some(None) => continue,
                Some(Some((name, value))) => (name, *value),
                None => (name, &**value),
            };
            if (has_id && name.is("", "id")) || self.is_twice(node, name) {
                continue;
            }
            if name.is("", "xmlns") {
                return Err(self.error(NO_NAME));
            }
            declare(declarations, self.prefixes.qualified(name));
            match is_encoding_style(name) && namespaces::is_soap_encoding(value) {
                true => self.attribute(name, namespaces::encoding(self.encoder.version))?,
                false => self.attribute(name, value)?,
            }
        }
        for (prefix, namespace) in &node.prefixes {
            if !is_ncname(prefix) || matches!(&**prefix, "xml" | "xmlns") {
                return Err(self.error(NO_NAME));
            }
            if !self.prefixes.means(prefix, namespace) {
                declare(declarations, (Qualified { prefix, namespace, local: "" }, true));
            }
        }
        Ok(())
    }

    /// Does the attribute become another of its element when it changes version?
    fn is_twice(&self, node: &Node, name: &Name) -> bool {
        let moved = self.prefixes.own(name.namespace());
        moved != name.namespace() && node.attribute(moved, name.local()).is_some()
    }

    /// The name of a type as a value.
    fn type_name(&self, name: &Name, declarations: &mut Declarations) -> Result<String> {
        self.check_name(name)?;
        let (qualified, is_declared) = self.prefixes.qualified(name);
        declare(declarations, (qualified, is_declared));
        Ok(match qualified.prefix {
            "" => qualified.local.to_owned(),
            prefix => format!("{prefix}:{}", qualified.local),
        })
    }

    fn check_name(&self, name: &Name) -> Result<()> {
        match is_ncname(name.local()) {
            true => Ok(()),
            false => Err(self.error_in(name, NO_NAME)),
        }
    }

    fn attribute(&mut self, name: &Name, value: &str) -> Result<()> {
        self.check_name(name)?;
        match self.out.attribute(self.prefixes.qualified(name).0, value) {
            true => Ok(()),
            false => Err(self.error(NO_CHARACTER)),
        }
    }

    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        let error = Error::new(kind, self.out.position());
        self.open.iter().rev().fold(error, |error, open| error.within(open.name.local()))
    }

    #[cold]
    fn error_in(&self, element: &Name, kind: ErrorKind) -> Error {
        let error = Error::new(kind, self.out.position()).within(element.local());
        self.open.iter().rev().fold(error, |error, open| error.within(open.name.local()))
    }
}

const NO_CHARACTER: ErrorKind =
    ErrorKind::Unwritable("the text has a character that XML 1.0 does not allow");
const NO_NAME: ErrorKind = ErrorKind::Unwritable("a name that is none in XML");

impl<'a> Open<'a> {
    /// Goes on to the next child.
    fn step(&mut self, graph: &'a Graph, encoded: bool, version: Version) -> Step<'a> {
        let index = self.next;
        let array = match &graph.node(self.node).content {
            Content::Struct(members) => {
                let Some((name, node)) = members.get(index) else { return Step::End };
                self.next += 1;
                return Step::Child(name, *node, Entry::default());
            }
            Content::Array(array) => array,
            Content::Nil | Content::Text(_) => return Step::End,
        };
        let says_positions = encoded && version == Version::Soap11;
        let item = array.items.get(index);
        // Behind the last item, what is missing of the stated size has to be there, or may not.
        let until = item.map_or_else(
            || if says_positions { self.position } else { array.size() },
            |item| item.0,
        );
        if !says_positions && self.position < until {
            self.position += 1;
            return Step::Gap(&array.item_name);
        }
        let Some((position, node)) = item else { return Step::End };
        let is_next = self.position == *position;
        (self.next, self.position) = (index + 1, position + 1);
        let position = (!is_next).then(|| array.place(*position));
        Step::Child(&array.item_name, *node, Entry { position, ..Entry::default() })
    }
}

/// Notes the declaration of a name's prefix, if the element has to declare it.
fn declare(declarations: &mut Declarations, (name, is_needed): (Qualified<'_>, bool)) {
    if is_needed && !declarations.iter().any(|it| it.0 == name.prefix) {
        declarations.push((name.prefix.to_owned(), name.namespace.to_owned()));
    }
}
