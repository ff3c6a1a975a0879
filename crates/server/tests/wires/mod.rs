//! Clients over each wire that try one thing and say whether the access rules reject it.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses a part of it")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use serde_json::{Value, json};
use trunkline_native::{self as native, RouterFrame, Updates, code};
use trunkline_server::Running;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use super::raw::PATIENCE;

/// A folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub fn address(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.0.join(format!("{scheme}.sock")).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The user that this test runs as.
pub fn uid() -> String {
    std::fs::metadata("/proc/self").expect("a process").uid().to_string()
}

trait Duplex: Read + Write {}
impl<T: Read + Write> Duplex for T {}

/// A client that tries things.
pub enum Wire {
    Native(Native),
    Page(Box<Page>),
}

impl Wire {
    pub fn open(router: &Running, wire: &str, login: Option<(&str, String)>) -> Self {
        let place = |scheme: &str| {
            let all = router.addresses().iter().map(|it| it.address.to_string());
            let found = all.filter_map(|it| it.strip_prefix(scheme).map(str::to_owned)).next();
            found.unwrap_or_else(|| panic!("no listener at {scheme}"))
        };
        match wire {
            "tcp" => {
                let stream = TcpStream::connect(place("tcp://")).expect("a connection");
                stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
                Self::Native(Native::open(Box::new(stream), login))
            }
            "unix" => {
                let stream = UnixStream::connect(place("unix://")).expect("a connection");
                stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
                Self::Native(Native::open(Box::new(stream), login))
            }
            _ => {
                let page = match login {
                    None => Page::open(router, "", None),
                    Some((user, password)) => Page::with_login(
                        router,
                        &json!({"user": user, "password": password}).to_string(),
                    ),
                };
                Self::Page(Box::new(page.expect("a page")))
            }
        }
    }

    /// Tries something; why the access rules reject it, if they do.
    pub fn attempt(&mut self, operation: &str, topics: &str, durable: &str) -> Option<String> {
        match self {
            Self::Native(it) => it.attempt(operation, topics, durable),
            Self::Page(it) => it.attempt(operation, topics, durable),
        }
    }
}

/// A client in frames.
pub struct Native {
    stream: Box<dyn Duplex>,
    bytes: Vec<u8>,
    count: u32,
}

impl Native {
    fn open(stream: Box<dyn Duplex>, login: Option<(&str, String)>) -> Self {
        let mut it = Self { stream, bytes: Vec::new(), count: 0 };
        let mut out = Vec::new();
        let has_credentials = login.is_some();
        let hello = native::Hello { version: 1, has_credentials, ..Default::default() };
        native::encode_hello(&mut out, &hello);
        if let Some((user, secret)) = &login {
            native::encode_credentials(&mut out, &native::Credentials { user, secret });
        }
        it.stream.write_all(&out).expect("the router reads");
        it
    }

    fn attempt(&mut self, operation: &str, topics: &str, durable: &str) -> Option<String> {
        self.count += 1;
        let (alias, mut out) = (self.count, Vec::new());
        native::encode_topic(&mut out, alias, topics);
        let (format, payload, correlation) = (0, &b"x"[..], alias.into());
        match operation {
            "publish" => native::encode_publish(&mut out, alias, 0, b"x"),
            "subscribe" => native::encode_subscribe(&mut out, alias, Updates::All, topics),
            "request" => {
                let request =
                    native::Request { alias, timeout_ms: 60_000, correlation, format, payload };
                native::encode_request(&mut out, &request);
            }
            "store" => {
                if alias == 1 {
                    native::encode_producer(&mut out, "tester");
                }
                let store = native::Store {
                    alias,
                    time_to_live_ms: 0,
                    sequence: 1,
                    is_repeated: false,
                    format,
                    payload,
                };
                native::encode_store(&mut out, &store);
            }
            "consume" => {
                let consume = native::Consume {
                    subscription: alias,
                    window: 0,
                    updates: Updates::All,
                    start: native::Start::New,
                    pace: 0,
                    wants_confirmed: false,
                    wants_acknowledged: false,
                    policy: native::DeliveryPolicy::NONE,
                    format: None,
                    filter: "",
                    fields: "",
                    name: durable,
                    pattern: topics,
                };
                native::encode_consume(&mut out, &consume);
            }
            _ => native::encode_delete(&mut out, durable),
        }
        native::encode_ping(&mut out, alias.into());
        self.stream.write_all(&out).expect("the router reads");
        let mut forbidden = None;
        while !self.read(alias.into(), &mut forbidden) {}
        forbidden
    }

