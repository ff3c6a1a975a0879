//! Deliveries that a client may get and that wait for the conversion of a message, or behind one that does.
//!
//! ```text
//!   it can go now, or its turn has come ---> [delivery|delivery|gap|delivery] ---> output
//!   (after conflation, pace and credit)           |                      ^
//!                                               wanted                   | made: delivered
//!                                                 v                      | cannot be made: a gap with the reason
//!                                  conversions: one for each message and format
//! ```
//!
//! They are in order and count as output: what exceeds that waits in the queue, or conflates. A client waits for
//! its own conversions alone. A conflating match has one such update at most, so that newer ones replace each other
//! meanwhile; to them it is as if its interval was not over.
//!
//! What is delayed counts as queued in the ledger.

use std::collections::VecDeque;

use crate::client::{Port, slow};
use crate::conflation::WAITING_HEAD;
use crate::egress::{Content, Egress, Turn, announce, client_of, delivery, mark, tell};
use crate::filters::ClientFilters;
use crate::matched::{CONVERTED, FIRST_WAITS, LAST_VALUE, Lost, Match, add};
use crate::message::{Conflation, ConvertsTo, Gap, LastValue, Renderer, RenditionFormat};
use crate::pool::NONE;
use crate::queue::Front;
use crate::slab::{Handle, Kept};
use crate::topics::TopicId;

/// A delivery that waits.
#[derive(Clone, Copy)]
pub(crate) struct DelayedDelivery {
    matched: u32,
    /// Of the match: the deliveries of an ended one are dropped.
    generation: u32,
    /// In the slab, of which this is a user; nothing if a loss alone is told.
    message: Handle,
    /// Told before the message.
    lost: Option<Lost>,
    /// What conflation did, if the match conflates.
    replaced: Option<u64>,
    is_last_value: bool,
    /// The client counts it among the last values that wait.
    is_first: bool,
}

/// The deliveries of a client that wait, and what is counted of it besides.
pub(crate) struct Delayed {
    deliveries: VecDeque<DelayedDelivery>,
    /// The conversion that the first one waits for, which knows of it; or nothing.
    pub(crate) awaits: u32,
    /// Bytes that they count for.
    pub(crate) bytes: usize,
    /// Messages of the client that could not be rendered.
    pub(crate) unrendered: u64,
    /// What waits before the queue, and does not count here.
    pub(crate) filters: ClientFilters,
}

impl Default for Delayed {
    fn default() -> Self {
        let (deliveries, filters) = (VecDeque::new(), ClientFilters::default());
        Self { deliveries, awaits: NONE, bytes: 0, unrendered: 0, filters }
    }
}

impl Delayed {
    /// Bytes of memory, besides messages.
    pub(crate) fn memory(&self) -> usize {
        self.deliveries.capacity() * size_of::<DelayedDelivery>()
    }
}

/// What came before a delivery.
#[derive(Clone, Copy, Default)]
pub(crate) struct Before {
    pub(crate) lost: Option<Lost>,
    /// Updates that the message has replaced, if the match conflates.
    pub(crate) replaced: Option<u64>,
}

/// The format that a message of this one is to be converted into, for a match.
fn wanted<R: Renderer>(port: &Port<R>, matched: &Match, format: u16) -> Option<RenditionFormat> {
    if matched.flags & CONVERTED == 0 {
        return None;
    }
    let wanted = matched.rendition()?;
    (port.renderer.converts_to(wanted) != Some(ConvertsTo::Format(format))).then_some(wanted)
}

/// Whether a message of this format that could go to a match now has to be converted, or to go behind others.
#[inline]
pub(crate) fn has_to_wait<R: Renderer>(port: &Port<R>, matched: &Match, format: u16) -> bool {
    port.slow & slow::DELAYED != 0 || wanted(port, matched, format).is_some()
}

impl<R: Renderer> Egress<R> {
    /// The format that a message is to be converted into, for a match.
    fn conversion_for(&mut self, id: u32, message: Handle) -> Option<RenditionFormat> {
        let matched = &self.matches.matches[id];
        let port = &client_of(&mut self.clients, matched.client).port;
        wanted(port, matched, self.slab.get(message).format)
    }

    /// A newly published message could go now, and has to wait.
    pub(crate) fn delay_newest(
        &mut self,
        turn: &Turn<'_>,
        id: u32,
        content: &Content<'_>,
        replaced: Option<u64>,
    ) {
        let (topic, index) = (self.matches.matches[id].topic, self.matches.matches[id].client);
        let message = self.keep_newest(topic, content);
        let gaps = &mut client_of(&mut self.clients, index).gaps;
        let lost = self.matches.take_back(gaps, id);
        self.delay(turn, id, message, Before { lost, replaced });
    }

