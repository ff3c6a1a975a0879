//! `trunkline soap describe`: what a service offers, and how to call it.

mod example;

use std::collections::HashMap;

use serde_json::{Value, json};
use trunkline_import::Problem;
use trunkline_import::nearest;
use trunkline_import::wsdl::{
    Binding, Described, Description, Message, Operation, Port, Protocol, Service,
};
use trunkline_import::xsd;
use trunkline_soap::{Layout, Style};

use super::choice::is_soap;
use super::source::{self, Source};
use super::{listed, parameters};
use crate::Ending;
use crate::arguments::SoapDescribeArguments;
use crate::fault::Fault;
use crate::output::{Form, plain, print};
use example::Example;

/// As many operations are named where one is not there.
const SHOWN: usize = 24;

/// Prints the services of a description.
pub(crate) fn describe(arguments: &SoapDescribeArguments) -> Result<Ending, Fault> {
    let source = source::read(arguments)?;
    let wanted =
        Wanted { operation: arguments.operation.as_deref(), port: arguments.port.as_deref() };
    wanted.check(&source)?;
    let form = arguments.form.get();
    let mut printed = Printed { source: &source, form, seen: HashMap::new() };
    for service in source.description.services() {
        printed.service(service, &wanted)?;
    }
    Ok(Ending::Right)
}

/// What is to be described; all of it if nothing is said.
struct Wanted<'a> {
    operation: Option<&'a str>,
    port: Option<&'a str>,
}

impl Wanted<'_> {
    fn has_port(&self, port: &Port) -> bool {
        self.port.is_none_or(|it| it == port.name)
    }

    fn has_operation(&self, operation: &Operation) -> bool {
        self.operation.is_none_or(|it| it == operation.name)
    }

    fn check(&self, source: &Source) -> Result<(), Fault> {
        let Source { description, location, .. } = source;
        let ports = || description.services().iter().flat_map(|it| &it.ports);
        let missing = |what: &str, name: &str, mut there: Vec<&str>| {
            there.dedup();
            let meant = nearest(name, there.iter().copied());
            let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
            let there = listed(there.iter().map(|it| (*it).to_owned()), SHOWN);
            let there = if there.is_empty() { "none".to_owned() } else { there };
            Err(Fault::new(format!("{location} has no {what} {name}; there is {there}{meant}")))
        };
        if ports().next().is_none() {
            return Err(Fault::new(format!("{location}: it has no service with a port")));
        }
        if let Some(port) = self.port.filter(|_| !ports().any(|it| self.has_port(it))) {
            return missing("port", port, ports().map(|it| &*it.name).collect());
        }
        let operations = ports()
            .filter(|it| self.has_port(it))
            .flat_map(|it| &description.binding(it).operations);
        let operations: Vec<&Operation> = operations.collect();
        match self.operation.filter(|_| !operations.iter().any(|it| self.has_operation(it))) {
            Some(name) => {
                missing("operation", name, operations.iter().map(|it| &*it.name).collect())
            }
            None => Ok(()),
        }
    }
}

/// What a message is to its operation.
#[derive(Clone, Copy)]
struct Role {
    text: &'static str,
    fact: &'static str,
}

const REQUEST: Role = Role { text: "takes", fact: "request" };
const REQUEST_HEADER: Role = Role { text: "takes the header block", fact: "request_header" };
const RESPONSE: Role = Role { text: "answers", fact: "response" };
const RESPONSE_HEADER: Role = Role { text: "answers the header block", fact: "response_header" };
const FAULT: Role = Role { text: "fails with", fact: "fault" };

/// Prints what is met, and knows what was printed.
struct Printed<'a> {
    source: &'a Source,
    form: Form,
    /// The port at which an operation of a port type was shown, by both names and how it is bound.
    seen: HashMap<String, &'a str>,
}

