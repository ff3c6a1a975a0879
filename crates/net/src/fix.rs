//! FIX by BodyLength.

use trunkline_codec::fix;
use trunkline_message::{Error, ErrorKind, Limits, Result};

use crate::framer::{Frame, Framer};

/// Bytes of the trailer: `10=123|`.
const TRAILER: usize = 7;

/// Ends a message where its BodyLength says that CheckSum ends (FIX 4.3 volume 1, "Message
/// format").
///
/// A garbled message is an error and not skipped: TCP does not damage bytes, so the other side has
/// sent it so, and its length is not to be trusted. The checksum is left to the decoder.
#[derive(Clone, Debug, Default)]
pub struct Fix;

impl Framer for Fix {
    #[inline]
    fn frame(&mut self, bytes: &[u8], limits: &Limits) -> Result<Frame> {
        match fix::frame(bytes, limits) {
            fix::Frame::Message(length) => {
                let trailer = &bytes[length - TRAILER..length];
                if trailer.starts_with(b"10=") && trailer.ends_with(b"\x01") {
                    return Ok(Frame::Message(0..length));
                }
                let expected = "CheckSum (10=) where the body ends by BodyLength (9)";
                Err(Error::new(ErrorKind::Expected(expected.into()), length - TRAILER))
            }
            fix::Frame::Incomplete(more) => Ok(Frame::Incomplete(more)),
            fix::Frame::Garbled => Err(garbled(bytes, limits)),
        }
    }
}

#[cold]
fn garbled(bytes: &[u8], limits: &Limits) -> Error {
    let any_length = Limits { message_bytes: usize::MAX, ..limits.clone() };
    let kind = match fix::frame(bytes, &any_length) {
        fix::Frame::Garbled => {
            ErrorKind::Expected("a FIX message: BeginString (8=), then BodyLength (9=)".into())
        }
        _ => ErrorKind::Limit { name: "message_bytes", limit: limits.message_bytes },
    };
    Error::new(kind, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &[u8] = b"8=FIX.4.3\x019=5\x0135=0\x0110=161\x01";

    #[test]
    fn a_message_ends_after_its_checksum() {
        let stream = [MESSAGE, MESSAGE].concat();
        for end in 0..stream.len() {
            let frame = Fix.frame(&stream[..end], &Limits::default()).expect("a good message");
            match MESSAGE.len().checked_sub(end) {
                None | Some(0) => assert_eq!(frame, Frame::Message(0..MESSAGE.len())),
                Some(missing) => {
                    assert!(
                        matches!(frame, Frame::Incomplete(more) if (1..=missing).contains(&more))
                    )
                }
            }
        }
    }

    #[test]
    fn garbled_and_overlong_messages_are_told_apart() {
        let limits = Limits { message_bytes: 26, ..Limits::default() };
        let wrong_length =
            &MESSAGE.to_vec().into_iter().map(|it| if it == b'5' { b'4' } else { it });
        let wrong_length: Vec<u8> = wrong_length.clone().collect();
        for (bytes, expected) in [
            (
                &b"POST / HTTP"[..],
                "at byte 0: expected a FIX message: BeginString (8=), then BodyLength (9=)",
            ),
            (b"8=FIX.4.3\x019=9\x01", "at byte 0: more than the limit message_bytes = 26 allows"),
            (
                &wrong_length,
                "at byte 18: expected CheckSum (10=) where the body ends by BodyLength (9)",
            ),
        ] {
            let error = Fix.frame(bytes, &limits).expect_err("no good message").to_string();
            assert_eq!(error, expected);
        }
    }
}
