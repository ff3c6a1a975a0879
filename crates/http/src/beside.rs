//! Another protocol on the port of HTTP, told from it by the first byte of a connection.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::clock::{Phase, Watch};
use super::connection::{self, Service};
use super::counters::{ThreadCounters, one};
use super::transport::Transport;
use super::{Handler, Peer, Wait};

/// A protocol that is spoken beside HTTP, with TLS where the port has it.
pub trait Beside: Send + Sync + 'static {
    /// The first byte that a client sends, and none of HTTP does.
    fn first_byte(&self) -> u8;

    /// Somebody has connected who speaks it.
    fn connect(&self, peer: &Peer) -> Box<dyn Talk>;
}

/// One connection of such a protocol: bytes in, bytes out. Time-outs, threads and limits of connections
/// are those of HTTP.
pub trait Talk: Send {
    /// Takes bytes in, and goes on until it has to wait.
    fn receive(&mut self, bytes: &[u8]);

    /// What it waits for.
    fn waits(&self) -> Waiting;

    /// Where the request that waits for being handled stands among others, as [`Handler::rank`] says it.
    fn rank(&self) -> u64 {
        0
    }

    /// Handles the request that waits, and goes on until it has to wait again. Blocks only where a
    /// [`Handler`] may.
    fn handle(&mut self);

    /// What the answer to the request waits for that was handled last. Then it is handled again, for its answer.
    fn wait(&mut self) -> Option<Wait> {
        None
    }

    /// Rejects the request that waits: so many wait already.
    fn reject(&mut self);

    /// Takes the request that waits, if others may be taken before it is answered: what answers it, on another
    /// thread. Dropped, it is rejected.
    fn take(&mut self) -> Option<Job> {
        None
    }

    /// Takes in the answers to what was taken.
    fn collect(&mut self) {}

    /// What is to be sent; it is taken out of it.
    fn output(&mut self) -> &mut Vec<u8>;
}

/// Something to do, at most once.
pub type Job = Box<dyn FnOnce() + Send>;

/// What a [`Talk`] waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// For a request, at most [`idle_timeout`](super::Config::idle_timeout).
    Request,
    /// For the rest of a handshake, at most [`header_timeout`](super::Config::header_timeout).
    Handshake,
    /// For the rest of a request, at most [`body_timeout`](super::Config::body_timeout) from its
    /// beginning.
    Rest,
    /// For being handled: a request of so many bytes.
    Handling(u64),
    /// For nothing; the connection ends.
    End,
}

/// Answers are collected up to so many bytes.
const TOGETHER: usize = 64 << 10;
/// Memory that is kept for the next answers.
const KEPT: usize = 1 << 20;

/// Does the client speak it? None if it says nothing, or the connection has to end.
pub(super) async fn is_spoken(
    beside: &dyn Beside,
    transport: &mut Transport<Arc<ThreadCounters>>,
    watch: &Watch,
) -> Option<bool> {
    let mut first = [0];
    let mut first = ReadBuf::new(&mut first);
    let peeked = until(watch, |context| transport.poll_peek(context, &mut first)).await?;
    match peeked {
        Ok(1) => Some(first.filled() == [beside.first_byte()]),
        // Closed; HTTP knows what to do.
        _ => Some(false),
    }
}

