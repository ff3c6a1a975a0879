//! Which prefix each namespace has in a document that is written.

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_codec::infoset::Name as Qualified;

use super::Name;
use super::model::{Content, Message, NodeId};
use super::namespaces::{self, XSD, XSI};
use crate::{Roles, Version};

/// Namespaces that the Envelope declares; where there are more, elements declare the rest.
const MOST: usize = 32;

/// The prefixes of a document.
pub(super) struct Prefixes {
    version: Version,
    /// In which the message came.
    from: Version,
    known: HashMap<Arc<str>, Prefix>,
    /// Those that the Envelope declares, in their order.
    declared: Vec<(String, Arc<str>)>,
    /// Prefixes that text relies on; `None` for a prefix that has several meanings. No prefix of
    /// these means anything else.
    meant: HashMap<Box<str>, Option<Arc<str>>>,
    next: usize,
}

/// A prefix and whether the Envelope declares it.
#[derive(Clone, Debug)]
struct Prefix {
    text: Arc<str>,
    everywhere: bool,
}

impl Prefixes {
    /// For the reachable nodes of a message.
    pub(super) fn new(message: &Message, nodes: &[NodeId], version: Version) -> Self {
        let graph = &message.graph;
        let mut prefixes = Self {
            version,
            from: message.version,
            known: HashMap::new(),
            declared: Vec::new(),
            meant: HashMap::new(),
            next: 1,
        };
        for (prefix, namespace) in nodes.iter().flat_map(|id| &graph.node(*id).prefixes) {
            let meaning = || Some(namespace.clone());
            let meaning = prefixes.meant.entry(prefix.clone()).or_insert_with(meaning);
            meaning.take_if(|it| it != namespace);
        }
        prefixes.add_known(message, nodes);
        let mut meant: Vec<_> = prefixes.meant.iter().collect();
        meant.sort();
        for (prefix, namespace) in meant {
            let Some(namespace) = namespace else { continue };
            let is_declared = prefixes.declared.iter().any(|it| *it.0 == **prefix);
            if !is_declared && prefixes.declared.len() < MOST / 2 {
                prefixes.declared.push((prefix.to_string(), namespace.clone()));
                let prefix = Prefix { text: (**prefix).into(), everywhere: true };
                prefixes.known.entry(namespace.clone()).or_insert(prefix);
            }
        }
        message.header.iter().chain(&message.body).for_each(|(name, _)| prefixes.add(name));
        for id in nodes {
            let node = graph.node(*id);
            node.type_name.iter().for_each(|name| prefixes.add(name));
            node.attributes.iter().for_each(|(name, _)| prefixes.add(name));
            match &node.content {
                Content::Struct(members) => members.iter().for_each(|it| prefixes.add(&it.0)),
                Content::Array(array) => {
                    prefixes.add(&array.item_name);
                    array.item_type.iter().for_each(|name| prefixes.add(name));
                }
                Content::Nil | Content::Text(_) => {}
            }
        }
        prefixes
    }

    /// Does the Envelope declare the prefix for this namespace?
    pub(super) fn means(&self, prefix: &str, namespace: &str) -> bool {
        self.declared.iter().any(|it| it.0 == prefix && *it.1 == *namespace)
    }

    /// The envelope's and the encoding's, under the names that everybody uses.
    fn add_known(&mut self, message: &Message, nodes: &[NodeId]) {
        let graph = &message.graph;
        let version = self.version;
        self.declare("SOAP-ENV", namespaces::envelope(version));
        let has_style = |(_, id): &(Name, NodeId)| {
            let attributes = &graph.node(*id).attributes;
            attributes.iter().any(|(name, _)| namespaces::is_encoding_style(name))
        };
        let mut roots = message.header.iter().chain(&message.body);
        let encoded = message.is_encoded() || roots.any(has_style);
        if encoded {
            self.declare("SOAP-ENC", namespaces::encoding(version));
        }
        let is_nil = |id: &NodeId| match &graph.node(*id).content {
            Content::Nil => true,
            // Gaps are nil in SOAP 1.2.
            Content::Array(array) => !array.is_complete(),
            _ => false,
        };
        let has_type = |id: &NodeId| graph.node(*id).type_name.is_some();
        if nodes.iter().any(|id| is_nil(id) || has_type(id)) {
            self.declare("xsi", XSI);
        }
        let is_array = |id: &NodeId| matches!(graph.node(*id).content, Content::Array(_));
        if encoded && nodes.iter().any(is_array) {
            self.declare("xsd", XSD);
        }
    }

