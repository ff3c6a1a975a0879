//! A connection: bytes in both directions, non-blocking.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, ToSocketAddrs as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::net::{TcpStream, UnixStream};
use rustix::event::{PollFd, PollFlags, poll};
use socket2::SockRef;
#[cfg(feature = "tls")]
use trunkline_tls::ClientTls;

use crate::idle::{Deadline, Next, Patience, timespec};
use crate::queued::queued;
use crate::shared::{End, Shared};
#[cfg(feature = "tls")]
use crate::tls::Secure;
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
    #[cfg(feature = "tls")]
    Tls(Box<Secure>),
    Unix(UnixStream),
    Shared(Shared),
}

/// The names in a certificate that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerCertificate {
    /// Its subject, most specific name first (RFC 4514): `CN=pricing,O=Bank`. Empty where it has none.
    pub subject: String,
    /// Its host names, as alternative names.
    pub dns_names: Vec<String>,
    /// Its URIs, as alternative names, such as `spiffe://bank.example/pricing`.
    pub uris: Vec<String>,
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
            Address::Tls(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "for TLS, the authorities have to be named that are trusted",
            )),
            Address::Unix(path) => connect_unix(path, timeout).map(Transport::Unix),
            Address::SharedMemory(path) => Shared::connect(path, timeout).map(Transport::Shared),
        };
        match transport {
            Ok(transport) => Ok(Self { transport, idle: Idle::Block }),
            Err(error) => Err(address.explain(&error)),
        }
    }

    /// Connects to `host:port` with TLS, and waits for the handshake.
    ///
    /// # Errors
    ///
    /// As for [`Stream::connect`]; or the server cannot be trusted, or does not speak TLS.
    #[cfg(feature = "tls")]
    pub fn connect_tls(host: &str, tls: &ClientTls, timeout: Duration) -> io::Result<Self> {
        let began = Instant::now();
        let connected = connect_tcp(host, timeout).and_then(|socket| {
            crate::tls::connect(socket, host, tls, timeout.saturating_sub(began.elapsed()))
        });
        match connected {
            Ok(stream) => Ok(Self::of_tls(stream)),
            Err(error) => Err(Address::Tls(host.to_owned()).explain(&error)),
        }
    }

    #[cfg(feature = "tls")]
    pub(crate) fn of_tls(stream: Secure) -> Self {
        Self { transport: Transport::Tls(Box::new(stream)), idle: Idle::Block }
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
    /// `WouldBlock` if there are none; others when the connection is broken. TLS that ends without saying so
    /// (close_notify) is broken: `UnexpectedEof`.
    #[inline]
    pub fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        retry(|| match &mut self.transport {
            Transport::Tcp(stream) => stream.read(bytes),
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.read(bytes),
            Transport::Unix(stream) => stream.read(bytes),
            Transport::Shared(stream) => stream.read(bytes),
        })
    }

    /// Whether the next read may give bytes, or the end, though no event tells of them: with TLS, bytes may be
    /// decrypted already. Elsewhere a read that filled its room says so.
    #[inline]
    #[must_use]
    pub fn has_more(&self) -> bool {
        match &self.transport {
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.has_more(),
            _ => false,
        }
    }

    /// Writes as much as there is room for, and returns the number of bytes. With TLS, what was accepted may still
    /// be held here: [`Stream::is_holding`].
    ///
    /// # Errors
    ///
    /// `WouldBlock` when there is no room; others when the connection is broken.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry(|| match &mut self.transport {
            Transport::Tcp(stream) => stream.write(bytes),
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.write(bytes),
            Transport::Unix(stream) => stream.write(bytes),
            Transport::Shared(stream) => stream.write(bytes),
        })
    }

    /// Whether accepted bytes wait here for room, as they do with TLS alone: an event tells of room, then
    /// [`Stream::flush`] is called. Reading and waiting send them too.
    #[inline]
    #[must_use]
    pub fn is_holding(&self) -> bool {
        match &self.transport {
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.is_holding(),
            _ => false,
        }
    }

    /// Sends what is held, and returns whether all of it has gone.
    ///
    /// # Errors
    ///
    /// The connection is broken.
    #[inline]
    pub fn flush(&mut self) -> io::Result<bool> {
        match &mut self.transport {
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.flush(),
            _ => Ok(true),
        }
    }

    /// Ends this direction: the other side reads what is in flight or held, and then the end.
    ///
    /// # Errors
    ///
    /// The connection is gone already.
    pub fn finish(&mut self) -> io::Result<()> {
        match &mut self.transport {
            Transport::Tcp(stream) => stream.shutdown(Shutdown::Write),
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.finish(),
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
        if readable && self.has_more() {
            return Ok(Ready { readable, writable: false });
        }
        let mut patience = Patience::new(self.idle, Deadline::after(timeout));
        let mut sleep = Some(Duration::ZERO);
        if self.idle == Idle::Block {
            // The first call sleeps already.
            sleep = timeout;
        }
        loop {
            let is_holding = self.is_holding();
            let mut ready = match look(self.socket(), readable, writable || is_holding, sleep) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    return Ok(Ready::default());
                }
                ready => ready?,
            };
            if is_holding && ready.writable {
                ready.writable = self.flush()? && writable;
                if !ready.readable && !writable {
                    sleep = Some(Duration::ZERO);
                    continue;
                }
            }
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
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => {
                stream.socket().peer_addr().map_or_else(|_| unknown(), |a| a.to_string())
            }
            Transport::Unix(_) | Transport::Shared(_) => {
                credentials(self.socket()).unwrap_or_else(unknown)
            }
        }
    }

    /// The names in the certificate of the other side, if it has shown one; it was checked in the handshake.
    #[must_use]
    pub fn certificate(&self) -> Option<PeerCertificate> {
        match &self.transport {
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.certificate(),
            _ => None,
        }
    }

    /// The number of the descriptor of its socket.
    #[must_use]
    pub fn descriptor(&self) -> u32 {
        self.socket().as_raw_fd().unsigned_abs()
    }

    /// `tcp`, `tls`, `unix` or `shm`.
    #[must_use]
    pub fn transport(&self) -> &'static str {
        match &self.transport {
            Transport::Tcp(_) => "tcp",
            #[cfg(feature = "tls")]
            Transport::Tls(_) => "tls",
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
        #[cfg(feature = "tls")]
        if let Transport::Tls(stream) = &mut self.transport {
            stream.bound_buffers();
        }
        let socket = self.socket();
        let socket = SockRef::from(&socket);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if matches!(self.transport(), "tcp" | "tls") {
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
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => queued(stream.socket().as_fd()),
            // Linux counts the memory that it takes there, several times what was written.
            Transport::Unix(_) => None,
        }
    }

    pub(crate) fn socket(&self) -> BorrowedFd<'_> {
        match &self.transport {
            Transport::Tcp(stream) => stream.as_fd(),
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.socket().as_fd(),
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

/// Its socket; of shared memory, the one by which both sides learn that the other is gone.
impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} {})", self.transport(), self.peer())
    }
}

/// Retries after a signal.
#[inline]
pub(crate) fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
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