    /// It is the turn of the first record of a queue, which has to wait on.
    pub(crate) fn delay_record(&mut self, turn: &Turn<'_>, index: u32) {
        let client = client_of(&mut self.clients, index);
        let Some(Front { head, kept, extent }) = client.queue.front(&self.slab) else { return };
        let id = head.matched;
        let message = match extent.message {
            Handle::NONE => {
                // Of a match that wants no conversion.
                let payload = kept.payload.to_vec();
                let copy = Kept { payload: &payload, ..kept };
                self.slab.add(&copy)
            }
            message => {
                self.slab.share(message);
                message
            }
        };
        let mut lost = self.matches.take_front(&mut client.gaps, id);
        add(&mut lost, head.lost);
        client.queue.pop(extent, &mut self.slab);
        client.queued -= 1;
        client.waits -= 1;
        self.matches.matches[id].queued -= 1;
        self.delay(turn, id, message, Before { lost, replaced: None });
    }

    /// A delivery waits, or a loss without a message. The caller has counted another user of the message.
    pub(crate) fn delay(&mut self, turn: &Turn<'_>, id: u32, message: Handle, before: Before) {
        let matched = &mut self.matches.matches[id];
        let flags = matched.flags;
        matched.flags &= !(LAST_VALUE | FIRST_WAITS);
        let (index, topic) = (matched.client, matched.topic);
        let is_message = message != Handle::NONE;
        let it = DelayedDelivery {
            matched: id,
            generation: matched.generation,
            message,
            lost: before.lost,
            replaced: before.replaced,
            is_last_value: flags & LAST_VALUE != 0,
            is_first: flags & FIRST_WAITS != 0,
        };
        let bytes = self.charged(&it);
        self.matches.add_delayed(id, is_message);
        let client = client_of(&mut self.clients, index);
        client.waits += u64::from(is_message);
        client.port.slow |= slow::DELAYED;
        let delayed = client.port.delayed.get_or_insert_default();
        delayed.bytes += bytes;
        delayed.deliveries.push_back(it);
        let is_only = delayed.deliveries.len() == 1;
        if is_message
            && let Some(format) = self.conversion_for(id, message)
            && self.slab.rendition(message, format).is_none()
        {
            self.want(message, topic, format);
        }
        if is_only {
            self.drain(turn, index);
        }
        self.settle(index);
    }

    /// Bytes that a delivery takes of the output's room.
    fn charged(&self, it: &DelayedDelivery) -> usize {
        WAITING_HEAD + if it.message == Handle::NONE { 0 } else { self.slab.length(it.message) }
    }

    /// Delivers what is delayed, as far as conversions are there and the output has room.
    pub(crate) fn drain(&mut self, turn: &Turn<'_>, index: u32) {
        let before = client_of(&mut self.clients, index).port.output.bytes.len();
        while self.drain_one(turn, index) {}
        let port = &mut client_of(&mut self.clients, index).port;
        if port.output.bytes.len() > before {
            mark(port, &mut self.dirty);
        }
    }

    fn drain_one(&mut self, turn: &Turn<'_>, index: u32) -> bool {
        let most = self.output_bytes;
        let client = client_of(&mut self.clients, index);
        let has_room = client.port.slow & slow::CLOSING == 0 && client.port.output.len() < most;
        let Some(delayed) = client.port.delayed.as_mut().filter(|_| has_room) else { return false };
        let Some(it) = delayed.deliveries.front().copied() else { return false };
        let id = it.matched;
        if !self.matches.is_there(id, it.generation) {
            // Its update was counted as sent when it was delayed.
            if it.replaced.is_some()
                && let Some(credit) = &mut client_of(&mut self.clients, index).credit
            {
                credit.not_sent();
            }
            self.drop_first_delayed(index);
            return true;
        }
        let is_message = it.message != Handle::NONE;
        if is_message
            && let Some(format) = self.conversion_for(id, it.message)
            && self.slab.rendition(it.message, format).is_none()
        {
            let topic = self.matches.matches[id].topic;
            let conversion = self.want(it.message, topic, format);
            let delayed = client_of(&mut self.clients, index).port.delayed.as_mut();
            if delayed.is_some_and(|it| std::mem::replace(&mut it.awaits, conversion) != conversion)
            {
                self.conversions.wake(conversion, index);
            }
            return false;
        }
        self.deliver_delayed(turn, index, &it);
        self.matches.end_delayed(id, is_message);
        let client = client_of(&mut self.clients, index);
        client.waits -= u64::from(is_message);
        self.drop_first_delayed(index);
        let client = client_of(&mut self.clients, index);
        self.matches.settle(&mut client.gaps, id);
        self.wake_update(id);
        self.settle(index);
        true
    }

