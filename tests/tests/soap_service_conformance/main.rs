//! Services in conversation with recorded requests, of SOAP 1.1 and 1.2, held against the answers that
//! were recorded: header blocks and roles, faults with details, intermediaries.

mod collection;
mod faults;
mod headers;
mod intermediaries;
mod typed;

use trunkline_message::Limits;
use trunkline_session::soap::{Fault, FaultCode, Service, SoapVersion};
use trunkline_tests::infoset::Element;
use trunkline_tests::soap_cases::{self, Case, Differences, comparable};

/// Suites that have cases for services.
fn all() -> Option<Vec<Case>> {
    let mut all = Vec::new();
    for suite in ["soap12-testcollection", "round3-groupf", "round4-grouph", "round4-groupi"] {
        all.extend(soap_cases::cases(&format!("soap-php/{suite}.jsonl"))?);
    }
    for folder in ["test-doc", "test-intermediary", "add-test-doc-int", "w3c-soap12-testcollection"]
    {
        all.extend(soap_cases::pairs(&format!("soap12-whitemesa/soap12/{folder}"))?);
    }
    all.extend(collection::additional()?);
    Some(all)
}

/// The collection of SOAP 1.2 as a whole, and what the list of exceptions leaves to services.
fn is_ours(case: &Case) -> bool {
    case.id.starts_with("soap-php/soap12-testcollection/") || soap_cases::is_for_services(&case.id)
}

/// What our service for the case answers.
fn answer(case: &Case) -> Vec<u8> {
    let request = case.fields.text("request").as_bytes();
    let (_, id) = case.id.split_once('/').expect("a suite");
    let (suite, id) = id.rsplit_once('/').expect("a case");
    let service = match suite {
        "soap12-testcollection" | "soap12/test-doc" | "soap12/test-intermediary" => {
            collection::service()
        }
        "soap12/w3c-soap12-testcollection" | "soap12/add-test-rpc" => collection::xmlp(),
        "soap12/add-test-doc-int" => return intermediaries::pass_on(request),
        "round3-groupf" => headers::group_f(),
        "round4-groupi" => headers::group_i(),
        "round4-grouph" => faults::service(id),
        _ => panic!("no service for {}", case.id),
    };
    let expected = match case.id.starts_with("soap-php/round") {
        true => SoapVersion::Soap11,
        false => SoapVersion::Soap12,
    };
    ask(service, request, expected)
}

/// The first endpoint's answer to one request.
fn ask(service: Service, request: &[u8], expected: SoapVersion) -> Vec<u8> {
    let endpoints = service.build().expect("a service");
    let mut conversation = endpoints[0].conversation();
    let once = conversation.answer(request, "", expected).bytes.to_vec();
    // What was learnt from it changes nothing.
    assert_eq!(conversation.answer(request, "", expected).bytes, once);
    once
}

fn is_soap(name: &str, local: &str) -> bool {
    let namespace = name.strip_suffix(local).unwrap_or_default();
    matches!(
        namespace,
        "{http://www.w3.org/2003/05/soap-envelope}" | "{http://schemas.xmlsoap.org/soap/envelope/}"
    )
}

/// Texts for people go, and so does the encoding style of faults, which an Envelope may state.
fn normal(document: &str) -> Element {
    let mut envelope = comparable(document);
    envelope.visit(&mut |element| {
        if element.name == "faultstring" || is_soap(&element.name, "Text") {
            element.text.clear();
            element.attributes.retain(|name, _| !name.ends_with("}lang"));
        }
        if is_soap(&element.name, "Fault") {
            element
                .visit(&mut |it| it.attributes.retain(|name, _| !name.ends_with("}encodingStyle")));
        }
    });
    envelope
}

/// Header blocks by which a node may say more about a fault than others do.
fn is_optional(block: &Element) -> bool {
    ["NotUnderstood", "Upgrade"].iter().any(|local| is_soap(&block.name, local))
}

/// The answer, without blocks that go beyond what was expected.
fn without_surplus(mut answer: Element, expected: &Element) -> Element {
    let header = |envelope: &Element| {
        envelope.children.iter().position(|child| is_soap(&child.name, "Header"))
    };
    let asked =
        header(expected).is_some_and(|at| expected.children[at].children.iter().any(is_optional));
    if let Some(at) = header(&answer).filter(|_| !asked) {
        answer.children[at].children.retain(|block| !is_optional(block));
        if answer.children[at].children.is_empty() {
            answer.children.remove(at);
        }
    }
    answer
}

#[test]
fn recorded_requests_are_answered_as_recorded() {
    let Some(cases) = all() else { return };
    let cases: Vec<Case> = cases.into_iter().filter(is_ours).collect();
    assert!(cases.len() > 100, "only {} cases", cases.len());
    let mut differences = Differences::default();
    for case in &cases {
        let document = String::from_utf8(answer(case)).expect("UTF-8");
        let expected = normal(case.fields.text("response"));
        let answer = without_surplus(normal(&document), &expected);
        differences.compare(&case.id, &expected, &answer);
    }
    differences.check_services(&cases);
}

/// Where PHP blames the receiver or nobody, the sender is told what was wrong.
#[test]
fn what_other_services_let_pass_is_the_senders_mistake() {
    let Some(cases) = soap_cases::cases("soap-php/soap12-testcollection.jsonl") else { return };
    for (id, reason) in [
        ("T25", "document type declarations are rejected"),
        ("T26", "processing instructions are rejected, SOAP has none"),
        ("T27", "text in a value of the type xsd:string"),
        ("T28", "no encodingStyle on Envelope, Header or Body"),
        ("T33", "there is no procedure {http://example.org/ts-tests}DoesNotExist"),
        ("T56", "an element with the id \"data-2\""),
        ("T58", "text in a value of the type xsd:int"),
        ("T61", "sizes such as 2 3 or *"),
    ] {
        let is_it = |case: &&Case| case.id.ends_with(&format!("/{id}"));
        let case = cases.iter().find(is_it).expect("the case");
        let fault = Fault::decode(&answer(case), &Limits::default()).expect("a fault");
        assert_eq!(fault.code, FaultCode::Sender, "{id}");
        assert!(fault.reason.contains(reason), "{id}: {fault}");
    }
}

#[test]
fn every_exception_of_services_is_answered_here() {
    let Some(cases) = all() else { return };
    for (pattern, reason) in soap_cases::exceptions() {
        let answered = cases.iter().any(|case| soap_cases::matches(&pattern, &case.id));
        assert!(answered || !reason.starts_with("services"), "no case {pattern}");
    }
}
