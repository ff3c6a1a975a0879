//! Two ends of a network experiment, as processes that talk over sockets of this machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use trunkline_bench::folder::PrivateFolder;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_experiment::format::{Family, Format};
use trunkline_lab::format;
use trunkline_lab::market_data::messages;
use trunkline_lab::peer::{Carried, Paced, Peer, Serving, write_corpus};
use trunkline_lab::service::{Connecting, Load, Post, Protocol, Request, Until};
use trunkline_lab::trading_day::TradingDay;
use trunkline_message::Limits;
use trunkline_net::tcp::{Connection, Listener, Wait};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn end() -> Peer {
    start(&["lab", "end"])
}

fn bare() -> Peer {
    start(&["lab", "end", "--bare"])
}

fn start(arguments: &[&str]) -> Peer {
    let program = Path::new(env!("CARGO_BIN_EXE_trunkline"));
    Peer::start_with("end", program, arguments, PATIENCE).expect("it says hello")
}

fn sample(count: usize) -> Vec<MarketDataIncrementalRefresh> {
    messages::sample(&TradingDay::generated(2004), 10, count)
}

fn corpus(format: Format, count: usize) -> Vec<Vec<u8>> {
    format::corpus(format, &sample(count)).expect("every format carries market data")
}

fn at(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Two ends that have loaded the same, one of which listens at the address.
fn pair(start: fn() -> Peer, format: Format, corpus: &[Vec<u8>]) -> (Peer, Peer, String) {
    let (mut near, mut far) = (start(), start());
    for end in [&mut near, &mut far] {
        end.load(format.name(), corpus).expect("its own format");
    }
    let address = at(far.listen().expect("a port is free"));
    (near, far, address)
}

#[test]
fn every_format_goes_there_and_back() {
    for (index, format) in Format::of_family(Family::MarketData).enumerate() {
        let wait = Wait::ALL[index % 2];
        let corpus = corpus(format, 3);
        let (mut near, mut far, address) = pair(end, format, &corpus);
        assert_eq!(far.greeting().name, "trunkline");
        // Twice, for the port stays open.
        for count in [10, 1] {
            far.begin_reply(wait).expect("it is alive");
            let trips = near.call(&address, wait, count).expect("good replies");
            let replies = far.finish_reply(count).expect("good messages");
            assert_eq!((trips.len(), replies.len()), (count as usize, count as usize));
            for (trip, reply) in trips.iter().zip(replies) {
                assert!(trip.encode > 0 && trip.decode > 0);
                assert!(trip.network > reply.decode + reply.encode, "{trip:?} {reply:?}");
            }
        }
        assert_eq!(far.echo().expect("it is alive").len(), 3);
    }
}

#[test]
fn every_format_flows_one_way() {
    for format in Format::of_family(Family::MarketData) {
        let corpus = corpus(format, 3);
        let (mut near, mut far, address) = pair(end, format, &corpus);
        for carried in [Carried::Structures, Carried::Bytes] {
            far.begin_drain(Wait::Blocking, carried, None).expect("it is alive");
            let poured = near.pour(&address, 500, carried, None).expect("the other drains");
            let drained = far.finish_drain(500).expect("good messages");
            for flow in [poured, drained] {
                assert_eq!(flow.messages, 500);
                assert!(flow.nanoseconds > 0 && flow.cpu_nanoseconds > 0);
            }
        }
    }
}

#[test]
fn a_slow_end_takes_its_time() {
    let corpus = corpus(Format::Fix, 1);
    let (mut near, mut far, address) = pair(end, Format::Fix, &corpus);
    let slow = Some(300.0);
    far.begin_drain(Wait::Spinning, Carried::Structures, slow).expect("it is alive");
    let poured = near.pour(&address, 10, Carried::Structures, slow).expect("the other drains");
    let drained = far.finish_drain(10).expect("good messages");
    // No processor sends or receives a message in half a microsecond.
    for flow in [poured, drained] {
        assert!(flow.nanoseconds > 10 * 300 * 500, "{flow:?}");
    }
}

/// Replies with what comes, but stalls once before the reply to message `at`.
fn stalling_server(listener: Listener, at: usize, stall: Duration) {
    let stream = listener.accept(Wait::Blocking).expect("the end calls");
    let mut connection =
        Connection::new(stream, trunkline_net::Fix, Limits::default()).expect("a socket");
    for index in 0.. {
        let Some(message) = connection.receive().expect("FIX").map(<[u8]>::to_vec) else { return };
        if index == at {
            thread::sleep(stall);
        }
        connection.send(&message).expect("the end reads");
    }
}

#[test]
fn a_stall_of_the_server_is_in_the_latency_of_all_that_was_due_meanwhile() {
    let corpus = corpus(Format::Fix, 3);
    let listener = Listener::bind("127.0.0.1:0").expect("a port is free");
    let address = at(listener.port().expect("it is bound"));
    let stall = Duration::from_millis(200);
    let server = thread::spawn(move || stalling_server(listener, 50, stall));
    let mut near = end();
    near.load(Format::Fix.name(), &corpus).expect("its own format");
    // A message a millisecond: two hundred are due during the stall.
    let paced = near.pace(&address, Wait::Blocking, 1000.0, 400).expect("good replies");
    server.join().expect("it replied to all");
    let late = |least: u64| {
        let is_late = |it: &&Paced| it.from_intended >= least * 1_000_000;
        paced.iter().filter(is_late).count()
    };
    assert!(late(199) >= 1, "the stall itself");
    assert!(late(100) >= 95, "half of those due meanwhile waited for half of it: {}", late(100));
    assert!(paced[50].from_intended >= paced[150].from_intended);
    assert!(paced.iter().all(|it| it.from_intended >= it.from_sent));
}

#[test]
fn an_open_loop_keeps_its_pace() {
    for wait in Wait::ALL {
        let corpus = corpus(Format::CdrUnion, 3);
        let (mut near, mut far, address) = pair(end, Format::CdrUnion, &corpus);
        far.begin_reply(Wait::Blocking).expect("it is alive");
        let paced = near.pace(&address, wait, 2000.0, 100).expect("good replies");
        assert_eq!(far.finish_reply(100).expect("good messages").len(), 100);
        assert_eq!(paced.len(), 100);
        assert!(paced.iter().all(|it| it.from_sent > 0 && it.from_intended >= it.from_sent));
    }
}

#[test]
fn bare_bytes_go_there_and_back() {
    let corpus = corpus(Format::SoapDocument, 3);
    let (mut near, mut far, address) = pair(bare, Format::SoapDocument, &corpus);
    assert_eq!(far.greeting().name, "bare");
    for wait in Wait::ALL {
        far.begin_reply(wait).expect("it is alive");
        let trips = near.call(&address, wait, 10).expect("the same bytes");
        assert_eq!(far.finish_reply(10).expect("whole messages").len(), 10);
        assert!(trips.iter().all(|it| it.encode == 0 && it.network > 0 && it.decode == 0));
        far.begin_drain(wait, Carried::Bytes, None).expect("it is alive");
        assert_eq!(near.pour(&address, 7, Carried::Bytes, None).expect("it drains").messages, 7);
        assert_eq!(far.finish_drain(7).expect("whole messages").messages, 7);
    }
    let error = near.pour(&address, 7, Carried::Structures, None).expect_err("no codec");
    assert!(error.to_string().ends_with("it has no codec"), "{error}");
}

#[test]
fn nobody_there_is_told_with_the_address() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let address = free.expect("a port is free").to_string();
    let mut near = end();
    near.load("fix", &corpus(Format::Fix, 1)).expect("its own format");
    let rejections = [
        near.call(&address, Wait::Blocking, 1).map(drop),
        near.pace(&address, Wait::Blocking, 1.0, 1).map(drop),
        near.pour(&address, 1, Carried::Bytes, None).map(drop),
    ];
    for rejection in rejections {
        let error = rejection.expect_err("nobody listens").to_string();
        assert!(error.ends_with(&format!("{address}: connection refused")), "{error}");
    }
    let error = near.call("nowhere", Wait::Blocking, 1).expect_err("no address").to_string();
    assert!(error.contains(": nowhere: invalid socket address"), "{error}");
}

