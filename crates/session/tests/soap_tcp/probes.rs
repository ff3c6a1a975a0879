//! What Metro's server answers to a prober.

use serde_json::Value;
use trunkline_session::soap_tcp::{ErrorCode, Limits, Received, Receiver, ServerSession, Waits};

use super::{Echo, bytes};

fn hex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap_or_default();
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// What matters of an answer to who asked: channels, kinds, numbers of errors, the local names of
/// elements.
fn meaning(mut wire: &[u8], is_handshake: bool) -> Vec<String> {
    let mut out = Vec::new();
    if is_handshake && !wire.is_empty() {
        out.push(format!("{:02x?}", &wire[..2]));
        wire = &wire[2..];
    }
    let mut receiver = Receiver::new(Limits::default());
    receiver.receive(wire);
    while let Some(received) = receiver.next_message().expect("frames") {
        out.push(match received {
            Received::Message(it) => {
                let text = String::from_utf8_lossy(it.body);
                let names = text.split(['<', ' ', '>', '/']).filter(|it| {
                    ["Response", "Fault", "errorCode", "_", "negotiated"]
                        .iter()
                        .any(|name| it.contains(name))
                });
                let names = names
                    .filter(|it| !it.contains("WSTCP"))
                    .map(|it| it.rsplit(':').next().unwrap_or(it));
                let mut names: Vec<_> = names.collect();
                names.dedup();
                format!("{} {} {names:?}", it.channel, it.content)
            }
            Received::Error(channel, error) => format!("{channel} {:?}", error.code),
            Received::Nothing(channel) => format!("{channel} nothing"),
        });
    }
    out
}

#[test]
fn probes_are_answered_as_metros_server_answers_them() {
    let probes: Value = serde_json::from_slice(&bytes("probes.json")).expect("JSON");
    let mut tried = 0;
    for probe in probes.as_array().expect("a list") {
        let name = probe["name"].as_str().expect("a name");
        let mut session = ServerSession::new(Limits::default());
        for (step, exchange) in probe["exchange"].as_array().expect("a list").iter().enumerate() {
            session.receive(&hex(&exchange["send"]));
            let mut waits = session.advance(&Echo);
            while waits == Waits::ForAnswer {
                let body = session.request().expect("it waits").body.to_vec();
                // What no service can read is rejected there.
                match body.ends_with(b"Envelope>") {
                    true => session.answer(trunkline_session::soap::SoapVersion::Soap11, ANSWER),
                    false => session.reject("it is no envelope"),
                }
                waits = session.advance(&Echo);
            }
            let ours = std::mem::take(session.output());
            let theirs = hex(&exchange["receive"]);
            let is_handshake = theirs.starts_with(&[0x10, 0x10]);
            if name.contains("unknown msg type") && theirs.is_empty() {
                // Metro's says nothing, and nothing after it. The protocol has an error for it.
                let said = meaning(&ours, false);
                assert_eq!(said, [format!("0 {:?}", ErrorCode::UnknownFrame)], "{name}");
                assert_eq!(waits, Waits::End);
                break;
            }
            assert_eq!(
                meaning(&ours, is_handshake),
                meaning(&theirs, is_handshake),
                "{name}, {step}"
            );
            assert_eq!(waits == Waits::End, exchange["closed"] == true, "{name}, step {step}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried} steps");
}

const ANSWER: &[u8] = b"<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>\
    <n:echoIntResponse xmlns:n='urn:t'><return>7</return></n:echoIntResponse></S:Body></S:Envelope>";
