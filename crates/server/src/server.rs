//! The router as a thread of a program: started from a configuration, told by a handle.

mod command;
mod conversions;
mod descriptors;
mod inherited;
mod io_threads;
mod memory;
mod passwords;
mod store;
mod tls;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use trunkline_reactor::{Address, Listener, Reactor};

pub(crate) use command::Shared;
pub use command::{Command, Handle, Pulse};
pub(crate) use conversions::Conversions;
pub(crate) use descriptors::Descriptors;
pub use inherited::Inherited;
pub(crate) use passwords::Passwords;
pub(crate) use store::since_1970;

use crate::config::Config;
use crate::event_loop::{EventLoop, ProtocolListener, wanted_listeners};
use crate::http;
use crate::platform::SystemPlatform;

/// Starts routers.
///
/// ```
/// use trunkline_server::{Config, Server};
///
/// let mut config = Config::default();
/// config.listen.native = vec!["tcp://127.0.0.1:0".parse()?];
/// config.listen.http = None;
/// config.listen.websocket = None;
/// let router = Server::start(config)?;
/// println!("clients connect to {}", router.addresses()[0].address);
/// router.stop();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server;

/// A place where the router listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// What is spoken there: `native`, `http`, `websocket`.
    pub protocol: &'static str,
    /// With the port that the system gave.
    pub address: Address,
}

impl Listening {
    /// What a client is given: `tcp://HOST:PORT` and the like for programs, `ws://HOST:PORT/` for
    /// pages, `http://HOST:PORT/`; with TLS `tls://`, `wss://`, `https://`.
    pub fn url(&self) -> String {
        match (self.protocol, &self.address) {
            ("http", Address::Tcp(place)) => format!("http://{place}/"),
            ("http", Address::Tls(place)) => format!("https://{place}/"),
            ("websocket", Address::Tcp(place)) => format!("ws://{place}/"),
            ("websocket", Address::Tls(place)) => format!("wss://{place}/"),
            (_, address) => address.to_string(),
        }
    }
}

/// A router that runs. It stops when this is dropped.
#[derive(Debug)]
pub struct Running {
    addresses: Vec<Listening>,
    handle: Handle,
    thread: Option<JoinHandle<io::Result<()>>>,
    /// Ends when it is dropped.
    _http: Option<trunkline_http::Running>,
}

impl Server {
    /// Starts a router on a thread of its own. It listens when this returns.
    ///
    /// # Errors
    ///
    /// An address cannot be listened at, or others could connect there and nothing says what they may do, a certificate
    /// or its key cannot be used, or the system gives no thread or no descriptors.
    pub fn start(config: Config) -> io::Result<Running> {
        Self::start_with(config, Vec::new())
    }

    /// As [`Server::start`], with sockets that listen already at addresses of the configuration.
    ///
    /// # Errors
    ///
    /// Those of [`Server::start`].
    pub fn start_with(mut config: Config, mut inherited: Vec<Inherited>) -> io::Result<Running> {
        config.check_exposure().map_err(io::Error::other)?;
        memory::resolve(&mut config);
        let descriptors = Descriptors::take();
        descriptors.compare(config.limits.connections);
        let reactor = Reactor::new(config.router.idle)?;
        let handle = Handle::new(reactor.waker(), &config);
        let tls = handle.shared().tls();
        tls.replace(tls::load(&config).map_err(io::Error::other)?, &config);
        let mut listeners = Vec::new();
        for (configured, protocol) in wanted_listeners(&config) {
            let socket = Inherited::take_listener(&mut inherited, &configured, protocol);
            let socket = tls.bind(&configured, protocol, descriptors, socket)?;
            listeners.push(ProtocolListener { socket, protocol, configured });
        }
        let listening = |listener: &ProtocolListener<Listener>| Listening {
            protocol: listener.protocol.name(),
            address: listener.socket.address(),
        };
        let mut addresses: Vec<Listening> = listeners.iter().map(listening).collect();
        let of_http = Inherited::take_http(&mut inherited);
        let http = start_http(&config, of_http, descriptors.share(), &handle)?;
        addresses.extend(http.iter().map(|http| Listening {
            protocol: "http",
            address: match config.tls.http {
                true => Address::Tls(http.address().to_string()),
                false => Address::Tcp(http.address().to_string()),
            },
        }));
        let (engine, workers, epoch) = store::open(&config, &handle)?;
        let shared = Arc::clone(handle.shared());
        let passwords = Passwords::new(handle.waker());
        let conversions = Conversions::new(handle.waker());
        let platform =
            SystemPlatform { reactor, workers, passwords, conversions, epoch, descriptors, shared };
        let thread = match config.router.threads {
            0 | 1 => {
                let event_loop = EventLoop::new(engine, platform, listeners)?;
                start_thread("trunkline-router", || event_loop.run())?
            }
            threads => io_threads::start(&config, (engine, platform, listeners), threads)?,
        };
        Ok(Running { addresses, handle, thread: Some(thread), _http: http })
    }
}

fn start_thread<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

/// Names that requests over HTTP may be for: those of the configuration, and that of the address.
fn hosts(config: &Config) -> Vec<String> {
    let address =
        config.listen.http.iter().map(|address| trunkline_http::host_of(address).to_owned());
    config.http.hosts.iter().cloned().chain(address).collect()
}

/// Metrics, health and status, where the configuration wants them.
fn start_http(
    config: &Config,
    inherited: Option<TcpListener>,
    connections: usize,
    handle: &Handle,
) -> io::Result<Option<trunkline_http::Running>> {
    let Some(address) = &config.listen.http else { return Ok(None) };
    let settings = http::Settings {
        metrics_clients: config.metrics.clients,
        hosts: hosts(config),
        admin: config.admin.clone(),
        connections,
        tls: config.tls.http.then(|| handle.shared().tls().credentials()).flatten(),
    };
    if let Some(file) = &config.admin.token_file {
        http::read_token(file)?;
    }
    let started = http::serve(address, inherited, settings, handle.clone());
    started.map(Some).map_err(|cause| io::Error::other(cause.to_string()))
}

impl Running {
    /// Where it listens, native addresses first, in the order of the configuration.
    pub fn addresses(&self) -> &[Listening] {
        &self.addresses
    }

    /// What other threads talk to it by.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Stops it: clients are told, and have `shutdown_timeout` to take what waits for them.
    pub fn stop(mut self) {
        self.end();
    }

    /// Waits until it has stopped, because [`Handle::stop`] was called.
    ///
    /// # Errors
    ///
    /// It stopped because it could not go on.
    pub fn wait(mut self) -> io::Result<()> {
        self.join()
    }

    fn end(&mut self) {
        self.handle.stop();
        // Who stops it does not care how it ends.
        let _ = self.join();
    }

    fn join(&mut self) -> io::Result<()> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        // What a panic says has been printed by the thread itself.
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the router has failed")))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
