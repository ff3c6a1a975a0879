//! A bare echo over HTTP: hyper alone, which answers every request with its own body, or with as many bytes as it asks
//! for. What a server costs beyond this is its own.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Threads at most.
const THREADS: usize = 1024;

/// A server that runs until it is dropped. Each of its threads has a runtime of its own and keeps the
/// connections that it gets; they get them in turn.
pub(crate) struct HttpEcho {
    port: u16,
    doors: Vec<UnboundedSender<Message>>,
    threads: Vec<JoinHandle<()>>,
    calls: Arc<AtomicU64>,
}

/// What a thread is told.
enum Message {
    /// Serve this one.
    Connection(std::net::TcpStream),
    /// End, and all connections with it.
    Stop,
}

/// What all connections share.
#[derive(Clone)]
struct Service {
    calls: Arc<AtomicU64>,
    closes: bool,
    answer: Answer,
}

/// The body of an answer, from the head and the body of a request.
type Answer = fn(&HeaderMap, Bytes) -> Bytes;

impl HttpEcho {
    /// Listens on the loopback at a port that the system picks. With `closes` every connection is for
    /// one request.
    pub(crate) fn start(threads: usize, closes: bool) -> io::Result<Self> {
        Self::answering(threads, closes, |_, body| body)
    }

    /// As [`start`](Self::start), with other bodies than those that come.
    pub(crate) fn answering(threads: usize, closes: bool, answer: Answer) -> io::Result<Self> {
        if !(1..=THREADS).contains(&threads) {
            return Err(io::Error::other(format!("{threads} threads are not 1 to {THREADS}")));
        }
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let calls = Arc::new(AtomicU64::new(0));
        let service = Service { calls: Arc::clone(&calls), closes, answer };
        let (doors, receivers): (Vec<_>, Vec<_>) =
            (0..threads).map(|_| unbounded_channel()).unzip();
        let mut echo = Self { port, doors: doors.clone(), threads: Vec::new(), calls };
        let mut acceptor = Some((listener, doors));
        for receiver in receivers {
            let runtime = Builder::new_current_thread().enable_io().build()?;
            let (service, acceptor) = (service.clone(), acceptor.take());
            let work = move || run(&runtime, receiver, acceptor, &service);
            echo.threads.push(thread::Builder::new().spawn(work)?);
        }
        Ok(echo)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Requests that were answered.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Drop for HttpEcho {
    fn drop(&mut self) {
        for door in &self.doors {
            // One that has ended needs no telling.
            let _ = door.send(Message::Stop);
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

type Acceptor = (TcpListener, Vec<UnboundedSender<Message>>);

fn run(
    runtime: &Runtime,
    mut receiver: UnboundedReceiver<Message>,
    acceptor: Option<Acceptor>,
    service: &Service,
) {
    runtime.block_on(async {
        if let Some((listener, doors)) = acceptor {
            tokio::spawn(accept(listener, doors, service.clone()));
        }
        while let Some(Message::Connection(stream)) = receiver.recv().await {
            if let Ok(stream) = TcpStream::from_std(stream) {
                tokio::spawn(serve(stream, service.clone()));
            }
        }
    });
}

/// Connections go round the threads, this one first.
async fn accept(listener: TcpListener, doors: Vec<UnboundedSender<Message>>, service: Service) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    for turn in 0usize.. {
        // An error is one connection's, or will pass; another is waited for.
        let Ok((stream, _)) = listener.accept().await else { continue };
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        match turn % doors.len() {
            0 => drop(tokio::spawn(serve(stream, service.clone()))),
            other => {
                if let Ok(stream) = stream.into_std() {
                    let _ = doors[other].send(Message::Connection(stream));
                }
            }
        }
    }
}

async fn serve(stream: TcpStream, service: Service) {
    let answer = service_fn(|request: Request<Incoming>| {
        let service = &service;
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            service.calls.fetch_add(1, Ordering::Relaxed);
            Ok::<_, hyper::Error>(service.answer((service.answer)(&head.headers, body)))
        }
    });
    // A client that breaks off sees that itself.
    let _ = http1::Builder::new()
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
}

impl Service {
    fn answer(&self, body: Bytes) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(body));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/xml; charset=utf-8"));
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
