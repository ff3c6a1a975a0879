//! What the server and the client cost beside hyper itself: an echo of ours and one of bare hyper,
//! with as many threads and connections, interleaved in this process.
//!
//! `cargo bench -p trunkline-http`; median of the ratios of neighbouring passes, by the clock and by
//! processor time (client and server together). Below 1.1 is what is asked for.

#![forbid(unsafe_code)]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustix::time::{ClockId, clock_gettime};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use trunkline_http::{
    Client, ClientConfig, Config, Handler, HeaderMap, Method, Order, Peer, Request, Response,
    Server, Workers,
};

struct Echo;

impl Handler for Echo {
    type Connection = ();

    fn connect(&self, _: &Peer) {}

    fn handle(&self, (): &mut (), request: &Request<'_>, response: &mut Response) {
        response.body.extend_from_slice(request.body);
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("files are left")
}

/// A bare echo: connections are handed to the threads in turn.
fn bare_server(threads: usize) -> SocketAddr {
    let mut doors = Vec::new();
    for _ in 0..threads {
        let (door, mut arrivals) = tokio::sync::mpsc::unbounded_channel::<std::net::TcpStream>();
        doors.push(door);
        thread::spawn(move || {
            runtime().block_on(async {
                while let Some(stream) = arrivals.recv().await {
                    let stream = TcpStream::from_std(stream).expect("files are left");
                    stream.set_nodelay(true).expect("the socket is there");
                    let serve = http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service_fn(bare_echo));
                    tokio::spawn(serve);
                }
            });
        });
    }
    let (say, said) = std::sync::mpsc::channel();
    thread::spawn(move || {
        runtime().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
            say.send(listener.local_addr().expect("it listens")).expect("somebody asks");
            for door in doors.iter().cycle() {
                let (stream, _) = listener.accept().await.expect("files are left");
                door.send(stream.into_std().expect("a socket")).expect("the thread is there");
            }
        });
    });
    said.recv().expect("it listens")
}

async fn bare_echo(
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.expect("whole bodies").to_bytes();
    Ok(hyper::Response::new(Full::new(body)))
}

/// Something that sends a body and waits until it comes back.
trait Call: Send {
    fn call(&mut self, body: &[u8]);
}

struct Bare(Runtime, hyper::client::conn::http1::SendRequest<Full<Bytes>>);

impl Bare {
    fn connect(address: SocketAddr) -> Self {
        let runtime = runtime();
        let sender = runtime.block_on(async {
            let stream = TcpStream::connect(address).await.expect("it listens");
            stream.set_nodelay(true).expect("the socket is there");
            let io = TokioIo::new(stream);
            let (sender, connection) =
                hyper::client::conn::http1::handshake(io).await.expect("it speaks HTTP");
            tokio::spawn(connection);
            sender
        });
        Self(runtime, sender)
    }
}

impl Call for Bare {
    fn call(&mut self, body: &[u8]) {
        let request = hyper::Request::post("/").header("host", "localhost");
        let request = request.body(Full::new(Bytes::copy_from_slice(body))).expect("a request");
        let Self(runtime, sender) = self;
        let echoed = runtime.block_on(async {
            sender.ready().await.expect("it is open");
            let response = sender.send_request(request).await.expect("an answer");
            response.into_body().collect().await.expect("a whole body").to_bytes()
        });
        assert_eq!(echoed.len(), body.len());
    }
}

struct Ours(Client, HeaderMap);

impl Call for Ours {
    fn call(&mut self, body: &[u8]) {
        let answer = self.0.request(&Method::POST, "/", &self.1, body).expect("an answer");
        assert_eq!(answer.body.len(), body.len());
    }
}

/// Time by the clock and processor time of one pass.
fn pass(callers: &mut [Box<dyn Call>], calls: usize, body: &[u8]) -> [f64; 2] {
    let barrier = Barrier::new(callers.len() + 1);
    let processor = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    };
    thread::scope(|scope| {
        for caller in callers {
            scope.spawn(|| {
                barrier.wait();
                (0..calls).for_each(|_| caller.call(body));
                barrier.wait();
            });
        }
        barrier.wait();
        let start = (Instant::now(), processor());
        barrier.wait();
        [start.0.elapsed().as_secs_f64(), processor() - start.1]
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    const PASSES: usize = 41;
    let pool = Workers::Pool { threads: 2, queue: 1000, order: Order::FirstIn };
    println!(
        "workers   server threads  clients  bytes  bare us/call  ratio  ratio of processor time"
    );
    for (name, workers) in [("in place", Workers::InPlace), ("pool of 2", pool)] {
        for threads in [1, 2] {
            let bare_address = bare_server(threads);
            let config = Config { threads, workers, ..Config::default() };
            let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
            let server = server.serve(Echo).expect("threads are left");
            let client = || {
                let timeout = Duration::from_secs(60);
                let config = ClientConfig { response_timeout: timeout, ..ClientConfig::default() };
                Client::new(&server.address().to_string(), config).expect("an address")
            };
            for clients in [1, 16] {
                let mut bare: Vec<Box<dyn Call>> = Vec::new();
                let mut ours: Vec<Box<dyn Call>> = Vec::new();
                for _ in 0..clients {
                    bare.push(Box::new(Bare::connect(bare_address)));
                    ours.push(Box::new(Ours(client(), HeaderMap::new())));
                }
                for length in [300, 3000, 30_000] {
                    let body = vec![b'x'; length];
                    let calls = 1600 / clients;
                    pass(&mut bare, calls, &body);
                    pass(&mut ours, calls, &body);
                    let mut rows: [Vec<f64>; 3] = Default::default();
                    for number in 0..PASSES {
                        let (first, second) = if number % 2 == 0 {
                            let first = pass(&mut bare, calls, &body);
                            (first, pass(&mut ours, calls, &body))
                        } else {
                            let second = pass(&mut ours, calls, &body);
                            (pass(&mut bare, calls, &body), second)
                        };
                        rows[0].push(first[0] / (calls * clients) as f64 * 1e6);
                        rows[1].push(second[0] / first[0]);
                        rows[2].push(second[1] / first[1]);
                    }
                    let [bare, clock, processor] = rows.map(median);
                    println!(
                        "{name:9} {threads:14} {clients:8} {length:6} {bare:13.1} {clock:6.3} \
                         {processor:6.3}"
                    );
                }
            }
        }
    }
}
