//! Sessions over TCP, with or without TLS: an acceptor with many sessions on one port, and an initiator that connects again.
//!
//! Each connection has a thread, which reads. Who sends a message writes it on its own thread, as far as the connection takes it
//! at once; who sends one right after another leaves them to the thread of the connection, which writes together what has
//! gathered. Nobody waits for a connection. A session is locked while one of them is at work, so that an application sees one
//! call at a time; it is not while the connection takes bytes.

mod link;
mod spin;
mod transport;

pub use spin::Spin;
pub use trunkline_tls::{ClientTls, ServerTls};

use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_keepalive;

use crate::application::Application;
use crate::first::First;
use crate::incoming::Incoming;
use crate::outbox::{Outbox, SendError};
use crate::session::Session;
use crate::settings::Identity;
use crate::time::Moment;
use link::{Link, Outgoing, Wait};
use spin::Waits;
use transport::{READ, Transport};

/// How often who waits for a store looks how far that is, if it is not woken.
const STORE_LOOK: Duration = Duration::from_millis(10);

/// How connections behave.
#[derive(Clone, Debug)]
pub struct TcpConfig {
    /// Connections of an acceptor at once; one more is closed at once. A quarter of them may not have said whose they are; with
    /// one more the oldest of these is closed, so that who says nothing keeps nobody away.
    pub connections: usize,
    /// How long a connection may take until it is there, with TLS too, and to say whose it is.
    pub first_timeout: Duration,
    /// How long the other side may take nothing of what waits for it; then the connection is closed.
    pub write_timeout: Duration,
    /// How long an initiator waits before it connects again.
    pub reconnect: Duration,
    /// What the thread of a connection does before it sleeps.
    pub spin: Spin,
    /// The certificate of an acceptor, which then speaks TLS alone, and whom it trusts.
    pub server_tls: Option<ServerTls>,
    /// Whom an initiator trusts, which then speaks TLS, and its own certificate.
    pub client_tls: Option<ClientTls>,
    /// Who may log on to an acceptor as whom, by the certificate that was shown; without it CompIDs alone decide.
    pub admission: Option<Admission>,
}

/// Decides who may log on, once a connection has said whose it is.
#[derive(Clone)]
pub struct Admission(Arc<Admit>);

/// The session that a connection is for, as this side says it, and the subject of the other side's certificate.
type Admit = dyn Fn(&Identity, Option<&str>) -> Result<(), String> + Send + Sync;

impl Admission {
    /// Decides by a function of the session and of the subject of the certificate that was shown (RFC 4514), if any. An
    /// error closes the connection, and is what whoever is told of refusals gets.
    pub fn new(
        admit: impl Fn(&Identity, Option<&str>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(admit))
    }
}

impl std::fmt::Debug for Admission {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Admission")
    }
}

impl Default for TcpConfig {
    fn default() -> Self {
        Self {
            connections: 1024,
            first_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
            reconnect: Duration::from_secs(5),
            spin: Spin::default(),
            server_tls: None,
            client_tls: None,
            admission: None,
        }
    }
}

/// How often an initiator looks whether the hours of its session have begun.
const LOOK: Duration = Duration::from_secs(10);

/// A session whose connections come and go. Clones are the same session.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    start: Instant,
    waker: Arc<Waker>,
}

/// Wakes the thread of a connection, if there is one, and who waits for a store, when that has got further.
#[derive(Default)]
struct Waker {
    of: Mutex<Woken>,
    has_woken: Condvar,
}

#[derive(Default)]
struct Woken {
    link: Weak<Link>,
    times: u64,
}

impl Waker {
    fn lock(&self) -> MutexGuard<'_, Woken> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, link: &Arc<Link>) {
        self.lock().link = Arc::downgrade(link);
    }

    fn wake(&self) {
        let link = {
            let mut woken = self.lock();
            woken.times += 1;
            woken.link.upgrade()
        };
        self.has_woken.notify_all();
        if let Some(link) = link {
            link.wake();
        }
    }

    /// How often it has woken.
    fn times(&self) -> u64 {
        self.lock().times
    }

    /// Waits until it has woken more often than that.
    fn wait(&self, times: u64) {
        let waits = |woken: &mut Woken| woken.times == times;
        _ = self.has_woken.wait_timeout_while(self.lock(), STORE_LOOK, waits);
    }
}

