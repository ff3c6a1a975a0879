//! TCP, with the system calls of the operating system and nothing between.

use std::io::{self, IoSlice, Write as _};
use std::marker::PhantomData;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use trunkline_message::Limits;

use crate::buffer::FrameBuffer;
use crate::framer::Framer;
use crate::{Error, Result};

/// How to wait for bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The thread sleeps until the operating system wakes it: a wake-up for each message that is
    /// waited for, and no processor time in between.
    Blocking,
    /// The thread asks again and again: no wake-up, and a processor of its own.
    Spinning,
}

impl Wait {
    /// Both, blocking first.
    pub const ALL: [Self; 2] = [Self::Blocking, Self::Spinning];

    /// `blocking` or `spinning`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blocking => "blocking",
            Self::Spinning => "spinning",
        }
    }
}

/// A socket that listens.
#[derive(Debug)]
pub struct Listener(TcpListener);

impl Listener {
    /// Listens on an address such as `127.0.0.1:0`; the system picks a port for 0.
    ///
    /// # Errors
    /// [`Error::Listen`].
    pub fn bind(address: &str) -> Result<Self> {
        let failed = |cause| Error::Listen { address: address.to_owned(), cause };
        TcpListener::bind(address).map(Self).map_err(failed)
    }

    /// The port on which it listens.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn port(&self) -> Result<u16> {
        let address = self.0.local_addr();
        address.map(|it| it.port()).map_err(|cause| Error::System("the listening socket", cause))
    }

    /// Where it listens.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn address(&self) -> Result<SocketAddr> {
        self.0.local_addr().map_err(|cause| Error::System("the listening socket", cause))
    }

    /// For callers that wait for more than one connection; readable when [`accept`](Self::accept)
    /// has one.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Waits, asleep, for one connection.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn accept(&self, wait: Wait) -> Result<Stream> {
        let failed = |cause| Error::System("no connection was accepted", cause);
        let (stream, _) = self.0.accept().map_err(failed)?;
        Stream::new(stream, wait).map_err(failed)
    }
}

/// A connection that carries bytes; each write is one system call and is sent at once
/// (`TCP_NODELAY`).
#[derive(Debug)]
pub struct Stream {
    stream: TcpStream,
    wait: Wait,
}

impl Stream {
    /// Connects to an address such as `127.0.0.1:4000`. It is not tried again.
    ///
    /// # Errors
    /// [`Error::Connect`], which names the address.
    pub fn connect(address: &str, wait: Wait) -> Result<Self> {
        let failed = |cause| Error::Connect { address: address.to_owned(), cause };
        TcpStream::connect(address).and_then(|stream| Self::new(stream, wait)).map_err(failed)
    }

    fn new(stream: TcpStream, wait: Wait) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { stream, wait })
    }

    /// The address of the other end, if connected.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.stream.peer_addr().ok()
    }

    /// Limits the wait for bytes, and for the other side to accept sent bytes. Without a limit it
    /// waits for ever. A spinning caller does not read the clock.
    ///
    /// # Errors
    /// [`Error::System`]: a time of zero.
    pub fn set_timeouts(&self, read: Duration, write: Duration) -> Result<()> {
        let set = self.stream.set_read_timeout(Some(read));
        let set = set.and_then(|()| self.stream.set_write_timeout(Some(write)));
        set.map_err(|cause| Error::System("the time-outs of a connection", cause))
    }

    /// Waits for bytes and puts what has come into `room`; 0 at the end of the stream.
    ///
    /// # Errors
    /// [`Error::System`]: the connection is broken, or nothing came in time.
    #[inline]
    pub fn read(&self, room: &mut [u8]) -> Result<usize> {
        // For each call, since a second owner of the socket may be writing.
        let flags = match self.wait {
            Wait::Blocking => RecvFlags::empty(),
            Wait::Spinning => RecvFlags::DONTWAIT,
        };
        loop {
            match recv(&self.stream, &mut *room, flags) {
                Ok((_, length)) => return Ok(length),
                Err(Errno::AGAIN) if self.wait == Wait::Blocking => {
                    return Err(Error::System("receiving", io::ErrorKind::TimedOut.into()));
                }
                Err(Errno::AGAIN) => std::hint::spin_loop(),
                Err(Errno::INTR) => {}
                Err(cause) => return Err(Error::System("receiving", cause.into())),
            }
        }
    }

    /// Sends all of `bytes`; waits, asleep, where the other side does not keep up.
    ///
    /// # Errors
    /// [`Error::System`]: the connection is broken.
    #[inline]
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        (&self.stream).write_all(bytes).map_err(|cause| Error::System("sending", cause))
    }

    /// Sends two pieces as one.
    ///
    /// # Errors
    /// [`Error::System`]: the connection is broken.
    #[inline]
    pub fn write_both(&self, first: &[u8], second: &[u8]) -> Result<()> {
        let sent = loop {
            let pieces = [IoSlice::new(first), IoSlice::new(second)];
            match (&self.stream).write_vectored(&pieces) {
                Ok(sent) => break sent,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(Error::System("sending", cause)),
            }
        };
        if sent == first.len() + second.len() {
            return Ok(());
        }
        let (rest_of_first, rest_of_second) =
            (first.get(sent..).unwrap_or_default(), sent.saturating_sub(first.len()));
        self.write(rest_of_first)?;
        self.write(&second[rest_of_second..])
    }

    /// Sends nothing any more; the other side reads the end of the stream.
    ///
    /// # Errors
    /// [`Error::System`]: the connection is broken.
    pub fn finish(&self) -> Result<()> {
        self.shut(Shutdown::Write)
    }

    /// Ends both directions, also for another owner of the socket that waits.
    ///
    /// # Errors
    /// [`Error::System`]: the connection is broken.
    pub fn close(&self) -> Result<()> {
        self.shut(Shutdown::Both)
    }

    fn shut(&self, how: Shutdown) -> Result<()> {
        self.stream.shutdown(how).map_err(|cause| Error::System("ending the connection", cause))
    }

    /// A second owner of the same socket.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn share(&self) -> Result<Self> {
        let stream = self.stream.try_clone();
        let stream = stream.map_err(|cause| Error::System("sharing the socket", cause))?;
        Ok(Self { stream, wait: self.wait })
    }
}

