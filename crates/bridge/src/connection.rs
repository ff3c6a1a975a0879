//! A connection to the router that also wakes when a session has something for it.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::time::Timespec;
use trunkline_client::{
    Address, Consume, Conversation, Error, Event, Options, Start, Subscription, kind,
};

/// How long the router may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a connection is of no use any more.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) String);

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    fn connect(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(place) => {
                let stream = TcpStream::connect(place)?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                Ok(Self::Tcp(stream))
            }
            Address::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Ok(Self::Unix(stream))
            }
            _ => Err(io::Error::other(format!("{address} is neither tcp:// nor unix://"))),
        }
    }

    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }
}

/// A conversation with the router, and the socket that carries it.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: Socket,
    pub(crate) conversation: Conversation,
}

impl Connection {
    /// Connects under a name, and begins a producer of the same name; the answer is the last sequence that the router has of
    /// it, too.
    pub(crate) fn dial(address: &Address, name: &str) -> Result<(Self, u64), Fault> {
        let within = |error: io::Error| Fault(format!("{address}: {error}"));
        let socket = Socket::connect(address).map_err(within)?;
        let conversation = Conversation::new(&Options::named(name));
        let mut connection = Self { socket, conversation };
        connection.until(|event| matches!(event, Event::Welcome(_)).then_some(Ok(())))?;
        connection.conversation.producer(name)?;
        let last = connection.until(|event| match event {
            Event::Producing(it) => Some(Ok(it.last)),
            Event::Rejected(it) => Some(Err(Fault(it.text.to_owned()))),
            _ => None,
        })?;
        Ok((connection, last))
    }

    /// The position that the router's journal gives next; none where access rules let nobody ask.
    pub(crate) fn next_position(&mut self, pattern: &str) -> Result<Option<u64>, Fault> {
        let replay = Consume { window: 1, ..Consume::replay(pattern, Start::New) };
        let subscription = self.conversation.consume(&replay)?;
        let next = self.until(|event| match event {
            Event::Consuming(it) if it.subscription == subscription => Some(Ok(Some(it.next))),
            Event::Rejected(it) if it.of == kind::CONSUME => Some(Ok(None)),
            _ => None,
        })?;
        if next.is_some() {
            self.leave(subscription)?;
        }
        Ok(next)
    }

    /// Ends a subscription. What it was delivered meanwhile is lost, or delivered again.
    pub(crate) fn leave(&mut self, subscription: Subscription) -> Result<(), Fault> {
        self.conversation.unsubscribe(subscription);
        self.until(|event| match event {
            Event::Unsubscribed(it) if *it == subscription => Some(Ok(())),
            _ => None,
        })
    }

    /// Exchanges bytes until an event is the answer. Other events are lost.
    pub(crate) fn until<T>(
        &mut self,
        mut answer: impl FnMut(&Event<'_>) -> Option<Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let end = Instant::now() + PATIENCE;
        loop {
            while let Some(event) = self.conversation.next_event()? {
                if let Event::Closing(it) = &event {
                    return Err(Fault(it.text.to_owned()));
                }
                if let Some(answer) = answer(&event) {
                    return answer;
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault("the router does not answer".to_owned()));
            }
            self.exchange(None, left)?;
        }
    }

    /// Writes what there is room for, and reads what came; if nothing came it waits for that, for room, for the signal, or for
    /// so long.
    pub(crate) fn exchange(
        &mut self,
        signal: Option<BorrowedFd<'_>>,
        longest: Duration,
    ) -> Result<(), Fault> {
        self.write()?;
        if self.read()? {
            return Ok(());
        }
        let out = match self.conversation.output().is_empty() {
            true => PollFlags::empty(),
            false => PollFlags::OUT,
        };
        let mut waits = vec![PollFd::new(&self.socket, PollFlags::IN | out)];
        waits.extend(signal.as_ref().map(|it| PollFd::new(it, PollFlags::IN)));
        let longest = Timespec {
            tv_sec: i64::try_from(longest.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: longest.subsec_nanos().into(),
        };
        match poll(&mut waits, Some(&longest)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let is_signalled = waits.get(1).is_some_and(|it| !it.revents().is_empty());
        if let Some(signal) = signal.filter(|_| is_signalled) {
            _ = rustix::io::read(signal, &mut [0; 8]);
        }
        self.write()?;
        self.read()?;
        Ok(())
    }

    fn write(&mut self) -> Result<(), Fault> {
        while !self.conversation.output().is_empty() {
            match self.socket.write(self.conversation.output()) {
                Ok(bytes) => self.conversation.sent(bytes),
                Err(error) if is_temporary(&error) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads once; false if nothing was there.
    fn read(&mut self) -> Result<bool, Fault> {
        match self.socket.read(self.conversation.room()) {
            Ok(0) => Err(Fault("the router has closed the connection".to_owned())),
            Ok(bytes) => {
                self.conversation.filled(bytes);
                Ok(true)
            }
            Err(error) if is_temporary(&error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
