//! What a value is that is not read, and what may stand in its place.

use trunkline_message::{Error, ErrorKind, Field, Holds, Layout, MemberId, ScopeId, Shape};

use crate::codec::Format;
use crate::tree::plain;

/// Characters of a value, and values of an enumeration, that are shown.
const CHARACTERS: usize = 40;
const VALUES: usize = 12;

/// What an error of a value leaves open, to be put behind its text: which value it is, and what the field takes if that is an
/// enumeration. Empty where the error has it all, or where the bytes are no text.
pub fn explain(format: Format, bytes: &[u8], layout: &Layout, error: &Error) -> String {
    let field = field_at(layout, ScopeId(0), &error.path());
    let values = match (error.kind(), field.map(|it| it.holds)) {
        // Those of XML say both.
        (ErrorKind::Expected(what), Some(Holds::Enumeration(of))) if !what.contains("one of") => {
            Some(of)
        }
        (ErrorKind::Value { .. }, _) => None,
        _ => return String::new(),
    };
    let is_told = matches!(error.kind(), ErrorKind::Expected(what) if what.contains(", not "));
    let text = value_at(format, bytes, error.offset()).filter(|_| !is_told);
    let is = text.map(|it| format!("it is {}", shown(&it)));
    let takes = values.map(|of| {
        let names = layout.schema().values(of).iter().take(VALUES).map(|it| &**it).enumerate();
        let one = |(index, name): (usize, &str)| {
            let member = MemberId { of, index: index as u32 };
            let code = layout.notes().of_member(member, "fix", "code");
            match code.filter(|_| format == Format::Fix) {
                Some(code) => format!("{code} ({name})"),
                None => name.to_string(),
            }
        };
        let more = layout.schema().values(of).len().saturating_sub(VALUES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("it takes {}{more}", names.map(one).collect::<Vec<_>>().join(", "))
    });
    let all: Vec<String> = is.into_iter().chain(takes).collect();
    if all.is_empty() { String::new() } else { format!("; {}", all.join(", and ")) }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        None => format!("{:?}", plain(text)),
        Some((end, _)) => format!("{:?}...", plain(&text[..end])),
    }
}

/// The text of the value that begins at a byte, or has it inside.
fn value_at(format: Format, bytes: &[u8], offset: usize) -> Option<String> {
    let (before, behind) = bytes.split_at_checked(offset)?;
    let is_end: fn(&u8) -> bool = match format {
        Format::Fix => |it| *it == 1,
        Format::Xml | Format::Soap11 | Format::Soap12 => |it| b"<>\"'".contains(it),
        Format::Json => |it| b",:[]{}\n".contains(it),
        Format::FastInfoset | Format::CdrLittle | Format::CdrBig => return None,
    };
    let is_start = |it: &u8| is_end(it) || format == Format::Fix && *it == b'=';
    if let (Format::Json, Some(quoted)) = (format, quoted(bytes, offset)) {
        return Some(String::from_utf8_lossy(quoted).into_owned());
    }
    let start = before.iter().rposition(is_start).map_or(0, |it| it + 1);
    let end = offset + behind.iter().position(is_end).unwrap_or(behind.len());
    let text = String::from_utf8_lossy(&bytes[start..end]);
    // Blanks of a field of FIX are its value.
    let is_exact = format == Format::Fix;
    Some(if is_exact { text.into_owned() } else { text.trim().trim_matches('"').to_owned() })
}

/// The text in quotes of JSON that begins at a byte, or has it inside.
fn quoted(bytes: &[u8], offset: usize) -> Option<&[u8]> {
    let (mut start, mut is_escaped) = (None, false);
    for (at, byte) in bytes.iter().enumerate() {
        match (byte, start) {
            _ if is_escaped => is_escaped = false,
            (b'\\', Some(_)) => is_escaped = true,
            (b'"', None) if at <= offset => start = Some(at + 1),
            (_, None) if at > offset => return None,
            (b'"', Some(start)) if at >= offset => return Some(&bytes[start..at]),
            (b'"', Some(_)) => start = None,
            _ => {}
        }
    }
    None
}

/// The field of a path such as `Legs[3]/Side`.
fn field_at<'a>(layout: &'a Layout, scope: ScopeId, path: &str) -> Option<&'a Field> {
    let scope = layout.scope(scope);
    scope.fields.iter().enumerate().find_map(|(index, field)| {
        let rest = path.strip_prefix(&scope.path(index))?;
        if rest.is_empty() {
            return Some(field);
        }
        let rest = match rest.strip_prefix('[') {
            Some(entry) => entry.split_once(']')?.1,
            None => rest,
        };
        let inside = field.holds.scope()?;
        if rest.is_empty() {
            let items = layout.scope(inside);
            return items.fields.first().filter(|_| items.shape == Shape::Item);
        }
        field_at(layout, inside, rest.strip_prefix('/')?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_at_a_byte_is_found() {
        let value = |format, text: &str, part: &str| {
            value_at(format, text.as_bytes(), text.find(part).expect("it is there"))
        };
        let fix = "8=FIX.4.4\u{1}38=1OO\u{1}10=000\u{1}";
        assert_eq!(value(Format::Fix, fix, "1OO").as_deref(), Some("1OO"));
        assert_eq!(value(Format::Fix, fix, "OO").as_deref(), Some("1OO"));
        let json = r#"{"a": "x,y", "b": [1, tru]}"#;
        assert_eq!(value(Format::Json, json, "\"x").as_deref(), Some("x,y"));
        assert_eq!(value(Format::Json, json, "tru").as_deref(), Some("tru"));
        let json = r#"{"t": "09:30:00x", "b": " 1\"2 "}"#;
        assert_eq!(value(Format::Json, json, "00x").as_deref(), Some("09:30:00x"));
        assert_eq!(value(Format::Json, json, "2 ").as_deref(), Some(" 1\\\"2 "));
        assert_eq!(value(Format::Fix, "38= 1\u{1}", "1\u{1}").as_deref(), Some(" 1"));
        let xml = "<a b=\"7\"><c> much </c></a>";
        assert_eq!(value(Format::Xml, xml, "much").as_deref(), Some("much"));
        assert_eq!(value(Format::Xml, xml, "7").as_deref(), Some("7"));
        assert_eq!(value_at(Format::CdrBig, b"abc", 1), None);
        assert_eq!(value_at(Format::Fix, b"abc", 9), None);
    }
}
