//! `trunkline pub --guaranteed` and `sub --durable` with a router of few words, as a user sees them.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::thread::{self, JoinHandle};

use trunkline_native::{
    ClientFrame, Consuming, Delivery, Durability, Producing, Rejected, RouterFrame, Stored, Topic,
    VERSION, Welcome, code, decode_client, kind,
};

/// Runs the binary with a router for one connection, which hands on what the client said.
fn run(arguments: &[&str]) -> (Output, Vec<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("tcp://{}", listener.local_addr().expect("it is bound"));
    let router: JoinHandle<Vec<String>> = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client comes");
        let (mut input, mut heard) = (Vec::new(), Vec::new());
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            input.extend_from_slice(&bytes[..count]);
            while let Some((frame, length)) = decode_client(&input, 1 << 20).expect("a client") {
                heard.push(format!("{frame:?}"));
                let mut answer = Vec::new();
                answers(&frame).iter().for_each(|frame| frame.encode(&mut answer));
                input.drain(..length);
                // The client may be gone.
                let _ = stream.write_all(&answer);
            }
        }
        heard
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    let output = command.args(arguments).args(["--to", &address, "--timeout", "500ms"]).output();
    (output.expect("the binary starts"), router.join().expect("the router ends"))
}

fn answers(frame: &ClientFrame<'_>) -> Vec<RouterFrame<'static>> {
    let durability = Durability { memory: 1, disk: 1 };
    match frame {
        ClientFrame::Hello(_) => {
            let (topics, subscriptions) = (100, 100);
            let (version, frame_bytes, client) = (VERSION, 1 << 20, 1);
            let features = trunkline_native::Features::default();
            let welcome = Welcome { version, features, frame_bytes, client, topics, subscriptions };
            vec![RouterFrame::Welcome(welcome)]
        }
        ClientFrame::Ping(token) => vec![RouterFrame::Pong(*token)],
        ClientFrame::Producer(_) => {
            let producing = Producing { window: 100, window_bytes: 1 << 20, last: 41 };
            vec![RouterFrame::Producing(producing)]
        }
        ClientFrame::Store(it) if it.payload == b"never" => Vec::new(),
        ClientFrame::Store(it) => {
            let (sequence, position) = (it.sequence, it.sequence + 1000);
            vec![RouterFrame::Stored(Stored { durability, sequence, position })]
        }
        ClientFrame::Consume(it) => {
            let (subscription, window, waiting, next, is_new) = (it.subscription, 10, 2, 7, false);
            let stands = Consuming { subscription, window, waiting, next, is_new };
            let one = |position, is_repeated| {
                RouterFrame::Delivery(Delivery {
                    subscription,
                    topic: 3,
                    position,
                    time: 1_500_000_000,
                    deliveries: 2,
                    conflation: None,
                    is_repeated,
                    is_unconfirmed: false,
                    is_kept: true,
                    is_unrendered: false,
                    format: 1,
                    payload: b"buy",
                })
            };
            let name = RouterFrame::Topic(Topic { alias: 3, name: "orders/1" });
            if it.name == "stops" {
                let (of, code, offset, id) =
                    (kind::CONSUME, code::LIMIT, None, subscription.into());
                let rejected = Rejected { of, code, offset, id, text: "too many ranges" };
                return vec![
                    RouterFrame::Consuming(stands),
                    name,
                    one(7, false),
                    RouterFrame::Rejected(rejected),
                ];
            }
            vec![RouterFrame::Consuming(stands), name, one(7, true), one(9, false), one(11, false)]
        }
        ClientFrame::Delete(_) => {
            let (of, code, offset, id) = (kind::DELETE, code::UNKNOWN, None, 0);
            vec![RouterFrame::Rejected(Rejected { of, code, offset, id, text: "there is none" })]
        }
        _ => Vec::new(),
    }
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn what_is_stored_is_acknowledged_or_named() {
    let (output, heard) =
        run(&["pub", "orders/1", "buy", "--guaranteed", "--producer", "desk-7", "--count", "3"]);
    let stored = "stored 3 messages, the last at position 1044: in memory of 1, on disk of 1";
    assert_eq!(text(&output.stderr), format!("trunkline: {stored}\n"));
    assert_eq!(output.status.code(), Some(0));
    assert!(heard.iter().any(|it| it.contains("sequence: 44, is_repeated: false")), "{heard:?}");

    let (output, _) =
        run(&["pub", "orders/1", "never", "--guaranteed", "--producer", "desk-7", "--count", "2"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("; 42 to 43 of the producer \"desk-7\" are not acknowledged"), "{said}");
}

#[test]
fn what_is_printed_is_acknowledged() {
    let show = ["--show", "topic,position,time,state,payload", "--count", "2"];
    let (output, heard) = run(&[&["sub", "orders/>", "--durable", "risk"], &show[..]].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(
        text(&output.stdout),
        "orders/1\t7\t1970-01-01T00:00:01.500Z\tredelivered (2), kept\tbuy\n\
         orders/1\t9\t1970-01-01T00:00:01.500Z\tkept\tbuy\n"
    );
    assert!(said.contains("risk goes on: 2 messages waiting\n"), "{said}");
    let acknowledged: Vec<_> = heard.iter().filter(|it| it.starts_with("Acknowledge")).collect();
    assert_eq!(acknowledged.len(), 2, "{heard:?}");
    assert!(acknowledged[1].contains("position: 9"), "{heard:?}");

    let (output, heard) = run(&["sub", "a", "--replay", "--from", "all", "--json", "--count", "1"]);
    let line = text(&output.stdout);
    assert!(line.contains("\"event\":\"delivery\"") && line.contains("\"deliveries\":2"), "{line}");
    assert!(!heard.iter().any(|it| it.starts_with("Acknowledge")), "{heard:?}");

    let (output, _) = run(&["durable", "delete", "risk"]);
    assert_eq!(text(&output.stderr), "trunkline: \"risk\" is not deleted: there is none\n");
}

#[test]
fn a_durable_subscription_that_stops_is_not_waited_for() {
    let (output, _) = run(&["sub", "orders/>", "--durable", "stops"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(text(&output.stdout), "orders/1\tbuy\n");
    assert!(said.ends_with("trunkline: \"orders/>\" is rejected: too many ranges\n"), "{said}");
}
