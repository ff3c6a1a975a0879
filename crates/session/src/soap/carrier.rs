//! What carries a channel of SOAP/TCP: a connection of its own, or one that is shared.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_http::{self as http, Bytes, ClientConfig, ClientTls, TlsStream, host_of};

use super::CallError;
use super::shared::Wire;
use crate::soap_tcp::{ClientEvent, ClientSession, Limits, Opened};

/// A connection.
#[derive(Debug)]
pub(super) enum Carrier {
    Own(Box<Own>),
    Shared(Arc<Wire>),
}

/// One that has one channel, used by one thread, which waits for each answer.
#[derive(Debug)]
pub(super) struct Own {
    stream: Stream,
    session: ClientSession,
    /// When the last exchange began.
    used: Instant,
    room: Vec<u8>,
    /// What the system has been told of time-outs: of reading, of writing.
    timeouts: [Duration; 2],
}

/// What bytes go over.
#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// What came, without what it came in.
#[derive(Debug)]
pub(super) enum Came {
    Ready,
    Opened(Opened),
    /// In the media type of this position.
    Answer(u32, Bytes),
    Nothing,
}

/// Longer than this without a call, and a connection is looked at before it is used.
pub(super) const FRESH: Duration = Duration::from_secs(1);

impl Carrier {
    pub(super) fn own(
        authority: &str,
        is_tls: bool,
        config: &ClientConfig,
        wait: &Wait,
    ) -> Result<Self, CallError> {
        let stream = connect(authority, config, wait)?;
        let stream = match config.tls.as_ref().filter(|_| is_tls) {
            None => Stream::Plain(stream),
            Some(tls) => Stream::secured(stream, authority, tls, wait)?,
        };
        let session = ClientSession::new(limits(config));
        let (room, timeouts) = (vec![0; ROOM], [Duration::ZERO; 2]);
        let mut own = Own { stream, session, used: wait.start, room, timeouts };
        let Came::Ready = own.exchange(wait)? else { return Err(unasked()) };
        own.session.initiate();
        let Came::Ready = own.exchange(wait)? else { return Err(unasked()) };
        Ok(Self::Own(Box::new(own)))
    }

    /// May it be used, as far as can be told?
    pub(super) fn is_usable(&self) -> bool {
        match self {
            Self::Own(own) => own.used.elapsed() < FRESH || is_silent(own.stream.socket()),
            Self::Shared(wire) => wire.is_usable(),
        }
    }

    /// Sends what is asked for, and waits for what comes on a channel.
    pub(super) fn exchange(
        &mut self,
        channel: u32,
        wait: &Wait,
        ask: &mut dyn FnMut(&mut ClientSession),
    ) -> Result<Came, CallError> {
        match self {
            Self::Shared(wire) => wire.exchange(channel, wait, ask),
            Self::Own(own) => {
                ask(&mut own.session);
                own.exchange(wait)
            }
        }
    }
}

