//! Our client as the WSDL of a service says, and nothing else: what it takes and answers is known at run time only.

use std::sync::Arc;

use serde_json::Value;
use trunkline_codec::json;
use trunkline_import::wsdl::{
    Binding as Bound, Described, Description, Header, Operation, Protocol,
};
use trunkline_import::{Limits, Problem, Resolver};
use trunkline_message::{FieldValue as _, Layout, Message, Record, Structure as _, UnknownContent};
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Fault, Signature, element,
};
use trunkline_soap::{Decoder, Encoder, Fragment, HeaderBlock, Plan};

use crate::desk::{self, Limit, Order, Place, Placed, Receipt, Session};

/// Calls a service by its WSDL, with what the typed client says to it; `seen` is as there.
#[track_caller]
pub(crate) fn call(url: &str, binding: Binding, seen: impl Fn(Order) -> Order) {
    let first = format!("{url}?wsdl").replacen("://", ":/", 1);
    let description = Description::read(&first, &mut fetched(), &Limits::default());
    let description = description.unwrap_or_else(|problem| panic!("{url}: {problem}"));
    let told = Told { url, description: &description };
    let mut client = desk::client(url, binding);
    told.place(&mut client, seen);
    told.refuse(&mut client);
}

/// What a service tells of itself.
struct Told<'a> {
    url: &'a str,
    description: &'a Description,
}

impl Told<'_> {
    /// Places an order: with the header block of the WSDL if it has it, and a look at that of the reply.
    #[track_caller]
    fn place(&self, client: &mut Client, seen: impl Fn(Order) -> Order) {
        let (bound, operation) = self.operation("place");
        // Axis 1.4 tells of no header blocks.
        let headers = operation.request.iter().flat_map(|it| &it.headers);
        let blocks: Vec<HeaderBlock> = headers.map(|it| self.session(bound, it)).collect();
        if !blocks.is_empty() {
            client.set_header(blocks);
        }
        let (signature, [request, response]) = self.signature(bound, operation);
        let asked = record(&request, &Place { order: desk::order() });
        let mut answer = Record::new(&response);
        let answered = client.call_record(&signature, &asked, &mut answer);
        answered.unwrap_or_else(|error| panic!("{}: {error}", self.url));
        let answer = typed(&response, &answer);
        assert_eq!(answer, Placed { placed: seen(desk::answered(seen(desk::order()))) });
        let receipt: Option<Receipt> = client.reply_header().expect("a header block");
        assert_eq!(receipt, Some(desk::receipt()), "{}: {}", self.url, client.last_answer());
    }

    /// Is refused, with a detail as the WSDL has it.
    #[track_caller]
    fn refuse(&self, client: &mut Client) {
        let (bound, operation) = self.operation("refuse");
        let (signature, [request, response]) = self.signature(bound, operation);
        let mut asked = Record::new(&request);
        read(br#"{"quantity": 8}"#, &request, &mut asked);
        client.set_header(Vec::new());
        match client.call_record(&signature, &asked, &mut Record::new(&response)) {
            Err(CallError::Fault(fault)) => {
                desk::assert_refuses(&fault);
                desk::assert_is_limit(self.detail(bound, operation, &fault), &fault);
            }
            other => panic!("{}: {other:?}", self.url),
        }
    }

    /// An operation in the first binding of SOAP.
    fn operation(&self, name: &str) -> (&Bound, &Operation) {
        let is_soap = |it: &&Bound| matches!(it.protocol, Protocol::Soap11 | Protocol::Soap12);
        let bound = self.description.bindings().iter().find(is_soap).expect("a binding of SOAP");
        let operation = bound.operations.iter().find(|it| it.name == name);
        (bound, operation.expect("the operation"))
    }

    /// How an operation is called, and the layouts of what it takes and answers.
    fn signature(&self, bound: &Bound, operation: &Operation) -> (Signature, [Arc<Layout>; 2]) {
        let message = |described: Result<Option<Described>, Problem>| {
            let described = described.unwrap_or_else(|problem| panic!("{}: {problem}", self.url));
            let described = described.expect("something in the Body");
            (Arc::new(described.layout), described.options)
        };
        let request = message(self.description.request(bound, operation));
        let response = message(self.description.response(bound, operation));
        let action = operation.action.clone().unwrap_or_default();
        let signature = Signature::new(&operation.name, &action, (&request.0, &request.1))
            .and_then(|it| it.answered((&response.0, &response.1)))
            .unwrap_or_else(|error| panic!("{}: {error}", self.url));
        (signature, [request.0, response.0])
    }

    /// The header block with the token.
    fn session(&self, bound: &Bound, header: &Header) -> HeaderBlock {
        let described = self.description.header(bound, header);
        let described = described.unwrap_or_else(|problem| panic!("{}: {problem}", self.url));
        let layout = Arc::new(described.layout);
        let mut block = Record::new(&layout);
        let session = written(Session::layout(), &desk::session());
        read(session.to_string().as_bytes(), &layout, &mut block);
        let plan = Plan::new(&layout, &described.options).expect("a plan");
        let mut encoder = Encoder::new(&plan);
        let text = encoder.encode(&block).expect("a header block");
        let content = Fragment::parse(&String::from_utf8_lossy(text)).expect("an element");
        HeaderBlock::new(content)
    }

    /// The detail of a fault, as the WSDL has it; of ASMX, which tells of none, as ours.
    fn detail(&self, bound: &Bound, operation: &Operation, fault: &Fault) -> Option<Limit> {
        let Some(told) = operation.faults.first() else {
            assert!(self.url.ends_with(".asmx"), "{}: it tells of no faults", self.url);
            return fault.detail.iter().find_map(|it| element::read(it).ok());
        };
        let described = self.description.fault(bound, told);
        let described = described.unwrap_or_else(|problem| panic!("{}: {problem}", self.url))?;
        let layout = Arc::new(described.layout);
        let plan = Plan::new(&layout, &described.options).expect("a plan");
        let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
        let mut detail = Record::new(&layout);
        // Some toolkits have more beside it.
        let mut elements = fault.detail.iter();
        elements.find(|it| decoder.decode(it.as_str().as_bytes(), &mut detail).is_ok())?;
        let mut limit = Limit::empty();
        let text = written(&layout, &detail).to_string();
        read(text.as_bytes(), Limit::layout(), &mut limit);
        Some(limit)
    }
}

/// What a WSDL and its imports are read from.
fn fetched() -> impl Resolver {
    |path: &str| {
        // The path of a document that another one names is its URL.
        let url = if path.contains("://") { path.into() } else { path.replacen(":/", "://", 1) };
        let client = Client::with(&url, "", Binding::default(), ClientConfig::default());
        let document = client.and_then(|mut client| client.get());
        document.map(Some).map_err(|error| error.to_string())
    }
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
