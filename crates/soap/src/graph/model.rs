//! The model: nodes in an arena, edges by name or by position.

use std::sync::Arc;

use trunkline_message::{Error, ErrorKind, Result};

use super::Name;
use crate::Version;

/// A whole message as values: what stood in the Header, what stood in the Body.
#[derive(Clone, Debug)]
pub struct Message {
    /// Which SOAP it came in; an [`Encoder`](super::Encoder) has a version of its own.
    pub version: Version,
    /// Header blocks. The role of a block is in the attributes of its node, and so is the encoding
    /// style, wherever it was stated.
    pub header: Vec<(Name, NodeId)>,
    /// The content of the Body, without elements that are only targets of references.
    pub body: Vec<(Name, NodeId)>,
    /// Which encoding rules the Body follows; `None` for literal content.
    pub encoding_style: Option<String>,
    /// The values.
    pub graph: Graph,
    pub(super) left_out: usize,
    /// The first of the unknown attributes that references had where it was read.
    pub(super) first_left_out: Option<Name>,
}

impl Message {
    /// A message with no content.
    pub fn new(version: Version) -> Self {
        Self {
            version,
            header: Vec::new(),
            body: Vec::new(),
            encoding_style: None,
            graph: Graph::default(),
            left_out: 0,
            first_left_out: None,
        }
    }

    /// How much of what the message that it was [made from](super::from_message) kept, though its schema
    /// does not know it, is not in here; of a message that was read by its schema, unknown attributes of
    /// references.
    pub fn unknown(&self) -> usize {
        self.left_out
    }

    /// Does the Body follow the encoding rules of SOAP 1.1 section 5 or of SOAP 1.2 part 2?
    pub fn is_encoded(&self) -> bool {
        self.encoding_style.as_deref().is_some_and(super::namespaces::is_soap_encoding)
    }

    /// The first encoding style in the Body that is neither SOAP's own nor none.
    pub fn unknown_encoding_style(&self) -> Option<&str> {
        let is_unknown = |style: &&str| !super::namespaces::is_known_encoding(style);
        if let Some(style) = self.encoding_style.as_deref().filter(is_unknown) {
            return Some(style);
        }
        let mut seen = vec![false; self.graph.len()];
        let mut pending: Vec<NodeId> = self.body.iter().rev().map(|root| root.1).collect();
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let styles = self.graph.node(id).attributes.iter();
            let mut styles = styles.filter(|it| super::namespaces::is_encoding_style(&it.0));
            if let Some((_, style)) = styles.find(|it| is_unknown(&&*it.1)) {
                return Some(style);
            }
            pending.extend((0..).map_while(|index| self.graph.edge(id, index)));
        }
        None
    }

    /// Asks for the encoding rules of the message's version.
    pub fn set_encoded(&mut self) {
        self.encoding_style = Some(super::namespaces::encoding(self.version).into());
    }

    /// The first element of the Body: the call, the answer, the document or the fault.
    pub fn root(&self) -> Option<(&Name, NodeId)> {
        self.body.first().map(|(name, node)| (name, *node))
    }

    /// Of an rpc answer in SOAP 1.2: the local name of the part that is the return value (part 2
    /// section 4.2.1).
    pub fn result_part(&self) -> Option<&str> {
        let (_, root) = self.root()?;
        let is_result = |(name, _): &&(Name, NodeId)| name.is(super::namespaces::RPC, "result");
        let (_, node) = self.graph.members(root).iter().find(is_result)?;
        let text = self.graph.text(*node)?.trim();
        Some(text.rsplit_once(':').map_or(text, |(_, local)| local))
    }
}

/// Which node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Values that refer to one another. A node that two others refer to is one value, not two equal
/// ones; nodes may form circles.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(super) nodes: Vec<Node>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The type that its element names (by `xsi:type`, or by its own name, such as `SOAP-ENC:int`).
    pub type_name: Option<Name>,
    /// What it holds.
    pub content: Content,
    /// Attributes that are not the encoding's own.
    pub attributes: Vec<(Name, Box<str>)>,
    /// Prefixes and their namespaces, where text or attributes look like qualified names and the
    /// sender had declared their prefixes.
    pub prefixes: Vec<(Box<str>, Arc<str>)>,
}

/// The content of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing (`xsi:nil`).
    Nil,
    /// A simple value. An element without any content is an empty text.
    Text(Box<str>),
    /// Values by name, in their order. Names may repeat, as in literal documents they do.
    Struct(Vec<(Name, NodeId)>),
    /// Values by position.
    Array(Box<Array>),
}

/// Values by position (SOAP 1.1 section 5.4.2, SOAP 1.2 part 2 section 3.1.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Type of the items, where it is known.
    pub item_type: Option<Name>,
    /// For items that are arrays, the number of dimensions of each level, outermost last as in
    /// `xsd:string[,][]`, which is `[2, 1]`. SOAP 1.1 only.
    pub item_ranks: Vec<usize>,
    /// Sizes of the dimensions; `None` where it is not known, which only the first may be.
    pub dimensions: Vec<Option<u64>>,
    /// The stated position of the first item that is transmitted (SOAP 1.1 section 5.4.2.1).
    pub offset: Option<u64>,
    /// Positions and values, positions ascending: those of several dimensions are counted row by
    /// row, the last dimension fastest. What is not here was not transmitted.
    pub items: Vec<(u64, NodeId)>,
    /// Name of the items' elements, which means nothing.
    pub item_name: Name,
}

