//! One port, both protocols: our client calls our server.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use trunkline_http::{Order, Workers};
use trunkline_message::Message;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Config, Fault, MessageEncoding, Running, Server,
    Service,
};
use trunkline_session::soap_tcp::{
    ClientEvent, ClientSession, Content, Kind, Limits, MAGIC, Opened,
};
use trunkline_soap::Version;
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(super) struct Word {
    text: Option<Text>,
}

fn service() -> Service {
    let repeat = |word: Word| match word.text.as_deref() {
        Some("fail") => Err(Fault::sender("a bad word")),
        Some("panic") => panic!("as the test asks"),
        _ => Ok(word),
    };
    Service::new("Words", "urn:words")
        .operation("repeat", repeat)
        .one_way("keep", |_: Word| Ok::<(), Fault>(()))
        .at("/words", Binding::document_literal())
        .at("/rpc", Binding::rpc_encoded())
}

pub(super) fn start(config: Config) -> (Running, Arc<Mutex<Vec<String>>>) {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let lines = log.clone();
    let server = Server::new().service(service()).config(config).on_call(move |report| {
        lines.lock().expect("no test panicked").push(report.to_string());
    });
    (server.start("127.0.0.1:0").expect("a port is free"), log)
}

pub(super) fn url(server: &Running, path: &str) -> String {
    format!("vnd.sun.ws.tcp://{}{path}", server.address())
}

pub(super) fn client(url: &str, binding: Binding) -> Client {
    let config = ClientConfig {
        connect_timeout: Duration::from_secs(20),
        response_timeout: Duration::from_secs(60),
        ..ClientConfig::default()
    };
    Client::with(url, "urn:words", binding, config).expect("a URL")
}

pub(super) fn word(text: &str) -> Word {
    Word { text: Some(text.into()) }
}

#[track_caller]
pub(super) fn says(client: &mut Client, text: &str) {
    let answer: Word = client.call("repeat", &word(text)).expect("an answer");
    assert!(answer == word(text), "{} bytes came back", text.len());
}

#[test]
fn calls_of_every_kind_go_over_one_connection_each() {
    let pool = Workers::Pool { threads: 2, queue: 8, order: Order::SHORTEST_FIRST };
    for workers in [Workers::InPlace, pool] {
        let (server, log) = start(Config { workers, ..Config::default() });
        for (path, binding) in [
            ("/words", Binding::document_literal()),
            ("/words", Binding::document_literal().soap12()),
            ("/rpc", Binding::rpc_encoded()),
        ] {
            let mut client = client(&url(&server, path), binding);
            for length in [1, 100, 65_000, 70_000, 200_000] {
                says(&mut client, &"w".repeat(length));
            }
            let empty: Word = client.call("repeat", &Word::default()).expect("an answer");
            assert_eq!(empty, Word::default());
            let fault = client.call::<_, Word>("repeat", &word("fail"));
            let Err(CallError::Fault(fault)) = fault else { panic!("{fault:?}") };
            assert_eq!(fault.reason, "a bad word");
            client.send("keep", &word("kept")).expect("it is taken");
            let panicked = client.call::<_, Word>("repeat", &word("panic"));
            assert!(panicked.expect_err("a fault").to_string().contains("repeat failed"));
            says(&mut client, "still here");
            let profile = client.profile().expect("a call").to_string();
            assert!(profile.starts_with("soap-tcp-1.0/soap-1."), "{profile}");
        }
        let counters = server.counters();
        assert_eq!((counters.connections, counters.requests), (3, 30));
        server.stop();
        let log = log.lock().expect("no test panicked");
        assert_eq!(log.len(), 30);
        assert!(log[0].contains(" /words repeat | soap-tcp-1.0/soap-1.1-document-literal-wrapped/xml-utf8/none/none/"), "{}", log[0]);
        assert!(log.iter().all(|it| it.contains("soap-tcp-1.0/")));
    }
}