    /// Reads a frame; true if it is the answer to the ping.
    fn read(&mut self, ping: u64, forbidden: &mut Option<String>) -> bool {
        loop {
            if let Some((frame, length)) =
                native::decode_router(&self.bytes, 1 << 24).expect("a frame")
            {
                match frame {
                    RouterFrame::Rejected(it) if it.code == code::FORBIDDEN => {
                        forbidden.get_or_insert_with(|| it.text.to_owned());
                    }
                    RouterFrame::Closing(it) => panic!("closed: {} {}", it.code, it.text),
                    _ => {}
                }
                let is_pong = matches!(frame, RouterFrame::Pong(token) if token == ping);
                self.bytes.drain(..length);
                return is_pong;
            }
            let mut bytes = [0; 4096];
            let count = self.stream.read(&mut bytes).expect("an answer");
            assert!(count > 0, "the router has ended the connection");
            self.bytes.extend_from_slice(&bytes[..count]);
        }
    }
}

/// A client in JSON.
pub struct Page {
    socket: WebSocket<TcpStream>,
    count: u64,
}

impl Page {
    fn open(router: &Running, query: &str, header: Option<&str>) -> Result<Self, String> {
        let listening = router.addresses().iter().find(|it| it.protocol == "websocket");
        let url = listening.expect("a listener").url();
        let stream = TcpStream::connect(url.trim_start_matches("ws://").trim_end_matches('/'));
        let stream = stream.expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        let mut request = format!("{url}{query}").into_client_request().expect("a request");
        if let Some(header) = header {
            request.headers_mut().insert("Authorization", header.parse().expect("a header"));
        }
        let opened = tungstenite::client(request, stream);
        let (socket, _) = opened.map_err(|error| error.to_string())?;
        Ok(Self { socket, count: 0 })
    }

    pub fn with_header(router: &Running, header: &str) -> Result<Self, String> {
        Self::open(router, "", Some(header))
    }

    /// With a first text that shows who it is; the reason if the router ends the connection.
    pub fn with_login(router: &Running, login: &str) -> Result<Self, String> {
        let mut page = Self::open(router, "?login=true", None)?;
        page.socket.send(Message::text(login)).map_err(|error| error.to_string())?;
        match page.read()? {
            Some(welcome) if welcome.get("welcome").is_some() => Ok(page),
            other => Err(format!("{other:?}")),
        }
    }

    /// The next text; none before a frame that closes.
    fn read(&mut self) -> Result<Option<Value>, String> {
        match self.socket.read().map_err(|error| error.to_string())? {
            Message::Text(text) => Ok(Some(serde_json::from_str(&text).expect("JSON"))),
            Message::Close(frame) => Err(format!("closed: {frame:?}")),
            _ => Ok(None),
        }
    }

    pub fn attempt(&mut self, operation: &str, topics: &str, _: &str) -> Option<String> {
        self.count += 1;
        let (count, payload) = (self.count, "x");
        let command = match operation {
            "publish" => json!({"publish": topics, "payload": payload}),
            "subscribe" => json!({"subscribe": count, "pattern": topics}),
            "request" => json!({"request": topics, "correlation": count, "payload": payload}),
            other => panic!("pages do not {other}"),
        };
        for text in [command, json!({"ping": count})] {
            self.socket.send(Message::text(text.to_string())).expect("it is sent");
        }
        let mut forbidden = None;
        loop {
            let Some(text) = self.read().expect("a text") else { continue };
            if text["pong"] == count {
                return forbidden;
            }
            if text["rejected"]["code"] == "forbidden" {
                forbidden = Some(text["rejected"]["reason"].to_string().replace("\\\"", "\""));
            }
        }
    }
}
