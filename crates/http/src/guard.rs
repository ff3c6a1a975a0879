//! The layer between hyper and the wire in the server. It reports activity to the watch, rejects
//! heads that do not end, and adds a text to the answers that hyper makes itself.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Config;
use super::clock::{Phase, Watch};
use super::counters::{ThreadCounters, one};
use super::rejection::Rejection;
use super::transport::{Count, Transport};

impl Count for Arc<ThreadCounters> {
    fn received(&self) -> &std::sync::atomic::AtomicU64 {
        &self.bytes_in
    }

    fn sent(&self) -> &std::sync::atomic::AtomicU64 {
        &self.bytes_out
    }
}

/// A guarded connection.
#[derive(Debug)]
pub(super) struct Guarded {
    transport: Transport<Arc<ThreadCounters>>,
    watch: Arc<Watch>,
    config: Arc<Config>,
    counters: Arc<ThreadCounters>,
    /// An answer that hyper makes itself, which is not sent as it is.
    own: Vec<u8>,
    /// The answer that is sent in its place, and how much of it has been sent.
    instead: (Vec<u8>, usize),
    /// The head is too long, and nothing more of it is read.
    pub(super) head_too_long: bool,
}

impl Guarded {
    pub(super) fn new(
        transport: Transport<Arc<ThreadCounters>>,
        watch: Arc<Watch>,
        config: Arc<Config>,
        counters: Arc<ThreadCounters>,
    ) -> Self {
        let (own, instead) = (Vec::new(), (Vec::new(), 0));
        Self { transport, watch, config, counters, own, instead, head_too_long: false }
    }

    pub(super) fn transport(&mut self) -> &mut Transport<Arc<ThreadCounters>> {
        &mut self.transport
    }

    /// Hyper answers without calling the service: it could not read a head.
    fn is_own_answer(&self) -> bool {
        matches!(self.watch.phase(), Phase::Idle | Phase::Head)
    }

    /// Whether hyper had to answer itself.
    pub(super) fn answered_itself(&self) -> bool {
        !self.instead.0.is_empty()
    }

    fn send_instead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.own.is_empty() {
            let rejection = Rejection::for_unreadable_head(&self.own, &self.config);
            self.own.clear();
            self.instead = (rejection.bytes(), 0);
            self.watch.enter(Phase::Writing);
            one(&self.counters.rejected);
        }
        while let Some(rest @ [_, ..]) = self.instead.0.get(self.instead.1..) {
            let sent = ready!(Pin::new(&mut self.transport).poll_write(context, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.instead.1 += sent;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.watch.head_bytes() > self.config.header_bytes {
            self.head_too_long = true;
            return Poll::Ready(Err(io::Error::other("header_bytes")));
        }
        let before = room.filled().len();
        ready!(Pin::new(&mut self.transport).poll_read(context, room))?;
        let bytes = room.filled().len() - before;
        if bytes > 0 {
            self.watch.received(bytes);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_own_answer() {
            self.own.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.transport).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.is_own_answer() {
            let before = self.own.len();
            for piece in pieces {
                self.own.extend_from_slice(piece);
            }
            return Poll::Ready(Ok(self.own.len() - before));
        }
        Pin::new(&mut self.transport).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_instead(context))?;
        ready!(Pin::new(&mut self.transport).poll_flush(context))?;
        self.watch.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(context)
    }
}
