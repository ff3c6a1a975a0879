//! Messages that come in packages, with what is attached to them, as a service and a client take them.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use trunkline_codec::attachment::{Head, Kind, MediaType, Package, Part, multipart};
use trunkline_message::{Limits, Message};
use trunkline_session::soap::{Binding, CallError, Fault, Running, Server, Service};
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct File {
    name: Text,
    content: Vec<u8>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Length {
    octets: u32,
    last: u32,
}

trunkline_session::client! {
    /// A client of the service.
    struct Files in "urn:files" {
        /// Takes a file.
        fn put(File) -> Length;
    }
}

fn put(file: File) -> Result<Length, Fault> {
    let last = file.content.last().copied().unwrap_or_default().into();
    Ok(Length { octets: file.content.len() as u32, last })
}

fn server() -> Running {
    let limits = Limits { message_bytes: 10_000, ..Limits::default() };
    let service = Service::new("Files", "urn:files")
        .operation("put", put)
        .limits(limits)
        .at("/document", Binding::document_literal())
        .at("/encoded", Binding::rpc_encoded());
    Server::new().service(service).start("127.0.0.1:0").expect("a server")
}

const INCLUDE: &str =
    "<xop:Include xmlns:xop='http://www.w3.org/2004/08/xop/include' href='cid:a%40b'/>";

fn envelope(content: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8'?><s:Envelope \
         xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><put xmlns='urn:files'><name>\
         one</name><content>{content}</content></put></s:Body></s:Envelope>"
    )
}

fn part(id: &str, media_type: &str, data: &[u8]) -> Part {
    let kind = Kind::Media(media_type.to_owned());
    Part { head: Head { id: id.to_owned(), kind, ..Head::default() }, data: data.to_vec() }
}

/// As Metro sends them: the media type of the whole, and its bytes.
fn mtom(parts: Vec<Part>) -> (String, Vec<u8>) {
    let mut writer = multipart::Writer::new("uuid:1").expect("a boundary");
    let media_type = MediaType { essence: "multipart/related".into(), ..MediaType::default() }
        .with("start", "<root>")
        .with("type", "application/xop+xml")
        .with("boundary", "uuid:1")
        .with("start-info", "text/xml");
    (media_type.to_string(), Package { parts }.write_multipart(&mut writer).expect("a package"))
}

const XOP: &str = "application/xop+xml; charset=utf-8; type=\"text/xml\"";

/// Status and body of the answer.
fn post(server: &Running, path: &str, (media_type, body): (String, Vec<u8>)) -> (u16, String) {
    let mut stream = TcpStream::connect(server.address()).expect("a connection");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {media_type}\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("taken");
    stream.write_all(&body).expect("taken");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let status = answer["HTTP/1.1 ".len()..][..3].parse().expect("a status");
    (status, answer)
}

#[test]
fn what_an_include_refers_to_is_in_the_message_wherever_the_root_stands() {
    let server = server();
    let data = part("a@b", "application/octet-stream", b"\r\n--\0\xff");
    let root = part("root", XOP, envelope(INCLUDE).as_bytes());
    for parts in [vec![root.clone(), data.clone()], vec![data, root]] {
        let (status, answer) = post(&server, "/document", mtom(parts));
        assert_eq!(status, 200, "{answer}");
        assert!(answer.contains("<octets>6</octets><last>255</last>"), "{answer}");
    }
}

#[test]
fn what_an_empty_element_refers_to_is_in_the_message_with_attachments_and_dime() {
    let server = server();
    let envelope = envelope("@").replace("<content>@</content>", "<content href=\"cid:a@b\"/>");
    let parts = vec![
        part("", "text/xml; charset=utf-8", envelope.as_bytes()),
        part("a@b", "text/plain", b"hello"),
    ];
    let mut package = Package { parts };
    let mut writer = multipart::Writer::new("b").expect("a boundary");
    let bytes = package.write_multipart(&mut writer).expect("a package");
    let media_type = "multipart/related; boundary=b; type=text/xml".to_owned();
    package.parts[0].head.kind = Kind::Uri("http://schemas.xmlsoap.org/soap/envelope/".into());
    let dime = ("application/dime".to_owned(), package.write_dime().expect("a package"));
    for sent in [(media_type, bytes), dime] {
        for path in ["/document", "/encoded"] {
            let (status, answer) = post(&server, path, sent.clone());
            assert_eq!(status, 200, "{answer}");
            assert!(answer.contains(">5</octets>") && answer.contains(">111</last>"), "{answer}");
        }
    }
}

