//! The texts of JSON: strings with their escapes, numbers, and what is passed over.

use std::borrow::Cow;

/// Appends a string in quotes.
pub(super) fn quote(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let letter = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0..0x20 => {
                out.extend_from_slice(&text.as_bytes()[from..at]);
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                from = at + 1;
                continue;
            }
            _ => continue,
        };
        out.extend_from_slice(&text.as_bytes()[from..at]);
        out.extend_from_slice(&[b'\\', letter]);
        from = at + 1;
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
    out.push(b'"');
}

/// Why a text is no string of JSON, and at which of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadString {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

/// The string that begins behind a quote: what it says, and where the text goes on behind its end.
pub(super) fn string(text: &str, start: usize) -> Result<(Cow<'_, str>, usize), BadString> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let (mut at, mut from) = (start, start);
    loop {
        match bytes.get(at) {
            None => return Err(BadString { at, why: "the end of the string" }),
            Some(b'"') => {
                let rest = &text[from..at];
                let said = match out {
                    None => Cow::Borrowed(rest),
                    Some(mut out) => {
                        out.push_str(rest);
                        Cow::Owned(out)
                    }
                };
                return Ok((said, at + 1));
            }
            Some(b'\\') => {
                let out = out.get_or_insert_default();
                out.push_str(&text[from..at]);
                let (character, behind) = escape(bytes, at)?;
                out.push(character);
                (at, from) = (behind, behind);
            }
            Some(0..0x20) => {
                return Err(BadString { at, why: "an escape for a control character" });
            }
            Some(_) => at += 1,
        }
    }
}

/// The character that an escape stands for, and where the text goes on.
fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), BadString> {
    let wrong = BadString { at, why: "an escape of JSON" };
    let character = match bytes.get(at + 1).ok_or(wrong)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = unit(bytes, at).ok_or(wrong)?;
            let (units, behind) = match first {
                0xd800..0xdc00 => ([first, unit(bytes, at + 6).ok_or(wrong)?], at + 12),
                first => ([first, 0], at + 6),
            };
            let units = &units[..if behind == at + 12 { 2 } else { 1 }];
            let mut decoded = char::decode_utf16(units.iter().copied());
            let character = decoded.next().and_then(Result::ok).ok_or(wrong)?;
            return Ok((character, behind));
        }
        _ => return Err(wrong),
    };
    Ok((character, at + 2))
}

/// The four digits of `\u1234`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let all = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| all)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Where the number that begins there ends; none if none does.
pub(super) fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        rest.iter().take_while(|it| it.is_ascii_digit()).count()
    };
    let whole = start + usize::from(bytes.get(start) == Some(&b'-'));
    let units = digits(whole);
    // No zeros stand before others.
    if units == 0 || units > 1 && bytes[whole] == b'0' {
        return None;
    }
    let mut at = whole + units;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let power = digits(at + 1 + sign);
        if power == 0 {
            return None;
        }
        at += 1 + sign + power;
    }
    Some(at)
}

/// Behind white space.
pub(super) fn skip_white(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|it| matches!(it, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// Does an object have one member, whose value begins so? Of what is no JSON the answer means nothing: who reads it says what is
/// wrong.
pub(super) fn is_of_one(bytes: &[u8], value: &[u8]) -> bool {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let length = |it: &[u8]| it.iter().position(|it| matches!(it, b'"' | b'\\'));
                at += 1;
                while let Some(found) = length(&bytes[at.min(bytes.len())..]) {
                    at += found;
                    if bytes[at] == b'"' {
                        break;
                    }
                    at += 2;
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => return false,
            b':' if depth == 1 && !bytes[skip_white(bytes, at + 1)..].starts_with(value) => {
                return false;
            }
            _ => {}
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back() {
        for text in ["", "a\"b\\c/", "\u{0}\u{1f}\u{8}\n\r\t", "ä€\u{1f600}\u{2028}", "\u{7f}"] {
            let mut out = Vec::new();
            quote(text, &mut out);
            let quoted = String::from_utf8(out).expect("UTF-8");
            assert!(!quoted.contains(['\n', '\r']), "{quoted}");
            let (said, end) = string(&quoted, 1).expect("a string");
            assert_eq!((&*said, end), (text, quoted.len()));
        }
        let (said, _) = string("\\u00e4\\ud83d\\ude00\\/\\b\\f\"", 0).expect("a string");
        assert_eq!(said, "ä\u{1f600}/\u{8}\u{c}");
    }

    #[test]
    fn an_object_may_be_around_another_alone() {
        for (text, is_so) in [
            (r#"{"a":{}}"#, true),
            (r#" { "a" : {"b":1,"c":[2,3]} } "#, true),
            (r#"{"a\",":{"b":"},\\"}}"#, true),
            (r#"{"a":1}"#, false),
            (r#"{"a":[{}]}"#, false),
            (r#"{"a":{},"b":1}"#, false),
        ] {
            assert_eq!(is_of_one(text.as_bytes(), b"{"), is_so, "{text}");
        }
        for no_json in ["", "{", "{\"", "{\"a\\", "}}", "{\"a\":"] {
            is_of_one(no_json.as_bytes(), b"{");
        }
    }

    #[test]
    fn what_is_no_string_is_rejected_at_its_place() {
        for (text, at) in [
            ("abc", 3),
            ("a\\x\"", 1),
            ("\\ud83d\"", 0),
            ("\\ude00\"", 0),
            ("\\ud83d\\u0041\"", 0),
            ("\\u+0ff\"", 0),
            ("a\n\"", 1),
            ("\\", 0),
        ] {
            assert_eq!(string(text, 0).expect_err("none").at, at, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_grammar() {
        for text in ["0", "-0", "12", "0.50", "-1.5e+10", "1E9", "1e-9"] {
            assert_eq!(number_end(text.as_bytes(), 0), Some(text.len()), "{text}");
        }
        for text in ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "NaN", "x"] {
            assert_eq!(number_end(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(number_end(b"12,", 0), Some(2));
    }
}
