//! The character set of a media type. It takes precedence over the declaration of the document (RFC
//! 3023).

use std::borrow::Cow;

use super::media::parameter;

/// A body so that its document need not be told the character set: UTF-8, or as the document says
/// itself. None for a set that is not known here.
pub(super) fn read<'a>(media_type: &str, body: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    let Some(name) = parameter(media_type, "charset") else { return Some(Cow::Borrowed(body)) };
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is("utf-8") || is("us-ascii") || is("utf8") {
        return Some(Cow::Borrowed(body));
    }
    // A byte order mark or a declaration tells these apart.
    if is("utf-16") || is("utf-16le") || is("utf-16be") || says_itself(body) {
        return Some(Cow::Borrowed(body));
    }
    let text = || body.iter().map(|&byte| char::from(byte)).collect::<String>();
    is("iso-8859-1").then(|| Cow::Owned(text().into_bytes()))
}

/// Does the XML declaration name an encoding?
fn says_itself(body: &[u8]) -> bool {
    let head = &body[..body.len().min(200)];
    let end = head.iter().position(|&byte| byte == b'>').unwrap_or(0);
    let declaration = &head[..end];
    declaration.starts_with(b"<?xml") && declaration.windows(8).any(|it| it == b"encoding")
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn latin_1_is_what_the_media_type_says_it_is() {
        let text = |media_type, body: &[u8]| {
            read(media_type, body).map(|it| String::from_utf8_lossy(&it).into_owned())
        };
        let bytes = b"<a>\xC3\xA9</a>";
        assert_eq!(text("text/xml; charset=utf-8", bytes).as_deref(), Some("<a>\u{e9}</a>"));
        assert_eq!(text("text/xml", bytes).as_deref(), Some("<a>\u{e9}</a>"));
        let latin = text("text/xml; charset=\"ISO-8859-1\"", bytes);
        assert_eq!(latin.as_deref(), Some("<a>\u{c3}\u{a9}</a>"));
        assert_eq!(text("text/xml; charset=koi8-r", bytes), None);
        let declared = b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xE9</a>";
        let kept = read("text/xml; charset=iso-8859-1", declared).expect("a known set");
        assert_eq!(*kept, *declared);
    }
}
