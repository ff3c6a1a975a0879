//! A client's connection over SOAP/TCP: one channel, used by one thread, which waits for each answer.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use trunkline_http::{self as http, Bytes, ClientConfig};

use super::CallError;
use super::url::Url;
use crate::soap_tcp::{ClientEvent, ClientSession, Content, Limits, Opened};

/// The connection is made when it is needed, and made again when the server has closed it between two
/// calls. Of the options of HTTP those are heeded that HTTP is not needed for: time-outs, and the longest
/// answer.
#[derive(Debug)]
pub(super) struct Channel {
    authority: String,
    url: String,
    config: ClientConfig,
    link: Option<Link>,
}

/// A connection with an open channel.
#[derive(Debug)]
struct Link {
    stream: TcpStream,
    session: ClientSession,
    /// None until it is open.
    opened: Option<(Content, Opened)>,
    used: Instant,
    room: Vec<u8>,
}

/// What came, without what it came in.
enum Came {
    Ready,
    Opened(Opened),
    Answer(Bytes),
    Nothing,
}

impl Channel {
    pub(super) fn new(url: &Url, config: ClientConfig) -> Self {
        let (authority, whole) = (url.authority.clone(), url.whole());
        Self { authority, url: whole, config, link: None }
    }

    pub(super) fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Sends an envelope and waits for the answer; None if there is none.
    pub(super) fn call(
        &mut self,
        content: Content,
        action: &str,
        envelope: &[u8],
    ) -> Result<Option<Bytes>, CallError> {
        let kept = self.link.take().filter(|link| link.is_for(content) && !link.is_stale());
        let mut link = match kept {
            Some(link) => link,
            None => self.open(content)?,
        };
        let wait = Wait::new("response_timeout", self.config.response_timeout);
        let Some((_, opened)) = &link.opened else { return Ok(None) };
        link.session.call(opened, content, action, envelope);
        let came = link.exchange(&wait);
        // After an error that is not critical the next answer belongs to the next request.
        let goes_on = match &came {
            Ok(_) => true,
            Err(CallError::Channel(error)) => !error.code.is_critical(),
            Err(_) => false,
        };
        if goes_on {
            link.used = Instant::now();
            self.link = Some(link);
        }
        match came? {
            Came::Answer(body) => Ok(Some(body)),
            Came::Nothing => Ok(None),
            Came::Ready | Came::Opened(_) => Err(unasked()),
        }
    }

    /// Connects, and opens the channel.
    fn open(&self, content: Content) -> Result<Link, CallError> {
        let wait = Wait::new("connect_timeout", self.config.connect_timeout);
        let stream = self.connect(&wait)?;
        let limits = Limits { message_bytes: self.config.body_bytes, ..Limits::default() };
        let session = ClientSession::new(limits);
        let (used, room) = (Instant::now(), vec![0; 16 << 10]);
        let mut link = Link { stream, session, opened: None, used, room };
        let Came::Ready = link.exchange(&wait)? else { return Err(unasked()) };
        link.session.initiate();
        let Came::Ready = link.exchange(&wait)? else { return Err(unasked()) };
        link.session.open(&self.url, content);
        let Came::Opened(opened) = link.exchange(&wait)? else { return Err(unasked()) };
        if opened.content(content).is_none() {
            let text = format!("the server opened no channel for {}", content.name());
            return Err(http::Error::Answer(text).into());
        }
        link.opened = Some((content, opened));
        Ok(link)
    }

    fn connect(&self, wait: &Wait) -> Result<TcpStream, CallError> {
        let failed = |cause| http::Error::Connect { address: self.authority.clone(), cause };
        let mut last = io::ErrorKind::AddrNotAvailable.into();
        for address in self.authority.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&address, wait.left()?) {
                Ok(stream) => {
                    stream.set_nodelay(self.config.nodelay).map_err(failed)?;
                    return Ok(stream);
                }
                Err(cause) => last = cause,
            }
        }
        Err(failed(last).into())
    }
}

impl Link {
    /// Longer than this without a call, and it is looked at before it is used.
    const FRESH: Duration = Duration::from_secs(1);

    fn is_for(&self, content: Content) -> bool {
        self.opened.as_ref().is_some_and(|it| it.0 == content)
    }

    /// Has the server closed it, while nothing was asked of it?
    fn is_stale(&self) -> bool {
        if self.used.elapsed() < Self::FRESH {
            return false;
        }
        let peeked = self.stream.set_nonblocking(true).and_then(|()| self.stream.peek(&mut [0]));
        let is_silent = peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        self.stream.set_nonblocking(false).is_err() || !is_silent
    }

    /// Sends what there is to send, and waits for what comes.
    fn exchange(&mut self, wait: &Wait) -> Result<Came, CallError> {
        let output = self.session.output();
        self.stream.set_write_timeout(Some(wait.left()?)).map_err(|it| wait.failed(it, false))?;
        self.stream.write_all(output).map_err(|it| wait.failed(it, true))?;
        output.clear();
        output.shrink_to(1 << 20);
        loop {
            if let Some(came) = self.came()? {
                return Ok(came);
            }
            self.stream.set_read_timeout(Some(wait.left()?)).map_err(|it| wait.failed(it, true))?;
            match self.stream.read(&mut self.room) {
                Ok(0) => return Err(wait.failed(io::ErrorKind::UnexpectedEof.into(), true)),
                Ok(length) => self.session.receive(&self.room[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(wait.failed(error, true)),
            }
        }
    }

    fn came(&mut self) -> Result<Option<Came>, CallError> {
        let event =
            self.session.next_event().map_err(|error| CallError::Channel(Box::new(error)))?;
        Ok(Some(match event {
            None => return Ok(None),
            Some(ClientEvent::Ready | ClientEvent::Session | ClientEvent::Closed) => Came::Ready,
            Some(ClientEvent::Opened(opened)) => Came::Opened(opened),
            Some(ClientEvent::Answer(_, body)) => Came::Answer(Bytes::copy_from_slice(body)),
            Some(ClientEvent::Nothing) => Came::Nothing,
            Some(ClientEvent::Refused(fault)) => return Err(CallError::Fault(Box::new(fault))),
            Some(ClientEvent::Error(error)) => return Err(CallError::Channel(Box::new(error))),
        }))
    }
}

fn unasked() -> CallError {
    http::Error::Answer("the server answers something else than was asked".to_owned()).into()
}

/// A time-out that runs.
struct Wait {
    limit: &'static str,
    after: Duration,
    start: Instant,
}

impl Wait {
    fn new(limit: &'static str, after: Duration) -> Self {
        Self { limit, after, start: Instant::now() }
    }

    fn timed_out(&self) -> CallError {
        http::Error::TimedOut { limit: self.limit, after: self.after }.into()
    }

    /// How much is left of it.
    fn left(&self) -> Result<Duration, CallError> {
        let left = self.after.checked_sub(self.start.elapsed());
        left.filter(|it| !it.is_zero()).ok_or_else(|| self.timed_out())
    }

    fn failed(&self, error: io::Error, maybe_handled: bool) -> CallError {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => self.timed_out(),
            _ => http::Error::Broken { maybe_handled, cause: error.to_string() }.into(),
        }
    }
}
