//! The server: threads, each with its connections.

use std::fmt;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, timeout};

use super::clock::{Clock, Watch};
use super::config::Workers;
use super::connection::{self, Service};
use super::counters::{Counters, Tally, one};
use super::limits::raise_open_files;
use super::pool::Pool;
use super::refusal::Refusal;
use super::transport::{Counted, Transport};
use super::{Config, Error, Handler, Peer, Result, TlsPeer};

/// A server that has an address and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    config: Config,
}

/// A server that answers, until it is stopped or dropped.
pub struct Running {
    address: SocketAddr,
    threads: Vec<IoThread>,
    stop_pool: Box<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Running {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A thread that reads and writes.
struct IoThread {
    sender: UnboundedSender<Message>,
    tally: Arc<Tally>,
    thread: Option<JoinHandle<()>>,
}

/// What a thread is told.
enum Message {
    /// Serve this.
    Connection(Accepted, SocketAddr),
    /// Look at the time-outs.
    Tick,
    /// End, and leave those that are served this long.
    Stop(Duration),
}

/// A new connection, which knows the thread that accepted it, or none.
enum Accepted {
    Here(TcpStream),
    Elsewhere(std::net::TcpStream),
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
        let mut refused = None;
        for candidate in address.to_socket_addrs().map_err(failed)? {
            match listen(candidate) {
                Ok(listener) => {
                    let address = listener.local_addr().map_err(failed)?;
                    // Where it cannot be raised, accepting waits when there are no more.
                    let _ = raise_open_files(config.connections as u64 + 256);
                    return Ok(Self { listener, address, config });
                }
                Err(cause) => refused = Some(cause),
            }
        }
        Err(failed(refused.unwrap_or_else(|| std::io::ErrorKind::AddrNotAvailable.into())))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
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
        let service = Arc::new(Service { handler, config: Arc::clone(&config), pool });
        let stopped = Arc::clone(&service);
        let stop_pool = Box::new(move || {
            if let Some(pool) = &stopped.pool {
                pool.stop();
            }
        });
        let mut running = Running { address: self.address, threads: Vec::new(), stop_pool };
        let mut first = None;
        for number in 0..config.threads.max(1) {
            let (sender, receiver) = unbounded_channel();
            let tally = Arc::new(Tally::default());
            let context = ThreadContext {
                service: Arc::clone(&service),
                clock: Arc::new(Clock::new(&config)),
                tally: Arc::clone(&tally),
            };
            running.threads.push(IoThread { sender, tally, thread: None });
            match number {
                0 => first = Some((context, receiver)),
                _ => running.start(number, context, receiver, None)?,
            }
        }
        if let Some((context, receiver)) = first {
            let others = running.threads.iter();
            let doors = others.map(|it| (it.sender.clone(), Arc::clone(&it.tally))).collect();
            let acceptor = Acceptor { listener: self.listener, doors, config };
            running.start(0, context, receiver, Some(acceptor))?;
        }
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

impl Running {
    fn start<H: Handler>(
        &mut self,
        number: usize,
        context: ThreadContext<H>,
        receiver: UnboundedReceiver<Message>,
        acceptor: Option<Acceptor>,
    ) -> Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|cause| Error::System("a thread for HTTP", cause))?;
        let thread = thread::Builder::new().name(format!("http {number}"));
        let thread = thread.spawn(move || context.run(&runtime, receiver, acceptor));
        let thread = thread.map_err(|cause| Error::System("a thread for HTTP", cause))?;
        self.threads[number].thread = Some(thread);
        Ok(())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has done so far.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for thread in &self.threads {
            thread.tally.add_to(&mut sum);
        }
        sum
    }

    /// Stops: no connection is accepted any more, those without a request are closed, requests that
    /// are being handled are answered (within [`Config::stop_timeout`]). Returns the last counts.
    pub fn stop(mut self) -> Counters {
        self.end(None);
        self.counters()
    }

    /// Waits for ever, for a program that does nothing else.
    pub fn wait(mut self) {
        for thread in &mut self.threads {
            if let Some(thread) = thread.thread.take() {
                let _ = thread.join();
            }
        }
    }

    fn end(&mut self, patience: Option<Duration>) {
        for thread in &self.threads {
            // It is gone if nobody receives.
            let _ = thread.sender.send(Message::Stop(patience.unwrap_or(Duration::MAX)));
        }
        for thread in &mut self.threads {
            if let Some(thread) = thread.thread.take() {
                let _ = thread.join();
            }
        }
        (self.stop_pool)();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end(Some(Duration::ZERO));
    }
}

/// What a thread needs.
struct ThreadContext<H> {
    service: Arc<Service<H>>,
    clock: Arc<Clock>,
    tally: Arc<Tally>,
}

impl<H: Handler> ThreadContext<H> {
    fn run(
        self,
        runtime: &Runtime,
        mut receiver: UnboundedReceiver<Message>,
        acceptor: Option<Acceptor>,
    ) {
        runtime.block_on(async {
            let accepting = acceptor.map(|acceptor| tokio::spawn(acceptor.run()));
            let mut connections: Vec<Arc<Watch>> = Vec::new();
            let start = Instant::now();
            let mut swept = start;
            let patience = loop {
                let message = match connections.is_empty() {
                    true => receiver.recv().await,
                    false => timeout(self.clock.tick, receiver.recv())
                        .await
                        .unwrap_or(Some(Message::Tick)),
                };
                let now = Instant::now();
                self.clock.set(now - start);
                match message {
                    Some(Message::Connection(accepted, address)) => {
                        let watch = Arc::new(Watch::new(Arc::clone(&self.clock)));
                        connections.push(Arc::clone(&watch));
                        self.spawn(accepted, address, watch);
                    }
                    Some(Message::Tick) => {}
                    Some(Message::Stop(patience)) => break patience,
                    None => break Duration::ZERO,
                }
                if now - swept >= self.clock.tick {
                    swept = now;
                    sweep(&mut connections);
                }
            };
            if let Some(accepting) = accepting {
                accepting.abort();
            }
            connections.iter().for_each(|watch| watch.stop());
            let until = Instant::now() + patience.min(self.service.config.stop_timeout);
            while !connections.is_empty() && Instant::now() < until {
                sleep(Duration::from_millis(2)).await;
                self.clock.set(start.elapsed());
                sweep(&mut connections);
            }
        });
    }