struct State {
    session: Session,
    application: Box<dyn Application + Send>,
    link: Option<Arc<Link>>,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Handle({})", self.identity())
    }
}

impl Handle {
    /// A session, and the application behind it.
    pub fn new(mut session: Session, application: impl Application + Send + 'static) -> Self {
        let waker = Arc::new(Waker::default());
        let to_wake = waker.clone();
        session.on_stored(Arc::new(move || to_wake.wake()));
        let state = State { session, application: Box::new(application), link: None };
        Self(Arc::new(Shared { state: Mutex::new(state), start: Instant::now(), waker }))
    }

    /// Who the two sides are.
    pub fn identity(&self) -> Identity {
        self.0.lock().session.settings().identity.clone()
    }

    /// Is it up?
    pub fn is_logged_on(&self) -> bool {
        self.0.lock().session.is_logged_on()
    }

    /// How long until the session's hours begin: zero within them, none if there are no more.
    pub fn opens_in(&self) -> Option<Duration> {
        self.0.lock().session.opens_in(self.0.now()).map(Duration::from_nanos)
    }

    /// Is there a connection?
    pub fn is_connected(&self) -> bool {
        self.0.lock().session.is_connected()
    }

    /// The numbers of the next message that is sent, and of the next that is expected.
    pub fn numbers(&self) -> (u64, u64) {
        self.0.lock().session.numbers()
    }

    /// Sends a message of the application: its MsgType, and the fields of its body, each with its delimiter. Returns its
    /// MsgSeqNum. While nobody is logged on it is kept, and is sent when the other side asks for what it has missed.
    ///
    /// # Errors
    /// [`SendError`]; nothing was sent, and no number is used.
    pub fn send(&self, message_type: &str, body: &[u8]) -> Result<u64, SendError> {
        self.with(|outbox| outbox.send(message_type, body))
    }

    /// Lets something be sent, several messages in one go.
    pub fn with<T>(&self, send: impl FnOnce(&mut Outbox) -> T) -> T {
        let mut state = self.0.lock();
        let now = self.0.now();
        let sent = state.session.send(now, send);
        self.0.flush_from_outside(state, now);
        sent
    }

    /// Bytes that the connection has not taken yet; who sends much waits while they are many.
    pub fn waiting(&self) -> usize {
        let state = self.0.lock();
        state.session.waiting() + state.link.as_ref().map_or(0, |it| it.held())
    }

    /// Waits until all that was sent so far is in the store, as far as that survives a crash. Nothing leaves the process
    /// before; who has to know that an order is safe waits for it.
    ///
    /// # Errors
    /// Those of the store; the session ends.
    pub fn wait_for_store(&self) -> io::Result<()> {
        let mark = self.0.lock().session.ask_store()?;
        loop {
            let times = self.0.waker.times();
            // The session goes on while the disk writes.
            let mut state = self.0.lock();
            let stored = state.session.stored();
            self.0.flush_from_outside(state, self.0.now());
            if stored? >= mark {
                return Ok(());
            }
            self.0.waker.wait(times);
        }
    }

    /// Ends the session in order, with a Logout that says why.
    pub fn log_out(&self, why: Option<&str>) {
        let mut state = self.0.lock();
        let State { session, application, .. } = &mut *state;
        let now = self.0.now();
        session.log_out(now, why, &mut **application);
        self.0.flush_from_outside(state, now);
    }

    /// Connects to an address such as `127.0.0.1:5001`, once, and returns when the session or the connection has ended:
    /// why, its application was told. Another thread may [log out](Self::log_out) meanwhile.
    ///
    /// # Errors
    /// Nobody listens there, or the connection broke.
    pub fn connect(&self, address: &str, config: &TcpConfig) -> io::Result<()> {
        let transport = connect(address, config)?;
        self.serve(transport, Vec::new(), config, &AtomicBool::new(false))
    }

    /// Serves one connection until it or the session ends, or it is stopped; `first` is what came of it already.
    fn serve(
        &self,
        transport: Transport,
        first: Vec<u8>,
        config: &TcpConfig,
        is_stopped: &AtomicBool,
    ) -> io::Result<()> {
        let link = Link::new(transport)?;
        {
            let mut state = self.0.lock();
            // Who stops sets this before it looks for a link to close, under the same lock.
            if is_stopped.load(Ordering::Acquire) {
                return Ok(());
            }
            if state.session.is_connected() {
                return Err(io::Error::other("the session has a connection already"));
            }
            state.link = Some(link.clone());
            self.0.waker.set(&link);
            state.session.connected(self.0.now());
        }
        let outcome = self.carry(&link, &first, config);
        let mut state = self.0.lock();
        let State { session, application, .. } = &mut *state;
        session.disconnected(self.0.now(), &mut **application);
        state.link = None;
        link.transport.close();
        outcome
    }

