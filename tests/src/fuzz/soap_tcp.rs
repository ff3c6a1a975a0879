//! Any bytes as SOAP/TCP, from either side.

use trunkline_session::soap_tcp::{
    ClientSession, Content, Limits, MAGIC, Received, Receiver, ServerSession, TakenRequest,
    Targets, Waits, write_error, write_message, write_nothing,
};

/// Short, so that the limits are met.
const LIMITS: Limits = Limits {
    message_bytes: 600,
    params: 4,
    param_bytes: 40,
    channels: 3,
    vocabulary_bytes: 1 << 20,
};

struct Anything;

impl Targets for Anything {
    fn find(&self, url: &str) -> Option<usize> {
        (!url.is_empty()).then_some(url.len())
    }
}

/// Reads the bytes as they are, behind a client's greeting, and as the insides of frames.
///
/// What comes must be the same in any pieces, be within the limits, and be read again as it is
/// written; a session that has ended says no more; an answer comes for each request that waits.
///
/// # Panics
///
/// If that is not so.
pub fn soap_tcp(data: &[u8]) {
    let piece = usize::from(data.first().copied().unwrap_or(0)) % 60 + 1;
    let greeting = greeting();
    let overlapping = overlapping();
    let framed = framed(data);
    for bytes in [data, &framed] {
        let whole = messages(bytes, bytes.len().max(1));
        assert_eq!(whole, messages(bytes, piece));
        assert_eq!(messages(&whole.1, piece), whole, "what was written is read as it was");
        heard(bytes, piece);
        let begun = [MAGIC, b"\x10\x10", bytes].concat();
        for bytes in [bytes, &begun, &[&greeting, bytes].concat()] {
            assert_eq!(served(bytes, bytes.len().max(1)), served(bytes, piece));
        }
        let begun = [&overlapping, bytes].concat();
        assert_eq!(overtaken(&begun, begun.len()), overtaken(&begun, piece));
    }
}

/// A session and a channel are asked for.
fn greeting() -> Vec<u8> {
    let mut client = ClientSession::new(LIMITS);
    client.initiate();
    client.open("vnd.sun.ws.tcp://a:1/b", &[Content::TEXT_XML]);
    std::mem::take(client.output())
}

/// Channels 1 to 3 are asked for, and calls of the first two may overlap.
fn overlapping() -> Vec<u8> {
    let mut client = ClientSession::new(LIMITS);
    client.initiate();
    client.open_overlapping("vnd.sun.ws.tcp://a:1/b", &[Content::TEXT_XML]);
    client.open_overlapping("vnd.sun.ws.tcp://a:1/b", &[Content::TEXT_XML]);
    client.open("vnd.sun.ws.tcp://a:1/b", &[Content::TEXT_XML]);
    std::mem::take(client.output())
}

/// Frames whose channels, types and lengths the bytes choose.
fn framed(mut data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let [first, length, rest @ ..] = data {
        let length = usize::from(*length).min(rest.len());
        // Mostly those that exist.
        let first = if *first > 250 { *first } else { ((first >> 6) << 4) | (first % 6) };
        out.push(first);
        if first & 15 < 2 {
            out.push(0);
        }
        if length > 127 {
            out.push(length as u8 | 0x80);
        }
        out.push(if length > 127 { 1 } else { length as u8 });
        out.extend_from_slice(&rest[..length]);
        data = &rest[length..];
    }
    out
}

/// The messages in the bytes, and the same written again, up to the first error, which is not.
fn messages(bytes: &[u8], piece: usize) -> (Vec<String>, Vec<u8>) {
    let mut receiver = Receiver::new(LIMITS);
    let (mut seen, mut again) = (Vec::new(), Vec::new());
    'all: for part in bytes.chunks(piece) {
        receiver.receive(part);
        loop {
            match receiver.next_message() {
                Ok(None) => break,
                Err(_) => break 'all,
                Ok(Some(received)) => {
                    seen.push(format!("{received:?}"));
                    match received {
                        Received::Message(it) => {
                            assert!(it.body.len() <= LIMITS.message_bytes);
                            let params: Vec<_> = it.params().collect();
                            assert!(params.len() <= LIMITS.params);
                            write_message(it.channel, it.content, &params, it.body, &mut again);
                        }
                        Received::Nothing(channel) => write_nothing(channel, &mut again),
                        // Its text may be changed on the way.
                        Received::Error(channel, error) => {
                            let mut out = Vec::new();
                            write_error(channel, &error, &mut out);
                            seen.pop();
                        }
                    }
                }
            }
        }
    }
    (seen, again)
}

/// What a server says, and what it waits for.
fn served(bytes: &[u8], piece: usize) -> (Vec<u8>, Waits) {
    let mut session = ServerSession::new(LIMITS);
    let mut waits = session.advance(&Anything);
    for part in bytes.chunks(piece) {
        session.receive(part);
        waits = session.advance(&Anything);
        while waits == Waits::ForAnswer {
            let request = session.request().expect("it waits for an answer");
            let (version, body) = (request.content.version, request.body.to_vec());
            match body.len() % 3 {
                0 => session.answer_nothing(),
                1 => session.reject("no"),
                _ => session.answer(version, &body),
            }
            waits = session.advance(&Anything);
        }
    }
    (std::mem::take(session.output()), waits)
}

/// What a server says that takes requests before it answers earlier ones: a newer one first, and the last one at the
/// end of all.
fn overtaken(bytes: &[u8], piece: usize) -> (Vec<u8>, Waits) {
    let mut session = ServerSession::new(LIMITS);
    let mut waits = session.advance(&Anything);
    let mut held: Vec<TakenRequest> = Vec::new();
    let finish = |session: &mut ServerSession, taken: &TakenRequest| match taken.request().body {
        [] => session.finish_nothing(taken),
        [0, ..] => session.finish_rejected(taken, "no"),
        body => session.finish(taken, taken.content.version, body),
    };
    for part in bytes.chunks(piece) {
        session.receive(part);
        waits = session.advance(&Anything);
        while waits == Waits::ForAnswer {
            match session.take_request() {
                Some(taken) => held.push(taken),
                None => session.answer_nothing(),
            }
            if held.len() == 2 {
                held.pop().iter().for_each(|it| finish(&mut session, it));
            }
            waits = session.advance(&Anything);
        }
    }
    held.iter().for_each(|it| finish(&mut session, it));
    (std::mem::take(session.output()), waits)
}

/// What a client makes of an answer.
fn heard(bytes: &[u8], piece: usize) {
    let mut events = [Vec::new(), Vec::new()];
    for (piece, events) in [bytes.len().max(1), piece].into_iter().zip(&mut events) {
        let mut session = ClientSession::new(LIMITS);
        session.receive(b"\x10\x10");
        'all: for part in bytes.chunks(piece) {
            session.receive(part);
            loop {
                match session.next_event() {
                    Ok(Some(event)) => events.push(format!("{event:?}")),
                    Ok(None) => break,
                    Err(error) => {
                        events.push(error.to_string());
                        break 'all;
                    }
                }
            }
        }
    }
    assert_eq!(events[0], events[1]);
}
