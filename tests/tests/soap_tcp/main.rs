//! Metro over SOAP/TCP: its client calls our service, and ours calls its service, also over HTTP.

mod client;
mod serving;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{
    Binding, Fault, MessageEncoding, Running, Server, Service, SoapVersion,
};
use trunkline_tests::skip::skip;
use trunkline_wire::Text;

/// How Metro's side encodes, and how the profile says it. The last one is its default.
const MODES: [(&str, MessageEncoding, &str); 3] = [
    ("xml", MessageEncoding::Xml, "xml-utf8/none"),
    ("FIStateless", MessageEncoding::FastInfoset, "fast-infoset/stateless"),
    ("FIStateful", MessageEncoding::StatefulFastInfoset, "fast-infoset/retained"),
];
const VERSIONS: [(&str, SoapVersion); 2] =
    [("1.1", SoapVersion::Soap11), ("1.2", SoapVersion::Soap12)];
/// Ten megabytes.
const LARGEST: usize = 10_000_000;

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Int {
    value: i32,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Words {
    value: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Bytes {
    value: Vec<u8>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Nothing {}

trunkline_session::client! {
    /// A client of the service.
    struct Echo in "urn:trunkline:echo" {
        /// The number as it is.
        fn echo_int(Int) -> Int = "echoInt";
        /// The text as it is.
        fn echo_string(Words) -> Words = "echoString";
        /// The bytes as they are.
        fn echo_bytes(Bytes) -> Bytes = "echoBytes";
        /// Nothing.
        fn echo_void(Nothing) -> Nothing = "echoVoid";
        /// No answer.
        fn ping(Words);
        /// A fault.
        fn fail(Nothing) -> Nothing;
    }
}

fn service(version: SoapVersion) -> Service {
    let fail = |_: Nothing| Err::<Nothing, _>(Fault::receiver("as it was asked to"));
    let binding = Binding { version, ..Binding::document_literal().unqualified() };
    Service::new("EchoService", "urn:trunkline:echo")
        .operation("echoInt", |it: Int| Ok::<_, Fault>(it))
        .operation("echoString", |it: Words| Ok::<_, Fault>(it))
        .operation("echoBytes", |it: Bytes| Ok::<_, Fault>(it))
        .operation("echoVoid", |it: Nothing| Ok::<_, Fault>(it))
        .one_way("ping", |_: Words| Ok::<(), Fault>(()))
        .operation("fail", fail)
        .at("/echo", binding)
}

fn start(version: SoapVersion) -> (Running, Arc<Mutex<Vec<String>>>) {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let lines = log.clone();
    let server = Server::new().service(service(version)).offer_soap_tcp().on_call(move |report| {
        lines.lock().expect("no test panicked").push(report.to_string());
    });
    (server.start("127.0.0.1:0").expect("a port is free"), log)
}

/// Metro, if it is here.
fn metro() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/build/bin/metro-tcp");
    let is_here = program.is_file();
    if !is_here {
        skip("peers/build/bin/metro-tcp is not there: make -C peers metro");
    }
    is_here.then_some(program)
}

#[test]
fn metros_client_calls_our_service() {
    let Some(metro) = metro() else { return };
    for (name, version) in VERSIONS {
        for (mode, _, encoding) in MODES {
            let (server, log) = start(version);
            let wsdl = format!("http://{}/echo?wsdl", server.address());
            let mut command = Command::new(&metro);
            command.args([mode, "call", &wsdl, &LARGEST.to_string()]);
            let output = command.output().expect("Metro starts");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(out.trim(), "called 121 times", "SOAP {name}, {mode}: {err}");
            let log = log.lock().expect("no test panicked");
            // One that returns nothing is not counted there.
            assert_eq!(log.len(), 122, "SOAP {name}, {mode}");
            let profile =
                format!("soap-tcp-1.0/soap-{name}-document-literal-wrapped/{encoding}/none/");
            assert!(log.iter().all(|it| it.contains(&profile)), "{}", log[0]);
        }
    }
}

#[test]
fn metros_client_chooses_fast_infoset_over_http_by_our_policy() {
    let Some(metro) = metro() else { return };
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let lines = log.clone();
    let server = Server::new().service(service(SoapVersion::Soap11)).offer_fast_infoset();
    let server = server.on_call(move |report| {
        lines.lock().expect("no test panicked").push(report.to_string());
    });
    let server = server.start("127.0.0.1:0").expect("a port is free");
    let wsdl = format!("http://{}/echo?wsdl", server.address());
    let mut command = Command::new(&metro);
    let output = command.args(["FIStateful", "call", &wsdl, "1000"]).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&output.stdout).trim(), "called 121 times", "{}", text(&output.stderr));
    let log = log.lock().expect("no test panicked");
    let is_fast = |it: &&String| it.contains("| http-1.1/") && it.contains("/fast-infoset/");
    assert_eq!(log.iter().filter(is_fast).count(), log.len(), "{}", log[0]);
}
