//! What bytes are, by how they begin.

use trunkline_codec::xml::{self, Source};
use trunkline_message::{Limits, Result};

/// What a message or a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// FIX tag=value.
    Fix,
    /// A document of XML; perhaps an envelope of SOAP.
    Xml,
    /// A document of Fast Infoset.
    FastInfoset,
    /// An object of JSON.
    Json,
    /// A message of GIOP, in which CDR is.
    Giop,
    /// Compressed, by gzip.
    Gzip,
}

/// An XML declaration that says so, or the magic number of X.891.
const FAST_INFOSET: [&[u8]; 2] = [b"\xe0\x00\x00\x01", b"<?xml encoding='finf'"];

impl Kind {
    /// What begins so, if it is known.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            _ if bytes.starts_with(b"GIOP") => Some(Self::Giop),
            _ if bytes.starts_with(b"8=FIX") => Some(Self::Fix),
            _ if FAST_INFOSET.iter().any(|it| bytes.starts_with(it)) => Some(Self::FastInfoset),
            [0xfe, 0xff, 0, b'<', ..] | [0xff, 0xfe, b'<', 0, ..] => Some(Self::Xml),
            [0, b'<', 0, b'?', ..] | [b'<', 0, b'?', 0, ..] => Some(Self::Xml),
            _ if is_tag(text) => Some(Self::Xml),
            _ if text.starts_with(b"{") => Some(Self::Json),
            _ => None,
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fix => "FIX",
            Self::Xml => "XML",
            Self::FastInfoset => "Fast Infoset",
            Self::Json => "JSON",
            Self::Giop => "GIOP",
            Self::Gzip => "gzip",
        }
    }
}

fn is_tag(text: &[u8]) -> bool {
    let is_first =
        |it: &u8| it.is_ascii_alphabetic() || matches!(it, b'_' | b'!') || !it.is_ascii();
    matches!(text, [b'<', b'?', first, ..] | [b'<', first, ..] if is_first(first))
}

/// The header of a message of GIOP (CORBA 3, part 2, 9.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Giop {
    /// Major and minor.
    pub version: (u8, u8),
    /// Is the least significant byte first?
    pub is_little: bool,
    /// Do more messages go on with this one?
    pub has_more: bool,
    /// Of which type it is.
    pub message_type: u8,
    /// Bytes behind the header.
    pub length: usize,
}

/// The names of the types of messages.
const GIOP_TYPES: [&str; 8] = [
    "Request",
    "Reply",
    "CancelRequest",
    "LocateRequest",
    "LocateReply",
    "CloseConnection",
    "MessageError",
    "Fragment",
];

impl Giop {
    /// Bytes of the header.
    pub const HEADER: usize = 12;

    /// The header at the beginning of these bytes; none if they are fewer, or are no GIOP.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let [b'G', b'I', b'O', b'P', major, minor, flags, message_type, length @ ..] =
            *bytes.first_chunk::<{ Self::HEADER }>()?
        else {
            return None;
        };
        let is_little = flags & 1 != 0;
        let length =
            if is_little { u32::from_le_bytes(length) } else { u32::from_be_bytes(length) };
        let has_more = flags & 2 != 0;
        Some(Self {
            version: (major, minor),
            is_little,
            has_more,
            message_type,
            length: length as usize,
        })
    }

    /// What the type of the message is called.
    pub fn type_name(&self) -> &'static str {
        GIOP_TYPES
            .get(usize::from(self.message_type))
            .copied()
            .unwrap_or("a type that is not known")
    }
}

/// What SOAP or XML says of itself in its first tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Which version of SOAP; none if it is no envelope.
    pub version: Option<&'static str>,
    /// Local name and namespace of what is inside: the first child of the Body, or the document's element.
    pub content: Option<(String, String)>,
    /// The same of the type that `xsi:type` of this element names.
    pub of_type: Option<(String, String)>,
}

impl Envelope {
    /// Is there no message in it that a description has: is its Body empty, or has it a fault?
    pub fn is_empty_or_fault(&self) -> bool {
        let is_fault = |(local, namespace): &(String, String)| {
            local == "Fault" && VERSIONS.iter().any(|it| it.0 == namespace)
        };
        self.version.is_some() && self.content.as_ref().is_none_or(is_fault)
    }

    /// That of a document of XML; none if it does not begin as one.
    pub fn of(bytes: &[u8], limits: &Limits) -> Option<Self> {
        let mut source = Source::default();
        let text = source.prepare(bytes, limits).ok()?;
        // What is no envelope may have processing instructions.
        Self::read(&mut xml::Reader::begin(xml::Options::default(), text, limits).ok()?).ok()
    }

