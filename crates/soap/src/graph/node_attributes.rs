//! What the attributes of an element say about its value.

use std::borrow::Cow;
use std::sync::Arc;

use trunkline_codec::infoset::Tag;
use trunkline_codec::xml::is_ncname;
use trunkline_message::ErrorKind;

use super::extent;
use super::name::{Name, Names};
use super::namespaces::{self, ENCODING11, ENCODING12, XSD};

/// The attributes of one element, the encoding's own apart from the others.
#[derive(Debug)]
pub(super) struct NodeAttributes<V> {
    pub(super) nil: bool,
    pub(super) type_name: Option<Name>,
    pub(super) id: Option<V>,
    /// What refers to the element that has the value.
    pub(super) reference: Option<V>,
    pub(super) array: Option<Head>,
    pub(super) kind: Option<NodeKind>,
    /// `SOAP-ENC:position` of the element itself.
    pub(super) position: Option<Vec<u64>>,
    /// `SOAP-ENC:root` (SOAP 1.1 section 5.6).
    pub(super) root: Option<bool>,
    /// Does the element follow the encoding rules?
    pub(super) encoded: bool,
    pub(super) attributes: Vec<(Name, Box<str>)>,
    pub(super) prefixes: Vec<(Box<str>, Arc<str>)>,
}

/// The attributes of an array.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) item_type: Option<Name>,
    pub(super) ranks: Vec<usize>,
    pub(super) sizes: Option<Vec<Option<u64>>>,
    pub(super) offset: Option<Vec<u64>>,
}

/// `enc:nodeType` (SOAP 1.2 part 2 section 3.1.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Simple,
    Struct,
    Array,
}

impl<V> NodeAttributes<V> {
    fn new(encoded: bool) -> Self {
        Self {
            nil: false,
            type_name: None,
            id: None,
            reference: None,
            array: None,
            kind: None,
            position: None,
            root: None,
            encoded,
            attributes: Vec::new(),
            prefixes: Vec::new(),
        }
    }
}

/// The document as far as it is read.
pub(super) struct Place<'p, T: Tag> {
    pub(super) tag: &'p T,
    pub(super) names: &'p mut Names<T>,
}

