//! The server: threads, each with its connections.

use std::fmt;
use std::future::poll_fn;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::beside::Beside;
use super::clock::{Clock, Watch};
use super::config::Workers;
use super::connection::{self, Service};
use super::counters::{Counters, ThreadCounters, one};
use super::limits::raise_open_files;
use super::pool::Pool;
use super::rejection::Rejection;
use super::transport::{Counted, Transport};
use super::{Config, Error, Handler, Peer, Result, TlsPeer};

/// A server that has an address and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    config: Config,
    beside: Option<Box<dyn Beside>>,
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A server that answers, until it is stopped or dropped.
pub struct Running {
    address: SocketAddr,
    accepting: Option<Accepting>,
    threads: Vec<IoThread>,
    stop_pool: Box<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Running {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The thread that accepts; it ends when the sender is dropped.
struct Accepting {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

/// A thread that reads and writes.
struct IoThread {
    sender: UnboundedSender<Message>,
    counters: Arc<ThreadCounters>,
    thread: Option<JoinHandle<()>>,
}

/// A message to a thread.
enum Message {
    /// Serve this.
    Connection(std::net::TcpStream, SocketAddr),
    /// Look at the time-outs.
    Tick,
    /// End the connection that has waited longest for its other side.
    Evict,
    /// End, and give running requests this long.
    Stop(Duration),
}

impl Server {
    /// Listens on an address such as `127.0.0.1:0`; the system picks a port for 0. Raises the number
    /// of files that this process may have open to what [`Config::connections`] needs, as far as the
    /// system allows it ([`raise_open_files`]).
    ///
    /// # Errors
    /// [`Error::Listen`], which names the address.
    pub fn bind(address: &str, config: Config) -> Result<Self> {
        let failed = |cause| Error::Listen { address: address.to_owned(), cause };
        let mut last = None;
        for candidate in address.to_socket_addrs().map_err(failed)? {
            match listen(candidate) {
                Ok(listener) => {
                    let address = listener.local_addr().map_err(failed)?;
                    // Where it cannot be raised, accepting waits when there are no more.
                    let _ = raise_open_files(config.connections as u64 + 256);
                    return Ok(Self { listener, address, config, beside: None });
                }
                Err(cause) => last = Some(cause),
            }
        }
        Err(failed(last.unwrap_or_else(|| std::io::ErrorKind::AddrNotAvailable.into())))
    }

    /// Listens on a socket that listens already.
    ///
    /// # Errors
    /// [`Error::System`]: it is no socket that listens.
    pub fn from_listener(listener: TcpListener, config: Config) -> Result<Self> {
        let failed = |cause| Error::System("a socket for HTTP", cause);
        let address = listener.local_addr().map_err(failed)?;
        if !SockRef::from(&listener).is_listener().map_err(failed)? {
            return Err(failed(std::io::Error::other("it does not listen")));
        }
        listener.set_nonblocking(true).map_err(failed)?;
        let _ = raise_open_files(config.connections as u64 + 256);
        Ok(Self { listener, address, config, beside: None })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Speaks another protocol too, with those clients that begin with its first byte.
    #[must_use]
    pub fn beside(mut self, protocol: impl Beside) -> Self {
        self.beside = Some(Box::new(protocol));
        self
    }

    /// Starts to answer, on threads of its own.
    ///
    /// # Errors
    /// [`Error::System`]: there are no more threads or files.
    pub fn serve<H: Handler>(self, handler: H) -> Result<Running> {
        let config = Arc::new(self.config);
        let pool = match config.workers {
            Workers::InPlace => None,
            Workers::Pool { threads, queue, order } => Some(Pool::start(threads, queue, order)?),
        };
        let service =
            Arc::new(Service { handler, config: Arc::clone(&config), pool, beside: self.beside });
        let stopped = Arc::clone(&service);
        let stop_pool = Box::new(move || {
            if let Some(pool) = &stopped.pool {
                pool.stop();
            }
        });
        let (address, threads) = (self.address, Vec::new());
        let mut running = Running { address, accepting: None, threads, stop_pool };
        for number in 0..config.threads.max(1) {
            let (sender, receiver) = unbounded_channel();
            let counters = Arc::new(ThreadCounters::default());
            let context = ThreadContext {
                service: Arc::clone(&service),
                clock: Arc::new(Clock::new(&config)),
                counters: Arc::clone(&counters),
            };
            let runtime = runtime()?;
            let run = move || context.run(&runtime, receiver);
            let thread = Some(spawn(format!("http {number}"), run)?);
            running.threads.push(IoThread { sender, counters, thread });
        }
        let threads = running.threads.iter();
        let threads = threads.map(|it| (it.sender.clone(), Arc::clone(&it.counters))).collect();
        running.accepting = Some(Acceptor { threads, config }.start(self.listener)?);
        Ok(running)
    }
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(4096)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

fn thread_failed(cause: std::io::Error) -> Error {
    Error::System("a thread for HTTP", cause)
}

fn runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().map_err(thread_failed)
}

fn spawn(name: String, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    thread::Builder::new().name(name).spawn(run).map_err(thread_failed)
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The counts so far.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for thread in &self.threads {
            thread.counters.add_to(&mut sum);
        }
        sum
    }

    /// Stops: no connection is accepted any more, those without a request are closed, requests that
    /// are being handled are answered (within [`Config::stop_timeout`]). Returns the last counts.
    ///
    /// # Panics
    /// If a thread of the server has; handlers that panic do not make it do so.
    pub fn stop(mut self) -> Counters {
        self.end(Duration::MAX).unwrap_or_else(|panic| resume_unwind(panic));
        self.counters()
    }

    /// Waits for ever, for a program that does nothing else.
    ///
    /// # Panics
    /// As [`stop`](Self::stop).
    pub fn wait(mut self) {
        self.join().unwrap_or_else(|panic| resume_unwind(panic));
    }

    /// Waits for the threads that read and write; gives the first panic of one.
    fn join(&mut self) -> thread::Result<()> {
        let threads = self.threads.iter_mut().filter_map(|it| it.thread.take());
        threads.map(JoinHandle::join).fold(Ok(()), Result::and)
    }

    fn end(&mut self, patience: Duration) -> thread::Result<()> {
        // First, so that every accepted connection is with its thread before the thread is told to
        // stop.
        let accepted = self.accepting.take().map_or(Ok(()), |Accepting { stop, thread }| {
            drop(stop);
            thread.join()
        });
        for thread in &self.threads {
            // The thread is gone if nobody receives.
            let _ = thread.sender.send(Message::Stop(patience));
        }
        let served = self.join();
        (self.stop_pool)();
        accepted.and(served)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After `stop` there is nothing left to do; a panic must not become two.
        let _ = self.end(Duration::ZERO);
    }
}

/// The state of a thread.
struct ThreadContext<H> {
    service: Arc<Service<H>>,
    clock: Arc<Clock>,
    counters: Arc<ThreadCounters>,
}

impl<H: Handler> ThreadContext<H> {
    fn run(self, runtime: &Runtime, mut receiver: UnboundedReceiver<Message>) {
        runtime.block_on(async {
            let mut connections: Vec<Arc<Watch>> = Vec::new();
            let mut swept = Instant::now();
            let patience = loop {
                let message = match connections.is_empty() {
                    true => receiver.recv().await,
                    false => timeout(self.clock.tick, receiver.recv())
                        .await
                        .unwrap_or(Some(Message::Tick)),
                };
                let now = Instant::now();
                self.clock.set();
                match message {
                    Some(Message::Connection(stream, address)) => {
                        let watch = Arc::new(Watch::new(Arc::clone(&self.clock)));
                        connections.push(Arc::clone(&watch));
                        self.spawn(stream, address, watch);
                    }
                    Some(Message::Tick) => {}
                    Some(Message::Evict) => evict(&connections),
                    Some(Message::Stop(patience)) => break patience,
                    None => break Duration::ZERO,
                }
                if now - swept >= self.clock.tick {
                    swept = now;
                    sweep(&mut connections);
                }
            };
            connections.iter().for_each(|watch| watch.stop());
            let patience = patience.min(self.service.config.stop_timeout);
            // None where that is beyond all times.
            let until = Instant::now().checked_add(patience);
            let waits = || until.is_none_or(|until| Instant::now() < until);
            while !connections.is_empty() && waits() {
                sleep(Duration::from_millis(2)).await;
                self.clock.set();
                sweep(&mut connections);
            }
        });
    }

    /// Serves a connection until it ends.
    fn spawn(&self, stream: std::net::TcpStream, address: SocketAddr, watch: Arc<Watch>) {
        let service = Arc::clone(&self.service);
        let counters = Arc::clone(&self.counters);
        let open = Open(Arc::clone(&counters));
        tokio::spawn(async move {
            let _open = open;
            let Ok(stream) = TcpStream::from_std(stream) else { return };
            let _ = stream.set_nodelay(service.config.nodelay);
            let counted = Counted::new(stream, Arc::clone(&counters));
            let secured = unless_stopped(&watch, secured(counted, &service.config)).await.flatten();
            if let Some((transport, tls)) = secured {
                let peer = Peer { address, tls };
                connection::serve(service, watch, counters, transport, peer).await;
            }
        });
    }
}

/// The result of the future; None if it is not ready when the server stops, or another connection needs its place.
async fn unless_stopped<T>(watch: &Watch, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending if watch.stopping() || watch.is_evicted() => Poll::Ready(None),
        Poll::Pending => {
            watch.register(context.waker());
            Poll::Pending
        }
    })
    .await
}

/// Wakes connections that have timed out, and forgets those that have ended.
fn sweep(connections: &mut Vec<Arc<Watch>>) {
    connections.retain(|watch| {
        let served = Arc::strong_count(watch) > 1;
        if served && watch.overdue() {
            watch.wake();
        }
        served
    });
}

/// Ends the connection that has waited longest for its other side.
fn evict(connections: &[Arc<Watch>]) {
    let waiting = connections.iter().filter_map(|watch| Some((watch.waits_since()?, watch)));
    if let Some((_, watch)) = waiting.min_by_key(|(since, _)| *since) {
        watch.evict();
    }
}

/// A connection that is counted as open until this is dropped.
struct Open(Arc<ThreadCounters>);

impl Drop for Open {
    fn drop(&mut self) {
        one(&self.0.closed);
    }
}

type Secured = (Transport<Arc<ThreadCounters>>, Option<TlsPeer>);

/// Does the handshake where TLS is spoken; None where it fails.
#[cfg(feature = "tls")]
async fn secured(stream: Counted<Arc<ThreadCounters>>, config: &Config) -> Option<Secured> {
    match &config.tls {
        None => Some((Transport::Plain(stream), None)),
        Some(tls) => {
            let accepted = timeout(config.handshake_timeout, super::tls::accept(tls, stream)).await;
            accepted.ok()?.ok().map(|(transport, peer)| (transport, Some(peer)))
        }
    }
}

#[cfg(not(feature = "tls"))]
async fn secured(stream: Counted<Arc<ThreadCounters>>, _: &Config) -> Option<Secured> {
    Some((Transport::Plain(stream), None))
}

/// Accepts connections and gives each to the thread that has the fewest; of equal ones, to one that
/// no handler keeps. It has a thread of its own, since a handler may keep any of the others.
struct Acceptor {
    threads: Vec<(UnboundedSender<Message>, Arc<ThreadCounters>)>,
    config: Arc<Config>,
}

impl Acceptor {
    fn start(self, listener: TcpListener) -> Result<Accepting> {
        let runtime = runtime()?;
        let entered = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener).map_err(thread_failed)?;
        drop(entered);
        let (stop, mut stopped) = oneshot::channel();
        let run = move || {
            runtime.block_on(async {
                let mut accepting = pin!(self.run(listener));
                poll_fn(|context| match Pin::new(&mut stopped).poll(context) {
                    Poll::Ready(_) => Poll::Ready(()),
                    Poll::Pending => accepting.as_mut().poll(context),
                })
                .await;
            });
        };
        Ok(Accepting { stop, thread: spawn("http accept".to_owned(), run)? })
    }

