//! A service over real sockets: what a client of HTTP sees, and what the log says.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use trunkline_http::{Compression, Config, Order, Workers};
use trunkline_message::{Message, UnknownContent};
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Context, Fault, FaultCode, Running, Server, Service,
    TcpConfig, TcpServer,
};
use trunkline_wire::Text;

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Word {
    text: Text,
}

/// A word as a later version of the service has it.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Longer {
    text: Text,
    more: Option<i32>,
    other: Option<i32>,
}

trunkline_session::client! {
    /// A client of the service.
    struct Words in "urn:words" {
        /// The word as it is.
        fn repeat(Word) -> Word;
        /// Keeps the word.
        fn keep(Word);
    }
}

fn service() -> Service {
    let repeat = |word: Word| match &*word.text {
        "sender" => Err(Fault::sender("a bad word")),
        "receiver" => Err(Fault::receiver("no more words")),
        _ => Ok(word),
    };
    Service::new("Words", "urn:words")
        .operation("repeat", repeat)
        .one_way("keep", |_: Word| Ok::<(), Fault>(()))
        .at("/words", Binding::document_literal())
        .at("/rpc", Binding::rpc_encoded())
}

fn start() -> Running {
    Server::new().service(service()).start("127.0.0.1:0").expect("a server")
}

/// Status line and headers, and the body, of the answer to one request.
fn ask(address: SocketAddr, head: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let length = body.len();
    let request =
        format!("{head}\r\nHost: x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).expect("a request is taken");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_lowercase(), body.to_owned())
}

fn envelope(namespace: &str, operation: &str, word: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='{namespace}'><e:Body><{operation} xmlns='urn:words'>\
         <text>{word}</text></{operation}></e:Body></e:Envelope>"
    )
}

/// SOAP 1.1 section 6.2, SOAP 1.2 part 2 section 7.4; but a Sender's fault is 500, as CXF reads it.
#[test]
fn status_and_media_type_are_those_that_clients_read() {
    let server = start();
    let old = "POST /words HTTP/1.1\r\nContent-Type: text/xml\r\nSOAPAction: \"\"";
    let new = "POST /words HTTP/1.1\r\nContent-Type: application/soap+xml; charset=utf-8";
    let cases = [
        (old, SOAP11, "repeat", "hello", "200", "text/xml; charset=utf-8"),
        (old, SOAP11, "repeat", "sender", "500", "text/xml; charset=utf-8"),
        (old, SOAP11, "repeat", "receiver", "500", "text/xml; charset=utf-8"),
        (new, SOAP12, "repeat", "hello", "200", "application/soap+xml; charset=utf-8"),
        (new, SOAP12, "repeat", "sender", "500", "application/soap+xml; charset=utf-8"),
        (new, SOAP12, "repeat", "receiver", "500", "application/soap+xml; charset=utf-8"),
        (new, SOAP12, "unknown", "hello", "500", "application/soap+xml; charset=utf-8"),
    ];
    for (head, namespace, operation, word, status, media_type) in cases {
        let (head, body) = ask(server.address(), head, &envelope(namespace, operation, word));
        let what = format!("{operation} {word} in {namespace}: {head}\n{body}");
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{what}");
        assert!(head.contains(&format!("content-type: {media_type}")), "{what}");
        assert!(body.contains(namespace), "{what}");
    }
    for (head, namespace) in [(old, SOAP11), (new, SOAP12)] {
        let (head, body) = ask(server.address(), head, &envelope(namespace, "keep", "it"));
        assert!(head.starts_with("http/1.1 202 "), "{head}");
        assert_eq!(body, "", "{head}");
    }
}

