//! One connection to a server: bytes out, answers in.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use std::{error, fmt};

use super::answer::{Look, Reader, Whole};
use super::request::{Protocol, Request};
use super::secure::{ClientStream, Secure};

/// How a server is spoken to.
#[derive(Clone, Debug)]
pub struct Connecting {
    /// Where it listens.
    pub address: SocketAddr,
    /// How messages are told apart.
    pub protocol: Protocol,
    /// Small segments are not held back (`TCP_NODELAY`).
    pub nodelay: bool,
    /// What stands before a body is sent by a write of its own, as many programs do: what Nagle's
    /// algorithm was made for.
    pub is_split: bool,
    /// TLS between TCP and the protocol.
    pub secure: Option<Secure>,
}

/// How long nothing may come before a server is given up.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes for which there is room from the start.
const ROOM: usize = 64 << 10;

/// Why a server was given up; prints as one line.
#[derive(Debug)]
pub enum Failure {
    /// It cannot be connected to.
    NotConnected(io::Error),
    /// The connection broke, or nothing came for too long.
    Broken(io::Error),
    /// The connection ended before the answer.
    Ended,
    /// What came is no answer.
    NotAnswer(String),
    /// It answered by another status than 200: the status, and the beginning of the body.
    Status(u16, String),
    /// An answer differs from the first one to the same request.
    Differs {
        /// Which request it was, counted from 0.
        request: usize,
    },
    /// It closed a connection on which it still had requests.
    Unanswered(usize),
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected(cause) => write!(out, "cannot be connected to: {cause}"),
            Self::Broken(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                write!(out, "no answer for {} s", PATIENCE.as_secs())
            }
            Self::Broken(cause) => write!(out, "the connection broke: {cause}"),
            Self::Ended => write!(out, "the connection ended before the answer"),
            Self::NotAnswer(why) => write!(out, "{why}"),
            Self::Status(status, body) => write!(out, "status {status}: {body}"),
            Self::Differs { request } => {
                write!(out, "another answer to request {request} than the first")
            }
            Self::Unanswered(count) => write!(out, "it closed with {count} requests unanswered"),
        }
    }
}

impl error::Error for Failure {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::NotConnected(cause) | Self::Broken(cause) => Some(cause),
            _ => None,
        }
    }
}

/// Characters of an unexpected body that are told.
const TOLD: usize = 200;

/// A connection, with what has come and has not been looked at.
pub(super) struct Connection {
    stream: ClientStream,
    is_split: bool,
    reader: Reader,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    is_end: bool,
}

impl Connection {
    pub(super) fn open(to: &Connecting) -> Result<Self, Failure> {
        let stream = connect(to)?;
        Ok(Self {
            stream,
            is_split: to.is_split,
            reader: Reader::new(to.protocol),
            bytes: vec![0; ROOM],
            start: 0,
            end: 0,
            is_end: false,
        })
    }

    /// A new connection in place of this one.
    pub(super) fn reopen(&mut self, to: &Connecting) -> Result<(), Failure> {
        self.stream = connect(to)?;
        self.reader = Reader::new(to.protocol);
        (self.start, self.end, self.is_end) = (0, 0, false);
        Ok(())
    }

    #[inline]
    pub(super) fn send(&mut self, request: &Request) -> Result<(), Failure> {
        let sent = if self.is_split {
            let (head, body) = request.bytes.split_at(request.head);
            self.stream.write_all(head).and_then(|()| self.stream.write_all(body))
        } else {
            self.stream.write_all(&request.bytes)
        };
        sent.map_err(Failure::Broken)
    }

    /// Waits for the next answer and hands it to `look` with its body.
    pub(super) fn receive<T>(
        &mut self,
        look: impl FnOnce(&mut dyn Iterator<Item = &[u8]>, Whole) -> T,
    ) -> Result<(Whole, T), Failure> {
        loop {
            let bytes = &self.bytes[self.start..self.end];
            // Nothing begins with nothing, unless the end ends it.
            let found = match bytes.is_empty() && !self.is_end {
                true => Look::Incomplete,
                false => self.reader.look(bytes, self.is_end).map_err(Failure::NotAnswer)?,
            };
            match found {
                Look::Whole(whole) => {
                    self.start += whole.length;
                    let seen = look(&mut self.reader.body(bytes), whole);
                    return Ok((whole, seen));
                }
                Look::Skip(length) => self.start += length,
                Look::Incomplete if self.is_end => return Err(Failure::Ended),
                Look::Incomplete => self.fill()?,
            }
        }
    }

    /// As [`receive`](Self::receive), of an answer that must be 200; the body as it came.
    pub(super) fn receive_body(&mut self) -> Result<Vec<u8>, Failure> {
        let (whole, body) =
            self.receive(|body, _| body.flat_map(|piece| piece.iter().copied()).collect())?;
        match whole.status {
            200 => Ok(body),
            status => Err(told(status, &body)),
        }
    }

    /// Waits for more bytes.
    fn fill(&mut self) -> Result<(), Failure> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.bytes.len() {
            if self.start > self.bytes.len() / 2 {
                self.bytes.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            } else {
                self.bytes.resize(self.bytes.len() * 2, 0);
            }
        }
        loop {
            match self.stream.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.is_end = true,
                Ok(length) => self.end += length,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => return Err(Failure::Broken(cause)),
            }
            return Ok(());
        }
    }
}

/// What a server said instead of an answer.
#[cold]
pub(super) fn told(status: u16, body: &[u8]) -> Failure {
    let text: String = String::from_utf8_lossy(body).chars().take(TOLD).collect();
    Failure::Status(status, text.replace(char::is_control, " "))
}

fn connect(to: &Connecting) -> Result<ClientStream, Failure> {
    let stream = TcpStream::connect_timeout(&to.address, PATIENCE);
    let stream = stream.map_err(Failure::NotConnected)?;
    let prepared = stream
        .set_nodelay(to.nodelay)
        .and_then(|()| stream.set_read_timeout(Some(PATIENCE)))
        .and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    let stream = prepared.and_then(|()| ClientStream::new(stream, to.secure.as_ref()));
    stream.map_err(Failure::NotConnected)
}
