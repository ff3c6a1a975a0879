//! The kinds of frames: the fifth byte of each.
//!
//! Kinds below 128 are a client's, the others the router's.

/// Opens a conversation.
pub const HELLO: u8 = 1;
/// Gives a topic a number for this connection.
pub const TOPIC: u8 = 2;
/// A message for a topic.
pub const PUBLISH: u8 = 3;
/// Subscribes to a pattern.
pub const SUBSCRIBE: u8 = 4;
/// Ends a subscription.
pub const UNSUBSCRIBE: u8 = 5;
/// A message that asks for an answer.
pub const REQUEST: u8 = 6;
/// The answer, from the responder.
pub const REPLY: u8 = 7;
/// Asks for a sign of life.
pub const PING: u8 = 8;
/// The sign of life.
pub const PONG: u8 = 9;
/// Releases a topic's number.
pub const FORGET: u8 = 10;
/// Names the producer, in guaranteed delivery.
pub const PRODUCER: u8 = 11;
/// A guaranteed message for a topic.
pub const STORE: u8 = 12;
/// Asks for guaranteed messages.
pub const CONSUME: u8 = 13;
/// Acknowledges a message.
pub const ACKNOWLEDGE: u8 = 14;
/// Gives a message back.
pub const RELEASE: u8 = 15;
/// Ends a durable subscription for all consumers.
pub const DELETE: u8 = 16;
/// How many conflated messages the application has taken.
pub const TAKEN: u8 = 17;
/// Asks for the time of the router.
pub const CLOCK: u8 = 18;
/// Shows who the client is, behind HELLO.
pub const CREDENTIALS: u8 = 19;

/// The answer to HELLO.
pub const WELCOME: u8 = 128;
/// The name of a topic number in messages.
pub const ROUTER_TOPIC: u8 = 129;
/// A message of a subscription.
pub const MESSAGE: u8 = 130;
/// Messages of a subscription that were lost.
pub const GAP: u8 = 131;
/// A subscription is active.
pub const SUBSCRIBED: u8 = 132;
/// A frame was rejected.
pub const REJECTED: u8 = 133;
/// The answer to a REQUEST.
pub const ROUTER_REPLY: u8 = 134;
/// Asks for a sign of life.
pub const ROUTER_PING: u8 = 135;
/// The sign of life.
pub const ROUTER_PONG: u8 = 136;
/// The last frame before the router ends the connection.
pub const CLOSING: u8 = 137;
/// A subscription has ended.
pub const UNSUBSCRIBED: u8 = 138;
/// The answer to PRODUCER.
pub const PRODUCING: u8 = 139;
/// Guaranteed messages of a producer are stored.
pub const STORED: u8 = 140;
/// The answer to CONSUME.
pub const CONSUMING: u8 = 141;
/// A guaranteed message of a subscription.
pub const DELIVERY: u8 = 142;
/// The durability of delivered messages.
pub const CONFIRMED: u8 = 143;
/// The acknowledgements of a consumer are durable.
pub const ACKNOWLEDGED: u8 = 144;
/// Guaranteed messages of a subscription that will not come.
pub const LOST: u8 = 145;
/// The time of the router.
pub const ROUTER_CLOCK: u8 = 146;
/// All last values of a subscription have come.
pub const LAST_VALUES: u8 = 147;
/// The router says something of itself.
pub const NOTICE: u8 = 148;

/// The kind's name in documents and errors; `a frame of no known kind` for others.
#[must_use]
pub fn name(kind: u8) -> &'static str {
    match kind {
        HELLO => "HELLO",
        TOPIC | ROUTER_TOPIC => "TOPIC",
        PUBLISH => "PUBLISH",
        SUBSCRIBE => "SUBSCRIBE",
        UNSUBSCRIBE => "UNSUBSCRIBE",
        REQUEST => "REQUEST",
        REPLY | ROUTER_REPLY => "REPLY",
        PING | ROUTER_PING => "PING",
        PONG | ROUTER_PONG => "PONG",
        FORGET => "FORGET",
        PRODUCER => "PRODUCER",
        STORE => "STORE",
        CONSUME => "CONSUME",
        ACKNOWLEDGE => "ACKNOWLEDGE",
        RELEASE => "RELEASE",
        DELETE => "DELETE",
        TAKEN => "TAKEN",
        CLOCK | ROUTER_CLOCK => "CLOCK",
        CREDENTIALS => "CREDENTIALS",
        WELCOME => "WELCOME",
        MESSAGE => "MESSAGE",
        GAP => "GAP",
        SUBSCRIBED => "SUBSCRIBED",
        REJECTED => "REJECTED",
        CLOSING => "CLOSING",
        UNSUBSCRIBED => "UNSUBSCRIBED",
        PRODUCING => "PRODUCING",
        STORED => "STORED",
        CONSUMING => "CONSUMING",
        DELIVERY => "DELIVERY",
        CONFIRMED => "CONFIRMED",
        ACKNOWLEDGED => "ACKNOWLEDGED",
        LOST => "LOST",
        LAST_VALUES => "LAST_VALUES",
        NOTICE => "NOTICE",
        _ => "a frame of no known kind",
    }
}

