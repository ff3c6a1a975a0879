//! FIX without a dictionary: its fields as they stand, with the names of the standard.

use std::fmt::Write as _;

use trunkline_catalogue::fix::field_name;
use trunkline_codec::fix::{self, SOH};
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_wire::{fix_checksum, scan};

/// A field as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its number.
    pub tag: u32,
    /// Its value; of data, as many bytes as the field before it says.
    pub value: &'a [u8],
    /// Where it begins in the message.
    pub offset: usize,
}

/// The fields of a message one by one, up to one that is none.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The field before, if it may be the length of the next.
    length: Option<(u32, usize)>,
}

/// The fields of a message.
pub fn fields(bytes: &[u8]) -> Fields<'_> {
    Fields { bytes, at: 0, length: None }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let offset = self.at;
        let rest = &self.bytes[offset..];
        let digits = rest.iter().take(10).take_while(|it| it.is_ascii_digit()).count();
        let tag = std::str::from_utf8(&rest[..digits]).ok().and_then(|it| it.parse::<u32>().ok());
        let tag = tag.filter(|it| rest[0] != b'0' && i32::try_from(*it).is_ok());
        let (Some(tag), Some(b'=')) = (tag, rest.get(digits)) else {
            self.at = self.bytes.len();
            let expected = format!("a tag, {}, and '='", fix::TAG_RULE);
            return Some(Err(Error::new(ErrorKind::Expected(expected.into()), offset)));
        };
        let start = offset + digits + 1;
        let behind = self.data_end(tag, start);
        let end = behind.or_else(|| memchr::memchr(SOH, &self.bytes[start..]).map(|it| start + it));
        let end = end.unwrap_or(self.bytes.len());
        let value = &self.bytes[start..end];
        self.at = end + 1;
        let number = std::str::from_utf8(value).ok().and_then(|it| it.parse().ok());
        self.length = number.map(|it| (tag, it));
        Some(Ok(Field { tag, value, offset }))
    }
}

impl Fields<'_> {
    /// The end of data whose length is the field before.
    fn data_end(&self, tag: u32, start: usize) -> Option<usize> {
        let (length_tag, length) = self.length?;
        let end = start.checked_add(length)?;
        let is_data = fix::length_of_data(tag) == Some(length_tag);
        (is_data && self.bytes.get(end) == Some(&SOH)).then_some(end)
    }
}

/// BeginString and MsgType.
pub fn head(bytes: &[u8]) -> Option<(&str, &str)> {
    let usual = usual_head(bytes).and_then(|(begin, message_type)| {
        Some((std::str::from_utf8(begin).ok()?, std::str::from_utf8(message_type).ok()?))
    });
    usual.or_else(|| any_head(bytes))
}

/// The same where they stand as the standard has it, around BodyLength alone; it may be no text.
pub(crate) fn usual_head(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    fn field<'a>(bytes: &'a [u8], tag: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
        let value = bytes.strip_prefix(tag)?;
        let end = scan::find_soh(value, 0)?;
        Some((&value[..end], &value[end + 1..]))
    }
    let (begin, rest) = field(bytes, b"8=")?;
    let (_, rest) = field(rest, b"9=")?;
    let (message_type, _) = field(rest, b"35=")?;
    Some((begin, message_type))
}

fn any_head(bytes: &[u8]) -> Option<(&str, &str)> {
    let mut fields = fields(bytes).map_while(Result::ok);
    let begin = fields.next().filter(|it| it.tag == 8)?;
    let message_type = fields.take(3).find(|it| it.tag == 35)?;
    Some((std::str::from_utf8(begin.value).ok()?, std::str::from_utf8(message_type.value).ok()?))
}

/// What stands between the fields of a message in place of SOH, as logs have it; none if SOH is in it.
pub fn foreign_delimiter(bytes: &[u8]) -> Option<char> {
    let version = bytes.strip_prefix(b"8=FIX")?;
    let is_of_value = |it: &u8| it.is_ascii_alphanumeric() || *it == b'.';
    let behind = &version[version.iter().take_while(|it| is_of_value(it)).count()..];
    let is_foreign = !bytes.contains(&SOH) && memchr::memmem::find(behind, b"9=").is_some();
    let first = String::from_utf8_lossy(&behind[..behind.len().min(4)]).chars().next();
    first.filter(|_| is_foreign)
}

