//! The server: threads, each with its connections.

use std::cell::RefCell;
use std::fmt;
use std::future::{pending, poll_fn};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Sleep, sleep};

use super::accept::{Acceptor, Door, StandIn, StandingIn};
use super::beside::Beside;
use super::clock::{Clock, Watch};
use super::config::Workers;
use super::connection::{self, Service};
use super::counters::{Counters, ThreadCounters, one};
use super::limits::raise_open_files;
use super::pool::Pool;
use super::streaming::Places;
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
    threads: Vec<IoThread>,
    stand_in: Option<StandingIn>,
    stop_pool: Box<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Running {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A thread that reads and writes.
struct IoThread {
    door: Door,
    thread: Option<JoinHandle<()>>,
}

/// A message to a thread.
pub(super) enum Message {
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
        let places = Places::new(&config);
        let (beside, shared) = (self.beside, Arc::clone(&config));
        let service = Arc::new(Service { handler, config: shared, pool, places, beside });
        let stopped = Arc::clone(&service);
        let stop_pool = Box::new(move || {
            if let Some(pool) = &stopped.pool {
                pool.stop();
            }
        });
        // What is accepted has it from the socket that listens.
        let _ = SockRef::from(&self.listener).set_tcp_nodelay(config.nodelay);
        let channels: Vec<_> = (0..config.threads.max(1)).map(|_| unbounded_channel()).collect();
        let door = |sender| Door { sender, counters: Arc::default() };
        let doors = channels.iter().map(|(sender, _)| door(sender.clone())).collect::<Vec<_>>();
        let acceptor = Acceptor::new(doors.clone(), Arc::clone(&config));
        let stand_in = StandIn::start(&acceptor, &self.listener)?;
        let (address, threads) = (self.address, Vec::new());
        let mut running = Running { address, threads, stand_in, stop_pool };
        let mut entrance = Some((acceptor, self.listener));
        let receivers = channels.into_iter().map(|(_, receiver)| receiver);
        for (number, (door, receiver)) in doors.into_iter().zip(receivers).enumerate() {
            let context = ThreadContext {
                service: Arc::clone(&service),
                clock: Arc::new(Clock::new(&config)),
                counters: Arc::clone(&door.counters),
            };
            let runtime = runtime()?;
            let entrance = match entrance.take() {
                Some((acceptor, listener)) => Some((acceptor, listening(&runtime, listener)?)),
                None => None,
            };
            let run = move || context.run(&runtime, receiver, entrance);
            let thread = Some(spawn(format!("http {number}"), run)?);
            running.threads.push(IoThread { door, thread });
        }
        Ok(running)
    }
}

/// The socket as one of this runtime.
fn listening(runtime: &Runtime, listener: TcpListener) -> Result<tokio::net::TcpListener> {
    let _entered = runtime.enter();
    tokio::net::TcpListener::from_std(listener).map_err(thread_failed)
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

pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().map_err(thread_failed)
}

