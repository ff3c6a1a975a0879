//! A reader and a writer against frames made by hand, right ones and wrong ones.

use serde_json::{Value, json};

use super::*;

const REQUEST: &str = "GET / HTTP/1.1\r\nHost: localhost:7402\r\nUpgrade: websocket\r\n\
                       Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                       Sec-WebSocket-Version: 13\r\n\r\n";
const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;

fn settings() -> Settings {
    Settings { origins: Origins::default(), message_bytes: 1_000, over_loopback: true }
}

/// A frame of a client. The first byte has the opcode and whether it is the last fragment.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x37, 0xfa, 0x21, 0x3d];
    let mut bytes = vec![first];
    match payload.len() {
        length @ 0..=125 => bytes.push(0x80 | length as u8),
        length => {
            bytes.push(0x80 | 126);
            bytes.extend_from_slice(&(length as u16).to_be_bytes());
        }
    }
    bytes.extend_from_slice(&mask);
    bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

/// What comes of bytes, in words, and what is answered; the connection has been opened before.
fn after_opening(bytes: &[u8]) -> (Vec<String>, Vec<u8>) {
    let mut reader = Reader::new(settings());
    let mut output = Vec::new();
    let opened = reader.next(&mut REQUEST.as_bytes(), &mut output).expect("a right request");
    assert!(matches!(opened, Some(Incoming::Opened { .. })), "{opened:?}");
    let mut came = Vec::new();
    let mut input = bytes;
    loop {
        came.push(match reader.next(&mut input, &mut output) {
            Ok(None) => break,
            Ok(Some(Incoming::Text(text))) => format!("text {text}"),
            Ok(Some(Incoming::Binary(bytes))) => format!("binary {bytes:?}"),
            Ok(Some(Incoming::Heartbeat)) => "heartbeat".into(),
            Ok(Some(Incoming::Opened { .. })) => "opened".into(),
            Err(ended) => format!("ended: {ended}"),
        });
    }
    assert!(input.is_empty(), "nothing is left to the caller");
    (came, output)
}

/// The code and the reason of the frame that closes.
fn closed(output: &[u8]) -> (u16, String) {
    assert_eq!(output[0], CLOSE, "{output:?}");
    let payload = &output[2..2 + usize::from(output[1])];
    assert_eq!(output.len(), 2 + payload.len(), "nothing follows");
    let reason = String::from_utf8(payload[2..].to_vec()).expect("text");
    (u16::from_be_bytes([payload[0], payload[1]]), reason)
}

#[track_caller]
fn breaks_rules(bytes: &[u8], code: u16, reason: &str) {
    let (came, output) = after_opening(bytes);
    assert_eq!(came.len(), 1, "{came:?}");
    assert!(came[0].starts_with("ended: "), "{came:?}");
    let (found, words) = closed(&output);
    assert_eq!(found, code, "{words}");
    assert!(words.contains(reason), "{words}");
}

