//! Messages that no operation claims.

use trunkline_message::Message;
use trunkline_session::soap::{
    Binding, Fault, FaultCode, Fragment, HeaderBlock, Outcome, QName, Service, SoapVersion,
};
use trunkline_soap::graph::{self, Name};

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";
const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";

#[derive(Message, Default)]
struct Number {
    value: i32,
}

/// Beside the operation `double`: hands back what it gets, takes `silence`, rejects `failure`, and
/// answers an empty Body with an empty one.
fn service() -> Service {
    Service::new("Any", "urn:any")
        .operation("double", |number: Number| Ok::<_, Fault>(Number { value: 2 * number.value }))
        .understands("urn:any", "trace")
        .role("urn:any:gateway")
        .fallback(|mut message, context| {
            let blocks: Vec<HeaderBlock> = context.header_blocks().to_vec();
            message.header.clear();
            for block in blocks {
                let seen = QName::new("urn:any", "seen");
                let text =
                    format!("{} {}", block.name.local, block.content.value().unwrap_or_default());
                let content = Fragment::text(&seen, &text);
                let content = content.map_err(|error| Fault::receiver(error.to_string()))?;
                context.add_header_block(HeaderBlock::new(content));
            }
            match message.root().map(|(name, _)| name.local()) {
                Some("silence") => Ok(None),
                Some("failure") => Err(Fault::sender("as the test asks")),
                Some("anew") => {
                    let mut answer = graph::Message::new(message.version);
                    let value = answer.graph.add_text("made");
                    answer.body.push((Name::new("urn:any", "anewResponse"), value));
                    Ok(Some(answer))
                }
                _ => Ok(Some(message)),
            }
        })
        .at("/", Binding::rpc_encoded())
}

fn ask(soap: &str, header: &str, body: &str) -> (String, Outcome) {
    let endpoints = service().build().expect("a service");
    let mut conversation = endpoints[0].conversation();
    let request = format!(
        "<e:Envelope xmlns:e='{soap}' xmlns:n='urn:any'><e:Header>{header}</e:Header>\
         <e:Body>{body}</e:Body></e:Envelope>"
    );
    let answer = conversation.answer(request.as_bytes(), "", SoapVersion::Soap11);
    (String::from_utf8(answer.bytes.to_vec()).expect("text"), answer.outcome)
}

#[test]
fn it_gets_what_no_operation_claims_in_the_version_of_the_request() {
    for soap in [SOAP11, SOAP12] {
        let (answer, outcome) = ask(soap, "", "<n:other><deep><er>1</er></deep></n:other>");
        assert_eq!(outcome, Outcome::Reply);
        assert!(answer.contains(soap) && answer.contains("<deep><er>1</er></deep>"), "{answer}");
        let (answer, _) = ask(soap, "", "<n:double><value>4</value></n:double>");
        assert!(answer.contains(">8</value>"), "{answer}");
        let (answer, outcome) = ask(soap, "", "");
        assert_eq!(outcome, Outcome::Reply, "{answer}");
        let (answer, outcome) = ask(soap, "", "<n:silence/>");
        assert_eq!((&*answer, outcome), ("", Outcome::Taken));
    }
}

#[test]
fn it_answers_encoded_requests_encoded() {
    let style = format!("e:encodingStyle='{ENCODING12}'");
    let (answer, _) = ask(SOAP12, "", &format!("<n:anew {style}/>"));
    assert!(answer.contains(&format!("encodingStyle=\"{ENCODING12}\">made<")), "{answer}");
    let (answer, _) = ask(SOAP12, "", "<n:anew/>");
    assert!(answer.contains("made") && !answer.contains("encodingStyle"), "{answer}");
}

#[test]
fn encodings_that_are_not_known_are_told_so_in_soap_12() {
    for body in [
        "<n:other e:encodingStyle='urn:other'/>",
        "<n:other><in e:encodingStyle='urn:other'>1</in></n:other>",
        "<n:double e:encodingStyle='urn:other'><value>1</value></n:double>",
    ] {
        let (answer, outcome) = ask(SOAP12, "", body);
        assert_eq!(outcome, Outcome::Fault(FaultCode::DataEncodingUnknown), "{answer}");
        assert!(answer.contains("urn:other"), "{answer}");
        assert_eq!(ask(SOAP11, "", body).1, Outcome::Reply);
    }
    let none = "http://www.w3.org/2003/05/soap-envelope/encoding/none";
    let (_, outcome) = ask(SOAP12, "", &format!("<n:other e:encodingStyle='{none}'/>"));
    assert_eq!(outcome, Outcome::Reply);
}

#[test]
fn only_header_blocks_for_the_service_are_seen() {
    let header = "<n:trace e:mustUnderstand='1'>a</n:trace><n:trace e:role='urn:other'>b</n:trace>\
                  <n:trace e:role='urn:any:gateway'>c</n:trace>";
    let (answer, _) = ask(SOAP12, header, "<n:other/>");
    assert!(answer.contains(">trace a<") && answer.contains(">trace c<"), "{answer}");
    assert!(!answer.contains("trace b"), "{answer}");
    let unknown = "<n:unknown e:mustUnderstand='1'/>";
    let (_, outcome) = ask(SOAP12, unknown, "<n:other/>");
    assert_eq!(outcome, Outcome::Fault(FaultCode::MustUnderstand));
}

#[test]
fn header_blocks_go_along_with_a_fault() {
    for soap in [SOAP11, SOAP12] {
        let (answer, outcome) = ask(soap, "<n:trace>a</n:trace>", "<n:failure/>");
        assert_eq!(outcome, Outcome::Fault(FaultCode::Sender));
        assert!(answer.contains("Header>") && answer.contains(">trace a<"), "{answer}");
    }
}

#[test]
fn soap_12_says_what_is_wrong_with_a_call() {
    let wrong = "<n:double><value>many</value></n:double>";
    let (answer, outcome) = ask(SOAP12, "", wrong);
    assert_eq!(outcome, Outcome::Fault(FaultCode::Sender));
    assert!(answer.contains("ns:BadArguments") && answer.contains("soap-rpc"), "{answer}");
    let (answer, _) = ask(SOAP11, "", wrong);
    assert!(answer.contains(">SOAP-ENV:Client<"), "{answer}");
    let calls = Service::new("Calls", "urn:any")
        .operation("double", |number: Number| Ok::<_, Fault>(number))
        .at("/", Binding::rpc_literal());
    let mut conversation = calls.build().expect("a service")[0].conversation();
    let request = format!("<e:Envelope xmlns:e='{SOAP12}'><e:Body><no/></e:Body></e:Envelope>");
    let answer = conversation.answer(request.as_bytes(), "", SoapVersion::Soap12);
    let answer = String::from_utf8_lossy(answer.bytes);
    assert!(answer.contains("ns:ProcedureNotPresent"), "{answer}");
}

#[test]
fn a_service_without_operations_has_a_description_all_the_same() {
    let any = Service::new("Any", "urn:any").fallback(|message, _| Ok(Some(message)));
    let endpoints = any.build().expect("a service");
    let wsdl = endpoints[0].wsdl("http://localhost/");
    assert!(wsdl.contains("service name=\"Any\""), "{wsdl}");
}