impl<'a> Printed<'a> {
    fn description(&self) -> &'a Description {
        &self.source.description
    }

    fn service(&mut self, service: &'a Service, wanted: &Wanted<'_>) -> Result<(), Fault> {
        let ports: Vec<&Port> = service.ports.iter().filter(|it| wanted.has_port(it)).collect();
        let described = ports.iter().any(|it| {
            self.description().binding(it).operations.iter().any(|it| wanted.has_operation(it))
        });
        if !described {
            return Ok(());
        }
        self.form.say(&format!("service {}\n", plain(&service.name.to_string())))?;
        self.documentation(&service.documentation, 2)?;
        self.form.fact(&json!({
            "fact": "service", "name": &*service.name.local, "namespace": &*service.name.namespace,
            "documentation": service.documentation,
        }))?;
        ports.into_iter().try_for_each(|port| self.port(service, port, wanted))
    }

    fn port(
        &mut self,
        service: &'a Service,
        port: &'a Port,
        wanted: &Wanted<'_>,
    ) -> Result<(), Fault> {
        let binding = self.description().binding(port);
        let Binding { protocol, transport, .. } = binding;
        let address = port.address.as_deref().unwrap_or("no address");
        let carried_by = carried_by(transport, address);
        let over = match carried_by {
            "" => String::new(),
            word => format!(" over {word}"),
        };
        let (name, how) = (plain(&port.name), plain(&format!("{address}  {protocol}{over}")));
        self.form.say(&format!("  port {name}  {how}\n"))?;
        self.form.fact(&json!({
            "fact": "port", "service": &*service.name.local, "name": port.name,
            "address": port.address, "protocol": protocol.to_string(), "transport": transport,
            "carried_by": carried_by,
            "binding": binding.name.to_string(), "is_soap": is_soap(protocol),
        }))?;
        let operations = binding.operations.iter().filter(|it| wanted.has_operation(it));
        let places: Vec<Place<'_>> =
            operations.map(|operation| Place { port, binding, operation }).collect();
        if let Some(other) = self.described_at(&places) {
            return self.as_at(other, &places);
        }
        places.iter().try_for_each(|at| {
            self.operation(at)?;
            self.form.say("\n")
        })
    }

    /// The port at which several operations were all described to people.
    fn described_at(&self, places: &[Place<'_>]) -> Option<&'a str> {
        let first = *self.seen.get(&places.first()?.key())?;
        let is_there = |at: &Place<'_>| self.seen.get(&at.key()) == Some(&first);
        let are_several = self.form == Form::Text && places.len() > 1;
        (are_several && places.iter().all(is_there)).then_some(first)
    }

    /// Says that operations are those of another port, and how to call them at this one.
    fn as_at(&self, other: &str, places: &[Place<'_>]) -> Result<(), Fault> {
        print(&format!("    its operations are those of the port {}\n", plain(other)))?;
        let is_soap = |at: &&Place<'_>| is_soap(&at.binding.protocol);
        let examples = places.iter().filter(is_soap);
        examples.map(|at| example::of(self.source, at)).try_for_each(|it| self.example(&it))?;
        print("\n")
    }

    /// How to call an operation, or why it cannot be said.
    fn example(&self, example: &Result<Example, String>) -> Result<(), Fault> {
        match example {
            Ok(Example { line, invalid: None }) => self.form.say(&format!("      {line}\n")),
            Ok(Example { line, invalid: Some(why) }) => self.form.say(&format!(
                "      {line}\n        no valid values are found: put others in: {}\n",
                plain(why)
            )),
            Err(why) => self.form.say(&format!("      no call can be given: {}\n", plain(why))),
        }
    }

    fn operation(&mut self, at: &Place<'a>) -> Result<(), Fault> {
        let Place { port, binding, operation } = *at;
        let form = form_of(operation);
        let action = operation.action.as_deref().filter(|it| !it.is_empty());
        let shown = action.map_or(String::new(), |it| format!("  action {it}"));
        let name = plain(&operation.name);
        self.form.say(&format!("    {name}  {form}{}\n", plain(&shown)))?;
        self.documentation(&operation.documentation, 6)?;
        let example = match is_soap(&binding.protocol) {
            true => example::of(self.source, at),
            false => Err(format!("{} is not called by SOAP", binding.protocol)),
        };
        let (known, none) = (example.as_ref().ok(), example.as_ref().err());
        let attachments =
            |it: &Option<Message>| it.as_ref().map(|it| it.attachments.clone()).unwrap_or_default();
        self.form.fact(&json!({
            "fact": "operation", "port": port.name, "name": operation.name, "form": form,
            "action": operation.action, "documentation": operation.documentation,
            "is_answered": operation.response.is_some(),
            "example": known.map(|it| &it.line),
            "example_is_wrong": known.and_then(|it| it.invalid.as_ref()), "no_example": none,
            "attachments": attachments(&operation.request),
            "answered_attachments": attachments(&operation.response),
        }))?;
        if !is_soap(&binding.protocol) {
            return Ok(());
        }
        // What is bound alike is described once for people.
        let key = at.key();
        match self.seen.get(&key).filter(|_| self.form == Form::Text) {
            Some(other) => self.form.say(&format!("      as at the port {}\n", plain(other)))?,
            None => self.messages(at)?,
        }
        self.seen.entry(key).or_insert(&port.name);
        self.example(&example)
    }

    fn messages(&self, at: &Place<'_>) -> Result<(), Fault> {
        let description = self.description();
        let Place { binding, operation, .. } = *at;
        let headers = |it: &Option<Message>| {
            let headers = it.iter().flat_map(|it| &it.headers);
            headers.map(|it| description.header(binding, it).map(Some)).collect::<Vec<_>>()
        };
        let bodies = [
            (&operation.request, REQUEST, REQUEST_HEADER, description.request(binding, operation)),
            (
                &operation.response,
                RESPONSE,
                RESPONSE_HEADER,
                description.response(binding, operation),
            ),
        ];
        for (message, role, header, body) in bodies {
            let Some(said) = message else { continue };
            self.message(at, role, said.is_encoded, body)?;
            for block in headers(message) {
                self.message(at, header, false, block)?;
            }
            for part in &said.attachments {
                self.form.say(&format!("      {} the attachment {}\n", role.text, plain(part)))?;
            }
        }
        for fault in &operation.faults {
            self.message(at, FAULT, false, description.fault(binding, fault))?;
        }
        Ok(())
    }

    /// The element that stands somewhere, and what is in it.
    fn message(
        &self,
        at: &Place<'_>,
        role: Role,
        is_encoded: bool,
        described: Result<Option<Described>, Problem>,
    ) -> Result<(), Fault> {
        let described = match described {
            Ok(Some(described)) => described,
            Ok(None) => return self.form.say(&format!("      {} nothing\n", role.text)),
            Err(problem) => {
                self.form.say(&format!("      {} what has no form: {problem}\n", role.text))?;
                return self.form.fact(&json!({
                    "fact": "warning", "port": at.port.name, "operation": at.operation.name,
                    "of": role.fact, "what": problem.to_string(),
                }));
            }
        };
        let Described { layout, options, .. } = described;
        let element = match &*options.namespace {
            "" => options.operation.clone(),
            namespace => format!("{{{namespace}}}{}", options.operation),
        };
        let mut all = parameters::of(&layout, &options, is_encoded);
        let schemas = self.description().schemas();
        let is_element = options.style == Style::DocumentLiteral && options.layout != Layout::Body;
        let own = xsd::Name::new(&*options.namespace, &*options.operation);
        if let Some(own) = schemas.element(&own).filter(|_| is_element) {
            all.iter_mut().for_each(|it| it.ask_nil(|path| schemas.is_nillable(own, path)));
        }
        let nillable = if options.nillable { ", nillable" } else { "" };
        let nothing = if all.is_empty() { ", empty" } else { "" };
        self.form.say(&format!("      {} {}{nillable}{nothing}\n", role.text, plain(&element)))?;
        for parameter in &all {
            self.form.say(&parameter.text(8))?;
            let mut fact = parameter.fact();
            let of = json!({
                "fact": "parameter", "port": at.port.name, "operation": at.operation.name,
                "of": role.fact, "element": element, "element_is_nillable": options.nillable,
            });
            if let (Value::Object(fact), Value::Object(of)) = (&mut fact, of) {
                fact.extend(of);
            }
            self.form.fact(&fact)?;
        }
        Ok(())
    }

    fn documentation(&self, text: &str, indent: usize) -> Result<(), Fault> {
        match text {
            "" => Ok(()),
            text if self.form == Form::Text => print(&format!("{:indent$}{}\n", "", plain(text))),
            _ => Ok(()),
        }
    }
}

/// An operation of a port.
#[derive(Clone, Copy)]
struct Place<'a> {
    port: &'a Port,
    binding: &'a Binding,
    operation: &'a Operation,
}

impl Place<'_> {
    /// The same for what is bound alike. Several operations of one name differ in their messages.
    fn key(&self) -> String {
        let Self { binding, operation, .. } = self;
        let messages =
            [&operation.request, &operation.response].map(|it| it.as_ref().map(|it| &it.name));
        format!("{} {} {} {messages:?}", binding.port_type, operation.name, form_of(operation))
    }

    fn is_soap12(&self) -> bool {
        self.binding.protocol == Protocol::Soap12
    }
}