impl Own {
    /// Sends what there is to send, and waits for what comes.
    fn exchange(&mut self, wait: &Wait) -> Result<Came, CallError> {
        self.used = wait.start;
        self.limit(Way::Out, wait.after).map_err(|it| wait.failed(it, false))?;
        let output = self.session.output();
        self.stream
            .write_all(output)
            .and_then(|()| self.stream.flush())
            .map_err(|it| wait.failed(it, true))?;
        output.clear();
        output.shrink_to(1 << 20);
        loop {
            match self.session.next_event() {
                Ok(None) => {}
                Ok(Some(event)) => return came(event),
                Err(error) => return Err(CallError::Channel(Box::new(error))),
            }
            self.limit(Way::In, wait.about_left()?).map_err(|it| wait.failed(it, true))?;
            match self.stream.read(&mut self.room) {
                Ok(0) => return Err(wait.failed(io::ErrorKind::UnexpectedEof.into(), true)),
                Ok(length) => {
                    self.session.receive(&self.room[..length]);
                    widen(&mut self.room, length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(wait.failed(error, true)),
            }
        }
    }

    /// Tells the system how long it may wait, unless it knows.
    fn limit(&mut self, way: Way, left: Duration) -> io::Result<()> {
        let known = &mut self.timeouts[way as usize];
        if *known != left {
            match way {
                Way::In => self.stream.socket().set_read_timeout(Some(left))?,
                Way::Out => self.stream.socket().set_write_timeout(Some(left))?,
            }
            *known = left;
        }
        Ok(())
    }
}

impl Stream {
    /// Does the handshake.
    fn secured(
        stream: TcpStream,
        authority: &str,
        tls: &ClientTls,
        wait: &Wait,
    ) -> Result<Self, CallError> {
        let failed = |cause: io::Error| match cause.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => wait.timed_out(),
            _ => http::Error::Handshake { address: authority.to_owned(), cause }.into(),
        };
        let left = Some(wait.left()?);
        let limited = stream.set_read_timeout(left).and_then(|()| stream.set_write_timeout(left));
        limited.map_err(failed)?;
        let secured = tls.connect(host_of(authority), stream).map_err(failed)?;
        Ok(Self::Tls(Box::new(secured)))
    }

    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => &stream.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(room),
            Self::Tls(stream) => stream.read(room),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

/// A direction of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// What is read at once, to begin with and at most.
pub(super) const ROOM: usize = 16 << 10;
const MOST_ROOM: usize = 256 << 10;

/// Long messages are read in larger pieces.
pub(super) fn widen(room: &mut Vec<u8>, came: usize) {
    if came == room.len() && came < MOST_ROOM {
        room.resize(came * 2, 0);
    }
}

pub(super) fn came(event: ClientEvent<'_>) -> Result<Came, CallError> {
    Ok(match event {
        ClientEvent::Ready | ClientEvent::Session | ClientEvent::Closed => Came::Ready,
        ClientEvent::Opened(opened) => Came::Opened(opened),
        ClientEvent::Answer(position, body) => Came::Answer(position, Bytes::copy_from_slice(body)),
        ClientEvent::Nothing => Came::Nothing,
        ClientEvent::Refused(fault) => return Err(CallError::Fault(Box::new(fault))),
        ClientEvent::Error(error) => return Err(CallError::Channel(Box::new(error))),
    })
}

pub(super) fn limits(config: &ClientConfig) -> Limits {
    Limits { message_bytes: config.body_bytes, ..Limits::default() }
}

pub(super) fn connect(
    authority: &str,
    config: &ClientConfig,
    wait: &Wait,
) -> Result<TcpStream, CallError> {
    let failed = |cause| http::Error::Connect { address: authority.to_owned(), cause };
    let mut last = io::ErrorKind::AddrNotAvailable.into();
    for address in authority.to_socket_addrs().map_err(failed)? {
        match TcpStream::connect_timeout(&address, wait.left()?) {
            Ok(stream) => {
                stream.set_nodelay(config.nodelay).map_err(failed)?;
                return Ok(stream);
            }
            Err(cause) => last = cause,
        }
    }
    Err(failed(last).into())
}

/// Has the server neither said anything nor closed it, though nothing was asked of it?
pub(super) fn is_silent(stream: &TcpStream) -> bool {
    let peeked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let is_silent = peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
    stream.set_nonblocking(false).is_ok() && is_silent
}

pub(super) fn unasked() -> CallError {
    http::Error::Answer("the server answers something else than was asked".to_owned()).into()
}

/// A time-out that runs.
pub(super) struct Wait {
    limit: &'static str,
    after: Duration,
    start: Instant,
}

impl Wait {
    pub(super) fn new(limit: &'static str, after: Duration) -> Self {
        Self { limit, after, start: Instant::now() }
    }

    fn timed_out(&self) -> CallError {
        http::Error::TimedOut { limit: self.limit, after: self.after }.into()
    }

    /// How much is left of it.
    pub(super) fn left(&self) -> Result<Duration, CallError> {
        let left = self.after.checked_sub(self.start.elapsed());
        left.filter(|it| !it.is_zero()).ok_or_else(|| self.timed_out())
    }

    /// How much is left of it; all, while hardly any is over, so that calls tell the system the same.
    fn about_left(&self) -> Result<Duration, CallError> {
        let left = self.left()?;
        Ok(if self.after - left <= self.after / 64 { self.after } else { left })
    }

    pub(super) fn failed(&self, error: io::Error, maybe_handled: bool) -> CallError {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => self.timed_out(),
            _ => http::Error::Broken { maybe_handled, cause: error.to_string() }.into(),
        }
    }
}
