//! Any bytes as what a browser sends: a request, frames, texts.

use trunkline_session::websocket::{Command, Incoming, Origins, Reader, Settings};

/// A request that is in order.
const REQUEST: &[u8] = b"GET /?name=fuzz HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\
    Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    Sec-WebSocket-Version: 13\r\n\r\n";
/// Short, so that the limit is met.
const LIMIT: usize = 600;

/// Reads the bytes as they are, behind a request, and as the insides of frames that are masked and
/// have the right lengths.
///
/// What comes must be the same in any pieces, end once, and be within the limit; what is answered
/// must not be longer than what was read, but for one last word; texts must be commands or errors.
///
/// # Panics
///
/// If that is not so.
pub fn websocket(data: &[u8]) {
    let piece = usize::from(data.first().copied().unwrap_or(0)) % 60 + 1;
    for bytes in [data.to_vec(), [REQUEST, data].concat(), [REQUEST, &framed(data)].concat()] {
        let whole = came(&bytes, bytes.len().max(1));
        assert_eq!(whole, came(&bytes, piece));
    }
    text(&String::from_utf8_lossy(data));
}

/// Frames whose first byte and length the bytes choose.
fn framed(mut data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let [first, length, rest @ ..] = data {
        let length = usize::from(length & 0x7f).min(125).min(rest.len());
        let known = [0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x88, 0x89, 0x8a];
        // Mostly those that exist.
        let first = if *first > 250 { *first } else { known[usize::from(*first) % known.len()] };
        out.extend_from_slice(&[first, 0x80 | length as u8, 0, 0, 0, 0]);
        out.extend_from_slice(&rest[..length]);
        data = &rest[length..];
    }
    out
}

/// What comes of bytes in pieces of a length, and what is answered.
fn came(bytes: &[u8], piece: usize) -> (Vec<String>, Vec<u8>) {
    let settings =
        Settings { origins: Origins::default(), message_bytes: LIMIT, over_loopback: true };
    let mut reader = Reader::new(settings);
    let (mut came, mut output, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut ends = 0;
    for part in bytes.chunks(piece) {
        kept.extend_from_slice(part);
        let mut input = &kept[..];
        loop {
            match reader.next(&mut input, &mut output) {
                Ok(None) => break,
                Ok(Some(incoming)) => {
                    assert_eq!(ends, 0, "{incoming:?} after the end");
                    match &incoming {
                        Incoming::Text(it) => assert!(it.len() <= LIMIT),
                        Incoming::Binary(it) => assert!(it.len() <= LIMIT),
                        _ => {}
                    }
                    came.push(format!("{incoming:?}"));
                }
                Err(ended) => {
                    ends += 1;
                    came.push(ended.to_string());
                }
            }
        }
        kept = input.to_vec();
    }
    assert!(ends <= 1);
    assert!(output.len() <= bytes.len() + 1_000, "{} bytes are answered", output.len());
    (came, output)
}

fn text(text: &str) {
    match Command::parse(text) {
        Ok(command) => assert_eq!(command.clone().into_owned(), command),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
