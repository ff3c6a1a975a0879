//! A stream between a client and the router: bytes in both directions, of which the kernel holds only so
//! many.

mod session;

use std::collections::VecDeque;

use trunkline_random::Random;

use session::Session;

/// Bytes that are under way in one direction.
#[derive(Debug)]
pub(crate) struct Pipe {
    bytes: VecDeque<u8>,
    pub(crate) capacity: usize,
}

impl Pipe {
    fn new(capacity: usize) -> Self {
        Self { bytes: VecDeque::new(), capacity }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes that may still come in.
    pub(crate) fn room(&self) -> usize {
        self.capacity.saturating_sub(self.bytes.len())
    }

    /// Puts in what there is room for, and says how much that was.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> usize {
        let length = bytes.len().min(self.room());
        self.bytes.extend(&bytes[..length]);
        length
    }

    /// Takes out at most so many bytes.
    pub(crate) fn read(&mut self, most: usize) -> impl Iterator<Item = u8> {
        let length = most.min(self.bytes.len());
        self.bytes.drain(..length)
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }
}

/// How a client left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It closed the stream: the router reads what was sent, and then the end.
    Closed,
    /// The stream broke: what was under way is lost.
    Broken,
    /// It is gone without a word, and the router is not told.
    Vanished,
}

/// What a stream is made of. They differ in what the router knows of bytes under way, and in what becomes
/// of those when it drops the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Tcp,
    Tls,
    Unix,
    SharedMemory,
}

impl Transport {
    pub(crate) const ALL: [Self; 4] = [Self::Tcp, Self::Tls, Self::Unix, Self::SharedMemory];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Unix => "unix",
            Self::SharedMemory => "shm",
        }
    }
}

/// How a client is connected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkOptions {
    pub(crate) transport: Transport,
    /// Bytes that the stream holds: to the router, and back.
    pub(crate) capacity: (usize, usize),
    pub(crate) random: u64,
}

impl LinkOptions {
    /// A stream of this capacity; the transport is left to chance.
    pub(crate) fn draw(random: &mut Random, capacity: (usize, usize)) -> Self {
        Self { transport: random.pick(&Transport::ALL), capacity, random: random.bits() }
    }
}

/// Events of a stream that the router has not been told yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PendingEvents {
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) closed: bool,
}

/// A stream, with both of its ends.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) transport: Transport,
    pub(crate) address: String,
    pub(crate) to_router: Pipe,
    pub(crate) to_client: Pipe,
    /// With TLS, what is neither in a pipe nor with the router.
    pub(crate) session: Session,
    /// How the client has left, if it has.
    pub(crate) client_end: Option<End>,
    /// The router has ended its direction; what is under way to the client can still be read.
    pub(crate) is_finished: bool,
    /// The router has dropped the stream.
    pub(crate) is_dropped: bool,
    /// The router dropped it with bytes unread, which took from the client what was under way to it.
    pub(crate) is_reset: bool,
    pub(crate) is_accepted: bool,
    /// The router has taken it in.
    pub(crate) was_watched: bool,
    /// The checkers know that it has been dropped.
    pub(crate) is_reported: bool,
    /// How the router calls it, once it watches it.
    pub(crate) token: Option<usize>,
    /// The thread that watches it: 0 is that of the event loop.
    pub(crate) thread: usize,
    pub(crate) pending: PendingEvents,
    /// The router knows that there is no room, and has not been told since that there is.
    pub(crate) is_full: bool,
    /// The router ends it, and it is gone by then.
    pub(crate) leaves_by: Option<u64>,
    /// Turns after which there was output, and room for it.
    pub(crate) unwritten: u64,
    /// Bytes that the router has read and its engine has not made use of.
    pub(crate) unused: VecDeque<u8>,
    /// Bytes that were read after the last use.
    pub(crate) is_read: bool,
    /// Bytes that the router has written and the checkers have not seen.
    pub(crate) written: Vec<u8>,
    pub(crate) random: Random,
}

impl Link {
    pub(crate) fn new(address: String, link_options: LinkOptions) -> Self {
        Self {
            transport: link_options.transport,
            address,
            to_router: Pipe::new(link_options.capacity.0),
            to_client: Pipe::new(link_options.capacity.1),
            session: Session::default(),
            client_end: None,
            is_finished: false,
            is_dropped: false,
            is_reset: false,
            is_accepted: false,
            was_watched: false,
            is_reported: false,
            token: None,
            thread: 0,
            pending: PendingEvents::default(),
            is_full: false,
            leaves_by: None,
            unwritten: 0,
            unused: VecDeque::new(),
            is_read: false,
            written: Vec::new(),
            random: Random::stream(link_options.random, 0x6c69_6e6b),
        }
    }

    /// The client leaves.
    pub(crate) fn leave(&mut self, end: End) {
        self.client_end = Some(end);
        self.to_client.clear();
        if end == End::Broken {
            self.to_router.clear();
        }
        if end != End::Vanished {
            (self.pending.readable, self.pending.closed) = (true, true);
        }
    }

    /// Bytes that the router can read.
    pub(crate) fn readable(&self) -> usize {
        self.to_router.len() + self.session.decrypted()
    }

    /// The router sends what is held, and then the end if it has asked for that; whether all has gone.
    pub(crate) fn flush(&mut self) -> bool {
        self.session.flush(&mut self.to_client);
        let is_sent = self.session.held() == 0;
        self.is_finished |= is_sent && self.session.ends;
        is_sent
    }

    /// There is no room; it is told when there is some to speak of, as a kernel does.
    pub(crate) fn is_out_of_room(&mut self) {
        self.is_full = true;
        self.pending.writable = self.to_client.room() > self.to_client.capacity / 3;
    }

    /// Whether the client has read all that it ever will.
    pub(crate) fn is_over(&self) -> bool {
        (self.is_finished || self.is_dropped) && self.to_client.is_empty()
    }

    /// The client reads at most so many bytes.
    pub(crate) fn client_reads(&mut self, most: usize, into: &mut Vec<u8>) {
        into.extend(self.to_client.read(most));
        // A kernel tells of room when there is some to speak of.
        if self.is_full && self.to_client.room() > self.to_client.capacity / 3 {
            self.pending.writable = true;
        }
    }

    /// The client writes what there is room for.
    pub(crate) fn client_writes(&mut self, bytes: &[u8]) -> usize {
        let length = self.to_router.write(bytes);
        self.pending.readable |= length > 0;
        length
    }

    /// The router drops its end.
    pub(crate) fn drop_by_router(&mut self) {
        (self.is_dropped, self.token) = (true, None);
        self.session.clear();
        let takes_back = self.transport != Transport::SharedMemory && !self.to_router.is_empty();
        if takes_back {
            self.is_reset = true;
            self.to_client.clear();
        }
    }
}
