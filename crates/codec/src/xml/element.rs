//! Elements as texts that stand by themselves.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memchr_iter;

use super::{Namespace, Parser, escape, is_name_char, unescape};

/// Appends the element at `place` of a document, which the parser has just left, without the parts of its
/// start tag that are `left_out`, in the order of the document.
pub(super) fn copy(
    parser: &Parser,
    input: &str,
    place: Range<usize>,
    left_out: &[Range<usize>],
    out: &mut String,
) {
    let start = out.len();
    out.reserve(place.len() + 64);
    let mut from = place.start;
    for gap in left_out {
        out.push_str(&input[from..gap.start]);
        from = gap.end;
    }
    out.push_str(&input[from..place.end]);
    let declarations = needed(parser, input, &out[start..]);
    out.insert_str(start + name_end(&out[start..]), &declarations);
}

/// The declarations that an element takes from those around it: those of prefixes that
/// stand before a colon anywhere in it, be it in a name or in a value, and the default one.
fn needed(parser: &Parser, input: &str, raw: &str) -> String {
    let mut out = String::new();
    let text = match raw.contains("&#") {
        true => {
            let mut text = String::new();
            unescape(raw, &mut text);
            Cow::Owned(text)
        }
        false => Cow::Borrowed(raw),
    };
    let mut settled = declared(raw);
    settled.extend(["xml", "xmlns"]);
    let mut declare = |name: &str, namespace| {
        out.push_str(name);
        out.push_str("=\"");
        escape(parser.namespace_name(input, namespace), true, &mut out);
        out.push('"');
    };
    if settled.insert("") && parser.default_namespace() != Namespace::NONE {
        declare(" xmlns", parser.default_namespace());
    }
    let mut from = 0;
    for colon in memchr_iter(b':', text.as_bytes()) {
        let before = &text[from..colon];
        from = colon + 1;
        let is_part = |character: char| character != ':' && is_name_char(character);
        let start = before.trim_end_matches(is_part).len();
        let prefix = &before[start..];
        if let Some(namespace) = parser.resolve_prefix(input, prefix)
            && settled.insert(prefix)
        {
            declare(&format!(" xmlns:{prefix}"), namespace);
        }
    }
    out
}

/// Where the name in a start tag ends.
#[inline]
pub fn name_end(element: &str) -> usize {
    element.find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or(element.len())
}

/// The prefixes that the start tag of an element declares, the empty one for the default; the
/// element is known to be well-formed.
pub fn declared(element: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rest = &element[name_end(element)..];
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some((name, after)) = rest.split_once('=').filter(|_| !rest.starts_with(['/', '>']))
        else {
            return found;
        };
        match name.trim_ascii_end().strip_prefix("xmlns") {
            Some("") => _ = found.insert(""),
            Some(prefix) => found.extend(prefix.strip_prefix(':')),
            None => {}
        }
        let after = after.trim_start_matches([' ', '\t', '\r', '\n']);
        let quote = if after.starts_with('\'') { '\'' } else { '"' };
        let value = after.get(1..).unwrap_or_default();
        rest = value.split_once(quote).map_or("", |(_, rest)| rest);
    }
}