/// Checks what needs no dictionary: the frame, and that fields are such and have values.
///
/// # Errors
/// The first thing that is wrong, and its byte.
pub fn check(bytes: &[u8], limits: &Limits) -> Result<()> {
    let mut found = [None; 3];
    let mut last = None;
    for (index, field) in fields(bytes).enumerate() {
        let field = field?;
        let named = |error: Error| match field_name(field.tag) {
            Some(name) => error.within(name),
            None => error.within(&field.tag.to_string()),
        };
        if field.value.is_empty() {
            let problem = trunkline_wire::ValueError::Empty;
            let kind = ErrorKind::Value { expected: "a value", problem };
            return Err(named(Error::new(kind, field.offset)));
        }
        if let Some((expected, place)) = [8, 9, 35].get(index).zip(found.get_mut(index)) {
            if field.tag != *expected {
                let name = field_name(*expected).unwrap_or_default();
                let what = format!("{name} ({expected}=) as field {}", index + 1);
                return Err(Error::new(ErrorKind::Expected(what.into()), field.offset));
            }
            *place = Some(field);
        }
        last = Some(field);
    }
    let ([_, Some(length), Some(body)], Some(end)) = (found, last) else {
        return Err(Error::new(ErrorKind::Truncated { expected: "MsgType (35)" }, bytes.len()));
    };
    if end.tag != 10 || bytes.last() != Some(&SOH) {
        let expected = "CheckSum (10=) at the end";
        return Err(Error::new(ErrorKind::Truncated { expected }, bytes.len()));
    }
    let stated = std::str::from_utf8(length.value).ok().and_then(|it| it.parse().ok());
    let is_framed = fix::frame(bytes, limits) == fix::Frame::Message(bytes.len());
    // The digits of the CheckSum are more or fewer, which is told below.
    let is_length = stated == Some(end.offset - body.offset) && end.value.len() != 3;
    if !is_framed && !is_length {
        let kind = match stated {
            Some(stated) => ErrorKind::Length { stated, counted: end.offset - body.offset },
            None => ErrorKind::Expected("a whole number".into()),
        };
        return Err(Error::new(kind, length.offset).within("BodyLength"));
    }
    let computed = fix_checksum(&bytes[..end.offset]);
    let stated = std::str::from_utf8(end.value).ok().and_then(|it| it.parse::<u8>().ok());
    match stated {
        Some(stated) if stated == computed && end.value.len() == 3 => Ok(()),
        Some(stated) => {
            let kind = ErrorKind::CheckSum { stated, computed };
            Err(Error::new(kind, end.offset).within("CheckSum"))
        }
        None => {
            let what = "a check sum of three digits";
            Err(Error::new(ErrorKind::Expected(what.into()), end.offset).within("CheckSum"))
        }
    }
}

/// Checks the CheckSum of a message that ends with it.
///
/// # Errors
/// It is not the sum of the bytes before it, or is none.
pub fn check_sum(message: &[u8]) -> Result<()> {
    let place = message.len().saturating_sub(b"10=000|".len());
    let (body, trailer) = message.split_at(place);
    let stated = trailer.strip_prefix(b"10=").and_then(|it| it.strip_suffix(&[SOH]));
    let stated = stated.filter(|it| it.len() == 3 && it.iter().all(u8::is_ascii_digit));
    let stated = stated.and_then(|it| std::str::from_utf8(it).ok()?.parse::<u8>().ok());
    let computed = fix_checksum(body);
    match stated {
        Some(stated) if stated == computed => Ok(()),
        Some(stated) => {
            let kind = ErrorKind::CheckSum { stated, computed };
            Err(Error::new(kind, place).within("CheckSum"))
        }
        None => {
            let what = "CheckSum (10=) with three digits at the end";
            Err(Error::new(ErrorKind::Expected(what.into()), place).within("CheckSum"))
        }
    }
}

