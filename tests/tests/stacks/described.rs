//! Our client as the WSDL of a service says, and nothing else: what it takes and answers is known at run time only.

use std::sync::Arc;

use serde_json::Value;
use trunkline_codec::json;
use trunkline_import::wsdl::{Binding as Bound, Description, Operation, Protocol};
use trunkline_import::{Limits, Resolver};
use trunkline_message::{FieldValue as _, Layout, Message, Record, Structure as _, UnknownContent};
use trunkline_session::soap::{Binding, Client, ClientConfig, Signature};

use crate::desk::{self, Order, Place, Placed};

/// Calls a service by its WSDL, with what the typed client says to it; `seen` is as there.
#[track_caller]
pub(crate) fn call(url: &str, seen: impl Fn(Order) -> Order) {
    let first = format!("{url}?wsdl");
    let description =
        Description::read(&first.replacen("://", ":/", 1), &mut fetched(), &Limits::default());
    let description = description.unwrap_or_else(|problem| panic!("{url}: {problem}"));
    let (bound, operation) = place(&description);
    let message = |described: Result<Option<trunkline_import::wsdl::Described>, _>| {
        let described: Result<_, trunkline_import::Problem> = described;
        let described = described.unwrap_or_else(|problem| panic!("{url}: {problem}"));
        let described = described.expect("something in the Body");
        (Arc::new(described.layout), described.options)
    };
    let (request, response) = (
        message(description.request(bound, operation)),
        message(description.response(bound, operation)),
    );
    let action = operation.action.clone().unwrap_or_default();
    let signature = Signature::new("place", &action, (&request.0, &request.1))
        .and_then(|it| it.answered((&response.0, &response.1)))
        .unwrap_or_else(|error| panic!("{url}: {error}"));
    let mut client = desk::client(url, Binding::default());
    let asked = record(&request.0, &Place { order: desk::order() });
    let mut answer = Record::new(&response.0);
    client
        .call_record(&signature, &asked, &mut answer)
        .unwrap_or_else(|error| panic!("{url}: {error}"));
    let answer = typed(&response.0, &answer);
    assert_eq!(answer, Placed { placed: seen(desk::answered(seen(desk::order()))) });
}

/// What a WSDL and its imports are read from.
fn fetched() -> impl Resolver {
    |path: &str| {
        let url = path.replacen(":/", "://", 1);
        let client = Client::with(&url, "", Binding::default(), ClientConfig::default());
        let document = client.and_then(|mut client| client.get());
        document.map(Some).map_err(|error| error.to_string())
    }
}

/// The operation in the first binding of SOAP.
fn place(description: &Description) -> (&Bound, &Operation) {
    let is_soap = |it: &&Bound| matches!(it.protocol, Protocol::Soap11 | Protocol::Soap12);
    let bound = description.bindings().iter().find(is_soap).expect("a binding of SOAP");
    let operation = bound.operations.iter().find(|it| it.name == "place").expect("the operation");
    (bound, operation)
}

fn plan(layout: &Arc<Layout>) -> Arc<json::Plan> {
    json::Plan::new(layout, &json::Options::default()).expect("a plan")
}

fn read(text: &[u8], layout: &Arc<Layout>, into: &mut impl Message) {
    let mut decoder = json::Decoder::new(&plan(layout)).on_unknown(UnknownContent::Reject);
    let read = decoder.decode(text, into);
    read.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)));
}

fn written(layout: &Arc<Layout>, message: &impl Message) -> Value {
    let mut encoder = json::Encoder::new(&plan(layout));
    serde_json::from_slice(encoder.encode(message).expect("JSON")).expect("JSON")
}

/// The request as a message of a layout that others gave it, by way of JSON.
fn record(layout: &Arc<Layout>, request: &Place) -> Record {
    let mut value = written(Place::layout(), request);
    let has_choice = layout.scopes().iter().any(|it| it.components.iter().any(|it| it.is_choice));
    if let (false, Value::Object(order)) = (has_choice, &mut value["order"])
        && let Some(Value::Object(arm)) = order.remove("choice")
    {
        // What is made of classes has all the arms beside each other.
        order.extend(arm);
    }
    let mut record = Record::new(layout);
    read(value.to_string().as_bytes(), layout, &mut record);
    record
}

/// The answer as ours, likewise.
fn typed(layout: &Arc<Layout>, answer: &Record) -> Placed {
    let mut value = written(layout, answer);
    if let Value::Object(order) = &mut value["placed"]
        && let Some(peg) = order.remove("peg")
    {
        order.insert("choice".into(), serde_json::json!({ "peg": peg }));
    }
    let mut placed = Placed::empty();
    read(value.to_string().as_bytes(), Placed::layout(), &mut placed);
    placed
}
