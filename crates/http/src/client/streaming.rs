//! Requests whose bodies are read while they are sent, and answers whose bodies are read as they come.

use std::io::{self, Read};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Method, Version, header};
use hyper::body::Incoming;

use super::body::{Gate, Sending};
use super::link::{Answer, Failed};
use super::{Client, Received, chunks, received};
use crate::compression;
use crate::streaming::{Rest, STRETCH};
use crate::{Error, Result};

/// An answer of which the body has not been read to its end.
#[derive(Debug)]
pub(super) struct Arriving {
    parts: http::response::Parts,
    body: Incoming,
    block: Bytes,
    /// Bytes that it may have yet.
    room: u64,
    /// Bytes since the time for them began anew, and how long they were waited for.
    stretch: u64,
    waited: Duration,
    /// Has hyper taken the whole request?
    is_sent: Arc<AtomicBool>,
    is_broken: bool,
}

/// The body of an answer, as it comes. An error says that the rest does not come.
#[derive(Debug)]
pub struct AnswerBody<'c>(&'c mut Client);

impl Read for AnswerBody<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(block) = self.0.block().map_err(io::Error::other)? else { return Ok(0) };
        let length = block.len().min(into.len());
        into[..length].copy_from_slice(&block.split_to(length));
        Ok(length)
    }
}

impl Client {
    /// Sends a request, and gives the head of its answer, the body of which is to be read next: by
    /// [`answer_body`](Self::answer_body), or as a whole by [`whole`](Self::whole). What `rest` has follows the body; it is read as it is
    /// sent, in chunks, by this thread. Such a request cannot be sent again, so that it gets a new connection. The time-out for an
    /// answer holds for each MiB, of the request and of the answer.
    ///
    /// # Errors
    /// As [`request`](Self::request), but for those of the answer's body; [`Error::Request`] also if `rest` has an error.
    pub fn request_streamed(
        &mut self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        body: Bytes,
        rest: Option<Rest>,
    ) -> Result<Received> {
        self.close();
        let before = self.traffic.counts();
        let compression = self.config.compression;
        if rest.is_some() {
            if self.config.version == Version::HTTP_10 {
                let why = "HTTP/1.0 has no chunks, which a body of unknown length is sent in";
                return Err(Error::Request(why.to_owned()));
            }
            self.config.compression = None;
        }
        let prepared = self.prepare(method, path, headers, body);
        self.config.compression = compression;
        let (mut parts, body) = prepared?;
        if rest.is_some() {
            parts.headers.remove(header::CONTENT_LENGTH);
        }
        self.connect()?;
        let arriving = self.begin(parts, body, rest).map_err(|failed| {
            self.link = None;
            failed.into_error(true, &self.config)
        })?;
        let now = self.traffic.counts();
        let http::response::Parts { status, version, headers, .. } = &arriving.parts;
        let compression = compression::of_body(headers)
            .map_err(|name| Error::Answer(format!("compressed as {name}")))?;
        let head = Received {
            status: *status,
            version: *version,
            headers: headers.clone(),
            body: Bytes::new(),
            compression,
            sent: now.sent - before.sent,
            received: now.received - before.received,
        };
        self.arriving = Some(arriving);
        Ok(head)
    }

    fn begin(
        &mut self,
        parts: http::request::Parts,
        body: Bytes,
        rest: Option<Rest>,
    ) -> Result<Arriving, Failed> {
        let Some(link) = &mut self.link else { return Err(Failed::Closed("there is none")) };
        let config = &self.config;
        let gate = parts.headers.contains_key(header::EXPECT).then(Gate::closed);
        let sending = Sending::new(body, chunks(config), gate.clone()).before(rest);
        let is_sent = sending.taken();
        let mut request = hyper::Request::from_parts(parts, sending);
        if let Some(gate) = &gate {
            let gate = Arc::clone(gate);
            hyper::ext::on_informational(&mut request, move |_| gate.open());
        }
        let (alarm, traffic) = (&mut self.alarm, &self.traffic);
        let (parts, body) = self.runtime.block_on(async {
            let mut beginning = pin!(link.begin(request, gate.as_deref(), config));
            loop {
                let sent = traffic.counts().sent;
                let answer = alarm.limit(config.response_timeout, beginning.as_mut()).await;
                match answer {
                    Some(answer) => return answer,
                    None if traffic.counts().sent - sent >= STRETCH => {}
                    None => return Err(Failed::TimedOut),
                }
            }
        })?;
        Ok(Arriving {
            parts,
            body,
            block: Bytes::new(),
            room: config.streamed_bytes,
            stretch: 0,
            waited: Duration::ZERO,
            is_sent,
            is_broken: false,
        })
    }

