//! One connection of a server: requests in, answers out.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, Version, header};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio::sync::mpsc::Receiver;
use tokio::sync::oneshot;
use trunkline_compression::Error as Problem;

use super::beside::{self, Beside};
use super::clock::{Phase, Watch};
use super::compression;
use super::counters::{ThreadCounters, one};
use super::guard::Guarded;
use super::pool::Pool;
use super::rejection::Rejection;
use super::streaming::{Done, Places, STRETCH};
use super::transport::Transport;
use super::{Compression, Config, Handler, Peer, Request, Response, Wait};

/// The state that all connections of a server share.
pub(super) struct Service<H> {
    pub(super) handler: H,
    pub(super) config: Arc<Config>,
    pub(super) pool: Option<Pool>,
    pub(super) places: Places,
    /// What is spoken on the port beside HTTP.
    pub(super) beside: Option<Box<dyn Beside>>,
}

/// A connection.
pub(super) struct Session<H: Handler> {
    pub(super) service: Arc<Service<H>>,
    pub(super) watch: Arc<Watch>,
    pub(super) counters: Arc<ThreadCounters>,
    pub(super) peer: Peer,
    /// The state of the handler; None before the first request, and after a panic.
    state: Mutex<Option<H::Connection>>,
    requests: AtomicU64,
    /// The other side may still be sending when the answer is closed.
    unread: AtomicBool,
}

/// A request as it was read.
pub(super) struct Whole {
    pub(super) parts: Parts,
    pub(super) body: Bytes,
    pub(super) compression: Option<Compression>,
}

impl Whole {
    /// The request with this body, of so many bytes on the wire.
    fn request<'a>(&'a self, body: &'a [u8], wire_bytes: u64) -> Request<'a> {
        let Self { parts, compression, .. } = self;
        Request {
            method: &parts.method,
            path: parts.uri.path(),
            query: parts.uri.query(),
            version: parts.version,
            headers: &parts.headers,
            body,
            compression: *compression,
            wire_bytes,
        }
    }
}

/// What the handler made of a request.
pub(super) enum Handled {
    Answered(Response),
    /// Its answer waits for this.
    Waits(Wait),
}

type Answering = Pin<Box<dyn Future<Output = Result<hyper::Response<Answer>, Infallible>> + Send>>;

/// Serves a connection to its end.
pub(super) async fn serve<H: Handler>(
    service: Arc<Service<H>>,
    watch: Arc<Watch>,
    counters: Arc<ThreadCounters>,
    mut transport: Transport<Arc<ThreadCounters>>,
    peer: Peer,
) {
    if let Some(beside) = service.beside.as_deref() {
        match beside::is_spoken(beside, &mut transport, &watch).await {
            None => return,
            Some(true) => {
                let transport = &mut transport;
                return beside::serve(&service, beside, &watch, &counters, transport, &peer).await;
            }
            Some(false) => {}
        }
    }
    let config = Arc::clone(&service.config);
    let io =
        Guarded::new(transport, Arc::clone(&watch), Arc::clone(&config), Arc::clone(&counters));
    let session = Arc::new(Session {
        service,
        watch,
        counters,
        peer,
        state: Mutex::new(None),
        requests: AtomicU64::new(0),
        unread: AtomicBool::new(false),
    });
    session.watch.enter(Phase::Idle);
    let (mut io, overdue) = converse(&session, io).await;
    if session.watch.is_evicted() {
        return;
    }
    let rejection = match overdue {
        Some(Phase::Head) => Some(Rejection::header_timeout(&config)),
        Some(Phase::Idle) => None,
        // The client takes nothing, so an answer would not reach it.
        Some(Phase::Writing | Phase::Body | Phase::Handling) => return,
        None if io.head_too_long => Some(Rejection::header_bytes(&config)),
        None => None,
    };
    let unread = rejection.is_some() || io.answered_itself() || session.unread.load(Relaxed);
    if rejection.is_some() {
        one(&session.counters.rejected);
    }
    end(io.transport(), rejection, unread).await;
}

