//! Payloads as a line of a terminal can show them, and as programs get them.

use std::fmt::Write as _;
use std::str;

use serde_json::Value;
use trunkline_client::format;
use trunkline_codec::fast_infoset::{Options, Parser};
use trunkline_codec::xml::Source;
use trunkline_server::formats::read_as;
use trunkline_transcode::{Format, Kind, fix};

use crate::decode::Document;
use crate::input::limits;

/// Appends a payload as one line: text as it is, or with escapes if it has control characters, FIX with `|` between its
/// fields, Fast Infoset as the XML that it is, and what is no text in hexadecimal, behind what it is as far as that is known.
pub(crate) fn write_payload(out: &mut String, format: u16, payload: &[u8]) {
    if format == format::CDR {
        return write_bytes(out, format, payload);
    }
    match Kind::of(payload) {
        Some(Kind::Fix) => return out.push_str(&fix::line(payload)),
        Some(Kind::FastInfoset) => {
            let mut parser = Parser::stateless(Options::default(), &limits());
            let mut document = Document { parser: &mut parser, bytes: payload, out: String::new() };
            if document.decode().is_ok() {
                return write_text(out, document.out.trim_end());
            }
        }
        // In whichever encoding it is.
        Some(Kind::Xml) if str::from_utf8(payload).is_err() || payload.contains(&0) => {
            if let Ok(text) = Source::default().prepare(payload, &limits()) {
                return write_text(out, text);
            }
        }
        _ => {}
    }
    match str::from_utf8(payload) {
        // No text has a NUL.
        Ok(text) if !payload.contains(&0) => write_text(out, text),
        _ => write_bytes(out, format, payload),
    }
}

/// Appends text: as it is, if it is a line without control characters; JSON on one line, which is the same JSON; and other
/// text with escapes for control characters and backslashes.
fn write_text(out: &mut String, text: &str) {
    if !text.contains(char::is_control) {
        return out.push_str(text);
    }
    let is_json = is_json(text);
    for c in text.chars() {
        match c {
            // Between tokens: strings of JSON have them as escapes alone.
            '\n' | '\r' | '\t' if is_json => out.push(' '),
            c if is_json && c.is_control() => _ = write!(out, "\\u{:04x}", u32::from(c)),
            '\\' if !is_json => out.push_str("\\\\"),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
}

/// Whether text is a whole object or array of JSON.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Appends what is no text: what it is, and its bytes. Those of CDR stand in groups of four, by which it aligns, without the
/// one before them that says the byte order.
fn write_bytes(out: &mut String, format: u16, payload: &[u8]) {
    let (what, bytes) = match (read_as(format, payload), Kind::of(payload)) {
        (Some((order @ (Format::CdrLittle | Format::CdrBig), message)), _) => {
            (order.name(), message)
        }
        (_, Some(kind)) => (kind.name(), payload),
        (Some((format, _)), None) => (format.name(), payload),
        (None, None) => ("", payload),
    };
    if !what.is_empty() {
        out.extend([what, " "]);
    }
    out.push_str("hex:");
    let width = if what.is_empty() { bytes.len().max(1) } else { 4 };
    for (index, group) in bytes.chunks(width).enumerate() {
        out.push_str(if index == 0 { "" } else { " " });
        write_hex(out, group);
    }
}

/// Gives a fact its payload: text, or hexadecimal as `payload_hex`.
pub(crate) fn payload_fact(fact: &mut Value, payload: &[u8]) {
    match str::from_utf8(payload) {
        Ok(text) => fact["payload"] = text.into(),
        Err(_) => {
            let mut hex = String::new();
            write_hex(&mut hex, payload);
            fact["payload_hex"] = hex.into();
        }
    }
}

/// A value as programs get it: text, or else hexadecimal, as `value` and `value_hex`.
pub(crate) fn text_or_hex(value: &[u8]) -> (Option<&str>, Option<String>) {
    let text = str::from_utf8(value).ok();
    let hex = text.is_none().then(|| {
        let mut hex = String::new();
        write_hex(&mut hex, value);
        hex
    });
    (text, hex)
}

/// Appends bytes as two digits each.
fn write_hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_lines() {
        let line_of = |format: u16, payload: &[u8]| {
            let mut out = String::new();
            write_payload(&mut out, format, payload);
            out
        };
        let line = |payload: &[u8]| line_of(format::OPAQUE, payload);
        assert_eq!(line("1.0842 \u{20ac}".as_bytes()), "1.0842 \u{20ac}");
        assert_eq!(line(b"a\nb\\n\x1b[2J"), "a\\nb\\\\n\\u{1b}[2J");
        assert_eq!(line(b"C:\\dir"), "C:\\dir");
        assert_eq!(line(b"<a>C:\\dir \"q\"</a>"), "<a>C:\\dir \"q\"</a>");
        assert_eq!(line(br#"{"a":"C:\\dir \"q\"\n"}"#), r#"{"a":"C:\\dir \"q\"\n"}"#);
        let json = "{\r\n\t\"a\": \"C:\\\\dir \u{85}\"\n}\n";
        assert_eq!(line(json.as_bytes()), r#"{   "a": "C:\\dir \u0085" } "#);
        assert_eq!(line(b"{\"a\":\\\n"), "{\"a\":\\\\\\n", "no JSON");
        assert_eq!(line(&[0xff, 0, 1, 2, 3]), "hex:ff00010203");
        assert_eq!(line(b""), "");
        assert_eq!(line(b"8=FIX.4.4\x019=5\x01"), "8=FIX.4.4|9=5|");
        // Text in another charset than UTF-8 is FIX all the same.
        assert_eq!(line(b"8=FIX.4.4\x0158=M\xfcller\x01"), "8=FIX.4.4|58=M\u{fffd}ller|");
        assert_eq!(line(b"\xfe\xff\0<\0a\0/\0>"), "<a/>");
        assert_eq!(line(b"GIOP\x01\x00\x00\x05\0\0\0\0"), "GIOP hex:47494f50 01000005 00000000");
        assert_eq!(line_of(format::CDR, b"\x01AB\0\0\x01"), "cdr-le hex:41420000 01");
        assert_eq!(line_of(format::CDR, b"\0ABCD"), "cdr-be hex:41424344");
        assert_eq!(line_of(format::CDR, b""), "hex:");
        // `<a>b</a>`, and the same without its end.
        let document = b"\xe0\0\0\x01\0\x3c\0a\x80b\xff";
        assert_eq!(line_of(format::FAST_INFOSET, document), "<a>b</a>");
        let cut = line_of(format::FAST_INFOSET, &document[..8]);
        assert_eq!(cut, "Fast Infoset hex:e0000001 003c0061");
    }
}
