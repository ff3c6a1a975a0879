//! What a session of TLS keeps between the router and a pipe: bytes that are decrypted and that the router has not
//! taken, of which no event tells, and bytes that it has accepted and for which the pipe has no room.

use std::collections::VecDeque;

use trunkline_random::Random;

use super::Pipe;

/// The most bytes that are decrypted or encrypted at once.
const RECORDS: usize = 2 << 10;

/// The state of a session.
#[derive(Debug, Default)]
pub(crate) struct Session {
    decrypted: VecDeque<u8>,
    held: VecDeque<u8>,
    /// The router sends nothing more than what is held.
    pub(crate) ends: bool,
}

impl Session {
    /// Bytes that the router can read though the pipe is empty.
    pub(crate) fn decrypted(&self) -> usize {
        self.decrypted.len()
    }

    /// Bytes that wait for room in the pipe.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    /// Reads what was decrypted, else decrypts some; that may not be a whole record.
    pub(crate) fn read(&mut self, pipe: &mut Pipe, into: &mut [u8], random: &mut Random) -> usize {
        if self.decrypted.is_empty() {
            self.decrypted.extend(pipe.read(1 + random.part(RECORDS)));
            if random.once_in(8) {
                return 0;
            }
        }
        let most = into.len().min(self.decrypted.len());
        let length = if most > 1 && random.once_in(2) { 1 + random.part(most - 1) } else { most };
        for (place, byte) in into.iter_mut().zip(self.decrypted.drain(..length)) {
            *place = byte;
        }
        length
    }

    /// Accepts some bytes, and holds those that find no room.
    pub(crate) fn write(&mut self, pipe: &mut Pipe, bytes: &[u8], random: &mut Random) -> usize {
        self.flush(pipe);
        if !self.held.is_empty() {
            return 0;
        }
        let length = bytes.len().min(pipe.room() + random.part(RECORDS));
        let sent = pipe.write(&bytes[..length]);
        self.held.extend(&bytes[sent..length]);
        length
    }

    /// Sends what is held, as far as there is room; says how much that was.
    pub(crate) fn flush(&mut self, pipe: &mut Pipe) -> usize {
        let length = self.held.len().min(pipe.room());
        let (first, second) = self.held.as_slices();
        let sent = pipe.write(&first[..first.len().min(length)]);
        pipe.write(&second[..length - sent]);
        self.held.drain(..length);
        length
    }

    /// The router forgets it.
    pub(crate) fn clear(&mut self) {
        self.decrypted.clear();
        self.held.clear();
    }
}
