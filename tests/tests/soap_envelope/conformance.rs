//! The W3C test collection of SOAP 1.2 and its neighbours: what of it concerns the envelope.

use std::fs;

use trunkline_message::Limits;
use trunkline_soap::{
    self as soap, Fault, FaultCode, Fragment, HeaderBlock, Opened, QName, Roles, Version,
};
use trunkline_tests::{conformance, seam};

const TESTS: &str = "http://example.org/ts-tests";

/// The node C of the collection, at which the messages end.
const NODE_C: Roles<'static> = Roles::ultimate(&["http://example.org/ts-tests/C"]);

fn understood(name: &QName) -> bool {
    let known = ["echoOk", "requiredHeader", "validateCountryCode", "echoResolvedRef"];
    name.namespace == TESTS && known.contains(&&*name.local)
}

/// The faults that header and envelope demand. In all other cases the message gets through to what
/// the Body asks for.
const FAULTS: [(&str, FaultCode); 12] = [
    ("T12", FaultCode::MustUnderstand),
    ("T13", FaultCode::MustUnderstand),
    ("T14", FaultCode::Sender),
    ("T24", FaultCode::VersionMismatch),
    ("T25", FaultCode::Sender),
    ("T26", FaultCode::Sender),
    ("T28", FaultCode::Sender),
    ("T35", FaultCode::MustUnderstand),
    ("T36", FaultCode::MustUnderstand),
    ("T39", FaultCode::Sender),
    ("T69", FaultCode::Sender),
    ("T70", FaultCode::Sender),
];

/// What the kept response of another toolkit says in another way: T25 blames the receiver for a
/// document type declaration, T26 passes over a processing instruction.
const OTHERWISE: [&str; 2] = ["T25", "T26"];

fn process(request: &str) -> Result<Opened, Fault> {
    let opened = seam::open(request.as_bytes(), &Limits::default());
    let opened = opened.map_err(|error| Fault::of_error(&error))?;
    match soap::not_understood(&opened.header, &understood, &NODE_C) {
        names if names.is_empty() => Ok(opened),
        names => Err(Fault::must_understand(names)),
    }
}

/// The code of a response, if it is a fault.
fn code(response: &str) -> Option<FaultCode> {
    let opened = seam::open(response.as_bytes(), &Limits::default()).expect("a kept response");
    let fault = seam::fault(response.as_bytes(), &Limits::default());
    assert_eq!(fault.is_ok(), opened.is_fault, "{response}");
    fault.ok().map(|fault| fault.code)
}

#[test]
fn the_test_collection_meets_the_faults_of_the_envelope() {
    let Some(directory) = conformance::directory("soap-php") else { return };
    let cases = fs::read_to_string(directory.join("soap12-testcollection.jsonl")).unwrap();
    let mut count = 0;
    for line in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        let [id, request, response] =
            ["id", "request", "response"].map(|it| case[it].as_str().unwrap());
        let demanded = FAULTS.iter().find(|it| it.0 == id).map(|it| it.1);
        let outcome = process(request);
        assert_eq!(outcome.as_ref().err().map(|fault| fault.code), demanded, "{id}: {outcome:?}");
        if demanded.is_some() && !OTHERWISE.contains(&id) {
            assert_eq!(code(response), demanded, "{id}");
        }
        if let Ok(opened) = outcome
            && code(response).is_none()
        {
            answered(id, &opened, response);
        }
        count += 1;
    }
    assert!(count >= 45, "{count}");
}

/// Every `echoOk` block for the node is answered by a `responseOk` block, and no other is.
fn answered(id: &str, opened: &Opened, response: &str) {
    let asked = soap::targeted(&opened.header, &NODE_C).filter(|it| it.name.is(TESTS, "echoOk"));
    let response = soap::open(response.as_bytes(), &Limits::default()).unwrap();
    let told = response.header.iter().filter(|it| it.name.is(TESTS, "responseOk"));
    assert_eq!(asked.count(), told.count(), "{id}");
    assert_eq!(response.version, opened.version, "{id}");
}

/// A kept message whose template variables stand where values would.
fn message(name: &str) -> Option<Vec<u8>> {
    let directory = conformance::directory("soap12-whitemesa")?;
    Some(fs::read(directory.join("soap12").join(name)).expect("the file of a case"))
}