/// Speaks HTTP until one side has had enough, and returns the phase that took too long, if one did.
async fn converse<H: Handler>(session: &Arc<Session<H>>, io: Guarded) -> (Guarded, Option<Phase>) {
    let config = &session.service.config;
    let mut http = http1::Builder::new();
    let is_patient = !session.service.handler.may_wait();
    http.keep_alive(config.keep_alive).half_close(is_patient).auto_date_header(config.date);
    http.header_read_timeout(None);
    if config.headers != Config::HEADERS {
        // Only where it must be, since hyper then takes its tables from the heap.
        http.max_headers(config.headers);
    }
    let answering = Arc::clone(session);
    let service = service_fn(move |request| -> Answering {
        let session = Arc::clone(&answering);
        session.begin(&request);
        Box::pin(async move { Ok(session.answer(request).await) })
    });
    let mut connection = http.serve_connection(TokioIo::new(io), service);
    let watch = &session.watch;
    let mut is_stopping = false;
    let mut task: Option<Waker> = None;
    let overdue = poll_fn(|context| {
        if !task.as_ref().is_some_and(|task| task.will_wake(context.waker())) {
            task = Some(context.waker().clone());
            watch.register(context.waker());
        }
        if watch.stopping() && !is_stopping {
            is_stopping = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        if connection.poll_without_shutdown(context).is_ready() {
            return Poll::Ready(None);
        }
        match watch.phase() {
            Phase::Handling => {
                // Its request came before it was known that it has to go.
                watch.spare();
                Poll::Pending
            }
            phase if watch.is_evicted() => Poll::Ready(Some(phase)),
            phase @ (Phase::Idle | Phase::Head | Phase::Writing) if watch.overdue() => {
                Poll::Ready(Some(phase))
            }
            _ => Poll::Pending,
        }
    });
    let overdue = overdue.await;
    (connection.into_parts().io.into_inner(), overdue)
}

/// Sends a last answer and closes. If the client may still be sending, its bytes are read for a
/// while: closing with unread bytes would make the system discard the last answer.
pub(super) async fn end(
    transport: &mut Transport<Arc<ThreadCounters>>,
    rejection: Option<Rejection>,
    unread: bool,
) {
    const LONGEST: Duration = Duration::from_secs(1);
    const MOST: usize = 1 << 20;
    let parting = async {
        if let Some(rejection) = rejection {
            transport.write_all(&rejection.bytes()).await?;
            transport.flush().await?;
        }
        if unread || !transport.closes_in_order() {
            transport.shutdown().await?;
        }
        let mut room = [0; 4096];
        let mut read = 0;
        while unread && read < MOST {
            match transport.read(&mut room).await? {
                0 => break,
                bytes => read += bytes,
            }
        }
        io::Result::Ok(())
    };
    // Whatever goes wrong, the connection is closed.
    let _ = tokio::time::timeout(LONGEST, parting).await;
}

impl<H: Handler> Session<H> {
    /// The head of a request is whole. Hyper may read of the body before it polls for the answer.
    fn begin(&self, request: &hyper::Request<Incoming>) {
        one(&self.counters.requests);
        self.watch.set_answered(false);
        let is_whole = request.body().is_end_stream();
        self.watch.enter(if is_whole { Phase::Handling } else { Phase::Body });
    }

    async fn answer(self: Arc<Self>, request: hyper::Request<Incoming>) -> hyper::Response<Answer> {
        let (parts, body) = request.into_parts();
        let version = parts.version;
        let outcome = match self.exchange(parts, body).await {
            Ok(response) => self.with_rest(response).await,
            Err(rejection) => Err(rejection),
        };
        let (response, rest) = outcome.unwrap_or_else(|rejection| {
            one(&self.counters.rejected);
            (rejection.response(), None)
        });
        let response = self.written(response, rest, version);
        self.watch.enter(Phase::Writing);
        response
    }

    /// An answer, and what comes behind its body.
    async fn with_rest(
        &self,
        mut response: Response,
    ) -> Result<(Response, Option<Coming>), Rejection> {
        let Some(rest) = response.rest.take().filter(|_| !is_bare(response.status)) else {
            return Ok((response, None));
        };
        let receiver = self.read_rest(rest).await?;
        Ok((response, Some(Coming { receiver, stretch: 0, pause: None })))
    }

    /// What the client has not sent yet is not waited for.
    pub(super) fn leave_unread(&self) {
        self.unread.store(true, Relaxed);
    }

    async fn exchange(
        self: &Arc<Self>,
        parts: Parts,
        body: Incoming,
    ) -> Result<Response, Rejection> {
        let config = &self.service.config;
        let is_streamed = self.is_streamed(&parts, &body);
        let checked = check(&parts, &body, is_streamed, config);
        if checked.is_err() && !body.is_end_stream() {
            self.leave_unread();
        }
        let compression = checked?;
        let whole = match is_streamed {
            true => match self.stream(parts, body).await? {
                Done::Answered(response) => return Ok(response),
                Done::Whole(whole) => *whole,
            },
            false => {
                let body =
                    if body.is_end_stream() { Bytes::new() } else { self.read(body).await? };
                Whole { parts, body, compression }
            }
        };
        self.watch.enter(Phase::Handling);
        let handled = self.handled(whole).await;
        // What the handler made of its beginning would else be taken for that of the next request.
        handled.map_err(|mut rejection| {
            rejection.close |= is_streamed;
            rejection
        })
    }

    /// Is the body of a request handed over as it comes?
    fn is_streamed(&self, parts: &Parts, body: &Incoming) -> bool {
        let Parts { method, uri, headers, .. } = parts;
        !body.is_end_stream()
            && self.service.handler.streams(method, uri.path(), headers)
            && matches!(compression::of_body(headers), Ok(None))
    }

    /// Has a whole request handled, and gives the answer.
    async fn handled(self: &Arc<Self>, whole: Whole) -> Result<Response, Rejection> {
        let config = &self.service.config;
        let length = whole.body.len() as u64;
        let Some(pool) = &self.service.pool else {
            if self.may_block(&whole) {
                let (handled, whole) = self.handle_apart(whole).await?;
                return self.waited(handled?, &whole).await;
            }
            let handled = self.handle_here(&whole)?;
            return self.waited(handled, &whole).await;
        };
        let place =
            pool.place(length, || self.service.handler.rank(&whole.request(&whole.body, length)));
        let (sender, receiver) = oneshot::channel();
        let session = Arc::clone(self);
        // What the answer waits for may need the timers and sockets of this thread.
        let runtime = Handle::current();
        let job = Box::new(move || {
            let _entered = runtime.enter();
            let handled = session.handle(&whole);
            // The receiver is gone if the connection is.
            let _ = sender.send((handled, whole));
        });
        if !pool.give(place, job) {
            let text = "queue: as many requests wait as may";
            let rejection = Rejection::with_status(StatusCode::SERVICE_UNAVAILABLE, text);
            return Err(rejection.retry_after(config.retry_after).keep_open());
        }
        let (handled, whole) = receiver.await.map_err(|_| Rejection::stops())?;
        self.waited(handled?, &whole).await
    }

    /// Handles a request on the thread that reads and writes.
    fn handle_here(&self, whole: &Whole) -> Result<Handled, Rejection> {
        let handled = self.counters.handle(|| self.handle(whole));
        self.watch.set_clock();
        handled
    }

    /// The answer, once there is one.
    async fn waited(&self, mut handled: Handled, whole: &Whole) -> Result<Response, Rejection> {
        loop {
            match handled {
                Handled::Answered(response) => return Ok(response),
                Handled::Waits(wait) => wait.await,
            }
            handled = self.handle_here(whole)?;
        }
    }

    /// Reads a whole body.
    async fn read(&self, body: Incoming) -> Result<Bytes, Rejection> {
        let config = &self.service.config;
        let declared = body.size_hint().exact();
        let mut arriving = Arriving::new(self, body);
        let mut whole = Vec::new();
        loop {
            let data = arriving.next().await.inspect_err(|_| self.leave_unread())?;
            let Some(data) = data else { return Ok(Bytes::from(whole)) };
            if declared == Some(data.len() as u64) {
                return Ok(data);
            }
            if data.len() > config.body_bytes - whole.len() {
                self.leave_unread();
                return Err(Rejection::body_bytes(config));
            }
            if whole.is_empty() {
                // Not all at once: a client may declare much and send little.
                let expected = declared.unwrap_or(0).min(1 << 20) as usize;
                whole.reserve(expected.max(data.len()));
            }
            whole.extend_from_slice(&data);
        }
    }

    /// Calls the handler, and undoes and does compression.
    pub(super) fn handle(&self, whole: &Whole) -> Result<Handled, Rejection> {
        self.guarded(|state| self.call(state, whole))
    }

    /// Calls the handler. What panics there costs this connection only.
    pub(super) fn guarded<T>(
        &self,
        call: impl FnOnce(&mut Option<H::Connection>) -> Result<T, Rejection>,
    ) -> Result<T, Rejection> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let handled = catch_unwind(AssertUnwindSafe(|| call(&mut state)));
        handled.unwrap_or_else(|_| {
            *state = None;
            one(&self.counters.panics);
            let text = "the handler of this request failed";
            Err(Rejection::with_status(StatusCode::INTERNAL_SERVER_ERROR, text))
        })
    }

    fn call(&self, state: &mut Option<H::Connection>, whole: &Whole) -> Result<Handled, Rejection> {
        let Whole { parts, body, compression } = whole;
        let (config, compression) = (&self.service.config, *compression);
        let inflated = match compression.filter(|_| !body.is_empty()) {
            None => None,
            Some(compression) => Some(inflated(compression, body, config)?),
        };
        let body = inflated.as_deref().unwrap_or(body);
        let request = whole.request(body, self.watch.take_received());
        let mut response = Response::default();
        let handler = &self.service.handler;
        let state = state.get_or_insert_with(|| handler.connect(&self.peer));
        handler.handle(state, &request, &mut response);
        if let Some(wait) = handler.wait(state) {
            return Ok(Handled::Waits(wait));
        }
        if config.compression {
            compress(&mut response, parts, config);
        }
        Ok(Handled::Answered(response))
    }

    /// The answer as hyper wants it.
    fn written(
        &self,
        response: Response,
        coming: Option<Coming>,
        version: Version,
    ) -> hyper::Response<Answer> {
        let config = &self.service.config;
        let Response { status, mut headers, body, .. } = response;
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::TRANSFER_ENCODING);
        let last = self.requests.fetch_add(1, Relaxed) + 1 >= config.requests_per_connection;
        if last || self.watch.stopping() || self.unread.load(Relaxed) {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let rest = if is_bare(status) { Bytes::new() } else { Bytes::from(body) };
        let chunk = (config.chunked && version == Version::HTTP_11).then_some(config.chunk_bytes);
        let watch = Arc::clone(&self.watch);
        let mut response = hyper::Response::new(Answer { rest, chunk, coming, watch });
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }
}

