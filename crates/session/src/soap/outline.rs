//! As much of a WSDL as one needs to call an operation by hand: where it is and what its element
//! is called. Types are not read.

use trunkline_codec::soap::{QName, Style, Version};
use trunkline_codec::xml::{self, Event, Parser, Source};
use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::Binding;

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const WSDL_SOAP11: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
const WSDL_SOAP12: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";
const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// An operation as a WSDL 1.1 names it, in one of its bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedOperation {
    /// Its name.
    pub name: String,
    /// Its SOAPAction; may be empty.
    pub action: String,
    /// How its messages look.
    pub binding: Binding,
    /// The element in the Body of a request.
    pub element: QName,
    /// Are the elements inside in the namespace of that one?
    pub qualified: bool,
    /// Where requests go, if the WSDL has a port for the binding.
    pub location: Option<String>,
}

/// The operations of a WSDL 1.1, one for each binding that has it.
///
/// # Errors
/// It is not well-formed, or no WSDL.
pub fn operations(wsdl: &[u8], limits: &Limits) -> Result<Vec<OutlinedOperation>> {
    let mut source = Source::default();
    let input = source.prepare(wsdl, limits)?;
    let mut parser = Parser::new(xml::Options::default(), limits);
    parser.begin(input)?;
    let mut outline = Outline::default();
    loop {
        match parser.next(input)? {
            Event::Start { name, .. } => {
                let tag = Tag { parser: &parser, input };
                let namespace = parser.namespace_name(input, name.namespace).to_owned();
                if outline.path.is_empty() && (namespace != WSDL || name.local() != "definitions") {
                    let expected = "the definitions of a WSDL 1.1";
                    return Err(Error::new(ErrorKind::Expected(expected.into()), 0));
                }
                outline.path.push(name.local().to_owned());
                outline.start(&namespace, &tag);
            }
            Event::End { .. } => {
                outline.path.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(outline.operations())
}

/// The start tag that was read last.
struct Tag<'a> {
    parser: &'a Parser,
    input: &'a str,
}

impl Tag<'_> {
    /// An attribute without a namespace; empty if it is not there.
    fn attribute(&self, name: &str) -> String {
        let mut all = self.parser.attributes(self.input);
        let found = all.find(|it| it.name.qualified() == name);
        found.map(|it| it.value().into_owned()).unwrap_or_default()
    }

    /// An attribute whose value is a qualified name.
    fn name(&self, attribute: &str) -> Option<QName> {
        let value = self.attribute(attribute);
        let (prefix, local) = value.trim().split_once(':').unwrap_or(("", value.trim()));
        let namespace = self.parser.resolve_prefix(self.input, prefix)?;
        let namespace = self.parser.namespace_name(self.input, namespace).to_owned();
        (!local.is_empty()).then(|| QName { namespace, local: local.to_owned() })
    }
}

#[derive(Default)]
struct Outline {
    path: Vec<String>,
    namespace: String,
    /// Namespaces of schemas whose local elements are qualified.
    qualified: Vec<String>,
    /// Messages and the elements of their first parts.
    messages: Vec<(String, Option<QName>)>,
    /// Port types, their operations and the messages that these take.
    inputs: Vec<(String, String, String)>,
    bindings: Vec<BindingOutline>,
    /// Bindings and where they are.
    ports: Vec<(String, String)>,
}

#[derive(Default)]
struct BindingOutline {
    name: String,
    port_type: String,
    is_rpc: bool,
    version: Option<Version>,
    operations: Vec<BoundOperation>,
}

#[derive(Default)]
struct BoundOperation {
    name: String,
    action: String,
    is_rpc: bool,
    is_encoded: bool,
    namespace: String,
}

impl Outline {
    fn start(&mut self, namespace: &str, tag: &Tag<'_>) {
        let path = self.path.clone();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let name = || tag.attribute("name");
        let local = |attribute| tag.name(attribute).map(|it| it.local).unwrap_or_default();
        match (namespace, &path[1..]) {
            (WSDL, []) => self.namespace = tag.attribute("targetNamespace"),
            (XSD, ["types", "schema"]) if tag.attribute("elementFormDefault") == "qualified" => {
                self.qualified.push(tag.attribute("targetNamespace"));
            }
            (WSDL, ["message"]) => self.messages.push((name(), None)),
            (WSDL, ["message", "part"]) => {
                if let Some((_, element @ None)) = self.messages.last_mut() {
                    *element = tag.name("element");
                }
            }
            (WSDL, ["portType"]) => self.inputs.push((name(), String::new(), String::new())),
            (WSDL, ["portType", "operation"]) => {
                let port_type = self.inputs.last().map(|it| it.0.clone()).unwrap_or_default();
                self.inputs.push((port_type, name(), String::new()));
            }
            (WSDL, ["portType", "operation", "input"]) => {
                if let Some(last) = self.inputs.last_mut() {
                    last.2 = local("message");
                }
            }
            (WSDL, ["binding"]) => self.bindings.push(BindingOutline {
                name: name(),
                port_type: local("type"),
                ..BindingOutline::default()
            }),
            (_, ["binding", ..]) => self.in_binding(namespace, &path[2..], tag),
            (WSDL, ["service", "port"]) => self.ports.push((local("binding"), String::new())),
            (WSDL_SOAP11 | WSDL_SOAP12, ["service", "port", "address"]) => {
                if let Some(last) = self.ports.last_mut() {
                    last.1 = tag.attribute("location");
                }
            }
            _ => {}
        }
    }

    fn in_binding(&mut self, namespace: &str, path: &[&str], tag: &Tag<'_>) {
        let Some(binding) = self.bindings.last_mut() else { return };
        match (namespace, path) {
            (WSDL_SOAP11 | WSDL_SOAP12, ["binding"]) => {
                binding.is_rpc = tag.attribute("style") == "rpc";
                binding.version = Some(match namespace {
                    WSDL_SOAP12 => Version::Soap12,
                    _ => Version::Soap11,
                });
            }
            (WSDL, ["operation"]) => binding.operations.push(BoundOperation {
                name: tag.attribute("name"),
                is_rpc: binding.is_rpc,
                ..BoundOperation::default()
            }),
            (WSDL_SOAP11 | WSDL_SOAP12, ["operation", "operation"]) => {
                let Some(operation) = binding.operations.last_mut() else { return };
                operation.action = tag.attribute("soapAction");
                match &*tag.attribute("style") {
                    "rpc" => operation.is_rpc = true,
                    "document" => operation.is_rpc = false,
                    _ => {}
                }
            }
            (WSDL_SOAP11 | WSDL_SOAP12, ["operation", "input", "body"]) => {
                let Some(operation) = binding.operations.last_mut() else { return };
                operation.is_encoded = tag.attribute("use") == "encoded";
                operation.namespace = tag.attribute("namespace");
            }
            _ => {}
        }
    }

    fn operations(self) -> Vec<OutlinedOperation> {
        let mut found = Vec::new();
        for binding in &self.bindings {
            let Some(version) = binding.version else { continue };
            let port = self.ports.iter().find(|it| it.0 == binding.name);
            for operation in &binding.operations {
                let element = self.element(binding, operation);
                let base = match (operation.is_rpc, operation.is_encoded) {
                    (true, true) => Binding::rpc_encoded(),
                    (true, false) => Binding::rpc_literal(),
                    (false, true) => Binding::document_encoded(),
                    (false, false) if element.local == operation.name => {
                        Binding::document_literal()
                    }
                    (false, false) => Binding::document_literal_bare(),
                };
                found.push(OutlinedOperation {
                    name: operation.name.clone(),
                    action: operation.action.clone(),
                    qualified: base.style == Style::DocumentLiteral
                        && self.qualified.contains(&element.namespace),
                    binding: Binding { version, ..base },
                    element,
                    location: port.map(|it| it.1.clone()).filter(|it| !it.is_empty()),
                });
            }
        }
        found
    }

    /// Of a document, what the input's message says; of rpc, the operation's name.
    fn element(&self, binding: &BindingOutline, operation: &BoundOperation) -> QName {
        let is_input = |it: &&(String, String, String)| {
            it.0 == binding.port_type && it.1 == operation.name && !it.2.is_empty()
        };
        let message = self.inputs.iter().find(is_input).map(|it| &it.2);
        let message = self.messages.iter().find(|it| Some(&it.0) == message);
        let element = message.and_then(|it| it.1.clone()).filter(|_| !operation.is_rpc);
        element.unwrap_or_else(|| QName {
            namespace: match operation.namespace.is_empty() {
                true => self.namespace.clone(),
                false => operation.namespace.clone(),
            },
            local: operation.name.clone(),
        })
    }
}
