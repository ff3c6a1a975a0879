//! An rpc echo service without a schema, as the interop rounds of SOAP 1.1 and the test collection of
//! SOAP 1.2 describe it.

use trunkline_soap::Version;
use trunkline_soap::graph::{Array, Content, Message, Name, Node, NodeId};
use trunkline_wire::base64;

const XSD: &str = "http://www.w3.org/2001/XMLSchema";
const RPC: &str = "http://www.w3.org/2003/05/soap-rpc";

/// What an operation does with its argument; types are those of the service's description.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// The argument as it is.
    Same,
    /// A struct of this type, whose members have an order.
    Struct(&'static str),
    /// An array of this type, of items of that simple type.
    Array(&'static str, &'static str),
    /// As the array, of items of that struct.
    Structs(&'static str, &'static str),
    /// An array of arrays that becomes one of two dimensions.
    Grid(&'static str),
    /// Text that is a value of this type already, or text to make one of.
    Base64,
    /// The same for hexBinary.
    Hex,
    /// A truth value, as `true` or `false`.
    Boolean,
    /// A simple value of this type.
    Value(&'static str),
    /// All arguments together as a struct of this type.
    Gathered(&'static str),
    /// How many items.
    Count,
    /// Whether the argument is nil.
    IsNil,
    /// No argument, no answer.
    Nothing,
}

/// Operation, part of the answer, and what is in it.
pub type Operation = (&'static str, &'static str, Shape);

/// The operations of round 2.
pub const ROUND_2: &[Operation] = &[
    ("echoString", "outputString", Shape::Same),
    ("echoStringArray", "outputStringArray", Shape::Array("ArrayOfstring", "string")),
    ("echoInteger", "outputInteger", Shape::Same),
    ("echoIntegerArray", "outputIntegerArray", Shape::Array("ArrayOfint", "int")),
    ("echoFloat", "outputFloat", Shape::Same),
    ("echoFloatArray", "outputFloatArray", Shape::Array("ArrayOffloat", "float")),
    ("echoStruct", "outputStruct", Shape::Struct("SOAPStruct")),
    ("echoStructArray", "outputStructArray", Shape::Structs("ArrayOfSOAPStruct", "SOAPStruct")),
    ("echoVoid", "", Shape::Nothing),
    ("echoBase64", "outputBase64", Shape::Base64),
    ("echoHexBinary", "outputHexBinary", Shape::Hex),
    ("echoDate", "outputDate", Shape::Value("dateTime")),
    ("echoDecimal", "outputDecimal", Shape::Value("decimal")),
    ("echoBoolean", "outputBoolean", Shape::Boolean),
    ("echo2DStringArray", "return", Shape::Grid("ArrayOfString2D")),
];

/// The operations of the test collection of SOAP 1.2.
pub const SOAP_12: &[Operation] = &[
    ("echoString", "return", Shape::Value("string")),
    ("echoStringArray", "return", Shape::Array("ArrayOfstring", "string")),
    ("echoInteger", "return", Shape::Value("int")),
    ("echoIntegerArray", "return", Shape::Array("ArrayOfint", "int")),
    ("echoFloat", "return", Shape::Value("float")),
    ("echoFloatArray", "return", Shape::Array("ArrayOffloat", "float")),
    ("echoStruct", "return", Shape::Struct("SOAPStruct")),
    ("echoStructArray", "return", Shape::Structs("ArrayOfSOAPStruct", "SOAPStruct")),
    ("echoSimpleTypesAsStruct", "return", Shape::Gathered("SOAPStruct")),
    ("echoNestedStruct", "return", Shape::Struct("SOAPStructStruct")),
    ("echoNestedArray", "return", Shape::Struct("SOAPArrayStruct")),
    ("echoBase64", "return", Shape::Base64),
    ("echoBoolean", "return", Shape::Boolean),
    ("echoDate", "return", Shape::Value("dateTime")),
    ("echoDecimal", "return", Shape::Value("decimal")),
    ("returnVoid", "", Shape::Nothing),
    ("countItems", "return", Shape::Count),
    ("isNil", "return", Shape::IsNil),
];

/// The order of a struct's members in its description.
const ORDER: [&str; 5] = ["varString", "varInt", "varFloat", "varStruct", "varArray"];

/// An rpc service.
#[derive(Clone, Copy, Debug)]
pub struct EchoService {
    /// What it does.
    pub operations: &'static [Operation],
    /// The namespace of its own types.
    pub types: &'static str,
}

impl EchoService {
    /// Has it an operation of this name?
    pub fn has(&self, operation: &str) -> bool {
        self.operations.iter().any(|it| it.0 == operation)
    }

    /// The answer to a request.
    ///
    /// # Panics
    /// If it [has](Self::has) no such operation.
    pub fn answer(&self, mut message: Message) -> Message {
        let (name, root) = message.body[0].clone();
        let known = self.operations.iter().find(|it| it.0 == name.local());
        let (_, part, shape) = known.unwrap_or_else(|| panic!("no operation {name}"));
        let arguments: Vec<NodeId> =
            message.graph.members(root).iter().map(|member| member.1).collect();
        let mut parts = Vec::new();
        if let Some(value) = self.value(&mut message, *shape, &arguments, root) {
            if message.version == Version::Soap12 {
                let result = message.graph.add_text(part);
                parts.push((Name::new(RPC, "result"), result));
            }
            parts.push((Name::unqualified(part), value));
        }
        let answer = message.graph.add_struct(parts);
        message.header.clear();
        message.body = vec![(name.renamed(&format!("{}Response", name.local())), answer)];
        message
    }

    fn value(
        &self,
        message: &mut Message,
        shape: Shape,
        arguments: &[NodeId],
        root: NodeId,
    ) -> Option<NodeId> {
        let first = arguments.first().copied();
        let graph = &mut message.graph;
        match shape {
            Shape::Nothing => None,
            Shape::Same => first,
            Shape::Gathered(name) => {
                let renamed = |member: &(Name, NodeId)| {
                    let tail = member.0.local().trim_start_matches("input");
                    let tail = if tail == "Integer" { "Int" } else { tail };
                    (Name::unqualified(&format!("var{tail}")), member.1)
                };
                let members = graph.members(root).iter().map(renamed).collect();
                let own = Name::new(self.types, name);
                Some(graph.add(Node::new(in_order(members)).of_type(own)))
            }
            Shape::Count => {
                let count = first.and_then(|it| graph.array(it)).map_or(0, |it| it.items.len());
                let count = Content::Text(count.to_string().into());
                Some(graph.add(Node::new(count).of_type(Name::new(XSD, "int"))))
            }
            Shape::IsNil => {
                let is_nil = first.is_some_and(|it| graph.node(it).content == Content::Nil);
                Some(graph.add_text(if is_nil { "1" } else { "0" }))
            }
            shape => {
                self.give_type(message, shape, first?);
                first
            }
        }
    }

    /// Makes the argument a value of the type that the service describes.
    fn give_type(&self, message: &mut Message, shape: Shape, id: NodeId) {
        let own = |local: &str| Name::new(self.types, local);
        let xsd = |local: &str| Name::new(XSD, local);
        let type_name = match shape {
            Shape::Value(local) => xsd(local),
            Shape::Boolean => xsd("boolean"),
            Shape::Base64 => xsd("base64Binary"),
            Shape::Hex => xsd("hexBinary"),
            Shape::Struct(local)
            | Shape::Array(local, _)
            | Shape::Structs(local, _)
            | Shape::Grid(local) => own(local),
            _ => return,
        };
        let item_type = match shape {
            Shape::Array(_, item) => Some(xsd(item)),
            Shape::Structs(_, item) => Some(own(item)),
            _ => None,
        };
        match shape {
            Shape::Grid(_) => flatten(message, id),
            Shape::Struct(_) => type_struct(message, id, &type_name),
            _ => {}
        }
        if let (Shape::Structs(..), Some(item_type)) = (shape, &item_type) {
            let items = message.graph.array(id).into_iter().flat_map(|array| &array.items);
            for item in items.map(|item| item.1).collect::<Vec<_>>() {
                type_struct(message, item, item_type);
            }
        }
        let node = message.graph.node_mut(id);
        let is_text = node.type_name.as_ref().is_some_and(|it| it.is(XSD, "string"));
        if let Content::Text(text) = &mut node.content {
            *text = converted(shape, text, is_text).into();
        }
        if let (Content::Array(array), Some(item_type)) = (&mut node.content, item_type) {
            array.item_name = Name::unqualified("item");
            array.item_type = Some(item_type);
        }
        node.type_name = Some(type_name);
    }
}

/// The text as a value of the shape's type, if it `is_text` and no such value yet.
fn converted(shape: Shape, text: &str, is_text: bool) -> String {
    match shape {
        Shape::Boolean => if matches!(text, "1" | "true") { "true" } else { "false" }.into(),
        Shape::Base64 if is_text => {
            let mut bytes = Vec::new();
            base64::encode_into(text.as_bytes(), &mut bytes);
            String::from_utf8(bytes).expect("ASCII")
        }
        Shape::Hex if is_text => text.bytes().map(|byte| format!("{byte:02X}")).collect(),
        _ => text.to_owned(),
    }
}

/// Gives a struct its type and order, and arrays inside the name that items have.
fn type_struct(message: &mut Message, id: NodeId, name: &Name) {
    let graph = &mut message.graph;
    let members = graph.members(id).to_vec();
    for (_, member) in &members {
        if let Content::Array(array) = &mut graph.node_mut(*member).content {
            array.item_name = Name::unqualified("item");
        }
    }
    let node = graph.node_mut(id);
    node.type_name = Some(name.clone());
    if let Content::Struct(_) = &node.content {
        node.content = in_order(members);
    }
}

fn in_order(mut members: Vec<(Name, NodeId)>) -> Content {
    members.sort_by_key(|(name, _)| ORDER.iter().position(|it| *it == name.local()));
    Content::Struct(members)
}

/// Makes one array of two dimensions of an array of arrays.
fn flatten(message: &mut Message, id: NodeId) {
    let graph = &message.graph;
    let rows = graph.array(id).expect("an array");
    if rows.dimensions.len() == 2 {
        return;
    }
    let rows: Vec<&Array> =
        rows.items.iter().map(|row| graph.array(row.1).expect("a row")).collect();
    let mut grid = rows[0].clone();
    grid.dimensions = vec![Some(rows.len() as u64), Some(grid.items.len() as u64)];
    let items = rows.iter().flat_map(|row| &row.items).map(|item| item.1);
    grid.items = (0..).zip(items.collect::<Vec<_>>()).collect();
    message.graph.node_mut(id).content = Content::Array(Box::new(grid));
}