impl Array {
    /// An array of one dimension with all its items.
    pub fn new(item_type: Option<Name>, items: Vec<NodeId>) -> Self {
        Self {
            item_type,
            item_ranks: Vec::new(),
            dimensions: vec![Some(items.len() as u64)],
            offset: None,
            items: (0..).zip(items).collect(),
            item_name: Name::unqualified("item"),
        }
    }

    /// The item at a position.
    pub fn get(&self, position: u64) -> Option<NodeId> {
        let index = self.items.binary_search_by_key(&position, |item| item.0).ok()?;
        Some(self.items[index].1)
    }

    /// How many items it has, transmitted or not: as stated, else up to the last one transmitted.
    pub fn size(&self) -> u64 {
        let stated = self.dimensions.iter().try_fold(1_u64, |size, dimension| {
            dimension.and_then(|dimension| size.checked_mul(dimension))
        });
        stated.unwrap_or_else(|| self.items.last().map_or(0, |item| item.0 + 1))
    }

    /// Is every item there?
    pub fn is_complete(&self) -> bool {
        self.size() == self.items.len() as u64
    }

    /// Where a position lies in each dimension.
    pub fn coordinates(&self, mut position: u64) -> Vec<u64> {
        let mut coordinates = vec![0; self.dimensions.len().max(1)];
        for at in (1..coordinates.len()).rev() {
            let size = self.dimensions[at].unwrap_or(1).max(1);
            coordinates[at] = position % size;
            position /= size;
        }
        coordinates[0] = position;
        coordinates
    }

    /// The position of these coordinates, if they lie in the array.
    pub fn position(&self, coordinates: &[u64]) -> Option<u64> {
        if coordinates.len() != self.dimensions.len() {
            return None;
        }
        let mut position = 0_u64;
        for (coordinate, size) in coordinates.iter().zip(&self.dimensions) {
            if size.is_some_and(|size| *coordinate >= size) {
                return None;
            }
            position = position.checked_mul(size.unwrap_or(1))?.checked_add(*coordinate)?;
        }
        Some(position)
    }
}

impl Node {
    /// A node of no stated type.
    pub fn new(content: Content) -> Self {
        Self { type_name: None, content, attributes: Vec::new(), prefixes: Vec::new() }
    }

    /// The same with a type.
    #[must_use]
    pub fn of_type(mut self, type_name: Name) -> Self {
        self.type_name = Some(type_name);
        self
    }

    /// The value of an attribute.
    pub fn attribute(&self, namespace: &str, local: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(name, _)| name.is(namespace, local));
        found.map(|(_, value)| &**value)
    }
}

impl Graph {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// One node.
    ///
    /// # Panics
    /// If the id is of another graph that has more nodes.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// One node, to change it.
    ///
    /// # Panics
    /// If the id is of another graph that has more nodes.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// Adds a node.
    ///
    /// # Panics
    /// At 2^31 nodes.
    pub fn add(&mut self, node: Node) -> NodeId {
        assert!(self.nodes.len() < super::decode::UNRESOLVED as usize, "2^31 nodes");
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        id
    }

    /// Adds a simple value.
    pub fn add_text(&mut self, text: &str) -> NodeId {
        self.add(Node::new(Content::Text(text.into())))
    }

    /// Adds a struct.
    pub fn add_struct(&mut self, members: Vec<(Name, NodeId)>) -> NodeId {
        self.add(Node::new(Content::Struct(members)))
    }

    /// Adds an array.
    pub fn add_array(&mut self, array: Array) -> NodeId {
        self.add(Node::new(Content::Array(Box::new(array))))
    }

    /// The text of a simple value.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The members of a struct; none of anything else.
    pub fn members(&self, id: NodeId) -> &[(Name, NodeId)] {
        match &self.node(id).content {
            Content::Struct(members) => members,
            _ => &[],
        }
    }

    /// The first member with this local name, whatever its namespace.
    pub fn member(&self, id: NodeId, local: &str) -> Option<NodeId> {
        self.members(id).iter().find(|(name, _)| name.local() == local).map(|(_, node)| *node)
    }

    /// The array that a node is.
    pub fn array(&self, id: NodeId) -> Option<&Array> {
        match &self.node(id).content {
            Content::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The text that a path of local names leads to.
    ///
    /// # Errors
    /// Says which step leads nowhere, or that there is no text at its end.
    pub fn text_at(&self, from: NodeId, path: &[&str]) -> Result<&str> {
        let missing = |steps: &[&str], kind| {
            steps.iter().rev().fold(Error::new(kind, 0), |error, step| error.within(step))
        };
        let mut node = from;
        for (index, step) in path.iter().enumerate() {
            node = self
                .member(node, step)
                .ok_or_else(|| missing(&path[..=index], ErrorKind::Missing))?;
        }
        self.text(node).ok_or_else(|| missing(path, ErrorKind::Expected("text".into())))
    }

    /// The node that the edge at `index` leads to.
    pub(super) fn edge(&self, id: NodeId, index: usize) -> Option<NodeId> {
        match &self.node(id).content {
            Content::Struct(members) => members.get(index).map(|member| member.1),
            Content::Array(array) => array.items.get(index).map(|item| item.1),
            Content::Nil | Content::Text(_) => None,
        }
    }
}
