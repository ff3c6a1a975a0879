//! Bindings: how the operations of a port type are carried.

use super::{HTTP, MIME, Of, SOAP, documentation, first, wsdl};
use crate::Problem;
use crate::markup::Element;
use crate::wsdl::definitions::{
    AbstractOperation, Binding, Exchanged, Fault, Header, Message, Operation, Part, Protocol, Style,
};
use crate::xsd::name::{Name, WSDL};

impl Of<'_, '_> {
    pub(super) fn bindings(&mut self) -> Result<(), Problem> {
        for element in wsdl(&self.document.root, "binding") {
            let read = self.binding(element);
            let Some(binding) = self.in_part(read)? else { continue };
            let reader = &mut self.reader;
            let index = reader.description.bindings.len();
            let known = reader.bindings.insert(binding.name.clone(), index);
            reader.description.bindings.push(binding);
            self.once(element, known.is_none())?;
        }
        Ok(())
    }

    fn binding(&mut self, element: &Element) -> Result<Binding, Problem> {
        let name = self.own_name(element)?;
        let port_type = self.name(element, self.needed(element, "type")?)?;
        let Some(known) = self.reader.description.port_types.get(&port_type) else {
            return Err(self.undefined(element, "port type", &port_type));
        };
        let mut offers = known.offers;
        offers.attached(element, self.reader.documents);
        let all =
            || element.children.iter().filter(|it| it.name == "binding" && *it.namespace != *WSDL);
        // Extensions stand beside it.
        let is_known = |it: &&Element| SOAP.contains(&&*it.namespace) || *it.namespace == *HTTP;
        let own = all().find(is_known).or_else(|| all().next());
        let protocol = match own.map_or("", |it| &it.namespace) {
            it if it == SOAP[0] => Protocol::Soap11,
            it if it == SOAP[1] => Protocol::Soap12,
            HTTP => Protocol::Http,
            other => Protocol::Other(other.to_owned()),
        };
        let style = match own.and_then(|it| it.attribute("style")) {
            Some("rpc") => Style::Rpc,
            _ => Style::Document,
        };
        let transport = own.and_then(|it| it.attribute("transport")).unwrap_or_default().to_owned();
        let operations = wsdl(element, "operation")
            .map(|it| match self.operation(it, &port_type, style) {
                Err(problem) if self.reader.is_in_part => self.unknown(it, style, problem),
                read => read,
            })
            .collect::<Result<_, _>>()?;
        let place = self.place(element);
        Ok(Binding { name, protocol, transport, port_type, operations, offers, place })
    }

    /// An operation whose messages are not known.
    fn unknown(
        &self,
        element: &Element,
        style: Style,
        problem: Problem,
    ) -> Result<Operation, Problem> {
        Ok(Operation {
            name: self.needed(element, "name")?.to_owned(),
            documentation: documentation(element),
            style,
            action: None,
            request: None,
            response: None,
            faults: Vec::new(),
            problem: Some(problem),
            place: self.place(element),
        })
    }

    fn operation(
        &mut self,
        element: &Element,
        port_type: &Name,
        style: Style,
    ) -> Result<Operation, Problem> {
        let name = self.needed(element, "name")?.to_owned();
        let described = self.described(element, port_type, &name)?;
        let names = self.check_names(element, &described);
        self.in_part(names)?;
        let soap = first(element, &SOAP, "operation");
        let style = match soap.and_then(|it| it.attribute("style")) {
            Some("rpc") => Style::Rpc,
            Some("document") => Style::Document,
            Some(other) => {
                let what = format!("the operation {name} has the style {other:?}");
                let remedy = format!("it is read as {style}, the binding's");
                self.reader.warnings.add(&self.document.place(element), what, remedy);
                style
            }
            None => style,
        };
        let action = soap.and_then(|it| it.attribute("soapAction")).map(str::to_owned);
        let [input, output] = ["input", "output"].map(|it| wsdl(element, it).next());
        let request = described.input.as_ref();
        let request =
            request.map(|it| self.message(element, input, it, name.clone())).transpose()?;
        let response = described.output.as_ref();
        let response = response
            .map(|it| self.message(element, output, it, format!("{name}Response")))
            .transpose()?;
        let faults = described.faults.iter().map(|it| self.fault(it)).collect();
        // What is bound is documented where it is described, or else where it is bound.
        let documentation = match described.documentation {
            own if own.is_empty() => documentation(element),
            own => own,
        };
        let (place, problem) = (self.place(element), None);
        Ok(Operation {
            name,
            documentation,
            style,
            action,
            request,
            response,
            faults,
            problem,
            place,
        })
    }

    /// The operation of the port type: of several of one name, that whose messages have the names.
    fn described(
        &self,
        element: &Element,
        port_type: &Name,
        name: &str,
    ) -> Result<AbstractOperation, Problem> {
        let all = &self.reader.description.port_types[port_type].operations;
        let same: Vec<_> = all.iter().filter(|it| it.name == name).collect();
        let [input, output] = ["input", "output"]
            .map(|it| wsdl(element, it).next().and_then(|it| it.attribute("name")));
        let is_it = |it: &&&AbstractOperation| {
            let has = |said: Option<&str>, known: &Option<Exchanged>| {
                said.is_none() || known.as_ref().and_then(|it| it.name.as_deref()) == said
            };
            has(input, &it.input) && has(output, &it.output)
        };
        let found = match &*same {
            [one] => Some(one),
            several => several.iter().find(is_it).or(several.first()),
        };
        match found {
            Some(found) => Ok((*found).clone()),
            None => {
                let what = format!("the port type {port_type} has no operation {name}");
                self.reject(element, what, "bind one that it has, or add it there")
            }
        }
    }

