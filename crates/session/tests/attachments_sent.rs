//! Octets that clients and services send beside the envelope, in packages.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use trunkline_codec::attachment::{Limits as PackageLimits, MediaType, Package, multipart};
use trunkline_message::Message;
use trunkline_session::soap::{
    Attachments, Binding, Client, ClientConfig, Fault, Running, Server, Service, SoapVersion,
};

const KINDS: [Attachments; 4] =
    [Attachments::Mtom, Attachments::Swa, Attachments::SwaRef, Attachments::Dime];
const LENGTH: usize = 100_000;

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct File {
    name: String,
    content: Vec<u8>,
    pages: Vec<Page>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Page {
    content: Vec<u8>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Wanted {
    octets: u32,
}

fn file() -> File {
    let octets = |length| (0..length).map(|it: usize| (it * 7) as u8).collect::<Vec<u8>>();
    let pages = [3000, 0, 10].map(|length| Page { content: octets(length) }).to_vec();
    File { name: "<one>".into(), content: octets(LENGTH), pages }
}

/// A server, and how many bytes its requests and answers had.
fn server() -> (Running, Arc<Mutex<Vec<[usize; 2]>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&told);
    let service = Service::new("Files", "urn:files")
        .operation("echo", |file: File| Ok::<_, Fault>(file))
        .operation_async("echo_later", async |file: File| Ok::<_, Fault>(file))
        .operation("get", |wanted: Wanted| {
            let content = vec![7; wanted.octets as usize];
            Ok::<_, Fault>(File { content, ..File::default() })
        })
        .at("/document", Binding::document_literal())
        .at("/12", Binding { version: SoapVersion::Soap12, ..Binding::document_literal() })
        .at("/encoded", Binding::rpc_encoded());
    let server = Server::new().service(service).offer_mtom().on_call(move |it| {
        log.lock().expect("a log").push([it.profile.bytes, it.answer_bytes]);
    });
    (server.start("127.0.0.1:0").expect("a server"), told)
}

fn bindings() -> [(&'static str, Binding); 3] {
    let twelve = SoapVersion::Soap12;
    [
        ("document", Binding::document_literal()),
        ("12", Binding { version: twelve, ..Binding::document_literal() }),
        ("encoded", Binding::rpc_encoded()),
    ]
}

#[test]
fn octets_go_beside_the_envelope_there_and_back() {
    let (server, told) = server();
    let (file, octets) = (file(), LENGTH + 3000);
    for (path, binding) in bindings() {
        let url = format!("http://{}/{path}", server.address());
        for kind in KINDS {
            let mut client = Client::with(&url, "urn:files", binding, ClientConfig::default());
            let client = client.as_mut().expect("a client");
            client.set_attachments(kind, 1000).expect("there is HTTP");
            for operation in ["echo", "echo_later", "echo"] {
                let back: File = client.call(operation, &file).expect("an answer");
                assert_eq!(back, file, "{path} {kind:?} {operation}");
            }
            let calls: Vec<_> = told.lock().expect("a log").drain(..).collect();
            assert_eq!(calls.len(), 3);
            for bytes in calls.into_iter().flatten() {
                let is_raw = (octets..octets + 3000).contains(&bytes);
                assert!(is_raw, "{path} {kind:?}: {bytes} bytes, no base64");
            }
            client.set_attachments(None, 0).expect("it can be taken back");
            let back: File = client.call("echo", &file).expect("an answer");
            assert_eq!(back, file);
            let plain = told.lock().expect("a log").pop().expect("a call");
            assert!(plain.iter().all(|it| *it > octets / 3 * 4), "{plain:?}: base64");
        }
    }
}

/// Status line, header fields and body of the answer.
fn post(server: &Running, fields: &str, body: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(server.address()).expect("a connection");
    let head = format!(
        "POST /document HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).expect("taken");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").expect("an end of the head");
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).expect("UTF-8").to_lowercase(), body)
}

fn content_type(head: &str) -> MediaType {
    let field = head.lines().find_map(|it| it.strip_prefix("content-type: "));
    MediaType::parse(field.expect("a media type")).expect("a media type")
}

