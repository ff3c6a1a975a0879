//! A server of SOAP services over HTTP and those who would misuse it. While they do, another client
//! calls, and all of its answers are right.

mod attacks;
mod damaged;
mod failing;
#[path = "../../../crates/http/tests/common/mod.rs"]
mod http_common;
mod slow;

use std::net::SocketAddr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::Duration;

use trunkline_http::{Client, ClientConfig, HeaderMap, HeaderValue, Method, Received};
use trunkline_lab::customer_services::RESPONSE;
use trunkline_lab::customer_services::web_service::{CustomerClient, service};
use trunkline_message::{Limits, Message};
use trunkline_session::soap::{Binding, Config, Fault, Running, Server, Service, SoapVersion};
use trunkline_soap as soap;
use trunkline_tests::{infoset, samples};

#[derive(Message, Default)]
struct Number {
    value: i32,
}

/// Beside the paper's service one that takes any message, and one whose function panics.
fn serve(config: Config) -> Running {
    let any = Service::new("Any", "urn:any")
        .fallback(|message, _| Ok(Some(message)))
        .at("/any", Binding::rpc_encoded());
    let failing = Service::new("Failing", "urn:failing")
        .operation("fail", |number: Number| match number.value {
            0 => Ok::<_, Fault>(number),
            value => panic!("as the test asks: {value}"),
        })
        .at("/failing", Binding::rpc_literal());
    let server = Server::new().service(service()).service(any).service(failing).config(config);
    server.start("127.0.0.1:0").expect("our services start")
}

/// Time-outs that are short, and yet longer than a busy machine holds up a client that is in order.
fn short() -> Config {
    Config {
        threads: 1,
        header_timeout: Duration::from_secs(2),
        body_timeout: Duration::from_secs(2),
        ..Config::default()
    }
}

/// A client that is in order.
struct Honest(CustomerClient);

impl Honest {
    fn new(address: SocketAddr) -> Self {
        let url = format!("http://{address}/doc-literal-wrapped");
        Self(CustomerClient::new(&url).expect("a client"))
    }

    fn call(&mut self) {
        let mut message = samples::customer_services(2, 3);
        let reply = self.0.echo(&message).expect("an answer");
        message.header = RESPONSE.into();
        assert_eq!(reply, message);
    }
}

/// Ends the calls of the other client, also if the attack fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Does something while another client calls, whose answers are all right before, during and after.
fn beside<T>(server: &Running, attack: impl FnOnce() -> T) -> T {
    let (done, begun) = (AtomicBool::new(false), Barrier::new(2));
    let outcome = scope(|scope| {
        scope.spawn(|| {
            let mut honest = Honest::new(server.address());
            honest.call();
            begun.wait();
            while !done.load(Ordering::Acquire) {
                honest.call();
                sleep(Duration::from_millis(1));
            }
            honest.call();
        });
        begun.wait();
        let _done = Done(&done);
        attack()
    });
    Honest::new(server.address()).call();
    outcome
}

fn client(server: &Running) -> Client {
    Client::new(&server.address().to_string(), ClientConfig::default()).expect("an address")
}

fn headers(version: SoapVersion, action: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let content_type = match version {
        SoapVersion::Soap11 => "text/xml; charset=utf-8".to_owned(),
        SoapVersion::Soap12 => {
            format!("application/soap+xml; charset=utf-8; action=\"{action}\"")
        }
    };
    let value = |text: &str| HeaderValue::from_str(text).expect("a value");
    headers.insert("content-type", value(&content_type));
    headers.insert("soapaction", value(&format!("\"{action}\"")));
    headers
}

/// Posts a body that may be anything. Whatever it is, there is an answer, which is SOAP.
fn post(client: &mut Client, path: &str, headers: &HeaderMap, body: &[u8]) -> Received {
    let answer = client.request(&Method::POST, path, headers, body);
    let excerpt = || String::from_utf8_lossy(&body[..body.len().min(3000)]).into_owned();
    let answer = answer.unwrap_or_else(|error| panic!("{path}: {error}: {}", excerpt()));
    let is_fault = is_fault(&answer);
    match answer.status.as_u16() {
        200 => assert!(!is_fault, "{path}: {}", excerpt()),
        400 | 500 => assert!(is_fault, "{path}: {}", excerpt()),
        status => panic!("{path}: {status} {:?}: {}", answer.body, excerpt()),
    }
    answer
}

/// Is the answer, which is well-formed SOAP to the end, a fault?
fn is_fault(answer: &Received) -> bool {
    let kind = answer.headers.get("content-type").expect("a content type");
    let kind = kind.to_str().expect("ASCII");
    let whole = infoset::read(&answer.body);
    assert!(whole.name.ends_with("}Envelope"), "{}", whole.lines());
    let opened = soap::open(&answer.body, &Limits::default()).expect("an envelope");
    assert_eq!(kind.starts_with("text/xml"), opened.version == SoapVersion::Soap11, "{kind}");
    if opened.is_fault {
        let fault = Fault::decode(&answer.body, &Limits::default()).expect("a whole fault");
        assert!(!fault.reason.is_empty());
    }
    opened.is_fault
}
