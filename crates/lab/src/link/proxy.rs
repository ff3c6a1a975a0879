//! A [`Link`] between TCP sockets: whoever connects to the proxy reaches the server behind it as
//! over that link.
//!
//! Before the link is a queue of bounded length ([`Shaper::new`](super::shaper::Shaper::new)). While
//! it is full, the proxy does not read, so the sender's TCP holds the sender up, as before a slow
//! link. The sockets of sender and proxy have buffers of their own, which come on top.
//!
//! Opening a connection takes no time on the link; closing does. A connection that breaks on one
//! side is broken on the other at once.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Link;
use super::connection::{Connection, Lines, Side};
use super::shaper::Line;
use trunkline_bench::clock::{monotonic_nanoseconds, wake_on_time};

/// Connections at a time; others wait to be accepted.
const MOST_CONNECTIONS: usize = 64;
/// Bytes read at a time.
const BUFFER: usize = 64 << 10;
/// So long before a release the thread stops sleeping and asks again and again: a core that slept
/// wakes late. On a virtual machine with two cores, round trips over 1 ms came 180 microseconds late
/// without this, 45 with it, and no sooner with a longer time.
const SPIN: u64 = 50_000;
/// How long no connection is accepted after accepting has failed, for want of descriptors say.
const PAUSE: u64 = 100_000_000;

/// A thread that carries connections over a [`Link`]. Dropping it breaks them off and stops it.
///
/// All connections share the link. For the last 50 microseconds before bytes arrive the thread keeps
/// its core busy, so a busy link of 100 Mbit/s costs about half a core, one of 1 Gbit/s a whole.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    busy: Arc<Busy>,
    /// Closed to stop the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

/// Of each direction, the nanoseconds for which the segments so far keep the line busy.
#[derive(Debug, Default)]
struct Busy {
    to_server: AtomicU64,
    to_client: AtomicU64,
}

impl Proxy {
    /// Listens on a port of 127.0.0.1 that the system picks, and connects to `to` whoever
    /// connects there. Connections that cannot be made or break are closed, and not told.
    ///
    /// # Errors
    /// There is no port or no thread to be had.
    pub fn start(link: Link, to: SocketAddr) -> Result<Self, ProxyError> {
        Self::listen(link, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), to, |_| {})
    }

    /// As [`Self::start`], at an address of one's own, of which port 0 means any. The proxy's
    /// thread hands to `tell` why a connection could not be made or broke.
    ///
    /// # Errors
    /// The address cannot be listened at, or there is no thread to be had.
    pub fn listen(
        link: Link,
        address: SocketAddr,
        to: SocketAddr,
        tell: impl FnMut(ProxyError) + Send + 'static,
    ) -> Result<Self, ProxyError> {
        let unable = |cause| ProxyError { address, what: "cannot be listened at", cause };
        let listener = TcpListener::bind(address).map_err(unable)?;
        listener.set_nonblocking(true).map_err(unable)?;
        let address = listener.local_addr().map_err(unable)?;
        if address == to {
            let cause = io::Error::other("the proxy would connect to itself");
            return Err(unable(cause));
        }
        let (stop, stopped) = UnixStream::pair().map_err(unable)?;
        let busy = Arc::new(Busy::default());
        let carrier = Carrier {
            link,
            to,
            listener,
            stopped,
            accept_after: 0,
            lines: Lines { to_server: Line::new(link), to_client: Line::new(link) },
            connections: Vec::new(),
            busy: Arc::clone(&busy),
            tell,
        };
        let thread = thread::Builder::new().name("link".into());
        let thread = thread.spawn(move || carrier.run()).map_err(unable)?;
        Ok(Self { address, busy, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// For how many nanoseconds all that was sent so far keeps the link busy: to the server, and
    /// back. What was sent may be ahead of now, by as much as the queue holds.
    pub fn busy_nanoseconds(&self) -> (u64, u64) {
        let load = |busy: &AtomicU64| busy.load(Ordering::Acquire);
        (load(&self.busy.to_server), load(&self.busy.to_client))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed, and is none of the owner's.
            let _ = thread.join();
        }
    }
}

/// What went wrong at an address.
#[derive(Debug)]
pub struct ProxyError {
    address: SocketAddr,
    what: &'static str,
    cause: io::Error,
}

impl fmt::Display for ProxyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}: {}", self.address, self.what, self.cause)
    }
}

impl std::error::Error for ProxyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// The proxy's thread.
struct Carrier<F> {
    link: Link,
    to: SocketAddr,
    listener: TcpListener,
    /// Readable when the proxy is dropped.
    stopped: UnixStream,
    /// No connection is accepted before.
    accept_after: u64,
    lines: Lines,
    connections: Vec<Connection>,
    busy: Arc<Busy>,
    tell: F,
}

