//! Bindings, port types and messages.

use trunkline_soap::{QName, Version};

use super::documents::Documents;
use super::tree::Element;
use super::{Input, Offers, OutlinedOperation, Port, WSDL, WSDL_SOAP11, WSDL_SOAP12};
use crate::soap::Binding;

const SOAP: [&str; 2] = [WSDL_SOAP11, WSDL_SOAP12];

/// Every operation of every SOAP binding.
pub(super) fn operations(documents: &Documents) -> Vec<OutlinedOperation> {
    let all = Definitions(documents);
    let mut found = Vec::new();
    for (target, binding) in all.named("binding") {
        let Some(soap) = binding.first(&SOAP, "binding") else { continue };
        let version = match soap.is(&[WSDL_SOAP12], "binding") {
            true => Version::Soap12,
            false => Version::Soap11,
        };
        let mut offers = Offers::default();
        offers.attached(binding, documents);
        let port_type = binding.name_in("type").map(|it| all.find("portType", "port type", it));
        if let Some(Ok(port_type)) = port_type {
            offers.attached(port_type, documents);
        }
        let name = QName::new(target, binding.attribute("name").unwrap_or(""));
        let ports = all.ports(&name, offers);
        for operation in binding.all(&[WSDL], "operation") {
            let bound = Bound { target, binding, soap, operation };
            found.push(OutlinedOperation { ports: ports.clone(), ..bound.read(&all, version) });
        }
    }
    found
}

struct Definitions<'a>(&'a Documents);

impl<'a> Definitions<'a> {
    /// The elements of this name at the top, with the target namespaces.
    fn named(&self, local: &'static str) -> impl Iterator<Item = (&'a str, &'a Element)> + use<'a> {
        self.0.definitions.iter().flat_map(move |it| {
            let target = it.attribute("targetNamespace").unwrap_or_default();
            it.children.iter().filter(move |it| it.is(&[WSDL], local)).map(move |it| (target, it))
        })
    }

    fn find(&self, local: &'static str, what: &str, name: &QName) -> Result<&'a Element, String> {
        let is_it = |(target, it): &(&str, &Element)| {
            *target == name.namespace && it.attribute("name") == Some(&name.local)
        };
        let found = self.named(local).find(is_it).map(|it| it.1);
        found.ok_or_else(|| self.0.absent(what, name))
    }

    /// Those that have the binding.
    fn ports(&self, binding: &QName, offers: Offers) -> Vec<Port> {
        let mut ports = Vec::new();
        for (_, service) in self.named("service") {
            let is_it = |it: &&Element| it.name_in("binding") == Some(binding);
            for port in service.all(&[WSDL], "port").filter(is_it) {
                let address = port.first(&SOAP, "address");
                let [name, service] =
                    [port, service].map(|it| it.attribute("name").unwrap_or_default().to_owned());
                let location = address.and_then(|it| it.attribute("location"));
                let location = location.unwrap_or_default().to_owned();
                let mut offers = offers;
                offers.attached(port, self.0);
                ports.push(Port { name, service, location, offers });
            }
        }
        ports
    }
}

/// An operation of a binding.
struct Bound<'a> {
    target: &'a str,
    binding: &'a Element,
    soap: &'a Element,
    operation: &'a Element,
}

impl Bound<'_> {
    fn name(&self) -> &str {
        self.operation.attribute("name").unwrap_or_default()
    }

