//! Messages and port types.

use std::collections::HashSet;
use std::sync::Arc;

use trunkline_message::Layout;

use super::markup::Markup;
use super::shape::{Form, Shape};
use super::types::Types;
use super::{Description, OperationDescription};

/// The part of a fault's message.
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

/// The names of messages; those of faults are the same for every shape.
pub(super) fn input(operation: &OperationDescription, shape: Shape, shapes: &[Shape]) -> String {
    shape.name(&format!("{}Input", operation.name), shapes)
}

pub(super) fn output(operation: &OperationDescription, shape: Shape, shapes: &[Shape]) -> String {
    shape.name(&format!("{}Output", operation.name), shapes)
}

pub(super) fn fault(layout: &Layout) -> String {
    format!("{}Fault", layout.name())
}

/// The name of a header block's message. Importers such as those of .NET and mono take only blocks that
/// are written as the body is. The part is named after the block: in an encoded one that is the element's
/// name, and parts of one name in request and answer are one parameter to CXF.
pub(super) fn header(layout: &Layout, shape: Shape) -> String {
    let encoded = if shape.is_encoded() { "Encoded" } else { "" };
    format!("{}{encoded}Header", layout.name())
}

/// Those of all messages, header blocks and faults.
pub(super) fn layouts(description: &Description) -> impl Iterator<Item = &Arc<Layout>> {
    description.operations.iter().flat_map(layouts_of)
}

/// The same of one operation.
pub(super) fn layouts_of(operation: &OperationDescription) -> impl Iterator<Item = &Arc<Layout>> {
    let OperationDescription { input, output, faults, .. } = operation;
    let headers = operation.input_headers.iter().chain(&operation.output_headers);
    let faults = faults.iter().map(|(_, layout)| layout);
    [input].into_iter().chain(output).chain(faults).chain(headers)
}

/// Every message; what they refer to goes into `types`.
pub(super) fn collect(
    description: &Description,
    shapes: &[Shape],
    types: &mut Types,
) -> Vec<Message> {
    let mut messages = Vec::new();
    let headers = || {
        description
            .operations
            .iter()
            .flat_map(|it| it.input_headers.iter().chain(&it.output_headers))
    };
    // Names of encoded types stand in messages, so these are first to have theirs.
    for layout in headers().filter(|_| shapes.iter().any(|it| it.is_encoded())) {
        types.message_type(layout, Form::Encoded);
    }
    for shape in shapes {
        for operation in &description.operations {
            let parts = body(&operation.name, &operation.input, *shape, shapes, types);
            messages.push(Message { name: input(operation, *shape, shapes), parts });
            if let Some(layout) = &operation.output {
                let wrapper = format!("{}Response", operation.name);
                let parts = body(&wrapper, layout, *shape, shapes, types);
                messages.push(Message { name: output(operation, *shape, shapes), parts });
            }
        }
    }
    let mut names = HashSet::new();
    for (layout, shape) in headers().flat_map(|layout| shapes.iter().map(move |it| (layout, *it))) {
        let (name, part) = (header(layout, shape), layout.name());
        if names.insert(name.clone()) {
            let part = match shape.is_encoded() {
                true => Part::of_type(part, types.message_type(layout, Form::Encoded)),
                false => Part::element(part, types.message_element(layout, Form::Qualified)),
            };
            messages.push(Message { name, parts: vec![part] });
        }
    }
    for (_, layout) in description.operations.iter().flat_map(|it| &it.faults) {
        let name = fault(layout);
        if names.insert(name.clone()) {
            let element = types.message_element(layout, Form::Qualified);
            messages.push(Message { name, parts: vec![Part::element(FAULT_PART, element)] });
        }
    }
    messages
}

/// The parts of a body; `wrapper` is its element in the styles that name it after the operation.
fn body(
    wrapper: &str,
    layout: &Layout,
    shape: Shape,
    shapes: &[Shape],
    types: &mut Types,
) -> Vec<Part> {
    match shape {
        Shape::Wrapped | Shape::WrappedUnqualified => {
            vec![Part::element("parameters", types.wrapper(wrapper, layout, shape.form()))]
        }
        Shape::Bare | Shape::BareUnqualified => {
            vec![Part::element("body", types.message_element(layout, shape.form()))]
        }
        // WSDL 1.1 section 3.5 wants a type where values are encoded. But then toolkits take the
        // part's name for the element's, in no namespace; so that is for where the element has
        // another content already.
        Shape::DocumentEncoded
            if shapes.iter().any(|it| matches!(it, Shape::Bare | Shape::BareUnqualified)) =>
        {
            vec![Part::of_type(layout.name(), types.message_type(layout, Form::Encoded))]
        }
        Shape::DocumentEncoded => {
            vec![Part::element("body", types.message_element(layout, Form::Encoded))]
        }
        Shape::RpcEncoded | Shape::RpcLiteral => {
            let elements = types.parts(layout, shape.form());
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

/// The parameters of an rpc operation, in order (WSDL 1.1 section 2.4.6). An answer's only part that is in no
/// request is left out, which makes it the return value; of several, none is: SOAP 1.1 (section 7.1) knows
/// a return value by its being the first, and importers without an order pick one by other rules.
fn parameter_order(input: &[Part], output: &[Part]) -> String {
    let is_parameter = |part: &&Part| input.iter().all(|it| it.name != part.name);
    let more = output.iter().filter(is_parameter).filter(|_| output.len() > 1);
    input.iter().chain(more).map(|it| &*it.name).collect::<Vec<_>>().join(" ")
}

/// One port type a shape.
pub(super) fn port_types(
    description: &Description,
    shapes: &[Shape],
    messages: &[Message],
    markup: &mut Markup,
) {
    let parts = |name: &str| {
        let message = messages.iter().find(|it| it.name == name);
        message.map(|it| &*it.parts).unwrap_or_default()
    };
    for shape in shapes {
        markup.begin("wsdl:portType", &[("name", &shape.port_type(description, shapes))]);
        for operation in &description.operations {
            let (input, output) =
                (input(operation, *shape, shapes), output(operation, *shape, shapes));
            let order = match shape.is_rpc() && operation.output.is_some() {
                true => parameter_order(parts(&input), parts(&output)),
                false => String::new(),
            };
            let mut attributes = vec![("name", &*operation.name)];
            if !order.is_empty() {
                attributes.push(("parameterOrder", &order));
            }
            markup.begin("wsdl:operation", &attributes);
            markup.documentation(operation.documentation.as_deref());
            markup.empty("wsdl:input", &[("message", &format!("tns:{input}"))]);
            if operation.output.is_some() {
                markup.empty("wsdl:output", &[("message", &format!("tns:{output}"))]);
            }
            for (name, layout) in &operation.faults {
                let message = format!("tns:{}", fault(layout));
                markup.empty("wsdl:fault", &[("name", name), ("message", &message)]);
            }
            markup.end("wsdl:operation");
        }
        markup.end("wsdl:portType");
    }
}