#[test]
fn an_end_that_is_killed_is_told_by_the_other() {
    let corpus = corpus(Format::SoapDocument, 3);
    let folder = PrivateFolder::new().expect("a temporary folder");
    let file = folder.path().join("corpus");
    write_corpus(&file, &corpus).expect("a writable folder");
    let mut far = Raw::start();
    assert_eq!(far.ask(&format!("load soap-doc {}", file.display())), "loaded 3");
    let port = far.ask("listen").replace("listening ", "").parse().expect("a port");
    far.tell(&format!("reply blocking {}", folder.path().join("times").display()));
    let mut near = end();
    near.load("soap-doc", &corpus).expect("its own format");
    let error = thread::scope(|scope| {
        let calling = scope.spawn(|| near.call(&at(port), Wait::Blocking, 10_000_000));
        thread::sleep(Duration::from_millis(300));
        far.child.kill().expect("it is alive");
        calling.join().expect("no panic").expect_err("the other side is dead").to_string()
    });
    let causes = [
        "closed the connection without a reply",
        "receiving: connection reset",
        "sending: connection reset",
        "sending: broken pipe",
        "more were to come",
        "connection refused",
    ];
    assert!(causes.iter().any(|cause| error.contains(cause)), "{error}");
    assert!(near.listen().is_ok(), "it goes on");
}