    /// Are the messages that the binding names those of the operation?
    fn check_names(&self, element: &Element, known: &AbstractOperation) -> Result<(), Problem> {
        for (what, exchanged) in [("input", &known.input), ("output", &known.output)] {
            let Some(bound) = wsdl(element, what).next() else { continue };
            let (Some(said), Some(exchanged)) = (bound.attribute("name"), exchanged) else {
                continue;
            };
            let is_default = || {
                let behind = said.strip_prefix(&*known.name);
                matches!(behind, Some("" | "Request" | "Response" | "Solicit"))
            };
            if exchanged.name.as_deref().map_or_else(is_default, |it| it == said) {
                continue;
            }
            let what = format!("the operation {} has no {what} {said}", known.name);
            return self.reject(bound, what, "name the one of the port type, or none");
        }
        Ok(())
    }

    /// The message of a name.
    fn parts(&self, message: &Name, at: &Element) -> Result<&[Part], Problem> {
        match self.reader.description.messages.get(message) {
            Some(found) => Ok(&found.parts),
            None => Err(self.undefined(at, "message", message)),
        }
    }

    fn message(
        &mut self,
        operation: &Element,
        bound: Option<&Element>,
        exchanged: &Exchanged,
        wrapper: String,
    ) -> Result<Message, Problem> {
        let at = bound.unwrap_or(operation);
        let Carried { body, headers, attachments } = bound.map_or_else(Carried::default, carried);
        let mut known = Vec::new();
        for header in headers {
            let read = self.header(header, &exchanged.message);
            known.extend(self.in_part(read)?);
        }
        let headers = known;
        let all = self.parts(&exchanged.message, at)?;
        let wanted = body.and_then(|it| it.attribute("parts"));
        let wanted: Option<Vec<&str>> = wanted.map(|it| it.split_ascii_whitespace().collect());
        for name in wanted.iter().flatten() {
            if !all.iter().any(|it| it.name == *name) {
                let what = format!("the message {} has no part {name}", exchanged.message);
                return self.reject(at, what, "name one that it has");
            }
        }
        let in_header = |part: &Part| {
            headers.iter().any(|(message, header)| {
                *message == exchanged.message && header.part.name == part.name
            })
        };
        let in_body = |part: &&Part| match &wanted {
            Some(wanted) => wanted.contains(&&*part.name),
            None => !in_header(part) && !attachments.contains(&part.name),
        };
        let parts = all.iter().filter(in_body).cloned().collect();
        let namespace = body.and_then(|it| it.attribute("namespace")).unwrap_or_default();
        Ok(Message {
            name: exchanged.message.clone(),
            wrapper: Name::new(namespace, wrapper),
            is_encoded: body.and_then(|it| it.attribute("use")) == Some("encoded"),
            parts,
            headers: headers.into_iter().map(|it| it.1).collect(),
            attachments,
            place: self.place(at),
        })
    }

    /// A header block, and the message whose part it is.
    fn header(&mut self, element: &Element, of_body: &Name) -> Result<(Name, Header), Problem> {
        let message = match element.attribute("message") {
            Some(written) => self.name(element, written)?,
            None => {
                let what = "a header block without message";
                let place = self.document.place(element);
                self.reader.warnings.add(&place, what, "it is taken for one of the message itself");
                of_body.clone()
            }
        };
        let name = self.needed(element, "part")?;
        let Some(part) = self.parts(&message, element)?.iter().find(|it| it.name == name) else {
            let what = format!("the message {message} has no part {name}");
            return self.reject(element, what, "name one that it has");
        };
        let header = Header {
            part: part.clone(),
            is_encoded: element.attribute("use") == Some("encoded"),
            namespace: element.attribute("namespace").unwrap_or_default().to_owned(),
        };
        Ok((message, header))
    }

    fn fault(&self, fault: &Exchanged) -> Fault {
        let found = self.reader.description.messages.get(&fault.message);
        Fault {
            name: fault.name.clone().unwrap_or_default(),
            message: fault.message.clone(),
            part: found.and_then(|it| it.parts.first()).cloned(),
        }
    }
}

/// What stands in the binding of a message.
#[derive(Default)]
struct Carried<'e> {
    body: Option<&'e Element>,
    headers: Vec<&'e Element>,
    attachments: Vec<String>,
}

/// Looks into the parts of a MIME binding, too.
fn carried(bound: &Element) -> Carried<'_> {
    let mut carried = Carried::default();
    let mut next: Vec<&Element> = vec![bound];
    while let Some(around) = next.pop() {
        for element in &around.children {
            let is_soap = SOAP.contains(&&*element.namespace);
            match &*element.name {
                "body" if is_soap => carried.body = carried.body.or(Some(element)),
                "header" if is_soap => carried.headers.push(element),
                "multipartRelated" | "part" if *element.namespace == *MIME => next.push(element),
                "content" if *element.namespace == *MIME => {
                    let part = element.attribute("part").unwrap_or_default().to_owned();
                    if !part.is_empty() && !carried.attachments.contains(&part) {
                        carried.attachments.push(part);
                    }
                }
                _ => {}
            }
        }
    }
    carried
}
