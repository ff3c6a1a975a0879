//! A server over TCP with a thread for each connection.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Serves every connection until it is dropped.
pub(crate) struct EchoServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    is_over: AtomicBool,
    calls: AtomicU64,
    /// To break off who still waits.
    streams: Mutex<Vec<TcpStream>>,
}

/// Serves one connection, and counts its calls.
type Serve = fn(TcpStream, &AtomicU64) -> io::Result<()>;

impl EchoServer {
    /// Listens on the loopback; the system picks a port for 0.
    pub(crate) fn start(port: u16, nodelay: bool, serve: Serve) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        let work = move || accept(&listener, &accepting, nodelay, serve);
        let thread = Some(thread::Builder::new().name("echo".into()).spawn(work)?);
        Ok(Self { address, shared, thread })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Calls so far, of all connections.
    pub(crate) fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::Relaxed)
    }
}

impl Drop for EchoServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        // The thread waits for a connection, and this is one.
        _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
        for stream in self.shared.streams.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>, nodelay: bool, serve: Serve) {
    for accepted in listener.incoming() {
        if shared.is_over.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = accepted else { continue };
        let (Ok(()), Ok(copy)) = (stream.set_nodelay(nodelay), stream.try_clone()) else {
            continue;
        };
        shared.streams.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
        let shared = Arc::clone(shared);
        // A client that breaks off, or that no thread is left for, sees its connection end.
        let work = move || _ = serve(stream, &shared.calls);
        _ = thread::Builder::new().name("echo".into()).spawn(work);
    }
}