/// The half of a connection that sends messages.
#[derive(Debug)]
pub struct Sender<F> {
    stream: Stream,
    framer: PhantomData<F>,
}

impl<F: Framer> Sender<F> {
    /// Sends messages on a stream.
    pub fn new(stream: Stream) -> Self {
        Self { stream, framer: PhantomData }
    }

    /// Sends one message, frame included, with one system call unless the other side does not keep
    /// up.
    ///
    /// # Errors
    /// [`Error::System`]: the connection is broken; [`Error::Framing`]: it is too long.
    #[inline]
    pub fn send(&mut self, message: &[u8]) -> Result<()> {
        let prefix = F::prefix(message.len());
        match prefix.map_err(|cause| Error::Framing { message: 0, cause })? {
            None => self.stream.write(message),
            Some(prefix) => self.stream.write_both(&prefix, message),
        }
    }

    /// The stream that it sends on.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }
}

/// The half of a connection that receives messages.
#[derive(Debug)]
pub struct Receiver<F> {
    stream: Stream,
    framer: F,
    buffer: FrameBuffer,
}

impl<F: Framer> Receiver<F> {
    /// Receives messages within `limits` from a stream.
    pub fn new(stream: Stream, framer: F, limits: Limits) -> Self {
        Self { stream, framer, buffer: FrameBuffer::new(limits) }
    }

    /// Waits for the next message; None at the end of the stream.
    ///
    /// # Errors
    /// [`Error::System`]: the connection is broken; [`Error::Framing`]: what came is no message;
    /// [`Error::Truncated`]: the stream ends within one.
    #[inline]
    pub fn receive(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if let Some(message) = self.buffer.next_range(&mut self.framer)? {
                return Ok(Some(self.buffer.bytes(message)));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Waits for bytes, and reads what has come; false at the end of the stream. For callers that
    /// want to know when bytes come, and take the messages out with [`take`](Self::take).
    ///
    /// # Errors
    /// As for [`receive`](Self::receive).
    #[inline]
    pub fn fill(&mut self) -> Result<bool> {
        let length = self.stream.read(self.buffer.room())?;
        self.buffer.filled(length);
        if length == 0 {
            self.buffer.end()?;
        }
        Ok(length > 0)
    }

    /// The next message that has come completely.
    ///
    /// # Errors
    /// [`Error::Framing`]: what came is no message.
    #[inline]
    pub fn take(&mut self) -> Result<Option<&[u8]>> {
        self.buffer.take(&mut self.framer)
    }
}

/// A connection that carries messages both ways.
#[derive(Debug)]
pub struct Connection<F> {
    sender: Sender<F>,
    receiver: Receiver<F>,
}

impl<F: Framer> Connection<F> {
    /// Carries messages within `limits` on a stream.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn new(stream: Stream, framer: F, limits: Limits) -> Result<Self> {
        let sender = Sender::new(stream.share()?);
        Ok(Self { sender, receiver: Receiver::new(stream, framer, limits) })
    }

    /// As [`Sender::send`].
    ///
    /// # Errors
    /// The same.
    #[inline]
    pub fn send(&mut self, message: &[u8]) -> Result<()> {
        self.sender.send(message)
    }

    /// As [`Receiver::receive`].
    ///
    /// # Errors
    /// The same.
    #[inline]
    pub fn receive(&mut self) -> Result<Option<&[u8]>> {
        self.receiver.receive()
    }

    /// The two halves, for two threads.
    pub fn split(self) -> (Sender<F>, Receiver<F>) {
        (self.sender, self.receiver)
    }
}
