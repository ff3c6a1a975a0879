//! Messages in a stream: where each ends, and where the next begins behind one that is garbled.

use memchr::memmem;
use trunkline_codec::fix::{self, SOH};
use trunkline_message::Limits;
use trunkline_wire::fix_checksum;

/// How a message begins.
const BEGIN: &[u8] = b"8=FIX";

/// Bytes of `10=123|`.
const TRAILER: usize = 7;

/// What stands at the beginning of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A whole message of so many bytes.
    Message(usize),
    /// So many bytes are no message: they are passed over.
    Garbled(usize),
    /// More is needed.
    Incomplete,
}

/// Looks at the beginning of a stream.
pub(crate) fn find(bytes: &[u8], has_check_sum: bool, limits: &Limits) -> Found {
    let shared = bytes.len().min(2);
    if bytes[..shared] != b"8="[..shared] {
        return Found::Garbled(next(bytes));
    }
    let length = match fix::frame(bytes, limits) {
        fix::Frame::Message(length) => length,
        fix::Frame::Incomplete(_) => return Found::Incomplete,
        fix::Frame::Garbled => return Found::Garbled(next(bytes)),
    };
    let (body, trailer) = bytes[..length].split_at(length - TRAILER);
    let [b'1', b'0', b'=', hundreds, tens, ones, SOH] = *trailer else {
        return Found::Garbled(next(bytes));
    };
    if body.last() != Some(&SOH) {
        return Found::Garbled(next(bytes));
    }
    let stated = [hundreds, tens, ones].map(|it| u32::from(it.wrapping_sub(b'0')));
    let is_right = stated[0] * 100 + stated[1] * 10 + stated[2] == u32::from(fix_checksum(body));
    if is_right || !has_check_sum { Found::Message(length) } else { Found::Garbled(length) }
}

/// Where the next message may begin, behind the first byte.
fn next(bytes: &[u8]) -> usize {
    if let Some(at) = memmem::find(&bytes[1..], BEGIN) {
        return 1 + at;
    }
    // The beginning of one may be all that is there of it.
    let is_beginning = |at: &usize| BEGIN.starts_with(&bytes[*at..]);
    let from = bytes.len().saturating_sub(BEGIN.len() - 1).max(1);
    (from..bytes.len()).find(is_beginning).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &[u8] = b"8=FIX.4.3\x019=5\x0135=0\x0110=162\x01";

    fn all(bytes: &[u8]) -> (usize, usize) {
        let (mut at, mut messages) = (0, 0);
        while at < bytes.len() {
            match find(&bytes[at..], true, &Limits::default()) {
                Found::Message(length) => {
                    messages += 1;
                    at += length;
                }
                Found::Garbled(length) => {
                    assert!(length > 0);
                    at += length;
                }
                Found::Incomplete => break,
            }
        }
        (messages, bytes.len() - at)
    }

    #[test]
    fn what_is_garbled_is_passed_over_and_what_follows_is_found() {
        let with = |from: &str, to: &str| {
            let text = String::from_utf8_lossy(MESSAGE).replace(from, to);
            [text.as_bytes(), MESSAGE].concat()
        };
        for bytes in [
            with("10=162", "10=161"),
            with("9=5", "9=4"),
            with("9=5", "9=15"),
            with("9=5", "x=5"),
            with("8=FIX", "8=FIX.FIX.FIX.FIX.FIX.FIX.FIX.FIX"),
            with("10=162", "10=1"),
            [&b"noise 8 8= 8=F"[..], MESSAGE].concat(),
        ] {
            assert_eq!(all(&bytes), (1, 0), "{}", String::from_utf8_lossy(&bytes));
        }
        assert_eq!(all(&[MESSAGE, MESSAGE].concat()), (2, 0));
        assert_eq!(all(b"noise 8=FI"), (0, 4), "the beginning of a message stays");
    }

    #[test]
    fn a_wrong_sum_is_taken_where_none_is_asked_for() {
        let wrong = String::from_utf8_lossy(MESSAGE).replace("162", "256");
        let limits = Limits::default();
        assert_eq!(find(wrong.as_bytes(), true, &limits), Found::Garbled(wrong.len()));
        assert_eq!(find(wrong.as_bytes(), false, &limits), Found::Message(wrong.len()));
    }
}
