//! Which thread serves a connection, as its handler sees it.

mod common;

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::Duration;

use common::holding::{ask, holding, wait};
use common::{answer, connect, exchange_open, rest, status};
use trunkline_http::{Config, Handler, Peer, Request, Response, Running, Server};

/// A server whose answers are the names of its threads, what says that its handler holds a request, and what tells it to go on.
fn named(config: Config) -> (Running, Receiver<()>, Sender<()>) {
    holding(config, |_, response| response.body = name())
}

fn name() -> Vec<u8> {
    thread::current().name().unwrap_or_default().as_bytes().to_vec()
}

/// The thread that answers a request for nothing.
fn thread_of(stream: &mut TcpStream) -> String {
    ask(stream, "/");
    String::from_utf8(answer(stream).1).expect("a name")
}

/// A connection whose request the first thread's handler holds.
fn held(server: &Running, had: &Receiver<()>) -> TcpStream {
    let mut stream = connect(server.address());
    ask(&mut stream, "/hold");
    wait(had);
    stream
}

#[test]
fn a_connection_for_each_call_is_served_by_the_thread_that_accepts() {
    let (server, ..) = named(Config { threads: 3, ..Config::default() });
    for _ in 0..50 {
        let answer = exchange_open(server.address(), b"GET / HTTP/1.0\r\n\r\n");
        assert!(answer.ends_with("\r\n\r\nhttp 0"), "{answer}");
    }
    assert_eq!(server.stop().connections, 50);
}

#[test]
fn connections_that_stay_are_shared_out() {
    let (server, ..) = named(Config { threads: 3, ..Config::default() });
    let mut open: Vec<_> = (0..6).map(|_| connect(server.address())).collect();
    let mut threads: Vec<_> = open.iter_mut().map(thread_of).collect();
    threads.sort();
    assert_eq!(threads, ["http 0", "http 0", "http 1", "http 1", "http 2", "http 2"]);
}

#[test]
fn another_one_accepts_while_a_handler_keeps_the_thread_that_does() {
    let (server, had, tell) = named(Config { threads: 2, connections: 3, ..Config::default() });
    for _ in 0..3 {
        let mut held = held(&server, &had);
        let mut open = [connect(server.address()), connect(server.address())];
        assert_eq!(open.each_mut().map(thread_of), ["http 1", "http 1"]);
        let full = exchange_open(server.address(), b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(status(&full), 503, "{full}");
        tell.send(()).expect("the handler waits");
        assert_eq!(answer(&mut held).1, b"http 0");
        drop((held, open));
        while server.counters().open > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        // For a while nothing is to be done.
        thread::sleep(Duration::from_millis(200));
    }
    let counts = server.stop();
    assert_eq!((counts.connections, counts.rejected, counts.open), (9, 3, 0));
}

#[test]
fn while_handlers_keep_all_threads_a_connection_waits_for_the_first_that_is_free() {
    let (server, had, tell) = named(Config { threads: 2, ..Config::default() });
    let mut first = held(&server, &had);
    let mut second = connect(server.address());
    assert_eq!(thread_of(&mut second), "http 1");
    ask(&mut second, "/hold");
    wait(&had);
    let mut waiting = connect(server.address());
    ask(&mut waiting, "/");
    // Time for somebody to accept it who should not.
    thread::sleep(Duration::from_millis(50));
    tell.send(()).expect("the handler waits");
    assert_eq!(answer(&mut first).1, b"http 0");
    assert_eq!(answer(&mut waiting).1, b"http 0", "while the other thread is kept");
    tell.send(()).expect("the handler waits");
    assert_eq!(answer(&mut second).1, b"http 1");
}

/// Takes its time, although not much, for each `/short` as long as there is no hurry.
#[derive(Default)]
struct Short {
    calls: Arc<AtomicUsize>,
    hurry: Arc<AtomicBool>,
}

impl Handler for Short {
    type Connection = ();

    fn connect(&self, _: &Peer) {}

    fn handle(&self, (): &mut (), request: &Request<'_>, response: &mut Response) {
        if request.path == "/short" && !self.hurry.load(SeqCst) {
            self.calls.fetch_add(1, SeqCst);
            thread::sleep(Duration::from_millis(3));
        }
        response.body = name();
    }
}

#[test]
fn another_one_accepts_while_many_short_calls_keep_the_thread_that_does() {
    let short = Short::default();
    let (calls, hurry) = (Arc::clone(&short.calls), Arc::clone(&short.hurry));
    let config = Config { threads: 2, ..Config::default() };
    let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
    let server = server.serve(short).expect("threads");
    let mut busy = connect(server.address());
    assert_eq!(thread_of(&mut busy), "http 0");
    // Without a pause between them, for as long as it may take.
    let request = b"GET /short HTTP/1.1\r\nHost: a\r\n\r\n";
    busy.write_all(&request.repeat(4000)).expect("it reads");
    while calls.load(SeqCst) < 10 {
        thread::sleep(Duration::from_millis(1));
    }
    let mut other = connect(server.address());
    assert_eq!(thread_of(&mut other), "http 1");
    // The first thread comes round to it after about a thousand.
    let meanwhile = calls.load(SeqCst);
    hurry.store(true, SeqCst);
    assert!(meanwhile < 700, "only after {meanwhile} other calls");
}

#[test]
fn a_server_stops_in_a_flood_of_connections() {
    const FLOOD: usize = 400;
    let (server, had, tell) = named(Config { threads: 2, ..Config::default() });
    let mut held = held(&server, &had);
    let mut idle = connect(server.address());
    assert_eq!(thread_of(&mut idle), "http 1");
    let address = server.address();
    let stopping = thread::spawn(|| server.stop());
    assert_eq!(rest(&mut idle), "", "by now the thread that accepts was told to stop, too");
    let _flood: Vec<_> = (0..FLOOD).map(|_| connect(address)).collect();
    tell.send(()).expect("the handler waits");
    assert_eq!(answer(&mut held).1, b"http 0");
    let counts = stopping.join().expect("it stops");
    assert!(counts.connections < FLOOD as u64 / 2, "it accepted all the same: {counts:?}");
}

#[test]
fn a_server_stops_while_a_handler_keeps_the_thread_that_accepts() {
    let (server, had, tell) = named(Config { threads: 2, ..Config::default() });
    let mut held = held(&server, &had);
    let mut idle = connect(server.address());
    assert_eq!(thread_of(&mut idle), "http 1");
    let stopping = thread::spawn(|| server.stop());
    assert_eq!(rest(&mut idle), "", "it is closed although the other one is not");
    tell.send(()).expect("the handler waits");
    assert_eq!(answer(&mut held).1, b"http 0");
    assert_eq!(stopping.join().expect("it stops").open, 0);
}