#[test]
fn one_port_answers_both_protocols() {
    let (server, log) = start(Config::default());
    let http = format!("http://{}/words", server.address());
    says(&mut client(&url(&server, "/words"), Binding::default()), "over TCP");
    says(&mut client(&http, Binding::default()), "over HTTP");
    let log = log.lock().expect("no test panicked");
    assert!(log[0].contains("| soap-tcp-1.0/") && log[1].contains("| http-1.1/"), "{log:?}");
    // The WSDL comes over HTTP.
    let wsdl = client(&url(&server, "/words?wsdl"), Binding::default()).get().expect("a WSDL");
    assert!(String::from_utf8_lossy(&wsdl).contains("wsdl:definitions"));
}

/// As Metro's services offer it, but optional, for those who do not know it.
#[test]
fn a_wsdl_offers_the_transport_where_it_is_told_to() {
    let wsdl = |server: Server| {
        let server = server.service(service()).start("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}/words?wsdl", server.address());
        let wsdl = client(&url, Binding::default()).get().expect("a WSDL");
        String::from_utf8(wsdl).expect("UTF-8")
    };
    assert!(!wsdl(Server::new()).contains("Policy"));
    let offered = wsdl(Server::new().offer_soap_tcp());
    let assertion = "<tcp:OptimizedTCPTransport xmlns:tcp=\"http://java.sun.com/xml/ns/wsit/2006/09/policy/\
        soaptcp/service\" enabled=\"true\" wsp:Optional=\"true\"/>";
    assert!(offered.contains(assertion), "{offered}");
    assert!(offered.contains("wsu:Id=\"WordsPortPolicy\""), "{offered}");
    assert!(offered.contains("URI=\"#WordsPortPolicy\"/>"), "{offered}");
}

#[test]
fn a_client_connects_again_where_the_server_closed_the_connection_between_calls() {
    let idle_timeout = Duration::from_millis(100);
    let (server, _log) = start(Config { idle_timeout, ..Config::default() });
    let mut client = client(&url(&server, "/words"), Binding::default());
    says(&mut client, "one");
    // Longer than the server waits, and than the client uses a connection unseen.
    while server.counters().open > 0 {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(1100));
    says(&mut client, "two");
    assert_eq!(server.counters().connections, 2);
}

#[test]
fn errors_of_the_service_channel_reach_the_caller() {
    let (server, _log) = start(Config::default());
    let mut nowhere = client(&url(&server, "/nowhere"), Binding::default());
    let error = nowhere.call::<_, Word>("repeat", &word("x")).expect_err("no service is there");
    assert!(error.to_string().contains("no service is at vnd.sun.ws.tcp://127.0.0.1:"), "{error}");
    // Another server, that speaks HTTP only.
    let error = Client::new("vnd.sun.ws.tcp://localhost/x", "urn:words").expect_err("no port");
    assert!(error.to_string().contains("it has no port"), "{error}");
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time-out");
    stream
}

/// All that comes until the server closes.
fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut came = Vec::new();
    // A reset is an end too.
    _ = stream.read_to_end(&mut came);
    came
}

