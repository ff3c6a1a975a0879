//! Input that is not processed yet.

/// The least room for a read.
const ROOM: usize = 64 << 10;

/// Room at the start, so that one read takes what a busy router has ready.
const FIRST_ROOM: usize = 256 << 10;

/// Bytes between two places of a buffer, which grows only for a frame that is longer than it.
#[derive(Debug, Default)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Input {
    /// Bytes that were read and not passed.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Marks the first bytes as processed.
    #[inline]
    pub(crate) fn pass(&mut self, length: usize) {
        self.start += length;
        debug_assert!(self.start <= self.end, "more was passed than read");
    }

    /// Room to read into, at the end; passed bytes may be overwritten.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.bytes.len() - self.end < ROOM {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if self.bytes.len() - self.end < ROOM {
                let length = (self.bytes.len() * 2).max(FIRST_ROOM);
                self.bytes.resize(length, 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// Takes what was read into the room.
    pub(crate) fn filled(&mut self, length: usize) {
        self.end += length;
        assert!(self.end <= self.bytes.len(), "more was read than there was room");
    }

    pub(crate) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let mut input = Input::default();
        let (mut written, mut read) = (0_u32, 0_u32);
        for step in 0..2000_usize {
            let room = input.room();
            assert!(room.len() >= ROOM);
            let count = ((step * 37) % 9000) & !3;
            for place in room[..count].chunks_mut(4) {
                place.copy_from_slice(&written.to_le_bytes());
                written += 1;
            }
            input.filled(count);
            // Leaves more and more, then everything is taken.
            let keep = if step % 100 == 99 { 0 } else { (step % 100) * 400 };
            while input.bytes().len() > keep {
                let (number, _) = input.bytes().split_first_chunk().unwrap();
                assert_eq!(u32::from_le_bytes(*number), read);
                read += 1;
                input.pass(4);
            }
        }
        assert!(read > 1_000_000);
        assert_eq!(input.bytes.len(), FIRST_ROOM);
    }
}
