//! The client against the server.

mod common;

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::mpsc::channel;
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

use common::{echo, quick};
use trunkline_http::{
    Client, ClientConfig, Compression, Config, Error, HeaderMap, Method, Received, StatusCode,
    Version,
};

fn client(address: SocketAddr, config: ClientConfig) -> Client {
    Client::new(&address.to_string(), config).expect("an address")
}

#[test]
fn bodies_of_all_lengths_go_there_and_back_in_all_ways() {
    let usual = ClientConfig::default;
    let ways = [
        usual(),
        ClientConfig { keep_alive: false, ..usual() },
        ClientConfig { version: Version::HTTP_10, ..usual() },
        ClientConfig { version: Version::HTTP_10, keep_alive: false, ..usual() },
        ClientConfig { chunked: true, chunk_bytes: 1000, ..usual() },
        compressed(Compression::Gzip),
        compressed(Compression::Zstd),
        compressed(Compression::Xml),
        ClientConfig { compression: Some(Compression::Deflate), chunked: true, ..usual() },
        ClientConfig { expect_continue: true, ..usual() },
        ClientConfig { expect_continue: true, chunked: true, nodelay: false, ..usual() },
    ];
    for chunked in [false, true] {
        // The bodies repeat themselves, and become very short.
        let inflate_ratio = usize::MAX;
        let server = echo(Config { chunked, threads: 2, inflate_ratio, ..Config::default() });
        for way in &ways {
            let mut client = client(server.address(), way.clone());
            for length in [0, 1, 100, 8192, 100_000, 3_000_000] {
                let body: Vec<u8> =
                    (0..length as u64).map(|at| b'a' + (at * at % 23) as u8).collect();
                let answer = client.request(&Method::POST, "/", &HeaderMap::new(), &body);
                let answer = answer.unwrap_or_else(|error| panic!("{length}, {way:?}: {error}"));
                assert_eq!(answer.status, StatusCode::OK);
                assert!(answer.body == body, "{length}, {way:?}");
                assert_eq!(answer.version, way.version);
            }
            assert_eq!(client.connections(), if way.keep_alive { 1 } else { 6 }, "{way:?}");
        }
        let counters = server.stop();
        assert_eq!(counters.requests, 6 * ways.len() as u64);
        assert_eq!((counters.open, counters.rejected, counters.panics), (0, 0, 0));
    }
}

/// Requests and answers in one coding.
fn compressed(coding: Compression) -> ClientConfig {
    let (compression, accept) = (Some(coding), vec![coding]);
    ClientConfig { compression, accept, inflate_ratio: usize::MAX, ..ClientConfig::default() }
}

#[test]
fn each_coding_is_spoken_with_those_that_ask_for_it() {
    let server = echo(Config { body_bytes: 1 << 20, ..Config::default() });
    let items: String =
        (0..2000).map(|it| format!("<item n=\"{it}\">{}</item>", it * it)).collect();
    let body = format!("<list>{items}</list>").into_bytes();
    let post = |client: &mut Client, body: &[u8]| {
        client.request(&Method::POST, "/", &HeaderMap::new(), body).expect("an answer")
    };
    for coding in Compression::ALL {
        let mut client = client(server.address(), compressed(coding));
        let answer = post(&mut client, &body);
        assert_eq!(answer.compression, Some(coding));
        assert_eq!(answer.headers["content-encoding"], coding.name());
        assert!(answer.body == body, "{coding:?}");
        let most = body.len() as u64 / 2;
        assert!(answer.sent < most && answer.received < most, "{coding:?}: {answer:?}");
        // What becomes too long is rejected, and the connection stays.
        let answer = post(&mut client, &vec![b'0'; 2 << 20]);
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
        client.config_mut().compression = None;
        client.config_mut().accept = vec![];
        let answer = post(&mut client, &body);
        assert_eq!((answer.compression, client.connections()), (None, 1));
    }
    // Ours is for those who know it.
    let mut client = client(server.address(), ClientConfig::default());
    let mut headers = HeaderMap::new();
    headers.insert("accept-encoding", "*".parse().expect("a value"));
    let answer = client.request(&Method::POST, "/", &headers, &body).expect("an answer");
    assert_eq!(answer.compression, Some(Compression::Gzip));
    headers.insert("content-encoding", "br".parse().expect("a value"));
    let answer = client.request(&Method::POST, "/", &headers, &body).expect("an answer");
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(answer.headers["accept-encoding"], "gzip, zstd, deflate, x-trunkline-xml");
    assert!(String::from_utf8_lossy(&answer.body).contains("zstd"), "{answer:?}");
}