#[test]
fn faults_of_the_interop_suites_are_read() {
    for (name, code, reason) in [
        (
            "test-doc/T12-response.xml",
            FaultCode::MustUnderstand,
            "Headers: Mandatory header block not understood.",
        ),
        (
            "add-test-doc-int/XMLP-19-response.xml",
            FaultCode::MustUnderstand,
            " Header not understood ",
        ),
        (
            "w3c-soap12-testcollection/XMLP-5-response.xml",
            FaultCode::VersionMismatch,
            "Wrong Version",
        ),
        (
            "w3c-soap12-testcollection/XMLP-7-response.xml",
            FaultCode::Sender,
            "This is a Sender fault.",
        ),
        (
            "w3c-soap12-testcollection/XMLP-8-response.xml",
            FaultCode::Receiver,
            "This is a Receiver fault.",
        ),
        (
            "w3c-soap12-testcollection/XMLP-9-response.xml",
            FaultCode::DataEncodingUnknown,
            " Unknown Data Encoding Style ",
        ),
    ] {
        let Some(bytes) = message(name) else { return };
        let fault = seam::fault(&bytes, &Limits::default()).unwrap();
        assert_eq!((fault.code, &*fault.reason), (code, reason), "{name}");
        match name {
            "test-doc/T12-response.xml" => {
                assert_eq!(fault.not_understood, [QName::new(TESTS, "Unknown")]);
            }
            "add-test-doc-int/XMLP-19-response.xml" => {
                assert_eq!(fault.not_understood, [QName::new("http://test-xmlp-17", "seekrit")]);
            }
            "w3c-soap12-testcollection/XMLP-5-response.xml" => {
                assert_eq!(fault.upgrade, [Version::Soap12]);
            }
            _ => {}
        }
    }
    let Some(bytes) = message("w3c-soap12-testcollection/XMLP-11-response.xml") else { return };
    let fault = seam::fault(&bytes, &Limits::default()).unwrap();
    let rpc = "http://www.w3.org/2003/05/soap-rpc";
    assert_eq!(fault.subcodes, [QName::new(rpc, "BadArguments")]);
}

#[test]
fn every_message_of_the_interop_suite_opens() {
    let Some(directory) = conformance::directory("soap12-whitemesa") else { return };
    let mut count = 0;
    for folder in fs::read_dir(directory.join("soap12")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let opened = seam::open(&fs::read(&path).unwrap(), &Limits::default());
            let opened = opened.unwrap_or_else(|error| panic!("{path:?}: {error}"));
            let old = path.ends_with("XMLP-5-request.xml");
            assert_eq!(opened.version == Version::Soap11, old, "{path:?}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

/// An intermediary that understands nothing: XMLP-15 loses its block, XMLP-18 keeps it, XMLP-19 is
/// rejected.
#[test]
fn intermediaries_drop_relay_or_reject() {
    let roles = Roles::intermediary(&[]);
    let limits = Limits::default();
    let nothing = |_: &QName| false;
    for (name, kept, rejected) in
        [("XMLP-15-request.xml", 0, 0), ("XMLP-18.xml", 1, 0), ("XMLP-19-request.xml", 0, 1)]
    {
        let Some(bytes) = message(&format!("add-test-doc-int/{name}")) else { return };
        let opened = seam::open(&bytes, &limits).unwrap();
        let missing = soap::not_understood(&opened.header, &nothing, &roles);
        assert_eq!((opened.header.len(), missing.len()), (1, rejected), "{name}");
        let forwarded = soap::forward(&bytes, &limits, &roles, &nothing, &[]).unwrap();
        let forwarded = soap::open(&forwarded, &limits).unwrap();
        assert_eq!(forwarded.header.len(), kept, "{name}");
        assert_eq!(forwarded.body, opened.body, "{name}");
    }
}

/// The node in the middle answers `echoOk` with `responseOk` in what it passes on.
#[test]
fn an_intermediary_answers_in_the_header() {
    let Some(bytes) = message("test-intermediary/T6-request.xml") else { return };
    let roles = Roles::intermediary(NODE_C.named);
    let limits = Limits::default();
    let answer = Fragment::text(&QName::new(TESTS, "responseOk"), "test header").unwrap();
    let inserted = [HeaderBlock::new(answer)];
    let forwarded = soap::forward(&bytes, &limits, &roles, &understood, &inserted).unwrap();
    let forwarded = soap::open(&forwarded, &limits).unwrap();
    let Some(expected) = message("test-intermediary/T6-response.xml") else { return };
    let expected = soap::open(&expected, &limits).unwrap();
    let names = |opened: &Opened| -> Vec<(QName, String)> {
        let text =
            |it: &HeaderBlock| it.content.as_str().split(['<', '>']).nth(2).map(String::from);
        opened.header.iter().map(|it| (it.name.clone(), text(it).unwrap())).collect()
    };
    assert_eq!(names(&forwarded), names(&expected));
    assert_eq!(forwarded.body, expected.body);
}