    fn carry(&self, link: &Link, first: &[u8], config: &TcpConfig) -> io::Result<()> {
        let mut incoming = Incoming::with(first);
        let mut waits = Waits::default();
        // Since when the connection takes nothing of what waits.
        let mut stuck: Option<Instant> = None;
        loop {
            let Turn { taken, has_sent, sends, is_over, deadline } = self.turn(link, &incoming)?;
            incoming.take(taken);
            if is_over {
                return Ok(());
            }
            if has_sent || !sends {
                stuck = None;
            }
            let mut longest = deadline;
            if sends {
                let since = *stuck.get_or_insert_with(Instant::now);
                let left = config.write_timeout.saturating_sub(since.elapsed());
                if left.is_zero() {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "what is sent is not taken",
                    ));
                }
                longest = Some(longest.map_or(left, |it| it.min(left)));
            }
            let wait = Wait { sends, longest, spin: config.spin };
            match link.next(&wait, &mut waits, &mut incoming) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if is_temporary(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Lets the session take what came, and the connection what is to be sent.
    fn turn(&self, link: &Link, incoming: &Incoming) -> io::Result<Turn> {
        link.is_looked_at();
        let mut outgoing = link.outgoing();
        let mut state = self.0.lock();
        let now = self.0.now();
        let State { session, application, .. } = &mut *state;
        let taken = session.received(now, incoming.bytes(), &mut **application);
        session.advance(now, &mut **application);
        state.fill(link, &mut outgoing);
        let has_more = !state.session.output().is_empty();
        let is_over = state.session.is_over() && state.session.waiting() == 0;
        let deadline = state.session.deadline();
        let deadline = deadline.map(|it| Duration::from_nanos(it.saturating_sub(now.monotonic)));
        // Others send, and the application is called, while the connection takes this.
        drop(state);
        let has_sent = link.send(&mut outgoing)?;
        let sends = has_more || !outgoing.is_empty() || link.transport.is_holding();
        Ok(Turn { taken, has_sent, sends, is_over: is_over && !sends, deadline })
    }

    /// Tells the application why there is no connection.
    fn not_connected(&self, error: &io::Error) {
        self.0.lock().application.not_connected(error);
    }

    /// Closes its connection, if there is one, behind what it takes of what was sent.
    fn close(&self) {
        let link = self.0.lock().link.clone();
        if let Some(link) = link {
            _ = self.0.flush(&link, &mut link.outgoing());
            _ = link.transport.stream().shutdown(Shutdown::Both);
        }
    }
}

/// What a turn of the thread of a connection came to.
struct Turn {
    /// Bytes that the session has taken.
    taken: usize,
    /// Whether the connection has taken something.
    has_sent: bool,
    /// Whether something waits for the connection.
    sends: bool,
    /// The session is over, and all is sent.
    is_over: bool,
    /// How long the session has nothing to do by itself.
    deadline: Option<Duration>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Moment {
        Moment::now(self.start)
    }

    /// Sends what the connection takes at once, of as much as goes together; says whether that was all.
    fn flush(&self, link: &Arc<Link>, outgoing: &mut Outgoing) -> io::Result<bool> {
        let mut has_more = false;
        if outgoing.is_empty() {
            let mut state = self.lock();
            // It may have another connection by now.
            if state.link.as_ref().is_some_and(|it| Arc::ptr_eq(it, link)) {
                state.fill(link, outgoing);
                has_more = !state.session.output().is_empty();
            }
        }
        link.send(outgoing)?;
        Ok(!has_more && outgoing.is_empty() && !link.transport.is_holding())
    }

