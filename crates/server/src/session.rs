//! A connection's two halves: what reads its bytes, and what renders for it.
//!
//! A `Session` turns the bytes of a client into calls of its [`ClientContext`]. A [`ClientRenderer`] belongs to the
//! router and renders deliveries; it also tells the client what only the engine knows.

mod context;
mod native;
mod renderer;
mod requests;
mod websocket;

pub(crate) use context::{Ask, close, code_of, denied};
pub use context::{Asked, ClientContext, Denied, NotNow, ToStore};
pub use native::{NativeRenderer, NativeSession};
pub use renderer::ClientRenderer;
pub use websocket::{WebSocketRenderer, WebSocketSession};

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
    pub(crate) fn received(&mut self, context: &mut ClientContext<'_>, bytes: &[u8]) -> usize {
        match self {
            Self::Native(session) => session.received(context, bytes),
            Self::WebSocket(session) => session.received(context, bytes),
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
