//! A listener of TLS: a thread of its own accepts and does the handshakes, and hands on streams that are ready.
//!
//! So no handshake, however slow, delays a caller of [`crate::Reactor`], and its cryptography runs elsewhere.
//! As many handshakes as [`HANDSHAKES`] are under way at a time; with one more, the oldest is given up: those who
//! connect and say nothing make room for others.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mio::net::{TcpListener, TcpStream, UnixStream};
use mio::{Events, Interest, Poll, Token, Waker};
use rustls::{Connection, ServerConnection};
use trunkline_tls::ServerTls;

use super::{Progress, Secure, advance};
use crate::Stream;

/// Handshakes under way at a time.
const HANDSHAKES: usize = 1024;

/// Streams that are ready and wait for the reactor's thread.
const READY: usize = 4096;

/// How long it does not accept after descriptors or memory were exhausted.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes that a client may send after its handshake has failed, while it reads why.
const IGNORED: usize = 256 << 10;

/// The first byte of a connection with TLS: a record of the handshake.
const HANDSHAKE: u8 = 22;

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
/// The first token of a handshake.
const FIRST: usize = 2;

/// How a listener of TLS accepts.
#[derive(Clone)]
pub struct TlsAcceptor {
    /// Its certificate, and whom it trusts. What replaces them is used for the next handshake.
    pub credentials: ServerTls,
    /// The protocol that is spoken, for clients that name theirs (ALPN).
    pub protocol: &'static str,
    /// The answer to a client that does not speak TLS, in the plain protocol.
    pub plain_answer: Vec<u8>,
    /// The time for a handshake, in milliseconds; it may change.
    pub timeout: Arc<AtomicU64>,
    /// Connections whose descriptor has this number or a higher one are closed at once.
    pub descriptors: u64,
    /// Is told of each handshake that failed, on the thread of the handshakes.
    pub failed: Arc<dyn Fn(&HandshakeFailure) + Send + Sync>,
}

impl fmt::Debug for TlsAcceptor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TlsAcceptor").field("protocol", &self.protocol).finish_non_exhaustive()
    }
}

/// A connection that did not come to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandshakeFailure {
    /// The other side.
    pub peer: String,
    /// Why.
    pub reason: String,
}

/// The side of the reactor's thread.
#[derive(Debug)]
pub(crate) struct TlsListener {
    ready: Arc<Ready>,
    /// Has bytes when there are streams.
    wake: UnixStream,
    waker: Waker,
}

/// Streams on their way from one thread to the other.
#[derive(Debug)]
struct Ready {
    streams: Mutex<VecDeque<Stream>>,
    is_ended: AtomicBool,
}

impl Ready {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Stream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TlsListener {
    /// Accepts at this socket from now on.
    pub(crate) fn start(mut socket: TcpListener, acceptor: TlsAcceptor) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        poll.registry().register(&mut socket, LISTENER, Interest::READABLE)?;
        let (wake, wakes) = UnixStream::pair()?;
        let ready = Arc::new(Ready { streams: Mutex::default(), is_ended: AtomicBool::new(false) });
        let handshakes = Handshakes {
            poll,
            socket,
            acceptor,
            ready: Arc::clone(&ready),
            wakes,
            under_way: BTreeMap::new(),
            next: FIRST,
            may_accept: true,
            paused_until: None,
        };
        let thread = thread::Builder::new().name("trunkline-tls".to_owned());
        thread.spawn(move || handshakes.run())?;
        Ok(Self { ready, wake, waker })
    }

    /// The next stream whose handshake is done.
    pub(crate) fn accept(&mut self) -> Option<Stream> {
        if let Some(stream) = self.ready.lock().pop_front() {
            return Some(stream);
        }
        // A stream that comes after these bytes wakes again.
        let mut bytes = [0; 256];
        while matches!(self.wake.read(&mut bytes), Ok(1..)) {}
        self.ready.lock().pop_front()
    }

    /// Is readable when there are streams.
    pub(crate) fn source(&mut self) -> &mut UnixStream {
        &mut self.wake
    }
}

impl Drop for TlsListener {
    fn drop(&mut self) {
        self.ready.is_ended.store(true, Ordering::Release);
        // Without it the thread ends with the next handshake.
        let _ = self.waker.wake();
    }
}

/// A connection that is not a stream yet.
struct Handshake {
    socket: TcpStream,
    peer: String,
    since: Instant,
    stage: Stage,
}

enum Stage {
    /// Nothing has come.
    New,
    Session(Box<Connection>),
    /// It has failed; the client may read why. So many bytes came since.
    Failed(usize),
}

/// The thread's side.
struct Handshakes {
    poll: Poll,
    socket: TcpListener,
    acceptor: TlsAcceptor,
    ready: Arc<Ready>,
    wakes: UnixStream,
    /// By token; the oldest is the first.
    under_way: BTreeMap<usize, Handshake>,
    next: usize,
    may_accept: bool,
    paused_until: Option<Instant>,
}