    /// As `flush`, on another thread than the connection's own, which sees to the rest and to errors, and to all where one message
    /// follows another.
    fn flush_from_outside(&self, state: MutexGuard<'_, State>, now: Moment) {
        let Some(link) = state.link.clone() else { return };
        let (is_over, is_ready) = (state.session.is_over(), !state.session.output().is_empty());
        drop(state);
        if is_ready {
            let now = Duration::from_nanos(now.monotonic);
            let is_burst = link.is_in_burst(now);
            let is_sent = !is_burst
                && link.try_outgoing().is_some_and(|mut outgoing| {
                    self.flush(&link, &mut outgoing).unwrap_or_default()
                });
            link.has_sent_from_outside(if is_burst { now } else { self.start.elapsed() });
            if is_sent && !is_over {
                return;
            }
        }
        if is_ready || is_over {
            link.wake();
        }
    }
}

impl State {
    /// Gives out what is to be sent, if all before is taken.
    fn fill(&mut self, link: &Link, outgoing: &mut Outgoing) {
        if outgoing.is_empty() {
            let count = link.hold(outgoing, self.session.output());
            self.session.sent(count, &mut *self.application);
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

/// A port to which the other sides of many sessions connect. It stops when dropped, and closes its connections.
#[derive(Debug)]
pub struct Acceptor {
    address: SocketAddr,
    sessions: Arc<HashMap<Identity, Handle>>,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Called with the address of a connection that was closed before it was anybody's, and why.
pub type OnRefused = Arc<dyn Fn(SocketAddr, &str) + Send + Sync>;

impl Acceptor {
    /// Listens on an address such as `127.0.0.1:0`; the system picks a port for 0.
    ///
    /// # Errors
    /// Nobody can listen there, or two sessions are of the same two sides.
    pub fn start(
        address: &str,
        sessions: impl IntoIterator<Item = Handle>,
        config: TcpConfig,
        on_refused: OnRefused,
    ) -> io::Result<Self> {
        let mut by_identity = HashMap::new();
        for handle in sessions {
            let identity = handle.identity();
            if by_identity.insert(identity.clone(), handle).is_some() {
                return Err(io::Error::other(format!("there are two sessions {identity}")));
            }
        }
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let (sessions, is_stopped) = (Arc::new(by_identity), Arc::new(AtomicBool::new(false)));
        let (all, stop) = (sessions.clone(), is_stopped.clone());
        let accept = move || accept(&listener, &all, &config, &on_refused, &stop);
        let thread = thread::Builder::new().name("fix-acceptor".to_owned()).spawn(accept)?;
        Ok(Self { address, sessions, is_stopped, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The session of these two sides.
    pub fn session(&self, identity: &Identity) -> Option<&Handle> {
        self.sessions.get(identity)
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Release);
        self.sessions.values().for_each(Handle::close);
        // The thread waits for a connection, and this is one.
        _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

/// A connection that is served, and its thread.
struct Served {
    stream: Arc<TcpStream>,
    /// It has not said whose it is, and is not to be closed for that.
    is_unknown: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

fn accept(
    listener: &TcpListener,
    sessions: &Arc<HashMap<Identity, Handle>>,
    config: &TcpConfig,
    on_refused: &OnRefused,
    is_stopped: &Arc<AtomicBool>,
) {
    let mut all: Vec<Served> = Vec::new();
    loop {
        let accepted = listener.accept();
        if is_stopped.load(Ordering::Acquire) {
            break;
        }
        let Ok((stream, peer)) = accepted else {
            // Out of descriptors, perhaps; others may close soon.
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        all.retain(|it| !it.thread.is_finished());
        if all.len() >= config.connections {
            on_refused(peer, "there are as many connections as may be");
            continue;
        }
        close_unknown(&all, config.connections / 4);
        // Where no heartbeats are agreed upon, nothing else tells that the other side is gone.
        _ = set_socket_keepalive(&stream, true);
        let stream = Arc::new(stream);
        let (sessions, config, on_refused) = (sessions.clone(), config.clone(), on_refused.clone());
        let (own, stop) = (stream.clone(), is_stopped.clone());
        let is_unknown = Arc::new(AtomicBool::new(true));
        let unknown = is_unknown.clone();
        let serve = move || {
            let until = Instant::now() + config.first_timeout;
            let transport = Transport::accept(own.clone(), config.server_tls.as_ref(), until);
            let outcome = transport.and_then(|transport| {
                let (identity, first) = identify(&transport, until)?;
                let session = sessions.get(&identity).ok_or_else(|| no_session(&identity))?;
                if let Some(Admission(admit)) = &config.admission {
                    admit(&identity, transport.subject().as_deref()).map_err(io::Error::other)?;
                }
                unknown.store(false, Ordering::Release);
                session.serve(transport, first, &config, &stop)
            });
            // The acceptor has it until the next one comes, and who is refused must not wait for that.
            _ = own.shutdown(Shutdown::Both);
            if let Err(error) = outcome {
                on_refused(peer, &error.to_string());
            }
        };
        // Without a thread the connection is closed, as `serve` is dropped.
        let thread = thread::Builder::new().name("fix-session".to_owned()).spawn(serve);
        all.extend(thread.map(|thread| Served { stream, is_unknown, thread }));
    }
    // Nobody uses a session or its store any more when an acceptor is gone.
    all.iter().for_each(|it| _ = it.stream.shutdown(Shutdown::Both));
    all.into_iter().for_each(|it| _ = it.thread.join());
}

/// Closes the oldest connection that has not said whose it is, if there are as many as may be.
fn close_unknown(all: &[Served], most: usize) {
    let mut unknown = all.iter().filter(|it| it.is_unknown.load(Ordering::Acquire));
    let oldest = unknown.next();
    if let Some(oldest) = oldest.filter(|_| unknown.count() + 1 >= most.max(1)) {
        oldest.is_unknown.store(false, Ordering::Release);
        _ = oldest.stream.shutdown(Shutdown::Both);
    }
}

/// Names of the other side are as long as it likes.
fn no_session(identity: &Identity) -> io::Error {
    let text = format!("there is no session {identity}");
    io::Error::other(&text[..text.floor_char_boundary(200)])
}

/// Reads a connection until it says whose it is.
fn identify(transport: &Transport, until: Instant) -> io::Result<(Identity, Vec<u8>)> {
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; READ]);
    loop {
        match First::of(&bytes) {
            First::Logon(identity) => return Ok((identity, bytes)),
            First::Foreign(why) => return Err(io::Error::other(why)),
            First::Incomplete => {}
        }
        if Instant::now() >= until {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "no Logon came in time"));
        }
        match transport.read_until(until, &mut chunk) {
            Ok(0) => return Err(io::Error::other("it was closed before a Logon came")),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if is_temporary(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

/// A session that connects, and connects again when its connection ends. It stops when dropped.
#[derive(Debug)]
pub struct Initiator {
    session: Handle,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Initiator {
    /// Connects to an address such as `127.0.0.1:5001`, at once and whenever the connection has ended.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(address: &str, session: Handle, config: TcpConfig) -> io::Result<Self> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (own, stop, address) = (session.clone(), is_stopped.clone(), address.to_owned());
        let run = move || {
            while !stop.load(Ordering::Acquire) {
                let pause = match own.opens_in() {
                    Some(Duration::ZERO) => {
                        match connect(&address, &config) {
                            // Why a session ends, the application is told. With TLS 1.3 an initiator is there before
                            // the other side has looked at its certificate.
                            Ok(it) => match own.serve(it, Vec::new(), &config, &stop) {
                                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                                    own.not_connected(&error);
                                }
                                _ => {}
                            },
                            Err(error) => own.not_connected(&error),
                        }
                        config.reconnect
                    }
                    // Clocks are set, and what is far away is looked at again.
                    Some(opens_in) => opens_in.min(LOOK),
                    None => LOOK,
                };
                let again = Instant::now() + pause;
                while !stop.load(Ordering::Acquire) && Instant::now() < again {
                    thread::park_timeout(again.saturating_duration_since(Instant::now()));
                }
            }
        };
        let thread = thread::Builder::new().name("fix-initiator".to_owned()).spawn(run)?;
        Ok(Self { session, is_stopped, thread: Some(thread) })
    }

    /// Its session.
    pub fn session(&self) -> &Handle {
        &self.session
    }

    /// Has it connect no more, without waiting for an attempt that is under way: who has many stops all before the first is
    /// dropped.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
    }
}

impl Drop for Initiator {
    fn drop(&mut self) {
        self.stop();
        self.session.close();
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            _ = thread.join();
        }
    }
}

/// A connection to the first address of a name that takes it.
fn connect(address: &str, config: &TcpConfig) -> io::Result<Transport> {
    let until = Instant::now() + config.first_timeout;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for each in address.to_socket_addrs()? {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(&each, left) {
            Ok(stream) => {
                let host = address.rsplit_once(':').map_or(address, |it| it.0);
                let host = host.trim_start_matches('[').trim_end_matches(']');
                let (stream, tls) = (Arc::new(stream), config.client_tls.as_ref());
                return Transport::connect(stream, tls, host, until);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
