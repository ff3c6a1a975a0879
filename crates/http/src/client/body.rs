//! The body of a request, on its way out.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::streaming::Rest;

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
    /// What follows that.
    following: Option<Rest>,
    chunk: Option<usize>,
    gate: Option<Arc<Gate>>,
    /// Set when hyper has taken all of it.
    taken: Arc<AtomicBool>,
}

impl Sending {
    pub(super) fn new(rest: Bytes, chunk: Option<usize>, gate: Option<Arc<Gate>>) -> Self {
        Self { rest, following: None, chunk, gate, taken: Arc::default() }
    }

    /// The same, before what is read as it is sent.
    pub(super) fn before(mut self, following: Option<Rest>) -> Self {
        self.following = following;
        self
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
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.is_end_stream() {
            return Poll::Ready(None);
        }
        if let Some(gate) = &self.gate {
            gate.register(context);
            if !gate.is_open() {
                return Poll::Pending;
            }
        }
        if self.rest.is_empty() {
            // This may block: the thread has nothing else to do.
            let block = self.following.as_mut().map(Rest::block);
            let block = block.filter(|it| !matches!(it, Ok(it) if it.is_empty()));
            if !matches!(block, Some(Ok(_))) {
                self.following = None;
            }
            return Poll::Ready(block.map(|it| it.map(Frame::data)));
        }
        let length = self.chunk.unwrap_or(usize::MAX).clamp(1, self.rest.len());
        let piece = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.following.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.chunk {
            None if self.following.is_none() => SizeHint::with_exact(self.rest.len() as u64),
            _ => SizeHint::default(),
        }
    }
}