impl<T: Tag> Place<'_, T> {
    /// The marks of the start tag just read. Where it is not `encoded`, attributes of the encoding
    /// mean nothing and are kept like others.
    pub(super) fn node_attributes(
        &mut self,
        encoded: bool,
    ) -> Result<NodeAttributes<T::Text>, ErrorKind> {
        let mut node_attributes = NodeAttributes::new(encoded);
        let tag = self.tag;
        for index in 0..tag.attributes() {
            let (name, text) = tag.attribute(index);
            let value = tag.value(text);
            let local = tag.local(name);
            let namespace = tag.namespace_of(name);
            let taken = match (namespace, local) {
                // SOAP 1.1 section 5.4.1; many senders use them in SOAP 1.2 too.
                ("", "id") if encoded => {
                    node_attributes.id = Some(text);
                    continue;
                }
                // References to what is not in the message, such as attachments, stay as they are.
                ("", "href") if encoded && value.trim_start().starts_with('#') => {
                    node_attributes.reference = Some(text);
                    continue;
                }
                // SOAP 1.2 part 2 section 3.1.5.
                (ENCODING11 | ENCODING12, "id") if encoded => {
                    node_attributes.id = Some(text);
                    continue;
                }
                (ENCODING11 | ENCODING12, "ref") if encoded => {
                    node_attributes.reference = Some(text);
                    continue;
                }
                (ENCODING11 | ENCODING12, _) if encoded => {
                    self.encoding(&mut node_attributes, local, &value)?
                }
                _ if namespaces::is_xsi(namespace) => {
                    self.instance(&mut node_attributes, local, &value)?
                }
                _ => false,
            };
            if !taken {
                self.note_prefix(&value, &mut node_attributes.prefixes);
                node_attributes.attributes.push((self.names.get(tag, name), value.into()));
            }
        }
        if node_attributes.id.is_some() && node_attributes.reference.is_some() {
            let what = "an id or a reference to another element, not both";
            return Err(ErrorKind::Expected(what.into()));
        }
        Ok(node_attributes)
    }

    fn instance(
        &mut self,
        node_attributes: &mut NodeAttributes<T::Text>,
        local: &str,
        value: &str,
    ) -> Result<bool, ErrorKind> {
        match local {
            "nil" | "null" => node_attributes.nil = boolean(value, "xsi:nil")?,
            "type" => node_attributes.type_name = Some(self.qualified(value)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn encoding(
        &mut self,
        node_attributes: &mut NodeAttributes<T::Text>,
        local: &str,
        value: &str,
    ) -> Result<bool, ErrorKind> {
        match local {
            "arrayType" => {
                let parsed = extent::array_type(value)?;
                let head = node_attributes.array.get_or_insert_default();
                (head.ranks, head.sizes) = (parsed.ranks, Some(parsed.sizes));
                head.item_type = Some(self.qualified(parsed.qualified)?);
            }
            "itemType" => {
                node_attributes.array.get_or_insert_default().item_type =
                    Some(self.qualified(value)?);
            }
            "arraySize" => {
                node_attributes.array.get_or_insert_default().sizes =
                    Some(extent::array_size(value)?);
            }
            "offset" => {
                node_attributes.array.get_or_insert_default().offset =
                    Some(extent::coordinates(value)?);
            }
            "position" => node_attributes.position = Some(extent::coordinates(value)?),
            "root" => node_attributes.root = Some(boolean(value, "root")?),
            "nodeType" => {
                node_attributes.kind = Some(match trim(value) {
                    "simple" => NodeKind::Simple,
                    "struct" => NodeKind::Struct,
                    "array" => NodeKind::Array,
                    _ => {
                        let what = "nodeType to be simple, struct or array";
                        return Err(ErrorKind::Expected(what.into()));
                    }
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The name that a qualified name in a value stands for. Without a prefix it is in the default
    /// namespace (XML Schema part 2 section 3.2.18).
    fn qualified(&mut self, value: &str) -> Result<Name, ErrorKind> {
        let value = trim(value);
        let (prefix, local) = value.split_once(':').unwrap_or(("", value));
        let Some(namespace) = self.tag.resolve(prefix) else {
            let value = &value[..value.floor_char_boundary(64)];
            let what = format!("a declared prefix in the type {value:?}");
            return Err(ErrorKind::Expected(what.into()));
        };
        if !is_ncname(local) {
            let value = &value[..value.floor_char_boundary(64)];
            return Err(ErrorKind::Expected(format!("the name of a type, not {value:?}").into()));
        }
        let name = self.names.in_namespace(self.tag, namespace, local);
        Ok(match namespaces::is_old_xsd(name.namespace()) {
            true => name.moved(XSD),
            false => name,
        })
    }

    /// Keeps the meaning of a prefix, if the text may be a qualified name.
    pub(super) fn note_prefix(&mut self, text: &str, prefixes: &mut Vec<(Box<str>, Arc<str>)>) {
        let Some((prefix, local)) = trim(text).split_once(':') else { return };
        if prefix == "xml" || !is_ncname(prefix) || !is_ncname(local) {
            return;
        }
        let Some(namespace) = self.tag.resolve(prefix) else { return };
        let is_new = || !prefixes.iter().any(|it| *it.0 == *prefix);
        if !self.tag.namespace_name(namespace).is_empty() && is_new() {
            prefixes.push((prefix.into(), self.names.namespace(self.tag, namespace)));
        }
    }
}

/// References are URIs in SOAP 1.1 and bare ids in SOAP 1.2, where some write a hash all the same.
pub(super) fn without_hash(value: Cow<'_, str>) -> Cow<'_, str> {
    let bare = |it: &str| it.len() - it.trim_start().trim_start_matches('#').len();
    match value {
        Cow::Borrowed(it) => Cow::Borrowed(it[bare(it)..].trim()),
        Cow::Owned(it) => Cow::Owned(it[bare(&it)..].trim().to_owned()),
    }
}

fn boolean(value: &str, what: &str) -> Result<bool, ErrorKind> {
    match trim(value) {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ErrorKind::Expected(format!("{what} to be true or false").into())),
    }
}

/// Without the white space around, which XML Schema does not count.
fn trim(value: &str) -> &str {
    value.trim_matches([' ', '\t', '\r', '\n'])
}
