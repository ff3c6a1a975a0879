//! A server that sends back whole messages, and its client.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::{CheckEffort, EchoTimes, SLOPE_SIZES};
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_bench::statistics::Summary;

/// Bytes of a message's length, which are its first.
const PREFIX: usize = 4;
/// Bytes of a message at most.
const LONGEST: usize = 1 << 20;
/// Longer than any round trip over any link that is checked.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers every connection, each by a thread of its own, for as long as the process lives or
/// the client stays; with the value gone, there are no new ones.
pub(super) struct Echo {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl Echo {
    /// Listens on 127.0.0.1; port 0 is any.
    pub(super) fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        thread::Builder::new().name("echo".into()).spawn(move || {
            for client in listener.incoming() {
                if stopped.load(Ordering::Acquire) {
                    break;
                }
                if let Ok(client) = client {
                    // A client that leaves, or that no thread is left for, sees its connection end.
                    let answer = move || drop(answer(client));
                    let _ = thread::Builder::new().name("echo".into()).spawn(answer);
                }
            }
        })?;
        Ok(Self { address, stop })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Wakes the listener, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

fn answer(mut client: TcpStream) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut message = vec![0; PREFIX];
    loop {
        client.read_exact(&mut message[..PREFIX])?;
        let prefix = [message[0], message[1], message[2], message[3]];
        let length = (u32::from_le_bytes(prefix) as usize).clamp(PREFIX, LONGEST);
        if message.len() < length {
            message.resize(length, 0);
        }
        client.read_exact(&mut message[PREFIX..length])?;
        client.write_all(&message[..length])?;
    }
}

/// A client of [`Echo`].
pub(super) struct Caller {
    socket: TcpStream,
    message: Vec<u8>,
}

impl Caller {
    pub(super) fn connect(address: SocketAddr) -> io::Result<Self> {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { socket, message: Vec::new() })
    }

    /// Nanoseconds until a message of `size` bytes is back.
    pub(super) fn round_trip(&mut self, size: u32) -> io::Result<u64> {
        let length = (size as usize).clamp(PREFIX, LONGEST);
        self.message.resize(length, 0);
        self.message[..PREFIX].copy_from_slice(&(length as u32).to_le_bytes());
        let start = monotonic_nanoseconds();
        self.socket.write_all(&self.message)?;
        self.socket.read_exact(&mut self.message)?;
        Ok(monotonic_nanoseconds().saturating_sub(start))
    }

    /// One repetition after the other, and in each, one pass over all sizes after the other.
    pub(super) fn times(&mut self, effort: CheckEffort) -> io::Result<EchoTimes> {
        // The first round trips are TCP's, which starts slowly.
        for size in SLOPE_SIZES {
            self.round_trip(size)?;
        }
        let mut repetitions = Vec::new();
        for _ in 0..effort.repetitions {
            let mut times = vec![Vec::new(); SLOPE_SIZES.len()];
            for _ in 0..effort.passes {
                for (size, times) in SLOPE_SIZES.iter().zip(&mut times) {
                    times.push(self.round_trip(*size)? as f64);
                }
            }
            let medians = times.iter().filter_map(|times| Some(Summary::of(times)?.median));
            repetitions.push(medians.collect());
        }
        Ok(EchoTimes { sizes: SLOPE_SIZES.to_vec(), repetitions })
    }
}
