//! A stream between a client and the router: bytes in both directions, of which either side can hold
//! only so many.

use std::collections::VecDeque;

/// Bytes that are under way in one direction.
#[derive(Debug)]
pub(super) struct Pipe {
    bytes: VecDeque<u8>,
    capacity: usize,
}

impl Pipe {
    fn new(capacity: usize) -> Self {
        Self { bytes: VecDeque::new(), capacity }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes that may still come in.
    pub(super) fn room(&self) -> usize {
        self.capacity - self.bytes.len()
    }

    /// Puts in what there is room for, and says how much that was.
    pub(super) fn write(&mut self, bytes: &[u8]) -> usize {
        let length = bytes.len().min(self.room());
        self.bytes.extend(&bytes[..length]);
        length
    }

    /// Takes out at most so many bytes.
    pub(super) fn read(&mut self, most: usize, into: &mut Vec<u8>) -> usize {
        let length = most.min(self.bytes.len());
        into.extend(self.bytes.drain(..length));
        length
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// How a client left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It closed the stream: the router reads what was sent, and then the end.
    Closed,
    /// The stream broke: what was under way is lost.
    Broken,
    /// It is gone without a word, and the router is not told.
    Vanished,
}

/// A stream, with both of its ends.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) to_router: Pipe,
    pub(super) to_client: Pipe,
    /// How the client has left, if it has.
    pub(super) client_end: Option<End>,
    /// The router has closed it; what is under way to the client can still be read.
    pub(super) is_closed_by_router: bool,
}

impl Link {
    pub(super) fn new(to_router: usize, to_client: usize) -> Self {
        Self {
            to_router: Pipe::new(to_router),
            to_client: Pipe::new(to_client),
            client_end: None,
            is_closed_by_router: false,
        }
    }

    /// The client leaves.
    pub(super) fn leave(&mut self, end: End) {
        self.client_end = Some(end);
        self.to_client.clear();
        if end == End::Broken {
            self.to_router.clear();
        }
    }
}
