//! The character set of what comes over HTTP: a byte order mark says it, else the media type, else the document itself
//! (RFC 7303, section 3).

use std::borrow::Cow;
use std::ops::Range;

use super::media::parameter;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A document of XML in UTF-8, which names no other encoding: one in UTF-16 or ISO-8859-1 is written anew, and where its declaration
/// named that stand blanks. Of any other encoding, or none that is known, it is as it was.
pub fn in_utf8(document: &[u8]) -> Cow<'_, [u8]> {
    read("", document).unwrap_or(Cow::Borrowed(document))
}

/// A body in UTF-8 whose document says no other character set; one that is not known to the document's reader either stays as it
/// is, for that to tell what is wrong. None for a set of the media type that is not known here.
pub(super) fn read<'a>(media_type: &str, body: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    if let Some(big_endian) = utf16(body) {
        let text = of_utf16(body, big_endian);
        return Some(text.map_or(Cow::Borrowed(body), |it| Cow::Owned(unsaid(it.into_bytes()))));
    }
    let name = parameter(media_type, "charset");
    let is = |known: &str| name.is_some_and(|it| it.eq_ignore_ascii_case(known));
    if body.starts_with(MARK) || is("utf-8") || is("utf8") {
        return Some(match foreign(body) {
            Some(_) => Cow::Owned(unsaid(body.to_vec())),
            None => Cow::Borrowed(body),
        });
    }
    let said = encoding(body).map(|it| &body[it]);
    // What is called UTF-16 and has no octets of zero is not that.
    let is_left = ["us-ascii", "utf-16", "utf-16le", "utf-16be"].into_iter().any(is);
    let is_latin = match name {
        Some(_) if is("iso-8859-1") => true,
        Some(_) if !is_left && said.is_none() => return None,
        _ => said.is_some_and(|it| it.eq_ignore_ascii_case(b"iso-8859-1")),
    };
    if !is_latin {
        return Some(Cow::Borrowed(body));
    }
    let text: String = body.iter().map(|&byte| char::from(byte)).collect();
    Some(Cow::Owned(unsaid(text.into_bytes())))
}

/// Is it UTF-16, with the greater octet of two first? No other document has octets of zero at its beginning.
fn utf16(body: &[u8]) -> Option<bool> {
    match *body {
        [0xFE, 0xFF, ..] => Some(true),
        [0xFF, 0xFE, ..] => Some(false),
        [0, b'<', ..] => Some(true),
        [b'<', 0, ..] => Some(false),
        _ => None,
    }
}

/// The text without its mark; none if it is not valid.
fn of_utf16(body: &[u8], big_endian: bool) -> Option<String> {
    let (units, odd) = body.as_chunks::<2>();
    if !odd.is_empty() {
        return None;
    }
    let read = if big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
    let units = units.iter().map(|it| read(*it));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.ok().map(|it| it.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(it))
}

/// The document without the encoding that its XML declaration names, which is another now: all else stays where it is.
fn unsaid(mut document: Vec<u8>) -> Vec<u8> {
    if let Some(said) = foreign(&document) {
        document[said].fill(b' ');
    }
    document
}

/// Where the XML declaration names an encoding that is not UTF-8, from the word on.
fn foreign(document: &[u8]) -> Option<Range<usize>> {
    let name = encoding(document)?;
    let is_own =
        [&b"utf-8"[..], b"utf8"].iter().any(|it| document[name.clone()].eq_ignore_ascii_case(it));
    let start = document[..name.start].windows(8).rposition(|it| it == b"encoding")?;
    (!is_own).then_some(start..name.end + 1)
}

/// The name of the encoding in the XML declaration.
fn encoding(document: &[u8]) -> Option<Range<usize>> {
    /// Nobody writes a longer one.
    const LONGEST: usize = 200;
    let document = &document[..document.len().min(LONGEST)];
    let start = if document.starts_with(MARK) { MARK.len() } else { 0 };
    document[start..].starts_with(b"<?xml").then_some(())?;
    let end = document.windows(2).position(|it| it == b"?>")?;
    let word = document[..end].windows(8).position(|it| it == b"encoding")?;
    let open = word + document[word..end].iter().position(|it| matches!(it, b'"' | b'\''))?;
    let length = document[open + 1..end].iter().position(|it| *it == document[open])?;
    Some(open + 1..open + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::read;

    fn text(media_type: &str, body: &[u8]) -> Option<String> {
        read(media_type, body).map(|it| String::from_utf8_lossy(&it).into_owned())
    }

    #[test]
    fn latin_1_is_what_the_media_type_says_it_is() {
        let bytes = b"<a>\xC3\xA9</a>";
        assert_eq!(text("text/xml; charset=utf-8", bytes).as_deref(), Some("<a>\u{e9}</a>"));
        assert_eq!(text("text/xml", bytes).as_deref(), Some("<a>\u{e9}</a>"));
        let latin = text("text/xml; charset=\"ISO-8859-1\"", bytes);
        assert_eq!(latin.as_deref(), Some("<a>\u{c3}\u{a9}</a>"));
        assert_eq!(text("text/xml; charset=koi8-r", bytes), None);
    }

    #[test]
    fn what_the_media_type_says_is_not_what_the_declaration_says() {
        let declared = b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xC3\xA9</a>";
        let blank = " ".repeat("encoding='iso-8859-1'".len());
        let as_text = |inside: &str| Some(format!("<?xml version='1.0' {blank}?><a>{inside}</a>"));
        assert_eq!(text("text/xml; charset=utf-8", declared), as_text("\u{e9}"));
        assert_eq!(text("text/xml", declared), as_text("\u{c3}\u{a9}"));
        let marked = [&b"\xEF\xBB\xBF"[..], declared].concat();
        let whole = as_text("\u{e9}").map(|it| format!("\u{FEFF}{it}"));
        assert_eq!(text("text/xml; charset=iso-8859-1", &marked), whole);
        let other = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>\xE9</a>";
        let latin = text("text/xml; charset=iso-8859-1", other);
        assert_eq!(
            latin.as_deref(),
            Some("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>\u{e9}</a>")
        );
        // An encoding that is not known is left to whoever reads the document.
        let unknown = b"<?xml version='1.0' encoding='koi8-r'?><a/>";
        assert_eq!(read("text/xml; charset=koi8-r", unknown).as_deref(), Some(&unknown[..]));
    }

    #[test]
    fn utf_16_is_known_by_its_first_octets() {
        let document = "<?xml version='1.0' encoding='UTF-16'?><a>\u{e9}\u{1F600}</a>";
        let blank = " ".repeat("encoding='UTF-16'".len());
        let expected = document.replace("encoding='UTF-16'", &blank);
        for mark in ["", "\u{FEFF}"] {
            let units: Vec<u16> = format!("{mark}{document}").encode_utf16().collect();
            let little: Vec<u8> = units.iter().flat_map(|it| it.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|it| it.to_be_bytes()).collect();
            for media_type in ["text/xml; charset=utf-16", "text/xml", "text/xml; charset=utf-8"] {
                assert_eq!(text(media_type, &little).as_deref(), Some(&*expected), "{media_type}");
                assert_eq!(text(media_type, &big).as_deref(), Some(&*expected), "{media_type}");
            }
            let cut = &little[..little.len() - 1];
            assert_eq!(read("text/xml", cut).as_deref(), Some(cut));
        }
    }
}
