//! Accepting connections.
//!
//! The first of the threads that read and write accepts, and serves what falls to it without waking another thread: a
//! connection that carries one call costs no hand-over. Handlers may keep that thread, too: one for long, or many in a row. Then a
//! stand-in accepts for the other threads; it has a thread of its own, which sleeps while no handler is called.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::Poll;
use std::thread::{JoinHandle, park_timeout};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{sleep, timeout};

use super::connection;
use super::counters::{Bell, ThreadCounters, one};
use super::rejection::Rejection;
use super::server::{Message, runtime, spawn};
use super::transport::{Counted, Transport};
use super::{Config, Result};

/// A thread that serves connections.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) sender: UnboundedSender<Message>,
    pub(super) counters: Arc<ThreadCounters>,
}

impl Door {
    /// Gives it a connection that has been counted as its own.
    fn give(&self, stream: TcpStream, address: SocketAddr) {
        let stream = stream.into_std();
        let sent = stream.map(|stream| self.sender.send(Message::Connection(stream, address)));
        if !matches!(sent, Ok(Ok(()))) {
            one(&self.counters.closed);
        }
    }
}

/// Gives each connection to the thread that has the fewest; of equal ones, to one that no handler keeps, and rather to
/// the first. A stand-in gives none to a thread that is kept while there is another one.
#[derive(Clone)]
pub(super) struct Acceptor {
    doors: Arc<[Door]>,
    config: Arc<Config>,
    /// Answers that there is no room, which are under way.
    rejecting: Arc<AtomicUsize>,
}

impl Acceptor {
    /// The number of connections beyond the limit while others end to make room.
    const ENDING: u64 = 16;
    /// How long that may take, in milliseconds.
    const PATIENCE: u32 = 200;

    pub(super) fn new(doors: Vec<Door>, config: Arc<Config>) -> Self {
        Self { doors: doors.into(), config, rejecting: Arc::default() }
    }

    /// Accepts for ever, on the first thread, which keeps what falls to it.
    pub(super) async fn run(
        &self,
        listener: TcpListener,
        mut keep: impl FnMut(TcpStream, SocketAddr),
    ) {
        loop {
            match self.admit(listener.accept().await, 0).await {
                Some((0, stream, address)) => keep(stream, address),
                Some((door, stream, address)) => self.doors[door].give(stream, address),
                None => {}
            }
        }
    }

    /// Finds the thread for a connection among those from `first` on, where it is counted from now on. None if there is no
    /// connection, or no room for it.
    async fn admit(
        &self,
        accepted: io::Result<(TcpStream, SocketAddr)>,
        first: usize,
    ) -> Option<(usize, TcpStream, SocketAddr)> {
        let Ok((stream, address)) = accepted else {
            // The other side has gone again, or there are no more files: that passes.
            sleep(Duration::from_millis(10)).await;
            return None;
        };
        if !self.has_room().await {
            self.reject(stream, &self.doors[first].counters);
            return None;
        }
        let doors = self.doors.iter().enumerate().skip(first);
        let rank = |it: &ThreadCounters| {
            let is_kept = it.is_kept();
            (first > 0 && is_kept, it.open(), is_kept)
        };
        let (number, door) = doors.min_by_key(|(_, door)| rank(&door.counters))?;
        one(&door.counters.connections);
        Some((number, stream, address))
    }

    /// Whether there is room for a connection, once another one has made room for it if need be.
    async fn has_room(&self) -> bool {
        let limit = self.config.connections as u64;
        let open = || self.doors.iter().map(|door| door.counters.open()).sum::<u64>();
        if open() < limit {
            return true;
        }
        if !self.config.evicts {
            return false;
        }
        let fullest = self.doors.iter().max_by_key(|door| door.counters.open());
        // A thread that receives nothing is gone.
        let _ = fullest.map(|door| door.sender.send(Message::Evict));
        for _ in 0..Self::PATIENCE {
            if open() < limit + Self::ENDING {
                return true;
            }
            sleep(Duration::from_millis(1)).await;
        }
        false
    }

