//! Bytes to frames. The length is checked before the decoder waits for more bytes.

mod credentials;
mod guaranteed;
mod subscribe;

use std::str;

use crate::encode::{CREDENTIALS_HEAD, HELLO_HEAD};
use crate::error::{Error, ErrorKind};
use crate::frame::{
    ClientFrame, Clock, Closing, Conflation, Features, Gap, Hello, LastValues, Message, Notice,
    Overflow, Publish, Rejected, Reply, Request, Requester, RouterFrame, RouterReply, Taken, Topic,
    Updates, Welcome,
};
use crate::kind::{self, flag};
use crate::{HEADER, HELLO_BYTES, MAGIC, NAME_BYTES, fast};

/// The form of a frame: its fixed part, and whether text or payload may follow.
enum Shape {
    Fixed(usize),
    Open(usize),
}

/// The frame of a client at the beginning of the bytes, and its length. `None`: more bytes are needed. No
/// frame is longer than `limit`.
///
/// HELLO is decoded like any other; [`decode_hello`] is for a caller that expects one.
///
/// # Errors
///
/// If the bytes are not a frame of a client, as soon as the length or the header shows it.
#[inline]
pub fn decode_client(bytes: &[u8], limit: u32) -> Result<Option<(ClientFrame<'_>, usize)>, Error> {
    if let Some((publish, length)) = fast::decode_publish(bytes, limit) {
        return Ok(Some((ClientFrame::Publish(publish), length)));
    }
    if let Some((store, length)) = fast::decode_store(bytes, limit) {
        return Ok(Some((ClientFrame::Store(store), length)));
    }
    any_client(bytes, limit)
}

/// A separate function, so that the fast paths need no stack for its variables.
#[inline(never)]
fn any_client(bytes: &[u8], limit: u32) -> Result<Option<(ClientFrame<'_>, usize)>, Error> {
    let shape = |kind, flags: u8| {
        Some(match kind {
            kind::HELLO => Shape::Open(HELLO_HEAD),
            kind::TOPIC | kind::PUBLISH => Shape::Open(12),
            kind::SUBSCRIBE => Shape::Open(subscribe::shortest(flags)),
            kind::UNSUBSCRIBE | kind::FORGET => Shape::Fixed(12),
            kind::REQUEST | kind::REPLY => Shape::Open(24),
            kind::PING | kind::PONG | kind::CLOCK => Shape::Fixed(16),
            kind::TAKEN => Shape::Fixed(24),
            kind::CREDENTIALS => Shape::Open(CREDENTIALS_HEAD),
            _ => return guaranteed::client_shape(kind, flags),
        })
    };
    let Some(frame) = whole(bytes, limit, shape)? else { return Ok(None) };
    let decoded = match frame[4] {
        kind::HELLO => ClientFrame::Hello(hello(frame)?),
        kind::TOPIC => ClientFrame::Topic(topic(frame)?),
        kind::PUBLISH => ClientFrame::Publish(Publish {
            alias: u32_at(frame, 8),
            clears_last_value: frame[5] & flag::CLEARS != 0,
            format: u16_at(frame, 6),
            payload: &frame[12..],
        }),
        kind::SUBSCRIBE => ClientFrame::Subscribe(subscribe::subscribe(frame)?),
        kind::UNSUBSCRIBE => ClientFrame::Unsubscribe(u32_at(frame, 8)),
        kind::REQUEST => ClientFrame::Request(Request {
            alias: u32_at(frame, 8),
            timeout_ms: u32_at(frame, 12),
            correlation: u64_at(frame, 16),
            format: u16_at(frame, 6),
            payload: &frame[24..],
        }),
        kind::REPLY => ClientFrame::Reply(Reply {
            request: requester(frame, 8),
            format: u16_at(frame, 6),
            payload: &frame[24..],
        }),
        kind::PING => ClientFrame::Ping(u64_at(frame, 8)),
        kind::PONG => ClientFrame::Pong(u64_at(frame, 8)),
        kind::FORGET => ClientFrame::Forget(u32_at(frame, 8)),
        kind::TAKEN => {
            ClientFrame::Taken(Taken { messages: u64_at(frame, 8), round_trip: u64_at(frame, 16) })
        }
        kind::CLOCK => ClientFrame::Clock(u64_at(frame, 8)),
        kind::CREDENTIALS => ClientFrame::Credentials(credentials::credentials(frame)?),
        _ => guaranteed::client(frame)?,
    };
    Ok(Some((decoded, frame.len())))
}

