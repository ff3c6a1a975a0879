//! The driver of services against servers that do what a test wants.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use trunkline_lab::service::{Connecting, Failure, Load, Post, Protocol, Request, Secure, Until};

/// A server of HTTP that answers request `n`, counted over all connections, by what `answer` says.
/// The thread ends with the test.
struct Server {
    to: Connecting,
    connections: Arc<AtomicU64>,
    calls: Arc<AtomicU64>,
}

/// Bytes to send, and whether the connection ends after them.
type Answer = fn(u64, &[u8]) -> (Vec<u8>, bool);

impl Server {
    fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let counters: [Arc<AtomicU64>; 2] = Default::default();
        let [connections, calls] = counters.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let [connections, calls] = counters.clone();
                connections.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || serve(stream.expect("a connection"), &calls, answer));
            }
        });
        Self { to: connecting(address), connections, calls }
    }
}

fn connecting(address: SocketAddr) -> Connecting {
    Connecting { address, protocol: Protocol::Http, nodelay: true, is_split: false, secure: None }
}

fn serve(stream: impl Read + Write, calls: &AtomicU64, answer: Answer) {
    let mut input = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a length");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body).expect("a whole body");
        let (bytes, is_last) = answer(calls.fetch_add(1, Ordering::SeqCst), &body);
        if input.get_mut().write_all(&bytes).is_err() || is_last {
            return;
        }
    }
}

fn echo(_: u64, body: &[u8]) -> (Vec<u8>, bool) {
    (with_length("200 OK", body), false)
}

fn with_length(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Requests whose right answers are their bodies.
fn requests(count: usize) -> Vec<Request> {
    let post = Post {
        path: "/x",
        host: "localhost",
        content_type: "text/xml; charset=utf-8",
        action: Some("urn:x#echo"),
        is_kept: true,
        chunk: None,
    };
    let one = |index: usize| {
        let body = format!("<a>{}</a>", "x".repeat(index * 700)).into_bytes();
        Request { answer: body.clone(), ..post.request(&body) }
    };
    (0..count).map(one).collect()
}

fn load<'a>(server: &'a Server, requests: &'a [Request]) -> Load<'a> {
    Load {
        to: &server.to,
        requests,
        threads: 1,
        depth: 1,
        is_reconnecting: false,
        warm_up: 0,
        until: Until::Calls(10),
    }
}

#[test]
fn threads_keep_their_connections_and_all_calls_count() {
    let server = Server::start(echo);
    let requests = requests(5);
    let load = Load { threads: 3, warm_up: 4, until: Until::Calls(20), ..load(&server, &requests) };
    let outcome = load.run().expect("right answers");
    assert_eq!((outcome.calls, outcome.times.count(), outcome.reconnections), (60, 60, 0));
    assert_eq!(server.connections.load(Ordering::SeqCst), 3);
    assert_eq!(server.calls.load(Ordering::SeqCst), 60 + 3 * 4);
    // Each thread sends four rounds of the five requests.
    let bytes: usize = requests.iter().map(|request| request.bytes.len()).sum();
    assert_eq!(outcome.sent, 3 * 4 * bytes as u64);
    let answers = requests.iter().map(|it| with_length("200 OK", &it.answer).len()).sum::<usize>();
    assert_eq!(outcome.received, 3 * 4 * answers as u64);
    assert!(outcome.nanoseconds > 0 && outcome.rate() > 0.0);
}

#[test]
fn the_first_answers_are_those_of_every_request_in_order() {
    let server = Server::start(echo);
    let requests = requests(4);
    let answers = load(&server, &requests).first_answers().expect("answers");
    assert!(answers.iter().zip(&requests).all(|(answer, request)| *answer == request.answer));
    assert_eq!(answers.len(), 4);
}

#[test]
fn chunks_of_any_size_are_an_answer() {
    fn chunked(call: u64, body: &[u8]) -> (Vec<u8>, bool) {
        let mut out = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        for chunk in body.chunks(call as usize + 1) {
            out.extend(format!("{:X}\r\n", chunk.len()).into_bytes());
            out.extend(chunk);
            out.extend(b"\r\n");
        }
        out.extend(b"0\r\n\r\n");
        (out, false)
    }
    let server = Server::start(chunked);
    let requests = requests(3);
    let outcome = load(&server, &requests).run().expect("right answers");
    assert_eq!((outcome.calls, outcome.reconnections), (10, 0));
}

#[test]
fn a_connection_that_the_server_ends_is_opened_again() {
    fn close(call: u64, body: &[u8]) -> (Vec<u8>, bool) {
        // With a length every other time, else until the end.
        let mut out = b"HTTP/1.1 200 OK\r\nConnection: close\r\n".to_vec();
        if call.is_multiple_of(2) {
            out.extend(format!("Content-Length: {}\r\n", body.len()).into_bytes());
        }
        out.extend(b"\r\n");
        out.extend(body);
        (out, true)
    }
    let server = Server::start(close);
    let requests = requests(3);
    let outcome = load(&server, &requests).run().expect("right answers");
    assert_eq!((outcome.calls, outcome.reconnections), (10, 10));
}

#[test]
fn a_connection_for_every_call_is_counted() {
    let server = Server::start(echo);
    let requests = requests(2);
    let load = Load { is_reconnecting: true, threads: 2, ..load(&server, &requests) };
    let outcome = load.run().expect("right answers");
    assert_eq!((outcome.calls, outcome.reconnections), (20, 20));
    assert_eq!(server.connections.load(Ordering::SeqCst), 2 + 20);
}

#[test]
fn requests_in_a_row_get_their_own_answers() {
    let server = Server::start(echo);
    let requests = requests(7);
    let to = Connecting { nodelay: false, is_split: true, ..server.to.clone() };
    let load = Load { to: &to, depth: 5, until: Until::Calls(50), ..load(&server, &requests) };
    let outcome = load.run().expect("right answers");
    assert_eq!((outcome.calls, outcome.reconnections), (50, 0));
}

#[test]
fn what_is_wrong_ends_the_load_and_is_told() {
    fn other_bytes(call: u64, body: &[u8]) -> (Vec<u8>, bool) {
        let mut body = body.to_vec();
        if call == 7 {
            body[1] = b'b';
        }
        (with_length("200 OK", &body), false)
    }
    fn fault(call: u64, body: &[u8]) -> (Vec<u8>, bool) {
        let status = if call < 5 { "200 OK" } else { "500 Internal Server Error" };
        (with_length(status, body), false)
    }
    fn half(_: u64, body: &[u8]) -> (Vec<u8>, bool) {
        let mut bytes = with_length("200 OK", body);
        bytes.pop();
        (bytes, true)
    }
    let requests = requests(3);
    let failure = |answer: Answer| {
        let server = Server::start(answer);
        let load = Load { threads: 2, warm_up: 1, ..load(&server, &requests) };
        load.run().expect_err("a wrong answer")
    };
    assert!(matches!(failure(other_bytes), Failure::Differs { .. }));
    let told = failure(fault).to_string();
    assert!(told.starts_with("status 500: <a>"), "{told}");
    assert!(matches!(failure(half), Failure::Ended));
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr();
    let server = Server {
        to: connecting(nobody.expect("bound")),
        connections: Arc::default(),
        calls: Arc::default(),
    };
    let error = load(&server, &requests).run().expect_err("nobody listens");
    assert!(matches!(error, Failure::NotConnected(_)), "{error}");
}

/// A certificate of its own authority, and its key, both as PEM.
fn certificate(name: &str) -> (String, String) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
    (made.cert.pem(), made.signing_key.serialize_pem())
}

