//! A connection on which an answer is read even where the request could not be sent to its end.
//!
//! A server that rejects a long request answers and closes while it is still being sent. Then writing fails before the answer has
//! been read, which is there.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A transport to which nothing fails that is written, once the other side takes nothing more: reading tells of the end.
#[derive(Debug)]
pub(super) struct Steadfast<T> {
    pub(super) transport: T,
    is_closed: bool,
}

impl<T> Steadfast<T> {
    pub(super) fn new(transport: T) -> Self {
        Self { transport, is_closed: false }
    }

    /// What became of writing so many bytes.
    fn written(&mut self, written: io::Result<usize>, length: usize) -> Poll<io::Result<usize>> {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
        match written {
            Err(error)
                if [BrokenPipe, ConnectionAborted, ConnectionReset].contains(&error.kind()) =>
            {
                self.is_closed = true;
                Poll::Ready(Ok(length))
            }
            written => Poll::Ready(written),
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Steadfast<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_read(context, room)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Steadfast<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_closed {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = ready!(Pin::new(&mut self.transport).poll_write(context, bytes));
        self.written(written, bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = pieces.iter().map(|it| it.len()).sum();
        if self.is_closed {
            return Poll::Ready(Ok(length));
        }
        let written = ready!(Pin::new(&mut self.transport).poll_write_vectored(context, pieces));
        self.written(written, length)
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_closed {
            return Poll::Ready(Ok(()));
        }
        let flushed = ready!(Pin::new(&mut self.transport).poll_flush(context));
        self.written(flushed.map(|()| 0), 0).map_ok(drop)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(context)
    }
}
