//! The native protocol: frames as bytes, to the byte
//!
//! A connection carries frames in both directions, [`ClientFrame`] from a client to the router and
//! [`RouterFrame`] back. This crate turns frames into bytes and bytes into frames. It has no socket, keeps
//! no state between two frames, and does not allocate when it decodes. `docs/native-protocol.md` defines
//! the order of frames and their meaning.
//!
//! ```
//! use trunkline_native::{ClientFrame, Publish, decode_client, encode_publish, format};
//!
//! let mut bytes = Vec::new();
//! encode_publish(&mut bytes, 7, format::TEXT, b"1.0842");
//! let (frame, length) = decode_client(&bytes, 1 << 20)?.expect("the frame is whole");
//! assert_eq!(length, bytes.len());
//! let (format, payload) = (format::TEXT, &b"1.0842"[..]);
//! let expected = Publish { alias: 7, clears_last_value: false, format, payload };
//! assert_eq!(frame, ClientFrame::Publish(expected));
//! # Ok::<(), trunkline_native::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod code;
mod decode;
mod encode;
mod error;
mod fast;
pub mod format;
mod frame;
pub mod kind;

pub use decode::{decode_client, decode_hello, decode_router};
pub use encode::{
    encode_acknowledge, encode_acknowledged, encode_clock, encode_closing, encode_confirmed,
    encode_consume, encode_consuming, encode_credentials, encode_delete, encode_forget, encode_gap,
    encode_hello, encode_last_values, encode_lost, encode_message, encode_notice, encode_ping,
    encode_pong, encode_producer, encode_producing, encode_rejected, encode_release, encode_reply,
    encode_request, encode_router_clock, encode_router_ping, encode_router_pong,
    encode_router_reply, encode_router_topic, encode_stored, encode_subscribe, encode_subscribed,
    encode_subscription, encode_taken, encode_topic, encode_unsubscribe, encode_unsubscribed,
    encode_welcome,
};
pub use error::{Error, ErrorKind};
pub use fast::{
    decode_delivery, decode_message, decode_publish, decode_store, encode_clearing_publish,
    encode_delivery, encode_plain_message, encode_publish, encode_store,
};
pub use frame::{
    Acknowledge, Acknowledged, ClientFrame, Clock, Closing, Confirmed, Conflation, Consume,
    Consuming, Credentials, Delete, Delivery, DeliveryPolicy, Durability, Features, Gap, Hello,
    LastValues, Lost, LostReason, Message, Notice, Overflow, Producer, Producing, Publish,
    Rejected, Release, Reply, Request, Requester, RouterFrame, RouterReply, Start, Store, Stored,
    Subscribe, Taken, Topic, Updates, Welcome,
};

/// The version of the protocol that this crate implements.
pub const VERSION: u16 = 1;

/// The first field of HELLO: `TRNK`, in this order in the stream.
pub const MAGIC: u32 = u32::from_le_bytes(*b"TRNK");

/// Bytes that every frame begins with: length, kind, flags, format.
pub const HEADER: usize = 8;

/// Bytes of the fixed part of MESSAGE without flags; the payload follows.
pub const MESSAGE_HEAD: usize = 24;

/// Bytes of the fixed part of PUBLISH; the payload follows.
pub const PUBLISH_HEAD: usize = 12;

/// Bytes of the fixed part of STORE; the payload follows.
pub const STORE_HEAD: usize = 24;

/// Bytes of the fixed part of DELIVERY that is not conflated; the payload follows.
pub const DELIVERY_HEAD: usize = 40;

/// The most bytes before the payload in a frame that delivers a message. A payload is this much shorter
/// than the longest frame, so that every receiver of such frames can take it.
pub const MOST_MESSAGE_HEAD: usize = MESSAGE_HEAD + 40;

/// The most bytes of the name of a client, a producer or a durable subscription.
pub const NAME_BYTES: usize = 200;

/// The most bytes of a password or a token.
pub const SECRET_BYTES: usize = 1024;

/// The most bytes of CREDENTIALS.
pub const CREDENTIALS_BYTES: usize = encode::CREDENTIALS_HEAD + NAME_BYTES + SECRET_BYTES;

/// The most bytes of HELLO, and so the memory that waiting for one needs.
pub const HELLO_BYTES: usize = encode::HELLO_HEAD + NAME_BYTES;

/// The most bytes of a frame unless a router is configured otherwise: 1 MiB.
pub const FRAME_BYTES: u32 = 1 << 20;

/// Aliases and the numbers of topics are below this.
pub const TOPIC_NUMBERS: u32 = 1 << 24;
