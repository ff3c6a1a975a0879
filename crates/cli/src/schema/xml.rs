//! WSDL and XML Schema: which services, operations and elements are in a file, and the messages that they have.

use std::fs::File;
use std::io::{self, Read as _};

use serde_json::json;
use trunkline_import::wsdl::{Binding, Described, Description, Message, Operation, Part, Protocol};
use trunkline_import::xsd::{Name, Schemas};
use trunkline_import::{Limits, Problem, Source};
use trunkline_message::Layout;

use crate::client::counted;
use crate::fault::Fault;
use crate::output::{Form, plain, print, remark};

/// What is in a file.
pub(super) enum Known {
    /// Services, and the elements of their messages.
    Services(Box<Description>),
    /// Elements alone.
    Elements(Box<Schemas>),
}

impl Known {
    /// Reads a file and those that it imports; none of a file of another kind. Nothing is fetched.
    pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Option<Self>, Fault> {
        let limits = Limits::default();
        let most = limits.document_bytes as u64 + 1;
        let mut resolver = |path: &str| {
            let mut bytes = Vec::new();
            match File::open(path).and_then(|it| it.take(most).read_to_end(&mut bytes)) {
                Ok(_) => Ok(Some(bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error.to_string()),
            }
        };
        Ok(match Source::of(bytes) {
            Source::Wsdl => {
                let read = Description::read(file, &mut resolver, &limits)?;
                Some(Self::Services(Box::new(read)))
            }
            Source::Schema => {
                Some(Self::Elements(Box::new(Schemas::read(file, &mut resolver, &limits)?)))
            }
            Source::Other => None,
        })
    }

    fn schemas(&self) -> &Schemas {
        match self {
            Self::Services(description) => description.schemas(),
            Self::Elements(schemas) => schemas,
        }
    }

    fn warnings(&self) -> &[Problem] {
        match self {
            Self::Services(description) => description.warnings(),
            Self::Elements(schemas) => schemas.warnings(),
        }
    }

    /// The layout of an element, or of what an operation takes; behind it, `/response` is what it answers.
    pub(super) fn layout(&self, file: &str, name: &str) -> Result<Layout, Fault> {
        if let Self::Services(description) = self
            && let Some(found) = of_operation(description, name)
        {
            let described = found?;
            let nothing = || Fault::new(format!("{file}: nothing stands in the Body of {name}"));
            return described.map(|it| it.layout).ok_or_else(nothing);
        }
        let schemas = self.schemas();
        let is_it = |it: &Name| *it.local == *name || it.to_string() == name;
        let mut all: Vec<_> = schemas.elements().filter(|it| is_it(it.0)).collect();
        all.sort();
        match &*all {
            [(_, element)] => Ok(schemas.layout(*element)?),
            [] => {
                let what =
                    format!("{file} has no operation or element {name}; without it, all is listed");
                Err(Fault::new(what))
            }
            several => {
                let names: Vec<String> = several.iter().map(|it| it.0.to_string()).collect();
                Err(Fault::new(format!("{file}: {name} is one of {}: say which", names.join(", "))))
            }
        }
    }

    /// Prints what is in the file.
    pub(super) fn list(&self, form: Form) -> Result<(), Fault> {
        match (self, form) {
            (Self::Services(description), Form::Text) => print(&services(description))?,
            (Self::Services(description), Form::Json) => facts(description)?,
            (Self::Elements(_), _) => {}
        }
        let mut elements: Vec<_> = self.schemas().elements().collect();
        elements.sort();
        if let Form::Text = form {
            let types = self.schemas().types().count() as u64;
            let count = counted(elements.len() as u64, "element");
            print(&format!("{count}, {}\n", counted(types, "type")))?;
        }
        for (name, element) in elements {
            match form {
                Form::Text => print(&format!("  {}\n", plain(&name.to_string())))?,
                Form::Json => form.fact(&json!({
                    "fact": "element", "name": &*name.local, "namespace": &*name.namespace,
                    "line": self.schemas().place_of(element).line,
                }))?,
            }
        }
        for warning in self.warnings() {
            let Problem { place, what, remedy } = warning;
            match form {
                Form::Text => remark(&warning.to_string()),
                Form::Json => form.fact(&json!({
                    "fact": "warning", "file": &*place.file, "line": place.line, "column": place.column,
                    "what": what, "remedy": remedy,
                }))?,
            }
        }
        Ok(())
    }
}

/// What an operation takes or answers, if there is one of this name.
fn of_operation(
    description: &Description,
    name: &str,
) -> Option<Result<Option<Described>, Problem>> {
    let (name, is_response) = match name.strip_suffix("/response") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let is_soap = |it: &&Binding| matches!(it.protocol, Protocol::Soap11 | Protocol::Soap12);
    let all = description.bindings().iter().filter(is_soap);
    let mut all = all.flat_map(|binding| binding.operations.iter().map(move |it| (binding, it)));
    let (binding, operation) = all.find(|it| it.1.name == name)?;
    Some(match is_response {
        true => description.response(binding, operation),
        false => description.request(binding, operation),
    })
}

fn services(description: &Description) -> String {
    let mut text = String::new();
    for service in description.services() {
        text += &format!("service {}\n", plain(&service.name.to_string()));
        for port in &service.ports {
            let binding = description.binding(port);
            let address = port.address.as_deref().unwrap_or("no address");
            text += &format!(
                "  port {}  {}  {}\n",
                plain(&port.name),
                plain(&binding.protocol.to_string()),
                plain(address)
            );
            for operation in &binding.operations {
                text += &shown(operation);
            }
        }
        text.push('\n');
    }
    text
}

/// The lines of an operation.
fn shown(operation: &Operation) -> String {
    let form = form_of(operation);
    let mut text = format!("    {}  {form}", plain(&operation.name));
    if let Some(action) = operation.action.as_deref().filter(|it| !it.is_empty()) {
        text += &format!("  action {}", plain(action));
    }
    text.push('\n');
    for (what, message) in [("takes", &operation.request), ("answers", &operation.response)] {
        let Some(message) = message else { continue };
        text += &format!("      {what} {}\n", plain(&parts(&message.parts)));
        for header in &message.headers {
            text += &format!("      {what} the header block {}\n", plain(&part(&header.part)));
        }
        for attachment in &message.attachments {
            text += &format!("      {what} the attachment {}\n", plain(attachment));
        }
    }
    for fault in &operation.faults {
        let detail = fault.part.as_ref().map_or_else(String::new, part);
        text += &format!("      fails with {} {}\n", plain(&fault.name), plain(&detail));
    }
    text
}

fn form_of(operation: &Operation) -> String {
    let is_encoded = |it: &Option<Message>| it.as_ref().is_some_and(|it| it.is_encoded);
    let is_encoded = is_encoded(&operation.request) || is_encoded(&operation.response);
    format!("{}/{}", operation.style, if is_encoded { "encoded" } else { "literal" })
}

fn parts(parts: &[Part]) -> String {
    match parts {
        [] => "nothing".into(),
        parts => parts.iter().map(part).collect::<Vec<_>>().join(", "),
    }
}

/// The element that a part is, or its name.
fn part(part: &Part) -> String {
    part.element().map_or_else(|| part.name.clone(), ToString::to_string)
}

fn facts(description: &Description) -> Result<(), Fault> {
    for service in description.services() {
        for port in &service.ports {
            let binding = description.binding(port);
            Form::Json.fact(&json!({
                "fact": "port", "service": &*service.name.local, "namespace": &*service.name.namespace,
                "name": port.name, "protocol": binding.protocol.to_string(), "address": port.address,
            }))?;
            for operation in &binding.operations {
                let names = |it: &Option<Message>| {
                    it.as_ref().map(|it| it.parts.iter().map(part).collect::<Vec<_>>())
                };
                let faults = operation.faults.iter().map(|it| it.name.clone());
                Form::Json.fact(&json!({
                    "fact": "operation", "service": &*service.name.local, "port": port.name,
                    "name": operation.name, "form": form_of(operation), "action": operation.action,
                    "takes": names(&operation.request), "answers": names(&operation.response),
                    "faults": faults.collect::<Vec<_>>(), "line": operation.place.line,
                }))?;
            }
        }
    }
    Ok(())
}