/// The HELLO at the beginning of the bytes, and its length. `None`: more bytes are needed, never more than
/// [`HELLO_BYTES`].
///
/// # Errors
///
/// If the bytes are not HELLO, as soon as one of them shows it.
pub fn decode_hello(bytes: &[u8]) -> Result<Option<(Hello<'_>, usize)>, Error> {
    let not_hello = |offset| Err(ErrorKind::NotHello.at(offset));
    if let Some(length) = bytes.first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        if !(HELLO_HEAD..=HELLO_BYTES).contains(&length) {
            return not_hello(0);
        }
    }
    if bytes.get(4).is_some_and(|kind| *kind != kind::HELLO) {
        return not_hello(4);
    }
    let magic = bytes.get(8..bytes.len().min(12)).unwrap_or_default();
    if !MAGIC.to_le_bytes().starts_with(magic) {
        return not_hello(8);
    }
    let decoded = decode_client(bytes, HELLO_BYTES as u32)?;
    Ok(decoded.and_then(|(frame, length)| match frame {
        ClientFrame::Hello(hello) => Some((hello, length)),
        _ => None,
    }))
}

/// The frame of the router at the beginning of the bytes, and its length. `None`: more bytes are needed. No
/// frame is longer than `limit`.
///
/// # Errors
///
/// If the bytes are not a frame of the router, as soon as the length or the header shows it.
#[inline]
pub fn decode_router(bytes: &[u8], limit: u32) -> Result<Option<(RouterFrame<'_>, usize)>, Error> {
    if let Some((message, length)) = fast::decode_message(bytes, limit) {
        return Ok(Some((RouterFrame::Message(message), length)));
    }
    if let Some((delivery, length)) = fast::decode_delivery(bytes, limit) {
        return Ok(Some((RouterFrame::Delivery(delivery), length)));
    }
    any_router(bytes, limit)
}

