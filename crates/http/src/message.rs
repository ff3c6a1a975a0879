//! The requests that a handler gets, and the responses that it returns.

use std::net::SocketAddr;
use std::pin::Pin;

use http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};

use super::Compression;
use super::streaming::{Body, Rest, Streamed};

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// The state of one connection, from request to request.
    type Connection: Send + 'static;

    /// Somebody has connected; called before the first request of a connection.
    fn connect(&self, peer: &Peer) -> Self::Connection;

    /// Answers a request. `response` comes as 200 without headers and body. It may block only where
    /// [`Workers::Pool`](super::Workers::Pool) calls it. If it panics, the answer is 500, the
    /// connection is closed and what was kept for it is dropped.
    fn handle(
        &self,
        connection: &mut Self::Connection,
        request: &Request<'_>,
        response: &mut Response,
    );

    /// Where a request stands among those that wait for [`Workers::Pool`](super::Workers::Pool), by
    /// [`Order::LowestRank`](super::Order::LowestRank). Asked on the thread that reads, so it shall be quick; the body is
    /// as it came, compressed if `compression` says so.
    fn rank(&self, _request: &Request<'_>) -> u64 {
        0
    }

    /// Is the body of a request handed over as it comes, to [`handle_stream`](Self::handle_stream)? Asked when its head was read; one
    /// that is compressed is not, but [`handle`](Self::handle) may block then: it has a thread of its own, unless a pool calls it.
    fn streams(&self, _method: &Method, _path: &str, _headers: &HeaderMap) -> bool {
        false
    }

    /// Answers a request while its body comes, on a thread of its own, which may block; the body of `request` is empty. If it does not read to
    /// the end, the connection is closed behind the answer.
    fn handle_stream(
        &self,
        _connection: &mut Self::Connection,
        _request: &Request<'_>,
        body: Body,
        _response: &mut Response,
    ) -> Streamed {
        Streamed::Whole(Vec::new(), body)
    }

    /// Does what answers requests ever [wait](Self::wait)? A client that closes its half of the connection is then taken
    /// to be gone, and what it waits for is dropped.
    fn may_wait(&self) -> bool {
        false
    }

    /// What the answer to the request waits for that was handled last. While it does, no thread does: the other connections
    /// go on. Then the same request is handled again, for its answer.
    fn wait(&self, _connection: &mut Self::Connection) -> Option<Wait> {
        None
    }
}

/// Something to wait for, on the thread that reads and writes.
pub type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The other side of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// The client's identity from TLS; None without TLS.
    pub tls: Option<TlsPeer>,
}

/// The client's identity from TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsPeer {
    /// `TLSv1.2` or `TLSv1.3`.
    pub protocol: &'static str,
    /// The subject of the client's certificate, as in `CN=client,O=Trunkline` (RFC 4514); None where
    /// no certificate was asked for.
    pub subject: Option<String>,
    /// The client's certificate, in DER.
    pub certificate: Option<Vec<u8>>,
}

/// A whole request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Such as `POST`.
    pub method: &'a Method,
    /// The target without its query: `/rpc-literal`.
    pub path: &'a str,
    /// The query behind the question mark, if there is one: `wsdl`.
    pub query: Option<&'a str>,
    /// 1.0 or 1.1.
    pub version: Version,
    /// All headers, their names in lower case.
    pub headers: &'a HeaderMap,
    /// The whole body, decompressed but where [`Handler::rank`] sees it.
    pub body: &'a [u8],
    /// How the body was compressed.
    pub compression: Option<Compression>,
    /// Bytes of HTTP that came since the request before: this one's head and body as they were on
    /// the wire, before decompression. Where a client sends several at once, the first has the bytes
    /// of all that came in one read.
    pub wire_bytes: u64,
}

impl<'a> Request<'a> {
    /// A header's value where it is there and is text; the first one where there are several.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// An answer. `Content-Length`, `Transfer-Encoding`, `Content-Encoding` of a compressed body and
/// `Date` are written by the server.
#[derive(Debug)]
pub struct Response {
    /// 200 unless the handler changes it.
    pub status: StatusCode,
    /// Headers beside those that the server writes. `Connection: close` is honoured.
    pub headers: HeaderMap,
    /// The body, not compressed.
    pub body: Vec<u8>,
    /// What follows the body, if something does: then the answer is sent in chunks (to HTTP/1.0, up to the end of the connection), and
    /// is not compressed.
    pub rest: Option<Rest>,
}

impl Default for Response {
    fn default() -> Self {
        Self { status: StatusCode::OK, headers: HeaderMap::new(), body: Vec::new(), rest: None }
    }
}

impl Response {
    /// Sets the content type.
    pub fn content_type(&mut self, media_type: &'static str) {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }

    /// An answer of plain text.
    pub fn text(status: StatusCode, text: &str) -> Self {
        let mut response = Self { status, body: text.as_bytes().to_vec(), ..Self::default() };
        response.content_type("text/plain; charset=utf-8");
        response
    }
}

/// A handler that something else has too.
impl<H: Handler> Handler for std::sync::Arc<H> {
    type Connection = H::Connection;

    fn connect(&self, peer: &Peer) -> Self::Connection {
        (**self).connect(peer)
    }

    fn handle(
        &self,
        connection: &mut Self::Connection,
        request: &Request<'_>,
        response: &mut Response,
    ) {
        (**self).handle(connection, request, response);
    }

    fn rank(&self, request: &Request<'_>) -> u64 {
        (**self).rank(request)
    }

    fn streams(&self, method: &Method, path: &str, headers: &HeaderMap) -> bool {
        (**self).streams(method, path, headers)
    }

    fn handle_stream(
        &self,
        connection: &mut Self::Connection,
        request: &Request<'_>,
        body: Body,
        response: &mut Response,
    ) -> Streamed {
        (**self).handle_stream(connection, request, body, response)
    }

    fn may_wait(&self) -> bool {
        (**self).may_wait()
    }

    fn wait(&self, connection: &mut Self::Connection) -> Option<Wait> {
        (**self).wait(connection)
    }
}
