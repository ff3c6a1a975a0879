//! Deliveries and answers as frames.

use std::collections::HashMap;

use trunkline_native as native;
use trunkline_native::{Rejected, TOPIC_NUMBERS};
use trunkline_router::{Delivery, Gap, TopicId};
use trunkline_store::{Durability, Loss, LossReason};

use crate::router::{SessionRenderer, StoreEvent};

/// The maximum number of announced topics that are remembered; beyond it all are announced again.
const NUMBERED: usize = 65_536;

/// Writes the frames that a client reads.
#[derive(Debug, Default)]
pub struct NativeRenderer {
    /// Conflated messages and last values say when they were published.
    pub(super) times: bool,
    /// The client wants to know what the router says of itself.
    pub(super) notices: bool,
    /// The numbers of topics that were announced for guaranteed deliveries. They count down from
    /// the highest, far from those of the router.
    numbered: HashMap<Box<str>, u32>,
}

impl NativeRenderer {
    /// The number of a topic in guaranteed deliveries; it is announced to the client first.
    fn number(&mut self, out: &mut Vec<u8>, topic: &str) -> u32 {
        if let Some(number) = self.numbered.get(topic) {
            return *number;
        }
        if self.numbered.len() == NUMBERED {
            self.numbered.clear();
        }
        let number = TOPIC_NUMBERS - 1 - self.numbered.len() as u32;
        self.numbered.insert(topic.into(), number);
        native::encode_router_topic(out, number, topic);
        number
    }

    #[inline]
    fn guaranteed(
        &mut self,
        out: &mut Vec<u8>,
        it: &trunkline_store::Delivery<'_>,
        is_unrendered: bool,
    ) {
        let topic = self.number(out, it.topic);
        native::encode_delivery(
            out,
            &native::Delivery {
                subscription: it.subscription,
                topic,
                position: it.position,
                time: it.time,
                deliveries: it.deliveries,
                conflation: it
                    .conflation
                    .map(|(replaced, age)| native::Conflation { replaced, age }),
                is_repeated: it.is_repeated,
                is_unconfirmed: it.is_unconfirmed,
                is_kept: it.is_kept,
                is_unrendered,
                format: it.format,
                payload: it.payload,
            },
        );
    }

    #[inline(never)]
    fn rare_message(&self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        let conflation = it.conflation.map(|conflation| native::Conflation {
            replaced: conflation.replaced,
            age: conflation.age,
        });
        let published = it.conflation.map(|it| it.published);
        let published = published.or(it.last_value.map(|it| it.published));
        let request = it.request.map(|request| native::Requester {
            client: request.client.as_u64(),
            correlation: request.correlation,
        });
        native::encode_message(
            out,
            &native::Message {
                subscription: it.subscription,
                topic: it.topic.0,
                sequence: it.sequence,
                conflation,
                request,
                published: published.filter(|_| self.times),
                last_value: it.last_value.map(|it| it.age),
                format: it.format,
                payload: it.payload,
            },
        );
    }
}

impl SessionRenderer for NativeRenderer {
    #[inline]
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str) {
        native::encode_router_topic(out, topic.0, name);
    }

    // Into the router's loop, so that a delivery is never written to memory to be read again.
    #[inline(always)]
    fn message(&mut self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        if it.conflation.is_none() && it.request.is_none() && it.last_value.is_none() {
            let (subscription, topic) = (it.subscription, it.topic.0);
            native::encode_plain_message(
                out,
                subscription,
                topic,
                it.sequence,
                it.format,
                it.payload,
            );
        } else {
            self.rare_message(out, &{ *it });
        }
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        let Gap { subscription, topic, count, first, last, age, reason, .. } = *gap;
        let reason = reason.unwrap_or_default();
        native::encode_gap(
            out,
            &native::Gap { subscription, topic: topic.0, count, first, last, age, reason },
        );
    }

    fn last_values(&mut self, out: &mut Vec<u8>, subscription: u32, count: u64) {
        native::encode_last_values(out, &native::LastValues { subscription, count });
    }

    fn rejected(&mut self, out: &mut Vec<u8>, rejected: &Rejected<'_>) {
        native::encode_rejected(out, rejected);
    }

    fn reply(&mut self, out: &mut Vec<u8>, correlation: u64, format: u16, payload: &[u8]) {
        native::encode_router_reply(out, &native::RouterReply { correlation, format, payload });
    }

    fn ping(&mut self, out: &mut Vec<u8>, token: u64) {
        native::encode_router_ping(out, token);
    }

    fn notice(&mut self, out: &mut Vec<u8>, notice: &native::Notice<'_>) {
        if self.notices {
            native::encode_notice(out, notice);
        }
    }

    fn close(&mut self, out: &mut Vec<u8>, code: u16, reason: &str) {
        native::encode_closing(out, code, reason);
    }

    fn delivery(&mut self, out: &mut Vec<u8>, it: &trunkline_store::Delivery<'_>) {
        self.guaranteed(out, it, false);
    }

    fn unrendered(&mut self, out: &mut Vec<u8>, it: &trunkline_store::Delivery<'_>) {
        self.guaranteed(out, it, true);
    }

    #[inline]
    fn event(&mut self, out: &mut Vec<u8>, event: &StoreEvent<'_>) {
        match *event {
            StoreEvent::Lost(subscription, loss) => {
                native::encode_lost(out, &lost(subscription, loss))
            }
            StoreEvent::Stored(it) => {
                let (sequence, position) = (it.sequence, it.position);
                let durability = durability(it.durability);
                native::encode_stored(out, &native::Stored { durability, sequence, position });
            }
            StoreEvent::Consuming(it) => {
                let trunkline_store::Consuming { subscription, window, waiting, next, is_new } =
                    *it;
                let it = native::Consuming { subscription, window, waiting, next, is_new };
                native::encode_consuming(out, &it);
            }
            StoreEvent::Confirmed(subscription, it, position) => {
                let durability = durability(it);
                let it = native::Confirmed { subscription, durability, position };
                native::encode_confirmed(out, &it);
            }
            StoreEvent::Acknowledged(subscription, it, acknowledgements, position) => {
                let durability = durability(it);
                let it =
                    native::Acknowledged { subscription, durability, acknowledgements, position };
                native::encode_acknowledged(out, &it);
            }
            StoreEvent::Ended(subscription) => native::encode_unsubscribed(out, subscription),
        }
    }
}

fn durability(it: Durability) -> native::Durability {
    native::Durability { memory: it.memory, disk: it.disk }
}

fn lost(subscription: u32, it: &Loss) -> native::Lost {
    let reason = match it.reason {
        LossReason::Expired => native::LostReason::Expired,
        LossReason::Damaged => native::LostReason::Damaged,
        LossReason::Quota => native::LostReason::OverQuota,
        LossReason::Gone => native::LostReason::NotKept,
        LossReason::Purged => native::LostReason::Purged,
    };
    native::Lost { subscription, reason, count: it.count, first: it.first, last: it.last }
}
