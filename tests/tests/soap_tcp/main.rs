//! Metro over SOAP/TCP: its client calls our service, and ours calls its service.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Fault, Running, Server, Service, SoapVersion,
};
use trunkline_tests::skip::skip;
use trunkline_wire::Text;

/// What Metro's client offers first, and how the profile says it. The last one is its default.
const MODES: [(&str, &str); 3] = [
    ("xml", "xml-utf8/none"),
    ("FIStateless", "fast-infoset/stateless"),
    ("FIStateful", "fast-infoset/retained"),
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
        for (mode, encoding) in MODES {
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

/// A service of Metro, which ends with this.
struct Serving {
    child: Child,
    port: u16,
}

impl Serving {
    fn start(metro: &Path, version: &str) -> Self {
        let mut command = Command::new(metro);
        command.args(["FIStateful", "serve", version]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("Metro starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it speaks");
        let port = line.trim().parse().unwrap_or_else(|_| panic!("{line:?} is no port"));
        Self { child, port }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

#[test]
fn our_client_calls_metros_service() {
    let Some(metro) = metro() else { return };
    for (name, version) in VERSIONS {
        let serving = Serving::start(&metro, name);
        let url = format!("vnd.sun.ws.tcp://127.0.0.1:{}/echo", serving.port);
        let binding = Binding { version, ..Binding::document_literal().unqualified() };
        let mut echo = Echo::with(&url, binding, ClientConfig::default()).expect("a URL");
        for value in [5, 5, 0, -1, i32::MIN, i32::MAX] {
            assert_eq!(echo.echo_int(&Int { value }).expect("an answer"), Int { value });
        }
        for text in ["", "Hello World", "Hello World", "<&>\"' \u{e9}\u{20ac}"] {
            let words = Words { value: Some(text.into()) };
            assert_eq!(echo.echo_string(&words).expect("an answer"), words);
        }
        for round in 0..3 {
            assert_eq!(echo.echo_void(&Nothing {}).expect("an answer"), Nothing {});
            echo.ping(&Words { value: Some(format!("round {round}").as_str().into()) })
                .expect("it is taken");
            let fault = echo.fail(&Nothing {}).expect_err("a fault");
            let CallError::Fault(fault) = fault else { panic!("{fault:?}") };
            assert_eq!(fault.reason, "as it was asked to");
        }
        for length in [0, 1, 9_000, 70_000, LARGEST] {
            let value: Vec<u8> = (0..length).map(|index| (index * 7 % 251) as u8).collect();
            let bytes = Bytes { value };
            let answer = echo.echo_bytes(&bytes).expect("an answer");
            assert!(answer == bytes, "{length} bytes came back as others, SOAP {name}");
        }
    }
}

#[test]
fn a_service_that_metro_does_not_have_is_told() {
    let Some(metro) = metro() else { return };
    let serving = Serving::start(&metro, "1.1");
    let url = format!("vnd.sun.ws.tcp://127.0.0.1:{}/nowhere", serving.port);
    let mut client = Client::new(&url, "urn:trunkline:echo").expect("a URL");
    let error = client.call::<_, Int>("echoInt", &Int { value: 1 }).expect_err("nothing is there");
    assert!(error.to_string().contains("/nowhere"), "{error}");
}
