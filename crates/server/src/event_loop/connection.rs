//! One connection: its stream, and the bytes that are not a whole frame yet.

use std::io;

use crate::engine::{ConnectionId, Engine};
use crate::platform::{Received, Sent, Stream};

/// A connection as the loop sees it.
#[derive(Debug)]
pub(super) struct Connection<S> {
    pub(super) id: ConnectionId,
    pub(super) stream: S,
    /// The beginning of a frame. Empty nearly always, so that a connection costs no buffer.
    kept: Vec<u8>,
    /// Bytes that it takes, as they were counted last.
    counted: usize,
    /// It is in the list of those to read from.
    pub(super) is_reading: bool,
    /// It is in the list of those to write to.
    pub(super) is_writing: bool,
    /// The stream has no room, or holds some of what it accepted; an event tells when it has room.
    pub(super) is_blocked: bool,
    /// Some of its output has waited for room since there was none.
    has_waited: bool,
    /// The other side sends no more: what there is has to be read to its end.
    pub(super) has_ended: bool,
    /// Why it is to end, once it is.
    pub(super) dismissed: Option<String>,
    /// Bytes that came after that.
    pub(super) ignored: usize,
    /// All has been written that ever will be.
    pub(super) is_finished: bool,
}

/// Bytes of a frame's beginning that are moved for each read, and kept room for.
const SMALL: usize = 4 << 10;

/// How reading ended.
#[derive(Debug)]
pub(super) enum Read {
    /// The share is used up, and there may be more.
    More,
    /// Nothing is left for now.
    Drained,
    /// The connection is no more.
    Ended(String),
}

impl<S: Stream> Connection<S> {
    pub(super) fn new(id: ConnectionId, stream: S) -> Self {
        Self {
            id,
            stream,
            kept: Vec::new(),
            counted: 0,
            is_reading: false,
            is_writing: false,
            is_blocked: false,
            has_waited: false,
            has_ended: false,
            dismissed: None,
            ignored: 0,
            is_finished: false,
        }
    }

    /// Reads up to about `share` bytes into the engine, and says how many those were.
    ///
    /// `buffer` has room for twice the share. A connection that is held is not read from any more.
    pub(super) fn read(
        &mut self,
        engine: &mut Engine,
        now: u64,
        buffer: &mut [u8],
        share: usize,
    ) -> (Read, usize) {
        let mut total = 0;
        while total < share {
            let read = self.read_once(engine, now, buffer);
            if engine.is_held(self.id) {
                return (Read::More, total + read.map_or(0, |read| read.bytes));
            }
            match read {
                Ok(Received { bytes: 0, more: false }) => {
                    return (Read::Ended("the client closed it".to_owned()), total);
                }
                // It has done the work of a read, and others have their turn.
                Ok(Received { bytes: 0, more: true }) => return (Read::More, total),
                Ok(Received { bytes, more }) => {
                    total += bytes;
                    if !more && !self.has_ended {
                        return (Read::Drained, total);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return (Read::Drained, total);
                }
                Err(error) => return (Read::Ended(format!("reading: {error}")), total),
            }
        }
        (Read::More, total)
    }

    /// Handles what was kept while the connection was held, and says how many bytes those were; the session may have
    /// kept some as well.
    pub(super) fn retry(&mut self, engine: &mut Engine, now: u64) -> usize {
        self.receive_kept(engine, now)
    }

    /// Hands on what is kept; how many bytes of it were made use of.
    fn receive_kept(&mut self, engine: &mut Engine, now: u64) -> usize {
        let used = engine.received(now, self.id, &self.kept);
        self.tell_used(used);
        self.kept.drain(..used);
        self.give_back();
        used
    }

    /// Reads half a buffer at most, behind what is kept if there is little of it.
    fn read_once(
        &mut self,
        engine: &mut Engine,
        now: u64,
        buffer: &mut [u8],
    ) -> io::Result<Received> {
        let room = buffer.len() / 2;
        let before = self.kept.len();
        if before > SMALL {
            // The beginning of a long frame stays where it is, however small the pieces of its rest.
            let read = self.stream.read(&mut buffer[..room])?;
            self.kept.extend_from_slice(&buffer[..read.bytes]);
            self.receive_kept(engine, now);
            return Ok(read);
        }
        // All connections read into one buffer, which stays in the caches.
        buffer[..before].copy_from_slice(&self.kept);
        let read = self.stream.read(&mut buffer[before..before + room])?;
        if read.bytes > 0 {
            let all = &buffer[..before + read.bytes];
            let used = engine.received(now, self.id, all);
            self.tell_used(used);
            self.kept.clear();
            self.kept.extend_from_slice(&all[used..]);
            self.give_back();
        }
        Ok(read)
    }

    /// Of one that is to end nothing is made use of.
    #[inline]
    fn tell_used(&mut self, bytes: usize) {
        if self.dismissed.is_none() {
            self.stream.used(bytes);
        }
    }

    /// Counts what is kept, which may have changed. Whether it is much while all keep too much.
    pub(super) fn count_kept(&mut self, engine: &mut Engine) -> bool {
        let in_session = engine.kept_in_session(self.id);
        let after = self.kept.capacity() + in_session;
        let before = std::mem::replace(&mut self.counted, after);
        if before == self.counted {
            return false;
        }
        engine.count_half_frame(before, self.counted) && self.kept.len() + in_session > SMALL
    }

    /// The connection is no more.
    pub(super) fn free_kept(&mut self, engine: &mut Engine) {
        self.kept = Vec::new();
        engine.count_half_frame(std::mem::take(&mut self.counted), 0);
    }

    /// Memory goes back when nothing is kept in it.
    fn give_back(&mut self) {
        if self.kept.is_empty() && self.kept.capacity() > SMALL {
            self.kept = Vec::new();
        }
    }

    /// Writes once; true if there is more to write and room for it.
    pub(super) fn write(&mut self, engine: &mut Engine, now: u64) -> io::Result<bool> {
        let output = engine.output(self.id);
        if output.is_empty() || self.is_finished {
            self.is_blocked = !self.stream.flush()?;
            self.has_waited |= self.is_blocked;
            self.finish()?;
            return Ok(false);
        }
        match self.stream.write(output) {
            Ok(Sent { bytes, blocked }) => {
                engine.sent(now, self.id, bytes);
                self.is_blocked = blocked;
                self.has_waited |= blocked;
                if !blocked && engine.output(self.id).is_empty() {
                    self.finish()?;
                    return Ok(false);
                }
                Ok(!blocked)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                (self.is_blocked, self.has_waited) = (true, true);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// After all has been written: whether none of it had waited for room.
    pub(super) fn has_written_at_once(&mut self) -> bool {
        !self.is_blocked && !std::mem::take(&mut self.has_waited)
    }

    /// Ends our direction of a closing connection once it has been told why. The end of TLS may have to wait
    /// for room.
    fn finish(&mut self) -> io::Result<()> {
        if self.dismissed.is_some() && !self.is_finished && !self.is_blocked {
            self.is_finished = true;
            // A client that is gone already is noticed by reading.
            if self.stream.finish().is_ok() {
                self.is_blocked = !self.stream.flush()?;
            }
        }
        Ok(())
    }
}
