//! A connection: bytes in both directions, non-blocking.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, ToSocketAddrs as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::net::{TcpStream, UnixStream};
use rustix::event::{PollFd, PollFlags, poll};
use socket2::SockRef;

use crate::idle::{Deadline, Next, Patience, timespec};
use crate::queued::queued;
use crate::shared::{End, Shared};
use crate::{Address, Idle};

/// The most bytes in flight with small buffers ([`Stream::bound_buffers`]).
const BOUNDED: usize = 8 << 10;

/// The part of them that the system has not begun to send.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BOUNDED_UNSENT: u32 = 4 << 10;

/// A connection; it never blocks except in [`Stream::connect`] and [`Stream::wait`]. Dropping it ends it.
pub struct Stream {
    transport: Transport,
    idle: Idle,
}

enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
    Shared(Shared),
}

/// The readiness of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// There are bytes, the end, or an error to read.
    pub readable: bool,
    /// There is room for bytes to write, or an error to report.
    pub writable: bool,
}

impl Stream {
    /// Connects; TCP without delaying small messages.
    ///
    /// # Errors
    ///
    /// Nobody listens there, the name is unknown, or `timeout` is over; the error names the address.
    pub fn connect(address: &Address, timeout: Duration) -> io::Result<Self> {
        let transport = match address {
            Address::Tcp(host) => connect_tcp(host, timeout).map(Transport::Tcp),
            Address::Unix(path) => connect_unix(path, timeout).map(Transport::Unix),
            Address::SharedMemory(path) => Shared::connect(path, timeout).map(Transport::Shared),
        };
        match transport {
            Ok(transport) => Ok(Self { transport, idle: Idle::Block }),
            Err(error) => Err(address.explain(&error)),
        }
    }

    pub(crate) fn of_tcp(stream: TcpStream) -> Self {
        Self { transport: Transport::Tcp(stream), idle: Idle::Block }
    }

    pub(crate) fn of_shared(stream: Shared) -> Self {
        Self { transport: Transport::Shared(stream), idle: Idle::Block }
    }

    pub(crate) fn of_unix(stream: UnixStream) -> Self {
        Self { transport: Transport::Unix(stream), idle: Idle::Block }
    }

