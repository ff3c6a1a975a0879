//! Limits and time-outs of the server, seen through raw sockets.

mod common;

use std::io::{Read as _, Write as _};
use std::thread::sleep;
use std::time::Duration;

use common::idle::{self, Held, IDLE};
use common::{answer, connect, echo, exchange_open, header, quick, rest, status};
use trunkline_http::{
    Client, ClientConfig, Config, Handler, HeaderMap, Method, Peer, Request, Response, Server,
};

const GET: &[u8] = b"GET /count HTTP/1.1\r\nHost: a\r\n\r\n";

/// What the server says of a request: the status, and the name of the limit.
fn rejected(answer: &str) -> (u16, &str) {
    let (_, text) = answer.split_once("\r\n\r\n").expect("a head ends");
    assert_eq!(header(answer, "connection"), Some("close"), "{answer}");
    (status(answer), text.split([':', ' ']).next().unwrap_or_default())
}

#[test]
fn what_is_too_long_is_rejected_by_the_name_of_the_limit() {
    let server = echo(Config {
        header_bytes: 2000,
        target_bytes: 500,
        headers: 20,
        body_bytes: 1000,
        ..quick()
    });
    let ask = |request: String| exchange_open(server.address(), request.as_bytes());
    let get = |target: &str, headers: &str| {
        ask(format!("GET {target} HTTP/1.1\r\nHost: a\r\n{headers}\r\n"))
    };
    assert_eq!(rejected(&get(&format!("/{}", "t".repeat(500)), "")), (414, "target_bytes"));
    assert_eq!(rejected(&get(&format!("/{}", "t".repeat(70_000)), "")), (431, "header_bytes"));
    assert_eq!(rejected(&get("/", &format!("A: {}\r\n", "h".repeat(2000)))), (431, "header_bytes"));
    let endless = format!("GET / HTTP/1.1\r\nA: {}", "h".repeat(1 << 20));
    assert_eq!(rejected(&ask(endless)), (431, "header_bytes"));
    assert_eq!(rejected(&get("/", &"A: b\r\n".repeat(20))), (431, "headers"));
    let post = |framing: &str, body: &str| {
        ask(format!("POST / HTTP/1.1\r\nHost: a\r\n{framing}\r\n\r\n{body}"))
    };
    assert_eq!(rejected(&post("Content-Length: 1001", "")), (413, "body_bytes"));
    let long = "b".repeat(1 << 20);
    assert_eq!(rejected(&post(&format!("Content-Length: {}", long.len()), &long)).0, 413);
    let chunks = format!("3e8\r\n{}\r\n1\r\nb\r\n0\r\n\r\n", &long[..1000]);
    assert_eq!(rejected(&post("Transfer-Encoding: chunked", &chunks)), (413, "body_bytes"));
}

#[test]
fn what_fits_exactly_is_answered() {
    let server = echo(Config { body_bytes: 1000, target_bytes: 500, ..quick() });
    let body = "b".repeat(1000);
    let target = format!("/{}", "t".repeat(499));
    let mut stream = connect(server.address());
    for framed in [
        format!("Content-Length: 1000\r\n\r\n{body}"),
        format!("Transfer-Encoding: chunked\r\n\r\n3e8\r\n{body}\r\n0\r\n\r\n"),
    ] {
        let request = format!("POST {target} HTTP/1.1\r\nHost: a\r\n{framed}");
        stream.write_all(request.as_bytes()).expect("it reads");
        assert_eq!(answer(&mut stream).1.len(), 1000);
    }
}

/// An echo whose answers may come later, whose connections hyper watches while it answers.
struct Later;

impl Handler for Later {
    type Connection = ();

    fn connect(&self, _: &Peer) {}

    fn handle(&self, (): &mut (), request: &Request<'_>, response: &mut Response) {
        response.body.extend_from_slice(request.body);
    }

    fn may_wait(&self) -> bool {
        true
    }
}

#[test]
fn a_body_that_comes_with_its_head_is_not_a_part_of_it() {
    let config = Config { header_bytes: 2000, ..quick() };
    let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
    let server = server.serve(Later).expect("threads");
    let mut stream = connect(server.address());
    for length in [5000, 7000, 5000] {
        let body = "b".repeat(length);
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).expect("it reads");
        assert_eq!(answer(&mut stream).1.len(), length);
    }
}

