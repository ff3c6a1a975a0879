//! The half of a connection that belongs to the router and renders for the client.

use std::collections::HashMap;

use trunkline_native::{Refused, TOPIC_NUMBERS, code};
use trunkline_router::{Delivery, Gap, Renderer, TopicId};

use super::requests::Requests;
use super::{NativeRenderer, Protocol, WebSocketRenderer};

/// Renders for one client, in the protocol of its connection.
#[derive(Debug)]
pub struct ClientRenderer {
    dialect: Dialect,
    pub(crate) requests: Requests,
    pub(crate) losses: Losses,
    /// The numbers of topics that were told for guaranteed deliveries. They count down from the highest,
    /// far from those of the router.
    named: HashMap<Box<str>, u32>,
    /// What the client is told when the router ends the connection.
    pub(crate) closing_code: u16,
}

#[derive(Debug)]
enum Dialect {
    Native(NativeRenderer),
    WebSocket(WebSocketRenderer),
}

/// What the client has been told of lost messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    /// Reports of gaps.
    pub(crate) gaps: u64,
    /// Messages lost in them.
    pub(crate) messages: u64,
    /// Reports when the log was written last.
    pub(crate) logged: u64,
    /// When that was.
    pub(crate) logged_at: Option<u64>,
}

/// Topics whose names are remembered to have been told; then all are told again.
const NAMED: usize = 65_536;

impl ClientRenderer {
    pub(crate) fn new(protocol: Protocol) -> Self {
        let dialect = match protocol {
            Protocol::Native => Dialect::Native(NativeRenderer::default()),
            Protocol::WebSocket => Dialect::WebSocket(WebSocketRenderer::new()),
        };
        Self {
            dialect,
            requests: Requests::default(),
            losses: Losses::default(),
            named: HashMap::new(),
            // Unless the engine has another reason, it is a full queue.
            closing_code: code::SLOW,
        }
    }

    /// The half of a native connection that writes, if this is one.
    pub(super) fn native(&mut self) -> Option<&mut NativeRenderer> {
        match &mut self.dialect {
            Dialect::Native(renderer) => Some(renderer),
            Dialect::WebSocket(_) => None,
        }
    }

    /// The half of a browser's connection that writes, if this is one.
    pub(super) fn websocket(&mut self) -> Option<&mut WebSocketRenderer> {
        match &mut self.dialect {
            Dialect::WebSocket(renderer) => Some(renderer),
            Dialect::Native(_) => None,
        }
    }

    /// Says that something asked for is not done.
    pub(crate) fn refused(&mut self, out: &mut Vec<u8>, refused: &Refused<'_>) {
        match &mut self.dialect {
            Dialect::Native(renderer) => renderer.refused(out, refused),
            Dialect::WebSocket(renderer) => renderer.refused(out, refused),
        }
    }

    /// Hands over the answer to a request of this client.
    pub(crate) fn reply(&mut self, out: &mut Vec<u8>, correlation: u64, format: u16, it: &[u8]) {
        match &mut self.dialect {
            Dialect::Native(renderer) => renderer.reply(out, correlation, format, it),
            Dialect::WebSocket(renderer) => renderer.reply(out, correlation, format, it),
        }
    }

    /// A guaranteed message. Only clients of the native protocol consume such.
    pub(crate) fn delivery(&mut self, out: &mut Vec<u8>, it: &trunkline_store::Delivery<'_>) {
        let Dialect::Native(renderer) = &mut self.dialect else { return };
        let number = match self.named.get(it.topic) {
            Some(number) => *number,
            None => {
                if self.named.len() == NAMED {
                    self.named.clear();
                }
                let number = TOPIC_NUMBERS - 1 - self.named.len() as u32;
                self.named.insert(it.topic.into(), number);
                renderer.topic(out, TopicId(number), it.topic);
                number
            }
        };
        renderer.delivery(out, number, it);
    }

    /// Guaranteed messages that will not come.
    pub(crate) fn lost(
        &mut self,
        out: &mut Vec<u8>,
        subscription: u32,
        loss: &trunkline_store::Loss,
    ) {
        if let Dialect::Native(renderer) = &mut self.dialect {
            renderer.lost(out, subscription, loss);
        }
    }

    /// Asks whether the client is there.
    pub(crate) fn ping(&mut self, out: &mut Vec<u8>, token: u64) {
        match &mut self.dialect {
            Dialect::Native(renderer) => renderer.ping(out, token),
            Dialect::WebSocket(renderer) => renderer.ping(out),
        }
    }

    /// Says why the connection ends; nothing comes after it.
    pub(crate) fn close(&mut self, out: &mut Vec<u8>, code: u16, reason: &str) {
        match &mut self.dialect {
            Dialect::Native(renderer) => renderer.close(out, code, reason),
            Dialect::WebSocket(renderer) => renderer.close(out, code, reason),
        }
    }
}

impl Renderer for ClientRenderer {
    #[inline]
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str) {
        match &mut self.dialect {
            Dialect::Native(renderer) => renderer.topic(out, topic, name),
            // Every message names its topic.
            Dialect::WebSocket(_) => {}
        }
    }

    #[inline(always)]
    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>) {
        match &mut self.dialect {
            Dialect::Native(renderer) => renderer.message(out, delivery),
            Dialect::WebSocket(renderer) => renderer.message(out, &{ *delivery }),
        }
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        self.losses.gaps += 1;
        self.losses.messages += gap.count;
        match &mut self.dialect {
            Dialect::Native(renderer) => renderer.gap(out, gap),
            Dialect::WebSocket(renderer) => renderer.gap(out, gap),
        }
    }

    fn closing(&mut self, out: &mut Vec<u8>, reason: &str) {
        self.close(out, self.closing_code, reason);
    }
}
