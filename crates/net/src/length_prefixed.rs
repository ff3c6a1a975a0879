//! Messages after their lengths.

use trunkline_message::{Error, ErrorKind, Limits, Result};

use crate::framer::{Frame, Framer};

/// Bytes of a length.
const PREFIX: usize = 4;

/// Each message comes after its length in bytes as an unsigned long, little-endian: for CDR, which
/// does not say where it ends.
#[derive(Clone, Debug, Default)]
pub struct LengthPrefixed;

impl Framer for LengthPrefixed {
    #[inline]
    fn frame(&mut self, bytes: &[u8], limits: &Limits) -> Result<Frame> {
        let Some(prefix) = bytes.first_chunk::<PREFIX>() else {
            return Ok(Frame::Incomplete(PREFIX - bytes.len()));
        };
        let length = u32::from_le_bytes(*prefix) as usize;
        if length > limits.message_bytes {
            let kind = ErrorKind::Limit { name: "message_bytes", limit: limits.message_bytes };
            return Err(Error::new(kind, 0));
        }
        match (PREFIX + length).checked_sub(bytes.len()) {
            None | Some(0) => Ok(Frame::Message(PREFIX..PREFIX + length)),
            Some(more) => Ok(Frame::Incomplete(more)),
        }
    }

    #[inline]
    fn prefix(length: usize) -> Result<Option<[u8; 4]>> {
        match u32::try_from(length) {
            Ok(length) => Ok(Some(length.to_le_bytes())),
            Err(_) => {
                let why = "its length does not fit into an unsigned long";
                Err(Error::new(ErrorKind::Unwritable(why), 0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_after_its_length() {
        let limits = Limits { message_bytes: 3, ..Limits::default() };
        let stream = b"\x03\0\0\0abc\0\0\0\0";
        let frame = |bytes: &[u8]| LengthPrefixed.frame(bytes, &limits);
        assert_eq!(frame(&stream[..0]), Ok(Frame::Incomplete(4)));
        assert_eq!(frame(&stream[..3]), Ok(Frame::Incomplete(1)));
        assert_eq!(frame(&stream[..5]), Ok(Frame::Incomplete(2)));
        assert_eq!(frame(stream), Ok(Frame::Message(4..7)));
        assert_eq!(frame(&stream[7..]), Ok(Frame::Message(4..4)));
        let error = frame(b"\x04\0\0\0").expect_err("too long").to_string();
        assert_eq!(error, "at byte 0: more than the limit message_bytes = 3 allows");
        assert_eq!(LengthPrefixed::prefix(3), Ok(Some(*b"\x03\0\0\0")));
    }
}
