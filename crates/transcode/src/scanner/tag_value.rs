//! Where messages of FIX begin and end in a text.

use std::ops::Range;

use memchr::memmem;
use trunkline_codec::fix::{self, SOH};
use trunkline_message::Limits;

use crate::fix::check_sum;

/// Bytes up to BodyLength, with the longest delimiter.
pub(super) const LONGEST_HEAD: usize = 64;

/// The longest of what shows that a message ends, or that another one begins; what is that far behind shows nothing more as
/// bytes come.
pub(super) const LOOK_BACK: usize = 3 * LONGEST_HEAD;

/// Where a message of FIX begins on a line, from there on: not within a number.
pub(super) fn fix_begins(line: &[u8], from: usize) -> Option<usize> {
    memmem::find_iter(line.get(from..).unwrap_or_default(), b"8=FIX")
        .map(|it| from + it)
        .find(|at| at.checked_sub(1).is_none_or(|before| !line[before].is_ascii_digit()))
}

/// Where the next message of FIX begins in bytes that one begins, from there on. If that is cut, the next may stand behind a digit;
/// BodyLength and MsgType tell it from the field 58 then.
pub(super) fn next_fix(message: &[u8], from: usize) -> Option<usize> {
    let from = from.max(1);
    memmem::find_iter(message.get(from..).unwrap_or_default(), b"8=FIX")
        .map(|it| from + it)
        .find(|at| !message[at - 1].is_ascii_digit() || has_head(&message[*at..]))
}

/// Do BeginString, BodyLength and the tag of MsgType stand here?
fn has_head(message: &[u8]) -> bool {
    let message = &message[..message.len().min(2 * LONGEST_HEAD)];
    let Some(delimiter) = delimiter(message) else { return false };
    let version = memmem::find(message, delimiter).unwrap_or(0);
    let length = message[version + delimiter.len()..].strip_prefix(b"9=").unwrap_or_default();
    let digits = length.iter().take_while(|it| it.is_ascii_digit()).count();
    let rest = length[digits..].strip_prefix(delimiter);
    digits > 0 && rest.is_some_and(|it| it.starts_with(b"35="))
}

/// What stands between BeginString and BodyLength.
pub(super) fn delimiter(message: &[u8]) -> Option<&[u8]> {
    let head = &message[..message.len().min(LONGEST_HEAD)];
    let is_of_value = |it: &u8| it.is_ascii_alphanumeric() || *it == b'.';
    let value = head[2..].iter().take_while(|it| is_of_value(it)).count();
    let behind = &head[2 + value..];
    let length = memmem::find(behind, b"9=")?;
    (length > 0 && !behind[..length].contains(&b'=')).then(|| &behind[..length])
}

/// Where a message ends, as far as that is behind `from`: behind its CheckSum, and behind the delimiter if one is there. If there may be more than
/// is seen, nothing ends where it does. A CheckSum of three digits ends it, or else one of others, which is for its reader
/// to say.
pub(super) fn text_end(
    message: &[u8],
    delimiter: &[u8],
    from: usize,
    has_more: bool,
) -> Option<usize> {
    let trailer = [delimiter, b"10="].concat();
    let all = memmem::find_iter(message.get(from..).unwrap_or_default(), &trailer);
    let ends = all.map(|it| from + it).filter_map(|at| {
        let value = at + trailer.len();
        let digits = message[value..].iter().take_while(|it| it.is_ascii_digit()).count();
        let behind = &message[value + digits..];
        // Behind one that is cut, digits may be of the next tag.
        let is_tag = behind.first() == Some(&b'=');
        if digits == 0 || is_tag || has_more && behind.len() < delimiter.len() {
            return None;
        }
        let is_delimited = behind.starts_with(delimiter);
        let end = value + digits + if is_delimited { delimiter.len() } else { 0 };
        Some((digits, end))
    });
    let mut ends = ends.peekable();
    let first = ends.peek().copied();
    let whole = ends.find(|it| it.0 == 3);
    // What is longer goes on: more may show another end.
    whole.or(first.filter(|_| !has_more)).map(|it| it.1)
}

/// A message with the delimiter of the standard, behind its last field too.
pub(super) fn replaced(message: &[u8], delimiter: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 1);
    let mut from = 0;
    for at in memmem::find_iter(message, delimiter) {
        out.extend_from_slice(&message[from..at]);
        out.push(SOH);
        from = at + delimiter.len();
    }
    out.extend_from_slice(&message[from..]);
    if out.last() != Some(&SOH) {
        out.push(SOH);
    }
    out
}

/// Bytes of a message with another delimiter whose values are settled by BodyLength, at most.
const LONGEST_SETTLED: usize = 64 << 10;

/// What begins somewhere, by its BodyLength.
pub(super) enum Settled {
    /// A message with the delimiter of the standard, and how long it is as it is written.
    Message(Vec<u8>, usize),
    /// That needs more bytes.
    More,
    /// None.
    Nothing,
}

/// Are BodyLength and CheckSum of a message with the delimiter of the standard what they say?
pub(super) fn is_right(message: &[u8], limits: &Limits) -> bool {
    fix::frame(message, limits) == fix::Frame::Message(message.len()) && check_sum(message).is_ok()
}