    /// The body of the answer to the last [streamed request](Self::request_streamed). If it is not read to its end, the connection is
    /// closed before the next request.
    pub fn answer_body(&mut self) -> AnswerBody<'_> {
        AnswerBody(self)
    }

    /// Reads the body of that answer as a whole, as [`request`](Self::request) does.
    ///
    /// # Errors
    /// [`Error::Broken`], [`Error::Answer`], [`Error::TimedOut`], [`Error::TooLong`].
    pub fn whole(&mut self, head: Received) -> Result<Received> {
        let Some(Arriving { parts, .. }) = &self.arriving else { return Ok(head) };
        let parts = parts.clone();
        let (most, mut whole) = (self.config.body_bytes, Vec::new());
        while let Some(block) = self.block()? {
            if block.len() > most - whole.len() {
                self.close();
                return Err(Error::TooLong { limit: "body_bytes", bytes: most });
            }
            whole.extend_from_slice(block);
            block.clear();
        }
        let answer = Answer { parts, body: Bytes::from(whole) };
        received(answer, head.sent, head.received, &self.config)
    }

    /// Bytes that came, which are not empty; none at the end.
    fn block(&mut self) -> Result<Option<&mut Bytes>> {
        while self.arriving.as_ref().is_some_and(|it| it.block.is_empty()) {
            if !self.next_block()? {
                self.settle();
                return Ok(None);
            }
        }
        Ok(self.arriving.as_mut().map(|it| &mut it.block))
    }

    /// Waits for bytes; answers whether there are more.
    fn next_block(&mut self) -> Result<bool> {
        let Self { link, arriving, runtime, alarm, config, .. } = self;
        let (Some(link), Some(arriving)) = (link, arriving) else { return Ok(false) };
        if arriving.is_broken {
            let cause = "it had ended before".to_owned();
            return Err(Error::Broken { maybe_handled: true, cause });
        }
        let start = Instant::now();
        let patience = config.response_timeout.saturating_sub(arriving.waited);
        let block = runtime.block_on(async {
            let frame = link.frame(&mut arriving.body);
            alarm.limit(patience, frame).await.unwrap_or(Err(Failed::TimedOut))
        });
        arriving.waited += start.elapsed();
        let failed = match block {
            Ok(None) => return Ok(false),
            Ok(Some(block)) => match arriving.room.checked_sub(block.len() as u64) {
                Some(room) => {
                    arriving.room = room;
                    arriving.stretch += block.len() as u64;
                    if arriving.stretch >= STRETCH {
                        (arriving.stretch, arriving.waited) = (0, Duration::ZERO);
                    }
                    arriving.block = block;
                    return Ok(true);
                }
                None => {
                    let bytes = usize::try_from(config.streamed_bytes).unwrap_or(usize::MAX);
                    Error::TooLong { limit: "streamed_bytes", bytes }
                }
            },
            Err(failed) => failed.into_error(true, config),
        };
        arriving.is_broken = true;
        Err(failed)
    }

    /// The answer is whole: may the connection be used again?
    fn settle(&mut self) {
        let Some(Arriving { parts, is_sent, .. }) = self.arriving.take() else { return };
        let stays = self.link.as_ref().is_some_and(|link| link.stays(&parts));
        // An answer may come before the whole body has been sent.
        if !(stays && self.config.keep_alive && is_sent.load(Ordering::Relaxed)) {
            self.link = None;
        }
    }

    /// What has not been read of an answer is given up.
    pub(super) fn abandon(&mut self) {
        if self.arriving.take().is_some() {
            self.link = None;
        }
    }
}
