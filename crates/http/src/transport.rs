//! TCP with or without TLS, every byte counted.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

#[cfg(feature = "tls")]
use tokio::io::AsyncBufRead as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Where bytes are counted.
pub(super) trait Count: Clone + Send + Unpin + 'static {
    fn received(&self) -> &AtomicU64;
    fn sent(&self) -> &AtomicU64;
}

/// A socket whose bytes are counted.
#[derive(Debug)]
pub(super) struct Counted<C> {
    stream: TcpStream,
    count: C,
}

impl<C: Count> Counted<C> {
    pub(super) fn new(stream: TcpStream, count: C) -> Self {
        Self { stream, count }
    }
}

impl<C: Count> AsyncRead for Counted<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = room.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, room))?;
        self.count.received().fetch_add((room.filled().len() - before) as u64, Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl<C: Count> Counted<C> {
    fn poll_peek(
        &self,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        self.stream.poll_peek(context, room)
    }

    fn sent(&self, bytes: usize) -> Poll<io::Result<usize>> {
        self.count.sent().fetch_add(bytes as u64, Relaxed);
        Poll::Ready(Ok(bytes))
    }
}

impl<C: Count> AsyncWrite for Counted<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.sent(sent)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, pieces))?;
        self.sent(sent)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Through socket2, since tokio's own needs the stream by value.
        match socket2::SockRef::from(&self.stream).shutdown(Shutdown::Write) {
            Err(cause) if cause.kind() != io::ErrorKind::NotConnected => Poll::Ready(Err(cause)),
            _ => Poll::Ready(Ok(())),
        }
    }
}

/// The transport of HTTP: TCP or TLS.
#[derive(Debug)]
pub(super) enum Transport<C> {
    Plain(Counted<C>),
    #[cfg(feature = "tls")]
    Tls(Box<tokio_rustls::TlsStream<Counted<C>>>),
}

/// Does the same with either kind.
macro_rules! either {
    ($self:expr, $stream:ident => $call:expr) => {
        match $self {
            Transport::Plain($stream) => $call,
            #[cfg(feature = "tls")]
            Transport::Tls($stream) => $call,
        }
    };
}

impl<C: Count> Transport<C> {
    /// Dropping it tells the other side that nothing more comes, without a word before.
    pub(super) fn closes_in_order(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    /// Looks at bytes, and leaves them there to be read.
    pub(super) fn poll_peek(
        &mut self,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(stream) => stream.poll_peek(context, room),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => {
                let bytes = ready!(Pin::new(stream).poll_fill_buf(context))?;
                let count = bytes.len().min(room.remaining());
                room.put_slice(&bytes[..count]);
                Poll::Ready(Ok(count))
            }
        }
    }
}

impl<C: Count> AsyncRead for Transport<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(&mut *self, stream => Pin::new(stream).poll_read(context, room))
    }
}

impl<C: Count> AsyncWrite for Transport<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(&mut *self, stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(&mut *self, stream => Pin::new(stream).poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        either!(self, stream => stream.is_write_vectored())
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut *self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut *self, stream => Pin::new(stream).poll_shutdown(context))
    }
}
