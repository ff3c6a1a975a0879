//! Bindings and ports.

use std::sync::Arc;

use trunkline_message::Layout;
use trunkline_soap::Version;

use super::markup::Markup;
use super::messages;
use super::policy;
use super::shape::Shape;
use super::types::ENCODING;
use super::{Binding, Description, Offer, OperationDescription};

/// The transport of both versions (WSDL 1.1 section 3.3, and its binding for SOAP 1.2).
const HTTP: &str = "http://schemas.xmlsoap.org/soap/http";
/// The encoding rules of SOAP 1.2.
const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";

pub(super) fn bindings(
    description: &Description,
    shapes: &[Shape],
    offer: Offer,
    markup: &mut Markup,
) {
    for binding in &description.bindings {
        let shape = Shape::of(binding);
        let port_type = format!("tns:{}", shape.port_type(description, shapes));
        markup.begin("wsdl:binding", &[("name", binding.binding_name()), ("type", &port_type)]);
        policy::refer(binding.binding_name(), offer, markup);
        let writer = Writer::new(description, binding);
        markup.empty(&writer.name("binding"), &[("style", writer.style), ("transport", HTTP)]);
        for operation in &description.operations {
            writer.operation(operation, markup);
        }
        markup.end("wsdl:binding");
    }
}

pub(super) fn service(description: &Description, offer: Offer, markup: &mut Markup) {
    markup.begin("wsdl:service", &[("name", &description.name)]);
    for binding in &description.bindings {
        port(binding, &binding.name, &binding.location, markup);
    }
    // Behind the others, since some clients take the first port that fits.
    for binding in description.bindings.iter().filter(|_| offer.ports) {
        if let Some(location) = over_channels(&binding.location) {
            port(binding, &format!("{}Tcp", binding.name), &location, markup);
        }
    }
    markup.end("wsdl:service");
}

fn port(binding: &Binding, name: &str, location: &str, markup: &mut Markup) {
    let reference = format!("tns:{}", binding.binding_name());
    markup.begin("wsdl:port", &[("name", name), ("binding", &reference)]);
    let name = format!("{}:address", prefix(binding.version));
    markup.empty(&name, &[("location", location)]);
    markup.end("wsdl:port");
}

/// The same place by SOAP/TCP, whose URLs name a port; none of TLS, for which nobody but us has a scheme.
fn over_channels(location: &str) -> Option<String> {
    let rest = location.strip_prefix("http://")?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let has_port = host.rsplit_once(':').is_some_and(|it| !it.1.contains(']'));
    let port = if has_port { "" } else { ":80" };
    Some(format!("vnd.sun.ws.tcp://{host}{port}{path}"))
}

fn prefix(version: Version) -> &'static str {
    match version {
        Version::Soap11 => "soap",
        Version::Soap12 => "soap12",
    }
}

/// Writes the operations of one binding.
struct Writer<'a> {
    namespace: &'a str,
    version: Version,
    shape: Shape,
    style: &'static str,
}

impl<'a> Writer<'a> {
    fn new(description: &'a Description, binding: &Binding) -> Self {
        let shape = Shape::of(binding);
        let style = if shape.is_rpc() { "rpc" } else { "document" };
        Self { namespace: &description.namespace, version: binding.version, shape, style }
    }

    fn name(&self, local: &str) -> String {
        format!("{}:{local}", prefix(self.version))
    }

    fn operation(&self, operation: &OperationDescription, markup: &mut Markup) {
        markup.begin("wsdl:operation", &[("name", &operation.name)]);
        let attributes = [("soapAction", &*operation.action), ("style", self.style)];
        markup.empty(&self.name("operation"), &attributes);
        self.direction("wsdl:input", &operation.input_headers, markup);
        if operation.output.is_some() {
            self.direction("wsdl:output", &operation.output_headers, markup);
        }
        for (name, _) in &operation.faults {
            markup.begin("wsdl:fault", &[("name", name)]);
            markup.empty(&self.name("fault"), &[("name", name), ("use", "literal")]);
            markup.end("wsdl:fault");
        }
        markup.end("wsdl:operation");
    }

    fn direction(&self, direction: &str, headers: &[Arc<Layout>], markup: &mut Markup) {
        markup.begin(direction, &[]);
        for layout in headers {
            let message = format!("tns:{}", messages::header(layout, self.shape));
            let mut attributes = vec![("message", &*message), ("part", layout.name())];
            attributes.extend(self.usage(self.shape.is_encoded()));
            markup.empty(&self.name("header"), &attributes);
        }
        self.body(markup);
        markup.end(direction);
    }

    fn body(&self, markup: &mut Markup) {
        let has_namespace = self.shape.is_encoded() || self.shape.is_rpc();
        markup.empty(&self.name("body"), &self.usage(has_namespace));
    }

    /// How a body or a header block is written. A namespace stands there in rpc and encoded styles only
    /// (Basic Profile, R2716 and R2717).
    fn usage(&self, has_namespace: bool) -> Vec<(&'static str, &'a str)> {
        let encoded = self.shape.is_encoded();
        let mut attributes = vec![("use", if encoded { "encoded" } else { "literal" })];
        if has_namespace {
            attributes.push(("namespace", self.namespace));
        }
        if encoded {
            let encoding = match self.version {
                Version::Soap11 => ENCODING,
                Version::Soap12 => ENCODING12,
            };
            attributes.push(("encodingStyle", encoding));
        }
        attributes
    }
}
