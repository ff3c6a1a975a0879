//! What outlives a connection: the numbers of a session, and the messages that may have to be sent again.

use std::io;
use std::sync::Arc;

use crate::kept::Kept;

/// What is called, on any thread, when a store has got further. It must not block.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The numbers and messages of one session.
///
/// All methods may be called at any time. What is saved need not survive a crash before it is asked for by
/// [`sync`](Self::sync), and the store has got as far as that says ([`stored`](Self::stored)).
pub trait Store: Send {
    /// The number of the next message that is sent.
    fn next_sender(&self) -> u64;

    /// The number of the next message that is expected.
    fn next_target(&self) -> u64;

    /// Says which number is expected next.
    ///
    /// # Errors
    /// Those of the disk; the session ends.
    fn set_next_target(&mut self, number: u64) -> io::Result<()>;

    /// Says which number is expected next, and need not survive soon: after a crash it may be a lower one, and messages that
    /// came before are asked for again.
    ///
    /// # Errors
    /// As [`set_next_target`](Self::set_next_target).
    fn note_next_target(&mut self, number: u64) -> io::Result<()> {
        self.set_next_target(number)
    }

    /// Notes that the next number is sent. A message of the application is kept; one of the session has a number alone.
    ///
    /// # Errors
    /// Those of the disk; the message is not sent, and the session ends. [`io::ErrorKind::FileTooLarge`]: this message can never be
    /// kept.
    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()>;

    /// Notes that the next number is sent, with a message of which nothing is kept. It may leave before there is a record of its
    /// number: after a crash the next number may be a higher one, but is none that was sent.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    fn note(&mut self) -> io::Result<()> {
        self.save(None)
    }

    /// The first message that is kept with a number from here on, and its number.
    ///
    /// # Errors
    /// Those of the disk; the session ends.
    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>>;

    /// Begins again with number 1 on both sides, at this time: nanoseconds since 1970.
    ///
    /// # Errors
    /// Those of the disk; the session ends.
    fn reset(&mut self, utc: i64) -> io::Result<()>;

    /// When the numbers began, if they ever were [reset](Self::reset).
    fn began(&self) -> Option<i64>;

    /// Notes that the other side has all messages before this number.
    ///
    /// # Errors
    /// Those of the disk; the session ends.
    fn set_arrived(&mut self, _number: u64) -> io::Result<()> {
        Ok(())
    }

    /// The other side has all messages before this number; none if that is not noted.
    fn arrived(&self) -> Option<u64> {
        None
    }

    /// Asks for all of it to survive, but for what is [noted](Self::note) and may survive later, and need not wait for that:
    /// returns a mark. What depends on it is sent when [`stored`](Self::stored) has reached the mark.
    ///
    /// # Errors
    /// Those of the disk; what was not sent yet is not sent, and the session ends.
    fn sync(&mut self) -> io::Result<u64> {
        Ok(0)
    }

    /// Up to which mark all survives.
    ///
    /// # Errors
    /// As [`sync`](Self::sync).
    fn stored(&mut self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    /// Waits until all of it survives.
    ///
    /// # Errors
    /// As [`sync`](Self::sync).
    fn wait(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Says what is to be called whenever [`stored`](Self::stored) may have got further, or fails.
    fn on_stored(&mut self, _wake: Wake) {}
}

/// A store in memory, which ends with the process.
#[derive(Debug)]
pub struct MemoryStore {
    next_sender: u64,
    next_target: u64,
    arrived: u64,
    messages: Kept,
    most: usize,
    began: Option<i64>,
}

/// Bytes of messages that a store in memory keeps, if nothing else is said.
const MOST: usize = 64 << 20;

impl Default for MemoryStore {
    fn default() -> Self {
        Self::with_bytes(MOST)
    }
}

impl MemoryStore {
    /// One that keeps so many bytes of messages: the oldest go first, and are filled as gaps when they are asked for.
    pub fn with_bytes(most: usize) -> Self {
        Self {
            next_sender: 1,
            next_target: 1,
            arrived: 1,
            messages: Kept::default(),
            most,
            began: None,
        }
    }

    /// Goes on with these numbers, and keeps its messages.
    pub(crate) fn go_on_at(&mut self, next_sender: u64, next_target: u64) {
        (self.next_sender, self.next_target) = (next_sender, next_target);
    }

    /// Says when the numbers began.
    pub(crate) fn set_began(&mut self, began: Option<i64>) {
        self.began = began;
    }

    /// The messages with their numbers.
    pub(crate) fn messages(&self) -> &Kept {
        &self.messages
    }

    /// Forgets messages with lower numbers.
    pub(crate) fn forget_before(&mut self, number: u64) {
        self.messages.forget_before(number);
    }

    /// One that goes on with these numbers, and has no messages.
    pub fn at(next_sender: u64, next_target: u64) -> Self {
        Self { next_sender, next_target, ..Self::default() }
    }
}

impl Store for MemoryStore {
    fn next_sender(&self) -> u64 {
        self.next_sender
    }

    fn next_target(&self) -> u64 {
        self.next_target
    }

    fn set_next_target(&mut self, number: u64) -> io::Result<()> {
        self.next_target = number;
        Ok(())
    }

    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
        if let Some(message) = message {
            self.messages.insert(self.next_sender, message);
            while self.messages.bytes() > self.most && self.messages.forget_first() {}
        }
        self.next_sender += 1;
        Ok(())
    }

    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
        let Some((number, bytes)) = self.messages.next(from) else { return Ok(None) };
        message.clear();
        message.extend_from_slice(bytes);
        Ok(Some(number))
    }

    fn reset(&mut self, utc: i64) -> io::Result<()> {
        *self = Self { began: Some(utc), ..Self::with_bytes(self.most) };
        Ok(())
    }

    fn began(&self) -> Option<i64> {
        self.began
    }

    fn set_arrived(&mut self, number: u64) -> io::Result<()> {
        self.arrived = number;
        Ok(())
    }

    fn arrived(&self) -> Option<u64> {
        Some(self.arrived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_messages_go_when_there_are_too_many_bytes() {
        let mut store = MemoryStore::with_bytes(10);
        for message in [Some(&b"1234"[..]), None, Some(b"5678"), Some(b"90ab")] {
            store.save(message).expect("memory");
        }
        let mut message = Vec::new();
        assert_eq!(store.load(1, &mut message).expect("memory"), Some(3));
        assert_eq!((&*message, store.next_sender()), (&b"5678"[..], 5));
        assert_eq!(store.load(5, &mut message).expect("memory"), None);
        store.reset(7).expect("memory");
        assert_eq!(store.began(), Some(7));
        assert_eq!((store.next_sender(), store.load(1, &mut message).expect("memory")), (1, None));
    }
}
