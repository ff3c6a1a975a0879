//! Bodies that are handed over as they come, in both directions.

mod common;

use std::io::{self, Read, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use trunkline_http::{
    Body, Bytes, Client, ClientConfig, Compression, Config, Error, Handler, HeaderMap, Method,
    Order, Peer, Request, Response, Rest, Running, Server, StatusCode, Streamed, Workers,
};

use common::{connect, exchange};

/// Answers `/count` with the number of bytes of the body, `/whole` with the body that it wants as a whole, `/panic` not at all,
/// `/hold` when it is told to, `/give` with as many bytes as its query says, `/held` with none, which end when it is told to.
struct Counting {
    go: Arc<Mutex<Receiver<()>>>,
    given: AtomicUsize,
}

impl Handler for Counting {
    type Connection = ();

    fn connect(&self, _: &Peer) {}

    fn handle(&self, (): &mut (), request: &Request<'_>, response: &mut Response) {
        response.body.extend_from_slice(request.body);
        if request.path == "/hold" {
            self.go.lock().expect("no panic").recv().expect("the test tells");
        }
        if request.path == "/held" {
            response.rest = Some(Rest::new(Held(Arc::clone(&self.go))));
        }
        if request.path == "/give" {
            let length = request.query.and_then(|it| it.parse().ok()).unwrap_or_default();
            self.given.fetch_add(1, Ordering::Relaxed);
            response.rest = Some(Rest::new(io::repeat(b'g').take(length)));
        }
        if request.path == "/broken" {
            response.rest = Some(Rest::new(io::repeat(b'g').take(100_000).chain(Broken)));
        }
    }

    fn streams(&self, _: &Method, path: &str, _: &HeaderMap) -> bool {
        !["/echo", "/give", "/held", "/broken"].contains(&path)
    }

    fn handle_stream(
        &self,
        (): &mut (),
        request: &Request<'_>,
        mut body: Body,
        response: &mut Response,
    ) -> Streamed {
        match request.path {
            "/whole" => {
                let mut begun = vec![0; 3];
                let read = body.read(&mut begun).expect("it comes");
                begun.truncate(read);
                return Streamed::Whole(begun, body);
            }
            "/panic" => panic!("as it was asked to"),
            "/ignore" => return Streamed::Answered,
            "/hold" => self.go.lock().expect("no panic").recv().expect("the test tells"),
            _ => {}
        }
        response.body = match io::copy(&mut body, &mut io::sink()) {
            Ok(bytes) => bytes.to_string().into_bytes(),
            Err(error) => format!("it says: {error}").into_bytes(),
        };
        Streamed::Answered
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("as it was asked to")
    }
}

/// Ends when it is told to.
struct Held(Arc<Mutex<Receiver<()>>>);

impl Read for Held {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").recv().expect("the test tells");
        Ok(0)
    }
}

fn serve(config: Config) -> (Running, Sender<()>) {
    let (tell, go) = channel();
    let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
    let handler = Counting { go: Arc::new(Mutex::new(go)), given: AtomicUsize::new(0) };
    (server.serve(handler).expect("threads"), tell)
}

fn client(server: &Running, config: ClientConfig) -> Client {
    Client::new(&server.address().to_string(), config).expect("an address")
}

fn post(client: &mut Client, path: &str, bytes: u64) -> Result<Vec<u8>, Error> {
    let rest = Rest::new(io::repeat(b'x').take(bytes));
    let begun = Bytes::from_static(b"abc");
    let head =
        client.request_streamed(&Method::POST, path, &HeaderMap::new(), begun, Some(rest))?;
    assert_eq!(head.status, StatusCode::OK, "{path}");
    Ok(client.whole(head)?.body.to_vec())
}

