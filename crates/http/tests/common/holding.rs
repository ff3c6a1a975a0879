//! A server whose handler keeps a request until the test tells it to go on.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use trunkline_http::{Config, Handler, Peer, Request, Response, Running, Server};

/// What makes an answer.
pub(crate) type Answer = fn(&Request<'_>, &mut Response);

/// Keeps `/hold`, says so, and goes on when it is told to; answers then, and at once whatever else is asked.
struct Holding {
    has: Mutex<Sender<()>>,
    go: Mutex<Receiver<()>>,
    answer: Answer,
}

impl Handler for Holding {
    type Connection = ();

    fn connect(&self, _: &Peer) {}

    fn handle(&self, (): &mut (), request: &Request<'_>, response: &mut Response) {
        if request.path == "/hold" {
            self.has.lock().expect("no panic").send(()).expect("the test listens");
            self.go.lock().expect("no panic").recv().expect("the test tells");
        }
        (self.answer)(request, response);
    }
}

/// A server, what says that its handler holds a request, and what tells it to go on.
pub(crate) fn holding(config: Config, answer: Answer) -> (Running, Receiver<()>, Sender<()>) {
    let (has, had) = channel();
    let (tell, go) = channel();
    let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
    let handler = Holding { has: Mutex::new(has), go: Mutex::new(go), answer };
    (server.serve(handler).expect("threads"), had, tell)
}

pub(crate) fn ask(stream: &mut TcpStream, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
}

/// Until the handler holds a request.
pub(crate) fn wait(had: &Receiver<()>) {
    had.recv_timeout(Duration::from_secs(20)).expect("the handler has it");
}