/// Has an answer of this status no body?
fn is_bare(status: StatusCode) -> bool {
    status.is_informational() || matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
}

/// A body that is read from a connection.
pub(super) struct Arriving<'s> {
    watch: &'s Watch,
    config: &'s Config,
    body: Incoming,
    /// May it come a little late?
    patience: bool,
}

impl<'s> Arriving<'s> {
    pub(super) fn new<H: Handler>(session: &'s Session<H>, body: Incoming) -> Self {
        Self { watch: &session.watch, config: &session.service.config, body, patience: true }
    }

    /// The time for it begins anew.
    pub(super) fn renew(&mut self) {
        self.watch.enter(Phase::Body);
        self.patience = true;
    }

    /// Bytes that came while this thread was busy are not late, although they are read late. So the first check after the time
    /// leaves some more for the bytes in the socket.
    fn is_late(&mut self) -> bool {
        if self.watch.overdue() && std::mem::take(&mut self.patience) {
            self.watch.prolong();
        }
        self.watch.overdue()
    }

    /// The next bytes; none at its end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Rejection> {
        loop {
            let frame = poll_fn(|context| match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Pending if self.is_late() => {
                    Poll::Ready(Err(Rejection::body_timeout(self.config)))
                }
                Poll::Pending => Poll::Pending,
                // A client that sends without a pause is never waited for.
                Poll::Ready(Some(Ok(_))) if !self.body.is_end_stream() && self.is_late() => {
                    Poll::Ready(Err(Rejection::body_timeout(self.config)))
                }
                Poll::Ready(None) => Poll::Ready(Ok(None)),
                Poll::Ready(Some(Ok(frame))) => Poll::Ready(Ok(Some(frame))),
                Poll::Ready(Some(Err(_))) => Poll::Ready(Err(Rejection::bad(
                    "the body ends too early, or its chunks are not as they should be",
                ))),
            });
            let Some(frame) = frame.await? else { return Ok(None) };
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
    }
}