/// All that comes, however the connection ends.
fn read_all(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// With the thread that reads and writes, and with a pool.
fn configs() -> [Config; 2] {
    let workers = Workers::Pool { threads: 1, queue: 1, order: Order::FirstIn };
    [Config::default(), Config { workers, ..Config::default() }]
}

#[test]
fn a_body_comes_as_it_is_read_and_the_connection_goes_on() {
    for config in configs() {
        let (server, _tell) = serve(config);
        let mut client = client(&server, ClientConfig::default());
        for length in [0, 1, 100_000, 20_000_000] {
            let counted = post(&mut client, "/count", length).expect("an answer");
            assert_eq!(counted, (length + 3).to_string().as_bytes());
        }
        for length in [0, 1, 100_000] {
            let echoed = post(&mut client, "/whole", length).expect("an answer");
            assert_eq!(echoed.len() as u64, length + 3);
            assert!(echoed.starts_with(b"abc"));
        }
        let before = client.connections();
        let echoed = client.request(&Method::POST, "/echo", &HeaderMap::new(), b"again");
        assert_eq!(echoed.expect("an answer").body, "again");
        assert_eq!(client.connections(), before, "the one of the last stream");
    }
}

#[test]
fn an_answer_goes_as_it_is_read() {
    for config in configs() {
        let (server, _tell) = serve(config);
        let mut client = client(&server, ClientConfig::default());
        for length in [0_u64, 1, 100_000, 20_000_000] {
            let path = format!("/give?{length}");
            let mut ask = || {
                let method = Method::POST;
                client.request_streamed(&method, &path, &HeaderMap::new(), "ask".into(), None)
            };
            assert_eq!(ask().expect("an answer").headers["transfer-encoding"], "chunked");
            let mut answer = client.answer_body();
            let mut begun = [0; 3];
            answer.read_exact(&mut begun).expect("it comes");
            assert_eq!(&begun, b"ask");
            let came = io::copy(&mut answer, &mut io::sink()).expect("it comes");
            assert_eq!(came, length);
            assert_eq!(answer.read(&mut begun).expect("it is over"), 0);
            // The same as a whole.
            let whole = client.request(&Method::POST, &path, &HeaderMap::new(), b"ask");
            assert_eq!(whole.expect("an answer").body.len() as u64, length + 3);
        }
        // What is not read is given up.
        let path = "/give?20000000";
        client
            .request_streamed(&Method::POST, path, &HeaderMap::new(), "ask".into(), None)
            .expect("an answer");
        let echoed = client.request(&Method::POST, "/echo", &HeaderMap::new(), b"again");
        assert_eq!(echoed.expect("an answer").body, "again");
        // A client of HTTP/1.0 learns of the end by the end of the connection.
        let mut stream = connect(server.address());
        stream
            .write_all(b"POST /give?100000 HTTP/1.0\r\nContent-Length: 1\r\n\r\na")
            .expect("taken");
        let answer = read_all(&mut stream);
        assert!(answer.ends_with(&"g".repeat(100_000)), "{} bytes", answer.len());
    }
}

#[test]
fn an_answer_that_breaks_is_not_taken_for_whole() {
    let (server, _tell) = serve(Config::default());
    let mut client = client(&server, ClientConfig::default());
    let asked =
        client.request_streamed(&Method::POST, "/broken", &HeaderMap::new(), "a".into(), None);
    asked.expect("its head");
    let mut answer = client.answer_body();
    io::copy(&mut answer, &mut io::sink()).expect_err("it is not whole");
    answer.read(&mut [0; 10]).expect_err("nor does it become so");
    client.request(&Method::POST, "/broken", &HeaderMap::new(), b"a").expect_err("nor as a whole");
    assert_eq!(server.counters().panics, 2);
}

#[test]
fn answers_that_are_streamed_have_a_limit() {
    let (server, _tell) = serve(Config::default());
    let config = ClientConfig { streamed_bytes: 1_000_000, ..ClientConfig::default() };
    let mut client = client(&server, config);
    for (length, is_within) in [(900_000, true), (1_100_000, false)] {
        let path = format!("/give?{length}");
        let asked =
            client.request_streamed(&Method::POST, &path, &HeaderMap::new(), "a".into(), None);
        asked.expect("its head");
        let read = io::copy(&mut client.answer_body(), &mut io::sink());
        assert_eq!(read.is_ok(), is_within);
        if let Err(error) = read {
            assert!(error.to_string().contains("streamed_bytes"), "{error}");
        }
    }
}

fn head(path: &str, more: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: a\r\n{more}Transfer-Encoding: chunked\r\n\r\n")
}

fn asked(server: &Running, bytes: &[u8]) -> String {
    let mut stream = connect(server.address());
    // It may have been rejected before all of it is sent.
    _ = stream.write_all(bytes);
    read_all(&mut stream)
}

#[test]
fn what_breaks_the_rules_is_told_to_the_client_and_to_the_handler() {
    let config = Config { streamed_bytes: 1_000_000, body_bytes: 1000, ..Config::default() };
    let (server, _tell) = serve(config);
    let long = |path: &str| {
        let chunk = format!("{:x}\r\n{}\r\n", 600_000, "x".repeat(600_000));
        [head(path, ""), chunk.clone(), chunk].concat()
    };
    let answer = asked(&server, long("/count").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("streamed_bytes: "), "{answer}");
    let answer = asked(&server, long("/whole").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("\nbody_bytes: "), "{answer}");
    let cut = head("/count", "") + "5\r\nabc";
    let answer = exchange(server.address(), cut.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("ends too early"), "{answer}");
    let answer = asked(&server, (head("/count", "") + "5\r\nabcdeZ").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let answer = asked(&server, (head("/panic", "") + "5\r\nabcde\r\n").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
    // A handler that does not read is answered for at once, and the connection ends.
    let answer = asked(&server, (head("/ignore", "") + "5\r\nabcde\r\n").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
    // What is compressed is not streamed.
    let body = Compression::Gzip.compress(b"abc");
    let fields = format!(
        "POST /count HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let answer = asked(&server, &[fields.as_bytes(), &body].concat());
    assert!(answer.ends_with("\r\nabc"), "{answer}");
}

#[test]
fn as_many_bodies_are_handed_over_as_may() {
    let config = Config { streams: 2, ..Config::default() };
    let (server, tell) = serve(config);
    let mut held: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut stream = connect(server.address());
            let begun = head("/hold", "Connection: close\r\n") + "3\r\nabc\r\n";
            stream.write_all(begun.as_bytes()).expect("taken");
            stream
        })
        .collect();
    while server.counters().requests < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let refused = asked(&server, (head("/count", "") + "3\r\nabc\r\n0\r\n\r\n").as_bytes());
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("streams: 2"), "{refused}");
    assert!(refused.to_lowercase().contains("retry-after: 1"), "{refused}");
    // Others are served in the meantime.
    let mut client = client(&server, ClientConfig::default());
    let echoed = client.request(&Method::POST, "/echo", &HeaderMap::new(), b"here");
    assert_eq!(echoed.expect("an answer").body, "here");
    for stream in &mut held {
        tell.send(()).expect("it waits");
        stream.write_all(b"0\r\n\r\n").expect("taken");
        let answer = read_all(stream);
        assert!(answer.ends_with("\r\n3"), "{answer}");
    }
}

#[test]
fn answers_have_places_of_their_own_for_which_they_do_not_wait_for_ever() {
    let write_timeout = Duration::from_millis(200);
    let (server, tell) = serve(Config { streams: 1, write_timeout, ..Config::default() });
    let ask = |path: &str| {
        let mut stream = connect(server.address());
        let fields = "Host: a\r\nConnection: close\r\nContent-Length: 0";
        let request = format!("POST {path} HTTP/1.1\r\n{fields}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("taken");
        stream
    };
    let mut held = ask("/held");
    let mut begun = [0; 12];
    held.read_exact(&mut begun).expect("its head comes");
    assert_eq!(&begun, b"HTTP/1.1 200");
    let mut client = client(&server, ClientConfig::default());
    assert_eq!(post(&mut client, "/count", 100_000).expect("an answer"), b"100003");
    let refused = read_all(&mut ask("/give?5"));
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("streams: 1 ") && refused.contains("write_timeout"), "{refused}");
    tell.send(()).expect("it waits");
    assert!(read_all(&mut held).ends_with("\r\n0\r\n\r\n"));
    let given = read_all(&mut ask("/give?5"));
    assert!(given.starts_with("HTTP/1.1 200 ") && given.contains("ggggg"), "{given}");
}

#[test]
fn what_is_compressed_may_block_as_a_stream_may() {
    let (server, tell) = serve(Config { threads: 1, streams: 1, ..Config::default() });
    let body = Compression::Gzip.compress(b"abc");
    let ask = |path: &str| {
        let fields = "Host: a\r\nConnection: close\r\nContent-Encoding: gzip";
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\n{fields}\r\nContent-Length: {length}\r\n\r\n");
        let mut stream = connect(server.address());
        stream.write_all(&[head.as_bytes(), &body].concat()).expect("taken");
        stream
    };
    let mut held = ask("/hold");
    while server.counters().requests < 1 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut client = client(&server, ClientConfig::default());
    let echoed = client.request(&Method::POST, "/echo", &HeaderMap::new(), b"here");
    assert_eq!(echoed.expect("others are served").body, "here");
    let refused = read_all(&mut ask("/count"));
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("streams: 1"), "{refused}");
    tell.send(()).expect("it waits");
    let answer = read_all(&mut held);
    assert!(answer.ends_with("\r\nabc"), "{answer}");
}

#[test]
fn a_client_that_asks_before_it_sends_is_told_to_when_the_handler_reads() {
    let (server, _tell) = serve(Config::default());
    let head = |path: &str| {
        let fields = "Host: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 3";
        format!("POST {path} HTTP/1.1\r\n{fields}\r\n\r\n")
    };
    let answer = asked(&server, head("/ignore").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let mut stream = connect(server.address());
    stream.write_all(head("/count").as_bytes()).expect("taken");
    let mut told = [0; 25];
    stream.read_exact(&mut told).expect("it is told");
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"abc").expect("taken");
    let answer = read_all(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n3"), "{answer}");
}

#[test]
fn time_outs_hold_for_a_stretch_of_a_body_and_not_for_its_handler() {
    let config = Config { body_timeout: Duration::from_millis(200), ..Config::default() };
    let (server, tell) = serve(config);
    let begun = head("/count", "") + "3\r\nabc\r\n";
    let answer = asked(&server, begun.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("body_timeout"), "{answer}");
    // Nobody who trickles gets more time.
    let mut stream = connect(server.address());
    stream.write_all(begun.as_bytes()).expect("taken");
    while stream.write_all(b"1\r\na\r\n").is_ok() {
        std::thread::sleep(Duration::from_millis(20));
    }
    // The handler takes longer than that, and its client has sent all that there is room for.
    let mut client = client(&server, ClientConfig::default());
    let telling = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(700));
        tell.send(()).expect("it waits");
    });
    let counted = post(&mut client, "/hold", 20_000_000).expect("an answer");
    assert_eq!(counted, b"20000003");
    telling.join().expect("it tells");
}

#[test]
fn a_client_that_takes_nothing_is_cut_off() {
    let config = Config { write_timeout: Duration::from_millis(200), ..Config::default() };
    let (server, _tell) = serve(config);
    let mut stream = connect(server.address());
    let request = "POST /give?100000000 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("taken");
    while server.counters().open > 0 || server.counters().connections == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let came = read_all(&mut stream).len();
    assert!(came < 100_000_000, "{came} bytes of a hundred million");
}
