//! The common part of the protocols of the router's clients, without sockets and clocks.
//!
//! A [`Session`] turns the bytes of a client into calls of a [`ClientContext`], which is the router as this client
//! may use it. A [`ClientRenderer`] writes what the client receives. Each protocol has one of both, in a folder of its
//! own: [`crate::native`], [`crate::websocket`]; here stand the arms of each.

mod context;
mod held_topic;
mod narrowing;
mod producer;
mod rejected;
mod renderer;
mod rendition;

pub use context::{ClientContext, Greeting, GuaranteedMessage, RequestedLimits};
pub use held_topic::{AccessEpoch, HeldTopic, Rights};
pub use narrowing::{Narrowed, Narrowing};
pub(crate) use producer::{ConnectionProducer, interval};
pub use rejected::{Rejected, StoreError};
pub use renderer::{SessionRenderer, StoreEvent};
pub use rendition::{
    JSON, MOST_SELECTIONS, conversion_into, converts_to, rendition_name, selection_into,
    selection_of,
};

use trunkline_router::{Delivery, Gap, Message, Rendition, RenditionFormat, TopicId};

use crate::native::{NativeRenderer, NativeSession};
use crate::websocket::{WebSocketRenderer, WebSocketSession};

/// The protocol of a connection.
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

/// The facts about a connection before its first byte.
#[derive(Clone, Copy, Debug)]
pub struct Accepted<'a> {
    /// The most bytes of a frame, or of a message.
    pub frame_bytes: u64,
    /// Origins whose pages may connect, see [`crate::websocket::Origins`].
    pub origins: &'a [String],
    /// It comes from this machine.
    pub is_over_loopback: bool,
}

/// The half of a connection that reads its bytes.
#[derive(Debug)]
pub enum Session {
    /// Of frames.
    Native(NativeSession),
    /// Of a browser.
    WebSocket(Box<WebSocketSession>),
}

impl Session {
    /// Reads a connection that has just been accepted.
    pub fn new(protocol: Protocol, accepted: &Accepted<'_>) -> Self {
        match protocol {
            Protocol::Native => Self::Native(NativeSession::default()),
            Protocol::WebSocket => Self::WebSocket(Box::new(WebSocketSession::new(accepted))),
        }
    }

    /// Handles what is whole in `bytes`, and says how many bytes that was.
    #[inline]
    pub fn received(&mut self, context: &mut impl ClientContext, bytes: &[u8]) -> usize {
        match self {
            Self::Native(session) => session.received(context, bytes),
            Self::WebSocket(session) => session.received(context, bytes),
        }
    }

    /// Bytes of memory that the client's commands have made it keep, about.
    #[inline]
    pub fn memory(&self) -> usize {
        match self {
            Self::Native(session) => session.memory(),
            Self::WebSocket(_) => 0,
        }
    }

    /// Bytes of a message that has come in part, or waits for room to be stored, beside those that
    /// [`Session::received`] left to its caller.
    #[inline]
    pub fn kept(&self) -> usize {
        match self {
            Self::Native(_) => 0,
            Self::WebSocket(session) => session.kept(),
        }
    }

    /// Gives back the topics that the client held.
    pub fn leave(&mut self, release: impl FnMut(TopicId)) {
        match self {
            Self::Native(session) => session.leave(release),
            // Topics are held while a command is carried out, and no longer.
            Self::WebSocket(_) => {}
        }
    }
}

/// The half of a connection that writes.
#[derive(Debug)]
pub enum ClientRenderer {
    /// In frames.
    Native(NativeRenderer),
    /// For a browser.
    WebSocket(WebSocketRenderer),
}

impl ClientRenderer {
    /// Writes for a connection that has just been accepted.
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Native => Self::Native(NativeRenderer::default()),
            Protocol::WebSocket => Self::WebSocket(WebSocketRenderer::default()),
        }
    }

    /// Makes a rendition; see [`trunkline_router::Renderer::rendition`].
    pub fn rendition(
        &self,
        out: &mut Vec<u8>,
        format: RenditionFormat,
        message: &Message<'_>,
    ) -> [usize; 2] {
        rendition::render(out, format, message)
    }
}

macro_rules! each {
    ($self:ident, $renderer:ident => $call:expr) => {
        match $self {
            Self::Native($renderer) => $call,
            Self::WebSocket($renderer) => $call,
        }
    };
}

impl SessionRenderer for ClientRenderer {
    #[inline]
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str) {
        each!(self, renderer => renderer.topic(out, topic, name))
    }

    #[inline(always)]
    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>) {
        match self {
            Self::Native(renderer) => renderer.message(out, delivery),
            // A copy, so that the router's own need never be in memory.
            Self::WebSocket(renderer) => renderer.message(out, &{ *delivery }),
        }
    }

    fn wants(&self) -> Option<RenditionFormat> {
        each!(self, renderer => renderer.wants())
    }

    #[inline]
    fn framed(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>, rendition: &Rendition<'_>) {
        each!(self, renderer => renderer.framed(out, delivery, rendition))
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        each!(self, renderer => renderer.gap(out, gap))
    }

    fn last_values(&mut self, out: &mut Vec<u8>, subscription: u32, count: u64) {
        each!(self, renderer => renderer.last_values(out, subscription, count))
    }

    fn rejected(&mut self, out: &mut Vec<u8>, rejected: &trunkline_native::Rejected<'_>) {
        each!(self, renderer => renderer.rejected(out, rejected))
    }

    fn reply(&mut self, out: &mut Vec<u8>, correlation: u64, format: u16, payload: &[u8]) {
        each!(self, renderer => renderer.reply(out, correlation, format, payload))
    }

    fn ping(&mut self, out: &mut Vec<u8>, token: u64) {
        each!(self, renderer => renderer.ping(out, token))
    }

    fn notice(&mut self, out: &mut Vec<u8>, notice: &trunkline_native::Notice<'_>) {
        each!(self, renderer => renderer.notice(out, notice))
    }

    fn close(&mut self, out: &mut Vec<u8>, code: u16, reason: &str) {
        each!(self, renderer => renderer.close(out, code, reason))
    }

    #[inline]
    fn delivery(&mut self, out: &mut Vec<u8>, delivery: &trunkline_store::Delivery<'_>) {
        each!(self, renderer => renderer.delivery(out, delivery))
    }

    fn unrendered(&mut self, out: &mut Vec<u8>, delivery: &trunkline_store::Delivery<'_>) {
        each!(self, renderer => renderer.unrendered(out, delivery))
    }

    #[inline]
    fn event(&mut self, out: &mut Vec<u8>, event: &StoreEvent<'_>) {
        each!(self, renderer => renderer.event(out, event))
    }
}
