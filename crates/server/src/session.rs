//! A connection's two halves: what reads its bytes, and what renders for it.
//!
//! A `Session` turns the bytes of a client into calls of its [`Desk`]. A [`Face`] belongs to the
//! router and renders deliveries; it also tells the client what only the engine knows.

mod desk;
mod face;
mod native;
mod requests;
mod websocket;

pub(crate) use desk::{Ask, close, code_of, denied};
pub use desk::{Asked, Denied, Desk, NotNow, ToStore};
pub use face::Face;
pub use native::{NativeFace, NativeSession};
pub use websocket::{WebSocketFace, WebSocketSession};

use trunkline_router::TopicId;

use crate::config::Config;
use crate::engine::Peer;

/// What a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The router's own, in binary frames.
    Native,
    /// WebSocket, with JSON.
    WebSocket,
}

impl Protocol {
    /// Its name in logs and profiles.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::WebSocket => "websocket",
        }
    }
}

/// The half of a connection that reads its bytes.
#[derive(Debug)]
pub(crate) enum Session {
    Native(NativeSession),
    WebSocket(WebSocketSession),
}

impl Session {
    pub(crate) fn new(protocol: Protocol, config: &Config, peer: &Peer) -> Self {
        match protocol {
            Protocol::Native => Self::Native(NativeSession::default()),
            Protocol::WebSocket => Self::WebSocket(WebSocketSession::new(config, peer)),
        }
    }

    /// Handles what is whole in `bytes`, and says how many bytes that was.
    #[inline]
    pub(crate) fn received(&mut self, desk: &mut Desk<'_>, bytes: &[u8]) -> usize {
        match self {
            Self::Native(session) => session.received(desk, bytes),
            Self::WebSocket(session) => session.received(desk, bytes),
        }
    }

    /// Gives back the topics that the client held.
    pub(crate) fn leave(&mut self, release: impl FnMut(TopicId)) {
        match self {
            Self::Native(session) => session.leave(release),
            // Topics are held while a command is carried out, and no longer.
            Self::WebSocket(_) => {}
        }
    }
}