#[test]
fn the_character_set_of_an_envelope_is_that_of_its_media_type() {
    let server = server();
    let envelope = envelope("AAAA").replace("<?xml version='1.0' encoding='UTF-8'?>", "");
    let mut latin = envelope.into_bytes();
    let name = latin.windows(3).position(|it| it == b"one").expect("the name");
    latin[name] = 0xe9;
    let sent = |charset: &str| {
        let media_type = format!("application/xop+xml; charset={charset}; type=\"text/xml\"");
        post(&server, "/document", mtom(vec![part("root", &media_type, &latin)]))
    };
    assert_eq!(sent("ISO-8859-1").0, 200);
    assert_eq!(sent("koi8-r").0, 400);
}

#[test]
fn parts_of_dime_may_have_any_uri_and_nothing_stands_behind_the_last() {
    let server = server();
    let envelope = envelope("@").replace("<content>@</content>", "<content href=\"uuid:1\"/>");
    let mut root = part("", "", envelope.as_bytes());
    root.head.kind = Kind::Uri("http://schemas.xmlsoap.org/soap/envelope/".into());
    let package = Package { parts: vec![root, part("uuid:1", "", b"hello")] };
    let mut bytes = package.write_dime().expect("a package");
    let dime = |bytes: &[u8]| ("application/dime".to_owned(), bytes.to_vec());
    let (status, answer) = post(&server, "/document", dime(&bytes));
    assert_eq!(status, 200, "{answer}");
    bytes.push(0);
    let (status, answer) = post(&server, "/document", dime(&bytes));
    assert_eq!(status, 400, "{answer}");
}

#[test]
fn what_is_attached_is_never_lost_and_never_grows_without_bounds() {
    let server = server();
    let data = || part("a@b", "application/octet-stream", &[7; 6000]);
    let root = |content: &str| part("root", XOP, envelope(content).as_bytes());
    let other = INCLUDE.replace("a%40b", "c");
    for (parts, why) in [
        (vec![root("AAAA"), data()], "nothing in the envelope refers to the part &quot;a@b&quot;"),
        (vec![root(&other), data()], "no part of the package is"),
        (vec![root(&INCLUDE.replace("cid:", "")), data()], "refers to no part"),
        (vec![root(&INCLUDE.repeat(2)), data()], "message_bytes"),
        (vec![data()], "no part is the start"),
        (vec![root(INCLUDE), data(), data()], "two parts have the id"),
    ] {
        let (status, answer) = post(&server, "/document", mtom(parts));
        let why = why.replace("&quot;", "\"");
        assert_eq!(status, 400, "{answer}");
        assert!(answer.contains(&why), "{why}: {answer}");
    }
    let (status, answer) = post(&server, "/document", mtom(vec![root("AAAA")]));
    assert_eq!(status, 200, "{answer}");
}

/// Answers one call with a package.
fn answering(parts: Vec<Part>) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let answering = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut request = Vec::new();
        while !request.ends_with(b"Envelope>") {
            let mut room = [0; 4096];
            let length = stream.read(&mut room).expect("a request");
            request.extend_from_slice(&room[..length]);
        }
        let (media_type, body) = mtom(parts);
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), &body].concat()).expect("taken");
    });
    (format!("http://{address}/"), answering)
}

#[test]
fn answers_come_in_packages_too() {
    let answer = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
                  <putResponse xmlns='urn:files'><octets>3</octets><last>9</last></putResponse>\
                  </s:Body></s:Envelope>";
    let root = part("root", XOP, answer.as_bytes());
    let (url, answering_once) = answering(vec![root.clone()]);
    let mut files = Files::new(&url).expect("a client");
    let file = File { name: "one".into(), content: vec![1, 2, 9] };
    assert_eq!(files.put(&file).expect("an answer"), Length { octets: 3, last: 9 });
    answering_once.join().expect("it answered");
    let (url, answering_once) = answering(vec![root, part("more", "text/plain", b"lost?")]);
    let mut files = Files::new(&url).expect("a client");
    match files.put(&file) {
        Err(CallError::Reply(error)) => assert!(error.to_string().contains("\"more\""), "{error}"),
        other => panic!("{other:?}"),
    }
    answering_once.join().expect("it answered");
}
