//! WSDL and XML Schema: which services, operations and elements are in a file, and the messages that they have.

use serde_json::json;
use trunkline_import::Problem;
use trunkline_import::wsdl::{Description, Message, Operation, Part};
use trunkline_import::xsd::Schemas;

use crate::client::counted;
use crate::fault::Fault;
use crate::output::{Form, plain, print, remark};

/// Prints the services in a file, and the elements of their messages.
pub(super) fn list_services(description: &Description, form: Form) -> Result<(), Fault> {
    match form {
        Form::Text => print(&services(description))?,
        Form::Json => facts(description)?,
    }
    elements(description.schemas(), form)?;
    warnings(description.warnings(), form)
}

/// Prints the elements in a file.
pub(super) fn list_elements(schemas: &Schemas, form: Form) -> Result<(), Fault> {
    elements(schemas, form)?;
    warnings(schemas.warnings(), form)
}

fn elements(schemas: &Schemas, form: Form) -> Result<(), Fault> {
    let mut elements: Vec<_> = schemas.elements().collect();
    elements.sort();
    if let Form::Text = form {
        let types = schemas.types().count() as u64;
        let count = counted(elements.len() as u64, "element");
        print(&format!("{count}, {}\n", counted(types, "type")))?;
    }
    for (name, element) in elements {
        match form {
            Form::Text => {
                print(&format!("  {}\n", plain(&name.to_string())))?;
                let types =
                    schemas.types_of(element).into_iter().filter(|_| schemas.is_open(element));
                for of in types.filter_map(|it| schemas.type_name(it)) {
                    print(&format!("    {}/{}\n", plain(&name.local), plain(&of.local)))?;
                }
            }
            Form::Json => form.fact(&json!({
                "fact": "element", "name": &*name.local, "namespace": &*name.namespace,
                "line": schemas.place_of(element).line,
            }))?,
        }
    }
    Ok(())
}

fn warnings(warnings: &[Problem], form: Form) -> Result<(), Fault> {
    for warning in warnings {
        let Problem { place, what, remedy, .. } = warning;
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