/// Checks a request before its body is read; returns how the body is compressed.
fn check(
    parts: &Parts,
    body: &Incoming,
    is_streamed: bool,
    config: &Config,
) -> Result<Option<Compression>, Rejection> {
    let Parts { method, uri, version, headers, .. } = parts;
    if *method == Method::CONNECT {
        return Err(Rejection::with_status(StatusCode::NOT_IMPLEMENTED, "this is not a proxy"));
    }
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target > config.target_bytes {
        return Err(Rejection::target_bytes(config));
    }
    let lines = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    if target + lines.sum::<usize>() > config.header_bytes {
        return Err(Rejection::header_bytes(config));
    }
    let mut hosts = headers.get_all(header::HOST).iter();
    if *version == Version::HTTP_11 && (hosts.next().is_none() || hosts.next().is_some()) {
        return Err(Rejection::bad(
            "a request of HTTP/1.1 has one header Host (RFC 9112, section 3.2)",
        ));
    }
    // Several lines are one list (RFC 9110, section 5.3).
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next()
        && (!coding.as_bytes().eq_ignore_ascii_case(b"chunked") || codings.next().is_some())
    {
        let text = "the only known transfer coding is chunked";
        return Err(Rejection::with_status(StatusCode::NOT_IMPLEMENTED, text));
    }
    if let Some(expected) = headers.get(header::EXPECT)
        && *version == Version::HTTP_11
        && !expected.as_bytes().eq_ignore_ascii_case(b"100-continue")
    {
        let text = "the only known expectation is 100-continue";
        return Err(Rejection::with_status(StatusCode::EXPECTATION_FAILED, text));
    }
    let has_length = headers.contains_key(header::CONTENT_LENGTH)
        || headers.contains_key(header::TRANSFER_ENCODING);
    if !has_length && (*method == Method::POST || *method == Method::PUT) {
        let text = "a body needs Content-Length, or Transfer-Encoding: chunked";
        return Err(Rejection::with_status(StatusCode::LENGTH_REQUIRED, text));
    }
    match body.size_hint().lower() {
        length if is_streamed && length > config.streamed_bytes => {
            return Err(Rejection::streamed_bytes(config));
        }
        length if !is_streamed && length > config.body_bytes as u64 => {
            return Err(Rejection::body_bytes(config));
        }
        _ => {}
    }
    compression::of_body(headers).map_err(|_| {
        let known = compression::KNOWN;
        let text = format!("the known codings of a body are {known}, one at a time");
        let rejection = Rejection::with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE, text);
        if body.is_end_stream() { rejection.keep_open() } else { rejection }
    })
}

