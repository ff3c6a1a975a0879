//! Room to read into, and messages out of it.

use std::ops::Range;

use trunkline_message::Limits;

use crate::framer::{Frame, Framer};
use crate::{Error, Result};

/// Room at the beginning, and never less.
const ROOM: usize = 64 << 10;
/// The least number of bytes that a read should ask for.
const LEAST_ROOM: usize = 8 << 10;

/// The bytes of a stream that have come and are not used yet. It reads nothing by itself.
///
/// Messages stay where they were read to. Bytes move only where a message does not fit behind those
/// before it, which is at most once for each filling. It grows with what has come, not with what a
/// length claims, and is never longer than twice the longest message allowed.
#[derive(Debug)]
pub struct FrameBuffer {
    limits: Limits,
    bytes: Vec<u8>,
    /// The first byte that is not used.
    start: usize,
    /// Here the bytes that have come end.
    end: usize,
    /// At least so many bytes more are needed for the next message.
    wanted: usize,
    /// Messages found so far.
    messages: u64,
}

impl FrameBuffer {
    /// An empty buffer for messages within these limits.
    pub fn new(limits: Limits) -> Self {
        Self { limits, bytes: vec![0; ROOM], start: 0, end: 0, wanted: 0, messages: 0 }
    }

    /// Where the next bytes of the stream are to be put, as many as one likes; never empty. Tell
    /// [`filled`](Self::filled) how many came, and then take out all messages.
    #[inline]
    pub fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        let least = if self.start == 0 { LEAST_ROOM } else { self.wanted.max(LEAST_ROOM) };
        if self.bytes.len() - self.end < least {
            self.make_room();
        }
        &mut self.bytes[self.end..]
    }

    #[cold]
    fn make_room(&mut self) {
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.bytes.len() - self.end < LEAST_ROOM {
            self.bytes.resize(2 * self.bytes.len(), 0);
        }
    }

    /// `length` bytes have been put at the beginning of the room.
    ///
    /// # Panics
    /// If that is more than the room had.
    #[inline]
    pub fn filled(&mut self, length: usize) {
        assert!(length <= self.bytes.len() - self.end, "more bytes than there was room for");
        self.end += length;
        self.wanted = self.wanted.saturating_sub(length);
    }

    /// The next message; None if it has not come completely.
    ///
    /// # Errors
    /// [`Error::Framing`]: the stream is of no use any more.
    #[inline]
    pub fn take<F: Framer>(&mut self, framer: &mut F) -> Result<Option<&[u8]>> {
        Ok(self.next_range(framer)?.map(|message| self.bytes(message)))
    }

    #[inline]
    pub(crate) fn next_range<F: Framer>(&mut self, framer: &mut F) -> Result<Option<Range<usize>>> {
        while self.wanted == 0 && self.start < self.end {
            let bytes = &self.bytes[self.start..self.end];
            let frame = framer.frame(bytes, &self.limits);
            match frame.map_err(|cause| Error::Framing { message: self.messages, cause })? {
                Frame::Message(Range { start, end }) => {
                    let message = self.start + start..self.start + end;
                    self.start += end;
                    self.messages += 1;
                    return Ok(Some(message));
                }
                Frame::Skip(length) => self.start += length,
                Frame::Incomplete(more) => self.wanted = more.max(1),
            }
        }
        Ok(None)
    }

    /// The bytes of a message that was just found.
    #[inline]
    pub(crate) fn bytes(&self, message: Range<usize>) -> &[u8] {
        &self.bytes[message]
    }

    /// How many messages have been taken out.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// The stream has ended, and [`take`](Self::take) has nothing more.
    ///
    /// # Errors
    /// [`Error::Truncated`] if it ended within a message.
    pub fn end(&self) -> Result<()> {
        let received = self.end - self.start;
        if received == 0 {
            return Ok(());
        }
        let missing = self.wanted.max(1);
        Err(Error::Truncated { message: self.messages, received, missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LengthPrefixed;

    fn fill(buffer: &mut FrameBuffer, mut bytes: &[u8], most: usize) {
        while !bytes.is_empty() {
            let room = buffer.room();
            let length = bytes.len().min(room.len()).min(most);
            room[..length].copy_from_slice(&bytes[..length]);
            buffer.filled(length);
            bytes = &bytes[length..];
        }
    }

    /// Messages of many lengths, after their lengths.
    fn stream(messages: u32) -> (Vec<Vec<u8>>, Vec<u8>) {
        let message = |index: u32| vec![index as u8; (index * 7919 % 30_011) as usize];
        let messages: Vec<Vec<u8>> = (0..messages).map(message).collect();
        let framed =
            |message: &Vec<u8>| [&(message.len() as u32).to_le_bytes(), &message[..]].concat();
        let stream = messages.iter().flat_map(framed).collect();
        (messages, stream)
    }

    #[test]
    fn what_goes_in_comes_out() {
        let (messages, stream) = stream(100);
        for piece in [1, 3, 1000, 8192, 70_000, usize::MAX] {
            let mut buffer = FrameBuffer::new(Limits::default());
            let mut expected = messages.iter();
            for bytes in stream.chunks(piece.min(9000)) {
                fill(&mut buffer, bytes, piece);
                while let Some(message) = buffer.take(&mut LengthPrefixed).expect("good frames") {
                    assert_eq!(Some(message), expected.next().map(Vec::as_slice));
                }
            }
            assert_eq!((expected.next(), buffer.messages()), (None, 100));
            assert!(buffer.end().is_ok());
            assert_eq!(buffer.bytes.len(), ROOM, "it has grown for messages that fit");
        }
    }

    #[test]
    fn it_grows_with_what_has_come_only() {
        let limits = Limits { message_bytes: 1 << 20, ..Limits::default() };
        let mut buffer = FrameBuffer::new(limits);
        fill(&mut buffer, &(1_u32 << 20).to_le_bytes(), 4);
        assert!(buffer.take(&mut LengthPrefixed).expect("a good frame").is_none());
        assert!(!buffer.room().is_empty());
        assert_eq!(buffer.bytes.len(), ROOM);
        let long = vec![7; 1 << 20];
        fill(&mut buffer, &long, 5000);
        assert_eq!(buffer.take(&mut LengthPrefixed).expect("a good frame"), Some(&long[..]));
        assert!(buffer.bytes.len() <= 2 << 20);
        fill(&mut buffer, b"\x01\0\x10\0", 4);
        let error = buffer.take(&mut LengthPrefixed).expect_err("too long").to_string();
        assert_eq!(
            error,
            "message 1 of the connection: at byte 0: more than the limit message_bytes = 1048576 allows"
        );
    }

    #[test]
    fn an_end_within_a_message_says_how_much_is_missing() {
        let mut buffer = FrameBuffer::new(Limits::default());
        assert!(buffer.end().is_ok());
        fill(&mut buffer, b"\x01\0\0\0a\x09\0\0\0abc", 5);
        assert_eq!(buffer.take(&mut LengthPrefixed).expect("a good frame"), Some(&b"a"[..]));
        assert_eq!(buffer.take(&mut LengthPrefixed).expect("a good frame"), None);
        assert_eq!(
            buffer.end().expect_err("6 bytes are missing").to_string(),
            "the stream ends within message 1 of the connection: 7 bytes came, at least 6 more were to come"
        );
    }
}
