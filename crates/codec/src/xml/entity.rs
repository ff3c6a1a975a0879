//! References and line ends: from raw content to values (sections 2.11, 3.3.3, 4.1, 4.6).

use super::error::{Error, ErrorKind};

/// The character or text of a reference, and where it ends.
pub(super) struct Reference {
    pub(super) character: char,
    pub(super) end: usize,
}

/// Reads the reference whose `&` is at `at`.
pub(super) fn reference(bytes: &[u8], at: usize) -> Result<Reference, Error> {
    let rest = &bytes[at + 1..];
    let named = |character, length| Ok(Reference { character, end: at + 1 + length });
    match rest {
        [b'l', b't', b';', ..] => named('<', 3),
        [b'g', b't', b';', ..] => named('>', 3),
        [b'a', b'm', b'p', b';', ..] => named('&', 4),
        [b'a', b'p', b'o', b's', b';', ..] => named('\'', 5),
        [b'q', b'u', b'o', b't', b';', ..] => named('"', 5),
        [b'#', b'x', ..] => numeric(bytes, at, at + 3, 16),
        [b'#', ..] => numeric(bytes, at, at + 2, 10),
        _ => Err(unknown(rest, at)),
    }
}

fn numeric(bytes: &[u8], at: usize, digits: usize, radix: u32) -> Result<Reference, Error> {
    let mut code = 0u32;
    let mut end = digits;
    while let Some(digit) = bytes.get(end).and_then(|&byte| char::from(byte).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if end == digits || bytes.get(end) != Some(&b';') {
        return Err(Error::new(ErrorKind::MalformedReference, at));
    }
    match char::from_u32(code).filter(|&character| is_char(character)) {
        Some(character) => Ok(Reference { character, end: end + 1 }),
        None => Err(Error::new(ErrorKind::ForbiddenReference, at)),
    }
}

#[cold]
fn unknown(rest: &[u8], at: usize) -> Error {
    let name = |&byte: &u8| byte >= 0x80 || byte.is_ascii_alphanumeric() || b"_:-.".contains(&byte);
    let length = rest.iter().take_while(|&byte| name(byte)).count();
    let starts = rest.first().is_some_and(|byte| name(byte) && !b"-.0123456789".contains(byte));
    let kind = match rest.get(length) {
        Some(b';') if starts => ErrorKind::UnknownEntity,
        _ => ErrorKind::MalformedReference,
    };
    Error::new(kind, at)
}

/// Whether XML allows a character (section 2.2, production 2).
pub(super) fn is_char(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Appends the value of a text to `out`: references resolved, line ends normalised to line feeds.
///
/// Takes the text of an event. A malformed reference, which no event has, is copied as it is. The
/// value is never longer than the text.
pub fn unescape(raw: &str, out: &mut String) {
    rewrite(raw, out, |byte| matches!(byte, b'&' | b'\r'), '\n');
}

/// Appends the value of an attribute to `out`: references resolved, each line end, tab and line
/// feed replaced by a space (section 3.3.3, for attributes of type CDATA).
///
/// Takes the raw value of an [`Attribute`](super::Attribute); otherwise as [`unescape`].
pub fn normalise_attribute(raw: &str, out: &mut String) {
    rewrite(raw, out, |byte| matches!(byte, b'&' | b'\r' | b'\n' | b'\t'), ' ');
}

/// Appends the value of a CDATA section, comment or processing instruction to `out`: line ends
/// normalised to line feeds (section 2.11), `&` an ordinary character.
pub fn normalise_newlines(raw: &str, out: &mut String) {
    rewrite(raw, out, |byte| byte == b'\r', '\n');
}

fn rewrite(raw: &str, out: &mut String, stops: impl Fn(u8) -> bool, white: char) {
    let bytes = raw.as_bytes();
    out.reserve(raw.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|&byte| stops(byte)) {
        at += step;
        let (character, end) = match bytes[at] {
            b'&' => match reference(bytes, at) {
                Ok(Reference { character, end }) => (character, end),
                Err(_) => ('&', at + 1),
            },
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => (white, at + 2),
            _ => (white, at + 1),
        };
        out.push_str(&raw[copied..at]);
        out.push(character);
        copied = end;
        at = end;
    }
    out.push_str(&raw[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(convert: fn(&str, &mut String), raw: &str) -> String {
        let mut out = String::new();
        convert(raw, &mut out);
        out
    }

    #[test]
    fn text_resolves_references_and_line_ends() {
        let raw = "a&lt;&#x41;&amp;lt;\r\nb\rc\n&#13;&apos;&quot;&gt;&#x10FFFF;é";
        assert_eq!(value(unescape, raw), "a<A&lt;\nb\nc\n\r'\">\u{10FFFF}é");
    }

    #[test]
    fn attributes_turn_white_space_into_spaces_but_not_references_to_it() {
        assert_eq!(value(normalise_attribute, "a\tb\nc\r\nd\re&#10;&#9;"), "a b c d e\n\t");
    }

    #[test]
    fn newlines_leave_ampersands_alone() {
        assert_eq!(value(normalise_newlines, "&lt;\r\n\r\r\n"), "&lt;\n\n\n");
    }

    #[test]
    fn unchecked_text_is_copied() {
        assert_eq!(value(unescape, "&nope; & &#0; &"), "&nope; & &#0; &");
    }
}