#[test]
fn tls_and_mutual_tls_carry_the_same_calls() {
    let (server_pem, server_key) = certificate("server.test");
    let (client_pem, client_key) = certificate("client.test");
    let address = secure_echo(&server_pem, &server_key, &client_pem);
    let own = Some((client_pem.as_bytes(), client_key.as_bytes()));
    let to = |secure| Connecting { secure: Some(secure), ..connecting(address) };
    let secure = Secure::from_pem(server_pem.as_bytes(), "server.test", own).expect("good PEM");
    let (requests, server) = (requests(3), Server::start(echo));
    let to_it = to(secure);
    let mutual = Load { to: &to_it, threads: 2, warm_up: 1, ..load(&server, &requests) };
    assert_eq!(mutual.run().expect("right answers").calls, 20);
    let reconnecting = Load { is_reconnecting: true, ..mutual };
    assert_eq!(reconnecting.run().expect("right answers").reconnections, 20);

    let anonymous = Secure::from_pem(server_pem.as_bytes(), "server.test", None).expect("good PEM");
    let other_name = Secure::from_pem(server_pem.as_bytes(), "other.test", own).expect("good PEM");
    for rejected in [anonymous, other_name] {
        let to = to(rejected);
        assert!(Load { to: &to, ..mutual }.run().is_err(), "{to:?}");
    }
    let error = Secure::from_pem(b"", "server.test", None).expect_err("nothing").to_string();
    assert!(error.contains("authorities of servers"), "{error}");
}

/// An echo that only those may call who have this certificate.
fn secure_echo(chain: &str, key: &str, client_root: &str) -> SocketAddr {
    let certificate = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).expect("PEM");
    let mut roots = RootCertStore::empty();
    roots.add(certificate(client_root)).expect("a root");
    let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build().expect("a root");
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("PEM");
    let config = ServerConfig::builder().with_client_cert_verifier(verifier);
    let config = Arc::new(config.with_single_cert(vec![certificate(chain)], key).expect("a pair"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.expect("a connection");
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a good config");
            let stream = StreamOwned::new(connection, stream);
            thread::spawn(move || serve(stream, &AtomicU64::new(0), echo));
        }
    });
    address
}
