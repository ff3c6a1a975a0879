//! A service that is called in Fast Infoset: over HTTP message by message, and in a conversation that retains its
//! vocabularies.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

use trunkline_codec::fast_infoset::{
    Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_codec::infoset::{Event, Reader as _, Tag as _, Writer as _};
use trunkline_message::{Limits, Message};
use trunkline_session::soap::{
    Answer, Binding, Conversation, Fault, FaultCode, MessageEncoding, Outcome, Server, Service,
    SoapVersion,
};
use trunkline_wire::Text;

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Words {
    text: Text,
    numbers: Vec<i32>,
}

fn service() -> Service {
    let repeat = |words: Words| match &*words.text {
        "sender" => Err(Fault::sender("bad words")),
        _ => Ok(words),
    };
    Service::new("Words", "urn:words")
        .operation("repeat", repeat)
        .one_way("keep", |_: Words| Ok::<(), Fault>(()))
        .fallback(|message, _| Ok(Some(message)))
        .at("/words", Binding::document_literal())
        .at("/rpc", Binding::rpc_encoded())
}

fn envelope(namespace: &str, operation: &str, word: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='{namespace}'><e:Body><{operation} xmlns='urn:words'>\
         <text>{word}</text></{operation}></e:Body></e:Envelope>"
    )
}

/// The envelope as Fast Infoset.
fn encoded(writer: &mut Writer, envelope: &str) -> Vec<u8> {
    writer.begin();
    writer.raw(envelope);
    writer.finish().expect("an envelope").to_vec()
}

fn stateless(envelope: &str) -> Vec<u8> {
    encoded(&mut Writer::stateless(WriterOptions::default()), envelope)
}

/// What a document says, as XML.
fn shown(parser: &mut Parser, document: &[u8]) -> String {
    let mut reader = Reader::begin(parser, document).expect("a document");
    let Ok(Event::Start(name)) = reader.next() else { panic!("no element") };
    assert_eq!(reader.local(name), "Envelope");
    let mut xml = String::new();
    reader.raw(&[], &mut xml).expect("an element");
    reader.finish().expect("the end of the document");
    xml
}

fn parser() -> Parser {
    Parser::stateless(Options::soap(), &Limits::default())
}

