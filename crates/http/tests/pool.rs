//! Workers behind a queue. The only worker is held by a channel, so that what waits is known.

mod common;

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use common::{answer, connect, header, status};
use trunkline_http::{Config, Handler, Order, Peer, Request, Response, Running, Server, Workers};

/// Says which request it has, and answers when it is told to.
struct Held {
    has: Mutex<Sender<String>>,
    go: Mutex<Receiver<()>>,
}

impl Handler for Held {
    type Connection = u32;

    fn connect(&self, _: &Peer) -> u32 {
        0
    }

    fn rank(&self, request: &Request<'_>) -> u64 {
        ["/middle", "/short", "/long"].iter().position(|it| *it == request.path).unwrap_or(9) as u64
    }

    fn handle(&self, count: &mut u32, request: &Request<'_>, response: &mut Response) {
        *count += 1;
        self.has.lock().expect("no panic").send(request.path.to_owned()).expect("the test listens");
        self.go.lock().expect("no panic").recv().expect("the test tells");
        assert_ne!(request.path, "/panic", "as the test asks");
        response.body = format!("{count}").into_bytes();
    }
}

/// A server with one worker, what its handler has, and what tells it to go on.
fn held(queue: usize, order: Order) -> (Running, Receiver<String>, Sender<()>) {
    let (has, had) = channel();
    let (tell, go) = channel();
    let workers = Workers::Pool { threads: 1, queue, order };
    let config = Config { workers, threads: 1, ..Config::default() };
    let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
    let handler = Held { has: Mutex::new(has), go: Mutex::new(go) };
    (server.serve(handler).expect("threads"), had, tell)
}

fn send(server: &Running, path: &str, length: usize) -> TcpStream {
    let mut stream = connect(server.address());
    let body = "b".repeat(length);
    let request =
        format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).expect("it reads");
    stream
}

/// Sends a request, and lets the server take it in before anything else happens. Another connection
/// of the same thread, which is answered at once, shows that it has: the thread reads in order of
/// arrival, and `Host` is missing, so no worker is asked.
fn queue(server: &Running, path: &str, length: usize) -> TcpStream {
    let before = server.counters().requests;
    let stream = send(server, path, length);
    while server.counters().requests == before {
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut second = connect(server.address());
    second.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it reads");
    assert_eq!(status(&answer(&mut second).0), 400);
    stream
}

fn order_of_three(order: Order) -> Vec<String> {
    let (server, had, tell) = held(3, order);
    let mut streams = vec![send(&server, "/first", 1)];
    let mut paths = vec![had.recv().expect("the worker has it")];
    for (path, length) in [("/long", 3000), ("/short", 1000), ("/middle", 2000)] {
        streams.push(queue(&server, path, length));
    }
    for _ in 0..3 {
        tell.send(()).expect("the worker waits");
        paths.push(had.recv().expect("the worker has it"));
    }
    tell.send(()).expect("the worker waits");
    for stream in &mut streams {
        let (head, body) = answer(stream);
        assert_eq!((status(&head), &body[..]), (200, &b"1"[..]));
    }
    paths
}

#[test]
fn the_order_is_the_one_that_was_asked_for() {
    assert_eq!(order_of_three(Order::FirstIn), ["/first", "/long", "/short", "/middle"]);
    let patient = Order::ShortestFirst { patience: Duration::from_secs(900) };
    assert_eq!(order_of_three(patient), ["/first", "/short", "/middle", "/long"]);
    let impatient = Order::ShortestFirst { patience: Duration::ZERO };
    assert_eq!(order_of_three(impatient), ["/first", "/long", "/short", "/middle"]);
    let patient = Order::LowestRank { patience: Duration::from_secs(900) };
    assert_eq!(order_of_three(patient), ["/first", "/middle", "/short", "/long"]);
    let impatient = Order::LowestRank { patience: Duration::ZERO };
    assert_eq!(order_of_three(impatient), ["/first", "/long", "/short", "/middle"]);
}

#[test]
fn a_full_queue_is_told_so_and_the_connection_is_kept() {
    let (server, had, tell) = held(1, Order::FirstIn);
    let mut working = send(&server, "/works", 1);
    had.recv().expect("the worker has it");
    let mut waiting = queue(&server, "/waits", 1);
    let mut rejected = send(&server, "/rejected", 1);
    let (head, text) = answer(&mut rejected);
    assert_eq!((status(&head), header(&head, "retry-after")), (503, Some("1")));
    assert!(text.starts_with(b"queue"), "{}", String::from_utf8_lossy(&text));
    for stream in [&mut working, &mut waiting] {
        tell.send(()).expect("the worker waits");
        assert_eq!(answer(stream).1, b"1");
    }
    rejected.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("it is open");
    tell.send(()).expect("the worker waits");
    assert_eq!(answer(&mut rejected).1, b"1", "the first that this connection's handler saw");
}

#[test]
fn without_a_queue_only_a_worker_without_work_takes_a_request() {
    let (server, had, tell) = held(0, Order::FirstIn);
    let mut working = send(&server, "/works", 1);
    had.recv_timeout(Duration::from_secs(20)).expect("the worker has it");
    let (head, _) = answer(&mut send(&server, "/rejected", 1));
    assert_eq!((status(&head), header(&head, "retry-after")), (503, Some("1")));
    tell.send(()).expect("the worker waits");
    assert_eq!(answer(&mut working).1, b"1");
}

#[test]
fn a_worker_outlives_a_panic_and_those_that_do_not_wait() {
    let (server, had, tell) = held(9, Order::SHORTEST_FIRST);
    let mut failing = send(&server, "/panic", 1);
    tell.send(()).expect("the worker waits");
    assert_eq!(status(&answer(&mut failing).0), 500);
    drop(send(&server, "/gone", 1));
    let mut last = send(&server, "/last", 1);
    for _ in 0..2 {
        tell.send(()).expect("the worker waits");
    }
    assert_eq!(answer(&mut last).1, b"1");
    assert_eq!(had.iter().take(3).count(), 3);
    assert_eq!(server.stop().panics, 1);
}

#[test]
fn what_is_handled_when_the_server_stops_is_still_answered() {
    let (server, had, tell) = held(1, Order::FirstIn);
    let mut working = send(&server, "/works", 1);
    had.recv().expect("the worker has it");
    let stopping = std::thread::spawn(|| server.stop());
    tell.send(()).expect("the worker waits");
    assert_eq!(status(&answer(&mut working).0), 200);
    assert_eq!(stopping.join().expect("it stops").open, 0);
}
