//! The kinds of frames: the fifth byte of each.
//!
//! Those of a client are below 128, those of the router are not.

/// Opens a conversation.
pub const HELLO: u8 = 1;
/// Gives a topic a number for this connection.
pub const TOPIC: u8 = 2;
/// A message for a topic.
pub const PUBLISH: u8 = 3;
/// Asks for the messages of a pattern.
pub const SUBSCRIBE: u8 = 4;
/// Ends a subscription.
pub const UNSUBSCRIBE: u8 = 5;
/// A message that wants an answer.
pub const REQUEST: u8 = 6;
/// The answer, from the client that gives it.
pub const REPLY: u8 = 7;
/// Asks for a sign of life.
pub const PING: u8 = 8;
/// The sign of life.
pub const PONG: u8 = 9;
/// Gives a topic's number back.
pub const FORGET: u8 = 10;

/// The answer to HELLO.
pub const WELCOME: u8 = 128;
/// The name of a topic that messages will refer to.
pub const ROUTER_TOPIC: u8 = 129;
/// A message of a subscription.
pub const MESSAGE: u8 = 130;
/// Messages of a subscription that were lost.
pub const GAP: u8 = 131;
/// A subscription stands.
pub const SUBSCRIBED: u8 = 132;
/// Something asked for is not done.
pub const REFUSED: u8 = 133;
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

/// The kind as documents and errors call it; `a frame of no known kind` for others.
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
        WELCOME => "WELCOME",
        MESSAGE => "MESSAGE",
        GAP => "GAP",
        SUBSCRIBED => "SUBSCRIBED",
        REFUSED => "REFUSED",
        CLOSING => "CLOSING",
        UNSUBSCRIBED => "UNSUBSCRIBED",
        _ => "a frame of no known kind",
    }
}

pub(crate) mod flag {
    //! The flags of MESSAGE.

    /// `replaced` and `age` are there.
    pub(crate) const CONFLATED: u8 = 1;
    /// `requester` and `correlation` are there.
    pub(crate) const REQUEST: u8 = 2;
    /// Those that are known.
    pub(crate) const ALL: u8 = CONFLATED | REQUEST;
}