#[test]
fn slow_heads_and_bodies_are_told_so() {
    let server = echo(quick());
    let mut head = connect(server.address());
    let mut body = connect(server.address());
    head.write_all(b"GET / HTTP/1.1\r\n").expect("it reads");
    body.write_all(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n").expect("it reads");
    for stream in [&mut head, &mut body] {
        stream.set_nodelay(true).expect("the socket is there");
        stream.set_nonblocking(true).expect("the socket is there");
    }
    // A byte now and then does not help. At the latest after 99 s this fails.
    let mut answers = [String::new(), String::new()];
    for _ in 0..9900 {
        for (stream, answer) in [&mut head, &mut body].into_iter().zip(&mut answers) {
            if answer.is_empty() {
                let mut room = [0; 1000];
                match stream.read(&mut room) {
                    Ok(length) => *answer = String::from_utf8_lossy(&room[..length]).into_owned(),
                    Err(_) => stream.write_all(b"x").unwrap_or_default(),
                }
            }
        }
        if answers.iter().all(|answer| !answer.is_empty()) {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    assert_eq!(rejected(&answers[0]), (408, "header_timeout"));
    assert_eq!(rejected(&answers[1]), (408, "body_timeout"));
    assert_eq!(server.counters().rejected, 2);
}

#[test]
fn idle_connections_are_closed_without_a_word() {
    let server = echo(quick());
    let mut never = connect(server.address());
    let mut once = connect(server.address());
    once.write_all(GET).expect("it reads");
    assert_eq!(answer(&mut once).1, b"1");
    assert_eq!((rest(&mut never), rest(&mut once)), (String::new(), String::new()));
    assert_eq!(server.stop().rejected, 0);
}

#[test]
fn who_does_not_read_is_dropped() {
    let server = echo(Config { chunked: true, ..quick() });
    let mut stream = connect(server.address());
    stream.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").expect("it reads");
    // At the latest after 99 s this fails.
    for _ in 0..9900 {
        if server.counters().open == 0 && server.counters().connections == 1 {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    assert_eq!(server.counters().open, 0);
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received);
    assert!(received.len() < 64 << 20, "not all of it");
}

#[test]
fn a_handler_may_take_longer_than_any_time_out() {
    struct Slow;
    use trunkline_http::{Handler, Peer, Request, Response, Server};
    impl Handler for Slow {
        type Connection = ();
        fn connect(&self, _: &Peer) {}
        fn handle(&self, (): &mut (), _: &Request<'_>, response: &mut Response) {
            sleep(Duration::from_millis(700));
            response.body = b"at last".to_vec();
        }
    }
    let workers = trunkline_http::Workers::Pool {
        threads: 1,
        queue: 1,
        order: trunkline_http::Order::FirstIn,
    };
    let server =
        Server::bind("127.0.0.1:0", Config { workers, ..quick() }).expect("a port is free");
    let server = server.serve(Slow).expect("threads");
    let mut stream = connect(server.address());
    stream.write_all(GET).expect("it reads");
    assert_eq!(answer(&mut stream).1, b"at last");
}

#[test]
fn one_connection_too_many_is_told_so() {
    let server = echo(Config { connections: 2, idle_timeout: Duration::from_secs(99), ..quick() });
    let mut held: Vec<_> = (0..2).map(|_| connect(server.address())).collect();
    for stream in &mut held {
        stream.write_all(GET).expect("it reads");
        assert_eq!(answer(stream).1, b"1");
    }
    let full = exchange_open(server.address(), GET);
    assert_eq!(rejected(&full), (503, "connections"));
    assert_eq!(header(&full, "retry-after"), Some("1"));
    drop(held.pop());
    while server.counters().open > 1 {
        sleep(Duration::from_millis(1));
    }
    let mut stream = connect(server.address());
    stream.write_all(GET).expect("it reads");
    assert_eq!(answer(&mut stream).1, b"1");
}

/// Run in a process of its own by the next one.
#[test]
fn hold_idle_connections() {
    idle::hold_if_asked();
}

#[test]
fn ten_thousand_idle_connections_do_not_hinder_another() {
    if !idle::fits() {
        return;
    }
    let server = echo(Config { threads: 2, idle_timeout: Duration::from_secs(900), ..quick() });
    let open = || server.counters().open;
    let held = Held::start("hold_idle_connections", server.address(), open);
    let address = server.address().to_string();
    let mut client = Client::new(&address, ClientConfig::default()).expect("an address");
    for _ in 0..100 {
        let answer = client.request(&Method::POST, "/", &HeaderMap::new(), b"still here");
        assert_eq!(&answer.expect("an answer").body[..], b"still here");
    }
    assert_eq!(server.counters().open, IDLE + 1);
    held.release();
    while server.counters().open > 1 {
        sleep(Duration::from_millis(5));
    }
}
