//! SOAP over raw TCP: one envelope after another, each framed by its document element, as Kohlhoff
//! and Steele (2004) carried it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trunkline_codec::soap::Version;
use trunkline_net::tcp::{Connection, Listener, Stream, Wait};
use trunkline_net::{Result, Xml};

use super::{Conversation, Endpoint};

/// How a server of raw TCP behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpConfig {
    /// Connections at once; one more is closed at once.
    pub connections: usize,
    /// How long a connection may be silent, between messages or within one.
    pub idle_timeout: Duration,
    /// How long the other side may take to accept what is sent.
    pub write_timeout: Duration,
}

impl Default for TcpConfig {
    fn default() -> Self {
        Self {
            connections: 1024,
            idle_timeout: Duration::from_secs(600),
            write_timeout: Duration::from_secs(30),
        }
    }
}

/// A server of one endpoint over raw TCP, a thread for each connection; it stops when dropped.
#[derive(Debug)]
pub struct TcpServer {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TcpServer {
    /// Answers on an address such as `127.0.0.1:0`; the system picks a port for 0.
    ///
    /// An envelope that cannot be read is answered by a fault. What has no end that can be found
    /// ends the connection: where the next message begins is not known then.
    ///
    /// # Errors
    /// Nobody can connect to this address.
    pub fn start(address: &str, endpoint: Endpoint, config: TcpConfig) -> Result<Self> {
        let listener = Listener::bind(address)?;
        let address = listener.address()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = stopped.clone();
        let accept = move || accept(&listener, &endpoint, &config, &flag);
        let thread = thread::Builder::new().name("soap-tcp".to_owned()).spawn(accept);
        let thread =
            thread.map_err(|cause| trunkline_net::Error::System("starting a thread", cause))?;
        Ok(Self { address, stopped, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for TcpServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        // The thread waits for a connection, and this is one.
        _ = Stream::connect(&self.address.to_string(), Wait::Blocking);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn accept(listener: &Listener, endpoint: &Endpoint, config: &TcpConfig, stopped: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let accepted = listener.accept(Wait::Blocking);
        if stopped.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = accepted else {
            // Out of descriptors, perhaps; others may close soon.
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        if open.load(Ordering::Relaxed) >= config.connections {
            _ = stream.close();
            continue;
        }
        let counted = Counted::new(&open);
        let (endpoint, config) = (endpoint.clone(), *config);
        let serve = move || {
            let _counted = counted;
            // A broken connection harms nobody else, and there is nobody left to tell.
            _ = serve(stream, &endpoint, &config);
        };
        // Without a thread the connection is closed, as `serve` is dropped.
        _ = thread::Builder::new().name("soap-tcp-connection".to_owned()).spawn(serve);
    }
}

/// An open connection, also while its thread panics.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(stream: Stream, endpoint: &Endpoint, config: &TcpConfig) -> Result<()> {
    stream.set_timeouts(config.idle_timeout, config.write_timeout)?;
    let limits = endpoint.limits().clone();
    let caller = stream.peer();
    let (mut sender, mut receiver) = Connection::new(stream, Xml::default(), limits)?.split();
    let mut conversation = Conversation::new(endpoint.clone(), caller, None);
    while let Some(request) = receiver.receive()? {
        let answer = conversation.answer(request, "", Version::Soap11);
        if !answer.bytes.is_empty() {
            sender.send(answer.bytes)?;
        }
    }
    Ok(())
}