/// A separate function, so that the fast paths need no stack for its variables.
#[inline(never)]
fn any_router(bytes: &[u8], limit: u32) -> Result<Option<(RouterFrame<'_>, usize)>, Error> {
    let shape = |kind, flags: u8| {
        Some(match kind {
            kind::WELCOME => Shape::Fixed(32),
            kind::ROUTER_TOPIC | kind::CLOSING | kind::NOTICE => Shape::Open(12),
            kind::MESSAGE => {
                let pairs = (flags & (flag::CONFLATED | flag::REQUEST)).count_ones() as usize;
                let single = (flags & (flag::TIMED | flag::LAST_VALUE)).count_ones() as usize;
                Shape::Open(24 + 16 * pairs + 8 * single)
            }
            kind::GAP if flags & flag::HAS_REASON != 0 => Shape::Open(48),
            kind::GAP => Shape::Fixed(48),
            kind::SUBSCRIBED | kind::UNSUBSCRIBED => Shape::Fixed(12),
            kind::REJECTED => Shape::Open(24),
            kind::ROUTER_REPLY => Shape::Open(16),
            kind::ROUTER_PING | kind::ROUTER_PONG => Shape::Fixed(16),
            kind::ROUTER_CLOCK | kind::LAST_VALUES => Shape::Fixed(24),
            _ => return guaranteed::router_shape(kind, flags),
        })
    };
    let Some(frame) = whole(bytes, limit, shape)? else { return Ok(None) };
    let decoded = match frame[4] {
        kind::WELCOME => RouterFrame::Welcome(Welcome {
            version: u16_at(frame, 8),
            features: Features::from_bits(u16_at(frame, 10)),
            frame_bytes: u32_at(frame, 12),
            client: u64_at(frame, 16),
            topics: u32_at(frame, 24),
            subscriptions: u32_at(frame, 28),
        }),
        kind::ROUTER_TOPIC => RouterFrame::Topic(topic(frame)?),
        kind::MESSAGE => RouterFrame::Message(message(frame)),
        kind::GAP => RouterFrame::Gap(Gap {
            subscription: u32_at(frame, 8),
            topic: u32_at(frame, 12),
            count: u64_at(frame, 16),
            first: u64_at(frame, 24),
            last: u64_at(frame, 32),
            age: u64_at(frame, 40),
            reason: text(frame, 48)?,
        }),
        kind::SUBSCRIBED => RouterFrame::Subscribed(u32_at(frame, 8)),
        kind::REJECTED => RouterFrame::Rejected(Rejected {
            of: frame[8],
            code: u16_at(frame, 10),
            offset: Some(u32_at(frame, 12)).filter(|offset| *offset != u32::MAX),
            id: u64_at(frame, 16),
            text: text(frame, 24)?,
        }),
        kind::ROUTER_REPLY => RouterFrame::Reply(RouterReply {
            correlation: u64_at(frame, 8),
            format: u16_at(frame, 6),
            payload: &frame[16..],
        }),
        kind::ROUTER_PING => RouterFrame::Ping(u64_at(frame, 8)),
        kind::ROUTER_PONG => RouterFrame::Pong(u64_at(frame, 8)),
        kind::CLOSING | kind::NOTICE => reason(frame)?,
        kind::UNSUBSCRIBED => RouterFrame::Unsubscribed(u32_at(frame, 8)),
        kind::ROUTER_CLOCK => {
            RouterFrame::Clock(Clock { token: u64_at(frame, 8), time: u64_at(frame, 16) })
        }
        kind::LAST_VALUES => RouterFrame::LastValues(LastValues {
            subscription: u32_at(frame, 8),
            count: u64_at(frame, 16),
        }),
        _ => guaranteed::router(frame),
    };
    Ok(Some((decoded, frame.len())))
}

/// The first frame, if it is complete. Its length fits its kind, so that its fields can be read without
/// checking the length.
fn whole(
    bytes: &[u8],
    limit: u32,
    shape: impl Fn(u8, u8) -> Option<Shape>,
) -> Result<Option<&[u8]>, Error> {
    let Some(length) = bytes.first_chunk() else { return Ok(None) };
    let length = u32::from_le_bytes(*length);
    let too_short = |least| ErrorKind::TooShort { length, least }.at(0);
    if (length as usize) < HEADER {
        return Err(too_short(HEADER as u32));
    }
    if length > limit {
        return Err(ErrorKind::TooLong { length, limit }.at(0));
    }
    let Some([_, _, _, _, kind, flags]) = bytes.first_chunk() else { return Ok(None) };
    let shape = shape(*kind, *flags).ok_or(ErrorKind::UnknownKind(*kind).at(4))?;
    let unknown_flags = flags & !flag::known(*kind);
    if unknown_flags != 0 {
        return Err(ErrorKind::UnknownFlags(unknown_flags).at(5));
    }
    match shape {
        Shape::Fixed(least) | Shape::Open(least) if (length as usize) < least => {
            Err(too_short(least as u32))
        }
        Shape::Fixed(exact) if length as usize > exact => {
            Err(ErrorKind::Trailing { bytes: length - exact as u32 }.at(exact))
        }
        _ => Ok(bytes.get(..length as usize)),
    }
}