#[test]
fn half_open_and_endless_sessions_end_and_leave_others_untouched() {
    let config = Config {
        threads: 1,
        header_timeout: Duration::from_millis(200),
        body_timeout: Duration::from_millis(200),
        body_bytes: 1 << 20,
        ..Config::default()
    };
    let (server, _log) = start(config);
    let mut client = client(&url(&server, "/words"), Binding::default());
    says(&mut client, "before");

    let mut half_open = connect(server.address());
    half_open.write_all(&MAGIC[..9]).expect("it is taken");
    let mut half_message = connect(server.address());
    // A message of 1,000 bytes, of which four come.
    half_message
        .write_all(&[MAGIC, b"\x10\x10\x00\x00\xe8\x07<S:E"].concat())
        .expect("it is taken");
    let mut endless = connect(server.address());
    let chunk = |kind: Kind| {
        let mut out = vec![0x10 | kind as u8];
        if kind == Kind::StartChunk {
            out.push(0);
        }
        out.extend_from_slice(&[0x80, 0x80, 0x04]);
        out.resize(out.len() + (1 << 16), b' ');
        out
    };
    endless.write_all(&[MAGIC, b"\x10\x10"].concat()).expect("it is taken");
    endless.write_all(&chunk(Kind::StartChunk)).expect("it is taken");
    // Until the server has had enough.
    let sent = (0..1000).take_while(|_| endless.write_all(&chunk(Kind::Chunk)).is_ok()).count();
    assert!(sent < 1000, "the server takes everything");

    says(&mut client, "meanwhile");
    assert_eq!(rest(half_open), b"");
    assert_eq!(rest(half_message), b"\x10\x10");
    _ = rest(endless);
    says(&mut client, "after");
    assert_eq!(server.counters().connections, 4);
}

/// Twelve channels fill their vocabularies with eleven megabytes each.
#[test]
fn vocabularies_of_a_connection_are_bounded_together_and_others_stay() {
    let (server, _log) = start(Config::default());
    let mut others = client(&url(&server, "/words"), Binding::default());
    others.set_encoding(MessageEncoding::StatefulFastInfoset);
    says(&mut others, "before");
    let encoding = MessageEncoding::StatefulFastInfoset;
    let content = Content { encoding, version: Version::Soap11 };
    let length: u32 = 11 << 20;
    // <a> with a text of the second largest form of length, which becomes an entry.
    let mut bomb = b"\xe0\0\0\x01\0\x3c\0a\x93".to_vec();
    bomb.extend((length - 259).to_be_bytes());
    bomb.resize(bomb.len() + length as usize, b'x');
    bomb.push(0xff);

    let mut stream = connect(server.address());
    let mut session = ClientSession::new(Limits::default());
    session.initiate();
    let mut answers = 0;
    session.open(&url(&server, "/words"), &[content]);
    let ended = loop {
        match said(&mut stream, &mut session) {
            Said::Opened(channel) => assert!(session.call(&channel, content, "", &bomb)),
            Said::Answer => {
                answers += 1;
                session.open(&url(&server, "/words"), &[content]);
            }
            Said::Error(error) => break error,
            Said::Other => {}
        }
    };
    assert_eq!(answers, 12);
    let told = "0.0: vocabulary_bytes: the channels of a connection retain 134217728 at most";
    assert!(ended.contains(told), "{ended}");
    assert_eq!(rest(stream), b"");
    says(&mut others, "after");
}

/// What a server did.
enum Said {
    Opened(Opened),
    Answer,
    Error(String),
    Other,
}

/// Sends what there is to send, and reads until there is an event.
fn said(stream: &mut TcpStream, session: &mut ClientSession) -> Said {
    // Where the server has ended the connection already, what it said is still to be read.
    _ = stream.write_all(&std::mem::take(session.output()));
    let mut room = [0; 4096];
    loop {
        let said = match session.next_event().expect("frames") {
            Some(ClientEvent::Opened(opened)) => Some(Said::Opened(opened)),
            Some(ClientEvent::Answer(..)) => Some(Said::Answer),
            Some(ClientEvent::Error(error)) => Some(Said::Error(error.to_string())),
            Some(_) => Some(Said::Other),
            None => None,
        };
        if let Some(said) = said {
            return said;
        }
        let length = stream.read(&mut room).expect("an answer");
        assert!(length > 0, "the server closed");
        session.receive(&room[..length]);
    }
}

/// Ten megabytes, there and back, in chunks.
#[test]
fn large_messages_come_back() {
    let (server, _log) = start(Config::default());
    let mut client = client(&url(&server, "/words"), Binding::default());
    says(&mut client, &"0123456789".repeat(1 << 20));
    says(&mut client, "and a small one");
}