#[test]
fn an_answer_that_would_be_taken_for_a_trap_is_not_compressed() {
    let server = echo(Config::default());
    for coding in Compression::ALL {
        let accept = vec![coding];
        let mut client = client(server.address(), ClientConfig { accept, ..Default::default() });
        for length in [1 << 20, 4 << 20] {
            let body = vec![b'0'; length];
            let answer = client.request(&Method::POST, "/", &HeaderMap::new(), &body);
            let answer = answer.unwrap_or_else(|error| panic!("{length}, {coding:?}: {error}"));
            assert!(answer.body == body, "{length}, {coding:?}");
            if length == 1 << 20 {
                assert_eq!(answer.compression, Some(coding));
            } else if coding == Compression::Zstd {
                assert_eq!(answer.compression, None, "it becomes thousands of times longer");
            }
        }
    }
}

#[test]
fn requests_sent_at_once_are_answered_in_order() {
    let server = echo(quick());
    let mut client = client(server.address(), ClientConfig::default());
    let bodies: Vec<Vec<u8>> =
        [5, 0, 70_000, 1, 1_000_000, 3].iter().map(|&length| vec![b'y'; length]).collect();
    let bodies: Vec<&[u8]> = bodies.iter().map(|body| &body[..]).collect();
    for _ in 0..2 {
        let answers = client.pipeline(&Method::POST, "/", &HeaderMap::new(), &bodies);
        let answers = answers.expect("all are answered");
        let echoed: Vec<&[u8]> = answers.iter().map(|answer| &answer.body[..]).collect();
        assert!(echoed == bodies);
    }
    let last = client.request(&Method::POST, "/count", &HeaderMap::new(), b"").expect("an answer");
    assert_eq!(&last.body[..], b"13", "all went over one connection");
}

/// What a server does next.
enum Step {
    /// Reads the head of a request.
    Head,
    /// Reads a body of two bytes.
    Body,
    Say(&'static str),
}

use Step::{Body, Head, Say};

/// A server that is a script: what it does with each connection before it closes it. Gives what it
/// read: each head, each body, and what came after the end.
fn scripted(connections: Vec<Vec<Step>>) -> (SocketAddr, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    let server = spawn(move || {
        let mut requests = Vec::new();
        for script in connections {
            let (mut stream, _) = listener.accept().expect("somebody connects");
            for step in script {
                match step {
                    Say(said) => stream.write_all(said.as_bytes()).expect("the client reads"),
                    Body => {
                        let mut body = [0; 2];
                        stream.read_exact(&mut body).expect("a body comes");
                        requests.push(String::from_utf8_lossy(&body).into_owned());
                    }
                    Head => {
                        let mut request = Vec::new();
                        while !request.ends_with(b"\r\n\r\n") {
                            let mut byte = [0];
                            stream.read_exact(&mut byte).expect("a request comes");
                            request.push(byte[0]);
                        }
                        requests.push(String::from_utf8(request).expect("heads are ASCII"));
                    }
                }
            }
            let _ = stream.shutdown(Shutdown::Write);
            // What still comes is read, so that nothing that was said is taken back.
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            requests.push(String::from_utf8(rest).expect("bodies are ASCII"));
        }
        requests
    });
    (address, server)
}

const OK: Step = Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

fn ask(client: &mut Client, method: Method) -> Result<Received, Error> {
    client.request(&method, "/", &HeaderMap::new(), b"")
}

#[test]
fn a_connection_that_was_closed_between_requests_is_made_again() {
    let (address, server) = scripted(vec![vec![Head, OK], vec![Head, OK]]);
    let mut client = client(address, ClientConfig::default());
    assert_eq!(&ask(&mut client, Method::POST).expect("an answer").body[..], b"ok");
    // Until the end of the stream has come.
    sleep(Duration::from_millis(50));
    assert_eq!(&ask(&mut client, Method::POST).expect("an answer").body[..], b"ok");
    assert_eq!(client.connections(), 2);
    drop(client);
    server.join().expect("the script ends");
}

#[test]
fn a_connection_that_was_closed_while_nobody_looked_is_made_again() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let mut client = client(listener.local_addr().expect("it listens"), ClientConfig::default());
    let (close, told) = channel::<()>();
    let (closed, done) = channel();
    let server = spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().expect("somebody connects");
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a request comes");
                head.push(byte[0]);
            }
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            stream.write_all(answer).expect("the client reads");
            told.recv().expect("the test tells");
            drop(stream);
            closed.send(()).expect("the test listens");
        }
    });
    for _ in 0..2 {
        assert_eq!(&ask(&mut client, Method::POST).expect("an answer").body[..], b"ok");
        close.send(()).expect("the server waits");
        done.recv().expect("it has closed");
        // The connection has not been used just now.
        sleep(Duration::from_millis(5));
    }
    assert_eq!(client.connections(), 2);
    server.join().expect("it ends");
}