    /// Reads available bytes; 0 is the end (or an empty `bytes`).
    ///
    /// # Errors
    ///
    /// `WouldBlock` if there are none; others when the connection is broken.
    #[inline]
    pub fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        retry(|| match &mut self.transport {
            Transport::Tcp(stream) => stream.read(bytes),
            Transport::Unix(stream) => stream.read(bytes),
            Transport::Shared(stream) => stream.read(bytes),
        })
    }

    /// Writes as much as there is room for, and returns the number of bytes.
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no room; others when the connection is broken.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry(|| match &mut self.transport {
            Transport::Tcp(stream) => stream.write(bytes),
            Transport::Unix(stream) => stream.write(bytes),
            Transport::Shared(stream) => stream.write(bytes),
        })
    }

    /// Ends this direction: the other side reads what is in flight, and then the end.
    ///
    /// # Errors
    ///
    /// The connection is gone already.
    pub fn finish(&mut self) -> io::Result<()> {
        match &mut self.transport {
            Transport::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Transport::Unix(stream) => stream.shutdown(Shutdown::Write),
            Transport::Shared(stream) => stream.finish(),
        }
    }

    /// Waits on this thread until the stream is ready for one of the requested operations, as
    /// [`Stream::set_idle`] says. After a time-out, or early after a signal, it is not ready.
    ///
    /// # Errors
    ///
    /// Those of the system; reading or writing detects a broken connection.
    pub fn wait(
        &mut self,
        readable: bool,
        writable: bool,
        timeout: Option<Duration>,
    ) -> io::Result<Ready> {
        if let Transport::Shared(stream) = &mut self.transport {
            return stream.wait(self.idle, readable, writable, timeout);
        }
        let mut patience = Patience::new(self.idle, Deadline::after(timeout));
        let mut sleep = Some(Duration::ZERO);
        if self.idle == Idle::Block {
            // The first call sleeps already.
            sleep = timeout;
        }
        loop {
            let ready = match look(self.socket(), readable, writable, sleep) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    return Ok(Ready::default());
                }
                ready => ready?,
            };
            if ready != Ready::default() || timeout == Some(Duration::ZERO) {
                return Ok(ready);
            }
            sleep = match patience.next() {
                Next::GiveUp => return Ok(ready),
                Next::Look => Some(Duration::ZERO),
                Next::Sleep(time) => time,
            };
        }
    }

    /// Sets how [`Stream::wait`] waits; the default is asleep.
    pub fn set_idle(&mut self, idle: Idle) {
        self.idle = idle;
    }

    /// The peer: a TCP address, or process and user of a Unix socket.
    #[must_use]
    pub fn peer(&self) -> String {
        let unknown = || "unknown".to_owned();
        match &self.transport {
            Transport::Tcp(stream) => {
                stream.peer_addr().map_or_else(|_| unknown(), |a| a.to_string())
            }
            Transport::Unix(_) | Transport::Shared(_) => {
                credentials(self.socket()).unwrap_or_else(unknown)
            }
        }
    }

    /// The number of the descriptor of its socket.
    #[must_use]
    pub fn descriptor(&self) -> u32 {
        self.socket().as_raw_fd().unsigned_abs()
    }

    /// `tcp`, `unix` or `shm`.
    #[must_use]
    pub fn transport(&self) -> &'static str {
        match &self.transport {
            Transport::Tcp(_) => "tcp",
            Transport::Unix(_) => "unix",
            Transport::Shared(_) => "shm",
        }
    }

    /// Sets the size of the system's send buffer; shared memory has none.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn set_send_buffer(&mut self, bytes: usize) -> io::Result<()> {
        match &self.transport {
            Transport::Shared(_) => Ok(()),
            _ => SockRef::from(&self.socket()).set_send_buffer_size(bytes),
        }
    }

    /// Sets the size of the system's receive buffer; shared memory has none.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn set_receive_buffer(&mut self, bytes: usize) -> io::Result<()> {
        match &self.transport {
            Transport::Shared(_) => Ok(()),
            _ => SockRef::from(&self.socket()).set_recv_buffer_size(bytes),
        }
    }

    /// Limits the bytes in flight to the other side from now on, in the system's buffers or in shared
    /// memory: written bytes can no longer be replaced by newer ones.
    ///
    /// Bytes that the other side's system has received are not limited by this.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn bound_buffers(&mut self) -> io::Result<()> {
        if let Transport::Shared(stream) = &mut self.transport {
            stream.bound_buffers(BOUNDED);
            return Ok(());
        }
        let socket = self.socket();
        let socket = SockRef::from(&socket);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Transport::Tcp(_) = &self.transport {
            socket.set_tcp_notsent_lowat(BOUNDED_UNSENT)?;
        }
        socket.set_send_buffer_size(BOUNDED)
    }

    /// Written bytes that the other side may not have received, if known: for shared memory the unread
    /// bytes, for a socket the bytes that this system still holds. Bytes that the other side's system has received
    /// and its program has not read do not count.
    #[must_use]
    pub fn under_way(&self) -> Option<usize> {
        match &self.transport {
            Transport::Shared(stream) => Some(stream.end().under_way()),
            Transport::Tcp(stream) => queued(stream.as_fd()),
            // Linux counts the memory that it takes there, several times what was written.
            Transport::Unix(_) => None,
        }
    }

    pub(crate) fn socket(&self) -> BorrowedFd<'_> {
        match &self.transport {
            Transport::Tcp(stream) => stream.as_fd(),
            Transport::Unix(stream) => stream.as_fd(),
            Transport::Shared(stream) => stream.end().socket(),
        }
    }

    /// The shared end, whose readiness is not that of a socket.
    pub(crate) fn shared(&self) -> Option<&Arc<End>> {
        match &self.transport {
            Transport::Shared(stream) => Some(stream.end()),
            _ => None,
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} {})", self.transport(), self.peer())
    }
}

/// Retries after a signal.
#[inline]
fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

fn connect_tcp(host: &str, timeout: Duration) -> io::Result<TcpStream> {
    let deadline = Instant::now() + timeout;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in host.to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match std::net::TcpStream::connect_timeout(&address, left) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                return Ok(TcpStream::from_std(stream));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A Unix socket connects at once, or finds the queue of the listener full.
pub(crate) fn connect_unix(path: &Path, timeout: Duration) -> io::Result<UnixStream> {
    let deadline = Instant::now() + timeout;
    loop {
        match UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() >= deadline {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                // The system does not report room in the queue.
                std::thread::sleep(Duration::from_millis(1));
            }
            result => return result,
        }
    }
}

/// The readiness of a socket, after waiting at most so long for one of the requested operations.
pub(crate) fn look(
    socket: BorrowedFd<'_>,
    readable: bool,
    writable: bool,
    timeout: Option<Duration>,
) -> io::Result<Ready> {
    let mut flags = PollFlags::empty();
    flags.set(PollFlags::IN | PollFlags::RDHUP, readable);
    flags.set(PollFlags::OUT, writable);
    let mut sockets = [PollFd::from_borrowed_fd(socket, flags)];
    poll(&mut sockets, timeout.map(timespec).as_ref())?;
    let found = sockets[0].revents();
    let broken = found.intersects(PollFlags::HUP | PollFlags::ERR);
    Ok(Ready {
        readable: readable && (broken || found.intersects(PollFlags::IN | PollFlags::RDHUP)),
        writable: writable && (broken || found.contains(PollFlags::OUT)),
    })
}

#[cfg(target_os = "linux")]
fn credentials(socket: BorrowedFd<'_>) -> Option<String> {
    let peer = rustix::net::sockopt::socket_peercred(socket).ok()?;
    Some(format!("pid {} uid {}", peer.pid.as_raw_nonzero(), peer.uid.as_raw()))
}

#[cfg(not(target_os = "linux"))]
fn credentials(_: BorrowedFd<'_>) -> Option<String> {
    None
}
