//! Streams and listeners of a router with several threads.

use std::io;

use trunkline_reactor::Address;

use super::ends::Near;
use crate::engine::Peer;
use crate::platform::{Listener, Received, Sent, Stream};

/// A stream of the loop, and which thread carries its bytes.
#[derive(Debug)]
pub enum CarriedStream<S> {
    /// The thread of the loop.
    Here(S),
    /// Another one.
    There(Box<Near>),
}

impl<S: Stream> CarriedStream<S> {
    /// Whether moving its bytes takes system calls.
    pub(super) fn is_socket(&self) -> bool {
        match self {
            Self::Here(it) => it.is_socket(),
            Self::There(_) => true,
        }
    }
}

impl<S: Stream> Stream for CarriedStream<S> {
    #[inline]
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<Received> {
        match self {
            Self::Here(it) => it.read(bytes),
            Self::There(it) => it.read(bytes),
        }
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<Sent> {
        match self {
            Self::Here(it) => it.write(bytes),
            Self::There(it) => it.write(bytes),
        }
    }

    #[inline]
    fn flush(&mut self) -> io::Result<bool> {
        match self {
            Self::Here(it) => it.flush(),
            Self::There(it) => it.flush(),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Here(it) => it.finish(),
            Self::There(it) => it.finish(),
        }
    }

    fn bound_buffers(&mut self) -> io::Result<()> {
        match self {
            Self::Here(it) => it.bound_buffers(),
            Self::There(it) => it.bound_buffers(),
        }
    }

    fn under_way(&self) -> Option<usize> {
        match self {
            Self::Here(it) => it.under_way(),
            Self::There(it) => it.under_way(),
        }
    }

    fn peer(&self) -> Peer {
        match self {
            Self::Here(it) => it.peer(),
            Self::There(it) => it.peer(),
        }
    }

    #[inline]
    fn used(&mut self, bytes: usize) {
        if let Self::Here(it) = self {
            it.used(bytes);
        }
    }

    fn memory(&self) -> usize {
        match self {
            Self::Here(it) => it.memory(),
            Self::There(it) => it.memory(),
        }
    }

    fn has_progressed(&mut self) -> bool {
        match self {
            Self::Here(it) => it.has_progressed(),
            Self::There(it) => it.has_progressed(),
        }
    }
}

/// A listener, whose streams come in at the thread of the loop.
#[derive(Debug)]
pub struct CarriedListener<L>(pub L);

impl<L: Listener> Listener for CarriedListener<L> {
    type Stream = CarriedStream<L::Stream>;

    fn accept(&mut self) -> io::Result<Option<Self::Stream>> {
        Ok(self.0.accept()?.map(CarriedStream::Here))
    }

    fn address(&self) -> Address {
        self.0.address()
    }
}