    fn declare(&mut self, wanted: &str, namespace: &str) {
        let text = self.usual(wanted, namespace);
        self.insert(text, namespace.into(), true);
    }

    /// The prefix that everybody uses for the namespace, unless text means something else by it.
    fn usual(&mut self, wanted: &str, namespace: &str) -> Arc<str> {
        let meaning = self.meant.get(wanted);
        match meaning.is_none_or(|it| it.as_deref() == Some(namespace)) {
            true => wanted.into(),
            false => self.fresh(),
        }
    }

    fn fresh(&mut self) -> Arc<str> {
        loop {
            let text = format!("ns{}", self.next);
            self.next += 1;
            if !self.meant.contains_key(&*text) {
                return text.into();
            }
        }
    }

    fn insert(&mut self, text: Arc<str>, namespace: Arc<str>, everywhere: bool) {
        if everywhere {
            self.declared.push((text.to_string(), namespace.clone()));
        }
        self.known.insert(namespace, Prefix { text, everywhere });
    }

    fn add(&mut self, name: &Name) {
        let namespace = self.own(name.namespace());
        if !namespace.is_empty() && namespace != XML && !self.known.contains_key(namespace) {
            let namespace: Arc<str> = namespace.into();
            let text = if *namespace == *XSD { self.usual("xsd", XSD) } else { self.fresh() };
            self.insert(text, namespace, self.declared.len() < MOST);
        }
    }

    /// Names of the SOAP that the message came in, and of its encoding, go into the one that is
    /// written.
    pub(super) fn own<'n>(&self, namespace: &'n str) -> &'n str {
        let (from, to) = (self.from, self.version);
        match namespace {
            it if it == namespaces::envelope(from) => namespaces::envelope(to),
            it if it == namespaces::encoding(from) => namespaces::encoding(to),
            other => other,
        }
    }

    /// What an attribute that SOAP defines for header blocks is in the version that is written, if
    /// it came in another; nothing, if it has no such. `None` for attributes that stay.
    pub(super) fn block<'n>(&self, name: &Name, value: &'n str) -> Option<Option<(Name, &'n str)>> {
        if self.from == self.version || name.namespace() != namespaces::envelope(self.from) {
            return None;
        }
        let plain = value.trim();
        let (local, value) = match (self.version, name.local()) {
            (Version::Soap11, "role") => match plain {
                Roles::ULTIMATE_RECEIVER => return Some(None),
                Roles::NEXT_12 => ("actor", Roles::NEXT_11),
                _ => ("actor", value),
            },
            (Version::Soap12, "actor") => match plain {
                Roles::NEXT_11 => ("role", Roles::NEXT_12),
                _ => ("role", value),
            },
            // They mean nothing in the one, and would in the other.
            (Version::Soap11, "relay" | "actor") | (Version::Soap12, "relay" | "role") => {
                return Some(None);
            }
            (Version::Soap11, local @ "mustUnderstand") => match plain {
                "true" => (local, "1"),
                "false" => (local, "0"),
                _ => (local, value),
            },
            _ => return None,
        };
        Some(Some((name.renamed(local), value)))
    }

    /// What the Envelope declares.
    pub(super) fn declared(&self) -> impl Iterator<Item = (&str, &str)> {
        self.declared.iter().map(|(prefix, namespace)| (&**prefix, &**namespace))
    }

    /// A name as it is written, and whether its element must declare the prefix.
    pub(super) fn qualified<'n>(&'n self, name: &'n Name) -> (Qualified<'n>, bool) {
        let (namespace, local) = (self.own(name.namespace()), name.local());
        match self.known.get(namespace) {
            _ if namespace == XML => (Qualified { prefix: "xml", namespace, local }, false),
            Some(prefix) => {
                (Qualified { prefix: &prefix.text, namespace, local }, !prefix.everywhere)
            }
            None => (Qualified { prefix: "", namespace, local }, false),
        }
    }
}

/// Namespace of `xml:lang`, whose prefix is never declared.
const XML: &str = "http://www.w3.org/XML/1998/namespace";
