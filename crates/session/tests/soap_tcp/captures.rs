//! Conversations of Metro's client and server.

use serde_json::Value;
use trunkline_session::soap_tcp::{
    ClientEvent, ClientSession, Content, Limits, Message, Received, Receiver, ServerSession, Waits,
    write_message, write_nothing,
};

use super::{Echo, bytes};

const CONVERSATIONS: [&str; 2] = ["soap11-xml", "soap12-fi-stateful"];

/// Magic and versions.
const CLIENT_HANDSHAKE: usize = 16;
const SERVER_HANDSHAKE: usize = 2;

/// Reads a direction in pieces and writes what was read.
fn again(wire: &[u8], handshake: usize, piece: usize) -> Vec<u8> {
    let mut receiver = Receiver::new(Limits::default());
    let mut out = wire[..handshake].to_vec();
    for part in wire[handshake..].chunks(piece) {
        receiver.receive(part);
        while let Some(received) = receiver.next_message().expect("frames") {
            match received {
                Received::Message(message) => {
                    let params: Vec<_> = message.params().collect();
                    let Message { channel, content, body, .. } = message;
                    write_message(channel, content, &params, body, &mut out);
                }
                Received::Nothing(channel) => write_nothing(channel, &mut out),
                Received::Error(channel, error) => panic!("channel {channel}: {error}"),
            }
        }
    }
    assert!(!receiver.is_within(), "bytes are left");
    out
}

#[test]
fn what_metro_sent_is_read_and_written_byte_for_byte_in_any_pieces() {
    for name in CONVERSATIONS {
        for (direction, handshake) in [("c2s", CLIENT_HANDSHAKE), ("s2c", SERVER_HANDSHAKE)] {
            let wire = bytes(&format!("{name}/{direction}.bin"));
            for piece in [1, 7, 4096, wire.len()] {
                assert!(again(&wire, handshake, piece) == wire, "{name} {direction} by {piece}");
            }
        }
    }
}

#[test]
fn messages_are_those_that_another_decoder_found() {
    for name in CONVERSATIONS {
        let wire = bytes(&format!("{name}/c2s.bin"));
        let frames = bytes(&format!("{name}/c2s.frames.jsonl"));
        let frames = String::from_utf8(frames).expect("UTF-8");
        let frames = frames.lines().map(|it| serde_json::from_str::<Value>(it).expect("JSON"));
        let number = |frame: &Value, key: &str| frame[key].as_u64().unwrap_or_default() as usize;
        let mut receiver = Receiver::new(Limits::default());
        receiver.receive(&wire[CLIENT_HANDSHAKE..]);
        let mut length = 0;
        let mut params = Value::Null;
        for frame in frames {
            length += number(&frame, "payload_len");
            if frame["params"].is_array() {
                params = frame["params"].clone();
            }
            if frame["type"] == "START_CHUNK" || frame["type"] == "CHUNK" {
                continue;
            }
            let Ok(Some(Received::Message(message))) = receiver.next_message() else {
                panic!("{frame}")
            };
            assert_eq!(message.channel as usize, number(&frame, "channel"), "{frame}");
            assert_eq!(message.body.len(), length, "{frame}");
            let read: Vec<_> =
                message.params().map(|(id, it)| serde_json::json!([id, it])).collect();
            assert_eq!(Value::from(read), params, "{frame}");
            length = 0;
        }
        assert_eq!(receiver.next_message(), Ok(None), "{name}");
    }
}

/// The server sees what Metro's client asks, and its own answers are as long as the requests allow.
#[test]
fn a_server_hears_every_request_of_metros_client() {
    let mut session = ServerSession::new(Limits::default());
    let mut heard = Vec::new();
    for part in bytes("soap11-xml/c2s.bin").chunks(1000) {
        session.receive(part);
        while session.advance(&Echo) == Waits::ForAnswer {
            let request = session.request().expect("it waits");
            assert_eq!((request.target, request.content), (0, Content::TEXT_XML));
            assert_eq!(request.charset, Some("utf-8"));
            heard.push(request.action.to_owned());
            session.answer_nothing();
        }
    }
    let operation = |it: &String| it.strip_prefix("urn:t:Echo:").map(str::to_owned);
    let heard: Vec<_> = heard.iter().filter_map(operation).collect();
    let [int, string] = ["echoIntRequest"; 1].map(|it| (it, "echoStringRequest"))[0].into();
    let expected = [
        int,
        int,
        int,
        string,
        string,
        string,
        "echoVoidRequest",
        "ping",
        "echoBytesRequest",
        "echoBytesRequest",
        "echoDoublesRequest",
        "failRequest",
        int,
    ];
    assert_eq!(heard, expected);
    // Versions, the answers of the service channel, and thirteen times nothing.
    let said = std::mem::take(session.output());
    assert_eq!(said[..2], [0x10, 0x10]);
    let nothings = said.windows(2).rev().step_by(2).take_while(|it| **it == [0x15, 0]).count();
    assert_eq!(nothings, expected.len());
    // The channel is answered with the bytes that Metro's server answers with.
    let metro = bytes("soap11-xml/s2c.bin");
    let until = 661;
    assert_eq!(String::from_utf8_lossy(&said[..until]), String::from_utf8_lossy(&metro[..until]));
}

/// The client sends what Metro's client sends, and understands what Metro's server answers.
#[test]
fn a_client_speaks_as_metros_client_does() {
    let sent = bytes("soap11-xml/c2s.bin");
    let answered = bytes("soap11-xml/s2c.bin");
    let mut session = ClientSession::new(Limits::default());
    session.initiate();
    session.open("vnd.sun.ws.tcp://127.0.0.1:18101/ctx/echo", &[Content::TEXT_XML]);
    let mut requests = Receiver::new(Limits::default());
    requests.receive(&sent[CLIENT_HANDSHAKE..]);
    let mut seen = Vec::new();
    let mut opened = None;
    for part in answered.chunks(333) {
        session.receive(part);
        while let Some(event) = session.next_event().expect("it is the protocol") {
            match event {
                ClientEvent::Opened(it) => opened = Some(it),
                ClientEvent::Answer(content, body) => {
                    assert_eq!(content, 0);
                    seen.push(body.len());
                }
                ClientEvent::Nothing => seen.push(0),
                ClientEvent::Ready | ClientEvent::Session => {}
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(seen, [211, 211, 221, 227, 227, 248, 173, 0, 12214, 93550, 857, 267, 211]);
    let opened = opened.expect("a channel");
    while let Ok(Some(Received::Message(message))) = requests.next_message() {
        if message.channel == 0 {
            continue;
        }
        let action = message.params().find(|it| it.0 == 1).expect("an action").1;
        let action = action.trim_matches('"').to_owned();
        assert!(session.call(&opened, Content::TEXT_XML, &action, message.body));
        assert!(!session.call(&opened, Content::SOAP_XML, &action, message.body));
    }
    assert!(*session.output() == sent, "the client says something else than Metro's");
}
