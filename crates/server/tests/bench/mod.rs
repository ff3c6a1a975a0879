//! An engine by itself, with clients whose bytes the test writes and reads.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses a part of it")]

use trunkline_native::{self as native, RouterFrame};
use trunkline_server::config::Anonymous;
use trunkline_server::{Config, ConnectionId, Dirty, Engine, Peer, Protocol};

pub const SECOND: u64 = 1_000_000_000;
pub const MILLISECOND: u64 = 1_000_000;

/// An engine whose clients read all that is written to them.
pub struct Bench {
    pub engine: Engine,
    pub now: u64,
    /// Connections that were to be ended, and why.
    pub ended: Vec<(ConnectionId, String)>,
}

impl Bench {
    pub fn new(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        // Clients come from everywhere.
        config.access.anonymous = Anonymous::Everywhere;
        change(&mut config);
        Self { engine: Engine::new(&config), now: 0, ended: Vec::new() }
    }

    pub fn connect(&mut self) -> ConnectionId {
        self.connect_from("tcp", "127.0.0.1:5")
    }

    fn connect_from(&mut self, transport: &'static str, address: &str) -> ConnectionId {
        let peer = Peer { transport, address: address.to_owned(), certificate: None };
        self.engine.connected(self.now, peer, Protocol::Native).expect("there is room")
    }

    pub fn client(&mut self, name: &str) -> ConnectionId {
        self.client_from(name, "tcp", "127.0.0.1:5")
    }

    pub fn client_from(
        &mut self,
        name: &str,
        transport: &'static str,
        address: &str,
    ) -> ConnectionId {
        let id = self.connect_from(transport, address);
        let hello = native::Hello { version: native::VERSION, name, ..native::Hello::default() };
        self.send(id, |out| native::encode_hello(out, &hello));
        assert!(matches!(&*self.read(id), [Frame::Other(text)] if text.contains("Welcome")));
        id
    }

    pub fn send(&mut self, id: ConnectionId, write: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        assert_eq!(self.engine.received(self.now, id, &bytes), bytes.len(), "all is whole");
    }

    /// Lets time pass, stopping wherever the engine has something to do.
    pub fn pass(&mut self, until: u64) {
        while let Some(at) = self.engine.next_deadline().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.engine.advance(self.now);
            self.clean();
        }
        self.now = until;
        self.engine.advance(self.now);
        self.clean();
    }

    pub fn clean(&mut self) {
        while let Some(dirty) = self.engine.next_dirty(self.now) {
            if let Dirty::Close(id, reason) = dirty {
                self.ended.push((id, reason));
            }
        }
    }

    /// Takes all that is written to a client.
    pub fn read(&mut self, id: ConnectionId) -> Vec<Frame> {
        self.clean();
        let mut frames = Vec::new();
        loop {
            let bytes = self.engine.output(id).to_vec();
            if bytes.is_empty() {
                return frames;
            }
            let mut rest = &bytes[..];
            while let Some((frame, length)) = native::decode_router(rest, 1 << 24).expect("a frame")
            {
                frames.push(Frame::from(&frame));
                rest = &rest[length..];
            }
            assert!(rest.is_empty(), "the output ends with a frame");
            self.engine.sent(self.now, id, bytes.len());
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Ping,
    /// Sequence and payload.
    Message(u64, Vec<u8>),
    Request(native::Requester),
    Reply(u64, Vec<u8>),
    Rejected(u16, u64),
    Closing(u16),
    Other(String),
}

impl From<&RouterFrame<'_>> for Frame {
    fn from(frame: &RouterFrame<'_>) -> Self {
        match frame {
            RouterFrame::Ping(_) => Self::Ping,
            RouterFrame::Message(it) => match it.request {
                Some(request) => Self::Request(request),
                None => Self::Message(it.sequence, it.payload.into()),
            },
            RouterFrame::Reply(it) => Self::Reply(it.correlation, it.payload.into()),
            RouterFrame::Rejected(it) => Self::Rejected(it.code, it.id),
            RouterFrame::Closing(it) => Self::Closing(it.code),
            other => Self::Other(format!("{other:?}")),
        }
    }
}
