//! What came of a connection and is not taken yet, in memory that is read into.

use std::io;

/// Bytes that are read at once at least.
const PIECE: usize = 64 << 10;

/// The bytes of a stream, from the first that is not taken.
#[derive(Debug)]
pub(crate) struct Incoming {
    memory: Vec<u8>,
    start: usize,
    end: usize,
}

impl Incoming {
    /// With what came already.
    pub(crate) fn with(first: &[u8]) -> Self {
        let mut memory = vec![0; PIECE.max(first.len() * 2)];
        memory[..first.len()].copy_from_slice(first);
        Self { memory, start: 0, end: first.len() }
    }

    /// What is not taken.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.end]
    }

    /// So many of them are taken.
    pub(crate) fn take(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Reads once, and says how many bytes came.
    pub(crate) fn read(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if self.memory.len() - self.end < PIECE / 2 {
            // The beginning of a message moves to the front; where it fills the memory, that grows with it.
            self.memory.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if self.memory.len() - self.end < PIECE / 2 {
                self.memory.resize(self.memory.len() * 2, 0);
            }
        }
        let count = read(&mut self.memory[self.end..])?;
        self.end += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_is_not_taken_stays_and_long_messages_have_room() {
        let all: Vec<u8> = (0..1_000_000_u32).map(|it| (it / 7) as u8).collect();
        let mut stream = &all[100..];
        let mut incoming = Incoming::with(&all[..100]);
        let mut at = 0;
        loop {
            let is_end = incoming.read(|room| stream.read(room)).expect("memory") == 0;
            assert_eq!(incoming.bytes(), &all[at..at + incoming.bytes().len()]);
            // Sometimes all, sometimes hardly any, and for a while none.
            let taken = match at {
                300_000..320_000 if incoming.bytes().len() < 400_000 && !is_end => 0,
                _ if at % 3 == 0 => incoming.bytes().len(),
                _ => incoming.bytes().len().min(9_001),
            };
            incoming.take(taken);
            at += taken;
            if is_end && incoming.bytes().is_empty() {
                break;
            }
        }
        assert_eq!(at, all.len());
        assert!(incoming.memory.len() <= 2 << 20, "{}", incoming.memory.len());
    }
}
