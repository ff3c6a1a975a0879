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

struct Shared {
    is_over: AtomicBool,
    /// Bytes from clients, and from the server.
    bytes: [AtomicU64; 2],
    /// What is looked for in heads of HTTP, and whether it was there, from clients and from the server.
    header: String,
    is_there: [AtomicBool; 2],
}

impl Counter {
    /// In front of a port of the loopback, with a header that is looked for.
    pub(super) fn start(server: u16, header: String) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("no counter of bytes: {error}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(told)?;
        let port = listener.local_addr().map_err(told)?.port();
        let (is_over, bytes, is_there) = Default::default();
        let shared = Arc::new(Shared { is_over, bytes, header, is_there });
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

    /// Whether requests, and answers, had the header.
    pub(super) fn has_header(&self) -> [bool; 2] {
        [0, 1].map(|way| self.shared.is_there[way].load(Ordering::Acquire))
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
            let work = move || hand_on(from, to, &shared, way);
            _ = thread::Builder::new().name("counter".into()).spawn(work);
        }
    }
}

fn hand_on(mut from: TcpStream, mut to: TcpStream, shared: &Shared, way: usize) {
    _ = to.set_nodelay(true);
    let (header, is_there) = (shared.header.as_bytes(), &shared.is_there[way]);
    let mut room = vec![0; 64 << 10];
    while let Ok(count) = from.read(&mut room) {
        if !is_there.load(Ordering::Relaxed)
            && room[..count].windows(header.len()).any(|it| it.eq_ignore_ascii_case(header))
        {
            is_there.store(true, Ordering::Release);
        }
        shared.bytes[way].fetch_add(count as u64, Ordering::AcqRel);
        if count == 0 || to.write_all(&room[..count]).is_err() {
            break;
        }
    }
    _ = to.shutdown(Shutdown::Write);
}
