//! The test collection of SOAP 1.2: node C of it, and the services of XMLP-n.

use trunkline_message::Message as Structure;
use trunkline_session::soap::{Binding, Context, Fault, Fragment, HeaderBlock, QName, Service};
use trunkline_soap::graph::{Message, Name};
use trunkline_tests::soap_cases::{self, Case, Fields};
use trunkline_tests::soap_echo::{EchoService, SOAP_12};

const TESTS: &str = "http://example.org/ts-tests";
const RPC: &str = "http://www.w3.org/2003/05/soap-rpc";
const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XLINK: &str = "http://www.w3.org/1999/xlink";

/// Requests whose responses are those of the collection.
pub(crate) fn additional() -> Option<Vec<Case>> {
    let folder = |name: &str| soap_cases::pairs(&format!("soap12-whitemesa/soap12/{name}"));
    let responses = folder("w3c-soap12-testcollection")?;
    let with_response = |case: Case| {
        let (_, name) = case.id.rsplit_once('/').expect("a case");
        let is_it = |it: &&Case| it.id.ends_with(&format!("/{name}"));
        let found = responses.iter().find(is_it).expect("a response");
        let [request, response] = [(&case, "request"), (found, "response")]
            .map(|(case, field)| case.fields.text(field).to_owned());
        Case { id: case.id, fields: Fields::of(&request, &response) }
    };
    Some(folder("add-test-rpc")?.into_iter().map(with_response).collect())
}

/// The node C.
pub(crate) fn service() -> Service {
    Service::new("Tests", TESTS)
        .role("http://example.org/ts-tests/C")
        .understands(TESTS, "echoOk")
        .understands(TESTS, "requiredHeader")
        .understands(TESTS, "validateCountryCode")
        .understands(TESTS, "echoResolvedRef")
        .fallback(|message, context| {
            let required = header(&message, context)?;
            body(message, required).map(Some)
        })
        .at("/", Binding::rpc_encoded().soap12())
}

/// Answers header blocks; what the required one says is handed back.
fn header(message: &Message, context: &mut Context) -> Result<String, Fault> {
    let mut required = String::new();
    for block in context.header_blocks().to_vec() {
        let value = block.content.value().unwrap_or_default();
        match &*block.name.local {
            "echoOk" => add(context, "responseOk", &value)?,
            "requiredHeader" => required = value,
            "validateCountryCode" if value.len() != 2 => {
                add(context, "validateCountryCodeFault", "Country code must be 2 letters.")?;
                return Err(Fault::sender("Not a valid country code"));
            }
            "echoResolvedRef" => add(context, "responseResolvedRef", &resolved(message))?,
            _ => {}
        }
    }
    Ok(required)
}

fn add(context: &mut Context, name: &str, value: &str) -> Result<(), Fault> {
    let content = Fragment::text(&QName::new(TESTS, name), value);
    let content = content.map_err(|error| Fault::receiver(error.to_string()))?;
    context.add_header_block(HeaderBlock::new(content));
    Ok(())
}

/// The reference in the block `echoResolvedRef`, with its base before it.
fn resolved(message: &Message) -> String {
    let block = message.header.iter().find(|(name, _)| name.local() == "echoResolvedRef");
    let reference = block.and_then(|(_, node)| message.graph.member(*node, "RelativeReference"));
    let attribute = |namespace, local| {
        let found = reference.and_then(|it| message.graph.node(it).attribute(namespace, local));
        found.unwrap_or_default().to_owned()
    };
    attribute(XML, "base") + &attribute(XLINK, "href")
}

fn body(message: Message, required: String) -> Result<Message, Fault> {
    let mut answer = Message::new(message.version);
    let Some((name, root)) = message.root() else { return Ok(answer) };
    let echo = EchoService { operations: SOAP_12, types: "http://example.org/ts-tests/xsd" };
    let (local, text) = match name.local() {
        "echoOk" => ("responseOk", message.graph.text(root).unwrap_or_default().to_owned()),
        "echoHeader" => ("echoHeaderResponse", required),
        known if echo.has(known) => return Ok(echo.answer(message)),
        _ => {
            let fault = Fault::sender(format!("there is no procedure {name}"));
            return Err(fault.with_subcode(QName::new(RPC, "ProcedureNotPresent")));
        }
    };
    let text = answer.graph.add_text(&text);
    answer.body.push((Name::new(TESTS, local), text));
    Ok(answer)
}

#[derive(Structure, Default)]
struct EchoInteger {
    #[field(name = "inputInteger")]
    value: i32,
}

#[derive(Structure, Default)]
struct EchoIntegerResponse {
    #[field(name = "return")]
    value: i32,
}

/// The services of XMLP-n, one of them with a schema.
pub(crate) fn xmlp() -> Service {
    Service::new("Xmlp", "http://soapinterop.org/")
        .operation("echoInteger", |EchoInteger { value }| {
            Ok::<_, Fault>(EchoIntegerResponse { value })
        })
        .fallback(|message, _| match message.root().map(|(name, _)| name.local()) {
            Some("echoSenderFault") => Err(Fault::sender("This is a Sender fault.")),
            Some("echoReceiverFault") => Err(Fault::receiver("This is a Receiver fault.")),
            Some("echoVoid") => {
                let mut answer = Message::new(message.version);
                let nothing = answer.graph.add_struct(Vec::new());
                answer
                    .body
                    .push((Name::new("http://soapinterop.org/", "echoVoidResponse"), nothing));
                Ok(Some(answer))
            }
            _ => Ok(Some(message)),
        })
        .at("/", Binding::rpc_encoded().soap12())
}