impl Handshakes {
    fn run(mut self) {
        let mut events = Events::with_capacity(256);
        loop {
            let wait = self.wait();
            match self.poll.poll(&mut events, wait) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return self.report("", &format!("no handshake can be waited for: {error}"));
                }
                _ => {}
            }
            if self.ready.is_ended.load(Ordering::Acquire) {
                return;
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.may_accept = true,
                    WAKER => {}
                    Token(token) => self.go_on(token),
                }
            }
            self.accept();
            self.expire();
        }
    }

    fn timeout(&self) -> Duration {
        Duration::from_millis(self.acceptor.timeout.load(Ordering::Relaxed))
    }

    /// Until when nothing has to be done.
    fn wait(&self) -> Option<Duration> {
        if self.may_accept && self.paused_until.is_none() {
            return Some(Duration::ZERO);
        }
        let oldest = self.under_way.values().next().map(|it| it.since + self.timeout());
        let until = [oldest, self.paused_until].into_iter().flatten().min();
        // A little later, so that it is over then: the poll counts in milliseconds.
        until.map(|at| at.saturating_duration_since(Instant::now()) + Duration::from_millis(1))
    }

    /// Accepts a few, so that those under way go on in between.
    fn accept(&mut self) {
        if self.paused_until.is_some_and(|until| Instant::now() < until) || !self.may_accept {
            return;
        }
        self.paused_until = None;
        for _ in 0..16 {
            match self.socket.accept() {
                Ok((socket, address)) => self.begin(socket, address.to_string()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.may_accept = false;
                    return;
                }
                Err(error) if crate::listener::is_want(&error) => {
                    self.report("", &format!("the router cannot accept connections: {error}"));
                    self.paused_until = Some(Instant::now() + PAUSE);
                    return;
                }
                // This one connection went away before it was accepted.
                Err(_) => {}
            }
        }
    }

    fn begin(&mut self, mut socket: TcpStream, peer: String) {
        if u64::from(socket.as_raw_fd().unsigned_abs()) >= self.acceptor.descriptors {
            return self.report(&peer, "all descriptors are in use (ulimit -Hn)");
        }
        let token = self.next;
        let interest = Interest::READABLE | Interest::WRITABLE;
        let registered = self.poll.registry().register(&mut socket, Token(token), interest);
        if let Err(error) = registered.and_then(|()| socket.set_nodelay(true)) {
            return self.report(&peer, &error.to_string());
        }
        if self.under_way.len() >= HANDSHAKES
            && let Some((_, oldest)) = self.under_way.pop_first()
            && !matches!(oldest.stage, Stage::Failed(_))
        {
            self.report(&oldest.peer, "it was the slowest of many handshakes of TLS");
        }
        self.next += 1;
        let (since, stage) = (Instant::now(), Stage::New);
        self.under_way.insert(token, Handshake { socket, peer, since, stage });
    }

    /// Something has come, or there is room.
    fn go_on(&mut self, token: usize) {
        let Some(mut it) = self.under_way.remove(&token) else { return };
        match self.step(&mut it) {
            Ok(Progress::Waits { .. }) => _ = self.under_way.insert(token, it),
            Ok(Progress::Done) => self.hand_on(it),
            Err(error) => {
                if let Stage::Failed(_) = it.stage {
                    return;
                }
                self.report(&it.peer, &error.to_string());
                // If it was closed at once, what it has sent would take from the client why.
                if error.kind() == io::ErrorKind::InvalidData
                    && it.socket.shutdown(Shutdown::Write).is_ok()
                {
                    it.stage = Stage::Failed(0);
                    self.under_way.insert(token, it);
                    self.go_on(token);
                }
            }
        }
    }

    fn step(&self, it: &mut Handshake) -> io::Result<Progress> {
        loop {
            match &mut it.stage {
                Stage::New => {
                    let mut first = [0];
                    match it.socket.peek(&mut first) {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                            return Ok(Progress::Waits { for_room: false });
                        }
                        Err(error) => return Err(error),
                        Ok(0) => {
                            let text = "it ended before it said anything";
                            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
                        }
                        Ok(_) if first != [HANDSHAKE] => {
                            let text = "it does not speak TLS, which this address is for \
                                        (tls://, wss://)";
                            // It is told in its own protocol, and may be gone.
                            let _ = it.socket.write(&self.acceptor.plain_answer);
                            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
                        }
                        Ok(_) => {
                            let acceptor = &self.acceptor;
                            let config = acceptor.credentials.current_for(acceptor.protocol);
                            let session =
                                ServerConnection::new(config).map_err(io::Error::other)?;
                            it.stage = Stage::Session(Box::new(Connection::Server(session)));
                        }
                    }
                }
                Stage::Session(session) => return advance(&mut it.socket, session),
                Stage::Failed(ignored) => {
                    let mut bytes = [0; 4096];
                    match it.socket.read(&mut bytes) {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                            return Ok(Progress::Waits { for_room: false });
                        }
                        Ok(count @ 1..) if *ignored + count <= IGNORED => *ignored += count,
                        _ => return Err(io::ErrorKind::ConnectionAborted.into()),
                    }
                }
            }
        }
    }

    fn hand_on(&mut self, it: Handshake) {
        let Handshake { mut socket, peer, stage: Stage::Session(session), .. } = it else { return };
        if let Err(error) = self.poll.registry().deregister(&mut socket) {
            return self.report(&peer, &error.to_string());
        }
        let stream = Stream::of_tls(Secure::new(socket, *session));
        let mut streams = self.ready.lock();
        if streams.len() >= READY {
            drop(streams);
            return self.report(&peer, "too many new connections wait to be taken in");
        }
        streams.push_back(stream);
        drop(streams);
        // Where there is no room, there are bytes that wake.
        let _ = self.wakes.write(&[1]);
    }

    /// Gives up handshakes that take too long.
    fn expire(&mut self) {
        let timeout = self.timeout();
        let now = Instant::now();
        while let Some(entry) = self.under_way.first_entry()
            && now.saturating_duration_since(entry.get().since) >= timeout
        {
            let it = entry.remove();
            if !matches!(it.stage, Stage::Failed(_)) {
                let text = "the handshake of TLS took longer than router.handshake_timeout";
                self.report(&it.peer, text);
            }
        }
    }

    fn report(&self, peer: &str, reason: &str) {
        let failure = HandshakeFailure { peer: peer.to_owned(), reason: reason.to_owned() };
        (self.acceptor.failed)(&failure);
    }
}