pub(crate) mod flag {
    //! The flags of frames, whose meaning depends on the kind.

    /// HELLO: CREDENTIALS follows.
    pub(crate) const HAS_CREDENTIALS: u8 = 1;
    /// MESSAGE and DELIVERY: `replaced` and `age` are there.
    pub(crate) const CONFLATED: u8 = 1;
    /// MESSAGE: `requester` and `correlation` are there.
    pub(crate) const REQUEST: u8 = 2;
    /// MESSAGE: `published` is there.
    pub(crate) const TIMED: u8 = 4;
    /// MESSAGE: it is a last value, and its age is there.
    pub(crate) const LAST_VALUE: u8 = 8;
    /// SUBSCRIBE: the last value of each topic first.
    pub(crate) const WANTS_LAST_VALUES: u8 = 1;
    /// SUBSCRIBE: the format of the header is that in which messages are wanted.
    pub(crate) const WANTS_FORMAT: u8 = 2;
    /// SUBSCRIBE: a filter comes before the pattern, with its length.
    pub(crate) const HAS_FILTER: u8 = 4;
    /// SUBSCRIBE: fields come before the pattern and behind the filter, with their length.
    pub(crate) const HAS_FIELDS: u8 = 8;
    /// GAP: the reason follows.
    pub(crate) const HAS_REASON: u8 = 1;
    /// PUBLISH: the topic has no last value then.
    pub(crate) const CLEARS: u8 = 1;
    /// STORE: it may have been sent before.
    pub(crate) const SENT_BEFORE: u8 = 1;
    /// CONSUME: asks for CONFIRMED.
    pub(crate) const WANTS_CONFIRMED: u8 = 1;
    /// CONSUME: asks for ACKNOWLEDGED.
    pub(crate) const WANTS_ACKNOWLEDGED: u8 = 2;
    /// CONSUME: the format of the header is that in which messages are wanted.
    pub(crate) const CONSUMES_FORMAT: u8 = 4;
    /// CONSUME: a filter comes before the name, with its length.
    pub(crate) const CONSUMES_FILTER: u8 = 8;
    /// CONSUME: fields come before the name and behind the filter, with their length.
    pub(crate) const CONSUMES_FIELDS: u8 = 16;
    /// ACKNOWLEDGE: all messages up to the position.
    pub(crate) const CUMULATIVE: u8 = 1;
    /// CONSUMING: this CONSUME created the subscription.
    pub(crate) const NEW: u8 = 1;
    /// DELIVERY: it may have been delivered before.
    pub(crate) const DELIVERED_BEFORE: u8 = 2;
    /// DELIVERY: it is not yet as durable as its topic asks.
    pub(crate) const UNCONFIRMED: u8 = 4;
    /// DELIVERY: it comes from the journal.
    pub(crate) const KEPT: u8 = 8;
    /// DELIVERY: it is not to be had as the client wants it; the payload is the reason.
    pub(crate) const UNRENDERED: u8 = 16;

    /// The flag if the condition holds, otherwise none.
    #[inline]
    pub(crate) fn when(is_so: bool, flag: u8) -> u8 {
        if is_so { flag } else { 0 }
    }

    /// The flags that a kind defines.
    pub(crate) fn known(kind: u8) -> u8 {
        match kind {
            super::HELLO => HAS_CREDENTIALS,
            super::MESSAGE => CONFLATED | REQUEST | TIMED | LAST_VALUE,
            super::SUBSCRIBE => WANTS_LAST_VALUES | WANTS_FORMAT | HAS_FILTER | HAS_FIELDS,
            super::GAP => HAS_REASON,
            super::PUBLISH => CLEARS,
            super::STORE => SENT_BEFORE,
            super::CONSUME => {
                WANTS_CONFIRMED
                    | WANTS_ACKNOWLEDGED
                    | CONSUMES_FORMAT
                    | CONSUMES_FILTER
                    | CONSUMES_FIELDS
            }
            super::ACKNOWLEDGE => CUMULATIVE,
            super::CONSUMING => NEW,
            super::DELIVERY => CONFLATED | DELIVERED_BEFORE | UNCONFIRMED | KEPT | UNRENDERED,
            _ => 0,
        }
    }
}