pub(super) fn spawn(name: String, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
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
            thread.door.counters.add_to(&mut sum);
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
        // First, so that what it accepted is with its thread before the thread is told to stop.
        let stood_in = self.stand_in.take().map_or(Ok(()), StandingIn::end);
        for thread in &self.threads {
            // The thread is gone if nobody receives.
            let _ = thread.door.sender.send(Message::Stop(patience));
        }
        let served = self.join();
        (self.stop_pool)();
        stood_in.and(served)
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

/// The connections of a thread. What serves them and what accepts more of them take turns on it.
type Connections = RefCell<Vec<Arc<Watch>>>;

impl<H: Handler> ThreadContext<H> {
    /// Serves until it is told to stop; the first thread accepts as well.
    fn run(
        self,
        runtime: &Runtime,
        mut receiver: UnboundedReceiver<Message>,
        entrance: Option<(Acceptor, tokio::net::TcpListener)>,
    ) {
        runtime.block_on(async {
            let connections = Connections::default();
            let patience = {
                let mut accepting = pin!(self.accept(entrance, &connections));
                let mut obeying = pin!(self.obey(&mut receiver, &connections));
                poll_fn(|context| {
                    // What it is told goes first: a flood of connections would use up what one turn may do (tokio's budget).
                    if let Poll::Ready(patience) = obeying.as_mut().poll(context) {
                        return Poll::Ready(patience);
                    }
                    self.counters.turn();
                    // This goes on for ever.
                    let _ = accepting.as_mut().poll(context);
                    // The first connection starts the ticks.
                    obeying.as_mut().poll(context)
                })
                .await
            };
            // What others accepted for it while it was told to stop is closed.
            receiver.close();
            while let Ok(message) = receiver.try_recv() {
                if matches!(message, Message::Connection(..)) {
                    one(&self.counters.closed);
                }
            }
            self.part(connections.into_inner(), patience).await;
        });
    }

    /// Accepts for ever, if this is the first thread, and serves what falls to it.
    async fn accept(
        &self,
        entrance: Option<(Acceptor, tokio::net::TcpListener)>,
        connections: &Connections,
    ) {
        let Some((acceptor, listener)) = entrance else { return pending().await };
        let keep = |stream, address| {
            self.clock.set();
            self.spawn(stream, address, connections);
        };
        acceptor.run(listener, keep).await;
    }

    /// Does what it is told, and looks after its connections; returns how long it may take to stop.
    async fn obey(
        &self,
        receiver: &mut UnboundedReceiver<Message>,
        connections: &Connections,
    ) -> Duration {
        let mut swept = Instant::now();
        let mut tick = pin!(sleep(self.clock.tick));
        loop {
            let message = self.next(receiver, connections, tick.as_mut()).await;
            let now = Instant::now();
            self.clock.set();
            match message {
                Some(Message::Connection(stream, address)) => match TcpStream::from_std(stream) {
                    Ok(stream) => self.spawn(stream, address, connections),
                    Err(_) => one(&self.counters.closed),
                },
                Some(Message::Tick) => {}
                Some(Message::Evict) => evict(&connections.borrow()),
                Some(Message::Stop(patience)) => return patience,
                None => return Duration::ZERO,
            }
            if now - swept >= self.clock.tick {
                swept = now;
                sweep(&mut connections.borrow_mut());
            }
        }
    }

    /// The next message; a tick now and then, while there are connections.
    async fn next(
        &self,
        receiver: &mut UnboundedReceiver<Message>,
        connections: &Connections,
        mut tick: Pin<&mut Sleep>,
    ) -> Option<Message> {
        poll_fn(|context| {
            if let Poll::Ready(message) = receiver.poll_recv(context) {
                return Poll::Ready(message);
            }
            if connections.borrow().is_empty() || tick.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            tick.as_mut().reset(tokio::time::Instant::now() + self.clock.tick);
            Poll::Ready(Some(Message::Tick))
        })
        .await
    }

    /// Lets the connections end.
    async fn part(&self, mut connections: Vec<Arc<Watch>>, patience: Duration) {
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
    }

    /// Serves a connection until it ends.
    fn spawn(&self, stream: TcpStream, address: SocketAddr, connections: &Connections) {
        let watch = Arc::new(Watch::new(Arc::clone(&self.clock)));
        connections.borrow_mut().push(Arc::clone(&watch));
        let service = Arc::clone(&self.service);
        let counters = Arc::clone(&self.counters);
        let open = Open(Arc::clone(&counters));
        tokio::spawn(async move {
            let _open = open;
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
            let accepted =
                tokio::time::timeout(config.handshake_timeout, super::tls::accept(tls, stream))
                    .await;
            accepted.ok()?.ok().map(|(transport, peer)| (transport, Some(peer)))
        }
    }
}

#[cfg(not(feature = "tls"))]
async fn secured(stream: Counted<Arc<ThreadCounters>>, _: &Config) -> Option<Secured> {
    Some((Transport::Plain(stream), None))
}
