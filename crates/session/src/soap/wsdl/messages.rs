//! Messages and port types.

use std::collections::HashSet;

use trunkline_message::Schema;

use super::markup::Markup;
use super::shape::{Form, Shape};
use super::types::Types;
use super::{Description, OperationDescription};

/// The part of a header's and of a fault's message.
pub(super) const HEADER_PART: &str = "header";
const FAULT_PART: &str = "fault";

/// A `message` with its parts.
#[derive(Debug)]
pub(super) struct Message {
    name: String,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    name: String,
    /// `element` or `type`.
    attribute: &'static str,
    reference: String,
}

impl Part {
    fn element(name: &str, reference: String) -> Self {
        Self { name: name.into(), attribute: "element", reference }
    }

    fn of_type(name: &str, reference: String) -> Self {
        Self { name: name.into(), attribute: "type", reference }
    }
}

/// The names of messages; those of faults and headers are the same for every shape.
pub(super) fn input(operation: &OperationDescription, shape: Shape, shapes: &[Shape]) -> String {
    shape.name(&format!("{}Input", operation.name), shapes)
}

pub(super) fn output(operation: &OperationDescription, shape: Shape, shapes: &[Shape]) -> String {
    shape.name(&format!("{}Output", operation.name), shapes)
}

pub(super) fn fault(schema: &Schema) -> String {
    format!("{}Fault", schema.name())
}

pub(super) fn header(schema: &Schema) -> String {
    format!("{}Header", schema.name())
}

/// Every message; what they refer to goes into `types`.
pub(super) fn collect(
    description: &Description,
    shapes: &[Shape],
    types: &mut Types,
) -> Vec<Message> {
    let mut messages = Vec::new();
    for shape in shapes {
        for operation in &description.operations {
            let parts = body(&operation.name, &operation.input, *shape, types);
            messages.push(Message { name: input(operation, *shape, shapes), parts });
            if let Some(schema) = &operation.output {
                let wrapper = format!("{}Response", operation.name);
                let parts = body(&wrapper, schema, *shape, types);
                messages.push(Message { name: output(operation, *shape, shapes), parts });
            }
        }
    }
    let mut names = HashSet::new();
    let mut add = |name: String, part: &str, schema: &Schema| {
        if names.insert(name.clone()) {
            let parts = vec![Part::element(part, types.message_element(schema))];
            messages.push(Message { name, parts });
        }
    };
    for operation in &description.operations {
        for schema in operation.input_headers.iter().chain(&operation.output_headers) {
            add(header(schema), HEADER_PART, schema);
        }
        for (_, schema) in &operation.faults {
            add(fault(schema), FAULT_PART, schema);
        }
    }
    messages
}

/// The parts of a body; `wrapper` is its element in the styles that name it after the operation.
fn body(wrapper: &str, schema: &Schema, shape: Shape, types: &mut Types) -> Vec<Part> {
    match shape {
        Shape::Wrapped => vec![Part::element("parameters", types.wrapper(wrapper, schema))],
        Shape::Bare => vec![Part::element("body", types.message_element(schema))],
        // WSDL 1.1 section 3.5: what is encoded refers to types; the part's name is the element's.
        Shape::DocumentEncoded => {
            vec![Part::of_type(schema.name(), types.message_type(schema, Form::Encoded))]
        }
        Shape::RpcEncoded | Shape::RpcLiteral => {
            let elements = types.parts(schema, shape.form());
            elements.into_iter().map(|it| Part::of_type(&it.name, it.type_name)).collect()
        }
    }
}

impl Message {
    pub(super) fn write(&self, markup: &mut Markup) {
        if self.parts.is_empty() {
            return markup.empty("wsdl:message", &[("name", &self.name)]);
        }
        markup.begin("wsdl:message", &[("name", &self.name)]);
        for part in &self.parts {
            let attributes = [("name", &*part.name), (part.attribute, &*part.reference)];
            markup.empty("wsdl:part", &attributes);
        }
        markup.end("wsdl:message");
    }
}

/// One port type a shape.
pub(super) fn port_types(description: &Description, shapes: &[Shape], markup: &mut Markup) {
    for shape in shapes {
        markup.begin("wsdl:portType", &[("name", &shape.port_type(description, shapes))]);
        for operation in &description.operations {
            markup.begin("wsdl:operation", &[("name", &operation.name)]);
            markup.documentation(operation.documentation.as_deref());
            let message = format!("tns:{}", input(operation, *shape, shapes));
            markup.empty("wsdl:input", &[("message", &message)]);
            if operation.output.is_some() {
                let message = format!("tns:{}", output(operation, *shape, shapes));
                markup.empty("wsdl:output", &[("message", &message)]);
            }
            for (name, schema) in &operation.faults {
                let message = format!("tns:{}", fault(schema));
                markup.empty("wsdl:fault", &[("name", name), ("message", &message)]);
            }
            markup.end("wsdl:operation");
        }
        markup.end("wsdl:portType");
    }
}
