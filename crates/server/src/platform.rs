//! What the loop needs of the world: streams, time, and somebody who does the work for the disk.
//!
//! The loop is compiled for each world by itself, so that it costs nothing that there are several:
//! the one of the operating system, which [`Server`](crate::Server) runs on, and the one of the
//! simulation, where everything follows from a number.

mod system;

use std::io;
use std::sync::Arc;

use trunkline_journal::{Commit, Outcome, Task};
use trunkline_reactor::{Address, Event, Idle};
use trunkline_security::PasswordCheck;

use crate::Protocol;
use crate::engine::Peer;
use crate::formats::{ConversionOrder, Converted};
use crate::server::Command;

pub(crate) use system::SystemPlatform;

/// Until when it is waited for something to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// Not at all: what has happened is looked for once.
    Now,
    /// Until the clock of the platform has come to this; nanoseconds.
    At(u64),
    /// Without end.
    Never,
}

/// What a read gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Bytes; none at the end, or if what came (of TLS) is not a whole record.
    pub bytes: usize,
    /// More can be read without another event. Neither bytes nor more is the end.
    pub more: bool,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Bytes that were accepted.
    pub bytes: usize,
    /// There is no room for more, or the stream holds some of what it accepted: an event tells of room, and then
    /// [`Stream::flush`] is due even if there is nothing else to write.
    pub blocked: bool,
}

/// A stream of bytes in both directions, which never blocks.
///
/// It may hold a little in either direction: bytes that were read and decrypted and for which the caller had no
/// room ([`Received::more`]), and bytes that were accepted and encrypted and for which the socket has none
/// ([`Sent::blocked`]).
pub trait Stream {
    /// Reads what there is, as much as has room.
    ///
    /// # Errors
    ///
    /// `WouldBlock` where there is nothing; else the stream is no more.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<Received>;

    /// Writes what there is room for.
    ///
    /// # Errors
    ///
    /// `WouldBlock` where there is no room; else the stream is no more.
    fn write(&mut self, bytes: &[u8]) -> io::Result<Sent>;

    /// Writes what it holds; false if some has no room.
    ///
    /// # Errors
    ///
    /// The stream is no more.
    fn flush(&mut self) -> io::Result<bool>;

    /// Ends the direction to the client, after what the stream holds: where that has no room, with a later
    /// [`Stream::flush`].
    ///
    /// # Errors
    ///
    /// The client is gone.
    fn finish(&mut self) -> io::Result<()>;

    /// Has little under way to the client from now on.
    ///
    /// # Errors
    ///
    /// The buffers stay as they are.
    fn bound_buffers(&mut self) -> io::Result<()>;

    /// Bytes that were written and that the client has not read, where that can be known.
    fn under_way(&self) -> Option<usize>;

    /// Who is at its other end.
    fn peer(&self) -> Peer;

    /// Whether moving its bytes takes system calls, which another thread could make.
    fn is_socket(&self) -> bool {
        true
    }

    /// Bytes of the router's memory that it takes for what is under way, once it is watched.
    fn memory(&self) -> usize {
        0
    }

    /// Whether room that an event tells of shows that the client is there. It does not where room comes from another
    /// thread alone.
    fn has_progressed(&mut self) -> bool {
        true
    }

    /// The engine has made use of so many more of the bytes that were read. Only who watches the loop wants
    /// to know.
    #[inline]
    fn used(&mut self, _bytes: usize) {}
}

/// Bytes of the state and the buffers of TLS, about, while nothing waits in them.
const TLS: usize = 10 << 10;

/// Bytes that a stream of this transport takes for TLS.
pub(crate) fn tls_memory(transport: &str) -> usize {
    if transport == "tls" { TLS } else { 0 }
}

/// A place where streams come in.
pub trait Listener {
    /// What comes in.
    type Stream: Stream;

    /// The next stream that waits, if one does.
    ///
    /// # Errors
    ///
    /// None can be accepted for now.
    fn accept(&mut self) -> io::Result<Option<Self::Stream>>;

    /// Where it listens.
    fn address(&self) -> Address;
}

/// The world that the loop runs in.
pub trait Platform {
    /// What a client is connected by.
    type Stream: Stream;
    /// Where clients connect.
    type Listener: Listener<Stream = Self::Stream>;

    /// Nanoseconds since an epoch of its choosing. It never goes back.
    fn now(&self) -> u64;

    /// Nanoseconds since 1970, as the clock of the machine has it now.
    fn since_1970(&self) -> u64;

    /// Waits until something happens to what is watched, a command or an outcome comes, or the deadline does.
    /// Replaces the events by what happened. Each thing is told once, see [`Event`].
    ///
    /// # Errors
    ///
    /// Nothing can be waited for any more.
    fn wait_until(&mut self, events: &mut Vec<Event>, deadline: Deadline) -> io::Result<()>;

    /// How it waits.
    fn set_idle(&mut self, idle: Idle);

    /// Watches a stream.
    ///
    /// # Errors
    ///
    /// It cannot be watched.
    fn add(&mut self, stream: &mut Self::Stream, token: usize) -> io::Result<()>;

    /// Watches a stream no more, which is dropped next.
    fn remove(&mut self, stream: &mut Self::Stream);

    /// Listens at an address, for clients of a protocol.
    ///
    /// # Errors
    ///
    /// Says why that cannot be.
    fn bind(&mut self, address: &Address, protocol: Protocol) -> io::Result<Self::Listener>;

    /// Watches a listener.
    ///
    /// # Errors
    ///
    /// It cannot be watched.
    fn add_listener(&mut self, listener: &mut Self::Listener, token: usize) -> io::Result<()>;

    /// Watches a listener no more, which is dropped next.
    fn remove_listener(&mut self, listener: &mut Self::Listener);

    /// Why a stream that was just accepted cannot stay, if there is no room for it in this world.
    fn rejection(&self, stream: &Self::Stream) -> Option<String>;

    /// Streams that were not taken in and may stay for a while nevertheless, to read why.
    fn places_for_rejected(&self) -> usize;

    /// Whether there is a disk to work for.
    fn has_disk(&self) -> bool;

    /// Has a commit written; [`Platform::outcome`] tells what came of it.
    fn begin_commit(&mut self, commit: Commit);

    /// Has a background task done; [`Platform::outcome`] tells what came of it.
    fn begin_task(&mut self, task: Task);

    /// Has a password compared with its hashes, on another thread; [`Platform::password`] tells what came of it.
    fn begin_password(&mut self, check: PasswordCheck);

    /// What came of the last password, once: its hash, if it was right.
    fn password(&mut self) -> Option<Option<Arc<str>>>;

    /// Has messages converted, on another thread, in the order of the calls; [`Platform::conversion`] tells what came of
    /// each.
    fn begin_conversion(&mut self, order: ConversionOrder);

    /// What came of the next one, if it is there.
    fn conversion(&mut self) -> Option<Converted>;

    /// Bytes of what came of some and was not taken.
    fn conversion_bytes(&self) -> usize;

    /// The next outcome that is there.
    fn outcome(&mut self) -> Option<Outcome>;

    /// Waits for the next outcome. `None` if none can come any more.
    fn wait_for_outcome(&mut self) -> Option<Outcome>;

    /// Lets others have the processor for a moment.
    fn give_way(&self);

    /// Whether commands wait. The loop checks it once a turn.
    fn has_commands(&self) -> bool;

    /// Takes the commands that wait.
    fn take_commands(&mut self) -> Vec<Command>;
}