#[test]
fn what_is_no_good_message_is_told_by_number() {
    let corpus = corpus(Format::Fix, 2);
    let mut far = end();
    far.load("fix", &corpus).expect("its own format");
    let port = far.listen().expect("a port is free");
    let half = [&corpus[0][..], &corpus[1][..100]].concat();
    let mut damaged = corpus[0].clone();
    damaged[200] ^= 1;
    for (bytes, expected) in [
        (&half[..], "the stream ends within message 1 of the connection: 100 bytes came"),
        (&damaged, "message 0: CheckSum at byte "),
        (b"<soap/>", "message 0 of the connection: at byte 0: expected a FIX message"),
    ] {
        far.begin_drain(Wait::Blocking, Carried::Structures, None).expect("it is alive");
        let mut stream = TcpStream::connect(at(port)).expect("it listens");
        stream.write_all(bytes).expect("it receives");
        drop(stream);
        let error = far.finish_drain(1).expect_err("no good message").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn replies_are_compared_with_what_was_sent() {
    let corpus = corpus(Format::Fix, 2);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it listens").port();
    let mut near = end();
    near.load("fix", &corpus).expect("its own format");
    let (second, length) = (&corpus[1], corpus[0].len());
    thread::scope(|scope| {
        scope.spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody calls");
            stream.read_exact(&mut vec![0; length]).expect("a message");
            stream.write_all(second).expect("it waits for a reply");
        });
        let error = near.call(&at(port), Wait::Blocking, 2).expect_err("another message");
        assert!(error.to_string().contains("message 0: the reply differs: "), "{error}");
    });
}

