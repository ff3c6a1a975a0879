//! A stream through memory that two processes on one machine share: a ring of bytes each way.
//!
//! ```text
//!   client                      memory, made by the router                    router
//!   ------    +---------------------------------------------------------+    ------
//!    write -->| ring to the router: head, tail, requests, bytes         |--> read
//!     read <--| ring to the client: head, tail, requests, bytes         |<-- write
//!             +---------------------------------------------------------+
//!             <==== Unix socket: handed the memory over; a byte wakes; its end is death ====>
//! ```
//!
//! Bytes are copied in and out, so that the other side cannot change what was read. A sleeping side has
//! requested a wake-up, one byte over the socket; only then is there a system call.

mod handshake;
mod map;
mod ring;
mod watch;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use mio::net::UnixStream;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};

use crate::idle::{Deadline, Next, Patience};
use crate::stream::look;
use crate::{Idle, Ready};
use ring::{Corrupt, Reader, Ring, Writer};
pub(crate) use watch::Watch;

/// Bytes of a ring, each way.
const RING: usize = 1 << 20;

/// Reads without bytes before the socket is checked for the other side's death.
const READS_BEFORE_LOOK: u32 = 1024;

/// One end of a connection through shared memory.
#[derive(Debug)]
pub(crate) struct Shared {
    end: Arc<End>,
    reader: Reader,
    writer: Writer,
    empty_reads: u32,
}

/// The state of an end that the stream and the reactor share.
#[derive(Debug)]
pub(crate) struct End {
    incoming: Ring,
    outgoing: Ring,
    socket: OwnedFd,
    /// The most bytes in the outgoing ring.
    limit: AtomicUsize,
    /// The stream's own cursors.
    read: AtomicU64,
    written: AtomicU64,
    /// A write found too little room since a reactor last reported room.
    is_full: AtomicBool,
    /// The other side has died, or dropped the stream.
    is_gone: AtomicBool,
    /// This side has dropped the stream.
    is_dropped: AtomicBool,
    /// Its slot in a reactor.
    slot: AtomicUsize,
}

impl Shared {
    /// The router's end, for a client that has connected to its socket.
    pub(crate) fn offer(socket: UnixStream) -> io::Result<Self> {
        let socket = OwnedFd::from(socket);
        let [to_router, to_client] = handshake::offer(&socket, RING)?;
        Ok(Self::new(socket, to_router, to_client))
    }

    /// The client's end.
    pub(crate) fn connect(path: &Path, timeout: Duration) -> io::Result<Self> {
        let socket = OwnedFd::from(crate::stream::connect_unix(path, timeout)?);
        let [to_router, to_client] = handshake::take(&socket, timeout)?;
        Ok(Self::new(socket, to_client, to_router))
    }

    fn new(socket: OwnedFd, incoming: Ring, outgoing: Ring) -> Self {
        let end = End {
            incoming: incoming.clone(),
            outgoing: outgoing.clone(),
            socket,
            limit: AtomicUsize::new(RING),
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            is_dropped: AtomicBool::new(false),
            slot: AtomicUsize::new(usize::MAX),
        };
        let (reader, writer) = (Reader::new(incoming), Writer::new(outgoing));
        Self { end: Arc::new(end), reader, writer, empty_reads: 0 }
    }

    pub(crate) fn end(&self) -> &Arc<End> {
        &self.end
    }

