//! A client of a few lines: frames over a plain socket, so that the router is seen from outside.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses a part of it")]

#[path = "../threads/mod.rs"]
mod threads;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use trunkline_native as native;
use trunkline_native::{Hello, RouterFrame, Updates};
use trunkline_server::{Config, Running, Server};

/// How long anything may take before the test has failed.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A frame of the router, as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Welcome(native::Welcome),
    Topic(u32, String),
    /// Subscription, topic, sequence, payload.
    Message(u32, u32, u64, Vec<u8>),
    /// The same, then replaced and age.
    Conflated(u32, u32, u64, Vec<u8>, u64, u64),
    /// Subscription, requester, payload.
    Request(u32, native::Requester, Vec<u8>),
    Gap(native::Gap<'static>),
    Subscribed(u32),
    Unsubscribed(u32),
    /// Kind, code, offset, number, text.
    Rejected(u8, u16, Option<u32>, u64, String),
    Reply(u64, u16, Vec<u8>),
    Ping(u64),
    Pong(u64),
    Closing(u16, String),
    /// The end of the connection.
    End,
}

/// A connection that speaks the native protocol.
pub struct Raw {
    pub stream: TcpStream,
    bytes: Vec<u8>,
    /// Bytes of these that have been looked at.
    passed: usize,
}

/// A router on free ports.
pub fn router(change: impl FnOnce(&mut Config)) -> Running {
    Server::start(config(change)).expect("the router starts")
}

/// Listens at any port of TCP, and nowhere else.
pub fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    config.router.threads = threads::threads();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = None;
    change(&mut config);
    config
}

/// Host and port of the router's first address.
pub fn place(router: &Running) -> String {
    router.addresses()[0].address.to_string().replace("tcp://", "")
}

impl Raw {
    /// Connects and says nothing.
    pub fn silent(router: &Running) -> Self {
        let stream = TcpStream::connect(place(router)).expect("the router accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream.set_nodelay(true).expect("an option");
        Self { stream, bytes: Vec::new(), passed: 0 }
    }

    /// Connects under a name, and reads the welcome.
    pub fn named(router: &Running, name: &str) -> Self {
        Self::hello(router, &Hello { version: native::VERSION, name, ..Hello::default() })
    }

    pub fn hello(router: &Running, hello: &Hello<'_>) -> Self {
        let mut raw = Self::silent(router);
        raw.send(|out| native::encode_hello(out, hello));
        let first = raw.next();
        assert!(matches!(first, Seen::Welcome(_)), "{first:?}");
        raw
    }

    pub fn send(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut out = Vec::new();
        write(&mut out);
        self.stream.write_all(&out).expect("the router reads");
    }

    pub fn topic(&mut self, alias: u32, name: &str) {
        self.send(|out| native::encode_topic(out, alias, name));
    }

    pub fn publish(&mut self, alias: u32, payload: &[u8]) {
        self.send(|out| native::encode_publish(out, alias, native::format::OPAQUE, payload));
    }

    /// Subscribes, and waits until it stands.
    pub fn subscribe(&mut self, number: u32, pattern: &str) {
        self.subscribe_to(number, Updates::All, pattern);
    }

    pub fn subscribe_to(&mut self, number: u32, updates: Updates, pattern: &str) {
        self.send(|out| native::encode_subscribe(out, number, updates, pattern));
        assert_eq!(self.next(), Seen::Subscribed(number));
    }

    /// Everything that was sent before has been handled when this returns.
    pub fn settle(&mut self) {
        self.send(|out| native::encode_ping(out, 77));
        assert_eq!(self.next(), Seen::Pong(77));
    }

    /// As [`Raw::settle`], where a frame is half sent: what was sent has reached the router's socket.
    pub fn settle_without_answer(&mut self) {
        self.stream.flush().expect("the socket takes it");
    }

    /// The next frame; pings are answered on the way.
    pub fn next(&mut self) -> Seen {
        loop {
            match self.take() {
                Some(Seen::Ping(token)) => self.send(|out| native::encode_pong(out, token)),
                Some(seen) => return seen,
                None if self.read() => {}
                None => return Seen::End,
            }
        }
    }

    /// The payload of the next message; names of topics are passed over.
    pub fn message(&mut self) -> Vec<u8> {
        loop {
            match self.next() {
                Seen::Topic(..) => {}
                Seen::Message(.., payload) => return payload,
                other => panic!("no message but {other:?}"),
            }
        }
    }

    fn read(&mut self) -> bool {
        let mut bytes = [0; 1 << 16];
        self.bytes.drain(..std::mem::take(&mut self.passed));
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(count) => {
                self.bytes.extend_from_slice(&bytes[..count]);
                true
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("nothing came from the router: {error}"),
        }
    }

    fn take(&mut self) -> Option<Seen> {
        let (frame, length) =
            native::decode_router(&self.bytes[self.passed..], 1 << 24).expect("a frame")?;
        let seen = match frame {
            RouterFrame::Welcome(welcome) => Seen::Welcome(welcome),
            RouterFrame::Topic(topic) => Seen::Topic(topic.alias, topic.name.to_owned()),
            RouterFrame::Message(it) => match (it.conflation, it.request) {
                (_, Some(request)) => Seen::Request(it.subscription, request, it.payload.into()),
                (Some(c), None) => {
                    let payload = it.payload.into();
                    Seen::Conflated(
                        it.subscription,
                        it.topic,
                        it.sequence,
                        payload,
                        c.replaced,
                        c.age,
                    )
                }
                _ => Seen::Message(it.subscription, it.topic, it.sequence, it.payload.into()),
            },
            // What the reasons are, the tests of formats see by the client library.
            RouterFrame::Gap(gap) => Seen::Gap(native::Gap { reason: "", ..gap }),
            RouterFrame::Subscribed(number) => Seen::Subscribed(number),
            RouterFrame::Unsubscribed(number) => Seen::Unsubscribed(number),
            RouterFrame::Rejected(it) => {
                Seen::Rejected(it.of, it.code, it.offset, it.id, it.text.to_owned())
            }
            RouterFrame::Reply(it) => Seen::Reply(it.correlation, it.format, it.payload.into()),
            RouterFrame::Ping(token) => Seen::Ping(token),
            RouterFrame::Pong(token) => Seen::Pong(token),
            RouterFrame::Closing(it) => Seen::Closing(it.code, it.text.to_owned()),
            other => panic!("nobody asked for {other:?}"),
        };
        self.passed += length;
        Some(seen)
    }
}

/// Tries until it holds.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "{what} has not come true");
        std::thread::sleep(Duration::from_millis(2));
    }
}