/// SOAP 1.2 part 2, table 20, for a service that asks for it.
#[test]
fn a_fault_of_the_sender_is_a_bad_request_where_the_service_says_so() {
    let service = service().bad_request_for_sender_faults();
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let old = "POST /words HTTP/1.1\r\nContent-Type: text/xml";
    let new = "POST /words HTTP/1.1\r\nContent-Type: application/soap+xml";
    for (head, namespace, operation, word, status) in [
        (new, SOAP12, "repeat", "sender", "400"),
        (new, SOAP12, "unknown", "hello", "400"),
        (new, SOAP12, "repeat", "receiver", "500"),
        (old, SOAP11, "repeat", "sender", "500"),
        (new, SOAP12, "repeat", "hello", "200"),
    ] {
        let (head, body) = ask(server.address(), head, &envelope(namespace, operation, word));
        let what = format!("{operation} {word} in {namespace}: {head}\n{body}");
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{what}");
        assert_eq!(body.contains("Fault"), status != "200", "{what}");
    }
}

#[test]
fn what_is_no_call_is_rejected_with_a_word() {
    let server = start();
    let cases = [
        ("POST /nowhere HTTP/1.1\r\nContent-Type: text/xml", "404", "there is /words, /rpc"),
        ("POST /words HTTP/1.1\r\nContent-Type: application/json", "415", "text/xml (SOAP 1.1)"),
        ("POST /words HTTP/1.1", "415", "application/soap+xml (SOAP 1.2)"),
        ("GET /words?policy HTTP/1.1", "404", "there is /words?wsdl"),
        ("DELETE /words HTTP/1.1", "405", "POST an envelope"),
        ("POST /words HTTP/1.1\r\nContent-Type: text/xml", "500", "SOAP-ENV:Client"),
    ];
    for (request, status, words) in cases {
        let (head, body) = ask(server.address(), request, "");
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{request}: {head}");
        assert!(body.contains(words), "{request}: {body}");
    }
    let (head, body) = ask(server.address(), "GET /rpc?WSDL HTTP/1.1", "");
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    assert!(body.contains("location=\"http://x/rpc\""), "{body}");
}

/// The envelopes of a service's page, as a browser would send them.
fn envelopes(page: &str) -> Vec<String> {
    let forms = page.split("</textarea>").filter_map(|it| it.split_once("<textarea "));
    let texts = forms.filter_map(|(_, it)| it.split_once(">\n"));
    texts
        .map(|(_, text)| {
            text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&")
        })
        .collect()
}

/// Every operation's form has an envelope that the service takes, in every style.
#[test]
fn a_browser_gets_a_page_with_what_to_send() {
    let bindings = [
        Binding::document_literal(),
        Binding::document_literal_bare(),
        Binding::document_encoded(),
        Binding::rpc_literal(),
        Binding::rpc_encoded(),
    ];
    for binding in bindings {
        let said = |question: Longer| {
            assert_eq!((question.more, question.other), (Some(1), Some(1)));
            Ok::<_, Fault>(Word { text: question.text })
        };
        let service = Service::new("Words", "urn:words")
            .documentation("Says <b>nothing</b> & more")
            .operation("say", said)
            .one_way("keep", |_: Word| Ok::<(), Fault>(()))
            .at("/words", binding);
        let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
        let (head, page) = ask(server.address(), "GET /words HTTP/1.1", "");
        assert!(head.starts_with("http/1.1 200 ") && head.contains("text/html"), "{head}");
        assert!(head.contains("frame-ancestors 'none'"), "{head}");
        assert!(page.contains("<p>Says &lt;b&gt;nothing&lt;/b&gt; &amp; more</p>"), "{page}");
        assert!(page.contains("<code>http://x/words</code>"), "{page}");
        let envelopes = envelopes(&page);
        assert_eq!(envelopes.len(), 2, "{page}");
        for (envelope, (action, status)) in envelopes.iter().zip([("say", "200"), ("keep", "202")])
        {
            let post = format!(
                "POST /words HTTP/1.1\r\nContent-Type: text/xml\r\nSOAPAction: \"urn:words#{action}\""
            );
            let (head, body) = ask(server.address(), &post, envelope);
            assert!(head.starts_with(&format!("http/1.1 {status} ")), "{envelope}\n{body}");
        }
    }
}

/// Where the WSDL says that the service is.
fn location(server: Server, head: &str) -> String {
    let server = server.service(service()).start("127.0.0.1:0").expect("a server");
    let (_, wsdl) = ask(server.address(), &format!("GET /rpc?wsdl HTTP/1.1{head}"), "");
    let (_, rest) = wsdl.split_once("location=\"").unwrap_or_else(|| panic!("{wsdl}"));
    rest.split('"').next().expect("a quote").to_owned()
}