/// Speaks it to the end.
pub(super) async fn serve<H: Handler>(
    service: &Service<H>,
    beside: &dyn Beside,
    watch: &Arc<Watch>,
    counters: &ThreadCounters,
    transport: &mut Transport<Arc<ThreadCounters>>,
    peer: &Peer,
) {
    // A lock only for the pool, whose threads have it in turns with this one; never waited for.
    let talk = Arc::new(Mutex::new(beside.connect(peer)));
    let locked = || talk.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = Arc::new(Taken::default());
    watch.enter(Phase::Head);
    let mut room = vec![0; 16 << 10];
    loop {
        taken.is_done.swap(false, AcqRel);
        locked().collect();
        let waits = locked().waits();
        let is_handling = matches!(waits, Waiting::Handling(_));
        // Answers to requests that came together go together.
        let is_due = |length| if is_handling { length > TOGETHER } else { length > 0 };
        if is_due(locked().output().len()) && send(&talk, transport, watch).await.is_none() {
            return;
        }
        match waits {
            Waiting::End => return connection::end(transport, None, true).await,
            Waiting::Handling(length) => {
                one(&counters.requests);
                let place = service.pool.as_ref().map(|it| it.place(length, || locked().rank()));
                if let Some((pool, place)) = service.pool.as_ref().zip(place)
                    && let Some(job) = locked().take()
                {
                    if !pool.give(place, taken.job(job, watch)) {
                        one(&counters.rejected);
                    }
                    continue;
                }
                watch.enter(Phase::Handling);
                handle(service, &talk, counters, length).await;
                watch.set_clock();
                if answered_later(&talk, transport, watch).await.is_none() {
                    return;
                }
                // It had to stay while its request was being handled.
                watch.spare();
                continue;
            }
            Waiting::Rest if watch.phase() != Phase::Body => watch.enter(Phase::Body),
            Waiting::Handshake if watch.phase() != Phase::Head => watch.enter(Phase::Head),
            // It has answers to wait for.
            Waiting::Request if taken.count.load(Acquire) > 0 => watch.enter(Phase::Handling),
            Waiting::Request if watch.phase() != Phase::Idle => watch.enter(Phase::Idle),
            Waiting::Rest | Waiting::Handshake | Waiting::Request => {}
        }
        match read(transport, watch, &taken, &mut room).await {
            None => return,
            Some(0) => {}
            Some(length) => locked().receive(&room[..length]),
        }
    }
}

/// Sends what is to be sent. None where the connection has to end.
async fn send(
    talk: &Mutex<Box<dyn Talk>>,
    transport: &mut Transport<Arc<ThreadCounters>>,
    watch: &Watch,
) -> Option<()> {
    let locked = || talk.lock().unwrap_or_else(PoisonError::into_inner);
    let mut output = std::mem::take(locked().output());
    watch.enter(Phase::Writing);
    write(transport, watch, &output).await?;
    watch.enter(Phase::Idle);
    output.clear();
    output.shrink_to(KEPT);
    *locked().output() = output;
    Some(())
}

/// Waits for bytes and tells how many came: none if a request that was taken has been answered first. None where
/// the connection has to end.
async fn read(
    transport: &mut Transport<Arc<ThreadCounters>>,
    watch: &Watch,
    taken: &Taken,
    room: &mut [u8],
) -> Option<usize> {
    let mut bytes = ReadBuf::new(room);
    let read = until(watch, |context| {
        // In this order, so that nothing is missed.
        let count = taken.count.load(Acquire);
        if count > 0 {
            watch.register(context.waker());
        }
        let is_last = count == 0 && watch.phase() == Phase::Handling;
        if is_last || taken.is_done.load(Acquire) {
            return Poll::Ready(Ok(None));
        }
        ready!(Pin::new(&mut *transport).poll_read(context, &mut bytes))?;
        Poll::Ready(Ok(Some(bytes.filled().len())))
    });
    match read.await?.ok()? {
        None => Some(0),
        Some(0) => None,
        Some(length) => Some(length),
    }
}

/// The requests of a connection that are being answered on other threads.
#[derive(Default)]
struct Taken {
    count: AtomicUsize,
    /// One has been answered since it was looked at.
    is_done: AtomicBool,
}

/// One of them. It is answered, or rejected, before this goes.
struct One {
    taken: Arc<Taken>,
    watch: Arc<Watch>,
}

impl Taken {
    fn job(self: &Arc<Self>, job: Job, watch: &Arc<Watch>) -> Job {
        self.count.fetch_add(1, AcqRel);
        let one = One { taken: Arc::clone(self), watch: Arc::clone(watch) };
        let given = Given { job, one };
        // What the job waits for may need the timers and sockets of this thread.
        let runtime = Handle::current();
        Box::new(move || {
            let _entered = runtime.enter();
            given.run();
        })
    }
}

