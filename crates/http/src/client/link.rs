//! A connection, as hyper's client sees it, driven by the task that waits for the answer.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Version, header};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{Connection, SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::yield_now;
use tokio::time::sleep;

use super::ClientConfig;
use super::body::{Gate, Sending};
use super::steadfast::Steadfast;
use crate::transport::Count;
use crate::{Error, Result};

/// Bytes on the wire.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    sent: AtomicU64,
    received: AtomicU64,
}

/// Bytes on the wire at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub(super) sent: u64,
    pub(super) received: u64,
}

impl Traffic {
    pub(super) fn counts(&self) -> Counts {
        Counts { sent: self.sent.load(Relaxed), received: self.received.load(Relaxed) }
    }
}

impl Count for Arc<Traffic> {
    fn received(&self) -> &AtomicU64 {
        &self.received
    }

    fn sent(&self) -> &AtomicU64 {
        &self.sent
    }
}

/// An answer as it came.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) parts: http::response::Parts,
    pub(super) body: Bytes,
}

/// The server does not say that it closes the connection.
pub(super) fn keeps_alive(parts: &http::response::Parts) -> bool {
    let says = |option: &str| {
        let values = parts.headers.get_all(header::CONNECTION).iter();
        let mut options = values.filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(','));
        options.any(|it| it.trim().eq_ignore_ascii_case(option))
    };
    match parts.version {
        Version::HTTP_10 => says("keep-alive"),
        _ => !says("close"),
    }
}

/// The reason why there is no answer.
#[derive(Debug)]
pub(super) enum Failed {
    Hyper(hyper::Error),
    Closed(&'static str),
    TimedOut,
    TooLong,
}

impl Failed {
    /// The connection ended, and not because of what came.
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Self::Hyper(cause) => !cause.is_parse() && !cause.is_user(),
            Self::Closed(_) => true,
            Self::TimedOut | Self::TooLong => false,
        }
    }

    pub(super) fn into_error(self, maybe_handled: bool, config: &ClientConfig) -> Error {
        match self {
            Self::TimedOut => {
                Error::TimedOut { limit: "response_timeout", after: config.response_timeout }
            }
            Self::TooLong => Error::TooLong { limit: "body_bytes", bytes: config.body_bytes },
            Self::Closed(cause) => Error::Broken { maybe_handled, cause: cause.to_owned() },
            Self::Hyper(cause) if cause.is_user() => Error::Request(chain(&cause)),
            Self::Hyper(cause) if cause.is_parse() => Error::Answer(chain(&cause)),
            Self::Hyper(cause) => Error::Broken { maybe_handled, cause: chain(&cause) },
        }
    }
}

impl From<hyper::Error> for Failed {
    fn from(cause: hyper::Error) -> Self {
        Self::Hyper(cause)
    }
}

/// An error with all its reasons, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// How long a connection may be left alone before it is looked at once more; that costs a call of the
/// system, which requests in close succession need not pay.
const REST: Duration = Duration::from_millis(1);

/// A connection.
pub(super) struct Link<T: AsyncRead + AsyncWrite + Unpin + 'static> {
    sender: SendRequest<Sending>,
    connection: Connection<TokioIo<Steadfast<T>>, Sending>,
    ended: bool,
    /// It has carried a request.
    pub(super) used: bool,
    /// When the last answer was complete.
    answered: Option<Instant>,
}

