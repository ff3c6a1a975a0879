//! Text with what is markup escaped.

use trunkline_wire::Cursor;

/// What stands for a byte in text; empty for the byte itself.
pub(super) fn in_text(byte: u8) -> &'static [u8] {
    match byte {
        b'<' => b"&lt;",
        b'>' => b"&gt;",
        b'&' => b"&amp;",
        // A parser would turn it into a line feed.
        b'\r' => b"&#13;",
        _ => b"",
    }
}

/// As [`in_text`], between the quotes of an attribute.
pub(super) fn in_quotes(byte: u8) -> &'static [u8] {
    match byte {
        b'<' => b"&lt;",
        b'&' => b"&amp;",
        b'"' => b"&quot;",
        // A parser would turn them into blanks (XML 1.0 section 3.3.3).
        b'\t' => b"&#9;",
        b'\n' => b"&#10;",
        b'\r' => b"&#13;",
        _ => b"",
    }
}

#[inline(never)]
pub(super) fn escape(
    cursor: &mut Cursor<'_>,
    text: &str,
    escaped: impl Fn(u8) -> &'static [u8],
) -> bool {
    let mut legal = true;
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        legal &= byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r');
        let replacement = escaped(byte);
        if replacement.is_empty() {
            continue;
        }
        cursor.copy(&text.as_bytes()[plain..at]);
        cursor.copy(replacement);
        plain = at + 1;
    }
    cursor.copy(&text.as_bytes()[plain..]);
    legal && !text.contains(['\u{FFFE}', '\u{FFFF}'])
}
