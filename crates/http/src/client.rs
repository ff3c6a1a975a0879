//! A client: one connection, used by one thread, which waits for each answer.

mod alarm;
mod body;
mod link;
mod pipeline;
mod reach;
mod steadfast;
mod streaming;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version, header};
use tokio::runtime::{Builder, Runtime};

use super::transport::{Counted, Transport};
use super::{Compression, Error, Result, compression};
use alarm::Alarm;
use body::{Gate, Sending};
use link::{Answer, Failed, Link, Traffic};
use reach::{reach, resolve};
use streaming::Arriving;

pub use streaming::AnswerBody;

/// How a client speaks, and what it accepts.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// 1.0 or 1.1. Default: 1.1.
    pub version: Version,
    /// The connection is used for the next request too. Default: yes.
    pub keep_alive: bool,
    /// A request that is not answered, on a connection that had been used before and was closed
    /// before a byte of the answer came, is sent once more. Methods that may be repeated (RFC 9110,
    /// section 9.2.2) always are; the others, POST among them, always where no byte of them had been
    /// sent, and else only if this is set, since they may have been carried out. Default: no.
    pub repeat_posts: bool,
    /// Bodies are sent in chunks, not with `Content-Length`; HTTP/1.0 has none. Default: no.
    pub chunked: bool,
    /// Bytes of a chunk. Default: 32 KiB.
    pub chunk_bytes: usize,
    /// Bodies are compressed. Default: they are not.
    pub compression: Option<Compression>,
    /// Compressed answers are asked for, of these codings, the first rather than the others. Default:
    /// none. All are understood in any case.
    pub accept: Vec<Compression>,
    /// The body is sent when the server asks for it (`Expect: 100-continue`), or has not said a word
    /// for `continue_timeout`. Not where bodies are empty, or with HTTP/1.0. Default: no.
    pub expect_continue: bool,
    /// How long the server may keep silent then. Default: 1 s.
    pub continue_timeout: Duration,
    /// For connecting, finding the addresses of a name and TLS included. Each of several addresses
    /// has an equal share of what is left, until one answers. Default: 10 s.
    pub connect_timeout: Duration,
    /// From the first byte of the request to the last one of the answer. Default: 60 s.
    pub response_timeout: Duration,
    /// Bytes of an answer's body, on the wire and again after decompression. Default: 64 MiB.
    pub body_bytes: usize,
    /// Bytes of an answer's body that is read [as it comes](Client::answer_body). Default: 1 GiB.
    pub streamed_bytes: u64,
    /// How many times longer a body may be after decompression; it may always be 1 MiB. Default: 200.
    pub inflate_ratio: usize,
    /// `TCP_NODELAY`. Default: yes.
    pub nodelay: bool,
    /// Speak TLS. Default: none.
    #[cfg(feature = "tls")]
    pub tls: Option<super::ClientTls>,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            version: Version::HTTP_11,
            keep_alive: true,
            repeat_posts: false,
            chunked: false,
            chunk_bytes: 32 << 10,
            compression: None,
            accept: Vec::new(),
            expect_continue: false,
            continue_timeout: Duration::from_secs(1),
            connect_timeout: Duration::from_secs(10),
            response_timeout: Duration::from_secs(60),
            body_bytes: 64 << 20,
            streamed_bytes: 1 << 30,
            inflate_ratio: compression::RATIO,
            nodelay: true,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

/// An answer, whatever its status.
#[derive(Clone, Debug)]
pub struct Received {
    /// Such as 200.
    pub status: StatusCode,
    /// 1.0 or 1.1.
    pub version: Version,
    /// All headers.
    pub headers: HeaderMap,
    /// The whole body, decompressed.
    pub body: Bytes,
    /// How the body was compressed.
    pub compression: Option<Compression>,
    /// Bytes that went over the wire for this request, TLS included; where a connection was made for
    /// it, its handshake too. Of requests that were sent at once the first one has those of all.
    pub sent: u64,
    /// Bytes that came, in the same way. Of requests that were sent at once, those of reads that were
    /// needed for this answer.
    pub received: u64,
}

/// A connection to one server. It is made when it is needed, and made again when the server has
/// closed it between two requests. A handler that calls another server needs workers of its own: on
/// a thread that reads and writes ([`Workers::InPlace`](super::Workers::InPlace)) a client panics.
pub struct Client {
    address: String,
    host: HeaderValue,
    config: ClientConfig,
    runtime: Runtime,
    traffic: Arc<Traffic>,
    link: Option<Link<Transport<Arc<Traffic>>>>,
    /// The answer that is being read.
    arriving: Option<Arriving>,
    alarm: Alarm,
    /// Of connecting.
    connecting: Alarm,
    connections: u64,
}

impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Client").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the server at an address such as `127.0.0.1:8080` or `example.org:443`. Nothing
    /// is sent yet.
    ///
    /// # Errors
    /// [`Error::Request`]: the address has no port, or cannot stand in a header. [`Error::System`]:
    /// there are no more files.
    pub fn new(address: &str, config: ClientConfig) -> Result<Self> {
        let host = HeaderValue::from_str(address).ok().filter(|_| address.contains(':'));
        let host = host.ok_or_else(|| Error::Request(format!("{address:?} is not `host:port`")))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|cause| Error::System("a client for HTTP", cause))?;
        let (address, traffic) = (address.to_owned(), Arc::default());
        let (link, alarm, connecting) = (None, Alarm::default(), Alarm::default());
        let (arriving, connections) = (None, 0);
        Ok(Self {
            address,
            host,
            config,
            runtime,
            traffic,
            link,
            arriving,
            alarm,
            connecting,
            connections,
        })
    }

    /// Connects now, if there is no connection.
    ///
    /// # Errors
    /// [`Error::Connect`], [`Error::Handshake`], [`Error::TimedOut`].
    pub fn connect(&mut self) -> Result<()> {
        if self.link.is_none() {
            let connecting = connect(&self.address, &self.config, &self.traffic);
            let after = self.config.connect_timeout;
            let late = Error::TimedOut { limit: "connect_timeout", after };
            let alarm = &mut self.connecting;
            let transport = self.runtime.block_on(alarm.limit(after, connecting));
            let transport = transport.unwrap_or(Err(late))?;
            self.connections += 1;
            self.link = Some(self.runtime.block_on(Link::new(transport))?);
        }
        Ok(())
    }

    /// Closes the connection, if there is one.
    pub fn close(&mut self) {
        (self.link, self.arriving) = (None, None);
    }

    /// How many connections it has made so far.
    pub fn connections(&self) -> u64 {
        self.connections
    }

    /// How it speaks. What is changed holds from the next request on; what is about connecting, from
    /// the next connection on.
    pub fn config_mut(&mut self) -> &mut ClientConfig {
        &mut self.config
    }

    /// Sends a request and waits for its answer. `Host`, `Content-Length` or `Transfer-Encoding`,
    /// `Content-Encoding` and `Connection` are written by the client.
    ///
    /// # Errors
    /// [`Error::Request`]; those of [`connect`](Self::connect); [`Error::Broken`], [`Error::Answer`],
    /// [`Error::TimedOut`], [`Error::TooLong`]. A status that tells of an error is none of these.
    pub fn request(
        &mut self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Received> {
        self.request_bytes(method, path, headers, Bytes::copy_from_slice(body))
    }

    /// As [`request`](Self::request), without a copy of the body.
    ///
    /// # Errors
    /// The same.
    pub fn request_bytes(
        &mut self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Received> {
        self.abandon();
        let before = self.traffic.counts();
        let mut repeated = false;
        let answer = loop {
            let (parts, body) = self.prepare(method, path, headers, body.clone())?;
            let reused = self.link.as_ref().is_some_and(|link| link.used);
            self.connect()?;
            let start = self.traffic.counts();
            match self.attempt(parts, body) {
                Ok(answer) => break answer,
                Err(failed) => {
                    self.link = None;
                    let now = self.traffic.counts();
                    let unsent = now.sent == start.sent;
                    let may = unsent || method.is_idempotent() || self.config.repeat_posts;
                    let again = failed.is_closed() && now.received == start.received && may;
                    if !(reused && again && !repeated) {
                        return Err(failed.into_error(!unsent, &self.config));
                    }
                    repeated = true;
                }
            }
        };
        let now = self.traffic.counts();
        received(answer, now.sent - before.sent, now.received - before.received, &self.config)
    }

    fn attempt(&mut self, parts: http::request::Parts, body: Bytes) -> Result<Answer, Failed> {
        let Some(link) = &mut self.link else { return Err(Failed::Closed("there is none")) };
        let config = &self.config;
        let expect = parts.headers.contains_key(header::EXPECT);
        let gate = expect.then(Gate::closed);
        let sending = Sending::new(body, chunks(config), gate.clone());
        let taken = sending.taken();
        let mut request = hyper::Request::from_parts(parts, sending);
        if let Some(gate) = &gate {
            let gate = Arc::clone(gate);
            hyper::ext::on_informational(&mut request, move |_| gate.open());
        }
        let alarm = &mut self.alarm;
        let answer = self.runtime.block_on(async {
            let exchange = link.exchange(request, gate.as_deref(), config);
            alarm.limit(config.response_timeout, exchange).await.unwrap_or(Err(Failed::TimedOut))
        })?;
        // An answer may come before the whole body has been sent.
        let unsent = !taken.load(Ordering::Relaxed);
        if unsent || !config.keep_alive || !link.stays(&answer.parts) {
            self.link = None;
        }
        Ok(answer)
    }

    /// The head of a request, and its body as it goes over the wire.
    fn prepare(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<(http::request::Parts, Bytes)> {
        let config = &self.config;
        let target: Uri =
            path.parse().map_err(|cause| Error::Request(format!("{path:?}: {cause}")))?;
        let mut request = hyper::Request::new(());
        *request.method_mut() = method.clone();
        *request.uri_mut() = target;
        *request.version_mut() = config.version;
        let all = request.headers_mut();
        *all = headers.clone();
        all.remove(header::CONTENT_LENGTH);
        all.remove(header::TRANSFER_ENCODING);
        all.entry(header::HOST).or_insert_with(|| self.host.clone());
        if !config.keep_alive {
            all.insert(header::CONNECTION, HeaderValue::from_static("close"));
        } else if config.version == Version::HTTP_10 {
            all.insert(header::CONNECTION, HeaderValue::from_static("keep-alive"));
        }
        if !config.accept.is_empty() {
            let asked = || compression::asked(&config.accept);
            all.entry(header::ACCEPT_ENCODING).or_insert_with(asked);
        }
        let body = match config.compression.filter(|_| !body.is_empty()) {
            None => body,
            Some(coding) => {
                all.insert(header::CONTENT_ENCODING, compression::header(coding));
                Bytes::from(coding.compress(&body))
            }
        };
        if body.is_empty() && (*method == Method::POST || *method == Method::PUT) {
            all.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        if config.expect_continue && config.version == Version::HTTP_11 && !body.is_empty() {
            all.insert(header::EXPECT, HeaderValue::from_static("100-continue"));
        }
        Ok((request.into_parts().0, body))
    }
}

/// Length of chunks, where bodies are sent in chunks.
fn chunks(config: &ClientConfig) -> Option<usize> {
    (config.chunked && config.version == Version::HTTP_11).then_some(config.chunk_bytes)
}

async fn connect(
    address: &str,
    config: &ClientConfig,
    traffic: &Arc<Traffic>,
) -> Result<Transport<Arc<Traffic>>> {
    let failed = |cause| Error::Connect { address: address.to_owned(), cause };
    let start = Instant::now();
    let addresses = resolve(address).await.map_err(failed)?;
    let left = config.connect_timeout.saturating_sub(start.elapsed());
    let stream = reach(&addresses, left).await.map_err(failed)?;
    let _ = stream.set_nodelay(config.nodelay);
    secured(address, Counted::new(stream, Arc::clone(traffic)), config).await
}

#[cfg(feature = "tls")]
async fn secured(
    address: &str,
    stream: Counted<Arc<Traffic>>,
    config: &ClientConfig,
) -> Result<Transport<Arc<Traffic>>> {
    let Some(tls) = &config.tls else { return Ok(Transport::Plain(stream)) };
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let failed = |cause: std::io::Error| {
        let failure = cause.get_ref().and_then(|it| it.downcast_ref());
        let reason = failure.map_or_else(|| format!("TLS: {cause}"), trunkline_tls::explain);
        let cause = std::io::Error::new(cause.kind(), reason);
        Error::Handshake { address: address.to_owned(), cause }
    };
    super::tls::connect(tls, host, stream).await?.map_err(failed)
}

#[cfg(not(feature = "tls"))]
async fn secured(
    _: &str,
    stream: Counted<Arc<Traffic>>,
    _: &ClientConfig,
) -> Result<Transport<Arc<Traffic>>> {
    Ok(Transport::Plain(stream))
}

/// An answer for the caller: decompressed, with its counts.
fn received(answer: Answer, sent: u64, received: u64, config: &ClientConfig) -> Result<Received> {
    use trunkline_compression::Error as Problem;
    let Answer { parts, body } = answer;
    let compression = compression::of_body(&parts.headers);
    let compression = compression.map_err(|name| Error::Answer(format!("compressed as {name}")))?;
    let body = match compression.filter(|_| !body.is_empty()) {
        None => body,
        Some(compression) => {
            let inflated = compression.decompress(&body, config.body_bytes, config.inflate_ratio);
            Bytes::from(inflated.map_err(|problem| match problem {
                Problem::TooLong => {
                    Error::TooLong { limit: "body_bytes", bytes: config.body_bytes }
                }
                Problem::TooDense => Error::TooLong {
                    limit: "inflate_ratio",
                    bytes: body.len().saturating_mul(config.inflate_ratio),
                },
                Problem::Broken(cause) => {
                    Error::Answer(format!("the body is not {}: {cause}", compression.name()))
                }
            })?)
        }
    };
    let http::response::Parts { status, version, headers, .. } = parts;
    Ok(Received { status, version, headers, body, compression, sent, received })
}
