//! The engine by itself, in time that the test makes: time-outs, signs of life, requests, the end.

mod bench;

use bench::{Bench, Frame, MILLISECOND, SECOND};
use trunkline_native::{self as native, Updates, code, format};
use trunkline_server::snapshot::SnapshotRequest;
use trunkline_server::{Config, ConnectionId};

#[test]
fn who_does_not_greet_in_time_is_closed() {
    let mut bench = Bench::new(|_| {});
    let silent = bench.connect();
    let half = bench.connect();
    let mut hello = Vec::new();
    native::encode_hello(&mut hello, &native::Hello::default());
    assert_eq!(bench.engine.received(0, half, &hello[..10]), 0);
    bench.pass(5 * SECOND - 1);
    assert!(bench.ended.is_empty());
    bench.pass(5 * SECOND);
    assert_eq!(bench.ended.len(), 2);
    for id in [silent, half] {
        assert_eq!(bench.read(id), [Frame::Closing(code::SILENT)]);
    }
}

#[test]
fn who_is_silent_is_asked_three_times_and_then_closed() {
    let mut bench = Bench::new(|_| {});
    let dead = bench.client("dead");
    let alive = bench.client("alive");
    for round in 1..=3 {
        bench.pass(round * 30 * SECOND);
        assert_eq!(bench.read(dead), [Frame::Ping]);
        assert_eq!(bench.read(alive), [Frame::Ping], "it answers each");
        bench.send(alive, |out| native::encode_pong(out, 0));
    }
    assert!(bench.ended.is_empty());
    bench.pass(120 * SECOND);
    assert_eq!(bench.read(dead), [Frame::Closing(code::SILENT)]);
    assert_eq!(bench.ended.len(), 1);
    assert_eq!(bench.ended[0].0, dead);
}

#[test]
fn a_reader_that_takes_what_waited_for_it_is_alive() {
    let mut bench = Bench::new(|_| {});
    let slow = bench.client("slow");
    for second in 0..1_000 {
        bench.pass(second * SECOND);
        bench.engine.progressed(bench.now, slow);
    }
    assert!(bench.ended.is_empty() && bench.read(slow).is_empty());
}

/// A requester and a responder for the topic `quote`.
fn pair(bench: &mut Bench) -> (ConnectionId, ConnectionId) {
    let (asks, answers) = (bench.client("asks"), bench.client("answers"));
    bench.send(answers, |out| native::encode_subscribe(out, 1, Updates::All, "quote"));
    bench.send(asks, |out| native::encode_topic(out, 0, "quote"));
    bench.read(answers);
    (asks, answers)
}

fn ask(bench: &mut Bench, asks: ConnectionId, correlation: u64, timeout_ms: u32) {
    let request = native::Request {
        alias: 0,
        timeout_ms,
        correlation,
        format: format::TEXT,
        payload: b"EURUSD?",
    };
    bench.send(asks, |out| native::encode_request(out, &request));
}

fn requester(bench: &mut Bench, answers: ConnectionId) -> native::Requester {
    let frames = bench.read(answers);
    let found = frames.iter().find_map(|frame| match frame {
        Frame::Request(request) => Some(*request),
        _ => None,
    });
    found.expect("the request has come")
}

fn answer(bench: &mut Bench, answers: ConnectionId, request: native::Requester) {
    let reply = native::Reply { request, format: format::TEXT, payload: b"1.0842" };
    bench.send(answers, |out| native::encode_reply(out, &reply));
}

#[test]
fn a_reply_goes_to_who_asked_once() {
    let mut bench = Bench::new(|_| {});
    let (asks, answers) = pair(&mut bench);
    ask(&mut bench, asks, 42, 1_000);
    let request = requester(&mut bench, answers);
    answer(&mut bench, answers, request);
    assert_eq!(bench.read(asks), [Frame::Reply(42, b"1.0842".into())]);
    assert_eq!(bench.read(answers), []);
    answer(&mut bench, answers, request);
    let gone = Frame::Rejected(code::REQUESTER_GONE, request.correlation);
    assert_eq!(bench.read(answers), [gone]);
    bench.pass(10 * SECOND);
    assert_eq!(bench.read(asks), [], "what is answered does not time out");
}

#[test]
fn a_request_that_is_not_answered_in_time_is_rejected() {
    let mut bench = Bench::new(|_| {});
    let (asks, answers) = pair(&mut bench);
    ask(&mut bench, asks, 1, 500);
    ask(&mut bench, asks, 2, 100);
    ask(&mut bench, asks, 3, 0);
    bench.pass(99 * MILLISECOND);
    assert_eq!(bench.read(asks), []);
    bench.pass(100 * MILLISECOND);
    assert_eq!(bench.read(asks), [Frame::Rejected(code::TIMED_OUT, 2)]);
    bench.pass(500 * MILLISECOND);
    assert_eq!(bench.read(asks), [Frame::Rejected(code::TIMED_OUT, 1)]);
    let request = requester(&mut bench, answers);
    answer(&mut bench, answers, request);
    let gone = Frame::Rejected(code::REQUESTER_GONE, request.correlation);
    assert_eq!(bench.read(answers), [gone]);
    bench.pass(61 * SECOND);
    assert!(bench.read(asks).contains(&Frame::Rejected(code::TIMED_OUT, 3)));
}

