//! The frames of guaranteed delivery.

mod consume;

use super::{Shape, name, u16_at, u32_at, u64_at};
use crate::error::Error;
use crate::frame::{
    Acknowledge, Acknowledged, ClientFrame, Confirmed, Conflation, Consuming, Delete, Delivery,
    Durability, Lost, LostReason, Producer, Producing, Release, RouterFrame, Store, Stored,
};
use crate::kind::{self, flag};
use crate::{DELIVERY_HEAD, STORE_HEAD};

/// The form of a client's frame.
pub(super) fn client_shape(kind: u8, flags: u8) -> Option<Shape> {
    Some(match kind {
        // Their names must not be empty.
        kind::PRODUCER | kind::DELETE => Shape::Open(13),
        kind::STORE => Shape::Open(STORE_HEAD),
        kind::CONSUME => Shape::Open(consume::shortest(flags)),
        kind::ACKNOWLEDGE | kind::RELEASE => Shape::Fixed(24),
        _ => return None,
    })
}

/// A complete frame of a client, of a kind that has a form here.
pub(super) fn client(frame: &[u8]) -> Result<ClientFrame<'_>, Error> {
    Ok(match frame[4] {
        kind::PRODUCER => ClientFrame::Producer(Producer { name: name(frame, 12)? }),
        kind::STORE => ClientFrame::Store(Store {
            alias: u32_at(frame, 8),
            time_to_live_ms: u32_at(frame, 12),
            sequence: u64_at(frame, 16),
            is_repeated: has(frame, flag::SENT_BEFORE),
            format: u16_at(frame, 6),
            payload: &frame[STORE_HEAD..],
        }),
        kind::CONSUME => ClientFrame::Consume(consume::consume(frame)?),
        kind::ACKNOWLEDGE => ClientFrame::Acknowledge(Acknowledge {
            subscription: u32_at(frame, 8),
            position: u64_at(frame, 16),
            is_cumulative: has(frame, flag::CUMULATIVE),
        }),
        kind::RELEASE => ClientFrame::Release(Release {
            subscription: u32_at(frame, 8),
            delay_ms: u32_at(frame, 12),
            position: u64_at(frame, 16),
        }),
        _ => ClientFrame::Delete(Delete { name: name(frame, 12)? }),
    })
}

/// The form of the router's frame.
pub(super) fn router_shape(kind: u8, flags: u8) -> Option<Shape> {
    Some(match kind {
        kind::CONFIRMED => Shape::Fixed(24),
        kind::PRODUCING | kind::STORED | kind::CONSUMING | kind::ACKNOWLEDGED => Shape::Fixed(32),
        kind::LOST => Shape::Fixed(40),
        kind::DELIVERY if flags & flag::CONFLATED != 0 => Shape::Open(DELIVERY_HEAD + 16),
        kind::DELIVERY => Shape::Open(DELIVERY_HEAD),
        _ => return None,
    })
}

/// A complete frame of the router, of a kind that has a form here.
pub(super) fn router(frame: &[u8]) -> RouterFrame<'_> {
    match frame[4] {
        kind::PRODUCING => RouterFrame::Producing(Producing {
            window: u32_at(frame, 8),
            window_bytes: u64_at(frame, 16),
            last: u64_at(frame, 24),
        }),
        kind::STORED => RouterFrame::Stored(Stored {
            durability: durability(frame, 8),
            sequence: u64_at(frame, 16),
            position: u64_at(frame, 24),
        }),
        kind::CONSUMING => RouterFrame::Consuming(Consuming {
            subscription: u32_at(frame, 8),
            window: u32_at(frame, 12),
            waiting: u64_at(frame, 16),
            next: u64_at(frame, 24),
            is_new: has(frame, flag::NEW),
        }),
        kind::DELIVERY => RouterFrame::Delivery(delivery(frame)),
        kind::CONFIRMED => RouterFrame::Confirmed(Confirmed {
            subscription: u32_at(frame, 8),
            durability: durability(frame, 12),
            position: u64_at(frame, 16),
        }),
        kind::ACKNOWLEDGED => RouterFrame::Acknowledged(Acknowledged {
            subscription: u32_at(frame, 8),
            durability: durability(frame, 12),
            acknowledgements: u64_at(frame, 16),
            position: u64_at(frame, 24),
        }),
        _ => RouterFrame::Lost(Lost {
            subscription: u32_at(frame, 8),
            reason: reason(u16_at(frame, 12)),
            count: u64_at(frame, 16),
            first: u64_at(frame, 24),
            last: u64_at(frame, 32),
        }),
    }
}

fn has(frame: &[u8], flag: u8) -> bool {
    frame[5] & flag != 0
}

fn delivery(frame: &[u8]) -> Delivery<'_> {
    let mut at = DELIVERY_HEAD;
    let conflation = has(frame, flag::CONFLATED).then(|| {
        at += 16;
        Conflation { replaced: u64_at(frame, at - 16), age: u64_at(frame, at - 8) }
    });
    Delivery {
        subscription: u32_at(frame, 8),
        topic: u32_at(frame, 12),
        position: u64_at(frame, 16),
        time: u64_at(frame, 24),
        deliveries: u32_at(frame, 32),
        conflation,
        is_repeated: has(frame, flag::DELIVERED_BEFORE),
        is_unconfirmed: has(frame, flag::UNCONFIRMED),
        is_kept: has(frame, flag::KEPT),
        is_unrendered: has(frame, flag::UNRENDERED),
        format: u16_at(frame, 6),
        payload: &frame[at..],
    }
}

fn durability(frame: &[u8], at: usize) -> Durability {
    Durability { memory: u16_at(frame, at), disk: u16_at(frame, at + 2) }
}

fn reason(number: u16) -> LostReason {
    match number {
        1 => LostReason::Expired,
        2 => LostReason::Damaged,
        3 => LostReason::OverQuota,
        4 => LostReason::NotKept,
        5 => LostReason::Purged,
        other => LostReason::Other(other),
    }
}
