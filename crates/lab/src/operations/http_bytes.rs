//! Bytes by themselves over HTTP, by hyper alone at both ends: what a toolkit takes beyond this is its own.

use std::net::Ipv4Addr;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

use super::callers::{Asked, Port, Prepared};

/// Where a service would be.
const PATH: &str = "/arrays";

const TYPE: &str = "text/xml; charset=utf-8";

/// The header that a service has for the operation; here it says how many bytes the answer's body has.
const ACTION: &str = "soapaction";

/// Bytes of a body at most.
const LONGEST: usize = 64 << 20;

/// As many bytes as the request asks for.
pub(super) fn answer(headers: &HeaderMap, body: Bytes) -> Bytes {
    let asked = headers.get(ACTION).and_then(|it| it.to_str().ok());
    let length = asked.and_then(|it| it.parse().ok()).unwrap_or(0).min(LONGEST);
    if length <= body.len() { body.slice(..length) } else { vec![b'.'; length].into() }
}

/// A client for one thread, with a runtime of its own.
pub(super) struct HttpBytesPort {
    runtime: Runtime,
    sender: SendRequest<Full<Bytes>>,
    host: String,
}

impl HttpBytesPort {
    pub(super) fn connect(port: u16) -> Result<Self, String> {
        let told = |error: std::io::Error| error.to_string();
        let runtime = Builder::new_current_thread().enable_io().build().map_err(told)?;
        let sender = runtime.block_on(async {
            let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.map_err(told)?;
            stream.set_nodelay(true).map_err(told)?;
            let made = http1::handshake(TokioIo::new(stream)).await;
            let (sender, connection) = made.map_err(|error| error.to_string())?;
            // It ends with the runtime; what breaks it breaks the call as well.
            tokio::spawn(connection);
            Ok::<_, String>(sender)
        })?;
        Ok(Self { runtime, sender, host: format!("127.0.0.1:{port}") })
    }
}

/// Bodies that make a request and its answer as long as is wanted, with their heads.
struct Bodies {
    sent: Bytes,
    received: usize,
}

impl Port for HttpBytesPort {
    fn prepare(&self, asked: &Asked) -> Result<Box<dyn Prepared<Self>>, String> {
        let &Asked::Bytes { sent, received } = asked else {
            return Err("the bare echo has no operations".into());
        };
        let (sent, received) = (sent as usize, received as usize);
        if sent.max(received) > LONGEST {
            return Err(format!("at most {LONGEST} bytes go there and back"));
        }
        let date = "Sat, 28 Nov 2026 12:00:00 GMT";
        let head = format!(
            "HTTP/1.1 200 OK\r\n{CONTENT_TYPE}: {TYPE}\r\ncontent-length: {received}\r\ndate: {date}\r\n\r\n"
        );
        let received = received.saturating_sub(head.len());
        let host = &self.host;
        let head = format!(
            "POST {PATH} HTTP/1.1\r\n{HOST}: {host}\r\n{CONTENT_TYPE}: {TYPE}\r\n{ACTION}: {received}\r\n\
             content-length: {sent}\r\n\r\n"
        );
        let sent = vec![b'.'; sent.saturating_sub(head.len())].into();
        Ok(Box::new(Bodies { sent, received }))
    }
}

impl Prepared<HttpBytesPort> for Bodies {
    fn call(&mut self, port: &mut HttpBytesPort) -> Result<(), String> {
        let HttpBytesPort { runtime, sender, host } = port;
        let request = Request::builder()
            .method(Method::POST)
            .uri(PATH)
            .header(HOST, &**host)
            .header(CONTENT_TYPE, TYPE)
            .header(ACTION, self.received)
            .body(Full::new(self.sent.clone()))
            .map_err(|error| error.to_string())?;
        let came = runtime.block_on(async {
            sender.ready().await?;
            let mut body = sender.send_request(request).await?.into_body();
            let mut came = 0;
            while let Some(frame) = body.frame().await {
                came += frame?.data_ref().map_or(0, Bytes::len);
            }
            Ok::<_, hyper::Error>(came)
        });
        match came.map_err(|error| error.to_string())? == self.received {
            true => Ok(()),
            false => Err("another number of bytes came back".into()),
        }
    }
}