/// A job and its count. Where both are dropped, the job goes first.
struct Given {
    job: Job,
    one: One,
}

impl Given {
    fn run(self) {
        let Self { job, one } = self;
        job();
        drop(one);
    }
}

impl Drop for One {
    fn drop(&mut self) {
        self.taken.is_done.store(true, Release);
        self.taken.count.fetch_sub(1, AcqRel);
        self.watch.wake();
    }
}

/// Waits for the answer to the request that was handled last, if it has to. None where the client is gone before.
async fn answered_later(
    talk: &Mutex<Box<dyn Talk>>,
    transport: &mut Transport<Arc<ThreadCounters>>,
    watch: &Watch,
) -> Option<()> {
    let locked = || talk.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let Some(wait) = locked().wait() else { return Some(()) };
        // Answers that are there do not wait with it.
        if !locked().output().is_empty() {
            send(talk, transport, watch).await?;
        }
        waited(wait, transport, watch).await?;
        locked().handle();
        watch.set_clock();
    }
}

/// Waits for what an answer waits for. None where the client is gone before.
async fn waited(
    mut wait: Wait,
    transport: &mut Transport<Arc<ThreadCounters>>,
    watch: &Watch,
) -> Option<()> {
    poll_fn(|context| {
        if wait.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(()));
        }
        let mut next = [0];
        let mut next = ReadBuf::new(&mut next);
        match transport.poll_peek(context, &mut next) {
            Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(None),
            // What it sends meanwhile is read later.
            Poll::Ready(Ok(_)) | Poll::Pending => {}
        }
        watch.register(context.waker());
        Poll::Pending
    })
    .await
}

async fn handle<H: Handler>(
    service: &Service<H>,
    talk: &Arc<Mutex<Box<dyn Talk>>>,
    counters: &ThreadCounters,
    length: u64,
) {
    let locked = |talk: &Mutex<Box<dyn Talk>>| {
        talk.lock().unwrap_or_else(PoisonError::into_inner).handle();
    };
    let Some(pool) = &service.pool else {
        return counters.handle(|| locked(talk));
    };
    let lock = || talk.lock().unwrap_or_else(PoisonError::into_inner);
    let place = pool.place(length, || lock().rank());
    let (sender, receiver) = oneshot::channel();
    let shared = Arc::clone(talk);
    // What the answer waits for may need the timers and sockets of this thread.
    let runtime = Handle::current();
    let job = Box::new(move || {
        let _entered = runtime.enter();
        locked(&shared);
        // The receiver is gone if the connection is.
        let _ = sender.send(());
    });
    // Else the job is dropped, and the request rejected with it.
    let _ = pool.give(place, job);
    if receiver.await.is_err() {
        one(&counters.rejected);
        lock().reject();
    }
}

async fn write(
    transport: &mut Transport<Arc<ThreadCounters>>,
    watch: &Watch,
    mut bytes: &[u8],
) -> Option<()> {
    while !bytes.is_empty() {
        let written = until(watch, |context| Pin::new(&mut *transport).poll_write(context, bytes));
        match written.await? {
            Ok(written @ 1..) => bytes = &bytes[written..],
            _ => return None,
        }
    }
    let flushed =
        until(watch, |context| Pin::new(&mut *transport).poll_flush(context).map_ok(|()| 0));
    flushed.await?.ok().map(|_| ())
}

/// The result of a poll; None where the connection has to end before it is ready.
async fn until<T>(
    watch: &Watch,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<io::Result<T>>,
) -> Option<io::Result<T>> {
    poll_fn(|context| {
        if let Poll::Ready(result) = poll(context) {
            return Poll::Ready(Some(result));
        }
        let stops = watch.stopping() && matches!(watch.phase(), Phase::Idle | Phase::Head);
        if stops || watch.is_evicted() || watch.overdue() {
            return Poll::Ready(None);
        }
        watch.register(context.waker());
        Poll::Pending
    })
    .await
}
