//! One connection of SOAP/TCP that several clients share, so that their calls overlap.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use trunkline_http::ClientConfig;

use super::carrier::{Came, FRESH, ROOM, Wait, came, connect, is_silent, limits, unasked, widen};
use super::channel::Idle;
use super::url::Url;
use super::{Binding, CallError, Client};
use crate::soap_tcp::ClientSession;

/// One connection for several clients, one for each thread that calls. Each client has a channel of its own, with
/// vocabularies of its own, and one call at a time. Where the server agrees, as ours does, calls of different
/// clients overlap, and answers come in any order: a slow one holds no others up, as far as the server has threads
/// for them (`Workers::Pool`). Where it does not, as Metro, they take turns.
///
/// As many calls are in flight as there are clients, at most as many as the server lets channels be open (ours: 64).
/// The channel of a client that is dropped is the next one's.
///
/// ```no_run
/// use trunkline_session::soap::{Binding, ClientConfig, SharedConnection};
///
/// let connection = SharedConnection::new("vnd.sun.ws.tcp://localhost:8080", ClientConfig::default())?;
/// for _ in 0..16 {
///     let mut client = connection.client("/calculator", "urn:example:calculator", Binding::default())?;
///     std::thread::spawn(move || { /* client.call(...) */ });
/// }
/// # Ok::<(), trunkline_session::soap::CallError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SharedConnection(pub(super) Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    url: Url,
    config: ClientConfig,
    /// The connection, once it is made; made again after it broke.
    wire: Mutex<Option<Arc<Wire>>>,
    /// Channels whose clients are gone.
    pub(super) idle: Mutex<Vec<Idle>>,
}

/// A connection.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    state: Mutex<State>,
    /// Something came, or who reads has stopped.
    changed: Condvar,
    /// Held while something is sent, which goes as a whole.
    sending: Mutex<()>,
    /// Held for a call where calls do not overlap.
    turn: Mutex<()>,
    /// Held for a call of the service channel.
    service: Mutex<()>,
    overlaps: AtomicBool,
}

#[derive(Debug)]
struct State {
    session: ClientSession,
    /// One of those who wait reads for all.
    is_reading: bool,
    room: Vec<u8>,
    /// Answers, by channel, for those who wait.
    arrived: Vec<(u32, Result<Came, CallError>)>,
    /// Channels that are used no more, and to whose answers nobody listens.
    abandoned: Vec<u32>,
    waiting: usize,
    used: Instant,
    /// Why it cannot be used any more.
    broken: Option<String>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedConnection {
    /// A connection to the host and port of a URL of SOAP/TCP. It is made for the first call, and made again when it
    /// broke.
    ///
    /// # Errors
    /// [`CallError::Url`].
    pub fn new(url: &str, config: ClientConfig) -> Result<Self, CallError> {
        let parsed = Url::parse(url)?;
        if !parsed.is_channel {
            let why = "only SOAP/TCP has connections that clients share";
            return Err(CallError::Url(format!("{url:?}: {why}")));
        }
        if parsed.is_tls {
            let why = "with TLS each client has a connection of its own";
            return Err(CallError::Url(format!("{url:?}: {why}")));
        }
        let (wire, idle) = (Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Shared { url: parsed, config, wire, idle })))
    }

    /// A client of the service at a path.
    ///
    /// # Errors
    /// [`CallError::Url`].
    pub fn client(
        &self,
        path: &str,
        namespace: &str,
        binding: Binding,
    ) -> Result<Client, CallError> {
        let url = Url::parse(&self.0.url.with_path(path))?;
        Ok(Client::over(self, url, namespace, binding))
    }
}

impl Shared {
    pub(super) fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// The connection, which is made if there is none that can be used.
    pub(super) fn wire(&self, wait: &Wait) -> Result<Arc<Wire>, CallError> {
        let mut kept = locked(&self.wire);
        if let Some(wire) = kept.as_ref().filter(|it| it.is_usable()) {
            return Ok(Arc::clone(wire));
        }
        locked(&self.idle).clear();
        let wire = Arc::new(Wire::new(&self.url.authority, &self.config, wait)?);
        *kept = Some(Arc::clone(&wire));
        Ok(wire)
    }
}

impl Wire {
    fn new(authority: &str, config: &ClientConfig, wait: &Wait) -> Result<Self, CallError> {
        let stream = connect(authority, config, wait)?;
        let failed = |error| wait.failed(error, false);
        stream.set_write_timeout(Some(config.response_timeout)).map_err(failed)?;
        let state = State {
            session: ClientSession::new(limits(config)),
            is_reading: false,
            room: vec![0; ROOM],
            arrived: Vec::new(),
            abandoned: Vec::new(),
            waiting: 0,
            used: Instant::now(),
            broken: None,
        };
        let wire = Self {
            stream,
            state: Mutex::new(state),
            changed: Condvar::new(),
            sending: Mutex::default(),
            turn: Mutex::default(),
            service: Mutex::default(),
            overlaps: AtomicBool::new(false),
        };
        let Came::Ready = wire.exchange(0, wait, &mut |_| {})? else { return Err(unasked()) };
        let Came::Ready = wire.exchange(0, wait, &mut ClientSession::initiate)? else {
            return Err(unasked());
        };
        Ok(wire)
    }