    fn read(&self, all: &Definitions<'_>, version: Version) -> OutlinedOperation {
        let name = self.name();
        let soap = self.operation.first(&SOAP, "operation");
        let style = soap.and_then(|it| it.attribute("style"));
        let is_rpc = style.or_else(|| self.soap.attribute("style")) == Some("rpc");
        let input = self.operation.first(&[WSDL], "input");
        let body = input.and_then(|it| it.first(&SOAP, "body"));
        let headers = input.map(|it| it.all(&SOAP, "header").filter_map(|it| it.attribute("part")));
        let is_encoded = body.and_then(|it| it.attribute("use")) == Some("encoded");
        let namespace = body.and_then(|it| it.attribute("namespace")).unwrap_or(self.target);
        let (element, input) = match self.input(all, body, is_rpc) {
            Ok(Message::Parts(parts)) => (QName::new(namespace, name), Input::Parts(parts)),
            Ok(Message::Element(element)) => (element, Input::Element),
            Ok(Message::Typed(part, of_type)) if is_encoded => {
                (QName::new(namespace, part), Input::Type(of_type))
            }
            Ok(Message::Typed(part, _)) => {
                let why = format!("its part {part} is a type, not the element of a document");
                (QName::new(namespace, name), Input::NotUnderstood(why))
            }
            Ok(Message::Nothing) => (QName::new(namespace, name), Input::Nothing),
            Err(why) => (QName::new(namespace, name), Input::NotUnderstood(why)),
        };
        let base = match (is_rpc, is_encoded) {
            (true, true) => Binding::rpc_encoded(),
            (true, false) => Binding::rpc_literal(),
            (false, true) => Binding::document_encoded(),
            (false, false) if element.local == name => Binding::document_literal(),
            (false, false) => Binding::document_literal_bare(),
        };
        OutlinedOperation {
            name: name.to_owned(),
            action: soap.and_then(|it| it.attribute("soapAction")).unwrap_or_default().to_owned(),
            binding: Binding { version, ..base },
            element,
            headers: headers.into_iter().flatten().map(str::to_owned).collect(),
            port_type: self.binding.name_in("type").cloned().unwrap_or_default(),
            ports: Vec::new(),
            input,
        }
    }

    /// The content of the Body.
    fn input(
        &self,
        all: &Definitions<'_>,
        body: Option<&Element>,
        is_rpc: bool,
    ) -> Result<Message, String> {
        let body = body.ok_or("its binding has no SOAP body for requests")?;
        let port_type = self.binding.name_in("type").ok_or("its binding has no port type")?;
        let found = all.find("portType", "port type", port_type)?;
        let is_it = |it: &&Element| it.attribute("name") == Some(self.name());
        let mut same = found.all(&[WSDL], "operation").filter(is_it);
        let operation = match (same.next(), same.next()) {
            (Some(operation), None) => operation,
            (Some(_), Some(_)) => return Err("it is overloaded, which is not understood".into()),
            (None, _) => return Err(format!("the port type {port_type} does not have it")),
        };
        let input = operation.first(&[WSDL], "input").ok_or("it takes no request")?;
        let message = input.name_in("message").ok_or("its input has no message")?;
        let found = all.find("message", "message", message)?;
        let wanted = body.attribute("parts").map(|it| it.split_whitespace().collect::<Vec<_>>());
        let name = |part: &Element| part.attribute("name").unwrap_or_default().to_owned();
        let is_wanted = |part: &&Element| {
            let name = name(part);
            wanted.as_ref().is_none_or(|it| it.contains(&&*name))
        };
        let parts: Vec<&Element> = found.all(&[WSDL], "part").filter(is_wanted).collect();
        match (&*parts, is_rpc) {
            (parts, true) => {
                let typed = parts.iter().map(|part| {
                    let of_type = part.name_in("type").cloned();
                    let untyped =
                        || format!("its part {} has no type, as rpc wants it", name(part));
                    Ok((name(part), of_type.ok_or_else(untyped)?))
                });
                typed.collect::<Result<_, String>>().map(Message::Parts)
            }
            ([part], false) => match (part.name_in("element"), part.name_in("type")) {
                (Some(element), _) => Ok(Message::Element(element.clone())),
                (None, Some(of_type)) => Ok(Message::Typed(name(part), of_type.clone())),
                (None, None) => Err(format!("its part {} is no element", name(part))),
            },
            ([], false) => Ok(Message::Nothing),
            (parts, false) => {
                Err(format!("its document has {} parts; one is understood", parts.len()))
            }
        }
    }
}

/// The parts of a message that are in the Body.
enum Message {
    Parts(Vec<(String, QName)>),
    Element(QName),
    Typed(String, QName),
    Nothing,
}
