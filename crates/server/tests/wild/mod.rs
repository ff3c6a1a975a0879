//! Routers, publishers and subscribers as processes of their own, and clients that do as they like.
//!
//! The processes are this test's own program, started again with a role in its environment.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses a part of it")]

use std::env;
use std::io::{self, BufRead as _, BufReader, Lines, Write as _};
use std::path::PathBuf;
use std::process::{self, Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use trunkline_native as native;
use trunkline_native::{Hello, RouterFrame, Updates};
use trunkline_reactor::{Address, Stream};
use trunkline_server::{Config, Server};

/// How long anything may take before the test has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How long a subscriber is stopped: 3 seconds, unless `TRUNKLINE_SOAK_SECONDS` says otherwise.
pub fn soak() -> Duration {
    let seconds = env::var("TRUNKLINE_SOAK_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|text| text.parse().ok()).unwrap_or(3))
}

const ROLE: &str = "TRUNKLINE_TEST_ROLE";
const ARGUMENT: &str = "TRUNKLINE_TEST_ARGUMENT";

/// The role and its argument, where this process was started for one.
pub fn role() -> Option<(String, String)> {
    Some((env::var(ROLE).ok()?, env::var(ARGUMENT).ok()?))
}

/// A process with a role; killed when dropped.
pub struct Process {
    pub child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts this program again; its test `second_process` plays the role.
    pub fn start(role: &str, argument: &str) -> Self {
        let mut child = Command::new(env::current_exe().expect("this program"))
            .args(["--exact", "second_process", "--nocapture"])
            .env(ROLE, role)
            .env(ARGUMENT, argument)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let output = child.stdout.take().expect("its output");
        Self { child, lines: BufReader::new(output).lines() }
    }

    /// What stands behind `word` in the next line that has it.
    pub fn said(&mut self, word: &str) -> String {
        for line in self.lines.by_ref() {
            // The harness may have begun the line.
            if let Some((_, rest)) = line.expect("text").split_once(word) {
                return rest.trim().to_owned();
            }
        }
        panic!("the process ended without a word of {word:?}");
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("a process to kill");
        self.child.wait().expect("its end");
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, signal).expect("a process to signal");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A router in a process of its own.
pub struct Router {
    pub process: Process,
    pub tcp: Address,
    pub unix: Address,
    pub shared: Address,
    /// Where HTTP and WebSocket are spoken.
    pub hosts: Vec<String>,
}

impl Router {
    /// Starts one on free ports; `toml` says what is not as usual.
    pub fn start(toml: &str) -> Self {
        let mut process = Process::start("router", toml);
        let mut listening = Vec::new();
        loop {
            match process.said("listening ") {
                last if last == "everywhere" => break,
                place => listening.push(place),
            }
        }
        let places = |protocol: &str| -> Vec<&str> {
            listening.iter().filter_map(|place| place.strip_prefix(protocol)).collect()
        };
        let native = places("native ");
        let [tcp, unix, shared] = [0, 1, 2].map(|n| native[n].parse().expect("an address"));
        let hosts = ["http ", "websocket "]
            .into_iter()
            .flat_map(places)
            .map(|place| place.trim_start_matches("tcp://").to_owned())
            .collect();
        Self { process, tcp, unix, shared, hosts }
    }

    pub fn natives(&self) -> [&Address; 3] {
        [&self.tcp, &self.unix, &self.shared]
    }

    /// Clients on every transport reach one another, so the router is well.
    pub fn check(&self, word: &str) {
        for subscriber in self.natives() {
            let mut subscriber = Peer::connect(subscriber, "checks");
            subscriber.subscribe(1, "check");
            for publisher in self.natives() {
                let mut publisher = Peer::connect(publisher, "checks");
                publisher.topic(1, "check");
                publisher.publish(1, word.as_bytes());
                assert_eq!(subscriber.message(), word.as_bytes());
            }
        }
    }
}

/// Plays the router: until standard input ends.
pub fn play_router(toml: &str) {
    let mut config =
        Config::from_text("the test's configuration", toml, [].into_iter()).expect("it is right");
    config.listen.native = vec![
        "tcp://127.0.0.1:0".parse().expect("an address"),
        Address::Unix(socket_path()),
        Address::SharedMemory(socket_path()),
    ];
    config.listen.http = Some("127.0.0.1:0".to_owned());
    config.listen.websocket = Some("127.0.0.1:0".to_owned());
    let router = Server::start(config).expect("a router");
    for listening in router.addresses() {
        println!("\nlistening {} {}", listening.protocol, listening.address);
    }
    say("listening everywhere");
    // Its end is the end of the test.
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    router.stop();
}

fn socket_path() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("wild-{}-{number}.sock", process::id()))
}

/// A client of a few lines.
pub struct Peer {
    pub stream: Stream,
    bytes: Vec<u8>,
    used: usize,
}

impl Peer {
    /// Connects, says its name, and reads the welcome.
    pub fn connect(address: &Address, name: &str) -> Self {
        Self::hello(address, &Hello { version: native::VERSION, name, ..Hello::default() })
    }

    pub fn hello(address: &Address, hello: &Hello<'_>) -> Self {
        let mut peer = Self::silent(address);
        peer.send(|out| native::encode_hello(out, hello));
        peer.expect("a welcome", |frame| matches!(frame, RouterFrame::Welcome(_)).then_some(()));
        peer
    }

    /// Connects and says nothing.
    pub fn silent(address: &Address) -> Self {
        let stream = Stream::connect(address, PATIENCE).expect("the router accepts");
        Self { stream, bytes: Vec::new(), used: 0 }
    }

    pub fn send(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut out = Vec::new();
        write(&mut out);
        self.write(&out).expect("the router reads");
    }

    /// Writes all, waiting for room.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let ready = self.stream.wait(false, true, Some(PATIENCE))?;
                    assert!(ready.writable, "the router takes nothing");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub fn topic(&mut self, alias: u32, name: &str) {
        self.send(|out| native::encode_topic(out, alias, name));
    }

    pub fn publish(&mut self, alias: u32, payload: &[u8]) {
        self.send(|out| native::encode_publish(out, alias, native::format::OPAQUE, payload));
    }

    pub fn subscribe(&mut self, number: u32, pattern: &str) {
        self.send(|out| native::encode_subscribe(out, number, Updates::All, pattern));
        self.expect("a subscription", |frame| {
            matches!(frame, RouterFrame::Subscribed(it) if *it == number).then_some(())
        });
    }

    /// Everything that was sent before has been handled when this returns.
    pub fn settle(&mut self) {
        self.send(|out| native::encode_ping(out, 77));
        self.expect("a pong", |frame| matches!(frame, RouterFrame::Pong(77)).then_some(()));
    }

    /// The payload of the next message; there is no loss before it.
    pub fn message(&mut self) -> Vec<u8> {
        self.expect("a message", |frame| match frame {
            RouterFrame::Message(message) => Some(message.payload.to_vec()),
            RouterFrame::Gap(gap) => panic!("lost: {gap:?}"),
            _ => None,
        })
    }

    /// The first frame that `take` takes; others are passed over.
    pub fn expect<T>(
        &mut self,
        what: &str,
        mut take: impl FnMut(&RouterFrame<'_>) -> Option<T>,
    ) -> T {
        let until = Instant::now() + PATIENCE + soak();
        loop {
            if let Some(found) = self.next(&mut take) {
                return found;
            }
            assert!(Instant::now() < until, "{what} does not come");
            assert!(self.read(PATIENCE), "the connection ended before {what}");
        }
    }

    /// What `take` takes of the frames that have been read.
    pub fn next<T>(&mut self, take: impl FnMut(&RouterFrame<'_>) -> Option<T>) -> Option<T> {
        let mut take = take;
        let mut pong = None;
        let found = loop {
            let rest = &self.bytes[self.used..];
            let frame = native::decode_router(rest, 1 << 24).expect("a frame of the router");
            let Some((frame, length)) = frame else { break None };
            self.used += length;
            if let RouterFrame::Ping(token) = frame {
                pong = Some(token);
            }
            if let Some(found) = take(&frame) {
                break Some(found);
            }
        };
        if let Some(token) = pong {
            self.send(|out| native::encode_pong(out, token));
        }
        found
    }

    /// Reads once what is there, after waiting so long for it; whether the connection goes on.
    pub fn read(&mut self, patience: Duration) -> bool {
        self.bytes.drain(..self.used);
        self.used = 0;
        let before = self.bytes.len();
        self.stream.wait(true, false, Some(patience)).expect("a system that waits");
        self.bytes.resize(before + (64 << 10), 0);
        let read = self.stream.read(&mut self.bytes[before..]);
        self.bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(count) => count > 0,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        }
    }

    /// Waits for the end of the connection; what the router said last, if it said why.
    pub fn end(mut self) -> Option<String> {
        let until = Instant::now() + PATIENCE;
        let mut reason = None;
        let mut take = |frame: &RouterFrame<'_>| match frame {
            RouterFrame::Closing(closing) => Some(closing.text.to_owned()),
            _ => None,
        };
        loop {
            reason = reason.or_else(|| self.next(&mut take));
            if !self.read(PATIENCE) {
                return reason.or_else(|| self.next(&mut take));
            }
            assert!(Instant::now() < until, "the connection does not end");
        }
    }
}

/// Says a line to the process that started this one.
pub fn say(line: &str) {
    // A line of its own, whatever the harness has written.
    println!("\n{line}");
    let _ = io::stdout().flush();
}

/// Raises the limit of open descriptors as far as it may be.
pub fn raise_limit() {
    let mut limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current = limit.maximum;
    // Where it cannot be raised the test finds out.
    let _ = rustix::process::setrlimit(rustix::process::Resource::Nofile, limit);
}