/// What carries SOAP, in a word if it has one. What is over SOAP/TCP says so by its address.
fn carried_by<'a>(transport: &'a str, address: &str) -> &'a str {
    if address.starts_with("vnd.sun.ws.tcp") {
        return "SOAP/TCP";
    }
    let known = TRANSPORTS.iter().find(|it| it.0 == transport.trim_end_matches('/'));
    known.map_or(transport, |it| it.1)
}

/// By their URIs: those of WSDL 1.1 and of SOAP 1.2, of SOAP over JMS (W3C, 2012) and of .NET.
const TRANSPORTS: [(&str, &str); 9] = [
    ("http://schemas.xmlsoap.org/soap/http", "HTTP"),
    ("http://www.w3.org/2003/05/soap/bindings/HTTP", "HTTP"),
    ("http://schemas.xmlsoap.org/soap/https", "HTTPS"),
    ("http://schemas.microsoft.com/soap/tcp", "TCP of .NET"),
    ("http://schemas.microsoft.com/soap/named-pipe", "named pipes"),
    ("http://schemas.microsoft.com/soap/msmq", "MSMQ"),
    ("http://www.w3.org/2010/soapjms", "JMS"),
    ("http://schemas.xmlsoap.org/soap/jms", "JMS"),
    ("http://schemas.xmlsoap.org/soap/smtp", "SMTP"),
];

fn form_of(operation: &Operation) -> String {
    let is_encoded = |it: &Option<Message>| it.as_ref().is_some_and(|it| it.is_encoded);
    let is_encoded = is_encoded(&operation.request) || is_encoded(&operation.response);
    format!("{}/{}", operation.style, if is_encoded { "encoded" } else { "literal" })
}
