//! Samples that are envelopes of SOAP, whose message is what stands in the Body.

use super::node::{Name, Node};

/// The namespaces of both versions.
const SOAP: [&str; 2] =
    ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"];

/// The message of a document, and what stands beside it.
pub(super) struct Opened {
    pub(super) name: Name,
    pub(super) node: Node,
    /// Is it out of an envelope?
    pub(super) is_in_envelope: bool,
    pub(super) headers: Vec<(Name, Node)>,
    /// More elements of the Body, which values may refer to.
    pub(super) others: Vec<Name>,
}

/// Finds the message of a document: what stands in the Body of an envelope, or the document itself.
///
/// # Errors
/// There is none in the Body.
pub(super) fn open(name: Name, node: Node) -> Result<Opened, &'static str> {
    if !is_soap(&name) || name.local != "Envelope" {
        let (headers, others) = (Vec::new(), Vec::new());
        return Ok(Opened { name, node, is_in_envelope: false, headers, others });
    }
    let (mut headers, mut body) = (Vec::new(), Vec::new());
    for slot in node.slots.into_iter().filter(|it| is_soap(&it.name)) {
        match &*slot.name.local {
            "Header" => headers.extend(elements(slot.node)),
            "Body" => body.extend(elements(slot.node)),
            _ => {}
        }
    }
    let mut body = body.into_iter();
    match body.next() {
        None => Err("the Body of the envelope is empty"),
        Some((name, _)) if is_soap(&name) => {
            Err("a Fault stands in the Body of the envelope, which SOAP describes itself")
        }
        Some((name, node)) => {
            let others = body.map(|it| it.0).collect();
            Ok(Opened { name, node, is_in_envelope: true, headers, others })
        }
    }
}

fn is_soap(name: &Name) -> bool {
    SOAP.contains(&&*name.namespace)
}

/// The elements in Header or Body, without the attributes by which SOAP says how they are read.
fn elements(around: Node) -> impl Iterator<Item = (Name, Node)> {
    let elements = around.slots.into_iter().filter(|it| !it.name.is_attribute);
    elements.map(|mut slot| {
        slot.node.slots.retain(|it| !(it.name.is_attribute && is_soap(&it.name)));
        if slot.node.slots.is_empty() {
            slot.node.structs = 0;
        }
        (slot.name, slot.node)
    })
}
