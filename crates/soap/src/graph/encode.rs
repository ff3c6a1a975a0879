//! From a message to a document: first what is reached how often, then one walk with a stack.

use trunkline_codec::infoset;
use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::model::{Graph, Message, NodeId};
use super::name::Name;
use super::namespaces::{self, is_encoding_style};
use super::prefixes::Prefixes;
use super::writer::Writer;
use crate::document;
use crate::{Fragment, HeaderBlock, Version, open};

/// Writes messages as documents.
#[derive(Clone, Debug)]
pub struct Encoder {
    /// Which SOAP is written, whichever the message came in.
    pub version: Version,
    /// Is a value that is used more than once written once, and referred to elsewhere? Only where
    /// the message is encoded; literal content has no references, so it repeats such values.
    pub multi_ref: bool,
    /// Does such a value stand where it is used first? If not, it is an element of its own at the
    /// end of the Body, which only SOAP 1.1 has.
    pub embedded: bool,
    /// Are types written (`xsi:type`) where they are known? On elements of their own they are in
    /// any case.
    pub types: bool,
    /// The document's size and depth are bounded by `message_bytes` and `depth`.
    pub limits: Limits,
}

impl Encoder {
    /// Writes references and types; values that are used more than once stand at the end in SOAP
    /// 1.1, and where they are used first in SOAP 1.2.
    pub fn new(version: Version) -> Self {
        let limits = Limits::default();
        Self { version, multi_ref: true, embedded: false, types: true, limits }
    }

    /// The message in its envelope.
    ///
    /// # Errors
    /// A value that contains itself where there are no references; names and characters that XML
    /// does not have; a document beyond the limits. The path names the element.
    pub fn encode(&self, message: &Message) -> Result<Vec<u8>> {
        self.encode_with(&[], message)
    }

    /// The same with header blocks behind those of the message.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_with(&self, header: &[HeaderBlock], message: &Message) -> Result<Vec<u8>> {
        let (bytes, written) = document::write(|out| self.encode_to(header, message, out));
        written.map(|()| bytes)
    }

    /// As [`encode_with`](Self::encode_with), in any form.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_to(
        &self,
        header: &[HeaderBlock],
        message: &Message,
        out: &mut impl infoset::Writer,
    ) -> Result<()> {
        let graph = &message.graph;
        let roots = message.header.iter().chain(&message.body).map(|root| root.1);
        let (nodes, states) = survey(graph, roots);
        let prefixes = Prefixes::new(message, &nodes, self.version);
        Writer::new(self, graph, prefixes, states, out).document(message, header)
    }

    /// A value of a message as an element that stands by itself: an entry of a fault's detail, or
    /// a header block. If the message is encoded, so is the element, and says so.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn element(&self, message: &Message, name: &Name, value: NodeId) -> Result<Fragment> {
        let mut alone = Message { header: vec![(name.clone(), value)], ..message.clone() };
        alone.body.clear();
        let attributes = &mut alone.graph.node_mut(value).attributes;
        if message.is_encoded() && !attributes.iter().any(|(name, _)| is_encoding_style(name)) {
            let style = Name::new(namespaces::envelope(message.version), "encodingStyle");
            attributes.push((style, namespaces::encoding(message.version).into()));
        }
        let encoder = Self { embedded: true, ..self.clone() };
        let mut opened = open(&encoder.encode(&alone)?, &self.limits)?;
        let block = opened.header.pop();
        let missing = || Error::new(ErrorKind::Expected("a value".into()), 0);
        block.map(|block| block.content).ok_or_else(missing)
    }
}

/// The state of a node while it is written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// How many edges lead here, roots counted.
    pub(super) uses: u32,
    /// Its id in the document, or 0.
    pub(super) id: u32,
    pub(super) is_written: bool,
    pub(super) is_open: bool,
}

/// The nodes that can be reached, in the order in which they are, and how often each is.
fn survey(graph: &Graph, roots: impl Iterator<Item = NodeId>) -> (Vec<NodeId>, Vec<State>) {
    let mut states = vec![State::default(); graph.len()];
    let mut reached = Vec::new();
    let mut pending: Vec<(NodeId, usize)> = Vec::new();
    for root in roots {
        let mut found = Some(root);
        loop {
            if let Some(id) = found.take() {
                states[id.index()].uses += 1;
                if states[id.index()].uses == 1 {
                    reached.push(id);
                    pending.push((id, 0));
                }
            }
            let Some((id, next)) = pending.last_mut() else { break };
            found = graph.edge(*id, *next);
            *next += 1;
            if found.is_none() {
                pending.pop();
            }
        }
    }
    (reached, states)
}
