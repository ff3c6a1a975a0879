//! A connection that another thread carries: two rings of bytes, and what both sides know of it.

use std::io::{self, Read as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering, fence};
use std::sync::{Arc, OnceLock};

use rtrb::{Consumer, Producer, RingBuffer};
use trunkline_reactor::Event;

use super::bell::Bell;
use crate::engine::Peer;
use crate::platform::{Received, Sent, Stream, tls_memory};

/// Bytes that each direction holds.
pub(super) const RING: usize = 16 << 10;

/// The same, to a client to which little is to be under way.
const BOUNDED: usize = 4 << 10;

const READABLE: u8 = 1;
const WRITABLE: u8 = 2;
const CLOSED: u8 = 4;

/// What the router's side requested: an end after the bytes so far, small buffers, the bytes under way to be counted,
/// and nothing more.
const FINISH: u8 = 1;
const BOUND: u8 = 2;
const MEASURE: u8 = 4;
const DROP: u8 = 8;

/// Bytes under way that nobody has counted.
const UNKNOWN: usize = usize::MAX;

/// How a direction ended: with an error, or without.
type Ending = Option<(io::ErrorKind, String)>;

fn ending(error: &io::Error) -> Ending {
    Some((error.kind(), error.to_string()))
}

fn error(ending: &Ending) -> io::Error {
    match ending {
        Some((kind, text)) => io::Error::new(*kind, text.clone()),
        None => io::ErrorKind::BrokenPipe.into(),
    }
}

/// What both sides know.
#[derive(Debug)]
pub(super) struct Conduit {
    /// What the loop has not been told.
    events: AtomicU8,
    requested: AtomicU8,
    /// A side waits for room in the ring to the router, or in the one from it.
    waits_to_router: AtomicBool,
    waits_from_router: AtomicBool,
    /// The socket had no room since the router's side asked last.
    had_no_room: AtomicBool,
    under_way: AtomicUsize,
    read_ended: OnceLock<Ending>,
    write_failed: OnceLock<Ending>,
}

impl Conduit {
    /// What has happened since the last call.
    pub(super) fn take_event(&self, token: usize) -> Option<Event> {
        let events = self.events.swap(0, Ordering::AcqRel);
        (events != 0).then_some(Event {
            token,
            readable: events & READABLE != 0,
            writable: events & WRITABLE != 0,
            closed: events & CLOSED != 0,
        })
    }
}

/// One side: its ends of the rings.
#[derive(Debug)]
struct Ends {
    conduit: Arc<Conduit>,
    slot: usize,
    /// Tells the other side.
    bell: Arc<Bell>,
    from: Consumer<u8>,
    to: Producer<u8>,
}

impl Ends {
    /// Bytes that the other side has not taken.
    fn untaken(&self) -> usize {
        RING - self.to.slots()
    }
}

/// The router's side, before it has a name.
pub(super) struct NearEnds(Ends);

impl NearEnds {
    pub(super) fn shared(&self) -> &Arc<Conduit> {
        &self.0.conduit
    }
}

/// Both sides of a connection of an I/O thread.
pub(super) fn conduit(
    to_thread: &Arc<Bell>,
    to_router: &Arc<Bell>,
    slot: usize,
) -> (NearEnds, FarEnds) {
    let conduit = Arc::new(Conduit {
        events: AtomicU8::new(0),
        requested: AtomicU8::new(0),
        waits_to_router: AtomicBool::new(false),
        waits_from_router: AtomicBool::new(false),
        had_no_room: AtomicBool::new(false),
        under_way: AtomicUsize::new(UNKNOWN),
        read_ended: OnceLock::new(),
        write_failed: OnceLock::new(),
    });
    let (to, from_router) = RingBuffer::new(RING);
    let (to_router_ring, from) = RingBuffer::new(RING);
    let near = Ends { conduit: Arc::clone(&conduit), slot, bell: Arc::clone(to_thread), from, to };
    let bell = Arc::clone(to_router);
    let far = Ends { conduit, slot, bell, from: from_router, to: to_router_ring };
    (NearEnds(near), FarEnds(far))
}

/// A stream as the loop has it, of which another thread has the socket.
#[derive(Debug)]
pub struct Near {
    ends: Ends,
    /// The thread, and its number for the connection.
    place: (usize, usize),
    peer: Peer,
    /// Bytes that may be under way to the thread.
    most: usize,
}

impl Near {
    pub(super) fn new(ends: NearEnds, place: (usize, usize), peer: Peer) -> Self {
        Self { ends: ends.0, place, peer, most: RING }
    }