    /// Reads as much of a document as tells it.
    ///
    /// # Errors
    /// What of it was read is not well-formed.
    pub fn read(reader: &mut impl trunkline_codec::infoset::Reader) -> Result<Self> {
        use trunkline_codec::infoset::Event;
        let mut envelope = Self::default();
        let mut is_in_body = false;
        loop {
            let depth = reader.depth();
            match reader.next()? {
                Event::Start(name) => {
                    let (local, namespace) = (reader.local(name), reader.namespace_of(name));
                    let version = VERSIONS.iter().find(|it| it.0 == namespace).map(|it| it.1);
                    match (depth, local, version) {
                        (0, "Envelope", Some(version)) => envelope.version = Some(version),
                        (1, "Body", Some(_)) if envelope.version.is_some() => is_in_body = true,
                        (1, ..) if envelope.version.is_some() => reader.skip()?,
                        _ => {
                            envelope.content = Some((local.to_owned(), namespace.to_owned()));
                            envelope.of_type = type_of(reader);
                            return Ok(envelope);
                        }
                    }
                }
                Event::End if is_in_body => return Ok(envelope),
                Event::Eof => return Ok(envelope),
                Event::Text(_) | Event::End => {}
            }
        }
    }
}

/// Of an envelope whose content was read to its first start tag: adds namespace and local name of each element that stands in the
/// Body behind that. Beyond [`MOST_PARTS`] none is added.
///
/// # Errors
/// What of it was read is not well-formed.
pub(crate) fn behind(
    reader: &mut impl trunkline_codec::infoset::Reader,
    body: &mut Vec<(String, String)>,
) -> Result<()> {
    use trunkline_codec::infoset::Event;
    reader.skip()?;
    while body.len() < MOST_PARTS {
        match reader.next()? {
            Event::Start(name) => {
                let (namespace, local) = (reader.namespace_of(name), reader.local(name));
                body.push((namespace.to_owned(), local.to_owned()));
                reader.skip()?;
            }
            Event::End | Event::Eof => break,
            Event::Text(_) => {}
        }
    }
    Ok(())
}

/// As many elements in a Body are told apart; no description has messages of more parts.
const MOST_PARTS: usize = 256;

/// The type that `xsi:type` of the start tag just read names: its local name and namespace.
fn type_of(tag: &impl trunkline_codec::infoset::Tag) -> Option<(String, String)> {
    let written = tag.value(tag.find_attribute(XSI, "type")?);
    let (prefix, local) = written.trim().split_once(':').unwrap_or(("", written.trim()));
    let namespace = tag.resolve(prefix).map_or("", |it| tag.namespace_name(it));
    Some((local.to_owned(), namespace.to_owned()))
}

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The namespace of an envelope of SOAP 1.2.
pub(crate) const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
pub(crate) const SOAP_12: &str = "http://www.w3.org/2003/05/soap-envelope";

const VERSIONS: [(&str, &str); 2] = [(SOAP_11, "SOAP 1.1"), (SOAP_12, "SOAP 1.2")];

/// The charset of a document of XML, as its beginning says.
pub fn charset(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, ..] | [0, b'<', ..] => return "UTF-16BE".into(),
        [0xff, 0xfe, ..] | [b'<', 0, ..] => return "UTF-16LE".into(),
        _ => {}
    }
    let head = &bytes[..bytes.len().min(200)];
    let end = memchr::memmem::find(head, b"?>").unwrap_or(0);
    let declaration = String::from_utf8_lossy(&head[..end]);
    let named = declaration.split_once("encoding").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        rest.split(['"', '\'']).nth(1).map(str::to_ascii_uppercase)
    });
    named.filter(|it| !it.is_empty()).unwrap_or_else(|| "UTF-8".into())
}

/// The limits of what is looked at by hand.
pub fn limits() -> Limits {
    Limits { message_bytes: 64 << 20, ..Limits::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_say_what_they_are() {
        for (bytes, kind) in [
            (&b"8=FIX.4.4\x019=5"[..], Some(Kind::Fix)),
            (b"\xef\xbb\xbf <?xml version='1.0'?><a/>", Some(Kind::Xml)),
            (b"<?xml encoding='finf'?>\xe0\0\0\x01", Some(Kind::FastInfoset)),
            (b"\xe0\x00\x00\x01\x00", Some(Kind::FastInfoset)),
            (b"\xff\xfe<\0a\0", Some(Kind::Xml)),
            (b"<?xml-stylesheet href='a'?><a/>", Some(Kind::Xml)),
            (b"<?go?><a/>", Some(Kind::Xml)),
            (b" {\"a\":1}", Some(Kind::Json)),
            (b"GIOP\x01\x02\x01\0\0\0\0\0", Some(Kind::Giop)),
            (b"\x1f\x8b\x08", Some(Kind::Gzip)),
            (b"<20260101-10:00:00, FIX.4.4", None),
            (b"20260101", None),
            (b"", None),
        ] {
            assert_eq!(Kind::of(bytes), kind, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_declaration_names_the_charset() {
        for (bytes, expected) in [
            (&b"<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><a/>"[..], "ISO-8859-1"),
            (b"<?xml version='1.0' encoding = 'utf-8' standalone='yes'?><a/>", "UTF-8"),
            (b"<a encoding='x'/>", "UTF-8"),
            (b"\xfe\xff\0<", "UTF-16BE"),
        ] {
            assert_eq!(charset(bytes), expected);
        }
    }
}