    /// Calls of different channels may overlap from here on.
    pub(super) fn overlap(&self) {
        self.overlaps.store(true, Ordering::Release);
    }

    pub(super) fn overlaps(&self) -> bool {
        self.overlaps.load(Ordering::Acquire)
    }

    /// A channel is used no more.
    pub(super) fn abandon(&self, channel: u32) {
        locked(&self.state).abandon(channel);
    }

    /// Did it not break, and did the server not close it while nothing was asked of it?
    pub(super) fn is_usable(&self) -> bool {
        let mut state = locked(&self.state);
        let is_idle = state.waiting == 0 && state.used.elapsed() >= FRESH;
        if state.broken.is_none() && is_idle && !is_silent(&self.stream) {
            state.broken = Some("the server closed it".to_owned());
        }
        state.broken.is_none() && state.abandoned.len() < MOST_ABANDONED
    }

    /// Sends what is asked for, and waits for what comes on a channel.
    pub(super) fn exchange(
        &self,
        channel: u32,
        wait: &Wait,
        ask: &mut dyn FnMut(&mut ClientSession),
    ) -> Result<Came, CallError> {
        let _service = (channel == 0).then(|| locked(&self.service));
        let _turn = (!self.overlaps()).then(|| locked(&self.turn));
        // Others may have had their turns for long.
        wait.left()?;
        locked(&self.state).waiting += 1;
        let came = self.send(wait, ask).and_then(|()| self.wait(channel, wait));
        let mut state = locked(&self.state);
        state.waiting -= 1;
        state.used = Instant::now();
        came
    }

    fn send(&self, wait: &Wait, ask: &mut dyn FnMut(&mut ClientSession)) -> Result<(), CallError> {
        let _sending = locked(&self.sending);
        let mut state = locked(&self.state);
        if let Some(why) = &state.broken {
            return Err(wait.failed(io::Error::other(why.clone()), false));
        }
        ask(&mut state.session);
        let output = std::mem::take(state.session.output());
        drop(state);
        // While it is written others read, so that the server is not held up by answers that nobody takes.
        (&self.stream).write_all(&output).map_err(|error| {
            locked(&self.state).broken = Some(error.to_string());
            self.changed.notify_all();
            wait.failed(error, true)
        })
    }

    fn wait(&self, channel: u32, wait: &Wait) -> Result<Came, CallError> {
        let mut state = locked(&self.state);
        loop {
            if let Some(place) = state.arrived.iter().position(|it| it.0 == channel) {
                return state.arrived.swap_remove(place).1;
            }
            if let Some(why) = &state.broken {
                return Err(wait.failed(io::Error::other(why.clone()), true));
            }
            let left = match wait.left() {
                Ok(left) => left,
                Err(late) => {
                    match channel {
                        // Whose answer the next one is, nobody can tell then.
                        0 => state.broken = Some("its service channel does not answer".to_owned()),
                        _ => state.abandon(channel),
                    }
                    return Err(late);
                }
            };
            if state.is_reading {
                let waited = self.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            state.is_reading = true;
            let mut room = std::mem::take(&mut state.room);
            drop(state);
            let timed = self.stream.set_read_timeout(Some(left));
            let read = timed.and_then(|()| (&self.stream).read(&mut room));
            state = locked(&self.state);
            state.is_reading = false;
            match read {
                Ok(0) => state.broken = Some("the server closed it".to_owned()),
                Ok(length) => {
                    state.session.receive(&room[..length]);
                    state.distribute();
                    widen(&mut room, length);
                }
                Err(error) if is_late(&error) => {}
                Err(error) => state.broken = Some(error.to_string()),
            }
            state.room = room;
            self.changed.notify_all();
        }
    }
}

/// So many channels wait for nothing, and their connection gives way to another.
const MOST_ABANDONED: usize = 16;

fn is_late(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

impl State {
    fn abandon(&mut self, channel: u32) {
        self.arrived.retain(|it| it.0 != channel);
        if !self.abandoned.contains(&channel) {
            self.abandoned.push(channel);
        }
    }

    /// Puts what came where those who wait for it look.
    fn distribute(&mut self) {
        loop {
            let came = match self.session.next_event() {
                Ok(None) => return,
                Ok(Some(event)) => came(event),
                Err(error) => Err(CallError::Channel(Box::new(error))),
            };
            let channel = self.session.last_channel();
            if let Err(CallError::Channel(error)) = &came
                && error.code.is_critical()
            {
                self.broken = Some(error.to_string());
            }
            if !self.abandoned.contains(&channel) {
                self.arrived.push((channel, came));
            }
            if self.broken.is_some() {
                return;
            }
        }
    }
}