    pub(super) fn place(&self) -> (usize, usize) {
        self.place
    }

    fn request(&self, request: u8) {
        self.ends.conduit.requested.fetch_or(request, Ordering::AcqRel);
        self.ends.bell.call(self.ends.slot);
    }

    /// Puts what there is room for into the ring.
    fn put(&mut self, bytes: &[u8]) -> usize {
        let room = self.most.saturating_sub(self.ends.untaken());
        let length = bytes.len().min(room);
        // It has room for so many.
        self.ends.to.write(&bytes[..length]).unwrap_or(0)
    }
}

impl Stream for Near {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<Received> {
        let Ends { conduit, from, .. } = &mut self.ends;
        // First: what came before the end is in the ring then.
        let ended = conduit.read_ended.get();
        let length = from.read(bytes).unwrap_or(0);
        if length == 0 {
            return match ended {
                None => Err(io::ErrorKind::WouldBlock.into()),
                Some(None) => Ok(Received { bytes: 0, more: false }),
                Some(ended) => Err(error(ended)),
            };
        }
        let more = !from.is_empty() || ended.is_some();
        fence(Ordering::SeqCst);
        if conduit.waits_to_router.load(Ordering::Relaxed)
            && conduit.waits_to_router.swap(false, Ordering::AcqRel)
        {
            self.ends.bell.call(self.ends.slot);
        }
        Ok(Received { bytes: length, more })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<Sent> {
        if let Some(ended) = self.ends.conduit.write_failed.get() {
            return Err(error(ended));
        }
        if self.ends.to.is_abandoned() {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "its thread has ended"));
        }
        let mut length = self.put(bytes);
        if length < bytes.len() {
            self.ends.conduit.waits_from_router.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            // Room that has come in between is told by nobody.
            length += self.put(&bytes[length..]);
        }
        if length == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.ends.bell.call(self.ends.slot);
        Ok(Sent { bytes: length, blocked: length < bytes.len() })
    }

    /// What is in the ring is on its way.
    fn flush(&mut self) -> io::Result<bool> {
        match self.ends.conduit.write_failed.get() {
            Some(ended) => Err(error(ended)),
            None => Ok(true),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.request(FINISH);
        Ok(())
    }

    fn bound_buffers(&mut self) -> io::Result<()> {
        self.most = BOUNDED;
        self.request(BOUND);
        Ok(())
    }

    /// As the thread counted them last, which it does again now.
    fn under_way(&self) -> Option<usize> {
        self.request(MEASURE);
        let counted = self.ends.conduit.under_way.load(Ordering::Relaxed);
        (counted != UNKNOWN).then(|| counted.saturating_add(self.ends.untaken()))
    }

    fn peer(&self) -> Peer {
        self.peer.clone()
    }

    fn memory(&self) -> usize {
        2 * RING + tls_memory(self.peer.transport)
    }

    fn has_progressed(&mut self) -> bool {
        self.ends.conduit.had_no_room.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Near {
    fn drop(&mut self) {
        self.request(DROP);
    }
}

/// The I/O thread's side, before it has its stream.
pub(super) struct FarEnds(Ends);

/// A connection as its I/O thread has it.
pub(super) struct Far<S> {
    pub(super) stream: S,
    ends: Ends,
    /// There may be more to read, and no event tells of it.
    is_readable: bool,
    has_ended: bool,
    /// The socket has no room, and an event tells when it has.
    is_blocked: bool,
    wants_finish: bool,
    most: usize,
}

/// What is to become of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Something tells when there is more to do.
    Rest,
    /// There is more to do, after others had their turn.
    GoOn,
    /// The router's side has dropped it.
    Drop,
}

impl<S: Stream> Far<S> {
    pub(super) fn new(stream: S, ends: FarEnds) -> Self {
        Self {
            stream,
            ends: ends.0,
            is_readable: true,
            has_ended: false,
            is_blocked: false,
            wants_finish: false,
            most: RING,
        }
    }

    /// The connection cannot be carried.
    pub(super) fn fail(&mut self, cause: &io::Error) {
        let _ = self.ends.conduit.read_ended.set(ending(cause));
        self.tell(READABLE | CLOSED);
    }

    /// Something has happened to its socket.
    pub(super) fn has_event(&mut self, event: &Event) {
        self.is_readable |= event.readable;
        self.has_ended |= event.closed;
        if event.writable {
            self.is_blocked = false;
        }
    }

    fn tell(&self, events: u8) {
        self.ends.conduit.events.fetch_or(events, Ordering::AcqRel);
        self.ends.bell.call(self.ends.slot);
    }

    /// Does what there is to do, but reads no more than a ring holds.
    pub(super) fn go_on(&mut self, scratch: &mut [u8]) -> Next {
        let requested = self.ends.conduit.requested.swap(0, Ordering::AcqRel);
        if requested & BOUND != 0 {
            self.most = BOUNDED;
            // It is held to little by the ring, at least.
            let _ = self.stream.bound_buffers();
        }
        self.write(scratch, requested & FINISH != 0);
        if requested & DROP != 0 {
            return Next::Drop;
        }
        if requested & MEASURE != 0 {
            self.measure();
        }
        self.read(scratch)
    }

    fn measure(&self) {
        let bytes = self.stream.under_way().unwrap_or(UNKNOWN);
        self.ends.conduit.under_way.store(bytes, Ordering::Relaxed);
    }

    /// Moves bytes from the ring into the socket, and ends it behind them if that is requested.
    fn write(&mut self, scratch: &mut [u8], finishes: bool) {
        if finishes {
            self.wants_finish = true;
        }
        if self.ends.conduit.write_failed.get().is_some() {
            return;
        }
        if let Err(cause) = self.write_ring(scratch) {
            let _ = self.ends.conduit.write_failed.set(ending(&cause));
            return self.tell(READABLE | WRITABLE);
        }
        fence(Ordering::SeqCst);
        let conduit = &self.ends.conduit;
        if self.ends.from.slots() <= self.most / 2
            && conduit.waits_from_router.load(Ordering::Relaxed)
            && conduit.waits_from_router.swap(false, Ordering::AcqRel)
        {
            self.tell(WRITABLE);
        }
    }

    fn write_ring(&mut self, scratch: &mut [u8]) -> io::Result<()> {
        if self.is_blocked {
            return Ok(());
        }
        self.note_room(|stream| stream.flush().map(|is_sent| (0, !is_sent)))?;
        while !self.is_blocked && !self.ends.from.is_empty() {
            let waiting = self.ends.from.slots().min(scratch.len());
            let Ok(chunk) = self.ends.from.read_chunk(waiting) else { break };
            let (first, second) = chunk.as_slices();
            let bytes = if second.is_empty() {
                first
            } else {
                // One write rather than two.
                scratch[..first.len()].copy_from_slice(first);
                scratch[first.len()..waiting].copy_from_slice(second);
                &scratch[..waiting]
            };
            let sent = match self.stream.write(bytes) {
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                    Sent { bytes: 0, blocked: true }
                }
                sent => sent?,
            };
            chunk.commit(sent.bytes);
            self.note_room(|_| Ok((sent.bytes, sent.blocked)))?;
        }
        if self.wants_finish && !self.is_blocked && self.ends.from.is_empty() {
            self.wants_finish = false;
            // A client that is gone already is noticed by reading.
            if self.stream.finish().is_ok() {
                self.note_room(|stream| stream.flush().map(|is_sent| (0, !is_sent)))?;
            }
        }
        Ok(())
    }

    /// Remembers whether the socket has room.
    fn note_room(
        &mut self,
        done: impl FnOnce(&mut S) -> io::Result<(usize, bool)>,
    ) -> io::Result<()> {
        let (_, is_blocked) = done(&mut self.stream)?;
        if is_blocked {
            self.is_blocked = true;
            self.ends.conduit.had_no_room.store(true, Ordering::Relaxed);
            self.measure();
        }
        Ok(())
    }

    /// Moves bytes from the socket into the ring.
    fn read(&mut self, scratch: &mut [u8]) -> Next {
        let mut room = self.ends.to.slots();
        if !self.is_readable || self.ends.conduit.read_ended.get().is_some() {
            return Next::Rest;
        }
        if room < RING / 4 {
            self.ends.conduit.waits_to_router.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            room = self.ends.to.slots();
            if room < RING / 4 {
                return Next::Rest;
            }
        }
        let most = room.min(scratch.len());
        match self.stream.read(&mut scratch[..most]) {
            Ok(Received { bytes: 0, more: false }) => {
                let _ = self.ends.conduit.read_ended.set(None);
                self.tell(READABLE | CLOSED);
                Next::Rest
            }
            Ok(Received { bytes, more }) => {
                // There is room for them.
                let _ = self.ends.to.write(&scratch[..bytes]);
                if bytes > 0 {
                    self.tell(READABLE);
                }
                self.is_readable = more || self.has_ended;
                if self.is_readable { Next::GoOn } else { Next::Rest }
            }
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                self.is_readable = false;
                Next::Rest
            }
            Err(cause) => {
                self.fail(&cause);
                Next::Rest
            }
        }
    }
}
