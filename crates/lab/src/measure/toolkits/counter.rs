//! What goes over connections, counted from outside: the lab stands between client and server.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

/// Hands on what comes, and counts it.
pub(super) struct Counter {
    port: u16,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    is_over: AtomicBool,
    /// Bytes from clients, and from the server.
    bytes: [AtomicU64; 2],
    /// Whether there was a head of HTTP that says that a body comes in chunks, from clients and from the server.
    chunks: [AtomicBool; 2],
}

/// What such a head says, in small letters.
const CHUNKED: &[u8] = b"transfer-encoding: chunked";

impl Counter {
    /// In front of a port of the loopback.
    pub(super) fn start(server: u16) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("no counter of bytes: {error}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(told)?;
        let port = listener.local_addr().map_err(told)?.port();
        let shared = Arc::<Shared>::default();
        let accepting = Arc::clone(&shared);
        let work = move || accept(&listener, server, &accepting);
        let thread = thread::Builder::new().name("counter".into()).spawn(work).map_err(told)?;
        Ok(Self { port, shared, thread: Some(thread) })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Bytes so far, there and back. What has been received has been counted.
    pub(super) fn bytes(&self) -> [u64; 2] {
        [0, 1].map(|way| self.shared.bytes[way].load(Ordering::Acquire))
    }

    /// Whether requests came in chunks.
    pub(super) fn has_chunked_requests(&self) -> bool {
        self.shared.chunks[0].load(Ordering::Acquire)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        // The thread waits for a connection, and this is one.
        _ = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)));
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, server: u16, shared: &Arc<Shared>) {
    for accepted in listener.incoming() {
        if shared.is_over.load(Ordering::Acquire) {
            return;
        }
        let Ok(client) = accepted else { continue };
        // Without a server or a thread the client sees its connection end.
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, server)) else { continue };
        let (Ok(to), Ok(back)) = (server.try_clone(), client.try_clone()) else { continue };
        for (way, from, to) in [(0, client, to), (1, server, back)] {
            let shared = Arc::clone(shared);
            let work = move || hand_on(from, to, (&shared.bytes[way], &shared.chunks[way]));
            _ = thread::Builder::new().name("counter".into()).spawn(work);
        }
    }
}

fn hand_on(mut from: TcpStream, mut to: TcpStream, (bytes, chunks): (&AtomicU64, &AtomicBool)) {
    _ = to.set_nodelay(true);
    let mut room = vec![0; 64 << 10];
    while let Ok(count) = from.read(&mut room) {
        if !chunks.load(Ordering::Relaxed)
            && room[..count].windows(CHUNKED.len()).any(|it| it.eq_ignore_ascii_case(CHUNKED))
        {
            chunks.store(true, Ordering::Release);
        }
        bytes.fetch_add(count as u64, Ordering::AcqRel);
        if count == 0 || to.write_all(&room[..count]).is_err() {
            break;
        }
    }
    _ = to.shutdown(Shutdown::Write);
}