impl<T: AsyncRead + AsyncWrite + Unpin + 'static> Link<T> {
    pub(super) async fn new(transport: T) -> Result<Self> {
        let made = handshake(TokioIo::new(Steadfast::new(transport))).await;
        let broken = |cause| Failed::Hyper(cause).into_error(false, &ClientConfig::default());
        let (sender, connection) = made.map_err(broken)?;
        Ok(Self { sender, connection, ended: false, used: false, answered: None })
    }

    /// Lets hyper read and write. Errors reach whoever waits for an answer.
    fn drive(&mut self, context: &mut Context<'_>) {
        if !self.ended {
            self.ended = self.connection.poll_without_shutdown(context).is_ready();
        }
    }

    /// Sends a request and waits for the whole answer.
    pub(super) async fn exchange(
        &mut self,
        request: hyper::Request<Sending>,
        gate: Option<&Gate>,
        config: &ClientConfig,
    ) -> Result<Answer, Failed> {
        let (parts, body) = self.begin(request, gate, config).await?;
        let answer = self.whole(parts, body, config).await?;
        self.answered = Some(Instant::now());
        Ok(answer)
    }

    /// Sends a request and waits for the head of the answer.
    pub(super) async fn begin(
        &mut self,
        request: hyper::Request<Sending>,
        gate: Option<&Gate>,
        config: &ClientConfig,
    ) -> Result<(http::response::Parts, Incoming), Failed> {
        // Between two requests nobody polls the socket. After a pause this is done first; otherwise
        // the request would go to a connection that the server closed long ago.
        if self.answered.is_some_and(|answered| answered.elapsed() >= REST) {
            yield_now().await;
        }
        // Where the server has closed the connection since the last answer, this tells.
        let mut is_ready = |context: &mut Context<'_>| {
            self.drive(context);
            match self.ended {
                true => Poll::Ready(Err(Failed::Closed("the server had closed it"))),
                false => self.sender.poll_ready(context).map_err(Failed::Hyper),
            }
        };
        // At first without this task's waker: sending would wake the task that sends, and that is one more call of the
        // system before it waits.
        match is_ready(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(ready) => ready?,
            Poll::Pending => poll_fn(is_ready).await?,
        }
        self.used = true;
        let sending = self.sender.send_request(request);
        self.head(sending, gate, config).await
    }

    /// Hands a request to hyper, which writes it when it is driven.
    pub(super) fn send(
        &mut self,
        request: hyper::Request<Sending>,
    ) -> impl Future<Output = hyper::Result<hyper::Response<Incoming>>> + use<T> {
        self.sender.send_request(request)
    }

    /// It carries nothing any more.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Lets hyper write once.
    pub(super) async fn write(&mut self) {
        poll_fn(|context| {
            self.drive(context);
            Poll::Ready(())
        })
        .await;
    }

    /// Waits for an answer.
    pub(super) async fn receive(
        &mut self,
        sending: impl Future<Output = hyper::Result<hyper::Response<Incoming>>>,
        gate: Option<&Gate>,
        config: &ClientConfig,
    ) -> Result<Answer, Failed> {
        let (parts, body) = self.head(sending, gate, config).await?;
        self.whole(parts, body, config).await
    }

    /// Waits for the head of an answer.
    async fn head(
        &mut self,
        sending: impl Future<Output = hyper::Result<hyper::Response<Incoming>>>,
        gate: Option<&Gate>,
        config: &ClientConfig,
    ) -> Result<(http::response::Parts, Incoming), Failed> {
        let mut sending = pin!(sending);
        let mut silence = gate.map(|_| Box::pin(sleep(config.continue_timeout)));
        let response = poll_fn(|context| {
            if let (Some(gate), Some(patience)) = (gate, &mut silence)
                && patience.as_mut().poll(context).is_ready()
            {
                gate.open();
                silence = None;
            }
            self.drive(context);
            sending.as_mut().poll(context)
        });
        Ok(response.await?.into_parts())
    }

    /// Waits for bytes of an answer; none at its end.
    pub(super) async fn frame(&mut self, body: &mut Incoming) -> Result<Option<Bytes>, Failed> {
        loop {
            let frame = poll_fn(|context| {
                self.drive(context);
                Pin::new(&mut *body).poll_frame(context)
            });
            let Some(frame) = frame.await else { return Ok(None) };
            if let Ok(data) = frame?.into_data() {
                return Ok(Some(data));
            }
        }
    }

    /// Waits for a whole answer.
    async fn whole(
        &mut self,
        parts: http::response::Parts,
        mut body: Incoming,
        config: &ClientConfig,
    ) -> Result<Answer, Failed> {
        let declared = body.size_hint();
        if declared.lower() > config.body_bytes as u64 {
            return Err(Failed::TooLong);
        }
        let mut whole = Vec::new();
        while let Some(data) = self.frame(&mut body).await? {
            if declared.exact() == Some(data.len() as u64) {
                return Ok(Answer { parts, body: data });
            }
            if data.len() > config.body_bytes - whole.len() {
                return Err(Failed::TooLong);
            }
            if whole.is_empty() {
                let expected = declared.lower().min(1 << 20) as usize;
                whole.reserve(expected.max(data.len()));
            }
            whole.extend_from_slice(&data);
        }
        Ok(Answer { parts, body: Bytes::from(whole) })
    }

    /// Whether another request can be sent after this answer.
    pub(super) fn stays(&self, answer: &http::response::Parts) -> bool {
        !self.ended && !self.sender.is_closed() && keeps_alive(answer)
    }

    /// The transport, and the bytes that were read and belong to no answer.
    pub(super) fn into_parts(self) -> (T, Bytes) {
        let parts = self.connection.into_parts();
        (parts.io.into_inner().transport, parts.read_buf)
    }
}
