//! A page on a running router.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses a part of it")]

#[path = "../threads/mod.rs"]
mod threads;

use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use trunkline_server::{Config, Running, Server};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::protocol::CloseFrame;
use tungstenite::{Message, WebSocket};

/// Far more than anything here takes.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub fn start(change: impl FnOnce(&mut Config)) -> Running {
    let mut config = Config::default();
    config.router.threads = threads::threads();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = Some("127.0.0.1:0".into());
    change(&mut config);
    Server::start(config).expect("a router")
}

pub fn address(router: &Running, protocol: &str) -> String {
    let mut all = router.addresses().iter();
    let found = all.find(|it| it.protocol == protocol).expect("a listener");
    found.url()
}

/// `127.0.0.1:PORT`.
pub fn listener(router: &Running) -> String {
    let url = address(router, "websocket");
    url.trim_start_matches("ws://").trim_end_matches('/').to_owned()
}

pub fn tcp(router: &Running) -> TcpStream {
    let stream = TcpStream::connect(listener(router)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    stream
}

/// A page, as a WebSocket client of others has it.
pub struct Page(pub WebSocket<TcpStream>);

impl Page {
    /// Connects, and has been welcomed.
    pub fn open(router: &Running, query: &str) -> Self {
        let url = format!("ws://{}/{query}", listener(router));
        let request = url.into_client_request().expect("a request");
        let (socket, _) = tungstenite::client(request, tcp(router)).expect("a handshake");
        let mut page = Self(socket);
        let welcome = page.told();
        assert_eq!(welcome["welcome"]["version"], 1, "{welcome}");
        page
    }

    pub fn say(&mut self, command: &Value) {
        self.0.send(Message::text(command.to_string())).expect("it is sent");
    }

    pub fn send(&mut self, payload: &[u8]) {
        self.0.send(Message::binary(payload.to_vec())).expect("it is sent");
    }

    pub fn told(&mut self) -> Value {
        match self.0.read().expect("a frame") {
            Message::Text(text) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("not a text: {other:?}"),
        }
    }

    pub fn binary(&mut self) -> Vec<u8> {
        match self.0.read().expect("a frame") {
            Message::Binary(payload) => payload.to_vec(),
            other => panic!("not binary: {other:?}"),
        }
    }

    pub fn ask(&mut self, command: &Value) -> Value {
        self.say(command);
        self.told()
    }

    /// The frame that closes; texts before it are passed over.
    pub fn closed(&mut self) -> CloseFrame {
        loop {
            match self.0.read().expect("a frame") {
                Message::Close(frame) => return frame.expect("a code"),
                Message::Text(_) => {}
                other => panic!("neither text nor the end: {other:?}"),
            }
        }
    }
}
