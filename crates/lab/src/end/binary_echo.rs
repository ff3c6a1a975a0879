//! The service's echo in binary over raw TCP: CDR after its length, without an envelope. It stands
//! where the paper had .NET Remoting, whose binary formatter also spoke straight over TCP.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_message::Limits;
use trunkline_net::{FrameBuffer, LengthPrefixed};

use super::fault::Fault;
use crate::customer_services::RESPONSE;
use crate::format::Codec;
use trunkline_experiment::format::Format;

/// A thread for each connection; all end when it is dropped.
pub(super) struct BinaryEcho {
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

impl BinaryEcho {
    /// Listens on the loopback at a port that the system picks.
    pub(super) fn start(nodelay: bool) -> Result<Self, Fault> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let work = {
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared, nodelay)
        };
        let thread = Some(thread::Builder::new().spawn(work)?);
        Ok(Self { address, shared, thread })
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::Relaxed)
    }
}

impl Drop for BinaryEcho {
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

fn accept(listener: &TcpListener, shared: &Arc<Shared>, nodelay: bool) {
    loop {
        let accepted = listener.accept();
        if shared.is_over.load(Ordering::Acquire) {
            return;
        }
        let Ok((stream, _)) = accepted else { continue };
        let (Ok(()), Ok(copy)) = (stream.set_nodelay(nodelay), stream.try_clone()) else {
            continue;
        };
        shared.streams.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
        let shared = Arc::clone(shared);
        // A client that breaks off sees that itself.
        let work = move || _ = serve(stream, &shared);
        _ = thread::Builder::new().spawn(work);
    }
}

/// Decodes each message, changes its header, and sends it back, until the other side ends.
fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let Codec::Cdr(mut encoder, mut decoder) = Codec::of(Format::NgCdr) else { return Ok(()) };
    let mut buffer = FrameBuffer::new(Limits::default());
    let mut message = CustomerServices::default();
    let mut answer = Vec::new();
    loop {
        let length = stream.read(buffer.room())?;
        if length == 0 {
            return Ok(());
        }
        buffer.filled(length);
        while let Some(bytes) = buffer.take(&mut LengthPrefixed).map_err(io::Error::other)? {
            decoder.decode(bytes, &mut message).map_err(io::Error::other)?;
            message.header = RESPONSE.into();
            let bytes = encoder.encode(&message).map_err(io::Error::other)?;
            let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
            answer.clear();
            answer.extend_from_slice(&length.to_le_bytes());
            answer.extend_from_slice(bytes);
            shared.calls.fetch_add(1, Ordering::Relaxed);
            stream.write_all(&answer)?;
        }
    }
}
