//! Handlers that keep the thread that reads and writes for long.

mod common;

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::{sleep, spawn};
use std::time::Duration;

use common::holding::{ask, holding, wait};
use common::{answer, connect, rest, status};
use trunkline_http::{Config, Running};

/// More than the system takes in at once.
const LONG: usize = 32 << 20;

/// A server that answers with the length of the body, and at length what its handler held; what says that it holds a request, and
/// what tells it to go on.
fn lengths(config: Config) -> (Running, Receiver<()>, Sender<()>) {
    holding(config, |request, response| {
        response.body = match request.path {
            "/hold" => vec![b'x'; LONG],
            _ => request.body.len().to_string().into_bytes(),
        };
    })
}

/// A connection on which this was asked.
fn asked(server: &Running, path: &str) -> TcpStream {
    let mut stream = connect(server.address());
    ask(&mut stream, path);
    stream
}

#[test]
fn new_connections_go_past_a_thread_whose_handler_sleeps() {
    let (server, had, tell) = lengths(Config { threads: 4, ..Config::default() });
    let mut held = asked(&server, "/hold");
    wait(&had);
    // Each of the other threads gets one connection, and then, with as many everywhere, a second.
    let mut open = Vec::new();
    for _ in 0..6 {
        let mut stream = asked(&server, "/");
        assert_eq!(answer(&mut stream).1, b"0");
        open.push(stream);
    }
    tell.send(()).expect("the handler waits");
    assert_eq!(status(&answer(&mut held).0), 200);
    assert_eq!(server.stop().connections, 7);
}

#[test]
fn a_body_that_came_while_the_thread_was_busy_is_not_late() {
    let body_timeout = Duration::from_millis(800);
    let (server, had, tell) = lengths(Config { threads: 1, body_timeout, ..Config::default() });
    for framing in ["Content-Length: 60000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"] {
        let mut sending = connect(server.address());
        let before = server.counters().requests;
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\n{framing}");
        sending.write_all(head.as_bytes()).expect("it reads");
        while server.counters().requests == before {
            sleep(Duration::from_millis(1));
        }
        let _held = asked(&server, "/hold");
        wait(&had);
        let body = match framing.contains("chunked") {
            true => format!("{}0\r\n\r\n", format!("3e8\r\n{}\r\n", "b".repeat(1000)).repeat(60)),
            false => "b".repeat(60_000),
        };
        sending.write_all(body.as_bytes()).expect("there is room for it on the way");
        sleep(2 * body_timeout);
        tell.send(()).expect("the handler waits");
        let (head, text) = answer(&mut sending);
        assert_eq!((status(&head), &text[..]), (200, &b"60000"[..]));
    }
}

#[test]
fn a_server_with_all_patience_answers_what_has_begun_when_it_stops() {
    let stop_timeout = Duration::MAX;
    let (server, ..) = lengths(Config { threads: 1, stop_timeout, ..Config::default() });
    let mut half = connect(server.address());
    half.write_all(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh").expect("it reads");
    let mut idle = asked(&server, "/");
    assert_eq!(answer(&mut idle).1, b"0");
    while server.counters().requests < 2 {
        sleep(Duration::from_millis(1));
    }
    let stopping = spawn(|| server.stop());
    // It is closed because the server stops, so the other one has been told too.
    assert_eq!(rest(&mut idle), "");
    half.write_all(b"i").expect("it is still served");
    assert_eq!(answer(&mut half).1, b"2");
    assert_eq!(stopping.join().expect("it stops").open, 0);
}

#[test]
fn an_answer_has_its_time_however_long_the_handler_took() {
    let write_timeout = Duration::from_secs(2);
    let (server, had, tell) = lengths(Config { threads: 1, write_timeout, ..Config::default() });
    let mut held = asked(&server, "/hold");
    wait(&had);
    sleep(write_timeout * 3 / 2);
    tell.send(()).expect("the handler waits");
    // Some ticks pass before it is read.
    sleep(write_timeout / 3);
    assert_eq!(answer(&mut held).1.len(), LONG);
}