fn hello(frame: &[u8]) -> Result<Hello<'_>, Error> {
    if u32_at(frame, 8) != MAGIC {
        return Err(ErrorKind::NotHello.at(8));
    }
    let name = name(frame, HELLO_HEAD)?;
    let overflow = match frame[20] {
        0 => Overflow::Default,
        1 => Overflow::DropOldest,
        2 => Overflow::DropNewest,
        3 => Overflow::Disconnect,
        other => {
            let (field, value) = ("overflow", other.into());
            return Err(ErrorKind::UnknownValue { field, value }.at(20));
        }
    };
    Ok(Hello {
        has_credentials: frame[5] & flag::HAS_CREDENTIALS != 0,
        version: u16_at(frame, 12),
        features: Features::from_bits(u16_at(frame, 14)),
        queue_messages: u32_at(frame, 16),
        overflow,
        queue_bytes: u64_at(frame, 24),
        messages_per_second: u32_at(frame, 32),
        bytes_per_second: u64_at(frame, 40),
        name,
    })
}

fn topic(frame: &[u8]) -> Result<Topic<'_>, Error> {
    Ok(Topic { alias: u32_at(frame, 8), name: text(frame, 12)? })
}

/// A frame of a code and a text.
fn reason(frame: &[u8]) -> Result<RouterFrame<'_>, Error> {
    let (code, text) = (u16_at(frame, 8), text(frame, 12)?);
    Ok(match frame[4] {
        kind::CLOSING => RouterFrame::Closing(Closing { code, text }),
        _ => RouterFrame::Notice(Notice { code, text }),
    })
}

fn message(frame: &[u8]) -> Message<'_> {
    let flags = frame[5];
    let mut at = 24;
    let conflation = (flags & flag::CONFLATED != 0).then(|| {
        at += 16;
        Conflation { replaced: u64_at(frame, 24), age: u64_at(frame, 32) }
    });
    let request = (flags & flag::REQUEST != 0).then(|| {
        at += 16;
        requester(frame, at - 16)
    });
    let published = (flags & flag::TIMED != 0).then(|| {
        at += 8;
        u64_at(frame, at - 8)
    });
    let last_value = (flags & flag::LAST_VALUE != 0).then(|| {
        at += 8;
        u64_at(frame, at - 8)
    });
    Message {
        subscription: u32_at(frame, 8),
        topic: u32_at(frame, 12),
        sequence: u64_at(frame, 16),
        conflation,
        request,
        published,
        last_value,
        format: u16_at(frame, 6),
        payload: &frame[at..],
    }
}

fn requester(frame: &[u8], at: usize) -> Requester {
    Requester { client: u64_at(frame, at), correlation: u64_at(frame, at + 8) }
}

fn updates(per_second: u32) -> Updates {
    match per_second {
        0 => Updates::All,
        u32::MAX => Updates::Newest,
        rate => Updates::PerSecond(rate),
    }
}

/// A name for logs and metrics, from here to the end of the frame.
fn name(frame: &[u8], at: usize) -> Result<&str, Error> {
    let name = text(frame, at)?;
    if name.len() > NAME_BYTES {
        let (length, limit) = (frame.len() as u32, (at + NAME_BYTES) as u32);
        return Err(ErrorKind::TooLong { length, limit }.at(0));
    }
    match name.find(char::is_control) {
        Some(control) => Err(ErrorKind::ControlCharacter.at(at + control)),
        None => Ok(name),
    }
}

fn text(frame: &[u8], at: usize) -> Result<&str, Error> {
    let wrong = |error: str::Utf8Error| ErrorKind::NotUtf8.at(at + error.valid_up_to());
    str::from_utf8(&frame[at..]).map_err(wrong)
}

#[inline]
fn array<const N: usize>(frame: &[u8], at: usize) -> [u8; N] {
    let mut value = [0; N];
    value.copy_from_slice(&frame[at..at + N]);
    value
}

fn u16_at(frame: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(frame, at))
}

#[inline]
pub(crate) fn u32_at(frame: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(frame, at))
}

#[inline]
pub(crate) fn u64_at(frame: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(frame, at))
}
