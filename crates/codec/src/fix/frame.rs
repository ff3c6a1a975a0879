//! The frame of a message: BeginString, BodyLength, MsgType before the fields, CheckSum behind them.

use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_wire::{Integer, fix_checksum, scan};

use super::SOH;
use super::plan::Plan;

/// What stands at the beginning of a stream of FIX messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A whole message of so many bytes.
    Message(usize),
    /// So far a message; at least so many bytes more are needed.
    Incomplete(usize),
    /// No FIX message begins here: the message is garbled.
    Garbled,
}

/// Length of a CheckSum field: `10=123|`.
const TRAILER: usize = 7;

/// Bytes of the longest BeginString and BodyLength: what is longer is no FIX message, and a reader
/// need not wait for its end.
pub(super) const LONGEST_BEGIN: usize = 29;
const LONGEST_LENGTH: usize = 14;

/// Finds the end of the message at the beginning of `bytes` by its BodyLength.
///
/// A message longer than `message_bytes` of the limits is garbled, so that no reader waits for it.
pub fn frame(bytes: &[u8], limits: &Limits) -> Frame {
    let head = Head::find(bytes);
    match head {
        Ok(head) => {
            let end = head.body.saturating_add(head.length).saturating_add(TRAILER);
            match end.checked_sub(bytes.len()) {
                _ if end > limits.message_bytes => Frame::Garbled,
                None | Some(0) => Frame::Message(end),
                Some(more) => Frame::Incomplete(more),
            }
        }
        Err(error) if matches!(error.kind(), ErrorKind::Truncated { .. }) => Frame::Incomplete(1),
        Err(_) => Frame::Garbled,
    }
}

/// BeginString and BodyLength.
struct Head {
    /// BeginString's value ends here; it begins at 2.
    begin_end: usize,
    /// Where MsgType begins, and with it what BodyLength counts.
    body: usize,
    /// BodyLength.
    length: usize,
}

impl Head {
    fn find(bytes: &[u8]) -> Result<Self> {
        expect(bytes, 0, b"8=", "BeginString (8=) as the first field")?;
        let begin_end = end_of(bytes, 2, LONGEST_BEGIN, "the end of BeginString (8)")?;
        let at = begin_end + 1;
        expect(bytes, at, b"9=", "BodyLength (9=) as the second field")?;
        let length_end = end_of(bytes, at + 2, LONGEST_LENGTH, "the end of BodyLength (9)")?;
        let length = u32::parse(&bytes[at + 2..length_end]);
        let length = length.map_err(|problem| {
            let kind = ErrorKind::Value { expected: "a whole number", problem };
            Error::new(kind, at + 2).within("BodyLength")
        })?;
        Ok(Self { begin_end, body: length_end + 1, length: length as usize })
    }
}

fn expect(bytes: &[u8], at: usize, prefix: &[u8], expected: &'static str) -> Result<()> {
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.starts_with(prefix) {
        return Ok(());
    }
    let kind = if prefix.starts_with(rest) {
        ErrorKind::Truncated { expected }
    } else {
        ErrorKind::Expected(expected.into())
    };
    Err(Error::new(kind, at))
}

/// Where the value at `from` ends, which is at most `longest` bytes long.
fn end_of(bytes: &[u8], from: usize, longest: usize, expected: &'static str) -> Result<usize> {
    let window = &bytes[..bytes.len().min(from + longest + 1)];
    scan::find_soh(window, from).ok_or_else(|| {
        let kind = if window.len() == from + longest + 1 {
            ErrorKind::Expected(expected.into())
        } else {
            ErrorKind::Truncated { expected }
        };
        Error::new(kind, window.len())
    })
}

/// Checks BeginString, BodyLength, MsgType and CheckSum; returns where the other fields stand.
pub(super) fn check_frame(plan: &Plan, bytes: &[u8], limits: &Limits) -> Result<(usize, usize)> {
    if bytes.len() > limits.message_bytes {
        let kind = ErrorKind::Limit { name: "message_bytes", limit: limits.message_bytes };
        return Err(Error::new(kind, bytes.len()));
    }
    let head = Head::find(bytes)?;
    if !plan.begin.starts_with(&bytes[..head.begin_end]) || plan.begin[head.begin_end] != SOH {
        let begin = &plan.begin[2..plan.begin.len() - 3];
        let expected = format!("BeginString {}", String::from_utf8_lossy(begin));
        return Err(Error::new(ErrorKind::Expected(expected.into()), 2).within("BeginString"));
    }
    let end = head.body.saturating_add(head.length);
    let trailer = bytes.get(end..).and_then(|it| it.strip_prefix(b"10="));
    let is_last = trailer.is_some_and(|it| memchr::memchr(SOH, it) == it.len().checked_sub(1));
    if is_last && bytes[end - 1] == SOH && end.saturating_add(TRAILER) != bytes.len() {
        return Err(no_check_sum(end));
    }
    if end.saturating_add(TRAILER) != bytes.len() || bytes[end - 1] != SOH {
        let counted = (bytes.len() - head.body).saturating_sub(TRAILER);
        let kind = ErrorKind::Length { stated: head.length, counted };
        return Err(Error::new(kind, head.begin_end + 3).within("BodyLength"));
    }
    if !bytes[head.body..].starts_with(&plan.message_type) {
        let expected = format!("MsgType {}", plan.message_type());
        return Err(Error::new(ErrorKind::Expected(expected.into()), head.body).within("MsgType"));
    }
    check_sum(bytes, end)?;
    Ok((head.body + plan.message_type.len(), end))
}

fn check_sum(bytes: &[u8], end: usize) -> Result<()> {
    let digit = |at: usize| bytes[at].wrapping_sub(b'0');
    let digits = [digit(end + 3), digit(end + 4), digit(end + 5)];
    let stated = digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(*digit));
    let three_digits = digits.iter().all(|digit| *digit < 10) && stated < 256;
    if !bytes[end..].starts_with(b"10=") || !three_digits || bytes[end + 6] != SOH {
        return Err(no_check_sum(end));
    }
    let (stated, computed) = (stated as u8, fix_checksum(&bytes[..end]));
    if stated != computed {
        let kind = ErrorKind::CheckSum { stated, computed };
        return Err(Error::new(kind, end).within("CheckSum"));
    }
    Ok(())
}

fn no_check_sum(at: usize) -> Error {
    let expected = "CheckSum (10=) with three digits at the end";
    Error::new(ErrorKind::Expected(expected.into()), at).within("CheckSum")
}
