//! The body of a request, on its way out.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// Holds a body back until the server requests it (`100 Continue`).
#[derive(Debug, Default)]
pub(super) struct Gate {
    open: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl Gate {
    pub(super) fn closed() -> Arc<Self> {
        Arc::default()
    }

    pub(super) fn open(&self) {
        self.open.store(true, Ordering::Release);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            task.wake();
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    fn register(&self, context: &Context<'_>) {
        let waker = context.waker().clone();
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker);
    }
}

/// A body.
#[derive(Debug)]
pub(super) struct Sending {
    rest: Bytes,
    chunk: Option<usize>,
    gate: Option<Arc<Gate>>,
    /// Set when hyper has taken all of it.
    taken: Arc<AtomicBool>,
}

impl Sending {
    pub(super) fn new(rest: Bytes, chunk: Option<usize>, gate: Option<Arc<Gate>>) -> Self {
        Self { rest, chunk, gate, taken: Arc::default() }
    }

    /// Becomes true when hyper has taken all of it.
    pub(super) fn taken(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.taken)
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.taken.store(true, Ordering::Relaxed);
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        if let Some(gate) = &self.gate {
            gate.register(context);
            if !gate.is_open() {
                return Poll::Pending;
            }
        }
        let length = self.chunk.unwrap_or(usize::MAX).clamp(1, self.rest.len());
        let piece = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        match self.chunk {
            None => SizeHint::with_exact(self.rest.len() as u64),
            Some(_) => SizeHint::default(),
        }
    }
}
