//! One connection through a [`Proxy`](super::Proxy): two sockets and the bytes between them.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};

use super::Link;
use super::shaper::{Line, Shaper};
use trunkline_bench::clock::monotonic_nanoseconds;

/// Both lines of a link: to the server and back.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) to_server: Line,
    pub(super) to_client: Line,
}

/// The two sockets of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The one that was accepted.
    Client,
    /// The one that was opened for it.
    Server,
}

#[derive(Debug)]
pub(super) struct Connection {
    client: TcpStream,
    server: TcpStream,
    /// The connection to the server is not known to be made.
    is_opening: bool,
    to_server: Lane,
    to_client: Lane,
}

impl Connection {
    /// For a client that was accepted, begins to connect to the server at `to`.
    pub(super) fn open(client: TcpStream, to: SocketAddr, link: Link) -> io::Result<Self> {
        client.set_nonblocking(true)?;
        client.set_nodelay(true)?;
        let server = begin_to_connect(to)?;
        Ok(Self {
            client,
            server,
            is_opening: true,
            to_server: Lane::new(link),
            to_client: Lane::new(link),
        })
    }

    /// The socket of a side.
    pub(super) fn socket(&self, side: Side) -> &TcpStream {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// What to wait for at a side; empty if nothing can be done there.
    pub(super) fn interest(&self, side: Side) -> PollFlags {
        let (from, to) = match side {
            _ if self.is_opening && side == Side::Server => return PollFlags::OUT,
            _ if self.is_opening => return PollFlags::empty(),
            Side::Client => (&self.to_server, &self.to_client),
            Side::Server => (&self.to_client, &self.to_server),
        };
        let mut interest = PollFlags::empty();
        interest.set(PollFlags::IN, from.shaper.room() > 0);
        interest.set(PollFlags::OUT, to.is_held_up);
        interest
    }

    /// When the next bytes arrive that can be passed on.
    pub(super) fn next_release(&self) -> Option<u64> {
        let both = [&self.to_server, &self.to_client];
        both.into_iter().filter_map(Lane::next_release).min()
    }

    /// Reads from a side that has something to read, once, into `buffer`.
    ///
    /// # Errors
    /// The connection is broken, or was never made.
    pub(super) fn read(
        &mut self,
        side: Side,
        buffer: &mut [u8],
        lines: &mut Lines,
    ) -> io::Result<()> {
        if self.is_opening {
            if side == Side::Server {
                sockopt::socket_error(&self.server)??;
                self.is_opening = false;
            }
            return Ok(());
        }
        match side {
            Side::Client => self.to_server.read(&self.client, buffer, &mut lines.to_server),
            Side::Server => self.to_client.read(&self.server, buffer, &mut lines.to_client),
        }
    }

    /// Passes on what has arrived by now.
    ///
    /// # Errors
    /// The connection is broken.
    pub(super) fn forward(&mut self, now: u64) -> io::Result<()> {
        self.to_server.forward(&self.server, now)?;
        self.to_client.forward(&self.client, now)
    }

    /// True when both directions have ended and all was passed on.
    pub(super) fn has_ended(&self) -> bool {
        self.to_server.has_ended && self.to_client.has_ended
    }

    /// Resets both sockets: what breaks at one end of a link breaks at the other.
    pub(super) fn break_off(self) {
        for socket in [&self.client, &self.server] {
            // Without it, the end would look like a proper one.
            let _ = sockopt::set_socket_linger(socket, Some(Duration::ZERO));
        }
    }

    /// True while the server has not answered yet.
    pub(super) fn is_opening(&self) -> bool {
        self.is_opening
    }
}

fn begin_to_connect(to: SocketAddr) -> io::Result<TcpStream> {
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    // No child may hold the connection open. Apple's systems cannot say so from the start.
    #[cfg(not(target_vendor = "apple"))]
    let flags = SocketFlags::CLOEXEC;
    #[cfg(target_vendor = "apple")]
    let flags = SocketFlags::empty();
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    let socket = TcpStream::from(socket);
    socket.set_nonblocking(true)?;
    socket.set_nodelay(true)?;
    match net::connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(cause) => Err(cause.into()),
    }
}

/// One direction of a connection.
#[derive(Debug)]
struct Lane {
    shaper: Shaper,
    /// The target's socket takes no more for now.
    is_held_up: bool,
    /// The end was passed on.
    has_ended: bool,
}

impl Lane {
    fn new(link: Link) -> Self {
        Self { shaper: Shaper::new(link), is_held_up: false, has_ended: false }
    }

    fn next_release(&self) -> Option<u64> {
        if self.is_held_up { None } else { self.shaper.next_release() }
    }

    fn read(
        &mut self,
        mut source: &TcpStream,
        buffer: &mut [u8],
        line: &mut Line,
    ) -> io::Result<()> {
        let room = self.shaper.room().min(buffer.len());
        if room == 0 {
            return Ok(());
        }
        let count = match source.read(&mut buffer[..room]) {
            Ok(count) => count,
            Err(cause) if is_for_later(&cause) => return Ok(()),
            Err(cause) => return Err(cause),
        };
        let now = monotonic_nanoseconds();
        if count == 0 {
            self.shaper.end(line, now);
        } else {
            self.shaper.push(line, now, &buffer[..count]);
        }
        Ok(())
    }

    fn forward(&mut self, mut target: &TcpStream, now: u64) -> io::Result<()> {
        self.shaper.release(now);
        self.is_held_up = false;
        while !self.shaper.arrived().is_empty() {
            match target.write(self.shaper.arrived()) {
                Ok(count) => self.shaper.take(count),
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => {
                    self.is_held_up = true;
                    return Ok(());
                }
                Err(cause) => return Err(cause),
            }
        }
        if self.shaper.has_ended() && !self.has_ended {
            target.shutdown(Shutdown::Write)?;
            self.has_ended = true;
        }
        Ok(())
    }
}

fn is_for_later(cause: &io::Error) -> bool {
    matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