#[test]
fn messages_come_whole_however_they_are_cut() {
    let mut bytes = REQUEST.as_bytes().to_vec();
    bytes.extend(frame(0x01, b"frag"));
    bytes.extend(frame(PING, b"?"));
    bytes.extend(frame(0x00, b"men"));
    bytes.extend(frame(0x80, b"ted"));
    bytes.extend(frame(BINARY, &[0xff; 300]));
    for step in [1, 2, 7, 64, bytes.len()] {
        let mut reader = Reader::new(settings());
        let (mut came, mut output, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for part in bytes.chunks(step) {
            kept.extend_from_slice(part);
            let mut input = &kept[..];
            while let Some(next) = reader.next(&mut input, &mut output).expect("right frames") {
                came.push(next);
            }
            kept = input.to_vec();
        }
        assert!(
            matches!(&came[..], [Incoming::Opened { .. }, Incoming::Heartbeat, Incoming::Text(text), Incoming::Binary(bytes)]
                if text.as_str() == "fragmented" && bytes[..] == [0xff; 300]),
            "{step} bytes at a time: {came:?}"
        );
        assert_eq!(output, [PONG, 1, b'?']);
    }
}

#[test]
fn the_clients_close_is_answered() {
    let mut payload = 1001_u16.to_be_bytes().to_vec();
    payload.extend_from_slice(b"going away");
    let mut bytes = frame(CLOSE, &payload);
    bytes.extend(frame(TEXT, b"too late"));
    let (came, output) = after_opening(&bytes);
    assert_eq!(came, ["ended: closed by the client with code 1001: going away"]);
    assert_eq!(closed(&output), (1001, "going away".into()));
    let (came, output) = after_opening(&frame(CLOSE, b""));
    assert_eq!(
        (&came[..], &output[..]),
        (&["ended: closed by the client".into()][..], &[CLOSE, 0][..])
    );
}

#[test]
fn broken_rules_close_with_a_code_and_a_reason() {
    breaks_rules(&[TEXT, 2, b'h', b'i'], 1002, "masked");
    breaks_rules(&frame(0xc1, b"compressed"), 1002, "eserved bits");
    breaks_rules(&frame(0x83, b""), 1002, "opcode: 3");
    breaks_rules(&frame(0x8b, b""), 1002, "opcode: 11");
    breaks_rules(&frame(0x09, b"half a ping"), 1002, "control frame");
    breaks_rules(&frame(PING, &[0; 126]), 1002, "ontrol frame");
    breaks_rules(&frame(0x80, b"of what?"), 1002, "ontinue frame");
    breaks_rules(&[frame(0x01, b"a"), frame(TEXT, b"b")].concat(), 1002, "ragment");
    breaks_rules(&frame(TEXT, b"\xff"), 1007, "not UTF-8");
    breaks_rules(&frame(BINARY, &[0; 1_001]), 1009, "1001 bytes; at most 1000");
    breaks_rules(
        &[BINARY, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4],
        1009,
        "at most 1000",
    );
    let fragments = [frame(0x02, &[0; 600]), frame(0x80, &[0; 600])].concat();
    breaks_rules(&fragments, 1009, "1200 bytes; at most 1000");
    let (came, output) = after_opening(&frame(CLOSE, &[3]));
    assert!(came[0].starts_with("ended: "), "{came:?}");
    assert_eq!(closed(&output).0, 1002);
}

#[test]
fn a_flood_of_pings_is_answered_one_by_one() {
    let (came, output) = after_opening(&frame(PING, b"12345").repeat(10_000));
    assert_eq!(came.len(), 10_000);
    assert_eq!(output, b"\x8a\x0512345".repeat(10_000));
}

#[test]
fn what_comes_after_the_end_is_passed_over() {
    let mut reader = Reader::new(settings());
    let mut output = Vec::new();
    let mut input = &b"SSH-2.0-OpenSSH_9.9\r\n\r\n"[..];
    let ended = reader.next(&mut input, &mut output).expect_err("no request");
    assert!(ended.reason.contains("not a request of HTTP/1.1"), "{ended}");
    assert!(output.starts_with(b"HTTP/1.1 400 "));
    let length = output.len();
    let mut input = REQUEST.as_bytes();
    assert!(matches!(reader.next(&mut input, &mut output), Ok(None)));
    assert_eq!((input.len(), output.len()), (0, length));
}

/// The frames of an output: opcode and payload.
fn frames(mut output: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while let [first, length, rest @ ..] = output {
        let (length, rest) = match length {
            126 => (usize::from(u16::from_be_bytes([rest[0], rest[1]])), &rest[2..]),
            127 => panic!("so long a frame is not in these tests"),
            length => (usize::from(*length), rest),
        };
        frames.push((*first, rest[..length].to_vec()));
        output = &rest[length..];
    }
    frames
}

fn texts(output: &[u8]) -> Vec<Value> {
    let frames = frames(output).into_iter();
    frames
        .filter(|(first, _)| *first == TEXT)
        .map(|(_, text)| serde_json::from_slice(&text).expect("JSON"))
        .collect()
}

fn message<'a>(topic: &'a str) -> Message<'a> {
    Message {
        subscription: 1,
        topic,
        sequence: 9,
        replaced: None,
        last_value: false,
        age_ns: None,
        published_ns: None,
        format: 0,
        reply_to: None,
        payload: Carried::Binary(0),
    }
}