#[test]
fn a_request_that_nobody_can_answer_is_rejected_at_once() {
    let mut bench = Bench::new(|config| config.limits.requests_per_client = 2);
    let asks = bench.client("asks");
    bench.send(asks, |out| native::encode_topic(out, 0, "quote"));
    ask(&mut bench, asks, 1, 100);
    assert_eq!(bench.read(asks), [Frame::Rejected(code::NO_RESPONDER, 1)]);
    let answers = bench.client("answers");
    bench.send(answers, |out| native::encode_subscribe(out, 1, Updates::All, "quote"));
    ask(&mut bench, asks, 1, 100);
    ask(&mut bench, asks, 1, 100);
    assert_eq!(bench.read(asks), [Frame::Rejected(code::IN_USE, 1)]);
    ask(&mut bench, asks, 2, 100);
    ask(&mut bench, asks, 3, 100);
    assert_eq!(bench.read(asks), [Frame::Rejected(code::LIMIT, 3)]);
}

#[test]
fn a_reply_does_not_reach_the_next_client_in_the_place() {
    let mut bench = Bench::new(|_| {});
    let (asks, answers) = pair(&mut bench);
    ask(&mut bench, asks, 42, 1_000);
    let request = requester(&mut bench, answers);
    bench.engine.closed(bench.now, asks, "it left");
    let next = bench.client("next");
    assert_eq!(next.index, asks.index, "it has the place of the one that left");
    answer(&mut bench, answers, request);
    assert_eq!(bench.read(next), []);
    let gone = Frame::Rejected(code::REQUESTER_GONE, request.correlation);
    assert_eq!(bench.read(answers), [gone]);
}

#[test]
fn another_configuration_holds_for_those_connected() {
    let mut bench = Bench::new(|_| {});
    let (writer, reader) = (bench.client("writer"), bench.client("slow-1"));
    bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::All, "a"));
    bench.send(writer, |out| native::encode_topic(out, 0, "a"));
    bench.read(reader);
    let rule =
        "[[client.rule]]\nname = \"slow*\"\nmessages_per_second = 10\n[router]\nkeepalive = \"1s\"";
    let config = Config::from_text("test", rule, std::iter::empty()).expect("a configuration");
    bench.engine.reconfigure(bench.now, &config);
    for payload in [b"1", b"2", b"3"] {
        bench.send(writer, |out| native::encode_publish(out, 0, format::TEXT, payload));
    }
    let messages = |frames: Vec<Frame>| {
        frames.iter().filter(|frame| matches!(frame, Frame::Message(..))).count()
    };
    assert_eq!(messages(bench.read(reader)), 1, "ten a second go one by one");
    bench.pass(bench.now + 110 * MILLISECOND);
    assert_eq!(messages(bench.read(reader)), 1);
    bench.pass(bench.now + 110 * MILLISECOND);
    assert_eq!(messages(bench.read(reader)), 1);
}

#[test]
fn a_stop_lets_clients_take_what_waits_and_then_tells_them() {
    let mut bench = Bench::new(|_| {});
    let (writer, reader) = (bench.client("writer"), bench.client("reader"));
    bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::All, "a"));
    bench.send(writer, |out| native::encode_topic(out, 0, "a"));
    bench.read(reader);
    // More than is rendered ahead, so that something waits in the queue.
    let payload = vec![b'x'; 100_000];
    for _ in 0..10 {
        bench.send(writer, |out| native::encode_publish(out, 0, format::TEXT, &payload));
    }
    bench.engine.stop(bench.now, false);
    assert_eq!(bench.read(writer), [Frame::Closing(code::STOPPING)]);
    bench.send(writer, |out| native::encode_publish(out, 0, format::TEXT, b"too late"));
    let taken = bench.read(reader);
    let sequences: Vec<u64> = taken
        .iter()
        .filter_map(|frame| match frame {
            Frame::Message(sequence, _) => Some(*sequence),
            _ => None,
        })
        .collect();
    assert_eq!(sequences, (1..=10).collect::<Vec<_>>());
    bench.engine.stop(bench.now, false);
    assert_eq!(bench.read(reader), [Frame::Closing(code::STOPPING)]);
    assert_eq!(bench.ended.len(), 2);
}

#[test]
fn a_snapshot_asks_for_the_streams_of_some_clients_at_a_time() {
    let mut bench = Bench::new(|_| {});
    let clients: Vec<_> = (0..1_000).map(|number| bench.client(&number.to_string())).collect();
    let request = SnapshotRequest { clients: usize::MAX, topics: 0 };
    bench.engine.begin_snapshot(request);
    let snapshot = loop {
        let mut asked = 0;
        let snapshot = bench.engine.continue_snapshot(bench.now, |id| {
            asked += 1;
            id.as_u64()
        });
        assert!(asked <= 256, "{asked} system calls in a turn");
        if let Some(snapshot) = snapshot {
            break snapshot;
        }
    };
    assert_eq!(snapshot.clients.len(), clients.len());
    assert!(snapshot.clients.iter().all(|it| it.under_way_bytes_at_least == it.id));
}
