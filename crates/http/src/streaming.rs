//! Bodies that are handed over as they come, to and from threads of their own, which may block.
//!
//! A few blocks wait between such a thread and the one that reads and writes; then the faster side waits for the slower. Time-outs
//! hold for each [`STRETCH`] of a body, not counting the time that the handler takes.

use std::fmt;
use std::future::{pending, poll_fn};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use bytes::Bytes;
use http::request::Parts;
use hyper::body::Incoming;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};

use super::clock::Phase;
use super::connection::{Arriving, Handled, Session, Whole};
use super::counters::one;
use super::rejection::Rejection;
use super::server::spawn;
use super::{Config, Handler, Request, Response};

/// Blocks of a body that wait.
const WAITING: usize = 4;
/// Bytes of a block that is read to be sent.
const BLOCK: usize = 64 << 10;
/// Bytes of a body after which a time-out begins anew.
pub(super) const STRETCH: u64 = 1 << 20;

/// The body of a request, as it comes: reading waits for it. An error says that the rest does not come; the client is told why
/// by the server, whatever the handler answers.
pub struct Body {
    receiver: Receiver<Bytes>,
    block: Bytes,
    /// Told with each reading; the first one begins it.
    wanted: Arc<Notify>,
    outcome: Arc<OnceLock<Result<(), String>>>,
}

impl fmt::Debug for Body {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Body").finish_non_exhaustive()
    }
}

impl Read for Body {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.wanted.notify_one();
        while self.block.is_empty() {
            match self.receiver.blocking_recv() {
                Some(block) => self.block = block,
                None => {
                    return match self.outcome.get() {
                        Some(Ok(())) => Ok(0),
                        Some(Err(why)) => Err(io::Error::other(why.clone())),
                        None => Err(io::ErrorKind::ConnectionAborted.into()),
                    };
                }
            }
        }
        let length = self.block.len().min(into.len());
        into[..length].copy_from_slice(&self.block.split_to(length));
        Ok(length)
    }
}

/// What a handler makes of a request whose body comes as it is read.
#[derive(Debug)]
pub enum Streamed {
    /// It has answered it.
    Answered,
    /// It wants to be given the request as a whole: what was read of the body so far, and the rest.
    Whole(Vec<u8>, Body),
}

/// What a message has behind its body, read as it is sent: of an answer, on a thread of its own.
pub struct Rest(Box<dyn Read + Send>);

impl Rest {
    /// An error ends the connection, by which the other side learns that the message is not whole.
    pub fn new(rest: impl Read + Send + 'static) -> Self {
        Self(Box::new(rest))
    }

    /// The next bytes; none at the end.
    pub(super) fn block(&mut self) -> io::Result<Bytes> {
        let mut block = vec![0; BLOCK];
        loop {
            match self.0.read(&mut block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(length) => {
                    block.truncate(length);
                    return Ok(Bytes::from(block));
                }
            }
        }
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Rest")
    }
}

/// What became of a request whose body was handed over.
pub(super) enum Done {
    Answered(Response),
    /// It was read, and is to be handled.
    Whole(Box<Whole>),
}

/// Where a body goes.
struct Pipe {
    sender: Sender<Bytes>,
    wanted: Arc<Notify>,
    outcome: Arc<OnceLock<Result<(), String>>>,
}

/// How many bodies go as they come. Answers have places of their own: otherwise those that are taken slowly would keep requests
/// out, and a function that waits for such an answer of its own server could wait for its own place.
pub(super) struct Places {
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

impl Places {
    pub(super) fn new(config: &Config) -> Self {
        let places = || Arc::new(Semaphore::new(config.streams.min(Semaphore::MAX_PERMITS)));
        Self { bodies: places(), answers: places() }
    }
}

impl<H: Handler> Session<H> {
    /// Has a request answered while its body comes; the answer, or the request as a whole.
    pub(super) async fn stream(
        self: &Arc<Self>,
        parts: Parts,
        body: Incoming,
    ) -> Result<Done, Rejection> {
        let (sender, receiver) = channel(WAITING);
        let (wanted, outcome) = (Arc::<Notify>::default(), Arc::<OnceLock<_>>::default());
        let pipe = Pipe { sender, wanted: Arc::clone(&wanted), outcome: Arc::clone(&outcome) };
        let body_of_handler = Body { receiver, block: Bytes::new(), wanted, outcome };
        let handling = self.apart(move |session| session.handle_stream(parts, body_of_handler));
        let answer = handling.inspect_err(|_| self.leave_unread())?;
        let mut feeding = pin!(self.feed(body, pipe));
        let mut answer = pin!(answer);
        let (mut is_read, mut is_refused) = (false, None);
        let answer = poll_fn(|context| {
            if !is_read && let Poll::Ready(fed) = feeding.as_mut().poll(context) {
                (is_read, is_refused) = (true, fed.err());
            }
            if is_refused.is_some() {
                return Poll::Ready(None);
            }
            answer.as_mut().poll(context).map(Some)
        })
        .await;
        if let Some(rejection) = is_refused {
            self.leave_unread();
            return Err(rejection);
        }
        if !is_read {
            self.leave_unread();
        }
        match answer {
            Some(Ok(answer)) => answer,
            _ => Err(Rejection::stops()),
        }
    }