#[test]
fn text_is_written_in_json_and_other_payloads_follow_it() {
    let (mut writer, mut out) = (Writer::default(), Vec::new());
    writer.message(&mut out, message("fx/EURUSD"), "1.1 \"é\"\n".as_bytes());
    let conflated = Message {
        replaced: Some(3),
        age_ns: Some(4_000),
        published_ns: Some(7_000),
        format: 2,
        reply_to: Some(ReplyTo { client: 255, correlation: 1 }),
        ..message("fx/é")
    };
    writer.message(&mut out, conflated, b"\xff\0");
    let last = Message { last_value: true, age_ns: Some(4_000), ..message("a") };
    writer.message(&mut out, last, b"1");
    writer.reply(&mut out, 7, 0, b"yes");
    writer.reply(&mut out, 8, 40_000, b"\xfe");
    assert_eq!(
        texts(&out),
        [
            json!({"message": {"subscription": 1, "topic": "fx/EURUSD", "sequence": 9, "payload": "1.1 \"é\"\n"}}),
            json!({"message": {"subscription": 1, "topic": "fx/é", "sequence": 9, "replaced": 3, "age_ns": 4000, "published_ns": 7000,
                "format": "json", "reply_to": "ff-1", "binary": 2}}),
            json!({"message": {"subscription": 1, "topic": "a", "sequence": 9, "last_value": true, "age_ns": 4000, "payload": "1"}}),
            json!({"reply": {"correlation": 7, "payload": "yes"}}),
            json!({"reply": {"correlation": 8, "format": 40000, "binary": 1}}),
        ]
    );
    let frames = frames(&out);
    let firsts: Vec<u8> = frames.iter().map(|(first, _)| *first).collect();
    assert_eq!(firsts, [TEXT, TEXT, BINARY, TEXT, TEXT, TEXT, BINARY]);
    assert_eq!((&frames[2].1[..], &frames[6].1[..]), (&b"\xff\0"[..], &b"\xfe"[..]));
}

#[test]
fn everything_else_is_written_in_json() {
    let (mut writer, mut out) = (Writer::default(), Vec::new());
    let gap =
        Gap { subscription: 1, topic: "a", count: 2, first: 5, last: 7, age_ns: 9, reason: None };
    let code = "bad_pattern";
    for outgoing in [
        Outgoing::Subscribed(1),
        Outgoing::Unsubscribed(1),
        Outgoing::Pong(3),
        Outgoing::Clock(Clock { token: 4, time_ns: 5 }),
        Outgoing::Gap(gap),
        Outgoing::LastValues(LastValues { subscription: 1, count: 250 }),
        Outgoing::Rejected(Rejected {
            subject: Subject::Subscribe(2),
            code,
            offset: Some(4),
            reason: "why",
        }),
        Outgoing::Rejected(Rejected {
            subject: Subject::Publish("a"),
            code,
            offset: None,
            reason: "why",
        }),
    ] {
        writer.write(&mut out, &outgoing);
    }
    assert_eq!(
        texts(&out),
        [
            json!({"subscribed": 1}),
            json!({"unsubscribed": 1}),
            json!({"pong": 3}),
            json!({"clock": {"token": 4, "time_ns": 5}}),
            json!({"gap": {"subscription": 1, "topic": "a", "count": 2, "first": 5, "last": 7, "age_ns": 9}}),
            json!({"last_values": {"subscription": 1, "count": 250}}),
            json!({"rejected": {"subscribe": 2, "code": code, "offset": 4, "reason": "why"}}),
            json!({"rejected": {"publish": "a", "code": code, "reason": "why"}}),
        ]
    );
}

#[test]
fn events_of_guaranteed_delivery_are_written_in_json() {
    use crate::router::StoreEvent;
    use trunkline_store::{Consuming, Delivery, Durability, Loss, LossReason, Stored};

    let (mut writer, mut out) = (Writer::default(), Vec::new());
    let durability = Durability { memory: 2, disk: 1 };
    let (window, waiting, next, is_new) = (100, 5, 1_000_000, true);
    for event in [
        StoreEvent::Stored(&Stored { durability, sequence: 42, position: u64::MAX }),
        StoreEvent::Consuming(&Consuming { subscription: 2, window, waiting, next, is_new }),
        StoreEvent::Confirmed(2, durability, 1_000_017),
        StoreEvent::Acknowledged(2, durability, 7, 1_000_020),
        StoreEvent::Lost(
            2,
            &Loss { reason: LossReason::Quota, count: 3, first: 1_000_002, last: 1_000_009 },
        ),
        StoreEvent::Ended(2),
    ] {
        writer.write(&mut out, &GuaranteedEvent::from(&event));
    }
    let delivery = Delivery {
        subscription: 2,
        position: 1_000_017,
        time: 1_700_000_000_000_000_001,
        deliveries: 0,
        is_repeated: false,
        is_unconfirmed: false,
        is_kept: false,
        expires: 0,
        conflation: None,
        format: 1,
        topic: "orders/new",
        payload: b"buy \"1\"",
    };
    writer.delivery(&mut out, &delivery);
    let again = Delivery {
        deliveries: 2,
        is_repeated: true,
        is_unconfirmed: true,
        is_kept: true,
        conflation: Some((3, 250)),
        format: 0,
        payload: b"\xff",
        ..delivery
    };
    writer.delivery(&mut out, &again);
    let reason = Delivery { payload: b"no \"Bid\"", ..delivery };
    writer.unrendered(&mut out, &reason);
    let time_ns = "1700000000000000001";
    assert_eq!(
        texts(&out),
        [
            json!({"stored": {"sequence": 42, "position": "18446744073709551615", "memory": 2, "disk": 1}}),
            json!({"consuming": {"subscription": 2, "window": 100, "waiting": 5, "next": "1000000", "new": true}}),
            json!({"confirmed": {"subscription": 2, "position": "1000017", "memory": 2, "disk": 1}}),
            json!({"acknowledged": {"subscription": 2, "acknowledgements": 7, "position": "1000020", "memory": 2, "disk": 1}}),
            json!({"lost": {"subscription": 2, "reason": "over quota", "count": 3, "first": "1000002", "last": "1000009"}}),
            json!({"unsubscribed": 2}),
            json!({"delivery": {"subscription": 2, "topic": "orders/new", "position": "1000017", "time_ns": time_ns,
                "format": "text", "payload": "buy \"1\""}}),
            json!({"delivery": {"subscription": 2, "topic": "orders/new", "position": "1000017", "time_ns": time_ns,
                "deliveries": 2, "repeated": true, "unconfirmed": true, "kept": true, "replaced": 3, "age_ns": 250,
                "binary": 1}}),
            json!({"delivery": {"subscription": 2, "topic": "orders/new", "position": "1000017", "time_ns": time_ns,
                "unrendered": "no \"Bid\""}}),
        ]
    );
    let is_binary = |it: &(u8, Vec<u8>)| it.0 == BINARY;
    assert_eq!(frames(&out).into_iter().find(is_binary), Some((BINARY, b"\xff".to_vec())));
}

