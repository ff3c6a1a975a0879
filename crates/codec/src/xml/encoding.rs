//! From bytes to text: which encoding a document is in (section 4.3.3, appendix F), and is it valid.

use trunkline_message::Limits;

use super::declaration;
use super::error::{Error, ErrorKind, excerpt};

/// Turns the bytes of a document into checked text. UTF-8 is borrowed as it is; other encodings
/// are transcoded into memory that the source keeps for the next document.
#[derive(Clone, Debug, Default)]
pub struct Source {
    transcoded: String,
    /// The XML declaration of the last document in UTF-8: most senders write the same again.
    declaration: Box<[u8]>,
}

/// A longer declaration is read each time.
const LONGEST: usize = 128;

/// The encodings that the first bytes of a document can tell apart.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    /// UTF-8, or another encoding that has ASCII in the same places and says so.
    Ascii {
        mark: bool,
    },
    Utf16 {
        big_endian: bool,
        mark: bool,
    },
}

impl Source {
    /// The text of a document, without its byte order mark.
    ///
    /// The encoding is taken from the byte order mark and the XML declaration: UTF-8, UTF-16,
    /// ISO-8859-1 or US-ASCII. The text has no U+FFFE or U+FFFF, which the parser relies on.
    ///
    /// # Errors
    ///
    /// `MessageTooLong` by `Limits::message_bytes`, which holds for the bytes given;
    /// `UnsupportedEncoding`, `EncodingMismatch`, `InvalidEncoding`, `ForbiddenCharacter`; and
    /// whatever is wrong with the XML declaration.
    pub fn prepare<'a>(&'a mut self, bytes: &'a [u8], limits: &Limits) -> Result<&'a str, Error> {
        if bytes.len() > limits.message_bytes {
            return Err(Error::new(ErrorKind::MessageTooLong(limits.message_bytes), 0));
        }
        let text = match detect(bytes)? {
            Family::Ascii { mark } => self.ascii_family(&bytes[usize::from(mark) * 3..], mark)?,
            Family::Utf16 { big_endian, mark } => self.utf16(bytes, big_endian, mark)?,
        };
        match noncharacter(text) {
            Some((code, at)) => Err(Error::new(ErrorKind::ForbiddenCharacter(code), at)),
            None => Ok(text),
        }
    }

    fn ascii_family<'a>(&'a mut self, bytes: &'a [u8], mark: bool) -> Result<&'a str, Error> {
        if !self.declaration.is_empty() && bytes.starts_with(&self.declaration) {
            return utf8(bytes);
        }
        let Some(declaration) = declaration::read(bytes)? else { return utf8(bytes) };
        let text = &bytes[..declaration.end];
        let Some(declared) = declaration.encoding else {
            self.keep(text);
            return utf8(bytes);
        };
        let start = declared.start;
        // The declaration is ASCII, so this is the whole name.
        let name = str::from_utf8(&bytes[declared]).unwrap_or("");
        let known = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if known(&["UTF-8", "UTF8"]) {
            self.keep(text);
            return utf8(bytes);
        }
        if mark || known(&["UTF-16", "UTF-16LE", "UTF-16BE"]) {
            let kind = ErrorKind::EncodingMismatch { declared: excerpt(name), detected: "UTF-8" };
            return Err(Error::new(kind, start));
        }
        if known(&["US-ASCII", "ASCII"]) {
            return match bytes.iter().position(|byte| !byte.is_ascii()) {
                Some(at) => Err(Error::new(ErrorKind::InvalidEncoding("US-ASCII"), at)),
                None => utf8(bytes),
            };
        }
        if known(&["ISO-8859-1", "ISO_8859-1", "LATIN1", "L1"]) {
            self.transcoded.clear();
            self.transcoded.extend(bytes.iter().map(|&byte| char::from(byte)));
            return Ok(&self.transcoded);
        }
        Err(Error::new(ErrorKind::UnsupportedEncoding(excerpt(name)), start))
    }

    #[cold]
    fn keep(&mut self, declaration: &[u8]) {
        if declaration.len() <= LONGEST {
            self.declaration = declaration.into();
        }
    }

    fn utf16(&mut self, bytes: &[u8], big_endian: bool, mark: bool) -> Result<&str, Error> {
        let invalid = |at| Error::new(ErrorKind::InvalidEncoding("UTF-16"), at);
        let (units, odd) = bytes.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(invalid(bytes.len() - 1));
        }
        let read = if big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
        let units = units[usize::from(mark)..].iter().map(|&unit| read(unit));
        self.transcoded.clear();
        self.transcoded.reserve(bytes.len() / 2);
        let mut at = usize::from(mark) * 2;
        for character in char::decode_utf16(units) {
            let character = character.map_err(|_| invalid(at))?;
            at += character.len_utf16() * 2;
            self.transcoded.push(character);
        }
        let text = self.transcoded.as_str();
        if let Some(declaration::Declaration { encoding: Some(range), .. }) =
            declaration::read(text.as_bytes())?
        {
            let name = &text[range.clone()];
            let ours = if big_endian { "UTF-16BE" } else { "UTF-16LE" };
            if !name.eq_ignore_ascii_case("UTF-16") && !name.eq_ignore_ascii_case(ours) {
                let kind = ErrorKind::EncodingMismatch { declared: excerpt(name), detected: ours };
                return Err(Error::new(kind, range.start));
            }
        }
        Ok(text)
    }
}

/// Which family the first bytes belong to (appendix F.1).
fn detect(bytes: &[u8]) -> Result<Family, Error> {
    let unsupported = |name: &str| Err(Error::new(ErrorKind::UnsupportedEncoding(name.into()), 0));
    match bytes {
        [0, 0, 0xfe, 0xff, ..] | [0xff, 0xfe, 0, 0, ..] => unsupported("UTF-32"),
        [0, 0, 0, b'<', ..] | [b'<', 0, 0, 0, ..] => unsupported("UTF-32"),
        [0x4c, 0x6f, 0xa7, 0x94, ..] => unsupported("EBCDIC"),
        [0xef, 0xbb, 0xbf, ..] => Ok(Family::Ascii { mark: true }),
        [0xfe, 0xff, ..] => Ok(Family::Utf16 { big_endian: true, mark: true }),
        [0xff, 0xfe, ..] => Ok(Family::Utf16 { big_endian: false, mark: true }),
        [0, b'<', 0, b'?', ..] => Ok(Family::Utf16 { big_endian: true, mark: false }),
        [b'<', 0, b'?', 0, ..] => Ok(Family::Utf16 { big_endian: false, mark: false }),
        _ => Ok(Family::Ascii { mark: false }),
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Ok(text);
    }
    // The fast check does not say where; the second one does.
    std::str::from_utf8(bytes)
        .map_err(|error| Error::new(ErrorKind::InvalidEncoding("UTF-8"), error.valid_up_to()))
}

/// The first U+FFFE or U+FFFF and its position.
fn noncharacter(text: &str) -> Option<(u32, usize)> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(0xef, bytes).find_map(|at| match bytes[at..] {
        [_, 0xbf, 0xbe, ..] => Some((0xfffe, at)),
        [_, 0xbf, 0xbf, ..] => Some((0xffff, at)),
        _ => None,
    })
}