    async fn run(self, listener: tokio::net::TcpListener) {
        let rejecting = Arc::new(AtomicUsize::new(0));
        loop {
            let Ok((stream, address)) = listener.accept().await else {
                // The other side has gone again, or there are no more files: that passes.
                sleep(Duration::from_millis(10)).await;
                continue;
            };
            if !self.has_room().await {
                reject(stream, &self.threads[0].1, &self.config, &rejecting);
                continue;
            }
            let rank =
                |counters: &ThreadCounters| (counters.open(), counters.handling.load(Relaxed));
            let Some((sender, counters)) =
                self.threads.iter().min_by_key(|(_, counters)| rank(counters))
            else {
                return;
            };
            one(&counters.connections);
            let sent =
                stream.into_std().map(|stream| sender.send(Message::Connection(stream, address)));
            if !matches!(sent, Ok(Ok(()))) {
                one(&counters.closed);
            }
        }
    }
}

impl Acceptor {
    /// The number of connections beyond the limit while others end to make room.
    const ENDING: u64 = 16;
    /// How long that may take, in milliseconds.
    const PATIENCE: u32 = 200;

    /// Whether there is room for a connection, once another one has made room for it if need be.
    async fn has_room(&self) -> bool {
        let limit = self.config.connections as u64;
        let open = || self.threads.iter().map(|(_, counters)| counters.open()).sum::<u64>();
        if open() < limit {
            return true;
        }
        if !self.config.evicts {
            return false;
        }
        let fullest = self.threads.iter().max_by_key(|(_, counters)| counters.open());
        // A thread that receives nothing is gone.
        let _ = fullest.map(|(sender, _)| sender.send(Message::Evict));
        for _ in 0..Self::PATIENCE {
            if open() < limit + Self::ENDING {
                return true;
            }
            sleep(Duration::from_millis(1)).await;
        }
        false
    }
}

/// Answers that there is no room, unless these answers take too many descriptors themselves.
fn reject(
    stream: TcpStream,
    counters: &Arc<ThreadCounters>,
    config: &Arc<Config>,
    rejecting: &Arc<AtomicUsize>,
) {
    const AT_ONCE: usize = 64;
    one(&counters.rejected);
    #[cfg(feature = "tls")]
    if config.tls.is_some() {
        return;
    }
    if rejecting.load(Relaxed) >= AT_ONCE {
        return;
    }
    rejecting.fetch_add(1, Relaxed);
    let rejecting = Arc::clone(rejecting);
    let mut transport = Transport::Plain(Counted::new(stream, Arc::clone(counters)));
    let rejection = Rejection::connections(config);
    tokio::spawn(async move {
        connection::end(&mut transport, Some(rejection), true).await;
        rejecting.fetch_sub(1, Relaxed);
    });
}