/// A message in one line, with `|` between the fields as logs have it, and without what could steer a terminal.
pub fn line(bytes: &[u8]) -> String {
    let mut out = String::new();
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '\u{1}' => out.push('|'),
            c if c.is_control() => _ = write!(out, "{}", c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use trunkline_random::Random;

    use super::*;

    #[test]
    fn what_stands_for_soh_is_seen() {
        for (text, expected) in [
            ("8=FIX.4.4|9=5|35=0|10=000|", Some('|')),
            ("8=FIXT.1.1^A9=5^A35=0^A10=000^A", Some('^')),
            ("8=FIX.4.4\u{1}9=5\u{1}58=a|b\u{1}10=000\u{1}", None),
            ("8=FIX.4.4", None),
            ("{\"9=\": 8}", None),
        ] {
            assert_eq!(foreign_delimiter(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_usual_head_is_what_any_is() {
        let mut random = Random::new(3);
        let mut usual = 0;
        for _ in 0..20_000 {
            let mut text = String::new();
            for tag in ["8", "9", "35"] {
                let tag = if random.below(12) == 0 { "34" } else { tag };
                let value = random.pick(&["", "FIX.4.4", "5", "D", "\u{e9}"]);
                _ = write!(text, "{tag}={value}\u{1}");
            }
            text.truncate(text.floor_char_boundary(text.len() - random.below(3) as usize));
            let mut bytes = text.into_bytes();
            if random.below(4) == 0 {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.bits() as u8;
            }
            let Some(head) = usual_head(&bytes) else { continue };
            let is_text = [head.0, head.1].into_iter().all(|it| std::str::from_utf8(it).is_ok());
            usual += usize::from(is_text);
            let any = any_head(&bytes).map(|it| (it.0.as_bytes(), it.1.as_bytes()));
            assert_eq!(any, is_text.then_some(head), "{}", String::from_utf8_lossy(&bytes));
        }
        assert!(usual > 3_000, "{usual}");
    }

    const HEARTBEAT: &[u8] = b"8=FIX.4.3\x019=5\x0135=0\x0110=162\x01";

    #[test]
    fn data_may_hold_a_delimiter() {
        let bytes = b"95=5\x0196=a\x01b=c\x0158=x\x01";
        let all: Vec<_> = fields(bytes).map(|it| it.expect("a field")).collect();
        let values: Vec<_> = all.iter().map(|it| (it.tag, it.value)).collect();
        assert_eq!(values, [(95, &b"5"[..]), (96, b"a\x01b=c"), (58, b"x")]);
        // Of an extension pack of FIX 5.0 SP2.
        let all: Vec<_> = fields(b"2522=3\x012521=a\x01b\x01").map(Result::unwrap).collect();
        assert_eq!((all.len(), all[1].value), (2, &b"a\x01b"[..]));
    }

    #[test]
    fn what_is_wrong_with_a_frame_is_named_with_its_place() {
        let limits = Limits::default();
        assert_eq!(check(HEARTBEAT, &limits), Ok(()));
        let changed = |from: &str, to: &str| {
            let text = String::from_utf8_lossy(HEARTBEAT).replace(from, to);
            check(text.as_bytes(), &limits).expect_err("it is wrong").to_string()
        };
        assert_eq!(
            changed("10=162", "10=163"),
            "CheckSum at byte 19: CheckSum says 163, but the bytes sum to 162"
        );
        assert_eq!(
            changed("9=5", "9=6"),
            "BodyLength at byte 10: the length says 6, but 5 bytes are there"
        );
        assert_eq!(changed("35=0", "36=0"), "at byte 14: expected MsgType (35=) as field 3");
        assert_eq!(changed("35=0", "35="), "MsgType at byte 14: expected a value, but it is empty");
        let tag = "at byte 14: expected a tag, a whole number from 1 to 2147483647 without zeros before it, and '='";
        for wrong in ["35;0", "035=0", "0=0", "2147483648=0", "99999999999=0", "x=0", "=0"] {
            assert_eq!(changed("35=0", wrong), tag, "{wrong}");
        }
        assert_eq!(
            changed("10=162\u{1}", ""),
            "at byte 19: the message ends where CheckSum (10=) at the end should be"
        );
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(line(HEARTBEAT), "8=FIX.4.3|9=5|35=0|10=162|");
        assert_eq!(line(b"58=a\nb\x1b\x01"), "58=a\\nb\\u{1b}|");
    }
}
