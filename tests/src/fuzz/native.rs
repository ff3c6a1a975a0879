//! Any bytes as frames of the router's native protocol, from either side.

use trunkline_client::{Conversation, Options};
use trunkline_native::{
    HELLO_BYTES, decode_client, decode_delivery, decode_hello, decode_message, decode_publish,
    decode_router, decode_store,
};

/// Short, so that the limit is met.
const LIMIT: u32 = 600;

/// Decodes the bytes as they are, and as the insides of frames whose lengths are right.
///
/// What is decoded must be encoded again and mean the same; less of a frame is less than a frame;
/// nothing longer than the limit is waited for; and a conversation hears the same in any pieces.
///
/// # Panics
///
/// If that is not so.
pub fn native(data: &[u8]) {
    let framed = framed(data);
    for bytes in [data, &framed] {
        client(bytes);
        router(bytes);
        hello(bytes);
        conversation(bytes, usize::from(data.first().copied().unwrap_or(0)) + 1);
    }
}

/// Frames of kinds and lengths that the bytes choose: kind, flags, length, content.
fn framed(mut data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let [kind, flags, length, rest @ ..] = data {
        let length = usize::from(*length).min(rest.len());
        let kind = [kind % 18, 127 + kind % 20][usize::from(kind >> 7)];
        // Mostly those that exist.
        let known = match kind {
            12 | 14 | 141 => 1,
            142 => 15,
            _ => 3,
        };
        let flags = if *flags > 250 { *flags } else { flags & known };
        out.extend_from_slice(&(8 + length as u32).to_le_bytes());
        out.extend_from_slice(&[kind, flags, 1, 0]);
        out.extend_from_slice(&rest[..length]);
        data = &rest[length..];
    }
    out
}

fn client(mut bytes: &[u8]) {
    while let Ok(decoded) = decode_client(bytes, LIMIT) {
        let publish = decode_publish(bytes, LIMIT).map(|it| it.1);
        let store = decode_store(bytes, LIMIT).map(|it| it.1);
        let Some((frame, length)) = decoded else {
            assert!(publish.is_none() && store.is_none());
            assert!(bytes.len() < LIMIT as usize);
            return;
        };
        assert_eq!(publish, matches!(bytes[4..6], [3, 0]).then_some(length));
        assert_eq!(store, matches!(bytes[4..6], [12, 0]).then_some(length));
        less_is_too_little(bytes, length, |less| matches!(decode_client(less, LIMIT), Ok(None)));
        let mut again = Vec::new();
        frame.encode(&mut again);
        assert_eq!(again.len(), length);
        assert_eq!(decode_client(&again, LIMIT), Ok(Some((frame, length))));
        bytes = &bytes[length..];
    }
}

fn router(mut bytes: &[u8]) {
    while let Ok(decoded) = decode_router(bytes, LIMIT) {
        let message = decode_message(bytes, LIMIT).map(|it| it.1);
        let delivery = decode_delivery(bytes, LIMIT).map(|it| it.1);
        let Some((frame, length)) = decoded else {
            assert!(message.is_none() && delivery.is_none());
            assert!(bytes.len() < LIMIT as usize);
            return;
        };
        assert_eq!(message, matches!(bytes[4..6], [130, 0]).then_some(length));
        let is_plain = bytes[4] == 142 && bytes[5] & 1 == 0;
        assert_eq!(delivery, is_plain.then_some(length));
        less_is_too_little(bytes, length, |less| matches!(decode_router(less, LIMIT), Ok(None)));
        let mut again = Vec::new();
        frame.encode(&mut again);
        assert_eq!(again.len(), length);
        assert_eq!(decode_router(&again, LIMIT), Ok(Some((frame, length))));
        bytes = &bytes[length..];
    }
}

fn less_is_too_little(bytes: &[u8], length: usize, waits: impl Fn(&[u8]) -> bool) {
    for less in [0, 3, 5, length / 2, length - 1] {
        assert!(waits(&bytes[..less.min(length - 1)]), "{less} of {length} bytes");
    }
}

fn hello(bytes: &[u8]) {
    match decode_hello(bytes) {
        Ok(None) => assert!(bytes.len() < HELLO_BYTES),
        Ok(Some((_, length))) => {
            assert!(
                matches!(decode_client(bytes, HELLO_BYTES as u32), Ok(Some(it)) if it.1 == length)
            );
        }
        Err(_) => {}
    }
}

/// All that a conversation makes of the bytes, in pieces of one length and whole.
fn conversation(bytes: &[u8], piece: usize) {
    let options = Options { frame_bytes: LIMIT, ..Options::default() };
    let mut heard = [Vec::new(), Vec::new()];
    let mut said = [Vec::new(), Vec::new()];
    for (index, piece) in [bytes.len().max(1), piece].into_iter().enumerate() {
        let mut conversation = Conversation::new(&options);
        'all: for part in bytes.chunks(piece) {
            conversation.received(part);
            loop {
                match conversation.next_event() {
                    Ok(Some(event)) => heard[index].push(format!("{event:?}")),
                    Ok(None) => break,
                    Err(error) => {
                        heard[index].push(error.to_string());
                        break 'all;
                    }
                }
            }
        }
        said[index].extend_from_slice(conversation.output());
    }
    assert_eq!(heard[0], heard[1]);
    assert_eq!(said[0], said[1]);
}