    /// Writes what has waited.
    fn deliver_delayed(&mut self, turn: &Turn<'_>, index: u32, it: &DelayedDelivery) {
        let format = match it.message {
            Handle::NONE => None,
            message => self.conversion_for(it.matched, message),
        };
        let client = client_of(&mut self.clients, index);
        let port = &mut client.port;
        let matched = &mut self.matches.matches[it.matched];
        tell(turn, port, matched, (it.lost, &self.filters.reasons));
        if it.message == Handle::NONE {
            return;
        }
        let kept = self.slab.get(it.message);
        let rendition = format.and_then(|format| self.slab.rendition(it.message, format));
        let before = port.output.bytes.len();
        let age = turn.now.saturating_sub(kept.published);
        announce(port, matched, turn.names);
        if let Some(failed) = rendition.filter(|it| it.is_failed) {
            let gap = Gap {
                subscription: matched.number,
                topic: TopicId(matched.topic),
                count: 1,
                first: kept.sequence,
                last: kept.sequence,
                age,
                reason: std::str::from_utf8(failed.bytes).ok(),
                names: turn.names,
            };
            port.renderer.gap(&mut port.output.bytes, &gap);
            self.matches.count_unrendered(it.matched);
            if let Some(delayed) = &mut port.delayed {
                delayed.unrendered += 1;
            }
            if it.replaced.is_some()
                && let Some(credit) = &mut client.credit
            {
                credit.not_sent();
            }
            return;
        }
        let conflation =
            it.replaced.map(|replaced| Conflation { replaced, age, published: kept.published });
        let last_value = it.is_last_value.then_some(LastValue { age, published: kept.published });
        let to = format.and_then(|it| port.renderer.converts_to(it)).and_then(ConvertsTo::format);
        let content = Content {
            sequence: kept.sequence,
            published: kept.published,
            conflation: conflation.as_ref(),
            request: kept.request.as_ref(),
            format: to.unwrap_or(kept.format),
            payload: rendition.map_or(kept.payload, |it| it.bytes),
        };
        let delivery = delivery(matched, turn.names, &content, last_value.as_ref());
        port.renderer.message(&mut port.output.bytes, &delivery);
        matched.delivered += 1;
        port.delivered += 1;
        if let Some(format) = format {
            self.renditions.count_use(format);
        }
        if port.slow & slow::PACE != 0 {
            port.pace.spend(turn.now, port.output.bytes.len() - before);
        }
    }

    /// An update that has waited until another one of its match was delivered may be next.
    fn wake_update(&mut self, id: u32) {
        let matched = &self.matches.matches[id];
        if matched.is_conflated() && !self.matches.has_delayed(id) {
            let conflated = &self.matches.conflated[matched.extra];
            if conflated.waiting != Handle::NONE && !conflated.is_cooling && !conflated.is_ready {
                self.make_ready(matched.extra);
            }
        }
    }

    /// The first delivery has gone out, or its match has ended.
    fn drop_first_delayed(&mut self, index: u32) {
        let client = client_of(&mut self.clients, index);
        let Some(delayed) = &mut client.port.delayed else { return };
        let Some(it) = delayed.deliveries.pop_front() else { return };
        delayed.awaits = NONE;
        if delayed.deliveries.is_empty() {
            client.port.slow &= !slow::DELAYED;
        }
        client.port.last_values_waiting -= u32::from(it.is_first);
        let bytes = self.charged(&it);
        if let Some(delayed) = &mut client_of(&mut self.clients, index).port.delayed {
            delayed.bytes -= bytes;
        }
        if it.message != Handle::NONE {
            self.slab.release(it.message);
        }
    }

    /// A client is gone: nothing of what was delayed will go out.
    pub(crate) fn drop_delayed(&mut self, index: u32) {
        let port = &mut client_of(&mut self.clients, index).port;
        let Some(delayed) = &mut port.delayed else { return };
        port.slow &= !slow::DELAYED;
        (delayed.bytes, delayed.awaits) = (0, NONE);
        for it in std::mem::take(&mut delayed.deliveries) {
            if it.message != Handle::NONE {
                self.slab.release(it.message);
            }
        }
    }
}