/// The message that begins here, whatever its values hold: line breaks, delimiters, another message. A delimiter ends a field if a
/// tag follows, unless that is of a message which a value quotes. Where the message ends is said by its BodyLength, which counts
/// SOH, and confirmed by its CheckSum.
pub(super) fn settle(
    bytes: &[u8],
    delimiter: &[u8],
    limits: &Limits,
    has_more: bool,
    in_vain: &mut u64,
) -> Settled {
    let most = LONGEST_SETTLED.min(limits.message_bytes / 2);
    let has_more = has_more && bytes.len() < most;
    let bytes = &bytes[..bytes.len().min(most)];
    let mut attempt = |kept: Vec<Range<usize>>| {
        let mut fields = Separated { bytes, delimiter, has_more, at: 0, out: Vec::new(), kept };
        let settled = fields.settle(most, limits);
        if matches!(settled, Settled::Nothing) {
            *in_vain += fields.at as u64;
        }
        (settled, fields.at)
    };
    let (settled, end) = attempt(Vec::new());
    if !matches!(settled, Settled::Nothing) {
        return settled;
    }
    let quoted = quoted(bytes, end, delimiter, limits);
    if quoted.is_empty() {
        return settled;
    }
    // The last delimiter may end the field that quotes.
    let is_delimited = |it: &Range<usize>| bytes[..it.end].ends_with(delimiter);
    let cut = |it: &Range<usize>| if is_delimited(it) { delimiter.len() } else { 0 };
    let undelimited = quoted.iter().map(|it| it.start..it.end - cut(it)).collect();
    match attempt(quoted).0 {
        Settled::Nothing => attempt(undelimited).0,
        settled => settled,
    }
}

/// The messages that values of this one quote up to there, with the delimiters that they were written with. One with another
/// BodyLength is no message, so that many which are cut are not tried again with one another inside.
fn quoted(message: &[u8], end: usize, delimiter: &[u8], limits: &Limits) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(begin) = next_fix(message, from).filter(|it| *it < end) {
        let Some(length) = text_end(&message[begin..], delimiter, 0, false) else { break };
        let text = replaced(&message[begin..begin + length], delimiter);
        if fix::frame(&text, limits) == fix::Frame::Message(text.len()) {
            all.push(begin..begin + length);
        }
        from = begin + length;
    }
    all
}

/// What BodyLength says, behind BeginString.
fn body_length(head: &[u8]) -> Option<usize> {
    let length = head.split(|it| *it == SOH).nth(1)?.strip_prefix(b"9=")?;
    std::str::from_utf8(length).ok()?.parse().ok()
}

/// Bytes in which another delimiter becomes that of the standard, one by one.
struct Separated<'a> {
    bytes: &'a [u8],
    delimiter: &'a [u8],
    has_more: bool,
    at: usize,
    out: Vec<u8>,
    /// What stays as it is written, in its order.
    kept: Vec<Range<usize>>,
}

impl Separated<'_> {
    /// The message, behind whose body is its CheckSum.
    fn settle(&mut self, most: usize, limits: &Limits) -> Settled {
        let has_more = self.has_more;
        let missing = || if has_more { Settled::More } else { Settled::Nothing };
        // BeginString and BodyLength come first.
        let mut body = None;
        loop {
            if body.is_none() && self.out.iter().filter(|it| **it == SOH).count() == 2 {
                let Some(length) = body_length(&self.out) else { return Settled::Nothing };
                if length > most {
                    return Settled::Nothing;
                }
                // A delimiter of one byte is as long as SOH, so that what is cut shows it without a look at all of it.
                let trailer = self.bytes.get(self.at + length..).unwrap_or_default();
                if self.delimiter.len() == 1 && !trailer.starts_with(b"10=") {
                    return if trailer.len() < b"10=".len() { missing() } else { Settled::Nothing };
                }
                body = Some(self.out.len() + length);
            }
            if body.is_some_and(|end| self.out.len() >= end) {
                break;
            }
            if body.is_none() && self.out.len() > LONGEST_HEAD {
                return Settled::Nothing;
            }
            if !self.step() {
                return missing();
            }
        }
        let (bytes, delimiter) = (self.bytes, self.delimiter);
        let trailer = &bytes[self.at..];
        let digits = trailer.strip_prefix(b"10=").and_then(|it| it.first_chunk::<3>());
        let Some(digits) = digits else {
            return if trailer.len() < b"10=000".len() { missing() } else { Settled::Nothing };
        };
        let behind = &trailer[b"10=000".len()..];
        if self.has_more && behind.len() < delimiter.len() {
            return Settled::More;
        }
        let is_delimited = behind.starts_with(delimiter);
        if !is_delimited && behind.first().is_some_and(u8::is_ascii_digit) {
            return Settled::Nothing;
        }
        let end = bytes.len() - behind.len() + if is_delimited { delimiter.len() } else { 0 };
        let mut message = std::mem::take(&mut self.out);
        message.extend([&b"10="[..], digits, &[SOH]].concat());
        match is_right(&message, limits) {
            true => Settled::Message(message, end),
            false => Settled::Nothing,
        }
    }

    fn is_kept(&self) -> bool {
        let next = self.kept.partition_point(|it| it.end <= self.at);
        self.kept.get(next).is_some_and(|it| it.start <= self.at)
    }

    /// The next byte; false if it is not known yet, or there is none.
    fn step(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        if self.is_kept() {
            self.out.push(rest[0]);
            self.at += 1;
            return true;
        }
        if let Some(behind) = rest.strip_prefix(self.delimiter) {
            let digits = behind.iter().take(10).take_while(|it| it.is_ascii_digit()).count();
            match behind.get(digits) {
                None if self.has_more => return false,
                Some(b'=') if digits > 0 => {
                    self.out.push(SOH);
                    self.at += self.delimiter.len();
                    return true;
                }
                _ => {}
            }
        } else if self.has_more && self.delimiter.starts_with(rest) {
            return false;
        }
        let Some(byte) = rest.first() else { return false };
        self.out.push(*byte);
        self.at += 1;
        true
    }
}
