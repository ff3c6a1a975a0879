//! The output of a client: the renderer that the router writes through, and the engine's state
//! beside it.

use trunkline_native::code;
use trunkline_router::{
    ConvertsTo, Delivery, Gap, Message, Renderer, Rendition, RenditionFormat, TopicId,
};
use trunkline_session::router::{ClientRenderer, Protocol, SessionRenderer as _, converts_to};

use super::requests::Requests;

/// The renderer of a client, its losses and its requests.
#[derive(Debug)]
pub struct ClientOutput {
    pub(super) renderer: ClientRenderer,
    pub(super) requests: Requests,
    pub(super) losses: Losses,
    /// The reason that the client gets when the router ends the connection.
    pub(super) closing_code: u16,
}

/// The losses that were reported to the client.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    /// Reports of gaps.
    pub(super) gaps: u64,
    /// Messages lost in them.
    pub(super) messages: u64,
    /// Reports when the log was written last.
    pub(super) logged: u64,
    /// When that was.
    pub(super) logged_at: Option<u64>,
}

impl ClientOutput {
    pub(super) fn new(protocol: Protocol) -> Self {
        Self {
            renderer: ClientRenderer::new(protocol),
            requests: Requests::default(),
            losses: Losses::default(),
            // Unless the engine has another reason, it is a full queue.
            closing_code: code::SLOW,
        }
    }
}

impl Renderer for ClientOutput {
    #[inline]
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str) {
        self.renderer.topic(out, topic, name);
    }

    #[inline(always)]
    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>) {
        self.renderer.message(out, delivery);
    }

    fn wants(&self, _: u32) -> Option<RenditionFormat> {
        self.renderer.wants()
    }

    fn converts_to(&self, format: RenditionFormat) -> Option<ConvertsTo> {
        converts_to(format)
    }

    fn rendition(
        &self,
        out: &mut Vec<u8>,
        format: RenditionFormat,
        message: &Message<'_>,
    ) -> [usize; 2] {
        self.renderer.rendition(out, format, message)
    }

    #[inline]
    fn framed(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>, rendition: &Rendition<'_>) {
        self.renderer.framed(out, delivery, rendition);
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        // What could not be rendered is no fault of the client, and counted elsewhere.
        if gap.reason.is_none() {
            self.losses.gaps += 1;
            self.losses.messages += gap.count;
        }
        self.renderer.gap(out, gap);
    }

    fn last_values(&mut self, out: &mut Vec<u8>, subscription: u32, count: u64) {
        self.renderer.last_values(out, subscription, count);
    }

    fn closing(&mut self, out: &mut Vec<u8>, reason: &str) {
        self.renderer.close(out, self.closing_code, reason);
    }
}
