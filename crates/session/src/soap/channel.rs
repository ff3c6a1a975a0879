//! A client's connection over SOAP/TCP: one channel, used by one thread, which waits for each answer.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use trunkline_http::{self as http, Bytes, ClientConfig};
use trunkline_message::Limits as MessageLimits;
use trunkline_soap::Version;

use super::encoding::{Form, Forms, Sent};
use super::exchange::{Head, Reply};
use super::outgoing::Outgoing;
use super::url::Url;
use super::{CallError, MessageEncoding};
use crate::profile::Retained;
use crate::soap_tcp::{ClientEvent, ClientSession, Content, Limits, Opened};

/// The connection is made when it is needed, and made again when the server has closed it between two
/// calls. Of the options of HTTP those are heeded that HTTP is not needed for: time-outs, and the longest
/// answer.
#[derive(Debug)]
pub(super) struct Channel {
    authority: String,
    url: String,
    config: ClientConfig,
    limits: MessageLimits,
    wanted: MessageEncoding,
    link: Option<Link>,
    sent: Option<Sent>,
}

/// A connection with an open channel.
#[derive(Debug)]
struct Link {
    stream: TcpStream,
    session: ClientSession,
    /// None until it is open.
    opened: Option<Opened>,
    content: Content,
    forms: Forms,
    used: Instant,
    room: Vec<u8>,
}

/// What came, without what it came in.
enum Came {
    Ready,
    Opened(Opened),
    Answer(Option<MessageEncoding>, Bytes),
    Nothing,
}

impl Channel {
    pub(super) fn new(url: &Url, config: ClientConfig) -> Self {
        Self {
            authority: url.authority.clone(),
            url: url.whole(),
            config,
            limits: MessageLimits::default(),
            wanted: MessageEncoding::Xml,
            link: None,
            sent: None,
        }
    }

    pub(super) fn config(&self) -> &ClientConfig {
        &self.config
    }

    pub(super) fn prefer(&mut self, encoding: MessageEncoding) {
        (self.wanted, self.link) = (encoding, None);
    }

    pub(super) fn set_limits(&mut self, limits: MessageLimits) {
        (self.limits, self.link) = (limits, None);
    }

    pub(super) fn sent(&self) -> Option<Sent> {
        self.sent
    }

    pub(super) fn form(&mut self, encoding: MessageEncoding) -> Option<&mut Form> {
        self.link.as_mut()?.forms.get(encoding)
    }

    pub(super) fn retained(&self) -> Option<[Retained; 2]> {
        self.link.as_ref()?.forms.retained()
    }

    /// Sends a message and waits for the answer, which is empty if there is none.
    pub(super) fn call(
        &mut self,
        head: &Head,
        message: &mut dyn Outgoing,
    ) -> Result<Reply, CallError> {
        let version = head.version;
        let kept = self.link.take().filter(|link| link.is_for(version) && !link.is_stale());
        let mut link = match kept {
            Some(link) if link.forms.is_full() => self.renew(link)?,
            Some(link) => link,
            None => self.connected(version)?,
        };
        let wait = Wait::new("response_timeout", self.config.response_timeout);
        let encoding = link.content.encoding;
        let document = match link.forms.write(encoding, message) {
            Ok(document) => document,
            Err(error) => {
                // What was not sent is in no vocabulary.
                self.link = Some(link);
                return Err(CallError::Request(error));
            }
        };
        self.sent = Some(Sent { encoding, bytes: document.len() });
        if let Some(opened) = &link.opened {
            link.session.call(opened, link.content, &head.action, document);
        }
        let came = link.exchange(&wait);
        // After an error that is not critical the next answer belongs to the next request. But nobody knows how
        // much of this one is in the server's vocabulary.
        let goes_on = match &came {
            Ok(_) => true,
            Err(CallError::Channel(error)) => {
                !error.code.is_critical() && encoding != MessageEncoding::StatefulFastInfoset
            }
            Err(_) => false,
        };
        if goes_on {
            link.used = Instant::now();
            self.link = Some(link);
        }
        let (encoding, body) = match came? {
            Came::Answer(encoding, body) => (encoding, body),
            Came::Nothing => (Some(encoding), Bytes::new()),
            Came::Ready | Came::Opened(_) => return Err(unasked()),
        };
        Ok(Reply { status: 200, encoding, body })
    }

    /// Connects, and opens a channel.
    fn connected(&self, version: Version) -> Result<Link, CallError> {
        let wait = Wait::new("connect_timeout", self.config.connect_timeout);
        let stream = self.connect(&wait)?;
        let limits = Limits { message_bytes: self.config.body_bytes, ..Limits::default() };
        let mut link = Link {
            stream,
            session: ClientSession::new(limits),
            opened: None,
            content: Content::xml(version),
            forms: Forms::new(self.limits.clone()),
            used: Instant::now(),
            room: vec![0; 16 << 10],
        };
        let Came::Ready = link.exchange(&wait)? else { return Err(unasked()) };
        link.session.initiate();
        let Came::Ready = link.exchange(&wait)? else { return Err(unasked()) };
        self.open(link, &wait)
    }

    /// Another channel on the same connection, whose vocabularies are empty.
    fn renew(&self, mut link: Link) -> Result<Link, CallError> {
        let wait = Wait::new("connect_timeout", self.config.connect_timeout);
        if let Some(opened) = link.opened.take() {
            link.session.close(&opened);
            let Came::Ready = link.exchange(&wait)? else { return Err(unasked()) };
        }
        link.forms = Forms::new(self.limits.clone());
        self.open(link, &wait)
    }

    /// Opens the channel: of what is offered, the server chooses.
    fn open(&self, mut link: Link, wait: &Wait) -> Result<Link, CallError> {
        use MessageEncoding::{FastInfoset, StatefulFastInfoset, Xml};
        let offered: &[MessageEncoding] = match self.wanted {
            Xml => &[Xml],
            FastInfoset => &[FastInfoset, Xml],
            StatefulFastInfoset => &[StatefulFastInfoset, FastInfoset, Xml],
        };
        let version = link.content.version;
        let contents = offered.iter().map(|&encoding| Content { encoding, version });
        let contents: Vec<Content> = contents.collect();
        link.session.open(&self.url, &contents);
        let Came::Opened(opened) = link.exchange(wait)? else { return Err(unasked()) };
        let Some(content) = contents.iter().find(|it| opened.content(**it).is_some()) else {
            let names: Vec<&str> = contents.iter().map(|it| it.name()).collect();
            let text = format!("the server opened no channel for {}", names.join(" or "));
            return Err(http::Error::Answer(text).into());
        };
        (link.content, link.opened) = (*content, Some(opened));
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

    fn is_for(&self, version: Version) -> bool {
        self.opened.is_some() && self.content.version == version && !self.forms.is_broken()
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
        let Self { session, opened, .. } = self;
        let event = session.next_event().map_err(|error| CallError::Channel(Box::new(error)))?;
        Ok(Some(match event {
            None => return Ok(None),
            Some(ClientEvent::Ready | ClientEvent::Session | ClientEvent::Closed) => Came::Ready,
            Some(ClientEvent::Opened(opened)) => Came::Opened(opened),
            Some(ClientEvent::Answer(position, body)) => {
                let content = opened.as_ref().and_then(|it| it.content_at(position));
                Came::Answer(content.map(|it| it.encoding), Bytes::copy_from_slice(body))
            }
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