#[test]
fn an_answer_is_in_the_kind_of_package_that_is_accepted_and_no_other() {
    let (server, _) = server();
    let asked = |accept: &str, octets: usize| {
        let body = format!(
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><get \
             xmlns='urn:files'><octets>{octets}</octets></get></s:Body></s:Envelope>"
        );
        let fields = format!("Content-Type: text/xml\r\n{accept}");
        let (head, body) = post(&server, &fields, body.as_bytes());
        (content_type(&head), body)
    };
    for (accept, essence, inner) in [
        ("", "text/xml", None),
        // So JAX-WS asks for anything.
        ("Accept: text/xml, multipart/related\r\n", "text/xml", None),
        (
            "Accept: multipart/related; type=\"application/xop+xml\", text/xml\r\n",
            "multipart/related",
            Some("application/xop+xml"),
        ),
        ("Accept: multipart/related; type=\"text/xml\"\r\n", "multipart/related", Some("text/xml")),
        ("Accept: application/dime, text/xml\r\n", "application/dime", None),
        ("Accept: application/dime;q=0, text/xml\r\n", "text/xml", None),
        (
            "Accept: multipart/related; type=\"application/xop+xml\"; q=0.0, application/dime; q=0.5\r\n",
            "application/dime",
            None,
        ),
    ] {
        let (media_type, body) = asked(accept, 2000);
        assert_eq!(media_type.essence, essence, "{accept}");
        if essence.starts_with("multipart") {
            assert_eq!(media_type.parameter("type"), inner, "{accept}");
        }
        let is_raw = body.windows(2000).any(|it| it.iter().all(|octet| *octet == 7));
        assert_eq!(is_raw, essence != "text/xml", "{accept}");
    }
    let (media_type, body) = asked("Accept: application/dime\r\n", 1000);
    assert_eq!(media_type.essence, "text/xml", "{} octets are too few", body.len());
}

#[test]
fn a_request_in_mtom_says_so_in_both_versions() {
    for (path, binding) in bindings() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/{path}", listener.local_addr().expect("an address"));
        let taking = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = Vec::new();
            let mut room = [0; 65536];
            while !request.ends_with(b"--\r\n") {
                let length = stream.read(&mut room).expect("a request");
                request.extend_from_slice(&room[..length]);
            }
            stream.write_all(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n").expect("taken");
            request
        });
        let mut client = Client::with(&url, "urn:files", binding, ClientConfig::default());
        let client = client.as_mut().expect("a client");
        client.set_attachments(Attachments::Mtom, 1000).expect("there is HTTP");
        client.call::<_, File>("echo", &file()).expect_err("it only took it");
        let request = taking.join().expect("a request");
        let end = request.windows(4).position(|it| it == b"\r\n\r\n").expect("a head");
        let (head, body) = request.split_at(end + 4);
        let head = std::str::from_utf8(head).expect("UTF-8").replace("\r\n", "\n");
        let field = |name: &str| {
            let mut lines = head.lines().filter_map(|it| it.split_once(": "));
            lines.find(|it| it.0.eq_ignore_ascii_case(name)).map(|it| it.1)
        };
        let media_type = MediaType::parse(field("content-type").expect("a type")).expect("a type");
        let parameter = |name: &str| media_type.parameter(name);
        assert_eq!(parameter("type"), Some("application/xop+xml"));
        let (info, action, soap_action) = match path {
            "12" => ("application/soap+xml", Some("urn:files#echo"), None),
            _ => ("text/xml", None, Some("\"urn:files#echo\"")),
        };
        assert_eq!((parameter("start-info"), parameter("action")), (Some(info), action));
        assert_eq!(field("soapaction"), soap_action);
        let accepted = field("accept").expect("what is accepted");
        assert!(accepted.contains("application/xop+xml"), "{accepted}");
        let boundary = parameter("boundary").expect("a boundary");
        let mut parser = multipart::Parser::new(boundary, &PackageLimits::default()).expect("one");
        let package = Package::read(&mut parser, body, 1 << 20).expect("a package");
        assert_eq!(Some(&*format!("<{}>", package.parts[0].head.id)), parameter("start"));
        assert_eq!(package.parts[1].data, file().content);
        assert_eq!(package.parts.len(), 3);
    }
}

#[test]
fn a_wsdl_says_that_octets_may_be_mtom() {
    let (server, _) = server();
    let url = format!("http://{}/document", server.address());
    let mut client = Client::new(&format!("{url}?wsdl"), "").expect("a client");
    let wsdl = client.get().expect("a WSDL");
    let wsdl = String::from_utf8(wsdl).expect("UTF-8");
    let asserted = wsdl.matches("<wsoma:OptimizedMimeSerialization ").count();
    assert!(asserted > 0, "{wsdl}");
    assert_eq!(wsdl.matches("<wsp:PolicyReference ").count(), asserted, "{wsdl}");
}

#[test]
fn soap_tcp_has_no_packages() {
    let mut client = Client::new("vnd.sun.ws.tcp://127.0.0.1:1/x", "urn:files").expect("a client");
    let error = client.set_attachments(Attachments::Mtom, 1).expect_err("there is no HTTP");
    assert!(error.to_string().contains("carries no attachments"), "{error}");
}