    #[inline]
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.take(bytes)?;
        if count > 0 || bytes.is_empty() {
            return Ok(count);
        }
        if self.end.is_ended() {
            // What was written before the end.
            return self.take(bytes);
        }
        self.empty_reads += 1;
        if self.empty_reads == READS_BEFORE_LOOK {
            self.empty_reads = 0;
            self.end.drain();
        }
        Err(io::ErrorKind::WouldBlock.into())
    }

    #[inline]
    fn take(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(bytes).map_err(corrupt)?;
        if count > 0 {
            self.end.read.store(self.reader.tail(), Ordering::Relaxed);
            if self.reader.has_sleeping_writer() {
                self.end.wake();
            }
        }
        Ok(count)
    }

    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.end.is_gone.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut count = self.put(bytes)?;
        while count < bytes.len() {
            self.end.is_full.store(true, Ordering::Relaxed);
            self.end.outgoing.writer_asks();
            if !self.end.has_place(self.writer.head()) {
                break;
            }
            // There is room by now, and the request may have been answered already.
            count += self.put(&bytes[count..])?;
        }
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(count)
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.writer.write(bytes).map_err(corrupt)?;
        if count > 0 {
            self.end.written.store(self.writer.head(), Ordering::Relaxed);
            if self.writer.has_sleeping_reader() {
                self.end.wake();
            }
        }
        Ok(count)
    }

    /// Limits the bytes in the outgoing ring from now on.
    pub(crate) fn bound_buffers(&mut self, limit: usize) {
        self.writer.set_limit(limit);
        self.end.limit.store(limit, Ordering::Relaxed);
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.writer.finish();
        self.end.wake();
        Ok(())
    }

    /// As `Stream::wait`.
    pub(crate) fn wait(
        &mut self,
        idle: Idle,
        readable: bool,
        writable: bool,
        timeout: Option<Duration>,
    ) -> io::Result<Ready> {
        let mut patience = Patience::new(idle, Deadline::after(timeout));
        let mut looks = 0u32;
        loop {
            let ready = self.end.ready(readable, writable);
            if ready != Ready::default() {
                return Ok(ready);
            }
            let time = match patience.next() {
                _ if timeout == Some(Duration::ZERO) => return Ok(ready),
                Next::GiveUp => return Ok(ready),
                Next::Look => {
                    looks = looks.wrapping_add(1);
                    if !looks.is_multiple_of(READS_BEFORE_LOOK) {
                        continue;
                    }
                    Some(Duration::ZERO)
                }
                Next::Sleep(time) => time,
            };
            if !self.sleep(readable, writable, time)? {
                return Ok(Ready::default());
            }
        }
    }

    /// Sleeps until the other side wakes this one; false after a signal.
    fn sleep(&self, readable: bool, writable: bool, time: Option<Duration>) -> io::Result<bool> {
        let end = &self.end;
        if readable {
            end.incoming.reader_asks();
        }
        if writable {
            end.outgoing.writer_asks();
        }
        let mut is_interrupted = false;
        if end.ready(readable, writable) == Ready::default() {
            match look(end.socket.as_fd(), true, false, time) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => is_interrupted = true,
                Err(error) => return Err(error),
                Ok(found) if found.readable => end.drain(),
                Ok(_) => {}
            }
        }
        end.incoming.reader_thanks();
        Ok(!is_interrupted)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.writer.finish();
        self.end.is_dropped.store(true, Ordering::Relaxed);
        // Informs the other side, and a reactor that still has this end. If the socket has ended already,
        // there is nobody to inform.
        let _ = shutdown(&self.end.socket, Shutdown::Both);
    }
}

impl End {
    pub(crate) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Whether nothing will come beyond the content of the ring.
    fn is_ended(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed) || self.incoming.is_finished()
    }

    /// Whether a write that met a full ring can continue, or fails for good.
    fn has_room(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed) || self.has_place(self.written.load(Ordering::Relaxed))
    }

    /// Bytes written and not read.
    pub(crate) fn under_way(&self) -> usize {
        let used = self.written.load(Ordering::Relaxed).wrapping_sub(self.outgoing.tail());
        // A corrupt cursor has no meaning.
        usize::try_from(used).unwrap_or(usize::MAX).min(RING)
    }

    fn has_place(&self, head: u64) -> bool {
        self.outgoing.has_room(head, self.limit.load(Ordering::Relaxed))
    }

    fn ready(&self, readable: bool, writable: bool) -> Ready {
        let is_ended = readable && self.is_ended();
        let has_bytes = || self.incoming.head() != self.read.load(Ordering::Relaxed);
        let ready = Ready {
            readable: is_ended || readable && has_bytes(),
            writable: writable && self.has_room(),
        };
        if ready.writable {
            self.is_full.store(false, Ordering::Relaxed);
        }
        ready
    }

    /// Wakes the other side.
    #[cold]
    fn wake(&self) {
        match send(&self.socket, &[1], SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            // A full socket already holds many wake-up bytes.
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.is_gone.store(true, Ordering::Relaxed),
        }
    }

    /// Takes the wake-up bytes, and detects whether the other side has died.
    #[cold]
    fn drain(&self) {
        let mut bytes = [0; 512];
        match recv(&self.socket, &mut bytes, RecvFlags::DONTWAIT) {
            Ok((1.., _)) | Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(_) | Err(_) => self.is_gone.store(true, Ordering::Relaxed),
        }
    }
}

fn corrupt(error: Corrupt) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