fn inflated(compression: Compression, body: &[u8], config: &Config) -> Result<Vec<u8>, Rejection> {
    let inflated = compression.decompress(body, config.body_bytes, config.inflate_ratio);
    inflated.map_err(|problem| match problem {
        Problem::TooLong => Rejection::body_bytes(config).keep_open(),
        Problem::TooDense => {
            let most = config.inflate_ratio;
            let text = format!("inflate_ratio: the body becomes more than {most} times longer");
            Rejection::with_status(StatusCode::PAYLOAD_TOO_LARGE, text).keep_open()
        }
        Problem::Broken(cause) => {
            Rejection::bad(format!("the body is not {}: {cause}", compression.name())).keep_open()
        }
    })
}

/// Compresses an answer if it is worth it and the client wants it, and would not take it for a trap.
fn compress(response: &mut Response, parts: &Parts, config: &Config) {
    if response.body.len() < config.compression_from
        || response.rest.is_some()
        || response.headers.contains_key(header::CONTENT_ENCODING)
    {
        return;
    }
    let vary = HeaderValue::from_static("accept-encoding");
    response.headers.append(header::VARY, vary);
    if let Some(coding) = compression::accepted(&parts.headers) {
        let compressed = coding.compress(&response.body);
        if compression::is_too_dense(response.body.len(), compressed.len()) {
            return;
        }
        response.body = compressed;
        response.headers.insert(header::CONTENT_ENCODING, compression::header(coding));
    }
}

/// The body of an answer.
struct Answer {
    rest: Bytes,
    /// Length of a chunk, where it is sent in chunks.
    chunk: Option<usize>,
    /// What comes behind that.
    coming: Option<Coming>,
    watch: Arc<Watch>,
}

/// What comes of an answer while it is sent.
struct Coming {
    receiver: Receiver<io::Result<Bytes>>,
    /// Bytes since the time to take them began anew.
    stretch: u64,
    /// While there is none: how long the client may take yet.
    pause: Option<Option<u64>>,
}

impl Coming {
    /// The next block. The time in which there is none is not the client's.
    fn poll(
        &mut self,
        watch: &Watch,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Bytes>>> {
        let Poll::Ready(block) = self.receiver.poll_recv(context) else {
            self.pause.get_or_insert_with(|| watch.pause());
            return Poll::Pending;
        };
        if let Some(left) = self.pause.take() {
            watch.resume(Phase::Writing, left);
        }
        let block = block.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()));
        if let Ok(block) = &block {
            self.stretch += block.len() as u64;
        }
        if self.stretch >= STRETCH {
            self.stretch = 0;
            watch.enter(Phase::Writing);
        }
        match block {
            Ok(block) if block.is_empty() => Poll::Ready(None),
            block => Poll::Ready(Some(block)),
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.rest.is_empty() {
            let Self { coming, watch, .. } = &mut *self;
            let Some(it) = coming else { return Poll::Ready(None) };
            let block = ready!(it.poll(watch, context));
            if !matches!(block, Some(Ok(_))) {
                *coming = None;
            }
            return Poll::Ready(block.map(|it| it.map(Frame::data)));
        }
        let length = self.chunk.unwrap_or(usize::MAX).clamp(1, self.rest.len());
        let piece = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.coming.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.chunk {
            None if self.coming.is_none() => SizeHint::with_exact(self.rest.len() as u64),
            _ => SizeHint::default(),
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.watch.set_answered(true);
    }
}