/// A socket that is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    Stopped,
    Listener,
    Connection(usize, Side),
}

impl<F: FnMut(ProxyError)> Carrier<F> {
    fn run(mut self) {
        wake_on_time();
        let mut buffer = vec![0; BUFFER];
        let mut ready = Vec::new();
        loop {
            // Only a lack of memory fails here; the next attempt may be luckier.
            if self.wait(&mut ready).is_err() {
                ready.clear();
                thread::yield_now();
            }
            if ready.contains(&Ready::Stopped) {
                break;
            }
            self.work(&ready, &mut buffer);
        }
        self.connections.into_iter().for_each(Connection::break_off);
    }

    /// Waits until there is something to do, and says which sockets have it.
    fn wait(&self, ready: &mut Vec<Ready>) -> rustix::io::Result<()> {
        let now = monotonic_nanoseconds();
        let mut whose = vec![Ready::Stopped];
        let mut sockets = vec![PollFd::new(&self.stopped, PollFlags::IN)];
        let mut next = self.connections.iter().filter_map(Connection::next_release).min();
        if now < self.accept_after {
            next = Some(next.unwrap_or(u64::MAX).min(self.accept_after));
        } else if self.connections.len() < MOST_CONNECTIONS {
            whose.push(Ready::Listener);
            sockets.push(PollFd::new(&self.listener, PollFlags::IN));
        }
        for (index, connection) in self.connections.iter().enumerate() {
            for side in [Side::Client, Side::Server] {
                let interest = connection.interest(side);
                // A socket without interest would still report that it is closed, for ever.
                if !interest.is_empty() {
                    whose.push(Ready::Connection(index, side));
                    sockets.push(PollFd::new(connection.socket(side), interest));
                }
            }
        }
        let sleep = next.map(|next| timespec(next.saturating_sub(now).saturating_sub(SPIN)));
        ready.clear();
        match poll(&mut sockets, sleep.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(cause) => return Err(cause),
        }
        let is_ready = |socket: &PollFd<'_>| !socket.revents().is_empty();
        ready.extend(
            whose.iter().zip(&sockets).filter(|(_, socket)| is_ready(socket)).map(|(it, _)| *it),
        );
        Ok(())
    }

    fn work(&mut self, ready: &[Ready], buffer: &mut [u8]) {
        let mut broken: Vec<(usize, io::Error)> = Vec::new();
        for ready in ready {
            if let Ready::Connection(index, side) = *ready
                && let Err(cause) = self.connections[index].read(side, buffer, &mut self.lines)
            {
                broken.push((index, cause));
            }
        }
        // Before anything is passed on, so that whoever has the bytes finds their time counted.
        self.busy.to_server.store(self.lines.to_server.busy_nanoseconds(), Ordering::Release);
        self.busy.to_client.store(self.lines.to_client.busy_nanoseconds(), Ordering::Release);
        let now = monotonic_nanoseconds();
        for (index, connection) in self.connections.iter_mut().enumerate() {
            if let Err(cause) = connection.forward(now) {
                broken.push((index, cause));
            }
        }
        // From the end, so that the others keep their places; a connection can break twice.
        broken.sort_by_key(|it| it.0);
        broken.dedup_by_key(|it| it.0);
        for (index, cause) in broken.into_iter().rev() {
            let connection = self.connections.swap_remove(index);
            let was_opening = connection.is_opening();
            let what = if was_opening { "cannot be reached" } else { "lost a connection" };
            connection.break_off();
            (self.tell)(ProxyError { address: self.to, what, cause });
        }
        self.connections.retain(|connection| !connection.has_ended());
        if ready.contains(&Ready::Listener) {
            self.accept(now);
        }
    }

    fn accept(&mut self, now: u64) {
        let client = match self.listener.accept() {
            Ok((client, _)) => client,
            // The client has given up, or there was none.
            Err(cause)
                if matches!(
                    cause.kind(),
                    ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted
                ) =>
            {
                return;
            }
            Err(cause) => {
                self.accept_after = now.saturating_add(PAUSE);
                let what = "cannot take a connection";
                let address = self.listener.local_addr().unwrap_or(self.to);
                (self.tell)(ProxyError { address, what, cause });
                return;
            }
        };
        match Connection::open(client, self.to, self.link) {
            Ok(connection) => self.connections.push(connection),
            Err(cause) => {
                (self.tell)(ProxyError { address: self.to, what: "cannot be reached", cause });
            }
        }
    }
}

fn timespec(nanoseconds: u64) -> Timespec {
    Timespec {
        tv_sec: (nanoseconds / 1_000_000_000) as i64,
        tv_nsec: (nanoseconds % 1_000_000_000) as _,
    }
}
