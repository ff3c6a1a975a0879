//! The code sets in which FIX and CDR carry text.

use std::borrow::Cow;

use encoding_rs::{WINDOWS_1252, mem};
use trunkline_message::ErrorKind;
use trunkline_wire::{Code, validate_utf8};

/// How the characters of text are written as bytes.
///
/// FIX 4.x names no code set for text, and CDR leaves it to what both sides agree on, so it is an
/// option of a plan. Codes, numbers, dates and times are ASCII in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CodeSet {
    /// UTF-8, which is checked.
    #[default]
    Utf8,
    /// ISO-8859-1: the bytes are the first 256 characters of Unicode, 0x80 to 0x9F its controls.
    Iso8859_1,
    /// windows-1252: as ISO-8859-1, but with `€` and 26 others in place of controls. The five bytes
    /// that stand for nothing (0x81, 0x8D, 0x8F, 0x90, 0x9D) are the controls of ISO-8859-1, as the
    /// Encoding Standard of the web has it.
    Windows1252,
}

impl CodeSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Iso8859_1, Self::Windows1252];

    /// The one of this [name](Self::name), in whichever case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name().eq_ignore_ascii_case(name))
    }

    /// The name that the registry of IANA has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Iso8859_1 => "ISO-8859-1",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// The whole of a message as text, if every piece of it means the same as in this code set.
    #[inline]
    pub(crate) fn view(self, message: &[u8]) -> Option<&str> {
        let text = validate_utf8(message).ok();
        if self == Self::Utf8 { text } else { text.filter(|text| text.is_ascii()) }
    }

    /// The code set of a `char` by itself, which is one octet: that of CORBA's native codes where strings are UTF-8.
    pub(crate) fn of_chars(self) -> Self {
        if self == Self::Utf8 { Self::Iso8859_1 } else { self }
    }

    /// The `char` that is this octet.
    #[cold]
    pub(crate) fn char(self, octet: u8) -> Code {
        let octet = [octet];
        let read = self.of_chars().read(&octet).ok().and_then(|it| it.chars().next());
        Code::from_char(read.unwrap_or(char::from(octet[0])))
    }

    /// The text that the bytes stand for.
    ///
    /// # Errors
    /// The position of the first byte that stands for nothing, and what was expected.
    pub(crate) fn read(self, bytes: &[u8]) -> Result<Cow<'_, str>, (usize, ErrorKind)> {
        match self {
            Self::Utf8 => validate_utf8(bytes).map(Cow::Borrowed).map_err(|at| no_utf8(bytes, at)),
            Self::Iso8859_1 => Ok(mem::decode_latin1(bytes)),
            Self::Windows1252 => Ok(WINDOWS_1252.decode_without_bom_handling(bytes).0),
        }
    }

    /// The bytes of the text.
    ///
    /// # Errors
    /// The code set lacks a character of the text.
    pub(crate) fn write(self, text: &str) -> Result<Cow<'_, [u8]>, &'static str> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().into()),
            Self::Iso8859_1 if mem::is_str_latin1(text) => Ok(mem::encode_latin1_lossy(text)),
            Self::Iso8859_1 => Err("the text has a character that is not in ISO-8859-1"),
            Self::Windows1252 => match WINDOWS_1252.encode(text) {
                (bytes, _, false) => Ok(bytes),
                _ => Err("the text has a character that is not in windows-1252"),
            },
        }
    }
}

#[cold]
fn no_utf8(bytes: &[u8], at: usize) -> (usize, ErrorKind) {
    let byte = bytes.get(at).copied().unwrap_or_default();
    let what = format!(
        "text in UTF-8, not the byte 0x{byte:02X}; as ISO-8859-1 or windows-1252 it is read where \
         the option code_set (--charset) says so"
    );
    (at, ErrorKind::Expected(what.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_code_set_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        for set in [CodeSet::Iso8859_1, CodeSet::Windows1252] {
            let text = set.read(&bytes).unwrap();
            assert_eq!(text.chars().count(), 256);
            assert_eq!(set.write(&text), Ok(Cow::Borrowed(&bytes[..])), "{}", set.name());
        }
    }

    /// Browsers read ISO-8859-1 as windows-1252; in messages they are two.
    #[test]
    fn the_two_differ_where_controls_are() {
        let latin = CodeSet::Iso8859_1.read(b"\x80\x99\xe9\x81").unwrap();
        assert_eq!(latin, "\u{80}\u{99}\u{e9}\u{81}");
        let windows = CodeSet::Windows1252.read(b"\x80\x99\xe9\x81").unwrap();
        assert_eq!(windows, "\u{20ac}\u{2122}\u{e9}\u{81}");
        assert!(CodeSet::Iso8859_1.write("€").is_err());
        assert!(CodeSet::Windows1252.write("\u{80}").is_err());
        for set in [CodeSet::Iso8859_1, CodeSet::Windows1252] {
            assert!(set.write("中").unwrap_err().ends_with(set.name()));
        }
    }

    #[test]
    fn a_char_is_an_octet_of_latin_1_or_of_what_is_agreed_on() {
        for octet in 0..=255 {
            for set in [CodeSet::Utf8, CodeSet::Iso8859_1, CodeSet::Windows1252] {
                let code = set.char(octet);
                assert_eq!(set.of_chars().write(code.as_str()), Ok(Cow::Borrowed(&[octet][..])));
            }
            assert_eq!(CodeSet::Utf8.char(octet).as_str(), char::from(octet).to_string());
        }
        assert_eq!(CodeSet::Windows1252.char(0x80).as_str(), "€");
    }

    #[test]
    fn a_view_means_the_same() {
        let (ascii, utf8, other) = (&b"58=a"[..], "58=é".as_bytes(), &b"58=\xe9"[..]);
        let view = |set: CodeSet| [ascii, utf8, other].map(|bytes| set.view(bytes));
        assert_eq!(view(CodeSet::Utf8), [Some("58=a"), Some("58=é"), None]);
        assert_eq!(view(CodeSet::Iso8859_1), [Some("58=a"), None, None]);
    }
}