#[test]
fn the_address_is_what_the_server_was_told_and_no_client_says_it() {
    let forwarded = "\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example.org, inner";
    assert_eq!(location(Server::new(), forwarded), "http://x/rpc");
    let trusting = || Server::new().trust_forwarded();
    assert_eq!(location(trusting(), forwarded), "https://shop.example.org/rpc");
    assert_eq!(location(trusting(), ""), "http://x/rpc");
    let odd = "\r\nX-Forwarded-Proto: gopher\r\nX-Forwarded-Host: ,";
    assert_eq!(location(trusting(), odd), "http://x/rpc");
    for address in ["https://example.org/shop", "https://example.org/shop/"] {
        let server = trusting().public_address(address);
        assert_eq!(location(server, forwarded), "https://example.org/shop/rpc");
    }
    for address in ["example.org", "ftp://example.org", "http://", "https://a?b", "http:///a"] {
        let server = Server::new().service(service()).public_address(address);
        let error = server.start("127.0.0.1:0").expect_err("no address").to_string();
        assert!(error.starts_with(&format!("the public address {address:?} is not")), "{error}");
    }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Session {
    token: String,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Served {
    by: String,
}

/// Says in a header block whose session it was.
fn serve(word: Word, context: &mut Context) -> Result<Word, Fault> {
    let Some(Session { token }) = context.header()? else { return Err(Fault::sender("who?")) };
    context.add_header(&Served { by: token })?;
    Ok(word)
}

#[test]
fn header_blocks_are_in_the_wsdl_and_look_as_it_says() {
    let service = Service::new("Sessions", "urn:words")
        .operation("repeat", serve)
        .header::<Session>()
        .reply_header::<Served>()
        .at("/words", Binding::document_literal())
        .at("/rpc", Binding::rpc_encoded());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let literal = "<Session xmlns='urn:words'><token>T</token></Session>";
    let encoded = "<n:Session xmlns:n='urn:words'><token>T</token></n:Session>";
    for (path, usage, blocks) in [
        ("/words", "literal", &[literal][..]),
        // Clients that were made before send literal ones.
        ("/rpc", "encoded", &[encoded, literal]),
    ] {
        let (_, wsdl) = ask(server.address(), &format!("GET {path}?wsdl HTTP/1.1"), "");
        let blocks_described: Vec<&str> =
            wsdl.lines().filter(|it| it.contains(":header ")).collect();
        assert_eq!(blocks_described.len(), 2, "{path}: {wsdl}");
        for (line, name) in blocks_described.iter().zip(["Session", "Served"]) {
            assert!(line.contains(name), "{path}: {line}");
            assert!(line.contains(&format!("use=\"{usage}\"")), "{path}: {line}");
        }
        for block in blocks {
            let head = format!("POST {path} HTTP/1.1\r\nContent-Type: text/xml");
            let body = envelope(SOAP11, "repeat", "hello")
                .replace("<e:Body>", &format!("<e:Header>{block}</e:Header><e:Body>"));
            let (head, body) = ask(server.address(), &head, &body);
            assert!(head.starts_with("http/1.1 200 "), "{path} {block}: {head}\n{body}");
            let served = match usage {
                "literal" => "<Served xmlns=\"urn:words\"><by>T</by></Served>",
                _ => "xsi:type=\"ns:Served\"><by xsi:type=\"xsd:string\">T</by></ns:Served>",
            };
            assert!(body.contains(served), "{path} {block}: no {served} in {body}");
        }
    }
}

/// A block of one operation is not in the description of the others.
#[test]
fn operations_have_header_blocks_and_documentation_of_their_own() {
    let same = |word: Word| Ok::<_, Fault>(word);
    let service = Service::new("Sessions", "urn:words")
        .operation("repeat", serve)
        .operation_documentation("Says it again & tells whose session it was")
        .operation_header::<Session>()
        .operation_reply_header::<Served>()
        .operation("keep", same)
        .at("/words", Binding::document_literal());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let (_, wsdl) = ask(server.address(), "GET /words?wsdl HTTP/1.1", "");
    let text = "Says it again &amp; tells whose session it was";
    assert!(wsdl.contains(&format!("<wsdl:documentation>{text}</wsdl:documentation>")), "{wsdl}");
    let (_, bindings) = wsdl.split_once("<wsdl:binding ").expect("a binding");
    let (repeat, keep) = bindings.split_once("<wsdl:operation name=\"keep\"").expect("two");
    assert!(repeat.contains("part=\"Session\"") && repeat.contains("part=\"Served\""), "{wsdl}");
    assert!(!keep.contains(":header "), "{wsdl}");
    let (_, page) = ask(server.address(), "GET /words HTTP/1.1", "");
    assert!(page.contains(&format!("<p>{text}</p>")), "{page}");
}

#[test]
fn requests_on_one_connection_are_answered_in_order() {
    let server = start();
    let mut stream = TcpStream::connect(server.address()).expect("a connection");
    let words = ["one", "two", "sender", "three"];
    let mut requests = String::new();
    for (index, word) in words.into_iter().enumerate() {
        let body = envelope(SOAP11, "repeat", word);
        let last = if index + 1 == words.len() { "Connection: close\r\n" } else { "" };
        requests.push_str(&format!(
            "POST /words HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n{last}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ));
    }
    stream.write_all(requests.as_bytes()).expect("requests are taken");
    let mut answers = String::new();
    stream.read_to_string(&mut answers).expect("answers");
    let places: Vec<_> = ["<text>one", "<text>two", "a bad word", "<text>three"]
        .iter()
        .map(|it| answers.find(it).unwrap_or_else(|| panic!("{it}: {answers}")))
        .collect();
    assert!(places.is_sorted(), "{answers}");
}

/// Each line names how the call travelled.
#[test]
fn the_log_names_profile_and_outcome() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    let server = Server::new()
        .service(service())
        .on_call(move |call| log.lock().expect("the log").push(call.to_string()))
        .start("127.0.0.1:0")
        .expect("a server");
    let url = |path: &str| format!("http://{}{path}", server.address());
    let gzip = ClientConfig { compression: Some(Compression::Gzip), ..ClientConfig::default() };
    let mut words = Words::new(&url("/words")).expect("a client");
    words.repeat(&Word { text: "a".into() }).expect("a reply");
    words.repeat(&Word { text: "sender".into() }).expect_err("a fault");
    let mut packed = Words::with(&url("/rpc"), Binding::rpc_encoded().soap12(), gzip).expect("one");
    packed.keep(&Word { text: "b".into() }).expect("it is taken");
    let profile = packed.client().profile().expect("a profile").to_string();
    assert!(profile.starts_with("http-1.1/soap-1.2-rpc-encoded/xml-utf8/none/gzip/"));
    let lines = lines.lock().expect("the log").clone();
    let expected = [
        (
            " /words repeat | http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/none/",
            "answered, ",
        ),
        (
            " /words repeat | http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/none/",
            "Sender fault: a bad word",
        ),
        (" /rpc keep | http-1.1/soap-1.2-rpc-encoded/xml-utf8/none/gzip/", "taken"),
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, (profile, outcome)) in lines.iter().zip(expected) {
        assert!(line.contains(profile) && line.contains(outcome), "{line}");
    }
}

/// What a schema does not know is passed over, but not without a word.
#[test]
fn unknown_elements_are_counted_in_the_log_and_in_the_profile() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    let server = Server::new()
        .service(service())
        .on_call(move |call| log.lock().expect("the log").push(call.to_string()))
        .start("127.0.0.1:0")
        .expect("a server");
    let head = "POST /words HTTP/1.1\r\nContent-Type: text/xml\r\nSOAPAction: \"\"";
    let hello = envelope(SOAP11, "repeat", "hello");
    let extended = |extra: &str| hello.replace("</text>", &format!("</text>{extra}"));
    let known = "<x:text xmlns:x='urn:x'>1</x:text>";
    for (body, status, told) in [
        (hello.clone(), "200", " bytes | answered"),
        (extended("<more><a/><b/></more>"), "200", " bytes, 1 unknown element | answered"),
        (extended("<a/><b xmlns='urn:b'/>"), "200", " bytes, 2 unknown elements | answered"),
        (hello.clone(), "200", " bytes | answered"),
        (
            extended("<more/>").replace("<text>", "<a/><text>").replace("</text>", "<b/></text>"),
            "500",
            " bytes, 1 unknown element | ",
        ),
        (
            extended("<text>2</text>").replace("<text>hello", "<a/><text b='1'>hello"),
            "500",
            " bytes, 2 unknown elements | ",
        ),
        (hello.clone(), "200", " bytes | answered"),
        (extended(known), "500", "expected <text> of \"urn:words\", not <text> of \"urn:x\""),
    ] {
        let (head, _) = ask(server.address(), head, &body);
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{head}");
        let line = lines.lock().expect("the log").pop().expect("a line");
        assert!(line.contains(told), "{line}");
    }
}

#[test]
fn unknown_elements_of_a_reply_are_counted_in_the_clients_profile() {
    let more = Service::new("Words", "urn:words")
        .operation("repeat", |word: Word| {
            Ok::<_, Fault>(Longer { text: word.text, more: Some(1), other: Some(2) })
        })
        .at("/words", Binding::document_literal());
    let server = Server::new().service(more).start("127.0.0.1:0").expect("a server");
    let mut words = Words::new(&format!("http://{}/words", server.address())).expect("a client");
    words.repeat(&Word { text: "a".into() }).expect("a reply");
    let profile = words.client().profile().expect("a profile").to_string();
    assert!(profile.ends_with(" bytes, 2 unknown elements"), "{profile}");
}

/// Who wants no extensions is told of the first one.
#[test]
fn unknown_elements_are_rejected_where_that_is_asked_for() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    let server = Server::new()
        .service(service().on_unknown(UnknownContent::Reject))
        .on_call(move |call| log.lock().expect("the log").push(call.to_string()))
        .start("127.0.0.1:0")
        .expect("a server");
    let head = "POST /words HTTP/1.1\r\nContent-Type: text/xml\r\nSOAPAction: \"\"";
    let hello = envelope(SOAP11, "repeat", "hello");
    let extended = hello.replace("</text>", "</text><more/>");
    let why = "the schema does not know it, and unknown content is rejected";
    for _ in 0..2 {
        let (head_of_answer, body) = ask(server.address(), head, &extended);
        assert!(head_of_answer.starts_with("http/1.1 500 "), "{head_of_answer}");
        let at = extended.find("<more/>").expect("it stands there");
        assert!(body.contains(&format!("more at byte {at}: {why}")), "{body}");
        let line = lines.lock().expect("the log").pop().expect("a line");
        assert!(line.contains(", 1 unknown element | ") && line.contains(why), "{line}");
        let (head_of_answer, _) = ask(server.address(), head, &hello);
        assert!(head_of_answer.starts_with("http/1.1 200 "), "{head_of_answer}");
    }

    let more = Service::new("Words", "urn:words")
        .operation("repeat", |word: Word| {
            Ok::<_, Fault>(Longer { text: word.text, more: Some(1), other: None })
        })
        .at("/words", Binding::document_literal());
    let server = Server::new().service(more).start("127.0.0.1:0").expect("a server");
    let mut words = Words::new(&format!("http://{}/words", server.address())).expect("a client");
    let word = Word { text: "a".into() };
    words.repeat(&word).expect("a reply");
    words.client().set_on_unknown(UnknownContent::Reject);
    match words.repeat(&word).map(|_| ()) {
        Err(CallError::Reply(error)) => assert_eq!(error.path(), "more"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_client_says_why_there_is_no_reply() {
    let server = start();
    let url = |path: &str| format!("http://{}{path}", server.address());
    let word = Word { text: "receiver".into() };
    let mut words = Words::new(&url("/words")).expect("a client");
    match words.repeat(&word) {
        Err(CallError::Fault(fault)) => {
            assert_eq!((fault.code, &*fault.reason), (FaultCode::Receiver, "no more words"));
        }
        other => panic!("{other:?}"),
    }
    let error = Words::new(&url("/nowhere")).expect("a client").repeat(&word);
    let error = error.expect_err("no service").to_string();
    assert!(error.starts_with("HTTP status 404: no service is at /nowhere"), "{error}");
    for (url, why) in [
        ("words", "a URL begins with http:// or https://"),
        ("ftp://x/", "its scheme is neither http nor https"),
        ("http://localhost:99999/", "its port is no port"),
        ("http://localhost:8o80/", "its port is no port"),
        ("http://me:secret@localhost/", "it names a user"),
    ] {
        let error = Words::new(url).expect_err("no URL").to_string();
        assert!(error.contains(why), "{error}");
    }
    let error = Words::new("http://127.0.0.1:1/").expect("a client").repeat(&word);
    assert!(error.expect_err("nobody there").to_string().contains("127.0.0.1:1"));
}

/// As Kohlhoff and Steele (2004) carried it.
#[test]
fn raw_tcp_carries_one_envelope_after_another() {
    let endpoints = service().build().expect("a service");
    let words = endpoints.into_iter().find(|it| it.path() == "/words").expect("its endpoint");
    let server = TcpServer::start("127.0.0.1:0", words, TcpConfig::default()).expect("a server");
    let mut stream = TcpStream::connect(server.address()).expect("a connection");
    for word in ["one", "sender", "two"] {
        stream.write_all(envelope(SOAP11, "repeat", word).as_bytes()).expect("it is taken");
        let mut answer = String::new();
        let mut piece = [0; 1024];
        while !answer.contains("Envelope>") {
            let length = stream.read(&mut piece).expect("an answer");
            assert!(length > 0, "{answer}");
            answer.push_str(std::str::from_utf8(&piece[..length]).expect("text"));
        }
        let expected =
            if word == "sender" { "a bad word".to_owned() } else { format!("<text>{word}</text>") };
        assert!(answer.contains(&expected), "{answer}");
    }
}

#[test]
fn over_raw_tcp_a_call_of_one_way_has_no_answer_even_if_it_fails() {
    let service = Service::new("Words", "urn:words")
        .operation("repeat", Ok::<Word, Fault>)
        .one_way("keep", |_: Word| Err::<(), Fault>(Fault::receiver("no room")));
    let endpoint = service.build().expect("a service").remove(0);
    let server = TcpServer::start("127.0.0.1:0", endpoint, TcpConfig::default()).expect("a server");
    let mut stream = TcpStream::connect(server.address()).expect("a connection");
    let both = envelope(SOAP11, "keep", "it") + &envelope(SOAP11, "repeat", "it");
    stream.write_all(both.as_bytes()).expect("it is taken");
    let mut answer = [0; 1024];
    let length = stream.read(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(answer.contains("repeatResponse"), "{answer}");
    // A server that is dropped hangs up.
    drop(server);
    assert!(matches!(stream.read(&mut [0; 16]), Ok(0) | Err(_)), "nobody is there");
}

#[test]
fn the_character_set_of_the_media_type_is_that_of_the_text() {
    let server = start();
    let ask_in = |charset: &str| {
        let head = format!("POST /words HTTP/1.1\r\nContent-Type: text/xml; charset={charset}");
        ask(server.address(), &head, &envelope(SOAP11, "repeat", "\u{e9}"))
    };
    assert!(ask_in("utf-8").1.contains("<text>\u{e9}</text>"));
    assert!(ask_in("iso-8859-1").1.contains("<text>\u{c3}\u{a9}</text>"));
    assert!(ask_in("koi8-r").0.starts_with("http/1.1 415 "));
}

#[test]
fn an_operation_may_have_an_action_of_its_own() {
    let named = |word: &'static str| move |_: Word| Ok::<Word, Fault>(Word { text: word.into() });
    let service = Service::new("Words", "urn:words")
        .operation("first", named("first"))
        .operation("second", named("second"))
        .action("urn:another/Second")
        .at("/", Binding::document_literal_bare());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let url = format!("http://{}/", server.address());
    let binding = Binding::document_literal_bare();
    let mut client =
        Client::with(&url, "urn:words", binding, ClientConfig::default()).expect("one");
    client.call::<Word, Word>("second", &Word::default()).expect_err("an action nobody has");
    client.set_action("second", "urn:another/Second");
    for name in ["first", "second", "first"] {
        let reply: Word = client.call(name, &Word::default()).expect("a reply");
        assert_eq!(reply.text, Text::from(name));
    }
    client.set_action("second", "urn:\r\nX: y");
    let error = client.call::<Word, Word>("second", &Word::default()).expect_err("no action");
    assert!(error.to_string().contains("cannot be an action"), "{error}");
}

#[test]
fn a_path_belongs_to_one_service() {
    let server = Server::new().service(service()).service(service());
    let error = server.start("127.0.0.1:0").expect_err("twice the same path").to_string();
    assert!(error.contains("have the same path"), "{error}");
}

/// Sends a call to a server of one thread, and lets it take that in before anything else happens.
fn queue(server: &Running, operation: &str, action: &str, word: &str) -> TcpStream {
    let before = server.counters().requests;
    let body = envelope(SOAP11, operation, word);
    let head = format!(
        "POST /words HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nSOAPAction: \"{action}\"\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(server.address()).expect("a connection");
    stream.write_all(head.as_bytes()).expect("a request is taken");
    while server.counters().requests == before {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The same thread answers this behind it, without a worker.
    let mut second = TcpStream::connect(server.address()).expect("a connection");
    second.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it reads");
    second.read_to_string(&mut String::new()).expect("an answer");
    stream
}

/// One worker is held; what waits behind it is served by the ranks of operations, which the action tells, or the envelope.
#[test]
fn operations_are_served_by_their_ranks() {
    let (tell, go) = std::sync::mpsc::channel::<()>();
    let (has, had) = std::sync::mpsc::channel();
    let (go, has) = (Mutex::new(go), Mutex::new(has));
    let function = Arc::new(move |word: Word| {
        has.lock().expect("no panic").send(word.text.to_string()).expect("the test listens");
        go.lock().expect("no panic").recv().expect("the test tells");
        Ok::<_, Fault>(word)
    });
    let of = |function: &Arc<_>| {
        let function: Arc<dyn Fn(Word) -> Result<Word, Fault> + Send + Sync> =
            Arc::clone(function) as _;
        move |word: Word| function(word)
    };
    let service = Service::new("Words", "urn:words")
        .operation("report", of(&function))
        .rank(2)
        .operation("repeat", of(&function))
        .rank(1)
        .operation("ping", of(&function))
        .at("/words", Binding::document_literal());
    let order = Order::LowestRank { patience: Duration::from_secs(900) };
    let workers = Workers::Pool { threads: 1, queue: 9, order };
    let config = Config { workers, threads: 1, ..Config::default() };
    let server = Server::new().service(service).config(config).start("127.0.0.1:0");
    let server = server.expect("a server");
    let send = |operation: &str, action: &str, word: &str| queue(&server, operation, action, word);
    let mut streams = vec![send("report", "", "held")];
    assert_eq!(had.recv().expect("a worker"), "held");
    streams.extend([
        send("unknown", "", "unknown"),
        send("report", "urn:words#report", "report"),
        send("repeat", "", "repeat by envelope"),
        send("ping", "urn:words#ping", "ping"),
        send("repeat", "urn:words#repeat", "repeat by action"),
        send("ping", "urn:other", "ping with an action of nothing"),
        send("report", "urn:words#ping", "report with another action"),
        send("ping", "", &"ж".repeat(50_000)),
    ]);
    let mut order = Vec::new();
    for _ in 0..7 {
        tell.send(()).expect("a worker waits");
        order.push(had.recv().expect("a worker"));
    }
    tell.send(()).expect("a worker waits");
    assert_eq!(
        order.remove(2).chars().count(),
        50_000,
        "of a long envelope that is cut in a character"
    );
    assert_eq!(
        order,
        [
            "ping",
            "ping with an action of nothing",
            "repeat by envelope",
            "repeat by action",
            "report",
            "report with another action"
        ]
    );
    for mut stream in streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = if answer.contains("unknown") { "500" } else { "200" };
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
}
