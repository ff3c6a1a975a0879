//! Descriptions of services: WSDL 1.1 from schemas.
//!
//! A [`Description`] names what a service offers, and [`write`](fn@write) makes the document that
//! other toolkits generate their clients from. Each [`Binding`] becomes a port; bindings that
//! differ in nothing but the SOAP version share their port type and messages:
//!
//! | style | body of `echo` | parts | types |
//! |---|---|---|---|
//! | document/literal wrapped | `<echo xmlns="N">` | `parameters`, an element | qualified |
//! | document/literal bare | `<Schema xmlns="N">` | `body`, an element | qualified |
//! | the same, unqualified | `<n:echo xmlns:n="N">` | the same | unqualified |
//! | document/encoded | `<n:Schema xmlns:n="N">` | `body`, an element | encoded |
//! | rpc/literal | `<n:echo xmlns:n="N">` | one a field, types | unqualified |
//! | rpc/encoded | `<n:echo xmlns:n="N">` | one a field, types | encoded |
//!
//! Types are named after their structs, elements after fields. Two structs of one name are numbered
//! (`Leg2`) where they are literal, and an error where they are encoded, since messages name their types.
//!
//! What [notes](trunkline_soap) say is said: names, attributes, texts with attributes
//! (`simpleContent`), what may be nil, lists in one text, and members of other namespaces. A type is in the
//! schema of the namespace that is noted of its struct, so that its members are local there; each namespace
//! has a schema, in which also stands what members of types of other namespaces refer to.
//!
//! Fault details are elements of the namespace in every style, literal and qualified, as the Basic
//! Profile wants them. So are header blocks of the literal styles; those of the encoded ones are encoded
//! too, because importers (mono's, .NET's) do not mix the two.
//!
//! What WSDL 1.1 cannot say: parts are never optional, so that an optional field at the top of an
//! rpc message looks required; and operations with one input schema have the same body in the bare
//! and document/encoded styles, so that SOAPAction alone tells them apart, which the Basic
//! Profile (R2710) forbids.
//!
//! [`schemas`] writes the same of documents by themselves, without a service.
//!
//! Sources: WSDL 1.1 (W3C note of 2001), its binding for SOAP 1.2 (W3C submission of 2006), XML
//! Schema 1.0, WS-I Basic Profile 1.1.

mod any;
mod binding;
mod check;
mod content;
mod derived;
mod documents;
mod facets;
mod markup;
mod messages;
mod policy;
mod schema;
mod shape;
mod types;
mod walk;

use std::sync::Arc;

use trunkline_message::Layout;
use trunkline_soap::{Style, Version};

pub use check::DescriptionError;
pub use documents::{Document, SchemaFile, Schemas, schemas};

use markup::Markup;
use shape::{Form, Shape};
use types::Types;

/// The description of a service.
#[derive(Clone, Debug)]
pub struct Description {
    /// The service's name.
    pub name: String,
    /// The port type's name; that of the service with `PortType` behind it if it has none.
    pub port_type: Option<String>,
    /// The target namespace, of operations, elements and types alike.
    pub namespace: String,
    /// The ways to reach it.
    pub bindings: Vec<Binding>,
    /// What it does.
    pub operations: Vec<OperationDescription>,
    /// For people.
    pub documentation: Option<String>,
}

/// One way to reach a service: a port and its binding.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Name of the port.
    pub name: String,
    /// Name of the binding; that of the port if it has none.
    pub binding: Option<String>,
    /// Which SOAP.
    pub version: Version,
    /// What stands in the body.
    pub style: Style,
    /// In document/literal, is the element in the body named after the operation? Means nothing in
    /// other styles.
    pub wrapped: bool,
    /// In document/literal, are the elements inside the body's child in the namespace?
    pub qualified: bool,
    /// URL of the endpoint.
    pub location: String,
}

