//! What gSOAP sent: trees with shared values and circles, and arrays, as messages.

use trunkline_message::{Limits, Message, Result, Structure};
use trunkline_soap::graph::{self, Encoder};
use trunkline_soap::{self as soap, Options, Plan, Version};
use trunkline_tests::soap_cases::{self, Case};
use trunkline_wire::Text;

const SUITE: &str = "soap11-multiref/messages.jsonl";

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Node {
    name: Option<Text>,
    count: Option<i32>,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct EchoNode {
    r#in: Node,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct EchoNodes {
    r#in: Vec<Node>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct EchoStrings {
    r#in: Vec<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct EchoDoubles {
    r#in: Vec<f64>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct EchoInts {
    r#in: Vec<i32>,
}

/// The message, which survives being written with references and without.
fn read<M: Message + Structure + PartialEq + std::fmt::Debug>(
    operation: &str,
    document: &str,
) -> Result<M> {
    let options = Options {
        layout: soap::Layout::Operation,
        operation: operation.into(),
        namespace: "urn:mref".into(),
        types: true,
        ..Options::default()
    };
    let plan = Plan::new(M::layout(), &options).expect("a plan");
    let decode = |document: &[u8]| -> Result<M> {
        let mut message = M::empty();
        graph::decode_message(document, &plan, &Limits::default(), &mut message)?;
        Ok(message)
    };
    let message: M = decode(document.as_bytes())?;
    let made = graph::from_message(&message, &plan)?;
    for multi_ref in [true, false] {
        let encoder = Encoder { multi_ref, ..Encoder::new(Version::Soap11) };
        assert_eq!(decode(&encoder.encode(&made)?)?, message, "{operation}");
    }
    Ok(message)
}

#[test]
fn what_gsoap_sends_is_a_message() {
    let Some(cases) = soap_cases::cases(SUITE) else { return };
    let mut told = Vec::new();
    for Case { id, fields } in &cases {
        let document = fields.text("request");
        let operations = ["echoNodes", "echoNode", "echoStrings", "echoDoubles", "echoInts"];
        let is_called = |it: &&&str| document.contains(&format!("<ns:{it}>"));
        let operation = *operations.iter().find(is_called).expect("an operation");
        let read = match operation {
            "echoNode" => read::<EchoNode>(operation, document).map(|it| format!("{it:?}")),
            "echoNodes" => read::<EchoNodes>(operation, document).map(|it| format!("{it:?}")),
            "echoStrings" => read::<EchoStrings>(operation, document).map(|it| format!("{it:?}")),
            "echoDoubles" => read::<EchoDoubles>(operation, document).map(|it| format!("{it:?}")),
            _ => read::<EchoInts>(operation, document).map(|it| format!("{it:?}")),
        };
        // Circles, and arrays with gaps, are no messages.
        let is_none = id.contains("cycle") || id.contains("null") || id.contains("offset3");
        match read {
            Err(error) if is_none => {
                let error = error.to_string();
                let known = ["contains itself", "partial or sparse", "says "];
                assert!(known.iter().any(|it| error.contains(it)), "{id}: {error}");
            }
            Ok(message) if !is_none => told.push((id.clone(), message)),
            other => panic!("{id}: {other:?}: {document}"),
        }
    }
    let (_, shared) =
        told.iter().find(|(id, _)| id.ends_with("default_sharedint")).expect("that case");
    assert_eq!(shared.matches("count: Some(7)").count(), 3, "{shared}");
    let (_, shared) = told.iter().find(|(id, _)| id.ends_with("graph_shared")).expect("that case");
    assert_eq!(shared.matches("name: Some(\"b\")").count(), 2, "{shared}");
    assert_eq!(told.len(), 14, "{told:?}");
}
