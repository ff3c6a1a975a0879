//! SOAP over raw TCP: one envelope after another, each framed by its document element, as Kohlhoff
//! and Steele (2004) carried it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trunkline_net::tcp::{Connection, Listener, Stream, Wait};
use trunkline_net::{Result, Xml};
use trunkline_soap::Version;

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

/// A server of one endpoint over raw TCP, a thread for each connection; it stops when dropped, and
/// closes its connections.
#[derive(Debug)]
pub struct TcpServer {
    address: SocketAddr,
    open: Arc<Open>,
    thread: Option<JoinHandle<()>>,
}

impl TcpServer {
    /// Answers on an address such as `127.0.0.1:0`; the system picks a port for 0.
    ///
    /// An envelope that cannot be read is answered by a fault. What has no end that can be found
    /// ends the connection: where the next message begins is not known then.
    ///
    /// There is no action here: operations whose requests have the same element are rejected, which
    /// only bare and encoded documents can have.
    ///
    /// # Errors
    /// Nobody can connect to this address.
    pub fn start(address: &str, endpoint: Endpoint, config: TcpConfig) -> Result<Self> {
        let listener = Listener::bind(address)?;
        let address = listener.address()?;
        let open: Arc<Open> = Arc::default();
        let shared = open.clone();
        let accept = move || accept(&listener, &endpoint, &config, &shared);
        let thread = thread::Builder::new().name("soap-tcp".to_owned()).spawn(accept);
        let thread =
            thread.map_err(|cause| trunkline_net::Error::System("starting a thread", cause))?;
        Ok(Self { address, open, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for TcpServer {
    fn drop(&mut self) {
        self.open.stop();
        // The thread waits for a connection, and this is one.
        _ = Stream::connect(&self.address.to_string(), Wait::Blocking);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn accept(listener: &Listener, endpoint: &Endpoint, config: &TcpConfig, open: &Arc<Open>) {
    loop {
        let accepted = listener.accept(Wait::Blocking);
        let Ok(stream) = accepted else {
            if open.is_stopped() {
                return;
            }
            // Out of descriptors, perhaps; others may close soon.
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        let entry = match open.enter(&stream, config.connections) {
            Entry::Stopped => return,
            Entry::Full => {
                _ = stream.close();
                continue;
            }
            Entry::Open(entry) => entry,
        };
        let (endpoint, config) = (endpoint.clone(), *config);
        let serve = move || {
            let _entry = entry;
            // A broken connection affects no others, and no receiver is left for a report.
            _ = serve(stream, &endpoint, &config);
        };
        // Without a thread the connection is closed, as `serve` is dropped.
        _ = thread::Builder::new().name("soap-tcp-connection".to_owned()).spawn(serve);
    }
}

/// The connections that are open; none once the server has been stopped.
#[derive(Debug, Default)]
struct Open(Mutex<Connections>);

#[derive(Debug, Default)]
struct Connections {
    is_stopped: bool,
    next: u64,
    streams: HashMap<u64, Stream>,
}

enum Entry {
    Open(ConnectionGuard),
    Full,
    Stopped,
}

/// One of the open connections; it leaves them when dropped, also while its thread panics.
struct ConnectionGuard {
    open: Arc<Open>,
    number: u64,
}

impl Open {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.connections().is_stopped
    }

    fn enter(self: &Arc<Self>, stream: &Stream, most: usize) -> Entry {
        let mut connections = self.connections();
        if connections.is_stopped {
            return Entry::Stopped;
        }
        let Ok(shared) = stream.share() else { return Entry::Full };
        if connections.streams.len() >= most {
            return Entry::Full;
        }
        let number = connections.next;
        connections.next += 1;
        connections.streams.insert(number, shared);
        Entry::Open(ConnectionGuard { open: self.clone(), number })
    }

    /// Closes all connections, and lets no others in.
    fn stop(&self) {
        let mut connections = self.connections();
        connections.is_stopped = true;
        for stream in connections.streams.values() {
            // One that is closed already needs no closing.
            _ = stream.close();
        }
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.open.connections().streams.remove(&self.number);
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
        // A caller that waits for no answer would take it for the answer to its next call.
        if !answer.bytes.is_empty() && !answer.is_one_way {
            sender.send(answer.bytes)?;
        }
    }
    Ok(())
}