    /// Does something on a thread of its own, if there is a place, and gives its result.
    fn apart<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<oneshot::Receiver<T>, Rejection> {
        let full = || Rejection::streams(&self.service.config);
        let permit = Arc::clone(&self.service.places.bodies).try_acquire_owned();
        let permit: OwnedSemaphorePermit = permit.map_err(|_| full())?;
        let (sender, receiver) = oneshot::channel();
        let (session, runtime) = (Arc::clone(self), Handle::current());
        let run = move || {
            let _permit = permit;
            // What the function does may need the timers and sockets of the other thread.
            let _entered = runtime.enter();
            // The receiver is gone if the connection is.
            let _ = sender.send(work(&session));
        };
        spawn("http stream".to_owned(), run).map_err(|_| full())?;
        Ok(receiver)
    }

    /// Might what handles a request block? So it is where the body would have come as it is read, had it not been compressed.
    pub(super) fn may_block(&self, whole: &Whole) -> bool {
        let Whole { parts, body, compression } = whole;
        let handler = &self.service.handler;
        compression.is_some()
            && !body.is_empty()
            && handler.streams(&parts.method, parts.uri.path(), &parts.headers)
    }

    /// Handles a request that is whole on a thread of its own, and gives it back.
    pub(super) async fn handle_apart(
        self: &Arc<Self>,
        whole: Whole,
    ) -> Result<(Result<Handled, Rejection>, Whole), Rejection> {
        let handling = self.apart(move |session| (session.handle(&whole), whole));
        handling.map_err(Rejection::keep_open)?.await.map_err(|_| Rejection::stops())
    }

    /// Calls the handler, on a thread of its own.
    fn handle_stream(&self, parts: Parts, body: Body) -> Result<Done, Rejection> {
        let mut response = Response::default();
        let streamed = self.guarded(|state| {
            let request = Request {
                method: &parts.method,
                path: parts.uri.path(),
                query: parts.uri.query(),
                version: parts.version,
                headers: &parts.headers,
                body: &[],
                compression: None,
                wire_bytes: self.watch.take_received(),
            };
            let handler = &self.service.handler;
            let state = state.get_or_insert_with(|| handler.connect(&self.peer));
            Ok(handler.handle_stream(state, &request, body, &mut response))
        })?;
        match streamed {
            Streamed::Answered => Ok(Done::Answered(response)),
            Streamed::Whole(mut begun, mut rest) => {
                let most = self.service.config.body_bytes;
                let room = (most as u64 + 1).saturating_sub(begun.len() as u64);
                let read = Read::by_ref(&mut rest).take(room).read_to_end(&mut begun);
                // Why it does not come is told by who reads the connection.
                read.map_err(|error| Rejection::bad(error.to_string()))?;
                if begun.len() > most {
                    return Err(Rejection::body_bytes(&self.service.config));
                }
                let body = Bytes::from(begun);
                Ok(Done::Whole(Box::new(Whole { parts, body, compression: None })))
            }
        }
    }

    /// Hands a body over as it comes, and as fast as it is taken. If nobody takes it any more, that is for ever.
    async fn feed(&self, body: Incoming, pipe: Pipe) -> Result<(), Rejection> {
        let Pipe { sender, wanted, outcome } = pipe;
        let config = &self.service.config;
        let mut arriving = Arriving::new(self, body);
        // A client that asks before it sends (RFC 9110, section 10.1.1) is told to go on when somebody reads.
        let left = self.watch.pause();
        wanted.notified().await;
        self.watch.resume(Phase::Body, left);
        let (mut room, mut stretch) = (config.streamed_bytes, 0);
        let fed = loop {
            // The handler takes its time.
            let left = self.watch.pause();
            let Ok(place) = sender.reserve().await else { return pending().await };
            self.watch.resume(Phase::Body, left);
            let block = match arriving.next().await {
                Ok(Some(block)) => block,
                Ok(None) => break Ok(()),
                Err(rejection) => break Err(rejection),
            };
            let length = block.len() as u64;
            match room.checked_sub(length) {
                Some(rest) => room = rest,
                None => break Err(Rejection::streamed_bytes(config)),
            }
            stretch += length;
            if stretch >= STRETCH {
                stretch = 0;
                arriving.renew();
            }
            place.send(block);
        };
        let ended = fed.as_ref().map(|&()| ()).map_err(|rejection| rejection.text().to_owned());
        // It is set once.
        let _ = outcome.set(ended);
        if fed.is_ok() {
            self.watch.enter(Phase::Handling);
        }
        fed
    }

    /// Begins to read what an answer has behind its body.
    pub(super) async fn read_rest(
        &self,
        rest: Rest,
    ) -> Result<Receiver<io::Result<Bytes>>, Rejection> {
        let config = &self.service.config;
        let none = || Rejection::answers(config);
        // It is not given up at once: the function has been called.
        let place = Arc::clone(&self.service.places.answers).acquire_owned();
        let place = tokio::time::timeout(config.write_timeout, place).await.map_err(|_| none())?;
        let permit = place.map_err(|_| none())?;
        let (sender, receiver) = channel(WAITING);
        let counters = Arc::clone(&self.counters);
        let run = move || {
            let _permit = permit;
            if catch_unwind(AssertUnwindSafe(|| pump(rest, &sender))).is_err() {
                one(&counters.panics);
                let _ = sender.blocking_send(Err(io::Error::other("what is sent failed")));
            }
        };
        spawn("http stream".to_owned(), run).map_err(|_| none())?;
        Ok(receiver)
    }
}

/// Reads to the end, which is an empty block, or until nobody takes it any more.
fn pump(mut rest: Rest, sender: &Sender<io::Result<Bytes>>) {
    loop {
        let block = rest.block();
        let is_over = !matches!(&block, Ok(block) if !block.is_empty());
        if sender.blocking_send(block).is_err() || is_over {
            return;
        }
    }
}
