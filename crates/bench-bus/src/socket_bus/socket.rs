//! A socket over TCP, TLS or within the machine that never waits by itself.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use trunkline_reactor::Stream;

use crate::certificate::trusted;

/// One end of a stream of bytes; not blocking.
#[derive(Debug)]
pub enum Socket {
    /// Over TCP, without Nagle's delay.
    Tcp(TcpStream),
    /// Over TCP, encrypted.
    Tls(Box<Stream>),
    /// Within the machine.
    Unix(UnixStream),
}

/// What a socket is ready for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Readiness {
    /// Something can be read, the end included.
    pub readable: bool,
    /// Something can be written.
    pub writable: bool,
}

impl Socket {
    /// Connects to `unix:///path`, `tcp://host:port`, `host:port`, or with TLS to an address as
    /// [`Certificate::address`](crate::certificate::Certificate::address) makes it.
    ///
    /// # Errors
    /// The operating system's; [`io::ErrorKind::InvalidInput`] if the address is none.
    pub fn connect(address: &str, timeout: Duration) -> io::Result<Self> {
        if let Some(path) = address.strip_prefix("unix://") {
            return Self::of_unix(UnixStream::connect(path)?);
        }
        if let Some((host, tls)) = trusted(address)? {
            return Ok(Self::Tls(Box::new(Stream::connect_tls(host, &tls, timeout)?)));
        }
        let address = address.strip_prefix("tcp://").unwrap_or(address);
        let mut last = io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{address}: no address of a TCP socket"),
        );
        for place in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&place, timeout) {
                Ok(stream) => return Self::of_tcp(stream),
                Err(cause) => last = cause,
            }
        }
        Err(last)
    }

    fn of_tcp(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self::Tcp(stream))
    }

    fn of_unix(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self::Unix(stream))
    }

    /// Asks the system for a receive buffer of this size.
    ///
    /// # Errors
    /// The operating system's.
    pub fn set_receive_buffer(&self, bytes: usize) -> io::Result<()> {
        Ok(rustix::net::sockopt::set_socket_recv_buffer_size(self, bytes)?)
    }

    /// Reads what is there; 0 at the end.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there is nothing.
    #[inline]
    pub fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Tls(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }

    /// Writes as much as there is room for.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there is none.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    /// Sends what was accepted and is held here, as it may be with TLS; returns whether all of it has gone.
    ///
    /// # Errors
    /// The operating system's.
    #[inline]
    pub fn flush(&mut self) -> io::Result<bool> {
        match self {
            Self::Tls(stream) => stream.flush(),
            Self::Tcp(_) | Self::Unix(_) => Ok(true),
        }
    }

    /// Waits until the socket can be read, or written if that is asked for, but no longer than
    /// `timeout`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn wait(&mut self, writable: bool, timeout: Duration) -> io::Result<Readiness> {
        if let Self::Tls(stream) = self {
            let ready = stream.wait(true, writable, Some(timeout))?;
            return Ok(Readiness { readable: ready.readable, writable: ready.writable });
        }
        let asked = if writable { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut polled = [PollFd::new(self, asked)];
        match poll(&mut polled, Some(&timespec(timeout))) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(cause) => return Err(cause.into()),
        }
        let found = polled[0].revents();
        let ended = found.intersects(PollFlags::ERR | PollFlags::HUP);
        Ok(Readiness {
            readable: ended || found.contains(PollFlags::IN),
            writable: found.contains(PollFlags::OUT),
        })
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Tls(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }
}

/// What accepts sockets.
#[derive(Debug)]
pub enum SocketListener {
    /// On a port.
    Tcp(TcpListener),
    /// On a path, which is left behind.
    Unix(UnixListener),
}

impl SocketListener {
    /// Listens on `unix:///path`, `tcp://host:port` or `host:port`; port 0 is any that is free.
    ///
    /// # Errors
    /// The operating system's.
    pub fn bind(address: &str) -> io::Result<Self> {
        if let Some(path) = address.strip_prefix("unix://") {
            let listener = UnixListener::bind(path)?;
            listener.set_nonblocking(true)?;
            return Ok(Self::Unix(listener));
        }
        let listener = TcpListener::bind(address.strip_prefix("tcp://").unwrap_or(address))?;
        listener.set_nonblocking(true)?;
        Ok(Self::Tcp(listener))
    }

    /// Where it listens, as [`Socket::connect`] takes it.
    ///
    /// # Errors
    /// The operating system's.
    pub fn address(&self) -> io::Result<String> {
        match self {
            Self::Tcp(listener) => Ok(format!("tcp://{}", listener.local_addr()?)),
            Self::Unix(listener) => {
                let address = listener.local_addr()?;
                let path = address.as_pathname().unwrap_or_else(|| "".as_ref());
                Ok(format!("unix://{}", path.display()))
            }
        }
    }

    /// The next socket that connected, if there is one.
    ///
    /// # Errors
    /// The operating system's.
    pub fn accept(&self) -> io::Result<Option<Socket>> {
        let accepted = match self {
            Self::Tcp(listener) => listener.accept().and_then(|(stream, _)| Socket::of_tcp(stream)),
            Self::Unix(listener) => {
                listener.accept().and_then(|(stream, _)| Socket::of_unix(stream))
            }
        };
        match accepted {
            Ok(socket) => Ok(Some(socket)),
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(cause) => Err(cause),
        }
    }
}

impl AsFd for SocketListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(listener) => listener.as_fd(),
            Self::Unix(listener) => listener.as_fd(),
        }
    }
}

/// A time-out as the system calls take it.
pub(crate) fn timespec(timeout: Duration) -> Timespec {
    Timespec {
        tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    }
}