/// One operation of a service.
#[derive(Clone, Debug)]
pub struct OperationDescription {
    /// The operation's name.
    pub name: String,
    /// SOAPAction, without quotes.
    pub action: String,
    /// For people.
    pub documentation: Option<String>,
    /// Its request.
    pub input: Arc<Layout>,
    /// Its response; `None` for a one-way operation.
    pub output: Option<Arc<Layout>>,
    /// Names of its faults, each with the schema of the element in the fault's detail.
    pub faults: Vec<(String, Arc<Layout>)>,
    /// Header blocks of requests.
    pub input_headers: Vec<Arc<Layout>>,
    /// Header blocks of answers.
    pub output_headers: Vec<Arc<Layout>>,
}

impl Binding {
    /// The name of the binding.
    pub(super) fn binding_name(&self) -> &str {
        self.binding.as_deref().unwrap_or(&self.name)
    }
}

impl Description {
    /// The shapes of its bindings, each once, in the order in which they get their types.
    fn shapes(&self) -> Vec<Shape> {
        let used = |shape: &Shape| self.bindings.iter().any(|it| Shape::of(it) == *shape);
        Shape::ALL.into_iter().filter(used).collect()
    }
}

/// The WSDL document, in UTF-8, of a description that [`Description::check`] accepts. Of others it
/// is well-formed at least, unless a name is none.
///
/// The same description gives the same bytes.
pub fn write(description: &Description) -> String {
    write_with(description, Offer::default())
}

/// What a server offers beside the transport that the bindings name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Offer {
    /// SOAP/TCP on the same host and port.
    pub(super) channels: bool,
    /// That as ports of their own, too.
    pub(super) ports: bool,
    /// Fast Infoset over HTTP.
    pub(super) fast_infoset: bool,
    /// MTOM over HTTP.
    pub(super) mtom: bool,
}

/// As [`write`](fn@write), with the policy by which clients learn of what is offered.
pub(super) fn write_with(description: &Description, offer: Offer) -> String {
    let shapes = description.shapes();
    let mut types = Types::new(description);
    let messages = messages::collect(description, &shapes, &mut types);
    let others = types.declared_prefixes();
    let others = others.iter().filter(|it| it.0 != "xmlns:tns");
    let mut markup = Markup::renaming(types.renamed());
    let mut attributes = vec![
        ("name", &*description.name),
        ("targetNamespace", &*description.namespace),
        ("xmlns:tns", &*description.namespace),
        ("xmlns:wsdl", "http://schemas.xmlsoap.org/wsdl/"),
        ("xmlns:xsd", "http://www.w3.org/2001/XMLSchema"),
    ];
    let has = |version| description.bindings.iter().any(|it| it.version == version);
    if has(Version::Soap11) {
        attributes.push(("xmlns:soap", "http://schemas.xmlsoap.org/wsdl/soap/"));
    }
    if has(Version::Soap12) {
        attributes.push(("xmlns:soap12", "http://schemas.xmlsoap.org/wsdl/soap12/"));
    }
    if types.has_encoded_arrays() {
        attributes.push(("xmlns:soapenc", types::ENCODING));
    }
    attributes.extend(others.map(|(name, value)| (&**name, *value)));
    markup.begin("wsdl:definitions", &attributes);
    markup.documentation(description.documentation.as_deref());
    policy::write(description, offer, &mut markup);
    types.write(&shapes, &mut markup);
    messages.iter().for_each(|message| message.write(&mut markup));
    messages::port_types(description, &shapes, &messages, &mut markup);
    binding::bindings(description, &shapes, offer, &mut markup);
    binding::service(description, offer, &mut markup);
    markup.end("wsdl:definitions");
    markup.finish()
}

/// The schemas of a description as documents of their own, that of the target namespace first; the others are at
/// `location?xsd=2` and so on.
pub(super) fn schema_documents(description: &Description, location: &str) -> Vec<String> {
    let shapes = description.shapes();
    let mut types = Types::new(description);
    messages::collect(description, &shapes, &mut types);
    let place = |index| format!("{location}?xsd={}", index + 1);
    let namespaces = types.namespaces().enumerate();
    let files: Vec<_> = namespaces.map(|(index, it)| (it, place(index))).collect();
    types.documents(shapes.iter().all(|it| it.form() == Form::Qualified), &files)
}