#[test]
fn what_may_have_been_carried_out_is_repeated_only_if_that_does_no_harm() {
    let closes = || scripted(vec![vec![Head, OK, Head], vec![Head, OK]]);
    let repeat_posts = ClientConfig { repeat_posts: true, ..ClientConfig::default() };
    for (config, method) in
        [(ClientConfig::default(), Method::GET), (repeat_posts.clone(), Method::POST)]
    {
        let (address, server) = closes();
        let mut client = client(address, config);
        for _ in 0..2 {
            assert_eq!(&ask(&mut client, method.clone()).expect("an answer").body[..], b"ok");
        }
        drop(client);
        assert_eq!(server.join().expect("the script ends").len(), 5, "3 requests, 2 connections");
    }
    let (address, _server) = closes();
    let mut posting = client(address, ClientConfig::default());
    ask(&mut posting, Method::POST).expect("an answer");
    let error = ask(&mut posting, Method::POST).expect_err("the script does not answer");
    assert!(matches!(error, Error::Broken { maybe_handled: true, .. }), "{error}");
    ask(&mut posting, Method::POST).expect("a new connection is made");

    let (address, _server) = scripted(vec![vec![Head], vec![Head, OK]]);
    let error = ask(&mut client(address, repeat_posts), Method::GET).expect_err("not on a new one");
    assert!(matches!(error, Error::Broken { maybe_handled: true, .. }), "{error}");
}

#[test]
fn a_body_waits_until_it_is_asked_for() {
    let wait = Duration::from_secs(900);
    let config =
        ClientConfig { expect_continue: true, continue_timeout: wait, ..Default::default() };
    let send = |config: &ClientConfig, script| {
        let (address, server) = scripted(vec![script]);
        let mut client = client(address, config.clone());
        let answer = client.request(&Method::POST, "/", &HeaderMap::new(), b"hi");
        drop(client);
        (answer.expect("an answer"), server.join().expect("the script ends"))
    };
    let (answer, seen) = send(&config, vec![Head, Say("HTTP/1.1 100 Continue\r\n\r\n"), Body, OK]);
    assert_eq!((answer.status, &seen[1][..]), (StatusCode::OK, "hi"));
    assert!(seen[0].contains("expect: 100-continue\r\n"), "{}", seen[0]);
    let no = Say("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n");
    let (answer, seen) = send(&config, vec![Head, no]);
    assert_eq!((answer.status, &seen[1][..]), (StatusCode::PAYLOAD_TOO_LARGE, ""));

    // A server that has never heard of it says nothing before it has the body.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    let silent = spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody connects");
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\nhi") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a request comes");
            request.push(byte[0]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").expect("the client reads");
    });
    let config = ClientConfig { continue_timeout: Duration::from_millis(50), ..config };
    let answer = client(address, config).request(&Method::POST, "/", &HeaderMap::new(), b"hi");
    assert_eq!(answer.expect("an answer").status, StatusCode::NO_CONTENT);
    silent.join().expect("it has seen the body");
}

#[test]
fn bad_answers_are_errors_that_say_why() {
    let short = ClientConfig { body_bytes: 10, ..ClientConfig::default() };
    let fails_with = |config: ClientConfig, said| {
        let (address, _server) = scripted(vec![vec![Head, Say(said), Head]]);
        ask(&mut client(address, config), Method::POST).expect_err("not an answer")
    };
    let fails = |said| fails_with(short.clone(), said);
    let error = fails("SMTP ready\r\n\r\n");
    assert!(matches!(error, Error::Answer(_)), "{error}");
    let error = fails("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n");
    assert!(matches!(error, Error::TooLong { limit: "body_bytes", bytes: 10 }), "{error}");
    let error =
        fails("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n");
    assert!(matches!(error, Error::TooLong { limit: "body_bytes", bytes: 10 }), "{error}");
    // The others may take as long as a busy machine needs.
    let hasty = ClientConfig { response_timeout: Duration::from_millis(100), ..short.clone() };
    let error = fails_with(hasty, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha");
    assert!(matches!(error, Error::TimedOut { limit: "response_timeout", .. }), "{error}");
    let error = fails("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx");
    assert!(matches!(error, Error::Answer(_)), "{error}");

    let until_the_end = Say("HTTP/1.0 200 OK\r\n\r\nto the end");
    let (address, _server) = scripted(vec![vec![Head, until_the_end]]);
    let answer = ask(&mut client(address, short.clone()), Method::POST).expect("an answer");
    assert_eq!((&answer.body[..], answer.version), (&b"to the end"[..], Version::HTTP_10));

    let free = TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr();
    let mut nobody = client(free.expect("it had a port"), short.clone());
    let error = ask(&mut nobody, Method::POST).expect_err("nobody listens");
    assert!(matches!(error, Error::Connect { .. }), "{error}");
    assert!(matches!(Client::new("no port", short), Err(Error::Request(_))));
}

#[test]
fn what_went_over_the_wire_is_counted_on_both_sides() {
    let server = echo(quick());
    let mut client = client(server.address(), ClientConfig::default());
    let (mut sent, mut received) = (0, 0);
    for length in [0, 10, 100_000] {
        let answer = client.request(&Method::POST, "/", &HeaderMap::new(), &vec![b'x'; length]);
        let answer = answer.expect("an answer");
        assert!(answer.sent > length as u64 && answer.received > length as u64);
        sent += answer.sent;
        received += answer.received;
    }
    let counters = server.stop();
    assert_eq!((counters.bytes_in, counters.bytes_out), (sent, received));
}