    /// Answers that there is no room, unless these answers take too many descriptors themselves.
    fn reject(&self, stream: TcpStream, counters: &Arc<ThreadCounters>) {
        const AT_ONCE: usize = 64;
        one(&counters.rejected);
        #[cfg(feature = "tls")]
        if self.config.tls.is_some() {
            return;
        }
        if self.rejecting.load(Relaxed) >= AT_ONCE {
            return;
        }
        self.rejecting.fetch_add(1, Relaxed);
        let rejecting = Arc::clone(&self.rejecting);
        let mut transport = Transport::Plain(Counted::new(stream, Arc::clone(counters)));
        let rejection = Rejection::connections(&self.config);
        tokio::spawn(async move {
            connection::end(&mut transport, Some(rejection), true).await;
            rejecting.fetch_sub(1, Relaxed);
        });
    }
}

/// Accepts in the place of the first thread while a handler keeps that.
pub(super) struct StandIn {
    acceptor: Acceptor,
    listener: std::net::TcpListener,
    bell: Arc<Bell>,
    runtime: Runtime,
}

/// The thread of a stand-in.
pub(super) struct StandingIn {
    bell: Arc<Bell>,
    thread: JoinHandle<()>,
}

impl StandIn {
    /// If handlers keep the thread from accepting for so long, or for twice as long, that is noticed.
    const MOMENT: Duration = Duration::from_millis(5);
    /// So many moments in which no handler is called are the last ones before it sleeps.
    const QUIET: u32 = 20;

    /// Starts its thread; None where there is no other thread that it could accept for.
    pub(super) fn start(
        acceptor: &Acceptor,
        listener: &std::net::TcpListener,
    ) -> Result<Option<StandingIn>> {
        if acceptor.doors.len() < 2 {
            return Ok(None);
        }
        // Its own, for what it has under way is waited for here.
        let acceptor = Acceptor { rejecting: Arc::default(), ..acceptor.clone() };
        let failed = |cause| super::Error::System("a socket for HTTP", cause);
        let listener = listener.try_clone().map_err(failed)?;
        let bell = Arc::<Bell>::default();
        let it = Self { acceptor, listener, bell: Arc::clone(&bell), runtime: runtime()? };
        let thread = spawn("http accept".to_owned(), move || it.watch())?;
        Ok(Some(StandingIn { bell, thread }))
    }

    fn first(&self) -> &ThreadCounters {
        &self.acceptor.doors[0].counters
    }

    fn watch(&self) {
        let first = self.first();
        first.ring(&self.bell);
        while self.bell.sleep(|| first.is_kept()) {
            let (mut quiet, mut asked) = (0, None);
            while quiet < Self::QUIET && !self.bell.is_over() {
                let (turn, before) = (first.turns(), first.handled());
                // It has its turn for this at once, unless handlers keep it; what it was not told yet is not told again.
                if asked.replace(turn) != Some(turn) {
                    let _ = self.acceptor.doors[0].sender.send(Message::Tick);
                }
                park_timeout(Self::MOMENT);
                let is_quiet = first.handled() == before;
                if first.turns() == turn && (first.is_kept() || !is_quiet) {
                    self.accept_until(turn);
                }
                quiet = if is_quiet { quiet + 1 } else { 0 };
            }
        }
    }

    /// Accepts until the first thread has had its turn again.
    fn accept_until(&self, turn: u64) {
        let Self { acceptor, bell, .. } = self;
        let goes_on = || self.first().turns() == turn || acceptor.rejecting.load(Relaxed) > 0;
        self.runtime.block_on(async {
            // Only now, since whoever waits for a socket is woken by each connection.
            let Ok(listener) = self.listener.try_clone().and_then(TcpListener::from_std) else {
                return sleep(Self::MOMENT).await;
            };
            while goes_on() && !bell.is_over() {
                let accept = poll_fn(|context| match self.has_free_thread() {
                    true => listener.poll_accept(context),
                    false => Poll::Pending,
                });
                let Ok(accepted) = timeout(Self::MOMENT, accept).await else { continue };
                if let Some((door, stream, address)) = acceptor.admit(accepted, 1).await {
                    acceptor.doors[door].give(stream, address);
                }
            }
        });
    }

    /// Whether no handler keeps one of the threads that it accepts for. Else a connection waits as well in the socket, and
    /// goes to the thread that is free first.
    fn has_free_thread(&self) -> bool {
        self.acceptor.doors[1..].iter().any(|door| !door.counters.is_kept())
    }
}

impl StandingIn {
    /// Ends it; what it has accepted is with the threads.
    pub(super) fn end(self) -> std::thread::Result<()> {
        self.bell.end();
        self.thread.thread().unpark();
        self.thread.join()
    }
}