    /// Serves a connection until it ends.
    fn spawn(&self, accepted: Accepted, address: SocketAddr, watch: Arc<Watch>) {
        let service = Arc::clone(&self.service);
        let tally = Arc::clone(&self.tally);
        let open = Open(Arc::clone(&tally));
        tokio::spawn(async move {
            let _open = open;
            let stream = match accepted {
                Accepted::Here(stream) => Ok(stream),
                Accepted::Elsewhere(stream) => TcpStream::from_std(stream),
            };
            let Ok(stream) = stream else { return };
            let _ = stream.set_nodelay(service.config.nodelay);
            let counted = Counted::new(stream, Arc::clone(&tally));
            if let Some((transport, tls)) = secured(counted, &service.config).await {
                let peer = Peer { address, tls };
                connection::serve(service, watch, tally, transport, peer).await;
            }
        });
    }
}

/// Wakes those that have lasted too long, and forgets those that have ended.
fn sweep(connections: &mut Vec<Arc<Watch>>) {
    connections.retain(|watch| {
        let served = Arc::strong_count(watch) > 1;
        if served && watch.overdue() {
            watch.wake();
        }
        served
    });
}

/// A connection that is counted as open until this is dropped.
struct Open(Arc<Tally>);

impl Drop for Open {
    fn drop(&mut self) {
        one(&self.0.closed);
    }
}

type Secured = (Transport<Arc<Tally>>, Option<TlsPeer>);

/// Does the handshake where TLS is spoken; None where it fails.
#[cfg(feature = "tls")]
async fn secured(stream: Counted<Arc<Tally>>, config: &Config) -> Option<Secured> {
    match &config.tls {
        None => Some((Transport::Plain(stream), None)),
        Some(tls) => {
            let accepted = timeout(config.handshake_timeout, tls.accept(stream)).await;
            accepted.ok()?.ok().map(|(transport, peer)| (transport, Some(peer)))
        }
    }
}

#[cfg(not(feature = "tls"))]
async fn secured(stream: Counted<Arc<Tally>>, _: &Config) -> Option<Secured> {
    Some((Transport::Plain(stream), None))
}

/// Accepts connections and gives each to the thread that has the fewest.
struct Acceptor {
    listener: TcpListener,
    /// The threads; the first one is the one that accepts.
    doors: Vec<(UnboundedSender<Message>, Arc<Tally>)>,
    config: Arc<Config>,
}

impl Acceptor {
    async fn run(self) {
        let Ok(listener) = tokio::net::TcpListener::from_std(self.listener) else { return };
        let refusing = Arc::new(AtomicUsize::new(0));
        loop {
            let Ok((stream, address)) = listener.accept().await else {
                // The other side has gone again, or there are no more files: that passes.
                sleep(Duration::from_millis(10)).await;
                continue;
            };
            let open = self.doors.iter().map(|(_, tally)| tally.open());
            if open.clone().sum::<u64>() >= self.config.connections as u64 {
                refuse(stream, &self.doors[0].1, &self.config, &refusing);
                continue;
            }
            let Some((chosen, _)) = open.enumerate().min_by_key(|&(_, open)| open) else { return };
            let (sender, tally) = &self.doors[chosen];
            one(&tally.connections);
            let accepted = match chosen {
                0 => Some(Accepted::Here(stream)),
                _ => stream.into_std().ok().map(Accepted::Elsewhere),
            };
            let sent = accepted.map(|it| sender.send(Message::Connection(it, address)));
            if !matches!(sent, Some(Ok(()))) {
                one(&tally.closed);
            }
        }
    }
}

/// Says that there is no room, if that does not take too many files itself.
fn refuse(
    stream: TcpStream,
    tally: &Arc<Tally>,
    config: &Arc<Config>,
    refusing: &Arc<AtomicUsize>,
) {
    const AT_ONCE: usize = 64;
    one(&tally.refused);
    #[cfg(feature = "tls")]
    if config.tls.is_some() {
        return;
    }
    if refusing.load(Relaxed) >= AT_ONCE {
        return;
    }
    refusing.fetch_add(1, Relaxed);
    let refusing = Arc::clone(refusing);
    let mut transport = Transport::Plain(Counted::new(stream, Arc::clone(tally)));
    let refusal = Refusal::connections(config);
    tokio::spawn(async move {
        connection::end(&mut transport, Some(refusal), true).await;
        refusing.fetch_sub(1, Relaxed);
    });
}