#[test]
fn closing_says_why_in_both_ways_and_fits_in_a_frame() {
    let (mut writer, mut out) = (Writer::default(), Vec::new());
    let reason = format!("{}é", "x".repeat(122));
    writer.close(&mut out, 1008, &reason);
    assert_eq!(texts(&out), [json!({"closing": {"reason": reason}})]);
    let (first, payload) = frames(&out).pop().expect("a frame");
    assert_eq!((first, &payload[..2]), (CLOSE, &1008_u16.to_be_bytes()[..]));
    assert_eq!(&payload[2..], "x".repeat(122).as_bytes());
}

/// Numbers that look like chance and are the same each time (xorshift).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Right frames, some bytes of which are not.
fn damaged(chance: &mut Random) -> Vec<u8> {
    let firsts = [TEXT, BINARY, PING, PONG, 0x01, 0x02, 0x00, 0x80, CLOSE];
    let mut bytes = Vec::new();
    for _ in 0..1 + chance.below(6) {
        let payload: Vec<u8> = (0..chance.below(300)).map(|_| chance.below(256) as u8).collect();
        bytes.extend(frame(firsts[chance.below(firsts.len())], &payload));
    }
    for _ in 0..chance.below(4) {
        let at = chance.below(bytes.len());
        bytes[at] = chance.below(256) as u8;
    }
    bytes.truncate(bytes.len() - chance.below(bytes.len()) / 2);
    bytes
}

/// All that comes of bytes that are read in pieces, and what is answered.
fn in_pieces(bytes: &[u8], mut piece: impl FnMut() -> usize) -> (String, Vec<u8>) {
    let mut reader = Reader::new(settings());
    let (mut came, mut output, mut kept) = (String::new(), Vec::new(), Vec::new());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(piece().min(rest.len()));
        rest = after;
        kept.extend_from_slice(part);
        let mut input = &kept[..];
        loop {
            match reader.next(&mut input, &mut output) {
                Ok(None) => break,
                Ok(Some(it)) => came.push_str(&format!("{it:?}\n")),
                Err(ended) => came.push_str(&format!("ended: {ended}\n")),
            }
        }
        kept = input.to_vec();
    }
    (came, output)
}

#[test]
fn damaged_frames_mean_the_same_however_they_are_cut() {
    let mut chance = Random(0x5eed);
    let (mut broken, mut right) = (0, 0);
    for _ in 0..3_000 {
        let mut bytes = REQUEST.as_bytes().to_vec();
        bytes.extend(damaged(&mut chance));
        let whole = in_pieces(&bytes, || bytes.len());
        let pieces = in_pieces(&bytes, || 1 + chance.below(40));
        assert_eq!(whole, pieces, "{bytes:?}");
        let ends = whole.0.matches("ended: ").count();
        assert!(ends <= 1, "{}", whole.0);
        *(if ends == 1 { &mut broken } else { &mut right }) += 1;
    }
    assert!(broken > 100 && right > 100, "{broken} broken, {right} right");
}
