//! Several requests at once (RFC 9112, section 9.3.2).
//!
//! Hyper's client sends a request when it has the answer to the one before. Here each request has a
//! hyper client of its own. Their output is sent at once, in order. Input is read by the client
//! whose turn it is, and the bytes that it has read too much go to the next.

use std::io;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Method, header};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;

use super::body::Sending;
use super::link::{Counts, Link, Traffic, keeps_alive};
use super::{Client, ClientConfig, Received, chunks, received};
use crate::transport::Transport;
use crate::{Error, Result};

type Wire = Transport<Arc<Traffic>>;

/// The connection that the clients share.
struct Pipe {
    wire: Wire,
    outgoing: Vec<u8>,
    written: usize,
    incoming: Bytes,
    /// The client that may read.
    turn: Option<usize>,
}

impl Pipe {
    /// Sends what can be sent now.
    fn push(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while let Some(rest @ [_, ..]) = self.outgoing.get(self.written..) {
            match Pin::new(&mut self.wire).poll_write(context, rest) {
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Ok(sent)) => self.written += sent,
                Poll::Ready(Err(cause)) => return Err(cause),
                Poll::Pending => return Ok(()),
            }
        }
        match Pin::new(&mut self.wire).poll_flush(context) {
            Poll::Ready(flushed) => flushed,
            Poll::Pending => Ok(()),
        }
    }
}

/// One client's end of the pipe.
struct PipelineEnd {
    pipe: Arc<Mutex<Pipe>>,
    number: usize,
}

fn lock(pipe: &Mutex<Pipe>) -> MutexGuard<'_, Pipe> {
    pipe.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AsyncRead for PipelineEnd {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut pipe = lock(&self.pipe);
        if pipe.turn != Some(self.number) {
            // It is polled again when it is its turn.
            return Poll::Pending;
        }
        // A server that has closed may still have answered: what it said is read first.
        let pushed = pipe.push(context);
        if pipe.incoming.is_empty() {
            ready!(Pin::new(&mut pipe.wire).poll_read(context, room))?;
            return Poll::Ready(if room.filled().is_empty() { pushed } else { Ok(()) });
        }
        let length = pipe.incoming.len().min(room.remaining());
        room.put_slice(&pipe.incoming.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PipelineEnd {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        lock(&self.pipe).outgoing.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Client {
    /// Sends several requests at once, with the same method, path and headers, and returns their
    /// answers in the order of the requests. No request waits for an answer, so nothing is repeated
    /// and `Expect` is not used. [`ClientConfig::response_timeout`] is for all of them together.
    ///
    /// # Errors
    /// As [`request`](Self::request); where the server closes the connection before the last answer
    /// [`Error::Broken`], which says how many answers came.
    pub fn pipeline(
        &mut self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        bodies: &[&[u8]],
    ) -> Result<Vec<Received>> {
        self.abandon();
        if let Some(link) = &mut self.link {
            self.runtime.block_on(link.write());
            if link.ended() {
                self.close();
            }
        }
        let start = self.traffic.counts();
        self.connect()?;
        let Some((wire, _)) = self.link.take().map(Link::into_parts) else { return Ok(Vec::new()) };
        let (outgoing, incoming) = (Vec::new(), Bytes::new());
        let pipe = Pipe { wire, outgoing, written: 0, incoming, turn: None };
        let pipe = Arc::new(Mutex::new(pipe));
        let mut requests = Vec::with_capacity(bodies.len());
        for body in bodies {
            let (mut parts, body) =
                self.prepare(method, path, headers, Bytes::copy_from_slice(body))?;
            parts.headers.remove(header::EXPECT);
            let sending = Sending::new(body, chunks(&self.config), None);
            requests.push(hyper::Request::from_parts(parts, sending));
        }
        let (config, traffic) = (&self.config, &self.traffic);
        let (answers, stays) = self.runtime.block_on(async {
            let patience = config.response_timeout;
            let all = exchange_all(&pipe, requests, config, traffic, start);
            let late = Error::TimedOut { limit: "response_timeout", after: patience };
            timeout(patience, all).await.unwrap_or(Err(late))
        })?;
        let pipe = Arc::into_inner(pipe).and_then(|pipe| pipe.into_inner().ok());
        if let Some(pipe) = pipe.filter(|pipe| stays && pipe.incoming.is_empty()) {
            let mut link = self.runtime.block_on(Link::new(pipe.wire))?;
            link.used = true;
            self.link = Some(link);
        }
        Ok(answers)
    }
}

async fn exchange_all(
    pipe: &Arc<Mutex<Pipe>>,
    requests: Vec<hyper::Request<Sending>>,
    config: &ClientConfig,
    traffic: &Traffic,
    start: Counts,
) -> Result<(Vec<Received>, bool)> {
    let mut stays = config.keep_alive;
    let mut waiting = Vec::with_capacity(requests.len());
    for (number, request) in requests.into_iter().enumerate() {
        let taken = request.body().taken();
        let mut link = Link::new(PipelineEnd { pipe: Arc::clone(pipe), number }).await?;
        let sending = link.send(request);
        while !taken.load(Relaxed) {
            link.write().await;
        }
        link.write().await;
        waiting.push((link, sending));
    }
    let mut before = start;
    let mut answers = Vec::with_capacity(waiting.len());
    for (number, (mut link, sending)) in waiting.into_iter().enumerate() {
        lock(pipe).turn = Some(number);
        let answer = link.receive(sending, None, config).await.map_err(|failed| {
            match failed.into_error(true, config) {
                Error::Broken { maybe_handled, cause } => {
                    let cause = format!("{number} answers came: {cause}");
                    Error::Broken { maybe_handled, cause }
                }
                error => error,
            }
        })?;
        // This does not follow hyper, which takes the next answer for one without a request.
        stays &= keeps_alive(&answer.parts);
        let now = traffic.counts();
        let (sent, came) = (now.sent - before.sent, now.received - before.received);
        before = now;
        answers.push(received(answer, sent, came, config)?);
        let (_, rest) = link.into_parts();
        let mut pipe = lock(pipe);
        let mut joined = rest.to_vec();
        joined.extend_from_slice(&pipe.incoming);
        pipe.incoming = Bytes::from(joined);
    }
    Ok((answers, stays))
}