/// The head of the answer to one request, and its body.
fn ask(address: SocketAddr, head: &str, body: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let length = body.len();
    let head =
        format!("POST {head}\r\nHost: x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).expect("a request is taken");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    (head, answer.split_off(end + 4))
}

#[test]
fn requests_over_http_are_answered_in_their_encoding_or_the_one_that_is_accepted() {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = lines.clone();
    let server = Server::new()
        .service(service())
        .on_call(move |report| log.lock().expect("lines").push(report.to_string()))
        .start("127.0.0.1:0")
        .expect("a server");
    let old = "/words HTTP/1.1\r\nContent-Type: application/fastinfoset\r\nSOAPAction: \"\"";
    let new = "/words HTTP/1.1\r\nContent-Type: application/soap+fastinfoset; action=\"\"";
    let cases = [
        (old, SOAP11, "repeat", "hello", "200", "application/fastinfoset", "<text>hello</text>"),
        (old, SOAP11, "repeat", "sender", "500", "application/fastinfoset", "bad words"),
        (new, SOAP12, "repeat", "hello", "200", "application/soap+fastinfoset", "hello</text>"),
        (new, SOAP12, "repeat", "sender", "500", "application/soap+fastinfoset", "bad words"),
        (new, SOAP12, "other", "hello", "200", "application/soap+fastinfoset", "hello</ns1:text>"),
    ];
    for (head, namespace, operation, word, status, media_type, part) in cases {
        let request = stateless(&envelope(namespace, operation, word));
        let (head, body) = ask(server.address(), head, &request);
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{head}");
        assert!(head.contains(&format!("content-type: {media_type}\r\n")), "{head}");
        let xml = shown(&mut parser(), &body);
        assert!(xml.contains(namespace) && xml.contains(part), "{xml}");
    }
    let (head, body) = ask(server.address(), old, &stateless(&envelope(SOAP11, "keep", "it")));
    assert!(head.starts_with("http/1.1 202 ") && body.is_empty(), "{head}");

    // XML is answered in what is accepted.
    let xml = envelope(SOAP11, "repeat", "hello").into_bytes();
    let accepting = |accepted: &str| {
        let head = format!("/words HTTP/1.1\r\nContent-Type: text/xml\r\nAccept: {accepted}");
        ask(server.address(), &head, &xml)
    };
    let (_, body) = accepting("text/xml, application/fastinfoset;q=0.5");
    assert!(shown(&mut parser(), &body).contains("<text>hello</text>"));
    for accepted in ["text/xml", "*/*", "application/fastinfoset;q=0"] {
        let (head, body) = accepting(accepted);
        assert!(head.contains("content-type: text/xml"), "{accepted}: {head}");
        assert!(body.starts_with(b"<?xml"), "{accepted}");
    }

    // No vocabulary is retained over HTTP.
    let stateful = old.replace("application/", "application/vnd.sun.stateful.");
    let (head, _) = ask(server.address(), &stateful, &stateless(&envelope(SOAP11, "repeat", "a")));
    assert!(head.starts_with("http/1.1 415 "), "{head}");
    let request = stateless(&envelope(SOAP11, "repeat", "a"));
    let (head, body) = ask(server.address(), old, &request[..request.len() - 4]);
    assert!(head.starts_with("http/1.1 500 "), "{head}");
    assert!(shown(&mut parser(), &body).contains("the message ends"));

    let lines = lines.lock().expect("lines");
    assert!(lines[0].contains("/fast-infoset/stateless/"), "{}", lines[0]);
}

/// Both ends of a channel that retains its vocabularies.
struct Channel {
    conversation: Conversation,
    writer: Writer,
    parser: Parser,
}

impl Channel {
    fn new() -> Self {
        let endpoints = service().build().expect("a service");
        let endpoint = endpoints.into_iter().next().expect("an endpoint");
        let vocabulary = VocabularyLimits::default();
        Self {
            conversation: endpoint.conversation(),
            writer: Writer::retaining(WriterOptions::default()),
            parser: Parser::retaining(Options::soap(), &Limits::default(), vocabulary),
        }
    }

    /// What is answered, in how many bytes, and with what outcome.
    fn ask(&mut self, operation: &str, word: &str) -> (String, usize, Outcome) {
        let request = encoded(&mut self.writer, &envelope(SOAP11, operation, word));
        let encoding = MessageEncoding::StatefulFastInfoset;
        let Answer { bytes, outcome, .. } =
            self.conversation.answer_in([encoding; 2], &request, "", SoapVersion::Soap11);
        match bytes.is_empty() {
            true => (String::new(), 0, outcome),
            false => (shown(&mut self.parser, bytes), bytes.len(), outcome),
        }
    }
}

#[test]
fn a_conversation_retains_its_vocabularies_over_operations_and_faults() {
    let mut channel = Channel::new();
    let (answer, first, outcome) = channel.ask("repeat", "hello");
    assert!(outcome == Outcome::Reply && answer.contains("<text>hello</text>"), "{answer}");
    let (answer, second, _) = channel.ask("repeat", "hello");
    assert!(answer.contains("<text>hello</text>") && second * 3 < first, "{second} of {first}");
    let (answer, _, outcome) = channel.ask("repeat", "sender");
    assert_eq!(outcome, Outcome::Fault(FaultCode::Sender));
    assert!(answer.contains("bad words"), "{answer}");
    // What a request that is rejected has added is known to those that follow.
    let (_, _, outcome) = channel.ask("repeat", "</text><text>twice");
    assert_eq!(outcome, Outcome::Fault(FaultCode::Sender));
    assert_eq!(channel.ask("keep", "new").2, Outcome::Taken);
    for word in ["twice", "new", "hello", "twice", "other"] {
        let (answer, _, _) = channel.ask("repeat", word);
        assert!(answer.contains(&format!("<text>{word}</text>")), "{answer}");
    }
    assert!(!channel.conversation.is_broken());

    let encoding = MessageEncoding::StatefulFastInfoset;
    let damaged = b"\xe0\0\0\x01\0\x3c\0a\xa7";
    let answer = channel.conversation.answer_in([encoding; 2], damaged, "", SoapVersion::Soap11);
    assert!(matches!(answer.outcome, Outcome::Fault(_)));
    assert!(channel.conversation.is_broken());
}