#[test]
fn questions_that_make_no_sense_are_rejected_one_by_one() {
    let mut raw = Raw::start();
    let long = "x".repeat(10_000);
    for (question, expected) in [
        ("", "error a question is missing"),
        ("dance", "error unknown word \"dance\""),
        (&long, "error a question of more than 8192 bytes"),
        ("hello you", "error expected nothing more, not \"you\""),
        ("load", "error a format is missing"),
        ("load smoke signals", "error there is no format \"smoke\""),
        ("load fix no/such/file", "error no/such/file message 0: cannot be read: "),
        ("run decode 1", "error nothing is loaded"),
        ("run backwards 1", "error expected decode or encode, not \"backwards\""),
        ("reply asleep file", "error expected blocking or spinning, not \"asleep\""),
        ("call here:1 blocking none file", "error expected a count, not \"none\""),
        ("drain blocking structures slow 0.5", "error expected a factor of 1 or more, not \"0.5\""),
        ("drain blocking encoded", "error expected structures or bytes, not \"encoded\""),
        ("pace here:1 blocking NaN 1 file", "error expected messages a second, not \"NaN\""),
        ("hello", concat!("hello trunkline ", env!("CARGO_PKG_VERSION"), " soap-rpc,")),
    ] {
        let answer = raw.ask(question);
        assert!(answer.starts_with(expected), "{question}: {answer}");
    }
    raw.tell("stop");
    assert!(raw.child.wait().expect("our child").success());
}

#[test]
fn an_end_goes_when_nobody_asks_any_more() {
    let folder = PrivateFolder::new().expect("a temporary folder");
    let file = folder.path().join("corpus");
    write_corpus(&file, &corpus(Format::Fix, 1)).expect("a writable folder");
    let mut raw = Raw::start();
    raw.ask(&format!("load fix {}", file.display()));
    assert_eq!(raw.ask("drain blocking bytes"), "error it does not listen");
    raw.ask("listen");
    // Nobody will connect.
    raw.tell("drain blocking bytes");
    drop(raw.child.stdin.take());
    assert_eq!(raw.answer(), "error the questions ended before anybody connected");
    assert!(raw.child.wait().expect("our child").success());
}

/// An end without the lab between.
struct Raw {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Raw {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trunkline"))
            .args(["lab", "end"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, answers }
    }

    fn tell(&mut self, question: &str) {
        let input = self.child.stdin.as_mut().expect("it is piped");
        input.write_all(format!("{question}\n").as_bytes()).expect("it is alive");
    }

    fn answer(&mut self) -> String {
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("UTF-8");
        answer.trim_end().to_owned()
    }

    fn ask(&mut self, question: &str) -> String {
        self.tell(question);
        self.answer()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_bare_end_echoes_over_http_until_it_is_told_to_stop() {
    let mut end = bare();
    let threads = 2;
    let port = end.serve(&Serving { threads, ..Serving::default() }).expect("it serves");
    let to = Connecting {
        address: ([127, 0, 0, 1], port).into(),
        protocol: Protocol::Http,
        nodelay: true,
        is_split: false,
        secure: None,
    };
    let host = at(port);
    let request = |is_kept, chunk, body: &[u8]| {
        let content_type = "text/xml; charset=utf-8";
        let post = Post { path: "/", host: &host, content_type, action: None, is_kept, chunk };
        Request { answer: body.to_vec(), ..post.request(body) }
    };
    let long = vec![b'x'; 100_000];
    let kept = [request(true, None, b"<a/>"), request(true, Some(1000), &long)];
    let until = Until::Calls(10);
    let load = Load {
        to: &to,
        requests: &kept,
        threads: 4,
        depth: 1,
        is_reconnecting: false,
        warm_up: 2,
        until,
    };
    assert_eq!(load.run().expect("its own bytes").calls, 40);
    assert_eq!(Load { depth: 3, ..load }.run().expect("its own bytes").calls, 40);
    let closed = [request(false, None, b"<a/>")];
    let load = Load { requests: &closed, is_reconnecting: true, ..load };
    assert_eq!(load.run().expect("its own bytes").reconnections, 40);
    assert_eq!(end.unserve().expect("it served"), 3 * 4 * 12);
    assert!(TcpStream::connect(to.address).is_err(), "nobody listens any more");

    let port = end
        .serve(&Serving { threads: 1, closes: true, ..Serving::default() })
        .expect("it serves again");
    let to = Connecting { address: ([127, 0, 0, 1], port).into(), ..to.clone() };
    let load = Load { to: &to, requests: &kept, is_reconnecting: false, ..load };
    assert_eq!(load.run().expect("its own bytes").reconnections, 40, "it closes by itself");
}
