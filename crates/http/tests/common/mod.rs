//! A server for tests, and raw sockets to speak to it.

// Each test is a program of its own and uses only some of this.
#![allow(dead_code)]

pub(crate) mod holding;
pub(crate) mod idle;

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use trunkline_http::{Config, Handler, Peer, Request, Response, Running, Server, StatusCode};

/// Answers with the body of the request. `/count` says how many requests this connection has had,
/// `/panic` panics, `/missing` is 404, `/peer` says who asks.
pub(crate) struct Echo;

impl Handler for Echo {
    type Connection = (Peer, u32);

    fn connect(&self, peer: &Peer) -> Self::Connection {
        (peer.clone(), 0)
    }

    fn handle(&self, state: &mut Self::Connection, request: &Request<'_>, response: &mut Response) {
        state.1 += 1;
        response.content_type("text/plain");
        match request.path {
            "/count" => response.body = state.1.to_string().into_bytes(),
            "/panic" => panic!("as the test asks"),
            "/missing" => response.status = StatusCode::NOT_FOUND,
            "/peer" => response.body = format!("{:?}", state.0.tls).into_bytes(),
            "/large" => response.body = vec![b'x'; 64 << 20],
            _ => response.body.extend_from_slice(request.body),
        }
    }
}

/// An echo with this configuration.
pub(crate) fn echo(config: Config) -> Running {
    Server::bind("127.0.0.1:0", config).expect("a port is free").serve(Echo).expect("threads")
}

/// Limits that tests need not wait for.
pub(crate) fn quick() -> Config {
    Config {
        threads: 1,
        header_timeout: Duration::from_millis(200),
        body_timeout: Duration::from_millis(200),
        idle_timeout: Duration::from_millis(400),
        write_timeout: Duration::from_millis(400),
        ..Config::default()
    }
}

/// A socket that fails after a while, so that no test waits for ever.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time-out can be set");
    stream
}

/// Sends bytes and then nothing more, and reads until the server closes.
pub(crate) fn exchange(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = connect(address);
    stream.write_all(request).expect("the server reads");
    stream.shutdown(Shutdown::Write).expect("the socket is there");
    rest(&mut stream)
}

/// Sends bytes, and reads until the server closes of its own.
pub(crate) fn exchange_open(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = connect(address);
    stream.write_all(request).expect("the server reads");
    rest(&mut stream)
}

/// All that comes until the server closes.
pub(crate) fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the server closes in order");
    String::from_utf8_lossy(&answer).into_owned()
}

/// One answer with `Content-Length`: its head and its body.
pub(crate) fn answer(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        let read = stream.read(&mut byte).expect("an answer comes");
        assert_eq!(read, 1, "closed after {:?}", String::from_utf8_lossy(&head));
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("heads are ASCII");
    let length = header(&head, "content-length").map_or(0, |it| it.parse().expect("a number"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("the whole body comes");
    (head, body)
}

/// The value of a header in a head.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The status of an answer.
pub(crate) fn status(answer: &str) -> u16 {
    let digits = answer.get(9..12).unwrap_or_else(|| panic!("no status in {answer:?}"));
    digits.parse().expect("three digits")
}
