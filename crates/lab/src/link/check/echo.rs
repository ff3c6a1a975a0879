//! What a server does that sends back whole messages, and its client.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::AtomicU64;
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

/// Sends back each whole message.
pub(super) fn answer(mut client: TcpStream, _: &AtomicU64) -> io::Result<()> {
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

/// A client of [`answer`].
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
