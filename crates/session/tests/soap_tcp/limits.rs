//! Those who do not keep to the protocol, or to the limits.

use trunkline_session::soap_tcp::{
    Content, Error, ErrorCode, Header, Kind, Limits, MAGIC, Received, Receiver, ServerSession,
    Waits, write_error, write_message,
};

use super::{Echo, echoed};

/// A client that has a session and channel 1.
fn greeting() -> Vec<u8> {
    let mut client = trunkline_session::soap_tcp::ClientSession::new(Limits::default());
    client.initiate();
    client.open("vnd.sun.ws.tcp://localhost:1/ctx/echo", &[Content::TEXT_XML]);
    std::mem::take(client.output())
}

fn frame(channel: u32, kind: Kind, payload: &[u8]) -> Vec<u8> {
    let (content, params) = (0, Vec::new());
    let mut out = Vec::new();
    Header { channel, kind, content, params, payload: payload.len(), length: 0 }.write(&mut out);
    out.extend_from_slice(payload);
    out
}

/// What the server says last, when this follows the greeting.
#[track_caller]
fn last(sent: &[u8], limits: Limits) -> (String, Waits) {
    let all = [&greeting(), sent].concat();
    let (said, waits) = echoed(&all, all.len(), limits);
    assert_eq!(echoed(&all, 1, limits), (said.clone(), waits), "in other pieces");
    let mut receiver = Receiver::new(Limits::default());
    receiver.receive(&said[2..]);
    let mut last = String::new();
    while let Some(received) = receiver.next_message().expect("frames") {
        last = match received {
            Received::Message(it) => {
                format!("{}: {}", it.channel, String::from_utf8_lossy(it.body))
            }
            Received::Error(channel, error) => format!("{channel}: {error}"),
            Received::Nothing(channel) => format!("{channel}: nothing"),
        };
    }
    (last, waits)
}

#[test]
fn errors_say_what_is_wrong_and_only_critical_ones_end_the_connection() {
    let goes_on = Waits::ForRequest;
    let limits = Limits {
        message_bytes: 1000,
        params: 2,
        param_bytes: 10,
        channels: 1,
        ..Limits::default()
    };
    let chunk = vec![b'x'; 600];
    let params = |params: &[(u32, &str)]| {
        let mut out = Vec::new();
        write_message(1, 0, params, b"x", &mut out);
        out
    };
    for (sent, said, waits) in [
        (frame(1, Kind::Message, b"<a/>"), "1: <a/>", goes_on),
        (frame(1, Kind::Message, b""), "1: ", goes_on),
        (frame(2, Kind::Message, b"x"), "2: SOAP/TCP error 1.1: channel 2 is not open", goes_on),
        (
            frame(1, Kind::Chunk, b"x"),
            "1: SOAP/TCP error 0.2: a chunk without a first chunk",
            Waits::End,
        ),
        (
            [frame(1, Kind::StartChunk, b"x"), frame(1, Kind::Message, b"y")].concat(),
            "1: SOAP/TCP error 0.2: a message begins within a message",
            Waits::End,
        ),
        (
            [frame(1, Kind::StartChunk, b"x"), frame(0, Kind::EndChunk, b"y")].concat(),
            "0: SOAP/TCP error 0.3: a frame of channel 0 within a message of 1",
            Waits::End,
        ),
        (
            [frame(1, Kind::StartChunk, &chunk), frame(1, Kind::Chunk, &chunk)].concat(),
            "1: SOAP/TCP error 0.0: message_bytes: a message is longer than 1000 bytes",
            Waits::End,
        ),
        (vec![0x16, 0], "0: SOAP/TCP error 0.1: no frame is of type 6", Waits::End),
        (vec![0xff; 16], "0: SOAP/TCP error 0.0: a number has more than 32 bits", Waits::End),
        (
            params(&[(0, "a"), (1, "b"), (0, "c")]),
            "0: SOAP/TCP error 0.0: params: a frame has 3 parameters, 2 are read",
            Waits::End,
        ),
        (
            params(&[(0, "elevenchars")]),
            "0: SOAP/TCP error 0.0: param_bytes: parameter 0 has 11 bytes, 10 are read",
            Waits::End,
        ),
    ] {
        assert_eq!(last(&sent, limits), (said.to_owned(), waits), "{sent:02x?}");
    }
}

#[test]
fn a_sender_may_give_a_message_up() {
    let mut sent = frame(1, Kind::StartChunk, b"<a");
    write_error(1, &Error { code: ErrorCode::General, text: "no more".into() }, &mut sent);
    sent.extend(frame(1, Kind::Message, b"<b/>"));
    assert_eq!(last(&sent, Limits::default()), ("1: <b/>".to_owned(), Waits::ForRequest));
}

#[test]
fn channels_are_limited_and_close() {
    let open = |limits| {
        let mut client = trunkline_session::soap_tcp::ClientSession::new(Limits::default());
        client.open("vnd.sun.ws.tcp://localhost:1/ctx/echo", &[Content::SOAP_XML]);
        last(&client.output()[16..], limits).0
    };
    assert!(open(Limits::default()).contains("<channelId>2</channelId>"));
    let one = Limits { channels: 1, ..Limits::default() };
    let refused = open(one);
    assert!(refused.contains("TOO_MANY_OPEN_CHANNELS_FOR_SESSION"), "{refused}");

    // Closed, it is gone; closed again, it is not known; and its number is not used again.
    let ask = |inside: &str| {
        let envelope = format!(
            "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>{inside}</S:Body>\
             </S:Envelope>"
        );
        let mut out = Vec::new();
        write_message(0, 0, &[(0, "utf-8")], envelope.as_bytes(), &mut out);
        out
    };
    let close =
        ask("<n:closeChannel xmlns:n='http://servicechannel.tcp.transport.ws.xml.sun.com/'>\
         <channelId>1</channelId></n:closeChannel>");
    assert!(last(&close, one).0.contains("closeChannelResponse"));
    let twice = [close.clone(), close.clone()].concat();
    assert!(last(&twice, one).0.contains("UNKNOWN_CHANNEL_ID"));
    let call = [close.clone(), frame(1, Kind::Message, b"<a/>")].concat();
    assert_eq!(last(&call, one).0, "1: SOAP/TCP error 1.1: channel 1 is not open");
    let again = [&close, &greeting()[16..]].concat();
    assert!(last(&again, one).0.contains("<channelId>2</channelId>"));
    let unknown = last(&ask("<n:openAll xmlns:n='urn:x'/>"), one);
    assert!(unknown.0.contains("the service channel has no operation"), "{unknown:?}");
    assert_eq!(unknown.1, Waits::ForRequest);
}

#[test]
fn any_beginning_but_the_magic_is_closed_without_a_word() {
    for sent in [&b"GET / HTTP/1.1\r\n"[..], b"vnd.sun.ws.tcX\x10\x10", b"\0"] {
        assert_eq!(echoed(sent, 3, Limits::default()), (Vec::new(), Waits::End));
    }
    let endless = [MAGIC, &[0xff; 8]].concat();
    assert_eq!(echoed(&endless, 64, Limits::default()), (vec![0x10, 0x10], Waits::End));
    let mut session = ServerSession::new(Limits::default());
    assert_eq!(session.advance(&Echo), Waits::ForHandshake);
}
