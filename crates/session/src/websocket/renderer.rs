//! Deliveries and answers as texts of JSON.

use serde::Serialize;
use trunkline_native::{Notice, Rejected, code, kind};
use trunkline_router::{Delivery, Gap, Rendition, RenditionFormat};

use super::rendition::{Ages, reply_to};
use super::{Carried, GuaranteedEvent, Message, Outgoing, Subject, Welcome, Writer, unavailable};
use crate::router::{JSON, SessionRenderer, StoreEvent};

/// The phase of a connection, which decides what may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// HTTP is spoken.
    #[default]
    Opening,
    /// Frames are.
    Open,
    /// The last word has been said.
    Over,
}

/// Writes what a browser reads.
#[derive(Debug, Default)]
pub struct WebSocketRenderer {
    stage: Stage,
    writer: Writer,
    /// Conflated messages say when they were published.
    times: bool,
    /// The client wants to know when the router is drained.
    notices: bool,
}

impl WebSocketRenderer {
    /// Answers of the protocol itself, such as PONG; the last one if the connection has ended.
    pub(super) fn answer(&mut self, out: &mut Vec<u8>, bytes: &[u8], is_over: bool) {
        out.extend_from_slice(bytes);
        if is_over {
            self.stage = Stage::Over;
        }
    }

    /// From now on frames are spoken; the client is not welcome yet.
    pub(super) fn upgrade(&mut self, out: &mut Vec<u8>, answer: &str) {
        out.extend_from_slice(answer.as_bytes());
        self.stage = Stage::Open;
    }

    pub(super) fn open(&mut self, out: &mut Vec<u8>, answer: &str, welcome: &Welcome<'_>) {
        self.upgrade(out, answer);
        (self.times, self.notices) = (welcome.times, welcome.notices);
        self.write(out, &Outgoing::Welcome(*welcome));
    }

    pub(super) fn write(&mut self, out: &mut Vec<u8>, outgoing: &impl Serialize) {
        if self.stage == Stage::Open {
            self.writer.write(out, outgoing);
        }
    }
}

impl SessionRenderer for WebSocketRenderer {
    #[inline(never)]
    fn message(&mut self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        let ages = Ages::of(it, self.times);
        let message = Message {
            subscription: it.subscription,
            topic: it.name(),
            sequence: it.sequence,
            replaced: ages.replaced,
            last_value: ages.is_last_value,
            age_ns: ages.age,
            published_ns: ages.published,
            format: it.format,
            reply_to: it.request.map(reply_to),
            payload: Carried::Binary(0),
        };
        self.writer.message(out, message, it.payload);
    }

    fn wants(&self) -> Option<RenditionFormat> {
        Some(JSON)
    }

    #[inline(never)]
    fn framed(&mut self, out: &mut Vec<u8>, it: &Delivery<'_>, rendition: &Rendition<'_>) {
        self.writer.framed(out, (it.subscription, Ages::of(it, self.times)), rendition);
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        let gap = super::Gap {
            subscription: gap.subscription,
            topic: gap.name(),
            count: gap.count,
            first: gap.first,
            last: gap.last,
            age_ns: gap.age,
            reason: gap.reason,
        };
        self.write(out, &Outgoing::Gap(gap));
    }

    fn last_values(&mut self, out: &mut Vec<u8>, subscription: u32, count: u64) {
        self.write(out, &Outgoing::LastValues(super::LastValues { subscription, count }));
    }

    /// Rejections that answer no frame: of requests that have timed out, and of subscriptions
    /// beyond a limit that is found later.
    fn rejected(&mut self, out: &mut Vec<u8>, it: &Rejected<'_>) {
        let number = u32::try_from(it.id).unwrap_or(u32::MAX);
        let subject = match it.of {
            kind::SUBSCRIBE => Subject::Subscribe(number),
            kind::UNSUBSCRIBE => Subject::Unsubscribe(number),
            kind::REQUEST => Subject::Request(it.id),
            kind::STORE => Subject::Store(it.id),
            kind::CONSUME => Subject::Consume(number),
            of => Subject::Text(kind::name(of)),
        };
        self.write(out, &rejected(subject, it.code, it.offset, it.text));
    }

    fn reply(&mut self, out: &mut Vec<u8>, correlation: u64, format: u16, it: &[u8]) {
        if self.stage == Stage::Open {
            self.writer.reply(out, correlation, format, it);
        }
    }

    fn ping(&mut self, out: &mut Vec<u8>, _: u64) {
        if self.stage == Stage::Open {
            super::ping(out);
        }
    }

    fn notice(&mut self, out: &mut Vec<u8>, it: &Notice<'_>) {
        if self.notices {
            let code = code::name(it.code).unwrap_or("notice");
            self.write(out, &Outgoing::Notice(super::Notice { code, reason: it.text }));
        }
    }

    fn close(&mut self, out: &mut Vec<u8>, code: u16, reason: &str) {
        match self.stage {
            Stage::Opening => out.extend_from_slice(unavailable(code, reason).as_bytes()),
            Stage::Open => self.writer.close(out, closes_with(code), reason),
            Stage::Over => {}
        }
        self.stage = Stage::Over;
    }

    fn delivery(&mut self, out: &mut Vec<u8>, it: &trunkline_store::Delivery<'_>) {
        if self.stage == Stage::Open {
            self.writer.delivery(out, it);
        }
    }

    fn unrendered(&mut self, out: &mut Vec<u8>, it: &trunkline_store::Delivery<'_>) {
        if self.stage == Stage::Open {
            self.writer.unrendered(out, it);
        }
    }

    fn event(&mut self, out: &mut Vec<u8>, event: &StoreEvent<'_>) {
        self.write(out, &GuaranteedEvent::from(event));
    }
}

/// The code of a frame that closes (RFC 6455, section 7.4.1; 1013 is of its registry).
fn closes_with(code: u16) -> u16 {
    match code {
        code::STOPPING => 1001,
        code::FULL | code::DRAINING => 1013,
        _ => 1008,
    }
}

/// Says that a command is not carried out.
pub(super) fn rejected<'a>(
    subject: Subject<'a>,
    code: u16,
    offset: Option<u32>,
    reason: &'a str,
) -> Outgoing<'a> {
    let code = code::name(code).unwrap_or("rejected");
    Outgoing::Rejected(super::Rejected { subject, code, offset, reason })
}
